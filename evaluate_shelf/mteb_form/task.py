"""A SHELF task as mteb runs it: mteb's loading and model, SHELF's protocol and scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.pairs import texts_of
from evaluate_shelf.formulations.registry import formulation_of, refuse_model
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.mteb_form.encoders import MtebEncoder, MtebSearcher
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.runs.threads import protocol_threads

SUBSET = "default"
"""mteb's name of the only subset of a task."""


@dataclass
class Kept:
    """Workspaces of the model that ran last, for the next task of the same model and data.

    Attributes
    ----------
    wanted : bool
        Whether anything is kept.
    """

    wanted: bool
    _model: Any = None
    _of_data: dict[int, Workspace] = field(default_factory=dict, repr=False)

    def workspace(self, model: Any, data: TaskData, made: Workspace) -> Workspace:
        """The workspace that is kept for these very objects, or the one that was made."""
        if not self.wanted:
            return made
        if self._model is not model:
            self._model, self._of_data = model, {}
        # The tasks that share this hold their data, so that its address stays its own.
        return self._of_data.setdefault(id(data), made)


@dataclass(frozen=True)
class Source:
    """What a task reads, and how it is scored.

    Attributes
    ----------
    task : Task
        The registry's.
    data : TaskData
        Of the config that the task reads.
    protocol : Protocol
        How.
    kept : Kept
        Shared by the tasks of a release.
    """

    task: Task
    data: TaskData
    protocol: Protocol
    kept: Kept


class ShelfTask:
    """What SHELF's tasks have besides `mteb.AbsTask`, which they are made with.

    Every class of it has the attribute `source`.
    """

    source: Source
    metadata: Any
    dataset: Any
    data_loaded: bool

    def load_data(self, num_proc: int | None = None, **options: Any) -> None:
        """Read the release; every file is compared with the hash in its manifest."""
        if self.data_loaded:
            return
        self.dataset = {SUBSET: _splits(self.source)}
        self.data_loaded = True

    def _evaluate_subset(
        self,
        model: Any,
        data_split: Any,
        *,
        hf_split: str,
        hf_subset: str,
        encode_kwargs: Any,
        prediction_folder: Any = None,
        **options: Any,
    ) -> dict[str, Any]:
        """All metrics of the task by name, with the main score's interval and chance."""
        if hf_split != "test":
            raise ShelfError(f"{self.metadata.name}: only the test split is scored")
        if prediction_folder is not None:
            raise ShelfError(
                f"{self.metadata.name}: predictions are kept by `shelf evaluate`, not here"
            )
        source = self.source
        task, data, protocol = source.task, source.data, source.protocol
        context = {"task_metadata": self.metadata, "hf_split": hf_split, "hf_subset": hf_subset}
        with protocol_threads(protocol):
            adapted = _adapted(model, context, encode_kwargs, protocol)
            work = source.kept.workspace(model, data, _workspace(adapted, protocol))
            formulation = formulation_of(task)
            refuse_model(formulation, work.model)
            items = formulation.predict(task, data, work)
            scores = formulation.score(task, data, items, protocol)
            chance = formulation.chance(task, data, items, protocol)
        primary = next(score for score in scores if score.metric == task.primary_metric)
        return {
            **{score.metric: score.value for score in scores},
            "main_score_low": primary.low,
            "main_score_high": primary.high,
            "chance_level": chance.get(task.primary_metric),
        }

    def _calculate_descriptive_statistics_from_split(
        self, split: str, **options: Any
    ) -> dict[str, Any]:
        return {"num_samples": len(self.dataset[SUBSET][split])}


def _adapted(model: Any, context: Any, options: Any, protocol: Protocol) -> Any:
    from mteb.models import EncoderProtocol

    if isinstance(model, EncoderProtocol):
        return MtebEncoder(model, context, options, protocol.prompts != "none")
    return MtebSearcher(model, context, options)


def _workspace(model: Any, protocol: Protocol) -> Workspace:
    return Workspace(model, ModelIdentity("mteb", "mteb", "custom", "in memory"), protocol)


def _splits(source: Source) -> Any:
    """The rows as a `datasets.DatasetDict`, in the columns that mteb's own tasks have."""
    import datasets

    task, data = source.task, source.data
    if task.formulation == "pair_classification":
        pairs = {
            "sentence1": texts_of(data.test, "a"),
            "sentence2": texts_of(data.test, "b"),
            "labels": data.test.column("label"),
        }
        return datasets.DatasetDict({"test": datasets.Dataset.from_dict(pairs)})
    parts = {"train": data.train, "validation": data.validation, "test": data.test}
    return datasets.DatasetDict(
        {
            name: datasets.Dataset.from_dict(_columns(task, part))
            for name, part in parts.items()
            if len(part)
        }
    )


def _columns(task: Task, documents: Any) -> dict[str, Any]:
    columns = {"id": documents.ids, "text": documents.column("text")}
    if task.label_field in documents.table.column_names:
        columns["label"] = documents.column(task.label_field)
    return columns
