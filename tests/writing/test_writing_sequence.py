"""In which order documents are asked for, and at what pace."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from builders.orders import orders_of
from builders.specifications.blocks import Block, blocks_of
from builders.writing.pace import Pace
from builders.writing.patience import Patience
from builders.writing.sequence import Steps
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.taxonomy import load_taxonomy


def blocks(sizes: list[int]) -> list[Block]:
    return [Block("v0_4_core", n, n, size, None, ()) for n, size in enumerate(sizes)]


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6))
def test_steps_are_the_order_of_the_draws_places_in_their_blocks(sizes: list[int]) -> None:
    own = blocks(sizes)
    steps = Steps(own)
    draws = [(block, drawn) for block in own for drawn in range(block.size)]
    # Python's sort keeps the order of blocks where places are the same.
    expected = sorted(draws, key=lambda one: Fraction(2 * one[1] + 1, 2 * one[0].size))
    assert sorted(draws, key=lambda one: steps.step(one[0].id, one[1])) == expected
    assert sorted(steps.step(block.id, drawn) for block, drawn in draws) == list(range(len(draws)))


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(0, 200))
def test_wherever_it_stops_all_blocks_are_equally_far(sizes: list[int], stop: int) -> None:
    own = blocks(sizes)
    steps = Steps(own)
    for block in own:
        written = sum(steps.step(block.id, drawn) < stop for drawn in range(block.size))
        share = min(stop, sum(sizes)) / sum(sizes)
        # At most one draw of each block is at a place in between.
        assert abs(written - share * block.size) <= 1 + len(sizes) * block.size / sum(sizes)


def test_orders_of_one_specification_share_their_step_and_so_do_those_of_a_pair() -> None:
    plan, taxonomy = load_plan("standard").sized(600, load_plan("standard").slices), load_taxonomy()
    steps = Steps(block for name in plan.slices for block in blocks_of(name, plan, 42))
    by_step: dict[int, set[tuple[str, str | None]]] = {}
    for step, order in steps.numbered(orders_of(plan, taxonomy, 42)):
        key = (order.spec.block_id, order.pair_id)
        by_step.setdefault(step, set()).add(key if order.pair_id else (*key, order.number))
    assert all(len(keys) == 1 for keys in by_step.values())
    assert sorted(by_step) == list(range(len(by_step)))


def test_failures_of_calls_that_ran_at_once_count_as_one() -> None:
    pace = Pace(8, Patience(first_wait=1.0), "key")
    for _ in range(8):
        pace.failed(begun=0.0, now=1.0)
    assert (pace.failures, pace.at_once) == (1, 4)


@given(st.lists(st.sampled_from(["answer", "failure"]), max_size=80), st.integers(1, 64))
def test_a_pace_stays_between_one_call_and_the_most(events: list[str], most: int) -> None:
    patience = Patience()
    pace, now = Pace(most, patience, "key"), 0.0
    for event in events:
        now = max(now, pace.not_before) + 1
        if event == "answer":
            pace.answered()
            assert pace.failures == 0
        else:
            pace.failed(begun=now, now=now)
            assert now < pace.not_before <= now + 1.25 * patience.longest_wait
        assert 1 <= pace.at_once <= most


def test_waits_double_and_what_an_endpoint_asks_is_kept_to() -> None:
    pace = Pace(1, Patience(first_wait=1.0, longest_wait=60.0), "key")
    waits, now = [], 0.0
    for _ in range(9):
        pace.failed(begun=now, now=now)
        waits.append(pace.not_before - now)
        now = pace.not_before
    for number, wait in enumerate(waits):
        assert min(60.0, 2.0**number) <= wait <= 1.25 * min(60.0, 2.0**number)
    pace.failed(begun=now, now=now, named_wait=500.0)
    assert pace.not_before >= now + 500.0


def test_two_processes_do_not_come_back_at_the_same_moment() -> None:
    one, two = (Pace(1, Patience(), key) for key in ("one", "two"))
    for pace in (one, two):
        pace.failed(begun=0.0, now=0.0)
    assert one.not_before != two.not_before
