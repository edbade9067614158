"""A dataset Hub on 127.0.0.1 that takes commits, and that fails where a test tells it to.

It stands in for what `huggingface_hub` needs to write: repositories, upload modes, the storage of
large files, commits with a parent, pull requests, and what reads them back. Each request is one
thread; a commit is applied under a lock, whole or not at all.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import partial
from http import HTTPStatus
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from loopback_hub import LoopbackHub, Repository, _Handler, contents, git_blob_id
from loopback_server import serving

WRITER, READER = "hf_of_a_writer", "hf_of_a_reader"
_NAME = r"(?P<repo>[^/]+/[^/]+)"
_API = rf"/api/datasets/{_NAME}"


def released(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files of a commit without the one that the Hub adds to a new repository."""
    return {path: content for path, content in files.items() if path != ".gitattributes"}


def manifest_of(**parts: object) -> bytes:
    """The least that is a manifest of a release, of whatever version, with these parts."""
    least = {"manifest_version": 1, "configs": {}, "data_files": {}, "other_files": {}}
    return json.dumps(least | parts).encode()


class LargeFile(bytes):
    """Content that lies in the storage of large files."""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self).hexdigest()

    @property
    def pointer(self) -> bytes:
        """What lies in the git repository in its place."""
        return (
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.sha256}\n"
            f"size {len(self)}\n"
        ).encode()


@dataclass(frozen=True)
class Record:
    """A commit's place in the history."""

    oid: str
    parent: str | None
    summary: str
    reference: str
    operations: int


@dataclass
class WritableRepository(Repository):
    """Commits, branches and pull requests of a dataset repository."""

    private: bool = False
    history: list[Record] = field(default_factory=list)
    references: dict[str, str] = field(default_factory=dict)
    pull_requests: dict[int, str] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def head(self) -> str:
        return self.references["main"]

    @property
    def files(self) -> dict[str, bytes]:
        """Files of the main branch."""
        return self.commits[self.head]

    @property
    def made(self) -> list[Record]:
        """Commits in order, but for the first, which the Hub makes."""
        return self.history[1:]

    def add(
        self,
        files: dict[str, bytes],
        summary: str,
        reference: str = "main",
        parent: str | None = None,
        operations: int = 0,
    ) -> str:
        """Make a commit of these files and no others; gives its id."""
        with self.lock:
            names = [(path, git_blob_id(content)) for path, content in sorted(files.items())]
            oid = hashlib.sha1(json.dumps([len(self.commits), summary, names]).encode()).hexdigest()
            self.commits[oid] = dict(files)
            self.history.append(
                Record(
                    oid, parent or self.references.get(reference), summary, reference, operations
                )
            )
            self.references[reference] = oid
            return oid

    def commit(self, folder: Path) -> str:
        """Take a folder's files in as the newest commit."""
        return self.add(contents(folder), "A folder")

    def resolved(self, revision: str) -> str | None:
        known = self.references.get("main" if revision == "HEAD" else revision)
        return known or (revision if revision in self.commits else None)


@dataclass
class Fault:
    """What goes wrong with requests that fit.

    Attributes
    ----------
    pattern : str
        Searched in `METHOD /path?query`.
    how : {'status', 'cut', 'cut_body', 'lose_answer'}
        Answer with a status; close the connection before reading the request's body, or in the
        middle of it; do what is asked and close it without an answer.
    times : int
        For how many requests.
    after : int
        How many requests that fit go well first.
    """

    pattern: str
    how: str
    times: int = 1
    after: int = 0
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b'{"error":"Something went wrong"}'

    def strikes(self, request: str) -> bool:
        if not re.search(self.pattern, request):
            return False
        if self.after:
            self.after -= 1
            return False
        self.times -= 1
        return self.times >= 0


