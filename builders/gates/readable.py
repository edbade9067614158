"""Text without characters that nobody sees and that change how the rest is shown or read."""

from __future__ import annotations

import re
from typing import NamedTuple

_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")

# Written out, so that every version of Python takes off the same: control characters but the tab
# and the line's end; soft hyphens; marks and overrides of direction; what has no width; notes
# between lines; what no character is; and tags, which spell a second text that nobody sees.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ufdd0-\ufdef\U000e0000-\U000e007f"
    + "".join(chr(plane * 0x10000 + end) for plane in range(17) for end in (0xFFFE, 0xFFFF))
    + "]"
)
# One between two characters beyond ASCII makes one sign of them: emoji and many scripts do.
_JOINERS = re.compile(
    "[\u200c\u200d]{2,}|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)


class Readable(NamedTuple):
    """A text that can be shown.

    Attributes
    ----------
    text : str
        Its lines end with a line feed.
    removed : int
        Characters that were taken out; line ends are none.
    """

    text: str
    removed: int


def readable(text: str) -> Readable:
    r"""Take out of a text what nobody sees.

    Line ends of any kind become a line feed. Control characters (but tabs), marks of direction,
    characters without width, soft hyphens and what is no character are taken out, wherever they
    stand; what stood between them stays, as the rest of an escape sequence does. A single joiner
    stays between two characters beyond ASCII. A text without any of these stays as it is.

    Parameters
    ----------
    text : str

    Returns
    -------
    Readable

    Examples
    --------
    >>> readable("\x1b[1mThe\u200b Bee\x07\r\n\u202eShe came home.")
    Readable(text='[1mThe Bee\nShe came home.', removed=4)
    """
    lines = _LINE_ENDS.sub("\n", text)
    plain = _JOINERS.sub("", _UNSEEN.sub("", lines))
    return Readable(plain, len(lines) - len(plain))
