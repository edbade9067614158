"""`shelf check-numbers`: what it says, its status, and that the project's own numbers follow."""

from __future__ import annotations

from pathlib import Path

import pytest
from shelf_process import Shelf

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.report.numbers.checking import check_numbers

CHECKOUT = Path(__file__).resolve().parents[2]
OWN = (
    "README.md",
    "CHANGELOG.md",
    "configs/reported/README.md",
    *(str(file.relative_to(CHECKOUT)) for file in sorted(CHECKOUT.glob("dataset_card/*.md"))),
)


@pytest.mark.parametrize("name", OWN)
def test_every_marked_number_of_the_project_follows(name: str) -> None:
    checked = check_numbers(CHECKOUT / name)
    assert [str(difference) for difference in checked.differences] == []
    assert checked.refused == ()


def test_the_reported_scores_documentation_is_marked() -> None:
    assert check_numbers(CHECKOUT / "configs/reported/README.md").numbers >= 100


def test_a_number_that_no_longer_follows_is_named(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("28<!--= models --> models\n", encoding="utf-8")
    (tmp_path / "bad.md").write_text(
        "# Title\n\n0.871<!--= agreement classification all transfer_gutenberg spearman -->\n"
        "and 0.870<!--= agreement classification all transfer_gutenberg spearman -->\n",
        encoding="utf-8",
    )
    good = shelf("check-numbers", "good.md")
    assert (good.returncode, good.stdout) == (0, "")
    both = shelf("check-numbers", "good.md", "bad.md")
    assert both.returncode == 1
    assert both.stdout == (
        "bad.md, line 3: 0.871 is written, 0.870 follows from "
        "agreement classification all transfer_gutenberg spearman\n"
    )


def test_every_file_is_checked_and_everything_found_in_the_order_of_lines(
    shelf: Shelf, tmp_path: Path
) -> None:
    texts = {
        "a.md": "0.5<!--= wish -->\n27<!--= models -->\n\n28<!-- models -->\n",
        "b.md": "28<!--= models -->\n",
        "c.md": "1<!--= models",
        "d.md": "25<!--= panel_models -->\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    result = shelf("check-numbers", *texts)
    assert result.returncode == 1
    places = [line.partition(":")[0] for line in result.stdout.splitlines()]
    assert places == [
        "a.md, line 1",
        "a.md, line 2",
        "a.md, line 4",
        "c.md, line 1",
        "d.md, line 1",
    ]
    assert "unknown derivation 'wish'" in result.stdout
    assert [line.partition(":")[0] for line in result.stderr.splitlines()] == list(texts)


def test_files_that_cannot_be_checked_are_refused(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes("Büro 1<!--= models -->".encode("latin-1"))
    for name, said in (("none.md", "cannot be read"), ("latin.md", "not UTF-8"), (".", "read")):
        with pytest.raises(ShelfError, match=said):
            check_numbers(tmp_path / name)
    (tmp_path / "bad.md").write_text("27<!--= models -->", encoding="utf-8")
    result = shelf("check-numbers", "none.md", "bad.md", "latin.md")
    assert result.returncode == 2
    assert result.stdout.startswith("bad.md, line 1: 27 is written")
    assert "none.md: cannot be read" in result.stderr
    assert "latin.md: cannot be read: not UTF-8" in result.stderr
    assert shelf("check-numbers").returncode == 2


def test_derivations_are_listed(shelf: Shelf) -> None:
    result = shelf("check-numbers", "--derivations")
    assert result.returncode == 0
    assert "agreement FORMULATION CORPUS CORPUS STATISTIC [PANEL]" in result.stdout
