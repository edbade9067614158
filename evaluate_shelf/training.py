"""SHELF's tasks while a sentence-transformers model is trained."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation.request import select_tasks
from evaluate_shelf.formulations.held_out import ValidationData
from evaluate_shelf.models.in_memory import SentenceTransformerInMemory, is_sentence_transformer
from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.release.documents import Release
from evaluate_shelf.release.needed import folder_to_evaluate
from evaluate_shelf.runs.threads import protocol_threads

if TYPE_CHECKING:
    from evaluate_shelf.formulations.workspace import Workspace

try:
    from sentence_transformers.sentence_transformer.evaluation import SentenceEvaluator
except ImportError:
    try:
        # Its place before version 6.
        from sentence_transformers.evaluation import SentenceEvaluator
    except ImportError:
        SentenceEvaluator = object

DEFAULT_TASKS = ("lcc_classification", "form_classification", "lcc_retrieval", "form_retrieval")


class ShelfEvaluator(SentenceEvaluator):  # type: ignore[misc]
    """Scores a model in memory on a release's validation split.

    The training split is what probes learn from and what is searched; the test split is never
    read, so that a checkpoint is not chosen by what it is scored on later. Scores are for
    comparing checkpoints with each other: they have no interval, and the corpus is not that of
    `shelf evaluate`. The same weights give the same scores.

    Parameters
    ----------
    data : str or pathlib.Path
        A release folder, or a Hub dataset id.
    config : str, default=None
        A config of documents; the release's default without it.
    tasks : sequence of str, default=DEFAULT_TASKS
        What to score. Subject and form, as classification and as retrieval.
    train_limit, validation_limit : int, default=None
        Documents (or pairs) of each split, class by class in turn; all without a limit.
    protocol : str or Protocol, default=None
        `shelf-1` without it; its batch size is taken for encoding.
    name : str, default='shelf'
        Put before the names of the metrics.

    Attributes
    ----------
    primary_metric : str
        Name of the metric that checkpoints are compared by: the task's primary metric, or the
        mean of the tasks' primary metrics where there are several.

    Raises
    ------
    ShelfError
        If sentence-transformers is not installed, a task or the config is unknown, or the config
        has no validation split.

    Examples
    --------
    >>> from evaluate_shelf.quickstart import shipped_release
    >>> evaluator = ShelfEvaluator(
    ...     shipped_release(), tasks=["lcc_retrieval"]
    ... )  # doctest: +SKIP
    >>> evaluator.primary_metric  # doctest: +SKIP
    'shelf_lcc_retrieval_ndcg_at_10'
    """

    def __init__(
        self,
        data: str | Path,
        *,
        config: str | None = None,
        tasks: Sequence[str] = DEFAULT_TASKS,
        train_limit: int | None = None,
        validation_limit: int | None = None,
        protocol: str | Protocol | None = None,
        name: str = "shelf",
    ) -> None:
        if SentenceEvaluator is object:
            from evaluate_shelf.models.sentence_encoder import require_sentence_transformers

            require_sentence_transformers("ShelfEvaluator")
        super().__init__()
        for limit, what in ((train_limit, "train_limit"), (validation_limit, "validation_limit")):
            if limit is not None and limit < 1:
                raise ShelfError(f"{what}={limit}: at least 1 document is needed")
        release = Release.open(folder_to_evaluate(str(data), config))
        self.name = name
        self._config = config or release.manifest.default_config
        kind = release.config(self._config).kind
        if kind != "documents":
            raise ShelfError(f"config {self._config!r} holds {kind}; one of documents is needed")
        if not tasks:
            raise ShelfError("no task: name at least one")
        self._tasks = select_tasks(tuple(tasks), ())
        chosen = protocol if isinstance(protocol, Protocol) else load_protocol(protocol)
        self._protocol = _without_repeats(chosen)
        self._data = {
            of: ValidationData(
                release, of, None, train_limit=train_limit, scored_limit=validation_limit
            )
            for of in {self._config_of(task, release) for task in self._tasks}
        }
        self._of_task = {task.id: self._config_of(task, release) for task in self._tasks}
        for split in self._data.values():
            split.test  # noqa: B018 - what is missing is said before the training begins
        self.primary_metric = self._prefixed(_primary_name(self._tasks))

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """Score the model.

        Parameters
        ----------
        model : SentenceTransformer
            Encoded without prompts, on its own device; it is left in the mode that it is in.
        output_path : str, default=None
            Folder of a CSV file that a row of scores is added to.
        epoch, steps : int, default=-1
            Where the training is.

        Returns
        -------
        dict of str to float
            All metrics of all tasks, `<name>_<task>_<metric>`, and `primary_metric` among them.

        Raises
        ------
        ShelfError
            If a model's vectors cannot be used, or the release lacks what a task needs.
        """
        from evaluate_shelf.formulations.workspace import Workspace

        encoder = SentenceTransformerInMemory(model) if is_sentence_transformer(model) else model
        identity = ModelIdentity("model", "model", "custom", "in memory")
        with protocol_threads(self._protocol):
            work = Workspace(encoder, identity, self._protocol)
            found = {task.id: self._scored(task, work) for task in self._tasks}
        metrics = {
            f"{task}_{metric}": value
            for task, own in found.items()
            for metric, value in own.items()
        }
        if len(self._tasks) > 1:
            primary = [found[task.id][task.primary_metric] for task in self._tasks]
            metrics[_primary_name(self._tasks)] = sum(primary) / len(primary)
        named = {self._prefixed(metric): value for metric, value in metrics.items()}
        if hasattr(model, "model_card_data"):
            self.store_metrics_in_model_card_data(model, named, epoch, steps)
        if output_path is not None:
            _add_row(Path(output_path) / f"{self.name}_results.csv", epoch, steps, named)
        return named

    def _scored(self, task: Task, work: Workspace) -> dict[str, float]:
        from evaluate_shelf.formulations.registry import formulation_of, refuse_model

        formulation = formulation_of(task)
        refuse_model(formulation, work.model)
        data = self._data[self._of_task[task.id]]
        items = formulation.predict(task, data, work)
        scores = formulation.score(task, data, items, work.protocol)
        return {
            score.metric: score.value for score in scores if score.metric != "ari_median_of_seeds"
        }

    def _config_of(self, task: Task, release: Release) -> str:
        if task.formulation != "pair_classification":
            return self._config
        found = release.pairs_of(self._config, task.config)
        if found is None:
            raise ShelfError(f"task {task.id!r}: the release has no pairs from {self._config!r}")
        return found

    def _prefixed(self, metric: str) -> str:
        return f"{self.name}_{metric}" if self.name else metric


def _primary_name(tasks: Sequence[Task]) -> str:
    if len(tasks) == 1:
        return f"{tasks[0].id}_{tasks[0].primary_metric}"
    return "mean_of_primary_metrics"


def _without_repeats(protocol: Protocol) -> Protocol:
    """The protocol with one seed and one replicate: neither median nor interval is asked for."""
    return protocol.model_copy(
        update={
            "bootstrap": protocol.bootstrap.model_copy(update={"replicates": 1}),
            "kmeans": protocol.kmeans.model_copy(update={"median_seeds": (protocol.kmeans.seed,)}),
        }
    )


def _add_row(path: Path, epoch: int, steps: int, metrics: dict[str, float]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.is_file()
    with path.open("a", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        if is_new:
            writer.writerow(["epoch", "steps", *metrics])
        writer.writerow([epoch, steps, *metrics.values()])
