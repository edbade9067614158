"""The quality report of a corpus: duplicates, leaks, label signal and the numbers of figures."""

from __future__ import annotations

from builders.quality.duplicates import ExactDuplicates, exact_duplicates
from builders.quality.fingerprints import Fingerprints
from builders.quality.label_signal import FACETS as NAMED_FACETS
from builders.quality.label_signal import Signal, SignalCounter
from builders.quality.labels import CHECKED, FACETS, AbsentLabels, FacetCounts, LabelCounter
from builders.quality.leaks import GroupCounter, Groups, RepeatedIds, repeated_ids
from builders.quality.lengths import LengthCounter, Lengths
from builders.quality.near_duplicates import THRESHOLD, NearDuplicates, near_duplicates
from builders.quality.parts import Part
from builders.quality.rows import read_rows
from builders.quality.stream import Batches

GENERATOR = "model"
"""The column that names what wrote a document."""


class QualityReport(Part):
    """What a user must know of a corpus before trusting a score on it.

    Attributes
    ----------
    name : str
        Of the corpus.
    seed : int
        Of the hashes that find near duplicates.
    documents : dict of str to int
        By split.
    lengths : Lengths or None
        In words; None for an empty corpus.
    labels : dict of str to FacetCounts
        By facet; the generators are the facet `model`.
    absent : dict of str to dict of str to AbsentLabels
        Labels that a split lacks, by facet and split.
    signals : dict of str to Signal
        Documents that contain the name of their own label, by facet.
    exact, near : ExactDuplicates, NearDuplicates
        Documents of the same text, and of nearly the same.
    ids : RepeatedIds
        Ids that stand more than once.
    groups : Groups or None
        Groups on several sides of the split; None for a corpus without a group column.
    """

    name: str
    seed: int
    documents: dict[str, int]
    lengths: Lengths | None
    labels: dict[str, FacetCounts]
    absent: dict[str, dict[str, AbsentLabels]]
    signals: dict[str, Signal]
    exact: ExactDuplicates
    near: NearDuplicates
    ids: RepeatedIds
    groups: Groups | None


def quality_of(
    name: str,
    batches: Batches,
    *,
    group_column: str | None,
    seed: int,
    threshold: float = THRESHOLD,
) -> QualityReport:
    """Report on a corpus, of which the texts are read once, or twice if texts are alike.

    Parameters
    ----------
    name : str
        Of the corpus.
    batches : Batches
        The corpus.
    group_column : str or None
        The column whose values should lie in one split each.
    seed : int
        Of the hashes that find near duplicates.
    threshold : float, default=0.8
        Least Jaccard similarity of word 5-grams of a near duplicate, from 0.7 to 1.

    Returns
    -------
    QualityReport
        The same for the same rows, however they are cut into batches.

    Raises
    ------
    ShelfError
        If a row has no id, text or split, or the stream gives other rows the second time.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from builders.quality.stream import batches_of
    >>> table = pa.table(
    ...     {
    ...         "id": ["a", "b", "c"],
    ...         "text": ["On bees.", "on  bees.", "On wasps."],
    ...         "split": ["train", "test", "test"],
    ...         "spec_id": ["s", "s", None],
    ...     }
    ... )
    >>> report = quality_of("insects", batches_of(table), group_column="spec_id", seed=42)
    >>> report.exact.pairs.across["train-test"], report.groups.across_splits
    (1, 1)
    """
    lengths, signals = LengthCounter(), SignalCounter()
    labels = LabelCounter((*FACETS, GENERATOR))
    groups = GroupCounter(group_column) if group_column else None
    kept = Fingerprints(name, seed)
    counters = (lengths, signals, labels, kept, *((groups,) if groups else ()))
    columns = (*FACETS, *NAMED_FACETS, GENERATOR, *((group_column,) if group_column else ()))
    for rows in read_rows(name, batches, columns):
        for counter in counters:
            counter.add(rows)
    return QualityReport(
        name=name,
        seed=seed,
        documents=labels.documents(),
        lengths=lengths.lengths(),
        labels=labels.counts(),
        absent=labels.absent(CHECKED),
        signals=signals.signals(),
        exact=exact_duplicates(kept),
        near=near_duplicates(kept, batches, threshold=threshold),
        ids=repeated_ids(kept),
        groups=groups.groups() if groups else None,
    )
