"""What an exception of the Hub's client means for a publication: try again, or tell the user."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from huggingface_hub import constants
from huggingface_hub.errors import (
    HfHubHTTPError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.publishing.address import Address

try:
    from huggingface_hub.utils import httpx  # type: ignore[attr-defined]
except ImportError:  # versions whose client is still called httpx
    import httpx  # type: ignore[no-redef]

# What the Hub answers where the branch is no longer at the parent, or is being committed to.
_HEAD_MOVED = (409, 412)
# Xet's library is not written in Python, and raises these; what the client raises has a cause.
_OF_XET = (RuntimeError, ConnectionError, TimeoutError)
_BUSY = (408, 425, 429)
_RATE_LIMIT = re.compile(r'"\w+"\s*;\s*r\s*=\s*0\s*;\s*t\s*=\s*(\d{1,9})', re.ASCII)


class TransientError(Exception):
    """The Hub did not do what it was asked, but may the next time.

    Attributes
    ----------
    reason : str
        What happened.
    seconds : float or None
        How long the Hub asks to wait, if it does.
    """

    def __init__(self, reason: str, seconds: float | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.seconds = seconds


class HeadMovedError(TransientError):
    """Another commit came first; this one was not made."""


class NoRepositoryError(ShelfError):
    """There is no such repository, or the token may not see it."""


class NoRevisionError(ShelfError):
    """The repository has no such branch or commit."""


@contextlib.contextmanager
def understood(address: Address) -> Iterator[None]:
    """Turn what the Hub's client raises into `TransientError` or a message for the user.

    Raises
    ------
    TransientError
        For a lost connection, for 408, 425, 429 and 5xx, and for a failure of Xet where the Hub is
        huggingface.co; `HeadMovedError` for 409 and 412.
    ShelfError
        For all else that the client raises.
    """
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL, OSError, RuntimeError, ValueError) as error:
        raise _meaning(error, address) from error
    except (AttributeError, LookupError, TypeError) as error:
        # The client does not check the form of an answer.
        raise ShelfError(f"{address.endpoint}: what it answered is not a Hub's answer") from error


def seconds_asked(headers: Mapping[str, str], now: datetime) -> float | None:
    """How long an answer asks to wait, by `RateLimit` or `Retry-After`.

    Parameters
    ----------
    headers : mapping of str to str
        The answer's headers, names in lower case.
    now : datetime.datetime
        With a time zone.

    Returns
    -------
    float or None
        Seconds, at least 0; None if it does not say.

    Examples
    --------
    >>> seconds_asked({"retry-after": "30"}, datetime.now(UTC))
    30.0
    >>> seconds_asked({"ratelimit": '"api";r=0;t=55'}, datetime.now(UTC))
    55.0
    """
    if limit := _RATE_LIMIT.search(headers.get("ratelimit", "")):
        return float(limit[1])
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    # A date without a zone is in UTC.
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _meaning(error: BaseException, address: Address) -> Exception:
    for link in _chain(error):
        if isinstance(link, OfflineModeIsEnabled):
            return ShelfError(f"{address.repo_id}: HF_HUB_OFFLINE forbids to publish; unset it")
        if isinstance(link, HfHubHTTPError):
            return _meaning_of_answer(link, address, str(error))
        if isinstance(link, httpx.TransportError):
            return TransientError(f"no answer from {address.endpoint}: {address.clean(str(link))}")
        if isinstance(link, json.JSONDecodeError):
            return TransientError(f"{address.endpoint} answered what is not JSON")
    if isinstance(error, _OF_XET) and not (error.__cause__ or constants.HF_HUB_DISABLE_XET):
        return _meaning_of_xet(error, address)
    return ShelfError(f"{address.repo_id}: {address.clean(str(error)) or type(error).__name__}")


def _meaning_of_xet(error: BaseException, address: Address) -> Exception:
    """What a failure of Xet means, whose errors have no class and no status of their own."""
    account = (
        f"{address.endpoint} did not take the large files by Xet ({address.clean(str(error))}); "
        "HF_HUB_DISABLE_XET=1 sends them without"
    )
    # Where there is no Xet, there is none the next time.
    return TransientError(account) if address.has_xet else ShelfError(account)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and its causes, the outermost first."""
    while error is not None:
        yield error
        error = error.__cause__


def _meaning_of_answer(error: HfHubHTTPError, address: Address, account: str) -> Exception:
    repo, status = address.repo_id, error.response.status_code
    said = address.clean(error.server_message or account, 300)
    if status in _HEAD_MOVED:
        return HeadMovedError(
            f"{repo}: the Hub says that another commit came first (it says so, too, to a token "
            "that may only open pull requests)"
        )
    if status in _BUSY or status >= 500:
        asked = seconds_asked(error.response.headers, datetime.now(UTC))
        return TransientError(f"{address.endpoint} answered {status}", asked)
    if isinstance(error, RevisionNotFoundError):
        return NoRevisionError(
            f"{repo}: no branch {address.revision!r}; make it on the Hub, or publish to main"
        )
    if isinstance(error, RepositoryNotFoundError):
        return NoRepositoryError(
            f"{repo}: no such dataset, or this token may not see it; {_advice(address)}"
        )
    if status == 401:
        return ShelfError(f"{repo}: the Hub does not accept this token; {_advice(address)}")
    if status == 403:
        return ShelfError(f"{repo}: this token may not do that ({said}); {_advice(address)}")
    return ShelfError(f"{repo}: the Hub refused it with {status}: {address.clean(account)}")


def _advice(address: Address) -> str:
    owner = address.repo_id.split("/")[0]
    return (
        f"make one with write access to {owner}'s repositories at "
        f"{address.endpoint}/settings/tokens, then run `hf auth login` or set HF_TOKEN"
    )


def token_missing(address: Address) -> ShelfError:
    """What to tell a user without a token."""
    return ShelfError(f"{address.repo_id}: publishing needs a token; {_advice(address)}")
