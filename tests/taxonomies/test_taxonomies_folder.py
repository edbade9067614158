"""An imported facet in a taxonomy's folder: what load_taxonomy gives, and what a writer makes."""

from __future__ import annotations

import csv
import filecmp
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from typer.testing import CliRunner

from builders.draws import Draws
from builders.gates.verdict import judge
from builders.specifications import draw_block
from builders.taxonomies.finding import LabelFinder
from builders.taxonomies.folder import IMPORTED
from builders.taxonomies.form import Facet
from builders.taxonomies.importing import imports_of
from builders.writers.derived_words import lexicon_for, phrases_of, vocabulary_of
from builders.writers.lexical import lexical_writers
from builders.writers.lexicon import load_lexicon, slots_of
from evaluate_shelf.cli.taxonomy import taxonomy as cli
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry import load_taxonomy
from evaluate_shelf.registry.taxonomy import taxonomy_folder

Imported = Callable[..., tuple[Path, dict[str, Any]]]
OWN = load_taxonomy()
FILE_OF_FACET = {
    "subject": {"lcc.yaml", "topics.yaml"},
    "forms": {"lcgft.yaml", "glosses.yaml"},
    "topics": {"topics.yaml", "glosses.yaml"},
    "places": {"geographic.yaml"},
    "audience": {"audience.yaml"},
    "register": {"register.yaml"},
}


@pytest.mark.parametrize("facet", get_args(Facet))
def test_every_facet_loads_and_the_others_are_copies(
    facet: str, crafts: Path, imported: Imported
) -> None:
    out, record = imported(crafts, "skos", facet)
    load_taxonomy(out)
    base = taxonomy_folder()
    for file in base.iterdir():
        if file.name not in FILE_OF_FACET[facet]:
            assert filecmp.cmp(file, out / file.name, shallow=False), file.name
    kept = json.loads((out / IMPORTED).read_text(encoding="utf-8"))["imports"]
    assert kept == [record] == imports_of(out)
    assert record["facet"] == facet
    assert record["counts"] == {kind: len(own) for kind, own in record["cases"].items()}
    assert record["counts"]["left out: deprecated"] == 2


def test_the_subject_facet(crafts: Path, imported: Imported) -> None:
    out, record = imported(crafts, "skos", "subject")
    own = load_taxonomy(out)
    assert [(row.code, row.name, row.uri) for row in own.classes] == [
        ("10", "Textile crafts", "http://example.org/crafts/c10"),
        ("20", "Woodcraft", "http://example.org/crafts/c20"),
        ("30", "Metalwork", "http://example.org/crafts/c30"),
        ("40", "Ceramics and glass", "http://example.org/crafts/c40"),
        ("50", "Paper crafts", "http://example.org/crafts/c50"),
    ]
    described = {row.name: row.description for row in own.classes}
    assert described["Textile crafts"] == (
        "Ways of making cloth from fibres, and of shaping and adorning it."
    )
    assert described["Woodcraft"] == "Shaping of timber with edge tools, turning and joining it."
    assert "pottery, glassblowing" in described["Ceramics and glass"]
    assert "Weaving" in own.classes[0].narrower
    assert all(set(own.topics_of_class(row.code)) == set(OWN.topics) for row in own.classes)
    assert record["labels"] == 5
    assert record["counts"]["description: own or neighbouring label removed"] == 3


def test_a_deeper_level_of_subjects(crafts: Path, imported: Imported) -> None:
    own = load_taxonomy(imported(crafts, "skos", "subject", level=2)[0])
    names = {row.name: row for row in own.classes}
    assert len(names) == 28
    assert names["Weaving"].narrower == ("Tapestry", "Carpets", "Loom work")
    finder = LabelFinder((name, name) for name in names)
    for row in own.classes:
        if row.description != row.name:
            assert not [one for one in finder.places(row.description) if one.id == row.name]
    assert names["Lace"].description == "Lace"
    assert len({row.code for row in own.classes}) == 28


