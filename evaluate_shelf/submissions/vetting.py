"""What a stranger's model may be, told from names, sizes and settings before it is fetched."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.own_code import refuse_own_code
from evaluate_shelf.submissions.model_files import (
    BOUNDS,
    Bounds,
    Listing,
    ReadFile,
    RefusedModelError,
    check_shards,
    check_weights,
    json_of,
    needed_files,
)
from evaluate_shelf.submissions.model_settings import SETTINGS, fault_of_settings
from evaluate_shelf.submissions.refusals import quoted

MODULES = (
    "Transformer",
    "Pooling",
    "Normalize",
    "Dense",
    "LayerNorm",
    "Dropout",
    "StaticEmbedding",
    "WeightedLayerPooling",
)
"""Modules of sentence-transformers that a model may be made of; all read safetensors."""

_PLACES = r"(models|base\.modules(\.[a-z_]+)?|sentence_transformer\.modules(\.[a-z_]+)?)"
_MODULE = re.compile(rf"sentence_transformers\.{_PLACES}\.(?P<module>{'|'.join(MODULES)})")
_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,60}")

# Read where they are, and not needed for texts: in a folder of this machine they have to be safe.
_OF_PROCESSORS = (
    "processor_config.json",
    "preprocessor_config.json",
    "video_preprocessor_config.json",
)
_OVER_ANOTHER = "adapter_config.json"


class Vetted(NamedTuple):
    """A model that may be fetched.

    Attributes
    ----------
    model, commit : str
        As in the listing.
    sizes : mapping of str to int
        Bytes of the files that are needed by their path; no other is fetched.
    """

    model: str
    commit: str
    sizes: Mapping[str, int]

    @property
    def total_bytes(self) -> int:
        """Bytes of all of them."""
        return sum(self.sizes.values())


def vetted(listing: Listing, read: ReadFile, bounds: Bounds = BOUNDS) -> Vetted:
    """Decide whether a model may be fetched, and which of its files.

    Parameters
    ----------
    listing : Listing
        Its files and their sizes.
    read : callable
        Gives one of its files of settings, of which none is longer than the bounds say.
    bounds : Bounds
        How large it may be.

    Returns
    -------
    Vetted
        With files of settings, tokenizers and safetensors alone.

    Raises
    ------
    RefusedModelError
        If it has no safetensors, names code of its own, a file that is not its own or a module
        that is not taken, stands over another model, or is too large.

    Examples
    --------
    >>> from pathlib import Path
    >>> vetted(Listing("owner/name", "0" * 40, {"pytorch_model.bin": 9}), Path)
    Traceback (most recent call last):
    evaluate_shelf.submissions.model_files.RefusedModelError: owner/name: no safetensors in it
    """
    place = listing.model
    modules = _modules(listing, read, bounds)
    folders = ["", *(folder for folder in modules if folder)]
    if any(posixpath.join(folder, _OVER_ANOTHER) in listing.sizes for folder in folders):
        raise RefusedModelError(f"{place}: an adapter over another model; such are not evaluated")
    needed = needed_files(listing, folders, bounds)
    if modules.get("") == "Transformer" and "config.json" not in needed:
        raise RefusedModelError(f"{place}: no config.json in it")
    for path in sorted(needed):
        folder, name = posixpath.split(path)
        if SETTINGS.fullmatch(name):
            _check_settings(listing, read, path, modules.get(folder), bounds)
    for folder, module in modules.items():
        check_weights(place, folder, module, needed)
        check_shards(listing, read, folder, needed, bounds)
    try:
        refuse_own_code(place, lambda name: read(name) if name in needed else None)
    except ShelfError as error:
        raise RefusedModelError(str(error)) from error
    return Vetted(listing.model, listing.commit, needed)


def _modules(listing: Listing, read: ReadFile, bounds: Bounds) -> dict[str, str]:
    """Name of each module by its folder; a plain transformer without a list of modules is one."""
    if "modules.json" not in listing.sizes:
        return {"": "Transformer"}
    place = f"{listing.model}: modules.json"
    modules = json_of(listing, read, "modules.json", bounds)
    if not isinstance(modules, list) or not 0 < len(modules) <= 20:
        raise RefusedModelError(f"{place}: not a list of modules")
    found: dict[str, str] = {}
    for module in modules:
        kind, folder = (
            (module.get("type"), module.get("path")) if isinstance(module, dict) else (None, None)
        )
        if not isinstance(kind, str) or not isinstance(folder, str):
            raise RefusedModelError(f"{place}: a module without a type and a path")
        known = _MODULE.fullmatch(kind)
        if known is None:
            raise RefusedModelError(
                f"{place} names {quoted(kind)}; taken are {', '.join(MODULES)} of "
                "sentence-transformers"
            )
        folder = "" if folder == "." else folder
        if folder and not _FOLDER.fullmatch(folder):
            raise RefusedModelError(f"{place} names the folder {quoted(folder)}")
        if folder in found:
            raise RefusedModelError(f"{place} names the folder {quoted(folder)} for two modules")
        found[folder] = known["module"]
    return found


def check_processors(listing: Listing, read: ReadFile, bounds: Bounds = BOUNDS) -> None:
    """Refuse settings of processors that name other files.

    They are not fetched from the Hub. In a folder of this machine the libraries find them.

    Raises
    ------
    RefusedModelError
        If one of them does, or is no JSON.
    """
    for path in sorted(listing.sizes):
        if posixpath.basename(path) in _OF_PROCESSORS:
            _check_settings(listing, read, path, None, bounds)


def _check_settings(
    listing: Listing, read: ReadFile, path: str, module: str | None, bounds: Bounds
) -> None:
    values = json_of(listing, read, path, bounds)
    fault = fault_of_settings(posixpath.basename(path), module, values)
    if fault is not None:
        raise RefusedModelError(f"{listing.model}: {path} {fault}")
