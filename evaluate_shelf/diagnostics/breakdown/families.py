"""Which family a generator belongs to, by how its name begins."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import Field

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, read_rows, validated_rows, wrong
from evaluate_shelf.release.documents import Documents

FIELDS = ("generator", "model")
"""Columns that name the generator; the first that a config has."""


class Family(Row):
    """Generators of one maker.

    Attributes
    ----------
    id : str
        Its name in tables.
    name : str
        The maker.
    prefixes : tuple of str
        How its generators' names begin: with these words, or with this vendor and a slash.
    """

    id: Name
    name: Text
    prefixes: Annotated[tuple[Text, ...], Field(min_length=1)]


def load_families(folder: Path | None = None) -> tuple[Family, ...]:
    """Load and check the table of families.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation. A folder is read once in a
        process.

    Raises
    ------
    ShelfError
        If the file is missing, a row is wrong, or a prefix stands twice.

    Examples
    --------
    >>> load_families()[0].id
    'lexical-writer'
    """
    return _loaded((folder or config_folder()).resolve() / "generators.yaml")


def family_of(generator: str, families: Sequence[Family]) -> str | None:
    """Id of a generator's family, None where the table has none for it.

    The longest prefix decides. Case is ignored.

    Examples
    --------
    >>> [family_of(name, load_families()) for name in ("openai/gpt-oss-120b", "gpt-5", "gptx")]
    ['openai', 'openai', None]
    """
    name = generator.strip().casefold()
    fitting = [
        (len(prefix), family.id)
        for family in families
        for prefix in family.prefixes
        if _begins(name, prefix.casefold())
    ]
    return max(fitting)[1] if fitting else None


def generators_of(documents: Documents) -> list[str | None]:
    """Each document's generator, None where it has none.

    Raises
    ------
    UnsupportedError
        If the config names no generator, as corpora that people wrote do not.
    """
    for field in FIELDS:
        if field in documents.table.column_names:
            return [(name or "").strip() or None for name in documents.column(field)]
    raise UnsupportedError(
        f"the config has no column {' or '.join(map(repr, FIELDS))}: nothing says who wrote it"
    )


def _begins(name: str, prefix: str) -> bool:
    """Whether a name begins with a whole word, or with a vendor and its slash."""
    rest = name.removeprefix(prefix)
    cut_number = prefix[-1].isdigit() and rest[:1].isdigit()
    return rest != name and (prefix.endswith("/") or not (rest[:1].isalpha() or cut_number))


@functools.lru_cache(maxsize=8)
def _loaded(file: Path) -> tuple[Family, ...]:
    rows = validated_rows(Family, read_rows(file), file)
    seen: dict[str, str] = {}
    for row in rows:
        for prefix in row.prefixes:
            if prefix.casefold() in seen:
                other = seen[prefix.casefold()]
                raise wrong(file, row.id, "prefixes", f"{prefix!r} stands in {other!r} already")
            seen[prefix.casefold()] = row.id
    return rows
