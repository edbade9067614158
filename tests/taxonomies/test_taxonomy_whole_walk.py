"""From a library's vocabulary to scores on documents with its labels, by the commands alone."""

from __future__ import annotations

import csv
import json
import os
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import town_library
import yaml
from marc_samples import book, utf8
from shelf_process import Shelf, shelf_in

from builders.orders import orders_of
from builders.plan.design import design_of
from builders.taxonomies.foreign import SLOTS, foreign_labels
from builders.taxonomies.form import Facet
from builders.taxonomies.importing import ImportRequest, import_taxonomy
from evaluate_shelf.aggregate.registry_entries import label_entries
from evaluate_shelf.application import apply_run
from evaluate_shelf.application.request import Request
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.regions import regions_of
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run, load_runs
from evaluate_shelf.transfer_matrix.corpora import corpora_named

CONFIG = "v0_4_core"
TASK = "lcc_classification"
DATA = "SHELF_TEST_DATA"
OWN = load_taxonomy()
COLUMNS = ("lcc_name", "topics", "geographic", "lcgft_form", "audience", "register")


@dataclass(frozen=True)
class Walk:
    """What the walk left behind."""

    taxonomy: Path
    release: Path
    run: Run

    @property
    def labels(self) -> Taxonomy:
        return load_taxonomy(self.taxonomy)

    def split(self, split: str) -> pa.Table:
        return pq.read_table(sorted((self.release / "data" / CONFIG).glob(f"{split}-*.parquet")))

    @property
    def rows(self) -> list[dict[str, Any]]:
        splits = ("train", "validation", "test")
        return [row for split in splits for row in self.split(split).to_pylist()]

    @property
    def card(self) -> str:
        return (self.release / "README.md").read_text(encoding="utf-8")


def done(shelf: Shelf, *arguments: str | Path) -> str:
    run = shelf(*arguments)
    assert run.returncode == 0, run.stderr
    return run.stdout


def walked(shelf: Shelf, folder: Path, taxonomy: Path) -> Walk:
    """Plan, build, verify and evaluate with a taxonomy."""
    plan = json.loads(done(shelf, "plan", "standard", "--taxonomy", taxonomy, "--json"))
    assert plan["cells"]["classes"] == len(load_taxonomy(taxonomy).classes)
    release, runs = folder / "release", folder / "runs"
    done(
        shelf, "build", CONFIG, "--documents", "200", "--taxonomy", taxonomy, "--out", release
    )  # fmt: skip
    assert "whole" in done(shelf, "verify", release)
    done(shelf, "evaluate", "tfidf", "--data", release, "--runs", runs, "--no-rates")
    (run,) = load_runs(runs)
    return Walk(taxonomy, release, run)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """Classes and topics of one SKOS file in Turtle, places of one in RDF/XML."""
    folder = tmp_path_factory.mktemp("town")
    shelf = shelf_in(folder)
    classes, places = folder / "town.ttl", folder / "places.rdf"
    classes.write_text(town_library.TURTLE, encoding="utf-8")
    places.write_text(town_library.rdf_xml(), encoding="utf-8")
    base: list[str | Path] = []
    for facet, file in (("subject", classes), ("topics", classes), ("places", places)):
        out = folder / facet
        done(
            shelf, "taxonomy", "import", file, "--format", "skos", "--facet", facet, "--out", out,
            *base,
        )  # fmt: skip
        base = ["--base", out]
    return walked(shelf, folder, folder / "places")


