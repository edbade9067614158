"""SHELF's tasks for mteb: `mteb.evaluate(model, mteb_tasks(release))`."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal

from evaluate_shelf.arguments import names, one_of, whole_number
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation.request import Evaluation, prepare
from evaluate_shelf.formulations.regions import REGION_FIELD
from evaluate_shelf.mteb_form.names import mteb_name
from evaluate_shelf.registry.conditions import conditioned
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.release.needed import folder_to_evaluate

if TYPE_CHECKING:
    from mteb.abstasks import AbsTask

    from evaluate_shelf.formulations.data import TaskData
    from evaluate_shelf.mteb_form.queries import AskedData
    from evaluate_shelf.mteb_form.task import Source

_TYPES = {
    "classification": "Classification",
    "multilabel_classification": "MultilabelClassification",
    "clustering": "Clustering",
    "conditional_clustering": "Clustering",
    "retrieval": "Retrieval",
    "instruction_retrieval": "InstructionRetrieval",
    "pair_classification": "PairClassification",
}
_BY_LABEL = ("Classification", "MultilabelClassification", "Clustering")


def mteb_tasks(
    data: str | Path,
    *,
    config: str | None = None,
    tasks: str | Sequence[str] = (),
    facets: str | Sequence[str] = (),
    protocol: str | Protocol | None = None,
    prompts: str | None = None,
    queries: Literal["all", "release"] = "all",
    limit: int | None = None,
    keep_vectors: bool = False,
) -> list[AbsTask]:
    """The tasks that a release holds, as mteb runs them.

    mteb has the model and keeps the results; SHELF's own functions do the rest, so that the
    numbers are those of `shelf evaluate`. A probe is fitted on the whole training split, where
    mteb's own classification draws a few examples a class; all test documents are clustered,
    and all of them are asked as queries. A name is `SHELF<task>.<config>`, as in the files of
    `shelf export-mteb`.

    Parameters
    ----------
    data : str or pathlib.Path
        A release folder, or a Hub dataset id.
    config : str, default=None
        A config of documents; the release's default without it.
    tasks, facets : str or sequence of str, default=()
        Restrict the tasks, by SHELF's ids. Without `tasks`, those for which the release has
        labels, but for the optional ones and those that are at chance by nature.
    protocol : str or Protocol, default=None
        `shelf-1` without it.
    prompts : {'none', 'model-card'}, default=None
        With `model-card` an encoder is told which texts are queries and which documents, and puts
        its prompts before them. What it puts before texts of a whole task is its own affair.
    queries : {'all', 'release'}, default='all'
        Which test documents retrieval asks: all, as `shelf evaluate`, or those of the release's
        configs of queries, a sample of 500 in a full release. The latter are tasks with names
        of their own, that end in `.queries`.
    limit : int, default=None
        Documents a split, for a trial whose scores are comparable with no other.
    keep_vectors : bool, default=False
        Keep the vectors of the last model in memory for the next task of the same object. It must
        not change in between, nor put prompts before texts that depend on the task. Otherwise
        each task encodes the documents anew, as mteb does.

    Returns
    -------
    list of mteb.AbsTask
        In the registry's order.

    Raises
    ------
    ShelfError
        If mteb is not installed, an argument is of another type, or what is asked for does not
        exist.

    Examples
    --------
    >>> from evaluate_shelf.quickstart import shipped_release
    >>> [task] = mteb_tasks(shipped_release(), tasks=["lcc_clustering"])  # doctest: +SKIP
    >>> task.metadata.name, task.metadata.main_score  # doctest: +SKIP
    ('SHELFLccClustering.all', 'ari')
    """
    if find_spec("mteb") is None:
        raise ShelfError(
            "mteb is not installed; run `pip install mteb`, or `pip install mteb-core` for one "
            "without torch"
        )
    from evaluate_shelf.formulations.data import TaskData
    from evaluate_shelf.mteb_form.task import Kept, Source

    one_of("data", data, str, Path, what="a path")
    for argument, text in (("config", config), ("prompts", prompts)):
        one_of(argument, text, str, NoneType, what="a string or None")
    one_of("protocol", protocol, str, Protocol, NoneType, what="a name or a Protocol")
    one_of("keep_vectors", keep_vectors, bool, what="True or False")
    if queries not in ("all", "release"):
        raise ShelfError(f"queries: 'all' or 'release' is needed, not {queries!r:.100}")
    asked_for = names("tasks", tasks)
    chosen = protocol if isinstance(protocol, Protocol) else load_protocol(protocol)
    if chosen.text != "full":
        raise ShelfError(f"the protocol {chosen.id!r} changes texts; mteb's tasks read whole ones")
    chosen = conditioned(chosen, prompts, None)
    evaluation = prepare(
        folder_to_evaluate(str(data), config, with_queries=queries == "release"),
        config,
        task_ids=asked_for,
        facets=names("facets", facets),
        protocol=chosen,
        runs=Path("runs"),
        limit=whole_number("limit", limit),
    )
    wanted = [
        task
        for task in evaluation.tasks
        if (task.id in asked_for or not task.control) and _is_there(task, evaluation)
    ]
    lacking = [task.id for task in evaluation.tasks if task.id in asked_for and task not in wanted]
    if lacking:
        raise ShelfError(f"{data}: the release has no labels for: {', '.join(lacking)}")
    whole = {
        name: TaskData(evaluation.release, name, evaluation.limit)
        for name in {evaluation.config_of(task) or "" for task in wanted}
    }
    kept = Kept(keep_vectors)
    made = []
    for task in wanted:
        own = whole[evaluation.config_of(task) or ""]
        asked = _asked(task, own) if queries == "release" else None
        name = mteb_name(task.id, evaluation.config) + (".queries" if asked else "")
        made.append(_made(name, Source(task, asked or own, chosen, kept), evaluation, data))
    return made


def _asked(task: Task, data: TaskData) -> AskedData | None:
    """The data with the release's own queries, where it has some for the task."""
    from evaluate_shelf.mteb_form.queries import AskedData, queries_config

    name = queries_config(data.release.manifest, data.config, task.id)
    return AskedData(data.release, data.config, data.limit, queries=name) if name else None


