"""The labels that a prompt must not name, and descriptions without them."""

from __future__ import annotations

import functools

from builders.specifications.specification import Specification
from builders.taxonomies.cleaning import without_labels
from builders.taxonomies.finding import LabelFinder

Labels = tuple[str, ...]


def labels_of(spec: Specification) -> Labels:
    """The class name, category and form of a specification.

    Returns
    -------
    tuple of str
        None twice.
    """
    return tuple(dict.fromkeys((spec.lcc_name, spec.lcgft_category, spec.lcgft_form)))


def named(text: str, labels: Labels) -> Labels:
    """Which labels stand in a text, as whole words, in any case and number.

    Labels of fewer than four characters are not looked for: the word law, say, cannot be kept out
    of a prompt.

    Examples
    --------
    >>> named("Notes on music for a film", ("Music", "Films", "Law"))
    ('Music', 'Films')
    """
    found = {place.id for place in _finder(labels).places(text)}
    return tuple(label for label in labels if label in found)


def without(text: str, labels: Labels) -> str:
    """A description without what names a label; as it was where nothing else is left of it.

    Examples
    --------
    >>> without("How we live: economics, statistics, commerce.", ("Statistics",))
    'How we live: economics, commerce.'
    """
    return without_labels(text, _finder(labels).places) or text


@functools.lru_cache(maxsize=4096)
def _finder(labels: Labels) -> LabelFinder:
    return LabelFinder([(label, label) for label in labels])
