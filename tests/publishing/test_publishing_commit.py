"""A publication is one commit that leaves the release, whole and alone, in the repository."""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from http import HTTPStatus

import pytest
from writable_hub import READER, LargeFile, contents, manifest_of, released

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.locks import sole_use
from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.verification import verify_release

NAME = "owner/shelf"


# One commit


@pytest.mark.parametrize(
    "large",
    [
        lambda path, size: path.endswith(".parquet"),
        lambda path, size: False,
        lambda path, size: True,
        lambda path, size: size > 50_000,
    ],
    ids=["parquet", "none", "all", "by size"],
)
def test_a_release_is_one_commit_with_all_its_files(push, hub, first_release, large):
    hub.large = large
    published = push(first_release)
    (commit,) = hub.repositories[NAME].made
    repository = hub.repositories[NAME]
    assert released(repository.files) == contents(first_release)
    assert {
        path for path, content in repository.files.items() if isinstance(content, LargeFile)
    } == {path for path, content in contents(first_release).items() if large(path, len(content))}
    assert commit.parent == repository.history[0].oid
    assert (published.oid, published.commit_url) == (
        commit.oid,
        f"{hub.url}/datasets/{NAME}/commit/{commit.oid}",
    )
    assert published.added == tuple(sorted(contents(first_release)))
    assert (published.replaced, published.deleted, published.unchanged) == ((), (), 0)
    assert published.bytes_to_send == sum(map(len, contents(first_release).values()))
    assert published.release_id == read_manifest(first_release).release_id
    assert published.release_id in commit.summary


@pytest.mark.parametrize("large", [True, False])
def test_an_unchanged_folder_makes_no_commit_and_sends_nothing(push, hub, first_release, large):
    hub.large = lambda path, size: large
    made = push(first_release)
    hub.requests.clear()
    again = push(first_release)
    assert len(hub.repositories[NAME].made) == 1
    assert hub.writes == []
    assert (again.oid, again.commit_url, again.pull_request_url) == (None, None, None)
    assert (again.changes, again.bytes_to_send) == (0, 0)
    assert again.unchanged == len(contents(first_release))
    assert again.compared_with == made.oid


def test_a_new_release_replaces_the_old_one_in_one_commit(push, hub, first_release, second_release):
    old = push(first_release)
    new = push(second_release)
    before, after = contents(first_release), contents(second_release)
    repository = hub.repositories[NAME]
    assert released(repository.files) == after
    assert len(hub.repositories[NAME].made) == 2
    assert hub.repositories[NAME].made[1].parent == new.compared_with == old.oid
    assert new.deleted == tuple(sorted(before.keys() - after.keys())) != ()
    assert new.added == tuple(sorted(after.keys() - before.keys()))
    common = before.keys() & after.keys()
    assert new.replaced == tuple(sorted(path for path in common if before[path] != after[path]))
    assert new.unchanged == len(common) - len(new.replaced)
    assert hub.repositories[NAME].made[1].operations == new.changes
    # The old one is still whole at its own commit.
    assert released(repository.commits[old.oid]) == before


def test_what_the_storage_has_is_not_sent_again(push, hub, first_release, second_release):
    push(first_release)
    push(second_release)
    sent = list(hub.uploads)
    push(first_release)
    assert hub.uploads == sent
    assert released(hub.repositories[NAME].files) == contents(first_release)


def test_what_is_published_verifies(push, hub, first_release, second_release, tmp_path):
    push(first_release)
    push(second_release)
    for path, content in hub.repositories[NAME].files.items():
        (tmp_path / "copy" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "copy" / path).write_bytes(content)
    assert verify_release(tmp_path / "copy") == verify_release(second_release)


def test_a_file_that_is_now_kept_the_other_way_is_not_sent_again(push, hub, first_release):
    """A `.gitattributes` that changed does not change what is in the repository."""
    hub.large = lambda path, size: True
    push(first_release)
    hub.large = lambda path, size: False
    assert push(first_release).oid is None


# What goes and what stays


def earlier_release(hub, files, **manifest_parts):
    """A repository with an earlier release: these files, of which its manifest lists some."""
    repository = hub.create(NAME)
    manifest = {"manifest.json": manifest_of(**manifest_parts)}
    repository.add({**repository.files, **files, **manifest}, "earlier")
    return repository


