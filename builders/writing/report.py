"""`reports/writing.*` of a release: who wrote it, when, and what it cost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from builders.budget.account import GeneratorAccount, accounts_of
from builders.budget.money import usd
from builders.release.markdown import code, plain, table

JSON, MARKDOWN = "reports/writing.json", "reports/writing.md"
_NONE = "–"
_INTRODUCTION = (
    "Everything that was asked and paid for, also what the gates refused afterwards. Tokens are "
    "those that the endpoints report. A lost call is one whose answer never arrived: it may have "
    "been paid for, and is counted at its worst case."
)


def writing_reports(corpus: Path) -> dict[str, bytes]:
    """The files of a release that say how its corpus was written.

    Parameters
    ----------
    corpus : pathlib.Path
        That `shelf write` has written.

    Returns
    -------
    dict of str to bytes
        By path: JSON, and the same for people.

    Raises
    ------
    ShelfError
        If the corpus is damaged.
    """
    accounts = accounts_of(corpus)
    value = [own.model_dump(mode="json") for own in accounts]
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, indent=2, allow_nan=False)
    return {JSON: f"{text}\n".encode(), MARKDOWN: markdown(accounts).encode()}


def markdown(accounts: Sequence[GeneratorAccount]) -> str:
    """The accounts for people."""
    return "\n\n".join(
        [
            "# Writing",
            _INTRODUCTION,
            "## Whom",
            table(
                ["generator", "model asked for", "at", "model that answered", "provider", "days"],
                [_whom(own) for own in accounts],
            ),
            "## What it cost",
            table(
                [
                    "generator", "ordered", "written", "input tokens", "output tokens",
                    "of them reasoning", "USD", "USD a document", "lost calls", "USD of these",
                ],
                [_cost(own) for own in accounts],
            ),
            "## Prices",
            table(
                ["generator", "USD a million input tokens", "output tokens", "on", "source"],
                [_price(own) for own in accounts],
            ),
        ]
    ) + "\n"  # fmt: skip


def _whom(own: GeneratorAccount) -> tuple[str, ...]:
    days = [day for day in (own.first_answer, own.last_answer) if day]
    return (
        code(own.name),
        plain(own.model or _NONE),
        plain(own.base_url or _NONE),
        plain(", ".join(own.served) or _NONE),
        plain(", ".join(own.providers) or _NONE),
        " to ".join(dict.fromkeys(days)) or _NONE,
    )


def _cost(own: GeneratorAccount) -> tuple[object, ...]:
    each = usd(-(-own.nano_usd // own.answers)) if own.answers and own.nano_usd else _NONE
    return (
        code(own.name),
        own.orders,
        own.answers,
        own.input_tokens,
        own.output_tokens,
        own.reasoning_tokens,
        usd(own.nano_usd),
        each,
        own.lost_calls,
        usd(own.nano_usd_lost),
    )


def _price(own: GeneratorAccount) -> tuple[object, ...]:
    if own.price is None:
        return (code(own.name), "free", "free", _NONE, _NONE)
    output = own.price.usd_per_million_output_tokens
    return (
        code(own.name),
        f"{own.price.usd_per_million_input_tokens:g}",
        _NONE if output is None else f"{output:g}",
        own.price.date.isoformat(),
        plain(own.price.source),
    )
