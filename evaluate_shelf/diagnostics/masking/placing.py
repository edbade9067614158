"""Which corpus a run is on, and in which of the three arms."""

from __future__ import annotations

from typing import Literal, NamedTuple

from evaluate_shelf.registry.conditions import text_of
from evaluate_shelf.reported.source import load_reported
from evaluate_shelf.runs.reading import Run

TextArm = Literal["none", "masked", "sham"]
"""What was done to the texts."""

ARMS: tuple[TextArm, ...] = ("none", "masked", "sham")

ARM_WORDS: dict[TextArm, str] = {
    "none": "whole texts",
    "masked": "masked texts",
    "sham": "sham texts",
}


class Place(NamedTuple):
    """Corpus and arm of a run."""

    corpus: str
    arm: TextArm


def place_of(run: Run) -> Place:
    """Corpus and arm of a run: the protocol says the arm, for reported scores their source."""
    config = run.file.data.config
    if run.reported:
        corpora = {row.config: row for row in load_reported().source.corpora}
        return Place(corpora[config].corpus, corpora[config].arm)
    text = text_of(run.file.protocol.id)
    return Place(config, "none" if text == "full" else text)
