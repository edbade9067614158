from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from gutenberg_books import catalogue_row, catalogue_text
from hypothesis import given
from hypothesis import strategies as st

from builders.corpora.gutenberg.catalogue import read_catalogue
from builders.corpora.gutenberg.people import Person, read_people, without_dates
from builders.corpora.gutenberg.work import MAIN_CLASSES, Work, refusal
from evaluate_shelf.errors import ShelfError


def write(folder: Path, text: str, name: str = "pg_catalog.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode("utf-8"))
    return path


def test_reads_every_field(tmp_path: Path) -> None:
    row = catalogue_row(
        12,
        Title="The  Hive\r\nand Other Tales",
        Authors="Jókai, Mór, 1825-1904; Bain, R. Nisbet (Robert Nisbet), 1854-1909 [Translator]",
        Subjects="Bees -- Fiction; Hives",
        LoCC="QL; QH",
        Bookshelves="Animals; Insects",
    )
    (work,) = read_catalogue(write(tmp_path, catalogue_text([row])))
    assert work == Work(
        number=12,
        kind="Text",
        title="The Hive and Other Tales",
        languages=("en",),
        authors=(Person("Jókai, Mór"),),
        contributors=(Person("Bain, R. Nisbet (Robert Nisbet)", "Translator"),),
        subjects=("Bees -- Fiction", "Hives"),
        locc=("QL", "QH"),
        issued="2003-10-01",
        bookshelves=("Animals", "Insects"),
    )
    assert work.main_classes == {"Q"}


def test_gzip_mark_and_foreign_columns_do_not_matter(tmp_path: Path) -> None:
    text = catalogue_text([catalogue_row(1), catalogue_row(2)])
    plain = read_catalogue(write(tmp_path, text))
    marked = read_catalogue(write(tmp_path, "\ufeff" + text, "marked.csv"))
    packed = tmp_path / "pg_catalog.csv.gz"
    packed.write_bytes(gzip.compress(text.encode("utf-8")))
    wider = "\n".join(f"x,{line}" if line else "" for line in text.split("\n"))
    assert plain == marked == read_catalogue(packed)
    assert plain == read_catalogue(write(tmp_path, wider, "wider.csv"))


def test_blank_lines_are_no_rows(tmp_path: Path) -> None:
    text = catalogue_text([catalogue_row(1)]) + "\n\n"
    assert len(read_catalogue(write(tmp_path, text))) == 1


GOOD = catalogue_text([catalogue_row(1, Title="Two\nlines"), catalogue_row(2)])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "row 1, field 'Text#': this column is missing"),
        (GOOD.replace("LoCC", "Class"), "row 1, field 'LoCC': this column is missing"),
        (GOOD.replace("Issued", "Type", 1), "row 1, field 'Type': this column is there twice"),
        (GOOD + "2,Text,,,en,,,PR,\n", "row 4, field 'Text#': 2 is in row 3 too"),
        (GOOD + "two,Text,,,en,,,PR,\n", "row 4, field 'Text#': 'two' is not a number"),
        (GOOD + "-3,Text,,,en,,,PR,\n", "row 4, field 'Text#': '-3' is not a number"),
        (GOOD + "٣,Text,,,en,,,PR,\n", "row 4, field 'Text#'"),
        (GOOD + "3,Text,,,en\n", "row 4, field 'Language': the row has 5 fields"),
        (GOOD + "3,Text,,,en,,,PR,,more\n", "row 4, field 'Bookshelves': the row has 10"),
        (GOOD + '3,Text,,"never closed', "row 4: not a well-formed row"),
    ],
)
def test_names_file_row_and_field(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ShelfError) as caught:
        read_catalogue(path)
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (GOOD + "3,Text,2003,Caf", "row 4, field 'Title'"),
        (GOOD, "row 4, field 'Text#'"),
        ("", "row 1, field 'Text#'"),
        ("Text#,Typ", "row 1, field 'Type'"),
    ],
)
def test_names_the_place_of_bytes_that_are_not_utf_8(
    tmp_path: Path, before: str, said: str
) -> None:
    path = tmp_path / "pg_catalog.csv"
    path.write_bytes(before.encode("utf-8") + b"\xe9,en,,,PR,\n")
    with pytest.raises(ShelfError, match="not UTF-8") as caught:
        read_catalogue(path)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["absent.csv", "folder"])
def test_a_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(ShelfError, match=name):
        read_catalogue(tmp_path / name)


def test_a_truncated_gzip(tmp_path: Path) -> None:
    path = tmp_path / "pg_catalog.csv.gz"
    path.write_bytes(gzip.compress(GOOD.encode("utf-8"))[:-12])
    with pytest.raises(ShelfError, match=r"pg_catalog\.csv\.gz: the gzip data is damaged"):
        read_catalogue(path)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        (Work(number=1, locc=("PR",)), None),
        (Work(number=1, locc=("PR", "PZ")), None),
        (Work(number=1, locc=("ps",)), None),
        (Work(number=1, locc=("PR",), kind="Sound"), "type is 'Sound'"),
        (Work(number=1, locc=("PR",), languages=("en", "fr")), "language is 'en; fr'"),
        (Work(number=1, locc=("PR",), languages=()), "language is ''"),
        (Work(number=1), "no Library of Congress class"),
        (Work(number=1, locc=("PR", "QL")), "several main classes: P, Q"),
        (Work(number=1, locc=("WX",)), "unknown Library of Congress class: WX"),
        (Work(number=1, locc=("PR", "Y")), "unknown Library of Congress class: Y"),
    ],
)
def test_refusal(work: Work, said: str | None) -> None:
    reason = refusal(work)
    assert reason is None if said is None else said in (reason or "")


def test_there_are_21_main_classes() -> None:
    assert len(MAIN_CLASSES) == 21
    assert not MAIN_CLASSES & set("IOWXY")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Nield, Jonathan, 1863-", "Nield, Jonathan"),
        ("Trevisa, John, -1402", "Trevisa, John"),
        ("Werge, John, active 1854-1890", "Werge, John"),
        ("Bartholomaeus, Anglicus, active 13th century", "Bartholomaeus, Anglicus"),
        ("Plato, 428? BCE-348? BCE", "Plato"),
        ("Epictetus, approximately 55-approximately 135", "Epictetus"),
        ("Cromer, Evelyn Baring, Earl of, 1841-1917", "Cromer, Evelyn Baring, Earl of"),
        ("Jones, William, F.S.A.", "Jones, William, F.S.A."),
        ("Louis XIV, King of France, 1638-1715", "Louis XIV, King of France"),
        ("Pope, 2nd Regiment", "Pope, 2nd Regiment"),
        ("Various", "Various"),
    ],
)
def test_dates_come_off_a_name(written: str, name: str) -> None:
    assert without_dates(written) == name


def test_roles() -> None:
    people = read_people("A, B [Editor] [Translator]; ; C, D, 1801- [Author of introduction, etc.]")
    assert people == (
        Person("A, B", "Editor, Translator"),
        Person("C, D", "Author of introduction, etc."),
    )


@given(st.text(max_size=60))
def test_any_field_of_people_is_read(field: str) -> None:
    for person in read_people(field):
        assert person.name == person.name.strip() != ""
        assert person.identity == Person(person.name.upper()).identity or not person.name.isascii()


def test_a_field_as_long_as_a_file_is_refused(tmp_path: Path) -> None:
    text = catalogue_text([catalogue_row(1), catalogue_row(2, Authors="[a] " * 20_000)])
    with pytest.raises(ShelfError, match=r"row 3, field 'Authors'"):
        read_catalogue(write(tmp_path, text))
