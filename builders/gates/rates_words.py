"""What every form of the report says of rates: cells, gates and forms to show, rules."""

from __future__ import annotations

from collections.abc import Sequence

from builders.gates.outliers import ALPHA, FAR, LEAST_FAR, Outliers
from builders.gates.rates import GateRates, Rate, Rates
from builders.gates.refused import GATES
from evaluate_shelf.counts import counted

NO_VALUE = "none"

MEANING = (
    "A generator whose rate is far from the others' is evidence about the gate first, and about "
    "the generator second: a gate that misreads the habits of one writer looks the same from here "
    "as a writer who fails. Read what the gate refused before the generator is blamed."
)

INTERVALS = (
    "Shares have 95 % intervals by Wilson. Documents of one specification tend to fail together, "
    "so those that several generators wrote to it count for as many as they are worth by their "
    "intraclass correlation (Kish's design effect)."
)


def shown(rate: Rate) -> str:
    """A rate in per cent with its interval.

    Examples
    --------
    >>> shown(Rate(count=3, share=0.3, low=0.10779, high=0.60323))
    '30.0 % [10.8, 60.3]'
    >>> shown(Rate(count=3, share=0.003, low=0.00102, high=0.0088))
    '0.30 % [0.10, 0.88]'
    """
    places = 2 if rate.count and rate.share < 0.01 else 1
    low, share, high = (f"{100 * own:.{places}f}" for own in (rate.low, rate.share, rate.high))
    return f"{share} % [{low}, {high}]"


def short(rate: Rate) -> str:
    """A rate in per cent.

    Examples
    --------
    >>> short(Rate(count=3, share=0.3, low=0.10779, high=0.60323))
    '30.0 %'
    """
    return f"{shown(rate).partition(' %')[0]} %"


def telling_gates(rates: GateRates) -> list[str]:
    """The gates that refuse a document at least."""
    own = rates.in_all
    return [gate for gate in GATES if own is not None and own.refused[gate].count]


def silent_gates(rates: GateRates) -> str:
    """A sentence on the gates that refuse none; empty without such a gate or any document."""
    own = rates.in_all
    silent = [gate for gate in GATES if gate not in telling_gates(rates)]
    if own is None or not silent:
        return ""
    most = max(own.refused[gate].high for gate in silent)
    return (
        f"Nothing is refused by {', '.join(silent)}; of {counted(own.documents, 'document')} that "
        f"leaves room for a rate of {100 * most:.2f} % at most."
    )


def below(rates: GateRates, dimension: str) -> list[Rates]:
    """The values of which fewer documents pass than of all, by their intervals; the least first."""
    if rates.in_all is None:
        return []
    whole = rates.in_all.passed.share
    found = [own for own in rates.by[dimension] if own.passed.high < whole]
    return sorted(found, key=lambda own: (own.passed.share, own.value or ""))


def by_chance(values: Sequence[object], level: float) -> str:
    """How many of so many intervals lie below by chance alone.

    Examples
    --------
    >>> by_chance(range(133), 0.95)
    '3.3'
    """
    return f"{len(values) * (1 - level) / 2:.1f}"


def rule(found: Outliers) -> str:
    """How generators are compared."""
    return (
        "At every gate each generator is compared with all others on the specifications that they "
        "share (on those of its slice where no other wrote its own), by an exact test within "
        f"specifications. Named is what has p <= {ALPHA:g} by Holm over {found.tests:,} tests and "
        f"is {100 * FAR:g} percentage points away or more, or {100 * LEAST_FAR:g} and at least "
        "twice the others' rate or at most half of it; it is set aside, and the rest are compared "
        "again."
    )


def verdict(found: Outliers) -> str:
    """How many generators stand out, or why none can."""
    if found.generators == 0:
        return "Nothing was written, so there is nothing to compare."
    if found.generators == 1:
        return "There is one generator, so there is nothing to compare it with."
    if not found.tests:
        return "No two generators wrote for one slice, so there is nothing to compare."
    names = {own.generator for own in found.found}
    if found.generators == 2:
        if not names:
            return "The two generators are far apart at no gate."
        return "The two generators are far apart at a gate; which one is unusual can't be known."
    if not names:
        return f"None of {found.generators:,} generators stands out at any gate."
    return f"{len(names):,} of {found.generators:,} generators stand out at a gate."
