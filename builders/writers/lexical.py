"""The lexical writer: English prose from vocabularies and sentence patterns, without a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from builders.draws import Draws
from builders.specifications import Specification
from builders.writers.layout import layout, words_of
from builders.writers.lexicon import FormatPatterns, Lexicon, Style, Vocabulary, slots_of
from builders.writers.protocol import Provenance, WrittenDocument
from evaluate_shelf.registry.taxonomy import Taxonomy

VERSION = "1.0"

# How the sentences of a document divide over what they show. The subject is learnable; form,
# register and audience are progressively harder, because fewer sentences speak of them.
_SHARES = {"pattern": 0.73, "form": 0.09, "category": 0.08, "register": 0.055, "audience": 0.045}
_OPENER_RATE = 0.04
_PLACE_RATE = 0.12
_CLOSER_RATE = 0.15

# Where a slot's term comes from. The share of other classes' terms is what keeps a document from
# being a list of its label's words.
_FROM_CLASS = 0.36
_FROM_TOPIC = 0.35

# First words of patterns that keep their capital inside a sentence.
_NAMES = frozenset(
    {"Anna", "Augustine", "God", "Gudrun", "I", "Lord", "Montaigne", "O", "Revelation"}
)

# A document keeps to a few of its label's terms, so that they come back, as in writing.
_TERMS_OF_CLASS = 14
_TERMS_OF_TOPIC = 6


def lexical_writers(lexicon: Lexicon, taxonomy: Taxonomy) -> list[LexicalWriter]:
    """One writer for each style of the lexicon, in the order of their names."""
    return [
        LexicalWriter(name, lexicon.styles[name], lexicon, taxonomy)
        for name in sorted(lexicon.styles)
    ]


class LexicalWriter:
    """Composes documents of a specified length by fixed rules.

    Parameters
    ----------
    name : str
        Name of the style.
    style : Style
        Habits that do not depend on any label.
    lexicon : Lexicon
        Words and patterns.
    taxonomy : Taxonomy
        Lengths and output formats.
    """

    def __init__(self, name: str, style: Style, lexicon: Lexicon, taxonomy: Taxonomy) -> None:
        self.model = f"lexical-writer/{name}"
        self._style = style
        self._lexicon = lexicon
        self._taxonomy = taxonomy
        self._lengths = {length.id: length for length in taxonomy.lengths}

    def write(self, spec: Specification, seed: int) -> WrittenDocument:
        """Write a document; the same specification and seed give the same document."""
        draws = Draws(seed, self.model, spec.spec_id)
        terms = _Terms(self._lexicon, spec, draws)
        output_format = self._taxonomy.output_format(spec.lcgft_form, spec.lcgft_category)
        patterns = self._lexicon.patterns[output_format]
        length = self._lengths[spec.target_length]
        target = draws.between(length.min_words, length.max_words)
        sentences = self._sentences(spec, patterns, terms, draws, target, length.max_words)
        headings = [terms.filled(pattern) for pattern in draws.shuffled(patterns.headings)]
        return WrittenDocument(
            title=terms.filled(draws.choice(patterns.titles)),
            body=layout(output_format, sentences, headings, draws, max_words=length.max_words),
            provenance=Provenance(
                model=self.model,
                model_resolved=f"{self.model}@{VERSION}",
                provider="shelf",
                provider_served="shelf",
            ),
        )

    def _sentences(
        self,
        spec: Specification,
        patterns: FormatPatterns,
        terms: _Terms,
        draws: Draws,
        target: int,
        most: int,
    ) -> list[str]:
        """Sentences of about `target` words in all and never more than `most`."""
        sentences: list[str] = []
        count = 0
        misses = 0
        while count < target and misses < 20:
            sentence = self._sentence(spec, patterns, terms, draws)
            if count + words_of(sentence) > most:
                misses += 1
                continue
            sentences.append(sentence)
            count += words_of(sentence)
        closer = draws.choice(self._lexicon.registers[spec.register].closers)
        if draws.happens(_CLOSER_RATE) and count + words_of(closer) <= most:
            sentences.append(closer)
        return sentences

    def _sentence(
        self, spec: Specification, patterns: FormatPatterns, terms: _Terms, draws: Draws
    ) -> str:
        if draws.happens(self._style.filler_rate * 0.3):
            return draws.choice(self._style.fillers)
        pattern = self._pattern(spec, patterns, draws)
        if draws.happens(_OPENER_RATE):
            opener = draws.choice(self._lexicon.registers[spec.register].openers)
            return f"{opener} {terms.filled(pattern, continues=True)}"
        if draws.happens(self._style.connective_rate):
            connective = draws.choice(self._style.connectives)
            return f"{connective} {terms.filled(pattern, continues=True)}"
        sentence = terms.filled(pattern)
        if draws.happens(self._style.joint_rate) and sentence.endswith("."):
            second = terms.filled(self._pattern(spec, patterns, draws), continues=True)
            return f"{sentence[:-1]}{self._style.joint}{second}"
        return sentence

    def _pattern(self, spec: Specification, patterns: FormatPatterns, draws: Draws) -> str:
        lexicon = self._lexicon
        kind = draws.weighted(list(_SHARES), list(_SHARES.values()))
        if kind == "form":
            return draws.choice(lexicon.forms[spec.lcgft_form].sentences)
        if kind == "category":
            return draws.choice(lexicon.categories[spec.lcgft_category].sentences)
        if kind == "register":
            return draws.choice(lexicon.registers[spec.register].sentences)
        if kind == "audience" and spec.audience is not None:
            return draws.choice(lexicon.audiences[spec.audience].sentences)
        if spec.geographic and draws.happens(_PLACE_RATE):
            return draws.choice(patterns.place_sentences)
        return draws.choice(patterns.sentences)


@dataclass(frozen=True)
class _Choice:
    """The terms of one label that a document keeps to."""

    things: Sequence[str]
    people: Sequence[str]
    actions: Sequence[str]

    @classmethod
    def of(cls, vocabulary: Vocabulary, draws: Draws, size: int) -> _Choice:
        return cls(
            draws.sample(vocabulary.things, size),
            draws.sample(vocabulary.people, max(2, size // 4)),
            draws.sample(vocabulary.actions, max(2, size // 3)),
        )


class _Terms:
    """Fills slots for one document."""

    def __init__(self, lexicon: Lexicon, spec: Specification, draws: Draws) -> None:
        self._draws = draws
        self._spec = spec
        self._of_class = _Choice.of(lexicon.classes[spec.lcc_code], draws, _TERMS_OF_CLASS)
        self._of_topics = [
            _Choice.of(lexicon.topics[topic], draws, _TERMS_OF_TOPIC) for topic in spec.topics
        ]
        self._everything = list(lexicon.classes.values())

    def filled(self, pattern: str, *, continues: bool = False) -> str:
        """The pattern with a term in every slot; in lower case where it continues a sentence."""
        sentence = _continued(pattern) if continues else pattern
        used: set[str] = set()
        for slot in slots_of(sentence):
            term = self._term(slot.lower())
            for _ in range(8):
                if term not in used:
                    break
                term = self._term(slot.lower())
            used.add(term)
            text = _upper_first(term) if slot[0].isupper() else term
            sentence = sentence.replace("{" + slot + "}", text, 1)
        return sentence

    def _term(self, slot: str) -> str:
        draws = self._draws
        if slot == "place":
            return draws.choice(self._spec.geographic)
        if slot == "year":
            return str(draws.between(1890, 2024))
        if slot == "number":
            return str(draws.between(3, 90))
        role = {"thing": "things", "people": "people", "action": "actions"}[slot]
        source = draws.uniform()
        if source < _FROM_CLASS:
            return draws.choice(getattr(self._of_class, role))
        if source < _FROM_CLASS + _FROM_TOPIC:
            return draws.choice(getattr(draws.choice(self._of_topics), role))
        return draws.choice(getattr(draws.choice(self._everything), role))


def _continued(pattern: str) -> str:
    """The pattern without the capital of its first word, unless that is a name or "I".

    A slot at the start gives up its capital too; a name that fills it keeps its own.
    """
    if pattern.startswith("{"):
        return "{" + pattern[1].lower() + pattern[2:]
    word = pattern.split(" ", 1)[0].rstrip(",;:")
    if word in _NAMES or word.startswith("I'"):
        return pattern
    return pattern[0].lower() + pattern[1:]


def _upper_first(text: str) -> str:
    return text[0].upper() + text[1:]
