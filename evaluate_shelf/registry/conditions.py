"""Conditions that make another protocol of one: other prompts, another limit on a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal

from evaluate_shelf.errors import ShelfError

if TYPE_CHECKING:
    from evaluate_shelf.registry.protocols import Protocol

# No id of a row has this character.
_CONDITION = "+"
_MAX_TOKENS = "max-tokens-"
_MODEL_CARD = "model-card-prompts"


def conditioned(protocol: Protocol, prompts: str | None, max_tokens: int | None) -> Protocol:
    """A protocol under what a user asks for; see `under_conditions`.

    Raises
    ------
    ShelfError
        If the prompts are unknown, or the limit is not between 1 and 9,999,999.
    """
    if prompts not in (None, "none", "model-card"):
        raise ShelfError(f"--prompts {prompts}: known are none and model-card")
    if max_tokens is not None and not 0 < max_tokens < 10_000_000:
        raise ShelfError(f"--max-tokens {max_tokens}: at least 1 token is needed")
    wanted: Any = prompts
    return under_conditions(protocol, prompts=wanted, max_tokens=max_tokens)


def base_of(name: str) -> str:
    """The id of the protocol that conditions were put on.

    Examples
    --------
    >>> base_of("shelf-1+max-tokens-512")
    'shelf-1'
    """
    return name.partition(_CONDITION)[0]


def under_named(protocol: Protocol, name: str) -> Protocol:
    """A protocol under the conditions that an id names.

    Raises
    ------
    ShelfError
        If one is no condition.
    """
    for condition in name.split(_CONDITION)[1:]:
        if condition == _MODEL_CARD:
            protocol = under_conditions(protocol, prompts="model-card")
        elif re.fullmatch(rf"{_MAX_TOKENS}[1-9]\d{{0,6}}", condition):
            limit = int(condition.removeprefix(_MAX_TOKENS))
            protocol = under_conditions(protocol, max_tokens=limit)
        else:
            raise ShelfError(f"unknown protocol {name!r}: {condition!r} is no condition")
    return protocol


def under_conditions(
    protocol: Protocol,
    *,
    prompts: Literal["none", "model-card"] | None = None,
    max_tokens: int | None = None,
) -> Protocol:
    """A protocol with other prompts or another limit on a text: a protocol of its own.

    Parameters
    ----------
    protocol : Protocol
        The one that it differs from.
    prompts : {'none', 'model-card'}, default=None
        Whether texts are encoded with the prompts that the model names.
    max_tokens : int, default=None
        Tokens after which a text is cut, for every model that has a limit.

    Returns
    -------
    Protocol
        Its id says what differs, and `load_protocol` takes that id.

    Examples
    --------
    >>> from evaluate_shelf.registry.protocols import load_protocol
    >>> under_conditions(load_protocol(), max_tokens=512).id
    'shelf-1+max-tokens-512'
    >>> load_protocol("shelf-1+max-tokens-512").max_tokens
    512
    """
    changes: dict[str, Any] = {}
    name = protocol.id
    if max_tokens is not None and max_tokens != protocol.max_tokens:
        changes["max_tokens"] = max_tokens
        name += f"{_CONDITION}{_MAX_TOKENS}{max_tokens}"
    if prompts is not None and prompts != protocol.prompts:
        changes["prompts"] = prompts
        name += f"{_CONDITION}{_MODEL_CARD}"
    return protocol.model_copy(update={**changes, "id": name}) if changes else protocol
