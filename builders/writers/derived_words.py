"""Words for labels that the lexicon does not know, from what a taxonomy says about them.

The lexical writer's own vocabularies were written for SHELF's labels. For another label one is put
together from its narrower concepts, from the phrases of its description, and, where both are too
few, from the label, set into frames that fit any noun phrase. The same label, description and
narrower concepts give the same words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from builders.draws import Draws
from builders.taxonomies.label_text import natural
from builders.writers.lexicon import (
    Lexicon,
    PhraseList,
    RegisterPhrases,
    Vocabulary,
    load_lexicon,
)
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy

EntryT = TypeVar("EntryT")

_THINGS = (
    "changes in {}",
    "debates over {}",
    "the language of {}",
    "sources on {}",
    "views of {}",
    "questions about {}",
    "the early days of {}",
    "records of {}",
    "the cost of {}",
    "examples of {}",
    "a closer look at {}",
    "the limits of {}",
)
_PEOPLE = (
    "specialists in {}",
    "writers on {}",
    "students of {}",
    "advisers on {}",
    "critics of {}",
    "people concerned with {}",
    "committees for {}",
    "newcomers to {}",
)
_ACTIONS = (
    "collecting evidence on {}",
    "comparing accounts of {}",
    "explaining {}",
    "reading about {}",
    "taking stock of {}",
    "planning for {}",
    "asking about {}",
    "keeping notes on {}",
    "learning from {}",
)
_OF_A_FORM = (
    "What follows keeps to {}, and {{thing}} comes first.",
    "Here {{people}} meet {}.",
    "It begins with {} and ends with {{action}}.",
    "{{Thing}} is set down by way of {}.",
    "A reader will look for {} before {{thing}}.",
    "The parts are held together by {}, whatever {{people}} may say.",
    "Nothing of {} is left out, and {{action}} has its place.",
    "Much of it rests on {}, and the rest on {{thing}}.",
)
_OF_AN_AUDIENCE = (
    "Much of this was put together with {} in mind, and {{thing}} above all.",
    "What matters to {} is {{thing}}, seen from close by.",
    "Ask {} about {{action}} and they will have an answer.",
    "There is more on {{thing}} here than {} may expect.",
)
_OF_A_REGISTER = (
    "This is said with an eye to {}, as {{thing}} deserves.",
    "Of {{thing}} one may speak in terms of {}.",
    "{{Action}} is told here in the manner of {}.",
    "The tone keeps to {}, also where {{people}} are concerned.",
)
_OPENERS = ("To put it so,", "In this manner,", "Said in this way,", "As it is put here,")
_CLOSERS = (
    "So much for now.",
    "That is how it is put here.",
    "With this the account ends.",
    "There is no more to add.",
)

_MOST_THINGS = 40
_LEAST_PHRASES = 4
_FRAMES = 6
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_PHRASE_END = re.compile(r"[,;:.!?()\[\]…–—]|\s-\s")
_MOST_WORDS = 4
# Words that no phrase holds; after those of the second kind a verb is likely to stand.
_EMPTY = re.compile(
    r"(?:an?|about|above|after|all|also|among|and|any|are|as|at|be|been|before|being|below|between"
    r"|both|but|by|can|could|did|do|does|each|either|else|etc|every|few|for|from|had|has|have|how"
    r"|if|in|into|is|it|its|itself|least|less|many|may|more|most|much|must|neither|nor?|not|of|on"
    r"|one|or|others?|otherwise|our|out|over|part|per|rather|said|same|several|should|so|some|such"
    r"|than|the|theirs?|them|then|there|these|they|this|those|through|thus|to|too|toward|under"
    r"|until|up|upon|used?|uses|using|various|very|was|were|what|when|where|whether|which|while"
    r"|whose|why|will|with|within|without|would|you|your|matters|works|writing|who|whom|that)",
    re.IGNORECASE,
)
_BEFORE_VERB = re.compile(r"that|who|which|whom|to|people|they|it", re.IGNORECASE)


def lexicon_for(taxonomy: Taxonomy, own: Lexicon | None = None) -> Lexicon:
    """A lexicon with words for every label of a taxonomy.

    Parameters
    ----------
    taxonomy : Taxonomy
        SHELF's own, or one that was imported.
    own : Lexicon, default=None
        The words that there are; those of the package if None.

    Returns
    -------
    Lexicon
        `own` itself where it knows every label. Otherwise one with the words of `own` for labels
        that it knows, in any case, and derived words for the others. A class is known by code and
        name, since codes of two schemes can be the same.

    Examples
    --------
    >>> lexicon_for(load_taxonomy()) is load_lexicon()
    True
    """
    known = load_lexicon() if own is None else own
    names = {subject.code: subject.name for subject in load_taxonomy().classes}
    classes = {
        subject.code: known.classes[subject.code]
        if subject.code in known.classes and names.get(subject.code) == subject.name
        else vocabulary_of(subject.name, subject.description, subject.narrower)
        for subject in taxonomy.classes
    }
    topics = _filled(
        known.topics,
        taxonomy.topics,
        lambda topic: vocabulary_of(
            topic,
            taxonomy.topic_glosses.get(topic, ""),
            taxonomy.narrower_of_topic.get(topic, ()),
            names_itself=True,
        ),
    )
    category_of = {form: row for row in taxonomy.categories for form in row.forms}
    forms = _filled(
        known.forms,
        taxonomy.forms,
        lambda form: _sentences(
            _OF_A_FORM,
            form,
            taxonomy.form_glosses.get(form) or category_of[form].description,
        ),
    )
    described = {row.name: row.description for row in taxonomy.categories}
    categories = _filled(
        known.categories,
        list(described),
        lambda name: _sentences(_OF_A_FORM, name, described[name]),
    )
    audiences = _filled(
        known.audiences, taxonomy.audiences, lambda name: _sentences(_OF_AN_AUDIENCE, name, "")
    )
    tones = {row.id: row.description for row in taxonomy.registers}
    registers = _filled(known.registers, list(tones), lambda name: _register(name, tones[name]))
    found = Lexicon(
        classes=classes,
        topics=topics,
        patterns=known.patterns,
        categories=categories,
        forms=forms,
        registers=registers,
        audiences=audiences,
        styles=known.styles,
    )
    return known if found == known else found


def vocabulary_of(
    label: str, description: str, narrower: Sequence[str] = (), *, names_itself: bool = False
) -> Vocabulary:
    """Derive the vocabulary of a class or topic.

    Parameters
    ----------
    label : str
        What it is called.
    description : str
        What it is; "" if nobody says so.
    narrower : sequence of str
        Labels of what belongs to it.
    names_itself : bool, default=False
        Whether the label is one of its terms. It always is where nothing else is known.

    Returns
    -------
    Vocabulary
        Things, people and actions, at least two of each.

    Examples
    --------
    >>> own = vocabulary_of("Botany", "Mosses, ferns and flowering herbs.", ["Fungi"])
    >>> own.things[:4]
    ('fungi', 'mosses', 'ferns', 'flowering herbs')
    """
    phrases = _distinct([*map(natural, narrower), *phrases_of(description)])
    if names_itself:
        phrases = _distinct([natural(label), *phrases])
    phrases = phrases[:_MOST_THINGS] or [natural(label)]
    draws = Draws(0, "derived words", label)
    framed = [] if len(phrases) > 2 * _LEAST_PHRASES else _framed(_THINGS, phrases, draws)
    return Vocabulary(
        things=tuple(_distinct([*phrases, *framed])),
        people=tuple(_framed(_PEOPLE, phrases, draws)),
        actions=tuple(_framed(_ACTIONS, phrases, draws)),
    )


def phrases_of(description: str) -> list[str]:
    """Noun phrases of a description, as far as rules without a grammar tell them.

    Parameters
    ----------
    description : str
        A sentence or more.

    Returns
    -------
    list of str
        Runs of at most four words without function words, "of" apart, in their order.

    Examples
    --------
    >>> phrases_of("The study of mind, and the faiths that people live by.")
    ['study of mind', 'faiths']
    """
    found: list[str] = []
    for part in _PHRASE_END.split(description):
        run: list[str] = []
        is_verb = False
        for word in [*_WORD.findall(part), "and"]:
            if word.casefold() == "of" and run:
                run.append("of")
            elif _EMPTY.fullmatch(word) or _BEFORE_VERB.fullmatch(word):
                found += _phrase(run)
                run, is_verb = [], bool(_BEFORE_VERB.fullmatch(word))
            elif is_verb:
                is_verb = False
            else:
                run.append(word)
    return _distinct(map(natural, found))


def _phrase(run: list[str]) -> list[str]:
    while run and run[-1] == "of":
        run = run[:-1]
    own = run[-_MOST_WORDS:]
    while own and own[0] == "of":
        own = own[1:]
    if not own or len(own[-1]) < 3 or own[-1].endswith("ly"):
        return []
    return [" ".join(own)]


def _framed(frames: Sequence[str], phrases: Sequence[str], draws: Draws) -> list[str]:
    """Some of the frames, each with a phrase."""
    chosen = draws.sample(frames, _FRAMES)
    starts = draws.integer(len(phrases))
    own = [phrases[(starts + number) % len(phrases)] for number in range(len(chosen))]
    return [frame.format(phrase) for frame, phrase in zip(chosen, own, strict=True)]


def _sentences(frames: Sequence[str], label: str, description: str) -> PhraseList:
    phrases = phrases_of(description) or [natural(label)]
    draws = Draws(0, "derived sentences", label)
    return PhraseList(sentences=tuple(_framed(frames, phrases, draws)))


def _register(label: str, description: str) -> RegisterPhrases:
    own = _sentences(_OF_A_REGISTER, label, description)
    return RegisterPhrases(openers=_OPENERS, sentences=own.sentences, closers=_CLOSERS)


def _filled(
    known: dict[str, EntryT], labels: Iterable[str], derive: Callable[[str], EntryT]
) -> dict[str, EntryT]:
    """The known entry of each label, in any case, or a derived one."""
    folded = {label.casefold(): entry for label, entry in reversed(known.items())}
    found = {}
    for label in labels:
        entry = known.get(label) or folded.get(label.casefold())
        found[label] = derive(label) if entry is None else entry
    return found


def _distinct(values: Iterable[str]) -> list[str]:
    first: dict[str, str] = {}
    for value in values:
        if value:
            first.setdefault(value.casefold(), value)
    return list(first.values())
