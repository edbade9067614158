"""The files of a stranger's model: which are needed, how large they are, and what is in them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.distinct_json import distinct_json
from evaluate_shelf.submissions.model_settings import SETTINGS
from evaluate_shelf.submissions.refusals import quoted

_MIB, _GIB = 2**20, 2**30

_WEIGHTS = re.compile(r"model(-\d{5}-of-\d{5})?\.safetensors")
_INDEX = "model.safetensors.index.json"
_ONE_FILE = "model.safetensors"
# Without one of these the library would look for pickled weights. Others have no weights.
_WEIGHTS_OF = {
    "Transformer": (_ONE_FILE, _INDEX),
    "StaticEmbedding": (_ONE_FILE,),
    "Dense": (_ONE_FILE,),
    "LayerNorm": (_ONE_FILE,),
    "WeightedLayerPooling": (_ONE_FILE,),
}
_VOCABULARIES = frozenset(
    {
        "tokenizer.json",
        "vocab.json",
        "vocab.txt",
        "merges.txt",
        "sentencepiece.bpe.model",
        "spiece.model",
        "tokenizer.model",
    }
)

ReadFile = Callable[[str], Path]
"""Gives a short file of the model by its path."""


class Bounds(NamedTuple):
    """How large a model may be.

    Attributes
    ----------
    total_bytes : int
        Of all files that are fetched.
    files : int
        How many these are.
    settings_bytes : int
        Of a file of settings.
    vocabulary_bytes : int
        Of a tokenizer's file.
    """

    total_bytes: int = 4 * _GIB
    files: int = 100
    settings_bytes: int = 4 * _MIB
    vocabulary_bytes: int = 128 * _MIB


BOUNDS = Bounds()


class RefusedModelError(ShelfError):
    """The model is none that is evaluated here; another attempt would end the same way."""


class Listing(NamedTuple):
    """What is known of a model before a file of it is read.

    Attributes
    ----------
    model : str
        `owner/name` as the Hub writes it, or the name of a folder.
    commit : str
        What fixes the files.
    sizes : mapping of str to int or None
        Bytes of each file by its path; None where the Hub does not tell.
    """

    model: str
    commit: str
    sizes: Mapping[str, int | None]


def needed_files(listing: Listing, folders: Collection[str], bounds: Bounds) -> dict[str, int]:
    """Bytes of each file to fetch, by its path: settings, vocabularies and safetensors.

    Parameters
    ----------
    listing : Listing
        All files.
    folders : collection of str
        Those of the modules; others are left out.
    bounds : Bounds
        How large they may be.

    Raises
    ------
    RefusedModelError
        If one is larger or of unknown size, they are too many or too large together, or no weights
        are among them.
    """
    needed: dict[str, int] = {}
    for path in sorted(listing.sizes):
        folder, name = posixpath.split(path)
        if folder not in folders:
            continue
        most = _most_bytes(name, bounds)
        if most is None:
            continue
        size = listing.sizes[path]
        if size is None:
            raise RefusedModelError(f"{listing.model}: the Hub does not say how large {path} is")
        if size > most:
            raise RefusedModelError(
                f"{listing.model}: {path} has {_megabytes(size)}; the limit is {_megabytes(most)}"
            )
        needed[path] = size
    if len(needed) > bounds.files:
        raise RefusedModelError(
            f"{listing.model}: {len(needed)} files; the limit is {bounds.files}"
        )
    if not any(_WEIGHTS.fullmatch(posixpath.basename(path)) for path in needed):
        raise RefusedModelError(f"{listing.model}: no safetensors in it")
    total = sum(needed.values())
    if total > bounds.total_bytes:
        raise RefusedModelError(
            f"{listing.model}: {_megabytes(total)}; the limit is {_megabytes(bounds.total_bytes)}"
        )
    return needed


def _most_bytes(name: str, bounds: Bounds) -> int | None:
    """How large a file of this name may be; None where it is not needed."""
    if _WEIGHTS.fullmatch(name):
        return bounds.total_bytes
    if name in _VOCABULARIES:
        return bounds.vocabulary_bytes
    if name == _INDEX or SETTINGS.fullmatch(name):
        return bounds.settings_bytes
    return None


def check_weights(place: str, folder: str, module: str, needed: Mapping[str, int]) -> None:
    """Refuse a module without safetensors of its own: pickled weights would be looked for.

    Parameters
    ----------
    place : str
        The model, for the message.
    folder, module : str
        Of the module: where it is, and its name.
    needed : mapping of str to int
        The files that are fetched.

    Raises
    ------
    RefusedModelError
        If it has none, and has weights.
    """
    names = _WEIGHTS_OF.get(module, ())
    if names and not any(posixpath.join(folder, name) in needed for name in names):
        raise RefusedModelError(
            f"{place}: no safetensors in it for the module {module}"
            f"{f' in {folder}' if folder else ''}; {' or '.join(names)} is needed"
        )


def check_shards(
    listing: Listing, read: ReadFile, folder: str, needed: Mapping[str, int], bounds: Bounds
) -> None:
    """Refuse an index that names another file than weights of its own folder.

    Raises
    ------
    RefusedModelError
        If it does, or is none.
    """
    path = posixpath.join(folder, _INDEX)
    if path not in needed:
        return
    values = json_of(listing, read, path, bounds)
    shards = values.get("weight_map") if isinstance(values, dict) else None
    if not isinstance(shards, dict):
        raise RefusedModelError(f"{listing.model}: {path}: no weight_map in it")
    for name in sorted({str(shard) for shard in shards.values()}):
        if not _WEIGHTS.fullmatch(name) or posixpath.join(folder, name) not in needed:
            raise RefusedModelError(
                f"{listing.model}: {path} names {quoted(name)}, which is no safetensors "
                "file of the model"
            )


def json_of(listing: Listing, read: ReadFile, path: str, bounds: Bounds) -> Any:
    """The value of a file of settings.

    Raises
    ------
    RefusedModelError
        If it is long, no JSON, or a key in it stands twice.
    """
    size = listing.sizes.get(path)
    if size is None or size > bounds.settings_bytes:
        raise RefusedModelError(
            f"{listing.model}: {path} is longer than {_megabytes(bounds.settings_bytes)}, or of "
            "unknown length"
        )
    file = read(path)
    if file.stat().st_size > bounds.settings_bytes:
        raise RefusedModelError(f"{listing.model}: {path} is longer than the Hub said")
    try:
        return distinct_json(file.read_bytes())
    except ValueError as error:
        raise RefusedModelError(
            f"{listing.model}: {path}: no JSON can be read: {one_line(str(error), 200)}"
        ) from error


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
