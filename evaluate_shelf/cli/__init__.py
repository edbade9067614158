"""The command line `shelf`: one module a sub-command, heavy imports only where needed."""

from __future__ import annotations

import os
import sys

from evaluate_shelf.errors import ShelfError

_INTERRUPTED = 130


def main() -> None:
    """Run the command line; status 0 done, 2 the user's input was wrong, 1 anything else."""
    from evaluate_shelf.cli.app import app

    # Progress is written to standard error as it goes; a closed pipe there must not stop a run.
    try:
        app()
    except ShelfError as error:
        sys.stderr.write(f"shelf: {error}\n")
        sys.exit(2)
    except SystemExit as stop:
        if stop.code == _INTERRUPTED:
            sys.stderr.write("shelf: stopped; the same command goes on where it stopped\n")
        raise
    except Exception as error:
        if os.environ.get("SHELF_DEBUG"):
            raise
        sys.stderr.write(
            f"shelf: unexpected {type(error).__name__}: {error}\n"
            "shelf: this is a fault of the program; SHELF_DEBUG=1 shows where\n"
        )
        sys.exit(1)
