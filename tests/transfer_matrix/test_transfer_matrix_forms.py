"""Forms: what is written can be read again, and says what has to be known."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.transfer_matrix import Matrix, corpora_named, read_matrix, transfer_matrix
from evaluate_shelf.transfer_matrix.cell import FitFacts
from evaluate_shelf.transfer_matrix.forms import as_csv, as_markdown, as_text, notes, write_matrix


@pytest.fixture(scope="module")
def matrix(corpora, tmp_path_factory: pytest.TempPathFactory) -> Matrix:
    return transfer_matrix(corpora, work=tmp_path_factory.mktemp("cells"))


def test_json_is_read_again(matrix: Matrix, tmp_path: Path) -> None:
    write_matrix(tmp_path / "m.json", matrix)
    assert read_matrix(tmp_path / "m.json") == matrix


def test_every_form_has_every_cell(matrix: Matrix, tmp_path: Path) -> None:
    for form in (as_text, as_markdown):
        text = form(matrix)
        for cell in matrix.cells:
            assert f"{cell.macro_f1:.3f} [{cell.low:.3f}, {cell.high:.3f}]" in text
    lines = list(csv.DictReader(io.StringIO(as_csv(matrix))))
    assert [(line["train"], line["test"]) for line in lines] == [
        (cell.train, cell.test) for cell in matrix.cells
    ]
    assert [float(line["macro_f1"]) for line in lines] == [c.macro_f1 for c in matrix.cells]
    for suffix in (".md", ".csv", ".txt", ".json"):
        write_matrix(tmp_path / f"m{suffix}", matrix)
        assert (tmp_path / f"m{suffix}").stat().st_size


def test_a_fit_that_did_not_converge_is_said(matrix: Matrix) -> None:
    assert not any("converge" in note for note in notes(matrix))
    bad = FitFacts(iterations=2000, gradient_norm=1e-3, converged=False)
    cells = tuple(
        cell.model_copy(update={"fit": bad}) if cell.train == "bird" else cell
        for cell in matrix.cells
    )
    said = notes(matrix.model_copy(update={"cells": cells}))
    (note,) = [note for note in said if "converge" in note]
    assert note.startswith("bird: ")


def test_missing_classes_are_said_by_name(matrix: Matrix) -> None:
    unknown = matrix.cell("fish", "bird").unknown
    (note,) = [note for note in notes(matrix) if note.startswith("fish to bird: there is nothing")]
    assert all(name in note for name in unknown)


def test_a_table_survives_a_pipe_and_a_formula_in_a_name(release, made, tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match="NAME=RELEASE"):
        corpora_named([f"=x={release('fish', made(60, 3, 'fish'))}"])
    with pytest.raises(ShelfError, match="NAME=RELEASE"):
        corpora_named(["a|b=folder"])


def test_what_is_no_matrix_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    with pytest.raises(ShelfError, match="no such file"):
        read_matrix(file)
    for text in ("", "[]", "{}", '{"cells": NaN}'):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ShelfError, match="no transfer matrix"):
            read_matrix(file)


@pytest.mark.parametrize("lost", ["cell", "corpus", "everything", "order"])
def test_a_matrix_that_lacks_a_cell_is_refused(matrix: Matrix, tmp_path: Path, lost: str) -> None:
    changes = {
        "cell": {"cells": matrix.cells[1:]},
        "corpus": {"corpora": (*matrix.corpora, matrix.corpora[0])},
        "everything": {"cells": (), "corpora": ()},
        "order": {"cells": matrix.cells[::-1]},
    }
    write_matrix(tmp_path / "m.json", matrix)
    values = matrix.model_copy(update=changes[lost]).model_dump(mode="json")
    (tmp_path / "m.json").write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(ShelfError, match=r"m\.json: no transfer matrix: .*--out"):
        read_matrix(tmp_path / "m.json")


def test_the_split_is_said_to_be_another_than_the_releases(matrix: Matrix) -> None:
    (note,) = [note for note in notes(matrix) if "split anew" in note]
    assert "70 to 30" in note
    assert note in as_text(matrix)
    assert note in as_markdown(matrix)


def test_one_of_a_thing_is_no_plural(matrix: Matrix) -> None:
    facts = {"n_train": 1, "n_test": 1, "classes_tested": ("A",)}
    cells = tuple(cell.model_copy(update={"n_test": 1, "repeated": 1}) for cell in matrix.cells)
    corpora = tuple(own.model_copy(update=facts) for own in matrix.corpora)
    settings = matrix.settings.model_copy(update={"words": 1})
    one = matrix.model_copy(update={"cells": cells, "corpora": corpora, "settings": settings})
    text = as_text(one)
    assert not re.search(r"\b1 (classes|documents|tested texts|words|are)\b", text)
    assert re.search(r"\b2 resamples|2,000 resamples", text)


def test_a_file_of_no_known_form_is_refused(matrix: Matrix, tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match="has to end in"):
        write_matrix(tmp_path / "m.pdf", matrix)
    assert not (tmp_path / "m.pdf").exists()


def test_a_cell_that_is_not_there_is_named(matrix: Matrix) -> None:
    with pytest.raises(ShelfError, match="'bees'"):
        matrix.cell("bees", "fish")
