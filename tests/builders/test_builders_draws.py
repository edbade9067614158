from __future__ import annotations

import hashlib
import math
import random

from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import chisquare

from builders.draws import Draws

keys = st.lists(st.one_of(st.text(max_size=8), st.integers(0, 99)), max_size=3)
streams = st.builds(lambda seed, parts: Draws(seed, *parts), st.integers(0, 2**32), keys)
values = st.lists(st.integers(), min_size=1, max_size=30)


def test_draws_are_the_same_on_every_run_and_machine():
    draws = Draws(42, "block-00-seed42", 7)
    assert [draws.uniform() for _ in range(3)] == [
        0.5982795275373533,
        0.8839189146397719,
        0.8142514717466189,
    ]


def test_every_kind_of_draw_is_pinned():
    draws = Draws(42, "pins")
    assert draws.integer(1000) == 79
    assert draws.between(1890, 2024) == 2004
    assert draws.happens(0.5) is False
    assert draws.choice("abcdefgh") == "e"
    assert draws.weighted("abc", [1, 2, 3]) == "b"
    assert draws.sample(range(10), 4) == [3, 5, 8, 7]
    assert draws.shuffled("abcdef") == list("abedfc")


@given(st.integers(0, 2**64), keys)
def test_a_stream_is_pythons_generator_seeded_with_the_hash_of_its_key(seed, parts):
    text = "\x1f".join([str(seed), *map(str, parts)])
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    generator = random.Random(int.from_bytes(digest, "big"))
    draws = Draws(seed, *parts)
    assert [draws.uniform() for _ in range(5)] == [generator.random() for _ in range(5)]


def test_keys_that_read_alike_are_other_streams():
    streams = [Draws(4, "2"), Draws(42), Draws(4, "", "2"), Draws(42, ""), Draws(42, "a", "b")]
    streams.append(Draws(42, "ab"))
    assert len({stream.uniform() for stream in streams}) == len(streams)


def test_what_was_drawn_elsewhere_changes_nothing():
    alone = Draws(1, "a").shuffled(range(50))
    other, mine = Draws(1, "b"), Draws(1, "a")
    other.shuffled(range(1000))
    random.seed(0)
    assert mine.shuffled(range(50)) == alone


@given(streams, st.integers(1, 10**6))
def test_a_whole_number_is_in_its_range(draws, n):
    assert 0 <= draws.integer(n) < n


@given(streams, st.integers(-1000, 1000), st.integers(0, 1000))
def test_both_ends_are_included(draws, low, more):
    assert low <= draws.between(low, low + more) <= low + more


@given(streams)
def test_what_is_certain_happens_and_what_is_impossible_does_not(draws):
    assert draws.happens(1.0)
    assert not draws.happens(0.0)


@given(streams, st.lists(st.integers(), max_size=30), st.integers(0, 40))
def test_a_sample_has_no_place_twice(draws, population, size):
    sample = draws.sample(list(enumerate(population)), size)
    assert len(sample) == len(set(sample)) == min(size, len(population))
    assert set(sample) <= set(enumerate(population))


@given(streams, values)
def test_a_shuffle_keeps_every_value_and_the_argument(draws, population):
    before = list(population)
    assert sorted(draws.shuffled(population)) == sorted(before)
    assert population == before


@given(streams, values)
def test_a_choice_is_one_of_the_values(draws, population):
    assert draws.choice(population) in population


@given(streams, st.lists(st.floats(0, 1e6), min_size=1, max_size=20))
def test_what_has_no_weight_is_not_chosen(draws, weights):
    assume(math.fsum(weights) > 1e-9)
    assert weights[draws.weighted(range(len(weights)), weights)] > 0


def test_choices_are_even():
    draws = Draws(42, "even")
    counts = [0] * 20
    for _ in range(20_000):
        counts[draws.choice(range(20))] += 1
    assert chisquare(counts).pvalue > 0.001


def test_shuffles_are_even():
    draws = Draws(42, "orders")
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(12_000):
        order = tuple(draws.shuffled(range(4)))
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 24
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_weights_are_met():
    draws, weights = Draws(42, "weights"), [0.05, 0.1, 0.15, 0.3, 0.4]
    counts = [0] * 5
    for _ in range(20_000):
        counts[draws.weighted(range(5), weights)] += 1
    assert chisquare(counts, [20_000 * weight for weight in weights]).pvalue > 0.001
