from __future__ import annotations

import dataclasses
import hashlib
import json

import pytest

from builders.specifications import Specification

SPEC = Specification(
    lcc_code="G",
    lcc_name="Geography, Anthropology, Recreation",
    lcgft_category="Informational works",
    lcgft_form="Guidebooks",
    topics=("Travel", "Food"),
    geographic=("São Paulo", "Chile"),
    audience=None,
    register="conversational",
    target_length="short",
    prompt_variant=None,
    block_id="block-00-seed42",
)
# Written out by hand from the published rule: sorted keys, no spaces, ASCII escapes.
CANONICAL = (
    '{"audience":null,"geographic":["S\\u00e3o Paulo","Chile"],"lcc_code":"G",'
    '"lcc_name":"Geography, Anthropology, Recreation",'
    '"lcgft_category":"Informational works","lcgft_form":"Guidebooks","prompt_variant":null,'
    '"register":"conversational","schema":"1","target_length":"short","topics":["Travel","Food"]}'
)
PINNED = "18324e8f0063d783"


def by_hand(spec: Specification) -> str:
    facets = dataclasses.asdict(spec)
    del facets["block_id"]
    facets["schema"] = "1"
    text = json.dumps(facets, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


def test_the_id_is_the_pinned_one():
    assert hashlib.sha256(CANONICAL.encode("ascii")).hexdigest()[:16] == PINNED
    assert SPEC.spec_id == PINNED


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"audience": "Children"},
        {"geographic": ()},
        {"geographic": ("Chile", "São Paulo")},
        {"topics": ("Müller’s “Übung”",)},
        {"prompt_variant": "v2"},
        {"lcc_name": 'quoted "name"\\'},
    ],
)
def test_the_id_is_the_hash_of_the_canonical_json(changes):
    spec = dataclasses.replace(SPEC, **changes)
    assert spec.spec_id == by_hand(spec)


def test_drawn_specifications_have_the_ids_of_their_facets(drawn):
    assert [spec.spec_id for spec in drawn[:500]] == [by_hand(spec) for spec in drawn[:500]]


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("lcc_code", "Q"),
        ("lcc_name", "Science"),
        ("lcgft_category", "Literature"),
        ("lcgft_form", "Almanacs"),
        ("topics", ("Food", "Travel")),
        ("topics", ("Travel",)),
        ("geographic", ("Chile", "São Paulo")),
        ("geographic", ()),
        ("audience", "Children"),
        ("audience", ""),
        ("register", "formal"),
        ("target_length", "brief"),
        ("prompt_variant", "v1"),
    ],
)
def test_every_hashed_field_changes_the_id(field, other):
    assert dataclasses.replace(SPEC, **{field: other}).spec_id != PINNED


def test_every_field_but_the_block_is_hashed():
    changed = {
        field.name
        for field in dataclasses.fields(SPEC)
        if dataclasses.replace(SPEC, **{field.name: ("x",)}).spec_id != PINNED
    }
    assert changed == {field.name for field in dataclasses.fields(SPEC)} - {"block_id"}


def test_the_block_is_no_part_of_the_id():
    assert dataclasses.replace(SPEC, block_id="block-09-seed51").spec_id == PINNED
