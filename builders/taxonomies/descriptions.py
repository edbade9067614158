"""What stands for a concept in a writer's instructions, without its own or a neighbour's label."""

from __future__ import annotations

from collections.abc import Iterable

from builders.taxonomies.cleaning import sentences, without_labels
from builders.taxonomies.finding import LabelFinder, Place
from builders.taxonomies.form import Case, Concept, Kind
from builders.taxonomies.hierarchy import Hierarchy
from builders.taxonomies.label_text import natural
from builders.taxonomies.scope_notes import covered

MOST_WORDS = 60
"""Words of a description; a longer one ends with the last sentence before, or is cut."""

# Characters that are looked at: cleaning takes longer than in proportion to them.
_LOOKED_AT = 1500
_MOST_NARROWER = 6
_LEAST_NARROWER = 2


class Describer:
    """Gives concepts their descriptions, and keeps the cases.

    Parameters
    ----------
    hierarchy : Hierarchy
        Of the concepts.
    also_unnamed : dict of str to set of str, default=None
        Ids, besides a concept and its siblings, whose labels its description must not name.

    Attributes
    ----------
    cases : list of Case
        What was cleaned, taken from elsewhere or kept.
    """

    def __init__(
        self, hierarchy: Hierarchy, also_unnamed: dict[str, set[str]] | None = None
    ) -> None:
        self.cases: list[Case] = []
        self._hierarchy = hierarchy
        self._also = also_unnamed or {}
        self._finder = LabelFinder((one.id, one.label) for one in hierarchy.concepts.values())

    def places(self, concept: Concept, text: str) -> list[Place]:
        """Where the concept's own label and those of its siblings stand in a text."""
        also = self._also.get(concept.id, set())

        def is_wanted(other: str) -> bool:
            return (
                other == concept.id
                or other in also
                or self._hierarchy.are_siblings(concept.id, other)
            )

        return self._finder.places(text, is_wanted)

    def own(self, concept: Concept) -> str:
        """The definition, else the scope note, cleaned; "" where neither leaves anything."""
        for text, note in (
            (_beginning(concept.description), False),
            (covered(_beginning(concept.scope_note)), True),
        ):
            if not text:
                continue
            cleaned = without_labels(text, lambda own: self.places(concept, own))
            if cleaned != text:
                self._case(Kind.CLEANED, concept, before=text, after=cleaned)
            if not cleaned:
                continue
            if note:
                self._case(Kind.FROM_SCOPE_NOTE, concept)
            return self._shortened(concept, cleaned)
        return ""

    def description(self, concept: Concept, things: str | None = "Matters") -> str:
        """The concept's own description, else one made from narrower concepts, else its label.

        A broader concept alone makes none: it would be the same for all that lie below it.

        Parameters
        ----------
        concept : Concept
            Of the hierarchy.
        things : str or None, default="Matters"
            What a made description says that the narrower concepts are; None makes none.

        Returns
        -------
        str
            One line, never empty.
        """
        own = self.own(concept) or (self._made(concept, things) if things else "")
        if not own:
            self._case(Kind.LABEL_KEPT, concept)
            return concept.label
        return own

    def note_same(self, described: Iterable[tuple[Concept, str]]) -> None:
        """Keep a case of each description that another concept has too."""
        first: dict[str, Concept] = {}
        for concept, text in described:
            other = first.setdefault(text.casefold(), concept)
            if other is not concept:
                self._case(Kind.SAME_DESCRIPTION, concept, detail=other.label)

    def _made(self, concept: Concept, things: str) -> str:
        below = [self._hierarchy.label(one) for one in self._hierarchy.below[concept.id]]
        named = [label for label in below if not self.places(concept, label)][:_MOST_NARROWER]
        words = list(dict.fromkeys(map(natural, named)))
        if len(words) < _LEAST_NARROWER:
            return ""
        text = f"{things} such as {', '.join(words[:-1])} and {words[-1]}"
        above = (self._hierarchy.label(one) for one in concept.broader)
        context = next((label for label in above if not self.places(concept, label)), None)
        made = f"{text}, as part of {natural(context)}." if context else f"{text}."
        # Two labels beside each other can make a third.
        if self.places(concept, made):
            return ""
        self._case(Kind.FROM_NARROWER, concept, after=made)
        return made

    def _shortened(self, concept: Concept, text: str) -> str:
        if len(text.split()) <= MOST_WORDS:
            return text
        kept: list[str] = []
        for sentence in sentences(text):
            if sum(len(one.split()) for one in (*kept, sentence)) > MOST_WORDS:
                break
            kept.append(sentence)
        shorter = " ".join(kept) or f"{' '.join(text.split()[: MOST_WORDS - 1])} …"
        self._case(Kind.SHORTENED, concept, before=text, after=shorter)
        return shorter

    def _case(
        self, kind: Kind, concept: Concept, detail: str = "", before: str = "", after: str = ""
    ) -> None:
        self.cases.append(Case(kind, concept.id, concept.label, detail, before, after))


def _beginning(text: str) -> str:
    """A text up to the last sentence, or else the last word, that is looked at whole."""
    if len(text) <= _LOOKED_AT:
        return text
    start = text[:_LOOKED_AT]
    whole = " ".join(sentences(start)[:-1])
    return whole or start.rpartition(" ")[0] or start


def as_gloss(text: str) -> str:
    """A description as a phrase that can stand inside a sentence.

    Examples
    --------
    >>> as_gloss("Songs of work."), as_gloss("NATO treaties. And others.")
    ('songs of work', 'NATO treaties. And others')
    """
    own = text.rstrip(". ")
    return own if own[1:2].isupper() else own[:1].lower() + own[1:]
