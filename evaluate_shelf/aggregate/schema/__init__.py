"""The form of an aggregate: what a site shows, and nothing that it would have to compute.

Positions stand for names wherever these repeat: `Row.model` counts in `Aggregate.models`, a task
in `Board.tasks`, a row in `Board.rows`. Every text is bounded and on one line, every number is
finite, every list has a greatest length, and a field that is not known is refused.

`whole` has the aggregate, `boards` a board; the other files have their parts, as the builders of
the folder above are named.
"""

from evaluate_shelf.aggregate.schema.boards import Board
from evaluate_shelf.aggregate.schema.rows import RANKED, Status
from evaluate_shelf.aggregate.schema.whole import Aggregate

__all__ = ["RANKED", "Aggregate", "Board", "Status"]
