"""From a specification to the messages that a writer gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from builders.prompts.labels import labels_of, named, without
from builders.specifications.specification import Specification
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import PromptChoice
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.prompts import PromptVariant, Wording
from evaluate_shelf.registry.taxonomy import Taxonomy


@dataclass(frozen=True)
class Message:
    """One message of a chat."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Prompt:
    """What a writer is asked.

    Attributes
    ----------
    variant_id : str
        The wording.
    messages : tuple of Message
        In order.
    """

    variant_id: str
    messages: tuple[Message, ...]

    @property
    def text(self) -> str:
        """As it is recorded: the messages, an empty line between them."""
        return "\n\n".join(message.content for message in self.messages)


class Prompter:
    """Puts specifications into words.

    Class, category and form are described and not named; a topic is its heading, or what it means
    where the heading is also a label of the specification.

    Parameters
    ----------
    taxonomy : Taxonomy
        The descriptions, glosses, target lengths and output formats.
    choice : PromptChoice
        Which variants there are, and what is asked besides.
    wording : Wording
        The variants.

    Raises
    ------
    ShelfError
        If a variant, its example where the choice wants one, or the layout of one of the
        taxonomy's output formats is missing.

    Examples
    --------
    >>> from builders.specifications import draw_block
    >>> from evaluate_shelf.registry.prompts import load_wording
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> [spec] = draw_block(
    ...     load_taxonomy(), block_id="block", seed=42, size=1, variants=["s1-plain"]
    ... )
    >>> choice = PromptChoice(variants=("s1-plain",))
    >>> prompt = Prompter(load_taxonomy(), choice, load_wording()).prompt(spec)
    >>> [message.role for message in prompt.messages], spec.lcgft_form in prompt.text
    (['system', 'user'], False)
    """

    def __init__(self, taxonomy: Taxonomy, choice: PromptChoice, wording: Wording) -> None:
        self._taxonomy, self._choice = taxonomy, choice
        self._variants = {
            name: found(wording.variants, name, "prompt variant") for name in choice.variants
        }
        for own in self._variants.values():
            if choice.examples and own.example is None:
                raise ShelfError(
                    f"generation.yaml, row {own.id!r}, field 'example': a plan asks for examples, "
                    "and this prompt variant has none"
                )
        for name in taxonomy.output_formats:
            if name not in wording.layouts:
                raise ShelfError(
                    f"generation.yaml, row 'prompts', field 'layouts': the taxonomy has the output "
                    f"format {name!r}, and nothing says how it is laid out"
                )
        self._layouts = wording.layouts
        self._subjects = {row.code: row.description for row in taxonomy.classes}
        self._categories = {row.name: row.description for row in taxonomy.categories}
        self._registers = {row.id: row.description for row in taxonomy.registers}
        self._lengths = {row.id: row for row in taxonomy.lengths}

    def prompt(self, spec: Specification) -> Prompt:
        """The prompt of a specification, in its variant.

        Raises
        ------
        ShelfError
            If the specification has no variant, or one that the plan does not have.
        """
        variant = found(self._variants, spec.prompt_variant or "", "prompt variant")
        slots = self._slots(spec)
        lines = (line.format(**slots) for line in variant.brief if not _is_empty(line, slots))
        return Prompt(
            variant.id,
            (
                Message("system", variant.system),
                *(_shown(variant) if self._choice.examples else ()),
                Message("user", "\n".join(lines)),
            ),
        )

    def _slots(self, spec: Specification) -> dict[str, str]:
        labels = labels_of(spec)
        category = without(self._categories[spec.lcgft_category], labels)
        gloss = self._taxonomy.form_glosses.get(spec.lcgft_form)
        length = self._lengths[spec.target_length]
        headings = [topic for topic in spec.topics if not self._is_glossed_alone(topic, labels)]
        layout = self._taxonomy.output_format(spec.lcgft_form, spec.lcgft_category)
        return {
            # A form without a gloss is what its category is.
            "form": without(gloss, labels) if gloss else _as_phrase(category),
            "category": category if gloss else "",
            "subject": without(self._subjects[spec.lcc_code], labels),
            "topics": "; ".join(self._topic(topic, labels) for topic in spec.topics),
            "audience": spec.audience or "",
            "places": " and ".join(spec.geographic),
            "register": without(self._registers[spec.register], labels),
            "length": f"{length.min_words} to {length.max_words}",
            "layout": self._layouts[layout],
            "avoided": ", ".join(headings) if self._choice.avoid_topic_words else "",
        }

    def _is_glossed_alone(self, topic: str, labels: tuple[str, ...]) -> bool:
        return topic in self._taxonomy.topic_glosses and bool(named(topic, labels))

    def _topic(self, topic: str, labels: tuple[str, ...]) -> str:
        gloss = without(self._taxonomy.topic_glosses.get(topic, ""), labels)
        if self._is_glossed_alone(topic, labels):
            return gloss
        return f"{topic} ({gloss})" if gloss and self._choice.topic_glosses else topic


def labels_named(prompt: Prompt, spec: Specification) -> tuple[str, ...]:
    """Labels of a specification that its prompt names all the same.

    There are none with SHELF's own taxonomy. Another may describe a class by its label alone, or
    have a topic of that name without a gloss.
    """
    return named(prompt.text, labels_of(spec))


def _shown(variant: PromptVariant) -> tuple[Message, ...]:
    """What stands before the order: another order, and the answer to it."""
    example = variant.example
    if example is None:
        return ()
    answer = "\n\n".join((example.title, *example.paragraphs))
    return (Message("user", "\n".join(example.brief)), Message("assistant", answer))


def _is_empty(line: str, slots: Mapping[str, str]) -> bool:
    return any(f"{{{name}}}" in line and not value for name, value in slots.items())


def _as_phrase(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:].rstrip(".")
