from __future__ import annotations

import json
import re

import pyarrow.parquet as pq
import pytest
from release_forgery import sha256_of_bytes


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
def test_records_can_be_read_through_croissant(small_release):
    """The reader checks each file's hash before it reads."""
    mlcroissant = pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    dataset = mlcroissant.Dataset(jsonld=small_release / "croissant.json")
    name = "same_lcc_pairs/validation-00000-of-00001"
    rows = pq.read_table(small_release / "data" / f"{name}.parquet").to_pylist()
    records = list(dataset.records(name))
    assert [record[f"{name}/id"].decode() for record in records] == [row["id"] for row in rows]
    assert [record[f"{name}/label"] for record in records] == [row["label"] for row in rows]


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


def test_every_file_has_a_record_set_with_its_columns(folder):
    sets = croissant_of(folder)["recordSet"]
    columns = {}
    for record_set in sets:
        (path,) = {field["source"]["fileObject"]["@id"] for field in record_set["field"]}
        columns[path] = [field["source"]["extract"]["column"] for field in record_set["field"]]
    assert columns == {
        path.relative_to(folder).as_posix(): pq.read_schema(path).names
        for path in (folder / "data").rglob("*.parquet")
    }


def test_types_are_those_of_the_columns(folder):
    expected = {
        "string": "sc:Text", "list<element: string>": "sc:Text", "int32": "sc:Integer",
        "int64": "sc:Integer", "double": "sc:Float", "bool": "sc:Boolean",
        "list<element: int32>": "sc:Integer",
    }  # fmt: skip
    for record_set in croissant_of(folder)["recordSet"]:
        for field in record_set["field"]:
            path = folder / field["source"]["fileObject"]["@id"]
            kind = str(pq.read_schema(path).field(field["name"]).type)
            if not kind.startswith("struct"):
                assert field["dataType"] == expected[kind], field["@id"]
            assert field.get("repeated", False) == kind.startswith("list"), field["@id"]


def test_names_within_the_file_are_distinct(folder):
    value = croissant_of(folder)
    names = [o["@id"] for o in value["distribution"]]
    for record_set in value["recordSet"]:
        names += [record_set["@id"], *(field["@id"] for field in record_set["field"])]
    assert len(set(names)) == len(names)
