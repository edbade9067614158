"""The runs of a store that a new one is compared with."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import ValidationError

from evaluate_shelf.submissions.database import DatabaseError
from evaluate_shelf.submissions.holdings import Holdings
from evaluate_shelf.submissions.likeness import Known


def known_in(store: Holdings, board: str) -> Iterator[Known]:
    """What a check kept of each run of a board that is in a store, for `flags.check_of`.

    Parameters
    ----------
    store : Holdings
        Of submissions.
    board : str
        See `checking.Checked`.

    Yields
    ------
    Known
        In the order in which they came; one is held at a time.
    """
    with store.database.reading() as connection:
        for row in connection.execute(
            "SELECT submission, known FROM known JOIN submissions ON submission = id "
            "WHERE board = ? ORDER BY received, id",
            (board,),
        ):
            try:
                yield Known.model_validate_json(row["known"])
            except ValidationError as error:
                named = row["submission"][:12]
                raise DatabaseError(f"submission {named}: its row is damaged") from error
