"""Arms that runs were not made in, and the command that makes each."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from evaluate_shelf.diagnostics.masking.placing import ARMS, TextArm, place_of
from evaluate_shelf.registry.conditions import with_full_text
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.members import ModelKey, model_key

UNKNOWN_RELEASE = "RELEASE"
"""Stands for the path of a release: a run says which one it was scored on, not where that is."""

_WITHOUT_TEXTS = "precomputed"


class MissingArm(NamedTuple):
    """Models that were scored on a corpus, not in one of the arms, or not on all their tasks.

    Attributes
    ----------
    corpus, arm : str
        Where, and in which arm.
    models, runs : tuple of str
        Their names, and the folders of what there is of them.
    release_id : str
        What they were scored on.
    command : str or None
        What makes the arm; None for vectors that are read from a file, which have no other arm.
    """

    corpus: str
    arm: TextArm
    models: tuple[str, ...]
    runs: tuple[str, ...]
    release_id: str
    command: str | None


class _Lack(NamedTuple):
    """Lacks that are alike in this are made by one command."""

    corpus: str
    arm: TextArm
    release_id: str
    protocol: str
    selection: tuple[str, ...]
    folder: Path
    has_command: bool


def missing_arms(runs: Iterable[Run], releases: Mapping[str, str]) -> tuple[MissingArm, ...]:
    """What has to be computed so that every model has all its tasks in every arm.

    Parameters
    ----------
    runs : iterable of Run
        Computed here, of one protocol but for the text.
    releases : mapping of str to str
        Paths of releases by their id, as far as they are known.

    Returns
    -------
    tuple of MissingArm
        By corpus and arm. What was tried in an arm and has no score there is not missing.
    """
    of_models: dict[tuple[str, ModelKey], dict[TextArm, list[Run]]] = {}
    for run in runs:
        place = place_of(run)
        of_model = of_models.setdefault((place.corpus, model_key(run)), {})
        of_model.setdefault(place.arm, []).append(run)
    lacks: dict[_Lack, list[Run]] = {}
    for (corpus, _), arms in of_models.items():
        for arm, selection in _lacking(arms):
            known = next(iter(arms.values()))[0]
            model = known.file.model
            lack = _Lack(
                corpus,
                arm,
                known.file.data.release_id,
                with_full_text(known.file.protocol.id),
                selection,
                known.folder.parent.parent,
                arm == "none" or not _reads_no_text(model.kind, model.settings),
            )
            lacks.setdefault(lack, []).append(known)
    in_order = sorted(lacks, key=lambda own: (own.corpus, ARMS.index(own.arm), own))
    return tuple(_missing(lack, lacks[lack], releases) for lack in in_order)


def _lacking(arms: Mapping[TextArm, Sequence[Run]]) -> Iterator[tuple[TextArm, tuple[str, ...]]]:
    """The arms that lack a task of a model, each with the options that choose these tasks."""
    records = {arm: [run.file.tasks for run in of_arm] for arm, of_arm in arms.items()}
    asked = {task for of_arm in records.values() for tasks in of_arm for task in tasks}
    done = {
        task
        for of_arm in records.values()
        for tasks in of_arm
        for task, record in tasks.items()
        if record.status == "done"
    }
    for arm in ARMS:
        tried = {task for tasks in records.get(arm, ()) for task in tasks}
        if done - tried:
            yield arm, _selection(done - tried if tried else asked, done - tried)


def _selection(asked: set[str], needed: set[str]) -> tuple[str, ...]:
    """Options of `shelf evaluate` for tasks: none, a facet, or each of those that are needed."""
    usual = [task for task in load_tasks().values() if task.available and not task.optional]
    if asked == {task.id for task in usual}:
        return ()
    for facet in dict.fromkeys(task.facet for task in usual):
        if asked == {task.id for task in usual if task.facet == facet}:
            return "--facet", facet
    return tuple(part for task in load_tasks() if task in needed for part in ("--task", task))


def _reads_no_text(kind: str, settings: Mapping[str, Any]) -> bool:
    """Whether a model, or one that it is made of, has vectors that were computed elsewhere."""
    return kind == _WITHOUT_TEXTS or any(
        _reads_no_text(str(part.get("kind", "")), part)
        for part in settings.values()
        if isinstance(part, Mapping)
    )


def _missing(lack: _Lack, runs: Sequence[Run], releases: Mapping[str, str]) -> MissingArm:
    return MissingArm(
        lack.corpus,
        lack.arm,
        tuple(run.file.model.name for run in runs),
        tuple(str(run.folder) for run in runs),
        lack.release_id,
        _command(lack, runs, releases) if lack.has_command else None,
    )


def _command(lack: _Lack, runs: Sequence[Run], releases: Mapping[str, str]) -> str:
    words = ["shelf", "evaluate", *dict.fromkeys(run.file.model.spec for run in runs)]
    words += ["--data", releases.get(lack.release_id, UNKNOWN_RELEASE), "--config", lack.corpus]
    words += lack.selection
    if lack.protocol != load_protocol().id:
        words += ["--protocol", lack.protocol]
    if lack.folder != Path("runs"):
        words += ["--runs", str(lack.folder)]
    if lack.arm != "none":
        words += ["--text", lack.arm]
    return shlex.join(words)
