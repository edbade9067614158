"""Evaluate models on a release: what is asked for, running it, scoring it again.

Importing this package loads no model library; `prepare` and `evaluate` are all that most need.
"""

from evaluate_shelf.evaluation.reporter import Reporter
from evaluate_shelf.evaluation.request import Evaluation, default_store, prepare
from evaluate_shelf.evaluation.running import evaluate, run_folder

__all__ = ["Evaluation", "Reporter", "default_store", "evaluate", "prepare", "run_folder"]
