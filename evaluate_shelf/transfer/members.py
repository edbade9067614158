"""Which runs are compared: one condition, and the models of a panel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.settings import Exclusion, Panel

_KINDS_WITH_WEIGHTS = frozenset({"encoder", "static", "endpoint"})


class ModelKey(NamedTuple):
    """What makes two runs those of one model, on whatever corpus."""

    name: str
    revision: str


class LeftOut(NamedTuple):
    """A model, or a run, that is not compared, and why."""

    model: str
    reason: str


class Members(NamedTuple):
    """The runs that are compared, and what is not."""

    runs: tuple[Run, ...]
    left_out: tuple[LeftOut, ...]


def model_key(run: Run) -> ModelKey:
    """The run's model, by name and revision."""
    return ModelKey(run.file.model.name, run.file.model.revision)


def members(runs: Sequence[Run], panel: Panel, protocol: str | None = None) -> Members:
    """The runs of a panel's models under one protocol.

    Parameters
    ----------
    runs : sequence of Run
        Either computed here, on any number of corpora, or all reported.
    panel : Panel
        Which models are compared.
    protocol : str, default=None
        Its id; where none is named and the runs are of several, the default one.

    Returns
    -------
    Members
        Smoke runs are left out, and so are the models that the panel leaves out; each is named.

    Raises
    ------
    ShelfError
        If the runs are of several protocols, none is named and the default one is not among
        them, if two of one config are of different data, or if reported scores stand beside
        computed ones.
    """
    if len({run.reported for run in runs}) > 1:
        raise ShelfError("reported scores and computed ones are not compared with each other")
    whole, smoke = without_smoke_runs(runs)
    asked, of_others = of_protocol(whole, protocol)
    refuse_other_data(asked)
    kept, out_by_panel = _of_panel(asked, panel)
    return Members(tuple(kept), (*smoke, *of_others, *out_by_panel))


def without_smoke_runs(runs: Sequence[Run]) -> tuple[list[Run], list[LeftOut]]:
    """The runs over all documents, and the others with the reason."""
    whole = [run for run in runs if run.file.limit is None]
    smoke = [
        LeftOut(_with_corpus(run), f"a smoke run of {run.file.limit} documents a split")
        for run in runs
        if run.file.limit is not None
    ]
    return whole, smoke


def of_protocol(runs: Sequence[Run], protocol: str | None) -> tuple[list[Run], list[LeftOut]]:
    """The runs under one protocol, and the others with the reason.

    Where none is named and there are several, it is the default one.

    Raises
    ------
    ShelfError
        If there are several, none is named and the default is not among them, or if there are
        several versions of the one, or none.
    """
    conditions = {(run.file.protocol.id, run.file.protocol.key): run for run in runs}
    names = sorted(identity for identity, _ in conditions)
    if protocol is None:
        if len(names) < 2:
            return list(runs), []
        protocol = load_protocol().id
        if protocol not in names:
            raise ShelfError(
                f"the runs are of several protocols, {', '.join(names)}; name one with --protocol"
            )
    if names.count(protocol) != 1:
        problem = "several versions of it are" if protocol in names else "no run of it is"
        raise ShelfError(
            f"protocol {protocol!r}: {problem} there; the runs are of {', '.join(names)}"
        )
    others = [run for run in runs if run.file.protocol.id != protocol]
    return (
        [run for run in runs if run.file.protocol.id == protocol],
        [
            LeftOut(
                _with_corpus(run),
                f"protocol {run.file.protocol.id}; --protocol {run.file.protocol.id} takes it",
            )
            for run in others
        ],
    )


def refuse_other_data(runs: Iterable[Run]) -> None:
    """Refuse runs of which two name one config and read other rows.

    Raises
    ------
    ShelfError
        If there are such.
    """
    first: dict[str, Run] = {}
    for run in runs:
        data, other = run.file.data, first.setdefault(run.file.data.config, run)
        if data.content_sha256 != other.file.data.content_sha256:
            raise ShelfError(
                f"{other.folder} (release {other.file.data.release_id}) and {run.folder} (release "
                f"{data.release_id}) are on two releases whose configs {data.config!r} have "
                "different rows; give runs on one of them"
            )


def _of_panel(runs: Sequence[Run], panel: Panel) -> tuple[list[Run], list[LeftOut]]:
    excluded = {
        model_key(run): exclusion.reason
        for run in runs
        if (exclusion := _exclusion_of(run, panel.left_out))
    }
    if panel.weights_once:
        excluded |= _same_weights([run for run in runs if model_key(run) not in excluded])
    kept = [run for run in runs if model_key(run) not in excluded]
    return kept, [LeftOut(key.name, reason) for key, reason in excluded.items()]


def _exclusion_of(run: Run, exclusions: Iterable[Exclusion]) -> Exclusion | None:
    spec = run.file.model.spec
    if run.reported:
        return next((out for out in exclusions if out.model == spec), None)
    checkpoint = spec.partition(":")[2].partition(",")[0].partition("@")[0]
    return next((out for out in exclusions if checkpoint in out.checkpoints), None)


def _same_weights(runs: Iterable[Run]) -> dict[ModelKey, str]:
    """Computed models with the weights of another, which has fewer settings."""
    found: dict[str, dict[ModelKey, Run]] = {}
    for run in runs:
        model = run.file.model
        if not run.reported and model.kind in _KINDS_WITH_WEIGHTS:
            found.setdefault(model.revision, {})[model_key(run)] = run
    excluded: dict[ModelKey, str] = {}
    for alike in found.values():
        kept, *others = sorted(alike, key=lambda key: _plainness(alike[key]))
        excluded |= dict.fromkeys(others, f"the same weights as {kept.name}")
    return excluded


def _plainness(run: Run) -> tuple[int, int, str]:
    model = run.file.model
    return len(model.settings), len(model.spec), model.spec


def _with_corpus(run: Run) -> str:
    return f"{run.file.model.name} on {run.file.data.config}"
