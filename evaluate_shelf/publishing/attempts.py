"""An attempt to publish: compare, commit once, read back what was committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.publishing.faults import HeadMovedError, NoRevisionError, TransientError
from evaluate_shelf.publishing.limits import warnings_about
from evaluate_shelf.publishing.local import LocalFile
from evaluate_shelf.publishing.occupied import (
    CARD,
    is_card_as_made,
    may_be_as_made,
    occupied,
)
from evaluate_shelf.publishing.plan import Plan, RemoteFile, listed_paths, plan_changes
from evaluate_shelf.publishing.reporter import Reporter
from evaluate_shelf.publishing.repository import Commit, Head, Repository
from evaluate_shelf.publishing.result import Published
from evaluate_shelf.release.manifest import MANIFEST

_LARGEST_MANIFEST = 64 * 10**6


@dataclass(frozen=True)
class Order:
    """What the user wants.

    Attributes
    ----------
    release_id : str
        The release's id.
    files : mapping of str to LocalFile
        Its files by path.
    summary : str
        Of the commit.
    create_pr, private, replace, dry_run : bool
        As `publish` takes them.
    """

    release_id: str
    files: Mapping[str, LocalFile]
    summary: str
    create_pr: bool
    private: bool
    replace: bool
    dry_run: bool


@dataclass(frozen=True)
class _State:
    """What the repository holds, and what of it may be deleted."""

    head: Head | None
    files: Mapping[str, RemoteFile]
    owned: frozenset[str]


_NOTHING = _State(None, {}, frozenset())


class Attempts:
    """Attempts at a publication; knows from one to the next what may have been done already.

    Parameters
    ----------
    repository : Repository
        Where to.
    order : Order
        What.
    reporter : Reporter
        Told what happens.
    """

    def __init__(self, repository: Repository, order: Order, reporter: Reporter) -> None:
        self._repository = repository
        self._name = repository.address.repo_id
        self._order = order
        self._reporter = reporter
        self._warned: set[str] = set()
        self._created = False
        # A plan whose commit was sent without an answer, and one whose commit was made.
        self._in_doubt: Plan | None = None
        self._made: tuple[_State, Plan, Commit] | None = None

    def once(self) -> Published:
        """Read, compare, commit and read back; may raise `TransientError`."""
        if self._made is None:
            state = self._state()
            plan = plan_changes(self._order.files, state.files, state.owned)
            if not plan.operations:
                return self._held_already(state, plan)
            if self._order.create_pr and (found := self._held_by_a_pull_request(state, plan)):
                return found
            self._announce(plan)
            if self._order.dry_run:
                return self._published(state, plan)
            if state.head is None:
                state, plan = self._with_repository()
            self._made = (state, plan, self._commit(state, plan))
        return self._read_back(*self._made)

    def _state(self) -> _State:
        head = self._repository.head()
        if head is None:
            return _NOTHING
        if self._order.private and not head.private:
            raise ShelfError(
                f"{self._name}: it is public already, and --private makes "
                "only a new repository private; change it on the Hub first"
            )
        if head.private and not self._order.private:
            self._warn(f"{self._name} is private; few can read it")
        files = self._repository.files(head.oid)
        return _State(head, files, self._owned(head, files))

    def _owned(self, head: Head, files: Mapping[str, RemoteFile]) -> frozenset[str]:
        try:
            return self._listed(head, files)
        except ValueError as error:
            if self._order.replace or self._is_as_made(head, files):
                return frozenset(files)
            raise occupied(self._repository.address, self._order.files, files) from error

    def _listed(self, head: Head, files: Mapping[str, RemoteFile]) -> frozenset[str]:
        """Paths of the release that is there; raises `ValueError` if none is."""
        manifest = files.get(MANIFEST)
        if manifest is None:
            raise ValueError("no manifest")
        if manifest.holds(self._order.files[MANIFEST]):
            return frozenset()
        if manifest.size > _LARGEST_MANIFEST:
            raise ValueError("too large")
        return listed_paths(self._repository.content(MANIFEST, head.oid))

    def _is_as_made(self, head: Head, files: Mapping[str, RemoteFile]) -> bool:
        if not may_be_as_made(files):
            return False
        return CARD not in files or is_card_as_made(self._repository.content(CARD, head.oid))

    def _announce(self, plan: Plan) -> None:
        for warning in warnings_about(self._order.files, plan):
            self._warn(warning)
        if self._order.create_pr:
            self._warn(
                "a pull request is not checked against commits that come in between; "
                "look at it before merging"
            )
        self._reporter.planned(plan)

    def _warn(self, message: str) -> None:
        if message not in self._warned:
            self._warned.add(message)
            self._reporter.warned(message)

    def _with_repository(self) -> tuple[_State, Plan]:
        self._repository.create(private=self._order.private)
        state = self._state()
        if state.head is None:
            raise TransientError(f"{self._name}: it is there, but this token cannot read it")
        self._created = True
        self._reporter.created(self._name)
        return state, plan_changes(self._order.files, state.files, state.owned)

    def _commit(self, state: _State, plan: Plan) -> Commit:
        assert state.head is not None
        before, self._in_doubt = self._in_doubt, plan
        try:
            commit = self._repository.commit(
                plan,
                self._order.files,
                state.head.oid,
                self._order.summary,
                create_pr=self._order.create_pr,
            )
        except HeadMovedError:
            self._in_doubt = before
            raise
        for remark in commit.remarks:
            self._warn(remark)
        return commit

    def _read_back(self, state: _State, plan: Plan, commit: Commit) -> Published:
        try:
            files = self._repository.files(commit.revision)
        except (TransientError, NoRevisionError) as error:
            seconds = error.seconds if isinstance(error, TransientError) else None
            raise TransientError(
                f"{commit.url}: made, but not read back: {error}", seconds
            ) from error
        wrong = plan_changes(self._order.files, files, state.owned)
        if wrong.operations:
            first = (*wrong.sent, *wrong.deleted)[0]
            raise ShelfError(
                f"{commit.url}: the commit is not the release: {wrong.operations} files differ, "
                f"{first} the first; publish again"
            )
        return self._published(state, plan, commit.oid, commit.url, commit.pull_request_url)

    def _held_already(self, state: _State, plan: Plan) -> Published:
        if self._in_doubt is None or state.head is None:
            return self._published(state, plan)
        oid = state.head.oid
        return self._published(state, self._in_doubt, oid, self._url_of(oid))

    def _held_by_a_pull_request(self, state: _State, plan: Plan) -> Published | None:
        if state.head is None:
            return None
        for request in self._repository.open_pull_requests(self._order.summary):
            held = self._repository.files(request.reference)
            if not plan_changes(self._order.files, held, state.owned).operations:
                return self._published(state, plan, pull_request_url=request.url)
        return None

    def _url_of(self, oid: str) -> str:
        return f"{self._repository.address.url}/commit/{oid}"

    def _published(
        self,
        state: _State,
        plan: Plan,
        oid: str | None = None,
        commit_url: str | None = None,
        pull_request_url: str | None = None,
    ) -> Published:
        return Published(
            repo_id=self._name,
            revision=self._repository.address.revision,
            release_id=self._order.release_id,
            dry_run=self._order.dry_run,
            creates_repository=self._created or state.head is None,
            compared_with=state.head.oid if state.head else None,
            oid=oid,
            commit_url=commit_url,
            pull_request_url=pull_request_url,
            added=plan.added,
            replaced=plan.replaced,
            deleted=plan.deleted,
            unchanged=plan.unchanged,
            bytes_to_send=plan.bytes_to_send,
        )
