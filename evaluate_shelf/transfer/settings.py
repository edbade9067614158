"""What `configs/transfer.yaml` holds, read and checked."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, FiniteFloat, StringConstraints

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, read_yaml, validated, wrong
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.reported.source import load_reported

Correlation = Annotated[FiniteFloat, Field(ge=-1, le=1)]
MetricName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]


class RankedFormulation(Row):
    """The task and the metric that a formulation ranks models by."""

    id: Name
    task: Name
    metric: MetricName


class Rule(Row):
    """What a formulation has to show, and how many have to."""

    spearman_at_least: Correlation
    lower_end_above: Correlation
    formulations_needed: Annotated[int, Field(ge=1)]


class Resampling(Row):
    """How an interval is made: seed, number of resamples, coverage."""

    seed: int
    replicates: Annotated[int, Field(ge=1, le=1_000_000)]
    level: Annotated[float, Field(gt=0, lt=1)]


class ReportedStability(Row):
    """A published stability over seeds: the median over pairs of seeds, and the lowest if known."""

    corpus: Name
    median: Correlation
    lowest: Correlation | None


class StabilityGate(Row):
    """The formulation that depends on a seed, and how stable it has to be."""

    formulation: Name
    floor: Correlation
    reported: tuple[ReportedStability, ...]


class Exclusion(Row):
    """A model of the reported panel that a panel leaves out, and why.

    Attributes
    ----------
    model : str
        Its key in the reported scores.
    reason : str
        In words.
    checkpoints : tuple of str
        Hub ids under which the same weights may be computed here.
    """

    model: Name
    reason: Text
    checkpoints: tuple[Text, ...] = ()


class PanelRow(Row):
    """A panel as its row says it, before what it takes over."""

    id: Name
    note: Text
    weights_once: bool
    left_out: tuple[Exclusion, ...]
    extends: Name | None = None
    default: bool = False


class Panel(NamedTuple):
    """Which models are compared.

    Attributes
    ----------
    id, note : str
        Its name, and what it is.
    left_out : tuple of Exclusion
        Models of the reported scores that are not compared; those of the panels that it extends
        come first.
    weights_once : bool
        Whether, of models computed here with the same weights, only one is compared.
    """

    id: str
    note: str
    left_out: tuple[Exclusion, ...]
    weights_once: bool


class _File(Row):
    reference: Name
    natural: Annotated[tuple[Name, ...], Field(min_length=1)]
    formulations: Annotated[tuple[RankedFormulation, ...], Field(min_length=1)]
    rule: Rule
    resampling: Resampling
    stability: StabilityGate
    panels: Annotated[tuple[PanelRow, ...], Field(min_length=1)]


class TransferSettings(NamedTuple):
    """All of `configs/transfer.yaml`; see there.

    Attributes
    ----------
    reference : str
        The config whose order of models is asked about.
    natural : tuple of str
        The configs of text that people wrote.
    formulations : dict of str to RankedFormulation
        By name.
    rule, resampling, stability
        The preregistered rule, how intervals are made, the gate of seeds.
    panels : dict of str to Panel
        By name.
    default_panel : str
        The one that is taken where none is named.
    """

    reference: str
    natural: tuple[str, ...]
    formulations: dict[str, RankedFormulation]
    rule: Rule
    resampling: Resampling
    stability: StabilityGate
    panels: dict[str, Panel]
    default_panel: str

    @property
    def corpora(self) -> tuple[str, ...]:
        """The reference, then the natural corpora."""
        return (self.reference, *self.natural)

    def panel(self, name: str | None = None) -> Panel:
        """A panel by its name; the default one without.

        Raises
        ------
        ShelfError
            If there is no such panel.
        """
        return found(self.panels, name or self.default_panel, "panel")

    def formulation(self, name: str) -> RankedFormulation:
        """A formulation by its name.

        Raises
        ------
        ShelfError
            If there is no such formulation.
        """
        return found(self.formulations, name, "formulation")


def load_transfer(folder: Path | None = None) -> TransferSettings:
    """Read and check `configs/transfer.yaml`.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation. A folder is read once in a
        process.

    Returns
    -------
    TransferSettings

    Raises
    ------
    ShelfError
        If the file is missing, a field is wrong, or a task, model, panel or formulation that it
        names is not there.

    Examples
    --------
    >>> load_transfer().panel("restricted").left_out[-1].model
    'roberta'
    """
    return _loaded((folder or config_folder()).resolve())


@functools.lru_cache(maxsize=4)
def _loaded(folder: Path) -> TransferSettings:
    file = folder / "transfer.yaml"
    rows = validated(_File, read_yaml(file), file)
    _refuse_repeats(file, "formulations", (row.id for row in rows.formulations))
    _refuse_repeats(file, "natural", (rows.reference, *rows.natural))
    tasks = load_tasks(folder)
    for formulation in rows.formulations:
        if formulation.task not in tasks:
            raise wrong(file, formulation.id, "task", f"unknown task {formulation.task!r}")
    formulations = {row.id: row for row in rows.formulations}
    if rows.stability.formulation not in formulations:
        raise wrong(file, None, "stability.formulation", f"unknown {rows.stability.formulation!r}")
    if rows.rule.formulations_needed > len(formulations):
        raise wrong(file, None, "rule.formulations_needed", "more than there are formulations")
    for value in rows.stability.reported:
        if value.corpus not in (rows.reference, *rows.natural):
            raise wrong(file, None, "stability.reported", f"unknown corpus {value.corpus!r}")
    return TransferSettings(
        reference=rows.reference,
        natural=rows.natural,
        formulations=formulations,
        rule=rows.rule,
        resampling=rows.resampling,
        stability=rows.stability,
        panels=_panels(file, rows.panels),
        default_panel=_default(file, rows.panels),
    )


def _panels(file: Path, rows: tuple[PanelRow, ...]) -> dict[str, Panel]:
    _refuse_repeats(file, "panels", (row.id for row in rows))
    reported = load_reported(file.parent).models
    panels: dict[str, Panel] = {}
    for row in rows:
        if row.extends is not None and row.extends not in panels:
            raise wrong(file, row.id, "extends", f"no panel {row.extends!r} stands above it")
        taken_over = panels[row.extends].left_out if row.extends else ()
        left_out = (*taken_over, *row.left_out)
        for exclusion in row.left_out:
            if exclusion.model not in reported:
                raise wrong(file, row.id, "left_out", f"no reported model {exclusion.model!r}")
        _refuse_repeats(file, f"panels.{row.id}.left_out", (out.model for out in left_out))
        panels[row.id] = Panel(row.id, row.note, left_out, row.weights_once)
    return panels


def _default(file: Path, rows: tuple[PanelRow, ...]) -> str:
    marked = [row.id for row in rows if row.default]
    if len(marked) != 1:
        raise wrong(file, None, "panels", f"one has to be the default, {len(marked)} are")
    return marked[0]


def _refuse_repeats(file: Path, field: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ShelfError(f"{file}, field {field!r}: {name!r} stands twice")
        seen.add(name)
