"""Bring a ledger of an older version to the present tables: whole, or not at all."""

from __future__ import annotations

import sqlite3

from builders.budget.schema import VERSION, statements

_REMADE = ("attempts", "budgets")


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a ledger to the present version in one transaction; a present or new one stays.

    Version 1 could not say that a call took more than was set aside, nor which file a batch was
    made of. Its batches that are under way have a file without a name, so that none is made twice,
    and generators whose text was longer than their allowance are stopped.

    Parameters
    ----------
    connection : sqlite3.Connection
        In autocommit mode, to a ledger of no newer version.
    """
    if not _is_old(connection):
        return
    # Within a transaction this would do nothing, and dropping a table would drop what refers to it.
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have done it while this one waited.
        if _is_old(connection):
            _from_first(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _is_old(connection: sqlite3.Connection) -> bool:
    [(version,)] = connection.execute("PRAGMA user_version")
    return 0 < int(version) < VERSION


def _from_first(connection: sqlite3.Connection) -> None:
    triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
    for (name,) in triggers.fetchall():
        connection.execute(f'DROP TRIGGER "{name}"')
    connection.execute("ALTER TABLE batches ADD COLUMN input_file TEXT")
    connection.execute("UPDATE batches SET input_file = '' WHERE NOT over")
    own = list(statements())
    for name in _REMADE:
        [table] = [text for text in own if f"CREATE TABLE {name} " in text]
        connection.execute(table.replace(f"TABLE {name} ", f"TABLE new_{name} ", 1))
        columns = ", ".join(row[1] for row in connection.execute(f"PRAGMA table_info({name})"))
        connection.execute(
            f"INSERT INTO new_{name} ({columns}) "  # noqa: S608
            f"SELECT {columns} FROM {name} ORDER BY rowid"
        )
        connection.execute(f"DROP TABLE {name}")
        connection.execute(f"ALTER TABLE new_{name} RENAME TO {name}")
    for text in own:
        if "CREATE TABLE stops" in text or "CREATE TRIGGER" in text or " ON attempts (" in text:
            connection.execute(text)
    connection.execute(
        "INSERT INTO stops SELECT DISTINCT generator FROM answers "
        "WHERE EXISTS (SELECT 1 FROM json_each(flags) WHERE value = 'over')"
    )
    connection.execute(f"PRAGMA user_version = {VERSION}")
