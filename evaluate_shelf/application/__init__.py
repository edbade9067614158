"""Apply a scored model to a library's own records."""

from evaluate_shelf.application.applying import apply_run
from evaluate_shelf.application.reporter import LineReporter, Reporter
from evaluate_shelf.application.request import Request

__all__ = ["LineReporter", "Reporter", "Request", "apply_run"]
