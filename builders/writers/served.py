"""Whether the model that answered is the one that was asked."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MONTH, _DAY = "(?:0[1-9]|1[0-2])", "(?:0[1-9]|[12][0-9]|3[01])"
_YEAR = "20[2-9][0-9]"
# As makers write the day of a version: 2026-01-31, 20260131, 01-31, 0131.
_DATE = re.compile(rf"[-@:](?:{_YEAR}-{_MONTH}-{_DAY}|{_YEAR}{_MONTH}{_DAY}|{_MONTH}-?{_DAY})")
_PATH = re.compile(r"^(?:/|~|[A-Za-z]:[\\/])|\\")


def is_asked_model(served: str, asked: str, others: Iterable[str] = ()) -> bool:
    """Whether a served model is the asked one, but for case, a provider before it or a date after.

    A version of another date than the one that was asked is another model.

    Parameters
    ----------
    served, asked : str
        Names.
    others : iterable of str, default=()
        Other names of the asked one.

    Examples
    --------
    >>> is_asked_model("vendor/m-1-2026-08-06", "m-1"), is_asked_model("m-1-mini", "m-1")
    (True, False)
    """
    return any(_is_one(_bare(served), _bare(name)) for name in (asked, *others))


def without_folders(name: str) -> str:
    """A model's name; of a path on somebody's disk, as local servers give it, the file alone.

    Examples
    --------
    >>> without_folders("/home/me/models/SmolLM2.gguf"), without_folders("vendor/model")
    ('SmolLM2.gguf', 'vendor/model')
    """
    return re.split(r"[\\/]", name.rstrip("\\/"))[-1] if _PATH.search(name) else name


def _bare(name: str) -> str:
    return without_folders(name).casefold().rpartition("/")[2]


def _is_one(served: str, asked: str) -> bool:
    rest = served.removeprefix(asked)
    return served.startswith(asked) and (not rest or _DATE.fullmatch(rest) is not None)
