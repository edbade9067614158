"""The rows of the taxonomy: what one class, category, place, register or length has."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_core.core_schema import ValidationInfo

from evaluate_shelf.registry.strict_yaml import Name, Row, Text

Weight = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
"""A share of the draws."""

Texts = Annotated[tuple[Text, ...], Field(min_length=1)]
"""One line of text or more."""


class SubjectClass(Row):
    """A subject class: a main class of the Library of Congress Classification, or an imported one.

    `narrower` names some of what belongs to an imported class.
    """

    code: str
    name: str
    uri: str
    description: str
    narrower: tuple[str, ...] = ()


class Category(Row):
    """A genre/form category with its forms and the layout that they have unless they say so."""

    name: Text
    description: Text
    output_format: Name
    forms: Texts


class Place(Row):
    """A place, and the region that it counts for, if any; `place` is one of unknown kind."""

    name: Text
    kind: Literal["country", "us_state", "region", "city", "place"]
    region: Text | None


class Register(Row):
    """A register and its weight in the draw."""

    id: Name
    description: Text
    weight: Weight


class Length(Row):
    """A target length in words and its weight in the draw."""

    id: Name
    min_words: int = Field(gt=0)
    max_words: int = Field(gt=0)
    weight: Weight

    @field_validator("max_words")
    @classmethod
    def _not_below_min(cls, value: int, info: ValidationInfo) -> int:
        if value <= info.data.get("min_words", 0):
            raise ValueError("must be more than min_words")
        return value
