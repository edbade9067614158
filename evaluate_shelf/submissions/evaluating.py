"""The evaluation of a stranger's model: fetched in one bounded process, evaluated in another."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.exhaustion import end_of
from evaluate_shelf.submissions.job_records import LOCAL, Job, Target, hub_model
from evaluate_shelf.submissions.model_files import BOUNDS
from evaluate_shelf.submissions.stages import (
    ANSWER,
    ANSWERS,
    Evaluate,
    Evaluated,
    Failed,
    Fetch,
    Fetched,
    memory_in_words,
    short_of_memory,
)
from evaluate_shelf.submissions.supervising import (
    Pulse,
    environment_in,
    last_words,
    printed_last,
    supervised,
)

_STAGE = (sys.executable, "-m", "evaluate_shelf.submissions.stages")
_LONGEST_ANSWER = 64 * 1024
_FETCH_SECONDS = 2 * 3600.0
_FETCH_MEMORY = 4 * 2**30


class JobFailedError(ShelfError):
    """A job's attempt failed; the message is for whoever asked for it.

    Attributes
    ----------
    again : bool
        Whether another attempt may go better.
    of_hub : bool
        Whether the Hub could not be reached: no attempt at the model, and no fault of it.
    detail : str
        What only whoever runs the worker may see.
    """

    def __init__(self, reason: str, *, again: bool, of_hub: bool = False, detail: str = "") -> None:
        self.again = again
        self.of_hub = of_hub
        self.detail = detail
        super().__init__(reason)


Pin = Callable[[str, str], None]
"""Told the model's name and the commit, as soon as they are known."""

Evaluation = Callable[[Job, Path, Pulse, Pin], Path]
"""Evaluates a job's model in an empty folder, with signs of life, and gives the run's folder."""


@dataclass(frozen=True)
class Terms:
    """What a worker evaluates on, and within which limits.

    Attributes
    ----------
    data : pathlib.Path
        A release folder.
    target : Target
        What that is, as jobs name it.
    protocol : str
        The protocol's id.
    memory_bytes : int
        Address space of the process that evaluates.
    seconds : float
        Its time.
    disk_bytes : int
        Size of any file that it writes.
    rates : bool
        Whether the rate of encoding is measured.
    tasks : tuple of str
        Their ids; all but the optional ones where there is none.
    pulse_seconds : float
        How long the process is watched at a time.
    """

    data: Path
    target: Target
    protocol: str
    memory_bytes: int = 8 * 2**30
    seconds: float = 12 * 3600.0
    disk_bytes: int = BOUNDS.total_bytes + 2**30
    rates: bool = True
    tasks: tuple[str, ...] = ()
    pulse_seconds: float = 10.0


def target_of(data: Path, config: str | None, protocol: str | None) -> Target:
    """What a release, one of its configs and a protocol are in a job.

    Parameters
    ----------
    data : pathlib.Path
        A release folder.
    config, protocol : str or None
        The default of the release, and of this version, where they are None.

    Raises
    ------
    ShelfError
        If one of them is unknown, or the config holds no documents.
    """
    from evaluate_shelf.registry.protocols import load_protocol
    from evaluate_shelf.release.manifest import read_manifest

    manifest = read_manifest(data)
    name = config or manifest.default_config
    entry = manifest.configs.get(name)
    if entry is None or entry.kind != "documents":
        raise ShelfError(f"config {one_line(name, 100)!r}: no config of documents in {data}")
    return Target(manifest.release_id, name, load_protocol(protocol).key)


class HubEvaluation:
    """Evaluates a model of the Hub: fetched and vetted first, then without a network.

    Parameters
    ----------
    terms : Terms
        On what, and within which limits.
    """

    def __init__(self, terms: Terms) -> None:
        self._terms = terms

    def __call__(self, job: Job, folder: Path, pulse: Pulse, pin: Pin) -> Path:
        """Evaluate a job's model; see `Evaluation`."""
        terms = self._terms
        is_local = job.asked.startswith(LOCAL)
        if is_local:
            place = str(Path(job.asked.removeprefix(LOCAL)).expanduser())
            asked, commit = place, None
        else:
            asked, commit = hub_model(job.asked)
        request = Fetch(
            memory_bytes=_FETCH_MEMORY,
            disk_bytes=BOUNDS.total_bytes,
            model=asked,
            commit=job.revision or commit,
            is_local=is_local,
        )
        found = self._stage(request, folder, pulse, network=not is_local, seconds=_FETCH_SECONDS)
        if not isinstance(found, Fetched):
            raise JobFailedError("the model was fetched, and nothing is known of it", again=True)
        pin(found.model, found.commit)
        ended = self._stage(
            Evaluate(
                memory_bytes=terms.memory_bytes,
                disk_bytes=terms.disk_bytes,
                spec=job.asked if is_local else f"{LOCAL}{found.model}@{found.commit}",
                data=terms.data.resolve(),
                config=terms.target.config,
                protocol=terms.protocol,
                tasks=terms.tasks,
                rates=terms.rates,
            ),
            folder,
            pulse,
            network=False,
            seconds=terms.seconds,
        )
        if not isinstance(ended, Evaluated):
            raise JobFailedError("the model was evaluated, and there is no run", again=True)
        return _inside(folder, ended.run)

    def _stage(
        self,
        request: Fetch | Evaluate,
        folder: Path,
        pulse: Pulse,
        *,
        network: bool,
        seconds: float,
    ) -> Fetched | Evaluated:
        answer = folder / ANSWER
        answer.unlink(missing_ok=True)
        status = supervised(
            _STAGE,
            request.model_dump_json().encode(),
            folder,
            environment_in(folder, network=network),
            seconds=seconds,
            pulse=pulse,
            every=self._terms.pulse_seconds,
        )
        if not answer.is_file():
            raise _sudden(request, status, folder)
        if answer.stat().st_size > _LONGEST_ANSWER:
            raise JobFailedError(f"the answer of {request.stage} is too long", again=False)
        try:
            found = ANSWERS.validate_json(answer.read_bytes())
        except ValidationError as error:
            raise JobFailedError(
                f"the answer of {request.stage} cannot be read", again=True
            ) from error
        if isinstance(found, Failed):
            raise JobFailedError(
                found.reason, again=found.again, of_hub=found.of_hub, detail=found.detail
            )
        return found


def _sudden(request: Fetch | Evaluate, status: int, folder: Path) -> JobFailedError:
    """What to say of a process that ended without an answer."""
    end = end_of(status, printed_last(folder))
    how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
    detail = f"its process {how}: {last_words(folder) or 'it said nothing'}"
    if end == "memory":
        return JobFailedError(short_of_memory(request.memory_bytes), again=False, detail=detail)
    what = "the model's download" if request.stage == "fetch" else "the evaluation"
    if end == "crash":
        memory = memory_in_words(request.memory_bytes)
        reason = f"{what} crashed (signal {-status}); it may be that {memory} do not suffice"
        return JobFailedError(reason, again=False, detail=detail)
    return JobFailedError(f"{what} {how}", again=True, detail=detail)


def _inside(folder: Path, path: str) -> Path:
    run = (folder / path).resolve()
    if not run.is_relative_to(folder.resolve()) or not run.is_dir():
        raise JobFailedError("the evaluation named no folder of its own", again=False)
    return run
