"""A dataset Hub on 127.0.0.1 that serves folders, as far as `huggingface_hub` reads them.

Reading alone: revisions, trees and files. Nothing can be written through it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path, PurePosixPath
from urllib.parse import parse_qs, unquote, urlsplit

from loopback_server import serving

_NAME = r"(?P<repo>[^/]+/[^/]+)"
_FILE = re.compile(rf"/datasets/{_NAME}/resolve/(?P<revision>[^/]+)/(?P<path>.+)")
_TREE = re.compile(rf"/api/datasets/{_NAME}/tree/(?P<revision>[^/]+)(?:/(?P<path>.+))?")
_REVISION = re.compile(rf"/api/datasets/{_NAME}(?:/revision/(?P<revision>[^/]+))?")
_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


def git_blob_id(content: bytes) -> str:
    """The id that git, and so the Hub, gives a file."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def contents(folder: Path) -> dict[str, bytes]:
    """Files of a folder by their path in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@dataclass
class Repository:
    """Commits of a dataset repository, the newest last; each is a folder's files at that time."""

    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def commit(self, folder: Path) -> str:
        """Take a folder's files in as the newest commit; gives the commit's id."""
        files = contents(folder)
        names = json.dumps([(path, git_blob_id(content)) for path, content in files.items()])
        commit_id = hashlib.sha1(f"{len(self.commits)}{names}".encode()).hexdigest()
        self.commits[commit_id] = files
        return commit_id

    def resolved(self, revision: str) -> str | None:
        """The id of the commit that a branch or an id names."""
        if revision in ("main", "HEAD"):
            return list(self.commits)[-1]
        return revision if revision in self.commits else None


@dataclass
class LoopbackHub:
    """The server's repositories, its address and what it was asked for."""

    url: str
    repositories: dict[str, Repository]
    requests: list[str]


@contextmanager
def loopback_hub() -> Iterator[LoopbackHub]:
    """Serve until the block ends."""
    hub = LoopbackHub("", {}, [])
    with serving(partial(_Handler, hub)) as hub.url:
        yield hub


def hub_environment(url: str, folder: Path) -> dict[str, str]:
    """The environment of a process whose Hub is at this address, and its caches in this folder."""
    inherited = {
        name: value for name, value in os.environ.items() if not name.startswith(("HF_", "SHELF_"))
    }
    return {
        **inherited,
        "HF_ENDPOINT": url,
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "SHELF_CACHE": str(folder / "cache"),
    }


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, hub: LoopbackHub, *arguments: object) -> None:
        self._hub = hub
        super().__init__(*arguments)  # type: ignore[arg-type]

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - as in the base
        """Say nothing."""

    def do_GET(self) -> None:
        self._hub.requests.append(f"{self.command} {self.path}")
        address = unquote(urlsplit(self.path).path)
        for pattern, answer in ((_FILE, self._file), (_TREE, self._tree), (_REVISION, self._info)):
            if match := pattern.fullmatch(address):
                return self._with_commit(match, answer)
        return self._refuse("EntryNotFound", f"no route {address}")

    do_HEAD = do_GET  # noqa: N815 - the server calls it so

    def _with_commit(self, match: re.Match[str], answer: object) -> None:
        repository = self._hub.repositories.get(match["repo"])
        if repository is None:
            return self._refuse("RepoNotFound", "Repository not found")
        commit_id = repository.resolved(match["revision"] or "main")
        if commit_id is None:
            return self._refuse("RevisionNotFound", "Invalid rev id")
        return answer(match, commit_id, repository.commits[commit_id])  # type: ignore[operator]

    def _file(self, match: re.Match[str], commit_id: str, files: dict[str, bytes]) -> None:
        content = files.get(match["path"])
        if content is None:
            return self._refuse("EntryNotFound", "Entry not found", commit_id)
        headers = {"X-Repo-Commit": commit_id, "ETag": f'"{git_blob_id(content)}"'}
        if wanted := _RANGE.fullmatch(self.headers.get("Range", "")):
            start, end = int(wanted[1]), int(wanted[2] or len(content) - 1)
            headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
            return self._send(HTTPStatus.PARTIAL_CONTENT, content[start : end + 1], headers)
        return self._send(HTTPStatus.OK, content, headers)

    def _tree(self, match: re.Match[str], commit_id: str, files: dict[str, bytes]) -> None:
        under = f"{match['path']}/" if match["path"] else ""
        entries: dict[str, dict[str, object]] = {}
        for path, content in files.items():
            for folder in PurePosixPath(path).parents[:-1]:
                entries[f"{folder}"] = {"type": "directory", "size": 0, "oid": commit_id}
            entries[path] = {"type": "file", "size": len(content), "oid": git_blob_id(content)}
        recursive = parse_qs(urlsplit(self.path).query).get("recursive") == ["true"]
        found = [
            {"path": path, **entry}
            for path, entry in sorted(entries.items())
            if path.startswith(under) and (recursive or "/" not in path.removeprefix(under))
        ]
        if under and not found:
            return self._refuse("EntryNotFound", "Entry not found", commit_id)
        return self._send_json(HTTPStatus.OK, found)

    def _info(self, match: re.Match[str], commit_id: str, files: dict[str, bytes]) -> None:
        value = {
            "id": match["repo"],
            "author": match["repo"].split("/")[0],
            "sha": commit_id,
            "private": False,
            "gated": False,
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "siblings": [{"rfilename": path} for path in files],
        }
        return self._send_json(HTTPStatus.OK, value)

    def _refuse(self, code: str, message: str, commit_id: str = "") -> None:
        headers = {"X-Error-Code": code, "X-Error-Message": message}
        if commit_id:
            headers["X-Repo-Commit"] = commit_id
        return self._send_json(HTTPStatus.NOT_FOUND, {"error": message}, headers)

    def _send_json(
        self, status: HTTPStatus, value: object, headers: dict[str, str] | None = None
    ) -> None:
        return self._send(
            status,
            json.dumps(value).encode(),
            {"Content-Type": "application/json", **(headers or {})},
        )

    def _send(self, status: HTTPStatus, content: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)
