"""Keys of endpoints: read from the environment, sent in one header, and in no message."""

from __future__ import annotations

import os
import re

from evaluate_shelf.errors import ShelfError

KEY_VARIABLE = "OPENAI_API_KEY"
"""Where a key is looked for if nothing names another variable."""


def key_in(variable: str) -> str:
    """The key that an environment variable holds; an empty string if it holds none.

    Raises
    ------
    ShelfError
        If it cannot be sent. The message does not show it.
    """
    return checked_key(os.environ.get(variable, "").strip())


def checked_key(key: str) -> str:
    """A key that a header can hold.

    Raises
    ------
    ShelfError
        If none can. The message does not show it.
    """
    if not re.fullmatch("[!-~]*", key):
        raise ShelfError("the key holds characters that no header can hold")
    return key


def without_key(text: str, key: str) -> str:
    """A text in which a key, which some endpoints repeat, is covered.

    Examples
    --------
    >>> without_key("no such key: sk-1", "sk-1")
    'no such key: ***'
    """
    return text.replace(key, "***") if key else text
