"""Whether the order of models depends on the seed of k-means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation.kept import (
    check_can_be_scored,
    items_path,
    protocol_of,
    scoring,
)
from evaluate_shelf.formulations.clustering import (
    adjusted_rand,
    clusters_in,
    kmeans_columns,
    members_of,
)
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.agreement import FEWEST_MODELS, Floats, spearman
from evaluate_shelf.transfer.scores import score_of
from evaluate_shelf.transfer.settings import ReportedStability, TransferSettings


@dataclass(frozen=True)
class Stability:
    """Rank correlation of models between seeds, on one corpus.

    Attributes
    ----------
    corpus : str
        A config.
    median, lowest : float or None
        Over pairs of seeds. `median` is None where a pair has no correlation; `lowest` also where
        it was not reported.
    n_models : int or None
        Models compared; None for a reported value.
    pairs : tuple of float
        The correlation of each pair of seeds; empty for a reported value.
    origin : str
        `computed`, or `reported`.
    """

    corpus: str
    median: float | None
    lowest: float | None
    n_models: int | None
    pairs: tuple[float, ...]
    origin: Literal["computed", "reported"]

    def passes(self, floor: float) -> bool | None:
        """Whether the median reaches a floor; None where there is no median."""
        return None if self.median is None else self.median >= floor


def reported_stability(row: ReportedStability) -> Stability:
    """A published value, as it was published."""
    return Stability(row.corpus, row.median, row.lowest, None, (), "reported")


def seed_stability(corpus: str, scores: Floats) -> Stability:
    """Rank correlation of models between each pair of seeds.

    Parameters
    ----------
    corpus : str
        A config.
    scores : ndarray of float64, shape (n_models, n_seeds)
        Each model's score under each seed.

    Returns
    -------
    Stability

    Examples
    --------
    >>> scores = np.array([[0.1, 0.1, 0.2], [0.2, 0.3, 0.1], [0.3, 0.4, 0.5], [0.4, 0.6, 0.7]])
    >>> found = seed_stability("all", scores)
    >>> found.pairs, found.median
    ((1.0, 0.8, 0.8), 0.8)
    """
    n_models, n_seeds = scores.shape
    found = [spearman(scores[:, a], scores[:, b]) for a, b in combinations(range(n_seeds), 2)]
    known = tuple(value for value in found if value is not None)
    if n_models < FEWEST_MODELS or len(known) < len(found) or not known:
        return Stability(corpus, None, None, n_models, (), "computed")
    return Stability(corpus, float(np.median(known)), min(known), n_models, known, "computed")


def computed_stability(
    runs: Sequence[Run], releases: Sequence[Release], settings: TransferSettings
) -> list[Stability]:
    """Stability over seeds on each corpus that has runs, from their items.

    Parameters
    ----------
    runs : sequence of Run
        Computed runs of one condition, as `members` gives them.
    releases : sequence of Release
        Those that the runs were scored on.
    settings : TransferSettings
        Corpora, and the formulation that depends on a seed.

    Returns
    -------
    list of Stability
        None for a corpus on which no run has done the task.

    Raises
    ------
    ShelfError
        As `aris_of_seeds`.
    """
    formulation = settings.formulation(settings.stability.formulation)
    task = task_named(formulation.task)
    found = []
    for corpus in settings.corpora:
        done = [
            run
            for run in runs
            if run.file.data.config == corpus
            and score_of(run, formulation.task, formulation.metric) is not None
        ]
        if done:
            scores = np.array([aris_of_seeds(run, releases, task) for run in done])
            found.append(seed_stability(corpus, scores))
    return found


def aris_of_seeds(run: Run, releases: Sequence[Release], task: Task) -> list[float]:
    """Adjusted Rand index under each seed of the median, from a run's items.

    Parameters
    ----------
    run : Run
        A computed run that has done the task.
    releases : sequence of Release
        One of them holds the rows that the run was scored on.
    task : Task
        A k-means clustering.

    Returns
    -------
    list of float
        In the order of the protocol's seeds.

    Raises
    ------
    ShelfError
        If no release holds these rows, this installation lacks the run's protocol, or the items
        are not those of the task.
    """
    release = _release_of(run, releases)
    check_can_be_scored(run, release)
    protocol = protocol_of(run)
    data = TaskData(release, run.file.data.config, run.file.limit)
    documents = members_of(task, data)
    with scoring(items_path(run, task)) as items:
        # The first column is that of the score, which may be under one of the same seeds.
        clusters = clusters_in(data, items, documents.positions, kmeans_columns(protocol)[1:])
    return [adjusted_rand(documents.labels, column) for column in clusters]


def _release_of(run: Run, releases: Sequence[Release]) -> Release:
    config = run.file.data.config
    digest = run.file.data.content_sha256.get(config)
    for release in releases:
        entry = release.manifest.configs.get(config)
        if entry is not None and entry.content_sha256 == digest:
            return release
    given = ", ".join(str(release.folder) for release in releases)
    raise ShelfError(
        f"{run.folder}: it was scored on release {run.file.data.release_id}, config {config!r}; "
        f"none of the releases given has these rows: {given}"
    )