def test_files_of_the_earlier_release_go_and_others_stay(push, hub, first_release):
    listed = {"data/old/test.parquet": {}}, {"OLD.md": {}, "notes/old.txt": {}, "never/there": {}}
    kept = {
        ".gitattributes": b"*.parquet filter=lfs -text\n",
        "data/.gitattributes": b"* text\n",
        "notes.txt": b"mine",
        "notes/mine.txt": b"mine",
        "data/mine.csv": b"mine",
        "figures/mine.png": b"mine",
    }
    gone = {
        "data/old/test.parquet": LargeFile(b"rows"),
        "OLD.md": b"old",
        "notes/old.txt": b"old",
    }
    repository = earlier_release(hub, {**kept, **gone}, data_files=listed[0], other_files=listed[1])
    published = push(first_release)
    assert published.deleted == tuple(sorted(gone))
    assert repository.files == contents(first_release) | kept


MINE = {
    "README.md": b"# Mine\n",
    "data/mine.csv": b"mine",
    "figures/fig.png": b"mine",
    "train.csv": b"mine",
    ".gitignore": b"*.tmp\n",
}


def a_repository_of(hub, files):
    """A repository that never held a release."""
    repository = hub.create(NAME)
    repository.add({**repository.files, **files}, "something")
    return repository


@pytest.mark.parametrize("options", [{}, {"dry_run": True}, {"create_pr": True}])
def test_what_never_was_a_release_is_not_replaced_unasked(push, hub, first_release, options):
    repository = a_repository_of(hub, MINE)
    with pytest.raises(ShelfError, match="--replace") as refusal:
        push(first_release, **options)
    assert all(path in str(refusal.value) for path in MINE)
    assert hub.writes == []
    assert released(repository.files) == MINE


@pytest.mark.parametrize("path", [*MINE, "data/.gitattributes", "data/v0_4_core/x.parquet"])
def test_a_single_file_that_is_no_releases_is_enough(push, hub, first_release, path):
    a_repository_of(hub, {path: b"mine"})
    with pytest.raises(ShelfError, match="--replace"):
        push(first_release)
    assert hub.writes == []


def test_what_never_was_a_release_is_replaced_if_asked(push, hub, first_release):
    repository = a_repository_of(hub, MINE)
    before = repository.files
    planned = push(first_release, replace=True, dry_run=True)
    assert hub.writes == []
    assert planned.deleted == ("data/mine.csv", "figures/fig.png", "train.csv")
    assert planned.replaced == ("README.md",)
    done = push(first_release, replace=True)
    assert (done.deleted, done.replaced) == (planned.deleted, planned.replaced)
    kept = {path: before[path] for path in (".gitattributes", ".gitignore")}
    assert repository.files == contents(first_release) | kept
    assert repository.commits[done.compared_with] == before
    assert push(first_release).changes == 0


def test_a_release_does_not_make_other_files_deletable(push, hub, first_release, second_release):
    """Not even for one who may replace what is no release."""
    push(first_release)
    repository = hub.repositories[NAME]
    mine = {"data/mine.csv": b"mine", "train.csv": b"mine"}
    repository.add({**repository.files, **mine}, "mine")
    push(second_release, replace=True)
    assert released(repository.files) == contents(second_release) | mine


@pytest.mark.parametrize("card", [b"---\nlicense: cc-by-4.0\n---\n", b"---\r\nlicense: mit\r\n---"])
def test_a_card_that_the_hub_made_is_replaced_unasked(push, hub, first_release, card):
    repository = a_repository_of(hub, {"README.md": card})
    assert push(first_release).replaced == ("README.md",)
    assert released(repository.files) == contents(first_release)


@pytest.mark.parametrize(
    "card",
    [b"", b"---\nlicense: mit\n---\n# Mine", b"---\nlicense: mit\nsize: 3\n---\n", b"\xff" * 9],
)
def test_a_card_that_somebody_wrote_is_not(push, hub, first_release, card):
    a_repository_of(hub, {"README.md": card})
    with pytest.raises(ShelfError, match=r"README\.md"):
        push(first_release)
    assert hub.writes == []


@pytest.mark.parametrize(
    "manifest",
    [
        b"", b"\xff", b"[]", b'{"data_files": []}', b'{"data_files": {}, "other_files": {}}',
        b"[" * 100_000, b"7",
    ],
)  # fmt: skip
def test_a_manifest_that_is_none_is_no_releases(push, hub, first_release, manifest):
    files = {"OLD.md": b"old", "manifest.json": manifest}
    repository = a_repository_of(hub, files)
    with pytest.raises(ShelfError, match=r"manifest\.json"):
        push(first_release)
    assert released(repository.files) == files
    assert push(first_release, replace=True).deleted == ("OLD.md",)


