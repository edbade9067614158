"""What every writer gives: a document and where it came from, or the answer to an order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from builders.specifications import Specification

if TYPE_CHECKING:
    from builders.orders import Order


@dataclass(frozen=True)
class Provenance:
    """Who wrote a document, with what settings and at what cost; None where nothing applies.

    Attributes
    ----------
    model, model_resolved : str
        The writer as asked for, and as it answered, with its version.
    provider, provider_served : str
        Who was asked, and who served the call.
    """

    model: str
    model_resolved: str | None
    provider: str
    provider_served: str | None
    prompt: str | None = None
    prompt_variant_id: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float = 0.0


@dataclass(frozen=True)
class WrittenDocument:
    """A title, a body and their provenance."""

    title: str
    body: str
    provenance: Provenance


class Writer(Protocol):
    """Turns a specification into a document, by rules: at once, for nothing, and never in vain.

    Attributes
    ----------
    model : str
        The name that goes into every row's `model`.
    """

    model: str

    def write(self, spec: Specification, seed: int) -> WrittenDocument:
        """Write a document; the same specification and seed give the same document."""


@dataclass(frozen=True)
class Usage:
    """Tokens that a call is charged for.

    Attributes
    ----------
    input_tokens : int
        Of the prompt, cached ones too.
    output_tokens : int
        As they are billed: everything that was generated, reasoning too.
    reasoning_tokens : int or None
        How many of the output's nobody sees; None if nothing says so.
    """

    input_tokens: int
    output_tokens: int
    reasoning_tokens: int | None = None


@dataclass(frozen=True)
class Bound:
    """The most tokens that a call can be charged for."""

    input_tokens: int
    output_tokens: int


Flag = Literal["usage", "served", "refusal", "filtered", "empty", "thinking", "characters", "over"]
"""What is to be known of an answer.

`usage`: the reported tokens are missing or cannot be right. `served`: another model answered than
was asked. `refusal`: the endpoint itself names it one. `filtered`: its filter stopped the answer.
`empty`: there is no text. `thinking`: thoughts stood before the text and were taken off.
`characters`: some of it cannot be written as UTF-8 and was replaced, or nobody sees it and it is
taken out of the document (see `builders.gates.readable`). `over`: the call took more than its
bound, by its report or by the length of the text, so the endpoint does not keep to it.
"""


@dataclass(frozen=True)
class Answer:
    """What came back for an order, and is paid for.

    Attributes
    ----------
    order_id : str
    text : str
        As it was written; perhaps empty.
    model_resolved : str or None
        The model that the endpoint says it was; None if it says nothing.
    provider : str
        Who was asked: the host, or `local` for this machine.
    provider_served : str or None
        Who answered, where the one who was asked passes calls on and says to whom.
    finish_reason : str or None
        Why the text ends: `stop`, `length`, `content_filter`, or another word of the endpoint's.
    usage : Usage or None
        None if the endpoint reports none that can be right.
    flags : tuple of str
        Of `Flag`, in alphabetical order.
    raw : bytes
        The endpoint's answer, up to a million bytes.
    sent : mapping
        What was asked beside model and messages, as it was really sent.
    """

    order_id: str
    text: str
    model_resolved: str | None
    provider: str
    provider_served: str | None
    finish_reason: str | None
    usage: Usage | None
    flags: tuple[str, ...]
    raw: bytes
    sent: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Answered:
    """An answer came: it is kept, and its order is never asked again."""

    answer: Answer


@dataclass(frozen=True)
class NotCharged:
    """Nothing was generated, so nothing is paid.

    Attributes
    ----------
    reason : str
        One line.
    retry_after_seconds : float or None
        When the endpoint wants to be asked again, if it says so.
    final : bool
        Whether the same order would be refused again.
    of_all : bool
        Whether every other order of this writer would be too: a key, a model or an address that is
        wrong, or an account without money.
    busy : bool
        Whether it says nothing of the order: too much is asked at once, or nobody was reached.
    """

    reason: str
    retry_after_seconds: float | None = None
    final: bool = False
    of_all: bool = False
    busy: bool = False


@dataclass(frozen=True)
class MaybeCharged:
    """The order may have been carried out, and no answer that can be read came back.

    Attributes
    ----------
    reason : str
        One line.
    came : str
        The beginning of what came with a status of success, up to 100,000 characters: it is paid
        for perhaps.
    """

    reason: str
    came: str = ""


Outcome = Answered | NotCharged | MaybeCharged


class ChatWriter(Protocol):
    """Asks a model, one order at a time; threads may share it.

    Attributes
    ----------
    generator : str
        Whose orders it takes.
    """

    generator: str

    def bound(self, order: Order) -> Bound:
        """The most tokens that `ask` can be charged for."""

    def ask(self, order: Order) -> Outcome:
        """Make one call that may be charged, and say what became of it."""
