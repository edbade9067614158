"""Measure generators against labels in a plan of 22,500 documents, and write independence.md.

    python -m benchmarks.independence build/independence

The folder keeps what was written and simulated, so that a run that was stopped goes on.
"""

from __future__ import annotations

import json
import math
import sys
import textwrap
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.fifteen_generators import GENERATORS, SEED, SLICE, plan_of, written
from benchmarks.interval_coverage import CANDIDATES, Covered, Scene, covered
from benchmarks.measuring import machine, table, timed, told
from builders.corpora.synthetic.gated import GatedPieces
from builders.draws import Draws
from builders.independence.corpus import Corpus
from builders.independence.findings import findings_of
from builders.independence.labels import LABELS, crossing_of
from builders.independence.strength import Strength, strength_of
from builders.independence.telling_apart import Score, ToldApart, told_apart
from evaluate_shelf.files import replacing, write_json
from evaluate_shelf.registry.taxonomy import load_taxonomy

LIMIT = 0.03
REPLAYS = 20
ROUNDS = 200
SCENES = (
    Scene(15, 21, 1500),
    Scene(15, 21, 1500, crossed=False),
    Scene(15, 21, 100),
    Scene(5, 4, 60),
    Scene(2, 3, 40),
)
TRUTHS = (0.0, 0.02, 0.05, 0.1)

PAGE = """# Generators against labels

Every one of 1,500 specifications in 3 blocks of 500 is written by 15 generators, 22,500 documents
in all, and put through every gate. Then the bias-corrected Cramér's V between generator and label
is to be at or under {limit} for class and category. The lexical writer has five styles; each
writes under three names, and draws by its name, so that no two of the 15 write the same document.
Made by

```sh
python -m benchmarks.independence build/independence
```

V is corrected for chance in two ways. *Bergsma* takes off what chance would add to a table of
documents drawn one by one. *Design* takes off what it adds here, where the documents of a
specification belong together; with its 95 % interval. What differs between them is shown last.

## After the gates

{passing}

{gated}

## Under uneven gates

The lexical writer's generators are rejected alike, which models are not. So rejections are drawn
for the same documents in place of the gates. In the published core, 18,345 of 22,500 documents
were kept. How many of each of its 15 generators, and of what labels, is not published, so these
patterns are made up to be like it in what is known, and worse:

- *alike*: each generator keeps 81.5 %.
- *by generator*: they keep from 95 % down to 35 %, on average {average}.
- *and length*: besides, five of them keep fewer of the longest texts, five fewer of the shortest:
  odds change by {length_factor} for each of the eight lengths.
- *and category, a little*: besides, five of them keep a fifth fewer in 3 of the 14 categories.
- *and category, much*: besides, five of them keep half as many in 3 of the 14 categories.

Means of {replays} drawings, and how many of them are at or under {limit}:

{replayed}

{verdict}

## Which interval

Simulated, {rounds} drawings each: every generator writes all specifications, whose labels are
drawn evenly. A document is kept with a probability that depends on generator and label, so that
the expected table has the true V, and on the specification (a tenth more or less). Or each
specification goes to one generator, by shares that depend on its label. Share of 95 % intervals
that hold the true V, with their mean width:

- *independent documents*: noncentral chi-square, inverted, as it is usual.
- *percentile*: bootstrap of Bergsma's V over specifications, 300 resamples.
- *reflected*: bootstrap of V squared over specifications, reflected at what was observed.
- *design*: noncentral chi-square in units of what chance adds in this design, its variance from
  what specifications add. **`shelf independence` has this one.**

{coverage}

Means of both estimates in the same drawings:

{estimates}

Bergsma's correction takes documents as independent. Where every generator writes every
specification, chance comes from rejections alone, so that it takes off several times too much:
in the first scene it shows a true V of 0.02 as 0. Where each specification has one generator, both
corrections agree. In a crossed design, a limit on V should be put to the other one.

## Telling generators apart

{told}

Three names of one style cannot be told apart, so that a third is about the most for accuracy.
{seconds}

{machine}
"""

Keep = Callable[[int, str, str], float]


