# ruff: noqa: D103 - the names of attacks say what is wrong
"""`run.json` that is no run's: other texts, numbers, keys, depths, hashes and claims."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.hostile.forging import (
    Contents,
    changed_run,
    run_of,
    with_own_id,
    with_run,
    zipped,
)
from benchmarks.hostile.payloads import TEXTS
from builders.draws import Draws
from evaluate_shelf.runs.folder import RUN

_NUMBERS = (10**20, -(10**20), 1e300, 2**63, 2**53 + 2)
_ODD: tuple[Any, ...] = ("1", True, [], {}, None, 1.5, "NaN")


def a_text_that_is_more_than_text(draws: Draws, run: Contents) -> bytes:
    """In any text field of all; the id and the hashes follow from it."""
    value = run_of(run)
    value["price_source"] = "a page"
    value["data"]["written"] = {"first": "2025-01-01", "last": None, "source": "ids"}
    value["model"]["settings"]["note"] = "x"
    value["model"]["prompts"] = {"query": "query: ", "document": ""}
    for record in value["tasks"].values():
        record["reason"] = record["reason"] or "a reason"
    place = draws.choice(list(_places(value, str)))
    return zipped(changed_run(with_run(run, value), place, draws.choice(TEXTS)))


def a_key_that_is_more_than_text(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    place = draws.choice(
        [("model", "settings"), ("versions",), ("hardware",), ("seeds",), ("tasks",), ("files",)]
    )
    inner: Any = value
    for part in place:
        inner = inner[part]
    inner[draws.choice(TEXTS)] = draws.choice([1, "x"])
    return zipped(with_run(run, with_own_id(value)))


def a_huge_number(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    value.update(tokens=1, money_usd=0.5)
    value["model"].update(parameters=1, dimension=1, max_tokens=1)
    value["model"]["settings"]["note"] = 1
    place = draws.choice([*_places(value, int), *_places(value, float)])
    return zipped(changed_run(with_run(run, value), place, draws.choice(_NUMBERS)))


def no_number(draws: Draws, run: Contents) -> bytes:
    """NaN and infinity, which JSON has not, and digits without an end."""
    text = run[RUN].decode()
    said = draws.choice(["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5_000, "0x10"])
    place = draws.choice(['"dimension": ', '"parameters": ', '"tokens": ', '"seconds": '])
    before, found, after = text.partition(place)
    rest = after[after.index(",") :]
    return zipped({**run, RUN: (before + found + said + rest).encode()})


def a_rate_of_no_machine(draws: Draws, run: Contents) -> bytes:
    rate: dict[str, Any] = {
        "documents_per_second": 100.0,
        "low": 90.0,
        "high": 110.0,
        "level": 0.95,
        "documents": 100,
        "repeats": 3,
        "max_tokens": None,
        "batch_size": 8,
    }
    change: dict[str, Any] = draws.choice(
        [
            {"documents_per_second": 9e11, "high": 9.9e11},
            {"documents_per_second": -1.0},
            {"low": 200.0},
            {"high": 1.0},
            {"low": -5.0},
            {"level": 2.0},
            {"documents": 0},
            {"repeats": -1},
        ]
    )
    return zipped(changed_run(run, ("rate",), {**rate, **change}))


def below_zero(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    task = next(iter(value["tasks"]))
    place = draws.choice(
        [
            ("model", "parameters"),
            ("model", "dimension"),
            ("tokens",),
            ("money_usd",),
            ("tasks", task, "seconds"),
            ("tasks", task, "left_out"),
        ]
    )
    return zipped(changed_run(run, place, -draws.between(1, 10**6)))


def a_value_of_another_kind(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    place = draws.choice([("limit",), ("model", "name"), ("data", "config"), ("tokens",)])
    # Some of these are honest in some places.
    odd = [own for own in _ODD if own is not None and not (isinstance(own, str) and len(place) > 1)]
    return zipped(changed_run(with_run(run, value), place, draws.choice(odd)))


def a_field_too_many(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    inner = draws.choice([value, value["model"], value["data"], value["protocol"]])
    inner[draws.choice(["verified", "rank", "admin", "html"])] = draws.choice([True, 1, "x"])
    return zipped(with_run(run, value))


def a_field_missing(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    if draws.happens(0.5):
        del value[draws.choice(["model", "data", "protocol", "tasks", "files", "run_version"])]
    else:
        del value["model"][draws.choice(["name", "spec", "revision", "settings"])]
    return zipped(with_run(run, value))


def a_key_twice(draws: Draws, run: Contents) -> bytes:
    text = run[RUN].decode()
    key = draws.choice(['"run_id"', '"name"', '"files"', '"status"', '"limit"', '"value"'])
    place = text.index("{", draws.integer(2)) + 1
    return zipped({**run, RUN: f"{text[:place]}{key}: null, {key}: null, {text[place:]}".encode()})


def depth_without_end(draws: Draws, run: Contents) -> bytes:
    depth = draws.choice([9, 60, 900, 100_000])
    opening, closing = draws.choice([("[", "]"), ('{"a": ', "}")])
    text = run[RUN].decode()
    deep = opening * depth + "1" + closing * depth
    settings = f'"settings": {{"deep": {deep}, '
    text = text.replace('"settings": {}', '"settings": {"x": 1}').replace(
        '"settings": {', settings, 1
    )
    return zipped({**run, RUN: text.encode()[: 2**20]})


def no_json_in_utf_8(draws: Draws, run: Contents) -> bytes:
    text = run[RUN].decode()
    data = draws.choice(
        [
            text.encode("utf-16"),
            b"\xef\xbb\xbf" + run[RUN],
            run[RUN] + b"{}",
            run[RUN] + b"\xff",
            run[RUN].replace(b'"name": "', b'"name": "\xc3\x28', 1),
            run[RUN][:-20],
            b"[]",
            b"null",
            b'"run"',
            b"{}",
            text.replace('"', "'").encode(),
            b"// a run\n" + run[RUN],
            text.replace(": null", ": undefined").encode(),
        ]
    )
    return zipped({**run, RUN: data})


def megabytes_of_it(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    value["versions"] = {f"library{number}": "1" * 200 for number in range(8_000)}
    return zipped(with_run(run, value))


def a_smoke_run(draws: Draws, run: Contents) -> bytes:
    return zipped(changed_run(run, ("limit",), draws.choice([1, 50, 0, -1])))


def an_earlier_form(draws: Draws, run: Contents) -> bytes:
    return zipped(changed_run(run, ("run_version",), draws.choice([0, 1, 3, 99])))


def another_release(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    data = value["data"]
    kind = draws.integer(7)
    if kind == 0:
        data["release_id"] = draws.choice(["0" * 12, "../..", "x"])
    elif kind == 1:
        data["content_sha256"]["all"] = "0" * 64
    elif kind == 2:
        del data["content_sha256"]["same_lcc_pairs"]
    elif kind == 3:
        data["content_sha256"]["more"] = "0" * 64
    elif kind == 4:
        data["config"] = draws.choice(["same_lcc_pairs", "v0_4_core", "none"])
    elif kind == 5:
        data["written"] = {"first": "2030-01-01", "last": None, "source": "ids"}
    else:
        data["release_name"] = "another"
    return zipped(with_run(run, with_own_id(value)))


def another_protocol(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    kind = draws.integer(5)
    if kind == 0:
        value["protocol"]["version"] += 1
    elif kind == 1:
        value["protocol"]["key"] = "0" * 64
    elif kind == 2:
        value["protocol"]["id"] = draws.choice(
            ["shelf-2", "shelf-1-balanced", "shelf-1+max-tokens-1", "shelf-1+x", "../shelf-1"]
        )
    elif kind == 3:
        value["seeds"]["bootstrap"] = 7
    else:
        value["threads"] = {}
    return zipped(with_run(run, value))


def an_id_of_another_run(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    value["run_id"] = draws.choice(["0" * 12, "", value["run_id"][::-1], "../../x"])
    return zipped(with_run(run, value))


def a_task_that_is_none(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    named = draws.choice(["no_such_task", "../../x", "/etc/passwd", "a/b", "", "x" * 100])
    value["tasks"][named] = {"status": "skipped", "reason": "forged"}
    return zipped(with_run(run, value))


def hashes_of_other_files(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    name = draws.choice(sorted(value["files"]))
    kind = draws.integer(4)
    if kind == 0:
        value["files"][name] = "0" * 64
    elif kind == 1:
        del value["files"][name]
    elif kind == 2:
        value["files"]["items/form_retrieval.parquet"] = value["files"][name]
    else:
        value["files"][name] = value["files"][name].upper()
    return zipped(with_run(run, value))


def a_task_done_that_was_not(draws: Draws, run: Contents) -> bytes:
    value = run_of(run)
    kind = draws.integer(3)
    first = next(iter(value["tasks"]))
    if kind == 0:
        value["tasks"]["form_retrieval"] = {"status": "done"}
    elif kind == 1:
        value["tasks"][first] = {"status": "skipped", "reason": "forged"}
    else:
        value["tasks"] = {
            task: {"status": "skipped", "reason": "forged"} for task in value["tasks"]
        }
    return zipped(with_run(run, value))


def _places(value: Any, kind: type, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where values of a kind stand in a JSON value."""
    pairs: Any = ()
    if isinstance(value, dict):
        pairs = value.items()
    elif isinstance(value, list):
        pairs = enumerate(value)
    elif type(value) is kind:
        yield path
    for key, inner in pairs:
        yield from _places(inner, kind, (*path, key))


ATTACKS = (
    a_text_that_is_more_than_text,
    a_key_that_is_more_than_text,
    a_huge_number,
    no_number,
    a_rate_of_no_machine,
    below_zero,
    a_value_of_another_kind,
    a_field_too_many,
    a_field_missing,
    a_key_twice,
    depth_without_end,
    no_json_in_utf_8,
    megabytes_of_it,
    a_smoke_run,
    an_earlier_form,
    another_release,
    another_protocol,
    an_id_of_another_run,
    a_task_that_is_none,
    hashes_of_other_files,
    a_task_done_that_was_not,
)
"""Each takes draws and a run's files, and gives an archive."""
