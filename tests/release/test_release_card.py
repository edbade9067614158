"""What a release shows to people: the card, its YAML, the caveats, the citation, the tasks."""

from __future__ import annotations

import sys
from pathlib import Path

import datasets
import pyarrow as pa
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from release_forgery import Release
from staged_releases import (
    COUNTED,
    books,
    corpus,
    lcshbench,
    pairs,
    records,
    row_of,
    staged,
    written,
)

from builders.corpora import columns
from builders.corpora.catalogue.columns import CATALOGUE
from builders.corpora.lcshbench.columns import LCSHBENCH
from builders.release import templates
from builders.release.card import card, caveats
from builders.release.citation import citation
from builders.release.columns import meanings
from builders.release.evaluation import evaluation
from builders.release.figures.figure import Figure
from builders.release.folder import write_release
from builders.release.front import front_matter
from builders.release.markdown import code, plain, table
from builders.release.origins import distinct_documents, origins_in, origins_of
from builders.taxonomies.foreign import SLOTS, ForeignLabels
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.release.verification.card import check_card
from evaluate_shelf.release.verification.files import check_files

ROOT = Path(__file__).parents[2]
HOSTILE = [
    "a|b||c",
    "one\ntwo\r\n\n# three",
    "---",
    "--- \n---\n",
    "<script>alert(1)</script><b>",
    "`code` ``more`` ```",
    "[link](https://example.org) ![image](x.png) <https://example.org>",
    "**bold** _it_ ~~gone~~ $x$ &lt; &amp;",
    "{{ name }} {% for x in y %} {# gone #}",
    "1. first",
    "- item",
    "> said",
    "trailing\\",
    "\u202ereversed\u2066 \x1b[2J",
    "'quoted': \"twice\" #: !!python/object",
]
markdown = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def texts_of(source):
    """Contents of all inline parts of some Markdown, each with its kinds of tokens."""
    parts = [token for token in markdown.parse(source) if token.type == "inline"]
    return [("".join(c.content for c in p.children), {c.type for c in p.children}) for p in parts]


def shape_of(source):
    """Blocks of some Markdown in their order, without what is in them."""
    return [token.type for token in markdown.parse(source) if token.type != "inline"]


def line_of(text):
    return " ".join(one_line(text).split())


def front_of(text):
    return yaml.safe_load(text.split("---\n", 2)[1])


def addresses_in(source):
    """Where links and pictures lead, in their order."""
    children = [child for token in markdown.parse(source) for child in token.children or ()]
    return [child.attrs.get("href", child.attrs.get("src")) for child in children if child.attrs]


def tables_in(source):
    """Rows of cells, as text, of each table."""
    tables, row = [], []
    for token in markdown.parse(source):
        if token.type == "table_open":
            tables.append([])
        elif token.type == "tr_open":
            row = []
            tables[-1].append(row)
        elif token.type == "inline" and row is not None and token.level >= 4:
            row.append("".join(child.content for child in token.children))
    return tables


# Markdown


@given(st.text(max_size=60))
def test_any_text_stands_in_a_line_of_markdown_as_it_is(text):
    shown = plain(text)
    assert "\n" not in shown
    expected = [(line_of(text), {"text"})] if line_of(text) else []
    assert texts_of(shown) == expected
    assert texts_of(f"- {shown}") == expected


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("shown", [plain, code])
def test_hostile_text_stands_in_a_table_as_it_is(text, shown):
    (rows,) = tables_in(table(["what", "count"], [[shown(text), 1234], ["x", 2]]))
    assert rows == [["what", "count"], [line_of(text), "1,234"], ["x", "2"]]


# The whole card


def hostile_configs(folder, text):
    """A config whose source, notes and labels are a hostile text."""
    rows = [
        row_of(n, model=text if n % 2 else "lexical-writer/x", topics=[text]) for n in range(20)
    ]
    schema = columns.slice_schema("v0_4_core")
    return [staged(folder, "own", schema, rows, source=text, notes=(text, "fine"))]


def figure_of(text):
    return Figure("own", text, text, b"", b"picture", ("label", text), ((text, 1),), text)


