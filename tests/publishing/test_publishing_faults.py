"""Whatever the Hub or the network does, readers see one release whole, and the user one message.

After each fault the repository holds the old release or the new one, and the same call again
leaves the new one.
"""

from __future__ import annotations

import hashlib
import json

import pytest
from huggingface_hub import constants
from writable_hub import READER, WRITER, Fault, contents, released

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.publishing.address import Address
from evaluate_shelf.publishing.faults import TransientError, understood

NAME = "owner/shelf"
FOREVER = 10**6


def large_ids(folder):
    return {
        hashlib.sha256(content).hexdigest()
        for path, content in contents(folder).items()
        if path.endswith(".parquet")
    }


# Connections that are lost


def test_a_connection_cut_at_any_moment_publishes_nothing(push, hub, first_release, second_release):
    push(first_release)
    repository = hub.repositories[NAME]
    first = repository.head
    hub.requests.clear()
    push(second_release)
    moments = len(hub.requests)
    assert moments > 8
    for moment in range(moments - 1):  # the last one reads back what is published already
        repository.references["main"] = first
        hub.storage.clear()
        hub.faults = [Fault("", "cut", FOREVER, after=moment)]
        with pytest.raises(ShelfError, match="given up"):
            push(second_release)
        assert repository.head == first
        hub.faults.clear()
        hub.uploads.clear()
        there = set(hub.storage)
        push(second_release)
        assert released(repository.files) == contents(second_release)
        assert set(hub.uploads) == large_ids(second_release) - there
    assert released(repository.commits[first]) == contents(first_release)


def test_a_connection_cut_at_any_moment_leaves_no_part_in_a_new_repository(
    push, hub, second_release
):
    push(second_release)
    moments = len(hub.requests)
    for moment in range(moments - 1):
        hub.repositories.clear()
        hub.storage.clear()
        hub.faults = [Fault("", "cut", FOREVER, after=moment)]
        with pytest.raises(ShelfError, match="given up"):
            push(second_release)
        if NAME in hub.repositories:
            assert released(hub.repositories[NAME].files) == {}
        hub.faults.clear()
        push(second_release)
        assert released(hub.repositories[NAME].files) == contents(second_release)


@pytest.mark.parametrize("how", ["cut", "cut_body", "lose_answer", "status"])
def test_a_commit_that_fails_once_is_made_once(
    push, hub, waits, first_release, second_release, how
):
    push(first_release)
    hub.faults = [Fault("POST .*/commit/", how)]
    published = push(second_release)
    repository = hub.repositories[NAME]
    assert released(repository.files) == contents(second_release)
    assert len(repository.made) == 2
    assert published.oid == repository.head
    assert published.commit_url == f"{hub.url}/datasets/{NAME}/commit/{repository.head}"
    assert published.changes == repository.made[1].operations
    assert waits == [1.0]


def test_a_commits_body_that_never_arrives_whole_is_no_commit(push, hub, first_release):
    repository = hub.create(NAME)
    hub.faults = [Fault("POST .*/commit/", "cut_body", FOREVER)]
    with pytest.raises(ShelfError, match="given up"):
        push(first_release)
    assert repository.made == []


def test_a_pull_request_whose_answer_is_lost_is_opened_once(push, hub, first_release):
    repository = hub.create(NAME)
    hub.faults = [Fault("POST .*/commit/", "lose_answer")]
    published = push(first_release, create_pr=True)
    assert len(repository.pull_requests) == 1
    assert published.pull_request_url == f"{hub.url}/datasets/{NAME}/discussions/1"


def test_a_commit_whose_answer_is_lost_and_that_another_covers_is_made_again(
    push, hub, first_release, second_release
):
    repository = hub.create(NAME)
    hub.faults = [Fault("POST .*/commit/", "lose_answer")]
    others = [{**repository.files, **contents(first_release)}]

    def cover(request):
        if repository.made and others:
            repository.add(others.pop(), "another")

    hub.on_request = cover
    published = push(second_release)
    assert len(repository.made) == 3
    assert published.oid == repository.head
    assert released(repository.files) == contents(second_release)


