"""The preregistered rule on scores that are chosen to pass, to fail, or to leave it open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from transfer_runs import ranked, scored

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.transfer.agreement import Agreement
from evaluate_shelf.transfer.comparison import compare
from evaluate_shelf.transfer.preregistered import Outcome, meets, outcome
from evaluate_shelf.transfer.scores import Measure, measure
from evaluate_shelf.transfer.settings import Rule, load_transfer
from evaluate_shelf.transfer.stability import Stability

SETTINGS = load_transfer()
FORMULATIONS = tuple(SETTINGS.formulations)
UP = [number / 20 for number in range(12)]
DOWN = UP[::-1]

Orders = Mapping[str, Mapping[str, Sequence[float]]]


def orders(**natural: Sequence[float]) -> dict[str, dict[str, Sequence[float]]]:
    """UP everywhere, but for the formulations named, on both natural corpora."""
    found: dict[str, dict[str, Sequence[float]]] = {
        corpus: dict.fromkeys(FORMULATIONS, UP) for corpus in SETTINGS.corpora
    }
    for corpus in SETTINGS.natural:
        found[corpus].update(natural)
    return found


def stable(median: float | None = 0.95) -> list[Stability]:
    return [Stability(c, median, median, 12, (), "computed") for c in SETTINGS.corpora]


def applied(given: Orders, stability: Sequence[Stability] = tuple(stable())) -> Outcome:
    return outcome(ranked(given), SETTINGS, stability)


def test_equal_orders_support_the_claim() -> None:
    found = applied(orders())
    assert (found.verdict, found.passed) == ("supported", FORMULATIONS)
    assert len(found.cells) == 8
    assert len(found.beside) == 4


def test_three_of_four_are_enough_and_two_are_not() -> None:
    one = applied(orders(pairs=DOWN))
    two = applied(orders(pairs=DOWN, retrieval=DOWN))
    assert (one.verdict, one.failed) == ("supported", ("pairs",))
    assert (two.verdict, two.failed) == ("not supported", ("retrieval", "pairs"))


def test_a_formulation_has_to_pass_against_both_corpora() -> None:
    given = orders()
    for formulation in ("classification", "pairs"):
        given[SETTINGS.natural[1]][formulation] = DOWN
    found = applied(given)
    assert (found.verdict, found.failed) == ("not supported", ("classification", "pairs"))


def test_missing_scores_leave_it_open_only_where_they_could_turn_it() -> None:
    given = orders()
    for corpus in SETTINGS.natural:
        del given[corpus]["pairs"]
    assert applied(given).verdict == "supported"
    for corpus in SETTINGS.natural:
        del given[corpus]["retrieval"]
    found = applied(given)
    assert (found.verdict, found.undecided) == ("not decidable", ("retrieval", "pairs"))
    for corpus in SETTINGS.natural:
        given[corpus].update(classification=DOWN, clustering=DOWN)
    assert applied(given).verdict == "not supported"


def test_a_cell_without_scores_says_so() -> None:
    given = orders()
    del given[SETTINGS.natural[0]]["pairs"]
    cell = next(c for c in applied(given).cells if c.passes is None)
    assert "same_lcc_pairs" in (cell.reason or "")
    assert cell.comparison.agreement.spearman is None


def test_three_models_are_too_few() -> None:
    few = {corpus: dict.fromkeys(FORMULATIONS, UP[:3]) for corpus in SETTINGS.corpora}
    found = applied(few)
    assert found.verdict == "not decidable"
    assert all(cell.passes is None and cell.reason for cell in found.cells)


@pytest.mark.parametrize(
    ("stability", "passes"),
    [
        (stable(0.9), True),
        (stable(0.8999), False),
        (stable(None), None),
        ([], None),
        (stable()[:2], None),
    ],
)
def test_clustering_counts_only_where_its_order_is_stable(
    stability: list[Stability], passes: bool | None
) -> None:
    found = applied(orders(), stability)
    last = next(
        cell for cell in reversed(found.cells) if cell.formulation == SETTINGS.stability.formulation
    )
    assert last.passes is passes
    assert (last.reason is None) == (passes is True)
    assert found.verdict == "supported"


def test_unstable_clustering_can_turn_the_verdict() -> None:
    given = orders(pairs=DOWN)
    assert applied(given, stable(0.5)).verdict == "not supported"
    assert applied(given, []).verdict == "not decidable"


def test_all_corpora_compare_the_same_models() -> None:
    given = orders()
    given[SETTINGS.natural[1]]["classification"] = UP[:-2]
    cells = [c for c in applied(given).cells if c.formulation == "classification"]
    assert [cell.comparison.agreement.n for cell in cells] == [10, 10]
    named = {out.model for cell in cells for out in cell.comparison.lacking}
    assert named == {"m10", "m11"}


RULE = Rule(spearman_at_least=0.6, lower_end_above=0.0, formulations_needed=3)


@pytest.mark.parametrize(
    ("spearman", "low", "expected"),
    [
        (0.6, 0.1, True),
        (0.1 + 0.5, 0.1, True),
        (0.5999, 0.1, False),
        (0.9, 0.0, False),
        (0.9, -0.1, False),
        (0.9, 1e-9, True),
        (None, None, None),
    ],
)
def test_the_bounds_of_the_rule(
    spearman: float | None, low: float | None, expected: bool | None
) -> None:
    assert meets(RULE, Agreement(24, spearman, 0.5, low, 0.9, 0.95, 2000, 0)) is expected


def test_ranks_are_one_for_the_best_and_average_for_ties() -> None:
    runs = ranked({"all": {"retrieval": [0.1, 0.4, 0.4, 0.9]}, "b": {"retrieval": [4, 3, 2, 1]}})
    x, y = (measure(f"{corpus}/lcc_retrieval", SETTINGS) for corpus in ("all", "b"))
    found = compare(runs, x, y, SETTINGS.resampling)
    assert [model.rank_x for model in found.models] == [4, 2.5, 2.5, 1]
    assert [model.rank_y for model in found.models] == [1, 2, 3, 4]


def test_the_most_influential_model_is_the_one_that_stands_apart() -> None:
    odd = [*UP[:-1], -1.0]
    runs = ranked({"all": {"retrieval": UP}, "b": {"retrieval": odd}})
    x, y = (measure(f"{corpus}/lcc_retrieval", SETTINGS) for corpus in ("all", "b"))
    model = compare(runs, x, y, SETTINGS.resampling).most_influential()
    assert model is not None
    assert (model.name, model.without) == ("m11", 1.0)


def test_no_other_metric_stands_in_for_one_that_is_absent() -> None:
    runs = [scored(f"m{i}", "all", {("lcc_clustering", "ari"): i / 9}) for i in range(5)]
    x = measure("all/lcc_clustering", SETTINGS)
    assert x.metric == "ari_median_of_seeds"
    assert compare(runs, x, x._replace(metric="ari"), SETTINGS.resampling).absent == (x,)


def test_a_model_with_two_scores_is_refused_by_name() -> None:
    scores = {("lcc_retrieval", "ndcg_at_10"): 0.5}
    runs = [scored("twice", "all", scores), scored("twice", "all", scores)]
    x = measure("all/lcc_retrieval", SETTINGS)
    with pytest.raises(ShelfError, match="twice: two runs"):
        compare(runs, x, x, SETTINGS.resampling)


@pytest.mark.parametrize("text", ["all", "all/", "/lcc_retrieval", "a/b/c/d", "all/no_task", ""])
def test_a_measure_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(ShelfError):
        measure(text, SETTINGS)


def test_a_measure_may_name_its_metric() -> None:
    assert measure("all/lcc_clustering/ari", SETTINGS) == Measure("all", "lcc_clustering", "ari")
