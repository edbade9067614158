"""The sample of queries: its size, its strata, and what it depends on."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.task_configs.retrieval.queries import (
    first_labels,
    quotas,
    sampled_queries,
    strata_of,
)
from builders.task_configs.retrieval.tables import (
    CORPUS,
    QUERIES,
    corpus_rows,
    instruction_rows,
    query_rows,
)
from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations.qrels import judged, qrels
from evaluate_shelf.formulations.relevance import answered, relevance_of
from evaluate_shelf.registry.tasks import load_tasks

TASKS = [task for task in load_tasks().values() if "retrieval" in task.formulation]
EVERY_TASK = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)

counts_of_labels = st.lists(st.integers(0, 60), min_size=1, max_size=12)
documents = st.lists(
    st.sampled_from([None, " ", "Maps", "maps ", "Atlases", "Ice", "Law"]), max_size=60
)


def sample(ids, labels, **options):
    return sampled_queries(ids, labels, **{"seed": 42, "key": "x", "n": 10, **options})


def ids_for(labels) -> list[str]:
    return [f"{number:03d}" for number in range(len(labels))]


@given(counts_of_labels, st.integers(1, 80))
def test_quotas_fill_the_sample_and_no_label_gives_more_than_it_has(counts, n: int) -> None:
    quota = quotas(np.array(counts), n)
    assert quota.sum() == min(n, sum(counts))
    assert (quota <= counts).all()
    assert (quota >= 0).all()


@given(counts_of_labels, st.integers(1, 80))
def test_every_label_has_a_place_if_there_are_enough(counts, n: int) -> None:
    if n >= sum(count > 0 for count in counts):
        assert ((quotas(np.array(counts), n) > 0) == (np.array(counts) > 0)).all()


@given(counts_of_labels, st.integers(1, 80))
def test_a_label_with_more_documents_never_has_fewer_places(counts, n: int) -> None:
    quota = quotas(np.array(counts), n).tolist()
    for count, own in zip(counts, quota, strict=True):
        assert all(own >= other for less, other in zip(counts, quota, strict=True) if less < count)


@given(counts_of_labels, st.integers(1, 80))
def test_places_are_less_than_one_from_the_exact_share(counts, n: int) -> None:
    """Where no label needs more than its share to have a place."""
    shares = [Fraction(min(n, sum(counts)) * count, sum(counts) or 1) for count in counts]
    if n < sum(count > 0 for count in counts) or all(share >= 1 for share in shares if share):
        for share, own in zip(shares, quotas(np.array(counts), n).tolist(), strict=True):
            assert abs(own - share) < 1


@pytest.mark.parametrize(
    ("counts", "n", "expected"),
    [
        ([50, 30, 20], 10, [5, 3, 2]),
        ([49, 31, 20], 10, [5, 3, 2]),
        ([10, 10, 10], 10, [4, 3, 3]),
        ([97, 1, 1, 1], 10, [7, 1, 1, 1]),
        ([3, 0, 2], 10, [3, 0, 2]),
        ([5, 4, 3, 2], 3, [1, 1, 1, 0]),
        # The place of the last one leaves the second a share below one: 8 of 26 times 3.
        ([18, 3, 5, 1], 9, [5, 1, 2, 1]),
    ],
)
def test_quotas_by_hand(counts, n: int, expected) -> None:
    assert quotas(np.array(counts), n).tolist() == expected


@given(documents)
def test_all_are_taken_where_there_are_no_more(labels) -> None:
    taken = sample(ids_for(labels), labels, n=60)
    there = [number for number, label in enumerate(labels) if label and label.strip()]
    assert taken.positions.tolist() == there
    assert taken.unlabelled == len(labels) - len(there)
    assert taken.unanswered == 0


@given(documents, st.integers(1, 30), st.data())
def test_the_order_of_documents_does_not_matter(labels, n: int, data) -> None:
    ids = ids_for(labels)
    order = data.draw(st.permutations(range(len(labels))))
    first = sample(ids, labels, n=n)
    other = sample([ids[place] for place in order], [labels[place] for place in order], n=n)
    taken = [ids[place] for place in first.positions]
    assert [ids[order[place]] for place in other.positions] == taken
    assert taken == sorted(taken)
    assert other[1:] == first[1:]


@given(documents, st.integers(1, 30), st.data())
def test_strata_have_the_quotas_of_the_documents_that_can_be_asked(labels, n: int, data) -> None:
    has_answer = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(labels), max_size=len(labels))), bool
    )
    taken = sample(ids_for(labels), labels, n=n, answered=has_answer)
    assert has_answer[taken.positions].all()
    folded = [(label or "").strip().casefold() for label in labels]
    can = Counter(own for own, has in zip(folded, has_answer, strict=True) if own and has)
    names = sorted(can)
    drawn = Counter(folded[place] for place in taken.positions)
    if names:
        expected = quotas(np.array([can[name] for name in names]), n).tolist()
        assert [drawn[name] for name in names] == expected
    assert taken.unlabelled == folded.count("")
    assert taken.unlabelled + taken.unanswered + sum(can.values()) == len(labels)


def test_seed_and_key_decide_the_sample() -> None:
    labels = ["Maps", "Ice"] * 100
    ids = ids_for(labels)
    first = sample(ids, labels).positions.tolist()
    assert sample(ids, labels).positions.tolist() == first
    assert sample(ids, labels, seed=43).positions.tolist() != first
    assert sample(ids, labels, key="y").positions.tolist() != first


def test_a_document_more_changes_one_query_at_most() -> None:
    labels = ["Maps"] * 100
    ids = ids_for(labels)
    before = {ids[place] for place in sample(ids, labels).positions}
    for number in range(20):
        more = [*ids, f"new{number}"]
        after = {more[place] for place in sample(more, [*labels, "Maps"]).positions}
        assert len(after - before) <= 1


def test_every_document_is_as_likely() -> None:
    """Over many seeds, each is drawn as often as its stratum's quota says."""
    labels = ["Maps"] * 30 + ["Ice"] * 10
    ids = ids_for(labels)
    drawn = Counter(
        place
        for seed in range(400)
        for place in sample(ids, labels, seed=seed, n=8).positions.tolist()
    )
    # 400 draws with probability 0.2: 80, standard deviation 8.
    assert all(80 - 5 * 8 < drawn[place] < 80 + 5 * 8 for place in range(40))


