"""Which runs cannot be compared, and why."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from evaluate_shelf.counts import counted
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.runs.reading import Run


def check_comparable(runs: Sequence[Run]) -> None:
    """Refuse runs that do not answer the same questions, naming two that differ.

    Raises
    ------
    ShelfError
        If there are fewer than two runs, one stands twice, one is reported and was not computed
        here, or two are of different configs, data, protocols or limits.
    """
    for run in runs:
        if run.reported:
            raise ShelfError(
                f"{run.file.model.name}: its scores are reported ({run.reported}) and were not "
                "computed here; without items nothing says whether a difference is more than chance"
            )
    if len(runs) < 2:
        alone = f"{runs[0].folder} alone" if runs else "no run"
        raise ShelfError(f"{alone}: at least two runs are compared; name another one")
    _check_distinct(runs)
    for first, second in pairwise(runs):
        different = _difference(first, second)
        if different:
            raise ShelfError(
                f"{first.folder} and {second.folder} cannot be compared: {different}; evaluate "
                "both models alike, or leave one out"
            )


def _check_distinct(runs: Sequence[Run]) -> None:
    seen: dict[tuple[str, str], Run] = {}
    for run in runs:
        # A run's id is a hash of its model, data, protocol and limit.
        key = (run.file.model.spec, run.file.run_id)
        if key in seen:
            places = dict.fromkeys([str(seen[key].folder), str(run.folder)])
            raise ShelfError(f"{' and '.join(places)}: the same run twice; name each run once")
        seen[key] = run


def _difference(first: Run, second: Run) -> str | None:
    """What two runs should have in common and have not, in words; None where there is nothing."""
    data, other = first.file.data, second.file.data
    if data.config != other.config:
        return f"one is on config {data.config!r}, the other on {other.config!r}"
    for config in sorted({*data.content_sha256, *other.content_sha256}):
        if data.content_sha256.get(config) != other.content_sha256.get(config):
            return f"{_releases(first, second)}, whose configs {config!r} have different rows"
    named = [_protocol(run) for run in (first, second)]
    if named[0] != named[1]:
        return f"one was made under {named[0]}, the other under {named[1]}"
    limits = [_limit(run) for run in (first, second)]
    if limits[0] != limits[1]:
        return f"one is on {limits[0]}, the other on {limits[1]}"
    return None


def _releases(first: Run, second: Run) -> str:
    ids = [run.file.data.release_id for run in (first, second)]
    if ids[0] == ids[1]:
        return f"they are on two releases that are both called {ids[0]}"
    return f"one is on release {ids[0]}, the other on {ids[1]}"


def _protocol(run: Run) -> str:
    protocol = run.file.protocol
    return f"{protocol.id}, version {protocol.version} (settings {protocol.key[:12]})"


def _limit(run: Run) -> str:
    limit = run.file.limit
    return "all documents" if limit is None else f"{counted(limit, 'document')} a split"