def main(arguments: list[str]) -> None:
    """Measure, and write the page beside this file."""
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    simulated = simulations(folder / "coverage.json")
    told("writing and gates")
    pieces = written(folder)
    corpus = corpus_of(pieces)
    told("labels against generators")
    findings, spent_on_labels = timed(lambda: findings_of(corpus))
    told("telling generators apart")
    columns = [corpus.kept[name].to_pylist() for name in ("text", "model", "group")]
    apart, spent_on_texts = timed(lambda: told_apart(*columns, seed=SEED))
    assert isinstance(apart, ToldApart)
    assert corpus.written is not None
    told("replays")
    replays = {name: replayed(corpus.written, keep) for name, keep in patterns().items()}
    page = PAGE.format(
        limit=LIMIT,
        passing=passing(corpus.kept.num_rows, corpus.written.num_rows),
        gated=table(
            ["label", "Bergsma", "design", "interval"],
            [[own.label.name, *_cells(own.kept)] for own in findings],
        ),
        average=_percent(float(np.mean([_retention(own) for own in range(GENERATORS)]))),
        length_factor=f"{math.exp(_SLOPE):.2f}",
        replays=REPLAYS,
        replayed=replay_table(replays),
        verdict=verdict(replays),
        rounds=ROUNDS,
        coverage=coverage_table(simulated),
        estimates=estimate_table(simulated),
        told=told_table(apart),
        seconds=(
            f"{apart.documents:,} of {apart.in_all:,} documents, in whole specifications, take "
            f"{spent_on_texts.seconds:.0f} seconds "
            f"({spent_on_texts.cpu_seconds:.0f} of a processor) for both\nrows, V of all labels of "
            f"all documents {spent_on_labels.seconds:.0f} ({spent_on_labels.cpu_seconds:.0f})."
        ),
        machine=machine(),
    )
    with replacing(Path(__file__).with_suffix(".md")) as temporary:
        temporary.write_text(page, encoding="utf-8")


def passing(kept: int, written: int) -> str:
    """How many documents pass, and what follows."""
    if kept < written:
        return f"{kept:,} of {written:,} documents pass."
    return (
        f"All {written:,} documents pass. Each generator has the same specifications, so that "
        "every table is\nexactly independent. The limit is kept, which says no more than that "
        "these gates refuse nothing of\nthe lexical writer; what they could do is measured next."
    )


def corpus_of(pieces: GatedPieces) -> Corpus:
    """What a release would have of the documents."""
    gates = pieces.gate_table(SLICE)
    columns = ["model", "text", "spec_id", *(own.column for own in LABELS), "qc_passed"]
    parts = [own.filter(own["qc_passed"]) for own in pieces.tables(SLICE, columns)]
    kept = pa.concat_tables(parts)
    return Corpus(
        SLICE,
        "benchmark",
        kept.append_column("group", kept["spec_id"]),
        gates.append_column("group", gates["spec_id"]),
        0,
    )


_SLOPE = 0.35
_PLAIN = 0.815


def _retention(number: int) -> float:
    """Of a generator by its place: most keep nearly all, and the last ones little."""
    return float(0.95 - 0.6 * (number / (GENERATORS - 1)) ** 4)


def patterns() -> dict[str, Keep]:
    """How likely a document is kept, by its generator's number, category and length."""
    lengths = {own.id: place for place, own in enumerate(load_taxonomy().lengths)}
    few = {own.name for own in load_taxonomy().categories[:3]}
    middle = (len(lengths) - 1) / 2

    def by_length(number: int, category: str, length: str) -> float:
        own = _retention(number)
        slope = (0.0, _SLOPE, -_SLOPE)[number % 3] * (lengths[length] - middle)
        odds = own / (1 - own) * math.exp(slope)
        return odds / (1 + odds)

    def by_category(factor: float) -> Keep:
        return lambda number, category, length: (
            by_length(number, category, length)
            * (factor if category in few and number % 3 == 0 else 1.0)
        )

    return {
        "alike": lambda number, category, length: _PLAIN,
        "by generator": lambda number, category, length: _retention(number),
        "and length": by_length,
        "and category, a little": by_category(0.8),
        "and category, much": by_category(0.5),
    }


def replayed(gates: pa.Table, keep: Keep) -> dict[str, list[Strength]]:
    """V of some labels in each of the drawings of a pattern."""
    names = [own.name for own in plan_of().generators]
    places = {name: number for number, name in enumerate(names)}
    # Styles come by turns, so that the order of a pattern is none of styles.
    rows = zip(
        *(gates[own].to_pylist() for own in ("model", "lcgft_category", "target_length")),
        strict=True,
    )
    kept_at = np.array([keep(places[model], category, length) for model, category, length in rows])
    found: dict[str, list[Strength]] = {"class": [], "category": [], "target length": []}
    for replay in range(REPLAYS):
        own = gates.filter(pa.array(_drawn(gates.num_rows, replay) < kept_at))
        for label in LABELS:
            if label.name in found:
                columns = (own[name].to_pylist() for name in (label.column, "model", "spec_id"))
                strength = strength_of(crossing_of(*columns, several=False))
                assert isinstance(strength, Strength)
                found[label.name].append(strength)
    return found


def _drawn(number: int, replay: int) -> NDArray[np.float64]:
    draws = Draws(SEED, "replay", replay)
    return np.array([draws.uniform() for _ in range(number)])


