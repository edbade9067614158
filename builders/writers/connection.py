"""How a generator's endpoint is reached."""

from __future__ import annotations

from urllib.parse import urlsplit

from evaluate_shelf.endpoints.address import is_loopback, is_private
from evaluate_shelf.endpoints.exchange import Exchange
from evaluate_shelf.endpoints.key import key_in
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.roster import Generator


def exchange_with(row: Generator) -> Exchange:
    """A connection to a generator's endpoint, with its key; nothing is sent yet.

    An endpoint on this machine gets no key, unless the row names the variable that holds one; and
    a variable that is named has to hold one.

    Parameters
    ----------
    row : Generator
        With a model and a base URL.

    Raises
    ------
    ShelfError
        If the row is a place that is not filled, there is no key for another machine, or it would
        be sent in the clear.
    """
    if row.base_url is None:
        raise ShelfError(
            f"generator {row.name!r}: where it is reached is not said; give model and base_url in "
            "a file of --writers"
        )
    local, is_named = is_loopback(row.base_url), "api_key" in row.model_fields_set
    key = key_in(row.api_key) if not local or is_named else ""
    if key and not is_private(row.base_url):
        raise ShelfError(
            f"generator {row.name!r}: {row.api_key} would be sent unencrypted to "
            f"{row.base_url}; use https, or unset it"
        )
    if not key and (is_named or (urlsplit(row.base_url).scheme == "https" and not local)):
        raise ShelfError(
            f"generator {row.name!r}: the environment variable {row.api_key} holds no key for "
            f"{row.base_url}; set it, or name another with api_key"
        )
    return Exchange(
        row.base_url,
        key,
        use_proxy=not local,
        silence_seconds=row.answer_seconds,
        answer_seconds=row.answer_seconds,
    )
