"""What the Hub answers of a file, before its client makes names of files of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from evaluate_shelf.errors import ShelfError

_TAG = re.compile(r'(?:W/)?"?[A-Za-z0-9-]{1,128}"?')


@contextmanager
def plain_answers(commit: str) -> Iterator[None]:
    """Refuse answers of the Hub in the block that are no plain tag and commit of a file.

    The Hub's client puts both into paths as they come.

    Parameters
    ----------
    commit : str
        That is asked for.

    Raises
    ------
    ShelfError
        In the block, where the Hub gives such an answer.
    """
    from huggingface_hub import get_session

    def check(answer: Any) -> None:
        if answer.request.method != "HEAD":
            return
        # In the order in which the client looks for it.
        tag = answer.headers.get("x-linked-etag") or answer.headers.get("etag")
        if tag and not _TAG.fullmatch(tag):
            raise ShelfError("the Hub gives it a tag that is no plain word")
        if answer.headers.get("x-repo-commit", commit) != commit:
            raise ShelfError("the Hub answers for another commit")

    session = get_session()
    own = session.event_hooks
    session.event_hooks = {**own, "response": [*own.get("response", ()), check]}
    try:
        yield
    finally:
        session.event_hooks = own
