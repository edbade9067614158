"""Write a release folder beside its final name and put it there when it is complete."""

from __future__ import annotations

import platform
import shutil
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from builders.release.card import card, caveats
from builders.release.citation import citation
from builders.release.croissant import croissant
from builders.release.data_files import place_config, plain_file
from builders.release.evaluation import evaluation
from builders.release.figures import LabelSignal, figure_files, figures_of
from builders.staging.config import StagedConfig
from builders.taxonomies.foreign import ForeignLabels
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replace_folder, write_json
from evaluate_shelf.registry.taxonomy import Taxonomy
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


def resolved(folder: Path) -> Path:
    """The folder that a path leads to.

    Raises
    ------
    ShelfError
        If its links lead in a circle.
    """
    try:
        return folder.resolve()
    except (OSError, RuntimeError) as error:
        raise ShelfError(f"{str(folder)!r}: this path leads nowhere: {error}") from error


def check_destination(folder: Path) -> None:
    """Refuse to replace anything that is not a release, or more than one.

    Raises
    ------
    ShelfError
        If `folder` is anything but a folder, a folder with something in it but no manifest, a
        release with files that its manifest does not know, or has a name that cannot be printed.
    """
    if one_line(folder.name) != folder.name:
        raise ShelfError(f"{str(folder)!r}: a name that cannot be printed; choose another --out")
    is_there = folder.exists() or folder.is_symlink()
    is_used = is_there and (
        not folder.is_dir() or (any(folder.iterdir()) and not (folder / MANIFEST).is_file())
    )
    if is_used:
        raise ShelfError(
            f"{folder}: it is there and no release folder; choose another --out, or empty it"
        )
    if (folder / MANIFEST).is_file():
        try:
            manifest = read_manifest(folder)
        except ShelfError as error:
            raise ShelfError(
                f"{error}; to replace it, move it away or choose another --out"
            ) from error
        foreign = foreign_files(folder, manifest)
        if foreign:
            raise ShelfError(
                f"{folder / foreign[0]}: not a file of the release that would be replaced; "
                "move it away, or choose another --out"
            )


def write_release(
    name: str,
    configs: Sequence[StagedConfig],
    folder: Path,
    *,
    aliases: Mapping[str, str] | None = None,
    label_signal: LabelSignal | None = None,
    extra_files: Mapping[str, bytes] | None = None,
    taxonomy: Taxonomy | None = None,
    foreign: Sequence[ForeignLabels] = (),
) -> Manifest:
    """Write a release.

    Parameters
    ----------
    name : str
        Of the release.
    configs : sequence of StagedConfig
        The first of them becomes the default config. Their files get second names, so what was
        staged stays as it is.
    folder : pathlib.Path
        Where it goes. A release that is there stays whole until the new one is complete.
    aliases : mapping of str to str, default=None
        Second names of configs.
    label_signal : mapping, default=None
        By config and facet, how many documents contain the name of their own label.
    extra_files : mapping of str to bytes, default=None
        Further files by path.
    taxonomy : Taxonomy, default=None
        Its labels; those of the installation without it.
    foreign : sequence of ForeignLabels, default=()
        Those of them that are not SHELF's.

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
        data_files, checks = place_config(config, temporary)
        files.update(data_files)
        others.extend(checks)
    second_names = dict(aliases or {})
    figures = figures_of(configs, label_signal or {}, taxonomy, foreign)
    readme = card(name, configs, files, second_names, figures, taxonomy, foreign)
    contents = {
        "README.md": readme.encode("utf-8"),
        "CAVEATS.md": caveats(configs, foreign).encode("utf-8"),
        "CITATION.cff": citation(name, configs, foreign).encode("utf-8"),
        "croissant.json": croissant(name, configs, files, foreign).encode("utf-8"),
        "eval.yaml": evaluation(configs).encode("utf-8"),
        **figure_files(figures),
        **(extra_files or {}),
    }
    for path, content in contents.items():
        (temporary / path).parent.mkdir(parents=True, exist_ok=True)
        (temporary / path).write_bytes(content)
    manifest = Manifest(
        manifest_version=2,
        name=name,
        built_with=_versions(),
        default_config=configs[0].name,
        configs={config.name: _entry(config, files) for config in configs},
        aliases=second_names,
        data_files=files,
        other_files={path: plain_file(temporary / path) for path in sorted([*others, *contents])},
    )
    write_json(temporary / MANIFEST, manifest_json(manifest))
    replace_folder(temporary, folder)
    return manifest


def _entry(config: StagedConfig, files: dict[str, DataFile]) -> ConfigEntry:
    own = {path: file for path, file in files.items() if file.config == config.name}
    return ConfigEntry(
        kind=config.info.kind,
        content_sha256=config_content_sha256(own),
        derived_from=config.info.derived_from,
        group_column=config.info.group_column,
        source=config.info.source,
        seeds=config.info.seeds or {},
        columns=column_types(config.info.schema),
        counts=config.counts,
        notes=config.info.notes,
    )


def _versions() -> dict[str, str]:
    libraries = ("evaluate-shelf", "datasets", "numpy", "pyarrow")
    return {"python": platform.python_version(), **{name: version(name) for name in libraries}}
