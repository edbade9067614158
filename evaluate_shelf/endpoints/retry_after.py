"""The header by which a server says when to ask again."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime


def seconds_named(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds that a `Retry-After` header asks to wait.

    Parameters
    ----------
    header : str or None
        A number of seconds, or a date.
    now : datetime.datetime, default=None
        The present time, from which a date is counted.

    Returns
    -------
    float or None
        0 for a date that is past; infinite where the header says so. None if there is no header,
        or one that names no time to wait, as a negative number.

    Examples
    --------
    >>> seconds_named("30"), seconds_named("soon"), seconds_named(None)
    (30.0, None, None)
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        return _until(header, now or datetime.now(UTC))
    return seconds if seconds >= 0 else None


def _until(date: str, now: datetime) -> float | None:
    try:
        then = parsedate_to_datetime(date)
        then = then if then.tzinfo else then.replace(tzinfo=UTC)
        return max(0.0, (then - now).total_seconds())
    # What the parser raises for damaged dates, and for years that no date has.
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
