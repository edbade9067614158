"""Evaluate models on a release: what is asked for, running it, scoring it again.

Importing this package loads no model library; `prepare` and `evaluate` are all that most need.
"""

from evaluate_shelf.evaluation.planning import Plan, run_folder
from evaluate_shelf.evaluation.reporter import Reporter
from evaluate_shelf.evaluation.request import Evaluation, default_store, prepare
from evaluate_shelf.evaluation.running import evaluate, evaluate_models

__all__ = [
    "Evaluation",
    "Plan",
    "Reporter",
    "default_store",
    "evaluate",
    "evaluate_models",
    "prepare",
    "run_folder",
]
