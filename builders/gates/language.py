"""G2: a document is written in English.

The language is identified by py3langid, a naive Bayes model over byte n-grams of 140 languages:
trained for it, calibrated over lengths, without network, compiled code or pickled files.
"""

from __future__ import annotations

import functools
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.installation import install_command

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

SHORT_WORDS = 40
"""Texts with fewer words carry little evidence."""

FEW_LETTERS = 20
"""Texts with fewer letters carry none."""

_LEAST, _LEAST_OF_SHORT = 0.5, 0.1
_WINDOW = 400
_WINDOWS = 3
# Figures and the marks of tables, lists and headings are no language.
_MARKS = re.compile(r"[\W\d_]*(?:[|=_*#<>\d\n]|-{2,})[\W\d_]*")


def english_probability(text: str) -> float:
    """Probability that a text is English, to two places; it means no more.

    A text longer than 1,200 characters is looked at where it begins, in its middle and where it
    ends, and the mean of the three is given: a quotation in another language lowers it by a
    third at most, and a text that is in another language for the most part fails.

    Parameters
    ----------
    text : str

    Returns
    -------
    float
        From 0 to 1; 0 for a text without a letter.

    Examples
    --------
    >>> english_probability("The tide turned at noon, and we went home along the shore.")
    1.0
    >>> english_probability("Die Flut kam am Mittag, und wir gingen am Strand nach Hause.")
    0.0
    """
    found = [_probability(_MARKS.sub(" ", window.lower())) for window in _windows(text)]
    return round(sum(found) / len(found), 2)


def language_passes(text: str, probability: float) -> bool:
    """Whether a text may be English.

    Below 40 words it is refused only where English is very unlikely, since a few names or a line
    of verse can look like anything; of a word or two nothing is said.

    Parameters
    ----------
    text : str
    probability : float
        As `english_probability` gives it.

    Examples
    --------
    >>> language_passes("a word " * 6, 0.2), language_passes("a word " * 60, 0.2)
    (True, False)
    >>> language_passes("ein Wort und noch eins und eins", 0.05), language_passes("Fog.", 0.01)
    (False, True)
    """
    letters = sum(map(str.isalpha, text[: _WINDOWS * _WINDOW]))
    if 0 < letters < FEW_LETTERS:
        return True
    return probability >= (_LEAST_OF_SHORT if len(text.split()) < SHORT_WORDS else _LEAST)


def _windows(text: str) -> list[str]:
    if len(text) <= _WINDOWS * _WINDOW:
        return [text]
    step = (len(text) - _WINDOW) // (_WINDOWS - 1)
    return [text[start : start + _WINDOW] for start in range(0, _WINDOWS * step, step)]


def _probability(text: str) -> float:
    if not any(map(str.isalpha, text)):
        return 0.0
    return float(dict(_identifier().rank(text))["en"])


def require_identifier() -> None:
    """Refuse to begin what could not tell languages later.

    Raises
    ------
    ShelfError
        If py3langid is not installed.
    """
    if find_spec("py3langid") is None:
        raise ShelfError(
            f"telling languages needs py3langid, which is not installed: {install_command('build')}"
        )


@functools.cache
def _identifier() -> LanguageIdentifier:
    require_identifier()
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    # In double precision, sums are the same on any machine to far more places than are kept.
    identifier.nb_ptc = identifier.nb_ptc.astype(np.float64)
    identifier.nb_pc = identifier.nb_pc.astype(np.float64)
    return identifier
