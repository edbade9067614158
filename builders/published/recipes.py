"""How every config is made from a published release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from builders.build import with_needed
from builders.published.books import import_books
from builders.published.corpora import BOOKS, RECORDS, SLICES
from builders.published.counts import OTHER
from builders.published.pool import import_pool
from builders.published.records import import_records
from builders.published.release import TAKEN, PublishedRelease
from builders.published.slices import import_slice
from builders.published.taking import report_path
from builders.recipes import Make, Recipe, recipes, recipes_on
from builders.request import Bench, Made
from builders.staging.config import StagedConfig
from builders.staging.resume import content_id
from evaluate_shelf.registry.generation import load_plan

CARD_REPORT = "reports/import_card.tsv"


def imported_recipes(release: PublishedRelease) -> dict[str, Recipe]:
    """Every config that follows from a published release.

    Its corpora are taken over; its pool and its pairs are not, and are made as ever, with a note
    of what was published under their names.

    Parameters
    ----------
    release : PublishedRelease
        A release.

    Returns
    -------
    dict of str to Recipe
        By config, each behind those that it needs.
    """
    slices: dict[str, Make] = {
        name: partial(_slice, release, name) for name in SLICES if name in release.taken
    }
    makers: dict[str, Make] = {BOOKS: partial(_books, release), RECORDS: partial(_records, release)}
    natural = {name: make for name, make in makers.items() if name in release.taken}
    known = recipes_on(slices, partial(_pool, release, tuple(slices)), natural)
    return {
        name: recipe._replace(make=partial(_noted, release, recipe.make))
        for name, recipe in known.items()
    }


def corpora_for(configs: Sequence[str]) -> tuple[str, ...]:
    """The configs to take over for some configs to be made; all of them for none.

    Raises
    ------
    ShelfError
        If a name is not a config that can be made.

    Examples
    --------
    >>> corpora_for(["transfer_gutenberg_same_lcc_pairs"])
    ('transfer_gutenberg',)
    """
    if not configs:
        return TAKEN
    # What needs what is the same in every plan that has all slices.
    known = recipes(load_plan("standard"))
    return tuple(name for name in with_needed(configs, known) if name in TAKEN)


def _slice(release: PublishedRelease, name: str, bench: Bench) -> Made:
    files = release.files_of(name)
    return _imported(
        release,
        name,
        bench,
        lambda: import_slice(
            name, files, release.origin, staging=bench.staging, progress=bench.progress
        ),
    )


def _books(release: PublishedRelease, bench: Bench) -> Made:
    return _imported(
        release,
        BOOKS,
        bench,
        lambda: import_books(
            release.files_of(BOOKS),
            release.origin,
            seed=bench.request.seed,
            staging=bench.staging,
            progress=bench.progress,
        ),
    )


def _records(release: PublishedRelease, bench: Bench) -> Made:
    return _imported(
        release,
        RECORDS,
        bench,
        lambda: import_records(
            release.files_of(RECORDS),
            release.origin,
            staging=bench.staging,
            progress=bench.progress,
        ),
    )


def _imported(
    release: PublishedRelease, name: str, bench: Bench, build: Callable[[], StagedConfig]
) -> Made:
    made = bench.finished(name, [release.origin, release.digests[name]], build)
    report = report_path(name, bench.staging).read_bytes()
    reports = {f"reports/{name}_import.tsv": report, CARD_REPORT: release.table().encode("utf-8")}
    return replace(made, reports=reports)


def _pool(release: PublishedRelease, slices: tuple[str, ...], bench: Bench) -> Made:
    sources = [bench.built[name] for name in slices]
    inputs = [release.origin, *([source.name, content_id(source)] for source in sources)]
    return bench.finished(
        "all", inputs, lambda: import_pool(sources, release.origin, bench.staging)
    )


def _noted(release: PublishedRelease, make: Make, bench: Bench) -> Made:
    made = make(bench)
    return replace(made, configs=tuple(_with_notes(release, config) for config in made.configs))


def _with_notes(release: PublishedRelease, config: StagedConfig) -> StagedConfig:
    """A config that is rebuilt, or has other rows than its card says, says so."""
    if config.name not in release.source.configs:
        return config
    if config.name in TAKEN:
        notes = [
            f"Taken as it is, though its card says otherwise: {own}"
            for own in release.comparisons
            if own.config == config.name and own.outcome == OTHER
        ]
    else:
        notes = [_rebuilt(release, config)]
    return replace(config, info=replace(config.info, notes=(*notes, *config.info.notes)))


def _rebuilt(release: PublishedRelease, config: StagedConfig) -> str:
    rows = sum(release.files.rows(config.name).values()) or release.rows_in_card(config.name)
    published = "an unknown number of" if rows is None else rows
    why = (
        "its ids tell labels, and nothing bounds how often it uses a document"
        if config.info.kind == "pairs"
        else "it follows from other configs"
    )
    return (
        f"Rebuilt: {config.rows()} rows; the published config of this name, with {published} rows, "
        f"is not taken over, since {why}."
    )
