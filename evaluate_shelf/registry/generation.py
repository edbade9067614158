"""Generation plans: how much is written, by whom, and how many pairs are drawn."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, field_validator
from pydantic_core.core_schema import ValidationInfo

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, read_rows, validated_rows


class PairCounts(Row):
    """The most pairs of each split."""

    train: int = Field(ge=0)
    validation: int = Field(ge=0)
    test: int = Field(gt=0)


Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
SliceName = Literal["default", "v0_4_core", "v0_4_supplement", "v0_4_minimal_pairs", "v0_4_holdout"]


class SlicePlan(Row):
    """How one synthetic slice is written.

    Attributes
    ----------
    styles : tuple of str
        Who writes.
    shares : tuple of float or None
        How often each style writes, where a specification goes to one of them; None where every
        specification goes to every style.
    blocks, specifications : int
        How many blocks, and specifications (or pairs of them) of a block.
    """

    styles: tuple[Name, ...] = Field(min_length=1)
    blocks: int = Field(gt=0)
    specifications: int = Field(gt=0)
    shares: tuple[Share, ...] | None = Field(default=None, validate_default=True)

    @field_validator("shares")
    @classmethod
    def _one_a_style(
        cls, value: tuple[float, ...] | None, info: ValidationInfo
    ) -> tuple[float, ...] | None:
        if value is None or "styles" not in info.data:
            return value
        if len(value) != len(info.data["styles"]):
            raise ValueError("must have one share for each style")
        if not math.isclose(math.fsum(value), 1.0, abs_tol=1e-9):
            raise ValueError(f"must sum to 1, sum to {math.fsum(value):.9g}")
        return value

    @property
    def writings_per_specification(self) -> int:
        """How many documents a specification gives."""
        return len(self.styles) if self.shares is None else 1


class Plan(Row):
    """How the synthetic corpora are written.

    Attributes
    ----------
    id : str
        Its name.
    writer : str
        Who writes.
    slices : dict of str to SlicePlan
        By config.
    pairs : PairCounts
        The most pairs of a split.
    uses_per_document : int
        How often a document may stand in the pairs of its split.
    note : str
        What to know.
    """

    id: Name
    writer: Literal["lexical"]
    slices: dict[SliceName, SlicePlan] = Field(min_length=1)
    pairs: PairCounts
    uses_per_document: int = Field(ge=2)
    note: Text

    def documents(self, slices: Iterable[str]) -> int:
        """How many documents some slices have."""
        return sum(_documents(name, own) for name, own in self.slices.items() if name in slices)

    def sized(self, documents: int, slices: Iterable[str]) -> Plan:
        """The plan with about so many documents in some slices, in the same proportions.

        Examples
        --------
        >>> plan = load_plan("standard").sized(62_899, load_plan("standard").slices)
        >>> plan.slices["v0_4_core"].specifications
        1528
        """
        wanted = set(slices)
        factor = documents / self.documents(wanted)
        # Beside others, a small slice stays big enough for most classes to be in every split.
        least = _LEAST_SPECIFICATIONS if len(wanted) > 1 else 1
        return self.model_copy(
            update={
                "slices": {
                    name: own.model_copy(
                        update={"specifications": _scaled(own.specifications, factor, least)}
                    )
                    if name in wanted
                    else own
                    for name, own in self.slices.items()
                }
            }
        )


_LEAST_SPECIFICATIONS = 84


def _scaled(specifications: int, factor: float, least: int) -> int:
    return max(round(specifications * factor), min(specifications, least))


def _documents(name: str, own: SlicePlan) -> int:
    sides = 2 if name == "v0_4_minimal_pairs" else 1
    return own.blocks * own.specifications * own.writings_per_specification * sides


def load_plans(folder: Path | None = None) -> dict[str, Plan]:
    """Load and check all generation plans.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation.

    Returns
    -------
    dict of str to Plan
        By id, in the order of the file.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.

    Examples
    --------
    >>> list(load_plans())
    ['standard', 'quickstart']
    """
    rows = _loaded((folder or config_folder()).resolve() / "generation.yaml")
    return {row.id: row for row in rows}


def load_plan(name: str, folder: Path | None = None) -> Plan:
    """Give one plan.

    Raises
    ------
    ShelfError
        If there is none of that name.
    """
    return found(load_plans(folder), name, "generation plan")


@functools.cache
def _loaded(file: Path) -> tuple[Plan, ...]:
    return tuple(validated_rows(Plan, read_rows(file), file))