def test_topics_under_classes_of_the_same_vocabulary(crafts: Path, imported: Imported) -> None:
    first, _ = imported(crafts, "skos", "subject", "first")
    out, _ = imported(crafts, "skos", "topics", "second", base=first)
    own = load_taxonomy(out)
    assert set(own.domains) == {row.name for row in own.classes}
    assert own.topics_of_class("30") == (
        "Blacksmithing",
        "Jewellery",
        "Enamelling",
        "Casting",
        "Engraving",
    )
    # Two levels down, and in two domains.
    assert {"Tapestry", "Carpets"} <= set(own.topics_of_class("10"))
    assert "Basketry" in own.topics_of_class("20")
    assert "Basketry" in own.topics_of_class("50")
    assert own.topic_glosses["Carpets"] == "thick floor coverings, such as rugs and mats"
    assert "Lace" not in own.topic_glosses
    assert own.narrower_of_topic["Weaving"] == ("Tapestry", "Carpets", "Loom work")
    assert [one["facet"] for one in imports_of(out)] == ["subject", "topics"]
    again, _ = imported(crafts, "skos", "topics", "third", base=out)
    assert [one["facet"] for one in imports_of(again)] == ["subject", "topics"]


def test_topics_beside_shelf_s_classes(crafts: Path, imported: Imported) -> None:
    own = load_taxonomy(imported(crafts, "skos", "topics")[0])
    assert own.classes == OWN.classes
    assert all(len(own.topics_of_class(row.code)) == len(own.topics) for row in own.classes)
    assert own.form_glosses == OWN.form_glosses


def test_forms_have_categories_layouts_and_glosses(imported: Imported) -> None:
    text = (
        "label\tid\tbroader\tdescription\n"
        "Writings\t1\t\tWritings of all kinds put on paper by hand or press.\n"
        "poetry\t2\t1\tLines set to a measure.\n"
        "Ledgers\t3\t1\t\n"
        "Signs\t4\t\tBoards with words beside a road.\n"
    )
    own = load_taxonomy(imported(text, "tsv", "forms")[0])
    assert {row.name: row.forms for row in own.categories} == {
        "Writings": ("poetry", "Ledgers"),
        "other": ("Signs",),
    }
    assert own.output_format("poetry", "Writings") == "verse"
    assert own.output_format("Ledgers", "Writings") == "plain_prose"
    assert own.form_glosses["poetry"] == "lines set to a measure"
    assert own.form_glosses["Ledgers"] == "Ledgers"


def test_places_keep_their_regions_or_get_those_of_the_vocabulary(imported: Imported) -> None:
    flat = load_taxonomy(imported("label\nFrance\nNarnia\n", "tsv", "places", "flat")[0])
    assert [(row.name, row.kind, row.region) for row in flat.places] == [
        ("France", "country", "Europe"),
        ("Narnia", "place", None),
    ]
    text = "label\tbroader\nEurope\t\nFrance\tEurope\nLyon\tFrance\nAtlantis\t\n"
    own = load_taxonomy(imported(text, "tsv", "places", "deep")[0])
    assert own.regions == ("Europe",)
    assert [(row.name, row.kind, row.region) for row in own.places] == [
        ("Europe", "region", "Europe"),
        ("France", "country", "Europe"),
        ("Lyon", "place", "Europe"),
        ("Atlantis", "place", None),
    ]


def test_audiences_and_registers(imported: Imported) -> None:
    text = "label\tdescription\nPlain\tShort words.\n1st person\tI and we.\nÉcrit\t\nplain!\t\n"
    own = load_taxonomy(imported(text, "tsv", "register", "r")[0])
    assert [row.id for row in own.registers] == ["plain", "r_1st_person", "ecrit", "plain_2"]
    assert sum(row.weight for row in own.registers) == pytest.approx(1)
    readers = load_taxonomy(imported(text, "tsv", "audience", "a")[0])
    assert readers.audiences == ("Plain", "1st person", "Écrit", "plain!")
    assert readers.audience_none_probability == OWN.audience_none_probability


def test_codes_that_yaml_could_take_for_something_else(imported: Imported) -> None:
    text = (
        "label\tnotation\nA\t004\nB\tno\nC\t1e3\nD\t2021-08-30\nE\t004\nF\ta/b\n{braces}: #x\t~\n"
    )
    own = load_taxonomy(imported(text, "tsv", "subject")[0])
    assert [row.code for row in own.classes][:4] == ["004", "no", "1e3", "2021-08-30"]
    assert len({row.code for row in own.classes}) == 7
    assert own.classes[-1].name == "{braces}: #x"


