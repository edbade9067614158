"""Generator attribution: whether words alone tell who wrote a document."""

from __future__ import annotations

from collections.abc import Iterator

from evaluate_shelf.diagnostics.breakdown.attribution import Attribution, attribution
from evaluate_shelf.diagnostics.breakdown.results import Value
from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.report.document import Block, Paragraph, Section, Table
from evaluate_shelf.report.evidence import DocumentConfig, Evidence, command_line, listed
from evaluate_shelf.report.sections.corpora import of_each_corpus
from evaluate_shelf.report.sections.numbers import estimate, number
from evaluate_shelf.report.source import Source, csv_data

_FACTS = ("quantity", "value", "low", "high")


def attributions(evidence: Evidence) -> Section:
    """Attribution for the documents of each release that was given.

    Parameters
    ----------
    evidence : Evidence
        What there is.

    Returns
    -------
    Section
        A sentence where no release was given, or there is nothing to tell apart.
    """
    return of_each_corpus(
        evidence,
        "attribution",
        "Generator attribution",
        "A probe on TF-IDF learns from the training split which generator wrote a document and is "
        "asked of the test split. High accuracy says that a model could learn who wrote a text "
        "instead of what it is about.",
        _config,
    )


def _config(config: DocumentConfig, name: str) -> Iterator[Block]:
    try:
        found = attribution(config.release, config.name)
    except UnsupportedError as error:
        yield Paragraph(f"Nothing to tell apart: {error}.", "absent")
        return
    except ShelfError as error:
        yield Paragraph(f"Not told: {error}.", "unusable")
        return
    if found.reason is not None:
        names = listed([f"{one.name} ({one.n_test:,} test documents)" for one in found.writers])
        yield Paragraph(f"Not told apart: {found.reason}. Of {names}.", "absent")
        return
    command = command_line("attribution", config.data, "--config", config.name, "--json")
    yield _values(found, Source(name, _facts(found), command))
    yield _confusion(found, Source(f"{name}-confusion", _counts(found), command))
    if not found.converged:
        yield Paragraph("The probe did not converge.", "note")
    left_out = list(_left_out(found))
    if left_out:
        yield Paragraph(f"Left out: {'; '.join(left_out)}.", "note")


def _left_out(found: Attribution) -> Iterator[str]:
    if found.unnamed:
        yield f"{found.unnamed:,} documents that name no generator"
    if found.straddling:
        yield (
            f"{found.straddling:,} training documents whose {found.unit} is in the test split too"
        )


def _facts(found: Attribution) -> bytes:
    rows: list[tuple[object, ...]] = [
        *((value.metric, value.value, value.low, value.high) for value in _known(found)),
        ("accuracy_of_most_frequent", found.accuracy_of_most_frequent, None, None),
        ("accuracy_of_shuffled", found.accuracy_of_shuffled, None, None),
        ("macro_f1_of_shuffled", found.macro_f1_of_shuffled, None, None),
        ("n_train", found.n_train, None, None),
        ("n_test", found.n_test, None, None),
        ("n_units", found.n_units, None, None),
    ]
    return csv_data(_FACTS, rows)


def _known(found: Attribution) -> list[Value]:
    return [value for value in (found.accuracy, found.macro_f1) if value is not None]


def _values(found: Attribution, source: Source) -> Table:
    shuffled = (found.accuracy_of_shuffled, found.macro_f1_of_shuffled)
    frequent = (found.accuracy_of_most_frequent, None)
    return Table(
        caption=(
            f"{len(found.writers)} generators, {found.n_train:,} documents learned from, "
            f"{found.n_test:,} told; {100 * found.level:g} % intervals from {found.n_units:,} "
            f"units ({found.unit})"
        ),
        header=("metric", "told by words", "always the most frequent", "shuffled generators"),
        rows=tuple(
            (
                name,
                estimate(value.value, value.low, value.high),
                number(always),
                number(by_chance),
            )
            for name, value, always, by_chance in zip(
                ("accuracy", "macro-F1"), _known(found), frequent, shuffled, strict=True
            )
        ),
        source=source,
    )


def _counts(found: Attribution) -> bytes:
    names = [one.name for one in found.writers]
    rows = (
        (true, told, count)
        for true, counts in zip(names, found.confusion, strict=True)
        for told, count in zip(names, counts, strict=True)
    )
    return csv_data(("written_by", "told", "documents"), rows)


def _confusion(found: Attribution, source: Source) -> Table:
    names = [one.name for one in found.writers]
    return Table(
        caption="Test documents by who wrote them (rows) and who was told (columns)",
        header=("written by", *names),
        rows=tuple(
            (name, *(f"{count:,}" for count in counts))
            for name, counts in zip(names, found.confusion, strict=True)
        ),
        source=source,
    )
