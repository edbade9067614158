"""A damaged configs/transfer.yaml is refused by file and field."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.transfer.settings import load_transfer


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("task: lcc_retrieval", "task: lc_retrieval", "task"),
        ("{id: retrieval,", "{id: classification,", "formulations"),
        ("natural: [transfer_gutenberg,", "natural: [all,", "natural"),
        ("formulations_needed: 3", "formulations_needed: 5", "formulations_needed"),
        ("spearman_at_least: 0.6", "spearman_at_least: 1.6", "spearman_at_least"),
        ("level: 0.95", "level: 95", "level"),
        ("replicates: 2000", "replicates: 0", "replicates"),
        ("formulation: clustering", "formulation: grouping", "stability.formulation"),
        ("corpus: all, median", "corpus: al, median", "stability.reported"),
        ("model: roberta", "model: robert", "left_out"),
        ("model: roberta", "model: ogbert_2m_sentence", "left_out"),
        ("extends: distinct", "extends: distinkt", "extends"),
        ("default: true", "default: false", "panels"),
        ("id: weights", "id: all", "panels"),
        ("reason: left out", "why: left out", "why"),
    ],
)
def test_damage_is_refused_by_name(before: str, after: str, field: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(config_folder(), tmp_path / "configs"))
    file = folder / "transfer.yaml"
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after, 1), encoding="utf-8")
    with pytest.raises(ShelfError, match=field) as caught:
        load_transfer(folder)
    assert "transfer.yaml" in str(caught.value)


def test_unknown_names_are_refused() -> None:
    settings = load_transfer()
    with pytest.raises(ShelfError, match="restricted"):
        settings.panel("restrict")
    with pytest.raises(ShelfError, match="pairs"):
        settings.formulation("pair")


def test_a_panel_takes_over_what_another_leaves_out() -> None:
    settings = load_transfer()
    assert set(settings.panel("distinct").left_out) < set(settings.panel("restricted").left_out)
    assert settings.panel().id == "distinct"
