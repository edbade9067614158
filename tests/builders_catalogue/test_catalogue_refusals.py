"""What cannot become a corpus is refused with the reason, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from made_library import ONE_WORK, SOUND, THIN, entry, works_of_class
from marc_samples import utf8, xml
from pymarc import Record

from builders.corpora.catalogue.request import Choice, check_choice, marc_request, table_request
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.column_mapping import ColumnMapping, parse_mapping


def marc_file(path: Path, records: list[Record]) -> Path:
    path.write_bytes(b"".join(map(utf8, records)))
    return path


@pytest.mark.parametrize(
    ("records", "told"),
    [
        (works_of_class("Q"), ["class Q: 8 records", "there is 1", "more records"]),
        (THIN + ONE_WORK, ["class V", "3 records", "class Z", "two works", "--minimum-records"]),
        (
            [entry("a", "One", ""), entry("b", "Two", "LAW")],
            ["2 records read, 0 kept", "no LCC number 1", "not an LCC number 1", "QA76.9"],
        ),
    ],
    ids=["one class", "thin classes", "no class"],
)
def test_fewer_than_two_classes_are_refused_with_the_counts(
    tmp_path: Path, import_marc: Any, records: list[Record], told: list[str]
) -> None:
    path = marc_file(tmp_path / "few.mrc", records)
    with pytest.raises(ShelfError) as refused:
        import_marc([path], tmp_path / "out")
    assert all(words in str(refused.value) for words in [*told, "few.mrc"])
    assert [own.name for own in tmp_path.iterdir()] == ["few.mrc"]


def test_a_language_that_no_record_has_is_refused_with_those_that_there_are(
    tmp_path: Path, import_marc: Any
) -> None:
    path = marc_file(tmp_path / "english.mrc", SOUND)
    with pytest.raises(ShelfError, match=r"another --language .*eng 32"):
        import_marc([path], tmp_path / "out", language="ger")


def test_a_lower_minimum_takes_a_class_in(tmp_path: Path, import_marc: Any) -> None:
    path = marc_file(tmp_path / "some.mrc", SOUND + THIN)
    manifest = import_marc([path], tmp_path / "out", minimum_records=2).manifest
    assert manifest.configs["catalogue"].counts["test"]["lcc_code"]["V"] == 1


def test_a_language_alone_is_kept(tmp_path: Path, import_marc: Any) -> None:
    german = [
        entry(f"g{code}{number}", f"Titel {code} {number}", f"{code}{number}", language="ger")
        for code in "QH"
        for number in range(1, 6)
    ]
    path = marc_file(tmp_path / "both.mrc", SOUND + german)
    manifest = import_marc([path], tmp_path / "out", language="ger").manifest
    assert sum(manifest.rows_of("catalogue").values()) == 10


@pytest.mark.parametrize(
    "name",
    ["all", "ALL", "default", "v0_4_core", "transfer_gutenberg", "transfer_lcshbench",
     "same_lcc_pairs", "lcc_retrieval", "lcc_classification", "topic_classification", "a-corpus",
     "", "1st", "a b", "../up", "a" * 61, "é"],
)  # fmt: skip
def test_names_that_are_taken_or_no_names_are_refused(name: str) -> None:
    with pytest.raises(ShelfError, match="--name"):
        check_choice(Choice(name=name))


def test_another_name_is_that_of_all_its_configs(
    tmp_path: Path, files: list[Path], import_marc: Any
) -> None:
    manifest = import_marc(files, tmp_path / "out", name="arkham_1890").manifest
    assert all(name.startswith("arkham_1890") for name in manifest.configs)
    assert set(manifest.configs) >= {"arkham_1890_same_lcc_pairs", "arkham_1890-corpus"}


@pytest.mark.parametrize(
    ("changes", "option"),
    [
        ({"minimum_records": 1}, "--minimum-records"),
        ({"language": " "}, "--language"),
        ({"source": "two\nlines"}, "--source"),
        ({"licence": "x" * 201}, "--licence"),
    ],
)
def test_wrong_options_are_named(changes: dict[str, Any], option: str) -> None:
    with pytest.raises(ShelfError, match=option):
        check_choice(Choice(**changes))


def test_files_that_rows_could_not_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one = marc_file(tmp_path / "a.mrc", SOUND)
    same_name = marc_file(tmp_path / "other" / "a.mrc", SOUND)
    cut = marc_file(tmp_path / "b\x1b[2J.mrc", SOUND)
    bytes_in_name = marc_file(Path(f"{tmp_path}/c\udcff.mrc"), SOUND)
    for given, reason in (
        ([one, one], "named twice"),
        ([one, same_name], "same name"),
        ([cut], "rename"),
        ([bytes_in_name], "rename"),
        ([tmp_path], "folder"),
        ([tmp_path / "absent.mrc"], "cannot be read"),
    ):
        with pytest.raises(ShelfError, match=reason):
            marc_request(given, Choice())


def test_a_table_needs_the_columns_that_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "books.csv"
    path.write_text("Title,LCC\nBees,QL568\n")
    for columns, choice, reason in (
        (["title=Title"], Choice(), "lcc=COLUMN"),
        (["title=Name", "lcc=LCC"], Choice(), "Name"),
        (["title=Title", "lcc=LCC"], Choice(language="eng"), "language=COLUMN"),
    ):
        with pytest.raises(ShelfError, match=reason):
            table_request(path, parse_mapping(columns), choice)
    with pytest.raises(ShelfError, match="title or text"):
        table_request(path, ColumnMapping(lcc="LCC"), Choice())


def test_a_document_type_declaration_is_refused_and_leaves_nothing(
    tmp_path: Path, import_marc: Any
) -> None:
    path = tmp_path / "bomb.xml"
    path.write_bytes(xml(SOUND, '<!DOCTYPE x [<!ENTITY a "b">]>'))
    with pytest.raises(ShelfError, match=r"bomb\.xml"):
        import_marc([path], tmp_path / "out")
    assert [own.name for own in tmp_path.iterdir()] == ["bomb.xml"]


def test_nothing_but_a_release_is_replaced(
    tmp_path: Path, files: list[Path], import_marc: Any
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("mine")
    with pytest.raises(ShelfError, match="no release folder"):
        import_marc(files, tmp_path / "out")
    assert (tmp_path / "out" / "thesis.txt").read_text() == "mine"
