"""A Hub on 127.0.0.1 that serves models, truthfully or not, as far as a vetting reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from loopback_hub import LoopbackHub, Repository, _Handler, git_blob_id
from loopback_server import serving

_NAME = r"(?P<repo>[^/]+/[^/]+)"
_FILE = re.compile(rf"/{_NAME}/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
_INFO = re.compile(rf"/api/models/{_NAME}(?:/revision/(?P<revision>[^/]+))?")
COMMIT = "c0ffee" + "0" * 34


@dataclass
class ModelRepository(Repository):
    """A model's files, and what the Hub says of it.

    Attributes
    ----------
    says : dict
        Fields of the answer in place of those that are true.
    sizes : dict of str to int or None
        Sizes that are said in place of the true ones; None says none.
    status : int
        Of every answer, where it is not 200.
    headers : dict of str to str
        Of the answer for each file, in place of those that are true.
    file_status : int
        Of the answer for each file.
    """

    says: dict[str, Any] = field(default_factory=dict)
    sizes: dict[str, int | None] = field(default_factory=dict)
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    file_status: int = 200


@dataclass
class ModelHub(LoopbackHub):
    """The server, with the headers of the requests that it was sent."""

    headers: list[Mapping[str, str]] = field(default_factory=list)

    def add(self, name: str, files: dict[str, bytes], **how: Any) -> ModelRepository:
        """A model with these files at `COMMIT`."""
        made = ModelRepository({COMMIT: files}, **how)
        self.repositories[name] = made
        return made

    def downloaded(self, name: str) -> set[str]:
        """Paths of the files that were asked for with GET."""
        found = [re.match(rf"GET /{name}/resolve/[^/]+/(.+)", own) for own in self.requests]
        return {unquote(own[1]) for own in found if own}


@contextmanager
def model_hub() -> Iterator[ModelHub]:
    """Serve until the block ends."""
    hub = ModelHub("", {}, [])
    with serving(partial(_ModelHandler, hub)) as hub.url:
        yield hub


class _ModelHandler(_Handler):
    def __init__(self, hub: ModelHub, *arguments: object) -> None:
        self._said: dict[str, str] = {}
        self._status = 200
        super().__init__(hub, *arguments)

    def do_GET(self) -> None:
        hub = self._hub
        assert isinstance(hub, ModelHub)
        hub.requests.append(f"{self.command} {self.path}")
        hub.headers.append(dict(self.headers.items()))
        address = unquote(urlsplit(self.path).path)
        for pattern, answer in ((_FILE, self._file), (_INFO, self._model)):
            if match := pattern.fullmatch(address):
                repository = hub.repositories.get(match["repo"])
                if isinstance(repository, ModelRepository) and repository.status != 200:
                    return self._send_json(HTTPStatus(repository.status), {"error": "no"})
                return self._with_commit(match, answer)
        return self._refuse("EntryNotFound", f"no route {address}")

    do_HEAD = do_GET  # noqa: N815 - the server calls it so

    def _file(self, match: re.Match[str], commit_id: str, files: dict[str, bytes]) -> None:
        repository = self._hub.repositories[match["repo"]]
        assert isinstance(repository, ModelRepository)
        self._said, self._status = repository.headers, repository.file_status
        return super()._file(match, commit_id, files)

    def _send(self, status: HTTPStatus, content: bytes, headers: dict[str, str]) -> None:
        said, self._said = self._said, {}
        if self._status != HTTPStatus.OK:
            status, self._status = HTTPStatus(self._status), 200
        return super()._send(status, content, headers | said)

    def _model(self, match: re.Match[str], commit_id: str, files: dict[str, bytes]) -> None:
        repository = self._hub.repositories[match["repo"]]
        assert isinstance(repository, ModelRepository)
        with_sizes = parse_qs(urlsplit(self.path).query).get("blobs") == ["true"]
        siblings = []
        for path, content in files.items():
            own: dict[str, Any] = {"rfilename": path}
            size = repository.sizes.get(path, len(content))
            if with_sizes and size is not None:
                own |= {"size": size, "blobId": git_blob_id(content)}
            siblings.append(own)
        value = {
            "id": match["repo"],
            "sha": commit_id,
            "private": False,
            "gated": False,
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "siblings": siblings,
        }
        return self._send_json(HTTPStatus.OK, value | repository.says)


def model_files(**changes: bytes | None) -> dict[str, bytes]:
    """Files of a sentence encoder that passes; a change is a path's content, or None to leave out.

    The weights are none: nothing here is ever loaded.
    """

    def text(value: object) -> bytes:
        return json.dumps(value).encode()

    files: dict[str, bytes | None] = {
        "modules.json": text(
            [
                {"idx": 0, "name": "0", "path": "", "type": MODELS + "Transformer"},
                {"idx": 1, "name": "1", "path": "1_Pooling", "type": MODELS + "Pooling"},
            ]
        ),
        "config.json": text({"model_type": "bert", "hidden_act": "gelu"}),
        "tokenizer_config.json": text({"tokenizer_class": "BertTokenizer"}),
        "tokenizer.json": text({}),
        "sentence_bert_config.json": text({"max_seq_length": 256}),
        "1_Pooling/config.json": text({"pooling_mode": "mean"}),
        "model.safetensors": b"weights",
        "pytorch_model.bin": b"a pickle",
        "modeling_own.py": b"import os",
        "README.md": b"# A model",
        "onnx/model.onnx": b"graph",
        ".gitattributes": b"",
        **changes,
    }
    return {path: content for path, content in files.items() if content is not None}


MODELS = "sentence_transformers.models."