def test_the_written_concepts_import_again_to_the_same(crafts: Path, imported: Imported) -> None:
    first, _ = imported(crafts, "skos", "subject", "first")
    second, _ = imported(first / "concepts_subject.tsv", "tsv", "subject", "second")
    assert (first / "lcc.yaml").read_bytes() == (second / "lcc.yaml").read_bytes()
    assert (first / "concepts_subject.tsv").read_bytes() == (
        second / "concepts_subject.tsv"
    ).read_bytes()


def test_the_same_file_gives_the_same_bytes(crafts: Path, imported: Imported) -> None:
    first, _ = imported(crafts, "skos", "topics", "first", most=9)
    second, _ = imported(crafts, "skos", "topics", "second", most=9)
    names = sorted(file.name for file in first.iterdir())
    assert names == sorted(file.name for file in second.iterdir())
    for name in names:
        assert (first / name).read_bytes() == (second / name).read_bytes()
    assert len(load_taxonomy(first).topics) == 9


def test_under_and_language(crafts: Path, imported: Imported) -> None:
    own = load_taxonomy(imported(crafts, "skos", "subject", language="fi", under="30")[0])
    assert [row.name for row in own.classes] == [
        "Seppyys",
        "Korut",
        "Emalointi",
        "Valu",
        "Kaiverrus",
    ]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("label\nonly\n", {}, "a subject facet needs two"),
        ("label\na\nb\n", {"level": 2}, "0 concept on level 2"),
        ("label\na\nb\n", {"level": 0}, "--level 0"),
        ("label\na\nb\n", {"most": 0}, "--most 0"),
        ("label\na\nb\n", {"scheme": "x"}, "--scheme has no meaning"),
        ("label\na\nb\n", {"language": "english please"}, "--lang"),
        ("label\n-\n...\n", {}, "no concept is left"),
        ("label\tbroader\na\tb\nb\ta\n", {}, "lie above themselves: "),
    ],
)
def test_what_cannot_be_a_facet_is_refused_and_nothing_written(
    text: str, options: dict[str, Any], message: str, imported: Imported, tmp_path: Path
) -> None:
    with pytest.raises(ShelfError, match=message):
        imported(text, "tsv", "subject", **options)
    assert [file.name for file in tmp_path.iterdir() if "vocab" not in file.name] == []


def test_only_an_imported_folder_is_replaced(
    crafts: Path, imported: Imported, tmp_path: Path
) -> None:
    out, _ = imported(crafts, "skos", "topics")
    imported(crafts, "skos", "subject")
    assert load_taxonomy(taxonomy_folder(out)) is not None
    assert [one["facet"] for one in imports_of(out)] == ["subject"]
    assert not (out / "concepts_topics.tsv").exists()
    (out / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(ShelfError, match=r"mine\.txt"):
        imported(crafts, "skos", "subject")
    assert (out / "mine.txt").is_file()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ShelfError, match="no folder"):
        imported(crafts, "skos", "subject", "file")
    with pytest.raises(ShelfError, match="choose another --out"):
        imported(crafts, "skos", "topics", base=out)


def test_a_base_that_is_no_taxonomy_is_refused(
    crafts: Path, imported: Imported, tmp_path: Path
) -> None:
    with pytest.raises(ShelfError, match="no such folder"):
        imported(crafts, "skos", "subject", base=tmp_path / "none")
    with pytest.raises(ShelfError, match=r"lcc\.yaml"):
        imported(crafts, "skos", "subject", base=tmp_path)
    first, _ = imported(crafts, "skos", "subject", "first")
    (first / IMPORTED).write_text("[]", encoding="utf-8")
    with pytest.raises(ShelfError, match="damaged"):
        imported(crafts, "skos", "topics", base=first)


def test_a_taxonomy_folder_and_the_folder_above_it_are_the_same(
    crafts: Path, imported: Imported
) -> None:
    out, _ = imported(crafts, "skos", "subject", "release/taxonomy")
    assert load_taxonomy(out) is load_taxonomy(out.parent)


