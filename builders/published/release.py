"""A published release, checked as far as can be before anything is taken over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from builders.published.batches import check_columns
from builders.published.card import CARD
from builders.published.corpora import BOOKS, RECORDS, SLICES
from builders.published.corpora import taken as taken_as
from builders.published.counts import OTHER, UNCHECKED, Comparison, compared
from builders.published.files import SourceFile, SourceFiles, find_files, shortened_list
from builders.published.findings import Findings
from builders.published.ids import check_ids
from builders.published.source import Source, open_source
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file, sha256_of_json
from evaluate_shelf.registry.corpora import load_corpora

TAKEN = (*SLICES, BOOKS, RECORDS)
"""The configs that are taken over; all others follow from them."""

_PUBLISHER = "published by M. J. Bommarito II, CC BY 4.0"


@dataclass(frozen=True)
class PublishedRelease:
    """A published release.

    Attributes
    ----------
    source : Source
        Where it lies and what its card says.
    files : SourceFiles
        Its files.
    comparisons : tuple of Comparison
        Its rows against its card.
    wanted : tuple of str
        The configs of `TAKEN` that are to be taken over.
    digests : dict of str to str
        Hash of the files of each config that is taken over.
    """

    source: Source
    files: SourceFiles
    comparisons: tuple[Comparison, ...]
    wanted: tuple[str, ...]
    digests: dict[str, str]

    @property
    def taken(self) -> tuple[str, ...]:
        """The configs that are taken over, of those that it has."""
        return tuple(name for name in self.wanted if name in self.files.of_config)

    @property
    def origin(self) -> str:
        """Where it comes from, for a manifest."""
        of = self.source.revision or f"a folder with files {sha256_of_json(self.digests)[:12]}"
        return one_line(f"imported from {of}, {_PUBLISHER}", 300)

    def files_of(self, config: str) -> tuple[SourceFile, ...]:
        """The files of a config."""
        return self.files.of_config[config]

    def rows_in_card(self, config: str) -> int | None:
        """How many rows the card declares for a config."""
        own = self.source.configs.get(config)
        if own is None or own.declared is None:
            return None
        return own.declared.total or sum(own.declared.splits.values())

    def table(self) -> str:
        """The comparison of files and card as tab-separated values."""
        lines = ["config\tsplit\tcard\tfiles\toutcome\tuse"]
        for own in self.comparisons:
            use = "taken over" if own.config in self.taken else "not taken over"
            counts = ("" if rows is None else str(rows) for rows in (own.declared, own.found))
            lines.append("\t".join((own.config, own.split, *counts, own.outcome, use)))
        return "\n".join(lines) + "\n"


def open_published(
    source: str, wanted: Sequence[str] = TAKEN, *, accept_counts: bool = False
) -> PublishedRelease:
    """Find a published release and check what does not need its texts.

    Parameters
    ----------
    source : str
        A folder, or a Hub dataset id, `owner/name@revision`.
    wanted : sequence of str, default=TAKEN
        What is to be taken over of `TAKEN`.
    accept_counts : bool, default=False
        Take it even where its rows are not as many as its card says.

    Returns
    -------
    PublishedRelease
        With at least one config that can be taken over.

    Raises
    ------
    ShelfError
        If it cannot be read, its rows are not as many as its card says, a column is missing, an
        id stands twice, or nothing in it can be taken over.
    """
    wanted = tuple(name for name in TAKEN if name in wanted)
    found = open_source(source, wanted)
    files = find_files(found.folder, found.configs)
    comparisons = tuple(
        own
        for name, config in found.configs.items()
        for own in compared(config, files.rows(name), is_needed=name in wanted)
    )
    wrong = [str(own) for own in comparisons if own.outcome == OTHER]
    if wrong and not accept_counts:
        raise ShelfError(
            f"{found.folder / CARD}: the files do not have the rows that the card says: "
            f"{'; '.join(wrong)}; fetch the release again, or take it as it is with --accept-counts"
        )
    taken = [name for name in wanted if name in files.of_config]
    if not taken:
        raise ShelfError(
            f"{found.folder}: its card names no files of {', '.join(wanted)}: there is nothing to "
            "take over"
        )
    for name in taken:
        check_columns(taken_as(name), files.of_config[name], Findings())
    check_ids([file for name in taken if name in SLICES for file in files.of_config[name]])
    for name in (BOOKS, RECORDS):
        if name in taken:
            check_ids(files.of_config[name])
    digests = {name: _digest(files.of_config[name]) for name in taken}
    return PublishedRelease(found, files, comparisons, wanted, digests)


def remarks(release: PublishedRelease, rebuilt: Sequence[str]) -> Iterator[str]:
    """What the user should be told of a release: what is missing, foreign, or could not be checked.

    Parameters
    ----------
    release : PublishedRelease
        The release.
    rebuilt : sequence of str
        The configs that are made from those that are taken over.
    """
    yield from release.source.warnings
    configs, of_config = release.source.configs, release.files.of_config
    for name in release.wanted:
        if name not in of_config:
            why = "its card names no files that are there" if name in configs else "no such config"
            yield f"{name}: not imported: {why}"
    for name in configs:
        if name not in TAKEN:
            what = "rebuilt, not taken over" if name in rebuilt else "not a config of this project"
            yield f"{name}: {what}"
    if release.files.unknown:
        yield (
            f"{len(release.files.unknown)} Parquet files that the card does not name are left out: "
            f"{shortened_list(release.files.unknown)}"
        )
    for own in release.comparisons:
        if own.outcome == OTHER:
            yield f"taken as it is: {own}"
    unchecked = tuple(
        f"{own.config} ({own.split})" for own in release.comparisons if own.outcome == UNCHECKED
    )
    if unchecked:
        yield f"rows not checked, as the card gives no number: {shortened_list(unchecked)}"
    for name in release.taken:
        rows, known = sum(release.files.rows(name).values()), load_corpora()[name]
        if rows != known.published_documents:
            yield (
                f"{name}: {rows} rows; the release that this project knows has "
                f"{known.published_documents}"
            )


def _digest(files: Sequence[SourceFile]) -> str:
    return sha256_of_json(
        [[file.split, file.path.name, sha256_of_file(file.path)] for file in files]
    )
