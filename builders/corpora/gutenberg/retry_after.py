"""Read the header by which a server says when to ask again."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def wait_of(header: str | None, *, default: float, now: datetime | None = None) -> float:
    """Seconds that a `Retry-After` header asks for.

    Parameters
    ----------
    header : str or None
        The header's value: a number of seconds or a date.
    default : float
        What to wait if there is no header, or one that cannot be read.
    now : datetime.datetime, optional
        The present time, from which a date is counted.

    Returns
    -------
    float
        Never negative.

    Examples
    --------
    >>> wait_of("30", default=2.0), wait_of(None, default=2.0)
    (30.0, 2.0)
    """
    if header is None:
        return default
    value = header.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except ValueError:
        return default
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())
