"""How often documents contain the names of their own labels, and what masking removes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluate_shelf.diagnostics.masking.counts import (
    FEWEST_DOCUMENTS,
    label_term_values,
    label_terms,
)
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.report.document import Block, Paragraph, Section, Table
from evaluate_shelf.report.evidence import DocumentConfig, Evidence, command_line
from evaluate_shelf.report.sections.corpora import of_each_corpus
from evaluate_shelf.report.sections.numbers import number, percent
from evaluate_shelf.report.source import Source, csv_data

_HEAD = "share_in_first_200_words"


def label_term_counts(evidence: Evidence) -> Section:
    """Counts by facet and generation, for the documents of each release that was given.

    Parameters
    ----------
    evidence : Evidence
        What there is.

    Returns
    -------
    Section
        A sentence where no release was given.
    """
    return of_each_corpus(
        evidence,
        "label-terms",
        "Label terms in documents",
        "Documents that contain the name of their own label: words from which a model could read "
        "the answer off. Every document is counted, and none is sampled.",
        _config,
    )


def _config(config: DocumentConfig, name: str) -> Iterator[Block]:
    try:
        found = label_term_values(label_terms(config.release, config.name))
    except ShelfError as error:
        yield Paragraph(f"Not counted: {error}.", "unusable")
        return
    command = command_line("label-terms", config.data, "--config", config.name, "--json")
    names, removed = (
        Source(f"{name}-{part}", _data(found[part]), command) for part in ("names", "removed")
    )
    yield _by_facet([row for row in found["names"] if row["by"] == "all"], names)
    generations = [row["value"] for row in found["removed"] if row["by"] == "generation"]
    if len(generations) > 1:
        yield _by_generation(found["names"], generations, names)
    else:
        yield Paragraph(_without_generations(generations), "note")
    shown = ("all", "generation") if len(generations) > 1 else ("all",)
    yield _removed([row for row in found["removed"] if row["by"] in shown], removed)


def _data(rows: Sequence[Mapping[str, Any]]) -> bytes:
    header = list(rows[0]) if rows else []
    return csv_data(header, (list(row.values()) for row in rows))


def _by_facet(rows: Sequence[Mapping[str, Any]], source: Source) -> Table:
    return Table(
        caption=(
            "Documents with the name of their own label, of those that have one; of several labels "
            f"any one counts. Of fewer than {FEWEST_DOCUMENTS} documents no share is given."
        ),
        header=("facet", "labelled", "in the whole text", "in the first 200 words"),
        rows=tuple(
            (
                row["facet"],
                f"{row['labelled']:,}",
                percent(row["share_in_text"]),
                percent(row[_HEAD]),
            )
            for row in rows
        ),
        source=source,
    )


def _by_generation(
    rows: Sequence[Mapping[str, Any]], generations: Sequence[str], source: Source
) -> Table:
    shares = {
        (row["facet"], row["value"]): percent(row[_HEAD])
        for row in rows
        if row["by"] == "generation"
    }
    facets = dict.fromkeys(facet for facet, _ in shares)
    return Table(
        caption=(
            "The same by generation, every document cut to its first 200 words, since generations "
            "differ in length"
        ),
        header=("facet", *(f"generation {own}" for own in generations)),
        rows=tuple(
            (facet, *(shares.get((facet, own), percent(None)) for own in generations))
            for facet in facets
        ),
        source=source,
    )


def _without_generations(generations: Sequence[str]) -> str:
    if not generations:
        return "The documents name no generation, so there is nothing to compare."
    return f"All documents are of one generation, {generations[0]}: nothing to compare."


def _removed(rows: Sequence[Mapping[str, Any]], source: Source) -> Table:
    return Table(
        caption=(
            "What masking removes; the sham removes as many tokens of each document, which was "
            "checked for each"
        ),
        header=("documents", "in all", "that lose a token", "tokens lost, mean"),
        rows=tuple(
            (
                "all" if row["by"] == "all" else f"generation {row['value']}",
                f"{row['documents']:,}",
                percent(row["share_changed"]),
                number(row["mean_tokens"], 2),
            )
            for row in rows
        ),
        source=source,
    )
