"""The matrix: what is in it, and how it is read again."""

from __future__ import annotations

from itertools import combinations, product
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from evaluate_shelf.bounded import ConfigName, Line, Reason
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.printable import one_line
from evaluate_shelf.registry.protocol_settings import BootstrapSettings
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.registry.strict_yaml import Row
from evaluate_shelf.transfer_matrix.cell import Cell, Number, ResampledCell, interval_of
from evaluate_shelf.transfer_matrix.samples import Sample
from evaluate_shelf.transfer_matrix.settings import FIELD, Settings

_LARGEST_FILE = 20 * 2**20
_ADVICE = "`shelf transfer-matrix ... --out FILE.json` makes one"

Gap = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]


class ModelNamed(Row):
    """The model whose vectors the probes read; see `ModelIdentity`."""

    name: Line
    spec: Reason
    kind: Line
    revision: Line


class CorpusFacts(Row):
    """A corpus of the matrix.

    Attributes
    ----------
    name : str
        As the user calls it.
    release_id, config, content_sha256 : str
        What it is.
    grouped_by : str or None
        The column of the groups that the split keeps together; None where each class is split by
        itself.
    n, unlabelled, used : int
        Documents in all, those without a class, and those of the sample.
    n_train, n_test : int
        Documents of the sample's parts.
    classes, classes_tested : tuple of str
        In the sample, and in the part that is tested on.
    """

    name: Line
    release_id: Line
    config: ConfigName
    content_sha256: Line
    grouped_by: Line | None
    n: Number
    unlabelled: Number
    used: Number
    n_train: Number
    n_test: Number
    classes: tuple[Line, ...]
    classes_tested: tuple[Line, ...]


class Difference(Row):
    """How much better one corpus is to learn from than another, tested on the same documents.

    Attributes
    ----------
    test, first, second : str
        Names of the corpora.
    value : float
        Macro-F1 of the probe from `first` less that of the one from `second`.
    low, high : float or None
        Its interval, from the same resamples of both.
    """

    test: Line
    first: Line
    second: Line
    value: Gap
    low: Gap | None
    high: Gap | None


class Matrix(Row):
    """Macro-F1 of probes, each from one corpus, on all corpora.

    Attributes
    ----------
    label_field : str
        What is predicted.
    model : ModelNamed
    settings : Settings
    protocol : str
        SHA-256 of the protocol.
    bootstrap : BootstrapSettings
        Of the intervals.
    corpora : tuple of CorpusFacts
        In the order of rows and columns.
    cells : tuple of Cell
        Row by row.
    differences : tuple of Difference
        Column by column, every two rows.
    """

    label_field: Line
    model: ModelNamed
    settings: Settings
    protocol: Line
    bootstrap: BootstrapSettings
    corpora: tuple[CorpusFacts, ...]
    cells: tuple[Cell, ...]
    differences: tuple[Difference, ...]

    @property
    def names(self) -> list[str]:
        """Names of the corpora, in order."""
        return [corpus.name for corpus in self.corpora]

    def cell(self, train: str, test: str) -> Cell:
        """The cell of two corpora.

        Raises
        ------
        ShelfError
            If the matrix has none.
        """
        for cell in self.cells:
            if (cell.train, cell.test) == (train, test):
                return cell
        raise ShelfError(f"no cell {train!r} to {test!r}; corpora are {', '.join(self.names)}")


def matrix_of(
    samples: tuple[Sample, ...],
    cells: tuple[ResampledCell, ...],
    identity: ModelIdentity,
    protocol: Protocol,
) -> Matrix:
    """Put cells together.

    Parameters
    ----------
    samples : tuple of Sample
        In the order of rows and columns.
    cells : tuple of ResampledCell
        Row by row.
    identity : ModelIdentity
    protocol : Protocol
    """
    level = protocol.bootstrap.level
    return Matrix(
        label_field=FIELD,
        model=ModelNamed(
            name=identity.name, spec=identity.spec, kind=identity.kind, revision=identity.revision
        ),
        settings=samples[0].settings,
        protocol=protocol.key,
        bootstrap=protocol.bootstrap,
        corpora=tuple(map(_facts_of, samples)),
        cells=tuple(cell.cell for cell in cells),
        differences=tuple(
            _difference(first, second, level)
            for sample in samples
            for first, second in combinations([c for c in cells if c.cell.test == sample.name], 2)
        ),
    )


def read_matrix(file: Path) -> Matrix:
    """Read a matrix that `shelf transfer-matrix --out FILE.json` wrote.

    Raises
    ------
    ShelfError
        If the file is none, is not there, or lacks a cell.
    """
    try:
        if file.stat().st_size > _LARGEST_FILE:
            raise ShelfError(
                f"{file}: larger than {_LARGEST_FILE:,} bytes, so no matrix; {_ADVICE}"
            )
        matrix = Matrix.model_validate_json(file.read_bytes())
    except FileNotFoundError as error:
        raise ShelfError(f"{file}: no such file; {_ADVICE}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        reason = one_line(f"{place}: {first['msg']}", 300)
        raise ShelfError(f"{file}: no transfer matrix: {reason}; {_ADVICE}") from error
    expected = list(product(matrix.names, repeat=2))
    found = [(cell.train, cell.test) for cell in matrix.cells]
    if not expected or len(set(expected)) < len(expected) or found != expected:
        raise ShelfError(
            f"{file}: no transfer matrix: its cells are not one for every two corpora; {_ADVICE}"
        )
    return matrix


def _facts_of(sample: Sample) -> CorpusFacts:
    data = sample.corpus.data
    n = len(sample.corpus.documents)
    return CorpusFacts(
        name=sample.name,
        release_id=data.release.manifest.release_id,
        config=data.config,
        content_sha256=data.content_sha256,
        grouped_by=sample.grouped_by,
        n=n,
        unlabelled=n - sample.labelled,
        used=len(sample.used),
        n_train=len(sample.parts.train),
        n_test=len(sample.parts.test),
        classes=tuple(sorted(set(sample.labels.tolist()))),
        classes_tested=tuple(sorted(set(sample.labels_of("test")))),
    )


def _difference(first: ResampledCell, second: ResampledCell, level: float) -> Difference:
    pairs = zip(first.replicates, second.replicates, strict=True)
    found = interval_of([one - other for one, other in pairs], level)
    return Difference(
        test=first.cell.test,
        first=first.cell.train,
        second=second.cell.train,
        value=first.cell.macro_f1 - second.cell.macro_f1,
        low=found and found.low,
        high=found and found.high,
    )
