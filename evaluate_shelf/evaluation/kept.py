"""What a run kept, read beside the release that it was scored on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ItemsError, ShelfError
from evaluate_shelf.evaluation.request import read_configs
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.folder import how_to_mend
from evaluate_shelf.runs.reading import Run


def check_can_be_scored(run: Run, release: Release) -> None:
    """Refuse a run whose items say nothing about the labels of this release.

    Raises
    ------
    ShelfError
        If the run is from another release, or its items are in an earlier form.
    """
    _check_release(run, release)
    if run.file.run_version < 2:
        raise ShelfError(
            f"{run.folder}: its items are in the form of an earlier version, which is no longer "
            "scored; evaluate the model again"
        )


def protocol_of(run: Run) -> Protocol:
    """The protocol that a run was made under.

    Raises
    ------
    ShelfError
        If this installation has another version of it.
    """
    protocol = load_protocol(run.file.protocol.id)
    if (protocol.key, protocol.version) != (run.file.protocol.key, run.file.protocol.version):
        raise ShelfError(
            f"{run.folder}: it was made under version {run.file.protocol.version} of the protocol "
            f"{protocol.id!r}, and this installation has version {protocol.version}; evaluate the "
            "model again"
        )
    return protocol


def config_read(run: Run, release: Release, task: Task) -> str:
    """The release's config that a task of a run read: of documents, or of pairs."""
    config = run.file.data.config
    if task.formulation == "pair_classification":
        return release.pairs_of(config, task.config) or config
    return config


def items_path(run: Run, task: Task) -> Path:
    """File of a task's item rows, if it is the one whose hash `run.json` names.

    Raises
    ------
    ShelfError
        As `Run.checked`.
    """
    return run.checked(f"items/{task.id}.parquet")


@contextmanager
def scoring(path: Path) -> Iterator[pa.Table]:
    """Give the item rows of a file; what scoring them raises names that file.

    Yields
    ------
    pyarrow.Table
        The rows.

    Raises
    ------
    ItemsError
        If the file cannot be read, or no score follows from its rows.
    """
    try:
        yield _read(path)
    except ItemsError as error:
        reason = str(error)
    except (KeyError, ValueError, TypeError, IndexError, pa.ArrowException) as error:
        reason = one_line(f"{type(error).__name__}: {error}", 300)
    else:
        return
    raise ItemsError(
        f"{path}: no score follows from it: {reason}; {how_to_mend(path.parent.parent)}"
    )


def _read(path: Path) -> pa.Table:
    try:
        return pq.read_table(path)
    except OSError as error:  # what pyarrow raises for some of the damage that a file may have
        raise ItemsError(f"it cannot be read as Parquet: {one_line(str(error), 200)}") from error


def _check_release(run: Run, release: Release) -> None:
    if run.file.data.config not in run.file.data.content_sha256:
        raise ShelfError(
            f"{run.folder}: its run.json does not say which rows it was scored on; "
            f"{how_to_mend(run.folder)}"
        )
    missing = read_configs(release, run.file.data.config) - set(run.file.data.content_sha256)
    if missing:
        raise ShelfError(
            f"{run.folder}: its run.json does not say which rows of {min(missing)!r} it was scored "
            f"on; {how_to_mend(run.folder)}"
        )
    for config, digest in run.file.data.content_sha256.items():
        entry = release.manifest.configs.get(config)
        if entry is None or entry.content_sha256 != digest:
            raise ShelfError(
                f"{run.folder}: it was scored on release {run.file.data.release_id}, whose config "
                f"{config!r} has other rows than that of {release.folder} (release "
                f"{release.manifest.release_id}); name that one with --data, or evaluate the model "
                "on this one"
            )
