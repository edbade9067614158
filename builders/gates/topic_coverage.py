"""G5: how many of the topics that were asked for a text speaks of; recorded, never refused."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

from builders.taxonomies.finding import singular

LEAST_SHARE = 0.6
"""Share of a topic's significant words that have to stand in the text."""

_LETTERS = re.compile(r"[^\W\d_]+")
_EMPTY = frozenset(
    (
        "and", "the", "for", "with", "from", "into", "its", "other", "general", "etc", "their",
        "about", "including", "under", "except",
    )
)  # fmt: skip
_SHORTEST = 3
# A word of so few letters begins too many others: art, article.
_SHORT = 4


def topic_coverage(text: str, topics: Sequence[str]) -> float:
    """Share of the topics whose words stand in a text, to four places.

    Parameters
    ----------
    text : str
        Title and body.
    topics : sequence of str
        Headings.

    Returns
    -------
    float
        From 0 to 1; 1 where no topic was asked for.

    Examples
    --------
    >>> topic_coverage("A railroad through the deserts.", ["Railroads", "Deserts", "Opera"])
    0.6667
    """
    if not topics:
        return 1.0
    folded = text.casefold()
    return round(sum(covers(folded, topic) for topic in topics) / len(topics), 4)


def covers(folded: str, topic: str) -> bool:
    """Whether most of a topic's significant words stand in a text, or begin a word of it.

    Parameters
    ----------
    folded : str
        The text, case-folded.
    topic : str
        A heading.

    Examples
    --------
    >>> covers("economic laws", "Law, Economic"), covers("lawns", "Law")
    (True, False)
    """
    stems = _stems(topic)
    found = sum(stem.search(folded) is not None for stem in stems)
    return not stems or found >= LEAST_SHARE * len(stems)


@functools.lru_cache(maxsize=1 << 14)
def _stems(topic: str) -> tuple[re.Pattern[str], ...]:
    words = dict.fromkeys(_LETTERS.findall(topic.casefold()))
    chosen = [word for word in words if len(word) >= _SHORTEST and word not in _EMPTY]
    return tuple(_stem(word) for word in chosen or words)


def _stem(word: str) -> re.Pattern[str]:
    """What a word begins with in the singular and the plural; of a short one, all that it is."""
    one = singular(word)
    stem = one[:-1] if one.endswith("y") and len(one) > _SHORT else one
    begins = re.escape(stem if word.startswith(stem) else word)
    return re.compile(rf"\b{begins}(?:e?s)?\b" if len(stem) <= _SHORT else rf"\b{begins}")
