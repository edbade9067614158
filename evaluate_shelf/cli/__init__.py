"""The command line `shelf`: one module a sub-command, heavy imports only where needed."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from evaluate_shelf.cli.messages import STANDARD_OUTPUT, discard_output, prepare_streams, say
from evaluate_shelf.errors import ShelfError, StoppedError
from evaluate_shelf.printable import one_line

_INTERRUPTED = 130
_STOPPED = "stopped; the same command goes on where it stopped, if it keeps what it does"
# A path that the user gave cannot be used, against a disk or a system that fails.
_WRONG_PATH = (
    FileNotFoundError,
    FileExistsError,
    NotADirectoryError,
    IsADirectoryError,
    PermissionError,
)
_OFF = ("", "0", "false", "no", "off")


def main() -> None:
    """Run the command line; status 0 done, 2 the user's input was wrong, 1 anything else."""
    prepare_streams()
    try:
        try:
            from evaluate_shelf.cli.app import app

            app()
        finally:
            sys.stdout.flush()
    except ShelfError as error:
        _stop(str(error), 2)
    except StoppedError as stop:
        _stop(str(stop), _INTERRUPTED)
    except KeyboardInterrupt:
        _stop(_STOPPED, _INTERRUPTED)
    except SystemExit as stop:
        if stop.code == _INTERRUPTED:
            say(f"shelf: {_STOPPED}")
        raise
    except BrokenPipeError:
        # Whoever read our output has enough of it.
        discard_output()
    except OSError as error:
        if error.filename == STANDARD_OUTPUT:
            discard_output()
        if _debugging():
            raise
        place = f"{error.filename}: " if error.filename else ""
        _stop(f"{place}{error.strerror or error}", 2 if isinstance(error, _WRONG_PATH) else 1)
    except Exception as error:
        if _debugging():
            raise
        _stop(
            f"unexpected {type(error).__name__}: {error}\n"
            "shelf: this is a fault of the program; SHELF_DEBUG=1 shows where",
            1,
        )


def _debugging() -> bool:
    """Whether an unexpected error is to be shown with where it came from."""
    return os.environ.get("SHELF_DEBUG", "").strip().lower() not in _OFF


def _stop(message: str, status: int) -> NoReturn:
    # One line each, cut: a message may quote what is as long as a stranger likes.
    say("shelf: " + "\n".join(one_line(line) for line in message.split("\n")))
    sys.exit(status)