def test_the_command_reports_and_refuses_without_a_traceback(crafts: Path, tmp_path: Path) -> None:
    arguments = ["import", str(crafts), "--format", "skos", "--facet", "topics"]
    run = CliRunner().invoke(cli, [*arguments, "--out", str(tmp_path / "t"), "--json"])
    assert run.exit_code == 0, run.output
    assert json.loads(run.stdout)["labels"] == 30
    (tmp_path / "bad.ttl").write_text("no", encoding="utf-8")
    arguments[1] = str(tmp_path / "bad.ttl")
    run = CliRunner().invoke(cli, [*arguments, "--out", str(tmp_path / "u")])
    assert isinstance(run.exception, ShelfError)
    assert not (tmp_path / "u").exists()


def test_the_lexicon_of_shelf_s_own_taxonomy_is_the_hand_made_one() -> None:
    assert lexicon_for(OWN) is load_lexicon()


def test_known_labels_keep_their_words_and_codes_of_another_scheme_do_not(
    imported: Imported,
) -> None:
    text = "label\tnotation\tdescription\nAgriculture\tA\tFields, herds and barns.\nLaw\tK\t\n"
    own = load_taxonomy(imported(text, "tsv", "subject", "s")[0])
    words = lexicon_for(own)
    assert words.classes["A"].things[:3] == ("fields", "herds", "barns")
    assert words.classes["K"] == load_lexicon().classes["K"]
    topics = load_taxonomy(imported("label\nECONOMICS\nalmanacs\n", "tsv", "topics", "t")[0])
    words = lexicon_for(topics)
    assert words.topics["ECONOMICS"] == load_lexicon().topics["Economics"]
    assert words.topics["almanacs"].things[0] == "almanacs"


def test_derived_words_are_the_same_each_time_and_differ_between_labels() -> None:
    first = vocabulary_of("Botany", "Mosses and ferns.", ["Fungi"])
    assert first == vocabulary_of("Botany", "Mosses and ferns.", ["Fungi"])
    assert set(first.things) & set(vocabulary_of("Law", "Courts and writs.").things) == set()
    for own in (first, vocabulary_of("x", ""), vocabulary_of("{", "{}", ["{thing}"])):
        assert min(map(len, (own.things, own.people, own.actions))) >= 2
        assert not any(slots_of(term) for terms in own for term in terms[1])
    assert phrases_of("") == []


def _written(folder: Path, count: int) -> list[tuple[Any, Any, Any]]:
    own = load_taxonomy(folder)
    writers = lexical_writers(lexicon_for(own), own)
    lengths = {row.id: row for row in own.lengths}
    found = []
    for number, spec in enumerate(draw_block(own, block_id="b", seed=7, size=count)):
        document = Draws(7, number).choice(writers).write(spec, 7)
        found.append((spec, document, judge(document, spec, lengths[spec.target_length])))
    return found


def test_two_hundred_documents_from_a_foreign_taxonomy(crafts: Path, imported: Imported) -> None:
    folder = None
    for facet in get_args(Facet):
        folder, _ = imported(crafts, "skos", facet, facet, base=folder)
    assert folder is not None
    written = _written(folder, 200)
    assert {spec.lcc_name for spec, *_ in written} == {
        row.name for row in load_taxonomy(folder).classes
    }
    assert sum(verdict.qc_passed for *_, verdict in written) >= 190
    for spec, document, _ in written:
        assert "{" not in document.body + document.title
        assert spec.lcc_name != ""
    again = _written(folder, 20)
    assert [one[1] for one in again] == [one[1] for one in written[:20]]


@pytest.mark.skipif("SHELF_TEST_DATA" not in os.environ, reason="SHELF_TEST_DATA is not set")
def test_two_hundred_documents_from_yso(imported: Imported) -> None:
    data = Path(os.environ["SHELF_TEST_DATA"]) / "natural/subject_indexing/yso_finna_en"
    file = data / "yso_labels_en.tsv"
    first, _ = imported(file, "tsv", "subject", "first", most=12)
    folder, record = imported(file, "tsv", "topics", "second", most=500, base=first)
    assert record["labels"] == 500
    with (folder / "concepts_topics.tsv").open(encoding="utf-8", newline="") as stream:
        known = {
            row["label"] for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        }
    own = load_taxonomy(folder)
    assert set(own.topics) <= known
    assert len(own.classes) == 12
    written = _written(folder, 200)
    assert sum(verdict.qc_passed for *_, verdict in written) >= 190
