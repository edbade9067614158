"""What the benchmark is: the tables under `configs/`, loaded and checked."""

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.corpora import Corpus, PassageSettings, Split, corpus, load_corpora
from evaluate_shelf.registry.panel import PanelModel, load_panel
from evaluate_shelf.registry.protocols import Protocol, load_protocol, load_protocols
from evaluate_shelf.registry.tasks import Task, load_tasks, task
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy
from evaluate_shelf.registry.taxonomy_rows import Category, Length, Place, Register, SubjectClass

__all__ = [
    "Category",
    "Corpus",
    "Length",
    "PanelModel",
    "PassageSettings",
    "Place",
    "Protocol",
    "Register",
    "Split",
    "SubjectClass",
    "Task",
    "Taxonomy",
    "config_folder",
    "corpus",
    "load_corpora",
    "load_panel",
    "load_protocol",
    "load_protocols",
    "load_tasks",
    "load_taxonomy",
    "task",
]
