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
    return bool(body.strip()) and not _REFUSALS.search(plain) and not _TRUNCATIONS.search(plain)
