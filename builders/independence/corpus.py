"""A config's documents as independence is measured on them: generator, labels, specification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from builders.gates.report import DOCUMENTS
from builders.gates.table import VERDICTS
from builders.independence.labels import LABELS, is_label
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.release.documents import Release
from evaluate_shelf.release.manifest import MANIFEST, ConfigEntry
from evaluate_shelf.release.source import folder_here, release_folder, snapshot

_CORE = "v0_4_core"


@dataclass(frozen=True)
class Corpus:
    """Documents that generators wrote.

    Attributes
    ----------
    config : str
        Of the release.
    release_id : str
    kept : pyarrow.Table
        The config's documents: `model`, `text`, `group` and the labels that it has.
    written : pyarrow.Table or None
        A row for each document that was written for it, with the columns of the gates' report and
        `group`; None where the release has no such report.
    without_generator : int
        Documents of the config that are left out, since they name no generator.
    """

    config: str
    release_id: str
    kept: pa.Table
    written: pa.Table | None
    without_generator: int


def corpus_of(source: str, config: str | None) -> Corpus:
    """Read a config of a release, and what its gates said.

    Parameters
    ----------
    source : str
        A folder, or a dataset of the Hub.
    config : str or None
        A config of documents; None for `v0_4_core`, or else the release's default one.

    Raises
    ------
    ShelfError
        If there is no such release or config, a file is damaged or was changed, a column is
        missing, or fewer than two generators wrote the documents.
    """
    release = _release(source, config)
    name = config or _chosen(release)
    entry = release.config(name)
    place = f"{release.folder}: config {name!r}"
    if entry.kind != "documents":
        raise ShelfError(f"{place} holds {entry.kind}; name a config of documents with --config")
    documents = _documents(release, name, entry, place)
    named = documents.filter(pc.is_valid(documents["model"]))
    generators = pc.unique(named["model"]).to_pylist()
    if len(generators) < 2:
        who = f"{generators[0]!r} alone" if generators else "no generator"
        raise ShelfError(
            f"{place}: its {documents.num_rows:,} documents name {who}; whether labels depend on "
            "the generator takes two or more; name another config with --config"
        )
    return Corpus(
        name,
        release.manifest.release_id,
        named,
        _written(release, named, name),
        documents.num_rows - named.num_rows,
    )


def _release(source: str, config: str | None) -> Release:
    if folder_here(source) is not None:
        return Release.open(release_folder(source))
    name = config or _chosen(Release.open(release_folder(source)))
    return Release.open(snapshot(source, [MANIFEST, DOCUMENTS, f"data/{name}/*"]))


def _chosen(release: Release) -> str:
    return _CORE if _CORE in release.manifest.configs else release.manifest.default_config


def _documents(release: Release, name: str, entry: ConfigEntry, place: str) -> pa.Table:
    missing = [own for own in ("id", "model", "text") if own not in entry.columns]
    if missing:
        raise ShelfError(
            f"{place} has no column {missing[0]!r}, which says "
            f"{_SAYS[missing[0]]}; name another config with --config"
        )
    parts = []
    for split, rows in release.manifest.rows_of(name).items():
        if not rows:
            continue
        own = release.documents(name, split)
        labels = {
            label.column: own.table[label.column]
            for label in LABELS
            if label.column in own.table.column_names
        }
        for label in LABELS:
            if label.column in labels and not is_label(labels[label.column].type, label):
                raise ShelfError(
                    f"{place}, column {label.column!r}: holds "
                    f"{labels[label.column].type}, not {'lists of ' * label.several}text"
                )
        columns = {"model": own.arrow("model"), "text": own.arrow("text"), **labels}
        parts.append(pa.table({**columns, "group": pa.array(own.groups, pa.string())}))
    if not parts:
        raise ShelfError(f"{place} has no documents; name another config with --config")
    return pa.concat_tables(parts)


_SAYS = {
    "id": "which document is which",
    "model": "who wrote a document",
    "text": "what a document says",
}


def _written(release: Release, kept: pa.Table, name: str) -> pa.Table | None:
    """Rows of the gates' report that are of the config: of its slice, or of all that it pools."""
    file = release.manifest.other_files.get(DOCUMENTS)
    if file is None:
        return None
    table = _report(release.folder / DOCUMENTS, file.sha256)
    slices = pc.unique(table["slice"]).to_pylist()
    if name in slices:
        table = table.filter(pc.equal(table["slice"], name))
    elif name != "all":
        return None
    group = pc.coalesce(table["spec_id"], table["id"])
    return table.append_column("group", group) if table.num_rows else None


def _report(path: Path, sha256: str) -> pa.Table:
    if not path.is_file():
        raise ShelfError(f"{path}: the file is missing; rebuild the release")
    if sha256_of_file(path) != sha256:
        raise ShelfError(f"{path}: its bytes are not those of the manifest; rebuild the release")
    wanted = _wanted()
    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise ShelfError(f"{path}: no Parquet file that can be read; rebuild it") from error
    for column in wanted:
        if column not in table.column_names:
            raise ShelfError(f"{path}: has no column {column!r}; rebuild the release")
    table = table.select(wanted)
    for column in ("model", "slice", "passed", *VERDICTS):
        if table[column].null_count:
            raise ShelfError(f"{path}, field {column!r}: a row has no value; rebuild the release")
    return table


def _wanted() -> Sequence[str]:
    labels = [own.column for own in LABELS if not own.several]
    return ["id", "slice", "model", "spec_id", *labels, *VERDICTS, "passed"]
