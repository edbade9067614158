"""A key is named, never written down, never repeated."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from builders.writers.connection import exchange_with
from builders.writers.named import generator_at
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.roster import Generator, load_roster

KEYS = ["sk-0123456789abcdef", "0123456789", "my_key", "MY KEY", "A" * 200]


@pytest.mark.parametrize("key", KEYS)
def test_a_key_in_a_file_is_refused_and_not_repeated(key: str, tmp_path: Path) -> None:
    file = tmp_path / "writers.yaml"
    file.write_text(
        "- {name: first, writer: openai, model: m, base_url: https://example.org/v1, "
        f"api_key: '{key}'}}\n"
    )
    with pytest.raises(ShelfError, match="environment variable") as caught:
        load_roster(file)
    assert key not in str(caught.value)
    assert "'first'" in str(caught.value)


@pytest.mark.parametrize("key", [key for key in KEYS if " " not in key])
@pytest.mark.parametrize(
    "form",
    [
        "m@https://example.org/v1,api_key={}",
        "m@https://example.org/v1,api_key={},colour=red",
        "m@https://example.org/v1,api_key=MY_KEY,api_key={}",
        "m@example.org,api_key={}",
    ],
)
def test_a_key_on_the_command_line_is_refused_and_not_repeated(form: str, key: str) -> None:
    with pytest.raises(ShelfError) as caught:
        generator_at(form.format(key))
    assert key not in str(caught.value)


@pytest.mark.parametrize("base", ["https://example.org/v1", "http://127.0.0.1:9/v1"])
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_variable_that_is_named_has_to_hold_a_key(
    base: str, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if value is None:
        monkeypatch.delenv("MY_KEY", raising=False)
    else:
        monkeypatch.setenv("MY_KEY", value)
    row: dict[str, Any] = {"name": "g", "writer": "openai", "model": "m", "base_url": base}
    with pytest.raises(ShelfError, match="MY_KEY holds no key"):
        exchange_with(Generator(**row, api_key="MY_KEY"))
