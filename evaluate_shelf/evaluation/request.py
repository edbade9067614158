"""What is to be evaluated, checked against the release and the registry before any work."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import cache_folder, sha256_of_json
from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.tasks import Task, load_tasks
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Release

if TYPE_CHECKING:
    from evaluate_shelf.formulations.data import TaskData


@dataclass(frozen=True)
class Evaluation:
    """What to evaluate on, checked before any model is loaded.

    Attributes
    ----------
    release : Release
        The data.
    config : str
        A config of documents.
    tasks : tuple of Task
        What to run, in the registry's order.
    protocol : Protocol
        How.
    runs : pathlib.Path
        Where the runs go.
    limit : int or None
        Documents a split in a smoke run.
    store : pathlib.Path or None
        Where vectors are kept.
    memory_bytes : int
        How much a ranking may hold at a time, besides vectors and hits.
    rates : bool
        Whether the rate of encoding is measured.
    """

    release: Release
    config: str
    tasks: tuple[Task, ...]
    protocol: Protocol
    runs: Path
    limit: int | None = None
    store: Path | None = None
    memory_bytes: int = 512 * 2**20
    rates: bool = False

    def config_of(self, task: Task) -> str | None:
        """The release's config that a task reads; None where it has no such pairs."""
        if task.formulation == "pair_classification":
            return self.release.pairs_of(self.config, task.config)
        return self.config

    def data_of(self, config: str) -> TaskData:
        """The rows of a config that tasks read, as the protocol has them read."""
        from evaluate_shelf.formulations.data import TaskData

        return TaskData(self.release, config, self.limit, self.protocol.text)

    def contents(self) -> dict[str, str]:
        """Content hash of the config and of all pair configs that were drawn from it."""
        read = read_configs(self.release, self.config)
        return {
            name: entry.content_sha256
            for name, entry in self.release.manifest.configs.items()
            if name in read
        }

    def group_columns(self) -> dict[str, str | None]:
        """The resampling unit of each of these configs: intervals depend on it."""
        return {name: self.release.config(name).group_column for name in self.contents()}

    def run_id(self, identity: ModelIdentity) -> str:
        """Twelve hexadecimal digits that name model, data, protocol and limit, but no task."""
        return sha256_of_json(
            {
                "model": [identity.spec, identity.revision, identity.settings],
                "data": [self.config, self.contents(), self.group_columns()],
                "protocol": self.protocol.key,
                "limit": self.limit,
            }
        )[:12]


def read_configs(release: Release, config: str) -> set[str]:
    """A config of documents and the pair configs that were drawn from it."""
    return {
        name
        for name, entry in release.manifest.configs.items()
        if name == config or (entry.kind == "pairs" and entry.derived_from == config)
    }


def prepare(
    data: Path,
    config: str | None,
    *,
    task_ids: Sequence[str] = (),
    facets: Sequence[str] = (),
    protocol: Protocol,
    runs: Path,
    limit: int | None = None,
    store: Path | None = None,
    memory_bytes: int = 512 * 2**20,
    rates: bool = False,
) -> Evaluation:
    """Check what is asked for against the release and the task registry.

    Parameters
    ----------
    data : pathlib.Path
        A release folder.
    config : str or None
        A config of documents; the release's default where it is None.
    task_ids, facets : sequence of str, default=()
        Restrict the tasks; without both, all that this version can run but the optional ones.
    protocol : Protocol
        How to evaluate.
    runs : pathlib.Path
        Folder of runs.
    limit : int, default=None
        Documents a split, for a smoke run.
    store : pathlib.Path, default=None
        Folder of stored vectors.
    memory_bytes : int, default=512 MiB
        How much a ranking may hold at a time, besides vectors and hits.
    rates : bool, default=False
        Whether the rate of encoding is measured.

    Returns
    -------
    Evaluation
        Ready for `evaluate`.

    Raises
    ------
    ShelfError
        If a task, facet or config is unknown, or a task is asked for that cannot be run.
    """
    release = Release.open(data)
    name = config or release.manifest.default_config
    entry = release.config(name)
    if entry.kind != "documents":
        raise ShelfError(
            f"config {name!r} holds {entry.kind}; name the config of documents that they follow "
            f"from, {entry.derived_from!r}"
        )
    if limit is not None and limit < 1:
        raise ShelfError(f"--limit {limit}: at least 1 document a split is needed")
    tasks = select_tasks(task_ids, facets)
    return Evaluation(
        release, name, tasks, protocol, runs, limit, store, memory_bytes, rates and limit is None
    )


def select_tasks(task_ids: Sequence[str], facets: Sequence[str]) -> tuple[Task, ...]:
    """Tasks by id and facet, in the registry's order.

    Raises
    ------
    ShelfError
        If one is unknown or not in this version.
    """
    registry = load_tasks()
    for identity in task_ids:
        named = task_named(identity)
        if not named.available:
            raise ShelfError(f"task {identity!r}: {named.note}")
    known = sorted({task.facet for task in registry.values()})
    for facet in facets:
        if facet not in known:
            raise ShelfError(f"unknown facet {facet!r}; known are {', '.join(known)}")
    chosen = tuple(
        task
        for task in registry.values()
        if task.available
        and (task.id in task_ids if task_ids else not task.optional)
        and (not facets or task.facet in facets)
    )
    if not chosen:
        asked = [*task_ids, *(f"facet {facet}" for facet in facets)]
        raise ShelfError(f"no task that this version scores fits all of: {', '.join(asked)}")
    return chosen


def default_store() -> Path:
    """Where vectors are kept; removing it costs time and nothing else."""
    return cache_folder() / "vectors"
