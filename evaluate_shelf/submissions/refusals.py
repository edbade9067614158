"""Why a submission was refused, in words that can be shown to whoever sent it."""

from __future__ import annotations

import re

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line

_LONGEST = 500
# The folders of an absolute path; what stands behind a colon is a model's name, as in st:/models/x.
_FOLDERS = re.compile(r"""(?<![\w./:@~\\-])(?:[A-Za-z]:)?[/\\](?:[^\s/\\:,;'"()]+[/\\])*""")


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
    """A reason on one line, without folders.

    Examples
    --------
    >>> presentable("/tmp/a b/x.parquet: the model st:/models/x has no scores")
    'a b/x.parquet: the model st:/models/x has no scores'
    """
    return one_line(_FOLDERS.sub("", reason[: 8 * _LONGEST]), _LONGEST)
