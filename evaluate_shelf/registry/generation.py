"""Generation plans: how much is written, by whom, and how many pairs are drawn."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_core.core_schema import ValidationInfo

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.generation_file import generation_part
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.prompts import load_wording
from evaluate_shelf.registry.roster import Generator, GeneratorName
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, validated_rows, wrong


class PairCounts(Row):
    """The most pairs of each split."""

    train: int = Field(ge=0)
    validation: int = Field(ge=0)
    test: int = Field(gt=0)


Share = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
PublishedSlice = Literal[
    "default", "v0_4_core", "v0_4_supplement", "v0_4_minimal_pairs", "v0_4_holdout"
]
SliceName = Literal[PublishedSlice, "sample"]


class SlicePlan(Row):
    """How one synthetic slice is written.

    Attributes
    ----------
    generators : tuple of str
        Who writes: names of the plan's generators.
    shares : tuple of float or None
        How often each generator writes, where a specification goes to one of them; None where
        every specification goes to every generator.
    blocks, specifications : int
        How many blocks, and specifications (or pairs of them) of a block.
    """

    generators: tuple[GeneratorName, ...] = Field(min_length=1)
    blocks: int = Field(gt=0, le=1000)
    specifications: int = Field(gt=0, le=10_000_000)
    shares: tuple[Share, ...] | None = Field(default=None, validate_default=True)

    @field_validator("generators")
    @classmethod
    def _different(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) != len(value):
            raise ValueError("must not name a generator twice")
        return value

    @field_validator("shares")
    @classmethod
    def _one_a_generator(
        cls, value: tuple[float, ...] | None, info: ValidationInfo
    ) -> tuple[float, ...] | None:
        if value is None or "generators" not in info.data:
            return value
        if len(value) != len(info.data["generators"]):
            raise ValueError("must have one share for each generator")
        if not math.isclose(math.fsum(value), 1.0, abs_tol=1e-9):
            raise ValueError(f"must sum to 1, sum to {math.fsum(value):.9g}")
        return value

    @property
    def writings_per_specification(self) -> int:
        """How many documents a specification gives."""
        return len(self.generators) if self.shares is None else 1


class Range(Row):
    """The least and the most of a number that is drawn for each document."""

    low: float = Field(gt=0, le=2, allow_inf_nan=False)
    high: float = Field(gt=0, le=2, allow_inf_nan=False)

    @field_validator("high")
    @classmethod
    def _not_below_low(cls, value: float, info: ValidationInfo) -> float:
        if value < info.data.get("low", 0):
            raise ValueError("must not be less than low")
        return value


class SamplingRanges(Row):
    """How freely a model writes: both numbers are drawn uniformly for each document."""

    temperature: Range
    top_p: Range

    @field_validator("top_p")
    @classmethod
    def _share(cls, value: Range) -> Range:
        if value.high > 1:
            raise ValueError("high must not be more than 1")
        return value


class PromptChoice(Row):
    """Which prompts a plan uses.

    Attributes
    ----------
    variants : tuple of str
        Ids of the wordings; each specification is drawn one, for all its generators.
    topic_glosses : bool
        Whether a topic's heading is followed by what it means, where the taxonomy says so.
    avoid_topic_words : bool
        Whether the writer is asked not to use the headings. The published study found that it
        lowers how well the topics are covered.
    examples : bool
        Whether an order and its answer are shown before the order itself, one of each variant.
        Small models keep to a layout that they have seen, and to no other.
    """

    variants: tuple[Name, ...] = Field(min_length=1)
    topic_glosses: bool = False
    avoid_topic_words: bool = False
    examples: bool = False

    @field_validator("variants")
    @classmethod
    def _different(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) != len(value):
            raise ValueError("must not name a variant twice")
        return value


class Plan(Row):
    """How the synthetic corpora are written.

    Attributes
    ----------
    id : str
        Its name.
    generators : tuple of Generator
        Who writes: lexical ones alone, which take no prompt, or none of them.
    slices : dict of str to SlicePlan
        By config.
    lengths : tuple of str or None
        The target lengths that are drawn from, by their weights; None: all of the taxonomy.
    prompts : PromptChoice or None
        None where the generators are lexical.
    sampling : SamplingRanges or None
        None where the generators are lexical.
    pairs : PairCounts
        The most pairs of a split.
    uses_per_document : int
        How often a document may stand in the pairs of its split.
    note : str
        What to know.
    """

    id: Name
    generators: tuple[Generator, ...] = Field(min_length=1)
    slices: dict[SliceName, SlicePlan] = Field(min_length=1)
    lengths: tuple[Name, ...] | None = Field(default=None, min_length=1)
    prompts: PromptChoice | None = None
    sampling: SamplingRanges | None = None
    pairs: PairCounts
    uses_per_document: int = Field(ge=2)
    note: Text

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        names = [generator.name for generator in self.generators]
        if len(set(names)) != len(names):
            raise ValueError("generators: a name stands there twice")
        for name, own in self.slices.items():
            for generator in own.generators:
                if generator not in names:
                    raise ValueError(f"slices: {name}: unknown generator {generator!r}")
        kinds = {generator.writer == "lexical" for generator in self.generators}
        if len(kinds) > 1:
            raise ValueError("generators: lexical ones and others do not write in one plan")
        if self.is_lexical != (self.prompts is None) or self.is_lexical != (self.sampling is None):
            raise ValueError(
                "prompts and sampling: a plan of lexical generators has neither, any other both"
            )
        if self.lengths is not None and len(set(self.lengths)) != len(self.lengths):
            raise ValueError("lengths: a length stands there twice")
        return self

    @property
    def is_lexical(self) -> bool:
        """Whether it is composed by rules, without a model."""
        return all(generator.writer == "lexical" for generator in self.generators)

    @property
    def places(self) -> tuple[Generator, ...]:
        """Generators that are not filled in yet."""
        return tuple(generator for generator in self.generators if generator.is_place)

    def generator(self, name: str) -> Generator:
        """The generator of a name.

        Raises
        ------
        ShelfError
            If the plan has none of that name.
        """
        return found({own.name: own for own in self.generators}, name, "generator")

    def filled(self, roster: Sequence[Generator]) -> Plan:
        """The plan with generators of one's own.

        Parameters
        ----------
        roster : sequence of Generator
            One that has the name of a generator of the plan takes its place; the others fill the
            plan's empty places in order. Places that are left over go.

        Returns
        -------
        Plan
            With as many generators as are filled.

        Raises
        ------
        ShelfError
            If there are more than the plan has places for, a lexical and another kind would meet,
            or a slice would be left without a generator, or with shares that no longer sum to 1.

        Examples
        --------
        >>> own = Generator(
        ...     name="mine", writer="openai", model="m", base_url="http://localhost:8000/v1"
        ... )
        >>> load_plan("factorial").filled([own]).documents(["v0_4_core"])
        1500
        """
        known = {generator.name for generator in self.generators}
        by_name = {own.name: own for own in roster if own.name in known}
        new = iter([own for own in roster if own.name not in known])
        filled = {
            old.name: by_name.get(old.name, old)
            if old.name in by_name or not old.is_place
            else next(new, None)
            for old in self.generators
        }
        left = list(new)
        if left:
            places = sum(old.is_place and old.name not in by_name for old in self.generators)
            raise ShelfError(
                f"plan {self.id!r} has {places} empty places for generators; "
                f"{', '.join(own.name for own in left)} would be too many"
            )
        return self._of(filled)

    def _of(self, filled: Mapping[str, Generator | None]) -> Plan:
        slices = {}
        for name, own in self.slices.items():
            names = tuple(new.name for old in own.generators if (new := filled[old]) is not None)
            if not names:
                raise ShelfError(f"plan {self.id!r}: slice {name} would be left without generator")
            if own.shares is not None and len(names) != len(own.generators):
                raise ShelfError(
                    f"plan {self.id!r}: slice {name} goes to its generators by shares; fill all "
                    f"{len(own.generators)} of them"
                )
            slices[name] = own.model_copy(update={"generators": names})
        generators = tuple(own for own in filled.values() if own is not None)
        return self._checked({"slices": slices, "generators": generators})

    def _checked(self, changes: dict[str, Any]) -> Plan:
        try:
            return Plan.model_validate(
                {**{name: getattr(self, name) for name in type(self).model_fields}, **changes}
            )
        except ValidationError as error:
            reasons = "; ".join(d["msg"].removeprefix("Value error, ") for d in error.errors())
            raise ShelfError(f"plan {self.id!r}: {reasons}") from error

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
    ['standard', 'quickstart', 'sample', 'factorial']
    """
    rows = _loaded((folder or config_folder()).resolve())
    return {row.id: row for row in rows}


def load_plan(name: str, folder: Path | None = None) -> Plan:
    """Give one plan.

    Raises
    ------
    ShelfError
        If there is none of that name.
    """
    return found(load_plans(folder), name, "generation plan")


@functools.lru_cache(maxsize=8)
def _loaded(folder: Path) -> tuple[Plan, ...]:
    rows, file = generation_part("plans", folder)
    plans = validated_rows(Plan, rows, file)
    variants = load_wording(folder).variants
    for plan in plans:
        for variant in plan.prompts.variants if plan.prompts else ():
            if variant not in variants:
                known = ", ".join(variants)
                raise wrong(
                    file, plan.id, "prompts.variants", f"unknown {variant!r}; known: {known}"
                )
    return plans
