"""From a catalogue record to a row of its corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from evaluate_shelf.records.record import CatalogueRecord
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.registry.taxonomy_rows import SubjectClass


def row_maker(corpus: str) -> Callable[[CatalogueRecord], dict[str, Any]]:
    """What makes the row of a record that has a class: every column but the group.

    Parameters
    ----------
    corpus : str
        Name of the config.
    """
    subjects = {subject.code: subject for subject in load_taxonomy().classes}

    def row(record: CatalogueRecord) -> dict[str, Any]:
        return _row(record, subjects[record.lcc_code or ""], corpus)

    return row


def _row(record: CatalogueRecord, subject: SubjectClass, corpus: str) -> dict[str, Any]:
    # Two libraries may use one control number; neither part has a line end.
    known = f"{record.library}\n{record.id}" if record.library else record.id
    return {
        # A control number can follow the order of the shelves, and so tell the class.
        "id": hashlib.sha256(known.encode("utf-8")).hexdigest()[:16],
        "title": record.title or None,
        "text": record.text,
        "body": record.text,
        "word_count": len(record.text.split()),
        "lcc_code": subject.code,
        "lcc_name": subject.name,
        "lcc_uri": subject.uri,
        "lcc_subclass": record.lcc_subclass,
        "lcsh": record.lcsh,
        "genres": record.genres,
        "language": record.language or None,
        "author": record.author or None,
        "year": int(record.year) if record.year else None,
        "corpus": corpus,
        "is_synthetic": False,
        "control_number": record.id,
        "source_file": record.file,
        "source_position": record.position,
    }
