"""Every config of a build: loads, streams, verifies, and is loaded by mteb as it stands."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from release_forgery import Release

from builders.build import build
from builders.recipes import recipes
from builders.request import BuildRequest
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.verification import verify_release

PUBLISHED = {
    "default", "v0_4_core", "v0_4_supplement", "v0_4_minimal_pairs", "v0_4_holdout", "all",
    "same_lcc_pairs", "same_form_pairs", "same_register_pairs", "same_audience_pairs",
    "same_topic_pairs", "topic_overlap_pairs",
}  # fmt: skip
SEARCHES = (
    "lcc_retrieval", "form_retrieval", "category_retrieval", "instruction_same_subject_diff_form",
    "instruction_same_form_diff_subject", "instruction_same_topic_diff_subject",
    "instruction_same_audience_diff_register",
)  # fmt: skip


@pytest.fixture(scope="module")
def every(tmp_path_factory) -> Path:
    """Every synthetic config, in one build."""
    folder = tmp_path_factory.mktemp("every") / "release"
    plan = load_plan("standard").sized(1200, load_plan("standard").slices)
    names = tuple(name for name in recipes(plan) if not name.startswith("transfer_"))
    build(BuildRequest(names, folder, "every", plan))
    return folder


def test_every_published_config_is_there_and_the_release_is_whole(every):
    manifest = verify_release(every)
    assert set(manifest.configs) >= PUBLISHED
    for task in SEARCHES:
        assert {f"{task}-queries", f"{task}-qrels"} <= set(manifest.configs)
        assert manifest.aliases[f"{task}-corpus"] == "all-corpus"
        assert (f"{task}-instruction" in manifest.configs) == task.startswith("instruction")


@pytest.mark.slow
def test_every_config_and_second_name_loads_mapped_and_streaming(every, tmp_path):
    """In a process of its own, whose cache is empty."""
    program = """
import json, os, sys
import pyarrow.parquet as pq
from datasets import Features, get_dataset_config_names, load_dataset
folder = sys.argv[1]
manifest = json.load(open(f"{folder}/manifest.json"))
names = get_dataset_config_names(folder)
assert set(names) == {*manifest["configs"], *manifest["aliases"]}
for name in names:
    own = manifest["aliases"].get(name, name)
    mapped = load_dataset(folder, name)
    streamed = load_dataset(folder, name, streaming=True)
    paths = {f["split"]: p for p, f in manifest["data_files"].items() if f["config"] == own}
    assert set(mapped) == set(streamed) == set(paths)
    for split, path in paths.items():
        table = pq.read_table(f"{folder}/{path}")
        features = Features.from_arrow_schema(table.schema)
        assert mapped[split].features == streamed[split].features == features, name
        assert len(mapped[split]) == table.num_rows
        assert mapped[split][-1] == table.slice(table.num_rows - 1).to_pylist()[0]
        assert next(iter(streamed[split])) == table.slice(0, 1).to_pylist()[0]
