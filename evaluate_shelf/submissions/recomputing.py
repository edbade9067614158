"""The whole check of a run that was taken out of its archive, in the process that may die of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import ValidationError

from evaluate_shelf.contamination.written import written_in
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation.kept import config_read
from evaluate_shelf.evaluation.request import Evaluation
from evaluate_shelf.evaluation.scoring import outcomes_of, score_rows
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.formulations.data import TaskData, checked_items
from evaluate_shelf.formulations.registry import formulation_of
from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.folder import RUN, SCORES
from evaluate_shelf.runs.reading import Run, load_run
from evaluate_shelf.runs.schema import SCORES_SCHEMA, RunFile, WrittenRecord
from evaluate_shelf.submissions.contents import items_name
from evaluate_shelf.submissions.fingerprints import fingerprint_of, sketch_of
from evaluate_shelf.submissions.item_shapes import check_items, shape_of_items
from evaluate_shelf.submissions.parquet_reading import Shape, read_bounded
from evaluate_shelf.submissions.refusals import Refused, quoted
from evaluate_shelf.submissions.run_json import done_tasks, protocol_of_run

TOLERANCE = 1e-9
"""How far a claimed number may be from the recomputed one: last digits of other processors."""

_MOST_METRICS = 40
_SHOWN_FROM = {
    "documents_per_second": "rate.documents_per_second",
    "rate_low": "rate.low",
    "rate_high": "rate.high",
    "machine": "hardware",
    "parameters": "model.parameters",
    "dimension": "model.dimension",
    "max_tokens": "model.max_tokens",
    "cut_share": "tasks",
}
"""Which field of `run.json` a field of a board's row comes from; others have one name."""

DataOf = Callable[[Task], TaskData]
_MISTAKES = (
    ShelfError,
    ArithmeticError,
    AssertionError,
    IndexError,
    KeyError,
    TypeError,
    ValueError,
    pa.ArrowException,
)


def recomputed(
    folder: Path, file: RunFile, release: Release, *, scores: bool = True
) -> dict[str, Any]:
    """Check a run against a release and compute its scores again.

    Parameters
    ----------
    folder : pathlib.Path
        The run, whose `run.json` is `file`.
    file : RunFile
        As `run_file_of` gives it.
    release : Release
        The one that the run names.
    scores : bool, default=True
        Whether scores are computed again; without it the items are only read.

    Returns
    -------
    dict
        `claimed` and `recomputed`: rows of `scores.parquet` (without `scores`, both as claimed);
        `fingerprints` and `sketches`: by task.

    Raises
    ------
    Refused
        Names the first task and field that is not what follows from the items.
    ShelfError
        If the release cannot be read, which is no fault of the run.
    """
    protocol = protocol_of_run(file)
    check_header(file, release, protocol)
    run = _run_with_scores(folder, file)
    if scores:
        check_can_stand(run)
    rows = run.scores.to_pylist()
    known = load_tasks()
    data_of = _reader(run, release)
    # All files are read before anything is computed, which takes longer.
    read = {
        identity: _items_of(run, known[identity], data_of, protocol)
        for identity in done_tasks(file)
    }
    found: list[dict[str, Any]] = []
    for identity, items in read.items() if scores else ():
        claimed = [row for row in rows if row["task"] == identity]
        found.extend(_scores_of(run, known[identity], data_of, protocol, items, claimed))
    answers = {
        identity: (known[identity], data_of(known[identity]).content_sha256, items)
        for identity, items in read.items()
    }
    return {
        "claimed": rows,
        "recomputed": found if scores else rows,
        "fingerprints": {identity: fingerprint_of(*own) for identity, own in answers.items()},
        "sketches": {identity: sketch_of(*own) for identity, own in answers.items()},
    }


def check_header(file: RunFile, release: Release, protocol: Protocol) -> None:
    """Refuse a header that does not follow from the release and the run's own model.

    Raises
    ------
    Refused
        If it names other rows or days, or the run's id is not that of its model, data and protocol.
    """
    data, manifest = file.data, release.manifest
    entry = manifest.configs.get(data.config)
    if entry is None or entry.kind != "documents":
        raise Refused(
            f"{RUN}, field data.config: the release has no documents {quoted(data.config)}"
        )
    if data.release_name != manifest.name:
        raise Refused(f"{RUN}, field data.release_name: the release is named {manifest.name!r}")
    asked = Evaluation(release, data.config, (), protocol, Path())
    if data.content_sha256 != asked.contents():
        raise Refused(f"{RUN}, field data.content_sha256: not the rows of the release")
    written = written_in(release, data.config)
    expected = None if written is None else WrittenRecord(**written._asdict())
    if data.written != expected:
        raise Refused(
            f"{RUN}, field data.written: not when the release's documents were written; evaluate "
            "the model again"
        )
    model = file.model
    identity = ModelIdentity(model.name, model.spec, model.kind, model.revision, model.settings)
    if file.run_id != asked.run_id(identity):
        raise Refused(
            f"{RUN}, field run_id: it is not the one that follows from model, data and protocol"
        )


