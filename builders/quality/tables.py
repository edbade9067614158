"""Quality reports as tables that people read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from builders.quality.label_signal import HEAD_WORDS, Signal
from builders.quality.labels import FacetCounts
from builders.quality.leaks import Relevance
from builders.quality.near_duplicates import NearDuplicates
from builders.quality.parts import PairCounts
from builders.quality.report import GENERATOR, QualityReport
from evaluate_shelf.release.manifest import SPLITS

_MOST_SHOWN = 10


def markdown(reports: Sequence[QualityReport], relevance: Sequence[Relevance] = ()) -> str:
    """Set reports side by side.

    Parameters
    ----------
    reports : sequence of QualityReport
        One a corpus. A natural corpus among them is what the label signal of the others is
        compared with.
    relevance : sequence of Relevance, default=()
        One a config of relevance rows.

    Returns
    -------
    str
        `reports/quality.md`, which names at most 10 examples of each kind.
    """
    sections = (
        _documents(reports),
        _duplicates(reports),
        _leaks(reports),
        _absent_labels(reports),
        _signal(reports),
        _generators(reports),
        _relevance(relevance),
        _named(reports, relevance),
    )
    return "\n\n".join(["# Quality", *(section for section in sections if section)]) + "\n"


def _documents(reports: Sequence[QualityReport]) -> str:
    measures = ("min", "p10", "median", "mean", "p90", "p99", "max")
    table = _table(
        ("corpus", *SPLITS, *(f"words, {measure}" for measure in measures)),
        (
            (
                _code(report.name),
                *report.documents.values(),
                *(
                    f"{getattr(report.lengths, measure):,}" if report.lengths else "–"
                    for measure in measures
                ),
            )
            for report in reports
        ),
    )
    return f"## Documents\n\n{table}"


def _duplicates(reports: Sequence[QualityReport]) -> str:
    table = _table(
        (
            "corpus",
            "same text, in a split",
            "same text, across splits",
            "nearly the same, in a split",
            "nearly the same, across splits",
        ),
        (
            (
                _code(report.name),
                *_in_and_across(report.exact.pairs),
                *_in_and_across(report.near.pairs),
            )
            for report in reports
        ),
    )
    notes = "\n".join(f"- {_code(report.name)}: {_search(report.near)}" for report in reports)
    return (
        "## Duplicates\n\n"
        "Pairs of documents. Texts are compared in lower case with white space folded.\n\n"
        f"{table}\n\nHow nearly equal texts were looked for:\n\n{notes}"
    )


def _search(near: NearDuplicates) -> str:
    chances = ", ".join(
        f"{chance:.1e} at {value}" for value, chance in near.probability_missed.items()
    )
    words = near.shingle_words
    parts = [
        f"pairs with a Jaccard similarity of word {words}-grams of {near.threshold:g} or more",
        f"{near.candidates:,} candidates of MinHash, compared word by word",
        f"a pair is missed with a probability of {chances}",
    ]
    if near.pairs_left_out:
        parts.append(
            f"there are many more alike: {near.pairs_left_out:,} pairs were left out (a pair "
            f"counts once in each band), in {near.large_buckets:,} large buckets of equal bands"
        )
    if near.not_verified:
        parts.append(f"{near.not_verified:,} candidates were not compared for want of room")
    if near.too_long:
        parts.append(f"{near.too_long:,} documents were too long to be compared")
    return "; ".join(parts) + "."


def _leaks(reports: Sequence[QualityReport]) -> str:
    table = _table(
        ("corpus", "ids that stand twice", "group", "groups", "groups across splits", "ungrouped"),
        (
            (
                _code(report.name),
                report.ids.ids,
                *(
                    (
                        _code(report.groups.column),
                        report.groups.groups,
                        report.groups.across_splits,
                        report.groups.without,
                    )
                    if report.groups
                    else ("none", "–", "–", "–")
                ),
            )
            for report in reports
        ),
    )
    return f"## Ids and groups\n\n{table}"


def _absent_labels(reports: Sequence[QualityReport]) -> str:
    rows = [
        (
            _code(report.name),
            facet,
            report.labels[facet].labels,
            *(splits[split].labels if split in splits else "–" for split in SPLITS),
        )
        for report in reports
        for facet, splits in report.absent.items()
    ]
    if not rows:
        return ""
    table = _table(("corpus", "facet", "labels", *(f"not in {split}" for split in SPLITS)), rows)
    return f"## Labels that a split lacks\n\n{table}"


def _signal(reports: Sequence[QualityReport]) -> str:
    facets = list(dict.fromkeys(facet for report in reports for facet in report.signals))
    if not facets:
        return ""
    table = _table(
        (
            "facet",
            *(
                f"{_code(report.name)}, {part}"
                for report in reports
                for part in ("full text", f"first {HEAD_WORDS} words")
            ),
        ),
        (
            (facet, *(cell for report in reports for cell in _shares(report.signals.get(facet))))
            for facet in facets
        ),
    )
    return (
        "## Label signal\n\n"
        "Share of the labelled documents that contain the name of their own label, between word "
        f"boundaries, in any case.\n\n{table}"
    )


def _generators(reports: Sequence[QualityReport]) -> str:
    rows = [
        (_code(report.name), *row)
        for report in reports
        if GENERATOR in report.labels
        for row in _generator_shares(report.labels[GENERATOR])
    ]
    if not rows:
        return ""
    return f"## Generators\n\n{_table(('corpus', 'model', 'documents', 'share'), rows)}"


def _generator_shares(counts: FacetCounts) -> Iterator[tuple[str, int, str]]:
    numbers = [(_code(entry.label), sum(entry.documents.values())) for entry in counts.named]
    numbers.append(("others", sum(counts.others.values())))
    numbers.append(("none named", sum(counts.without.values())))
    documents = sum(number for _, number in numbers)
    return ((name, number, f"{number / documents:.1%}") for name, number in numbers if number)


def _relevance(relevance: Sequence[Relevance]) -> str:
    if not relevance:
        return ""
    table = _table(
        ("config", "relevance rows", "unknown query", "unknown document"),
        (
            (_code(entry.name), entry.rows, entry.unknown_queries, entry.unknown_documents)
            for entry in relevance
        ),
    )
    return f"## Relevance\n\n{table}"


def _named(reports: Sequence[QualityReport], relevance: Sequence[Relevance]) -> str:
    lines = [line for report in reports for line in _examples(report)]
    lines.extend(
        f"- {_code(entry.name)}, relevance: {_code(query)} to {_code(document)}"
        for entry in relevance
        for query, document in entry.named[:_MOST_SHOWN]
    )
    if not lines:
        return ""
    return "\n".join(
        [f"## Examples\n\nAt most {_MOST_SHOWN} of a kind; `quality.json` has more.\n", *lines]
    )


def _examples(report: QualityReport) -> Iterator[str]:
    name = _code(report.name)
    for text in report.exact.named[:_MOST_SHOWN]:
        yield f"- {name}, same text ({_counts(text.documents)}): {_codes(text.ids)}"
    for pair in report.near.named[:_MOST_SHOWN]:
        yield (
            f"- {name}, similarity {pair.jaccard}: {_code(pair.first)} ({pair.first_split}), "
            f"{_code(pair.second)} ({pair.second_split})"
        )
    for repeated in report.ids.named[:_MOST_SHOWN]:
        yield f"- {name}, id in {repeated.rows} rows: {_code(repeated.id)}"
    for group in report.groups.named[:_MOST_SHOWN] if report.groups else ():
        yield f"- {name}, group across splits ({_counts(group.documents)}): {_code(group.group)}"
    for facet, splits in report.absent.items():
        for split, absent in splits.items():
            if absent.labels:
                yield f"- {name}, {facet} not in {split}: {_codes(absent.named[:_MOST_SHOWN])}"


def _in_and_across(pairs: PairCounts) -> tuple[str, str]:
    return _counts(pairs.within), _counts(pairs.across)


def _counts(counts: dict[str, int]) -> str:
    """The counts that are not zero, each under its name."""
    return ", ".join(f"{name} {count:,}" for name, count in counts.items() if count) or "0"


def _shares(signal: Signal | None) -> tuple[str, str]:
    if signal is None:
        return "–", "–"
    return f"{signal.share_in_text:.1%}", f"{signal.share_in_head:.1%}"


def _codes(names: Iterable[str]) -> str:
    return ", ".join(_code(name) for name in names)


def _code(name: str) -> str:
    """A name from a corpus, so marked that nothing in it is taken for markup."""
    return "`" + name.replace("`", "'").replace("|", "\\|") + "`"


def _table(head: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    lines = [head, ["---", *(["--:"] * (len(head) - 1))]]
    lines.extend([f"{cell:,}" if isinstance(cell, int) else cell for cell in row] for row in rows)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
