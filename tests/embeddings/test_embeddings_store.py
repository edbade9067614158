"""Vectors on disk: written once, resumed behind the last flush, refused where damaged."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from evaluate_shelf.embeddings import store as module
from evaluate_shelf.embeddings.encoding import Encoding, encode_all
from evaluate_shelf.embeddings.store import Stored, encode_into, stored_vectors
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import Vectors

IDS = [f"d{n}" for n in range(22)]
TEXTS = ["x" * (n % 7 + 1) for n in range(22)]


class Lengths:
    """A vector that says in which batch its text was: as noise of a real encoder would."""

    def __init__(self, fail_at: int | None = None) -> None:
        self.calls = 0
        self.fail_at = fail_at
        self.tokens = 0
        self.unreported = 0

    def encode(self, texts: Sequence[str], *, role: str) -> Vectors:
        self.calls += 1
        if self.calls == self.fail_at:
            raise KeyboardInterrupt
        self.tokens += sum(map(len, texts))
        return np.array(
            [[len(text), len(texts), max(map(len, texts))] for text in texts], np.float32
        )

    def count_cut(self, texts: Sequence[str], *, role: str = "document") -> int:
        return sum(len(text) > 5 for text in texts)


def stored(folder: Path, model: Lengths, ids: list[str] = IDS, texts: list[str] = TEXTS) -> Stored:
    return encode_into(folder, len(ids), lambda: Encoding(model, ids, texts, "document", 4))


@pytest.fixture
def flushed_at_every_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_SECONDS_BETWEEN_CHECKPOINTS", -1.0)


@pytest.mark.usefixtures("flushed_at_every_batch")
@pytest.mark.parametrize("fail_at", [1, 2, 3, 6])
def test_a_store_resumes_behind_the_last_whole_batch(tmp_path: Path, fail_at: int) -> None:
    whole = encode_all(Lengths(), IDS, TEXTS, role="document", batch_size=4)
    with pytest.raises(KeyboardInterrupt):
        stored(tmp_path / "s", Lengths(fail_at))
    second = Lengths()
    resumed = stored(tmp_path / "s", second)
    np.testing.assert_array_equal(resumed.vectors, whole)
    assert second.calls == 6 - (fail_at - 1)
    third = Lengths()
    np.testing.assert_array_equal(stored(tmp_path / "s", third).vectors, whole)
    assert third.calls == 0


@pytest.mark.parametrize("fail_at", [None, 3])
def test_counts_of_tokens_and_of_cut_texts_survive_a_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fail_at: int | None
) -> None:
    if fail_at:
        monkeypatch.setattr(module, "_SECONDS_BETWEEN_CHECKPOINTS", -1.0)
        with pytest.raises(KeyboardInterrupt):
            stored(tmp_path / "s", Lengths(fail_at))
    state = stored(tmp_path / "s", Lengths()).state
    assert state.tokens == sum(map(len, TEXTS))
    assert state.cut == sum(len(text) > 5 for text in TEXTS)
    assert state.texts == len(TEXTS)


def test_what_was_not_flushed_is_encoded_again(tmp_path: Path) -> None:
    """Rows that were written behind the last flush may be torn: they are written again."""
    with pytest.raises(KeyboardInterrupt):
        stored(tmp_path / "s", Lengths(4))
    whole = encode_all(Lengths(), IDS, TEXTS, role="document", batch_size=4)
    second = Lengths()
    np.testing.assert_array_equal(stored(tmp_path / "s", second).vectors, whole)
    assert second.calls == 6


def test_an_unfinished_store_gives_no_vectors(tmp_path: Path) -> None:
    assert stored_vectors(tmp_path / "s", 22) is None
    with pytest.raises(KeyboardInterrupt):
        stored(tmp_path / "s", Lengths(2))
    assert stored_vectors(tmp_path / "s", 22) is None


def test_vectors_are_mapped_and_cannot_be_written(tmp_path: Path) -> None:
    vectors = stored(tmp_path / "s", Lengths()).vectors
    assert isinstance(vectors, np.memmap)
    with pytest.raises(ValueError, match="read-only"):
        vectors[0] = 0


@pytest.mark.parametrize("damage", ["cut", "flipped", "gone", "state", "other number"])
def test_a_damaged_store_is_refused_by_name(tmp_path: Path, damage: str) -> None:
    stored(tmp_path / "s", Lengths())
    file, state = tmp_path / "s" / "vectors.f32", tmp_path / "s" / "state.json"
    held = bytearray(file.read_bytes())
    if damage == "cut":
        file.write_bytes(held[:4])
    elif damage == "flipped":
        held[10] ^= 1
        file.write_bytes(held)
    elif damage == "gone":
        file.unlink()
    elif damage == "state":
        state.write_text("{")
    else:
        value = json.loads(state.read_text())
        state.write_text(json.dumps({**value, "texts": 21}))
    with pytest.raises(ShelfError, match="damaged"):
        stored(tmp_path / "s", Lengths())


@pytest.mark.usefixtures("flushed_at_every_batch")
@pytest.mark.parametrize("damage", ["emptied", "cut", "flipped"])
def test_an_unfinished_store_with_a_damaged_file_is_refused(tmp_path: Path, damage: str) -> None:
    """What was flushed must be what is there, or the resumed scores would be others."""
    with pytest.raises(KeyboardInterrupt):
        stored(tmp_path / "s", Lengths(4))
    file = tmp_path / "s" / "vectors.f32"
    held = bytearray(file.read_bytes())
    # The longest texts come first: the row of one of them.
    row = 12 * max(range(len(TEXTS)), key=lambda i: (len(TEXTS[i]), IDS[i]))
    held[row] ^= 1
    file.write_bytes({"emptied": b"", "cut": bytes(held[:-5]), "flipped": held}[damage])
    with pytest.raises(ShelfError, match="damaged"):
        stored(tmp_path / "s", Lengths())


def test_a_file_that_changes_while_it_is_written_is_not_sealed(tmp_path: Path) -> None:
    class Meddling(Lengths):
        def encode(self, texts: Sequence[str], *, role: str) -> Vectors:
            file = tmp_path / "s" / "vectors.f32"
            if self.calls == 5:
                file.write_bytes(b"\0" * file.stat().st_size)
            return super().encode(texts, role=role)

    with pytest.raises(ShelfError, match="damaged"):
        stored(tmp_path / "s", Meddling())
    assert stored_vectors(tmp_path / "s", 22) is None


def test_a_cache_that_takes_nothing_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ShelfError, match="SHELF_CACHE"):
        stored(tmp_path / "file" / "s", Lengths())


def test_a_full_disk_is_named_and_the_work_goes_on_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_SECONDS_BETWEEN_CHECKPOINTS", -1.0)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(module.os, "fsync", full)
        with pytest.raises(ShelfError, match="No space left"):
            stored(tmp_path / "s", Lengths())
    whole = encode_all(Lengths(), IDS, TEXTS, role="document", batch_size=4)
    np.testing.assert_array_equal(stored(tmp_path / "s", Lengths()).vectors, whole)
