"""What a stranger's model may be, told from names, sizes and settings before it is fetched."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.own_code import refuse_own_code
from evaluate_shelf.printable import one_line

_MIB, _GIB = 2**20, 2**30

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
_MODULE = re.compile(rf"sentence_transformers\.{_PLACES}\.({'|'.join(MODULES)})")
_ACTIVATION = re.compile(r"torch\.nn\.(modules\.(activation|linear)\.)?[A-Z][A-Za-z0-9]{1,40}")
_FOLDER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,60}")

_WEIGHTS = re.compile(r"model(-\d{5}-of-\d{5})?\.safetensors")
_INDEX = "model.safetensors.index.json"
_SETTINGS = re.compile(
    r"modules\.json|config\.json|config_sentence_transformers\.json|sentence_[a-z-]+_config\.json"
    r"|tokenizer_config\.json|special_tokens_map\.json|added_tokens\.json"
)
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
_OVER_ANOTHER = "adapter_config.json"
# Each makes a library import a file that lies beside the weights.
_CODE_KEYS = frozenset({"auto_map", "trust_remote_code", "custom_pipelines", "custom_generate"})

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
        If it has no safetensors, names code of its own or a module that is not taken, stands over
        another model, or is too large.

    Examples
    --------
    >>> vetted(Listing("owner/name", "0" * 40, {"pytorch_model.bin": 9}), Path)
    Traceback (most recent call last):
    evaluate_shelf.submissions.vetting.RefusedModelError: owner/name: no safetensors in it
    """
    place = listing.model
    if _OVER_ANOTHER in listing.sizes:
        raise RefusedModelError(f"{place}: an adapter over another model; such are not evaluated")
    modules = _modules(listing, read, bounds)
    folders = ["", *(folder for folder in modules if folder)]
    needed = _needed(listing, folders, bounds)
    if not any(_WEIGHTS.fullmatch(posixpath.basename(path)) for path in needed):
        raise RefusedModelError(f"{place}: no safetensors in it")
    if (
        "" in modules
        and "config.json" not in needed
        and not modules[""].endswith("StaticEmbedding")
    ):
        raise RefusedModelError(f"{place}: no config.json in it")
    for path in sorted(needed):
        if _SETTINGS.fullmatch(posixpath.basename(path)):
            _check_settings(place, path, _json(listing, read, path, bounds))
    for folder in folders:
        _check_shards(listing, read, folder, needed, bounds)
    try:
        refuse_own_code(place, lambda name: read(name) if name in needed else None)
    except ShelfError as error:
        raise RefusedModelError(str(error)) from error
    return Vetted(listing.model, listing.commit, needed)


def _modules(listing: Listing, read: ReadFile, bounds: Bounds) -> dict[str, str]:
    """Type of each module by its folder; a plain transformer without a list of modules is one."""
    if "modules.json" not in listing.sizes:
        return {"": "Transformer"}
    place = f"{listing.model}: modules.json"
    modules = _json(listing, read, "modules.json", bounds)
    if not isinstance(modules, list) or not 0 < len(modules) <= 20:
        raise RefusedModelError(f"{place}: not a list of modules")
    found = {}
    for module in modules:
        kind, folder = (
            (module.get("type"), module.get("path")) if isinstance(module, dict) else (None, None)
        )
        if not isinstance(kind, str) or not isinstance(folder, str):
            raise RefusedModelError(f"{place}: a module without a type and a path")
        if not _MODULE.fullmatch(kind):
            raise RefusedModelError(
                f"{place} names {one_line(kind, 120)!r}; taken are {', '.join(MODULES)} of "
                "sentence-transformers"
            )
        if folder and not _FOLDER.fullmatch(folder):
            raise RefusedModelError(f"{place} names the folder {one_line(folder, 120)!r}")
        found[folder] = kind
    return found


def _needed(listing: Listing, folders: list[str], bounds: Bounds) -> dict[str, int]:
    """Files to fetch, each of a known and bounded size."""
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
    if name == _INDEX or _SETTINGS.fullmatch(name):
        return bounds.settings_bytes
    return None


def _check_settings(place: str, path: str, values: Any) -> None:
    for key, value in _pairs_in(values):
        if key in _CODE_KEYS and value:
            raise RefusedModelError(
                f"{place}: {path} has {key!r}, code of the model's own; such code is not run"
            )
        if key == "activation_function" and not _is_activation(value):
            raise RefusedModelError(
                f"{place}: {path} names {one_line(str(value), 120)!r}, which is no activation of "
                "torch.nn"
            )


def _is_activation(value: Any) -> bool:
    # A name without a point is one of transformers' own, such as 'gelu'.
    return value is None or (
        isinstance(value, str) and ("." not in value or _ACTIVATION.fullmatch(value) is not None)
    )


def _pairs_in(value: Any) -> Iterator[tuple[str, Any]]:
    """All keys of a JSON value with what stands there, at any depth."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield from one.items()
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)


def _check_shards(
    listing: Listing, read: ReadFile, folder: str, needed: Mapping[str, int], bounds: Bounds
) -> None:
    """Refuse an index that names another file than weights of its own folder."""
    path = posixpath.join(folder, _INDEX)
    if path not in needed:
        return
    values = _json(listing, read, path, bounds)
    shards = values.get("weight_map") if isinstance(values, dict) else None
    if not isinstance(shards, dict):
        raise RefusedModelError(f"{listing.model}: {path}: no weight_map in it")
    for name in sorted({str(shard) for shard in shards.values()}):
        if not _WEIGHTS.fullmatch(name) or posixpath.join(folder, name) not in needed:
            raise RefusedModelError(
                f"{listing.model}: {path} names {one_line(name, 120)!r}, which is no safetensors "
                "file of the model"
            )


def _json(listing: Listing, read: ReadFile, path: str, bounds: Bounds) -> Any:
    """The value of a file of settings that is short."""
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
        return json.loads(file.read_bytes().decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise RefusedModelError(
            f"{listing.model}: {path}: no JSON can be read: {one_line(str(error), 200)}"
        ) from error


def _megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