def test_of_several_labels_the_first_is_the_stratum(splits) -> None:
    task = next(task for task in TASKS if task.anchor_field == "topics")
    strata = strata_of(task, splits["test"])
    topics = splits["test"]["topics"].to_pylist()
    assert strata == [own[0] if own else None for own in topics]
    assert first_labels([[None, " ", "Ice"], [""], []]) == ["Ice", None, None]


@pytest.mark.parametrize(
    ("task_id", "field"),
    [
        ("form_retrieval", "lcgft_form"),
        ("instruction_same_subject_diff_form", "lcc_code"),
        ("instruction_same_audience_diff_register", "audience"),
    ],
)
def test_strata_are_the_anchors_labels(splits, task_id: str, field: str) -> None:
    task = next(task for task in TASKS if task.id == task_id)
    assert strata_of(task, splits["test"]).to_pylist() == splits["test"][field].to_pylist()


def test_a_stratum_column_that_is_not_there_is_named(splits) -> None:
    with pytest.raises(UnsupportedError, match="'lcc_code'"):
        strata_of(TASKS[0], splits["test"].drop_columns("lcc_code"))


@EVERY_TASK
def test_every_sampled_query_has_a_relevant_document(task, splits, corpus) -> None:
    """Also where most documents of the corpus are not relevant to anything."""
    test, few = splits["test"], corpus.slice(0, 4)
    taken = sample(
        test["id"].to_pylist(),
        strata_of(task, test),
        n=15,
        answered=answered(relevance_of(task, test, few)),
    )
    queries = test.take(taken.positions)
    rows = pa.concat_tables(qrels(judged(task, queries, few)))
    assert taken.unanswered > 0
    assert rows["query-id"].unique().to_pylist() == queries["id"].to_pylist()
    assert set(rows["corpus-id"].to_pylist()) <= set(few["id"].to_pylist())


def test_rows_keep_their_order_and_no_title_is_null(splits, corpus) -> None:
    documents = corpus_rows(corpus)
    assert documents.schema.equals(CORPUS)
    assert documents["title"].null_count == 0
    assert corpus["title"].null_count > 0
    for name in ("id", "text"):
        assert documents[name].equals(corpus[name])
    queries = query_rows(splits["test"])
    assert queries.schema.equals(QUERIES)
    assert queries.equals(splits["test"].select(["id", "text"]))
    instructions = instruction_rows(queries["id"], "Find maps.")
    assert instructions["query-id"].equals(queries["id"])
    assert set(instructions["instruction"].to_pylist()) == {"Find maps."}
