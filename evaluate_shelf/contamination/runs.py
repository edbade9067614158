"""Whether a run's model may have seen its corpus."""

from __future__ import annotations

from typing import Literal

from evaluate_shelf.contamination.seen import Seen, seen
from evaluate_shelf.contamination.written import Written, written_as_published
from evaluate_shelf.registry.corpora import load_corpora
from evaluate_shelf.registry.panel import Cutoff, load_panel
from evaluate_shelf.reported.source import load_reported
from evaluate_shelf.runs.reading import Run


def seen_by(run: Run) -> Seen:
    """Whether the model of a run may have seen the documents that it was scored on.

    Examples
    --------
    >>> from evaluate_shelf.reported.runs import reported_runs
    >>> {run.file.model.name: seen_by(run) for run in reported_runs("all")}["MiniLM-L6"]
    'out of sample by date'
    """
    return seen(
        kind=run.file.model.kind,
        cutoff=cutoff_of(run),
        corpus=_kind_of(corpus_of(run)),
        written=written_of(run),
    )


def cutoff_of(run: Run) -> Cutoff | None:
    """A day after which the run's model learned nothing; None where no source states one.

    A model computed here is found in the reference panel by the string that `shelf evaluate` took,
    without its settings: those change what comes of the weights, not the weights.
    """
    spec = run.file.model.spec
    if run.reported:
        reported = load_reported().models.get(spec)
        return reported.cutoff if reported else None
    panel = load_panel()
    row = panel.get(spec) or panel.get(spec.partition(",")[0])
    return row.cutoff if row else None


def corpus_of(run: Run) -> str:
    """The corpus of a run; a reported config may be a corpus whose texts were changed."""
    config = run.file.data.config
    if not run.reported:
        return config
    corpora = {row.config: row.corpus for row in load_reported().source.corpora}
    return corpora.get(config, config)


def written_of(run: Run) -> Written | None:
    """When the documents of a run were written: for one computed here, as its `run.json` says."""
    if run.reported:
        return written_as_published(corpus_of(run))
    own = run.file.data.written
    return Written(own.first, own.last, own.source) if own else None


def _kind_of(corpus: str) -> Literal["synthetic", "natural"] | None:
    known = load_corpora().get(corpus)
    return known.kind if known else None
