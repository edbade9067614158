"""MARC files written again with the classes that their records were given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluate_shelf import __version__
from evaluate_shelf.application.catalogue_files import CatalogueFiles
from evaluate_shelf.application.targets import target_file
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.records.marc_files import marc_file
from evaluate_shelf.records.marc_output import with_classes
from evaluate_shelf.records.report import RecordReport
from evaluate_shelf.runs.schema import RunFile

Classes = dict[int, tuple[str, float]]
"""Class and probability by the record's position in its file."""


@dataclass(frozen=True)
class MarcCopy:
    """A MARC file that was written.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    records, classed : int
        Its records, and those of them with a class from the run.
    report : RecordReport
        What it lacks, as `unread`.
    """

    path: Path
    records: int
    classed: int
    report: RecordReport

    def to_dict(self) -> dict[str, Any]:
        """Everything, as values of JSON."""
        unread = self.report.to_dict()["unread"]
        for found in unread.values():
            for example in found["examples"]:
                example["file"] = one_line(example["file"])
        return {
            "path": one_line(str(self.path)),
            "records": self.records,
            "classed": self.classed,
            "not_written": unread,
        }


def copy_paths(files: CatalogueFiles, target: Path) -> tuple[Path, ...]:
    """Where the copies go, one for each file.

    Parameters
    ----------
    files : CatalogueFiles
        What is read.
    target : pathlib.Path
        A file's copy, or the folder for the copies of several, which keep their names.

    Returns
    -------
    tuple of pathlib.Path
        In the order of the files.

    Raises
    ------
    ShelfError
        If the records are no MARC, the name says another form than the file's, two files have
        one name, or a name is that of a folder, a pipe or a device.
    """
    if not files.are_marc:
        raise ShelfError(f"--marc {target}: {files.paths[0]} is a table; only MARC has fields")
    if len(files.paths) > 1:
        if target.exists() and not target.is_dir():
            raise ShelfError(f"--marc {target}: for several MARC files name a folder")
        copies = tuple(target / path.name for path in files.paths)
        if len(set(copies)) < len(copies):
            raise ShelfError(f"--marc {target}: two of the MARC files have one name")
        return tuple(map(target_file, copies))
    target = target_file(target)
    (path,) = files.paths
    is_xml = marc_file(path).is_xml
    named_xml = target.name.lower().removesuffix(".gz").endswith(".xml")
    if is_xml != named_xml:
        form = "MARCXML, so name a file that ends in .xml" if is_xml else "binary, so name no .xml"
        raise ShelfError(f"--marc {target}: a copy has the form of its original, here {form}")
    return (target,)


def write_copies(
    files: CatalogueFiles, copies: Sequence[Path], classes: Mapping[int, Classes], run: RunFile
) -> tuple[MarcCopy, ...]:
    """Write the copies.

    Parameters
    ----------
    files : CatalogueFiles
        What was read.
    copies : sequence of pathlib.Path
        From `copy_paths`.
    classes : mapping of int to Classes
        By the number of the file.
    run : RunFile
        Named in every new field.

    Returns
    -------
    tuple of MarcCopy
        In the order of the files.
    """
    process = _printable(f"evaluate-shelf {__version__}, {run.model.name}, run {run.run_id}")
    written = []
    for number, (path, copy) in enumerate(zip(files.paths, copies, strict=True)):
        result = with_classes(path, classes.get(number, {}), copy, process=process)
        written.append(MarcCopy(copy, result.records, result.classed, result.report))
    return tuple(written)


def _printable(name: str) -> str:
    """A name in the characters that every MARC encoding has.

    Examples
    --------
    >>> _printable("modèle, run 1")
    'mod?le, run 1'
    """
    return name.encode("ascii", "replace").decode("ascii")[:200]
