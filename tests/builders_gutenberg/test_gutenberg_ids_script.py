"""`benchmarks.download_gutenberg`: exactly the books that were measured, whole or not at all."""

from __future__ import annotations

import csv
import gzip
import os
import shlex
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest
from loopback_server import serving_texts

from benchmarks.download_gutenberg import MIRROR, damage, main, read_ids
from builders.corpora.gutenberg.catalogue import read_catalogue
from builders.corpora.gutenberg.download import USER_AGENT
from builders.corpora.gutenberg.text_file import find_text
from evaluate_shelf.errors import ShelfError

CATALOGUE = "/cache/epub/feeds/pg_catalog.csv.gz"
COLUMNS = "Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves\n"


def address(number: int) -> str:
    return f"/cache/epub/{number}/pg{number}.txt"


def book(number: int) -> bytes:
    return (
        f"The Project Gutenberg eBook of Tides\r\nRelease date: 1999 [eBook #{number}]\r\n"
        "*** START OF THE PROJECT GUTENBERG EBOOK TIDES ***\r\n"
        + f"Keeper {number} wrote down the hour of the tide.\r\n" * 50
        + "*** END OF THE PROJECT GUTENBERG EBOOK TIDES ***\r\nLicence.\r\n"
    ).encode()


class Shelves:
    """A mirror on loopback that writes down who asked for what."""

    def __init__(self) -> None:
        row = '{0},Text,2003-10-01,"Title, {0}\nin two lines",en,"Writer{0}, Ann",Tides,QL,\n'
        rows = "".join(row.format(number) for number in [1, 2, *read_ids(), 99_999])
        self.files = {address(number): book(number) for number in [1, 2, *read_ids(), 99_999]}
        self.files[CATALOGUE] = gzip.compress((COLUMNS + rows).encode())
        self.asked: list[str] = []
        self.agents: set[str] = set()
        self.slept: list[float] = []
        self.base = ""

    def answer(self, request: BaseHTTPRequestHandler) -> bytes | None:
        self.asked.append(request.path)
        self.agents.add(request.headers["User-Agent"])
        return self.files.get(request.path)

    def main(self, folder: Path) -> int:
        return main([str(folder), "--mirror", self.base], sleep=self.slept.append)


@pytest.fixture
def shelves() -> Iterator[Shelves]:
    shelves = Shelves()
    with serving_texts(shelves.answer) as shelves.base:
        yield shelves


def place(folder: Path) -> Path:
    return folder / "natural" / "gutenberg"


def test_the_numbers_are_unique_in_order_and_in_range() -> None:
    numbers = read_ids()
    assert len(numbers) == 128
    assert numbers == sorted(set(numbers))
    assert 1 <= numbers[0] <= numbers[-1] < 100_000


@pytest.mark.parametrize("line", ["0", "-5", "12a", "1.5", "٣", "99999999", "7 8", "007", "17"])
def test_a_line_that_is_no_new_number_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "ids.txt"
    path.write_text(f"# books\n17\n\n{line}\n", encoding="utf-8")
    with pytest.raises(ShelfError, match="row 4") as caught:
        read_ids(path)
    assert str(path) in str(caught.value)


def test_exactly_those_books_are_fetched_politely(tmp_path: Path, shelves: Shelves) -> None:
    assert shelves.main(tmp_path) == 0
    numbers = read_ids()
    assert shelves.asked == [CATALOGUE, *(address(number) for number in numbers)]
    assert shelves.agents == {USER_AGENT}
    assert shelves.slept == [2.0] * 128
    texts = place(tmp_path) / "texts"
    assert {path.name for path in texts.iterdir()} == {f"pg{number}.txt" for number in numbers}
    assert all((texts / f"pg{n}.txt").read_bytes() == book(n) for n in numbers)
    works = {work.number: work for work in read_catalogue(place(tmp_path) / "pg_catalog.csv.gz")}
    kept = read_catalogue(place(tmp_path) / "catalog.csv")
    assert kept == [works[number] for number in numbers]