def test_a_commit_that_cannot_be_read_back_is_not_made_again(push, hub, waits, first_release):
    hub.create(NAME)
    # The first listing is that of the repository before.
    hub.faults = [Fault("GET .*/tree/", "status", 2, after=1, status=200, body=b"<html>")]
    published = push(first_release)
    assert [record.oid for record in hub.repositories[NAME].made] == [published.oid]
    assert waits == [1.0, 2.0]


def test_a_commit_that_can_never_be_read_back_is_named(push, hub, first_release):
    repository = hub.create(NAME)
    hub.faults = [Fault("GET .*/tree/", "cut", FOREVER, after=1)]
    with pytest.raises(ShelfError) as refusal:
        push(first_release)
    assert repository.head in str(refusal.value)
    assert len(repository.made) == 1
    hub.faults.clear()
    assert push(first_release).oid is None


# Answers that are errors


def test_a_hub_that_fails_for_ever_is_given_up(push, hub, waits, first_release):
    hub.faults = [Fault("GET /api/datasets/", "status", FOREVER, status=503)]
    with pytest.raises(ShelfError, match="503"):
        push(first_release)
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert hub.repositories == {}


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_status_that_may_change_is_asked_for_again(push, hub, waits, second_release, status):
    hub.faults = [Fault("GET /api/datasets/", "status", 2, status=status)]
    push(second_release)
    assert waits == [1.0, 2.0]
    assert len(hub.repositories[NAME].made) == 1


@pytest.mark.parametrize("status", [429, 502])
@pytest.mark.parametrize(
    "pattern", ["POST .*/create", "POST .*/preupload/", "PUT", "POST .*/commit/", "GET .*/tree/"]
)
def test_an_answer_that_may_change_is_asked_for_again(push, hub, second_release, pattern, status):
    hub.faults = [Fault(pattern, "status", 2, status=status)]
    push(second_release)
    repository = hub.repositories[NAME]
    assert len(repository.made) == 1
    assert released(repository.files) == contents(second_release)


@pytest.mark.parametrize("how", ["status", "cut"])
@pytest.mark.parametrize("method", ["HEAD", "GET"])
def test_the_earlier_manifest_is_asked_for_again(
    push, hub, first_release, second_release, method, how
):
    """Without it nobody knew what of the earlier release has to go."""
    push(first_release)
    repository = hub.repositories[NAME]
    manifest = json.loads(repository.files["manifest.json"])
    manifest["other_files"]["OLD.md"] = {}
    files = {"manifest.json": json.dumps(manifest).encode(), "OLD.md": b"old"}
    repository.add({**repository.files, **files}, "an earlier release")
    hub.faults = [Fault(f"{method} .*/resolve/", how, 2)]
    assert "OLD.md" in push(second_release).deleted
    hub.faults = [Fault(f"{method} .*/resolve/", how, FOREVER)]
    before = repository.head
    with pytest.raises(ShelfError, match="given up"):
        push(first_release)
    assert repository.head == before


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0"}, 0.0),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({"Retry-After": "soon"}, 1.0),
        ({"RateLimit": '"api";r=0;t=55', "Retry-After": "7"}, 55.0),
        ({"RateLimit": '"api";r=3;t=55', "Retry-After": "7"}, 7.0),
        ({}, 1.0),
    ],
)
@pytest.mark.parametrize("pattern", ["GET /api/datasets/", "POST .*/commit/"])
def test_what_the_hub_asks_to_wait_is_waited(
    push, hub, waits, told, second_release, pattern, headers, seconds
):
    hub.faults = [Fault(pattern, "status", status=429, headers=headers)]
    push(second_release, reporter=told)
    assert waits == [seconds]
    assert [wait for wait, _ in told.waits] == [seconds]
    assert len(hub.repositories[NAME].made) == 1


def test_a_hub_that_asks_to_wait_for_an_hour_is_given_up_at_once(push, hub, waits, first_release):
    hub.faults = [Fault("GET", "status", 1, status=429, headers={"Retry-After": "3600"})]
    with pytest.raises(ShelfError, match="3600"):
        push(first_release)
    assert waits == []


@pytest.mark.parametrize("body", [b"<html>", b"{}", b"[]", b'{"files": 3}', b"null"])
@pytest.mark.parametrize(
    "pattern", ["GET .*/revision/", "POST .*/preupload/", "POST .*/batch", "POST .*/commit/"]
)
def test_what_is_no_hubs_answer_is_one_message(push, hub, first_release, pattern, body):
    repository = hub.create(NAME)
    hub.faults = [Fault(pattern, "status", FOREVER, status=200, body=body)]
    with pytest.raises(ShelfError):
        push(first_release)
    assert repository.made == []


