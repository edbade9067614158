"""Why a submission was refused, in words that can be shown to whoever sent it."""

from __future__ import annotations

import re

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line

_LONGEST_QUOTED = 40
# With it a text becomes a link in much that shows one.
_SCHEME = re.compile(r"(?i)[a-z][a-z0-9+.-]*:/[/\\]+|www\.")
_LONGEST = 500
# What a folder's name may have where nothing shows its end.
_NAME = r"""[^\s/\\:,;'"`<>|]"""
_ROOT = r"(?:[A-Za-z]:[/\\]+|~?/+|~[A-Za-z_][\w-]*/+|\\{2,})"
_FOLDERS = re.compile(
    rf"""(?x)
    # An address on a network stays as it is.
    (?P<address>\b(?:https?|hf|wss?|s3|gs|ftp)://[^\s'"`<>(),;]+)
    # A path begins after nothing, or after what does not make the slash a part of a text, as in
    # owner/name, </s>, 50%/50% and items/*/x. In quotes it ends with them.
  | (?P<before>(?:^|[^\w.@%*?~<)\]}}/\\"'`-]))
    (?:(?P<quote>["'`]){_ROOT}(?:[^"'`]*[/\\])? | {_ROOT}(?:{_NAME}+[/\\]+)*)
    (?=(?![()\[\]]){_NAME})
    """
)


def quoted(text: str) -> str:
    r"""A text of whoever sent something, for a reason that anybody may read.

    Returns
    -------
    str
        In quotes, 40 characters at most, all of them printable; an address is none any more.

    Examples
    --------
    >>> print(quoted("red\x1b[2J"), quoted("see https://spam.example/x"), quoted("a" * 99))
    'red[2J' 'see spam.example/x' 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'
    """
    # What follows is long enough to be cut, and short enough to be looked through.
    shown = one_line(text[: 10 * _LONGEST_QUOTED])
    while (less := _SCHEME.sub("", shown)) != shown:
        shown = less
    shown = "".join(own for own in shown if own.isprintable())
    cut = shown if len(shown) <= _LONGEST_QUOTED else f"{shown[: _LONGEST_QUOTED - 1]}…"
    return repr(cut)


class Refused(ShelfError):  # noqa: N818 - the state of a submission, not a fault of the program
    r"""A submission is refused.

    The message is one line for whoever sent it, without control characters and without the
    folders of the machine that checked it.

    Parameters
    ----------
    reason : str
        What is wrong, where, and what to do.
    detail : str, default=''
        What only whoever runs the check may see.

    Attributes
    ----------
    detail : str

    Examples
    --------
    >>> raise Refused("/srv/store/a1/run.json: not JSON\n")
    Traceback (most recent call last):
    evaluate_shelf.submissions.refusals.Refused: run.json: not JSON
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        self.detail = detail
        super().__init__(presentable(reason))


def presentable(reason: str) -> str:
    r"""A reason on one line, without folders; what is no path keeps its slashes.

    Examples
    --------
    >>> presentable("/srv/store/x.parquet: owner/name, trained on st:/models/x, has no scores")
    'x.parquet: owner/name, trained on st:x, has no scores'
    >>> presentable("'C:\\data\\a b\\run.json' gives 12 documents/second </s>")
    "'run.json' gives 12 documents/second </s>"
    """
    return one_line(_FOLDERS.sub(_without_folders, reason[: 8 * _LONGEST]), _LONGEST)


def _without_folders(found: re.Match[str]) -> str:
    return found["address"] or found["before"] + (found["quote"] or "")
