"""The model of a run, named again and shown to be the same."""

from __future__ import annotations

from dataclasses import replace

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.models.resolve import NamedModel, resolve_model
from evaluate_shelf.models.sentence_encoder import names_hub_revision
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
        revision of the run. A `module:attribute` is imported and a folder loaded only if the user
        names it here, since `run.json` may come from anybody. Without a revision a Hub id may be
        a folder's name as well.

    Returns
    -------
    NamedModel
        With the run's identity, so that its stored vectors are found. Nothing heavy is loaded.

    Raises
    ------
    ShelfError
        If the model cannot be found, is code or a folder that the user did not name, or is
        another one; the message says what changed.
    """
    spec = named or run.spec
    if named is None and _needs_consent(spec):
        what = (
            "a folder of this machine, or a Hub id without a revision, which would be loaded"
            if spec.startswith("st:")
            else "code of that module, which would be run"
        )
        raise ShelfError(f"the run's model {spec!r} is {what}; if you trust it, add --model {spec}")
    found = resolve_model(spec, protocol)
    changed = _changes(run, found.identity)
    if changed:
        raise ShelfError(
            f"model {spec!r} is not the one of the run: {'; '.join(changed)}. Evaluate it again, "
            "or name the one of the run with --model"
        )
    identity = ModelIdentity(run.name, run.spec, run.kind, run.revision, run.settings)
    return replace(found, identity=identity)


def _needs_consent(spec: str) -> bool:
    """Whether it names what anybody may have made; anything unknown with a colon counts as such."""
    return ":" in spec and spec != "st:minilm" and not names_hub_revision(spec)


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
