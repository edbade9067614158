"""JSON posted to an endpoint: repeated where that helps, bounded, and never redirected."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from evaluate_shelf.bounded import one_line
from evaluate_shelf.endpoints.exchange import Exchange
from evaluate_shelf.endpoints.repeating import repeated
from evaluate_shelf.errors import ShelfError


class Poster:
    """Posts JSON to one URL.

    Parameters
    ----------
    url : str
        Where to.
    key : str
        Sent as a bearer token; none for an empty string.
    use_proxy : bool, default=True
        Whether a proxy that the environment names is used.
    pause : callable, default=time.sleep
        Waits for seconds.

    Raises
    ------
    ShelfError
        If the key cannot be sent.
    """

    def __init__(
        self,
        url: str,
        key: str = "",
        *,
        use_proxy: bool = True,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._exchange = Exchange(url, key, use_proxy=use_proxy)
        self._pause = pause

    def post(self, value: Any, *, most_bytes: int) -> Any:
        """Post a value and give the answer's; repeated as `repeated` says.

        Parameters
        ----------
        value : object
            Becomes JSON.
        most_bytes : int
            An answer may not be longer.

        Raises
        ------
        ShelfError
            If there is no answer, it is none of success, too long, or no JSON.
        """
        exchange = self._exchange
        reply = repeated(
            lambda: exchange.ask("POST", "", json=value, most_bytes=most_bytes),
            exchange,
            exchange.base,
            self._pause,
        )
        return _read(reply.body)


def _read(body: bytes) -> Any:
    try:
        return json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ShelfError(f"the answer is no JSON: {one_line(str(error), 100)}") from error
