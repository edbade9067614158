"""Orders: one document each, to be written by one generator, with all that it is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from builders.draws import Draws
from builders.prompts.prompt import Prompt, Prompter
from builders.specifications.blocks import Block, Member, blocks_of, members_of
from builders.specifications.specification import Specification
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.registry.generation import Plan, Range, SamplingRanges, SlicePlan
from evaluate_shelf.registry.prompts import Wording, load_wording
from evaluate_shelf.registry.taxonomy import Taxonomy
from evaluate_shelf.registry.taxonomy_rows import Length

_TOKENS_A_WORD = 2
_TOKENS_BESIDES = 64
_UNANNOUNCED = 1024
_REASONING_ROOM = 4096
_TOKENS_A_MESSAGE = 16


@dataclass(frozen=True)
class Sampling:
    """How freely a model writes one document."""

    temperature: float
    top_p: float


@dataclass(frozen=True)
class Order:
    """One document that is to be written.

    Attributes
    ----------
    id : str
        Of the document: where it was drawn and by whom it is written, not what it is labelled.
    slice : str
        The config that it is for.
    number : int
        Of its specification in the block; documents of one specification share it.
    spec : Specification
        What to write.
    generator : str
        Who writes: a name of the plan.
    prompt : Prompt or None
        What the writer is asked; None for a writer that takes the specification itself.
    sampling : Sampling or None
        None where there is no prompt.
    pair_id, pair_role, pair_axis : str or None
        Of a minimal pair: its name, `a` or `b`, and what its two documents differ in.
    """

    id: str
    slice: str
    number: int
    spec: Specification
    generator: str
    prompt: Prompt | None
    sampling: Sampling | None
    pair_id: str | None = None
    pair_role: str | None = None
    pair_axis: str | None = None


def orders_of(
    plan: Plan, taxonomy: Taxonomy, seed: int, wording: Wording | None = None
) -> Iterator[Order]:
    """Every document of a plan, slice after slice.

    Parameters
    ----------
    plan : Plan
        What is written, and by whom.
    taxonomy : Taxonomy
        What is drawn from.
    seed : int
        Of the first block of each slice; the others count up from it.
    wording : Wording, default=None
        The prompts; those of the installation without it.

    Yields
    ------
    Order
        As many as the plan says. Those of a specification come together, so that what is written
        when the money ends is as balanced over generators as it can be.

    Raises
    ------
    ShelfError
        If the taxonomy has too few different specifications, or no layout for a format.

    Examples
    --------
    >>> from evaluate_shelf.registry.generation import load_plan
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> first, second, *_ = orders_of(load_plan("factorial"), load_taxonomy(), 42)
    >>> first.spec == second.spec, first.prompt == second.prompt, first.id == second.id
    (True, True, False)
    """
    for name in plan.slices:
        yield from orders_of_slice(name, plan, taxonomy, seed, wording)


def orders_of_slice(
    name: str, plan: Plan, taxonomy: Taxonomy, seed: int, wording: Wording | None = None
) -> Iterator[Order]:
    """Every document of one slice, in the order of its blocks; as `orders_of`.

    The two specifications of a minimal pair are written by one generator with the same sampling
    and prompt variant.

    Examples
    --------
    >>> from evaluate_shelf.registry.generation import load_plan
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> first, second, *_ = orders_of_slice(
    ...     "v0_4_minimal_pairs", load_plan("standard"), load_taxonomy(), 42
    ... )
    >>> first.pair_id, first.pair_axis, first.spec.lcc_code == second.spec.lcc_code
    ('minimal-pairs-00-pair-00000', 'form', True)
    """
    prompter = Prompter(taxonomy, plan.prompts, wording or load_wording()) if plan.prompts else None
    for block in blocks_of(name, plan, seed):
        for member in members_of(block, taxonomy):
            prompt = prompter.prompt(member.spec) if prompter else None
            for generator in _generators(plan.slices[block.slice], block, member):
                yield Order(
                    id=order_id(seed, block.id, member.number, generator),
                    slice=block.slice,
                    number=member.number,
                    spec=member.spec,
                    generator=generator,
                    prompt=prompt,
                    sampling=_sampling(plan.sampling, block, member, generator),
                    pair_id=member.pair_id,
                    pair_role=member.pair_role,
                    pair_axis=member.pair_axis,
                )


def order_id(seed: int, block_id: str, number: int, generator: str) -> str:
    """Name of an order and of its document, which gives no label away.

    Examples
    --------
    >>> len(order_id(42, "block-00-seed42", 0, "lexical-writer/birch"))
    16
    """
    key = f"{seed}\x1f{block_id}\x1f{number}\x1f{generator}"
    return hashlib.sha256(key.encode()).hexdigest()[:16]


def design_id(plan: Plan, taxonomy: Taxonomy, seed: int, wording: Wording | None = None) -> str:
    """Name of everything that orders depend on: other orders have another.

    How a generator is reached and set, and what it costs, is no part of it: that may change
    between two sittings, and every answer records what was sent.

    Examples
    --------
    >>> from evaluate_shelf.registry.generation import load_plan
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> plan, taxonomy = load_plan("sample"), load_taxonomy()
    >>> design_id(plan, taxonomy, 42) == design_id(plan, taxonomy, 43)
    False
    """
    wordings = (wording or load_wording()).model_dump() if plan.prompts else None
    generators = [
        {"name": own.name, "writer": own.writer, "model": own.model} for own in plan.generators
    ]
    described = plan.model_dump(mode="json", include={"slices", "lengths", "prompts", "sampling"})
    return sha256_of_json([seed, generators, described, wordings, repr(taxonomy)])[:16]


def allowance(length: Length, reasoning: bool | None) -> int:
    """The most tokens that a writer may give for a document of a target length.

    Two a word of the longest text and some for its title. A model that reasons gets room for that
    besides, so that thinking does not eat the document; one of which nobody knows gets no fewer
    tokens than a short text needs beside a little reasoning that was not announced.

    Parameters
    ----------
    length : Length
        In words.
    reasoning : bool or None
        Whether the model reasons before it writes; None where nobody knows.

    Returns
    -------
    int
        Tokens, those of reasoning among them.

    Examples
    --------
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> [allowance(length, False) for length in load_taxonomy().lengths][-3:]
    [2064, 4064, 8064]
    >>> [allowance(load_taxonomy().lengths[0], reasons) for reasons in (False, None, True)]
    [114, 1024, 4210]
    """
    document = _TOKENS_A_WORD * length.max_words + _TOKENS_BESIDES
    if reasoning is None:
        return max(_UNANNOUNCED, document)
    return document + _REASONING_ROOM * reasoning


def input_bound(prompt: Prompt) -> int:
    """The most tokens that a prompt can be charged as: its bytes, and some for each message.

    No tokenizer makes more tokens of a text than it has bytes; the frame of a message is a few.

    Examples
    --------
    >>> from builders.prompts.prompt import Message
    >>> input_bound(Prompt("p", (Message("system", "Café"), Message("user", "Go"))))
    39
    """
    return sum(len(own.content.encode()) + _TOKENS_A_MESSAGE for own in prompt.messages)


def _generators(own: SlicePlan, block: Block, member: Member) -> tuple[str, ...]:
    if own.shares is None:
        return own.generators
    draws = Draws(block.seed, block.id, member.drawn, "generator")
    return (draws.weighted(own.generators, own.shares),)


def _sampling(
    ranges: SamplingRanges | None, block: Block, member: Member, generator: str
) -> Sampling | None:
    if ranges is None:
        return None
    draws = Draws(block.seed, block.id, member.drawn, generator, "sampling")
    return Sampling(_between(ranges.temperature, draws), _between(ranges.top_p, draws))


def _between(own: Range, draws: Draws) -> float:
    return round(own.low + draws.uniform() * (own.high - own.low), 2)