@pytest.fixture(scope="module")
def yso(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    """Topics and classes of the General Finnish Ontology."""
    if DATA not in os.environ:
        pytest.skip(f"{DATA} is not set")
    file = Path(os.environ[DATA]) / "natural/subject_indexing/yso_finna_en/yso_labels_en.tsv"
    if not file.is_file():
        pytest.skip(f"{file.name} is not in {DATA}")
    folder = tmp_path_factory.mktemp("yso")
    shelf = shelf_in(folder)
    terms = ("--format", "tsv", "--name", "YSO", "--licence", "CC BY 4.0")
    done(
        shelf, "taxonomy", "import", file, *terms, "--facet", "subject", "--most", "8",
        "--out", folder / "subject",
    )  # fmt: skip
    done(
        shelf, "taxonomy", "import", file, *terms, "--facet", "topics",
        "--base", folder / "subject", "--out", folder / "topics",
    )  # fmt: skip
    return walked(shelf, folder, folder / "topics")


@pytest.fixture(params=["town", pytest.param("yso", marks=pytest.mark.slow)])
def walk(request: pytest.FixtureRequest) -> Walk:
    found: Walk = request.getfixturevalue(request.param)
    return found


def values(rows: list[dict[str, Any]], column: str) -> set[str]:
    found: set[str] = set()
    for row in rows:
        value = row[column]
        found.update(value if isinstance(value, list) else [value] if value is not None else [])
    return found


@pytest.mark.slow
def test_two_hundred_documents_are_written_and_nearly_all_kept(walk: Walk) -> None:
    report = json.loads((walk.release / "reports/gates.json").read_text(encoding="utf-8"))
    written = report["counts"]["in_all"]["written"]
    assert 200 <= written < 212
    assert 190 <= len(walk.rows) <= written


@pytest.mark.slow
def test_every_label_is_one_of_the_taxonomy_s(walk: Walk) -> None:
    rows, labels = walk.rows, walk.labels
    known = {
        "lcc_name": {row.name for row in labels.classes},
        "topics": set(labels.topics),
        "geographic": {row.name for row in labels.places},
        "lcgft_form": set(labels.forms),
        "audience": set(labels.audiences),
        "register": {row.id for row in labels.registers},
    }
    for column in COLUMNS:
        assert values(rows, column) <= known[column], column
    uris = {row.code: (row.name, row.uri) for row in labels.classes}
    assert all(uris[row["lcc_code"]] == (row["lcc_name"], row["lcc_uri"]) for row in rows)
    for row in rows:
        assert set(row["topics"]) <= set(labels.topics_of_class(row["lcc_code"]))


@pytest.mark.slow
def test_no_specification_is_on_two_sides(walk: Walk) -> None:
    sides: dict[str, set[str]] = defaultdict(set)
    for split in ("train", "validation", "test"):
        for spec in walk.split(split)["spec_id"].to_pylist():
            sides[spec].add(split)
    assert len(sides) >= 40
    assert max(map(len, sides.values())) == 1


@pytest.mark.slow
def test_datasets_loads_it_with_the_features_of_the_files(walk: Walk, tmp_path: Path) -> None:
    import datasets

    loaded = datasets.load_dataset(str(walk.release), CONFIG, cache_dir=str(tmp_path))
    for split, own in loaded.items():
        table = walk.split(split)
        assert own.features == datasets.Features.from_arrow_schema(table.schema)
        assert own.to_list() == table.to_pylist()


@pytest.mark.slow
def test_a_model_of_words_finds_the_class_better_than_by_chance(walk: Walk) -> None:
    score = walk.run.primary_scores()[TASK]
    # Of 10 specifications in the test split, so that an interval would say little.
    assert score["value"] > 1.5 * score["chance_level"] > 0
    skipped = {name: own.reason for name, own in walk.run.file.tasks.items() if own.reason}
    # The build had no pairs, and regions in each class are few.
    lacking = {name for name, why in skipped.items() if "has no pairs" in (why or "")}
    assert skipped.keys() - lacking <= {
        "geographic_clustering_conditional",
        "instruction_same_topic_diff_subject",
    }


@pytest.mark.slow
def test_the_card_says_whose_labels_stand_where(walk: Walk) -> None:
    foreign = foreign_labels(walk.taxonomy)
    card = walk.card
    front = yaml.safe_load(card.split("---\n")[1])
    assert front["license"] == ["cc-by-4.0", "other"]
    assert "library-of-congress" not in front["tags"]
    table = card.split("### Imported labels")[1].split("## Figures")[0]
    for own in foreign:
        row = next(line for line in table.splitlines() if f"`{own.slot.columns[0]}`" in line)
        for said in (own.vocabulary, own.uri, f"{own.labels:,}", *([own.licence or "ask"])):
            assert said in row
    lines = [line for line in card.splitlines() if line.startswith("| `lcc_")]
    assert len(lines) == 3
    for line in lines[::2]:
        assert foreign[0].vocabulary in line
    assert not any("Library of Congress" in line or "id.loc.gov" in line for line in lines)
    described = json.loads((walk.release / "croissant.json").read_text(encoding="utf-8"))
    assert foreign[0].vocabulary in described["description"]
    assert "Library of Congress Classification" not in described["keywords"]
    assert len(described["license"]) == 1 + len(foreign)
    caveats = (walk.release / "CAVEATS.md").read_text(encoding="utf-8")
    for own in foreign:
        for kind, count in own.counts.items():
            assert f"- {kind}: {count:,}" in caveats


@pytest.mark.slow
def test_the_town_library_s_labels(town: Walk) -> None:
    labels = town.labels
    assert {row.code: row.name for row in labels.classes} == town_library.CLASSES
    for code, topics in town_library.TOPICS.items():
        assert set(labels.topics_of_class(code)) == topics
    described = {row.code: row.description for row in labels.classes}
    assert described["S1"] == "Plots of soil that are dug, planted and weeded."
    assert described["S2"] == "Rooms with stoves and pans where meals are made."
    assert described["S3"] == "Benches, lathes and mended tools."
    assert described["S5"] == "Lace"
    subject, topics, places = foreign_labels(town.taxonomy)
    assert (subject.uri, subject.licence) == (town_library.SCHEME, town_library.LICENCE)
    assert (topics.uri, topics.licence) == (subject.uri, subject.licence)
    assert (places.uri, places.licence) == ("https://library.example/places/", "")
    counted = {kind.split(":")[1].split(",")[0].strip(): n for kind, n in subject.counts.items()}
    assert counted["deprecated"] == counted["no label in the language"] == 1


@pytest.mark.slow
def test_regions_are_those_of_the_vocabulary(town: Walk) -> None:
    release = Release.open(town.release)
    region_of = {
        place: region
        for region, places in town_library.REGIONS.items()
        for place in (region, *places)
    }
    documents = release.documents(CONFIG, "train")
    for row, region in zip(
        town.split("train").to_pylist(), regions_of(documents, release.taxonomy), strict=True
    ):
        expected = {region_of[place] for place in row["geographic"]}
        assert region == (expected.pop() if expected else None)
    assert town.run.file.tasks["geographic_clustering"].status == "done"


@pytest.mark.slow
def test_class_names_of_an_aggregate_are_those_of_its_releases(town: Walk, tmp_path: Path) -> None:
    release = Release.open(town.release)
    entries, unread = label_entries([release])
    assert {own.code: own.name for own in entries} == town_library.CLASSES
    assert unread == []
    assert [own.name for own in label_entries([])[0]] == [row.name for row in OWN.classes]
    damaged = Release(tmp_path, release.manifest)
    entries, unread = label_entries([release, damaged])
    assert len(entries) == len(town_library.CLASSES)
    assert len(unread) == 1


@pytest.mark.slow
def test_a_region_that_was_changed_in_a_release_is_no_label(town: Walk, tmp_path: Path) -> None:
    manifest = Release.open(town.release).manifest
    for path in manifest.other_files:
        if path.startswith("taxonomy/"):
            copy = tmp_path / path
            copy.parent.mkdir(exist_ok=True)
            copy.write_bytes((town.release / path).read_bytes())
    assert Release(tmp_path, manifest).taxonomy == town.labels
    file = tmp_path / "taxonomy/geographic.yaml"
    changed = file.read_text().replace("region: Southern hundred", "region: Northern hundred", 3)
    file.write_text(changed)
    with pytest.raises(ShelfError, match=r"geographic\.yaml"):
        _ = Release(tmp_path, manifest).taxonomy


def test_a_circle_is_refused_by_name_and_nothing_is_written(tmp_path: Path) -> None:
    file = tmp_path / "town.ttl"
    file.write_text(town_library.TURTLE + town_library.CIRCLE, encoding="utf-8")
    with pytest.raises(ShelfError, match="Compost") as caught:
        import_taxonomy(ImportRequest(file, "skos", "subject", tmp_path / "out"))
    assert "Gardens" in str(caught.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("facet", get_args(Facet))
def test_a_plan_can_be_drawn_from_each_facet_by_itself(
    facet: Facet, crafts: Path, tmp_path: Path
) -> None:
    record = import_taxonomy(ImportRequest(crafts, "skos", facet, tmp_path / "out"))
    labels = load_taxonomy(tmp_path / "out")
    (foreign,) = foreign_labels(tmp_path / "out")
    assert (foreign.facet, foreign.labels) == (facet, record["labels"])
    for own in ("standard", "sample"):
        plan = load_plan(own)
        sized = plan.sized(300, list(plan.slices)[:1])
        small = sized.model_copy(
            update={"slices": {name: sized.slices[name] for name in list(plan.slices)[:1]}}
        )
        design = design_of(small, labels, 42)
        assert design.documents >= 200
        specs = {order.spec for order in orders_of(small, labels, 42)}
        drawn = {
            "subject": {spec.lcc_name for spec in specs},
            "forms": {spec.lcgft_form for spec in specs},
            "topics": {topic for spec in specs for topic in spec.topics},
            "places": {place for spec in specs for place in spec.geographic},
            "audience": {spec.audience for spec in specs} - {None},
            "register": {spec.register for spec in specs},
        }
        for other, slot in SLOTS.items():
            assert drawn[other] <= set(slot.of(labels)), other
            if other != facet:
                assert set(slot.of(labels)) == set(slot.of(OWN))
        assert len(drawn[facet]) > 1
        assert not drawn[facet] & (set(SLOTS[facet].of(OWN)) - set(SLOTS[facet].of(labels)))


def test_labels_that_were_changed_by_hand_are_not_passed_off_as_shelf_s(
    crafts: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    import_taxonomy(ImportRequest(crafts, "skos", "topics", folder))
    file = folder / "audience.yaml"
    file.write_text(file.read_text().replace(OWN.audiences[0], "Lighthouse keepers"))
    foreign = {own.facet: own for own in foreign_labels(folder)}
    assert set(foreign) == {"topics", "audience"}
    assert (foreign["audience"].vocabulary, foreign["audience"].read) == ("", None)
    assert foreign_labels(None) == ()


@pytest.mark.parametrize("option", ["name", "licence"])
@pytest.mark.parametrize("text", ["", " \t", "x" * 500])
def test_a_name_or_licence_that_says_nothing_is_refused(
    crafts: Path, tmp_path: Path, option: str, text: str
) -> None:
    request = ImportRequest(crafts, "skos", "topics", tmp_path / "out", **{option: text})
    with pytest.raises(ShelfError, match=option):
        import_taxonomy(request)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_classes_too_thin_for_two_sides_are_counted_and_some_named(tmp_path: Path) -> None:
    """A thousand classes and fewer documents: few are left, and nothing that is too long to say."""
    from builders.build import build
    from builders.request import BuildRequest

    file = tmp_path / "many.tsv"
    rows = "".join(f"code-of-a-class-{n:04d}\tClass of number {n}\n" for n in range(1000))
    file.write_text(f"id\tlabel\n{rows}", encoding="utf-8")
    import_taxonomy(ImportRequest(file, "tsv", "subject", tmp_path / "labels"))
    plan = load_plan("standard").sized(800, [CONFIG])
    request = BuildRequest((CONFIG,), tmp_path / "out", "many", plan, taxonomy=tmp_path / "labels")
    manifest = build(request).manifest
    (note,) = (own for own in manifest.configs[CONFIG].notes if "two groups" in own)
    files = (tmp_path / "out/data" / CONFIG).glob("*.parquet")
    left = {code for file in files for code in pq.read_table(file)["lcc_code"].to_pylist()}
    assert "more" in note
    assert 2 <= len(left) < 100


@pytest.mark.slow
def test_records_get_names_of_imported_classes_and_no_marc_field(
    town: Walk, tmp_path: Path
) -> None:
    books, out = tmp_path / "books.mrc", tmp_path / "classes.csv"
    books.write_bytes(utf8(book("1", "Ferries, breakwaters and signal flags of old harbours")))
    request = Request(run=town.run.folder, records=[books], data=str(town.release))
    with pytest.raises(ShelfError, match="--marc"):
        apply_run(replace(request, marc=tmp_path / "copy.mrc"))
    assert not (tmp_path / "copy.mrc").exists()
    apply_run(replace(request, out=out))
    with out.open(encoding="utf-8", newline="") as stream:
        (row,) = csv.DictReader(stream)
    assert town_library.CLASSES[row["predicted_class"]] == row["class_name"]


@pytest.mark.slow
def test_corpora_in_which_a_code_is_another_class_are_in_no_transfer_matrix(
    town: Walk, tmp_path: Path
) -> None:
    from builders.build import build
    from builders.request import BuildRequest

    file = tmp_path / "other.tsv"
    file.write_text("id\tlabel\nS1\tSongs\nS2\tDances\n", encoding="utf-8")
    import_taxonomy(ImportRequest(file, "tsv", "subject", tmp_path / "labels"))
    plan = load_plan("standard").sized(100, [CONFIG])
    build(BuildRequest((CONFIG,), tmp_path / "out", "o", plan, taxonomy=tmp_path / "labels"))
    with pytest.raises(ShelfError, match="'S1'"):
        corpora_named([f"town={town.release}", f"other={tmp_path / 'out'}"])
    assert len(corpora_named([f"town={town.release}", f"again={town.release}"])) == 2
