"""When documents were written: as a page states it, or as their ids tell."""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.corpora import load_corpora
from evaluate_shelf.registry.panel import Address
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, read_rows, validated_rows, wrong
from evaluate_shelf.release.documents import Release
from evaluate_shelf.release.reading import parts_of

# Published ids: the time in UTC, then eight hexadecimal digits that are drawn.
_DATED_ID = re.compile(r"(\d{8})_\d{6}_[0-9a-f]{8}")


class Written(NamedTuple):
    """The days between which documents were written.

    Attributes
    ----------
    first : datetime.date
        No document is older.
    last : datetime.date or None
        None is younger; None where that is not known.
    source : str
        How it is known.
    """

    first: dt.date
    last: dt.date | None
    source: str


class _Published(Row):
    corpus: Name
    first: dt.date
    source: Address
    note: Text | None = None


def written_as_published(corpus: str, folder: Path | None = None) -> Written | None:
    """When the documents of a published corpus were written; None where no page states it.

    Parameters
    ----------
    corpus : str
        Its id.
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation. A folder is read once in a
        process.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.

    Examples
    --------
    >>> written_as_published("all").first.isoformat()
    '2025-11-01'
    >>> written_as_published("transfer_gutenberg") is None
    True
    """
    return _published((folder or config_folder()).resolve()).get(corpus)


@functools.lru_cache(maxsize=8)
def _published(folder: Path) -> dict[str, Written]:
    file = folder / "contamination.yaml"
    rows = validated_rows(_Published, read_rows(file), file, "corpus")
    corpora = load_corpora(folder)
    for row in rows:
        if row.corpus not in corpora:
            raise wrong(file, row.corpus, "corpus", "is no corpus of corpora.yaml")
        if corpora[row.corpus].kind == "natural":
            raise wrong(file, row.corpus, "corpus", "is a natural corpus, which has no such day")
    return {row.corpus: Written(row.first, None, row.source) for row in rows}


def day_in_id(identity: str) -> dt.date | None:
    """The day that a published document's id carries; None where it carries none.

    Examples
    --------
    >>> day_in_id("20251207_101112_0a1b2c3d").isoformat()
    '2025-12-07'
    >>> day_in_id("023de726b05aa2b8") is None, day_in_id("20251399_101112_0a1b2c3d") is None
    (True, True)
    """
    match = _DATED_ID.fullmatch(identity)
    if match is None:
        return None
    try:
        return dt.datetime.strptime(match[1], "%Y%m%d").replace(tzinfo=dt.UTC).date()
    except ValueError:
        return None


def written_by_ids(identities: Iterable[str]) -> Written | None:
    """When documents were written, if the id of each of them tells.

    Parameters
    ----------
    identities : iterable of str
        Ids of all documents: one without a day may be older than all others.

    Returns
    -------
    Written or None
        None where an id carries no day, or there is none at all.

    Examples
    --------
    >>> found = written_by_ids(["20251207_101112_0a1b2c3d", "20260102_000000_ffffffff"])
    >>> found.first.isoformat(), found.last.isoformat()
    ('2025-12-07', '2026-01-02')
    >>> written_by_ids(["20251207_101112_0a1b2c3d", "023de726b05aa2b8"]) is None
    True
    """
    days: set[dt.date] = set()
    for identity in identities:
        day = day_in_id(identity)
        if day is None:
            return None
        days.add(day)
    return Written(min(days), max(days), "the ids of the documents") if days else None


def written_in(release: Release, config: str) -> Written | None:
    """When the documents of a release's config were written, all splits together.

    Parameters
    ----------
    release : Release
        Only the ids are read, a bounded number at a time.
    config : str
        A config of documents.

    Returns
    -------
    Written or None
        None where not every id carries a day, as in a corpus that was composed by rules or taken
        from books.

    Raises
    ------
    ShelfError
        If the release has no such config, or it is not one of documents.
    """
    if release.config(config).kind != "documents":
        raise ShelfError(f"{release.folder}: config {config!r} is not one of documents")
    parts = parts_of(release.folder, release.manifest, config, ["id"])
    return written_by_ids(
        identity or "" for part in parts for identity in part.table["id"].to_pylist()
    )
