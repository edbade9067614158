"""How well a probe on words alone tells the generators of a corpus apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.diagnostics.breakdown.families import (
    family_of,
    generators_of,
    load_families,
)
from evaluate_shelf.diagnostics.breakdown.lexical_probe import LexicalProbe
from evaluate_shelf.diagnostics.breakdown.results import LEAST_ITEMS, TOO_FEW, Value
from evaluate_shelf.diagnostics.breakdown.subsets import value_of
from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.formulations.data import TaskData, numbered
from evaluate_shelf.metrics.classification import accuracy, confusion_matrix, macro_f1
from evaluate_shelf.registry.protocol_settings import BootstrapSettings
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.release.documents import Documents, Release
from evaluate_shelf.statistics.bootstrap import units
from evaluate_shelf.statistics.resamples import copies_matrix
from evaluate_shelf.statistics.streams import stream
from evaluate_shelf.statistics.sums import macro_f1_sums, mean_sums, observed, replicated

Numbers = NDArray[np.intp]

ONE = "one generator: nothing to tell apart"


@dataclass(frozen=True)
class Writer:
    """A generator, or a family of them.

    Attributes
    ----------
    name : str
    n_train, n_test : int
        Its documents.
    """

    name: str
    n_train: int
    n_test: int


@dataclass(frozen=True)
class Attribution:
    """How well generators can be told apart.

    Attributes
    ----------
    release_id, config : str
        Whose documents they wrote.
    of : str
        `generators` or `families`.
    writers : tuple of Writer
        In the order of their names; that of the confusion.
    n_train, n_test : int
        Documents that were learned from and told.
    unnamed : int
        Documents of both splits that name no generator; they are left out.
    straddling : int
        Training documents whose group is in the test split as well; they are left out.
    unit : str
        What an interval resamples.
    n_units : int
        How many of these the test documents are in.
    level : float
        Coverage of the intervals.
    accuracy, macro_f1 : Value or None
        None where `reason` says why.
    most_frequent : str or None
        The writer of most training documents.
    accuracy_of_most_frequent : float or None
        Share of the test documents that are its: what one gets without reading.
    accuracy_of_shuffled, macro_f1_of_shuffled : float or None
        Of a probe that was fitted on shuffled generators.
    confusion : tuple of tuple of int
        Test documents by true (rows) and told writer (columns); empty where nothing was told.
    converged : bool or None
        Whether the probe's fit reached its minimum.
    reason : str or None
        Why nothing is told apart.
    """

    release_id: str
    config: str
    of: str
    writers: tuple[Writer, ...]
    n_train: int
    n_test: int
    unnamed: int
    straddling: int
    unit: str
    n_units: int
    level: float
    accuracy: Value | None = None
    macro_f1: Value | None = None
    most_frequent: str | None = None
    accuracy_of_most_frequent: float | None = None
    accuracy_of_shuffled: float | None = None
    macro_f1_of_shuffled: float | None = None
    confusion: tuple[tuple[int, ...], ...] = ()
    converged: bool | None = None
    reason: str | None = None


def attribution(
    release: Release,
    config: str | None = None,
    *,
    families: bool = False,
    protocol: Protocol | None = None,
) -> Attribution:
    """Tell the generators of a config's test documents by their words.

    A probe on full TF-IDF learns from the training split, without documents whose group is in the
    test split too.

    Parameters
    ----------
    release : Release
    config : str, default=None
        A config of documents; the release's default without it.
    families : bool, default=False
        Tell families of generators, after configs/generators.yaml.
    protocol : Protocol, default=None
        Settings of TF-IDF, of the probe and of the intervals; the default protocol without it.

    Returns
    -------
    Attribution
        The same for the same release and protocol. With one generator, or fewer than 30 test
        documents, `reason` says so and there are no values.

    Raises
    ------
    UnsupportedError
        If the config does not say who wrote its documents.
    ShelfError
        If the config is none of documents, or a split is missing.
    """
    settings = protocol or load_protocol()
    data = _data(release, config)
    try:
        train, unnamed_train = _written(data.train)
        test, unnamed_test = _written(data.test)
    except UnsupportedError as error:
        raise UnsupportedError(f"{release.folder}, config {data.config!r}: {error}") from error
    apart, straddling = _apart(train, test)
    learned, gold = (_writers(part, families) for part in (apart, test))
    names = sorted({*learned, *gold})
    counts = Counter(learned), Counter(gold)
    facts: dict[str, Any] = {
        "release_id": release.manifest.release_id,
        "config": data.config,
        "of": "families" if families else "generators",
        "writers": tuple(Writer(name, counts[0][name], counts[1][name]) for name in names),
        "n_train": len(learned),
        "n_test": len(gold),
        "unnamed": unnamed_train + unnamed_test,
        "straddling": straddling,
        "unit": test.group_column or "document",
        "n_units": len(set(test.groups)),
        "level": settings.bootstrap.level,
    }
    reason = _reason(names, learned, gold, facts["of"])
    if reason is not None:
        return Attribution(**facts, reason=reason)
    return Attribution(**facts, **_told(apart, test, learned, gold, names, settings))


def as_values(found: Attribution) -> dict[str, Any]:
    """An attribution as plain values, for JSON."""
    return asdict(found)


def _told(
    train: Documents,
    test: Documents,
    learned: Sequence[str],
    gold: Sequence[str],
    names: Sequence[str],
    protocol: Protocol,
) -> dict[str, Any]:
    """What the probe tells, beside what one gets without reading."""
    probe = LexicalProbe(train.column("text"), test.column("text"), protocol)
    of_train, of_test = numbered(learned, names), numbered(gold, names)
    probabilities, fit = probe.probabilities(of_train, len(names))
    told = probabilities.argmax(axis=1)
    draws = stream(protocol.control.seed, "attribution", "control", 0)
    shuffled = of_train[draws.permutation(len(of_train))]
    of_control = probe.probabilities(shuffled, len(names))[0].argmax(axis=1)
    confusion = confusion_matrix(of_test, told, len(names))
    control = confusion_matrix(of_test, of_control, len(names))
    most_frequent = int(np.bincount(of_train, minlength=len(names)).argmax())
    values = _values(of_test, told, len(names), test.groups, protocol.bootstrap)
    return {
        "accuracy": values[0],
        "macro_f1": values[1],
        "most_frequent": names[most_frequent],
        "accuracy_of_most_frequent": float((of_test == most_frequent).mean()),
        "accuracy_of_shuffled": accuracy(control),
        "macro_f1_of_shuffled": macro_f1(control),
        "confusion": tuple(tuple(row) for row in confusion.astype(np.int64).tolist()),
        "converged": fit.converged,
    }


def _values(
    gold: Numbers, told: Numbers, n_labels: int, groups: Sequence[str], settings: BootstrapSettings
) -> tuple[Value, Value]:
    drawn = units(groups)
    statistics = {
        "accuracy": mean_sums((gold == told).astype(np.float64), drawn),
        "macro_f1": macro_f1_sums(gold, told, n_labels, drawn),
    }
    copies = copies_matrix(
        drawn.number, task="attribution", seed=settings.seed, replicates=settings.replicates
    )
    replicates = replicated(list(statistics.values()), copies)
    first, second = (
        value_of(name, observed(one), column, drawn.number, settings.level)
        for (name, one), column in zip(statistics.items(), replicates.T, strict=True)
    )
    return first, second


def _data(release: Release, config: str | None) -> TaskData:
    name = config or release.manifest.default_config
    entry = release.config(name)
    if entry.kind != "documents":
        known = [other for other, of in release.manifest.configs.items() if of.kind == "documents"]
        raise ShelfError(
            f"{release.folder}: config {name!r} holds {entry.kind}; name a config of documents: "
            f"{', '.join(known)}"
        )
    return TaskData(release, name)


def _written(documents: Documents) -> tuple[Documents, int]:
    """The documents that name their generator, and how many do not."""
    named = [row for row, name in enumerate(generators_of(documents)) if name]
    return documents.take(named), len(documents) - len(named)


def _apart(train: Documents, test: Documents) -> tuple[Documents, int]:
    """The training documents whose group is not in the test split, and how many others are."""
    tested = set(test.groups)
    kept = [row for row, group in enumerate(train.groups) if group not in tested]
    return train.take(kept), len(train) - len(kept)


def _writers(documents: Documents, families: bool) -> list[str]:
    names = [name for name in generators_of(documents) if name]
    if not families:
        return names
    known = load_families()
    return [family_of(name, known) or name for name in names]


def _reason(
    names: Sequence[str], learned: Sequence[str], gold: Sequence[str], of: str
) -> str | None:
    if len(names) == 1:
        return ONE if of == "generators" else "one family of generators: nothing to tell apart"
    if len(gold) < LEAST_ITEMS:
        return f"{TOO_FEW} to tell"
    if len(set(learned)) < 2:
        return f"the training split has {len(set(learned))} of the {len(names)} {of}"
    return None