def foreign_of(text):
    """Labels of every facet that were imported from a vocabulary of a hostile name."""
    return [ForeignLabels(facet, text, text, text, 3, 5, text, {text: 1}) for facet in SLOTS]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_of_vocabularies_change_nothing_of_the_cards_shape(tmp_path, text):
    configs = hostile_configs(tmp_path, "harmless")
    own, other = (
        card("harmless", configs, {}, {}, foreign=foreign_of(name)) for name in (text, "harmless")
    )
    assert front_of(own) == front_of(other)
    assert addresses_in(own) == addresses_in(other)
    notes, others = (caveats(configs, foreign_of(name)) for name in (text, "harmless"))
    for mine, harmless in ((own.split("---\n", 2)[2], other.split("---\n", 2)[2]), (notes, others)):
        if line_of(text):
            assert shape_of(mine) == shape_of(harmless)
        kinds = set().union(*(found for _, found in texts_of(mine)))
        assert not kinds & {"html_inline", "s_open"}
        assert not any("html_block" in kind for kind in shape_of(mine))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_sources_notes_and_labels_change_nothing_of_the_cards_shape(tmp_path, text):
    named = hostile_configs(tmp_path / "a", text)
    harmless = hostile_configs(tmp_path / "b", "harmless")
    own = card(text, named, {}, {}, [figure_of(text)])
    other = card("harmless", harmless, {}, {}, [figure_of("harmless")])
    assert front_of(own)["configs"] == front_of(other)["configs"]
    assert front_of(own).keys() == front_of(other).keys()
    assert shape_of(own.split("---\n", 2)[2]) == shape_of(other.split("---\n", 2)[2])
    assert addresses_in(own) == addresses_in(other)
    assert shape_of(caveats(named)) == shape_of(caveats(harmless))
    for source in (own, caveats(named)):
        kinds = set().union(*(found for _, found in texts_of(source.split("---\n", 2)[-1])))
        assert not kinds & {"html_inline", "s_open"}
        assert not any("html_block" in kind for kind in shape_of(source))
    assert line_of(text) in [found for found, _ in texts_of(caveats(named))]


@pytest.mark.parametrize("name", ["on", "1e5", "123", "0x1f", "1.0", "null", "a---", "a.b", "0-1"])
def test_a_config_of_any_name_is_loaded_by_it(tmp_path, name):
    own = written(tmp_path / "staged", name)
    folder = tmp_path / "release"
    manifest = write_release("own", [own], folder, aliases={f"{name}-again": name})
    check_card(folder, manifest)
    for wanted in (name, f"{name}-again"):
        loaded = datasets.load_dataset(
            str(folder), wanted, split="test", cache_dir=str(tmp_path / "cache")
        )
        assert len(loaded) == own.rows("test")


def test_a_second_name_has_the_same_files_and_features(tmp_path):
    source = written(tmp_path / "staged")
    searched = corpus(tmp_path / "staged", source)
    folder = tmp_path / "release"
    aliases = {"lcc_retrieval-corpus": searched.name, "form_retrieval-corpus": searched.name}
    manifest = write_release("own", [source, searched], folder, aliases=aliases)
    check_card(folder, manifest)
    front, prose = Release(folder).card()
    infos = {info.pop("config_name"): info for info in front["dataset_info"]}
    files = {entry["config_name"]: entry["data_files"] for entry in front["configs"]}
    assert list(infos) == [source.name, searched.name, *aliases]
    for alias in aliases:
        assert infos[alias] == infos[searched.name]
        assert files[alias] == files[searched.name]
    assert [[alias, own] for alias, own in aliases.items()] in [t[1:] for t in tables_in(prose)]


@pytest.mark.parametrize("make", [written, books, lcshbench, records])
def test_a_release_of_one_config_of_any_origin_is_whole(tmp_path, make):
    folder = tmp_path / "release"
    manifest = write_release("one", [make(tmp_path / "staged")], folder)
    check_files(folder, manifest)
    check_card(folder, manifest)
    assert {"README.md", "CAVEATS.md", "CITATION.cff", "croissant.json", "eval.yaml"} < set(
        manifest.other_files
    )


def test_the_table_of_configs_has_the_rows_of_the_files(small_release):
    release = Release(small_release)
    manifest = release.manifest
    (rows,) = [
        t[1:] for t in tables_in(release.card()[1]) if t[0][0] == "config" and "rows" in t[0][1]
    ]
    counted = {}
    for file in manifest["data_files"].values():
        key = file["config"], file["split"]
        counted[key] = counted.get(key, 0) + file["rows"]
    assert {row[0]: row[2:5] for row in rows} == {
        name: [f"{counted[name, split]:,}" for split in ("train", "validation", "test")]
        for name in manifest["configs"]
    }
    assert [row[5] for row in rows] == [own["source"] for own in manifest["configs"].values()]


