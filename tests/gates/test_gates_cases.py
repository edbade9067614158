"""The labelled cases, and what is counted on them."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from scipy.stats import binomtest
from small_ledger import SEED, answer_to, small_orders, small_plan

from builders.budget.reading import Written
from builders.corpora.synthetic.rows import AnswerRows
from builders.gates.cases.reading import CASES, Outcome, outcomes
from builders.gates.counts import gate_counts
from builders.gates.outliers import outliers
from builders.gates.quality import gate_quality, quality_of, share_of
from builders.gates.rates import gate_rates
from builders.gates.report import as_json, markdown
from builders.gates.table import GATE_TABLE, VERDICTS
from evaluate_shelf.errors import ShelfError

# What the gates have reached; a change that makes one worse has to say so here.
LEAST = {
    "parse": (1.0, 1.0),
    "language": (0.89, 1.0),
    "length": (1.0, 1.0),
    "self_label": (0.97, 0.95),
    "topic_coverage": (0.68, 0.77),
    "near_duplicate": (1.0, 0.84),
    "refusal": (0.95, 0.92),
}


@pytest.mark.parametrize("gate", CASES)
def test_a_gate_has_forty_cases_or_more_and_half_of_all_are_hard_to_let_pass(gate):
    cases = outcomes(gate)
    assert len(cases) >= 40
    assert len({own.id for own in cases}) == len(cases)
    hard = [own for own in cases if own.is_hard]
    assert 2 * len(hard) >= len(cases)
    assert all(own.passes for own in hard)
    assert sum(not own.passes for own in cases) >= 20


def test_no_gate_is_worse_than_it_was():
    for own in gate_quality():
        precision, recall = LEAST[own.gate]
        assert own.precision.share >= precision, (own.gate, own.refused_wrongly)
        assert own.recall.share >= recall, (own.gate, own.passed_wrongly)


def test_quality_is_counted_as_it_is_defined():
    cases = [
        Outcome("hit", False, False, False),
        Outcome("miss", False, False, True),
        Outcome("miss-2", False, False, True),
        Outcome("wrong", True, True, False),
        Outcome("right", True, True, True),
    ]
    own = quality_of("g", cases)
    assert (own.precision.right, own.precision.of) == (1, 2)
    assert (own.recall.right, own.recall.of) == (1, 3)
    assert (own.hard_passed.right, own.hard_passed.of) == (1, 2)
    assert own.refused_wrongly == ("wrong",)
    assert own.passed_wrongly == ("miss", "miss-2")


@pytest.mark.parametrize(("right", "of"), [(0, 1), (1, 1), (3, 40), (40, 41), (20, 20)])
def test_the_interval_is_wilsons(right, of):
    own = share_of(right, of)
    ci = binomtest(right, of).proportion_ci(0.95, method="wilson")
    assert own.low == pytest.approx(ci.low, abs=1e-4)
    assert own.high == pytest.approx(ci.high, abs=1e-4)


def test_the_report_names_every_miss(taxonomy):
    table, quality = GATE_TABLE.empty_table(), gate_quality()
    text = markdown(gate_counts(table), quality, gate_rates(table, taxonomy), outliers(table))
    for own in quality:
        for name in (*own.refused_wrongly, *own.passed_wrongly):
            assert name in text


def test_the_report_counts_answers_that_lost_what_nobody_sees(taxonomy):
    order = small_orders(small_plan())[0][1]
    rows = []
    for text in ("A title\n\nA body.", "A \x1btitle\u200b\n\nA \u202ebody."):
        row = AnswerRows(SEED)(Written(order, answer_to(order, text), 7))
        assert (row["title"], row["body"]) == ("A title", "A body.")
        verdicts = dict.fromkeys((*VERDICTS, "passed"), True)
        rows.append({name: row.get(name, verdicts.get(name)) for name in GATE_TABLE.names})
    assert rows[0]["qc_found"] == rows[1]["qc_found"][:-1]
    assert rows[1]["qc_found"][-1].endswith(" 3")
    quality = gate_quality()
    for many, said in ((rows[:1], None), (rows, 1)):
        table = pa.Table.from_pylist(many, schema=GATE_TABLE)
        counts, found = gate_counts(table), outliers(table)
        rates = gate_rates(table, taxonomy)
        # A release that has none of it has the report that it always had.
        value = json.loads(as_json(counts, quality, rates, found))
        assert value["counts"].get("unseen_removed") == said
        assert ("nobody sees" in markdown(counts, quality, rates, found)) == bool(said)


def test_an_unknown_gate_is_an_error():
    with pytest.raises(ShelfError):
        outcomes("g8")
