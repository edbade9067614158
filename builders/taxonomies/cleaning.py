"""Take labels out of a description so that what is left still reads as one.

A description goes to a writer in the place of its label. The words are not cut out, which would
leave a hole: the smallest part that can go as a whole does, a bracket, an item of a list, the
subject of a definition, a clause, and where none can, the sentence. The rules know English; in
another language brackets, clauses between commas, and sentences go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from builders.taxonomies.finding import Place

Places = Callable[[str], Sequence[Place]]
"""Finds the labels that must not stand in a text."""

_MOST_ROUNDS = 50
_LEAST_WORDS = 2
# A tail is cut from a sentence only where so much is left that it still says something.
_LEAST_WORDS_BEFORE_TAIL = 3
# "plans and ancient temples": so many words may belong to the label.
_MOST_WORDS_BEFORE_LABEL = 2

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'“(\[])")
_ABBREVIATION = re.compile(r"(?:\b[A-Za-z]|\b(?:e\.g|i\.e|etc|cf|vs|approx|incl|esp|St|Dr|Mr))\.$")
_BRACKETS = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])")
_BREAK = re.compile(r"[,:]\s+|\s+[–—]\s+|\s+-\s+")
_DASHES = frozenset("-–—")
_CONJUNCTION = re.compile(r"\s+(?:and|or|as well as)\s+", re.IGNORECASE)
_DEFINED = re.compile(
    r"(?:\s*\([^()]*\))?,?\s+(?:(?:is|are)\s+(?:concerned\s+with|about|defined\s+as)"
    r"|is|are|means?|refers?\s+to|denotes?|covers?|comprises?|includes?|concerns?|consists?\s+of"
    r"|deals?\s+with)\s+(?!not\b|also\b|called\b|sometimes\b|often\b)",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"(?:the|an?|all|any|some)\s+", re.IGNORECASE)
_EXAMPLES = re.compile(
    r"[,;]?\s*\b(?:such\s+as|including|especially|particularly|notably|namely|like|for\s+example,?"
    r"|for\s+instance,?|e\.g\.,?)\s+(?:the\s+|an?\s+)?$",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(
    r"^(?:(?:and|or|but|also|such\s+as|including|especially|particularly|notably|namely|like|as\s+well"
    r"\s+as|for\s+example,?|for\s+instance,?|e\.g\.,?|i\.e\.,?)\s+)+",
    re.IGNORECASE,
)
# What cannot begin a sentence once the words before it are gone.
_DEPENDENT = re.compile(
    r"(?:which|that|who|whom|whose|where|when|while|as|because|since|if|than|is|are|was|were|has"
    r"|have|had|can|may|will|its?|their|his|her|they|he|she|these|those|this|of|by|to|with|from|in"
    r"|on|at|for|not|etc)\b",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r",?\s+(?:(?:in|of|to|for|by|with|on)\s+)?(?:which|that|who|whose|where)\s+")
_PREPOSITION = (
    r"(?:of|in|on|for|about|with|by|to|from|through|under|among|between|against|over|into|at)"
)
_TAIL = re.compile(rf"\s+{_PREPOSITION}\s+(?:(?:the|an?|all|other|various)\s+)?$", re.IGNORECASE)
_BEFORE_FIRST = re.compile(rf"(?:^|\b{_PREPOSITION}\s+)(?:(?:the|an?)\s+)?$", re.IGNORECASE)
_CLOSES = re.compile(r"\s*[.!?]*\s*$")
_LOOSE_END = re.compile(
    rf"(?:[\s,;:–—-]|\s(?:and|or|but|the|an?|as|such\s+as|including|{_PREPOSITION}))+$",
    re.IGNORECASE,
)
_STOP = re.compile(
    r"(?:an?|and|any|are|as|at|be|been|but|by|can|do|does|for|from|had|has|have|he|her|his|how|if|in"
    r"|into|is|it|its|may|more|most|no|nor|not|of|on|or|others?|our|she|so|some|such|than|that|the"
    r"|their|them|then|there|these|they|this|those|to|under|up|upon|used?|various|was|were|what"
    r"|when|where|which|while|who|whom|whose|will|with|within|without|you|your|etc|also)",
    re.IGNORECASE,
)
_CONTENT = re.compile(r"[^\W\d_]{3,}")


def without_labels(text: str, places: Places) -> str:
    """A text without the labels that are found in it.

    Parameters
    ----------
    text : str
        One line.
    places : callable
        Gives the places of labels in a text.

    Returns
    -------
    str
        The text as it is where no label is found. Otherwise without those parts that hold one;
        "" where fewer than two words are left that say anything.

    Examples
    --------
    >>> from builders.taxonomies.finding import LabelFinder
    >>> places = LabelFinder([("1", "temples")]).places
    >>> without_labels("Temples are buildings for worship.", places)
    'Buildings for worship.'
    >>> without_labels("Buildings for worship, such as temples and churches.", places)
    'Buildings for worship, such as churches.'
    >>> without_labels("The study of temples.", places)
    ''
    """
    if not places(text):
        return text
    kept = (_cleaned(sentence, places) for sentence in sentences(text))
    result = " ".join(sentence for sentence in kept if sentence)
    # What stood in two sentences can stand beside each other now, and be a label.
    return result if says_something(result) and not places(result) else ""


def sentences(text: str) -> list[str]:
    """The sentences of a text.

    Examples
    --------
    >>> sentences("Signs, e.g. X. Also Y! It ends.")
    ['Signs, e.g. X.', 'Also Y!', 'It ends.']
    """
    found: list[str] = []
    for part in _SENTENCE_END.split(text.strip()):
        if found and _ABBREVIATION.search(found[-1]) and not _ends_with_letter(found[-1], part):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return [one for one in found if one]


def _ends_with_letter(before: str, after: str) -> bool:
    """Whether a single letter ends a sentence and does not abbreviate: several words follow."""
    return bool(re.search(r"\b[A-Z]\.$", before)) and " " in after.strip()


def says_something(text: str, least: int = _LEAST_WORDS) -> bool:
    """Whether so many words are left that are no function words.

    Examples
    --------
    >>> says_something("Of the others."), says_something("Buildings for worship.")
    (False, True)
    """
    return sum(not _STOP.fullmatch(word) for word in _CONTENT.findall(text)) >= least


def _cleaned(sentence: str, places: Places) -> str:
    """A sentence without labels, or ""; what semicolons part is cleaned by itself."""
    if not places(sentence):
        return sentence
    closing = _CLOSES.search(sentence)
    parts = re.split(r";\s+", sentence[: closing.start()] if closing else sentence)
    kept = [part for part in (_without(part, places) for part in parts) if part]
    if not kept:
        return ""
    joined = "; ".join([kept[0], *map(_continued, kept[1:])])
    return _capitalised(joined) + (closing[0].strip() if closing else "")


def _without(part: str, places: Places) -> str:
    current = part
    for _ in range(_MOST_ROUNDS):
        found = places(current)
        if not found:
            return current if current == part else _finished(current)
        shorter = _without_one(current, found[0], places)
        if shorter is None or len(shorter) >= len(current) or not says_something(shorter):
            return ""
        current = shorter
    return ""


def _without_one(text: str, place: Place, places: Places) -> str | None:
    """The text without the smallest part that holds the place; None where no part can go."""
    for rule in (_bracket, _defined, _example, _conjunct, _part, _tail, _relative_clause):
        shorter = rule(text, place, places)
        if shorter is not None and says_something(shorter):
            return shorter
    return None


def _bracket(text: str, place: Place, places: Places) -> str | None:
    """Drop the brackets that the label stands in."""
    for match in _BRACKETS.finditer(text):
        if match.start() <= place.start and place.end <= match.end():
            return text[: match.start()] + text[match.end() :]
    return None


def _defined(text: str, place: Place, places: Places) -> str | None:
    """Drop the subject of a definition: "Temples are buildings" is "Buildings"."""
    before = _ARTICLE.sub("", text[: place.start], count=1)
    match = _DEFINED.match(text, place.end)
    if before.strip(" \"'“") or match is None:
        return None
    return _capitalised(text[match.end() :])


def _example(text: str, place: Place, places: Places) -> str | None:
    """Drop an example that stands alone: ", such as temples"."""
    lead_in = _EXAMPLES.search(text[: place.start])
    after = text[place.end :]
    if lead_in is None or not re.match(r"\s*(?:[,;:.!?]|$)", after):
        return None
    # Further examples after a comma need the words that lead in.
    if re.match(r",\s", after) and _CONJUNCTION.search(after):
        return text[: place.start] + after[1:].lstrip()
    return text[: lead_in.start()] + after


def _conjunct(text: str, place: Place, places: Places) -> str | None:
    """Drop one side of "X and Y", where the label is that whole side or ends the list."""
    start, end = _segment(text, place)
    segment = text[start:end]
    matches = list(_CONJUNCTION.finditer(segment))
    before_it = [match for match in matches if start + match.end() <= place.start][-1:]
    after_it = [match for match in matches if start + match.start() >= place.end][:1]
    for match in (*before_it, *after_it):
        left, right = start + match.start(), start + match.end()
        if places(text[start:left]) and places(text[right:end]):
            continue
        if place.start >= right:
            gap = _ARTICLE.sub("", text[right : place.start])
            if len(gap.split()) <= _MOST_WORDS_BEFORE_LABEL:
                whole = text[place.end : end]
                if whole.strip() and not re.match(rf"\s+{_PREPOSITION}\b", whole):
                    continue
                kept = text[:left] + text[end:]
                return _with_last_conjunction(kept, start, left, match[0])
        elif place.end <= left and not text[place.end : left].strip():
            before = text[start : place.start]
            if start and not before.strip():
                # "A, temples and B" is "A and B".
                return f"{text[:start].rstrip().rstrip(',;')} {match[0].strip()} {text[right:]}"
            if _BEFORE_FIRST.search(text[: place.start]):
                kept = text[: place.start] + text[right:]
                return _capitalised(kept) if not place.start else kept
            lead_in = _EXAMPLES.search(text[: place.start])
            if lead_in is not None:
                return text[: place.start] + text[right:]
    return None


def _part(text: str, place: Place, places: Places) -> str | None:
    """Drop the part between commas, semicolons, colons or dashes that the label stands in."""
    start, end = _segment(text, place)
    if (start, end) == (0, len(text)):
        return None
    is_item = _is_item(text, place, start, end)
    if start == 0:
        # What follows a comma is of one kind with an item, and hangs in the air without a clause.
        if text[end : end + 1] == "," and not is_item:
            return None
        rest = _LEAD_IN.sub("", _BREAK.sub("", text[end:], count=1))
        return None if _DEPENDENT.match(rest) else _capitalised(rest)
    before = text[:start]
    opening = _last_break(before)
    head = before[: opening[0]]
    if end == len(text):
        conjunction = re.match(r"(?:and|or)\s", text[start:end])
        if conjunction:
            return _with_last_conjunction(head, 0, len(head), conjunction[0])
        return head
    following = text[end:]
    mark = before[opening[0] : opening[1]].strip()
    if mark == ":" and following.startswith(","):
        return before + following[1:].lstrip() if is_item else head
    if mark in _DASHES and following.strip()[:1] in _DASHES:
        return f"{head} {_BREAK.sub('', following, count=1)}"
    # "A, temples, and B" is "A and B"; "A, B, temples, and C" keeps its commas.
    if re.match(r",\s+(?:and|or)\s", following) and not re.search(r"[,;]\s", head):
        return head + re.sub(r"^,", "", following)
    return head + following


def _is_item(text: str, place: Place, start: int, end: int) -> bool:
    """Whether the part holds the label and little before it, as an item of a list does."""
    before = _LEAD_IN.sub("", text[start : place.start])
    return not text[place.end : end].strip() and len(before.split()) <= _MOST_WORDS_BEFORE_LABEL


def _tail(text: str, place: Place, places: Places) -> str | None:
    """Drop a last "of temples" where enough stands before it."""
    match = _TAIL.search(text[: place.start])
    if match is None or place.end < len(text):
        return None
    shorter = text[: match.start()]
    # What "of" leads in often cannot be missed.
    is_of = match[0].split()[0].casefold() == "of"
    least = _LEAST_WORDS_BEFORE_TAIL if is_of else _LEAST_WORDS
    return shorter if says_something(shorter, least) else None


def _relative_clause(text: str, place: Place, places: Places) -> str | None:
    """Drop a last "which holds temples" where enough stands before it."""
    found = [match for match in _RELATIVE.finditer(text) if match.end() <= place.start]
    if not found:
        return None
    shorter = text[: found[-1].start()]
    return shorter if says_something(shorter, _LEAST_WORDS_BEFORE_TAIL) else None


def _segment(text: str, place: Place) -> tuple[int, int]:
    """The part between two breaks that holds a place, without them."""
    start, end = 0, len(text)
    for match in _BREAK.finditer(text):
        if match.end() <= place.start:
            start = match.end()
        elif match.start() >= place.end:
            end = match.start()
            break
    return start, end


def _last_break(text: str) -> tuple[int, int]:
    last = [match.span() for match in _BREAK.finditer(text)]
    return last[-1] if last else (len(text), len(text))


def _with_last_conjunction(text: str, start: int, end: int, conjunction: str) -> str:
    """Put the conjunction of a list that lost its last item before the item that is last now."""
    breaks = [match for match in _BREAK.finditer(text, 0, end) if match[0].startswith(",")]
    if not breaks:
        return text
    last = breaks[-1]
    item = text[last.end() : end]
    # A list has short items; what is longer is a clause, and needs no conjunction.
    if len(item.split()) > 3 or _CONJUNCTION.search(item):
        return text
    return text[: last.start()] + f" {conjunction.strip()} " + text[last.end() :]


def _finished(text: str) -> str:
    """Mended spaces and punctuation, a capital at the start, nothing loose at the end."""
    mended = re.sub(r"\s+([,:.!?)])", r"\1", " ".join(text.split()))
    mended = re.sub(r"[,:]+([,:.!?])", r"\1", mended)
    mended = re.sub(r"\(\s*\)|\[\s*\]", "", mended)
    body = _LOOSE_END.sub("", mended.rstrip(".!? "))
    body = _LEAD_IN.sub("", body).strip(" ,:")
    return _capitalised(body)


def _capitalised(text: str) -> str:
    own = text.lstrip()
    return own[:1].upper() + own[1:]


def _continued(text: str) -> str:
    """A part that stood at a start, behind another; words all in capitals keep them."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
