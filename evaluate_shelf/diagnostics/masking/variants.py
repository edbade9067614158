"""The frozen rule: which strings are removed for a term."""

from __future__ import annotations

from evaluate_shelf.diagnostics.masking.tokens import folded, n_letters, token_spans

FEWEST_LETTERS = 5
"""Letters that a token of a term needs in order to be removed where it stands alone."""

_VOWELS = "aeiou"


def variants_of(term: str) -> tuple[str, ...]:
    """What is removed for one term: the term, its longer tokens, and the plurals of each.

    A plural ending is -s or -es, and -ies for a -y after a consonant. The rule is a list of
    strings, not a stemmer: a term in the plural does not remove its singular.

    Parameters
    ----------
    term : str
        A class name, topic, form or category.

    Returns
    -------
    tuple of str
        Without case, none twice, the term first. Empty for a term without any token.

    Examples
    --------
    >>> variants_of("Law")
    ('law', 'laws', 'lawes')
    >>> variants_of("Fine Arts")
    ('fine arts', 'fine artss', 'fine artses')
    >>> variants_of("Biology (US)")
    ('biology (us)', 'biology', 'biologys', 'biologyes', 'biologies')
    """
    term = " ".join(term.split())
    spans = token_spans(term)
    if not spans:
        return ()
    tokens = [term[start:end] for start, end in spans]
    alone = [token for token in tokens if n_letters(token) >= FEWEST_LETTERS]
    # A plural ending follows a word, not a closing bracket.
    ends_in_token = spans[-1][1] == len(term)
    found = [term, *(plurals_of(term) if ends_in_token else ())]
    found += [form for token in alone for form in (token, *plurals_of(token))]
    return tuple(dict.fromkeys(folded(form) for form in found))


def plurals_of(word: str) -> tuple[str, ...]:
    """A word with each plural ending.

    Examples
    --------
    >>> plurals_of("Map"), plurals_of("Philosophy"), plurals_of("Essay")
    (('Maps', 'Mapes'), ('Philosophys', 'Philosophyes', 'Philosophies'), ('Essays', 'Essayes'))
    """
    regular = (f"{word}s", f"{word}es")
    before, last = word[-2:-1].lower(), word[-1:].lower()
    if last == "y" and before.isalpha() and before not in _VOWELS:
        return (*regular, f"{word[:-1]}ies")
    return regular
