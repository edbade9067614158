"""What a table of models says about their order: rank intervals, tie groups, resolution."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.statistics.streams import stream

Floats = NDArray[np.float64]

_MOST_GROUPS = 10_000


class Ranks(NamedTuple):
    """Bounds of the models' ranks, 1 for the best.

    Attributes
    ----------
    low, high : ndarray of int, shape (n_models,)
        The best and the worst rank that a model may have.
    """

    low: NDArray[np.intp]
    high: NDArray[np.intp]


def rank_intervals(replicates: Floats, level: float) -> Ranks | None:
    """Percentile intervals of the models' ranks over resamples, higher values ranked first.

    Equal models of a resample share all the ranks that they fill: the lower bound is that of the
    best of them, the upper that of the worst. Bounds between two ranks are moved outwards.

    Parameters
    ----------
    replicates : ndarray of float64, shape (n_replicates, n_models)
        Values of all models in the same resamples: `sums.replicated` or `normal_replicates`. A
        resample with a NaN counts for none.
    level : float
        Coverage, for example 0.95.

    Returns
    -------
    Ranks or None
        None where no resample defines all values.

    Examples
    --------
    >>> rank_intervals(np.array([[0.9, 0.5, 0.5], [0.9, 0.4, 0.3]]), 0.95)
    Ranks(low=array([1, 2, 2]), high=array([1, 3, 3]))
    """
    defined = replicates[~np.isnan(replicates).any(axis=1)]
    if not len(defined):
        return None
    tail = (1 - level) / 2
    low, high = [], []
    for own in defined.T[:, :, None]:
        best = 1 + (defined > own).sum(axis=1)
        worst = (defined >= own).sum(axis=1)
        low.append(np.quantile(best, tail, method="lower"))
        high.append(np.quantile(worst, 1 - tail, method="higher"))
    return Ranks(np.array(low, dtype=np.intp), np.array(high, dtype=np.intp))


def normal_replicates(
    values: Floats, covariance: Floats, *, task: str, seed: int, replicates: int
) -> Floats:
    """Draws of models' values around the observed ones, with the given covariance.

    For tasks of pairs, whose errors have a formula and no resamples.

    Parameters
    ----------
    values : ndarray of float64, shape (n_models,)
    covariance : ndarray of float64, shape (n_models, n_models)
        Symmetric and not negative, as `dyadic.dyadic_covariance`.
    task, seed, replicates
        The task's id, the protocol's seed, and the number of draws.

    Returns
    -------
    ndarray of float64, shape (replicates, n_models)

    Examples
    --------
    >>> drawn = normal_replicates(np.array([0.5, 0.6]), np.zeros((2, 2)), task="t", seed=42,
    ...                           replicates=3)
    >>> drawn.tolist()
    [[0.5, 0.6], [0.5, 0.6], [0.5, 0.6]]
    """
    scale, directions = np.linalg.eigh(covariance)
    # The symmetric root, which is one whatever signs the directions have.
    root = directions * np.sqrt(np.maximum(scale, 0.0)) @ directions.T
    normal = stream(seed, task, "ranks").standard_normal((replicates, len(values)))
    return np.asarray(values + normal @ root, dtype=np.float64)


def ranks_by_tests(values: Floats, differ: NDArray[np.bool_]) -> Ranks:
    """Bounds of the models' ranks from tests of all pairs.

    A model's best rank is one more than the number of models that are told to be better, its worst
    the number of models less those that are told to be worse. With Holm's correction all these
    bounds hold together as often as the tests keep their level.

    Parameters
    ----------
    values : ndarray of float64, shape (n_models,)
        Higher is better.
    differ : ndarray of bool, shape (n_models, n_models)
        Whether two models are told apart; symmetric.

    Examples
    --------
    >>> differ = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> ranks_by_tests(np.array([0.9, 0.8, 0.7]), differ)
    Ranks(low=array([1, 1, 2]), high=array([2, 3, 3]))
    """
    above = values[None, :] > values[:, None]
    better, worse = (differ & above).sum(axis=1), (differ & above.T).sum(axis=1)
    return Ranks(1 + better, len(values) - worse)


def tie_groups(values: Floats, differ: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """The largest sets of models no two of which are told apart.

    A model may be in several sets: being tied is not transitive.

    Parameters
    ----------
    values : ndarray of float64, shape (n_models,)
        Higher is better.
    differ : ndarray of bool, shape (n_models, n_models)
        Whether two models are told apart; symmetric.

    Returns
    -------
    list of tuple of int
        Numbers of each set's models, best first; the sets in the order of their models' places. A
        model that is told apart from all others is a set of its own.

    Raises
    ------
    ShelfError
        If there are more than ten thousand such sets.

    References
    ----------
    Bron and Kerbosch, "Algorithm 457: finding all cliques of an undirected graph", Communications
    of the ACM 16 (1973); Tomita, Tanaka and Takahashi, Theoretical Computer Science 363 (2006), for
    the pivot.

    Examples
    --------
    >>> differ = np.array([[False, False, True], [False, False, False], [True, False, False]])
    >>> tie_groups(np.array([0.9, 0.8, 0.7]), differ)
    [(0, 1), (1, 2)]
    """
    order = np.argsort(-values, kind="stable")
    n_models = len(order)
    tied = [
        {
            place
            for place in range(n_models)
            if place != own and not differ[order[own], order[place]]
        }
        for own in range(n_models)
    ]
    found: list[tuple[int, ...]] = []

    def extend(chosen: tuple[int, ...], open_: set[int], closed: set[int]) -> None:
        if not open_ and not closed:
            found.append(tuple(sorted(chosen)))
            if len(found) > _MOST_GROUPS:
                raise ShelfError(
                    f"{n_models} models fall into more than {_MOST_GROUPS:,} sets that can't be "
                    "told apart; compare fewer of them"
                )
            return
        pivot = max(sorted(open_ | closed), key=lambda place: len(tied[place] & open_))
        for place in sorted(open_ - tied[pivot]):
            extend((*chosen, place), open_ & tied[place], closed & tied[place])
            open_ = open_ - {place}
            closed = closed | {place}

    extend((), set(range(n_models)), set())
    return [tuple(int(order[place]) for place in group) for group in sorted(found)]


def tie_letters(groups: list[tuple[int, ...]], n_models: int) -> list[str]:
    """The letters of the tie groups that each model is in: models that share one are tied.

    Parameters
    ----------
    groups : list of tuple of int
        From `tie_groups`.
    n_models : int
        Number of models.

    Returns
    -------
    list of str
        For each model, for example "a" or "a b"; after z come a2, b2, and so on.

    Examples
    --------
    >>> tie_letters([(0, 1), (1, 2)], 3)
    ['a', 'a b', 'b']
    """
    names = [_letter(number) for number in range(len(groups))]
    return [
        " ".join(name for name, group in zip(names, groups, strict=True) if model in group)
        for model in range(n_models)
    ]


def smallest_resolvable_difference(
    values: Floats,
    errors: Floats,
    *,
    alpha: float,
    freedom: float = float("inf"),
    power: float | None = None,
) -> float | None:
    """The smallest difference that a test tells from none: the median over a table's neighbours.

    Neighbours whose difference has no error gave the same answer to every item; they say nothing
    of what can be resolved.

    Parameters
    ----------
    values : ndarray of float64, shape (n_models,)
        The models' scores.
    errors : ndarray of float64, shape (n_models, n_models)
        Standard error of each two models' difference, as the test takes it; symmetric.
    alpha : float
        Level of the two-sided test: of many under Holm's correction, the level of all of them
        divided by their number, which is what the first of them has to reach.
    freedom : float, default=inf
        Degrees of freedom of the errors, for Student's test.
    power : float, default=None
        How often a true difference is to be told apart; without it, what an observed difference
        has to be.

    Returns
    -------
    float or None
        None for a single model, and for models that answer alike.

    Notes
    -----
    In errors, the quantile 1 - alpha / 2 of Student's distribution; with power, the shift of the
    noncentral one that passes it so often. With endless freedom and a power of 0.8 these are 1.96
    and 2.80 at a level of 0.05, 3.48 and 4.32 for the first of a hundred tests.

    Examples
    --------
    >>> errors = np.array([[0.0, 0.02, 0.05], [0.02, 0.0, 0.04], [0.05, 0.04, 0.0]])
    >>> scores = np.array([0.9, 0.8, 0.7])
    >>> for alpha in (0.05, 0.05 / 100):
    ...     round(smallest_resolvable_difference(scores, errors, alpha=alpha), 4)
    0.0588
    0.1044
    """
    if len(values) < 2:
        return None
    order = np.argsort(-values, kind="stable")
    of_neighbours = errors[order[:-1], order[1:]]
    if not of_neighbours.any():
        return None
    error = float(np.median(of_neighbours[of_neighbours > 0]))
    return error * _errors_to_tell(alpha, freedom, power)


def _errors_to_tell(alpha: float, freedom: float, power: float | None) -> float:
    """How many standard errors a difference has to measure."""
    from scipy.special import nctdtrinc, ndtri, stdtrit

    observed = float(stdtrit(freedom, 1 - alpha / 2))
    if power is None:
        return observed
    if np.isinf(freedom):
        return observed + float(ndtri(power))
    return float(nctdtrinc(freedom, 1 - power, observed))


def _letter(number: int) -> str:
    turn, place = divmod(number, 26)
    return chr(ord("a") + place) + (str(turn + 1) if turn else "")
