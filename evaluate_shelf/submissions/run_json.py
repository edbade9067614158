"""`run.json` of a stranger: bounded, of the known form, and without hidden or foreign text."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.folder import RUN, SCORES
from evaluate_shelf.runs.schema import RunFile
from evaluate_shelf.submissions.contents import RUN_BYTES, allowed_names, items_name
from evaluate_shelf.submissions.distinct_json import AmbiguousJsonError, distinct_json
from evaluate_shelf.submissions.refusals import Refused, quoted
from evaluate_shelf.submissions.texts import (
    LONGEST_MODEL_NAME,
    fault_in_name,
    fault_in_prompt,
    fault_in_sentence,
)

DEEPEST = 8
"""How deep values may lie in each other; a run's lie five deep."""
GREATEST = 2**53
"""No number of a run is greater: JSON's readers agree on whole numbers up to here."""
FASTEST = 1e7
"""Documents a second that no machine exceeds: counting characters is slower."""

KINDS = frozenset(
    {"sparse", "static", "encoder", "endpoint", "precomputed", "hybrid", "reranker", "custom"}
)
"""Kinds of models, as `ModelIdentity` has them."""

MOST_NAMES = {"hardware": 64, "versions": 64}
"""So many entries these fields have at most; a run has about 4 and 11."""

_HARDWARE = frozenset({"machine", "system", "cores", "memory_bytes"})
_SENTENCES = {("data", "written", "source"), ("price_source",)}
_NUMBER = re.compile("[0-9]{1,6}")
Path = tuple[str, ...]


def run_file_of(data: bytes) -> RunFile:
    """Read a stranger's `run.json`.

    Parameters
    ----------
    data : bytes
        The whole file.

    Returns
    -------
    RunFile
        Its values have the form, the characters and the size that a run's have. Whether they are
        true is another question.

    Raises
    ------
    Refused
        Names the first field that is wrong: no UTF-8 JSON, a key that stands twice, NaN, a number
        or a depth out of bounds, a text outside of the rule of `texts`, a smoke run, an earlier
        form, an unknown task or kind, files that are not those of its tasks.
    """
    if len(data) > RUN_BYTES:
        raise Refused(f"{RUN}: {len(data):,} bytes are more than {RUN_BYTES:,}")
    value = _parsed(data)
    if not isinstance(value, dict):
        raise Refused(f"{RUN}: not a JSON object")
    _check_value(value, ())
    try:
        file = RunFile.model_validate_json(data, strict=True)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = _field(tuple(map(str, first["loc"]))) or "the file"
        raise Refused(f"{RUN}, field {place}: {first['msg']}") from None
    _check_run(file)
    return file


def protocol_of_run(file: RunFile) -> Protocol:
    """The protocol that a run names, if this installation has that very one.

    Raises
    ------
    Refused
        If it does not, or the run's seeds and threads are not the protocol's.
    """
    named = file.protocol
    try:
        protocol = load_protocol(named.id)
    except ShelfError as error:
        raise Refused(f"{RUN}, field protocol.id: {error}") from None
    if (protocol.id, protocol.key, protocol.version) != (named.id, named.key, named.version):
        raise Refused(
            f"{RUN}, field protocol: made under version {named.version} of {named.id!r}; here "
            f"version {protocol.version} is in use; evaluate the model again"
        )
    if (file.seeds, file.threads) != (_seeds(protocol), _threads(protocol)):
        raise Refused(f"{RUN}, fields seeds and threads: not those of the protocol {named.id!r}")
    if (file.removed is None) != (protocol.text == "full"):
        raise Refused(f"{RUN}, field removed: it does not fit the protocol's texts")
    return protocol


def done_tasks(file: RunFile) -> list[str]:
    """Ids of the tasks that a run has a score on, in its order."""
    return [task for task, record in file.tasks.items() if record.status == "done"]


def _parsed(data: bytes) -> Any:
    try:
        return distinct_json(data)
    except AmbiguousJsonError as error:
        raise Refused(f"{RUN}: {error}") from None
    except UnicodeDecodeError:
        raise Refused(f"{RUN}: not UTF-8") from None
    except json.JSONDecodeError as error:
        raise Refused(f"{RUN}, line {error.lineno}: not JSON: {one_line(error.msg, 80)}") from None
    except ValueError:
        raise Refused(f"{RUN}: a number with more digits than any has") from None


