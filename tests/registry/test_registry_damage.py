"""Damaged tables are refused, and the message names file, row and field."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry import (
    config_folder,
    load_corpora,
    load_panel,
    load_protocols,
    load_tasks,
    load_taxonomy,
)

Damage = Callable[[str, Callable[[Any], None]], Path]

LOADERS: dict[str, Callable[[Path], Any]] = {
    "corpora.yaml": load_corpora,
    "panel.yaml": load_panel,
    "protocols.yaml": load_protocols,
    "tasks.yaml": load_tasks,
}
# For each file: the key of its rows (None: the file is the list) and the field that names a row.
TABLES: dict[str, tuple[str | None, str]] = {
    "corpora.yaml": (None, "id"),
    "panel.yaml": (None, "model"),
    "protocols.yaml": (None, "id"),
    "tasks.yaml": (None, "id"),
    "taxonomy/lcc.yaml": ("classes", "code"),
    "taxonomy/lcgft.yaml": ("categories", "name"),
    "taxonomy/geographic.yaml": ("places", "name"),
    "taxonomy/register.yaml": ("registers", "id"),
    "taxonomy/length.yaml": ("lengths", "id"),
}
PLAIN = ["taxonomy/topics.yaml", "taxonomy/audience.yaml"]
# Fields that a row, or this row, may leave out.
OPTIONAL = {"note", "algorithm", "anchor_field", "contrast_field", "instruction", "package"}
OPTIONAL |= {"passages", "published_documents", "default", "extends"}


def load(name: str, folder: Path) -> Any:
    return LOADERS.get(name, load_taxonomy)(folder)


def content(name: str) -> Any:
    return yaml.safe_load((config_folder() / name).read_text(encoding="utf-8"))


def rows_of(table: Any, name: str) -> list[dict[str, Any]]:
    key = TABLES[name][0]
    rows: list[dict[str, Any]] = table if key is None else table[key]
    return rows


def refused(name: str, folder: Path) -> str:
    with pytest.raises(ShelfError) as caught:
        load(name, folder)
    message = str(caught.value)
    assert Path(name).name in message
    return message


def row_field_cases() -> list[tuple[str, int, str]]:
    return [
        (name, number, field)
        for name in TABLES
        for number in (0, len(rows_of(content(name), name)) // 2)
        for field in rows_of(content(name), name)[number]
        if name != "protocols.yaml" or number == 0
    ]


@pytest.mark.parametrize("name", [*TABLES, *PLAIN])
def test_the_undamaged_copy_loads(name: str, folder: Path) -> None:
    load(name, folder)


@pytest.mark.parametrize(
    ("name", "number", "field"), [case for case in row_field_cases() if case[2] not in OPTIONAL]
)
def test_missing_field(name: str, number: int, field: str, damage: Damage) -> None:
    names = rows_of(content(name), name)[number]
    folder = damage(name, lambda table: rows_of(table, name)[number].pop(field))
    id_field = TABLES[name][1]
    row = repr(names[id_field]) if field != id_field else str(number + 1)
    assert f"row {row}, field '{field}': is missing" in refused(name, folder)


@pytest.mark.parametrize(("name", "number", "field"), row_field_cases())
def test_value_of_another_type(name: str, number: int, field: str, damage: Damage) -> None:
    original = rows_of(content(name), name)[number]

    def replace(table: Any) -> None:
        rows_of(table, name)[number][field] = [{"not": "this"}]

    id_field = TABLES[name][1]
    row = repr(original[id_field]) if field != id_field else str(number + 1)
    message = refused(name, damage(name, replace))
    assert f"row {row}, field '{field}" in message


@pytest.mark.parametrize("name", TABLES)
def test_unknown_field(name: str, damage: Damage) -> None:
    last = rows_of(content(name), name)[-1]
    folder = damage(name, lambda table: rows_of(table, name)[-1].update(surprise=1))
    expected = f"row {last[TABLES[name][1]]!r}, field 'surprise': is not a known field"
    assert expected in refused(name, folder)


@pytest.mark.parametrize("name", TABLES)
def test_two_rows_with_one_id(name: str, damage: Damage) -> None:
    id_field = TABLES[name][1]
    first = rows_of(content(name), name)[0]

    def twice(table: Any) -> None:
        rows_of(table, name).append(copy.deepcopy(first))

    assert f"row {first[id_field]!r}, field '{id_field}': row " in refused(
        name, damage(name, twice)
    )


@pytest.mark.parametrize("name", TABLES)
def test_row_that_is_no_mapping(name: str, damage: Damage) -> None:
    def replace(table: Any) -> None:
        rows: list[Any] = rows_of(table, name)
        rows[1] = "words"

    assert "row 2: must be a mapping of fields, is 'words'" in refused(name, damage(name, replace))


@pytest.mark.parametrize("name", TABLES)
def test_table_without_rows(name: str, damage: Damage) -> None:
    assert "has no rows" in refused(name, damage(name, lambda table: rows_of(table, name).clear()))


@pytest.mark.parametrize("name", [*TABLES, *PLAIN])
def test_key_twice(name: str, folder: Path) -> None:
    file = folder / name
    lines = file.read_text(encoding="utf-8").splitlines()
    if TABLES.get(name, ("",))[0] is None:
        number = next(i for i, line in enumerate(lines) if line.startswith("- "))
        lines.insert(number + 1, lines[number].replace("- ", "  ", 1))
        key = lines[number].removeprefix("- ").split(":")[0]
    else:
        number = next(i for i, line in enumerate(lines) if not line.startswith("#"))
        key = lines[number].split(":")[0]
        lines.append(f"{key}: again")
    file.write_text("\n".join(lines), encoding="utf-8")
    repeated = number + 2 if TABLES.get(name, ("",))[0] is None else len(lines)
    assert (
        f"{file.name}, line {repeated}: duplicate key {key!r}, first on line {number + 1}"
        in refused(name, folder)
    )


@pytest.mark.parametrize("name", [*TABLES, *PLAIN])
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"a: [1, 2\nb: 3\n", ", line 2: "),
        (b"a: 1\n\tb: 2\n", ", line 2: "),
        (b"a: 1\nb: \xff\n", ", line 2: is not UTF-8"),
        (b"a: 1\n1: 2\n", ", line 2: a key must be text"),
        (b"a: 1\nb: !!python/object:object {}\n", ", line 2: could not determine a constructor"),
        (b"a: 1\n---\nb: 2\n", ", line 2: "),
        (b"a: &x [*x]\n", ", line 1: "),
        (b"# nothing\n", ": is empty"),
        (b"a: \x01\n", ": not YAML"),
        (b"words\n", "must be a "),
    ],
)
def test_what_is_not_a_table(name: str, text: bytes, problem: str, folder: Path) -> None:
    (folder / name).write_bytes(text)
    assert problem in refused(name, folder)


@pytest.mark.parametrize("name", [*TABLES, *PLAIN])
def test_missing_file(name: str, folder: Path) -> None:
    (folder / name).unlink()
    assert "cannot be read: No such file" in refused(name, folder)


@pytest.mark.parametrize("name", ["taxonomy/register.yaml", "taxonomy/length.yaml"])
@pytest.mark.parametrize("weight", [-0.1, 0.0, 1.5, float("nan"), float("inf"), "0.1", True, None])
def test_weight_that_is_none(name: str, weight: Any, damage: Damage) -> None:
    row = rows_of(content(name), name)[2]
    folder = damage(name, lambda table: rows_of(table, name)[2].update(weight=weight))
    assert f"row {row['id']!r}, field 'weight': " in refused(name, folder)


@pytest.mark.parametrize("name", ["taxonomy/register.yaml", "taxonomy/length.yaml"])
def test_weights_that_do_not_sum_to_one(name: str, damage: Damage) -> None:
    folder = damage(name, lambda table: rows_of(table, name)[0].update(weight=0.9))
    assert "field 'weight': the weights must sum to 1, sum to 1." in refused(name, folder)


# One damage each: file, what is changed, the part of the message that names row and field.
CROSS: list[tuple[str, Callable[[Any], Any], str]] = [
    ("taxonomy/lcc.yaml", lambda t: t.update(uri_pattern="http://x/"), "field 'uri_pattern': must"),
    ("taxonomy/lcc.yaml", lambda t: t.pop("uri_pattern"), "field 'uri_pattern': is missing"),
    ("taxonomy/lcc.yaml", lambda t: t.update(more=1), "field 'more': is not a known field"),
    ("taxonomy/lcc.yaml", lambda t: t["classes"][0].update(code="aa"), "row 'aa', field 'code'"),
    (
        "taxonomy/lcc.yaml",
        lambda t: t["classes"][1].update(name="General Works"),
        "row 'B', field 'name': row 2 repeats 'General Works' of row 1",
    ),
    (
        "taxonomy/lcgft.yaml",
        lambda t: t["categories"][3].update(output_format="scroll"),
        "row 'Literature', field 'output_format': unknown 'scroll'",
    ),
    (
        "taxonomy/lcgft.yaml",
        lambda t: t["categories"][3]["forms"].append("Drama"),
        "row 'Literature', field 'forms': repeats 'Drama'",
    ),
    (
        "taxonomy/lcgft.yaml",
        lambda t: t["categories"][3]["forms"].append(7),
        "row 'Literature', field 'forms.14'",
    ),
    (
        "taxonomy/lcgft.yaml",
        lambda t: t["output_format_of_form"].update(Hymns="verse"),
        "row 'Hymns', field 'output_format_of_form': unknown 'Hymns'",
    ),
    (
        "taxonomy/lcgft.yaml",
        lambda t: t["output_format_of_form"].update(Drama="scroll"),
        "row 'Drama', field 'output_format_of_form': unknown 'scroll'",
    ),
    (
        "taxonomy/lcgft.yaml",
        lambda t: t["output_formats"].append("verse"),
        "field 'output_formats': repeats 'verse'",
    ),
    (
        "taxonomy/lcgft.yaml",
        lambda t: t["output_formats"].remove("plain_prose"),
        "field 'output_formats': must hold 'plain_prose'",
    ),
    (
        "taxonomy/topics.yaml",
        lambda t: t["domains_of_class"].update(K=["laws"]),
        "row 'K', field 'domains_of_class': unknown 'laws'",
    ),
    (
        "taxonomy/topics.yaml",
        lambda t: t["domains_of_class"].update(K=["law", "law"]),
        "row 'K', field 'domains_of_class': repeats 'law'",
    ),
    (
        "taxonomy/topics.yaml",
        lambda t: t["domains_of_class"].update(I=["law"]),
        "row 'I', field 'domains_of_class': unknown 'I'",
    ),
    (
        "taxonomy/topics.yaml",
        lambda t: t["domains_of_class"].pop("K"),
        "row 'K', field 'domains_of_class': is missing",
    ),
    (
        "taxonomy/topics.yaml",
        lambda t: t["domains_of_class"].update(K=[]),
        "field 'domains_of_class.K'",
    ),
    (
        "taxonomy/topics.yaml",
        lambda t: t["domains"]["law"].append("Torts"),
        "row 'law', field 'domains': repeats 'Torts'",
    ),
    ("taxonomy/topics.yaml", lambda t: t["domains"].update(law="Torts"), "field 'domains.law'"),
    ("taxonomy/topics.yaml", lambda t: t["domains"]["law"].append(5), "field 'domains.law.11'"),
    ("taxonomy/topics.yaml", lambda t: t.pop("domains"), "field 'domains': is missing"),
    (
        "taxonomy/geographic.yaml",
        lambda t: t["places"][3].update(region="Oceania"),
        "row 'Australia', field 'region': unknown 'Oceania'",
    ),
    (
        "taxonomy/geographic.yaml",
        lambda t: t["places"][3].update(kind="continent"),
        "row 'Australia', field 'kind'",
    ),
    (
        "taxonomy/geographic.yaml",
        lambda t: t["regions"].append("Europe"),
        "field 'regions': repeats 'Europe'",
    ),
    (
        "taxonomy/audience.yaml",
        lambda t: t["audiences"].append("Adults"),
        "field 'audiences': repeats 'Adults'",
    ),
    (
        "taxonomy/audience.yaml",
        lambda t: t["audiences"].append(" Adults"),
        "field 'audiences.24': ",
    ),
    ("taxonomy/audience.yaml", lambda t: t["audiences"].append(None), "field 'audiences.24': "),
    (
        "taxonomy/audience.yaml",
        lambda t: t.update(none_probability=-0.3),
        "field 'none_probability'",
    ),
    ("taxonomy/audience.yaml", lambda t: t.update(none_probability=1), "field 'none_probability'"),
    ("taxonomy/audience.yaml", lambda t: t.pop("none_probability"), "field 'none_probability'"),
    (
        "taxonomy/length.yaml",
        lambda t: t["lengths"][0].update(max_words=10),
        "row 'micro', field 'max_words': must be more than min_words, got 10",
    ),
    ("corpora.yaml", lambda t: t[7].pop("passages"), "row 'transfer_gutenberg', field 'passages'"),
    (
        "corpora.yaml",
        lambda t: t[0].update(passages=t[7]["passages"]),
        "row 'v0_4_core', field 'passages': has no meaning",
    ),
    (
        "corpora.yaml",
        lambda t: t[7]["passages"].update(min_words=401),
        "row 'transfer_gutenberg', field 'passages.min_words'",
    ),
    (
        "corpora.yaml",
        lambda t: t[7]["passages"].update(max_words=399),
        "row 'transfer_gutenberg', field 'passages.max_words'",
    ),
    (
        "corpora.yaml",
        lambda t: t[0]["split"]["ratios"].update(test=0.3),
        "row 'v0_4_core', field 'split.ratios': must sum to 1, sum to 1.1",
    ),
    (
        "corpora.yaml",
        lambda t: t[0]["split"]["ratios"].update(test=-0.2),
        "row 'v0_4_core', field 'split.ratios.test'",
    ),
    ("corpora.yaml", lambda t: t[0].update(kind="natural"), "row 'v0_4_core', field 'kind': must"),
    ("corpora.yaml", lambda t: t[0].update(published_documents=0), "field 'published_documents'"),
    ("panel.yaml", lambda t: t[4].update(released="soon"), "row 'st:minilm', field 'released'"),
    ("panel.yaml", lambda t: t[4].update(dimension=-1), "row 'st:minilm', field 'dimension'"),
    (
        "panel.yaml",
        lambda t: t[4].update(name="BM25"),
        "row 'st:minilm', field 'name': row 5 repeats 'BM25' of row 3",
    ),
    ("protocols.yaml", lambda t: t[0].update(default=False), "field 'default': one row"),
    ("protocols.yaml", lambda t: t[1].update(default=True), "field 'default': one row"),
    (
        "protocols.yaml",
        lambda t: t[1].update(extends="shelf-0"),
        "row 'shelf-1-balanced', field 'extends': unknown 'shelf-0'; known: shelf-1, ",
    ),
    (
        "protocols.yaml",
        lambda t: t[1].update(extends=["shelf-1"]),
        "row 'shelf-1-balanced', field 'extends': unknown",
    ),
    (
        "protocols.yaml",
        lambda t: t[0].update(extends="shelf-1-balanced"),
        "field 'extends': leads back to itself: shelf-1 -> shelf-1-balanced -> shelf-1",
    ),
    (
        "protocols.yaml",
        lambda t: t[1]["probe"].update(c=2.0),
        "row 'shelf-1-balanced', field 'probe.c': is not a known field",
    ),
    (
        "protocols.yaml",
        lambda t: t[0]["probe"].update(class_weight="even"),
        "row 'shelf-1', field 'probe.class_weight'",
    ),
    (
        "protocols.yaml",
        lambda t: t[0]["kmeans"].update(median_seeds=[0, 0]),
        "row 'shelf-1', field 'kmeans.median_seeds': must be all different",
    ),
    ("protocols.yaml", lambda t: t[0].update(cutoff=101), "row 'shelf-1', field 'cutoff': must"),
    (
        "protocols.yaml",
        lambda t: t[0]["tfidf"].update(ngram_range=[2, 1]),
        "row 'shelf-1', field 'tfidf.ngram_range'",
    ),
    ("tasks.yaml", lambda t: t[0].update(n_labels="21"), "row 'lcc_retrieval', field 'n_labels'"),
    (
        "tasks.yaml",
        lambda t: t[0].update(available="yes"),
        "row 'lcc_retrieval', field 'available'",
    ),
    ("tasks.yaml", lambda t: t[0].update(control=1), "row 'lcc_retrieval', field 'control'"),
    ("tasks.yaml", lambda t: t[0].update(id="LCC"), "row 'LCC', field 'id'"),
    (
        "tasks.yaml",
        lambda t: t[0].update(primary_metric="macro_f1"),
        "row 'lcc_retrieval', field 'primary_metric': must be ndcg_at_10 for retrieval",
    ),
    (
        "tasks.yaml",
        lambda t: t[0].update(text_field="title_and_body"),
        "row 'lcc_retrieval', field 'text_field': must be text for retrieval",
    ),
    (
        "tasks.yaml",
        lambda t: t[0].update(algorithm="kmeans"),
        "row 'lcc_retrieval', field 'algorithm': has no meaning for retrieval",
    ),
    (
        "tasks.yaml",
        lambda t: t[0].update(instruction="Find it."),
        "row 'lcc_retrieval', field 'instruction': has no meaning for retrieval",
    ),
    (
        "tasks.yaml",
        lambda t: t[3].pop("contrast_field"),
        "row 'instruction_same_subject_diff_form', field 'contrast_field': is required",
    ),
    (
        "tasks.yaml",
        lambda t: next(r for r in t if not r["available"]).pop("note"),
        "row 'lcc_subclass_classification', field 'note': must say why",
    ),
    ("tasks.yaml", lambda t: t[0].update(chance_level=-0.1), "field 'chance_level'"),
]


@pytest.mark.parametrize(("name", "change", "expected"), CROSS)
def test_rows_that_do_not_fit(
    name: str, change: Callable[[Any], Any], expected: str, damage: Damage
) -> None:
    assert expected in refused(name, damage(name, change))


def test_every_problem_of_a_row_has_its_line(damage: Damage) -> None:
    def change(rows: Any) -> None:
        rows[0].update(n_labels="many", surprise=1)
        rows[0].pop("facet")

    lines = refused("tasks.yaml", damage("tasks.yaml", change)).splitlines()
    assert len(lines) == 3
    assert all("tasks.yaml, row 'lcc_retrieval', field '" in line for line in lines)


def test_a_long_value_is_shortened(damage: Damage) -> None:
    folder = damage("tasks.yaml", lambda rows: rows[0].update(n_labels="very " * 999))
    message = refused("tasks.yaml", folder)
    assert "got 'very very" in message
    assert message.endswith("…")
    assert len(message) < 400


def test_a_table_that_is_a_mapping_where_a_list_is_due(folder: Path) -> None:
    (folder / "tasks.yaml").write_text("id: lcc_retrieval\n", encoding="utf-8")
    assert "must be a list of rows, is a mapping" in refused("tasks.yaml", folder)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_value_in_any_field_loads_or_is_refused_by_name(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    name = data.draw(st.sampled_from(["corpora.yaml", "panel.yaml", "tasks.yaml"]))
    table = content(name)
    row = data.draw(st.sampled_from(rows_of(table, name)))
    field = data.draw(st.sampled_from(list(row)))
    row[field] = data.draw(values)
    folder = tmp_path_factory.mktemp("any")
    (folder / name).write_text(yaml.safe_dump(table, allow_unicode=True), encoding="utf-8")
    try:
        load(name, folder)
    except ShelfError as error:
        message = str(error)
    else:
        message = name
    assert name in message
