"""Draw specifications: every facet by itself, so that none tells of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from builders.draws import Draws
from builders.specifications.specification import Specification
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.taxonomy import Taxonomy
from evaluate_shelf.registry.taxonomy_rows import Length

T = TypeVar("T")

_MOST_TOPICS = 4
# So many draws for each specification find nearly all that there are, and then give up.
_MOST_DRAWS = 50


def draw_block(
    taxonomy: Taxonomy,
    *,
    block_id: str,
    seed: int,
    size: int,
    lengths: Sequence[str] | None = None,
    variants: Sequence[str] = (),
) -> Iterator[Specification]:
    """Draw a block of specifications, one after another.

    Each facet has a stream of draws of its own, named by seed, block, number and facet: what one
    facet draws, and how many values it has, changes no other. Topics alone depend on another
    facet, since they come from the class's domains.

    Parameters
    ----------
    taxonomy : Taxonomy
        The label spaces and the weights that they are drawn with.
    block_id : str
        Name of the block.
    seed : int
        Seed of the block.
    size : int
        How many different specifications.
    lengths : sequence of str, default=None
        Ids of the target lengths that are drawn from, by their weights; all without it.
    variants : sequence of str, default=()
        Ids of the prompt variants that are drawn from, each as likely; none without it.

    Yields
    ------
    Specification
        All different; a specification that comes up again is drawn anew.

    Raises
    ------
    ShelfError
        If a length is unknown, or the taxonomy has not so many different specifications.

    Examples
    --------
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> block = draw_block(load_taxonomy(), block_id="block-00-seed42", seed=42, size=3)
    >>> len({spec.spec_id for spec in block})
    3
    """
    labels = _Labels(taxonomy, lengths_to_draw(taxonomy, lengths), tuple(variants))
    drawn: set[str] = set()
    number = 0
    while len(drawn) < size:
        if number == _MOST_DRAWS * size:
            raise ShelfError(
                f"block {block_id}: {size} different specifications are wanted, and {number} draws "
                f"gave {len(drawn)}; ask for fewer, or for more labels or lengths"
            )
        spec = _draw(labels, seed, block_id, number)
        if spec.spec_id not in drawn:
            drawn.add(spec.spec_id)
            yield spec
        number += 1


def lengths_to_draw(taxonomy: Taxonomy, ids: Sequence[str] | None) -> tuple[Length, ...]:
    """The target lengths of some ids; all of the taxonomy for None.

    Raises
    ------
    ShelfError
        If one is unknown.
    """
    if ids is None:
        return taxonomy.lengths
    known = {length.id: length for length in taxonomy.lengths}
    return tuple(found(known, own, "target length") for own in ids)


class _Labels:
    """What is drawn from, with what is worked out once for all draws."""

    def __init__(
        self, taxonomy: Taxonomy, lengths: tuple[Length, ...], variants: tuple[str, ...]
    ) -> None:
        self.taxonomy, self.lengths, self.variants = taxonomy, lengths, variants
        self.topics = {row.code: taxonomy.topics_of_class(row.code) for row in taxonomy.classes}
        self.places = [place.name for place in taxonomy.places]
        self.of_region: dict[str, list[str]] = {}
        for place in taxonomy.places:
            if place.region is not None:
                self.of_region.setdefault(place.region, []).append(place.name)
        self.with_neighbours = [
            (place.name, place.region)
            for place in taxonomy.places
            if place.region is not None and len(self.of_region[place.region]) > 1
        ]


def _draw(labels: _Labels, seed: int, block_id: str, number: int) -> Specification:
    taxonomy = labels.taxonomy

    def draws(facet: str) -> Draws:
        return Draws(seed, block_id, number, facet)

    subject = draws("subject").choice(taxonomy.classes)
    kind = draws("kind")
    category = kind.choice(taxonomy.categories)
    return Specification(
        lcc_code=subject.code,
        lcc_name=subject.name,
        lcgft_category=category.name,
        lcgft_form=kind.choice(category.forms),
        topics=_topics(labels.topics[subject.code], draws("topics")),
        geographic=_places(labels, draws("places")),
        audience=_audience(taxonomy, draws("audience")),
        register=draws("register").weighted(
            [register.id for register in taxonomy.registers],
            [register.weight for register in taxonomy.registers],
        ),
        target_length=draws("length").weighted(
            [length.id for length in labels.lengths], [length.weight for length in labels.lengths]
        ),
        prompt_variant=draws("prompt").choice(labels.variants) if labels.variants else None,
        block_id=block_id,
    )


def _topics(topics: Sequence[str], draws: Draws) -> tuple[str, ...]:
    return _different(topics, min(draws.between(1, _MOST_TOPICS), len(topics)), draws)


def _audience(taxonomy: Taxonomy, draws: Draws) -> str | None:
    no_audience = draws.happens(taxonomy.audience_none_probability)
    return None if no_audience else draws.choice(taxonomy.audiences)


def _places(labels: _Labels, draws: Draws) -> tuple[str, ...]:
    """No, one or two places, each number as likely; two are of one region."""
    number = draws.between(0, 2)
    if number == 2 and labels.with_neighbours:
        first, region = draws.choice(labels.with_neighbours)
        return first, draws.choice([own for own in labels.of_region[region] if own != first])
    return _different(labels.places, min(number, 1, len(labels.places)), draws)


def _different(values: Sequence[T], number: int, draws: Draws) -> tuple[T, ...]:
    """Values at different positions, in the order in which they are drawn."""
    positions: dict[int, None] = {}
    while len(positions) < number:
        positions[draws.integer(len(values))] = None
    return tuple(values[position] for position in positions)
