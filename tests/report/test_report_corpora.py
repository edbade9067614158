"""Label terms and generator attribution in a report, for each release that was given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from planted_documents import document, write_documents
from shelf_process import Shelf

pytest.importorskip("matplotlib")
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release
from evaluate_shelf.report.building import report_of
from evaluate_shelf.report.document import Block, Paragraph, Section, Table
from evaluate_shelf.report.evidence import Evidence
from evaluate_shelf.report.sections.attributions import attributions
from evaluate_shelf.report.sections.label_terms import label_term_counts


def evidence_on(folder: Path, name: str = "release") -> Evidence:
    return Evidence(releases=((name, Release.open(folder)),))


def tables(section: Section) -> list[Table]:
    return [block for block in section.blocks if isinstance(block, Table)]


def said(section: Section, kind: str) -> str:
    blocks: tuple[Block, ...] = section.blocks
    return " ".join(b.text for b in blocks if isinstance(b, Paragraph) and b.kind == kind)


def test_without_a_release_both_sections_say_so() -> None:
    for section in (label_term_counts(Evidence()), attributions(Evidence())):
        assert "No release was given" in said(section, "absent")
        assert tables(section) == []


def test_one_generation_is_a_sentence_and_no_table() -> None:
    section = label_term_counts(evidence_on(shipped_release()))
    by_facet, removed = tables(section)
    assert {row[0] for row in by_facet.rows} >= {"lcc_name", "lcgft_form", "topics"}
    assert [row[0] for row in removed.rows] == ["all"]
    assert "one generation, 0.4.0" in said(section, "note")


def test_one_generator_is_a_sentence_and_no_table(tmp_path: Path) -> None:
    rows = [document(number, model="one") for number in range(200)]
    section = attributions(evidence_on(write_documents(tmp_path, rows)))
    assert tables(section) == []
    assert "one generator" in said(section, "absent")
    assert "one (40 test documents)" in said(section, "absent")


@pytest.mark.slow
def test_generations_and_generators_stand_as_their_commands_count_them(
    shelf: Shelf, tmp_path: Path
) -> None:
    assert shelf("build", "all", "--documents", "600", "--out", "two").returncode == 0
    report = report_of(evidence_on(tmp_path / "two", str(tmp_path / "two")))
    [terms, told] = [s for s in report.sections if s.key in ("label-terms", "attribution")]
    options = ("--config", "all", "--json")
    counted = json.loads(shelf("label-terms", "two", *options).stdout)
    _, by_generation, removed = tables(terms)
    generations = [row["value"] for row in counted["removed"] if row["by"] == "generation"]
    assert len(generations) == 2
    assert by_generation.header == ("facet", *(f"generation {own}" for own in generations))
    shares = {
        (row["facet"], row["value"]): row["share_in_first_200_words"]
        for row in counted["names"]
        if row["by"] == "generation"
    }
    for facet, *cells in by_generation.rows:
        assert cells == [f"{100 * shares[facet, own]:.1f} %" for own in generations]
    assert [row[0] for row in removed.rows] == ["all", *by_generation.header[1:]]
    found = json.loads(shelf("attribution", "two", *options).stdout)
    values, confusion = tables(told)
    assert values.rows[0][1].startswith(f"{found['accuracy']['value']:.3f} [")
    assert [list(row[1:]) for row in confusion.rows] == [
        [f"{count:,}" for count in row] for row in found["confusion"]
    ]
