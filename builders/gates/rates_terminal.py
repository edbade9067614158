"""Rates and outlying generators for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from builders.gates.outliers import Outliers
from builders.gates.rates import GateRates, Rates
from builders.gates.rates_words import (
    INTERVALS,
    MEANING,
    NO_VALUE,
    rule,
    short,
    shown,
    silent_gates,
    telling_gates,
    verdict,
)
from builders.gates.refused import GATES
from evaluate_shelf.counts import counted
from evaluate_shelf.printable import one_line, shortened
from evaluate_shelf.text_columns import aligned

_LONGEST = 40


def rates_text(
    name: str, rates: GateRates, found: Outliers | None, dimensions: Sequence[str], width: int
) -> str:
    """The rates of a release by some dimensions.

    Parameters
    ----------
    name : str
        Of the release.
    rates : GateRates
    found : Outliers or None
        What stands out among the generators; None where that is not asked for.
    dimensions : sequence of str
        Of `builders.gates.rates.DIMENSIONS`.
    width : int
        Columns that sentences may take; a table takes what it needs.

    Returns
    -------
    str
        Lines of text.
    """
    paragraphs = [
        _head(name, rates),
        [*_gates(rates), silent_gates(rates)],
        *(_table(own, rates.by[own], rates) for own in dimensions if rates.by[own]),
        *(_outliers(found) if found else ()),
        [INTERVALS] if rates.in_all else [],
    ]
    kept = [[line for line in lines if line] for lines in paragraphs]
    return "\n\n".join("\n".join(_fitted(lines, width)) for lines in kept if lines) + "\n"


def _fitted(lines: Sequence[str], width: int) -> Iterator[str]:
    for line in lines:
        # The cells of a table stand two blanks apart, the words of a sentence one.
        is_row = "  " in line
        yield from [line] if is_row else textwrap.wrap(line, width, break_on_hyphens=False)


def _head(name: str, rates: GateRates) -> list[str]:
    own = rates.in_all
    if own is None:
        return [f"{one_line(name)}: nothing was written."]
    written = counted(own.documents, "written document")
    asked = counted(own.specifications, "specification")
    kept = f"{own.passed.count:,} of {written} to {asked} pass every gate."
    return [f"{one_line(name)}: {kept}"]


def _table(what: str, rows: Sequence[Rates], rates: GateRates) -> list[str]:
    gates = telling_gates(rates)
    head = (what.upper(), "WRITTEN", "PASSED", *(gate.upper() for gate in gates))
    every = [*rows, *([rates.in_all] if rates.in_all and len(rows) > 1 else [])]
    cells = [
        (
            "all" if own is rates.in_all else _value(own.value),
            f"{own.documents:,}",
            shown(own.passed),
            *(short(own.refused[gate]) for gate in gates),
        )
        for own in every
    ]
    return aligned([head, *cells], left={0})


def _value(value: str | None) -> str:
    return NO_VALUE if value is None else shortened(one_line(value), _LONGEST)


def _outliers(found: Outliers) -> Iterator[list[str]]:
    yield [verdict(found)]
    if found.found:
        head = ("STANDS OUT", "GATE", "COMPARED", "REFUSED", "OTHERS", "P")
        cells = [
            (
                _value(own.generator),
                own.gate,
                f"{own.documents:,}",
                f"{100 * own.rate:.1f} %",
                f"{100 * own.others:.1f} %",
                f"{own.p:.1g}",
            )
            for own in found.found
        ]
        yield aligned([head, *cells], left={0, 1})
        yield [MEANING]
    if found.tests:
        yield [rule(found)]


def _gates(rates: GateRates) -> list[str]:
    told = telling_gates(rates)
    if rates.in_all is None or not told:
        return []
    cells = [
        (gate, GATES[gate], f"{own.count:,}", shown(own))
        for gate in told
        for own in (rates.in_all.refused[gate],)
    ]
    return aligned([("GATE", "", "REFUSED", "SHARE"), *cells], left={0, 1})