def _made(name: str, source: Source, evaluation: Evaluation, data: str | Path) -> AbsTask:
    """One task: a class of its own, since mteb reads a task's metadata off its class."""
    from mteb.abstasks.abstask import AbsTask

    from evaluate_shelf.mteb_form.task import ShelfTask

    kind = _TYPES[source.task.formulation]
    searched = kind in ("Retrieval", "InstructionRetrieval")
    attributes = {
        "metadata": _metadata(name, source.task, kind, evaluation, data),
        "source": source,
        "abstask_prompt": _abstask_prompt(kind),
        "_support_search": searched,
        "__module__": __name__,
    }
    made: AbsTask = type(name, (ShelfTask, AbsTask), attributes)()
    return made


def _metadata(name: str, task: Task, kind: str, evaluation: Evaluation, data: str | Path) -> Any:
    from mteb import TaskMetadata

    values: dict[str, Any] = {
        "name": name,
        "description": task.instruction
        or f"{task.formulation.replace('_', ' ')} by {task.facet}, SHELF's {task.id}",
        "type": kind,
        "category": "t2c" if kind in _BY_LABEL else "t2t",
        "modalities": ["text"],
        "dataset": {"path": str(data), "revision": evaluation.release.manifest.release_id},
        "eval_splits": ["test"],
        "eval_langs": ["eng-Latn"],
        "main_score": task.primary_metric,
        "domains": ["Fiction", "Non-fiction", "Written"],
        "annotations_creators": "derived",
        "dialect": [],
        "bibtex_citation": "",
    }
    return TaskMetadata(**values)


def _abstask_prompt(kind: str) -> str:
    """What mteb's instructed models are told of a task of this kind."""
    import mteb.abstasks as theirs

    name = {
        "MultilabelClassification": "AbsTaskMultilabelClassification",
        "InstructionRetrieval": "AbsTaskRetrieval",
    }.get(kind, f"AbsTask{kind}")
    return str(getattr(theirs, name).abstask_prompt)


def _is_there(task: Task, evaluation: Evaluation) -> bool:
    """Whether the release has the labels that a task asks for, as its manifest counts them."""
    name = evaluation.config_of(task)
    if name is None:
        return False
    manifest = evaluation.release.manifest
    entry = manifest.configs[name]
    if entry.kind == "pairs":
        return True
    fields = [task.anchor_field or task.label_field, *filter(None, [task.contrast_field])]
    columns = {"geographic" if field == REGION_FIELD else field for field in fields}
    if not columns <= set(entry.columns):
        return False
    counted = entry.counts.get("test", {}).get(task.label_field)
    if (
        counted is None
        or task.missing == "leave_out"
        or task.formulation == "instruction_retrieval"
    ):
        return counted is None or len(counted) > 1
    return len(counted) > 1 and sum(counted.values()) == manifest.rows_of(name)["test"]
