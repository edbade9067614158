"""Whether a file is a ledger, whole, and of this version."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from builders.budget.failures import damaged
from builders.budget.schema import APPLICATION, VERSION
from evaluate_shelf.errors import ShelfError


def check_kind(connection: sqlite3.Connection, file: Path, *, may_be_new: bool = False) -> None:
    """Refuse what is no ledger, or one of a newer version.

    Raises
    ------
    ShelfError
        The message names the file.
    """
    # In one statement, so that no other process begins the ledger in between.
    [(application, version, tables)] = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) "
        "FROM pragma_application_id, pragma_user_version"
    )
    if not tables and may_be_new:
        return
    if application != APPLICATION:
        raise ShelfError(f"{file}: is no ledger that SHELF has begun; choose another --out")
    if version > VERSION:
        raise ShelfError(
            f"{file}: is a ledger of version {version}, and this SHELF knows version {VERSION}; "
            "update SHELF"
        )


def check_whole(connection: sqlite3.Connection, file: Path) -> None:
    """Refuse a ledger whose pages are damaged, or whose sums are not those of its attempts.

    Raises
    ------
    ShelfError
        The message names the file and what is wrong.
    """
    [(said,)] = connection.execute("PRAGMA quick_check(1)")
    if said != "ok":
        raise damaged(file, str(said))
    wrong = connection.execute(
        "SELECT budgets.generator FROM budgets LEFT JOIN attempts "
        "ON budgets.generator IN (attempts.generator, '') GROUP BY budgets.generator "
        "HAVING max(reserved) != total(charged * (state = 'reserved')) "
        "OR max(settled) != total(charged * (state = 'settled')) "
        "OR max(unknown) != total(charged * (state = 'unknown'))"
    ).fetchall()
    if wrong:
        raise damaged(file, "what is spent is not the sum of its calls")
    [(lone,)] = connection.execute(
        "SELECT count(*) FROM orders WHERE (state = 'answered') "
        "!= EXISTS (SELECT 1 FROM answers WHERE order_id = id)"
    )
    if lone:
        raise damaged(file, f"{lone} orders and answers do not belong together")