def test_a_manifest_of_any_size_is_not_read(push, hub, first_release, monkeypatch):
    monkeypatch.setattr("evaluate_shelf.publishing.attempts._LARGEST_MANIFEST", 1000)
    earlier_release(hub, {"OLD.md": b"old"}, other_files={"OLD.md": {}, "x" * 1000: {}})
    with pytest.raises(ShelfError, match="--replace"):
        push(first_release)
    assert not any("resolve" in request for request in hub.requests)


def test_files_that_come_while_the_repository_is_made_are_not_replaced(push, hub, first_release):
    def make(request):
        if "repos/create" in request:
            a_repository_of(hub, MINE)

    hub.on_request = make
    with pytest.raises(ShelfError, match="--replace"):
        push(first_release)
    assert released(hub.repositories[NAME].files) == MINE


def test_a_gitignore_of_the_repository_leaves_nothing_out(push, hub, first_release):
    repository = earlier_release(hub, {".gitignore": b"*.parquet\n*.md\n"})
    push(first_release)
    kept = {".gitattributes", ".gitignore"}
    files = {path: content for path, content in repository.files.items() if path not in kept}
    assert files == contents(first_release)


def test_a_commit_that_is_not_the_release_is_found_out(push, hub, first_release, monkeypatch):
    """As if the Hub had left a file out."""
    from writable_hub import _WritingHandler

    apply = _WritingHandler._apply

    def forgetful(self, files, kind, value):
        if value["path"] != "CAVEATS.md":
            apply(self, files, kind, value)

    monkeypatch.setattr(_WritingHandler, "_apply", forgetful)
    with pytest.raises(ShelfError, match=r"CAVEATS\.md"):
        push(first_release)


# The repository


def test_a_missing_repository_is_made_public(push, hub, first_release, told):
    published = push(first_release, reporter=told)
    assert told.made == [NAME]
    assert published.creates_repository
    assert not hub.repositories[NAME].private


def test_a_missing_repository_is_made_private_if_asked(push, hub, first_release):
    push(first_release, private=True)
    assert hub.repositories[NAME].private
    assert push(first_release, private=True).oid is None


def test_a_repository_that_is_there_is_taken_as_it_is(push, hub, first_release, told):
    hub.create(NAME, private=True)
    published = push(first_release, reporter=told)
    assert not published.creates_repository
    assert hub.repositories[NAME].private
    assert any("private" in warning for warning in told.warnings)
    assert not any("repos/create" in request for request in hub.requests)


def test_what_is_to_be_private_is_not_put_into_a_public_repository(push, hub, first_release):
    hub.create(NAME)
    with pytest.raises(ShelfError, match="public"):
        push(first_release, private=True)
    assert hub.writes == []


def test_a_branch_other_than_main(push, hub, first_release):
    repository = hub.create(NAME)
    repository.references["next/v2"] = repository.head
    before = repository.head
    push(first_release, revision="next/v2")
    assert repository.head == before
    branch = repository.commits[repository.references["next/v2"]]
    assert released(branch) == contents(first_release)


def test_a_commits_message_is_the_users(push, hub, first_release):
    push(first_release, message="  Spring\n cleaning ")
    assert hub.repositories[NAME].made[0].summary == "Spring cleaning"


# Dry runs


def test_a_dry_run_sends_nothing_and_says_what_a_real_one_does(
    push, hub, first_release, second_release
):
    push(first_release)
    hub.requests.clear()
    planned = push(second_release, dry_run=True)
    assert hub.writes == []
    assert planned.oid is None
    done = push(second_release)
    for name in ("added", "replaced", "deleted", "unchanged", "bytes_to_send", "compared_with"):
        assert getattr(planned, name) == getattr(done, name)


def test_a_dry_run_needs_neither_the_repository_nor_a_token(push, hub, first_release, monkeypatch):
    monkeypatch.setattr("evaluate_shelf.publishing.address.get_token", lambda: None)
    planned = push(first_release, dry_run=True, token=None)
    assert planned.creates_repository
    assert planned.compared_with is None
    assert planned.added == tuple(sorted(contents(first_release)))
    assert hub.repositories == {}
    assert hub.writes == []


