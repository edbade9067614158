"""What lies above and below each concept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from builders.taxonomies.form import Concept
from evaluate_shelf.errors import ShelfError


class Hierarchy:
    """Concepts with their places above and below each other.

    Parameters
    ----------
    concepts : sequence of Concept
        Whose broader concepts are among them.

    Attributes
    ----------
    concepts : dict of str to Concept
        By id, in the order given.
    below : dict of str to list of str
        Ids right below each.
    tops : list of str
        Ids of those with nothing above.

    Raises
    ------
    ShelfError
        If a concept lies above itself; the message names the circle.

    Examples
    --------
    >>> own = Hierarchy([Concept("1", "music"), Concept("2", "songs", ("1",))])
    >>> own.tops, own.descendants("1"), own.level("2")
    (['1'], ['2'], 2)
    """

    def __init__(self, concepts: Sequence[Concept]) -> None:
        self.concepts = {concept.id: concept for concept in concepts}
        self.below: dict[str, list[str]] = {identity: [] for identity in self.concepts}
        for concept in concepts:
            for above in concept.broader:
                self.below[above].append(concept.id)
        self.tops = [concept.id for concept in concepts if not concept.broader]
        self._levels = self._levels_from_top()
        _refuse_circles(self.concepts, self.below)

    @property
    def is_flat(self) -> bool:
        """Whether no concept lies below another."""
        return len(self.tops) == len(self.concepts)

    def label(self, identity: str) -> str:
        """Label of the concept with this id."""
        return self.concepts[identity].label

    def level(self, identity: str) -> int:
        """1 for what has nothing above; else one more than the least of those above."""
        return self._levels[identity]

    def descendants(self, identity: str) -> list[str]:
        """Ids of all below a concept, the nearest first, without repeats."""
        found: dict[str, None] = {}
        waiting = [identity]
        while waiting:
            following = [own for one in waiting for own in self.below[one] if own not in found]
            waiting = list(dict.fromkeys(following))
            found.update(dict.fromkeys(waiting))
        return list(found)

    def are_siblings(self, first: str, second: str) -> bool:
        """Whether two different concepts lie right below the same, or both below none."""
        above, other = self.concepts[first].broader, self.concepts[second].broader
        if first == second:
            return False
        return (not above and not other) or bool(set(above) & set(other))

    def _levels_from_top(self) -> dict[str, int]:
        levels: dict[str, int] = {}
        waiting, level = list(self.tops), 1
        while waiting:
            levels.update(dict.fromkeys(waiting, level))
            waiting = list(
                dict.fromkeys(
                    own for one in waiting for own in self.below[one] if own not in levels
                )
            )
            level += 1
        return levels


def _refuse_circles(concepts: Mapping[str, Concept], below: Mapping[str, list[str]]) -> None:
    """Take away what has nothing above until nothing can be taken; what is left has a circle."""
    above = {identity: len(concept.broader) for identity, concept in concepts.items()}
    free = [identity for identity, count in above.items() if not count]
    taken = 0
    while free:
        taken += 1
        for own in below[free.pop()]:
            above[own] -= 1
            if not above[own]:
                free.append(own)
    if taken < len(concepts):
        _name_circle({own: concepts[own] for own, count in above.items() if count})


def _name_circle(concepts: Mapping[str, Concept]) -> NoReturn:
    """Follow a way up until it comes back: each of these has another of them above it."""
    path: dict[str, int] = {}
    current = next(iter(concepts))
    while current not in path:
        path[current] = len(path)
        current = next(above for above in concepts[current].broader if above in concepts)
    circle = [*list(path)[path[current] :], current]
    shown = " > ".join(f"{concepts[own].label} <{own}>" for own in circle[:12])
    more = " > ..." if len(circle) > 12 else ""
    raise ShelfError(
        f"concepts that lie above themselves: {shown}{more}; take one of these broader relations "
        "out of the file"
    )
