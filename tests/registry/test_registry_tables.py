"""Tasks, corpora, protocols and the panel: what the tables say, and what loading them costs."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry import (
    Protocol,
    config_folder,
    corpus,
    load_corpora,
    load_panel,
    load_protocol,
    load_protocols,
    load_tasks,
    load_taxonomy,
    task,
)
from evaluate_shelf.registry.generation import load_plan

Damage = Callable[[str, Callable[[Any], None]], Path]
TASKS = load_tasks()
NEVER_SCORED = {"lcc_subclass_classification"}


def test_all_published_tasks_are_registered() -> None:
    assert Counter(row.formulation for row in TASKS.values()) == {
        "retrieval": 3,
        "instruction_retrieval": 4,
        "classification": 6,
        "multilabel_classification": 1,
        "clustering": 13,
        "conditional_clustering": 1,
        "pair_classification": 6,
    }
    assert sum(1 for name in TASKS if not name.startswith("x_")) == 32
    assert Counter(row.algorithm for row in TASKS.values() if row.algorithm) == {
        "kmeans": 6,
        "hdbscan": 4,
        "agglomerative": 4,
    }


def test_which_tasks_are_available_and_the_rest_say_why() -> None:
    assert {name for name, row in TASKS.items() if not row.available} == NEVER_SCORED
    assert all(row.note for row in TASKS.values() if not row.available)


def test_only_what_the_published_panel_was_not_run_on_is_optional() -> None:
    optional = {name for name, row in TASKS.items() if row.optional}
    assert optional == {
        name for name, row in TASKS.items() if row.algorithm in ("hdbscan", "agglomerative")
    }


def test_controls() -> None:
    assert {name for name, row in TASKS.items() if row.control} == {
        "same_register_pairs",
        "same_audience_pairs",
        "register_clustering",
        "register_clustering_hdbscan",
        "register_clustering_agglomerative",
        "geographic_clustering",
        "geographic_clustering_hdbscan",
        "geographic_clustering_agglomerative",
        "geographic_clustering_conditional",
    }


def test_sizes_of_label_spaces_are_those_of_the_taxonomy() -> None:
    taxonomy = load_taxonomy()
    sizes = {
        "lcc_code": len(taxonomy.classes),
        "lcgft_category": len(taxonomy.categories),
        "lcgft_form": len(taxonomy.forms),
        "register": len(taxonomy.registers),
        "geographic_region": len(taxonomy.regions),
    }
    for row in TASKS.values():
        if row.label_field in sizes:
            assert row.n_labels == sizes[row.label_field], row.id
    assert TASKS["topic_classification"].n_labels == len(taxonomy.topics)


def test_chance_levels() -> None:
    for row in TASKS.values():
        if row.formulation in ("classification", "retrieval"):
            assert row.n_labels is not None
            assert row.chance_level == pytest.approx(1 / row.n_labels, abs=1e-15)
        elif row.formulation == "pair_classification":
            assert row.chance_level == 0.5
        elif row.algorithm:
            assert row.chance_level == 0
    expected = {
        "instruction_same_subject_diff_form": (1 / 21) * (132 / 133),
        "instruction_same_form_diff_subject": (1 / 133) * (20 / 21),
        "instruction_same_audience_diff_register": (0.7 / 24) * (7 / 8),
    }
    for name, level in expected.items():
        assert TASKS[name].chance_level == pytest.approx(level, abs=1e-15)
    for name in ("instruction_same_topic_diff_subject", "topic_classification"):
        assert TASKS[name].chance_level is None


def test_instructions_are_the_published_wording() -> None:
    start = "Given a document, retrieve documents "
    ends = {
        ("lcc_code", "lcgft_form"): "about the same subject area but written in a different genre "
        "or form.",
        ("lcgft_form", "lcc_code"): "in the same genre or form but about a different subject area.",
        ("topics", "lcc_code"): "that discuss at least one of the same topics but are classified "
        "in a different subject area.",
        ("audience", "register"): "written for the same intended audience but in a different "
        "writing register.",
    }
    rows = [row for row in TASKS.values() if row.formulation == "instruction_retrieval"]
    assert {(r.anchor_field, r.contrast_field): r.instruction for r in rows} == {
        fields: start + end for fields, end in ends.items()
    }
    assert all(row.label_field == row.anchor_field for row in rows)


def test_pairs_have_a_config_of_their_own_and_show_titles() -> None:
    for row in TASKS.values():
        pairs = row.formulation == "pair_classification"
        assert row.config == (row.id if pairs else "default")
        assert row.text_field == ("title_and_body" if pairs else "text")


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [("lcc_clasification", "lcc_classification"), ("same-lcc-pairs", "same_lcc_pairs")],
)
def test_unknown_task_names_the_close_ones(wanted: str, meant: str) -> None:
    with pytest.raises(ShelfError) as caught:
        task(wanted)
    assert repr(wanted) in str(caught.value)
    assert meant in str(caught.value)
    assert "run `shelf tasks`" in str(caught.value)


def test_unknown_task_like_no_other() -> None:
    with pytest.raises(ShelfError) as caught:
        task("🐚")
    assert str(caught.value) == "unknown task '🐚'; for all of them: run `shelf tasks`"


def test_rows_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        task("lcc_retrieval").n_labels = 3  # type: ignore[misc]
    load_tasks().clear()
    assert len(load_tasks()) == len(TASKS)


def test_corpora() -> None:
    corpora = load_corpora()
    assert {name: row.published_documents for name, row in corpora.items()} == {
        "v0_4_core": 18345,
        "default": 42532,
        "v0_4_supplement": 1043,
        "v0_4_minimal_pairs": 687,
        "v0_4_holdout": 292,
        "sample": None,
        "all": 62899,
        "transfer_gutenberg": 3016,
        "transfer_lcshbench": 4924,
    }
    assert all(row.available for row in corpora.values())
    slices = [corpora[name].published_documents or 0 for name in load_plan("standard").slices]
    assert sum(slices) == corpora["all"].published_documents
    for name, row in corpora.items():
        ratios = row.split.ratios
        if name == "transfer_lcshbench":
            assert ratios is None
            continue
        assert (ratios.train, ratios.validation, ratios.test) == (0.6, 0.2, 0.2)
        assert row.seed == 42
        assert row.label_space == "lcc"
    passages = corpora["transfer_gutenberg"].passages
    assert passages is not None
    assert passages.model_dump() == {
        "target_words": 400,
        "min_words": 150,
        "max_words": 900,
        "passages_per_work": 3,
    }
    with pytest.raises(ShelfError, match="did you mean transfer_gutenberg"):
        corpus("transfer_gutenburg")


def test_the_default_protocol() -> None:
    protocol = load_protocol()
    assert protocol is load_protocol("shelf-1")
    assert protocol.model_dump(mode="json", exclude={"note"}) == {
        "id": "shelf-1",
        "version": 3,
        "default": True,
        "probe": {
            "C": 1.0,
            "max_iter": 1000,
            "class_weight": None,
            "seed": 42,
            "solver": "shelf",
            "tolerance": 1e-8,
        },
        "svd_components": 256,
        "svd_seed": 42,
        "tfidf": {
            "ngram_range": [1, 2],
            "min_df": 2,
            "max_df": 0.95,
            "max_features": 50000,
            "sublinear_tf": True,
        },
        "tf": {"ngram_range": [1, 2], "min_df": 2, "max_df": 0.95, "max_features": 50000},
        "bm25": {"idf": "lucene", "k1": 1.5, "b": 0.75},
        "kmeans": {"seed": 42, "median_seeds": [0, 1, 2, 3, 4], "n_init": 10, "max_iter": 300},
        "hdbscan": {
            "min_cluster_size": 15,
            "min_samples": 5,
            "metric": "euclidean",
            "cluster_selection_method": "eom",
        },
        "agglomerative": {"linkage": "average", "metric": "cosine"},
        "conditional": {"min_documents": 20, "min_labels": 2},
        "ranking_depth": 100,
        "cutoff": 10,
        "prompts": "none",
        "max_tokens": None,
        "text": "full",
        "batch_size": 32,
        "blas_threads": 1,
        "torch_threads": 2,
        "bootstrap": {"replicates": 2000, "seed": 42, "level": 0.95},
        "control": {"replicates": 5, "seed": 42},
    }


def test_the_balanced_protocol_differs_in_one_value() -> None:
    base, balanced = load_protocol("shelf-1"), load_protocol("shelf-1-balanced")
    left, right = base.model_dump(), balanced.model_dump()
    assert {key for key in left if left[key] != right[key]} == {"id", "default", "note", "probe"}
    assert {**left["probe"], "class_weight": "balanced"} == right["probe"]
    assert not balanced.default


def test_keys_are_the_same_in_another_process_and_differ_between_protocols() -> None:
    keys = [row.key for row in load_protocols().values()]
    assert len(set(keys)) == len(keys) == 2
    code = (
        "import json; from evaluate_shelf.registry import load_protocols;"
        "print(json.dumps([p.key for p in load_protocols().values()]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == keys


LEFT_IN = [field for field in Protocol.model_fields if field not in ("note", "default")]
OTHER_TEXT = {
    "shelf": "scikit-learn",
    "euclidean": "cosine",
    "eom": "leaf",
    "average": "complete",
    "cosine": "euclidean",
    "shelf-1": "other",
    "lucene": "published",
    "none": "model-card",
    "full": "masked",
}


def changes(row: BaseModel, field: str) -> list[Any]:
    """Copies of a row in each of which one value of a field, or inside it, is another."""
    value = getattr(row, field)
    others: list[Any]
    if isinstance(value, BaseModel):
        others = [copy for inner in type(value).model_fields for copy in changes(value, inner)]
    elif isinstance(value, bool):
        others = [not value]
    elif isinstance(value, str):
        others = [OTHER_TEXT[value]]
    elif isinstance(value, tuple):
        others = [(*value[:-1], value[-1] + 1)]
    elif value is None:
        others = ["balanced" if field == "class_weight" else 512]
    else:
        others = [value + 1]
    return [row.model_copy(update={field: other}) for other in others]


def test_key_ignores_note_and_default_and_nothing_else() -> None:
    protocol = load_protocol()
    assert protocol.model_copy(update={"note": "other", "default": False}).key == protocol.key
    changed = [copy for field in LEFT_IN for copy in changes(protocol, field)]
    assert len({copy.key for copy in changed} | {protocol.key}) == len(changed) + 1 > 30


def test_key_does_not_depend_on_how_a_number_is_written(damage: Damage) -> None:
    def whole(rows: Any) -> None:
        rows[0]["probe"]["C"] = 1

    assert load_protocol(folder=damage("protocols.yaml", whole)).key == load_protocol().key


def test_extends_goes_over_several_rows_in_any_order(damage: Damage) -> None:
    def chain(rows: Any) -> None:
        rows.insert(0, {"id": "c", "extends": "b", "kmeans": {"n_init": 2}})
        rows.append(
            {"id": "b", "extends": "shelf-1-balanced", "kmeans": {"n_init": 5, "max_iter": 9}}
        )

    protocols = load_protocols(damage("protocols.yaml", chain))
    assert list(protocols) == ["c", "shelf-1", "shelf-1-balanced", "b"]
    c = protocols["c"]
    assert (c.kmeans.n_init, c.kmeans.max_iter, c.kmeans.seed) == (2, 9, 42)
    assert c.probe.class_weight == "balanced"
    assert (c.default, c.note, c.version) == (False, None, 3)


def test_unknown_protocol() -> None:
    with pytest.raises(ShelfError, match="did you mean shelf-1"):
        load_protocol("shelf1")


def test_panel() -> None:
    panel = load_panel()
    assert {name: row.kind for name, row in panel.items()} == {
        "tf": "sparse",
        "tfidf": "sparse",
        "bm25": "sparse",
        "wordllama": "static",
        "st:minilm": "encoder",
        "tf-full": "sparse",
        "tfidf-full": "sparse",
        "bm25-published": "sparse",
        "wordllama,dim=64": "static",
        "st:minilm,dim=128": "encoder",
        "st:minilm,precision=int8": "encoder",
        "st:minilm,precision=binary": "encoder",
        "hybrid:bm25+st:minilm": "hybrid",
    }
    minilm, wordllama = panel["st:minilm"], panel["wordllama"]
    assert minilm.checkpoint == "sentence-transformers/all-MiniLM-L6-v2"
    assert minilm.released == dt.date(2021, 8, 30)
    assert (minilm.dimension, minilm.max_tokens, minilm.licence) == (384, 256, "Apache-2.0")
    assert wordllama.checkpoint == "wordllama l2_supercat_256"
    assert (wordllama.dimension, wordllama.max_tokens, wordllama.licence) == (256, None, "MIT")


def test_importing_the_registry_is_light() -> None:
    code = (
        "import sys, evaluate_shelf.registry as r; r.load_taxonomy(); r.load_tasks();"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pyarrow', 'datasets', 'torch', 'pandas', 'rich'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_config_folder_prefers_the_packaged_one(tmp_path: Path) -> None:
    package = tmp_path / "evaluate_shelf"
    package.mkdir()
    with pytest.raises(ShelfError, match="no configuration"):
        config_folder(package)
    (tmp_path / "configs").mkdir()
    assert config_folder(package) == tmp_path / "configs"
    (package / "_configs").mkdir()
    assert config_folder(package) == package / "_configs"
