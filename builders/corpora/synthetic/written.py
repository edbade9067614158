"""Slices of a corpus that `shelf write` has written."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow.compute as pc

from builders.budget.reading import Written, read_answers, read_plan
from builders.corpora.synthetic.gated import GatedPieces, gated
from builders.corpora.synthetic.pieces import Progress, written_pieces
from builders.corpora.synthetic.rows import AnswerRows
from builders.corpora.synthetic.slices import label_notes, slice_of
from builders.gates.language import require_identifier
from builders.gates.verdict import VERSION as GATES_VERSION
from builders.staging.config import StagedConfig
from evaluate_shelf import __version__
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.registry.taxonomy import load_taxonomy

_MOST_NAMED = 8


@dataclass(frozen=True)
class WrittenCorpus:
    """A corpus that was written, as far as it is.

    Attributes
    ----------
    folder : pathlib.Path
        Where it lies.
    plan : Plan
        What it was commissioned as, with those of its slices of which something is written.
    seed : int
        Of its first blocks.
    taxonomy : pathlib.Path or None
        Folder of its labels; None for those of the installation.
    answers : dict of str to int
        How many there are, by slice.
    ids : frozenset of str
        Of the answers; those that are added later are no part of it.
    content_id : str
        Name of its answers.
    """

    folder: Path
    plan: Plan
    seed: int
    taxonomy: Path | None
    answers: dict[str, int]
    ids: frozenset[str]
    content_id: str


def written_corpus(folder: Path, taxonomy: Path | None = None) -> WrittenCorpus:
    """Read through a written corpus.

    Parameters
    ----------
    folder : pathlib.Path
        That `shelf write` was given as --out.
    taxonomy : pathlib.Path, default=None
        Folder of the labels that it was written from; those of the installation without it.

    Returns
    -------
    WrittenCorpus

    Raises
    ------
    ShelfError
        If there is no corpus, it is damaged, has no answer yet, or was written from other labels.
    """
    commission = read_plan(folder).commission
    if sha256_of_json(repr(load_taxonomy(taxonomy))) != commission.taxonomy_sha256:
        raise ShelfError(
            f"{folder}: was written from other labels than those of "
            f"{taxonomy or 'this installation'}; name its folder with --taxonomy"
        )
    answers: dict[str, int] = {}
    ids: set[str] = set()
    digest = hashlib.sha256()
    for own in read_answers(folder):
        ids.add(own.order.id)
        answers[own.order.slice] = answers.get(own.order.slice, 0) + 1
        parts = (own.order.id, own.answer.text, own.answer.flags, own.nano_usd)
        digest.update(sha256_of_json(parts).encode())
    if not answers:
        raise ShelfError(f"{folder}: has no answer yet; `shelf write` goes on with it")
    slices = {name: own for name, own in commission.plan.slices.items() if name in answers}
    return WrittenCorpus(
        folder=folder,
        plan=commission.plan.model_copy(update={"slices": slices}),
        seed=commission.seed,
        taxonomy=taxonomy,
        answers=answers,
        ids=frozenset(ids),
        content_id=digest.hexdigest()[:16],
    )


def gated_corpus(
    written: WrittenCorpus, staging: Path, progress: Progress | None = None
) -> GatedPieces:
    """Put every answer of a corpus through all gates.

    Parameters
    ----------
    written : WrittenCorpus
    staging : pathlib.Path
        Where the pieces are kept, so that an interrupted build goes on behind the last one.
    progress : callable, default=None
        Called with the number of documents done and in all.

    Returns
    -------
    GatedPieces
        Of all slices: near duplicates are looked for in the corpus as a whole.
    """
    require_identifier()
    key = [__version__, GATES_VERSION, written.content_id, repr(load_taxonomy(written.taxonomy))]
    pieces = written_pieces(
        _answers(written),
        AnswerRows(written.seed, written.taxonomy),
        count=sum(written.answers.values()),
        folder=staging / "pieces" / f"written-{sha256_of_json(key)[:16]}",
        progress=progress,
    )
    return gated(written.folder.name, pieces)


def build_written_slice(
    name: str, written: WrittenCorpus, pieces: GatedPieces, *, seed: int, staging: Path
) -> StagedConfig:
    """Build a slice from a written corpus.

    Parameters
    ----------
    name : str
        Of a slice of which something is written.
    written : WrittenCorpus
    pieces : GatedPieces
        Of the corpus.
    seed : int
        Of the split.
    staging : pathlib.Path
        Where the config is written.

    Returns
    -------
    StagedConfig
        As `build_slice` gives it.

    Raises
    ------
    ShelfError
        If fewer than two classes have two groups each.
    """
    models: set[str] = set()
    for table in pieces.tables(name, ["model"]):
        models.update(pc.unique(table["model"]).to_pylist())
    named = sorted(models)
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    ordered = written.plan.documents([name])
    done = f"{written.answers[name]} of {ordered} ordered documents are written"
    return slice_of(
        name,
        pieces,
        seed=seed,
        seeds={"specifications": written.seed},
        source=one_line(f"written by {', '.join(named[:_MOST_NAMED])}{more}", 300),
        notes=(
            f"{done}; by whom, when and at what cost stands in `reports/writing.md`.",
            *label_notes(written.taxonomy),
        ),
        staging=staging,
    )


def _answers(written: WrittenCorpus) -> Iterator[Written]:
    for own in read_answers(written.folder):
        if own.order.id in written.ids:
            # What came back as the endpoint sent it is of no use here, and large.
            yield own._replace(answer=replace(own.answer, raw=b""))
