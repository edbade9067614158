"""The files of a release folder, with the two ids under which the Hub may keep each."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import MANIFEST, Manifest, read_manifest

_CHUNK = 1 << 20


@dataclass(frozen=True)
class LocalFile:
    """A file of the folder.

    Attributes
    ----------
    place : pathlib.Path
        Where it lies.
    size : int
        In bytes.
    sha256 : str
        Its id in the Hub's storage of large files.
    git_blob_id : str
        Its id as a regular file of a git repository.
    """

    place: Path
    size: int
    sha256: str
    git_blob_id: str

    @classmethod
    def of(cls, place: Path) -> LocalFile:
        """Read a file once and give its ids.

        Examples
        --------
        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp()) / "a.txt"
        >>> _ = place.write_text("what is up, doc?")
        >>> LocalFile.of(place).git_blob_id
        'bd9dbf5aae1a3862dd1526723246b20206e5fc37'
        """
        size = place.stat().st_size
        large = hashlib.sha256()
        regular = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        with place.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                large.update(chunk)
                regular.update(chunk)
        return cls(place, size, large.hexdigest(), regular.hexdigest())

    def content(self) -> bytes:
        """Read the file whole.

        Raises
        ------
        ShelfError
            If it is no longer what it was.
        """
        content = self.place.read_bytes()
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise changed(self.place)
        return content


def release_files(folder: Path, manifest: Manifest) -> dict[str, LocalFile]:
    """Files that make a verified release, by their path in it.

    Parameters
    ----------
    folder : pathlib.Path
        A release folder.
    manifest : Manifest
        Its manifest, as the verification gave it.

    Returns
    -------
    dict of str to LocalFile
        The manifest itself and all that it lists, by path. Nothing else is published.

    Raises
    ------
    ShelfError
        If a file is no longer what the manifest says.
    """
    listed = {
        path: file.sha256 for path, file in (manifest.data_files | manifest.other_files).items()
    }
    files = {path: LocalFile.of(folder / path) for path in sorted({*listed, MANIFEST})}
    for path, sha256 in sorted(listed.items()):
        if files[path].sha256 != sha256:
            raise changed(files[path].place)
    # No manifest lists itself.
    if read_manifest(folder) != manifest:
        raise changed(files[MANIFEST].place)
    return files


def changed(place: Path) -> ShelfError:
    """What to tell a user whose file changed after it was verified."""
    return ShelfError(
        f"{place}: changed while it was being published; publish again when nothing writes there"
    )
