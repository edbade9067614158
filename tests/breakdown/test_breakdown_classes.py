"""Each class against the others, and what the first ten documents of a ranking are."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from breakdown_oracles import forge_items, forge_score, items, naive_interval, split_rows
from sklearn.metrics import f1_score, precision_recall_fscore_support

from evaluate_shelf.diagnostics.breakdown.breakdown import breakdown
from evaluate_shelf.diagnostics.breakdown.relations import RELATIONS
from evaluate_shelf.runs.reading import load_run

CONFIG = "v0_4_core"


@pytest.fixture(scope="module")
def rows(made):
    return split_rows(made.folder, CONFIG)


def test_classes_have_the_numbers_of_scikit_learn(made, rows) -> None:
    gold = [row["lcc_code"] for row in rows]
    told = [item["predicted"] for item in items(made.run_folder, "lcc_classification")]
    found = breakdown(made.run, made.release, "lcc_classification", "class")
    names = sorted(set(gold))
    expected = precision_recall_fscore_support(gold, told, labels=names, zero_division=0)
    assert [stratum.name for stratum in found.strata] == names
    assert all(stratum.values for stratum in found.strata)
    for number, stratum in enumerate(found.strata):
        precision, recall, f1, n = (column[number] for column in expected)
        assert stratum.n == n
        assert [value.metric for value in stratum.values] == ["f1", "precision", "recall"]
        values = [value.value for value in stratum.values]
        assert values == pytest.approx([f1, precision, recall])
        assert stratum.n_units == len({r["spec_id"] for r in rows if r["lcc_code"] == stratum.name})


def test_the_interval_of_a_class_resamples_all_groups(made, rows) -> None:
    gold = np.array([row["lcc_code"] for row in rows])
    told = np.array([item["predicted"] for item in items(made.run_folder, "lcc_classification")])
    stratum = breakdown(made.run, made.release, "lcc_classification", "class").strata[0]
    own, as_own = gold == stratum.name, told == stratum.name

    def f1(drawn: list[int]) -> float:
        both = own[drawn].sum() + as_own[drawn].sum()
        return 2 * (own & as_own)[drawn].sum() / both if both else float("nan")

    expected = naive_interval(f1, [row["spec_id"] for row in rows], "lcc_classification")
    assert (stratum.low, stratum.high) == pytest.approx(expected, abs=1e-9)


def test_a_class_that_is_never_predicted_has_no_precision(made, rows, tmp_path: Path) -> None:
    run = Path(shutil.copytree(made.run_folder, tmp_path / "run"))
    table = pq.read_table(run / "items" / "lcc_classification.parquet")
    said = sorted({row["lcc_code"] for row in rows})[0]
    column = pa.array([said] * len(table)).dictionary_encode()
    place = table.column_names.index("predicted")
    forge_items(run, "lcc_classification", table.set_column(place, "predicted", column))
    gold = [row["lcc_code"] for row in rows]
    score = f1_score(gold, [said] * len(gold), average="macro", zero_division=0)
    forge_score(run, "lcc_classification", score)
    first, *others = breakdown(load_run(run), made.release, "lcc_classification", "class").strata
    assert first.values[2].value == 1
    for stratum in others:
        assert [value.value for value in stratum.values] == [0, None, 0]
        assert stratum.reason


def test_labels_of_several_have_the_numbers_of_scikit_learn(made, rows) -> None:
    names = sorted({topic for row in rows for topic in row["topics"]})
    gold = np.array([[name in row["topics"] for name in names] for row in rows])
    scores = np.array([item["scores"] for item in items(made.run_folder, "topic_classification")])
    found = breakdown(made.run, made.release, "topic_classification", "class")
    expected = precision_recall_fscore_support(gold, scores >= 0.5, zero_division=0)
    assert [stratum.name for stratum in found.strata] == names
    for number, stratum in enumerate(found.strata):
        precision, recall, f1, n = (column[number] for column in expected)
        assert stratum.n == n
        if stratum.values:
            values = [value.value for value in stratum.values]
            assert values == pytest.approx([f1, precision, recall])


def test_queries_are_grouped_by_their_own_label(made, rows) -> None:
    outcomes = [item["outcome"] for item in items(made.run_folder, "lcc_retrieval")]
    for stratum in breakdown(made.run, made.release, "lcc_retrieval", "class").strata:
        own = [v for v, r in zip(outcomes, rows, strict=True) if r["lcc_code"] == stratum.name]
        assert stratum.n == len(own) >= 30
        assert stratum.value == pytest.approx(np.mean(own))


def corpus_rows(made):
    return [
        row for split in ("train", "validation") for row in split_rows(made.folder, CONFIG, split)
    ]


def relation(one, other) -> int:
    topics = set(one["topics"]), set(other["topics"])
    holds = [
        False,
        False,
        one["lcc_code"] == other["lcc_code"],
        one["lcgft_form"] == other["lcgft_form"],
        one["lcgft_category"] == other["lcgft_category"],
        bool(topics[0] & topics[1]),
        True,
    ]
    return holds.index(True)


@pytest.mark.parametrize(
    "task", ["lcc_retrieval", "form_retrieval", "instruction_same_subject_diff_form"]
)
def test_the_first_ten_are_counted_one_by_one(made, rows, task) -> None:
    def is_error(one, other) -> bool:
        same_class = one["lcc_code"] == other["lcc_code"]
        same_form = one["lcgft_form"] == other["lcgft_form"]
        if task == "form_retrieval":
            return not same_form
        return not (same_class and (task == "lcc_retrieval" or not same_form))

    corpus = corpus_rows(made)
    counts, errors = np.zeros(7, int), np.zeros(7, int)
    queries = 0
    for one, item in zip(rows, items(made.run_folder, task), strict=True):
        if item["outcome"] is None:
            continue
        queries += 1
        for position in item["ranked"][:10]:
            place = relation(one, corpus[position])
            counts[place] += 1
            errors[place] += is_error(one, corpus[position])
    by_chance = np.zeros(7)
    for one in rows:
        for other in corpus:
            by_chance[relation(one, other)] += 1
    by_chance /= by_chance.sum()
    found = breakdown(made.run, made.release, task, "relation")
    assert [stratum.name for stratum in found.strata] == list(RELATIONS)
    assert [stratum.n for stratum in found.strata] == counts.tolist()
    for number, stratum in enumerate(found.strata):
        if not stratum.values:
            assert counts[number] < 30
            continue
        share, of_errors, chance = stratum.values
        assert share.value == pytest.approx(counts[number] / (10 * queries))
        assert of_errors.value == pytest.approx(errors[number] / errors.sum())
        assert share.low <= share.value <= share.high
        assert of_errors.low <= of_errors.value <= of_errors.high
        # 100 documents a query: the standard error is below 0.004 for 190 queries.
        assert chance.value == pytest.approx(by_chance[number], abs=0.015)
