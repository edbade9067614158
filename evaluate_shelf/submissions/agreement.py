"""Whether a run that was made anew says the same as one that was sent."""

from __future__ import annotations

import re
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.reading import Run, load_run

TOLERANCE = 0.005
"""How far a primary score may lie from that of a re-run on another machine."""

CLUSTERING_TOLERANCE = 0.05
"""The same of clustering: k-means turns the last bits of a vector into other clusters."""

_MOST_NAMED = 5
# The revision is compared by itself: a branch and its commit are the same weights.
_REVISION = re.compile(r"(?<=[\w.-]/)([A-Za-z0-9][\w.-]{0,95})@[\w./-]{1,100}")


def check_agreement(sent: Path, again: Path) -> str:
    """Compare the primary scores of a run with those of a re-run.

    Parameters
    ----------
    sent, again : pathlib.Path
        Folders of the two runs.

    Returns
    -------
    str
        That they agree, and how closely.

    Raises
    ------
    ShelfError
        If a run is damaged; if they are not of the same model by name and by the string that
        `shelf evaluate` took, of the same weights, data and protocol; if the re-run lacks a task;
        or if a score differs by more than the tolerance.
    """
    one, other = load_run(sent), load_run(again)
    _check_same_conditions(one, other, again)
    first, second = one.primary_scores(), other.primary_scores()
    if not first:
        raise ShelfError("the run that was sent has no score")
    lacking = sorted(set(first) - set(second))
    if lacking:
        raise ShelfError(f"{again}: it has no score on {', '.join(lacking[:_MOST_NAMED])}")
    apart = {task: abs(first[task]["value"] - second[task]["value"]) for task in first}
    beyond = sorted(task for task, distance in apart.items() if distance > tolerance_of(task))
    if beyond:
        named = ", ".join(
            f"{task}: {first[task]['value']:.4f} sent, {second[task]['value']:.4f} again"
            for task in beyond[:_MOST_NAMED]
        )
        raise ShelfError(f"{again}: {len(beyond)} of {len(first)} scores do not agree: {named}")
    return (
        f"the re-run {other.file.run_id} agrees on {len(first)} tasks, "
        f"within {max(apart.values()):.1g}"
    )


def tolerance_of(task: str) -> float:
    """How far a primary score of a task may lie from that of a re-run.

    Examples
    --------
    >>> tolerance_of("lcc_retrieval"), tolerance_of("lcc_clustering")
    (0.005, 0.05)
    """
    known = load_tasks().get(task)
    is_clustering = known is not None and known.formulation == "clustering"
    return CLUSTERING_TOLERANCE if is_clustering else TOLERANCE


def unpinned(spec: str) -> str:
    """A model's string without the revisions of models of the Hub.

    Examples
    --------
    >>> unpinned("hybrid:bm25+st:owner/name@main,dim=64"), unpinned("st:minilm")
    ('hybrid:bm25+st:owner/name,dim=64', 'st:minilm')
    """
    return _REVISION.sub(r"\1", spec)


def _check_same_conditions(sent: Run, again: Run, place: Path) -> None:
    for what, own, other in (
        ("the model", sent.file.model.name, again.file.model.name),
        # The leaderboard takes licence, weights and dates from it.
        ("the model's string", unpinned(sent.file.model.spec), unpinned(again.file.model.spec)),
        ("the model's weights", sent.file.model.revision, again.file.model.revision),
        ("the model's kind", sent.file.model.kind, again.file.model.kind),
        ("the model's settings", sent.file.model.settings, again.file.model.settings),
        ("the data", sent.file.data.content_sha256, again.file.data.content_sha256),
        ("the config", sent.file.data.config, again.file.data.config),
        ("the protocol", sent.file.protocol.key, again.file.protocol.key),
        ("the limit", sent.file.limit, again.file.limit),
        # Whether a model may have seen the documents depends on it.
        ("the time of the documents", _written(sent) or _written(again), _written(again)),
    ):
        if own != other:
            raise ShelfError(
                f"{place}: {what} is another one than that of the run that was sent, "
                f"{own!r:.120} there and {other!r:.120} here"
            )


def _written(run: Run) -> dict[str, object] | None:
    written = run.file.data.written
    return None if written is None else written.model_dump(mode="json")