def test_every_note_of_a_build_stands_in_the_caveats(small_release):
    shown = [text for text, _ in texts_of((small_release / "CAVEATS.md").read_text("utf-8"))]
    for config in Release(small_release).manifest["configs"].values():
        assert set(config["notes"]) <= set(shown)


def test_the_same_configs_give_the_same_bytes(tmp_path):
    configs = [written(tmp_path / "staged"), books(tmp_path / "staged")]
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        write_release("same", configs, folder)
    names = sorted(path.relative_to(first) for path in first.rglob("*") if path.is_file())
    assert Path("figures/length.csv") in names
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_every_column_of_a_built_config_has_a_meaning():
    schemas = [value for value in vars(columns).values() if isinstance(value, pa.Schema)]
    schemas += [columns.pooled_schema(), columns.written_schema(), LCSHBENCH, CATALOGUE]
    names = {name for schema in schemas for name in schema.names}
    provenance = columns.GUTENBERG.field("provenance").type
    names |= {provenance.field(number).name for number in range(provenance.num_fields)}
    assert names - meanings().keys() == set()
    assert all(text and one_line(text) == text for text in meanings().values())


# Where the documents come from


def test_origins_are_told_by_columns_and_writers(tmp_path):
    assert origins_of(written(tmp_path / "1")) == ("composed",)
    assert origins_of(written(tmp_path / "2", models=["gpt-5.2"])) == ("generated",)
    seeds = {"specifications": 42, "split": 42}
    assert origins_of(written(tmp_path / "21", models=["m"], seeds=seeds)) == ("written",)
    assert origins_of(written(tmp_path / "22", seeds=seeds)) == ("composed",)
    both = written(tmp_path / "3", models=["gpt-5.2", "lexical-writer/birch"])
    assert origins_of(both) == ("composed", "generated")
    assert origins_of(books(tmp_path / "4")) == ("books",)
    assert origins_of(lcshbench(tmp_path / "5")) == ("lcshbench",)
    assert origins_of(records(tmp_path / "6")) == ("records",)
    every = [books(tmp_path / "7"), records(tmp_path / "8"), both]
    assert origins_in(every) == ("composed", "generated", "books", "records")


@pytest.mark.parametrize("counted", [(*COUNTED, "source_config"), ()])
def test_a_document_in_a_slice_and_in_the_pool_counts_once(tmp_path, counted):
    first, second = written(tmp_path, "default"), written(tmp_path, "v0_4_core", rows=15)
    rows = [row_of(n, model="m", source_config="default") for n in range(40)]
    rows += [row_of(n, model="m", source_config="v0_4_core") for n in range(40, 54)]
    pool = staged(tmp_path, "all", columns.pooled_schema(), rows, counted=counted)
    assert distinct_documents([pool, first, second]) == 54
    assert distinct_documents([first, second]) == 55
    assert distinct_documents([pool, first, second, books(tmp_path)]) == 74


@pytest.mark.parametrize(
    ("make", "licence", "language", "annotations", "source"),
    [
        (written, "cc-by-4.0", "machine-generated", "machine-generated", "original"),
        (books, "cc-by-4.0", "found", "found", "original"),
        (lcshbench, "cc-by-4.0", "found", "expert-generated", "extended|kltng/lcshbench"),
        (records, "other", "found", "found", "original"),
    ],
)
def test_the_yaml_tells_licence_and_makers(tmp_path, make, licence, language, annotations, source):
    front = yaml.safe_load(front_matter([make(tmp_path)], {}, {}))
    assert front["license"] == licence
    assert front["language_creators"] == [language]
    assert front["annotations_creators"] == [annotations]
    assert front["source_datasets"] == [source]
    assert front["size_categories"] == ["n<1K"]


def test_the_yaml_tells_the_languages_that_the_records_name(tmp_path):
    configs = [records(tmp_path), books(tmp_path)]
    assert yaml.safe_load(front_matter(configs[:1], {}, {}))["language"] == ["en", "ger"]
    assert yaml.safe_load(front_matter(configs[1:], {}, {}))["language"] == "en"
    unnamed = staged(tmp_path, "own", CATALOGUE, [row_of(number) for number in range(20)])
    assert "language" not in yaml.safe_load(front_matter([unnamed], {}, {}))


