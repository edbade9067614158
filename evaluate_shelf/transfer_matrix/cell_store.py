"""Cells on disk, so that none is computed twice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import cache_folder, sha256_of_json, write_json
from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.runs.environment import versions_of
from evaluate_shelf.transfer_matrix.cell import ResampledCell
from evaluate_shelf.transfer_matrix.samples import Sample

# Counts the changes of this package that change a cell.
_VERSION = 1
_LIBRARIES = ("evaluate-shelf", "numpy", "scipy", "scikit-learn", "torch", "transformers")


def default_work() -> Path:
    """Where cells are kept; removing it costs time and nothing else."""
    return cache_folder() / "transfer-matrix"


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
        ShelfError
            If its file is not one that was written here.
        """
        file = self._file(train, test)
        try:
            kept = ResampledCell.model_validate_json(file.read_bytes())
        except FileNotFoundError:
            return None
        except ValidationError as error:
            raise ShelfError(f"{file}: the stored cell is damaged; remove this file") from error
        named = kept.cell.model_copy(update={"train": train.name, "test": test.name})
        return kept.model_copy(update={"cell": named})

    def keep(self, train: Sample, test: Sample, cell: ResampledCell) -> None:
        """Write a cell."""
        write_json(self._file(train, test), cell.model_dump(mode="json"))

    def _file(self, train: Sample, test: Sample) -> Path:
        key = {
            "version": _VERSION,
            "model": [self.identity.spec, self.identity.revision, self.identity.settings],
            "protocol": self.protocol.key,
            # Of the size, the samples' numbers of documents say all.
            "settings": train.settings.model_dump(mode="json", exclude={"size"}),
            "train": train.key,
            "test": test.key,
            "libraries": versions_of(_LIBRARIES),
        }
        return self.folder / f"{sha256_of_json(key)[:40]}.json"
