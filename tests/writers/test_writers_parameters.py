"""Parameters: what is sent, and which of them an endpoint's error refuses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from builders.orders import Sampling
from builders.writers.parameters import is_refused_for_good, parameters, refused_parameter
from builders.writers.served import is_asked_model, without_folders
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.roster import Generator, load_roster

SENT: dict[str, Any] = {
    "max_completion_tokens": 500,
    "max_tokens": 500,
    "temperature": 0.8,
    "top_p": 0.9,
    "reasoning_effort": "low",
    "repeat_penalty": 1.1,
}


def row(**settings: Any) -> Generator:
    given = {"name": "m", "writer": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"}
    return Generator.model_validate(given | settings)


def openai_error(message: str, param: str | None = None, code: str | None = None) -> bytes:
    return json.dumps({"error": {"message": message, "param": param, "code": code}}).encode()


def test_everything_that_is_sent() -> None:
    own = row(reasons=True, reasoning_effort="low", parameters={"repeat_penalty": 1.1})
    assert parameters(own, Sampling(0.8, 0.9), 500) == SENT
    assert parameters(row(), None, 7, {"max_tokens"}) == {"max_completion_tokens": 7}


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (
            openai_error(
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead.",
                "max_tokens",
                "unsupported_parameter",
            ),
            "max_tokens",
        ),
        (
            openai_error(
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead."
            ),
            "max_tokens",
        ),
        (
            openai_error("Unrecognized request argument supplied: max_completion_tokens"),
            "max_completion_tokens",
        ),
        (openai_error("temperature does not support 0.8", "temperature"), "temperature"),
        (openai_error("Unsupported value: 'top_p' ...", "top_p", "unsupported_value"), "top_p"),
        (openai_error("`reasoning_effort` is not supported with this model"), "reasoning_effort"),
        (openai_error("Unsupported", "reasoning.effort"), "reasoning_effort"),
        (b"this is no reasoning model", "reasoning_effort"),
        (
            b'{"detail": [{"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"]}]}',
            "max_completion_tokens",
        ),
        # Not the field but its value, or something else.
        (openai_error("max_tokens is too large: 500. At most 400 are allowed", "max_tokens"), None),
        (openai_error("maximum context length is 2048 tokens", "messages"), None),
        (openai_error("the temperature of your words was flagged", "messages"), None),
        (openai_error("repeat_penalty is not supported", "repeat_penalty"), None),
        (b"", None),
        (b"[" * 50_000, None),
        (b"\xff", None),
    ],
)
def test_which_parameter_is_refused(body: bytes, name: str | None) -> None:
    assert refused_parameter(400, body, SENT) == name
    assert refused_parameter(422, body, SENT) == name
    assert refused_parameter(500, body, SENT) is None
    if name is not None:
        assert refused_parameter(400, body, {"max_tokens": 1}) is None


def test_a_call_keeps_one_limit() -> None:
    body = openai_error("Unsupported parameter", "max_tokens")
    assert refused_parameter(400, body, {"max_tokens": 1, "temperature": 1}) is None


def test_a_high_temperature_may_be_refused_for_its_value() -> None:
    assert is_refused_for_good("temperature", {"temperature": 1.0})
    assert not is_refused_for_good("temperature", {"temperature": 1.1})
    assert is_refused_for_good("top_p", {"top_p": 0.9})


@pytest.mark.parametrize(
    ("served", "asked"),
    [
        ("m-1", "m-1"),
        ("M-1", "vendor/m-1"),
        ("vendor/m-1-2026-01-31", "m-1"),
        ("m-1-20260131", "m-1"),
        ("m-1-0131", "m-1"),
        ("m-1-preview-05-20", "m-1-preview"),
        ("m-1@20260131", "m-1"),
        ("/home/me/models/m-1.gguf", "m-1.gguf"),
    ],
)
def test_a_served_model_that_is_the_asked_one(served: str, asked: str) -> None:
    assert is_asked_model(served, asked)


@pytest.mark.parametrize(
    ("served", "asked"),
    [
        ("m-1-mini", "m-1"),
        ("m-1", "m-1-2026-01-31"),
        ("m-1-2026-02-28", "m-1-2026-01-31"),
        ("m-1-2026-31-31", "m-1"),
        ("m-10", "m-1"),
        ("m-1.1", "m-1"),
        ("m", "m-1"),
        ("", "m-1"),
        ("m-1-0131-mini", "m-1"),
    ],
)
def test_a_served_model_that_is_another(served: str, asked: str) -> None:
    assert not is_asked_model(served, asked)
    assert is_asked_model(served, asked, ["x", served])


def test_no_folder_of_the_machine_is_part_of_a_name() -> None:
    assert without_folders("/home/me/m.gguf") == "m.gguf"
    assert without_folders("C:\\models\\m.gguf") == "m.gguf"
    assert without_folders("~/m.gguf") == "m.gguf"
    assert without_folders("vendor/m:free") == "vendor/m:free"


@pytest.mark.parametrize("name", ["model", "messages", "stream", "max_tokens", "temperature"])
def test_a_roster_does_not_set_what_is_set_for_it(name: str, tmp_path: Any) -> None:
    file = tmp_path / "writers.yaml"
    file.write_text(
        "- {name: m, writer: openai, model: m, base_url: 'http://localhost/v1', "
        f"parameters: {{{name}: 1}}}}\n"
    )
    with pytest.raises(ShelfError, match=f"parameters.*{name}"):
        load_roster(file)