def _check_value(value: Any, path: Path) -> None:
    """Refuse what no run has, whatever the field is."""
    if len(path) > DEEPEST:
        raise Refused(f"{RUN}: its values lie in each other too deep")
    if isinstance(value, dict):
        for key, own in value.items():
            fault = fault_in_name(key)
            if fault:
                raise Refused(f"{_place(path)}: a key {fault}")
            _check_value(own, (*path, key))
    elif isinstance(value, list):
        for number, own in enumerate(value):
            _check_value(own, (*path, str(number)))
    elif isinstance(value, str):
        fault = _fault_in_text(value, path)
        if fault:
            raise Refused(f"{_place(path)}: {fault}")
    elif isinstance(value, int | float) and not abs(value) <= GREATEST:  # NaN is not either
        raise Refused(f"{_place(path)}: the number is too large")


def _fault_in_text(text: str, path: Path) -> str | None:
    if path[:2] == ("model", "prompts"):
        return fault_in_prompt(text)
    if path in _SENTENCES or (path[0] == "tasks" and path[-1] == "reason"):
        return fault_in_sentence(text)
    if path == ("model", "name"):
        return "must not be empty" if not text.strip() else fault_in_name(text, LONGEST_MODEL_NAME)
    return fault_in_name(text)


def _place(path: Path) -> str:
    return f"{RUN}, field {_field(path)}" if path else RUN


def _field(path: Path) -> str:
    """A field's place; of keys of the sender's choosing the last is shown, short and in quotes."""
    known = _field_names() | _HARDWARE | load_tasks().keys()
    foreign = [part for part in path[:9] if part not in known and not _NUMBER.fullmatch(part)]
    shown = {**dict.fromkeys(foreign, "…"), **{part: quoted(part) for part in foreign[-1:]}}
    return ".".join(shown.get(part, part) for part in path[:9])


@functools.cache
def _field_names() -> frozenset[str]:
    """Names of the fields of `run.json`, wherever they are."""

    def names(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value.get("properties", {})
            for own in value.values():
                yield from names(own)
        elif isinstance(value, list):
            for own in value:
                yield from names(own)

    return frozenset(names(RunFile.model_json_schema()))


def _check_run(file: RunFile) -> None:
    """Refuse runs that cannot stand on a board, and headers that contradict themselves."""
    if file.run_version != 2:
        raise Refused(f"{RUN}: the form of an earlier version; evaluate the model again")
    if file.limit is not None:
        raise Refused(
            f"{RUN}: a smoke run over {file.limit} documents a split, which is comparable with no "
            "other; evaluate without --limit"
        )
    if file.model.kind not in KINDS:
        raise Refused(f"{RUN}, field model.kind: known are {', '.join(sorted(KINDS))}")
    for name in ("parameters", "dimension", "max_tokens"):
        value = getattr(file.model, name)
        if value is not None and value < 0:
            raise Refused(f"{RUN}, field model.{name}: must not be below 0")
    for name, most in MOST_NAMES.items():
        if len(getattr(file, name)) > most:
            raise Refused(f"{RUN}, field {name}: more than {most} entries")
    for name, fact in file.hardware.items():
        if isinstance(fact, int) and fact < 0:
            raise Refused(f"{_place(('hardware', name))}: must not be below 0")
    _check_rate(file)
    known = load_tasks()
    for task, record in file.tasks.items():
        if task not in known:
            raise Refused(f"{RUN}, field tasks: {quoted(task)} is no task")
        seconds = [record.seconds, *record.stages.values()]
        if any(own is not None and not (math.isfinite(own) and own >= 0) for own in seconds):
            raise Refused(f"{RUN}, field tasks.{task}: seconds must not be below 0")
    done = done_tasks(file)
    if not done:
        raise Refused(f"{RUN}: no task is done, so there is no score; see the reasons in it")
    expected = {SCORES, *map(items_name, done)}
    if set(file.files) != expected:
        other = min(set(file.files) ^ expected)
        shown = other if other in allowed_names() else quoted(other)
        raise Refused(f"{RUN}, field files: {shown} is there or named, but not both")


def _check_rate(file: RunFile) -> None:
    rate = file.rate
    if rate is None:
        return
    low = rate.documents_per_second if rate.low is None else rate.low
    high = rate.documents_per_second if rate.high is None else rate.high
    if not 0 <= low <= rate.documents_per_second <= high <= 2 * FASTEST:
        raise Refused(f"{RUN}, field rate: its interval does not hold the rate")
    if rate.documents_per_second > FASTEST or not 0 < rate.level < 1:
        raise Refused(f"{RUN}, field rate: no machine encodes so many documents a second")


def _seeds(protocol: Protocol) -> dict[str, int]:
    return {
        "probe": protocol.probe.seed,
        "kmeans": protocol.kmeans.seed,
        "bootstrap": protocol.bootstrap.seed,
        "control": protocol.control.seed,
        "svd": protocol.svd_seed,
    }


def _threads(protocol: Protocol) -> dict[str, int]:
    return {"blas": protocol.blas_threads, "torch": protocol.torch_threads}
