"""The models of an aggregate: what is known of them besides their scores.

Of a model, the run tells that deserves the most trust. A run that nobody has run again may say
anything of itself, so that it has an entry of its own wherever it says something else. What is
known of models by their strings is told of those alone that were computed here or again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.aggregate.schema import Status
from evaluate_shelf.aggregate.schema.models import ModelEntry
from evaluate_shelf.contamination.runs import cutoff_of
from evaluate_shelf.registry.panel import PanelModel, load_panel
from evaluate_shelf.reported.source import ReportedModel, load_reported
from evaluate_shelf.runs.reading import Run

_LONGEST_SLUG = 80
STANDING: tuple[Status, ...] = ("computed", "verified", "reported", "unverified")
"""Whose word comes first."""


class Identity(NamedTuple):
    """What makes two runs those of one model, on whatever data.

    Attributes
    ----------
    reported : bool
        Whether it is known from reported scores.
    spec, revision : str
        As its runs have them.
    claim : str
        Of an entry that only unverified runs tell of: a hash of all that they say of the model.
    """

    reported: bool
    spec: str
    revision: str
    claim: str = ""


class Models(NamedTuple):
    """Entries in order, and where the model of each run stands, by the run's folder and spec."""

    entries: tuple[ModelEntry, ...]
    positions: Mapping[tuple[str, ...], int]

    def position(self, run: Run) -> int:
        """Where the model of a run stands."""
        return self.positions[_place(run)]


def models_of(runs: Sequence[Run], evidence: Evidence) -> Models:
    """The models of runs, computed ones first, by name.

    Parameters
    ----------
    runs : sequence of Run
        In an order that does not depend on how they were given.
    evidence : Evidence
        Who stands for them.

    Returns
    -------
    Models
        Of runs of one model, the first of the highest standing tells of it. An unverified run that
        says the same belongs to it; one that says something else has an entry of its own.
    """
    by_standing = sorted(runs, key=lambda run: STANDING.index(evidence.status_of(run)))
    first: dict[Identity, Run] = {}
    told: dict[Identity, str] = {}
    belongs: dict[tuple[str, ...], Identity] = {}
    for run in by_standing:
        own = identity(run)
        if evidence.status_of(run) == "unverified":
            claim = _claim(run, evidence)
            if told.get(own) != claim:
                own = own._replace(claim=claim)
        else:
            told.setdefault(own, _claim(run, evidence))
        first.setdefault(own, run)
        belongs[_place(run)] = own
    ordered = sorted(first, key=lambda own: (own.reported, first[own].file.model.name, own))
    place = {own: number for number, own in enumerate(ordered)}
    return Models(
        tuple(_entry(own, first[own], evidence) for own in ordered),
        {run: place[own] for run, own in belongs.items()},
    )


def identity(run: Run) -> Identity:
    """The model of a run; one that is known from reported scores is another."""
    return Identity(bool(run.reported), run.file.model.spec, run.file.model.revision)


def model_key(own: Identity) -> str:
    """A model's name in links: the same for the same model, whatever stands beside it.

    Examples
    --------
    >>> model_key(Identity(False, "st:BAAI/bge-small-en-v1.5", "a1"))
    'st-baai-bge-small-en-v1.5-1cf9a699'
    >>> model_key(Identity(False, "tfidf", "1", claim="9f3c"))
    'unverified-tfidf-5b93939e'
    """
    slug = re.sub(r"[^a-z0-9.]+", "-", own.spec.lower()).strip("-.")[:_LONGEST_SLUG].strip("-.")
    origin = "reported" if own.reported else "unverified" if own.claim else ""
    parts = (own.reported, own.spec, own.revision, *filter(None, [own.claim]))
    return "-".join(filter(None, [origin, slug, _digest(parts)]))


def _place(run: Run) -> tuple[str, ...]:
    """What tells runs apart: reported ones lie in no folder of their own."""
    model = run.file.model
    data = run.file.data
    return (
        str(run.folder),
        run.reported or "",
        run.file.run_id,
        data.config,
        model.name,
        model.spec,
        model.revision,
    )


def _claim(run: Run, evidence: Evidence) -> str:
    """A hash of all that a run says of its model."""
    model = run.file.model
    facts = evidence.facts_of(run)
    sizes = (facts.kind, facts.parameters, facts.dimension, facts.max_tokens)
    settings: dict[str, Any] = {"settings": model.settings, "prompts": model.prompts}
    return _digest((model.name, *sizes, json.dumps(settings, sort_keys=True)), 16)


def _digest(parts: Iterable[object], digits: int = 8) -> str:
    return hashlib.sha256("\n".join(map(repr, parts)).encode()).hexdigest()[:digits]


def _entry(own: Identity, run: Run, evidence: Evidence) -> ModelEntry:
    model, facts = run.file.model, evidence.facts_of(run)
    # Nobody has seen that a claimed model is the one whose string it gives.
    is_claim = evidence.status_of(run) == "unverified"
    cutoff = None if is_claim else cutoff_of(run)
    of_panel = None if own.reported or is_claim else _of_panel(own.spec)
    published = load_reported().models.get(own.spec) if own.reported else None
    released = of_panel.released if of_panel else None
    if published and cutoff and cutoff.of == "release":
        released = cutoff.date
    return ModelEntry(
        key=model_key(own),
        name=model.name,
        spec=model.spec,
        kind=facts.kind,
        revision=model.revision,
        reported=own.reported,
        parameters=facts.parameters,
        dimension=facts.dimension,
        max_tokens=facts.max_tokens,
        licence=of_panel.licence if of_panel else None,
        open_weights=None if is_claim else _has_open_weights(facts.kind, of_panel, published),
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
