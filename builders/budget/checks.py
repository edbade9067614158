"""Whether a file is a ledger, whole, and of this version."""

from __future__ import annotations

import re
import sqlite3
import stat
from pathlib import Path

from builders.budget.failures import damaged
from builders.budget.folder import ledger_file, plan_file
from builders.budget.schema import APPLICATION, TABLES, VERSION
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError


def check_place(corpus: Path) -> bool:
    """Refuse a folder in which a ledger cannot be opened or begun; nothing is changed.

    A log of changes that is deleted after a process was killed cannot be told from one that was
    taken in by whoever read the corpus since: what was in it is gone from the books.

    Returns
    -------
    bool
        Whether a ledger may be begun: there is no `plan.json` that says that there was one.

    Raises
    ------
    ShelfError
        If the ledger is no file, goes by a second name, or is gone.
    """
    file = ledger_file(corpus)
    # Looked at first, as it is written when there is a ledger.
    may_be_new = not plan_file(corpus).exists()
    try:
        found = file.stat()
    except FileNotFoundError:
        found = None
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise ShelfError(f"{file}: is no file; choose another --out")
    # Under each name it would have a log of changes of its own, and two sums would be spent.
    if found is not None and found.st_nlink > 1:
        raise ShelfError(
            f"{file}: is one file under {found.st_nlink} names (hard links); copy it to a folder "
            "of its own, and remove the others"
        )
    if not may_be_new and (found is None or not found.st_size):
        raise _gone(corpus)
    return may_be_new


def check_kind(connection: sqlite3.Connection, file: Path, *, may_be_new: bool = False) -> None:
    """Refuse what is no ledger, or one of a newer version, and an empty one that is not new.

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
    if not tables and not may_be_new:
        raise _gone(file.parent)
    if not tables and not version:
        return
    if application != APPLICATION:
        raise ShelfError(f"{file}: is no ledger that SHELF has begun; choose another --out")
    if version > VERSION:
        raise ShelfError(
            f"{file}: is a ledger of version {version}, and this SHELF knows version {VERSION}; "
            "update SHELF"
        )


def check_schema(connection: sqlite3.Connection, file: Path) -> None:
    """Refuse a ledger whose tables, indexes or triggers are not those that SHELF makes.

    Without them, SQLite would let happen what they forbid.

    Raises
    ------
    ShelfError
        The message names the file and what is another.
    """
    new = sqlite3.connect(":memory:")
    try:
        new.executescript(TABLES)
        known = _schema(new)
    finally:
        new.close()
    kept = _schema(connection)
    wrong = sorted(name for name in known | kept if known.get(name) != kept.get(name))
    if wrong:
        raise damaged(file, f"not as SHELF has made it: {', '.join(wrong)[:200]}")


def check_whole(connection: sqlite3.Connection, file: Path) -> None:
    """Refuse a ledger whose pages are damaged, or whose sums are not those of its attempts.

    Raises
    ------
    ShelfError
        The message names the file and what is wrong.
    """
    [(said,)] = connection.execute("PRAGMA quick_check(1)")
    if said != "ok":
        raise damaged(file, one_line(str(said), 200))
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
    # Calls are numbered from one, and none is ever taken out.
    [(calls, last)] = connection.execute("SELECT count(*), coalesce(max(number), 0) FROM attempts")
    if calls != last:
        raise damaged(file, f"of {last} calls, {last - calls} are missing")
    [(lone,)] = connection.execute(
        "SELECT count(*) FROM attempts WHERE state = 'settled' "
        "AND NOT EXISTS (SELECT 1 FROM answers WHERE answers.order_id = attempts.order_id)"
    )
    if lone:
        raise damaged(file, f"the answers to {lone} calls are missing")


def _gone(corpus: Path) -> ShelfError:
    """The error for a corpus that was begun and whose ledger is missing or empty."""
    return ShelfError(
        f"{ledger_file(corpus)}: is missing or empty, and {plan_file(corpus).name} says that the "
        "corpus was begun: nobody knows what is spent. Restore the ledger, with its -wal file if "
        "it has one, or choose another --out"
    )


def _schema(connection: sqlite3.Connection) -> dict[str, str]:
    """What each table, index and trigger is, but for comments, blanks and quotation marks."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {f"{kind} {name}": _bare(sql) for kind, name, sql in rows}


def _bare(sql: str) -> str:
    text = re.sub(r"--[^\n]*", " ", sql).replace('"', "")
    return re.sub(r"\s*([(),=+*-])\s*", r"\1", " ".join(text.split()))
