"""Families of generators, by how a name begins."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluate_shelf.diagnostics.breakdown.families import family_of, load_families
from evaluate_shelf.errors import ShelfError


@pytest.mark.parametrize(
    ("generator", "family"),
    [
        ("lexical-writer/birch", "lexical-writer"),
        ("claude-fable-5", "anthropic"),
        ("anthropic/claude-fable-5", "anthropic"),
        ("gpt-5-mini", "openai"),
        ("openai/gpt-oss-120b", "openai"),
        ("o3-mini", "openai"),
        ("gemini-3-flash", "google"),
        ("google/gemma-3-27b-it", "google"),
        ("qwen/qwen3-235b", "alibaba"),
        ("deepseek/deepseek-v3.2", "deepseek"),
        ("z-ai/glm-4.6", "zhipu"),
        ("moonshotai/kimi-k2", "moonshot"),
        ("minimax/minimax-m2", "minimax"),
        ("meta-llama/llama-4-maverick", "meta"),
        ("mistralai/mistral-medium-3.1", "mistral"),
        ("x-ai/grok-4-fast", "xai"),
        (" GPT-5 ", "openai"),
        ("gptneo", None),
        ("metadata-writer", None),
        ("o30", None),
        ("", None),
    ],
)
def test_the_families_of_published_names(generator: str, family: str | None) -> None:
    assert family_of(generator, load_families()) == family


def written(folder: Path, text: str) -> Path:
    folder.mkdir()
    (folder / "generators.yaml").write_text(text)
    return folder


def test_the_longest_prefix_decides(tmp_path: Path) -> None:
    folder = written(
        tmp_path / "configs",
        "- {id: short, name: Short, prefixes: [a/]}\n- {id: long, name: Long, prefixes: [a/b]}\n",
    )
    families = load_families(folder)
    assert [family_of(name, families) for name in ("a/b-1", "a/bc", "a/x")] == [
        "long",
        "short",
        "short",
    ]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("- {id: a, name: A, prefixes: [x, X]}\n", "row 'a', field 'prefixes'"),
        (
            "- {id: a, name: A, prefixes: [x]}\n- {id: b, name: B, prefixes: [x]}\n",
            "row 'b', field 'prefixes'",
        ),
        ("- {id: a, name: A, prefixes: []}\n", "row 'a', field 'prefixes'"),
        ("- {id: a, prefixes: [x]}\n", "row 'a', field 'name'"),
        ("- {id: a, name: A, prefixes: [x], vendor: v}\n", "row 'a', field 'vendor'"),
    ],
)
def test_a_damaged_table_is_refused_by_row_and_field(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(ShelfError, match=r"generators\.yaml") as error:
        load_families(written(tmp_path / "configs", text))
    assert named in str(error.value)
