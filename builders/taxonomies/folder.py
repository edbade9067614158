"""Write a taxonomy folder: whole, or not there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from builders.taxonomies.form import Concept
from builders.taxonomies.tsv import COLUMNS, SEPARATOR
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replace_folder, restore_folder, write_json, writing_to
from evaluate_shelf.registry.strict_yaml import read_yaml
from evaluate_shelf.registry.taxonomy import read_taxonomy

IMPORTED = "import.json"
"""Where a folder says what was imported into it."""

_OPTIONAL = ("glosses.yaml",)
_NEEDED = (
    "lcc.yaml",
    "lcgft.yaml",
    "topics.yaml",
    "geographic.yaml",
    "audience.yaml",
    "register.yaml",
    "length.yaml",
)


def read_tables(folder: Path) -> dict[str, Any]:
    """Content of a taxonomy's files, by name.

    Raises
    ------
    ShelfError
        If the taxonomy does not hold.
    """
    read_taxonomy(folder)
    there = [name for name in _OPTIONAL if (folder / name).is_file()]
    return {name: read_yaml(folder / name) for name in (*_NEEDED, *there)}


def write_taxonomy(
    out: Path,
    base: Path,
    tables: dict[str, Any],
    concepts: dict[str, Iterable[Concept]],
    record: dict[str, Any],
) -> None:
    """Write a taxonomy folder, and check that it loads before it takes its name.

    Parameters
    ----------
    out : pathlib.Path
        The folder. One that an import wrote is replaced.
    base : pathlib.Path
        The taxonomy folder whose other files are copied as they are.
    tables : dict of str to object
        Content of the files that are new.
    concepts : dict of str to iterable of Concept
        The concepts of each imported facet, written as `concepts_FACET.tsv`.
    record : dict
        Content of `import.json`.

    Raises
    ------
    ShelfError
        If `out` is something else, or `base` itself.
    """
    check_destination(out, base)
    temporary = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    with writing_to(out, temporary):
        try:
            temporary.mkdir(parents=True)
            for file in sorted(base.iterdir()):
                if file.is_file() and file.name not in tables and _is_known(file.name):
                    shutil.copyfile(file, temporary / file.name)
            for name, content in tables.items():
                (temporary / name).write_text(_yaml(content), encoding="utf-8")
            for facet, own in concepts.items():
                (temporary / _concept_file(facet)).write_text(_tsv(own), encoding="utf-8")
            write_json(temporary / IMPORTED, record)
            read_taxonomy(temporary)
            replace_folder(temporary, out)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def check_destination(out: Path, base: Path) -> None:
    """Refuse to replace anything that no import wrote.

    Raises
    ------
    ShelfError
        If `out` is no folder, has files that no import writes, or is `base`.
    """
    restore_folder(out)
    if out.resolve() == base.resolve():
        raise ShelfError(f"{out}: is the taxonomy that is added to; choose another --out")
    if not out.exists() and not out.is_symlink():
        return
    if not out.is_dir():
        raise ShelfError(f"{out}: it is there and no folder; choose another --out")
    names = sorted(file.name for file in out.iterdir())
    foreign = next((name for name in names if not _is_known(name)), None)
    if names and (foreign or IMPORTED not in names):
        raise ShelfError(
            f"{out}: it is there and no imported taxonomy"
            f"{f' ({foreign} is in it)' if foreign else ''}; choose another --out, or empty it"
        )


def taxonomy_file_names(folder: Path) -> list[str]:
    """Names of the files of a taxonomy's folder that belong to it, sorted."""
    return sorted(file.name for file in folder.iterdir() if file.is_file() and _is_known(file.name))


def _is_known(name: str) -> bool:
    is_concepts = name.startswith("concepts_") and name.endswith(".tsv")
    return name in _NEEDED or name in _OPTIONAL or name == IMPORTED or is_concepts


def _concept_file(facet: str) -> str:
    return f"concepts_{facet}.tsv"


def _yaml(content: Any) -> str:
    # The pure writer: where it breaks lines does not depend on what libyaml is there.
    return yaml.dump(
        content, Dumper=yaml.SafeDumper, allow_unicode=True, sort_keys=False, width=2**20
    )


def _tsv(concepts: Iterable[Concept]) -> str:
    rows = ["\t".join(COLUMNS)]
    for one in concepts:
        cells = (
            one.id,
            one.label,
            SEPARATOR.join(one.broader),
            one.description,
            one.scope_note,
            SEPARATOR.join(one.other_labels),
            one.notation,
        )
        rows.append("\t".join(cells))
    return "\n".join(rows) + "\n"