# Arrow's threads may still read ahead for a stream that was left: ending would abort.
os._exit(0)
"""
    environment = {**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    subprocess.run(
        [sys.executable, "-c", program, str(every)], env=environment, check=True, timeout=600
    )


@pytest.mark.slow
@pytest.mark.parametrize("task", SEARCHES)
def test_mteb_loads_a_retrieval_subset_of_the_built_folder(every, task):
    mteb = pytest.importorskip("mteb", reason="mteb-core is not installed")
    from mteb.abstasks.retrieval import AbsTaskRetrieval

    class Task(AbsTaskRetrieval):
        metadata = mteb.TaskMetadata(
            name="SHELFTask",
            description="A retrieval subset of SHELF.",
            type="InstructionRetrieval" if task.startswith("instruction") else "Retrieval",
            category="t2t",
            modalities=["text"],
            dataset={"path": str(every), "revision": "0" * 40},
            eval_splits=["test"],
            eval_langs={task: ["eng-Latn"]},
            main_score="ndcg_at_10",
        )

    loaded = Task()
    loaded.load_data()
    own = loaded.dataset[task]["test"]
    manifest = read_manifest(every)
    counts = {name: sum(manifest.rows_of(name).values()) for name in manifest.configs}
    assert len(own["corpus"]) == counts["all-corpus"]
    assert len(own["queries"]) == counts[f"{task}-queries"]
    qrels = own["relevant_docs"]
    assert sum(len(documents) for documents in qrels.values()) == counts[f"{task}-qrels"]


@pytest.fixture(scope="module")
def some(tmp_path_factory) -> Path:
    """A small release with a config of each kind."""
    folder = tmp_path_factory.mktemp("some") / "release"
    names = tuple(dict.fromkeys(config.split("-")[0] for config, _ in DAMAGES if config != CORPUS))
    build(BuildRequest(names, folder, "some", load_plan("quickstart").sized(400, ["v0_4_core"])))
    return folder


@pytest.fixture
def copied(some, tmp_path) -> Release:
    return Release.copy_of(some, tmp_path / "release")


def without(row):
    def change(rows):
        del rows[row]

    return change


def swap(first, second):
    def change(rows):
        rows[first], rows[second] = rows[second], rows[first]

    return change


def update(row, **fields):
    return lambda rows: rows[row].update(fields)


CORPUS = "all-corpus"
DAMAGES = [
    (CORPUS, update(3, text="Another text.")),
    (CORPUS, update(3, id="nobody")),
    (CORPUS, without(-1)),
    ("lcc_retrieval-queries", update(3, text="Another text.")),
    ("lcc_retrieval-qrels", without(7)),
    ("lcc_retrieval-qrels", update(7, score=2)),
    ("lcc_retrieval-qrels", swap(2, 5)),
    ("form_retrieval-qrels", update(7, **{"corpus-id": "nobody"})),
    ("instruction_same_subject_diff_form-qrels", lambda rows: rows.append(rows[0])),
    ("instruction_same_subject_diff_form-instruction", update(2, instruction="Find anything.")),
    ("instruction_same_subject_diff_form-instruction", without(-1)),
    ("topic_classification", update(3, topics=["Cats"])),
    ("same_topic_pairs", update(3, overlap_count=9)),
    ("topic_overlap_pairs", update(3, shared_topics=["Cats"])),
    ("same_lcc_pairs_stratified", update(3, relation_stratum="S9")),
    ("same_lcc_pairs_hard_negatives", update(3, label_field="register")),
    ("v0_4_core", update(3, register_description="Another one.")),
    ("v0_4_core", without(3)),
    ("all", update(3, model="nobody")),
    ("topic_classification", without(3)),
    ("same_form_pairs", lambda rows: rows[3].update(label=1 - rows[3]["label"])),
]


@pytest.mark.parametrize(("config", "damage"), DAMAGES)
@pytest.mark.parametrize("forged", [False, True], ids=["changed", "forged"])
def test_a_row_that_does_not_follow_from_the_documents_is_refused(copied, config, damage, forged):
    """Also where every hash was made to fit."""
    path = copied.change_rows(config, "test", damage)
    if forged:
        copied.rehash()
    with pytest.raises(ShelfError) as caught:
        verify_release(copied.folder)
    assert config in str(caught.value) or str(path) in str(caught.value)


def paired_within_a_group(rows, documents):
    """Give the first pair the texts of two documents of one group."""
    first, second = next(
        (a, b)
        for a in documents
        for b in documents
        if a["group_id"] == b["group_id"] and a["id"] < b["id"]
    )
    for side, own in (("doc_a", first), ("doc_b", second)):
        rows[0].update({f"{side}_{part}": own[part] or "" for part in ("id", "title", "body")})
    rows[0]["label"] = 1


def test_a_pair_of_one_group_is_refused_though_every_hash_fits(copied):
    documents = copied.rows("all")
    copied.change_rows(
        "same_form_pairs", "test", lambda rows: paired_within_a_group(rows, documents)
    )
    copied.rehash()
    with pytest.raises(ShelfError, match="of one group"):
        verify_release(copied.folder)


@pytest.mark.parametrize("part", ["qrels", "queries"])
def test_a_subset_that_lacks_a_part_is_refused(copied, part):
    name = f"lcc_retrieval-{part}"

    def remove(manifest):
        del manifest["configs"][name]
        (path,) = (p for p, file in manifest["data_files"].items() if file["config"] == name)
        checks = manifest["data_files"].pop(path)["row_checks"]
        for own in (path, checks):
            manifest["other_files"].pop(own, None)
            if own:
                (copied.folder / own).unlink()
        (copied.folder / path).parent.rmdir()

    copied.change_manifest(remove)
    with pytest.raises(ShelfError, match="lcc_retrieval"):
        verify_release(copied.folder)


def test_a_changed_note_of_the_manifest_is_noticed(copied):
    manifest = copied.folder / "manifest.json"
    text = manifest.read_text()
    manifest.write_text(text.replace("no language model", "one language model"))
    with pytest.raises(ShelfError, match="changed since the build"):
        verify_release(copied.folder)


@pytest.mark.parametrize("kind", ["folder", "link", "dangling link", "pipe"])
def test_whatever_else_lies_in_the_folder_is_refused(copied, kind):
    place = copied.folder / "data" / "all" / "train-99999-of-99999.parquet"
    if kind == "folder":
        place.mkdir()
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        target = copied.folder / "data" / "v0_4_core" if kind == "link" else Path("nowhere")
        place.symlink_to(target)
    with pytest.raises(ShelfError, match=place.name):
        verify_release(copied.folder)


def test_a_second_name_of_nothing_is_refused(copied):
    copied.change_manifest(lambda manifest: manifest["aliases"].update({"x-corpus": "nothing"}))
    with pytest.raises(ShelfError, match="x-corpus"):
        verify_release(copied.folder)
