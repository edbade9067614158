"""Pair configs as they are released: rows, texts, labels, quotas, reuse."""

from __future__ import annotations

from collections import Counter

import pytest

from builders.corpora.columns import GUTENBERG
from builders.splits import Member, grouped_splits
from builders.staging.config import ConfigInfo
from builders.staging.writing import stage_rows
from builders.task_configs.pair_tasks import PAIR_TASKS
from builders.task_configs.pairs import build_pairs
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import PairCounts, load_plan

STRATA = ("S0", "S1", "S2", "S3", "S4", "S5", "S6")


def plan(train=300, validation=100, test=100, uses=8):
    counts = PairCounts(train=train, validation=validation, test=test)
    return load_plan("standard").model_copy(update={"pairs": counts, "uses_per_document": uses})


def rows_of(config, split=None):
    splits = [split] if split else config.splits
    return [row for table in config.batches(splits=splits) for row in table.to_pylist()]


def shared(first, second):
    return {*(first["topics"] or [])} & {*(second["topics"] or [])}


def stratum_of(first, second):
    if first["lcc_code"] == second["lcc_code"]:
        return "S2"
    if first["lcgft_form"] == second["lcgft_form"]:
        return "S3"
    if first["lcgft_category"] == second["lcgft_category"]:
        return "S4"
    return "S5" if shared(first, second) else "S6"


@pytest.fixture(scope="module")
def documents(pool):
    return {row["id"]: row for row in rows_of(pool)}


@pytest.fixture(scope="module", params=sorted(PAIR_TASKS))
def task(request):
    return request.param


@pytest.fixture(scope="module")
def pairs(task, pool, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pairs")
    return build_pairs(task, PAIR_TASKS[task], pool, plan(), seed=42, staging=folder)


def test_both_documents_are_of_the_pairs_split_and_of_two_groups(pairs, documents):
    for split in pairs.splits:
        for row in rows_of(pairs, split):
            first, second = documents[row["doc_a_id"]], documents[row["doc_b_id"]]
            assert first["split"] == second["split"] == split
            assert (first["group_id"] or first["id"]) != (second["group_id"] or second["id"])


def test_a_row_has_the_texts_of_its_documents(pairs, documents):
    for row in rows_of(pairs):
        for side in ("doc_a", "doc_b"):
            document = documents[row[f"{side}_id"]]
            assert row[f"{side}_body"] == document["body"]
            assert row[f"{side}_title"] == (document["title"] or "")


def test_labels_are_those_of_the_documents(task, pairs, documents):
    for row in rows_of(pairs):
        first, second = documents[row["doc_a_id"]], documents[row["doc_b_id"]]
        if PAIR_TASKS[task].field == "topics":
            common = sorted(shared(first, second))
            most = 3 if task == "topic_overlap_pairs" else 1
            assert row["shared_topics"] == common
            assert row["overlap_count"] == len(common)
            assert row["label"] == min(len(common), most)
            continue
        assert row["label_field"] == PAIR_TASKS[task].field
        assert row["label"] == (first[row["label_field"]] == second[row["label_field"]])
        if "relation_stratum" in row:
            assert row["relation_stratum"] == stratum_of(first, second)


def test_no_pair_comes_twice_and_none_with_its_reversed_twin(pairs):
    keys = [frozenset((row["doc_a_id"], row["doc_b_id"])) for row in rows_of(pairs)]
    assert all(len(key) == 2 for key in keys)
    assert len(set(keys)) == len(keys)


def test_no_document_is_used_more_than_the_cap_and_all_equally_often(pairs):
    for split in pairs.splits:
        uses = Counter(
            row[side] for row in rows_of(pairs, split) for side in ("doc_a_id", "doc_b_id")
        )
        assert len(set(uses.values())) == 1
        assert max(uses.values()) <= 8


def test_rows_are_in_the_order_of_ids_that_say_nothing(pairs):
    for split in pairs.splits:
        ids = [row["id"] for row in rows_of(pairs, split)]
        assert ids == sorted(ids)
        assert all(len(identity) == 16 and int(identity, 16) >= 0 for identity in ids)


def test_what_was_wanted_and_drawn_is_recorded(task, pairs, tmp_path_factory):
    """Each level's line of the report agrees with the rows that are there."""
    report = next(iter(tmp_path_factory.getbasetemp().glob(f"pairs*/configs/{task}.tsv")))
    head, *lines = report.read_text().splitlines()
    own = [dict(zip(head.split("\t"), line.split("\t"), strict=True)) for line in lines]
    for split in pairs.splits:
        drawn = sum(int(line["drawn"]) for line in own if line["split"] == split)
        assert drawn == pairs.rows(split)
    for line in own:
        assert int(line["drawn"]) <= int(line["wanted"])
        assert bool(line["reason"]) == (int(line["drawn"]) < int(line["wanted"]))


def test_the_same_seed_gives_the_same_pairs_and_another_one_others(pool, tmp_path):
    def drawn(seed, place):
        built = build_pairs(
            "same_lcc_pairs",
            PAIR_TASKS["same_lcc_pairs"],
            pool,
            plan(),
            seed=seed,
            staging=tmp_path / place,
        )
        return [file.content_sha256 for file in built.files]

    assert drawn(42, "a") == drawn(42, "b")
    assert not set(drawn(43, "c")) & set(drawn(42, "d"))


@pytest.fixture
def books(tmp_path):
    def make(classes, authors, passages=2):
        rows = [
            {
                "id": f"pg{number}",
                "text": f"Passage {number}.",
                "body": f"Passage {number}.",
                "title": None,
                "lcc_code": code,
                "group_id": f"{code}{author}",
            }
            for place, code in enumerate(classes)
            for author in range(authors)
            for passage in range(passages)
            for number in [(place * authors + author) * passages + passage]
        ]
        members = [Member(row["group_id"], row["lcc_code"], "") for row in rows]
        info = ConfigInfo("transfer_x", "documents", GUTENBERG, "made up", "group_id")
        return stage_rows(info, rows, grouped_splits(members, seed=42), tmp_path / "corpus")

    return make


def test_pairs_of_a_natural_corpus_are_drawn_from_all_splits_and_stored_as_test(books, tmp_path):
    source = books("ABCD", authors=6)
    name = "transfer_x_same_lcc_pairs"
    task = PAIR_TASKS["same_lcc_pairs"]
    built = build_pairs(name, task, source, plan(test=60), seed=42, staging=tmp_path)
    assert built.splits == ("test",)
    used = {row[side] for row in rows_of(built) for side in ("doc_a_id", "doc_b_id")}
    in_train = {row["id"] for row in rows_of(source, "train")}
    assert used & in_train
    assert used - in_train
    assert any("must not be scored on these pairs" in note for note in built.info.notes)


@pytest.mark.parametrize(("classes", "authors"), [("AB", 2)])
def test_few_groups_are_enough(books, tmp_path, classes, authors):
    source = books(classes, authors)
    task = PAIR_TASKS["same_lcc_pairs"]
    built = build_pairs("transfer_x_pairs", task, source, plan(test=8), seed=42, staging=tmp_path)
    assert {row["label"] for row in rows_of(built)} == {0, 1}


def test_a_corpus_without_negative_pairs_is_refused(books, tmp_path):
    source = books("A", authors=4)
    task = PAIR_TASKS["same_lcc_pairs"]
    with pytest.raises(ShelfError, match="transfer_x is too small"):
        build_pairs("transfer_x_pairs", task, source, plan(), seed=42, staging=tmp_path)
