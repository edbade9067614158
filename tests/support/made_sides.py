"""Documents made up of labels alone, for the draws of pairs."""

from __future__ import annotations

from collections import Counter

import numpy as np

from builders.draws import Draws
from builders.task_configs.drawing.sides import sides_of


def made_columns(
    n,
    *,
    seed=0,
    classes=21,
    forms=60,
    categories=14,
    topics=112,
    most_topics=4,
    group_size=1,
    subclasses=0,
    null=0.0,
):
    """Columns of `n` documents in groups of equal labels; topics lean on the class."""
    draws = Draws(seed, "made columns")
    columns = {name: [] for name in ("group", "lcc", "form", "category", "topics", "subclass")}
    while len(columns["group"]) < n:
        lcc, form = draws.integer(classes), draws.integer(forms)
        near = [f"t{(5 * lcc + step) % topics:03d}" for step in range(25)]
        own = {
            "group": f"g{len(columns['group'])}",
            "lcc": f"c{lcc:02d}",
            "form": f"f{form:03d}",
            "category": f"k{form % categories:02d}",
            "topics": draws.sample(near, draws.between(1, most_topics)) if most_topics else [],
            "subclass": f"c{lcc:02d}-{draws.integer(subclasses)}" if subclasses else None,
        }
        for _ in range(draws.between(1, 2 * group_size - 1)):
            for name, value in own.items():
                missing = name in ("lcc", "form", "category") and draws.happens(null)
                columns[name].append(None if missing else value)
    return {name: values[:n] for name, values in columns.items()}


def made_sides(n, *, label="lcc", **wishes):
    """`Sides` of such documents."""
    columns = made_columns(n, **wishes)
    if not wishes.get("subclasses"):
        columns["subclass"] = None
    return sides_of(**columns, label=columns[label])


def rows_of(drawn):
    """The pairs as a list of tuples (first, second, level)."""
    return list(zip(drawn.first.tolist(), drawn.second.tolist(), drawn.level.tolist(), strict=True))


def uses_of(drawn, level=None):
    """How many pairs, of a level or of all, each document stands in."""
    return Counter(
        document
        for first, second, own in rows_of(drawn)
        if level is None or own == level
        for document in (first, second)
    )


def assert_sound(sides, drawn):
    """What holds of every draw: groups, repeats, and an honest record."""
    rows = rows_of(drawn)
    assert all(sides.group[first] != sides.group[second] for first, second, _ in rows)
    assert len({frozenset(row[:2]) for row in rows}) == len(rows)
    counts = Counter(level for *_, level in rows)
    assert [level.drawn for level in drawn.levels] == [
        counts[level.level] for level in drawn.levels
    ]
    assert set(counts) <= {level.level for level in drawn.levels}
    for level in drawn.levels:
        assert level.drawn + level.short == level.wanted
        assert level.short >= 0
        assert bool(level.reason) == bool(level.short)
    uses = uses_of(drawn).values()
    assert drawn.documents == len(uses)
    assert (drawn.fewest_uses, drawn.most_uses) == (min(uses, default=0), max(uses, default=0))
    assert drawn.most_uses <= drawn.cap


def same_pairs(one, other):
    """Whether two draws are the same, row by row."""
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("first", "second", "level")
    )


def assert_drawn_by_seed_and_key(draw, sides):
    """The same seed and key give the same pairs, and another of either gives others."""
    one, again = (draw(sides, wanted=300, seed=42, key="x") for _ in range(2))
    assert same_pairs(one, again)
    for seed, key in ((43, "x"), (42, "y")):
        other = draw(sides, wanted=300, seed=seed, key=key)
        both = {frozenset(row[:2]) for row in rows_of(one)} & {
            frozenset(row[:2]) for row in rows_of(other)
        }
        assert len(both) < 30
