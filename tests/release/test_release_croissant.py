"""`croissant.json` describes what is there, and the standard's own reader takes it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from release_forgery import sha256_of_bytes
from staged_releases import books, corpus, lcshbench, pairs, records, written

from builders.release.croissant import croissant
from builders.release.folder import write_release
from builders.staging import writing
from builders.taxonomies.foreign import SLOTS, ForeignLabels
from evaluate_shelf.release.manifest import DataFile

MINIMAL_RAI = {
    "rai:dataLimitations", "rai:dataBiases", "rai:personalSensitiveInformation",
    "rai:dataUseCases", "rai:dataSocialImpact", "rai:dataCollection", "rai:dataCollectionType",
    "rai:dataAnnotationProtocol", "rai:dataReleaseMaintenancePlan",
}  # fmt: skip


def croissant_of(folder):
    return json.loads((folder / "croissant.json").read_text(encoding="utf-8"))


@pytest.fixture(params=["small_release", "natural_release"])
def folder(request):
    return request.getfixturevalue(request.param)


@pytest.mark.usefixtures("no_network")
def test_croissant_json_is_valid(folder):
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    dataset = mlcroissant.Dataset(jsonld=folder / "croissant.json")
    issues = dataset.metadata.ctx.issues
    assert not issues.errors
    assert {file.id for file in dataset.metadata.distribution} == {
        path.relative_to(folder).as_posix() for path in (folder / "data").rglob("*.parquet")
    }


@pytest.mark.usefixtures("no_network")
@pytest.mark.parametrize("split", ["train", "validation"])
def test_records_can_be_read_through_croissant(small_release, split):
    """The reader checks each file's hash before it reads."""
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    dataset = mlcroissant.Dataset(jsonld=small_release / "croissant.json")
    name = f"same_lcc_pairs/{split}"
    path = small_release / "data" / f"{name}-00000-of-00001.parquet"
    assert _plain(dataset.records(name)) == pq.read_table(path).to_pylist()


@pytest.mark.usefixtures("no_network")
def test_structs_and_lists_are_read_with_their_parts(natural_release):
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    dataset = mlcroissant.Dataset(jsonld=natural_release / "croissant.json")
    name = "transfer_books/test"
    path = natural_release / "data" / f"{name}-00000-of-00001.parquet"
    assert _plain(dataset.records(name)) == pq.read_table(path).to_pylist()


def _plain(records):
    """Records with their columns' own names, and text in place of bytes."""

    def value_of(value):
        if isinstance(value, bytes):
            return value.decode("utf-8")
        if isinstance(value, dict):
            return {key.rsplit("/", 1)[1]: value_of(own) for key, own in value.items()}
        if isinstance(value, list):
            return [value_of(own) for own in value]
        # The reader has one number for what is not there.
        return None if value != value else value

    return [value_of(record) for record in records]


