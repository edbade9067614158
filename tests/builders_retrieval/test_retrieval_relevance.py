"""Relevance by label is what a loop over all pairs of documents finds."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from builders.draws import Draws
from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.formulations import instructions, retrieval
from evaluate_shelf.formulations.labels import label_numbers, sets_of
from evaluate_shelf.formulations.qrels import QRELS, Judged, judged, qrels
from evaluate_shelf.formulations.relevance import (
    Relevance,
    answered,
    codes_of,
    count_relevant,
    count_same,
    count_same_in_both,
    label_fields,
    relevance_of,
    relevant,
    relevant_pairs,
)
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.release.documents import Documents

TASKS = [task for task in load_tasks().values() if "retrieval" in task.formulation]
EVERY_TASK = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)

# Blank ones, and ones that differ in case and space alone.
labels = st.sampled_from([None, "", " ", "Maps", "maps ", "Atlases", "Straße", "STRASSE", "Ice"])
lists = st.one_of(st.none(), st.lists(labels, max_size=4))
facets = st.sampled_from([labels, lists])


def folded(label) -> set[str]:
    given = label if isinstance(label, list) else [label]
    return {one.strip().casefold() for one in given if one and one.strip()}


def is_relevant(query, document) -> bool:
    """The definition, of an anchor and a contrast each."""
    (anchor, contrast), (other_anchor, other_contrast) = query, document
    return bool(folded(anchor) & folded(other_anchor)) and not (
        folded(contrast) & folded(other_contrast)
    )


@st.composite
def labelled(draw):
    """Relevance of some queries and documents, and the truth as a matrix."""
    anchor = draw(facets)
    has_contrast = draw(st.booleans())
    documents = st.tuples(anchor, labels if has_contrast else st.none())
    queries = draw(st.lists(documents, max_size=8))
    corpus = draw(st.lists(documents, min_size=1, max_size=12))
    anchors = [[own[0] for own in side] for side in (queries, corpus)]
    contrasts = [[own[1] for own in side] for side in (queries, corpus)]
    relevance = Relevance(
        (codes_of if anchor is labels else sets_of)(*anchors),
        codes_of(*contrasts) if has_contrast else None,
    )
    truth = [[is_relevant(query, document) for document in corpus] for query in queries]
    return relevance, np.array(truth, bool).reshape(len(queries), len(corpus))


@given(labelled(), st.integers(1, 40))
def test_pairs_are_all_that_are_relevant_in_order(example, longest: int) -> None:
    relevance, truth = example
    blocks = list(relevant_pairs(relevance, longest))
    pairs = [pair for block in blocks for pair in zip(*map(np.ndarray.tolist, block), strict=True)]
    assert pairs == list(zip(*map(np.ndarray.tolist, truth.nonzero()), strict=True))
    for block in blocks:
        assert len(block.query) <= longest or len(set(block.query.tolist())) == 1


@given(labelled(), st.data())
def test_documents_at_any_rank_are_relevant_as_the_definition_says(example, data) -> None:
    relevance, truth = example
    n_queries, n_documents = truth.shape
    depth = data.draw(st.integers(1, 5))
    rank = st.integers(0, n_documents - 1)
    rows = st.lists(rank, min_size=depth, max_size=depth)
    position = data.draw(st.lists(rows, min_size=n_queries, max_size=n_queries))
    position = np.array(position, np.int64).reshape(n_queries, depth)
    expected = np.take_along_axis(truth, position, axis=1)
    np.testing.assert_array_equal(relevant(relevance, position), expected)


@given(labelled())
def test_counts_are_those_of_the_definition(example) -> None:
    relevance, truth = example
    np.testing.assert_array_equal(count_relevant(relevance), truth.sum(axis=1))
    np.testing.assert_array_equal(answered(relevance), truth.any(axis=1))


@given(labelled(), st.data())
def test_some_of_the_queries_keep_their_relevance(example, data) -> None:
    relevance, truth = example
    if len(truth):
        some = data.draw(st.lists(st.integers(0, len(truth) - 1), max_size=6))
        some = np.array(some, np.int64)
        np.testing.assert_array_equal(count_relevant(relevance.of(some)), truth[some].sum(axis=1))


@given(st.lists(labels), st.lists(labels, min_size=1))
def test_one_label_alone_is_a_list_of_one(queries, corpus) -> None:
    single = Relevance(codes_of(queries, corpus))
    listed = Relevance(sets_of([[own] for own in queries], [[own] for own in corpus]))
    np.testing.assert_array_equal(count_relevant(single), count_relevant(listed))


@given(st.lists(labels), st.lists(labels))
def test_labels_from_arrow_have_the_same_numbers(first, second) -> None:
    columns = (
        pa.array(first, pa.string()),
        pa.chunked_array([second[:1], second[1:]], pa.string()),
    )
    for ours, theirs in zip(
        label_numbers(first, second)[0], label_numbers(*columns)[0], strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)


@given(st.lists(labels), st.lists(labels))
def test_equal_numbers_are_equal_labels(queries, corpus) -> None:
    codes = codes_of(queries, corpus)
    for query, number in zip(queries, codes.queries, strict=True):
        assert (number < 0) == (not folded(query))
        for document, other in zip(corpus, codes.corpus, strict=True):
            if folded(query):
                assert (number == other) == (folded(query) == folded(document))


@EVERY_TASK
def test_qrels_are_what_the_columns_say(task, splits, corpus) -> None:
    tables = list(qrels(judged(task, splits["test"], corpus), longest=500))
    anchor, contrast = label_fields(task)
    found = [
        (query["id"], document["id"], 1)
        for query in splits["test"].to_pylist()
        for document in corpus.to_pylist()
        if is_relevant(
            *((row[anchor], row[contrast] if contrast else None) for row in (query, document))
        )
    ]
    assert found
    assert [tuple(row.values()) for row in pa.concat_tables(tables).to_pylist()] == found
    assert all(table.schema.equals(QRELS) and 0 < table.num_rows <= 500 for table in tables)


def test_a_query_with_more_documents_than_a_table_holds_has_several_tables() -> None:
    relevance = Relevance(codes_of(["A", "A"], ["A"] * 7))
    ids = pa.array([f"d{number}" for number in range(7)])
    tables = list(qrels(Judged(pa.array(["q", "r"]), ids, relevance), longest=3))
    assert [table.num_rows for table in tables] == [3, 3, 1, 3, 3, 1]


def test_a_column_that_is_not_there_is_named(splits, corpus) -> None:
    with pytest.raises(UnsupportedError, match="'topics'"):
        relevance_of(TASKS[5], splits["test"], corpus.drop_columns("topics"))


def test_a_contrast_of_several_labels_is_refused(splits, corpus) -> None:
    task = TASKS[3].model_copy(update={"contrast_field": "topics"})
    with pytest.raises(UnsupportedError, match="'topics'"):
        relevance_of(task, splits["test"], corpus)


def test_the_counts_of_scoring_are_the_number_of_qrels(splits, corpus) -> None:
    """The functions that scoring calls count the documents that qrels list."""
    test = splits["test"]
    subject, form = (
        codes_of(test[field].to_pylist(), corpus[field].to_pylist())
        for field in ("lcc_code", "lcgft_form")
    )
    for relevance, counts in (
        (Relevance(subject), count_same(subject)),
        (Relevance(subject, form), count_same(subject) - count_same_in_both(subject, form)),
    ):
        rows = pa.concat_tables(
            qrels(Judged(test["id"].combine_chunks(), corpus["id"].combine_chunks(), relevance))
        )
        listed = rows["query-id"].value_counts().to_pylist()
        of_query = {own["values"]: own["counts"] for own in listed}
        assert [of_query.get(identity, 0) for identity in test["id"].to_pylist()] == counts.tolist()


@pytest.mark.parametrize("task", [task for task in TASKS if task.available], ids=lambda t: t.id)
def test_scores_are_those_of_trec_eval_on_the_qrels(task, splits, corpus) -> None:
    data = SimpleNamespace(
        config="all",
        corpus=Documents(corpus, None),
        **{split: Documents(table, None) for split, table in splits.items()},
    )
    ids = corpus["id"].to_pylist()
    rows = [Draws(1, query).shuffled(list(range(len(ids))))[:100] for query in data.test.ids]
    ranked = [[ids[row] for row in own] for own in rows]
    lists = pa.FixedSizeListArray.from_arrays(pa.array(np.ravel(rows), pa.int32()), 100)
    falling = np.tile(np.arange(100, 0, -1, dtype=np.float32), len(rows))
    scores = pa.FixedSizeListArray.from_arrays(pa.array(falling), 100)
    items = pa.table({"row": np.arange(len(rows)), "ranked": lists, "scores": scores})
    score = (instructions if task.contrast_field else retrieval).score
    ours = {own.metric: own.value for own in score(task, data, items, load_protocol())}
    judgements: dict[str, dict[str, int]] = {}
    for table in qrels(judged(task, splits["test"], corpus)):
        for query, document, value in zip(*table.to_pydict().values(), strict=True):
            judgements.setdefault(query, {})[document] = value
    run = {
        query: {document: -float(rank) for rank, document in enumerate(row)}
        for query, row in zip(data.test.ids, ranked, strict=True)
    }
    names = {"ndcg_at_10": "ndcg_cut_10", "mrr": "recip_rank", "recall_at_100": "recall_100"}
    measured = pytrec_eval.RelevanceEvaluator(
        judgements, {"ndcg_cut.10", "recip_rank", "recall.100"}
    ).evaluate(run)
    assert measured
    for name, theirs in names.items():
        assert ours[name] == pytest.approx(np.mean([own[theirs] for own in measured.values()]))
