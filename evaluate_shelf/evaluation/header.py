"""What `run.json` says of a run besides its tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from evaluate_shelf.contamination.written import written_in
from evaluate_shelf.evaluation.request import Evaluation
from evaluate_shelf.models.protocol import ModelFacts
from evaluate_shelf.models.resolve import NamedModel
from evaluate_shelf.registry.prices import load_prices
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.environment import hardware, library_versions
from evaluate_shelf.runs.schema import TaskRecord, distinct_encodings

if TYPE_CHECKING:
    from evaluate_shelf.formulations.data import TaskData


def header_of(
    model: NamedModel, facts: ModelFacts, evaluation: Evaluation, records: Iterable[TaskRecord]
) -> dict[str, Any]:
    """Model, data, protocol, seeds, threads, versions, hardware, tokens and money.

    Parameters
    ----------
    model : NamedModel
        The model that ran.
    facts : ModelFacts
        What it says of itself.
    evaluation : Evaluation
        What it ran on.
    records : iterable of TaskRecord
        How its tasks ended.

    Returns
    -------
    dict
        Everything of `run.json` but tasks, files and rate.
    """
    protocol, manifest = evaluation.protocol, evaluation.release.manifest
    return {
        "run_version": 2,
        "run_id": evaluation.run_id(model.identity),
        "model": _model(model, facts),
        "data": {
            "release_id": manifest.release_id,
            "release_name": manifest.name,
            "config": evaluation.config,
            "content_sha256": evaluation.contents(),
            "written": _written(evaluation),
        },
        "protocol": {"id": protocol.id, "version": protocol.version, "key": protocol.key},
        "limit": evaluation.limit,
        "seeds": {
            "probe": protocol.probe.seed,
            "kmeans": protocol.kmeans.seed,
            "bootstrap": protocol.bootstrap.seed,
            "control": protocol.control.seed,
            "svd": protocol.svd_seed,
        },
        "threads": {"blas": protocol.blas_threads, "torch": protocol.torch_threads},
        "versions": library_versions(),
        "hardware": hardware(),
        **_cost(model, records),
    }


def removed_records(
    evaluation: Evaluation, data: Mapping[str, TaskData], records: Mapping[str, TaskRecord]
) -> dict[str, dict[str, Any]] | None:
    """What was removed from the texts of each config that a task has read.

    Parameters
    ----------
    evaluation : Evaluation
        What it ran on.
    data : mapping of str to TaskData
        Configs that were read just now.
    records : mapping of str to TaskRecord
        How all tasks of the run ended.

    Returns
    -------
    dict or None
        By config, the values of a `RemovedRecord`; None where texts are whole.
    """
    if evaluation.protocol.text == "full":
        return None
    tasks = load_tasks()
    done = (tasks[task] for task, record in records.items() if record.status == "done")
    found = {}
    for name in sorted({config for task in done if (config := evaluation.config_of(task))}):
        removed = (data.get(name) or evaluation.data_of(name)).removed
        if removed is not None:
            found[name] = {**asdict(removed), "mean_tokens": round(removed.mean_tokens, 6)}
    return found


def _written(evaluation: Evaluation) -> dict[str, Any] | None:
    found = written_in(evaluation.release, evaluation.config)
    if found is None:
        return None
    last = found.last.isoformat() if found.last else None
    return {"first": found.first.isoformat(), "last": last, "source": found.source}


def _model(model: NamedModel, facts: ModelFacts) -> dict[str, Any]:
    identity = model.identity
    return {
        "name": identity.name,
        "spec": identity.spec,
        "kind": identity.kind,
        "revision": identity.revision,
        "settings": identity.settings,
        "parameters": facts.parameters,
        "dimension": facts.dimension,
        "max_tokens": facts.max_tokens,
        "prompts": facts.prompts,
    }


def _cost(model: NamedModel, records: Iterable[TaskRecord]) -> dict[str, Any]:
    """Tokens that an endpoint counted, and their price where one is known."""
    counted = [e.tokens for e in distinct_encodings(records) if e.tokens is not None]
    tokens = sum(counted) if counted else None
    # An endpoint's model is priced by the name that the endpoint gives it.
    price = load_prices().get(str(model.identity.settings.get("model")))
    if tokens is None or price is None:
        return {"tokens": tokens, "money_usd": None, "price_source": None}
    return {
        "tokens": tokens,
        "money_usd": round(price.of(tokens), 6),
        "price_source": f"{price.source} ({price.date})",
    }
