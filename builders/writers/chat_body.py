"""The bodies of chat requests and answers, in the form that OpenAI's endpoint has."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from builders.gates.readable import readable
from builders.orders import Order, allowance, input_bound
from builders.writers.parameters import parameters
from builders.writers.protocol import Answer, Answered, Bound, Flag, MaybeCharged
from builders.writers.served import is_asked_model, without_folders
from builders.writers.usage import is_over, least_tokens, usage_of
from evaluate_shelf.bounded import one_line
from evaluate_shelf.endpoints.address import is_loopback
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy_rows import Length

LONGEST_ANSWER = 4_000_000
"""Bytes of an answer that are read."""

LONGEST_RAW = 1_000_000
"""Bytes of an answer that are kept."""

LONGEST_UNREADABLE = 100_000
"""Characters that are kept of an answer that cannot be read."""

_THOUGHTS = re.compile(r"\s*<think(?:ing)?>.*?(?:</think(?:ing)?>\s*|\Z)", re.DOTALL)
# Lone halves of surrogate pairs have no UTF-8, and databases end a text at a NUL.
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
# By which routers name who carried a call out.
_PROVIDER_HEADER = "x-inference-provider"


@dataclass(frozen=True)
class ChatRequest:
    """A call for one order.

    Attributes
    ----------
    order_id : str
    body : dict
        Of the request.
    least_input : int
        Tokens that the prompt has at least.
    bound : Bound
        The most that it can be charged for.
    """

    order_id: str
    body: dict[str, Any]
    least_input: int
    bound: Bound

    @property
    def sent(self) -> dict[str, Any]:
        """What is asked beside model and messages."""
        return {key: own for key, own in self.body.items() if key not in ("model", "messages")}


def bound_of(order: Order, row: Generator, lengths: Mapping[str, Length]) -> Bound:
    """The most tokens that an order can be charged for, whatever comes back.

    Parameters
    ----------
    order : Order
        With a prompt.
    row : Generator
        Who writes.
    lengths : mapping of str to Length
        Target lengths by id.

    Raises
    ------
    ShelfError
        If there is no prompt, or no such length.
    """
    length = lengths.get(order.spec.target_length)
    if order.prompt is None or length is None:
        what = "no prompt" if length is not None else f"target length {order.spec.target_length!r}"
        raise ShelfError(f"order {order.id}: {what}, which {row.name} cannot write from")
    return Bound(input_bound(order.prompt), allowance(length, row.reasons))


def chat_request(
    order: Order, row: Generator, lengths: Mapping[str, Length], without: Set[str] = frozenset()
) -> ChatRequest:
    """The call for an order.

    Parameters
    ----------
    order, row, lengths
        As `bound_of` takes them.
    without : set of str, default=()
        Parameters that the endpoint has refused.

    Raises
    ------
    ShelfError
        As `bound_of`.
    """
    bound = bound_of(order, row, lengths)
    assert order.prompt is not None
    messages = [{"role": own.role, "content": own.content} for own in order.prompt.messages]
    body = {
        "model": row.model_name,
        "messages": messages,
        **parameters(row, order.sampling, bound.output_tokens, without),
    }
    least = sum(least_tokens(own.content) for own in order.prompt.messages)
    return ChatRequest(order.id, body, least, bound)


def answer_of(
    request: ChatRequest, row: Generator, body: bytes, headers: Mapping[str, str]
) -> Answered | MaybeCharged:
    """Read what came back with a status of success.

    Parameters
    ----------
    request : ChatRequest
        What was asked.
    row : Generator
        Who was.
    body : bytes
        Any bytes.
    headers : mapping of str to str
        Of the reply.

    Returns
    -------
    Answered or MaybeCharged
        The latter where it is no chat completion.
    """
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        return MaybeCharged(
            f"the answer is no JSON: {one_line(str(error), 100)}", beginning_of(body)
        )
    choice = _choice(value)
    if choice is None:
        said = value.get("error") if isinstance(value, dict) else None
        reason = f"the answer holds no message: {one_line(str(said or value), 200)}"
        return MaybeCharged(reason, beginning_of(body))
    return Answered(_answer(request, row, body, headers, value, choice))


def _answer(
    request: ChatRequest,
    row: Generator,
    body: bytes,
    headers: Mapping[str, str],
    value: dict[str, Any],
    choice: dict[str, Any],
) -> Answer:
    message = choice["message"]
    content, refusal = _text(message.get("content")), _text(message.get("refusal"))
    written = _UNWRITABLE.sub("\ufffd", content or refusal)
    text = _THOUGHTS.sub("", written, count=1) if _THOUGHTS.match(written) else written
    served = _line(value.get("model"))
    finish = _line(choice.get("finish_reason"))
    usage = usage_of(
        value.get("usage"), least_input=request.least_input, least_output=least_tokens(text)
    )
    flags: dict[Flag, bool] = {
        "characters": written != (content or refusal) or readable(text).removed > 0,
        "empty": not text.strip(),
        "filtered": finish == "content_filter",
        "over": is_over(usage, least_tokens(written), request.bound),
        "refusal": bool(refusal),
        "served": served is not None
        and not is_asked_model(served, row.model_name, row.other_names),
        "thinking": text != written,
        "usage": usage is None,
    }
    return Answer(
        order_id=request.order_id,
        text=text,
        model_resolved=served and without_folders(served),
        provider=provider_of(row),
        provider_served=_line(value.get("provider")) or _line(headers.get(_PROVIDER_HEADER)),
        finish_reason=finish,
        usage=usage,
        flags=tuple(flag for flag, is_so in flags.items() if is_so),
        raw=body[:LONGEST_RAW],
        sent=request.sent,
    )


def beginning_of(body: bytes) -> str:
    r"""What is kept of an answer that cannot be read.

    Examples
    --------
    >>> beginning_of(b"abc\xff\x00")
    'abc\\xff\\x00'
    """
    text = body[:LONGEST_UNREADABLE].decode("utf-8", "backslashreplace")
    return text[:LONGEST_UNREADABLE].replace("\0", "\\x00")


def provider_of(row: Generator) -> str:
    """Who is asked: the host of the endpoint, or `local` for this machine.

    Examples
    --------
    >>> provider_of(
    ...     Generator(name="m", writer="openai", model="m", base_url="https://api.example.org/v1")
    ... )
    'api.example.org'
    """
    base = row.base_url or ""
    return "local" if is_loopback(base) else urlsplit(base).hostname or ""


def _choice(value: Any) -> dict[str, Any] | None:
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) and isinstance(first.get("message"), dict) else None


def _text(content: Any) -> str:
    """A message's text, which some endpoints give in parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def _line(value: Any) -> str | None:
    """What an endpoint calls something, on one line; None for what is no name."""
    return (one_line(value, 200) or None) if isinstance(value, str) else None