def check_can_stand(run: Run) -> None:
    """Refuse a run that no board can show, by the very bounds of a board.

    Raises
    ------
    Refused
        Names the field.
    """
    from evaluate_shelf.aggregate.boards import check_can_be_shown
    from evaluate_shelf.aggregate.evidence import Evidence

    try:
        check_can_be_shown(run, Evidence(statuses={run.file.run_id: "unverified"}))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        names = [part for part in first["loc"] if isinstance(part, str)]
        field = _SHOWN_FROM.get(names[-1], names[-1]) if names else "its scores"
        raise Refused(f"{RUN}, field {field}: no board can show it: {first['msg']}") from None


def _run_with_scores(folder: Path, file: RunFile) -> Run:
    """The run with its claimed scores, read within bounds before anything else reads them."""
    path = folder / SCORES
    if sha256_of_file(path) != file.files[SCORES]:
        raise Refused(f"{SCORES}: not the file that {RUN} names")
    most = _MOST_METRICS * len(done_tasks(file))
    nullable = frozenset({"low", "high", "chance_level"})
    read_bounded(path, SCORES, Shape(SCORES_SCHEMA, 1, most, nullable))
    try:
        return load_run(folder)
    except ShelfError as error:
        raise Refused(str(error).replace(f"{folder}/", "")) from None


def _reader(run: Run, release: Release) -> DataOf:
    """Gives the data of a task; each config is read once."""
    kept: dict[str, TaskData] = {}

    def data_of(task: Task) -> TaskData:
        config = config_read(run, release, task)
        if task.formulation == "pair_classification" and config == run.file.data.config:
            raise Refused(f"{RUN}, field tasks.{task.id}: the release has no such pairs")
        if config not in kept:
            kept[config] = TaskData(release, config)
            # Read now, so that what is wrong with the release is not laid to the run.
            _ = kept[config].test
            if config == run.file.data.config:
                _ = kept[config].corpus
        return kept[config]

    return data_of


def _items_of(run: Run, task: Task, data_of: DataOf, protocol: Protocol) -> pa.Table:
    """A task's item rows, if they are such as an evaluation writes."""
    name, data, model = items_name(task.id), data_of(task), run.file.model
    with _laid_to(run, data, name):
        formulation_of(task)
        path = run.checked(name)
        items = read_bounded(path, name, shape_of_items(task, data, protocol, model))
        checked_items(data.test, items)
        check_items(task, data, protocol, model, items, name)
    return items


def _scores_of(
    run: Run,
    task: Task,
    data_of: DataOf,
    protocol: Protocol,
    items: pa.Table,
    claimed: list[dict[str, Any]],
) -> list[dict[str, Any]]:
    """A task's scores as they follow, if they are those that are claimed."""
    name, data = items_name(task.id), data_of(task)
    with _laid_to(run, data, name):
        outcomes = outcomes_of(task, data, items)
        if not _equal(items["outcome"].combine_chunks(), outcomes):
            raise Refused(f"{name}, field 'outcome': not what follows from the other columns")
        new = score_rows(task, data, items, protocol)
    difference = first_difference(claimed, new)
    if difference:
        raise Refused(f"{SCORES}, task {task.id}: {difference}")
    return new


@contextmanager
def _laid_to(run: Run, data: TaskData, name: str) -> Iterator[None]:
    """Refuse a run for whatever its item rows make fail."""
    try:
        yield
    except Refused:
        raise
    except _MISTAKES as error:
        told = str(error) if isinstance(error, ShelfError) else "its rows are none of this task"
        told = told.replace(f"{run.folder}/", "").replace(str(data.release.folder), "the release")
        raise Refused(
            f"{name}: no score follows from it: {told}", f"{type(error).__name__}: {error}"
        ) from None


def first_difference(
    claimed: Sequence[Mapping[str, Any]], new: Sequence[Mapping[str, Any]]
) -> str | None:
    """What first differs between claimed and recomputed rows of a task; None if nothing does.

    Examples
    --------
    >>> first_difference([{"metric": "mrr", "value": 0.9}], [{"metric": "mrr", "value": 0.5}])
    'mrr, value: 0.9 is claimed, 0.5 follows from the items and the labels'
    """
    if [row["metric"] for row in claimed] != [row["metric"] for row in new]:
        return "its metrics are not those of the task, or stand in another order"
    for old, own in zip(claimed, new, strict=True):
        for field, value in own.items():
            if not _close(old[field], value):
                was = old[field]
                told = quoted(was) if isinstance(was, str) else repr(was)
                return (
                    f"{own['metric']}, {field}: {told} is claimed, {value!r} follows from "
                    "the items and the labels"
                )
    return None


def _close(old: Any, new: Any) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        return math.isfinite(old) and abs(old - new) <= TOLERANCE
    return type(old) is type(new) and bool(old == new)


def _equal(given: pa.Array, expected: pa.Array) -> bool:
    if not np.array_equal(np.asarray(given.is_valid()), np.asarray(expected.is_valid())):
        return False
    sides = [side.drop_null().to_numpy(zero_copy_only=False) for side in (given, expected)]
    return bool((np.abs(sides[0] - sides[1]) <= TOLERANCE).all())
