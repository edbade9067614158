"""The config of a library's own records, from their files to splits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa

from builders.corpora.catalogue.classes import FEWEST_CLASSES, class_sizes
from builders.corpora.catalogue.columns import CATALOGUE
from builders.corpora.catalogue.notes import notes, refusal
from builders.corpora.catalogue.report import Json, in_words, json_report, table
from builders.corpora.catalogue.request import CatalogueRequest
from builders.corpora.catalogue.rows import row_maker
from builders.corpora.catalogue.spool import Spool
from builders.corpora.catalogue.tally import Tally
from builders.splits import Member, grouped_splits
from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.ordering import by_split_and_id, split_codes
from builders.staging.writing import stage
from builders.works import WorkKeys
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing, write_json
from evaluate_shelf.records.report import RecordReport
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
    choice = request.choice
    read = _read(request, staging, progress)
    sizes = class_sizes(read.members, choice.minimum_records)
    used = {size.code for size in sizes if not size.thin}
    report_of = partial(
        json_report, [path.name for path in request.files], read.records, read.tally, sizes
    )
    if len(used) < FEWEST_CLASSES:
        raise ShelfError(refusal(request, report_of({code: Counter() for code in used})))
    splits = _splits(read.members, used, seed)
    report = report_of(_rows_by_class(read.members, splits))
    _write_report(report, in_words(report, read.records), choice.name, staging)
    tables = by_split_and_id(
        lambda: _with_groups(read, progress), read.ids, split_codes(splits), staging / "buckets"
    )
    info = ConfigInfo(
        name=choice.name,
        kind="documents",
        schema=CATALOGUE,
        source=request.source,
        group_column=_GROUP,
        seeds={"split": seed},
        counted=("lcc_code",),
        notes=tuple(notes(request, report)),
    )
    config = stage(info, tables, staging / "configs")
    read.spool.remove()
    return config


def report_paths(name: str, staging: Path) -> dict[str, Path]:
    """Where the report on a corpus lies until the release is complete: as json, tsv and txt."""
    return {kind: staging / "configs" / f"{name}_records.{kind}" for kind in ("json", "tsv", "txt")}


class _Read(NamedTuple):
    """The records that are kept: their rows on disk, and of each what its split depends on."""

    spool: Spool
    ids: pa.Array
    members: list[Member]
    records: RecordReport
    tally: Tally


def _read(
    request: CatalogueRequest, staging: Path, progress: Callable[[int, int], None] | None
) -> _Read:
    language, name = request.choice.language, request.choice.name
    spool = Spool(staging / f"{name}.records", _SPOOLED, _REMEMBERED)
    records, tally, works = RecordReport(), Tally(language), WorkKeys()
    to_row = row_maker(name)
    found = tally.counting(request.read())
    for record in records.kept(found, language=language, needs_class=True):
        works.add(record.title, record.author, record.text)
        spool.add(to_row(record), len(record.text))
        if progress and records.read_count % _RECORDS_A_CALL == 0:
            progress(records.read_count, 0)
    kept = spool.close()
    labels = (kept[column].to_pylist() for column in ("lcc_code", "lcc_subclass"))
    members = [Member(*own) for own in zip(works.group_ids(), *labels, strict=True)]
    return _Read(spool, kept["id"].combine_chunks(), members, records, tally)


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


def _with_groups(read: _Read, progress: Callable[[int, int], None] | None) -> Iterator[pa.Table]:
    done = 0
    for piece in read.spool.pieces():
        own = read.members[done : done + piece.num_rows]
        done += piece.num_rows
        groups = pa.array([member.group for member in own], pa.string())
        yield piece.append_column(CATALOGUE.field(_GROUP), groups).select(CATALOGUE.names)
        if progress:
            progress(done, len(read.members))


def _write_report(report: Json, words: Sequence[str], name: str, staging: Path) -> None:
    paths = report_paths(name, staging)
    write_json(paths["json"], report)
    for kind, text in (("tsv", table(report)), ("txt", "\n".join(words))):
        with replacing(paths[kind]) as temporary:
            temporary.write_text(text, encoding="utf-8")
