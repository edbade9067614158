"""The models of an aggregate: what is known of them besides their scores."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from evaluate_shelf.aggregate.schema import ModelEntry
from evaluate_shelf.contamination.runs import cutoff_of
from evaluate_shelf.registry.panel import PanelModel, load_panel
from evaluate_shelf.reported.source import ReportedModel, load_reported
from evaluate_shelf.runs.reading import Run

_LONGEST_SLUG = 80


class Identity(NamedTuple):
    """What makes two runs those of one model, on whatever data."""

    reported: bool
    spec: str
    revision: str


class Models(NamedTuple):
    """Entries in order, and where each model stands."""

    entries: tuple[ModelEntry, ...]
    positions: dict[Identity, int]

    def position(self, run: Run) -> int:
        """Where the model of a run stands."""
        return self.positions[identity(run)]


def identity(run: Run) -> Identity:
    """The model of a run; one that is known from reported scores is another."""
    return Identity(bool(run.reported), run.file.model.spec, run.file.model.revision)


def models_of(runs: Sequence[Run]) -> Models:
    """The models of runs, computed ones first, by name.

    Parameters
    ----------
    runs : sequence of Run
        In an order that does not depend on how they were given; the first of a model tells of it.
    """
    first: dict[Identity, Run] = {}
    for run in runs:
        first.setdefault(identity(run), run)
    ordered = sorted(first, key=lambda own: (own.reported, first[own].file.model.name, own))
    return Models(
        tuple(_entry(own, first[own]) for own in ordered),
        {own: place for place, own in enumerate(ordered)},
    )


def model_key(own: Identity) -> str:
    """A model's name in links: the same for the same model, whatever stands beside it.

    Examples
    --------
    >>> model_key(Identity(False, "st:BAAI/bge-small-en-v1.5", "a1"))
    'st-baai-bge-small-en-v1.5-1cf9a699'
    """
    slug = re.sub(r"[^a-z0-9.]+", "-", own.spec.lower()).strip("-.")[:_LONGEST_SLUG].strip("-.")
    return "-".join(filter(None, ["reported" if own.reported else "", slug, _digest(own)]))


def _digest(parts: Iterable[object]) -> str:
    return hashlib.sha256("\n".join(map(repr, parts)).encode()).hexdigest()[:8]


def _entry(own: Identity, run: Run) -> ModelEntry:
    model, cutoff = run.file.model, cutoff_of(run)
    of_panel = None if own.reported else _of_panel(own.spec)
    published = load_reported().models.get(own.spec) if own.reported else None
    released = of_panel.released if of_panel else None
    if published and cutoff and cutoff.of == "release":
        released = cutoff.date
    return ModelEntry(
        key=model_key(own),
        name=model.name,
        spec=model.spec,
        kind=model.kind,
        revision=model.revision,
        reported=own.reported,
        parameters=model.parameters,
        dimension=model.dimension,
        max_tokens=model.max_tokens,
        licence=of_panel.licence if of_panel else None,
        open_weights=_has_open_weights(model.kind, of_panel, published),
        released=released,
        checkpoint=_checkpoint(of_panel, published),
        cutoff=cutoff.date if cutoff else None,
        cutoff_of=cutoff.of if cutoff else None,
        cutoff_source=cutoff.source if cutoff else None,
    )


def _of_panel(spec: str) -> PanelModel | None:
    """The panel's row; settings behind a comma change what comes of weights, not the weights."""
    panel = load_panel()
    return panel.get(spec) or panel.get(spec.partition(",")[0])


def _checkpoint(of_panel: PanelModel | None, published: ReportedModel | None) -> str | None:
    known = of_panel or published
    return known.checkpoint if known else None


def _has_open_weights(
    kind: str, of_panel: PanelModel | None, published: ReportedModel | None
) -> bool | None:
    """Models of the panel and of the published scores have weights that anyone may have."""
    return True if kind == "sparse" or of_panel or published else None
