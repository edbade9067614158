"""What an endpoint's refusal means for an order: by its status, and by the code it names."""

from __future__ import annotations

import json
import math
from typing import Any

from builders.writers.protocol import MaybeCharged, NotCharged

# Somebody gave up waiting for an answer that may have been written.
_GIVEN_UP = frozenset({408, 499})
# An endpoint's own word that it has not answered, or a gateway's that it has not reached it. Any
# other error of a gateway, as 502, 504, 520, 522, 524 or 598, may come after an answer was written.
_NOT_CARRIED_OUT = frozenset(
    {500, 501, 503, 505, 506, 507, 508, 510, 511, 521, 523, 525, 526, 529, 530}
)
_TOO_MANY = 429
_LATER = frozenset({409, 425, _TOO_MANY})
_NEVER = frozenset({501, 505})
# The key, the account, the model or the address.
_OF_ALL = frozenset({401, 402, 404, 405, 407, 410})
_NO_MONEY = frozenset({"insufficient_quota", "billing_hard_limit_reached"})


def refusal_of(
    status: int, body: bytes, reason: str, retry_after: float | None = None
) -> NotCharged | MaybeCharged:
    """What becomes of an order whose call had no success.

    Parameters
    ----------
    status : int
        Of HTTP.
    body : bytes
        What the endpoint says.
    reason : str
        The same for a message.
    retry_after : float, default=None
        Seconds.

    Returns
    -------
    NotCharged or MaybeCharged
        The latter where somebody between gave up an answer that may have been written.

    Examples
    --------
    >>> refusal_of(429, b"", "busy", 7.0)
    NotCharged(reason='busy', retry_after_seconds=7.0, final=False, of_all=False, busy=True)
    >>> refusal_of(401, b"", "no key").of_all
    True
    >>> type(refusal_of(502, b"", "bad gateway")).__name__
    'MaybeCharged'
    """
    if status in _GIVEN_UP or (status >= 500 and status not in _NOT_CARRIED_OUT):
        return MaybeCharged(reason)
    error = error_of(body)
    if _NO_MONEY & {str(error.get("code")), str(error.get("type"))}:
        return NotCharged(reason, final=True, of_all=True)
    if status in _LATER or (status >= 500 and status not in _NEVER):
        wait = retry_after if retry_after is not None and math.isfinite(retry_after) else None
        return NotCharged(reason, wait, busy=status == _TOO_MANY)
    # 403 is for a place or an account, but a router says it of a prompt too.
    moderated = status == 403 and isinstance(error.get("metadata"), dict)
    of_all = (status in _OF_ALL or status == 403 or status < 400) and not moderated
    return NotCharged(reason, final=True, of_all=of_all)


def error_of(body: bytes) -> dict[str, Any]:
    """The `error` of an answer; empty if it has none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    error = value.get("error") if isinstance(value, dict) else None
    return error if isinstance(error, dict) else {}