def _validated(path):
    """What `mlcroissant validate` says of a file, and whether it takes it."""
    pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    program = Path(sys.executable).with_name("mlcroissant")
    if not program.exists():
        pytest.skip("the program mlcroissant is not beside this Python")
    done = subprocess.run(
        [program, "validate", "--jsonld", path], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stderr


def test_the_validator_takes_a_built_release_without_a_warning(small_release):
    code, said = _validated(small_release / "croissant.json")
    assert code == 0, said
    assert not re.search(r"warning|error|recommended", said, re.IGNORECASE), said


def test_the_validator_takes_imported_labels_of_a_hostile_name(tmp_path):
    name = 'a "b" {vocabulary} | <i>\\'
    foreign = [ForeignLabels(facet, name, "x:y", "", 3) for facet in SLOTS]
    write_release("own", [written(tmp_path / "staged")], tmp_path / "release", foreign=foreign)
    code, said = _validated(tmp_path / "release" / "croissant.json")
    assert code == 0, said
    assert not re.search(r"warning|error|recommended", said, re.IGNORECASE), said
    value = croissant_of(tmp_path / "release")
    assert name in value["description"]
    assert len(value["license"]) == 1 + len(SLOTS)
    assert "Library of Congress" not in " ".join(value["rai:dataBiases"])


def test_the_validator_takes_configs_of_every_origin_and_several_files_a_split(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(writing, "_SHARD_BYTES", 1)
    monkeypatch.setattr(writing, "_ROWS_A_GROUP_OF_TEXT", 3)
    staging, folder = tmp_path / "staged", tmp_path / "release"
    source = written(staging)
    configs = [source, books(staging), lcshbench(staging), records(staging)]
    configs += [pairs(staging, source), corpus(staging, source)]
    aliases = {"lcc_retrieval-corpus": "v0_4_core-corpus"}
    write_release('a "release" | of <all>\\kinds', configs, folder, aliases=aliases)
    code, said = _validated(folder / "croissant.json")
    assert code == 0, said
    assert not re.search(r"warning|error|recommended", said, re.IGNORECASE), said

    value = croissant_of(folder)
    several = sorted((folder / "data" / source.name).glob("train-*.parquet"))
    assert len(several) > 1
    assert {record_set["@id"] for record_set in value["recordSet"]} == {
        f"{config.name}/{split}" for config in configs for split in config.splits
    }
    (record_set,) = [own for own in value["recordSet"] if own["@id"] == f"{source.name}/train"]
    (file_set,) = {field["source"]["fileSet"]["@id"] for field in record_set["field"]}
    (pattern,) = [own["includes"] for own in value["distribution"] if own["@id"] == file_set]
    assert sorted(folder.glob(pattern)) == several

    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    found = mlcroissant.Dataset(jsonld=folder / "croissant.json").records(f"{source.name}/train")
    ids = [row["id"] for path in several for row in pq.read_table(path).to_pylist()]
    assert sorted(row["id"] for row in _plain(found)) == sorted(ids)


@pytest.mark.parametrize(
    ("make", "is_synthetic"),
    [(written, True), (books, False), (lcshbench, False), (records, False)],
)
def test_each_origin_has_the_fields_of_responsible_ai(tmp_path, make, is_synthetic):
    value = json.loads(croissant("own", [make(tmp_path)], {}))
    assert value["conformsTo"] == [
        "http://mlcommons.org/croissant/1.1",
        "http://mlcommons.org/croissant/RAI/1.0",
    ]
    assert value["rai:hasSyntheticData"] is is_synthetic
    assert value.keys() >= MINIMAL_RAI
    for field in MINIMAL_RAI:
        texts = value[field] if isinstance(value[field], list) else [value[field]]
        assert texts
        assert all(text == " ".join(text.split()) and text for text in texts), field
    assert value["license"].startswith("https://creativecommons.org/") == (make is not records)


def test_the_same_release_is_described_by_the_same_bytes_whatever_the_order_of_its_files(tmp_path):
    configs = [written(tmp_path), books(tmp_path)]
    files = {
        f"data/{config.name}/{file.path.name}": DataFile(
            config=config.name, split=file.split, bytes=1, sha256="0" * 64, rows=file.rows,
            content_sha256="0" * 64, field_sha256={}, row_checks=None,
        )
        for config in configs
        for file in config.files
    }  # fmt: skip
    turned = dict(reversed(files.items()))
    assert croissant("own", configs, files) == croissant("own", configs, turned)


def test_hashes_and_sizes_are_those_of_the_files(folder):
    objects = croissant_of(folder)["distribution"]
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in (folder / "data").rglob("*.parquet")
    }
    assert {o["contentUrl"]: o["sha256"] for o in objects} == {
        path: sha256_of_bytes(content) for path, content in files.items()
    }
    for entry in objects:
        assert int(re.fullmatch(r"(\d+) B", entry["contentSize"])[1]) == len(
            files[entry["contentUrl"]]
        )


def test_every_config_and_split_has_a_record_set_with_its_columns(folder):
    sets = croissant_of(folder)["recordSet"]
    columns = {}
    for record_set in sets:
        (path,) = {field["source"]["fileObject"]["@id"] for field in record_set["field"]}
        columns[path] = [field["source"]["extract"]["column"] for field in record_set["field"]]
        assert record_set["@id"] == re.fullmatch(r"data/(.+)-\d+-of-\d+\.parquet", path)[1]
    assert columns == {
        path.relative_to(folder).as_posix(): pq.read_schema(path).names
        for path in (folder / "data").rglob("*.parquet")
    }


def test_types_are_those_of_the_columns(folder):
    for record_set in croissant_of(folder)["recordSet"]:
        for field in record_set["field"]:
            path = folder / field["source"]["fileObject"]["@id"]
            _check_type(field, pq.read_schema(path).field(field["name"]).type)


def _check_type(field, kind):
    if pa.types.is_struct(kind):
        assert "dataType" not in field
        parts = {part["name"]: part for part in field["subField"]}
        assert list(parts) == [kind.field(number).name for number in range(kind.num_fields)]
        for name, part in parts.items():
            assert part["source"]["transform"] == {"jsonPath": f"$.{name}"}
            _check_type(part, kind.field(name).type)
        return
    is_list = pa.types.is_list(kind)
    assert field.get("isArray", False) is is_list, field["@id"]
    assert field.get("arrayShape") == ("-1" if is_list else None), field["@id"]
    single = kind.value_type if is_list else kind
    expected = {
        pa.string(): "sc:Text", pa.int32(): "sc:Integer", pa.int64(): "sc:Integer",
        pa.float64(): "sc:Float", pa.bool_(): "sc:Boolean",
    }  # fmt: skip
    assert field["dataType"] == expected[single], field["@id"]


def test_keys_are_fields_whose_values_are_distinct(folder):
    for record_set in croissant_of(folder)["recordSet"]:
        fields = {field["@id"]: field for field in record_set["field"]}
        assert record_set["key"]
        keys = [fields[key["@id"]] for key in record_set["key"]]
        path = folder / keys[0]["source"]["fileObject"]["@id"]
        rows = pq.read_table(path, columns=[key["name"] for key in keys]).to_pylist()
        assert len({tuple(row.values()) for row in rows}) == len(rows)


def test_names_within_the_file_are_distinct(folder):
    value = croissant_of(folder)
    names = [o["@id"] for o in value["distribution"]]
    for record_set in value["recordSet"]:
        names.append(record_set["@id"])
        for field in record_set["field"]:
            names += [field["@id"], *(part["@id"] for part in field.get("subField", ()))]
    assert len(set(names)) == len(names)
