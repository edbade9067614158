"""What 5,000 documents of the lexical writer are worth as a benchmark."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.build import build
from builders.request import BuildRequest
from evaluate_shelf.evaluation import evaluate, prepare, run_folder
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.protocols import load_protocol

THRESHOLD = 0.9
TASKS = ("lcc_classification", "form_classification", "register_classification")


def grams(text: str, size: int = 5) -> frozenset[str]:
    """Word 5-grams in lower case; the whole text where it is shorter."""
    words = text.lower().split()
    return frozenset(
        " ".join(words[start : start + size]) for start in range(max(1, len(words) - size + 1))
    )


def near_duplicates(texts: Sequence[str]) -> list[int]:
    """Places of the texts that have a Jaccard similarity of 0.9 to any earlier one.

    Exact: two sets of that similarity share one of their rarest grams, a tenth of each and one
    more, in an order that is the same for all; only these are looked up.
    """
    sets = [grams(text) for text in texts]
    spread = Counter(gram for own in sets for gram in own)
    holders: dict[str, list[int]] = defaultdict(list)
    found = []
    for place, own in enumerate(sets):
        rarest = sorted(own, key=lambda gram: (spread[gram], gram))
        prefix = rarest[: len(own) - -(-9 * len(own) // 10) + 1]
        candidates = {earlier for gram in prefix for earlier in holders[gram]}
        if any(jaccard(own, sets[earlier]) >= THRESHOLD for earlier in candidates):
            found.append(place)
        for gram in prefix:
            holders[gram].append(place)
    return found


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second)


@given(
    st.lists(
        st.lists(st.sampled_from("abc"), min_size=1, max_size=14).map(" ".join),
        min_size=2,
        max_size=12,
    ),
    st.lists(st.integers(0, 11), max_size=4),
)
def test_the_search_for_near_duplicates_is_exact(texts, repeated):
    long = [f"{text} " * 4 + " ".join(f"w{n}" for n in range(40)) for text in texts]
    for corpus in (texts, long):
        every = corpus + [corpus[place] for place in repeated if place < len(corpus)]
        sets = [grams(text) for text in every]
        expected = [
            place
            for place, own in enumerate(sets)
            if any(jaccard(own, earlier) >= THRESHOLD for earlier in sets[:place])
        ]
        assert near_duplicates(every) == expected


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "release"
    plan = load_plan("standard").sized(5000, ["v0_4_core"])
    build(BuildRequest(("v0_4_core",), folder, "corpus", plan))
    return folder


@pytest.fixture(scope="module")
def macro_f1(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    evaluation = prepare(
        corpus,
        "v0_4_core",
        task_ids=TASKS,
        protocol=load_protocol(None),
        runs=tmp_path_factory.mktemp("runs"),
        store=tmp_path_factory.mktemp("vectors"),
    )
    (run,) = evaluate(["tfidf"], evaluation)
    assert all(run.tasks[task].status == "done" for task in TASKS)
    folder = run_folder(resolve_model("tfidf", evaluation.protocol), evaluation)
    rows = pq.read_table(folder / "scores.parquet").to_pylist()
    return {row["task"]: row["value"] for row in rows if row["metric"] == "macro_f1"}


@pytest.mark.slow
def test_the_subject_can_be_learned_but_is_not_given_away(macro_f1):
    assert 0.6 <= macro_f1["lcc_classification"] <= 0.95


@pytest.mark.slow
def test_the_form_can_be_learned_a_little(macro_f1):
    assert macro_f1["form_classification"] > 3 / 133


@pytest.mark.slow
def test_the_register_can_be_learned_a_little(macro_f1):
    assert macro_f1["register_classification"] > 2 / 8


@pytest.mark.slow
def test_at_most_two_in_a_hundred_documents_are_near_duplicates(corpus):
    texts = [
        text
        for path in sorted((corpus / "data").rglob("*.parquet"))
        for text in pq.read_table(path)["text"].to_pylist()
    ]
    assert 4900 <= len(texts) <= 5100
    assert len(near_duplicates(texts)) <= 0.02 * len(texts)


@pytest.mark.slow
def test_nearly_every_document_passes_the_gates_and_every_label_is_kept(corpus, taxonomy):
    """A writer whose texts are refused more for one label than another would leave it out."""
    rows = [
        row
        for path in sorted((corpus / "data").rglob("*.parquet"))
        for row in pq.read_table(path, columns=["lcc_code", "lcgft_form", "model"]).to_pylist()
    ]
    assert len(rows) >= 0.98 * 5000
    assert {row["lcc_code"] for row in rows} == {subject.code for subject in taxonomy.classes}
    assert {row["lcgft_form"] for row in rows} == set(taxonomy.forms)
    counts = Counter(row["model"] for row in rows)
    assert len(counts) == 4
    assert max(counts.values()) - min(counts.values()) <= 0.02 * len(rows) / 4
