"""The condition of the text: a protocol of its own, and nothing changed for whole texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.registry.conditions import (
    conditioned,
    text_of,
    under_conditions,
    with_full_text,
)
from evaluate_shelf.registry.protocols import Protocol, load_protocol, load_protocols
from evaluate_shelf.runs.schema import RunFile

KEYS = {
    "shelf-1": "6e4475a7bfd852d5399a882e2ea2f80059c058897a96d3f13c7dc404a5e5961e",
    "shelf-1-balanced": "ae219399fdf3ecb620535aa3c606e9edcb512b39473cbc54f41d026fecaacdf8",
    "shelf-1+max-tokens-512": "514fd79bc1e3d82482831165f3c96a09c3be2083f484c636b99eb01e2a103381",
    "shelf-1+model-card-prompts": (
        "4b03e414b0492354c1949ec60d94763ce11feec4fd588b760ace15b3a01ed05b"
    ),
}
"""As they were before there was a condition of the text: runs are kept under them."""


@pytest.mark.parametrize("name", KEYS)
def test_protocols_with_whole_texts_have_the_keys_that_they_had(name: str) -> None:
    protocol = load_protocol(name)
    assert (protocol.version, protocol.text) == (3, "full")
    assert protocol.key == KEYS[name]
    plain = protocol.model_dump(mode="json", exclude={"default", "note", "text"})
    assert protocol.key == sha256_of_json(plain)


def test_each_arm_has_a_key_and_an_id_of_its_own() -> None:
    bases = [*load_protocols().values(), load_protocol("shelf-1+max-tokens-512")]
    found = [
        protocol
        for base in bases
        for protocol in (base, *(under_conditions(base, text=arm) for arm in ("masked", "sham")))
    ]
    assert len({protocol.key for protocol in found}) == len(found) == 9
    assert len({protocol.id for protocol in found}) == 9
    for protocol in found:
        assert load_protocol(protocol.id) == protocol
        assert text_of(protocol.id) == protocol.text
        assert with_full_text(protocol.id) in {base.id for base in bases}
    # The key does not hang on the id alone.
    masked = under_conditions(bases[0], text="masked")
    assert masked.model_copy(update={"id": "shelf-1"}).key != bases[0].key


def test_all_conditions_together_have_one_id() -> None:
    protocol = conditioned(load_protocol("shelf-1-balanced"), "model-card", 512, "sham")
    assert protocol.id == "shelf-1-balanced+max-tokens-512+model-card-prompts+text-sham"
    assert load_protocol(protocol.id) == protocol


def test_full_changes_nothing() -> None:
    protocol = load_protocol()
    assert conditioned(protocol, None, None, "full") is protocol
    assert conditioned(protocol, None, None, None) is protocol


@pytest.mark.parametrize(
    "name",
    [
        "shelf-1+text-full",
        "shelf-1+text-",
        "shelf-1+text-masked+text-sham",
        "shelf-1+text-masked+text-masked",
        "shelf-1+text-Masked",
    ],
)
def test_ids_that_name_no_protocol(name: str) -> None:
    with pytest.raises(ShelfError, match="is no condition"):
        load_protocol(name)


def test_what_cannot_be_asked_for() -> None:
    with pytest.raises(ShelfError, match="--text blank: known are full, masked and sham"):
        conditioned(load_protocol(), None, None, "blank")
    for other in ("full", "sham"):
        with pytest.raises(ShelfError, match="has masked texts"):
            conditioned(load_protocol("shelf-1+text-masked"), None, None, other)
    with pytest.raises(ValidationError):
        Protocol.model_validate({**load_protocol().model_dump(), "text": "none"})


RUN = {
    "run_version": 2,
    "run_id": "0" * 12,
    "model": {
        "name": "m",
        "spec": "m",
        "kind": "encoder",
        "revision": "r",
        "settings": {},
        "parameters": None,
        "dimension": None,
        "max_tokens": None,
        "prompts": None,
    },
    "data": {
        "release_id": "r",
        "release_name": "r",
        "config": "all",
        "content_sha256": {},
        "written": None,
    },
    "protocol": {"id": "shelf-1", "version": 2, "key": "k"},
    "limit": None,
    "seeds": {},
    "threads": {},
    "versions": {},
    "hardware": {},
    "rate": None,
    "tokens": None,
    "money_usd": None,
    "price_source": None,
    "tasks": {},
    "files": {},
}


def test_the_file_of_a_run_with_whole_texts_is_what_it_was(tmp_path: Path) -> None:
    assert json.loads(RunFile.model_validate(RUN).model_dump_json()) == RUN
    assert list(RunFile.model_validate({**RUN, "removed": None}).model_dump()) == list(RUN)
    removed = {"documents": 2, "changed": 1, "emptied": 0, "tokens": 3, "mean_tokens": 1.5}
    other = {**RUN, "removed": {"all": removed}}
    assert RunFile.model_validate(other).model_dump(mode="json") == other
