"""Compute a matrix, cell by cell."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.notes import Notes
from evaluate_shelf.formulations.registry import formulation_of, refuse_model
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.protocol import Lookup
from evaluate_shelf.models.resolve import NamedModel, resolve_model
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.runs.threads import protocol_threads
from evaluate_shelf.transfer_matrix.cell import ResampledCell
from evaluate_shelf.transfer_matrix.cell_store import CellStore, DamagedCellError
from evaluate_shelf.transfer_matrix.corpora import Corpus
from evaluate_shelf.transfer_matrix.matrix import Matrix, matrix_of
from evaluate_shelf.transfer_matrix.reporter import Reporter
from evaluate_shelf.transfer_matrix.row import row_of_cells
from evaluate_shelf.transfer_matrix.samples import Sample, samples
from evaluate_shelf.transfer_matrix.settings import DEFAULT_MODEL, Settings, matrix_protocol

_TASK = "lcc_classification"

Cells = dict[tuple[str, str], ResampledCell]
"""By the names of what is learned from and of what is tested on."""


def transfer_matrix(
    corpora: Sequence[Corpus],
    model: str = DEFAULT_MODEL,
    settings: Settings | None = None,
    *,
    work: Path,
    store: Path | None = None,
    reporter: Reporter | None = None,
) -> Matrix:
    """Train a probe on each corpus and test it on all of them.

    Parameters
    ----------
    corpora : sequence of Corpus
        At least one; of one alone there is the score on itself.
    model : str, default='tfidf-full'
        As `resolve_model` takes it; must give vectors.
    settings : Settings, default=None
        Size, words and split.
    work : pathlib.Path
        Where cells are kept: those that are there are not computed again, but for damaged ones.
    store : pathlib.Path, default=None
        Where vectors are kept, of models that need no fit.
    reporter : Reporter, default=None
        Told of the progress.

    Returns
    -------
    Matrix
        The same whatever was there before, and in whichever order the corpora are given.

    Raises
    ------
    ShelfError
        If a corpus cannot be split, the model is unknown or gives no vectors, or nothing can be
        kept in `work`.
    """
    listener = reporter or Reporter()
    protocol = matrix_protocol()
    named = resolve_model(model, protocol)
    kept = CellStore(work, named.identity, protocol)
    drawn = samples(corpora, settings or Settings())
    cells = _found(drawn, kept, listener)
    space: Workspace | None = None
    with protocol_threads(protocol):
        for train in drawn:
            pending = [test for test in drawn if (train.name, test.name) not in cells]
            listener.row(train.name, [test.name for test in pending])
            if not pending:
                continue
            try:
                space = space or _workspace(named, protocol, drawn[0].settings, store, listener)
                for test, cell in zip(pending, row_of_cells(train, pending, space), strict=True):
                    kept.keep(train, test, cell)
                    cells[train.name, test.name] = cell
                    listener.cell(cell.cell, len(cells), len(drawn) ** 2)
            except ShelfError as error:
                raise ShelfError(f"model {model!r}, learning from {train.name}: {error}") from error
    in_order = tuple(cells[train.name, test.name] for train in drawn for test in drawn)
    return matrix_of(drawn, in_order, named.identity, protocol)


def _found(drawn: Sequence[Sample], kept: CellStore, listener: Reporter) -> Cells:
    """The cells that are there; a damaged one is told, and is to be computed again."""
    found: Cells = {}
    for train, test in product(drawn, repeat=2):
        try:
            cell = kept.found(train, test)
        except DamagedCellError as error:
            listener.damaged(train.name, test.name, str(error))
            continue
        if cell is not None:
            found[train.name, test.name] = cell
    return found


def _workspace(
    named: NamedModel,
    protocol: Protocol,
    settings: Settings,
    store: Path | None,
    listener: Reporter,
) -> Workspace:
    """Load the model."""
    loaded = named.load()
    refuse_model(formulation_of(task_named(_TASK)), loaded)
    if settings.words is not None and isinstance(loaded, Lookup):
        raise ShelfError(
            "these vectors are of whole texts: --words cannot cut what they are of; leave it out"
        )
    return Workspace(
        loaded,
        named.base_identity,
        protocol,
        store,
        listener.encoding,
        named.reduce,
        notes=Notes(begun=listener.stage),
    )
