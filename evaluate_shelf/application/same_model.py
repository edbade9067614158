"""The model of a run, named again and shown to be the same."""

from __future__ import annotations

from dataclasses import replace

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.models.resolve import NamedModel, resolve_model
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.runs.schema import RunModel


def same_model(run: RunModel, protocol: Protocol, named: str | None = None) -> NamedModel:
    """Identify a run's model on this machine.

    Parameters
    ----------
    run : RunModel
        The model, as it was when it ran.
    protocol : Protocol
        The run's.
    named : str, default=None
        A name for it in place of the run's own: a folder that has moved, a Hub id with the
        revision of the run. A `module:attribute` is imported only if the user names it here, since
        `run.json` may come from anybody.

    Returns
    -------
    NamedModel
        With the run's identity, so that its stored vectors are found. Nothing heavy is loaded.

    Raises
    ------
    ShelfError
        If the model cannot be found, is code that the user did not name, or is another one; the
        message says what changed.
    """
    spec = named or run.spec
    if named is None and _is_code(spec):
        raise ShelfError(
            f"the run's model {spec!r} is code of that module, which would be run; if you trust "
            f"it, add --model {spec}"
        )
    found = resolve_model(spec, protocol)
    changed = _changes(run, found.identity)
    if changed:
        raise ShelfError(
            f"model {spec!r} is not the one of the run: {'; '.join(changed)}. Evaluate it again, "
            "or name the one of the run with --model"
        )
    identity = ModelIdentity(run.name, run.spec, run.kind, run.revision, run.settings)
    return replace(found, identity=identity)


def _is_code(spec: str) -> bool:
    """Whether resolving it imports a module; anything unknown with a colon counts as such."""
    return ":" in spec and not spec.startswith("st:")


def _changes(run: RunModel, now: ModelIdentity) -> list[str]:
    fields = [
        ("kind", run.kind, now.kind),
        ("revision", run.revision, now.revision),
        *(
            (name, run.settings.get(name), now.settings.get(name))
            for name in sorted({*run.settings, *now.settings})
        ),
    ]
    return [
        f"{name} was {before!r} and is {after!r}"
        for name, before, after in fields
        if before != after
    ]