@pytest.mark.parametrize("body", [b"<html>", b"[3]", b'[{"path": "x"}]', b"null"])
def test_what_is_no_tree_is_one_message(push, hub, first_release, body):
    repository = hub.create(NAME)
    hub.faults = [Fault("GET .*/tree/", "status", FOREVER, status=200, body=body)]
    with pytest.raises(ShelfError):
        push(first_release)
    assert repository.made == []


def test_a_storage_that_refuses_an_upload_is_one_message(push, hub, first_release):
    hub.faults = [Fault("PUT", "status", FOREVER, status=403)]
    with pytest.raises(ShelfError, match=NAME):
        push(first_release)
    assert hub.repositories[NAME].made == []


# Others who commit


def test_a_commit_that_came_in_between_is_kept(push, hub, waits, first_release, second_release):
    push(second_release)
    repository = hub.repositories[NAME]
    others = [{"notes.txt": b"mine"}]

    def slip_in(name):
        if others:
            repository.add({**repository.files, **others.pop()}, "notes")

    hub.before_commit = slip_in
    published = push(first_release)
    _, first, second = repository.made
    assert first.summary == "notes"
    assert second.parent == published.compared_with == first.oid
    assert released(repository.files) == contents(first_release) | {"notes.txt": b"mine"}
    assert waits == [1.0]


def test_a_release_that_came_in_between_is_replaced_whole(
    push, hub, told, first_release, second_release
):
    repository = hub.create(NAME)
    others = [contents(first_release)]

    def slip_in(name):
        if others:
            repository.add({**repository.files, **others.pop()}, "first")

    hub.before_commit = slip_in
    published = push(second_release, reporter=told)
    first, second = repository.made
    assert released(repository.commits[first.oid]) == contents(first_release)
    assert released(repository.commits[second.oid]) == contents(second_release)
    assert published.deleted == told.plans[1].deleted != told.plans[0].deleted


def test_the_same_release_that_came_in_between_is_not_committed_again(push, hub, first_release):
    repository = hub.create(NAME)

    def slip_in(name):
        if not repository.made:
            repository.add({**repository.files, **contents(first_release)}, "the same")

    hub.before_commit = slip_in
    published = push(first_release)
    assert len(repository.made) == 1
    assert published.oid is None


def test_files_that_came_in_between_into_no_release_are_not_replaced(push, hub, first_release):
    repository = hub.create(NAME)
    hub.before_commit = lambda name: repository.add({"notes.txt": b"mine"}, "notes")
    with pytest.raises(ShelfError, match=r"notes\.txt"):
        push(first_release)
    assert repository.files == {"notes.txt": b"mine"}


def test_who_loses_every_race_gives_up(push, hub, waits, first_release):
    repository = hub.create(NAME)

    def slip_in(name):
        repository.add({".gitattributes": str(len(repository.made)).encode()}, "another")

    hub.before_commit = slip_in
    with pytest.raises(ShelfError, match="given up"):
        push(first_release)
    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert all(
        list(repository.commits[record.oid]) == [".gitattributes"] for record in repository.made
    )


def test_two_who_make_the_same_repository(push, hub, first_release):
    def make(request):
        if "repos/create" in request:
            hub.create(NAME)

    hub.on_request = make
    push(first_release)
    assert released(hub.repositories[NAME].files) == contents(first_release)


# Xet, which the Hub of these tests does not have


@pytest.mark.parametrize("kind", [RuntimeError, ConnectionError, TimeoutError])
@pytest.mark.parametrize(
    ("endpoint", "disabled", "meaning"),
    [
        ("https://huggingface.co", False, TransientError),
        ("https://mirror.example", False, ShelfError),
        ("https://huggingface.co", True, ShelfError),
    ],
)
def test_xet_is_tried_again_only_where_there_is_xet(monkeypatch, kind, endpoint, disabled, meaning):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", disabled)
    with pytest.raises(meaning) as caught, understood(Address(NAME, "main", endpoint, None)):
        raise kind("error decoding response body")
    assert ("HF_HUB_DISABLE_XET=1" in str(caught.value)) == (not disabled)


