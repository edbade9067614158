"""Cells on disk, so that none is computed twice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from evaluate_shelf.bounded import Line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import cache_folder, sha256_of_json, write_json
from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.strict_yaml import Row
from evaluate_shelf.runs.environment import versions_of
from evaluate_shelf.transfer_matrix.cell import ResampledCell
from evaluate_shelf.transfer_matrix.samples import Sample

# Counts the changes of this package that change a cell.
_VERSION = 1
_LARGEST_FILE = 20 * 2**20
_LIBRARIES = ("evaluate-shelf", "numpy", "scipy", "scikit-learn", "torch", "transformers")


def default_work() -> Path:
    """Where cells are kept; removing it costs time and nothing else."""
    return cache_folder() / "transfer-matrix"


class DamagedCellError(ShelfError):
    """A stored cell is not what was written; it has to be computed again."""


class StoredCell(Row):
    """What the file of a cell holds.

    Attributes
    ----------
    form : int
        Of the file.
    sha256 : str
        Of the cell, its replicates and all that it depends on: a file that was changed, or lies
        under another one's name, has another.
    resampled : ResampledCell
    """

    form: Literal[2]
    sha256: Line
    resampled: ResampledCell


@dataclass(frozen=True)
class CellStore:
    """A file for each cell that is done.

    Attributes
    ----------
    folder : pathlib.Path
        It need not be there.
    identity : ModelIdentity
    protocol : Protocol
        Together with the samples, all that a cell depends on.
    """

    folder: Path
    identity: ModelIdentity
    protocol: Protocol

    def found(self, train: Sample, test: Sample) -> ResampledCell | None:
        """The cell, under the names that the samples have now; None where it is not done.

        Raises
        ------
        DamagedCellError
            If its file is not what `keep` wrote. Computed again, the cell replaces it.
        ShelfError
            If its file cannot be read.
        """
        key = self._key(train, test)
        file = self._file(key)
        try:
            if file.stat().st_size > _LARGEST_FILE:
                raise DamagedCellError(f"{file}: larger than {_LARGEST_FILE:,} bytes")
            kept = StoredCell.model_validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise DamagedCellError(f"{file}: not the form of a stored cell") from error
        except OSError as error:
            raise ShelfError(
                f"{file}: the stored cell cannot be read: {error.strerror}; remove it, or give "
                "another --work"
            ) from error
        if kept.sha256 != _sha256(key, kept.resampled):
            raise DamagedCellError(f"{file}: not the cell that its hash is of")
        named = kept.resampled.cell.model_copy(update={"train": train.name, "test": test.name})
        return kept.resampled.model_copy(update={"cell": named})

    def keep(self, train: Sample, test: Sample, cell: ResampledCell) -> None:
        """Write a cell, with the hash that it is checked against when it is read again."""
        key = self._key(train, test)
        stored = StoredCell(form=2, sha256=_sha256(key, cell), resampled=cell)
        write_json(self._file(key), stored.model_dump(mode="json"))

    def _file(self, key: dict[str, Any]) -> Path:
        return self.folder / f"{sha256_of_json(key)[:40]}.json"

    def _key(self, train: Sample, test: Sample) -> dict[str, Any]:
        """All that a cell depends on."""
        return {
            "version": _VERSION,
            "model": [self.identity.spec, self.identity.revision, self.identity.settings],
            "protocol": self.protocol.key,
            # Of the size, the samples' numbers of documents say all.
            "settings": train.settings.model_dump(mode="json", exclude={"size"}),
            "train": train.key,
            "test": test.key,
            "libraries": versions_of(_LIBRARIES),
        }


def _sha256(key: dict[str, Any], resampled: ResampledCell) -> str:
    return sha256_of_json({"key": key, "resampled": resampled.model_dump(mode="json")})
