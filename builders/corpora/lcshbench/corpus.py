"""From LCSHBench's two files to rows with splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from builders.corpora.lcshbench.dev_split import dev_splits
from builders.corpora.lcshbench.records import Damage, Record, read_records
from builders.corpora.lcshbench.report import LcshbenchReport
from builders.corpora.lcshbench.works import work_groups
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.registry.taxonomy_rows import SubjectClass
from evaluate_shelf.release.manifest import SPLITS, Split

_LANGUAGE = "English"
_FEWEST_CLASSES = 2
_SHOWN = 40


def lcshbench_files(folder: Path) -> tuple[Path, Path]:
    """Find the dev and the test file in a folder.

    Parameters
    ----------
    folder : pathlib.Path
        A download of the dataset `kltng/lcshbench`, or a folder with the two files alone.

    Returns
    -------
    tuple of pathlib.Path and pathlib.Path
        `dev/dev.jsonl` or `dev.jsonl`, and `test/test.jsonl` or `test.jsonl`, each plain or with
        `.gz`.

    Raises
    ------
    ShelfError
        One of them is not there.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("dev.jsonl.gz", "test.jsonl"):
    ...     (folder / name).touch()
    >>> [path.name for path in lcshbench_files(folder)]
    ['dev.jsonl.gz', 'test.jsonl']
    """
    return _file_of(folder, "dev"), _file_of(folder, "test")


def _file_of(folder: Path, side: str) -> Path:
    for name in (f"{side}/{side}.jsonl", f"{side}.jsonl"):
        for ending in ("", ".gz"):
            path = folder / (name + ending)
            if path.is_file():
                return path
    raise ShelfError(
        f"{folder}: there is no {side}/{side}.jsonl and no {side}.jsonl, plain or .gz; give the "
        "folder of the dataset kltng/lcshbench"
    )


def lcshbench_rows(
    dev: Path, test: Path, *, seed: int
) -> tuple[list[dict[str, Any]], list[Split], LcshbenchReport]:
    """Read LCSHBench into rows of `transfer_lcshbench`, each with its split.

    Kept are records in English, with a class among the 21 and a text. The records of the test
    file are test; those of the dev file are train and validation, except for those whose work is
    in test. A class that is then in one of the files alone is dropped.

    Parameters
    ----------
    dev, test : pathlib.Path
        LCSHBench's `dev.jsonl` and `test.jsonl`, plain or gzip.
    seed : int
        Of the split of the dev file.

    Returns
    -------
    rows : list of dict
        One a record, with the columns of `LCSHBENCH`, in the order of the dev file, then of the
        test file.
    splits : list of {'train', 'validation', 'test'}
        One a row. The records of a work (column `group_id`) are in one split.
    report : LcshbenchReport
        What became of every line.

    Raises
    ------
    ShelfError
        A file cannot be read or holds no record, or fewer than two classes have records in both
        files.

    Examples
    --------
    >>> import json, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for side in ("dev", "test"):
    ...     lines = [
    ...         {
    ...             "id": f"{side}-{number}", "title": f"{side} {number} :", "abstract": "",
    ...             "toc": "Hives", "notes": "", "authors": [], "language": "English",
    ...             "lc_class": "QS"[number % 2], "n_agencies": 2, "catalogs": ["harvard"],
    ...         }
    ...         for number in range(4)
    ...     ]
    ...     text = "".join(json.dumps(line) + chr(10) for line in lines)
    ...     _ = (folder / f"{side}.jsonl").write_text(text)
    >>> rows, splits, report = lcshbench_rows(*lcshbench_files(folder), seed=42)
    >>> report.kept
    {'train': 2, 'validation': 2, 'test': 4}
    >>> rows[0]["id"], rows[0]["lcc_code"], rows[0]["text"].split()
    ('dev-0', 'Q', ['dev', '0', ':', 'Hives'])
    """
    report = LcshbenchReport()
    seen: set[str] = set()
    # Test comes first: of two records with one id, that of test is kept.
    found = [*_kept("test", test, seen, report), *_kept("dev", dev, seen, report)]
    members = _of_common_classes(_without_works_of_test(_with_works(found), report), report)
    in_dev = [member for member in members if member.side == "dev"]
    in_test = [member for member in members if member.side == "test"]
    splits = dev_splits(
        [member.group for member in in_dev],
        [member.record.lc_class for member in in_dev],
        seed=seed,
    )
    splits.extend("test" for _ in in_test)
    report.kept = {split: splits.count(split) for split in SPLITS}
    subjects = {subject.code: subject for subject in load_taxonomy().classes}
    rows = [
        _row(member.record, subjects[member.record.lc_class], member.group)
        for member in [*in_dev, *in_test]
    ]
    if len({row["lcc_code"] for row in rows}) < _FEWEST_CLASSES:
        raise ShelfError(
            f"{dev} and {test}: fewer than {_FEWEST_CLASSES} classes have records in both, and a "
            f"corpus needs as many: {'; '.join(report.notes())}"
        )
    return rows, splits, report


@dataclass(frozen=True, slots=True)
class _Member:
    """A record, the file that it is in, and its work."""

    record: Record
    side: str
    group: str = ""

    def __str__(self) -> str:
        return f"{self.side} file, line {self.record.line}, id {self.record.id}"


def _kept(side: str, path: Path, seen: set[str], report: LcshbenchReport) -> Iterator[_Member]:
    """Records of a file that the corpus can take; what it can't is reported."""
    classes = frozenset(subject.code for subject in load_taxonomy().classes)
    report.read[side] = 0
    for read in read_records(path):
        report.read[side] += 1
        if isinstance(read, Damage):
            report.drop(f"damaged: {read.kind}", f"{side} file, {read}")
            continue
        member = _Member(read, side)
        if refusal := _refusal(read, classes, seen):
            reason, detail = refusal
            report.drop(reason, f"{member}{detail}")
        else:
            seen.add(read.id)
            yield member