def test_what_is_printed_names_the_folder(
    tmp_path: Path, shelves: Shelves, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "my books"
    assert shelves.main(folder) == 0
    build, measure = capsys.readouterr().out.splitlines()
    arguments = shlex.split(build)
    assert arguments[:3] == ["shelf", "build", "transfer_gutenberg"]
    given = dict(zip(arguments[3::2], arguments[4::2], strict=True))
    assert Path(given["--catalog"]) == place(folder) / "catalog.csv"
    assert Path(given["--texts"]) == place(folder) / "texts"
    assert shlex.split(measure)[0] == f"SHELF_TEST_DATA={folder}"


def test_it_goes_on_where_it_stopped(tmp_path: Path, shelves: Shelves) -> None:
    last = read_ids()[-1]
    del shelves.files[address(last)]
    assert shelves.main(tmp_path) == 1
    assert not (place(tmp_path) / "texts" / f"pg{last}.txt").exists()
    shelves.files[address(last)] = book(last)
    shelves.asked.clear()
    assert shelves.main(tmp_path) == 0
    assert shelves.asked == [address(last)]
    shelves.asked.clear()
    shelves.slept.clear()
    assert shelves.main(tmp_path) == 0
    assert shelves.asked == []
    assert shelves.slept == []


@pytest.mark.parametrize(
    "text",
    [
        book(1359)[:-400],
        book(1360),
        b"A page that has nothing to do with it.",
        "Project Gutenberg #1359 END OF THE PROJECT GUTENBERG".encode("utf-16"),
    ],
)
def test_a_damaged_text_is_not_kept(
    tmp_path: Path, shelves: Shelves, capsys: pytest.CaptureFixture[str], text: bytes
) -> None:
    assert damage(book(1359), 1359) is None
    shelves.files[address(1359)] = text
    assert shelves.main(tmp_path) == 1
    assert "1359: damaged" in capsys.readouterr().err
    assert find_text(place(tmp_path) / "texts", 1359) is None
    assert len(list((place(tmp_path) / "texts").iterdir())) == 127


def test_a_text_that_was_damaged_in_the_folder_is_named_before_anything_is_asked_for(
    tmp_path: Path, shelves: Shelves, capsys: pytest.CaptureFixture[str]
) -> None:
    path = place(tmp_path) / "texts" / "pg1946.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(book(1946)[:500])
    assert shelves.main(tmp_path) == 2
    assert str(path) in capsys.readouterr().err
    assert shelves.asked == []
    assert path.exists()


@pytest.mark.parametrize("keep", [-30, 40])
def test_a_damaged_catalogue_is_not_kept(
    tmp_path: Path, shelves: Shelves, capsys: pytest.CaptureFixture[str], keep: int
) -> None:
    whole = shelves.files[CATALOGUE]
    shelves.files[CATALOGUE] = whole[:keep]
    assert shelves.main(tmp_path) == 2
    assert "damaged catalogue" in capsys.readouterr().err
    assert [path.name for path in place(tmp_path).iterdir()] == ["texts"]
    shelves.files[CATALOGUE] = whole
    assert shelves.main(tmp_path) == 0


def test_a_book_that_the_catalogue_lacks_is_named(
    tmp_path: Path, shelves: Shelves, capsys: pytest.CaptureFixture[str]
) -> None:
    row = '{0},Text,2003-10-01,Title,en,"Writer{0}, Ann",Tides,QL,\n'
    rows = "".join(row.format(number) for number in read_ids()[1:])
    shelves.files[CATALOGUE] = gzip.compress((COLUMNS + rows).encode())
    assert shelves.main(tmp_path) == 1
    assert f"{read_ids()[0]}: not in the mirror's catalogue" in capsys.readouterr().err
    assert len(shelves.asked) == 128


@pytest.mark.parametrize("base", ["ftp://mirror.example", "mirror.example"])
def test_an_address_that_is_none_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], base: str
) -> None:
    assert main([str(tmp_path), "--mirror", base]) == 2
    assert base in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_default_mirror_is_not_the_main_site() -> None:
    assert MIRROR.startswith("https://")
    assert "www.gutenberg.org" not in MIRROR


@pytest.fixture
def measured() -> Path:
    """The books that gutenberg.md was measured on."""
    folder = Path(os.environ.get("SHELF_TEST_DATA", "")) / "natural" / "gutenberg"
    if not (folder / "catalog.csv").is_file():
        pytest.skip("SHELF_TEST_DATA names no folder with natural/gutenberg/catalog.csv")
    return folder


def test_the_numbers_are_those_of_the_measured_books(measured: Path) -> None:
    with (measured / "catalog.csv").open(encoding="utf-8", newline="") as file:
        assert read_ids() == sorted(int(row["Text#"]) for row in csv.DictReader(file))


def test_a_mirror_of_the_measured_books_gives_the_measured_bytes(
    tmp_path: Path, shelves: Shelves, measured: Path
) -> None:
    shelves.files = {
        address(number): gzip.decompress((measured / "texts" / f"{number}.txt.gz").read_bytes())
        for number in read_ids()
    }
    shelves.files[CATALOGUE] = gzip.compress((measured / "catalog.csv").read_bytes())
    assert shelves.main(tmp_path) == 0
    assert (place(tmp_path) / "catalog.csv").read_bytes() == (measured / "catalog.csv").read_bytes()
    texts = place(tmp_path) / "texts"
    for number in read_ids():
        assert (texts / f"pg{number}.txt").read_bytes() == shelves.files[address(number)]
    shelves.asked.clear()
    assert shelves.main(tmp_path) == 0
    assert shelves.asked == []
