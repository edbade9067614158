"""What became of the records that a reader gave: read, unread, left out, kept."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evaluate_shelf.bounded import one_line
from evaluate_shelf.records.class_numbers import why_unclassed
from evaluate_shelf.records.record import CatalogueRecord, Unread

EXAMPLES = 20
"""How many records are named for each reason."""

_LONGEST_DETAIL = 300


class Example(NamedTuple):
    """A record that is named for a reason.

    Attributes
    ----------
    file : str
    position : int
    id : str or None
        Its control number, if it is known.
    detail : str
        What was found, on one line.
    """

    file: str
    position: int
    id: str | None
    detail: str


@dataclass
class _Reason:
    count: int = 0
    examples: list[Example] = field(default_factory=list)

    def add(self, example: Example) -> None:
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append(example)


class RecordReport:
    """Counts of records, which a reader's output is passed through.

    Attributes
    ----------
    read_count : int
        Records that were read.
    kept_count : int
        Records that passed `kept`.
    kept_by_class : Counter of str
        The same by main class.

    Examples
    --------
    >>> report = RecordReport()
    >>> found = [Unread("a.mrc", 1, "stray bytes: 7 bytes that are no record")]
    >>> list(report.counting(found)), report.read_count, report.unread
    ([], 0, {'stray bytes': 1})
    """

    def __init__(self) -> None:
        self.read_count = 0
        self.kept_count = 0
        self.kept_by_class: Counter[str] = Counter()
        self._unread: dict[str, _Reason] = {}
        self._left_out: dict[str, _Reason] = {}

    @property
    def unread(self) -> dict[str, int]:
        """How many places could not be read, by kind of damage, sorted by it."""
        return {kind: self._unread[kind].count for kind in sorted(self._unread)}

    @property
    def left_out(self) -> dict[str, int]:
        """How many records were read and not kept, by reason, sorted by it."""
        return {reason: self._left_out[reason].count for reason in sorted(self._left_out)}

    def counting(self, found: Iterable[CatalogueRecord | Unread]) -> Iterator[CatalogueRecord]:
        """Pass records through and count them; what is unread is counted and goes no further.

        Parameters
        ----------
        found : iterable of CatalogueRecord or Unread
            What a reader gives.

        Yields
        ------
        CatalogueRecord
        """
        for record in found:
            if isinstance(record, Unread):
                self.add_unread(record)
            else:
                self.read_count += 1
                yield record

    def add_unread(self, unread: Unread) -> None:
        """Count a place that could not be read."""
        _, _, detail = unread.reason.partition(": ")
        example = Example(unread.file, unread.position, unread.control_number, _detail(detail))
        self._unread.setdefault(unread.kind, _Reason()).add(example)

    def kept(
        self,
        found: Iterable[CatalogueRecord | Unread],
        *,
        language: str | None,
        needs_class: bool,
    ) -> Iterator[CatalogueRecord]:
        """Count, and keep those records that a corpus can use.

        A record is left out for the first of these that holds: it is in another language, it has
        no class (no LCC number at all, none that is one, or one outside the 21 classes), it has
        no text, its id (within the same `library`) or its text is that of a record that was kept.

        Parameters
        ----------
        found : iterable of CatalogueRecord or Unread
            What a reader gives.
        language : str or None
            MARC code of the only language that is wanted; None for all.
        needs_class : bool
            Whether records without a class are left out.

        Yields
        ------
        CatalogueRecord
            About two hundred bytes are remembered of each, to tell repeats.
        """
        ids: set[int] = set()
        texts: set[int] = set()
        for record in self.counting(found):
            left_out = _why_not(record, language, needs_class=needs_class)
            id_digest, text_digest = _digest(f"{record.library}\n{record.id}"), _digest(record.text)
            if not left_out and id_digest in ids:
                left_out = "repeated id", record.title
            elif not left_out and text_digest in texts:
                left_out = "repeated text", record.title
            if left_out:
                reason, detail = left_out
                example = Example(record.file, record.position, record.id, _detail(detail))
                self._left_out.setdefault(reason, _Reason()).add(example)
                continue
            ids.add(id_digest)
            texts.add(text_digest)
            self.kept_count += 1
            self.kept_by_class[record.lcc_code or ""] += 1
            yield record

    def to_dict(self) -> dict[str, Any]:
        """Everything, as values of JSON; the same records give the same."""
        return {
            "read": self.read_count,
            "kept": self.kept_count,
            "kept_by_class": {
                code: self.kept_by_class[code] for code in sorted(self.kept_by_class)
            },
            "unread": _as_dicts(self._unread),
            "left_out": _as_dicts(self._left_out),
        }

    def to_text(self) -> str:
        """A short table: a line a count, the first example of each reason beside it."""
        rows = [("read", self.read_count, "")]
        rows += _rows("unread", self._unread)
        rows += _rows("left out", self._left_out)
        rows += [("kept", self.kept_count, "")]
        width = max(len(name) for name, _, _ in rows)
        digits = max(len(f"{count:,}") for _, count, _ in rows)
        return "\n".join(
            f"{name:<{width}}  {count:>{digits},}  {example}".rstrip()
            for name, count, example in rows
        )


def _why_not(
    record: CatalogueRecord, language: str | None, *, needs_class: bool
) -> tuple[str, str] | None:
    if language is not None and record.language != language:
        return "another language", f"{record.language!r}, not {language!r}"
    if needs_class and record.lcc_code is None:
        reason = why_unclassed(record.lcc_numbers) or "not an LCC number"
        return reason, ", ".join(record.lcc_numbers)
    if not record.text:
        return "no text", ""
    return None


def _digest(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode("utf-8"), digest_size=8).digest(), "big")


def _detail(text: str) -> str:
    return one_line(text, _LONGEST_DETAIL)


def _as_dicts(reasons: dict[str, _Reason]) -> dict[str, Any]:
    return {
        name: {
            "count": reasons[name].count,
            "examples": [example._asdict() for example in reasons[name].examples],
        }
        for name in sorted(reasons)
    }


def _rows(group: str, reasons: dict[str, _Reason]) -> list[tuple[str, int, str]]:
    return [
        (f"{group}: {name}", reasons[name].count, _named(reasons[name].examples[0]))
        for name in sorted(reasons)
    ]


def _named(example: Example) -> str:
    known = f" ({example.id})" if example.id else ""
    detail = f": {example.detail}" if example.detail else ""
    return one_line(f"{example.file}, record {example.position}{known}{detail}", 120)
