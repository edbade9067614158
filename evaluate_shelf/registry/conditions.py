"""Conditions that make another protocol of one: other prompts, another limit, other texts."""

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
_TEXT = "text-"

TextCondition = Literal["full", "masked", "sham"]
"""What the tasks read: whole texts, or texts without label terms, or without as many tokens."""

TREATMENTS: tuple[TextCondition, ...] = ("masked", "sham")
"""Conditions of a text under which something is removed from it."""


def conditioned(
    protocol: Protocol, prompts: str | None, max_tokens: int | None, text: str | None = None
) -> Protocol:
    """A protocol under what a user asks for; see `under_conditions`.

    Raises
    ------
    ShelfError
        If the prompts or the condition of the text are unknown, the limit is not between 1 and
        9,999,999, or the protocol has another condition of the text already.
    """
    if prompts not in (None, "none", "model-card"):
        raise ShelfError(f"--prompts {prompts}: known are none and model-card")
    if max_tokens is not None and not 0 < max_tokens < 10_000_000:
        raise ShelfError(f"--max-tokens {max_tokens}: at least 1 token is needed")
    if text not in (None, "full", *TREATMENTS):
        raise ShelfError(f"--text {text}: known are full, {' and '.join(TREATMENTS)}")
    if text is not None and protocol.text not in ("full", text):
        raise ShelfError(f"--text {text}: the protocol {protocol.id} has {protocol.text} texts")
    wanted: Any = prompts
    asked: Any = text
    return under_conditions(protocol, prompts=wanted, max_tokens=max_tokens, text=asked)


def base_of(name: str) -> str:
    """The id of the protocol that conditions were put on.

    Examples
    --------
    >>> base_of("shelf-1+max-tokens-512")
    'shelf-1'
    """
    return name.partition(_CONDITION)[0]


def text_of(name: str) -> TextCondition:
    """What the tasks read under a protocol, by its id.

    Examples
    --------
    >>> text_of("shelf-1"), text_of("shelf-1+max-tokens-512+text-masked")
    ('full', 'masked')
    """
    named = name.split(_CONDITION)[1:]
    return next((text for text in TREATMENTS if f"{_TEXT}{text}" in named), "full")


def with_full_text(name: str) -> str:
    """The id of the protocol that differs in nothing but in whole texts.

    Examples
    --------
    >>> with_full_text("shelf-1+max-tokens-512+text-masked")
    'shelf-1+max-tokens-512'
    """
    treatments = [f"{_TEXT}{text}" for text in TREATMENTS]
    return _CONDITION.join(part for part in name.split(_CONDITION) if part not in treatments)


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
        elif protocol.text == "full" and condition in [f"{_TEXT}{text}" for text in TREATMENTS]:
            text: Any = condition.removeprefix(_TEXT)
            protocol = under_conditions(protocol, text=text)
        else:
            raise ShelfError(f"unknown protocol {name!r}: {condition!r} is no condition")
    return protocol


def under_conditions(
    protocol: Protocol,
    *,
    prompts: Literal["none", "model-card"] | None = None,
    max_tokens: int | None = None,
    text: TextCondition | None = None,
) -> Protocol:
    """A protocol with other prompts, another limit on a text or other texts: one of its own.

    Parameters
    ----------
    protocol : Protocol
        The one that it differs from.
    prompts : {'none', 'model-card'}, default=None
        Whether texts are encoded with the prompts that the model names.
    max_tokens : int, default=None
        Tokens after which a text is cut, for every model that has a limit.
    text : {'full', 'masked', 'sham'}, default=None
        Whether a document's own label terms, or as many of its tokens, are removed from it.

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
    if text is not None and text != protocol.text:
        changes["text"] = text
        name += f"{_CONDITION}{_TEXT}{text}"
    return protocol.model_copy(update={**changes, "id": name}) if changes else protocol
