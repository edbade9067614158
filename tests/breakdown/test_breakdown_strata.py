"""Strata of every kind of task, against scikit-learn on the run's own files."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from breakdown_oracles import (
    DOCUMENT_TASKS,
    PAIR_TASKS,
    items,
    length_of,
    naive_interval,
    split_rows,
)
from sklearn.metrics import accuracy_score, adjusted_rand_score, f1_score, roc_auc_score
from staged_releases import books

from builders.release.folder import write_release
from evaluate_shelf.diagnostics.breakdown.breakdown import BY, Breakdowns, breakdown
from evaluate_shelf.diagnostics.breakdown.facts import Facts
from evaluate_shelf.diagnostics.breakdown.parts import by_generator
from evaluate_shelf.diagnostics.breakdown.subsets import items_of_run
from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.evaluation import evaluate, prepare, run_folder
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import load_run


@pytest.fixture(scope="module")
def breakdowns(made) -> Breakdowns:
    return Breakdowns(made.run, made.release)


@pytest.fixture(scope="module")
def rows(made):
    """The test documents."""
    return split_rows(made.folder, "v0_4_core")


def of(breakdowns: Breakdowns, task: str, by: str):
    return breakdowns.of(task_named(task), by)


@pytest.mark.parametrize("task", [*DOCUMENT_TASKS, *PAIR_TASKS])
def test_all_items_have_the_score_and_the_interval_of_the_run(made, breakdowns, task) -> None:
    whole = of(breakdowns, task, "length").whole
    (row,) = [r for r in made.run.scores.to_pylist() if r["task"] == task and r["primary"]]
    assert (whole.values[0].metric, whole.n) == (row["metric"], row["n"])
    assert whole.value == pytest.approx(row["value"], abs=1e-12)
    assert (whole.low, whole.high) == pytest.approx((row["low"], row["high"]), abs=1e-9)


@pytest.mark.parametrize(
    ("task", "by"),
    [
        (task, by)
        for task, by in itertools.product([*DOCUMENT_TASKS, *PAIR_TASKS], BY)
        if by != "class" and not (by == "relation" and task not in PAIR_TASKS)
    ],
)
def test_the_parts_add_up_and_small_ones_show_nothing(breakdowns, task, by) -> None:
    if (task, by) in {("topic_classification", "difficulty"), ("same_topic_pairs", "difficulty")}:
        with pytest.raises(UnsupportedError):
            of(breakdowns, task, by)
        return
    found = of(breakdowns, task, by)
    assert sum(stratum.n for stratum in found.strata) + found.in_none == found.whole.n
    for stratum in found.strata:
        assert (not stratum.values) == (stratum.n < 30)
        assert stratum.values or stratum.reason
        for value in stratum.values:
            assert value.value is None or -1 <= value.value <= 1
            if value.low is not None:
                assert value.low <= value.value <= value.high


def test_classification_by_length_is_scikit_learns(made, breakdowns, rows) -> None:
    predicted = [item["predicted"] for item in items(made.run_folder, "lcc_classification")]
    found = of(breakdowns, "lcc_classification", "length")
    for stratum in found.strata:
        own = [n for n, row in enumerate(rows) if length_of(len(row["text"])) == stratum.name]
        gold = np.array([rows[n]["lcc_code"] for n in own])
        told = np.array([predicted[n] for n in own])
        assert (stratum.n, stratum.n_classes) == (len(own), len(set(gold)))
        assert stratum.n_units == len({rows[n]["spec_id"] for n in own})
        macro, right = stratum.values
        f1 = f1_score(gold, told, labels=sorted(set(gold)), average="macro", zero_division=0)
        assert macro.value == pytest.approx(f1)
        assert right.value == pytest.approx(accuracy_score(gold, told))


def test_an_interval_is_that_of_resampling_the_groups_of_the_stratum(
    made, breakdowns, rows
) -> None:
    predicted = [item["predicted"] for item in items(made.run_folder, "lcc_classification")]
    stratum = of(breakdowns, "lcc_classification", "length").strata[0]
    own = [n for n, row in enumerate(rows) if length_of(len(row["text"])) == stratum.name]
    right = np.array([predicted[n] == rows[n]["lcc_code"] for n in own], dtype=float)
    groups = [rows[n]["spec_id"] for n in own]
    expected = naive_interval(lambda drawn: right[drawn].mean(), groups, "lcc_classification")
    accuracy = stratum.values[1]
    assert (accuracy.low, accuracy.high) == pytest.approx(expected, abs=1e-9)


def test_retrieval_by_generator_is_the_mean_of_the_outcomes(made, breakdowns, rows) -> None:
    outcomes = [item["outcome"] for item in items(made.run_folder, "form_retrieval")]
    found = of(breakdowns, "form_retrieval", "model")
    for stratum in found.strata:
        values = [
            value
            for value, row in zip(outcomes, rows, strict=True)
            if row["model"] == stratum.name and value is not None
        ]
        assert stratum.n == len(values)
        if stratum.values:
            assert stratum.value == pytest.approx(np.mean(values))
    nobody = [
        value
        for value, row in zip(outcomes, rows, strict=True)
        if row["model"] is None and value is not None
    ]
    assert found.in_none == len(nobody) > 0


def test_families_pool_their_generators_and_name_those_without_one(breakdowns) -> None:
    by_model = {s.name: s.n for s in of(breakdowns, "lcc_classification", "model").strata}
    found = of(breakdowns, "lcc_classification", "generator")
    assert {s.name: s.n for s in found.strata} == {
        "openai": by_model["openai/gpt-9"] + by_model["gpt-9-mini"],
        "anthropic": by_model["claude-x"],
        "unheard-of": by_model["unheard-of"],
    }
    assert any("'unheard-of'" in note for note in found.notes)


def test_clusters_by_length_agree_as_scikit_learn_says(made, breakdowns, rows) -> None:
    clusters = [item["cluster_seed_42"] for item in items(made.run_folder, "lcc_clustering")]
    for stratum in of(breakdowns, "lcc_clustering", "length").strata:
        own = [n for n, row in enumerate(rows) if length_of(len(row["text"])) == stratum.name]
        expected = adjusted_rand_score(
            [rows[n]["lcc_code"] for n in own], [clusters[n] for n in own]
        )
        assert stratum.value == pytest.approx(expected)


def documents_of(made) -> dict[str, dict]:
    """The documents of all splits by id: pairs of a slice are made of all of them."""
    splits = ("train", "validation", "test")
    return {
        row["id"]: row for split in splits for row in split_rows(made.folder, "v0_4_core", split)
    }


def pair_lengths(made, pairs) -> list[str]:
    texts = {name: row["text"] for name, row in documents_of(made).items()}
    return [
        length_of(min(len(texts[pair["doc_a_id"]]), len(texts[pair["doc_b_id"]]))) for pair in pairs
    ]


def test_pairs_by_length_have_the_area_of_scikit_learn(made, breakdowns) -> None:
    pairs = split_rows(made.folder, "same_lcc_pairs")
    scores = [item["score"] for item in items(made.run_folder, "same_lcc_pairs")]
    of_pairs = pair_lengths(made, pairs)
    strata = of(breakdowns, "same_lcc_pairs", "length").strata
    assert sum(bool(stratum.values) for stratum in strata) >= 2
    for stratum in strata:
        own = [n for n, name in enumerate(of_pairs) if name == stratum.name]
        assert stratum.n == len(own)
        if stratum.values:
            expected = roc_auc_score([pairs[n]["label"] for n in own], [scores[n] for n in own])
            assert stratum.value == pytest.approx(expected)


def test_a_relation_of_one_label_stands_against_all_pairs_with_the_other(made, breakdowns) -> None:
    pairs = split_rows(made.folder, "same_lcc_pairs")
    scores = np.array([item["score"] for item in items(made.run_folder, "same_lcc_pairs")])
    labels = np.array([pair["label"] for pair in pairs])
    documents = documents_of(made)
    sides = [[documents[pair[side]] for side in ("doc_a_id", "doc_b_id")] for pair in pairs]
    form, category = (
        np.array([a[field] == b[field] for a, b in sides])
        for field in ("lcgft_form", "lcgft_category")
    )
    near = category & ~form & (labels == 0)
    by_name = {s.name: s for s in of(breakdowns, "same_lcc_pairs", "relation").strata}
    same_class, same_category = by_name["S2 same class"], by_name["S4 same category"]
    assert same_class.n == labels.sum()
    assert same_category.n == near.sum() >= 30
    for stratum in (same_class, same_category):
        within, against = stratum.values
        assert within.value is None
        assert stratum.reason
        part = labels == 1 if stratum is same_class else near
        chosen = part | (labels != labels[part][0])
        assert against.value == pytest.approx(roc_auc_score(labels[chosen], scores[chosen]))
        assert against.low < against.value < against.high


def test_a_pair_by_two_families_is_a_stratum_of_its_own(made, breakdowns) -> None:
    families = {"openai/gpt-9": "openai", "gpt-9-mini": "openai", "claude-x": "anthropic"}
    writers = {name: row["model"] for name, row in documents_of(made).items()}
    expected: Counter[str | None] = Counter()
    for pair in split_rows(made.folder, "same_lcc_pairs"):
        a, b = (writers[pair[side]] for side in ("doc_a_id", "doc_b_id"))
        if a is None or b is None:
            expected[None] += 1
            continue
        both = {families.get(a, a), families.get(b, b)}
        expected[both.pop() if len(both) == 1 else "two families"] += 1
    found = of(breakdowns, "same_lcc_pairs", "generator")
    assert {stratum.name: stratum.n for stratum in found.strata} | {None: found.in_none} == expected


def test_a_pair_is_as_hard_as_its_harder_text_if_the_probe_learned_neither(
    made, breakdowns
) -> None:
    data = TaskData(made.release, "v0_4_core")
    learned = set(data.train.ids)
    levels = dict(zip(data.test.ids, Facts(data, load_protocol()).levels("lcc_code"), strict=True))
    tested, unlearned = Counter(), 0
    for pair in split_rows(made.folder, "same_lcc_pairs"):
        both = {pair["doc_a_id"], pair["doc_b_id"]}
        unlearned += not both & learned
        if both <= set(levels):
            tested[("hard", "medium", "easy")[min(levels[name] for name in both)]] += 1
    found = of(breakdowns, "same_lcc_pairs", "difficulty")
    assert sum(stratum.n for stratum in found.strata) == unlearned == found.whole.n - found.in_none
    # Others have a document of the validation split.
    assert all(stratum.n >= tested[stratum.name] for stratum in found.strata)
    assert found.notes


def test_hard_documents_are_harder_for_the_model_too(breakdowns) -> None:
    strata = {s.name: s for s in of(breakdowns, "lcc_classification", "difficulty").strata}
    assert strata["hard"].values[1].value < strata["easy"].values[1].value


def test_an_index_that_means_nothing_has_a_reason_and_no_value(made, rows) -> None:
    table = pq.read_table(made.run_folder / "items" / "lcc_clustering.parquet")
    data = TaskData(made.release, "v0_4_core")
    clustered = items_of_run(task_named("lcc_clustering"), data, table, load_protocol())
    classes = [row["lcc_code"] for row in rows]
    one_class = np.array([n for n, name in enumerate(classes) if name == classes[0]])
    one_each = np.array(sorted(classes.index(name) for name in set(classes)))
    for some in (one_class, one_each):
        measured = clustered.measure(some)
        assert measured.reason
        assert [value.value for value in measured.values] == [None]


def test_pairs_of_a_smoke_run_may_have_any_document(made, tmp_path: Path) -> None:
    asked = prepare(
        made.folder,
        "v0_4_core",
        task_ids=["same_lcc_pairs", "lcc_retrieval"],
        protocol=load_protocol(),
        runs=tmp_path / "runs",
        limit=40,
    )
    evaluate(["tfidf"], asked)
    run = load_run(run_folder(resolve_model("tfidf", asked.protocol), asked))
    for task, by in itertools.product(("same_lcc_pairs", "lcc_retrieval"), ("length", "relation")):
        found = breakdown(run, made.release, task, by)
        assert found.whole.n == 40
        assert found.whole.value is not None


def test_books_cannot_be_broken_down_by_generator(tmp_path: Path) -> None:
    write_release("books", [books(tmp_path / "staged")], tmp_path / "release")
    data = TaskData(Release.open(tmp_path / "release"), "transfer_gutenberg")
    with pytest.raises(UnsupportedError, match="who wrote"):
        by_generator(data, Facts(data, load_protocol()), families=True)


@pytest.mark.parametrize(
    ("task", "by"),
    [
        ("lcc_classification", "relation"),
        ("lcc_clustering", "relation"),
        ("lcc_clustering", "class"),
        ("same_lcc_pairs", "class"),
    ],
)
def test_what_has_no_meaning_is_refused_with_a_reason(breakdowns, task, by) -> None:
    with pytest.raises(UnsupportedError, match=r"\w+ \w+"):
        of(breakdowns, task, by)


def test_another_process_would_give_the_same(made, breakdowns) -> None:
    for task, by in (("lcc_retrieval", "relation"), ("lcc_classification", "difficulty")):
        again = breakdown(made.run, made.release, task, by)
        assert asdict(again) == asdict(of(breakdowns, task, by))
