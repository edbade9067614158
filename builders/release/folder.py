"""Write a release folder beside its final name and put it there when it is complete."""

from __future__ import annotations

import platform
import shutil
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from builders.corpora.built import BuiltConfig
from builders.release.card import card, caveats, croissant, evaluation
from builders.release.data_files import plain_file, write_config
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replace_folder, write_json
from evaluate_shelf.release.manifest import (
    MANIFEST,
    ConfigEntry,
    DataFile,
    Manifest,
    column_types,
    config_content_sha256,
    manifest_json,
    read_manifest,
)
from evaluate_shelf.release.verification.files import foreign_files


def check_destination(folder: Path) -> None:
    """Refuse to replace anything that is not a release, or more than one.

    Raises
    ------
    ShelfError
        If `folder` is a file, a folder with something in it but no manifest, or a release with
        files that its manifest does not know.
    """
    if folder.is_file() or (
        folder.is_dir() and any(folder.iterdir()) and not (folder / MANIFEST).is_file()
    ):
        raise ShelfError(
            f"{folder}: it is there and no release folder; choose another --out, or empty it"
        )
    if (folder / MANIFEST).is_file():
        foreign = foreign_files(folder, read_manifest(folder))
        if foreign:
            raise ShelfError(
                f"{folder / foreign[0]}: not a file of the release that would be replaced; "
                "move it away, or choose another --out"
            )


def write_release(
    name: str,
    configs: Sequence[BuiltConfig],
    folder: Path,
    *,
    extra_files: dict[str, str] | None = None,
) -> Manifest:
    """Write a release.

    Parameters
    ----------
    name : str
        Of the release.
    configs : sequence of BuiltConfig
        The first of them becomes the default config.
    folder : pathlib.Path
        Where it goes. A release that is there stays whole until the new one is complete.
    extra_files : dict of str to str, default=None
        Further text files by path.

    Returns
    -------
    Manifest
        What was written.
    """
    check_destination(folder)
    temporary = folder.with_name(f".{folder.name}.new")
    if temporary.exists():
        shutil.rmtree(temporary)
    temporary.mkdir(parents=True)
    files: dict[str, DataFile] = {}
    others: list[str] = []
    for config in configs:
        data_files, checks = write_config(config, temporary)
        files.update(data_files)
        others.extend(checks)
    texts = {
        "README.md": card(name, configs, files),
        "CAVEATS.md": caveats(configs),
        "croissant.json": croissant(name, configs, files),
        "eval.yaml": evaluation(configs),
        **(extra_files or {}),
    }
    for path, text in texts.items():
        (temporary / path).parent.mkdir(parents=True, exist_ok=True)
        (temporary / path).write_text(text, encoding="utf-8", newline="\n")
    manifest = Manifest(
        manifest_version=1,
        name=name,
        built_with=_versions(),
        default_config=configs[0].name,
        configs={config.name: _entry(config, files) for config in configs},
        data_files=files,
        other_files={path: plain_file(temporary / path) for path in sorted([*others, *texts])},
    )
    write_json(temporary / MANIFEST, manifest_json(manifest))
    replace_folder(temporary, folder)
    return manifest


def _entry(config: BuiltConfig, files: dict[str, DataFile]) -> ConfigEntry:
    own = {path: file for path, file in files.items() if file.config == config.name}
    schema = next(iter(config.splits.values())).schema
    return ConfigEntry(
        kind=config.kind,
        content_sha256=config_content_sha256(own),
        derived_from=config.derived_from,
        group_column=config.group_column,
        source=config.source,
        seeds=config.seeds,
        columns=column_types(schema),
        counts={
            split: {
                column: dict(
                    sorted(
                        Counter(str(v) for v in table[column].to_pylist() if v is not None).items()
                    )
                )
                for column in config.counted
            }
            for split, table in config.splits.items()
        },
        notes=config.notes,
    )


def _versions() -> dict[str, str]:
    libraries = ("evaluate-shelf", "datasets", "numpy", "pyarrow")
    return {"python": platform.python_version(), **{name: version(name) for name in libraries}}
