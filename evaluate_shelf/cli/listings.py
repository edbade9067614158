"""`shelf tasks` and `shelf models`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from evaluate_shelf.text_columns import aligned

if TYPE_CHECKING:
    from evaluate_shelf.registry.tasks import Task

_AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def tasks(json: _AsJson = False) -> None:
    """List every task with its formulation, facet and metric.

    The expected chance level is the registry's; a run measures its own.

    Example: shelf tasks --json
    """
    from evaluate_shelf.cli.terminal import show_json
    from evaluate_shelf.registry.tasks import load_tasks

    registry = load_tasks().values()
    if json:
        show_json([task.model_dump(mode="json") for task in registry])
        return
    rows: list[tuple[str, ...]] = [
        ("TASK", "FORMULATION", "FACET", "METRIC", "EXPECTED CHANCE", "SCORED HERE")
    ]
    rows.extend(
        (
            task.id,
            task.formulation,
            task.facet,
            task.primary_metric,
            "" if task.chance_level is None else f"{task.chance_level:.3f}",
            _when(task),
        )
        for task in registry
    )
    _print_columns(rows)


def _when(task: Task) -> str:
    if not task.available:
        return "not in this version"
    return "optional: --task NAME" if task.optional else "yes"


def models(json: _AsJson = False) -> None:
    """List the models that are known by name, with the string that `shelf evaluate` takes.

    Any other sentence-transformers model is st:<path or Hub id>.

    Example: shelf models
    """
    from evaluate_shelf.cli.terminal import show_json
    from evaluate_shelf.registry.panel import load_panel

    panel = load_panel().values()
    if json:
        show_json([model.model_dump(mode="json") for model in panel])
        return
    rows: list[tuple[str, ...]] = [("MODEL", "NAME", "KIND", "DIMENSION", "TOKENS", "LICENCE")]
    rows.extend(
        (
            model.model,
            model.name,
            model.kind,
            "" if model.dimension is None else str(model.dimension),
            "no limit" if model.max_tokens is None else str(model.max_tokens),
            model.licence or "",
        )
        for model in panel
    )
    _print_columns(rows)


def _print_columns(rows: list[tuple[str, ...]]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in aligned(rows))
