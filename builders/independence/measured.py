"""All that `shelf independence` measures, and as plain values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from builders.independence.corpus import Corpus
from builders.independence.findings import Finding, findings_of
from builders.independence.strength import Strength
from builders.independence.telling_apart import Score, ToldApart, told_apart
from evaluate_shelf.statistics.intervals import Interval


@dataclass(frozen=True)
class Independence:
    """What a config's generators have to do with its labels and texts.

    Attributes
    ----------
    corpus : Corpus
    findings : tuple of Finding
        By label.
    told_apart : ToldApart or str
        Why it could not be measured, where it could not.
    """

    corpus: Corpus
    findings: tuple[Finding, ...]
    told_apart: ToldApart | str

    @property
    def kept(self) -> dict[str, int]:
        """Documents of each generator in the config, in the order of their names."""
        return _counted(self.corpus.kept["model"].to_pylist())

    @property
    def written(self) -> dict[str, int] | None:
        """Documents that each generator wrote; None where that is not known."""
        table = self.corpus.written
        return None if table is None else _counted(table["model"].to_pylist())

    @property
    def specifications(self) -> int:
        """Of the config's documents."""
        return len(set(self.corpus.kept["group"].to_pylist()))


def independence_of(corpus: Corpus, seed: int) -> Independence:
    """Measure a corpus.

    Parameters
    ----------
    corpus : Corpus
        From `corpus_of`.
    seed : int
        Of the classifier's folds.
    """
    kept = corpus.kept
    columns = (kept[name].to_pylist() for name in ("text", "model", "group"))
    return Independence(corpus, findings_of(corpus), told_apart(*columns, seed=seed))


def values_of(own: Independence) -> dict[str, Any]:
    """Everything as plain values, for JSON; what is not defined is null with a reason."""
    return {
        "release": own.corpus.release_id,
        "config": own.corpus.config,
        "documents": sum(own.kept.values()),
        "without_generator": own.corpus.without_generator,
        "specifications": own.specifications,
        "kept": own.kept,
        "written": own.written,
        "labels": {finding.label.name: _finding(finding) for finding in own.findings},
        "telling_generators_apart": _told_apart(own.told_apart),
    }


def _finding(own: Finding) -> dict[str, Any]:
    gate = own.gate
    return {
        "column": own.label.column,
        "several_values": own.label.several,
        "values": own.values,
        "occurrences": own.occurrences,
        "kept": _strength(own.kept),
        "written": _strength(own.written),
        "gate": gate and {"name": gate.name, "v": gate.with_it, "v_without_it": gate.without_it},
    }


def _strength(own: Strength | str) -> dict[str, Any]:
    if isinstance(own, str):
        return {"v": None, "interval": None, "bergsma": None, "not_defined": own}
    return {
        "v": own.value,
        "interval": _interval(own.interval),
        "bergsma": own.bergsma,
        "not_defined": None,
    }


def _told_apart(own: ToldApart | str) -> dict[str, Any]:
    if isinstance(own, str):
        return {"not_defined": own}
    return {
        "not_defined": None,
        "documents": own.documents,
        "of_documents": own.in_all,
        "specifications": own.specifications,
        "accuracy": _score(own.accuracy),
        "macro_f1": _score(own.macro_f1),
        "accuracy_of_the_largest": own.largest,
        "accuracy_of_guessing": own.even,
        "shuffled_accuracy": _score(own.shuffled_accuracy),
        "shuffled_macro_f1": _score(own.shuffled_macro_f1),
    }


def _score(own: Score) -> dict[str, Any]:
    return {"value": own.value, "interval": _interval(own.interval)}


def _interval(own: Interval | None) -> list[float] | None:
    return None if own is None else list(own)


def _counted(names: list[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
