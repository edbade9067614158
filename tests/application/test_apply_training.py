"""Records that the classifier was trained on say nothing of how often it is right."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.application import apply_run
from evaluate_shelf.application.estimate import FEWEST
from evaluate_shelf.application.training_records import TEXT, WORK, TrainingRecords
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.records.record import CatalogueRecord
from evaluate_shelf.release.documents import Documents, Release

COLUMNS = ["id=id", "text=text", "lcc=lcc"]


def record(text: str, title: str = "", author: str = "") -> CatalogueRecord:
    return CatalogueRecord(
        "1", title, text, "eng", author, "", (), None, None, (), (), "books.mrc", 1
    )


def training(**columns: list[str | None]) -> TrainingRecords:
    return TrainingRecords(Documents(pa.table(columns), None))


@pytest.mark.parametrize(
    ("title", "author", "why"),
    [
        ("The bees", "Fabre, J.", WORK),
        ("THE BEES :", "fabre j", WORK),
        ("The bees", "", WORK),
        ("The bees", "Another", ""),
        ("The ants", "Fabre, J.", ""),
        ("The bees : their life", "Fabre, J.", WORK),
        ("The bees (3rd ed.)", "Fabre, J.", WORK),
        ("The bees, second edition : their life", "Fabre, J.", WORK),
        ("The bees : their life", "", ""),
        (" : The bees", "Another", ""),
        ("Poems, 2nd edition", "Anybody", WORK),
        ("Poems : a choice", "Anybody", ""),
        ("Poems", "Anybody", WORK),
        ("Poèmes", "Hugo, V.", WORK),
        ("Poemes", "", WORK),
        ("", "Fabre, J.", ""),
        ("...", "", ""),
    ],
)
def test_a_work_is_told_by_title_and_author(title: str, author: str, why: str) -> None:
    known = training(
        text=["one", "two", "three", "four"],
        title=["The Bees", "Poems", "Poèmes", None],
        author=["Fabre, J", None, "Hugo, V", "Fabre, J."],
    )
    assert known.why(record("another text", title, author)) == why


def test_a_release_without_titles_and_authors_is_told_by_its_texts() -> None:
    known = training(text=["A  book\nof Straße"])
    assert known.why(record("a BOOK of  STRASSE", "A book")) == TEXT
    assert known.why(record("a book of", "A book")) == ""
    assert training(text=["x"], title=["A book"]).why(record("y", "A book", "Anybody")) == WORK


WORDS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=8)


@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=5))
def test_what_it_was_trained_on_is_always_known(rows: list[tuple[str, str, str]]) -> None:
    texts, titles, authors = (list(column) for column in zip(*rows, strict=True))
    known = training(text=texts, title=titles, author=authors)
    assert all(known.why(record(*row)) == TEXT for row in rows)
    for text, title, author in rows:
        assert known.why(record(f"\n{text} ", title, author)) == TEXT
        assert known.why(record(f"{text} new words", title, author)) in (TEXT, WORK, "")
        if any(character.isalnum() for character in title):
            assert known.why(record(f"{text} new words", title, author)) != ""


def written(path: Path, rows: list[tuple[str, str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", "lcc"])
        writer.writerows((identity, text, f"{code}1") for identity, text, code in rows)
    return path


@pytest.fixture(scope="module")
def train_rows() -> list[tuple[str, str, str]]:
    train = Release.open(shipped_release()).documents("all", "train")
    rows = zip(train.ids, train.column("text"), train.column("lcc_code"), strict=True)
    # As another export of the catalogue may have them.
    return [(identity, f" {text.upper()}\n", code) for identity, text, code in rows][:200]


def test_the_estimate_is_that_of_the_other_records(
    scored: Any, documents: Any, train_rows: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    test_rows = list(zip(documents.ids, documents.texts, documents.classes, strict=True))
    alone = written(tmp_path / "alone.csv", test_rows)
    mixed = written(tmp_path / "mixed.csv", [*train_rows, *test_rows])
    out = tmp_path / "out.csv"
    of_test = apply_run(scored.request("tfidf", alone, columns=COLUMNS))
    found = apply_run(scored.request("tfidf", mixed, columns=COLUMNS, out=out))
    assert of_test.estimate is not None
    assert found.estimate is not None
    assert of_test.estimate.left_out == {}
    assert found.estimate.left_out == {TEXT: len(train_rows)}
    assert found.estimate._replace(left_out={}) == of_test.estimate
    assert found.classed == len(train_rows) + of_test.classed
    values = found.to_dict()["estimate"]
    assert values["left_out"] == {TEXT: len(train_rows)}
    assert values["records"] == len(test_rows)
    assert str(len(train_rows)) in found.to_text()
    with out.open(encoding="utf-8", newline="") as stream:
        marks = [row["in_training"] for row in csv.DictReader(stream)]
    assert marks == [TEXT] * len(train_rows) + [""] * len(test_rows)


def test_too_few_other_records_give_no_estimate(
    scored: Any, documents: Any, train_rows: list[tuple[str, str, str]], tmp_path: Path
) -> None:
    test_rows = list(zip(documents.ids, documents.texts, documents.classes, strict=True))
    for number in (FEWEST - 1, 0):
        table = written(tmp_path / f"{number}.csv", [*train_rows, *test_rows[:number]])
        found = apply_run(scored.request("tfidf", table, columns=COLUMNS)).estimate
        assert found is not None
        assert (found.records, found.left_out) == (number, {TEXT: len(train_rows)})
        assert (found.accuracy, found.macro_f1, found.bands, found.by_class) == (None, None, (), {})
