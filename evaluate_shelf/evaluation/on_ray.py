"""A sweep on a Ray cluster: a cell is one model's run, as resumable as alone."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluate_shelf import __version__
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation.planning import Plan, each_once, plan_of
from evaluate_shelf.evaluation.refusals import raise_gathered
from evaluate_shelf.evaluation.reporter import Reporter
from evaluate_shelf.evaluation.request import Evaluation
from evaluate_shelf.evaluation.running import evaluate
from evaluate_shelf.models.named import NamedModel
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.schema import RunFile

if TYPE_CHECKING:
    from types import ModuleType

LOCAL = "ray"
"""The address that stands for a cluster on this machine."""

# What a worker has to have as the process that asks has it.
_VARIABLES = ("SHELF_CACHE", "HF_HOME", "HF_HUB_OFFLINE", "HF_ENDPOINT", "TOKENIZERS_PARALLELISM")
_SECONDS_TO_END = 10
# These compute with NumPy alone, so they need no more cores than BLAS threads.
_WITHOUT_TORCH = ("sparse", "static", "precomputed")


class Cell(NamedTuple):
    """One model's run, as a worker is told of it.

    Attributes
    ----------
    spec : str
        The model.
    evaluation : Evaluation
        With absolute paths.
    place : str
        Working directory of the process that asks: a model's path may be relative to it.
    version : str
        Version of the package there.
    """

    spec: str
    evaluation: Evaluation
    place: str
    version: str


class Ended(NamedTuple):
    """How a cell ended: with a run, or with the reason why there is none."""

    run: RunFile | None
    refusal: str | None


def evaluate_on_ray(
    specs: Sequence[str],
    evaluation: Evaluation,
    address: str = LOCAL,
    reporter: Reporter | None = None,
) -> list[RunFile]:
    """As `evaluate`, with every model's run in a worker of a Ray cluster.

    A cell takes the run's lock and leaves the run folder that it would leave alone, byte for byte
    of scores and items, so that a sweep that was cut off goes on where it stopped, with Ray or
    without. On a cluster of several machines, release, runs and store have to lie on a disk
    that all of them see under the same paths.

    Parameters
    ----------
    specs : sequence of str
        Models, as `resolve_model` takes them; all are identified before the first cell begins.
    evaluation : Evaluation
        From `prepare`.
    address : str, default='ray'
        `ray` starts Ray on this machine and ends it afterwards, unless this process has begun
        one; anything else is the address of a cluster.
    reporter : Reporter, default=None
        Told of a model's tasks when its cell has ended.

    Returns
    -------
    list of RunFile
        As `evaluate`.

    Raises
    ------
    ShelfError
        If a model is unknown, or Ray is not installed or cannot be reached.
    RefusedModelsError
        As `evaluate`: after the other cells have ended. An interrupt cancels them.
    """
    ray = _ray()
    models = [resolve_model(spec, evaluation.protocol) for spec in specs]
    listener = reporter or Reporter()
    own = _absolute(evaluation)
    cells = each_once(models, own)
    pending = {folder: plan_of(model, own) for folder, model in cells.items()}
    listener.plan(list(pending.values()))
    began = _connect(ray, address)
    try:
        ended: dict[Path, Ended] = {}
        with closing(_ends(ray, cells, own)) as ends:
            for folder, outcome in ends:
                ended[folder] = outcome
                _report(listener, cells[folder], pending[folder], outcome)
    finally:
        if began:
            ray.shutdown()
    finished = [run for folder in cells if (run := ended[folder].run) is not None]
    refused = [
        (model.identity.name, ShelfError(refusal))
        for folder, model in cells.items()
        if (refusal := ended[folder].refusal) is not None
    ]
    raise_gathered(refused, finished)
    return finished


def run_cell(cell: Cell) -> Ended:
    """Run one model, in a worker.

    Parameters
    ----------
    cell : Cell
        What to run.

    Returns
    -------
    Ended
        A refusal is a value here: an error would come back with Ray's own traceback in it.
    """
    if cell.version != __version__:
        return Ended(
            None,
            f"model {cell.spec!r}: the worker has evaluate-shelf {__version__}, this process "
            f"{cell.version}; install the same version on the cluster",
        )
    if Path(cell.place).is_dir():
        os.chdir(cell.place)
    try:
        return Ended(evaluate([cell.spec], cell.evaluation)[0], None)
    except ShelfError as error:
        return Ended(None, str(error))


def _report(reporter: Reporter, model: NamedModel, plan: Plan, outcome: Ended) -> None:
    if outcome.run is None:
        return
    reporter.model(model.identity.name, plan.tasks)
    for task in plan.tasks:
        if task in outcome.run.tasks:
            reporter.ended(task, outcome.run.tasks[task])


def _ends(
    ray: ModuleType, cells: dict[Path, NamedModel], evaluation: Evaluation
) -> Generator[tuple[Path, Ended], None, None]:
    """Folder and outcome of each cell, as they end."""
    largest = max((int(node["Resources"].get("CPU", 0)) for node in ray.nodes()), default=1)
    place = str(Path.cwd())
    remote = ray.remote(run_cell)
    of_reference = {}
    for folder, model in cells.items():
        options = remote.options(
            num_cpus=min(_cores(model, evaluation), max(largest, 1)),
            max_retries=0,
            name=model.identity.name,
            runtime_env={"env_vars": _environment()},
        )
        cell = Cell(model.identity.spec, evaluation, place, __version__)
        of_reference[options.remote(cell)] = folder
    waiting = list(of_reference)
    try:
        while waiting:
            done, waiting = ray.wait(waiting, num_returns=1)
            for reference in done:
                yield of_reference[reference], _outcome(ray, reference)
    except BaseException:
        for reference in waiting:
            ray.cancel(reference, force=True)
        # A worker that has ended holds no lock; the next sweep may come at once.
        if waiting:
            ray.wait(waiting, num_returns=len(waiting), timeout=_SECONDS_TO_END)
        raise


def _outcome(ray: ModuleType, reference: Any) -> Ended:
    try:
        outcome: Ended = ray.get(reference)
    except ray.exceptions.RayError as error:
        return Ended(None, f"its worker ended: {one_line(str(error), 300)}")
    return outcome


def _cores(model: NamedModel, evaluation: Evaluation) -> int:
    protocol = evaluation.protocol
    if model.identity.kind in _WITHOUT_TORCH:
        return protocol.blas_threads
    return max(protocol.blas_threads, protocol.torch_threads)


def _absolute(evaluation: Evaluation) -> Evaluation:
    """The same evaluation for a process in another working directory."""
    release = evaluation.release
    store = evaluation.store
    return replace(
        evaluation,
        release=Release(release.folder.resolve(), release.manifest),
        runs=evaluation.runs.resolve(),
        store=None if store is None else store.resolve(),
    )


def _environment() -> dict[str, str]:
    """Variables of a worker; it imports the package that this process has imported."""
    known = {name: os.environ[name] for name in _VARIABLES if name in os.environ}
    package = Path(__file__).resolve().parents[2]
    if package.name in ("site-packages", "dist-packages"):
        # Installed; named here it would come before the standard library.
        return known
    before = os.environ.get("PYTHONPATH")
    path = str(package) if not before else os.pathsep.join([str(package), before])
    return {**known, "PYTHONPATH": path}


def _connect(ray: ModuleType, address: str) -> bool:
    """Whether this call has begun what has to be ended."""
    if ray.is_initialized():
        return False
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray.init(
            # Without an address Ray would take part in any cluster that it finds.
            address="local" if address == LOCAL else address,
            include_dashboard=False if address == LOCAL else None,
            log_to_driver=False,
            logging_level="error",
        )
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        reason = one_line(str(error), 300)
        raise ShelfError(f"--on {address}: no Ray cluster answers: {reason}") from error
    return True


def _ray() -> ModuleType:
    try:
        import ray
    except ImportError as error:
        raise ShelfError("Ray is not installed; run `pip install 'evaluate-shelf[ray]'`") from error
    module: ModuleType = ray
    return module
