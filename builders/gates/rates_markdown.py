"""Rates and outlying generators as sections of `reports/gates.md`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from builders.gates.outliers import Outliers
from builders.gates.rates import GateRates, Rates
from builders.gates.rates_words import (
    INTERVALS,
    MEANING,
    NO_VALUE,
    below,
    by_chance,
    rule,
    shown,
    silent_gates,
    telling_gates,
    verdict,
)
from builders.release.markdown import code, percent, table

MOST_FORMS = 30
"""Of the forms of which little is kept, so many are named; all are in the JSON."""


def rate_sections(rates: GateRates, found: Outliers) -> Iterator[str]:
    """The rates and what stands out, a paragraph, heading or table at a time.

    Parameters
    ----------
    rates : GateRates
    found : Outliers
    """
    yield "## Generators that stand out"
    yield MEANING
    yield f"{verdict(found)} {rule(found)}" if found.tests else verdict(found)
    if found.found:
        yield table(
            ["generator", "gate", "documents compared", "refused", "of the others'", "p"],
            [
                [
                    code(own.generator),
                    own.gate,
                    own.documents,
                    percent(own.rate),
                    percent(own.others),
                    f"{own.p:.1g}",
                ]
                for own in found.found
            ],
        )
    if rates.in_all is None:
        return
    yield "## Rates"
    yield (
        f"{INTERVALS} `passed` is what passes every gate; G5 refuses nothing, and counted for it "
        f"are documents that leave a topic out. {silent_gates(rates)}".rstrip()
    )
    yield _table("documents", [rates.in_all], rates, "all")
    for name, own in rates.by.items():
        if name != "form":
            yield f"### By {name}"
            yield _table(name, own, rates)
    yield "### Forms of which little is kept"
    yield from _forms(rates)


def _forms(rates: GateRates) -> Iterator[str]:
    forms, low = rates.by["form"], below(rates, "form")
    count = f"Of {len(forms):,} forms, {len(low):,} have an interval that lies below the share kept"
    shown_alone = f"; the {MOST_FORMS} lowest stand here" if len(low) > MOST_FORMS else ""
    yield (
        f"{count} of all documents{shown_alone}. By chance alone it would be about "
        f"{by_chance(forms, rates.level)}. All forms stand in `gates.json`."
    )
    if low:
        yield _table("form", low[:MOST_FORMS], rates)


def _table(what: str, rows: Sequence[Rates], rates: GateRates, no_value: str = NO_VALUE) -> str:
    gates = telling_gates(rates)
    return table(
        [what, "written", "specifications", "passed", *gates],
        [
            [
                no_value if own.value is None else code(own.value),
                own.documents,
                own.specifications,
                shown(own.passed),
                *(shown(own.refused[gate]) for gate in gates),
            ]
            for own in rows
        ],
    )
