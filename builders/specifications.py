"""Writing specifications: facets drawn independently, each set named by its hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from builders.draws import Draws
from evaluate_shelf.registry.taxonomy import Taxonomy


@dataclass(frozen=True)
class Specification:
    """What a document is to be about, what kind it is, for whom and how it is written.

    Attributes
    ----------
    lcc_code, lcc_name : str
        Subject class.
    lcgft_category, lcgft_form : str
        Kind of document.
    topics : tuple of str
        One to four headings from the class's domains.
    geographic : tuple of str
        None, one or two places.
    audience : str or None
        For whom.
    register, target_length : str
        Ids of the taxonomy.
    prompt_variant : str or None
        Variant of the prompt; None where the writer takes no prompt.
    block_id : str
        The block it was drawn in; not part of its identity.
    """

    lcc_code: str
    lcc_name: str
    lcgft_category: str
    lcgft_form: str
    topics: tuple[str, ...]
    geographic: tuple[str, ...]
    audience: str | None
    register: str
    target_length: str
    prompt_variant: str | None
    block_id: str

    @property
    def spec_id(self) -> str:
        """First 16 hexadecimal digits of the SHA-256 of the facets' canonical JSON.

        Sorted keys, no spaces, ASCII escapes, with a schema number of "1", as in the published
        data, so that equal specifications have equal ids everywhere.
        """
        facets = {
            "schema": "1",
            "lcc_code": self.lcc_code,
            "lcc_name": self.lcc_name,
            "lcgft_form": self.lcgft_form,
            "lcgft_category": self.lcgft_category,
            "topics": list(self.topics),
            "target_length": self.target_length,
            "register": self.register,
            "audience": self.audience,
            "geographic": list(self.geographic),
            "prompt_variant": self.prompt_variant,
        }
        text = json.dumps(facets, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def draw_block(
    taxonomy: Taxonomy, *, block_id: str, seed: int, size: int
) -> Iterator[Specification]:
    """Draw a block of specifications, one after another.

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

    Yields
    ------
    Specification
        All different; a specification that comes up again is drawn anew.

    Examples
    --------
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> block = draw_block(load_taxonomy(), block_id="block-00-seed42", seed=42, size=3)
    >>> len({spec.spec_id for spec in block})
    3
    """
    drawn: set[str] = set()
    number = 0
    while len(drawn) < size:
        spec = _draw(taxonomy, Draws(seed, block_id, number), block_id)
        if spec.spec_id not in drawn:
            drawn.add(spec.spec_id)
            yield spec
        number += 1


def with_other_form(spec: Specification, taxonomy: Taxonomy, draws: Draws) -> Specification:
    """The same specification with another form, and that form's category."""
    category = draws.choice(taxonomy.categories)
    form = draws.choice(category.forms)
    if form == spec.lcgft_form:
        return with_other_form(spec, taxonomy, draws)
    return replace(spec, lcgft_category=category.name, lcgft_form=form)


def with_other_class(spec: Specification, taxonomy: Taxonomy, draws: Draws) -> Specification:
    """The same specification, its topics too, with another class."""
    subject = draws.choice([own for own in taxonomy.classes if own.code != spec.lcc_code])
    return replace(spec, lcc_code=subject.code, lcc_name=subject.name)


def _draw(taxonomy: Taxonomy, draws: Draws, block_id: str) -> Specification:
    subject = draws.choice(taxonomy.classes)
    category = draws.choice(taxonomy.categories)
    topics = taxonomy.topics_of_class(subject.code)
    places = [place.name for place in taxonomy.places]
    no_audience = draws.happens(taxonomy.audience_none_probability)
    return Specification(
        lcc_code=subject.code,
        lcc_name=subject.name,
        lcgft_category=category.name,
        lcgft_form=draws.choice(category.forms),
        topics=tuple(draws.sample(topics, draws.between(1, 4))),
        geographic=tuple(draws.sample(places, draws.between(0, 2))),
        audience=None if no_audience else draws.choice(taxonomy.audiences),
        register=draws.weighted(
            [register.id for register in taxonomy.registers],
            [register.weight for register in taxonomy.registers],
        ),
        target_length=draws.weighted(
            [length.id for length in taxonomy.lengths],
            [length.weight for length in taxonomy.lengths],
        ),
        prompt_variant=None,
        block_id=block_id,
    )