def replay_table(replays: dict[str, dict[str, list[Strength]]]) -> str:
    """Mean V, and how many drawings keep to the limit."""
    rows = []
    for name, by_label in replays.items():
        for label, strengths in by_label.items():
            bergsma = [own.bergsma for own in strengths]
            design = [_value(own) for own in strengths]
            within = [sum(own <= LIMIT for own in values) for values in (bergsma, design)]
            rows.append(
                [
                    f"{name}: {label}",
                    f"{np.mean(bergsma):.4f}",
                    f"{within[0]}",
                    f"{np.mean(design):.4f}",
                    f"{min(design):.4f} to {max(design):.4f}",
                    f"{within[1]}",
                ]
            )
    head = ["pattern: label", "Bergsma", "within", "design", "least to most", "within"]
    return table(head, rows)


def verdict(replays: dict[str, dict[str, list[Strength]]]) -> str:
    """Whether the limit holds for class and category, pattern by pattern."""
    said = []
    for name, by_label in replays.items():
        most = {label: max(map(_value, by_label[label])) for label in ("class", "category")}
        above = [f"{label} (up to {own:.3f})" for label, own in most.items() if own > LIMIT]
        said.append(f"*{name}* {'breaks it for ' + ' and '.join(above) if above else 'keeps it'}")
    return textwrap.fill(
        f"The limit of {LIMIT} with the correction that fits the design: {'; '.join(said)}. Gates "
        "that reject generators unevenly do no harm by that alone, since V compares what share of "
        "a generator's documents each label has. What moves V of a label is a generator that loses "
        "more of some of its values than others do.",
        100,
    )


def _value(own: Strength) -> float:
    assert own.value is not None
    return own.value


def simulations(file: Path) -> dict[tuple[int, float], Covered]:
    """Every scene with every true V; those that the file has are not drawn again."""
    known: dict[str, Any] = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    wanted = [(place, truth) for place in range(len(SCENES)) for truth in TRUTHS]
    left = [key for key in wanted if _key(key) not in known]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for key, own in zip(left, pool.map(_simulated, left), strict=True):
            told(f"simulated {_key(key)}")
            known[_key(key)] = own
            write_json(file, known)
    return {key: Covered(*known[_key(key)]) for key in wanted}


def _key(key: tuple[int, float]) -> str:
    return f"{SCENES[key[0]]} {key[1]} {ROUNDS}"


def _simulated(key: tuple[int, float]) -> Covered:
    return covered(SCENES[key[0]], key[1], ROUNDS)


def coverage_table(simulated: dict[tuple[int, float], Covered]) -> str:
    """Coverage and width of every candidate."""
    rows = [
        [
            _shown(SCENES[place]),
            f"{truth:g}",
            *(f"{_percent(own.held[name])} ({own.width[name]:.3f})" for name in CANDIDATES),
        ]
        for (place, truth), own in simulated.items()
    ]
    return table(["generators x labels", "true V", *CANDIDATES], rows)


def estimate_table(simulated: dict[tuple[int, float], Covered]) -> str:
    """Mean of both estimates."""
    rows = [
        [_shown(SCENES[place]), f"{truth:g}", f"{own.bergsma:.4f}", f"{own.value:.4f}"]
        for (place, truth), own in simulated.items()
    ]
    return table(["generators x labels", "true V", "Bergsma", "design"], rows)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _shown(scene: Scene) -> str:
    return scene.words.replace("%", " %")


def told_table(own: ToldApart) -> str:
    """What the classifier gave."""
    return table(
        ["generators", "accuracy", "interval", "macro-F1"],
        [
            _told_row("as they are", own.accuracy, own.macro_f1),
            _told_row("dealt out anew (check)", own.shuffled_accuracy, own.shuffled_macro_f1),
            ["always the one with most documents", f"{own.largest:.3f}", "", ""],
            ["guessing", f"{own.even:.3f}", "", ""],
        ],
    )


def _told_row(name: str, accuracy: Score, f1: Score) -> Sequence[str]:
    assert accuracy.interval is not None
    low, high = accuracy.interval
    return [name, f"{accuracy.value:.3f}", f"{low:.3f} to {high:.3f}", f"{f1.value:.3f}"]


def _cells(own: Strength | str) -> Sequence[str]:
    if isinstance(own, str):
        return [own, "", ""]
    if own.value is None or own.interval is None:
        return [f"{own.bergsma:.4f}", "", "too few specifications"]
    low, high = own.interval
    return [f"{own.bergsma:.4f}", f"{own.value:.4f}", f"{low:.4f} to {high:.4f}"]


if __name__ == "__main__":
    main(sys.argv[1:])
