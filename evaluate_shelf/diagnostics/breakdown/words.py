"""Breakdowns and attributions for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from evaluate_shelf.counts import counted
from evaluate_shelf.diagnostics.breakdown.attribution import Attribution
from evaluate_shelf.diagnostics.breakdown.results import TOO_FEW, Breakdown, Stratum, Value
from evaluate_shelf.printable import one_line, shortened
from evaluate_shelf.text_columns import aligned, terminal_width

_LONGEST_NAME = 40
_MOST_SMALL = 7


def breakdown_text(found: Breakdown) -> str:
    """A breakdown as text: the whole, a table of the parts, and what they are.

    Many parts of too few items are named in a sentence; a few stand in the table.
    """
    whole = found.whole
    lines = [
        f"{found.model} on {found.config}, {found.task} by {found.by}",
        f"all: {counted(whole.n, 'item')}, {_values(whole) or TOO_FEW}",
    ]
    small = [stratum for stratum in found.strata if stratum.reason == TOO_FEW]
    shown = [
        stratum
        for stratum in found.strata
        if stratum.reason != TOO_FEW or len(small) <= _MOST_SMALL
    ]
    lines.extend(_table(shown))
    if len(small) > _MOST_SMALL:
        named = ", ".join(f"{_short(stratum.name)} {stratum.n:,}" for stratum in small)
        lines.append(f"{TOO_FEW}, so that no value is shown: {named}")
    if found.in_none:
        are = "is" if found.in_none == 1 else "are"
        lines.append(f"{counted(found.in_none, 'item')} {are} in none of them")
    lines.append(f"by {found.by}: {found.definition}; {100 * found.level:g} % intervals")
    lines.extend(found.notes)
    return _wrapped(lines)


def attribution_text(found: Attribution) -> str:
    """An attribution as text: accuracy against chance, and the confusion."""
    one, many = ("generator", "generators") if found.of == "generators" else ("family", "families")
    place = f"{found.config}, release {found.release_id}"
    sizes = f"{counted(found.n_train, 'document')} learned from, {found.n_test:,} told"
    lines = [f"{counted(len(found.writers), one, many)} of {place}: {sizes}"]
    if found.unnamed:
        lines.append(f"left out: {counted(found.unnamed, 'document')} without a named generator")
    if found.straddling:
        lines.append(
            f"left out: {counted(found.straddling, 'training document')} whose {found.unit} is in "
            "the test split as well"
        )
    if found.reason is not None:
        names = ", ".join(f"{_short(one.name)} ({one.n_test:,} told)" for one in found.writers)
        return _wrapped([*lines, found.reason, names])
    assert found.accuracy is not None
    assert found.macro_f1 is not None
    always = f"always {_short(found.most_frequent or '')} {found.accuracy_of_most_frequent:.3f}"
    shuffled = f"learned from shuffled {found.of}"
    lines += [
        f"accuracy {_value(found.accuracy)}; {always}; {shuffled} {found.accuracy_of_shuffled:.3f}",
        f"macro-F1 {_value(found.macro_f1)}; {shuffled} {found.macro_f1_of_shuffled:.3f}",
        f"{100 * found.level:g} % intervals from {counted(found.n_units, 'unit')} ({found.unit})",
    ]
    if not found.converged:
        lines.append("the probe did not converge")
    lines.extend(_confusion(found))
    return _wrapped(lines)


def _confusion(found: Attribution) -> Iterator[str]:
    header = ("", "TRUE", *(f"[{number}]" for number in range(1, len(found.writers) + 1)))
    rows = [header]
    for number, (writer, counts) in enumerate(
        zip(found.writers, found.confusion, strict=True), start=1
    ):
        rows.append((f"[{number}]", _short(writer.name), *(f"{count:,}" for count in counts)))
    yield "rows are the true ones, columns what was told:"
    yield from (f"  {line}" for line in aligned(rows, left=(0, 1)))


def _table(strata: Sequence[Stratum]) -> Iterator[str]:
    if not strata:
        return
    # Without any value a column is left for the reasons.
    metrics = list(dict.fromkeys(v.metric for stratum in strata for v in stratum.values)) or [""]
    with_classes = any(stratum.n_classes is not None for stratum in strata)
    rows = [("STRATUM", "N", *(["CLASSES"] if with_classes else []), *map(str.upper, metrics))]
    notes: dict[str, list[str]] = {}
    for stratum in strata:
        of_metric = {value.metric: value for value in stratum.values}
        cells = [_value(of_metric[m]) if m in of_metric else "" for m in metrics]
        if not stratum.values:
            cells[0] = one_line(stratum.reason or "")
        elif stratum.reason:
            notes.setdefault(stratum.reason, []).append(_short(stratum.name))
        classes = "" if stratum.n_classes is None else f"{stratum.n_classes:,}"
        number = [f"{stratum.n:,}", *([classes] if with_classes else [])]
        rows.append((_short(stratum.name), *number, *cells))
    yield from (f"  {line}" for line in aligned(rows, left=(0,)))
    yield from (f"{', '.join(names)}: {reason}" for reason, names in notes.items())


def _values(stratum: Stratum) -> str:
    return ", ".join(f"{value.metric} {_value(value)}" for value in stratum.values)


def _value(value: Value) -> str:
    if value.value is None:
        return "–"
    if value.low is None or value.high is None:
        return f"{value.value:.3f}"
    return f"{value.value:.3f} ({value.low:.3f} to {value.high:.3f})"


def _wrapped(lines: Sequence[str]) -> str:
    # Rows of a table begin with two spaces and hold runs of them, which wrapping would fold.
    width = terminal_width(100)
    parts: list[str] = []
    for line in lines:
        broken = [line] if line.startswith("  ") else textwrap.wrap(one_line(line), width)
        parts.extend(f"{part}\n" for part in broken)
    return "".join(parts)


def _short(name: str) -> str:
    return shortened(name, _LONGEST_NAME)
