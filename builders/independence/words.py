"""What was measured, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from builders.independence.findings import LEAST_CHANGE, Finding
from builders.independence.measured import Independence
from builders.independence.strength import Strength
from builders.independence.telling_apart import (
    FOLDS,
    MOST_DOCUMENTS,
    MOST_WORDS,
    Score,
    ToldApart,
)
from evaluate_shelf.counts import counted
from evaluate_shelf.printable import one_line
from evaluate_shelf.statistics.intervals import Interval
from evaluate_shelf.text_columns import aligned, wrapped

_NONE = "–"


def independence_text(own: Independence, width: int) -> str:
    """All of it as tables and words.

    Parameters
    ----------
    own : Independence
    width : int
        Columns of the terminal.

    Returns
    -------
    str
        Lines of text, each as wide as the terminal or less, but for longer words.
    """
    paragraphs = [
        list(_title(own)),
        aligned([_HEAD, *map(_row, own.findings)], left={0}),
        list(_reasons(own.findings)),
        [_WHAT_V_IS, _WHAT_COUNTS],
        list(_gates(own)),
        list(_told_apart(own.told_apart)),
    ]
    lines = (line for own_lines in paragraphs if own_lines for line in ("", *own_lines))
    fitted = [part for line in lines for part in wrapped(line, width, _indent(line))]
    return "\n".join(fitted[1:]) + "\n"


def _indent(line: str) -> str:
    return "    " if line.startswith(" ") else ""


def _title(own: Independence) -> Iterator[str]:
    kept = own.kept
    documents = counted(sum(kept.values()), "document")
    specifications = counted(own.specifications, "specification")
    yield (
        f"Release {own.corpus.release_id}, config {own.corpus.config}: {documents} of "
        f"{specifications} by {counted(len(kept), 'generator')}."
    )
    if own.written is not None:
        shares = {name: kept.get(name, 0) / count for name, count in own.written.items()}
        least, most = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
        yield one_line(f"Kept of what was written: {_share(shares, least, most)}.")
    if own.corpus.without_generator:
        yield (
            f"{counted(own.corpus.without_generator, 'document')} without a generator, such as "
            "books, are left out."
        )


def _share(shares: dict[str, float], least: str, most: str) -> str:
    if shares[least] == shares[most]:
        return f"{100 * shares[least]:.1f} % of each generator"
    return f"{100 * shares[least]:.1f} % of {least} to {100 * shares[most]:.1f} % of {most}"


_HEAD = ("LABEL", "VALUES", "WRITTEN", "KEPT", "INTERVAL", "BERGSMA")


def _row(own: Finding) -> tuple[str, ...]:
    values = f"{own.values:,}" if own.values else _NONE
    begin = (own.label.name, values, _value(own.written), _value(own.kept))
    if isinstance(own.kept, str):
        return (*begin, _NONE, _NONE)
    return (*begin, _interval(own.kept.interval), f"{own.kept.bergsma:.3f}")


def _value(own: Strength | str) -> str:
    return _NONE if isinstance(own, str) or own.value is None else f"{own.value:.3f}"


def _interval(own: Interval | None) -> str:
    return _NONE if own is None else f"{own.low:.3f}–{own.high:.3f}"


_WHAT_V_IS = (
    "V is Cramér's V of generator and label, from 0 (a label says nothing of who wrote the "
    "document) to 1 (it says all), less what chance alone would give: WRITTEN before the gates, "
    "KEPT in the config. The documents of a specification count as drawn together. The interval, "
    "of 95 %, holds the true V in about 95 of 100 drawings of a corpus. BERGSMA is the usual "
    "correction, which takes documents as drawn one by one: where every generator writes every "
    "specification it takes off too much, and may lie below the interval."
)
_WHAT_COUNTS = (
    "A document without a label, such as no audience, counts under a value of its own. Of topics "
    "and places every occurrence counts. Topics are drawn from the domains of the class, so "
    "nothing is said of topics against classes."
)


def _reasons(findings: tuple[Finding, ...]) -> Iterator[str]:
    for own in findings:
        name = own.label.name
        if isinstance(own.kept, str):
            yield f"{name}: V is not defined: {own.kept}."
        elif own.kept.value is None:
            yield f"{name}: too few specifications of each value for more than Bergsma's V."
    unknown = {
        own.written: [one.label.name for one in findings if one.written == own.written]
        for own in findings
        if isinstance(own.written, str)
        and not (isinstance(own.kept, str) and own.kept == own.written)
    }
    for reason, names in unknown.items():
        yield f"{', '.join(names)}, before the gates: {reason}."


def _gates(own: Independence) -> Iterator[str]:
    if own.corpus.written is None:
        return
    named = [finding for finding in own.findings if finding.gate is not None]
    if not named:
        yield f"No gate alone moves any V by {LEAST_CHANGE} or more."
        return
    yield "The gate without which V would differ most:"
    yield from aligned(
        [
            (
                f"  {finding.label.name}",
                finding.gate.name,
                f"V {finding.gate.with_it:.3f}, without it {finding.gate.without_it:.3f}",
            )
            for finding in named
            if finding.gate is not None
        ]
    )


def _told_apart(own: ToldApart | str) -> Iterator[str]:
    if isinstance(own, str):
        yield f"How well generators are told apart cannot be measured: {own}."
        return
    yield from aligned(
        [
            ("GENERATORS TOLD APART", "ACCURACY", "INTERVAL", "MACRO-F1"),
            _scores("as they are", own.accuracy, own.macro_f1),
            _scores("dealt out anew (check)", own.shuffled_accuracy, own.shuffled_macro_f1),
            ("always the largest one", f"{own.largest:.3f}", "", ""),
            ("guessing evenly", f"{own.even:.3f}", "", ""),
        ],
        left={0},
    )
    yield ""
    if own.documents < own.in_all:
        yield (
            f"On {own.documents:,} of the {own.in_all:,} documents, whole specifications drawn at "
            f"random up to {MOST_DOCUMENTS:,} documents."
        )
    yield (
        f"TF-IDF of the first {MOST_WORDS} words and a linear model, in {FOLDS} folds; no "
        "specification is learned from and scored on. The interval, of 95 %, is over drawings "
        "of specifications, for the models that were fitted."
    )
    yield (
        "Far above guessing is normal: writers have styles. It means that a model can learn who "
        "wrote a text. That helps it with a label only as far as V of that label is above 0; it "
        "can also group texts by writer where a benchmark asks for subjects, so that scores should "
        "be looked at by generator, and on generators that are not in training."
    )


def _scores(name: str, accuracy: Score, f1: Score) -> tuple[str, ...]:
    return (
        name,
        f"{accuracy.value:.3f}",
        _interval(accuracy.interval),
        f"{f1.value:.3f}",
    )
