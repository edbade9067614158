"""The site as it is served: every file in memory, compressed once, under the hash of its bytes."""

from __future__ import annotations

import gzip
import hashlib
import json
import mimetypes
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evaluate_shelf.aggregate.schema import Aggregate

# On the Hub these files lie in a folder that is no package.
if __package__ == "serving":
    from static_site import POLICY, write_site
else:
    from space.static_site import POLICY, write_site

_FRAMES = (
    "frame-ancestors 'self' https://huggingface.co https://*.huggingface.co https://*.hf.space"
)
HEADERS: tuple[tuple[bytes, bytes], ...] = tuple(
    (name.encode(), value.encode())
    for name, value in {
        "content-security-policy": f"{POLICY}; {_FRAMES}",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    }.items()
)
"""Of every answer. The Hub shows a Space in a frame; nobody else may."""

_TYPES = {".js": "text/javascript", ".parquet": "application/vnd.apache.parquet"}
_PACKED = (".html", ".js", ".css", ".svg", ".json")
_LEFT_OUT = {"README.md"}
# A static site says in this file that nobody takes submissions.
SERVED = "js/served.js"
_SERVED = (
    b'// Written by the server that serves these pages.\n"use strict";\nSHELF.served = true;\n'
)


class Page(NamedTuple):
    """A file of the site.

    Attributes
    ----------
    content : bytes
        As it is sent to a browser: packed with gzip where that pays.
    packed : bool
        Whether it is.
    kind : str
        Its media type.
    tag : str
        Hash of its bytes, for the ETag.
    """

    content: bytes
    packed: bool
    kind: str
    tag: str

    def plain(self) -> bytes:
        """The file's own bytes."""
        return gzip.decompress(self.content) if self.packed else self.content


@dataclass(frozen=True)
class Site:
    """All files of one state of the results.

    Attributes
    ----------
    pages : mapping of str to Page
        By path, without a slash before it; `index.html` is also the empty path.
    places : mapping of str to (str, str)
        By run id, the keys of the board and of the model under which a run is shown.
    """

    pages: Mapping[str, Page]
    places: Mapping[str, tuple[str, str]]


def site_of(aggregate: Aggregate, results: str | None = None) -> Site:
    """Write the static site of an aggregate into a folder that goes at once, and keep its files.

    Parameters
    ----------
    aggregate : Aggregate
        What is shown.
    results : str, default=None
        As for `static_site.write_site`.

    Raises
    ------
    ShelfError
        If there is no room for it on the disk.
    """
    with tempfile.TemporaryDirectory(prefix="shelf-site-") as place:
        folder = Path(place) / "site"
        write_site(aggregate, folder, results)
        files = dict(_files(folder))
    files[SERVED] = _SERVED
    state = _hash(b"".join(_hash(files[name]).encode() for name in sorted(files)))
    pages = {name: _page(name, _of_state(name, files[name], state)) for name in sorted(files)}
    pages[""] = pages["index.html"]
    return Site(pages, dict(_places(aggregate)))


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and name not in _LEFT_OUT:
            yield name, file.read_bytes()


def _of_state(name: str, content: bytes, state: str) -> bytes:
    """A script of data that a page of an older state does not take in: it is read anew instead.

    Numbers in one file count rows of another, and a file may be asked for long after its page.
    """
    if not (name.startswith("data/") and name.endswith(".js")):
        return content
    guard = (
        "globalThis.SHELF_DATA ??= {};\n"
        f"if ((SHELF_DATA.state ??= {json.dumps(state)}) !== {json.dumps(state)}) {{\n"
        '  location.reload();\n  throw new Error("There are newer results");\n}\n'
    )
    return guard.encode() + content


def _page(name: str, content: bytes) -> Page:
    ending = Path(name).suffix
    kind = _TYPES.get(ending) or mimetypes.guess_type(name)[0] or "application/octet-stream"
    charset = "; charset=utf-8" if ending in _PACKED else ""
    packed = gzip.compress(content, 9, mtime=0) if ending in _PACKED else content
    is_packed = len(packed) < len(content)
    return Page(packed if is_packed else content, is_packed, kind + charset, _hash(content))


def _places(aggregate: Aggregate) -> Iterator[tuple[str, tuple[str, str]]]:
    for board in aggregate.boards:
        for row in board.rows:
            if row.run_id is not None:
                yield row.run_id, (board.key, aggregate.models[row.model].key)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:32]
