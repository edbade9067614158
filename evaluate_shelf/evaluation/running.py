"""Run models on tasks and leave runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.evaluation.header import header_of, removed_records
from evaluate_shelf.evaluation.planning import each_once, plan_of, run_folder
from evaluate_shelf.evaluation.refusals import raise_gathered
from evaluate_shelf.evaluation.reporter import Reporter
from evaluate_shelf.evaluation.request import Evaluation
from evaluate_shelf.locks import sole_use
from evaluate_shelf.models.resolve import NamedModel, facts_of, resolve_model
from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.runs.environment import hardware
from evaluate_shelf.runs.folder import RunFolder, read_run
from evaluate_shelf.runs.schema import RateRecord, RunFile, TaskRecord
from evaluate_shelf.runs.threads import protocol_threads

if TYPE_CHECKING:
    import pyarrow as pa

    from evaluate_shelf.formulations.data import TaskData
    from evaluate_shelf.formulations.notes import Notes
    from evaluate_shelf.formulations.workspace import Workspace

Rates = dict[Path, RateRecord | None]
"""What was measured in an evaluation, by the folder of the run without reductions."""


def evaluate(
    specs: Sequence[str], evaluation: Evaluation, reporter: Reporter | None = None
) -> list[RunFile]:
    """Run every model on every task that is not done yet.

    Parameters
    ----------
    specs : sequence of str
        Models, as `resolve_model` takes them; all are identified before the first is loaded.
    evaluation : Evaluation
        From `prepare`.
    reporter : Reporter, default=None
        Told of the progress.

    Returns
    -------
    list of RunFile
        One a model, in the order of `specs`; one that is named twice is run once. A task that
        failed for a reason that is not the user's is recorded in it as failed.

    Raises
    ------
    ShelfError
        If a model is unknown.
    RefusedModelsError
        If a model or the data cannot be used, for example for a NaN in a vector; after the other
        models have been run, and with their runs.
    """
    models = [resolve_model(spec, evaluation.protocol) for spec in specs]
    return evaluate_models(models, evaluation, reporter)


def evaluate_models(
    models: Sequence[NamedModel], evaluation: Evaluation, reporter: Reporter | None = None
) -> list[RunFile]:
    """As `evaluate`, for models that are identified already."""
    listener = reporter or Reporter()
    named = each_once(models, evaluation).values()
    listener.plan([plan_of(model, evaluation) for model in named])
    rates: Rates = {}
    finished: list[RunFile] = []
    refused: list[tuple[str, ShelfError]] = []
    for model in named:
        try:
            finished.append(_run_model(model, evaluation, listener, rates))
        except ShelfError as error:
            refused.append((model.identity.name, error))
    raise_gathered(refused, finished)
    return finished


def _run_model(
    model: NamedModel, evaluation: Evaluation, reporter: Reporter, rates: Rates
) -> RunFile:
    path = run_folder(model, evaluation)
    folder = RunFolder(path)
    with sole_use(path, "choose another --runs"):
        settled = folder.settled()
        pending = [task for task in evaluation.tasks if task.id not in settled]
        reporter.model(model.identity.name, [task.id for task in pending])
        if not pending and folder.is_finished():
            return read_run(path)
        try:
            header = _run_tasks(model, evaluation, folder, pending, reporter, rates)
        except ShelfError as error:
            folder.discard_if_empty()
            raise ShelfError(f"model {model.identity.spec!r}: {error}") from error
        return folder.finish(header, list(load_tasks()))


def _run_tasks(
    model: NamedModel,
    evaluation: Evaluation,
    folder: RunFolder,
    pending: Sequence[Task],
    reporter: Reporter,
    rates: Rates,
) -> dict[str, Any]:
    """Run the tasks; give the header of `run.json`."""
    from evaluate_shelf.formulations.notes import Notes
    from evaluate_shelf.formulations.workspace import Workspace

    with protocol_threads(evaluation.protocol):
        loaded = model.load()
        work = Workspace(
            loaded,
            model.base_identity,
            evaluation.protocol,
            evaluation.store,
            reporter.encoding,
            model.reduce,
            evaluation.memory_bytes,
        )
        names = {evaluation.config, *(n for task in pending if (n := evaluation.config_of(task)))}
        data = {name: evaluation.data_of(name) for name in names}
        for task in pending:
            reporter.task(task.id)
            name = evaluation.config_of(task)
            notes = Notes(begun=reporter.stage)
            record, items, scores = _run_task(task, data.get(name or ""), work, notes)
            folder.record(task.id, record, items, scores)
            reporter.ended(task.id, record)
        rate = _rate(model, evaluation, data[evaluation.config], work, reporter, rates)
    return {
        **header_of(model, facts_of(loaded), evaluation, folder.records().values()),
        "rate": rate.model_dump() if rate else None,
        "removed": removed_records(evaluation, data, folder.records()),
    }


def _rate(
    model: NamedModel,
    evaluation: Evaluation,
    data: TaskData,
    work: Workspace,
    reporter: Reporter,
    rates: Rates,
) -> RateRecord | None:
    """The model's rate: from its run, or that of the model it is a view of, or measured now."""
    from evaluate_shelf.evaluation.rates import measured_rate

    # What is done to vectors afterwards takes no time to speak of.
    base = run_folder(replace(model, identity=model.base_identity), evaluation)
    for folder in dict.fromkeys([run_folder(model, evaluation), base]):
        kept = _rate_of_this_machine(folder)
        if kept is not None:
            return kept
    if not evaluation.rates:
        return None
    if base not in rates:
        rates[base] = measured_rate(data, work, reporter.rate)
    return rates[base]


def _rate_of_this_machine(path: Path) -> RateRecord | None:
    rate = RunFolder(path).rate()
    return rate if rate and read_run(path).hardware == hardware() else None


def _run_task(
    task: Task, data: TaskData | None, work: Workspace, notes: Notes
) -> tuple[TaskRecord, pa.Table | None, list[dict[str, Any]]]:
    from evaluate_shelf.evaluation.scoring import score_rows
    from evaluate_shelf.formulations.registry import formulation_of, refuse_model

    began = time.perf_counter()
    try:
        formulation = formulation_of(task)
        refuse_model(formulation, work.model)
        if data is None:
            raise UnsupportedError(f"the release has no pairs {task.config!r} from this config")
        items = formulation.predict(task, data, work.noting(notes))
        with notes.stage("metrics"):
            scores = score_rows(task, data, items, work.protocol)
    except UnsupportedError as error:
        return TaskRecord(status="skipped", reason=one_line(str(error))), None, []
    except (ShelfError, KeyboardInterrupt):
        raise
    except (Exception, SystemExit) as error:  # a model may raise anything; other tasks still count
        reason = one_line(f"{type(error).__name__}: {error}")
        return TaskRecord(status="failed", reason=reason), None, []
    record = TaskRecord(
        status="done",
        seconds=round(time.perf_counter() - began, 3),
        stages={stage: round(seconds, 3) for stage, seconds in notes.seconds.items()},
        fits=notes.fits,
        encodings=notes.encodings,
        left_out=notes.left_out,
    )
    return record, items, scores
