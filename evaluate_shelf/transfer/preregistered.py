"""The rule that was fixed before the results were known, and its verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer.agreement import Agreement
from evaluate_shelf.transfer.comparison import Comparison, compare
from evaluate_shelf.transfer.members import ModelKey
from evaluate_shelf.transfer.scores import Measure, scores_by_model
from evaluate_shelf.transfer.settings import RankedFormulation, Rule, TransferSettings
from evaluate_shelf.transfer.stability import Stability

Verdict = Literal["supported", "not supported", "not decidable"]

_ROUNDING = 1e-12


@dataclass(frozen=True)
class Cell:
    """A formulation against a natural corpus.

    Attributes
    ----------
    formulation, corpus : str
        Which.
    comparison : Comparison
        The reference against the corpus.
    passes : bool or None
        Whether the rule is met; None where it cannot be said.
    reason : str or None
        Why it cannot be said, or why it is not met whatever the correlation.
    """

    formulation: str
    corpus: str
    comparison: Comparison
    passes: bool | None
    reason: str | None


@dataclass(frozen=True)
class Outcome:
    """What the rule gives.

    Attributes
    ----------
    verdict : str
        `supported`, `not supported`, or `not decidable` where what is missing could turn it.
    passed, failed, undecided : tuple of str
        Formulations: passed against every natural corpus, failed against one, neither.
    cells : tuple of Cell
        By formulation, then by corpus.
    beside : tuple of Cell
        The natural corpora against each other, which the rule does not ask for: how well two
        corpora of real text agree. `passes` is None.
    stability : tuple of Stability
        By corpus, where it is known.
    """

    verdict: Verdict
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    undecided: tuple[str, ...]
    cells: tuple[Cell, ...]
    beside: tuple[Cell, ...]
    stability: tuple[Stability, ...]

    def weakest(self) -> Cell | None:
        """The cell with the lowest correlation; None where no cell has one."""
        known = [cell for cell in self.cells if cell.comparison.agreement.spearman is not None]
        return min(known, key=lambda cell: cell.comparison.agreement.spearman or 0.0, default=None)


def meets(rule: Rule, found: Agreement) -> bool | None:
    """Whether an agreement meets the rule; None where there is no correlation or no interval.

    Examples
    --------
    >>> rule = Rule(spearman_at_least=0.6, lower_end_above=0.0, formulations_needed=3)
    >>> meets(rule, Agreement(24, 0.7, 0.5, 0.1, 0.9, 0.95, 2000, 0))
    True
    >>> meets(rule, Agreement(24, 0.7, 0.5, 0.0, 0.9, 0.95, 2000, 0))
    False
    """
    if found.spearman is None or found.low is None:
        return None
    # A correlation of 0.6 must not fail by its last bit.
    high_enough = found.spearman >= rule.spearman_at_least - _ROUNDING
    return high_enough and found.low > rule.lower_end_above


def outcome(
    runs: Sequence[Run], settings: TransferSettings, stability: Sequence[Stability]
) -> Outcome:
    """Apply the preregistered rule.

    Parameters
    ----------
    runs : sequence of Run
        Of one condition and the models of one panel, as `members` gives them.
    settings : TransferSettings
        Corpora, formulations and the rule.
    stability : sequence of Stability
        Of the formulation that depends on a seed. Where a corpus is not among them, that
        formulation is undecided on it.

    Returns
    -------
    Outcome

    Raises
    ------
    ShelfError
        If two runs give a model a score under one measure.
    """
    cells: list[Cell] = []
    beside: list[Cell] = []
    of_corpus = {found.corpus: found for found in stability}
    for formulation in settings.formulations.values():
        measures = [Measure(c, formulation.task, formulation.metric) for c in settings.corpora]
        shared = _shared(runs, measures)
        for x, y in combinations(measures, 2):
            compared = compare(runs, x, y, settings.resampling, shared)
            if x.corpus == settings.reference:
                cells.append(_cell(formulation, compared, settings, of_corpus))
            else:
                corpora = f"{x.corpus}, {y.corpus}"
                beside.append(Cell(formulation.id, corpora, compared, None, None))
    names = {
        state: tuple(f for f in settings.formulations if _state(f, cells) is state)
        for state in (True, False, None)
    }
    return Outcome(
        verdict=_verdict(len(names[True]), len(names[None]), settings.rule),
        passed=names[True],
        failed=names[False],
        undecided=names[None],
        cells=tuple(cells),
        beside=tuple(beside),
        stability=tuple(stability),
    )


def _shared(runs: Sequence[Run], measures: Sequence[Measure]) -> set[ModelKey] | None:
    """Models with a score on every corpus that has any: the same ones in all comparisons."""
    having = [set(own) for measure in measures if (own := scores_by_model(runs, measure))]
    return set.intersection(*having) if having else None


def _cell(
    formulation: RankedFormulation,
    compared: Comparison,
    settings: TransferSettings,
    stability: Mapping[str, Stability],
) -> Cell:
    passes, reason = meets(settings.rule, compared.agreement), compared.why_undefined
    if formulation.id == settings.stability.formulation and passes is not None:
        corpora = (compared.x.corpus, compared.y.corpus)
        gates = {
            corpus: stability[corpus].passes(settings.stability.floor)
            if corpus in stability
            else None
            for corpus in corpora
        }
        unstable = [corpus for corpus, gate in gates.items() if gate is False]
        unknown = [corpus for corpus, gate in gates.items() if gate is None]
        if unstable:
            passes, reason = False, f"its order depends on the seed on {', '.join(unstable)}"
        elif unknown and passes:
            passes, reason = None, f"its stability over seeds on {', '.join(unknown)} is unknown"
    return Cell(formulation.id, compared.y.corpus, compared, passes, reason)


def _state(formulation: str, cells: Sequence[Cell]) -> bool | None:
    states = [cell.passes for cell in cells if cell.formulation == formulation]
    if False in states:
        return False
    return None if None in states else True


def _verdict(passed: int, undecided: int, rule: Rule) -> Verdict:
    if passed >= rule.formulations_needed:
        return "supported"
    if passed + undecided < rule.formulations_needed:
        return "not supported"
    return "not decidable"
