"""Transfer of absolute scores: a probe from each corpus, tested on all corpora."""

from evaluate_shelf.transfer_matrix.cell import Cell
from evaluate_shelf.transfer_matrix.computing import transfer_matrix
from evaluate_shelf.transfer_matrix.corpora import Corpus, corpora_named
from evaluate_shelf.transfer_matrix.matrix import Difference, Matrix, read_matrix
from evaluate_shelf.transfer_matrix.reporter import LineReporter, Reporter
from evaluate_shelf.transfer_matrix.settings import Settings, settings_for

__all__ = [
    "Cell",
    "Corpus",
    "Difference",
    "LineReporter",
    "Matrix",
    "Reporter",
    "Settings",
    "corpora_named",
    "read_matrix",
    "settings_for",
    "transfer_matrix",
]