@pytest.mark.parametrize("setting", ["0", "1"])
def test_what_the_user_says_of_xet_holds(push, hub, first_release, monkeypatch, setting):
    said = setting == "1"
    monkeypatch.setenv("HF_HUB_DISABLE_XET", setting)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", said)
    push(first_release, dry_run=True)
    assert said == constants.HF_HUB_DISABLE_XET


# What the user did not get right


@pytest.mark.parametrize(
    ("token", "there", "words"),
    [
        ("hf_unknown", False, ["hf auth login", "HF_TOKEN"]),
        ("hf_unknown", True, ["hf auth login", "HF_TOKEN"]),
        (READER, False, ["write access", "hf auth login"]),
        (READER, True, ["write access", "hf auth login"]),
    ],
)
def test_a_token_that_does_not_do_is_one_message_with_the_remedy(
    push, hub, waits, first_release, token, there, words
):
    if there:
        hub.create(NAME)
    with pytest.raises(ShelfError) as refusal:
        push(first_release, token=token)
    assert all(word in str(refusal.value) for word in [NAME, *words])
    assert token not in str(refusal.value)
    assert waits == []
    assert not there or hub.repositories[NAME].made == []


def test_no_token_is_one_message_with_the_remedy(push, hub, first_release, monkeypatch):
    monkeypatch.setattr("evaluate_shelf.publishing.address.get_token", lambda: None)
    with pytest.raises(ShelfError, match="hf auth login"):
        push(first_release, token=None)
    assert hub.requests == []


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 429, 500])
@pytest.mark.parametrize("pattern", ["GET", "POST .*/commit/"])
def test_the_token_is_in_no_message(push, hub, told, first_release, pattern, status):
    hub.create(NAME)
    said = f"The token {WRITER} of Authorization: Bearer {WRITER} is bad\x1b[2J"
    hub.faults = [
        Fault(
            pattern,
            "status",
            FOREVER,
            status=status,
            headers={"X-Error-Message": said.replace("\x1b", "")},
            body=json.dumps({"error": said}).encode(),
        )
    ]
    with pytest.raises(ShelfError) as refusal:
        push(first_release, reporter=told)
    texts = [str(refusal.value), *told.warnings, *(reason for _, reason in told.waits)]
    assert not any(WRITER in text or "\x1b" in text or "\n" in text for text in texts)


@pytest.mark.parametrize(
    "repo",
    [
        "", "name", "a/b/c", "owner/", "/name", "owner/na me", "../x", "owner/..", "owner/x.git",
        "owner/" + "x" * 100, "owner/name@v1", "owner/a--b", "https://huggingface.co/owner/name",
        "ö/x", "owner/name\n", "owner/\x1b[2J",
    ],
)  # fmt: skip
def test_what_is_no_datasets_id_is_refused(push, hub, first_release, repo):
    with pytest.raises(ShelfError) as refusal:
        push(first_release, repo)
    assert "\x1b" not in str(refusal.value)
    assert hub.requests == []


@pytest.mark.parametrize(
    "options",
    [
        {"revision": ""},
        {"revision": "0" * 40},
        {"revision": "../main"},
        {"revision": "a//b"},
        {"revision": "main\n"},
        {"revision": "x" * 300},
        {"revision": "-d"},
        {"message": ""},
        {"message": " \n"},
        {"message": "x" * 201},
        {"create_pr": True, "revision": "refs/pr/1"},
        {"endpoint": "huggingface.co"},
        {"endpoint": "ftp://huggingface.co"},
        {"endpoint": "http://[::1"},
    ],
)
def test_options_that_mean_nothing_are_refused(push, hub, first_release, options):
    with pytest.raises(ShelfError):
        push(first_release, **options)
    assert hub.requests == []


@pytest.mark.parametrize("create_pr", [False, True])
def test_a_branch_that_is_not_there_is_refused(push, hub, first_release, create_pr):
    hub.create(NAME)
    with pytest.raises(ShelfError, match="v9"):
        push(first_release, revision="v9", create_pr=create_pr)
    assert hub.writes == []


def test_a_client_that_is_kept_offline_is_one_message(push, hub, first_release, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ShelfError, match="HF_HUB_OFFLINE"):
        push(first_release)
