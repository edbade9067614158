"""Damaged wordings and glosses are refused; the message names file, row and field."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry import config_folder, load_taxonomy
from evaluate_shelf.registry.prompts import SLOTS, load_wording


@pytest.fixture
def changed(tmp_path):
    """Change one file of a copy of the configuration; gives the copy's folder."""

    def change(name: str, function) -> Path:
        folder = Path(shutil.copytree(config_folder(), tmp_path / "configs"))
        file = folder / name
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        function(content)
        file.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
        return folder

    return change


def first(content):
    return content["prompts"]["variants"][0]


@pytest.mark.parametrize("slot", SLOTS)
def test_every_variant_has_a_line_for_every_slot(changed, slot):
    def drop(content):
        brief = first(content)["brief"]
        brief[:] = [line for line in brief if f"{{{slot}}}" not in line]

    with pytest.raises(ShelfError, match=rf"row 's1-plain', field 'brief'.*{{{slot}}}, has 0"):
        load_wording(changed("generation.yaml", drop))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("No slot.", "must have one slot"),
        ("Two: {topics} {form}.", "must have one slot"),
        ("{topics}", "has 2"),
        ("{colour}", "unknown slot 'colour'"),
        ("{topics!r}", "unknown slot"),
        ("{topics:>99999999}", "unknown slot"),
        ("{topics.__class__}", "unknown slot"),
        ("{}", "unknown slot ''"),
        ("{topics", "expected '}'"),
    ],
)
def test_a_line_that_cannot_be_filled_is_refused(changed, line, message):
    with pytest.raises(ShelfError, match="row 's1-plain', field 'brief'") as caught:
        load_wording(changed("generation.yaml", lambda c: first(c)["brief"].append(line)))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: first(c).update(system="About {topics}"), "'system': must have no slot"),
        (lambda c: first(c)["example"].update(title=" "), "field 'example.title'"),
        (lambda c: first(c)["example"].update(paragraphs=[]), "field 'example.paragraphs'"),
        (lambda c: first(c).update(id="s1-editor"), "'id': row 3 repeats 's1-editor'"),
        (lambda c: c["prompts"].update(variants=[]), "has no rows"),
        (lambda c: c["prompts"].update(tone="kind"), "field 'tone': is not a known field"),
        (lambda c: c.pop("prompts"), "field 'prompts': is missing"),
        (lambda c: c.update(colour=1), "field 'colour': is not a known field"),
        (lambda c: c.update(prompts=[]), "must be a mapping"),
    ],
)
def test_damaged_prompts_are_refused(changed, change, message):
    with pytest.raises(ShelfError) as caught:
        load_wording(changed("generation.yaml", change))
    assert "generation.yaml" in str(caught.value)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["forms"].update(Kites="a toy on a string"), "row 'Kites', field 'forms'"),
        (lambda c: c["topics"].update(Kites="a toy"), "row 'Kites', field 'topics'"),
        (lambda c: c["topics"].update(Music=" "), "field 'topics.Music'"),
        (lambda c: c.update(classes={}), "field 'classes': is not a known field"),
    ],
)
def test_damaged_glosses_are_refused(changed, change, message):
    with pytest.raises(ShelfError) as caught:
        load_taxonomy(changed("taxonomy/glosses.yaml", change))
    assert "glosses.yaml" in str(caught.value)
    assert message in str(caught.value)


def test_a_taxonomy_without_glosses_has_none(changed):
    folder = changed("taxonomy/glosses.yaml", lambda content: None)
    (folder / "taxonomy" / "glosses.yaml").unlink()
    taxonomy = load_taxonomy(folder)
    assert taxonomy.form_glosses == taxonomy.topic_glosses == {}