def _with_works(found: list[_Member]) -> list[_Member]:
    groups = work_groups([member.record for member in found])
    return [replace(member, group=group) for member, group in zip(found, groups, strict=True)]


def _without_works_of_test(members: list[_Member], report: LcshbenchReport) -> list[_Member]:
    held_out = {member.group for member in members if member.side == "test"}
    kept = []
    for member in members:
        if member.side == "dev" and member.group in held_out:
            report.drop("its work is in the test file", str(member))
        else:
            kept.append(member)
    return kept


def _of_common_classes(members: list[_Member], report: LcshbenchReport) -> list[_Member]:
    """Without classes that can't be learned, or can't be tested."""
    sides: dict[str, set[str]] = {}
    for member in members:
        sides.setdefault(member.record.lc_class, set()).add(member.side)
    kept = []
    for member in members:
        code = member.record.lc_class
        if len(sides[code]) == 1:
            report.drop(f"class {code} is left in the {member.side} file alone", str(member))
        else:
            kept.append(member)
    return kept


def _refusal(record: Record, classes: frozenset[str], seen: set[str]) -> tuple[str, str] | None:
    """Why the corpus can't take a record, and what is told of this one; None if it can."""
    if record.language != _LANGUAGE:
        return f"its language is not {_LANGUAGE}", f": {record.language[:_SHOWN]!r}"
    if not record.lc_class:
        return "it has no class", ""
    if record.lc_class not in classes:
        return f"its class is not one of the {len(classes)}", f": {record.lc_class[:_SHOWN]!r}"
    if not record.text:
        return "it has no title, abstract, table of contents or notes", ""
    if record.id in seen:
        return "an earlier record has its id", ""
    return None


def _row(record: Record, subject: SubjectClass, group: str) -> dict[str, Any]:
    text = record.text
    return {
        "id": record.id,
        "title": record.title,
        "body": text,
        "text": text,
        "lcc_code": subject.code,
        "language": record.language,
        "word_count": len(text.split()),
        "corpus": "lcshbench",
        "is_synthetic": False,
        "n_agencies": record.n_agencies,
        "catalogs": list(record.catalogs),
        "lcc_name": subject.name,
        "lcc_uri": subject.uri,
        "group_id": group,
    }
