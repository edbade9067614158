"""A writer that asks an OpenAI-compatible chat endpoint, one order a call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from builders.orders import Order
from builders.writers.chat_body import (
    LONGEST_ANSWER,
    ChatRequest,
    answer_of,
    beginning_of,
    bound_of,
    chat_request,
)
from builders.writers.connection import exchange_with
from builders.writers.parameters import is_refused_for_good, refused_parameter
from builders.writers.protocol import Answered, Bound, MaybeCharged, NotCharged, Outcome
from builders.writers.refusals import refusal_of
from evaluate_shelf.endpoints.exchange import Exchange, Reply, UnreadableError, UnsentError
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy_rows import Length


class OpenAIWriter:
    """Asks a chat endpoint; threads may share it.

    Parameters
    ----------
    row : Generator
        Which model, where.
    lengths : mapping of str to Length
        Target lengths by id.
    exchange : Exchange, default=None
        The connection; made from the row without it.

    Attributes
    ----------
    generator : str
        The row's name.

    Raises
    ------
    ShelfError
        As `exchange_with`.
    """

    def __init__(
        self, row: Generator, lengths: Mapping[str, Length], exchange: Exchange | None = None
    ) -> None:
        self.generator = row.name
        self._row = row
        self._lengths = lengths
        self._exchange = exchange or exchange_with(row)
        # Replaced as a whole, never changed, as several threads read it.
        self._refused: frozenset[str] = frozenset()

    def bound(self, order: Order) -> Bound:
        """The most tokens that `ask` can be charged for.

        Raises
        ------
        ShelfError
            If the order has no prompt, or a length that is not known.
        """
        return bound_of(order, self._row, self._lengths)

    def ask(self, order: Order) -> Outcome:
        """Make one call that may be charged, and say what became of it.

        Where the endpoint refuses a parameter by name, the order is asked again without it: a
        refusal costs nothing. What it takes no value of is left out of later calls too.

        Raises
        ------
        ShelfError
            As `bound`.
        """
        dropped: frozenset[str] = frozenset()
        lasting: frozenset[str] = frozenset()
        while True:
            request = chat_request(order, self._row, self._lengths, self._refused | dropped)
            reply = self._asked(request)
            if not isinstance(reply, Reply):
                return reply
            if reply.succeeded:
                self._refused |= lasting
                outcome = answer_of(request, self._row, reply.body, reply.headers)
                return outcome if isinstance(outcome, Answered) else self._keyless(outcome)
            name = refused_parameter(reply.status, reply.body, request.sent)
            if name is None:
                reason = self._exchange.described(reply)
                return refusal_of(reply.status, reply.body, reason, reply.retry_after)
            dropped |= {name}
            if is_refused_for_good(name, request.sent):
                lasting |= {name}

    def close(self) -> None:
        """Give up the connections."""
        self._exchange.close()

    def _keyless(self, outcome: MaybeCharged) -> MaybeCharged:
        return replace(outcome, came=self._exchange.keyless(outcome.came))

    def _asked(self, request: ChatRequest) -> Reply | NotCharged | MaybeCharged:
        try:
            return self._exchange.ask(
                "POST",
                "/chat/completions",
                json=request.body,
                # By which the endpoint's owner can find the call.
                headers={"X-Client-Request-Id": request.order_id},
                most_bytes=LONGEST_ANSWER,
            )
        except UnsentError as error:
            return NotCharged(str(error), busy=True)
        except (ConnectionError, UnreadableError) as error:
            came = beginning_of(getattr(error, "came", b""))
            return self._keyless(MaybeCharged(str(error), came))
        except ShelfError as error:
            return NotCharged(str(error), final=True, of_all=True)
