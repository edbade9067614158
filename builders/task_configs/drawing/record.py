"""Pairs that were drawn, and what is to be known of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from builders.task_configs.drawing.hashed import Codes, Flags, HashStream

Conflict = Callable[[Codes, Codes], Flags]


@dataclass(frozen=True)
class Pairs:
    """Pairs of documents.

    Attributes
    ----------
    first, second : numpy.ndarray of int64, shape (pairs,)
        Positions of the documents.
    """

    first: Codes
    second: Codes

    def __len__(self) -> int:
        return len(self.first)

    def where(self, chosen: Codes | Flags) -> Pairs:
        """Some of the pairs."""
        return Pairs(self.first[chosen], self.second[chosen])

    @property
    def documents(self) -> Codes:
        """Every place of every pair, shape (2 * pairs,): first ones, then second ones."""
        return np.concatenate([self.first, self.second])


@dataclass(frozen=True)
class Level:
    """How far a label or level was filled.

    Attributes
    ----------
    level : int
        The label.
    wanted, drawn : int
        Numbers of pairs.
    pairs_by_class : tuple of int
        By code of the class, how many of the pairs have a document of it. A pair of two classes
        counts for both.
    reason : str
        Why fewer were drawn than wanted; empty where none is short.
    """

    level: int
    wanted: int
    drawn: int
    pairs_by_class: tuple[int, ...]
    reason: str

    @property
    def short(self) -> int:
        """How many pairs are missing."""
        return self.wanted - self.drawn


@dataclass(frozen=True)
class Drawn:
    """Pairs in random order, each in random orientation.

    Attributes
    ----------
    first, second : numpy.ndarray of int64, shape (pairs,)
        Positions of the documents.
    level : numpy.ndarray of int64, shape (pairs,)
        The label or level of each pair.
    levels : tuple of Level
        One a level, lowest first, the empty ones too.
    documents : int
        How many documents are used.
    fewest_uses, most_uses : int
        In how many pairs a used document stands; 0 where no pair was drawn.
    cap : int
        The most uses that were allowed.
    notes : tuple of str
        Which documents were left out, and why.
    similarity : numpy.ndarray of int64, shape (pairs,), or None
        Lexical overlap in millionths, where texts were compared.
    """

    first: Codes
    second: Codes
    level: Codes
    levels: tuple[Level, ...]
    documents: int
    fewest_uses: int
    most_uses: int
    cap: int
    notes: tuple[str, ...] = ()
    similarity: Codes | None = None

    @property
    def shortfalls(self) -> tuple[Level, ...]:
        """The levels that were not filled."""
        return tuple(level for level in self.levels if level.short)


def no_pairs() -> Pairs:
    """No pair."""
    return Pairs(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def joined(parts: Sequence[Pairs]) -> Pairs:
    """All pairs of several draws."""
    if not parts:
        return no_pairs()
    return Pairs(
        np.concatenate([part.first for part in parts]),
        np.concatenate([part.second for part in parts]),
    )


def left_out(documents: Flags, why: str) -> list[str]:
    """A note that documents are not used; none where there are no such documents."""
    number = int(documents.sum())
    return [f"{number} documents are not used: they {why}"] if number else []


def recorded(
    pairs: Mapping[int, Pairs],
    *,
    wanted: Mapping[int, int],
    reasons: Mapping[int, str],
    classes: Codes,
    cap: int,
    stream: HashStream,
    notes: Sequence[str] = (),
) -> Drawn:
    """Shuffle the pairs of all levels and record what was drawn.

    Parameters
    ----------
    pairs : mapping of int to Pairs
        By level.
    wanted : mapping of int to int
        How many were wanted; says which levels there are.
    reasons : mapping of int to str
        Why a level is short. Needed for the levels that are.
    classes : numpy.ndarray of int64, shape (n,)
        The class that the record counts; -1 for none.
    cap : int
        The most uses of a document.
    stream : HashStream
        For the order of the rows and the orientation of the pairs.
    notes : sequence of str
        What else is to be known.

    Returns
    -------
    Drawn
    """
    names = sorted(wanted)
    parts = [pairs.get(name, no_pairs()) for name in names]
    every = joined(parts)
    order = stream.order(len(every))
    turned = stream.coins(len(every))
    level = np.repeat(np.array(names, dtype=np.int64), [len(part) for part in parts])
    used = np.unique(every.documents, return_counts=True)[1]
    return Drawn(
        first=np.where(turned, every.second, every.first)[order],
        second=np.where(turned, every.first, every.second)[order],
        level=level[order],
        levels=tuple(
            Level(
                level=name,
                wanted=wanted[name],
                drawn=len(part),
                pairs_by_class=_by_class(part, classes),
                reason=reasons[name] if len(part) < wanted[name] else "",
            )
            for name, part in zip(names, parts, strict=True)
        ),
        documents=len(used),
        fewest_uses=int(used.min(initial=used.max(initial=0))),
        most_uses=int(used.max(initial=0)),
        cap=cap,
        notes=tuple(notes),
    )


def _by_class(pairs: Pairs, classes: Codes) -> tuple[int, ...]:
    first, second = classes[pairs.first], classes[pairs.second]
    places = np.concatenate([first, second[second != first]])
    counted = np.bincount(places[places >= 0], minlength=int(classes.max(initial=-1)) + 1)
    return tuple(counted.tolist())