def test_imported_text_names_its_source_and_its_author(tmp_path):
    imported = written(tmp_path, models=["gpt-5.2"])
    assert (
        "extended|mjbommar/SHELF"
        in yaml.safe_load(front_matter([imported], {}, {}))["source_datasets"]
    )
    people = yaml.safe_load(citation("x", [imported]))["authors"]
    assert {"family-names": "Bommarito", "given-names": "M. J.", "name-suffix": "II"} in people


# Citation


def _check_citation(value, kind):
    """The demands of the Citation File Format 1.2.0 on the keys that are used."""
    assert value["cff-version"] == "1.2.0"
    assert value["type"] == kind
    assert all(isinstance(value[key], str) and value[key] for key in ("title", "message"))
    assert value["authors"]
    known = {
        "cff-version", "type", "title", "message", "abstract", "authors", "license", "keywords",
        "preferred-citation", "references",
    }  # fmt: skip
    assert value.keys() <= known
    assert len(set(value["keywords"])) == len(value["keywords"])
    (paper,) = [*value.get("references", []), *filter(None, [value.get("preferred-citation")])]
    assert {"type", "title", "authors"} <= paper.keys()
    assert paper["authors"][0]["family-names"] == "Bommarito"
    assert paper["year"] == 2026
    assert paper["identifiers"][0]["value"] == "arXiv:2609.03047"
    assert paper["identifiers"][0]["type"] == "other"


@pytest.mark.parametrize("name", ["own", *HOSTILE, "x" * 5000, "\ud800"])
def test_the_citation_of_a_release_of_any_name_is_valid(tmp_path, name):
    value = yaml.safe_load(citation(name, [written(tmp_path)]))
    _check_citation(value, "dataset")
    assert value["title"] == one_line(f"SHELF: {name}", 300)
    assert value["license"] == "CC-BY-4.0"


def test_no_licence_is_given_to_a_librarys_own_records(tmp_path):
    assert "license" not in yaml.safe_load(citation("x", [records(tmp_path)]))


def test_the_citation_of_the_software_is_valid():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    _check_citation(yaml.safe_load(text), "software")


# Tasks for the Hub


def test_each_task_for_the_hub_is_scored_and_its_config_has_labels(tmp_path):
    slices = [written(tmp_path, "default"), written(tmp_path, "v0_4_core")]
    rows = [row_of(n, model="m", source_config=("default", "v0_4_core")[n % 2]) for n in range(40)]
    pool = staged(tmp_path, "all", columns.pooled_schema(), rows)
    natural = books(tmp_path)
    configs = [
        pool,
        *slices,
        natural,
        pairs(tmp_path, pool),
        pairs(tmp_path, natural, "transfer_gutenberg_same_lcc_pairs"),
    ]
    value = yaml.safe_load(evaluation(configs))
    assert list(value) == ["name", "description", "evaluation_framework", "tasks"]
    assert value["evaluation_framework"] == "mteb"
    assert all(list(entry) == ["id", "config", "split"] for entry in value["tasks"])
    found = {entry["id"]: entry["config"] for entry in value["tasks"]}
    assert len(found) == len(value["tasks"])
    by_name = {config.name: config for config in configs}
    for identity, config in found.items():
        task = load_tasks()[identity.split(".")[0]]
        assert task.available
        assert not task.control
        assert task.label_field in by_name[config].info.schema.names
        assert "test" in by_name[config].splits
    assert "default" not in found.values()
    assert found["lcc_classification.all"] == "all"
    assert found["lcc_classification.v0_4_core"] == "v0_4_core"
    assert found["same_lcc_pairs.all"] == "same_lcc_pairs"
    assert found["same_lcc_pairs.transfer_gutenberg"] == "transfer_gutenberg_same_lcc_pairs"
    # A passage has no category, and all written documents here have the same register.
    assert "lcgft_category_classification.transfer_gutenberg" not in found
    assert "register_classification.all" not in found


def test_without_jinja_the_user_is_told_what_to_install(monkeypatch):
    templates._environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ShelfError, match="pip install"):
        templates.require_templates()
    monkeypatch.undo()
    templates.require_templates()
