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
    assert checked.errors == ()


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


def test_an_unknown_derivation_is_an_error_beside_what_is_wrong(
    shelf: Shelf, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("27<!--= models -->\n0.5<!--= wish -->\n", encoding="utf-8")
    result = shelf("check-numbers", "a.md")
    assert result.returncode == 2
    assert result.stdout.startswith("a.md, line 1: 27 is written, 28 follows")
    assert "a.md, line 2: unknown derivation 'wish'" in result.stderr
    assert "Traceback" not in result.stderr


def test_files_that_cannot_be_checked_are_refused(shelf: Shelf, tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes("Büro 1<!--= models -->".encode("latin-1"))
    (tmp_path / "open.md").write_text("1<!--= models", encoding="utf-8")
    for name, said in (("none.md", "cannot be read"), ("latin.md", "not UTF-8"), (".", "read")):
        with pytest.raises(ShelfError, match=said):
            check_numbers(tmp_path / name)
    result = shelf("check-numbers", "open.md")
    assert result.returncode == 2
    assert "open.md, line 1: a marker has no end" in result.stderr
    assert shelf("check-numbers").returncode == 2


def test_derivations_are_listed(shelf: Shelf) -> None:
    result = shelf("check-numbers", "--derivations")
    assert result.returncode == 0
    assert "agreement FORMULATION CORPUS CORPUS STATISTIC [PANEL]" in result.stdout
