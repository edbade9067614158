"""The command line `shelf`: one module a sub-command, heavy imports only where needed."""

from __future__ import annotations

import os
import sys

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line

_INTERRUPTED = 130
# A path that the user gave cannot be used, against a disk or a system that fails.
_WRONG_PATH = (FileNotFoundError, FileExistsError, NotADirectoryError, IsADirectoryError)


def main() -> None:
    """Run the command line; status 0 done, 2 the user's input was wrong, 1 anything else."""
    from evaluate_shelf.cli.app import app

    _prepare_streams()
    try:
        app()
    except ShelfError as error:
        _stop(str(error), 2)
    except SystemExit as stop:
        if stop.code == _INTERRUPTED:
            sys.stderr.write("shelf: stopped; the same command goes on where it stopped\n")
        raise
    except BrokenPipeError:
        # Whoever read our output has enough of it; what is left must not be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        if os.environ.get("SHELF_DEBUG"):
            raise
        place = f"{error.filename}: " if error.filename else ""
        wrong = isinstance(error, (*_WRONG_PATH, PermissionError))
        _stop(f"{place}{error.strerror or error}", 2 if wrong else 1)
    except Exception as error:
        if os.environ.get("SHELF_DEBUG"):
            raise
        _stop(
            f"unexpected {type(error).__name__}: {error}\n"
            "shelf: this is a fault of the program; SHELF_DEBUG=1 shows where",
            1,
        )


def _stop(message: str, status: int) -> None:
    # Names in a message may come from strangers' files: nothing in them may move the cursor.
    text = "\n".join(one_line(line) for line in message.split("\n"))
    sys.stderr.write(f"shelf: {text}\n")
    sys.exit(status)


def _prepare_streams() -> None:
    """Write to streams that are closed, or that know no more than ASCII, without failing."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
