"""Run models on tasks and leave runs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.evaluation.reporter import Reporter
from evaluate_shelf.evaluation.request import Evaluation
from evaluate_shelf.locks import sole_use
from evaluate_shelf.models.protocol import ModelFacts
from evaluate_shelf.models.resolve import NamedModel, facts_of, resolve_model
from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.runs.environment import hardware, library_versions
from evaluate_shelf.runs.folder import RunFolder, read_run
from evaluate_shelf.runs.names import safe_name
from evaluate_shelf.runs.schema import RunFile, TaskRecord
from evaluate_shelf.runs.threads import protocol_threads


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
        One a model, in the order of `specs`. A task that failed for a reason that is not the
        user's is recorded in it as failed.

    Raises
    ------
    ShelfError
        If a model or the data cannot be used, for example for a NaN in a vector; after the other
        models have been run.
    """
    models = [resolve_model(spec, evaluation.protocol) for spec in specs]
    listener = reporter or Reporter()
    finished, refused = [], []
    for model in models:
        try:
            finished.append(_run_model(model, evaluation, listener))
        except ShelfError as error:
            refused.append((model.identity.name, error))
    if refused:
        others = "; ".join(f"{name}: {error}" for name, error in refused[1:])
        raise ShelfError(f"{refused[0][1]}" + (f"; {others}" if others else "")) from refused[0][1]
    return finished


def run_folder(model: NamedModel, evaluation: Evaluation) -> Path:
    """Where a model's run lies."""
    identity = model.identity
    return evaluation.runs / safe_name(identity.name) / evaluation.run_id(identity)


def _run_model(model: NamedModel, evaluation: Evaluation, reporter: Reporter) -> RunFile:
    path = run_folder(model, evaluation)
    folder = RunFolder(path)
    with sole_use(path, "choose another --runs"):
        settled = folder.settled()
        pending = [task for task in evaluation.tasks if task.id not in settled]
        reporter.model(model.identity.name, [task.id for task in pending])
        if not pending and folder.is_finished():
            return read_run(path)
        try:
            facts = _run_tasks(model, evaluation, folder, pending, reporter)
        except ShelfError as error:
            folder.discard_if_empty()
            raise ShelfError(f"model {model.identity.spec!r}: {error}") from error
        return folder.finish(_header(model, facts, evaluation), list(load_tasks()))


def _run_tasks(
    model: NamedModel,
    evaluation: Evaluation,
    folder: RunFolder,
    pending: Sequence[Task],
    reporter: Reporter,
) -> ModelFacts:
    from evaluate_shelf.formulations.data import TaskData
    from evaluate_shelf.formulations.workspace import Workspace

    with protocol_threads(evaluation.protocol):
        loaded = model.load()
        work = Workspace(
            loaded, model.identity, evaluation.protocol, evaluation.store, reporter.encoding
        )
        names = {name for task in pending if (name := evaluation.config_of(task))}
        data = {name: TaskData(evaluation.release, name, evaluation.limit) for name in names}
        for task in pending:
            reporter.task(task.id)
            name = evaluation.config_of(task)
            record, items, scores = _run_task(task, data.get(name or ""), work)
            folder.record(task.id, record, items, scores)
            reporter.ended(task.id, record)
    return facts_of(loaded)


def _run_task(task: Task, data: Any, work: Any) -> tuple[TaskRecord, Any, list[dict[str, Any]]]:
    from evaluate_shelf.evaluation.scoring import score_rows
    from evaluate_shelf.formulations.registry import formulation_of, refuse_model

    began = time.perf_counter()
    try:
        formulation = formulation_of(task)
        refuse_model(formulation, work.model)
        if data is None:
            raise UnsupportedError(f"the release has no pairs {task.config!r} from this config")
        items = formulation.predict(task, data, work)
        scores = score_rows(task, data, items, work.protocol)
    except UnsupportedError as error:
        return TaskRecord(status="skipped", reason=one_line(str(error))), None, []
    except (ShelfError, KeyboardInterrupt):
        raise
    except (Exception, SystemExit) as error:  # a model may raise anything; other tasks still count
        reason = one_line(f"{type(error).__name__}: {error}")
        return TaskRecord(status="failed", reason=reason), None, []
    seconds = round(time.perf_counter() - began, 3)
    return TaskRecord(status="done", seconds=seconds), items, scores


def _header(model: NamedModel, facts: ModelFacts, evaluation: Evaluation) -> dict[str, Any]:
    identity, protocol, manifest = model.identity, evaluation.protocol, evaluation.release.manifest
    return {
        "run_version": 1,
        "run_id": evaluation.run_id(identity),
        "model": {
            "name": identity.name,
            "spec": identity.spec,
            "kind": identity.kind,
            "revision": identity.revision,
            "settings": identity.settings,
            "parameters": facts.parameters,
            "dimension": facts.dimension,
            "max_tokens": facts.max_tokens,
        },
        "data": {
            "release_id": manifest.release_id,
            "release_name": manifest.name,
            "config": evaluation.config,
            "content_sha256": evaluation.contents(),
        },
        "protocol": {"id": protocol.id, "version": protocol.version, "key": protocol.key},
        "limit": evaluation.limit,
        "seeds": {
            "probe": protocol.probe.seed,
            "kmeans": protocol.kmeans.seed,
            "bootstrap": protocol.bootstrap.seed,
            "svd": protocol.svd_seed,
        },
        "threads": {"blas": protocol.blas_threads, "torch": protocol.torch_threads},
        "versions": library_versions(),
        "hardware": hardware(),
        "tokens": None,
        "money_usd": None,
    }
