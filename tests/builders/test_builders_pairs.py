from __future__ import annotations

import re
from collections import Counter

import pyarrow as pa
import pytest
from sklearn.metrics import roc_auc_score

from builders.corpora.built import BuiltConfig
from builders.corpora.columns import PAIRS
from builders.draws import Draws
from builders.task_configs.pairs import build_pairs
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import PairCounts, load_plan

LABELS = "ABCDEFGHJKLMNPQRSTUVZ"
SHARES = {"train": 3, "validation": 1, "test": 1}
SCHEMA = pa.schema([(name, pa.string()) for name in ("id", "lcc_code", "spec_id", "title", "body")])


def corpus(*, name="all", group_column="spec_id", groups=40, versions=2, labels=LABELS):
    """Documents of every class, a growing number of groups a class, several to a group."""
    draws = Draws(1, "ids")
    schema = SCHEMA.set(2, pa.field(group_column, pa.string()))
    splits = {}
    for split, share in SHARES.items():
        rows = [
            {
                "id": f"{draws.integer(2**52):013x}",
                "lcc_code": label,
                group_column: f"{split}-{label}-{group}",
                "title": f"Title {split} {label} {group} {version}",
                "body": f"Body {split} {label} {group} {version}",
            }
            for more, label in enumerate(labels)
            for group in range(share * (groups + more))
            for version in range(versions)
        ]
        rows.sort(key=lambda row: row["id"])
        splits[split] = pa.Table.from_pylist(rows, schema=schema)
    return BuiltConfig(
        name=name,
        kind="documents",
        splits=splits,
        group_column=group_column,
        source="made up",
        seeds={},
        counted=(),
    )


def plan(train=4000, validation=1000, test=1000, uses=8):
    return load_plan("standard").model_copy(
        update={
            "pairs": PairCounts(train=train, validation=validation, test=test),
            "uses_per_document": uses,
        }
    )


@pytest.fixture(scope="module")
def source():
    return corpus()


@pytest.fixture(scope="module")
def documents(source):
    return {row["id"]: row for table in source.splits.values() for row in table.to_pylist()}


@pytest.fixture(scope="module")
def pairs(source):
    return build_pairs(source, plan(), field="lcc_code", seed=42)


def rows_of(config):
    return [row for table in config.splits.values() for row in table.to_pylist()]


def uses_of(rows):
    return Counter(row[side] for row in rows for side in ("doc_a_id", "doc_b_id"))


def deviations(values, labels):
    """How many standard deviations the AUC of values against labels is from a half."""
    positive = sum(labels)
    negative = len(labels) - positive
    deviation = ((len(labels) + 1) / (12 * positive * negative)) ** 0.5
    return (roc_auc_score(labels, values) - 0.5) / deviation


def test_the_columns_are_the_published_ones(pairs):
    assert PAIRS.names == [
        "id", "doc_a_id", "doc_a_title", "doc_a_body", "doc_b_id", "doc_b_title", "doc_b_body",
        "label", "label_field",
    ]  # fmt: skip
    assert all(table.schema == PAIRS for table in pairs.splits.values())
    assert pairs.name == "same_lcc_pairs"
    assert pairs.derived_from == "all"
    assert {row["label_field"] for row in rows_of(pairs)} == {"lcc_code"}


