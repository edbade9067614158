"""How much a user, and an address, may send in a time."""

from __future__ import annotations

import hashlib
import ipaddress
import sqlite3
from typing import Literal, NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.submissions.database import Database

Kind = Literal["run", "model", "request"]
"""A run that is sent, a model that is asked for, any other request that changes something."""


class Limit(NamedTuple):
    """So many in so many seconds, counted back from each moment."""

    most: int
    seconds: float


HOUR, DAY = 3600.0, 86_400.0
_SKEW_SECONDS = 300.0
USER_LIMITS: dict[Kind, Limit] = {
    "run": Limit(20, DAY),
    "model": Limit(10, DAY),
    "request": Limit(60, HOUR),
}
# Several users can share an address: a library, a university.
ADDRESS_LIMITS: dict[Kind, Limit] = {
    "run": Limit(60, DAY),
    "model": Limit(30, DAY),
    "request": Limit(240, HOUR),
}


class RateError(ShelfError):
    """Too much was sent; the message says when there is room again.

    Attributes
    ----------
    seconds : float
        Until then.
    """

    def __init__(self, what: str, limit: Limit, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(
            f"{what}: no more than {limit.most} in {limit.seconds / HOUR:.0f} "
            f"{'hour' if limit.seconds == HOUR else 'hours'}; again in {_minutes(seconds)}"
        )


def take(database: Database, kind: Kind, *, user: str | None, address: str | None) -> None:
    """Count something that a user sends from an address.

    Parameters
    ----------
    database : Database
        Of the store; its clock counts.
    kind : {'run', 'model', 'request'}
        What is sent.
    user : str or None
        Who sends it, where that is known.
    address : str or None
        From which IP address; it is kept as a keyed hash, and no longer than a day. Of IPv6 the
        first 64 bits count, which are one customer's.

    Raises
    ------
    RateError
        If it is too much; it is not counted then.
    ShelfError
        If the address is none.
    """
    with database.writing() as connection:
        asked = []
        if user is not None:
            asked.append((_key(connection, kind, "user", user), USER_LIMITS[kind]))
        if address is not None:
            network = network_of(address)
            asked.append((_key(connection, kind, "address", network), ADDRESS_LIMITS[kind]))
        longest = max(limit.seconds for limit in [*USER_LIMITS.values(), *ADDRESS_LIMITS.values()])
        # What lies ahead is of a clock that was set back.
        connection.execute(
            "DELETE FROM rates WHERE at <= now() - ? OR at > now() + ?", (longest, _SKEW_SECONDS)
        )
        for key, limit in asked:
            seconds = _seconds_until_room(connection, key, limit)
            if seconds > 0:
                raise RateError(_WORDS[kind], limit, seconds)
        connection.executemany("INSERT INTO rates VALUES (?, now())", [(key,) for key, _ in asked])


def network_of(address: str) -> str:
    """What of an IP address is one customer's.

    Raises
    ------
    ShelfError
        If it is none.

    Examples
    --------
    >>> network_of("2001:db8::1:2:3:4"), network_of("::ffff:192.0.2.1")
    ('2001:db8::/64', '192.0.2.1')
    """
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        raise ShelfError("the address that this came from is no IP address") from None
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((known, 64), strict=False))


_WORDS: dict[Kind, str] = {
    "run": "runs that are sent",
    "model": "models that are asked for",
    "request": "requests",
}


def _seconds_until_room(connection: sqlite3.Connection, key: str, limit: Limit) -> float:
    """How long until the window holds fewer than the limit; 0 or less where it does."""
    row = connection.execute(
        "SELECT at + ? - now() AS left FROM rates WHERE key = ? AND at > now() - ? "
        "ORDER BY at DESC LIMIT 1 OFFSET ?",
        (limit.seconds, key, limit.seconds, limit.most - 1),
    ).fetchone()
    return 0.0 if row is None else float(row["left"])


def _key(connection: sqlite3.Connection, kind: Kind, what: str, value: str) -> str:
    salt = connection.execute("SELECT value FROM settings WHERE name = 'salt'").fetchone()["value"]
    return hashlib.sha256(f"{salt}\0{kind}\0{what}\0{value}".encode()).hexdigest()[:32]


def _minutes(seconds: float) -> str:
    minutes = -(-int(seconds + 0.999) // 60)
    if minutes < 120:
        return "1 minute" if minutes == 1 else f"{minutes} minutes"
    return f"{-(-minutes // 60)} hours"
