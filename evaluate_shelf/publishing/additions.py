"""Files on their way to the Hub: what is committed is what was compared."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

from huggingface_hub import CommitOperationAdd, HfApi

from evaluate_shelf.publishing.limits import is_regular
from evaluate_shelf.publishing.local import LocalFile, changed


class Addition(CommitOperationAdd):
    """A file of the release to be sent.

    A small one is read once, here, and these bytes are sent. A large one is sent from its place
    and looked at again.

    Parameters
    ----------
    path : str
        Where it goes in the repository.
    file : LocalFile
        What it was when it was compared.

    Raises
    ------
    ShelfError
        If a small file is no longer that.
    """

    def __init__(self, path: str, file: LocalFile) -> None:
        self._file = file
        super().__init__(path, file.content() if is_regular(path, file.size) else file.place)

    def check(self) -> None:
        """Raise `ShelfError` if what was sent, or what lies there now, is not what was compared."""
        if isinstance(self.path_or_fileobj, bytes):
            return
        # The client may have computed its hash in one reading and sent the file in another.
        if (
            self.upload_info.sha256.hex() != self._file.sha256
            or LocalFile.of(self._file.place) != self._file
        ):
            raise changed(self._file.place)

    def b64content(self) -> bytes:
        """Give what goes into the commit itself, if the Hub wants the file there."""
        if isinstance(self.path_or_fileobj, bytes):
            return super().b64content()
        return base64.b64encode(self._file.content())


class CheckingApi(HfApi):
    """The Hub's client, which looks at large files once more between their upload and the commit.

    `create_commit` uploads them by `preupload_lfs_files`.
    """

    def preupload_lfs_files(
        self, repo_id: str, additions: Iterable[CommitOperationAdd], **options: Any
    ) -> None:
        """Upload large files, also those that a `.gitignore` of the repository would leave out."""
        sent = list(additions)
        options["gitignore_content"] = "# A release is published with all its files.\n"
        super().preupload_lfs_files(repo_id, sent, **options)
        for addition in sent:
            if isinstance(addition, Addition):
                addition.check()
