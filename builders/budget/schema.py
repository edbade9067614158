"""The tables of a ledger, and what SQLite itself refuses to let happen to them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

APPLICATION = 0x53484C46
"""By which SQLite's `application_id` says that a file is a ledger: SHLF."""

VERSION = 2
"""Of the tables."""

TABLES = """
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

-- charged: nanodollars that count against the caps; of an answer what its call took, even where
-- that is more than was set aside.
CREATE TABLE attempts (
  number INTEGER PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders (id),
  generator TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('reserved', 'settled', 'released', 'unknown')),
  bound INTEGER NOT NULL CHECK (typeof(bound) = 'integer' AND bound >= 0),
  charged INTEGER NOT NULL CHECK (typeof(charged) = 'integer' AND charged >= 0),
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
  over INTEGER NOT NULL DEFAULT 0,
  input_file TEXT
);

-- Generators that have taken more than their bound: they are not asked.
CREATE TABLE stops (generator TEXT PRIMARY KEY);

-- A row a generator, and one named '' for all. Nothing can be reserved that passes a cap.
CREATE TABLE budgets (
  generator TEXT PRIMARY KEY,
  cap INTEGER CHECK (cap IS NULL OR typeof(cap) = 'integer'),
  reserved INTEGER NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  settled INTEGER NOT NULL DEFAULT 0 CHECK (settled >= 0),
  unknown INTEGER NOT NULL DEFAULT 0 CHECK (unknown >= 0)
);
CREATE TRIGGER cap_set BEFORE UPDATE OF cap ON budgets BEGIN
  SELECT RAISE(ABORT, 'a cap is not below what is spent and reserved')
  WHERE NEW.cap IS NOT OLD.cap AND NEW.cap < OLD.reserved + OLD.settled + OLD.unknown;
END;
CREATE TRIGGER attempt_begun AFTER INSERT ON attempts BEGIN
  SELECT RAISE(ABORT, 'an attempt begins as reserved') WHERE NEW.state != 'reserved';
  UPDATE budgets SET reserved = reserved + NEW.charged WHERE generator IN (NEW.generator, '');
  SELECT RAISE(ABORT, 'a cap would be passed') FROM budgets
  WHERE generator IN (NEW.generator, '') AND NEW.charged > 0
    AND reserved + settled + unknown > cap;
END;
CREATE TRIGGER attempt_changed AFTER UPDATE OF state, charged ON attempts BEGIN
  SELECT RAISE(ABORT, 'an attempt is reserved once') WHERE NEW.state = 'reserved'
    AND (OLD.state != 'reserved' OR NEW.charged > OLD.charged);
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


def statements(script: str = TABLES) -> Iterator[str]:
    """The statements of a script, one after the other: `executescript` would commit first."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