# Pull requests


def test_a_pull_request_leaves_main_alone(push, hub, first_release, second_release):
    push(first_release)
    repository = hub.repositories[NAME]
    before = repository.head
    published = push(second_release, create_pr=True)
    assert repository.head == before
    assert published.pull_request_url == f"{hub.url}/datasets/{NAME}/discussions/1"
    assert published.oid == repository.references["refs/pr/1"]
    assert released(repository.commits[published.oid]) == contents(second_release)


def test_a_reader_may_open_a_pull_request(push, hub, first_release):
    hub.create(NAME)
    with pytest.raises(ShelfError, match="write access"):
        push(first_release, token=READER)
    assert push(first_release, token=READER, create_pr=True).pull_request_url


def test_a_pull_request_is_opened_once(push, hub, first_release):
    hub.create(NAME)
    made = push(first_release, create_pr=True)
    again = push(first_release, create_pr=True)
    assert again.oid is None
    assert again.pull_request_url == made.pull_request_url
    assert len(hub.repositories[NAME].pull_requests) == 1


def test_a_pull_request_with_another_release_is_not_taken_for_this_one(
    push, hub, first_release, second_release
):
    hub.create(NAME)
    push(first_release, create_pr=True, message="A release")
    push(second_release, create_pr=True, message="A release")
    assert len(hub.repositories[NAME].pull_requests) == 2


def test_an_open_pull_request_can_be_published_to(push, hub, first_release, second_release):
    hub.create(NAME)
    push(first_release, create_pr=True)
    published = push(second_release, revision="refs/pr/1")
    repository = hub.repositories[NAME]
    assert repository.references["refs/pr/1"] == published.oid
    assert released(repository.commits[published.oid]) == contents(second_release)


def test_a_pull_request_is_made_from_the_commit_that_was_compared(push, hub, first_release, told):
    """The Hub makes no check then, so a commit in between is no conflict, and the user is told."""
    repository = hub.create(NAME)
    compared = repository.head
    hub.before_commit = lambda name: repository.add({"other.txt": b"other"}, "in between")
    published = push(first_release, create_pr=True, reporter=told)
    assert published.compared_with == compared
    assert repository.history[-1].parent == compared
    assert told.waits == []
    assert any("in between" in warning for warning in told.warnings)


def test_an_unchanged_folder_opens_no_pull_request(push, hub, first_release):
    push(first_release)
    assert push(first_release, create_pr=True).pull_request_url is None
    assert hub.repositories[NAME].pull_requests == {}


# The folder


def test_a_folder_that_does_not_verify_is_not_published(push, hub, first_release, tmp_path):
    shutil.copytree(first_release, tmp_path / "damaged")
    (tmp_path / "damaged" / "CAVEATS.md").write_text("None.")
    with pytest.raises(ShelfError, match=r"CAVEATS\.md"):
        push(tmp_path / "damaged")
    assert hub.requests == []


@pytest.mark.parametrize("name", ["nothing", "file"])
def test_what_is_no_release_folder_is_refused(push, hub, tmp_path, name):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(ShelfError):
        push(tmp_path / name)
    assert hub.requests == []


def test_a_file_that_changes_after_the_verification_is_not_published(
    push, hub, first_release, tmp_path, monkeypatch
):
    folder = tmp_path / "changing"
    shutil.copytree(first_release, folder)

    def verify_and_change(place):
        manifest = verify_release(place)
        (folder / "CAVEATS.md").write_text("None.")
        return manifest

    monkeypatch.setattr("evaluate_shelf.publishing.push.verify_release", verify_and_change)
    with pytest.raises(ShelfError, match=r"CAVEATS\.md"):
        push(folder)
    assert hub.requests == []


@pytest.mark.parametrize("large", [True, False, None])
@pytest.mark.parametrize("moment", ["GET .*/revision/", "/preupload/", "/batch"])
@pytest.mark.parametrize("kind", [".md", ".parquet"])
def test_a_file_that_changes_at_any_moment_is_not_committed(
    push, hub, first_release, tmp_path, large, moment, kind
):
    """Whichever way the Hub wants it; what was read before the change may be sent still."""
    if large is not None:
        hub.large = lambda path, size: large
    repository = hub.create(NAME)
    folder = tmp_path / "changing"
    shutil.copytree(first_release, folder)
    place = min(folder.rglob(f"*{kind}"))
    content = place.read_bytes()

    def change(request):
        if re.search(moment, request):
            place.write_bytes(content[::-1])

    hub.on_request = change
    with suppress(ShelfError):
        push(folder)
    assert repository.made == [] or released(repository.files) == contents(first_release)


