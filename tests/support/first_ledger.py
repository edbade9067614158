"""The tables of a ledger of version 1, as they were, and a ledger that is put back to it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

FIRST_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);

-- place: in the order of asking. step: orders of one specification share it.
-- lost: attempts whose fate is unknown.
CREATE TABLE orders (
  place INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  step INTEGER NOT NULL,
  slice TEXT NOT NULL,
  generator TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting'
    CHECK (state IN ('waiting', 'reserved', 'answered', 'failed')),
  lost INTEGER NOT NULL DEFAULT 0 CHECK (lost >= 0),
  reason TEXT,
  content TEXT NOT NULL
);
CREATE INDEX orders_in_turn ON orders (generator, state, step, place, slice, lost);

-- charged: nanodollars that count against the caps.
CREATE TABLE attempts (
  number INTEGER PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders (id),
  generator TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'released', 'unknown')),
  bound INTEGER NOT NULL CHECK (typeof(bound) = 'integer' AND bound >= 0),
  charged INTEGER NOT NULL CHECK (typeof(charged) = 'integer' AND charged BETWEEN 0 AND bound),
  owner TEXT NOT NULL,
  batch INTEGER,
  begun REAL NOT NULL,
  ended REAL,
  reason TEXT,
  CHECK (charged = bound OR state NOT IN ('reserved', 'unknown')),
  CHECK (charged = 0 OR state != 'released')
);
CREATE UNIQUE INDEX attempts_one_at_a_time ON attempts (order_id) WHERE state = 'reserved';
CREATE INDEX attempts_of_order ON attempts (order_id);
CREATE INDEX attempts_reserved ON attempts (owner) WHERE state = 'reserved';
CREATE INDEX attempts_of_batch ON attempts (batch) WHERE batch IS NOT NULL;

CREATE TABLE answers (
  order_id TEXT PRIMARY KEY REFERENCES orders (id),
  attempt INTEGER NOT NULL UNIQUE REFERENCES attempts (number),
  generator TEXT NOT NULL,
  text TEXT NOT NULL,
  model_resolved TEXT,
  provider TEXT NOT NULL,
  provider_served TEXT,
  finish_reason TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  reasoning_tokens INTEGER,
  flags TEXT NOT NULL,
  sent TEXT NOT NULL,
  raw BLOB NOT NULL
);

CREATE TABLE owners (
  token TEXT PRIMARY KEY,
  pid INTEGER NOT NULL,
  host TEXT NOT NULL,
  system TEXT NOT NULL,
  started TEXT NOT NULL,
  heartbeat REAL NOT NULL
);

CREATE TABLE batches (
  number INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  generator TEXT NOT NULL,
  owner TEXT NOT NULL,
  endpoint_id TEXT,
  over INTEGER NOT NULL DEFAULT 0
);

-- A row a generator, and one named '' for all. No transaction that passes a cap can be committed.
CREATE TABLE budgets (
  generator TEXT PRIMARY KEY,
  cap INTEGER CHECK (cap IS NULL OR typeof(cap) = 'integer'),
  reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  settled INTEGER NOT NULL DEFAULT 0 CHECK (settled >= 0),
  unknown INTEGER NOT NULL DEFAULT 0 CHECK (unknown >= 0),
  CHECK (cap IS NULL OR reserved + settled + unknown <= cap)
);
CREATE TRIGGER attempt_begun AFTER INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'an attempt begins as reserved') WHERE NEW.state != 'reserved';
  UPDATE budgets SET reserved = reserved + NEW.charged WHERE generator IN (NEW.generator, '');
END;
CREATE TRIGGER attempt_changed AFTER UPDATE OF state, charged ON attempts BEGIN
  UPDATE budgets SET
    reserved = reserved - OLD.charged * (OLD.state = 'reserved')
                        + NEW.charged * (NEW.state = 'reserved'),
    settled = settled - OLD.charged * (OLD.state = 'settled')
                      + NEW.charged * (NEW.state = 'settled'),
    unknown = unknown - OLD.charged * (OLD.state = 'unknown')
                      + NEW.charged * (NEW.state = 'unknown')
  WHERE generator IN (NEW.generator, '');
END;
CREATE TRIGGER attempt_kept BEFORE DELETE ON attempts BEGIN
  SELECT RAISE(ABORT, 'an attempt is kept for ever');
END;
CREATE TRIGGER answer_kept BEFORE DELETE ON answers BEGIN
  SELECT RAISE(ABORT, 'an answer is kept for ever');
END;
"""

_KEPT = ("meta", "orders", "attempts", "answers", "owners", "batches", "budgets")


def made_first(file: Path) -> None:
    """Put a ledger into the tables of version 1, with all that it holds."""
    new = file.with_name("first.sqlite")
    connection = sqlite3.connect(new)
    connection.executescript(FIRST_TABLES)
    connection.execute("ATTACH ? AS now", (str(file),))
    triggers = connection.execute(
        "SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger'"
    ).fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    for table in _KEPT:
        rows = connection.execute(f"PRAGMA main.table_info({table})").fetchall()
        columns = ", ".join(row[1] for row in rows)
        connection.execute(
            f"INSERT INTO main.{table} ({columns}) SELECT {columns} FROM now.{table} ORDER BY rowid"
        )
    for _, sql in triggers:
        connection.execute(sql)
    [(application,)] = connection.execute("PRAGMA now.application_id")
    connection.execute(f"PRAGMA main.application_id = {application}")
    connection.execute("PRAGMA main.user_version = 1")
    connection.commit()
    connection.close()
    new.replace(file)
