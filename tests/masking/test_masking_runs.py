"""Models read the texts of an arm, runs say so, and no vector is taken for another text's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evaluate_shelf import evaluate
from evaluate_shelf.application.scored_run import open_scored_run
from evaluate_shelf.diagnostics.masking import treatment
from evaluate_shelf.diagnostics.masking.removal import NOTHING_LEFT, removed
from evaluate_shelf.diagnostics.masking.terms import terms_of_rows
from evaluate_shelf.diagnostics.masking.tokens import n_tokens
from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.evaluation.rescore import rescored_differences
from evaluate_shelf.formulations import workspace
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.sides import texts_of
from evaluate_shelf.mteb_tasks import mteb_tasks
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.release.documents import Documents, Release
from evaluate_shelf.release.manifest import SPLITS
from evaluate_shelf.runs.reading import Run

RELEASE = Release.open(shipped_release())
ARMS = ("masked", "sham")
TASKS = ["lcc_retrieval", "same_lcc_pairs", "instruction_same_subject_diff_form"]
FULL = {
    split: dict(zip(own.ids, own.column("text"), strict=True))
    for split in SPLITS
    for own in [RELEASE.documents("all", split)]
}
TERMS = {
    identity: terms
    for split in SPLITS
    for own in [RELEASE.documents("all", split)]
    for identity, terms in zip(own.ids, terms_of_rows(own.table, "all"), strict=True)
}


class Words:
    """Counts hashed words, and keeps what it has read."""

    name = "words"
    revision = "1"

    def __init__(self) -> None:
        self.read: list[str] = []

    def encode(self, texts: Sequence[str], *, role: str) -> np.ndarray:
        self.read += texts
        vectors = np.ones((len(texts), 32), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, sum(word.encode()) % 32] += 1
        return vectors


def scored(arm: str | None, folder: Path, model: object | None = None, **changes: object) -> Run:
    protocol = "shelf-1" if arm is None else f"shelf-1+text-{arm}"
    asked = {"tasks": TASKS, "runs": folder / "runs", "store": folder / "store", **changes}
    [run] = evaluate(model or Words(), shipped_release(), protocol=protocol, **asked)
    return run


def items_of(run: Run, task: str) -> pa.Table:
    return pq.read_table(run.checked(f"items/{task}.parquet"))


@pytest.mark.parametrize("arm", ARMS)
def test_every_document_reads_its_own_arm(arm: str) -> None:
    data = TaskData(RELEASE, "all", text=arm)
    for split in SPLITS:
        documents = getattr(data, split)
        for identity, text in zip(documents.ids, documents.column("text"), strict=True):
            full = FULL[split][identity]
            own, lost = removed(arm, identity, full, TERMS[identity])
            assert text == own
            assert n_tokens(full) - n_tokens(text) == lost
    assert data.all.column("text") == [*data.corpus.column("text"), *data.test.column("text")]
    of_test = data.test.column("text")
    assert data.test.take([3, 1]).column("text") == [of_test[3], of_test[1]]
    assert data.test.column("title") == RELEASE.documents("all", "test").column("title")


def test_both_arms_lose_as_much_of_each_document_and_say_so() -> None:
    found = [TaskData(RELEASE, "all", text=arm).removed for arm in ARMS]
    assert found[0] == found[1]
    lost = [
        removed("masked", identity, text, TERMS[identity]).tokens
        for split in SPLITS
        for identity, text in FULL[split].items()
    ]
    assert found[0] is not None
    assert (found[0].documents, found[0].tokens) == (len(lost), sum(lost))
    assert found[0].changed == sum(count > 0 for count in lost) > 100
    assert found[0].emptied == 0
    assert TaskData(RELEASE, "all").removed is None


@pytest.mark.parametrize("arm", ARMS)
def test_both_sides_of_a_pair_lose_their_own_terms(arm: str) -> None:
    data = TaskData(RELEASE, "same_lcc_pairs", text=arm)
    pairs = RELEASE.documents("same_lcc_pairs", "test")
    assert data.test.ids == pairs.ids
    lost = {}
    for side in ("a", "b"):
        ids = pairs.column(f"doc_{side}_id")
        full = texts_of(pairs, side)
        for identity, text, before in zip(ids, data.side_texts(side), full, strict=True):
            own, lost[identity] = removed(arm, identity, before, TERMS[identity])
            assert text == own
    assert data.removed == treatment.RemovedTokens(
        len(lost), sum(count > 0 for count in lost.values()), 0, sum(lost.values())
    )
    assert sum(lost.values()) > 0
    assert TaskData(RELEASE, "same_lcc_pairs").side_texts("a") == texts_of(pairs, "a")


def test_a_smoke_run_treats_its_own_documents_alone() -> None:
    data = TaskData(RELEASE, "all", 7, "masked")
    assert data.removed is not None
    assert data.removed.documents == 21
    assert data.test.column("text") == [
        removed("masked", identity, FULL["test"][identity], TERMS[identity]).text
        for identity in data.test.ids
    ]


def test_runs_of_the_arms(tmp_path: Path) -> None:
    runs = {arm: scored(arm, tmp_path) for arm in (None, *ARMS)}
    assert len({run.file.run_id for run in runs.values()}) == 3
    assert len({run.file.protocol.key for run in runs.values()}) == 3
    for arm, run in runs.items():
        assert {record.status for record in run.file.tasks.values()} == {"done"}
        assert rescored_differences(run.folder, shipped_release()) == []
        kept = json.loads((run.folder / "run.json").read_text("utf-8"))
        if arm is None:
            assert "removed" not in kept
            continue
        assert set(kept["removed"]) == {"all", "same_lcc_pairs"}
        for config, own in kept["removed"].items():
            expected = TaskData(RELEASE, config, text=arm).removed
            assert expected is not None
            assert own["tokens"] == expected.tokens
            assert (own["documents"], own["changed"]) == (expected.documents, expected.changed)
            assert own["mean_tokens"] == pytest.approx(own["tokens"] / own["documents"], abs=1e-6)
    for task in TASKS:
        items = [items_of(run, task) for run in runs.values()]
        assert not any(items[0].equals(other) for other in items[1:]), task


def test_every_text_that_a_model_reads_is_of_the_arm(tmp_path: Path) -> None:
    models = {arm: Words() for arm in (None, *ARMS)}
    for arm, model in models.items():
        scored(arm, tmp_path, model)
    read = {arm: set(model.read) for arm, model in models.items()}
    changed = [
        text
        for split in SPLITS
        for identity, text in FULL[split].items()
        if removed("masked", identity, text, TERMS[identity]).tokens
    ]
    for text in changed:
        assert text in read[None]
        for arm in ARMS:
            assert not any(text in own for own in read[arm])
    # Queries with an instruction too: the test documents stand behind it.
    instructed = [text for text in read["masked"] if text.startswith("Instruct: ")]
    assert len(instructed) == len(FULL["test"])
    assert len(read["masked"]) == len(read[None])


def test_vectors_of_the_arms_are_kept_apart(tmp_path: Path) -> None:
    first, again = Words(), Words()
    for arm in (None, *ARMS):
        before = len(first.read)
        scored(arm, tmp_path, first)
        assert len(first.read) > before
    kept = sorted(path.name for path in (tmp_path / "store").iterdir() if path.is_dir())
    # Texts, queries with an instruction, and texts of pairs, in each of three arms.
    assert len(kept) == 9
    for arm in (None, *ARMS):
        old = scored(arm, tmp_path)
        new = scored(arm, tmp_path, again, runs=tmp_path / "other runs")
        assert all(encoding.from_store for encoding in new.file.encodings())
        for task in TASKS:
            assert items_of(old, task).equals(items_of(new, task))
        assert old.file.removed == new.file.removed
    assert not again.read


def test_the_key_of_whole_texts_in_the_store_is_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: list[dict[str, object]] = []
    hashed = workspace.sha256_of_json

    def seen(value: dict[str, object]) -> str:
        keys.append(value)
        return hashed(value)

    monkeypatch.setattr(workspace, "sha256_of_json", seen)
    for arm in (None, *ARMS):
        scored(arm, tmp_path, tasks=["lcc_retrieval"])
    of_full, of_masked, of_sham = keys
    known = "model attribute prompts max_tokens batch_size threads libraries content limit field"
    assert set(of_full) == {*known.split(), "role"}
    assert of_masked == {**of_full, "text": "masked"}
    assert of_sham == {**of_full, "text": "sham"}


def test_a_run_goes_on_with_tasks_of_another_config(tmp_path: Path) -> None:
    one = scored("masked", tmp_path, tasks=["same_lcc_pairs"])
    assert set(one.file.removed or {}) == {"same_lcc_pairs"}
    both = scored("masked", tmp_path, tasks=["lcc_retrieval"])
    assert both.file.run_id == one.file.run_id
    assert set(both.file.removed or {}) == {"same_lcc_pairs", "all"}
    assert (both.file.removed or {})["same_lcc_pairs"] == (one.file.removed or {})["same_lcc_pairs"]


@pytest.mark.slow
def test_models_that_are_fitted_and_that_search(tmp_path: Path) -> None:
    runs = {
        (model, arm): scored(arm, tmp_path, model, tasks=["lcc_retrieval", "same_lcc_pairs"])
        for model in ("tfidf", "bm25")
        for arm in (None, "masked")
    }
    for run in runs.values():
        assert {record.status for record in run.file.tasks.values()} == {"done"}
        assert rescored_differences(run.folder, shipped_release()) == []
    for model in ("tfidf", "bm25"):
        for task in ("lcc_retrieval", "same_lcc_pairs"):
            full, other = (items_of(runs[model, arm], task) for arm in (None, "masked"))
            assert not full.equals(other)


def test_pairs_of_documents_without_labels_are_skipped_by_name_and_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(treatment, "_terms_of_sources", lambda *_: {})
    run = scored("masked", tmp_path, tasks=["same_lcc_pairs", "lcc_retrieval"])
    record = run.file.tasks["same_lcc_pairs"]
    assert record.status == "skipped"
    assert "its own terms are not known" in (record.reason or "")
    assert run.file.tasks["lcc_retrieval"].status == "done"
    assert set(run.file.removed or {}) == {"all"}


def test_sources_that_say_nothing_of_a_document() -> None:
    with pytest.raises(UnsupportedError, match="'nobody' is not in the config"):
        treatment.treated_sides("masked", RELEASE, "same_lcc_pairs", ["nobody"], ["a text"])
    with pytest.raises(UnsupportedError, match="does not have the documents"):
        treatment.treated_sides("masked", RELEASE, "all", ["nobody"], ["a text"])
    bare = Documents(pa.table({"id": ["a"], "text": ["b"], "register": ["c"]}), None)
    with pytest.raises(UnsupportedError, match="corpus: none of the columns lcc_name, topics"):
        _ = treatment.TreatedDocuments("sham", bare, "corpus").treated


def test_vectors_from_a_file_are_refused(tmp_path: Path) -> None:
    ids = [identity for split in SPLITS for identity in FULL[split]]
    file = tmp_path / "own.npy"
    np.save(file, np.random.default_rng(2).normal(size=(len(ids), 6)).astype(np.float32))
    file.with_suffix(".ids.txt").write_text("\n".join(ids) + "\n")
    assert scored(None, tmp_path, f"npy:{file}", tasks=["lcc_retrieval"]).file.removed is None
    for spec in (f"npy:{file}", f"hybrid:npy:{file}+bm25"):
        with pytest.raises(ShelfError, match="--text masked would change nothing"):
            scored("masked", tmp_path, spec, tasks=["lcc_retrieval"])


def test_terms_of_rows() -> None:
    table = pa.table(
        {
            "lcc_code": ["K", "?", None],
            "lcc_name": ["Law", None, " "],
            "topics": pa.array([["Courts", None, "Law"], [], None], pa.list_(pa.string())),
            "lcgft_form": ["Trials", None, None],
            "lcgft_category": ["Law materials", None, None],
            "register": ["academic", "plain", "plain"],
        }
    )
    of_first = ("Law", "Courts", "Trials", "Law materials")
    assert terms_of_rows(table, "x") == [of_first, (), ()]
    by_code = terms_of_rows(table.drop_columns(["lcc_name"]), "x")
    assert set(by_code[0]) == set(of_first)
    assert by_code[1:] == [(), ()]


def test_texts_of_which_nothing_is_left_are_counted() -> None:
    table = pa.table({"id": ["a", "b"], "text": ["Law", "Of it."], "lcc_name": ["Law", "Law"]})
    documents = Documents(table.drop_columns(["text"]), None, prose=lambda name: table[name])
    for arm in ARMS:
        own = treatment.TreatedDocuments(arm, documents, "x")
        assert own.documents.column("text") == [NOTHING_LEFT, "Of it."]
        found = treatment.removed_tokens([own.treated])
        assert found == treatment.RemovedTokens(2, 1, 1, 1)
        assert found.mean_tokens == 0.5
    assert replace(found, documents=0).mean_tokens == 0.0


def test_a_release_keeps_its_run_under_a_named_protocol(tmp_path: Path) -> None:
    run = scored("sham", tmp_path, tasks=["lcc_retrieval"])
    protocol = load_protocol(run.file.protocol.id)
    assert (protocol.text, protocol.key) == ("sham", run.file.protocol.key)


def test_what_would_read_whole_texts_under_an_arm_refuses_it(tmp_path: Path) -> None:
    [run] = evaluate(
        "tf", shipped_release(), tasks="lcc_classification", text="sham", runs=tmp_path
    )
    assert run.file.protocol.id == "shelf-1+text-sham"
    with pytest.raises(ShelfError, match="sham texts"):
        open_scored_run(run.folder, str(shipped_release()))
    with pytest.raises(ShelfError, match="whole"):
        mteb_tasks(shipped_release(), protocol="shelf-1+text-sham")
