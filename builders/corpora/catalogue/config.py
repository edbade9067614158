"""The config of a library's own records, from their files to splits."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from builders.corpora.catalogue.classes import FEWEST_CLASSES, class_sizes
from builders.corpora.catalogue.columns import CATALOGUE
from builders.corpora.catalogue.report import (
    Json,
    in_words,
    json_report,
    summary,
    table,
    thin_in_words,
)
from builders.corpora.catalogue.request import CatalogueRequest
from builders.corpora.catalogue.spool import Spool
from builders.corpora.catalogue.tally import Tally
from builders.splits import Member, grouped_splits
from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.ordering import by_split_and_id, split_codes
from builders.staging.writing import stage
from builders.works import WorkKeys
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing, write_json
from evaluate_shelf.records.record import CatalogueRecord
from evaluate_shelf.records.report import RecordReport
from evaluate_shelf.registry.taxonomy import SubjectClass, load_taxonomy
from evaluate_shelf.release.manifest import Split

_GROUP = "group_id"
_SPOOLED = pa.schema([field for field in CATALOGUE if field.name != _GROUP])
_REMEMBERED = ("id", "lcc_code", "lcc_subclass")
_RECORDS_A_CALL = 1000


def build_catalogue(
    request: CatalogueRequest,
    *,
    seed: int,
    staging: Path,
    progress: Callable[[int, int], None] | None = None,
) -> StagedConfig:
    """Build a corpus of a library's own records.

    The files are read once; of each record, some hundred bytes stay in memory until all are
    split.

    Parameters
    ----------
    request : CatalogueRequest
        The records and what is kept of them.
    seed : int
        Of the split.
    staging : pathlib.Path
        Where the config is written, and its report, as `report_paths` names it.
    progress : callable, default=None
        Called with the number of records read and 0, as nobody knows how many there are; then
        with the number of rows written and of all.

    Returns
    -------
    StagedConfig
        Split by work, so that no two editions are on two sides.

    Raises
    ------
    ShelfError
        If fewer than two classes have enough records; the message has the counts.
    """
    spool = Spool(staging / f"{request.choice.name}.records", _SPOOLED, _REMEMBERED)
    records, tally, works = RecordReport(), Tally(request.choice.language), WorkKeys()
    kept = records.kept(
        tally.counting(request.read()), language=request.choice.language, needs_class=True
    )
    to_row = _row_maker(request.choice.name)
    for record in kept:
        works.add(record.title, record.author, record.text)
        spool.add(to_row(record), len(record.text))
        if progress and records.read_count % _RECORDS_A_CALL == 0:
            progress(records.read_count, 0)
    labels = spool.close()
    groups = pa.array(works.group_ids(), pa.string())
    members = _members(groups, labels)
    sizes = class_sizes(members, request.choice.minimum_records)
    used = {size.code for size in sizes if not size.thin}
    names = [path.name for path in request.files]
    if len(used) < FEWEST_CLASSES:
        report = json_report(names, records, tally, sizes, {code: Counter() for code in used})
        raise ShelfError(_refusal(request, report))
    splits = _splits(members, used, seed)
    report = json_report(names, records, tally, sizes, _rows_by_class(members, splits))
    _write_report(report, in_words(report, records), request.choice.name, staging)
    tables = by_split_and_id(
        lambda: _with_groups(spool, groups, progress),
        labels["id"].combine_chunks(),
        split_codes(splits),
        staging / "buckets",
    )
    info = ConfigInfo(
        name=request.choice.name,
        kind="documents",
        schema=CATALOGUE,
        source=request.source,
        group_column=_GROUP,
        seeds={"split": seed},
        counted=("lcc_code",),
        notes=tuple(_notes(request, report)),
    )
    config = stage(info, tables, staging / "configs")
    spool.remove()
    return config


def report_paths(name: str, staging: Path) -> dict[str, Path]:
    """Where the report on a corpus lies until the release is complete: as json, tsv and txt."""
    return {kind: staging / "configs" / f"{name}_records.{kind}" for kind in ("json", "tsv", "txt")}


def _row_maker(corpus: str) -> Callable[[CatalogueRecord], dict[str, Any]]:
    subjects = {subject.code: subject for subject in load_taxonomy().classes}

    def row(record: CatalogueRecord) -> dict[str, Any]:
        return _row(record, subjects[record.lcc_code or ""], corpus)

    return row


def _row(record: CatalogueRecord, subject: SubjectClass, corpus: str) -> dict[str, Any]:
    return {
        # A control number can follow the order of the shelves, and so tell the class.
        "id": hashlib.sha256(record.id.encode("utf-8")).hexdigest()[:16],
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


def _members(groups: pa.Array, labels: pa.Table) -> list[Member]:
    columns = [groups.to_pylist(), *(labels[name].to_pylist() for name in _REMEMBERED[1:])]
    return [Member(*own) for own in zip(*columns, strict=True)]


def _splits(members: Sequence[Member], used: set[str], seed: int) -> list[Split | None]:
    """The split of each record; None for those of a class that is too thin."""
    split_of = iter(grouped_splits([own for own in members if own.label in used], seed=seed))
    return [next(split_of) if member.label in used else None for member in members]


def _rows_by_class(
    members: Sequence[Member], splits: Sequence[Split | None]
) -> Mapping[str, Counter[Split]]:
    rows: dict[str, Counter[Split]] = {}
    for member, split in zip(members, splits, strict=True):
        if split is not None:
            rows.setdefault(member.label, Counter())[split] += 1
    return rows


def _with_groups(
    spool: Spool, groups: pa.Array, progress: Callable[[int, int], None] | None
) -> Iterator[pa.Table]:
    done = 0
    for piece in spool.pieces():
        own = groups.slice(done, piece.num_rows)
        done += piece.num_rows
        yield piece.append_column(CATALOGUE.field(_GROUP), own).select(CATALOGUE.names)
        if progress:
            progress(done, len(groups))


def _write_report(report: Json, words: Sequence[str], name: str, staging: Path) -> None:
    paths = report_paths(name, staging)
    write_json(paths["json"], report)
    for kind, text in (("tsv", table(report)), ("txt", json.dumps(words))):
        with replacing(paths[kind]) as temporary:
            temporary.write_text(text, encoding="utf-8")


def _refusal(request: CatalogueRequest, report: Json) -> str:
    """Why there is no corpus, with the counts and what could be done."""
    choice = request.choice
    advice = ["give more records"]
    if report["too_thin"] and choice.minimum_records > 2:
        advice.append(f"a lower --minimum-records (it is {choice.minimum_records})")
    if choice.language is not None:
        languages = ", ".join(f"{name or 'unknown'} {n}" for name, n in report["languages"].items())
        advice.append(f"another --language (it is {choice.language}; read were: {languages:.300})")
    if "not an LCC number" in report["left_out"]:
        advice.append("class numbers of the form QA76.9")
    has = [f"class {own['code']}: {own['kept']} records" for own in report["classes"]]
    counts = "; ".join([summary(report), *has, *thin_in_words(report)])
    return (
        f"{', '.join(str(path) for path in request.files[:3])}: a corpus needs at least "
        f"{FEWEST_CLASSES} classes, each with {choice.minimum_records} records and two works or "
        f"more, and there {'is' if len(has) == 1 else 'are'} {len(has)}: {counts}. "
        f"What can help: {', or '.join(advice)}"
    )


def _notes(request: CatalogueRequest, report: Json) -> Iterator[str]:
    choice = request.choice
    yield (
        "The records are a library's own. The class is the main class of the record's class "
        "number, which a cataloguer gave; nobody has checked it here."
    )
    yield "The text is title, contents and summary, as far as the record has them."
    yield f"{summary(report)}, {report['in_corpus']} in the corpus"
    if choice.language is not None:
        yield f"Records in the language {choice.language} alone are kept."
    for thin in thin_in_words(report):
        yield f"dropped, {thin}"
    yield (
        "Split by work: records of one title and main author, such as editions, and records of "
        "one text lie in one split."
    )
    yield "Ids are hashes of the records' control numbers, which stand in `control_number`."
    yield "Authors are the names in the main entry of the record, as public catalogues show them."
    yield (
        f"Terms, in the words of who imported the records: {choice.licence}"
        if choice.licence
        else "The import named no licence: find out under which terms the records may be used."
    )
