"""Conditions of a protocol, and models that they do not apply to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.named import Condition, NamedModel
from evaluate_shelf.registry.protocols import Protocol

_OPTIONS: dict[Condition, str] = {"max_tokens": "--max-tokens", "prompts": "--prompts"}


def conditions_of(protocol: Protocol) -> dict[Condition, str]:
    """What a protocol asks for that not every model can be given, with its value.

    Examples
    --------
    >>> from evaluate_shelf.registry.protocols import load_protocol
    >>> conditions_of(load_protocol()), conditions_of(load_protocol("shelf-1+max-tokens-512"))
    ({}, {'max_tokens': '512'})
    """
    found: dict[Condition, str] = {}
    if protocol.max_tokens is not None:
        found["max_tokens"] = str(protocol.max_tokens)
    if protocol.prompts != "none":
        found["prompts"] = protocol.prompts
    return found


def refusing_conditions(named: NamedModel, protocol: Protocol) -> NamedModel:
    """The model, or one that cannot be loaded, where the protocol's conditions do not apply to it.

    A run under a condition that changes nothing would stand in its tables as if it had been
    changed. It is refused when it is loaded, not when it is named, so that it does not stop the
    other models of a sweep.

    Parameters
    ----------
    named : NamedModel
        Says which conditions it takes. A model that is made of others takes what one of them
        takes; the other one is then as it is without the condition.
    protocol : Protocol
        May have conditions.

    Returns
    -------
    NamedModel
    """
    not_taken = [
        f"{_OPTIONS[condition]} {value}"
        for condition, value in conditions_of(protocol).items()
        if condition not in named.takes
    ]
    if not not_taken:
        return named

    def load() -> Any:
        raise ShelfError(
            f"{' and '.join(not_taken)} would change nothing for this model; leave out the option, "
            "or the model"
        )

    return replace(named, load=load)
