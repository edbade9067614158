"""G7: a document is neither a refusal nor cut off."""

from __future__ import annotations

import re

_REFUSALS = re.compile(
    r"(?i)\bas an? (?:ai|artificial intelligence|language model)\b"
    r"|\bi(?:'m| am) (?:an ai|a language model|unable to|not able to (?:help|write|provide))"
    r"|\bi (?:cannot|can't|can not|won't|will not) (?:help|assist|comply|fulfil|fulfill|provide"
    r"|create|generate|write)\b"
    r"|\bi(?:'m| am) sorry,? but (?:i|that)\b"
    r"|\bmy (?:training data|knowledge cutoff|guidelines)\b"
    r"|\bagainst my (?:guidelines|programming|policy)\b"
)
# A text without any of these has no refusal; looking for plain words takes a fraction of the time.
_WORDS_OF_REFUSALS = (
    "a ai", "an ai", "artificial intelligence", "language model", "unable to", "not able to",
    "i cannot", "i can't", "i can not", "i won't", "i will not", "sorry", "training data",
    "knowledge cutoff", "guidelines", "programming", "policy",
)  # fmt: skip
_TRUNCATIONS = re.compile(
    r"(?i)\[(?:truncated|cut off|continued)[^\]]*\]|<\|[a-z_]+\|>|(?:\.\.\.|\u2026)\s*\Z"
)


def is_complete(body: str) -> bool:
    """Whether a body has no refusal, no disclaimer of a model and no mark of truncation.

    Examples
    --------
    >>> is_complete("The tide turned at noon."), is_complete("As an AI, I cannot do that.")
    (True, False)
    >>> is_complete("The tide turned and...")
    False
    """
    plain = body.replace("\u2019", "'")  # writers use either apostrophe
    folded = plain.casefold()
    refuses = any(word in folded for word in _WORDS_OF_REFUSALS) and _REFUSALS.search(plain)
    return bool(body.strip()) and not refuses and not _TRUNCATIONS.search(plain)
