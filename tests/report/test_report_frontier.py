"""The Pareto frontier against its definition."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.report.frontier import frontier, steps

POINTS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12)


def dominated(point: tuple[float, float], by: tuple[float, float]) -> bool:
    return by[0] <= point[0] and by[1] >= point[1] and by != point


@given(POINTS)
def test_the_frontier_is_what_no_point_dominates(points: list[tuple[float, float]]) -> None:
    found = frontier(points)
    assert sorted(found) == [
        number
        for number, point in enumerate(points)
        if not any(dominated(point, other) for other in points)
    ]
    costs = [points[number] for number in found]
    assert costs == sorted(costs)


@given(POINTS)
def test_the_stairs_never_fall_and_pass_through_every_point(
    points: list[tuple[float, float]],
) -> None:
    on_it = [points[number] for number in frontier(points)]
    corners = steps(on_it)
    assert [corner for corner in on_it if corner not in corners] == []
    assert corners == sorted(corners)