def test_as_many_pairs_as_the_plan_wants_half_of_them_positive(pairs):
    for split, wanted in plan().pairs.model_dump().items():
        labels = pairs.splits[split]["label"].to_pylist()
        assert Counter(labels) == {0: wanted // 2, 1: wanted // 2}


def test_half_of_the_pairs_are_positive_where_documents_run_short():
    for config in (corpus(groups=2), corpus(groups=4, labels="ABC")):
        built = build_pairs(config, plan(), field="lcc_code", seed=42)
        for split, table in built.splits.items():
            counts = Counter(table["label"].to_pylist())
            assert abs(counts[0] - counts[1]) <= 1, split


def test_half_of_the_pairs_of_a_small_release_are_positive(small_release):
    import pyarrow.parquet as pq

    for path in sorted((small_release / "data" / "same_lcc_pairs").iterdir()):
        counts = Counter(pq.read_table(path)["label"].to_pylist())
        assert abs(counts[0] - counts[1]) <= 1, path.name


def test_ids_are_distinct_hashes(pairs):
    ids = [row["id"] for row in rows_of(pairs)]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[0-9a-f]{16}", identity) for identity in ids)


def test_neither_ids_nor_the_order_of_rows_give_the_label_away(pairs):
    for table in pairs.splits.values():
        labels = table["label"].to_pylist()
        assert abs(deviations([int(i, 16) for i in table["id"].to_pylist()], labels)) < 4
        assert abs(deviations(range(len(labels)), labels)) < 4


@pytest.mark.parametrize("column", ["doc_a_id", "doc_b_id"])
def test_neither_documents_id_gives_the_label_away(pairs, column):
    for table in pairs.splits.values():
        labels = table["label"].to_pylist()
        # A document's uses depend on each other, which widens the spread of the AUC.
        assert abs(deviations([int(i, 16) for i in table[column].to_pylist()], labels)) < 5


def test_no_document_is_paired_with_itself(pairs):
    assert all(row["doc_a_id"] != row["doc_b_id"] for row in rows_of(pairs))


def test_no_unordered_pair_comes_twice(pairs):
    keys = [frozenset((row["doc_a_id"], row["doc_b_id"])) for row in rows_of(pairs)]
    assert len(set(keys)) == len(keys)


def test_the_documents_of_a_pair_are_of_two_groups(pairs, documents):
    for row in rows_of(pairs):
        first, second = documents[row["doc_a_id"]], documents[row["doc_b_id"]]
        assert first["spec_id"] != second["spec_id"]


def test_the_label_says_whether_the_classes_agree(pairs, documents):
    for row in rows_of(pairs):
        first, second = documents[row["doc_a_id"]], documents[row["doc_b_id"]]
        assert row["label"] == int(first["lcc_code"] == second["lcc_code"])


def test_a_pair_holds_its_documents_texts(pairs, documents):
    for row in rows_of(pairs):
        for side in ("doc_a", "doc_b"):
            document = documents[row[f"{side}_id"]]
            assert row[f"{side}_title"] == document["title"]
            assert row[f"{side}_body"] == document["body"]


def test_a_pair_stays_in_its_documents_split(pairs, source):
    for split, table in pairs.splits.items():
        ids = set(source.splits[split]["id"].to_pylist())
        assert set(table["doc_a_id"].to_pylist()) | set(table["doc_b_id"].to_pylist()) <= ids


@pytest.mark.parametrize("uses", [1, 3, 8])
def test_no_document_is_used_more_often_than_the_plan_says(source, uses):
    # More pairs are wanted than the documents allow.
    built = build_pairs(source, plan(100_000, 100_000, 100_000, uses), field="lcc_code", seed=42)
    for table in built.splits.values():
        assert max(uses_of(table.to_pylist()).values()) == uses


def test_positive_pairs_are_nearly_even_over_the_classes(pairs, documents):
    for split, table in pairs.splits.items():
        half = table.num_rows // 2
        counts = Counter(
            documents[row["doc_a_id"]]["lcc_code"] for row in table.to_pylist() if row["label"]
        )
        assert set(counts) == set(LABELS)
        # The quota, and what does not divide evenly to any class.
        assert min(counts.values()) >= half // len(LABELS), split
        assert max(counts.values()) <= half // len(LABELS) + half % len(LABELS), split


def test_negative_pairs_are_nearly_even_over_the_classes(pairs, documents):
    """A label that stood in few negative pairs would give positives away."""
    counts = Counter(
        documents[row[side]]["lcc_code"]
        for row in pairs.splits["train"].to_pylist()
        if not row["label"]
        for side in ("doc_a_id", "doc_b_id")
    )
    mean = sum(counts.values()) / len(LABELS)
    assert set(counts) == set(LABELS)
    assert all(0.75 * mean < count < 1.25 * mean for count in counts.values())


def test_the_same_inputs_give_the_same_pairs_and_another_seed_others(source, pairs):
    again = build_pairs(source, plan(), field="lcc_code", seed=42)
    assert again.splits == pairs.splits
    other = build_pairs(source, plan(), field="lcc_code", seed=43)
    assert not set(other.splits["test"]["id"].to_pylist()) & set(
        pairs.splits["test"]["id"].to_pylist()
    )


def test_pairs_of_a_natural_corpus_are_drawn_from_all_splits_as_test_pairs():
    natural = corpus(name="transfer_books", group_column="group_id", groups=4)
    built = build_pairs(natural, plan(test=400), field="lcc_code", seed=42)
    assert built.name == "transfer_books_same_lcc_pairs"
    assert built.derived_from == "transfer_books"
    assert list(built.splits) == ["test"]
    documents = {row["id"]: row for row in rows_of(natural)}
    rows = rows_of(built)
    assert Counter(row["label"] for row in rows) == {0: 200, 1: 200}
    for row in rows:
        first, second = documents[row["doc_a_id"]], documents[row["doc_b_id"]]
        assert first["group_id"] != second["group_id"]
        assert row["label"] == int(first["lcc_code"] == second["lcc_code"])
    groups = {documents[identity]["group_id"] for identity in uses_of(rows)}
    assert {group.split("-")[0] for group in groups} == set(SHARES)


@pytest.mark.parametrize(
    "small",
    [
        {"groups": 20, "labels": "A"},  # nothing to be different from
        {"groups": 0, "labels": "AB"},  # class A is empty, class B has one test group
    ],
)
def test_a_corpus_without_positive_or_without_negative_pairs_is_refused(small):
    with pytest.raises(ShelfError, match="same_lcc_pairs"):
        build_pairs(corpus(**small), plan(), field="lcc_code", seed=42)


def test_documents_without_a_label_stand_in_no_pair(source):
    unlabelled = {
        split: pa.Table.from_pylist(
            [
                {**row, "lcc_code": None if number % 2 else row["lcc_code"]}
                for number, row in enumerate(table.to_pylist())
            ],
            schema=SCHEMA,
        )
        for split, table in source.splits.items()
    }
    config = BuiltConfig("all", "documents", unlabelled, "spec_id", "made up", {}, ())
    built = build_pairs(config, plan(400, 100, 100), field="lcc_code", seed=42)
    labelled = {row["id"] for row in rows_of(config) if row["lcc_code"]}
    assert set(uses_of(rows_of(built))) <= labelled
