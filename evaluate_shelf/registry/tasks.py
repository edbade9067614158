"""The registry of tasks."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator
from pydantic_core.core_schema import ValidationInfo

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, read_rows, validated_rows

Formulation = Literal[
    "classification",
    "multilabel_classification",
    "clustering",
    "conditional_clustering",
    "retrieval",
    "pair_classification",
    "instruction_retrieval",
]
Facet = Literal["subject", "category", "form", "topic", "audience", "register", "geography"]
Metric = Literal["macro_f1", "ndcg_at_10", "ari", "ari_pooled", "auc_roc"]
Algorithm = Literal["kmeans", "hdbscan", "agglomerative"]

PRIMARY_METRIC: dict[str, Metric] = {
    "classification": "macro_f1",
    "multilabel_classification": "macro_f1",
    "clustering": "ari",
    "conditional_clustering": "ari_pooled",
    "retrieval": "ndcg_at_10",
    "pair_classification": "auc_roc",
    "instruction_retrieval": "ndcg_at_10",
}
"""The primary metric of each formulation."""

_CLUSTERING = ("clustering", "conditional_clustering")
_PAIRS = ("pair_classification",)
_INSTRUCTIONS = ("instruction_retrieval",)


class Task(Row):
    """A facet in a formulation on a config, with one primary metric.

    Attributes
    ----------
    id : str
        The published id, or one that begins with ``x_``.
    formulation : str
        How it is asked.
    facet : str
        What is labelled.
    label_field : str
        Column of the label.
    config : str
        `default` for any corpus, or the config that holds the pairs.
    text_field : str
        `text`, or `title_and_body` for pairs.
    primary_metric : str
        That of the formulation.
    chance_level : float or None
        Of the primary metric; None where no single number follows.
    n_labels : int or None
        Size of the label space; None where it is open.
    control : bool
        At or near chance by nature: kept out of every mean.
    available : bool
        Whether this version scores it.
    optional : bool
        Whether it runs only when it is named.
    missing : str
        What happens where documents have no label: `refuse`, the task is skipped, or `leave_out`.
    algorithm : str or None
        Of a clustering.
    anchor_field, contrast_field : str or None
        Of an instruction task: what a relevant document shares, and what it does not.
    instruction : str or None
        Its wording.
    note : str or None
        Why it is not available, or what to know.
    """

    # The order matters: a check of a field may look at those above it.
    id: Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
    formulation: Formulation
    facet: Facet
    label_field: Name
    config: Name
    text_field: Literal["text", "title_and_body"]
    primary_metric: Metric
    chance_level: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None
    n_labels: Annotated[int, Field(ge=2)] | None
    control: bool
    available: bool
    optional: bool = False
    missing: Literal["refuse", "leave_out"] = "refuse"
    algorithm: Algorithm | None = Field(default=None, validate_default=True)
    anchor_field: Name | None = Field(default=None, validate_default=True)
    contrast_field: Name | None = Field(default=None, validate_default=True)
    instruction: Text | None = Field(default=None, validate_default=True)
    note: Text | None = Field(default=None, validate_default=True)

    @field_validator("text_field")
    @classmethod
    def _text_of_the_formulation(cls, value: str, info: ValidationInfo) -> str:
        wanted = "title_and_body" if info.data.get("formulation") in _PAIRS else "text"
        if "formulation" in info.data and value != wanted:
            raise ValueError(f"must be {wanted} for {info.data['formulation']}")
        return value

    @field_validator("primary_metric")
    @classmethod
    def _metric_of_the_formulation(cls, value: str, info: ValidationInfo) -> str:
        wanted = PRIMARY_METRIC.get(info.data.get("formulation", ""), value)
        if value != wanted:
            raise ValueError(f"must be {wanted} for {info.data['formulation']}")
        return value

    @field_validator("algorithm")
    @classmethod
    def _clusters_only(cls, value: str | None, info: ValidationInfo) -> str | None:
        return _belongs_to(_CLUSTERING, value, info)

    @field_validator("anchor_field", "contrast_field", "instruction")
    @classmethod
    def _instructs_only(cls, value: str | None, info: ValidationInfo) -> str | None:
        return _belongs_to(_INSTRUCTIONS, value, info)

    @field_validator("note")
    @classmethod
    def _says_why(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is None and info.data.get("available") is False:
            raise ValueError("must say why the task is not available")
        return value


def _belongs_to(
    formulations: tuple[str, ...], value: str | None, info: ValidationInfo
) -> str | None:
    formulation = info.data.get("formulation")
    if formulation is None:
        return value
    if formulation in formulations and value is None:
        raise ValueError(f"is required for {formulation}")
    if formulation not in formulations and value is not None:
        raise ValueError(f"has no meaning for {formulation}")
    return value


def load_tasks(folder: Path | None = None) -> dict[str, Task]:
    """Load and check the registry.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation. A folder is read once in a
        process.

    Returns
    -------
    dict of str to Task
        By id, in the order of the file.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.

    Examples
    --------
    >>> load_tasks()["lcc_classification"].n_labels
    21
    """
    rows = _loaded((folder or config_folder()).resolve() / "tasks.yaml")
    return {row.id: row for row in rows}


@functools.lru_cache(maxsize=8)
def _loaded(file: Path) -> tuple[Task, ...]:
    return validated_rows(Task, read_rows(file), file)


def task(task_id: str, folder: Path | None = None) -> Task:
    """One task by its id.

    Parameters
    ----------
    task_id : str
        Its id.
    folder : pathlib.Path or None
        As for `load_tasks`.

    Returns
    -------
    Task
        The task.

    Raises
    ------
    ShelfError
        If there is no such task; the message names those with a similar id.

    Examples
    --------
    >>> task("same_lcc_pairs").primary_metric
    'auc_roc'
    """
    return found(load_tasks(folder), task_id, "task", "run `shelf tasks`")