@dataclass
class WritableHub(LoopbackHub):
    """The server's state, and what a test may set.

    Attributes
    ----------
    large : callable
        Whether a file of this path and size goes to the storage of large files.
    before_commit : callable
        Called with the repository's name when a commit has arrived, before it is looked at.
    on_request : callable
        Called with each request, before anything else.
    tokens : dict of str to str
        Token, and what it may do: 'write' or 'read'.
    card_errors : list of str
        What the Hub has against a dataset card.
    uploads : list of str
        Ids of the large files that were sent, in order.
    """

    repositories: dict[str, WritableRepository]  # type: ignore[assignment]
    large: Callable[[str, int], bool] = lambda path, size: path.endswith(".parquet")
    before_commit: Callable[[str], None] = lambda name: None
    on_request: Callable[[str], None] = lambda request: None
    tokens: dict[str, str] = field(default_factory=lambda: {WRITER: "write", READER: "read"})
    card_errors: list[str] = field(default_factory=list)
    card_warnings: list[str] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    storage: dict[str, bytes] = field(default_factory=dict)
    uploads: list[str] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def create(self, name: str, *, private: bool = False) -> WritableRepository:
        """Make a repository as the Hub does: its first commit has a `.gitattributes`."""
        repository = WritableRepository(private=private)
        repository.add({".gitattributes": b"*.parquet filter=lfs -text\n"}, "initial commit")
        self.repositories[name] = repository
        return repository

    @property
    def writes(self) -> list[str]:
        """Requests that ask for a change."""
        return [asked for asked in self.requests if not asked.startswith(("GET", "HEAD"))]

    def fault_of(self, request: str) -> Fault | None:
        with self.lock:
            return next((fault for fault in self.faults if fault.strikes(request)), None)


@contextmanager
def writable_hub() -> Iterator[WritableHub]:
    """Serve until the block ends."""
    hub = WritableHub("", {}, [])
    with serving(partial(_WritingHandler, hub)) as hub.url:
        yield hub


