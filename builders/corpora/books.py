"""The natural corpus `transfer_gutenberg`, from passages to splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from builders.corpora.columns import GUTENBERG
from builders.corpora.gutenberg.corpus import GutenbergCorpus, build_passages
from builders.splits import Member, grouped_splits, thin_labels
from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.writing import stage_rows
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.corpora import Corpus
from evaluate_shelf.registry.taxonomy import load_taxonomy


def build_gutenberg(
    corpus: Corpus,
    catalogue: Path,
    texts: Path,
    *,
    seed: int,
    passages_per_work: int | None = None,
    staging: Path,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[StagedConfig, GutenbergCorpus]:
    """Build `transfer_gutenberg` from a catalogue and a folder of plain texts.

    Parameters
    ----------
    corpus : Corpus
        Sizes of passages.
    catalogue, texts : pathlib.Path
        Project Gutenberg's catalogue and texts.
    seed : int
        Of the split.
    passages_per_work : int, default=None
        In place of the corpus's own number.
    staging : pathlib.Path
        Where the passages of each work, and the config, are kept until the build is complete.
    progress : callable, default=None
        Called with the number of works read and in all.

    Returns
    -------
    tuple of StagedConfig and GutenbergCorpus
        Split by author and work, so that no writer is on two sides; and what was refused.

    Raises
    ------
    ShelfError
        If an input is damaged, or fewer than two classes have two authors each.
    """
    settings = corpus.passages
    if settings is None:
        raise ShelfError(f"corpora.yaml, row {corpus.id}, field 'passages': is required")
    built = build_passages(
        catalogue,
        texts,
        passages_per_work=passages_per_work or settings.passages_per_work,
        target_words=settings.target_words,
        min_words=settings.min_words,
        max_words=settings.max_words,
        staging=staging / "books",
        progress=progress,
    )
    if not built.rows:
        reasons = Counter(reason for _, _, reason in built.refused).most_common(3)
        counted = "; ".join(f"{count} x {reason}" for reason, count in reasons)
        raise ShelfError(
            f"{catalogue}: none of its {built.works_read} works gives a passage: {counted}. "
            "A text is looked for as N.txt, pgN.txt, N-0.txt or N-8.txt, plain or .gz"
        )
    subjects = {subject.code: subject for subject in load_taxonomy().classes}
    rows = []
    for row in built.rows:
        subject = subjects[row["provenance"]["lcc_letter"]]
        label = {
            "lcc_code": subject.code,
            "lcc_name": subject.name,
            "lcc_uri": subject.uri,
        }
        rows.append({name: {**row, **label}.get(name) for name in GUTENBERG.names})
    members = [Member(row["group_id"], row["lcc_code"], "") for row in rows]
    thin = thin_labels(members)
    notes = [
        f"{len(rows)} passages of {built.kept_works} works; {len(built.refused)} refused",
        f"{len(built.duplicates)} passages dropped whose text an earlier one has",
        "Split by author and work: all passages of a writer lie in one split.",
    ]
    if thin:
        notes.append(f"dropped, fewer than two authors: class {', '.join(thin)}")
        rows = [row for row in rows if row["lcc_code"] not in thin]
        members = [member for member in members if member.label not in thin]
    if len({member.label for member in members}) < 2:
        raise ShelfError(
            f"{catalogue}: fewer than two classes have works by two authors each; "
            "a corpus needs at least two classes"
        )
    info = ConfigInfo(
        name=corpus.id,
        kind="documents",
        schema=GUTENBERG,
        source="Project Gutenberg, public-domain books",
        group_column="group_id",
        seeds={"split": seed},
        counted=("lcc_code", "lcgft_category", "lcgft_form"),
        notes=tuple(notes),
    )
    splits = grouped_splits(members, seed=seed)
    return stage_rows(info, rows, splits, staging / "configs"), built


def table_of_refused(refused: Sequence[tuple[int, str, str]]) -> bytes:
    """Number, title and reason of every work that gave no passage, tab-separated."""
    lines = ["number\ttitle\treason"]
    for number, title, reason in refused:
        lines.append(f"{number}\t{' '.join(title.split())}\t{' '.join(reason.split())}")
    return ("\n".join(lines) + "\n").encode("utf-8")
