"""Labels against generators, on corpora whose gating is known."""

from __future__ import annotations

import pyarrow as pa
import pytest

from builders.gates.table import VERDICTS
from builders.independence.corpus import Corpus
from builders.independence.findings import findings_of
from builders.independence.labels import crossing_of
from builders.independence.measured import independence_of, values_of
from builders.independence.telling_apart import MOST_DOCUMENTS, ToldApart, _sample, told_apart
from builders.independence.words import independence_text
from evaluate_shelf.printable import columns

LENGTHS = ("short", "middling", "long")
GENERATORS = ("m-a", "m-b", "m-c")
SPECIFICATIONS = 120


def row(generator, number):
    return {
        "id": f"{generator} {number}",
        "slice": "v0_4_core",
        "model": generator,
        "group": f"s{number}",
        "lcc_code": "ABCD"[number % 4],
        "lcgft_category": "XY"[number % 2],
        "lcgft_form": "PQRST"[number % 5],
        "register": "formal",
        "audience": None if number % 7 < 3 else "Experts",
        "target_length": LENGTHS[number // 4 % 3],
        "prompt_variant_id": f"p{number % 4}",
        "topics": ["Ethics", "Logic"][: 1 + number % 2],
        "geographic": [] if number % 3 else ["Paris"],
        "text": f"{generator[-1] * 3} writes, as it does, of matter {number % 11} and no other",
        **dict.fromkeys(VERDICTS, True),
    }


def corpus(refused):
    """A corpus whose documents one gate or several refuse."""
    rows = [row(name, number) for number in range(SPECIFICATIONS) for name in GENERATORS]
    for own in rows:
        own.update(dict.fromkeys(refused(own), False))
        own["passed"] = all(own[gate] for gate in VERDICTS)
    schema_of_written = [name for name in rows[0] if name not in ("topics", "geographic", "text")]
    written = pa.Table.from_pylist(rows).select(schema_of_written)
    kept = pa.Table.from_pylist([own for own in rows if own["passed"]])
    return Corpus("v0_4_core", "0123456789ab", kept, written, 0)


def by_name(own):
    return {finding.label.name: finding for finding in findings_of(own)}


def long_ones_of_one(own):
    """A length gate that refuses the long documents of one generator, and some of all."""
    if own["model"] == "m-b" and own["target_length"] == "long":
        return ["passes_length"]
    return ["passes_refusal"] if hash_of(own) < 0.1 else []


def hash_of(own):
    return (sum(map(ord, own["id"])) * 7919 % 1000) / 1000


def test_uneven_gating_shows_in_its_label_alone_and_names_its_gate():
    found = by_name(corpus(long_ones_of_one))
    length = found["target length"]
    assert length.written.value == 0
    assert length.kept.interval.low > 0.1
    assert length.gate.name == "G3"
    assert length.gate.without_it < 0.05 < length.gate.with_it
    assert found["class"].kept.interval.low == 0
    assert found["category"].kept.interval.low == 0


def test_nothing_refused_nothing_found():
    found = by_name(corpus(lambda own: []))
    for name in ("class", "category", "form", "audience", "target length", "prompt variant"):
        assert found[name].kept.value == found[name].written.value == 0
        assert found[name].gate is None
    assert found["register"].kept == "one value alone"


def test_no_label_is_a_value_of_its_own():
    found = by_name(corpus(lambda own: []))
    assert found["audience"].values == 2
    assert found["places"].values == 2
    assert found["places"].occurrences == SPECIFICATIONS * len(GENERATORS)
    assert found["topics"].occurrences == SPECIFICATIONS * len(GENERATORS) * 3 // 2
    assert isinstance(found["topics"].written, str)


def test_an_absent_audience_that_one_generator_loses_is_seen():
    def refused(own):
        return ["passes_parse"] if own["model"] == "m-c" and own["audience"] is None else []

    assert by_name(corpus(refused))["audience"].kept.interval.low > 0.2


def test_a_column_that_is_not_there_and_a_release_that_does_not_say_what_was_written():
    whole = corpus(lambda own: [])
    own = Corpus("c", "r", whole.kept.drop_columns(["register"]), None, 3)
    found = by_name(own)
    assert "register" in found["register"].kept
    assert isinstance(found["class"].written, str)
    assert found["class"].gate is None
    values = values_of(independence_of(own, 42))
    assert values["written"] is None
    assert values["without_generator"] == 3
    assert values["labels"]["register"]["kept"]["v"] is None


def test_lists_and_single_labels_are_counted_alike_where_there_is_one():
    names, groups = ["a", "b", "a"], ["1", "1", "2"]
    single = crossing_of(["x", None, "y"], names, groups, several=False)
    several = crossing_of([["x"], None, ["y"]], names, groups, several=True)
    assert single.table.tolist() == several.table.tolist()


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("refused", [long_ones_of_one, lambda own: []])
def test_the_text_fits_the_terminal(width, refused):
    text = independence_text(independence_of(corpus(refused), 42), width)
    longest = max(columns(line) for line in text.splitlines())
    assert longest <= width


def test_generators_with_a_word_of_their_own_are_told_apart_and_shuffled_ones_are_not():
    own = corpus(lambda own: []).kept
    columns_of = [own[name].to_pylist() for name in ("text", "model", "group")]
    found = told_apart(*columns_of, seed=42)
    assert isinstance(found, ToldApart)
    assert found.accuracy.value == found.macro_f1.value == 1
    assert found.even == pytest.approx(1 / 3)
    assert found.largest == pytest.approx(1 / 3)
    assert abs(found.shuffled_accuracy.value - 1 / 3) < 0.1
    low, high = found.shuffled_accuracy.interval
    assert low <= found.shuffled_accuracy.value <= high
    assert found == told_apart(*columns_of, seed=42)


def test_a_text_that_only_its_specification_knows_tells_nothing():
    """A classifier that had seen the specification would know which of its texts is whose."""
    texts, names, groups = [], [], []
    for number in range(60):
        for place, name in enumerate(GENERATORS):
            texts.append(f"matter{number} " * (1 + (place + number) % 3))
            names.append(name)
            groups.append(f"s{number}")
    found = told_apart(texts, names, groups, seed=42)
    assert found.accuracy.value < 0.5


@pytest.mark.parametrize(
    ("texts", "names", "groups"),
    [
        (["a b", "a b"], ["m", "n"], ["1", "2"]),
        (["one two"] * 10, ["m"] * 10, list("0123456789")),
        ([f"only{number}" for number in range(10)], ["m", "n"] * 5, list("0123456789")),
        (["one two"] * 10, ["m"] * 9 + ["n"], list("0123456789")),
    ],
)
def test_says_why_generators_cannot_be_told_apart(texts, names, groups):
    assert isinstance(told_apart(texts, names, groups, seed=42), str)


def test_a_sample_has_whole_specifications():
    groups = [f"s{number // 7}" for number in range(MOST_DOCUMENTS + 700)]
    rows = _sample(groups, 42)
    assert MOST_DOCUMENTS - 7 < len(rows) <= MOST_DOCUMENTS
    chosen = {groups[row] for row in rows}
    assert len(rows) == sum(own in chosen for own in groups)
    assert rows == _sample(groups, 42) != _sample(groups, 43)
