"""Minimal pairs: two specifications that agree in all facets but one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeVar

from builders.draws import Draws
from builders.specifications.specification import Specification
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.taxonomy import Taxonomy

Axis = Literal["form", "subject"]
T = TypeVar("T")


def axis_of(number: int) -> Axis:
    """What the two specifications of a pair differ in: its form and its class by turns.

    Examples
    --------
    >>> [axis_of(number) for number in range(3)]
    ['form', 'subject', 'form']
    """
    return "subject" if number % 2 else "form"


def counterpart(spec: Specification, axis: Axis, taxonomy: Taxonomy, draws: Draws) -> Specification:
    """The specification that differs in one facet alone.

    Parameters
    ----------
    spec : Specification
        The first of the pair.
    axis : str
        `form`: another form, with the category that it was drawn in. `subject`: another class;
        the topics stay, though the other class would not draw them all.
    taxonomy : Taxonomy
        What is drawn from, as `draw_block` draws it.
    draws : Draws
        The pair's own.

    Returns
    -------
    Specification
        The second of the pair.

    Raises
    ------
    ShelfError
        If the taxonomy has one form or one class alone.

    Examples
    --------
    >>> from builders.specifications import draw_block
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> [spec] = draw_block(load_taxonomy(), block_id="pairs", seed=1, size=1)
    >>> other = counterpart(spec, "subject", load_taxonomy(), Draws(1, "pairs"))
    >>> other.lcc_code != spec.lcc_code, other.topics == spec.topics
    (True, True)
    """
    return (
        _other_class(spec, taxonomy, draws)
        if axis == "subject"
        else _other_form(spec, taxonomy, draws)
    )


def _other_form(spec: Specification, taxonomy: Taxonomy, draws: Draws) -> Specification:
    others = [
        (category.name, [form for form in category.forms if form != spec.lcgft_form])
        for category in taxonomy.categories
    ]
    category, forms = draws.choice(_some([(name, own) for name, own in others if own], "form"))
    return replace(spec, lcgft_category=category, lcgft_form=draws.choice(forms))


def _other_class(spec: Specification, taxonomy: Taxonomy, draws: Draws) -> Specification:
    others = [own for own in taxonomy.classes if own.code != spec.lcc_code]
    subject = draws.choice(_some(others, "class"))
    return replace(spec, lcc_code=subject.code, lcc_name=subject.name)


def _some(values: Sequence[T], kind: str) -> Sequence[T]:
    if not values:
        raise ShelfError(f"minimal pairs differ in one facet: the taxonomy has a single {kind}")
    return values
