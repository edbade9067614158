"""What the fields of an aggregate may hold, and what all of its parts have in common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

MOST_MODELS = 20_000
MOST_ROWS = 10_000
MOST_REASONS = 200_000
MOST_TASKS = 200
MOST_LABELS = 2000
MOST_CELLS = 400_000
"""Rows times tasks, of all boards: ten boards of 1,000 models and 40 tasks."""
MOST_MEANS = 1_000_000
"""Rows times views, of all boards."""

Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_.-]{0,119}$")]
"""A name that can stand in a link, a file's name and an id."""
Score = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Number = Annotated[float, Field(ge=-1e15, le=1e15, allow_inf_nan=False)]
"""A metric that is a count or a ratio, or a number of which no more is known."""
Amount = Annotated[float, Field(ge=0, le=1e15, allow_inf_nan=False)]
Difference = Annotated[float, Field(ge=-2, le=2, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Correlation = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0, le=10**15)]
Position = Annotated[int, Field(ge=0, lt=10**6)]
Rank = Annotated[int, Field(ge=1, le=10**6)]
Flag = Annotated[int, Field(ge=0, le=1)]
Groups = Annotated[str, StringConstraints(pattern=r"^[a-z0-9 ]{0,400}$")]
"""Letters of tie groups, with a space between: rows that share one are not told apart."""


class Part(BaseModel):
    """A part of an aggregate: every field known, none converted, none changed afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


def check_positions(positions: Iterable[int], number: int, what: str) -> None:
    """Refuse positions that lead nowhere; `what` says of what they are."""
    if any(position >= number for position in positions):
        raise ValueError(f"a position leads to no {what}")
