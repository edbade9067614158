"""Real catalogues; run where `SHELF_TEST_DATA` names the folder that holds them."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pymarc import MARCReader

from builders.build import build
from builders.corpora.catalogue.recipes import catalogue_recipes
from builders.corpora.catalogue.request import (
    CatalogueRequest,
    Choice,
    marc_request,
    table_request,
)
from builders.request import BuildRequest
from evaluate_shelf.records.column_mapping import parse_mapping
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.release.manifest import SPLITS
from evaluate_shelf.release.verification import verify_release

pytestmark = pytest.mark.skipif(
    "SHELF_TEST_DATA" not in os.environ, reason="SHELF_TEST_DATA is not set"
)
VIRGINIA, CONGRESS = "uva_001_2000.mrc", "BooksAll.2014.part01-0001.mrc"


@pytest.fixture(scope="module")
def folder() -> Path:
    return Path(os.environ["SHELF_TEST_DATA"]) / "natural"


def imported(request: CatalogueRequest, out: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The rows and the report of an import that verifies."""
    known = catalogue_recipes(request)
    build(BuildRequest(tuple(known), out, "real", load_plan("standard")), None, known)
    verify_release(out)
    rows = [
        {**row, "split": path.name.split("-")[0]}
        for path in sorted((out / "data/catalogue").iterdir())
        for row in pq.read_table(path).to_pylist()
    ]
    report: dict[str, Any] = json.loads((out / "reports/records.json").read_text("utf-8"))
    return rows, report


def counts_in(text: str) -> Counter[str]:
    """Counts by class as a README has them: "A 13, B 130, ..."."""
    found = re.findall(r"\b([A-Z]) (\d+)\b", text)
    return Counter({letter: int(count) for letter, count in found})


def check_account(
    rows: list[dict[str, Any]], report: dict[str, Any], readme: Counter[str], total: int
) -> None:
    """Every record of the README is in the corpus, or the report says why it is not."""
    assert report["read"] == total
    assert report["unread"] == {}
    of_classes = [*report["classes"], *report["too_thin"]]
    assert {own["code"]: own["read"] for own in of_classes} == readme
    # Whatever of these was left out had a class, so it was left out as a repeat.
    repeats = sum(
        own["count"] for reason, own in report["left_out"].items() if reason.startswith("repeated")
    )
    assert sum(own["read"] - own["kept"] for own in of_classes) == repeats
    thin = {own["code"]: own["kept"] for own in report["too_thin"]}
    dropped = {own["code"]: own["read"] - own["kept"] for own in of_classes}
    in_corpus = Counter(row["lcc_code"] for row in rows)
    for code, count in readme.items():
        assert in_corpus[code] + dropped[code] + thin.get(code, 0) == count
    classless = total - sum(readme.values())
    assert sum(own["count"] for own in report["left_out"].values()) == repeats + classless
    split_of: dict[str, set[str]] = {}
    for row in rows:
        split_of.setdefault(row["group_id"], set()).add(row["split"])
    assert all(len(own) == 1 for own in split_of.values())
    assert {row["split"] for row in rows} == set(SPLITS)


def test_the_records_of_virginia(folder: Path, tmp_path: Path) -> None:
    readme = (folder / "marc/README.md").read_text("utf-8")
    classes = counts_in(readme.split(f"`{VIRGINIA}`: ")[1].split("In the Library of Congress")[0])
    assert sum(classes.values()) == 1827
    request = marc_request([folder / "marc" / VIRGINIA], Choice())
    rows, report = imported(request, tmp_path / "out")
    check_account(rows, report, classes, 2000)
    with (folder / "marc" / VIRGINIA).open("rb") as stream:
        titles = {own["001"].data.strip(): own["245"]["a"] for own in MARCReader(stream) if own}
    for row in rows:
        first_words = re.findall(r"\w+", titles[row["control_number"]])[:2]
        assert re.findall(r"\w+", row["title"])[: len(first_words)] == first_words


def test_the_records_of_the_library_of_congress(folder: Path, tmp_path: Path) -> None:
    readme = (folder / "marc/README.md").read_text("utf-8")
    classes = counts_in(readme.split("around 1900:")[1].split("Encoding")[0])
    request = marc_request([folder / "marc" / CONGRESS], Choice())
    rows, report = imported(request, tmp_path / "out")
    check_account(rows, report, classes, 100)
    assert {own["code"] for own in report["classes"]} == {c for c, n in classes.items() if n >= 5}


def test_both_files_together_are_both_files(folder: Path, tmp_path: Path) -> None:
    readme = (folder / "marc/README.md").read_text("utf-8")
    virginia, congress = readme.split("Main classes")[1].split("Encoding")[0].split("around 1900")
    classes = counts_in(virginia) + counts_in(congress)
    paths = [folder / "marc" / name for name in (VIRGINIA, CONGRESS)]
    rows, report = imported(marc_request(paths, Choice()), tmp_path / "out")
    check_account(rows, report, classes, 2100)
    assert {row["source_file"] for row in rows} == {VIRGINIA, CONGRESS}


def test_the_records_of_tib(folder: Path, tmp_path: Path) -> None:
    tib = folder / "subject_indexing/tib_sid_en"
    readme = (tib / "README.md").read_text("utf-8")
    classes = counts_in(readme.split("records in each main class:")[1].split("In the whole")[0])
    columns = ["id=id", "title=title", "text=abstract", "lcc=lcc", "year=year"]
    path = tib / "lcc_by_class.jsonl"
    request = table_request(path, parse_mapping(columns), Choice())
    rows, report = imported(request, tmp_path / "out")
    check_account(rows, report, classes, 2546)
    given = {own["id"]: own for own in map(json.loads, path.read_text("utf-8").splitlines())}
    for row in rows:
        own = given[row["control_number"]]
        assert " ".join(own["title"].split())[:40] == row["title"][:40]
        assert row["lcc_code"] in {number.strip()[0] for number in own["lcc"]}
