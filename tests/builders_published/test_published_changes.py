"""What is changed on the way, what is dropped, and that both are counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from published_folder import SLICES, PublishedFolder, Rows

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.taxonomy import load_taxonomy

Take = Callable[..., Any]


def note_about(taken: Any, *words: str) -> str:
    """The one note with all these words."""
    (note,) = [own for own in taken.config.info.notes if all(word in own for word in words)]
    return note


# Labels


def test_a_label_in_another_spelling_is_the_taxonomys(
    published: PublishedFolder, take: Take
) -> None:
    row = next(row for row in published.of("v0_4_core") if row["audience"])
    before = dict(row)
    row.update(
        audience=f" {row['audience'].upper()} ",
        register=row["register"].title(),
        lcc_code=row["lcc_code"].lower(),
        topics=[topic.upper() for topic in row["topics"]],
    )
    taken = take(published, "v0_4_core")
    after = taken.rows[row["id"]]
    for field in ("audience", "register", "lcc_code", "topics"):
        assert after[field] == before[field]
        note_about(taken, "written as in the taxonomy", f": {field}:")


@pytest.mark.parametrize(
    "field", ["lcgft_category", "lcgft_form", "audience", "register", "target_length"]
)
def test_an_unknown_label_becomes_null_and_is_counted_by_value(
    published: PublishedFolder, take: Take, field: str
) -> None:
    rows = published.of("default")[:3]
    for row, value in zip(rows, ("Beekeepers", "Beekeepers", "Wasps"), strict=True):
        row[field] = value
    taken = take(published, "default")
    assert [taken.rows[row["id"]][field] for row in rows] == [None] * 3
    assert "3 (2 different: 'Beekeepers' 2, 'Wasps' 1)" in note_about(taken, "no label", field)


@pytest.mark.parametrize("field", ["topics", "geographic"])
def test_an_unknown_label_leaves_its_list(
    published: PublishedFolder, take: Take, field: str
) -> None:
    known = {"topics": load_taxonomy().topics[0], "geographic": load_taxonomy().places[0].name}
    row = published.of("default")[0]
    row[field] = ["Honey", known[field], known[field], None]
    taken = take(published, "default")
    assert taken.rows[row["id"]][field] == [known[field]]
    assert "'Honey' 1" in note_about(taken, "left out of the list, no label", field)
    assert repr(known[field]) in note_about(taken, "stands there twice", field)


@pytest.mark.parametrize("code", ["W", "", None, "QA", "philosophy"])
def test_a_document_without_a_known_class_is_dropped_by_name(
    published: PublishedFolder, take: Take, code: str | None
) -> None:
    row = published.of("default")[5]
    row["lcc_code"] = code
    taken = take(published, "default")
    assert row["id"] not in taken.rows
    assert len(taken.rows) == len(published.of("default")) - 1
    note_about(taken, "dropped, the class")
    table = _report(taken)
    assert [line[3:] for line in table if line[1] == "lcc_code"] == [["1", row["id"]]]


def test_name_and_address_of_a_class_are_the_taxonomys(
    published: PublishedFolder, take: Take
) -> None:
    row = published.of("default")[0]
    name, address = row["lcc_name"], row["lcc_uri"]
    row.update(lcc_name="Something", lcc_uri="http://example.org/")
    taken = take(published, "default")
    assert (taken.rows[row["id"]]["lcc_name"], taken.rows[row["id"]]["lcc_uri"]) == (name, address)
    assert "'Something' 1" in note_about(taken, "replaced by that of the class", "lcc_name")
    note_about(taken, "replaced by that of the class", "lcc_uri")


# Texts


@pytest.mark.parametrize("body", ["", " \n", None, "\u00a0\u2003", "\u200b \u200d\u2060\ufeff\n"])
@pytest.mark.parametrize("config", ["default", "v0_4_core", "transfer_lcshbench"])
def test_an_empty_body_is_dropped_and_counted(
    published: PublishedFolder, take: Take, config: str, body: str | None
) -> None:
    row = published.of(config)[0]
    row.update(body=body, **({"text": body} if "text" in row else {}))
    taken = take(published, config)
    assert row["id"] not in taken.rows
    assert f": 1 ({row['id']})" in note_about(taken, "body is empty")


def test_text_is_the_body_and_words_are_counted(published: PublishedFolder, take: Take) -> None:
    first, second, third = published.of("default")[:3]
    first["text"] = "Another text."
    second["word_count"] = 3000
    third["body"] = None
    taken = take(published, "default")
    assert taken.rows[first["id"]]["text"] == first["body"]
    assert taken.rows[second["id"]]["word_count"] == len(second["body"].split())
    assert taken.rows[third["id"]]["body"] == third["text"]
    for what in ("text: 1", "word_count: 1", "body: 1"):
        note_about(taken, what)


def test_a_config_with_the_text_alone_is_taken_over(published: PublishedFolder, take: Take) -> None:
    for row in published.of("default"):
        row["text"] = row["body"]
    published.without_column("default", "body")
    taken = take(published, "default")
    for row in published.of("default"):
        assert taken.rows[row["id"]]["body"] == row["text"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("# The Bee", "The Bee"),
        ("Title: The Bee", "The Bee"),
        ("### **Title:** The Bee", "The Bee"),
        ("title : # Title: The Bee", "The Bee"),
        ("# # # # The Bee", "# The Bee"),
        ("Titles: a list", "Titles: a list"),
        ("#1 in a hive", "#1 in a hive"),
        ("The Bee: Title: none", "The Bee: Title: none"),
    ],
)
def test_marks_before_a_title_are_taken_off_three_times(
    published: PublishedFolder, take: Take, given: str, wanted: str
) -> None:
    row = published.of("v0_4_holdout")[0]
    row["title"] = given
    taken = take(published, "v0_4_holdout")
    assert taken.rows[row["id"]]["title"] == wanted
    assert ("title: 1" in taken.notes) == (given != wanted)


# Gates


@pytest.mark.parametrize(
    ("changes", "gate"),
    [
        ({"body": "As an AI, I cannot do that, not today and not on any day."}, "qc_refusal"),
        ({"body": "Subject area: bees and what they do on a long day in May."}, "qc_selflabel"),
        ({"title": " "}, "qc_parse"),
        ({"body": "Short."}, "qc_length_delta"),
    ],
)  # fmt: skip
def test_a_document_that_fails_a_gate_is_kept_and_flagged(
    published: PublishedFolder, take: Take, changes: dict[str, str], gate: str
) -> None:
    row = next(row for row in published.of("v0_4_core") if row["target_length"] == "micro")
    row.update(changes)
    taken = take(published, "v0_4_core")
    after = taken.rows[row["id"]]
    assert after["qc_passed"] is False
    assert after[gate] == (-4 - 5 if gate == "qc_length_delta" else False)
    note_about(taken, "a gate of this project fails", gate, row["id"])
    others = [own for identity, own in taken.rows.items() if identity != row["id"]]
    assert all(own["qc_passed"] for own in others)


def test_a_length_that_is_not_recorded_is_that_of_the_label(
    published: PublishedFolder, take: Take
) -> None:
    first, second = published.of("default")[:2]
    for row in (first, second):
        row.update(target_word_range=[0, 0], target_length="tiny", body="The bees came home. " * 15)
    second["target_length"] = None
    taken = take(published, "default")
    assert taken.rows[first["id"]]["qc_length_delta"] == 60 - 50
    assert taken.rows[second["id"]]["qc_length_delta"] is None
    assert taken.rows[second["id"]]["qc_passed"] is None


# Groups


def test_a_specification_on_two_sides_stays_where_it_tests(
    published: PublishedFolder, take: Take
) -> None:
    train, validation, test = (
        published.rows["v0_4_core", s] for s in ("train", "validation", "test")
    )
    train[0]["spec_id"] = train[1]["spec_id"] = test[0]["spec_id"]
    validation[0]["spec_id"] = test[3]["spec_id"]
    train[2]["spec_id"] = validation[1]["spec_id"]
    taken = take(published, "v0_4_core")
    gone = {row["id"] for row in published.of("v0_4_core")} - taken.rows.keys()
    assert gone == {train[0]["id"], train[1]["id"], train[2]["id"], validation[0]["id"]}
    note = note_about(taken, "in a later split too", "spec_id: 4")
    assert test[0]["spec_id"] in note
    assert _splits_of(taken, "spec_id") == {1}


def test_a_dropped_test_document_takes_nothing_with_it(
    published: PublishedFolder, take: Take
) -> None:
    train, test = (published.rows["v0_4_core", split] for split in ("train", "test"))
    test[0].update(body=" ", spec_id=train[0]["spec_id"])
    taken = take(published, "v0_4_core")
    assert train[0]["id"] in taken.rows


@pytest.mark.parametrize("blank", ["", " ", "\u200b", None])
@pytest.mark.parametrize("config", ["v0_4_core", "v0_4_supplement", "v0_4_holdout"])
def test_documents_without_a_specification_are_groups_of_their_own_and_counted(
    published: PublishedFolder, take: Take, config: str, blank: str | None
) -> None:
    alone = [published.rows[config, split][0] for split in ("train", "test")]
    for row in alone:
        row["spec_id"] = blank
    taken = take(published, config)
    assert len(taken.rows) == len(published.of(config))
    assert {i for i, row in taken.rows.items() if row["spec_id"] is None} == {
        row["id"] for row in alone
    }
    note_about(taken, "no group was published", "spec_id: 2", *(row["id"] for row in alone))
    note_about(taken, "Split by spec_id", "groups of their own: 2")


def test_where_all_have_a_specification_nothing_is_said_of_those_without(
    published: PublishedFolder, take: Take
) -> None:
    assert "groups of their own" not in take(published, "v0_4_core").notes


# Minimal pairs


PAIRS = "v0_4_minimal_pairs"


def _lacks_b(train: Rows) -> list[Rows]:
    gone = train.pop(1)
    assert gone["pair_role"] == "b"
    return [train[:1]]


def _has_three(train: Rows) -> list[Rows]:
    train[2]["pair_id"] = train[0]["pair_id"]
    return [train[:3], [train[3]]]


def _has_one_role(train: Rows) -> list[Rows]:
    train[1]["pair_role"] = "a"
    return [train[:2]]


def _has_a_foreign_role(train: Rows) -> list[Rows]:
    train[0]["pair_role"] = "c"
    return [train[:2]]


def _has_no_role(train: Rows) -> list[Rows]:
    train[1]["pair_role"] = None
    return [train[:2]]


def _has_an_empty_document(train: Rows) -> list[Rows]:
    train[0]["body"] = "\u200b"
    return [[train[1]]]


def _has_a_foreign_class(train: Rows) -> list[Rows]:
    train[1]["lcc_code"] = "W"
    return [[train[0]]]


@pytest.mark.parametrize(
    "damage",
    [
        _lacks_b, _has_three, _has_one_role, _has_a_foreign_role, _has_no_role,
        _has_an_empty_document, _has_a_foreign_class,
    ],
)  # fmt: skip
def test_a_minimal_pair_that_is_not_one_a_and_one_b_is_dropped_as_a_whole_and_counted(
    published: PublishedFolder, take: Take, damage: Callable[[Rows], list[Rows]]
) -> None:
    everything = {row["id"] for row in published.of(PAIRS)}
    first = [row["id"] for row in published.rows[PAIRS, "train"][:4]]
    broken = damage(published.rows[PAIRS, "train"])
    published.declare()
    taken = take(published, PAIRS)
    gone = everything - taken.rows.keys()
    assert gone == set(first if damage is _has_three else first[:2])
    assert _roles_of_pairs(taken) == {("a", "b")}
    note = note_about(taken, "one document a and one b")
    assert f"pair_id: {sum(map(len, broken))} ({len(broken)} different" in note
    for rows in broken:
        assert f"of {rows[0]['pair_id']}' {len(rows)}" in note


@pytest.mark.parametrize("blank", ["", " ", None])
def test_documents_of_no_minimal_pair_are_dropped_and_counted(
    published: PublishedFolder, take: Take, blank: str | None
) -> None:
    rows = published.rows[PAIRS, "train"]
    rows[0]["pair_id"] = rows[1]["pair_id"] = rows[2]["pair_id"] = blank
    gone = [row["id"] for row in rows[:4]]
    taken = take(published, PAIRS)
    assert taken.rows.keys() == {row["id"] for row in published.of(PAIRS)} - set(gone)
    note_about(taken, "of no minimal pair", "pair_id: 3", *gone[:3])
    assert f"'b of {rows[3]['pair_id']}' 1" in note_about(taken, "one document a and one b")


def test_a_minimal_pair_on_two_sides_is_dropped_as_a_whole_and_both_reasons_are_said(
    published: PublishedFolder, take: Take
) -> None:
    moved = published.rows[PAIRS, "test"].pop()
    other = published.rows[PAIRS, "test"][-1]
    published.rows[PAIRS, "train"].append(moved)
    published.declare()
    taken = take(published, PAIRS)
    gone = {row["id"] for row in published.of(PAIRS)} - taken.rows.keys()
    assert gone == {moved["id"], other["id"]}
    assert _splits_of(taken, "pair_id") == {1}
    note_about(taken, "in a later split too", f"'{moved['pair_id']}' 1")
    note_about(taken, "one document a and one b", f"'a of {moved['pair_id']}' 1")


def test_a_slice_of_broken_pairs_alone_is_refused(published: PublishedFolder, take: Take) -> None:
    for row in published.of(PAIRS):
        row["pair_role"] = "a"
    with pytest.raises(ShelfError, match="no document of v0_4_minimal_pairs"):
        take(published, PAIRS)


def test_a_pair_leaves_the_pool_as_a_whole(published: PublishedFolder, take: Take) -> None:
    first, second = published.rows[PAIRS, "train"][:2]
    published.rows["v0_4_holdout", "test"][0]["spec_id"] = first["spec_id"]
    pool = take(published, *SLICES, "all")
    everything = {row["id"] for name in SLICES for row in published.of(name)}
    assert everything - pool.rows.keys() == {first["id"], second["id"]}
    note_about(pool, "other document of its minimal pair", f"'{first['pair_id']}' 1")


def test_a_specification_in_two_slices_leaves_train_of_the_pool_alone(
    published: PublishedFolder, take: Take
) -> None:
    core = published.rows["v0_4_core", "train"][0]
    other = published.rows["v0_4_holdout", "test"][0]
    other["spec_id"] = core["spec_id"]
    pool = take(published, *SLICES, "all")
    of_spec = {row["id"] for row in published.of("v0_4_core") if row["spec_id"] == core["spec_id"]}
    everything = {row["id"] for name in SLICES for row in published.of(name)}
    assert len(of_spec) == 3
    assert everything - pool.rows.keys() == of_spec
    note_about(pool, "another slice", core["spec_id"])
    assert take(published, "v0_4_core").rows.keys() >= of_spec
    assert _splits_of(pool, "group_id") == {1}


def test_a_work_of_two_splits_stays_where_it_tests(published: PublishedFolder, take: Take) -> None:
    name = "transfer_lcshbench"
    train, test = (published.rows[name, split] for split in ("train", "test"))
    train[0]["title"] = test[0]["title"].upper().rstrip(" :")
    train[1].update(text=test[1]["text"], body=test[1]["body"], title=test[1]["title"])
    taken = take(published, name)
    assert {row["id"] for row in published.of(name)} - taken.rows.keys() == {
        train[0]["id"], train[1]["id"],
    }  # fmt: skip
    note_about(taken, "in a later split too", "work: 2")
    assert _splits_of(taken, "group_id") == {1}


def test_a_class_of_one_writer_is_dropped_from_the_books(
    published: PublishedFolder, take: Take
) -> None:
    rows = published.of("transfer_gutenberg")
    for row in rows[:3]:
        row["lcc_code"] = "Z"
    taken = take(published, "transfer_gutenberg")
    assert len(taken.rows) == len(rows) - 3
    assert "'Z' 3" in note_about(taken, "fewer than two writers")


# Columns


def test_foreign_and_lacking_columns_are_named(published: PublishedFolder, take: Take) -> None:
    for row in published.of("v0_4_core"):
        row["mood"] = "bright"
    published.with_column("v0_4_core", "mood", pa.string())
    published.without_column("v0_4_core", "cost_usd")
    taken = take(published, "v0_4_core")
    assert "'mood'" in note_about(taken, "not among the known ones")
    assert "'cost_usd'" in note_about(taken, "no such column")
    assert {row["cost_usd"] for row in taken.rows.values()} == {None}


def _report(taken: Any) -> list[list[str]]:
    path = taken.config.files[0].path.parents[1] / f"{taken.config.name}_import.tsv"
    return [line.split("\t") for line in Path(path).read_text(encoding="utf-8").splitlines()]


def _roles_of_pairs(taken: Any) -> set[tuple[str, ...]]:
    """The roles that the pairs of a config have."""
    roles: dict[str, list[str]] = {}
    for row in taken.rows.values():
        roles.setdefault(row["pair_id"], []).append(row["pair_role"])
    return {tuple(sorted(own)) for own in roles.values()}


def _splits_of(taken: Any, field: str) -> set[int]:
    """In how many splits the values of a column are."""
    splits: dict[str, set[str]] = {}
    for row in taken.rows.values():
        if row[field] is not None:
            splits.setdefault(row[field], set()).add(row["_split"])
    return {len(own) for own in splits.values()}
