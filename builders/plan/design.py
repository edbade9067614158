"""Count what a plan orders: documents, cells of labels, tokens; nothing is sent or written."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from builders.orders import Order, allowance, design_id, input_bound, orders_of
from builders.prompts.prompt import labels_named
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.registry.prompts import Wording
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.taxonomy import Taxonomy
from evaluate_shelf.registry.taxonomy_rows import Length

CHARACTERS_A_TOKEN = 4
"""Of a prompt, in the expectation."""

TOKENS_A_WORD = 1.35
"""Of a document, in the expectation; its target length is taken at the middle of its range."""


class Tokens(NamedTuple):
    """Tokens that are paid: of prompts, and of documents with what is thought before them."""

    input: int
    output: int


class Cells(NamedTuple):
    """How evenly specifications lie over classes and categories.

    Attributes
    ----------
    classes, categories : int
        Their product is the number of cells.
    least, most : int
        Specifications of the emptiest and the fullest cell.
    empty : int
        Cells without any.
    """

    classes: int
    categories: int
    least: int
    most: int
    empty: int


class SliceDesign(NamedTuple):
    """One slice.

    Attributes
    ----------
    blocks, specifications : int
        How many, in all blocks together; the two of a minimal pair are two.
    documents : dict of str to int
        By generator.
    """

    blocks: int
    specifications: int
    documents: dict[str, int]


class GeneratorDesign(NamedTuple):
    """What one generator would be given.

    Attributes
    ----------
    generator : Generator
    documents : int
    expected, worst : Tokens or None
        None for a writer that takes no prompt.
    """

    generator: Generator
    documents: int
    expected: Tokens | None
    worst: Tokens | None


@dataclass(frozen=True)
class Design:
    """A plan as numbers.

    Attributes
    ----------
    plan : Plan
    seed : int
        Of the first block of each slice.
    design_id : str
        Name of the orders.
    slices : dict of str to SliceDesign
    cells : Cells
    specifications : dict of str to dict of str to int
        Specifications by class, category, target length and prompt variant.
    generators : tuple of GeneratorDesign
        In the plan's order.
    naming : int
        Specifications whose prompt names one of their labels all the same.
    """

    plan: Plan
    seed: int
    design_id: str
    slices: dict[str, SliceDesign]
    cells: Cells
    specifications: dict[str, dict[str, int]]
    generators: tuple[GeneratorDesign, ...]
    naming: int

    @property
    def documents(self) -> int:
        """In all."""
        return sum(own.documents for own in self.generators)


def design_of(plan: Plan, taxonomy: Taxonomy, seed: int, wording: Wording | None = None) -> Design:
    """Draw a plan's orders and count them.

    Parameters
    ----------
    plan : Plan
        What is to be written, and by whom.
    taxonomy : Taxonomy
        What is drawn from.
    seed : int
        Of the first block of each slice.
    wording : Wording, default=None
        The prompts; those of the installation without it.

    Returns
    -------
    Design

    Raises
    ------
    ShelfError
        If the taxonomy has too few different specifications, or no layout for a format.

    Examples
    --------
    >>> from evaluate_shelf.registry.generation import load_plan
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> design = design_of(load_plan("quickstart"), load_taxonomy(), 42)
    >>> design.documents, design.cells.classes * design.cells.categories
    (504, 294)
    """
    tally = _Tally(plan, taxonomy)
    for order in orders_of(plan, taxonomy, seed, wording):
        tally.add(order)
    return Design(
        plan=plan,
        seed=seed,
        design_id=design_id(plan, taxonomy, seed, wording),
        slices=tally.slices(),
        cells=tally.cells(),
        specifications={name: dict(counts) for name, counts in tally.counts.items()},
        generators=tuple(tally.generator(own) for own in plan.generators),
        naming=tally.naming,
    )


class _Tally:
    """Counts as they grow."""

    def __init__(self, plan: Plan, taxonomy: Taxonomy) -> None:
        self._plan, self._taxonomy = plan, taxonomy
        self._lengths = {length.id: length for length in taxonomy.lengths}
        self._cells: Counter[tuple[str, str]] = Counter()
        self._members: Counter[str] = Counter()
        self._documents: dict[str, Counter[str]] = {name: Counter() for name in plan.slices}
        self._texts = {own.name: _Texts() for own in plan.generators}
        self._reasons = {own.name: own.reasons for own in plan.generators}
        self._last: tuple[str, int, str] | None = None
        self.naming = 0
        self.counts: dict[str, Counter[str]] = {
            "class": Counter({row.code: 0 for row in taxonomy.classes}),
            "category": Counter({row.name: 0 for row in taxonomy.categories}),
            "length": Counter(dict.fromkeys(plan.lengths or self._lengths, 0)),
        }
        if plan.prompts:
            self.counts["prompt"] = Counter(dict.fromkeys(plan.prompts.variants, 0))

    def add(self, order: Order) -> None:
        """Count one order; those of a specification come one after the other."""
        place = (order.spec.block_id, order.number, order.slice)
        if place != self._last:
            self._last = place
            self._add_specification(order)
        self._documents[order.slice][order.generator] += 1
        if order.prompt is not None:
            length = self._lengths[order.spec.target_length]
            reasons = self._reasons[order.generator]
            self._texts[order.generator].add(order, length, reasons=reasons)

    def _add_specification(self, order: Order) -> None:
        spec = order.spec
        self._members[order.slice] += 1
        self._cells[spec.lcc_code, spec.lcgft_category] += 1
        self.counts["class"][spec.lcc_code] += 1
        self.counts["category"][spec.lcgft_category] += 1
        self.counts["length"][spec.target_length] += 1
        if order.prompt is not None:
            self.counts["prompt"][order.prompt.variant_id] += 1
            self.naming += bool(labels_named(order.prompt, spec))

    def slices(self) -> dict[str, SliceDesign]:
        return {
            name: SliceDesign(
                own.blocks,
                self._members[name],
                {generator: self._documents[name][generator] for generator in own.generators},
            )
            for name, own in self._plan.slices.items()
        }

    def cells(self) -> Cells:
        rows, columns = self._taxonomy.classes, self._taxonomy.categories
        sizes = [self._cells[row.code, column.name] for row in rows for column in columns]
        return Cells(len(rows), len(columns), min(sizes), max(sizes), sizes.count(0))

    def generator(self, own: Generator) -> GeneratorDesign:
        documents = sum(counts[own.name] for counts in self._documents.values())
        if self._plan.prompts is None:
            return GeneratorDesign(own, documents, None, None)
        texts = self._texts[own.name]
        return GeneratorDesign(own, documents, texts.expected, texts.worst)


class _Texts:
    """Sizes of what a generator reads and writes."""

    def __init__(self) -> None:
        self._characters = self._words_twice = self._bytes = self._allowance = 0

    def add(self, order: Order, length: Length, *, reasons: bool | None) -> None:
        assert order.prompt is not None
        self._characters += sum(len(own.content) for own in order.prompt.messages)
        self._words_twice += length.min_words + length.max_words
        self._bytes += input_bound(order.prompt)
        self._allowance += allowance(length, reasons)

    @property
    def expected(self) -> Tokens:
        return Tokens(
            round(self._characters / CHARACTERS_A_TOKEN),
            round(TOKENS_A_WORD * self._words_twice / 2),
        )

    @property
    def worst(self) -> Tokens:
        return Tokens(self._bytes, self._allowance)
