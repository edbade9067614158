"""What is done once, what is kept, and what goes on after an interruption."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.transfer_matrix import (
    Cell,
    LineReporter,
    Reporter,
    Settings,
    corpora_named,
    transfer_matrix,
)
from evaluate_shelf.transfer_matrix.row import row_of_cells
from evaluate_shelf.transfer_matrix.samples import samples
from evaluate_shelf.transfer_matrix.settings import matrix_protocol
from evaluate_shelf.transfer_matrix.vectors import encoded, training_vectors


class Lengths:
    """Counts letters, and remembers what it was given."""

    def __init__(self) -> None:
        self.encoded: list[str] = []
        self.fitted: list[list[str]] = []

    def encode(self, texts: Any, *, role: str) -> Any:
        self.encoded += texts
        return np.array([[text.count(c) + 1 for c in "0123x"] for text in texts], np.float32)


class Fitted(Lengths):
    def fit(self, texts: Any) -> Lengths:
        self.fitted.append(list(texts))
        return self


def workspace(model: Any) -> Workspace:
    protocol = matrix_protocol()
    return Workspace(model, resolve_model("wordllama", protocol).identity, protocol)


class Counter(Reporter):
    def __init__(self, stop_after: int | None = None) -> None:
        self.cells: list[Cell] = []
        self.damages: list[tuple[str, str, str]] = []
        self.stop_after = stop_after

    def damaged(self, train: str, test: str, reason: str) -> None:
        self.damages.append((train, test, reason))

    def cell(self, cell: Cell, done: int, total: int) -> None:
        self.cells.append(cell)
        if len(self.cells) == self.stop_after:
            raise KeyboardInterrupt


def test_a_model_is_fitted_on_what_is_learned_from_and_on_nothing_else(corpora) -> None:
    fish, bird = samples(corpora, Settings(words=4))
    model = Fitted()
    cells = list(row_of_cells(fish, [fish, bird], workspace(model)))
    assert [cell.cell.test for cell in cells] == ["fish", "bird"]
    assert model.fitted == [fish.texts_of("train")]
    expected = [*fish.texts_of("train"), *fish.texts_of("test"), *bird.texts_of("test")]
    assert sorted(model.encoded) == sorted(expected)
    assert max(len(text.split()) for text in model.encoded) == 4


def test_an_encoder_sees_each_corpus_once(corpora) -> None:
    fish, bird = samples(corpora, Settings())
    model = Lengths()
    space = workspace(model)
    for train in (fish, bird):
        list(row_of_cells(train, [fish, bird], space))
    texts = [text for own in corpora for text in own.documents.column("text")]
    assert sorted(model.encoded) == sorted(texts)
    row = fish.parts.test[0]
    text = fish.texts_of("test")[0]
    assert (
        encoded(fish, space)[row].tolist() == Lengths().encode([text], role="document")[0].tolist()
    )
    learned = training_vectors(fish, space)
    assert len(learned.vectors) == len(fish.parts.train)
    assert len(learned.of_test(bird)) == len(bird.parts.test)


def test_an_encoder_sees_of_equal_corpora_no_more_than_the_sample(corpora) -> None:
    fish, _ = samples(corpora, Settings(size="equal"))
    model = Lengths()
    learned = training_vectors(fish, workspace(model))
    assert len(model.encoded) == 80
    expected = Lengths().encode(fish.texts_of("train"), role="document")
    assert learned.vectors.tolist() == expected.tolist()


def test_whole_corpora_share_stored_vectors_with_evaluate(shipped, tmp_path: Path) -> None:
    from evaluate_shelf.evaluation import evaluate, prepare

    asked = prepare(
        shipped[0].data.release.folder,
        "all",
        task_ids=["lcc_classification"],
        protocol=load_protocol(),
        runs=tmp_path / "runs",
        store=tmp_path / "store",
    )
    evaluate(["wordllama"], asked)
    before = {path.name for path in (tmp_path / "store").iterdir()}
    transfer_matrix(shipped, "wordllama", work=tmp_path / "work", store=tmp_path / "store")
    assert {path.name for path in (tmp_path / "store").iterdir()} == before
    settings = Settings(words=9)
    transfer_matrix(
        shipped, "wordllama", settings, work=tmp_path / "work", store=tmp_path / "store"
    )
    assert len({path.name for path in (tmp_path / "store").iterdir()}) > len(before)


def test_an_interrupted_matrix_goes_on_where_it_stopped(corpora, tmp_path: Path) -> None:
    expected = transfer_matrix(corpora, work=tmp_path / "whole")
    work = tmp_path / "work"
    for done in (1, 3):
        stopped = Counter(stop_after=done - len(files(work)))
        with pytest.raises(KeyboardInterrupt):
            transfer_matrix(corpora, work=work, reporter=stopped)
        assert len(files(work)) == done
    rest = Counter()
    assert transfer_matrix(corpora, work=work, reporter=rest) == expected
    assert [(cell.train, cell.test) for cell in rest.cells] == [("bird", "bird")]
    assert files(work) == files(tmp_path / "whole")
    again = Counter()
    assert transfer_matrix(corpora, work=work, reporter=again) == expected
    assert not again.cells


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*"))}


def test_neither_names_nor_order_nor_further_corpora_make_a_cell_anew(
    corpora, release, made, tmp_path: Path
) -> None:
    work = tmp_path / "work"
    matrix = transfer_matrix(corpora, work=work)
    folders = [corpus.data.release.folder for corpus in corpora]
    third = release("third", made(40, 2, "wasp"))
    named = corpora_named([f"w={third}", f"b={folders[1]}", f"f={folders[0]}"])
    counter = Counter()
    larger = transfer_matrix(named, work=work, reporter=counter)
    assert {frozenset((cell.train, cell.test)) for cell in counter.cells} == {
        frozenset("w"), frozenset("wb"), frozenset("wf")
    }  # fmt: skip
    names = {"f": "fish", "b": "bird"}
    for train in names:
        for test in names:
            renamed = {"train": names[train], "test": names[test]}
            own = larger.cell(train, test).model_copy(update=renamed)
            assert own == matrix.cell(names[train], names[test])


@pytest.mark.parametrize(
    "settings", [Settings(size="equal"), Settings(words=5), Settings(split="documents")]
)
def test_other_settings_are_other_cells(corpora, tmp_path: Path, settings: Settings) -> None:
    work = tmp_path / "work"
    transfer_matrix(corpora, work=work)
    counter = Counter()
    transfer_matrix(corpora, settings=settings, work=work, reporter=counter)
    # The smaller corpus is the same at either size, and so is its score on itself.
    assert len(counter.cells) == (3 if settings.size == "equal" else 4)
    other = Counter()
    transfer_matrix(corpora, "tf-full", settings, work=work, reporter=other)
    assert len(other.cells) == 4


def other_score(text: str) -> str:
    value = json.loads(text)
    value["resampled"]["cell"]["macro_f1"] = 0.5
    return json.dumps(value)


def other_replicates(text: str) -> str:
    value = json.loads(text)
    value["resampled"]["replicates"][0] = 0.123
    return json.dumps(value)


def without_hash(text: str) -> str:
    return json.dumps(json.loads(text)["resampled"])


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:-20],
        lambda text: "\x00" * len(text),
        lambda text: "[]",
        lambda text: text + " " * 20 * 2**20,
        other_score,
        other_replicates,
        without_hash,
    ],
    ids=["empty", "cut", "zeros", "list", "huge", "score", "replicates", "unhashed"],
)
def test_a_damaged_cell_is_named_and_computed_again(corpora, tmp_path: Path, damage) -> None:
    work = tmp_path / "work"
    expected = transfer_matrix(corpora, work=work)
    whole = files(work)
    file = min(work.iterdir())
    file.write_text(damage(file.read_text(encoding="utf-8")), encoding="utf-8")
    counter, lines = Counter(), []
    assert transfer_matrix(corpora, work=work, reporter=counter) == expected
    [(*pair, reason)] = counter.damages
    assert str(file) in reason
    assert [(cell.train, cell.test) for cell in counter.cells] == [tuple(pair)]
    assert files(work) == whole
    LineReporter(lines.append, lines.append, print).damaged(*pair, reason)
    assert all(word in lines[0] for word in (*pair, str(file)))


def test_a_cell_under_the_name_of_another_is_not_taken_for_it(corpora, tmp_path: Path) -> None:
    work = tmp_path / "work"
    expected = transfer_matrix(corpora, work=work)
    first, second, *_ = sorted(work.iterdir())
    second.write_bytes(first.read_bytes())
    counter = Counter()
    assert transfer_matrix(corpora, work=work, reporter=counter) == expected
    assert len(counter.damages) == len(counter.cells) == 1


def test_a_cell_that_cannot_be_read_is_named_with_what_to_do(corpora, tmp_path: Path) -> None:
    transfer_matrix(corpora, work=tmp_path / "work")
    file = min((tmp_path / "work").iterdir())
    file.unlink()
    file.mkdir()
    with pytest.raises(ShelfError, match=f"{file.name}: the stored cell cannot be read.*--work"):
        transfer_matrix(corpora, work=tmp_path / "work")
