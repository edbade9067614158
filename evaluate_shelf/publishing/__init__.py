"""Push a release folder to a dataset repository of the Hugging Face Hub, in one commit."""

from evaluate_shelf.publishing.push import publish
from evaluate_shelf.publishing.reporter import LineReporter, Reporter
from evaluate_shelf.publishing.result import Published

__all__ = ["LineReporter", "Published", "Reporter", "publish"]