def test_a_storage_that_takes_any_bytes_does_not_get_a_changed_file_committed(
    push, hub, first_release, tmp_path, monkeypatch
):
    """The client computes the hash in one reading and sends the file in the next."""
    from writable_hub import _WritingHandler

    def take(self, parts):
        hub.storage[parts["oid"]] = self._body
        self._send(HTTPStatus.OK, b"", {})

    monkeypatch.setattr(_WritingHandler, "_store", take)
    repository = hub.create(NAME)
    folder = tmp_path / "changing"
    shutil.copytree(first_release, folder)
    place = min(folder.rglob("*.parquet"))

    def change(request):
        if request.endswith("/batch"):
            place.write_bytes(place.read_bytes()[::-1])

    hub.on_request = change
    with pytest.raises(ShelfError, match=place.name):
        push(folder)
    assert repository.made == []


def test_a_manifest_that_changes_after_the_verification_is_not_published(
    push, hub, first_release, tmp_path, monkeypatch
):
    folder = tmp_path / "changing"
    shutil.copytree(first_release, folder)

    def verify_and_change(place):
        manifest = verify_release(place)
        text = (folder / "manifest.json").read_text()
        (folder / "manifest.json").write_text(text.replace(manifest.checksum, "0" * 64))
        return manifest

    monkeypatch.setattr("evaluate_shelf.publishing.push.verify_release", verify_and_change)
    with pytest.raises(ShelfError, match=r"manifest\.json"):
        push(folder)
    assert hub.requests == []


def test_a_folder_is_not_built_into_while_it_is_published(push, hub, first_release):
    refused = []

    def build(name):
        with pytest.raises(ShelfError) as caught, sole_use(first_release, "choose another"):
            pass
        refused.append(caught)

    hub.before_commit = build
    push(first_release)
    assert len(refused) == 1


def test_what_git_keeps_in_the_folder_is_not_published(push, hub, first_release, tmp_path):
    folder = tmp_path / "clone"
    shutil.copytree(first_release, folder)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("[remote]")
    (folder / ".gitattributes").write_text("mine")
    push(folder)
    repository = hub.repositories[NAME]
    assert repository.files.keys() == contents(first_release).keys() | {".gitattributes"}
    assert repository.files[".gitattributes"] != b"mine"


# Limits and remarks


def test_many_files_are_announced_before_anything_is_sent(
    push, hub, first_release, monkeypatch, told
):
    monkeypatch.setattr("evaluate_shelf.publishing.limits.ADVISED_OPERATIONS", 10)
    seen = []
    told.warned = lambda message: seen.append((message, len(hub.writes)))
    push(first_release, reporter=told)
    ((message, writes_before),) = seen
    assert writes_before == 0
    assert str(len(contents(first_release))) in message
    assert len(hub.repositories[NAME].made) == 1


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        ("LARGEST_FILE", 100_000),
        ("FILES_A_FOLDER", 2),
        ("LARGE_FILES_A_COMMIT", 3),
        ("REGULAR_BYTES_A_COMMIT", 100_000),
    ],
)
def test_what_the_hub_would_not_take_is_refused_before_anything_is_sent(
    push, hub, first_release, monkeypatch, limit, value
):
    monkeypatch.setattr(f"evaluate_shelf.publishing.limits.{limit}", value)
    with pytest.raises(ShelfError, match="build with"):
        push(first_release)
    assert hub.writes == []
    assert hub.repositories == {}


def test_a_card_that_the_hub_refuses_is_refused_before_anything_is_sent(push, hub, first_release):
    hub.create(NAME)
    hub.card_errors = ['"license" must be one of [...]']
    with pytest.raises(ShelfError, match="license"):
        push(first_release)
    assert hub.repositories[NAME].made == []
    assert hub.uploads == []


def test_what_the_hub_remarks_about_the_card_is_told(push, hub, first_release, told):
    hub.card_warnings = ["no size category"]
    push(first_release, reporter=told)
    assert any("no size category" in warning for warning in told.warnings)
