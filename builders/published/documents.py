"""A published document as a document of this project: text, title, labels, gates."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from builders.gates.labels import OwnLabels
from builders.published.blank import is_blank
from builders.published.findings import Finding, Findings
from builders.published.gates import REFUSING, gate_columns
from builders.published.labels import FILLED, known_label, known_labels
from builders.published.titles import plain_title
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.registry.taxonomy_rows import SubjectClass

_LABELS = ("lcgft_category", "lcgft_form", "audience", "register", "target_length")
_LISTS = ("topics", "geographic")
_GROUPS = ("pair_id", "spec_id")
_PREFIX = "anthropic/"

_TEXT = Finding("replaced by the body, which it differed from", "text")
_BODY = Finding("taken from the text, where there was no body", "body")
_COUNT = Finding("counted again, another number was published", "word_count")
_TITLE = Finding("a heading mark or the label 'Title:' taken off", "title")
_MODEL = Finding(f"the prefix {_PREFIX!r} taken off", "model")
_RENAMED = "replaced by that of the class, it differed"


def documents(rows: pa.Table, schema: pa.Schema, findings: Findings) -> pa.Table:
    """Rows that are consistent in themselves and labelled from the taxonomy.

    Parameters
    ----------
    rows : pyarrow.Table
        Rows with a body, or a text, and a class that the taxonomy has, but for spelling.
    schema : pyarrow.Schema
        Columns and types of the config. The columns `qc_*` are computed.
    findings : Findings
        Where every change is counted.

    Returns
    -------
    pyarrow.Table
        In the order of the rows. `text` is the body, `word_count` its words, name and address of
        the class are the taxonomy's, a label that is none of the taxonomy's is null or left out
        of its list.
    """
    documents = [_document(row, findings) for row in rows.to_pylist()]
    names = [name for name in schema.names if name in rows.column_names or name.startswith("qc_")]
    own = pa.schema([schema.field(name) for name in names])
    return pa.Table.from_pylist(documents, schema=own)


def body_of(row: dict[str, Any]) -> str | None:
    """A row's body, or its text where it has no column for the body."""
    body: str | None = row.get("body") if row.get("body") is not None else row.get("text")
    return body


@functools.cache
def _classes() -> dict[str, SubjectClass]:
    return {subject.code: subject for subject in load_taxonomy().classes}


@functools.cache
def _lengths() -> dict[str, tuple[int, int]]:
    return {own.id: (own.min_words, own.max_words) for own in load_taxonomy().lengths}


def _document(row: dict[str, Any], findings: Findings) -> dict[str, Any]:
    identity = row["id"]
    _text(row, identity, findings)
    _title(row, identity, findings)
    _class(row, identity, findings)
    for field in _LABELS:
        if field in row:
            row[field] = known_label(row[field], field, identity, findings)
    for field in _LISTS:
        if field in row:
            row[field] = known_labels(row[field] or [], field, identity, findings)
    for field in _GROUPS:
        if row.get(field) is not None and is_blank(row[field]):
            row[field] = None
            findings.add(Finding(FILLED, field), identity)
    if (row.get("model") or "").startswith(_PREFIX):
        row["model"] = row["model"].removeprefix(_PREFIX)
        findings.add(_MODEL, identity)
    if "target_length" in row:
        row.update(_gates(row, identity, findings))
    return row


def _text(row: dict[str, Any], identity: str, findings: Findings) -> None:
    body = body_of(row) or ""
    if row.get("body") is None:
        findings.add(_BODY, identity)
    elif row.get("text") is not None and row["text"] != body:
        findings.add(_TEXT, identity)
    words = len(body.split())
    if row.get("word_count") is not None and row["word_count"] != words:
        findings.add(_COUNT, identity)
    row.update(text=body, body=body, word_count=words)


def _title(row: dict[str, Any], identity: str, findings: Findings) -> None:
    title = plain_title(row["title"] or "")
    if title != (row["title"] or ""):
        findings.add(_TITLE, identity)
    row["title"] = title


def _class(row: dict[str, Any], identity: str, findings: Findings) -> None:
    code = known_label(row["lcc_code"], "lcc_code", identity, findings) or ""
    subject = _classes()[code]
    for field, value in (("lcc_name", subject.name), ("lcc_uri", subject.uri)):
        if row.get(field) is not None and row[field] != value:
            findings.add(Finding(_RENAMED, field), identity, row[field])
        row[field] = value
    row["lcc_code"] = code


def _gates(row: dict[str, Any], identity: str, findings: Findings) -> dict[str, Any]:
    others = [row.get("audience"), row.get("register"), *row["topics"]]
    labels = OwnLabels(
        kinds=tuple(row[field] for field in ("lcgft_category", "lcgft_form") if row[field]),
        subjects=(row["lcc_name"],),
        code=row["lcc_code"],
        others=tuple(label for label in others if label),
    )
    wanted = _wanted(row["target_word_range"] or [], row["target_length"])
    columns = gate_columns(row["title"], row["body"], labels, row["topics"], wanted)
    if columns["qc_passed"] is False:
        failed = [gate for gate in REFUSING if not columns[gate]] or ["qc_length_delta"]
        for gate in failed:
            findings.add(Finding("kept, though a gate of this project fails", gate), identity)
    return columns


def _wanted(word_range: Sequence[int], length: str | None) -> tuple[int, int] | None:
    """The words that were asked for; [0, 0] was published where that was not recorded."""
    if len(word_range) == 2 and 0 < word_range[0] < word_range[1]:
        return word_range[0], word_range[1]
    return _lengths().get(length or "")