class _RefusedError(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


class _WritingHandler(_Handler):
    _hub: WritableHub

    def handle_any(self) -> None:
        request = f"{self.command} {self.path}"
        with self._hub.lock:
            self._hub.requests.append(request)
        self._hub.on_request(request)
        fault = self._hub.fault_of(request)
        if fault and fault.how in ("cut", "cut_body"):
            if fault.how == "cut_body":
                self.rfile.read(int(self.headers.get("Content-Length") or 0) // 2)
            return self._hang_up()
        # A body that is not read would be taken for the next request.
        self._body = self._read_body()
        if fault and fault.how == "status":
            headers = {"Content-Type": "application/json", **fault.headers}
            return self._send(HTTPStatus(fault.status), fault.body, headers)
        self._mute = bool(fault)
        try:
            self._route()
        except _RefusedError as refusal:
            headers = {"X-Error-Code": refusal.code, "X-Error-Message": refusal.message}
            headers = {name: value for name, value in headers.items() if value}
            self._send_json(HTTPStatus(refusal.status), {"error": refusal.message}, headers)
        return self._hang_up() if self._mute else None

    do_GET = do_HEAD = do_POST = do_PUT = handle_any  # noqa: N815 - the server calls them so

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, status: HTTPStatus, content: bytes, headers: dict[str, str]) -> None:
        if not getattr(self, "_mute", False):
            super()._send(status, content, headers)

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _route(self) -> None:
        # Split before unquoting: a revision may hold slashes.
        address = urlsplit(self.path)
        self._query = parse_qs(address.query)
        for methods, pattern, answer in _ROUTES:
            match = pattern.fullmatch(address.path)
            if match and self.command in methods:
                parts = {key: unquote(part) for key, part in match.groupdict().items() if part}
                return answer(self, parts)
        raise _RefusedError(404, f"no route {self.command} {address.path}")

    # Who may do what

    @property
    def _role(self) -> str | None:
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token and token not in self._hub.tokens:
            raise _RefusedError(401, "Invalid credentials in Authorization header")
        return self._hub.tokens.get(token)

    def _repository(self, parts: dict[str, str]) -> WritableRepository:
        repository = self._hub.repositories.get(parts["repo"])
        if repository is None or (repository.private and self._role is None):
            raise _RefusedError(404 if self._role else 401, "Repository not found", "RepoNotFound")
        return repository

    def _writable(self, parts: dict[str, str]) -> WritableRepository:
        repository = self._repository(parts)
        if self._role is None:
            raise _RefusedError(401, "Invalid username or password.")
        if self._role != "write" and not self._opens_pull_request:
            raise _RefusedError(403, "Forbidden: you must have write access")
        return repository

    @property
    def _opens_pull_request(self) -> bool:
        return self._query.get("create_pr") == ["1"]

    def _commit_of(self, repository: WritableRepository, parts: dict[str, str]) -> str:
        oid = repository.resolved(parts.get("revision", "main"))
        if oid is None:
            raise _RefusedError(404, "Invalid rev id", "RevisionNotFound")
        return oid

    # Reading

    def _who_am_i(self, parts: dict[str, str]) -> None:
        if self._role is None:
            raise _RefusedError(401, "Invalid username or password.")
        self._send_json(HTTPStatus.OK, {"type": "user", "name": "owner", "auth": {}, "orgs": []})

    def _information(self, parts: dict[str, str]) -> None:
        repository = self._repository(parts)
        oid = self._commit_of(repository, parts)
        value = {
            "id": parts["repo"],
            "author": parts["repo"].split("/")[0],
            "sha": oid,
            "private": repository.private,
            "gated": False,
            "disabled": False,
            "downloads": 0,
            "likes": 0,
            "tags": [],
            "siblings": [{"rfilename": path} for path in repository.commits[oid]],
        }
        self._send_json(HTTPStatus.OK, value)

    def _tree_of(self, parts: dict[str, str]) -> None:
        repository = self._repository(parts)
        oid = self._commit_of(repository, parts)
        under = f"{parts['path']}/" if "path" in parts else ""
        recursive = self._query.get("recursive", ["False"])[0].lower() == "true"
        found = [
            entry
            for path, entry in _entries(repository.commits[oid], oid).items()
            if path.startswith(under) and (recursive or "/" not in path.removeprefix(under))
        ]
        if under and not found:
            raise _RefusedError(404, "Entry not found", "EntryNotFound")
        self._send_json(HTTPStatus.OK, found)

    def _paths_of(self, parts: dict[str, str]) -> None:
        repository = self._repository(parts)
        oid = self._commit_of(repository, parts)
        wanted = parse_qs(self._body.decode())["paths"]
        entries = _entries(repository.commits[oid], oid)
        self._send_json(HTTPStatus.OK, [entries[path] for path in wanted if path in entries])

    def _content(self, parts: dict[str, str]) -> None:
        repository = self._repository(parts)
        oid = self._commit_of(repository, parts)
        content = repository.commits[oid].get(parts["path"])
        headers = {"X-Repo-Commit": oid}
        if content is None:
            headers |= {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
            return self._send_json(HTTPStatus.NOT_FOUND, {"error": "Entry not found"}, headers)
        if isinstance(content, LargeFile):
            headers |= {
                "ETag": f'"{content.sha256}"',
                "X-Linked-ETag": f'"{content.sha256}"',
                "X-Linked-Size": str(len(content)),
            }
        else:
            headers["ETag"] = f'"{git_blob_id(content)}"'
        headers["Accept-Ranges"] = "bytes"
        if wanted := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            start, end = int(wanted[1]), min(int(wanted[2] or len(content)), len(content) - 1)
            headers["Content-Range"] = f"bytes {start}-{end}/{len(content)}"
            return self._send(HTTPStatus.PARTIAL_CONTENT, content[start : end + 1], headers)
        return self._send(HTTPStatus.OK, content, headers)

    def _discussions(self, parts: dict[str, str]) -> None:
        repository = self._repository(parts)
        found = [
            {
                "num": number,
                "title": title,
                "author": {"name": "somebody"},
                "createdAt": "2026-01-01T00:00:00.000Z",
                "status": "open",
                "repo": {"name": parts["repo"], "type": "dataset"},
                "isPullRequest": True,
            }
            for number, title in repository.pull_requests.items()
        ]
        self._send_json(HTTPStatus.OK, {"discussions": found, "count": len(found), "start": 0})

    # Writing

    def _validate_card(self, parts: dict[str, str]) -> None:
        value = {
            "errors": [{"message": message} for message in self._hub.card_errors],
            "warnings": [{"message": message} for message in self._hub.card_warnings],
        }
        status = HTTPStatus.BAD_REQUEST if self._hub.card_errors else HTTPStatus.OK
        self._send_json(status, value)

    def _create(self, parts: dict[str, str]) -> None:
        if self._role is None:
            raise _RefusedError(401, "Invalid username or password.")
        if self._role != "write":
            raise _RefusedError(403, "You don't have the rights to create a dataset here")
        wanted = json.loads(self._body)
        assert wanted["type"] == "dataset"
        name = f"{wanted['organization']}/{wanted['name']}"
        value = {"url": f"{self._hub.url}/datasets/{name}"}
        with self._hub.lock:
            if name in self._hub.repositories:
                value["error"] = "You already created this dataset repo"
                return self._send_json(HTTPStatus.CONFLICT, value)
            # Older clients send the second.
            private = wanted.get("visibility") == "private" or wanted.get("private") is True
            self._hub.create(name, private=private)
        return self._send_json(HTTPStatus.OK, value)

    def _upload_modes(self, parts: dict[str, str]) -> None:
        repository = self._writable(parts)
        files = repository.commits[self._commit_of(repository, parts)]
        wanted = json.loads(self._body)
        ignored = wanted.get("gitIgnore", files.get(".gitignore", b"").decode()).splitlines()
        answers = [
            {
                "path": file["path"],
                "uploadMode": "lfs" if self._hub.large(file["path"], file["size"]) else "regular",
                "shouldIgnore": any(
                    fnmatch(file["path"], line) for line in ignored if not line.startswith("#")
                ),
                **({"oid": _oid(files[file["path"]])} if file["path"] in files else {}),
            }
            for file in wanted["files"]
        ]
        self._send_json(HTTPStatus.OK, {"files": answers})

    def _large_files(self, parts: dict[str, str]) -> None:
        # The reference is named unless a pull request is opened.
        self._repository(parts)
        wanted = json.loads(self._body)
        if self._role is None or (self._role != "write" and "ref" in wanted):
            raise _RefusedError(403, "Forbidden: you must have write access")
        objects = []
        for item in wanted["objects"]:
            answer = {"oid": item["oid"], "size": item["size"]}
            if item["oid"] not in self._hub.storage:
                href = f"{self._hub.url}/storage/{item['oid']}"
                answer["actions"] = {"upload": {"href": href}}
            objects.append(answer)
        self._send_json(HTTPStatus.OK, {"transfer": "basic", "objects": objects})

    def _store(self, parts: dict[str, str]) -> None:
        if hashlib.sha256(self._body).hexdigest() != parts["oid"]:
            raise _RefusedError(400, "The content is not that of the id")
        with self._hub.lock:
            self._hub.storage[parts["oid"]] = self._body
            self._hub.uploads.append(parts["oid"])
        self._send(HTTPStatus.OK, b"", {})

    def _take_commit(self, parts: dict[str, str]) -> None:
        self._hub.before_commit(parts["repo"])
        repository = self._writable(parts)
        header, *operations = (json.loads(line) for line in self._body.splitlines())
        assert header["key"] == "header"
        with repository.lock:
            oid = self._commit_of(repository, parts)
            parent = header["value"].get("parentCommit", oid)
            if self._opens_pull_request:
                oid = parent
            elif parent != oid:
                raise _RefusedError(
                    412, "A commit has happened since. Please refresh and try again."
                )
            files = dict(repository.commits[oid])
            for operation in operations:
                self._apply(files, operation["key"], operation["value"])
            title = header["value"]["summary"]
            reference = parts["revision"]
            answer = {"success": True}
            if self._opens_pull_request:
                number = len(repository.pull_requests) + 1
                repository.pull_requests[number] = title
                reference = f"refs/pr/{number}"
                url = f"{self._hub.url}/datasets/{parts['repo']}/discussions/{number}"
                answer["pullRequestUrl"] = url
            made = repository.add(files, title, reference, oid, len(operations))
        answer["commitOid"] = made
        answer["commitUrl"] = f"{self._hub.url}/datasets/{parts['repo']}/commit/{made}"
        self._send_json(HTTPStatus.OK, answer)

    def _apply(self, files: dict[str, bytes], kind: str, value: dict[str, str]) -> None:
        path = value["path"]
        if kind == "file":
            files[path] = base64.b64decode(value["content"], validate=True)
        elif kind == "lfsFile":
            if value["oid"] not in self._hub.storage:
                raise _RefusedError(400, f"no content for {path}")
            files[path] = LargeFile(self._hub.storage[value["oid"]])
        elif kind == "deletedFile" and path in files:
            del files[path]
        else:
            raise _RefusedError(400, f"{kind} {path} cannot be done")


def _oid(content: bytes) -> str:
    return content.sha256 if isinstance(content, LargeFile) else git_blob_id(content)


def _entries(files: dict[str, bytes], oid: str) -> dict[str, dict[str, object]]:
    """What a tree shows of files and of the folders that they lie in."""
    entries: dict[str, dict[str, object]] = {}
    for path, content in sorted(files.items()):
        parts = path.split("/")
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            entries[folder] = {"path": folder, "type": "directory", "size": 0, "oid": oid}
        entry = {"path": path, "type": "file", "size": len(content), "oid": git_blob_id(content)}
        if isinstance(content, LargeFile):
            entry["oid"] = git_blob_id(content.pointer)
            size = len(content)
            entry["lfs"] = {
                "oid": content.sha256,
                "size": size,
                "pointerSize": len(content.pointer),
            }
        entries[path] = entry
    return entries


_READ, _POST = ("GET", "HEAD"), ("POST",)
_ROUTES: tuple[tuple[tuple[str, ...], re.Pattern[str], Callable[..., None]], ...] = tuple(
    (methods, re.compile(pattern), answer)
    for methods, pattern, answer in (
        (_READ, "/api/whoami-v2", _WritingHandler._who_am_i),
        (_READ, rf"{_API}(/revision/(?P<revision>[^/]+))?", _WritingHandler._information),
        (_READ, rf"{_API}/tree/(?P<revision>[^/]+)(/(?P<path>.+))?", _WritingHandler._tree_of),
        (_READ, rf"{_API}/discussions", _WritingHandler._discussions),
        (
            _READ,
            rf"/datasets/{_NAME}/resolve/(?P<revision>[^/]+)/(?P<path>.+)",
            _WritingHandler._content,
        ),
        (_POST, rf"{_API}/paths-info/(?P<revision>[^/]+)", _WritingHandler._paths_of),
        (_POST, "/api/validate-yaml", _WritingHandler._validate_card),
        (_POST, "/api/repos/create", _WritingHandler._create),
        (_POST, rf"{_API}/preupload/(?P<revision>[^/]+)", _WritingHandler._upload_modes),
        (
            _POST,
            rf"/datasets/{_NAME}\.git/info/lfs/objects/batch",
            _WritingHandler._large_files,
        ),
        (("PUT",), r"/storage/(?P<oid>[0-9a-f]{64})", _WritingHandler._store),
        (_POST, rf"{_API}/commit/(?P<revision>[^/]+)", _WritingHandler._take_commit),
    )
)
