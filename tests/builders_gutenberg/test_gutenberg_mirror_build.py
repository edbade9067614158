"""`shelf build transfer_gutenberg --mirror URL`: from nothing but a mirror to a release."""

from __future__ import annotations

import functools
import gzip
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from loopback_server import serving_texts

from builders.commands.build import build_from_command_line
from builders.corpora.gutenberg import download
from builders.corpora.gutenberg.selection import works_to_fetch
from builders.corpora.gutenberg.work import Work
from evaluate_shelf.release.verification import verify_release

COLUMNS = "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n"


class Shelves:
    """A mirror on loopback that counts what it is asked for."""

    def __init__(self) -> None:
        row = '{0},Text,2003-10-01,Title {0},en,"Writer{0}, Ann",Subject,{1},\n'
        rows = "".join(row.format(n, "QL" if n % 2 else "ML") for n in range(1, 13))
        self.files = {
            "/cache/epub/feeds/pg_catalog.csv.gz": gzip.compress((COLUMNS + rows).encode())
        }
        for n in range(1, 13):
            text = f"Keeper {n} lit the lamp and wrote down the hour of the tide. " * 400
            self.files[f"/cache/epub/{n}/pg{n}.txt"] = text.encode()
        self.asked: Counter[str] = Counter()

    def answer(self, request: BaseHTTPRequestHandler) -> bytes | None:
        self.asked[request.path] += 1
        return self.files.get(request.path)


@pytest.fixture
def mirror() -> Iterator[tuple[str, Shelves]]:
    shelves = Shelves()
    with serving_texts(shelves.answer) as address:
        yield address, shelves


def build(out: Path, address: str) -> None:
    build_from_command_line(
        ["transfer_gutenberg"],
        out=out,
        seed=42,
        documents=None,
        catalog=None,
        texts=None,
        passages_per_work=None,
        mirror=address,
        works_per_class=4,
    )


def test_catalogue_and_books_are_fetched_once_and_no_more_than_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mirror: tuple[str, Shelves]
) -> None:
    address, shelves = mirror
    monkeypatch.setenv("SHELF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(
        download, "Mirror", functools.partial(download.Mirror, sleep=lambda seconds: None)
    )
    build(tmp_path / "first", address)
    first = verify_release(tmp_path / "first")
    assert len(shelves.asked) == 1 + 2 * 4
    build(tmp_path / "second", address)
    assert set(shelves.asked.values()) == {1}
    assert verify_release(tmp_path / "second").release_id == first.release_id


def test_a_class_and_an_author_have_a_bounded_number_of_works() -> None:
    from builders.corpora.gutenberg.people import Person

    prolific = [
        Work(number=n, locc=("QL",), authors=(Person("Fabre, Jean-Henri"),)) for n in range(1, 9)
    ]
    others = [Work(number=n, locc=("ML",)) for n in range(20, 40)]
    chosen = works_to_fetch([*prolific, *others], per_class=5, seed=42)
    assert len([n for n in chosen if n < 20]) == 2
    assert len([n for n in chosen if n >= 20]) == 5
    assert chosen == works_to_fetch([*others, *prolific], per_class=5, seed=42)
