"""What became of a library's records, as JSON, as a table and in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from builders.corpora.catalogue.classes import ClassSize
from builders.corpora.catalogue.tally import Tally
from evaluate_shelf.records.report import RecordReport
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.release.manifest import SPLITS, Split
from evaluate_shelf.spreadsheets import guarded

Json = dict[str, Any]

_MOST_LANGUAGES_IN_WORDS = 12
_EXAMPLES_IN_TABLE = 5


def json_report(
    files: Sequence[str],
    records: RecordReport,
    tally: Tally,
    sizes: Sequence[ClassSize],
    rows: Mapping[str, Counter[Split]],
) -> Json:
    """Gather all counts.

    Parameters
    ----------
    files : sequence of str
        Names of the files.
    records : RecordReport
        What was read, unread, left out and kept.
    tally : Tally
        Languages and classes before anything was left out.
    sizes : sequence of ClassSize
        Every class of the records that were kept.
    rows : mapping of str to Counter
        Rows of each class that is used, by split.

    Returns
    -------
    dict
        Values of JSON. `read` is the sum of `left_out` and `kept`; `kept` the sum of `in_corpus`
        and the records of the classes in `too_thin`. Of a class, `read` are the records in the
        wanted language, `kept` those of them that say something that no other one says.
    """
    names = {subject.code: subject.name for subject in load_taxonomy().classes}
    own = records.to_dict()
    del own["kept_by_class"]
    used = [
        {
            "code": size.code,
            "name": names[size.code],
            "read": tally.classes[size.code],
            "kept": size.records,
            "works": size.works,
            **{split: rows[size.code][split] for split in SPLITS},
        }
        for size in sizes
        if not size.thin
    ]
    thin = [
        {
            "code": size.code,
            "name": names[size.code],
            "read": tally.classes[size.code],
            "kept": size.records,
            "works": size.works,
            "reason": size.thin,
        }
        for size in sizes
        if size.thin
    ]
    return {
        "files": list(files),
        **own,
        "in_corpus": sum(size.records for size in sizes if not size.thin),
        "languages": dict(sorted(tally.languages.items(), key=lambda own: (-own[1], own[0]))),
        "classes": used,
        "too_thin": thin,
    }


def summary(report: Json) -> str:
    """Read, kept, left out and unread on one line.

    Examples
    --------
    >>> summary({"read": 9, "kept": 7, "unread": {}, "left_out": {"no text": {"count": 2}}})
    '9 records read, 7 kept (left out: no text 2)'
    """
    parts = [
        f"{title}: {_counts(report[part])}"
        for part, title in (("left_out", "left out"), ("unread", "could not be read"))
        if report[part]
    ]
    more = f" ({'; '.join(parts)})" if parts else ""
    return f"{report['read']} records read, {report['kept']} kept{more}"


def thin_in_words(report: Json) -> list[str]:
    """Each class that is too thin to use, with its size and the reason."""
    return [f"class {own['code']}: {own['reason']} ({_size(own)})" for own in report["too_thin"]]


def in_words(report: Json, records: RecordReport) -> list[str]:
    """What the user should be told, line by line."""
    return [
        *records.to_text().split("\n"),
        _languages(report["languages"]),
        *(
            f"class {own['code']}: {_size(own)}: "
            f"{', '.join(f'{own[split]} {split}' for split in SPLITS)}"
            for own in report["classes"]
        ),
        *(f"too thin to use, {own}" for own in thin_in_words(report)),
        f"in the corpus: {report['in_corpus']} records in {len(report['classes'])} classes",
    ]


def table(report: Json) -> str:
    """The counts as tab-separated values: part, name, count, remark.

    The remark has the first examples of a reason, or what is to be known of a class. A cell that
    a spreadsheet would take for a formula begins with an apostrophe.
    """
    rows = ("\t".join(map(guarded, row)) for row in _rows(report))
    lines = ["part\tname\tcount\tremark", *rows]
    return "\n".join(lines) + "\n"


def _rows(report: Json) -> Iterator[tuple[str, str, str, str]]:
    yield "records", "read", str(report["read"]), ", ".join(report["files"])
    for part in ("unread", "left_out"):
        for name, own in report[part].items():
            examples = " | ".join(map(_example, own["examples"][:_EXAMPLES_IN_TABLE]))
            yield part, name, str(own["count"]), examples
    yield "records", "kept", str(report["kept"]), ""
    yield "records", "in the corpus", str(report["in_corpus"]), ""
    for name, count in report["languages"].items():
        yield "language", name or "unknown", str(count), ""
    for own in report["classes"]:
        parts = ", ".join(f"{own[split]} {split}" for split in SPLITS)
        yield "class", own["code"], str(own["kept"]), f"{_counted(own['works'], 'work')}: {parts}"
    for own in report["too_thin"]:
        remark = f"{_counted(own['works'], 'work')}: {own['reason']}"
        yield "too_thin", own["code"], str(own["kept"]), remark


def _size(own: Json) -> str:
    return f"{_counted(own['kept'], 'record')} of {_counted(own['works'], 'work')}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _counts(reasons: Json) -> str:
    return ", ".join(f"{reason} {own['count']}" for reason, own in reasons.items())


def _example(example: Json) -> str:
    known = f" ({example['id']})" if example["id"] else ""
    detail = f": {example['detail']}" if example["detail"] else ""
    return f"{example['file']}, record {example['position']}{known}{detail}"


def _languages(counts: Mapping[str, int]) -> str:
    shown = list(counts.items())[:_MOST_LANGUAGES_IN_WORDS]
    left = list(counts.items())[_MOST_LANGUAGES_IN_WORDS:]
    named = [f"{name or 'unknown'} {count}" for name, count in shown]
    more = [f"{len(left)} more {sum(count for _, count in left)}"] if left else []
    return f"languages: {', '.join([*named, *more])}"
