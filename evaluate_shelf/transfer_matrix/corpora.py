"""The corpora of a matrix, as they are named on a command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.data import TaskData, by_id
from evaluate_shelf.printable import brief
from evaluate_shelf.release.documents import Documents, Release, check_ids
from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.source import release_folder
from evaluate_shelf.transfer_matrix.settings import FIELD

_FORM = "NAME=RELEASE[:CONFIG]"
_NAME = re.compile(r"\w[\w .+-]{0,39}")
_CONFIG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,120}")


@dataclass(frozen=True)
class Corpus:
    """A config of documents under a name of the user's.

    Attributes
    ----------
    name : str
        How tables call it.
    data : TaskData
        The config.
    """

    name: str
    data: TaskData

    @property
    def place(self) -> str:
        """Where it lies, for messages."""
        return f"{self.data.release.folder}, config {self.data.config!r}"

    @property
    def group_column(self) -> str | None:
        """The column of the groups that stay together; None where the release names none."""
        return self.data.release.config(self.data.config).group_column

    @cached_property
    def documents(self) -> Documents:
        """The documents of all splits that there are, by split and then by id."""
        release, config = self.data.release, self.data.config
        pooled: Documents | None = None
        for split, rows in release.manifest.rows_of(config).items():
            if rows:
                part = by_id(release.documents(config, split))
                pooled = pooled.followed_by(part, len(pooled)) if pooled is not None else part
        if pooled is None:
            raise ShelfError(f"{self.place}: it has no documents; leave {self.name} out")
        check_ids(pooled.ids, f"{self.place}, all splits")
        return pooled


def corpora_named(texts: Sequence[str]) -> tuple[Corpus, ...]:
    """Corpora, each given as `NAME=RELEASE[:CONFIG]`.

    Parameters
    ----------
    texts : sequence of str
        RELEASE is a folder or a Hub dataset id, CONFIG one of its configs of documents; the
        release's default without it.

    Returns
    -------
    tuple of Corpus
        In the order of `texts`.

    Raises
    ------
    ShelfError
        If a name stands twice, a release or config is not there, it has no documents with
        classes, or a code stands for different classes.
    """
    if not texts:
        raise ShelfError(f"no corpus: name at least one, as {_FORM}")
    given = [_taken_apart(text) for text in texts]
    names = [name for name, _, _ in given]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ShelfError(f"the name {twice!r} stands twice; give each corpus a name of its own")
    corpora = tuple(_corpus(name, source, config) for name, source, config in given)
    _check_classes(corpora)
    return corpora


def _check_classes(corpora: Sequence[Corpus]) -> None:
    """Refuse corpora in which one code stands for different classes, as imported ones can have."""
    known: dict[str, tuple[str, Corpus]] = {}
    for corpus in corpora:
        for own in corpus.data.taxonomy.classes:
            name, other = known.setdefault(own.code, (own.name, corpus))
            if name != own.name:
                raise ShelfError(
                    f"{corpus.place}: class {brief(own.code)} is {brief(own.name)}, and "
                    f"{brief(name)} in {other.name}; a probe cannot be tested on other classes"
                )


def _taken_apart(text: str) -> tuple[str, str, str | None]:
    """Name, release and config.

    Examples
    --------
    >>> _taken_apart("books=owner/name@v1:transfer_gutenberg")
    ('books', 'owner/name@v1', 'transfer_gutenberg')
    """
    name, equals, rest = text.partition("=")
    if not equals or not _NAME.fullmatch(name) or not rest:
        raise ShelfError(
            f"{text!r:.300}: {_FORM} is needed, with a name of at most 40 letters, such as "
            "books=release:transfer_gutenberg"
        )
    source, colon, config = rest.rpartition(":")
    # A folder may have a colon in its name.
    if not colon or not _CONFIG.fullmatch(config) or _is_folder(rest):
        return name, rest, None
    return name, source, config


def _is_folder(text: str) -> bool:
    try:
        return Path(text).expanduser().is_dir()
    except (OSError, RuntimeError, ValueError):
        return False


def _corpus(name: str, source: str, config: str | None) -> Corpus:
    wanted = config or read_manifest(release_folder(source)).default_config
    release = Release.open(release_folder(source, [wanted]))
    entry = release.config(wanted)
    corpus = Corpus(name, TaskData(release, wanted))
    if entry.kind == "documents" and FIELD in entry.columns:
        return corpus
    usable = [
        other
        for other, of_other in release.manifest.configs.items()
        if of_other.kind == "documents" and FIELD in of_other.columns
    ]
    lack = f"has no column {FIELD!r}" if entry.kind == "documents" else "holds no documents"
    advice = f"those that do are {', '.join(usable)}" if usable else "no config of the release does"
    raise ShelfError(f"{corpus.place}: it {lack}, which {name} needs; {advice}")
