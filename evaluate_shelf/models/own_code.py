"""A model may name no class outside of the libraries: importing one runs code."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator
from typing import Any

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.checkpoint import Files

_LONGEST_CONFIG = 10_000_000
_OWN = ("sentence_transformers.", "torch.nn.")
# Where a module's configuration names a class; sentence-transformers imports what stands there.
_MODULE_CONFIGS = ("router_config.json", "config.json", "wordembedding_config.json")
_CLASSES = ("activation_function", "tokenizer_class")


def refuse_own_code(place: str, files: Files) -> None:
    """Refuse a model that names a class outside of the libraries, whose import runs code.

    Parameters
    ----------
    place : str
        The folder or Hub id, for the message.
    files : callable
        Reads a file of the model.

    Raises
    ------
    ShelfError
        If it names one, or a file that could name one cannot be read.
    """
    for name, reference in _class_references(place, files):
        if not reference.startswith(_OWN):
            raise ShelfError(
                f"{place}: {one_line(name, 200)} names {one_line(reference, 200)!r}, which is not "
                "part of sentence-transformers; a model with code of its own is not loaded"
            )


def _class_references(place: str, files: Files) -> Iterator[tuple[str, str]]:
    """Each class that the model's files have imported, with the file that names it."""
    modules = _json(place, "modules.json", files)
    if modules is None:
        return
    waiting: list[str] = []
    try:
        for module in modules:
            yield "modules.json", str(module["type"])
            waiting.append(_inner(place, "modules.json", str(module["path"])))
    except (TypeError, KeyError) as error:
        raise ShelfError(f"{place}: modules.json: not a list of modules") from error
    seen: set[str] = set()
    while waiting:
        folder = waiting.pop()
        if folder in seen:
            continue
        seen.add(folder)
        for config in _MODULE_CONFIGS:
            name = posixpath.normpath(posixpath.join(folder, config))
            values = _json(place, name, files)
            if not isinstance(values, dict):
                continue
            for key in _CLASSES:
                # A name without a point is none of a module: nothing can be imported by it.
                if "." in str(values.get(key, "")):
                    yield name, str(values[key])
            types = values.get("types")
            # A router holds modules of its own.
            for inner, reference in types.items() if isinstance(types, dict) else ():
                yield name, str(reference)
                waiting.append(_inner(place, name, posixpath.join(folder, inner)))


def _inner(place: str, name: str, path: str) -> str:
    """A folder inside of the model."""
    parts = re.split(r"[/\\]", path)
    if path.startswith(("/", "\\")) or ".." in parts or ":" in path or "\0" in path:
        raise ShelfError(f"{place}: {name} names {one_line(path, 200)!r}, outside of the model")
    return posixpath.normpath(path)


def auto_code(place: str, files: Files) -> str:
    """Why transformers loads no such model, where that is for code of the model's own."""
    for name in ("config.json", "tokenizer_config.json"):
        values = _json(place, name, files)
        own = values.get("auto_map") if isinstance(values, dict) else None
        if own:
            named = ", ".join(map(str, own.values())) if isinstance(own, dict) else str(own)
            return (
                f"{place}: {name} names {one_line(named, 200)!r}, code of the model's own, without "
                "which it is not loaded; such code is not run"
            )
    return ""


def _json(place: str, name: str, files: Files) -> Any:
    """A file's value; None where there is none."""
    path = files(name)
    if path is None:
        return None
    if path.stat().st_size > _LONGEST_CONFIG:
        raise ShelfError(f"{place}: {name}: longer than {_LONGEST_CONFIG:,} bytes")
    try:
        return json.loads(path.read_bytes().decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ShelfError(
            f"{place}: {name}: no JSON can be read: {one_line(str(error), 200)}"
        ) from error
