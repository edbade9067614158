"""From the catalogue and the plain texts to rows of passages."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builders.corpora.gutenberg.author_groups import author_groups
from builders.corpora.gutenberg.body import body_of
from builders.corpora.gutenberg.catalogue import read_catalogue
from builders.corpora.gutenberg.forms import form_of
from builders.corpora.gutenberg.passages import check_sizes, choose_spread, passages_of
from builders.corpora.gutenberg.text_file import find_text, read_text
from builders.corpora.gutenberg.work import Work, refusal
from evaluate_shelf import __version__
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file, sha256_of_json, write_json

_TEXT_URL = "https://www.gutenberg.org/cache/epub/{number}/pg{number}.txt"


@dataclass(slots=True)
class GutenbergCorpus:
    """Passages of Project Gutenberg's books, and what was left out.

    Parameters
    ----------
    rows : list of dict
        One per passage, by number of the work, then by place in it.
    refused : list of tuple of (int, str, str)
        Number, title and reason of every work of the catalogue that gives no row.
    duplicates : list of tuple of (str, str)
        Id of a passage that was dropped, and of the earlier row with the same text.
    works_read : int
        How many works the catalogue has.
    kept_works : int
        How many of them give rows.
    """

    rows: list[dict[str, Any]] = field(default_factory=list)
    refused: list[tuple[int, str, str]] = field(default_factory=list)
    duplicates: list[tuple[str, str]] = field(default_factory=list)
    works_read: int = 0
    kept_works: int = 0


def build_passages(
    catalogue: Path,
    texts: Path,
    *,
    passages_per_work: int = 3,
    target_words: int = 400,
    min_words: int = 150,
    max_words: int = 900,
    staging: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GutenbergCorpus:
    r"""Build the passages of every work that the catalogue and the folder of texts allow.

    Parameters
    ----------
    catalogue : pathlib.Path
        Project Gutenberg's `pg_catalog.csv`, plain or gzip.
    texts : pathlib.Path
        A folder of plain texts, found by `find_text`.
    passages_per_work : int, default=3
        The most passages of one work.
    target_words, min_words, max_words : int
        Sizes of a passage, as in `passages_of`.
    staging : pathlib.Path, optional
        Where the passages of each work are kept, so that an interrupted build goes on behind the
        last work.
    progress : callable, optional
        Called after each work with the number of works done and the number of all.

    Returns
    -------
    GutenbergCorpus
        Rows with every column of the benchmark's Gutenberg config but `lcc_code`, `lcc_name` and
        `lcc_uri`, and with `work_id` and `group_id` for the splits.

    Raises
    ------
    ShelfError
        The catalogue or a text is damaged, or there is no folder of texts.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "pg_catalog.csv").write_text(
    ...     "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n"
    ...     "7,Text,2003-10-01,Bees,en,Anonymous,Bees,QL,\n"
    ... )
    >>> text = " ".join(f"They are in hive {number} now." for number in range(400))
    >>> _ = (folder / "7.txt").write_text(text)
    >>> corpus = build_passages(folder / "pg_catalog.csv", folder)
    >>> [(row["provenance"]["chunk_index"], row["word_count"]) for row in corpus.rows]
    [(0, 402), (1, 402), (2, 402)]
    """
    check_sizes(target_words, min_words, max_words)
    if passages_per_work < 1:
        raise ShelfError(f"passages_per_work is {passages_per_work}; it must be 1 or more")
    if not texts.is_dir():
        raise ShelfError(f"{texts}: there is no such folder of texts")
    works = sorted(read_catalogue(catalogue), key=lambda work: work.number)
    corpus = GutenbergCorpus(works_read=len(works))
    sizes = {"target_words": target_words, "min_words": min_words, "max_words": max_words}
    seen: dict[bytes, str] = {}
    kept: list[Work] = []
    for done, work in enumerate(works, start=1):
        reason = refusal(work)
        path = find_text(texts, work.number) if reason is None else None
        if reason is None and path is None:
            reason = f"no text file in {texts}"
        if path is not None:
            chosen = _rows(work, _kept_spread(path, passages_per_work, sizes, staging))
            fresh = _without_duplicates(chosen, seen, corpus.duplicates)
            if fresh:
                kept.append(work)
                corpus.rows.extend(fresh)
            else:
                reason = "every passage is in an earlier work too" if chosen else _short(min_words)
        if reason is not None:
            corpus.refused.append((work.number, work.title, reason))
        if progress is not None:
            progress(done, len(works))
    groups = author_groups(kept)
    for row in corpus.rows:
        row["group_id"] = groups[row["provenance"]["gutenberg_id"]]
    corpus.kept_works = len(kept)
    return corpus


def passage_id(number: int, index: int) -> str:
    """Id of a passage: a hash, since books of one class stand near each other by number.

    Examples
    --------
    >>> passage_id(7, 0)
    '24c7ee914a14dd44'
    """
    return hashlib.sha256(f"gutenberg\x1f{number}\x1f{index}".encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class _Spread:
    """Chosen passages of a work: place in the work and text; and how many it has."""

    chosen: list[tuple[int, str]]
    count: int


def _kept_spread(path: Path, n: int, sizes: dict[str, int], staging: Path | None) -> _Spread:
    """Passages of a text file, read from `staging` where the same file was cut before."""
    if staging is None:
        return _spread(path, n, sizes)
    key = sha256_of_json([sha256_of_file(path), n, sizes, __version__])
    piece = staging / f"{path.name}-{key[:16]}.json"
    if not piece.is_file():
        spread = _spread(path, n, sizes)
        write_json(piece, {"chosen": spread.chosen, "count": spread.count})
    kept = json.loads(piece.read_text(encoding="utf-8"))
    return _Spread([(index, text) for index, text in kept["chosen"]], kept["count"])


def _spread(path: Path, n: int, sizes: dict[str, int]) -> _Spread:
    passages = passages_of(body_of(read_text(path)), **sizes)
    return _Spread([(i, passages[i]) for i in choose_spread(passages, n)], len(passages))


def _short(min_words: int) -> str:
    return (
        f"no passage of running text: besides its first and last passage it has none of "
        f"{min_words} words or more that is not tables or lists"
    )


def _rows(work: Work, spread: _Spread) -> list[dict[str, Any]]:
    category, form = form_of(work.subjects)
    return [
        {
            "id": passage_id(work.number, index),
            "text": text,
            "body": text,
            "title": work.title,
            "word_count": len(text.split()),
            "lcgft_category": category,
            "lcgft_form": form,
            "topics": [],
            "geographic": [],
            "audience": None,
            "register": None,
            "language": "en",
            "author": "; ".join(person.name for person in work.authors),
            "source_type": "natural",
            "source": "project_gutenberg",
            "contamination_status": "known_contaminated",
            "label_space": "lcc",
            "schema_version": "1.0",
            "provenance": {
                "gutenberg_id": work.number,
                "lcc_letter": min(work.main_classes),
                "lcc_subclasses": list(work.locc),
                "chunk_index": index,
                "chunk_count": spread.count,
                "text_url": _TEXT_URL.format(number=work.number),
            },
            "work_id": str(work.number),
        }
        for index, text in spread.chosen
    ]


def _without_duplicates(
    rows: list[dict[str, Any]], seen: dict[bytes, str], duplicates: list[tuple[str, str]]
) -> list[dict[str, Any]]:
    fresh = []
    for row in rows:
        plain = " ".join(row["text"].casefold().split())
        key = hashlib.sha256(plain.encode("utf-8")).digest()
        if key in seen:
            duplicates.append((row["id"], seen[key]))
        else:
            seen[key] = row["id"]
            fresh.append(row)
    return fresh
