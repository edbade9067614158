"""The Hub's limits, looked at before anything is sent.

The numbers are those of https://huggingface.co/docs/hub/storage-limits and of the documentation
of `huggingface_hub.HfApi.create_commit`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import PurePosixPath

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.publishing.local import LocalFile
from evaluate_shelf.publishing.plan import Plan

GIGABYTE = 10**9
LARGEST_FILE = 500 * GIGABYTE
ADVISED_FILE = 200 * GIGABYTE
FILES_A_FOLDER = 10_000
LARGE_FILES_A_COMMIT = 25_000
REGULAR_BYTES_A_COMMIT = GIGABYTE
ADVISED_OPERATIONS = 100

# Files above this size, and Parquet files of any, go to the storage of large files; the others
# lie in the commit itself, in base64.
_LARGEST_REGULAR_FILE = 10 * 10**6


def warnings_about(files: Mapping[str, LocalFile], plan: Plan) -> list[str]:
    """Say where a publication goes beyond what the Hub advises.

    Parameters
    ----------
    files : mapping of str to LocalFile
        The release's files by path.
    plan : Plan
        What is to change.

    Returns
    -------
    list of str
        A sentence for each; none where all is well.

    Raises
    ------
    ShelfError
        If the Hub would not take it: a file of more than 500 GB, more than 10,000 files in a
        folder, more than 25,000 large files or one gigabyte of regular ones in a commit.
    """
    _check_folders(files)
    _check_commit(files, plan)
    warnings = []
    for path in plan.sent:
        size = files[path].size
        if size > LARGEST_FILE:
            raise ShelfError(
                f"{files[path].place}: {_gigabytes(size)}, and the Hub takes no file of more than "
                f"{_gigabytes(LARGEST_FILE)}; build with smaller shards"
            )
        if size > ADVISED_FILE:
            warnings.append(
                f"{path} has {_gigabytes(size)}; the Hub advises files below "
                f"{_gigabytes(ADVISED_FILE)}"
            )
    if plan.operations > ADVISED_OPERATIONS:
        warnings.append(
            f"one commit of {plan.operations} files, where the Hub advises {ADVISED_OPERATIONS} at "
            "most and may take too long to answer; several commits would show readers a mixture"
        )
    return warnings


def _check_folders(files: Mapping[str, LocalFile]) -> None:
    sizes = Counter(str(PurePosixPath(path).parent) for path in files)
    for folder, size in sorted(sizes.items()):
        if size > FILES_A_FOLDER:
            raise ShelfError(
                f"{folder}: {size} files, and the Hub takes no more than {FILES_A_FOLDER} in a "
                "folder; build with larger shards"
            )


def _check_commit(files: Mapping[str, LocalFile], plan: Plan) -> None:
    regular = [path for path in plan.sent if is_regular(path, files[path].size)]
    large = len(plan.sent) - len(regular)
    if large > LARGE_FILES_A_COMMIT:
        raise ShelfError(
            f"{large} large files to send, and the Hub takes no more than {LARGE_FILES_A_COMMIT} "
            "in a commit; build with larger shards"
        )
    # Base64 writes three bytes as four.
    payload = sum(-(-files[path].size // 3) * 4 for path in regular)
    if payload > REGULAR_BYTES_A_COMMIT:
        raise ShelfError(
            f"{len(regular)} small files make {_gigabytes(payload)}, and the Hub takes no more "
            f"than {_gigabytes(REGULAR_BYTES_A_COMMIT)} of them in a commit; build with fewer"
        )


def is_regular(path: str, size: int) -> bool:
    """Whether the Hub keeps a file of this size, in bytes, in the commit itself.

    Examples
    --------
    >>> is_regular("README.md", 1000), is_regular("data/a.parquet", 1000)
    (True, False)
    """
    return size <= _LARGEST_REGULAR_FILE and not path.endswith(".parquet")


def _gigabytes(size: int) -> str:
    return f"{size / GIGABYTE:.1f} GB"
