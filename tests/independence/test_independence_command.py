"""`shelf independence` as a user runs it, on the small release and on damaged ones."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
import typer
from release_forgery import Release
from typer.testing import CliRunner

from evaluate_shelf.cli.independence import independence
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release

APP = typer.Typer(pretty_exceptions_enable=False)
APP.command()(independence)
GATES = "reports/gates.parquet"


def run(*arguments):
    result = CliRunner().invoke(APP, list(map(str, arguments)), env={"COLUMNS": "80"})
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0
    return result.stdout


@pytest.fixture
def release(tmp_path):
    return Release.copy_of(shipped_release(), tmp_path / "release")


def every_split(release, change):
    for split in ("train", "validation", "test"):
        release.change_rows("v0_4_core", split, change)
    release.rehash()


def test_the_small_release(release):
    found = json.loads(run(release.folder, "--json"))
    assert found["config"] == "v0_4_core"
    assert found["documents"] == sum(found["kept"].values()) == sum(found["written"].values())
    for name in ("class", "category", "register", "audience", "target length"):
        assert found["labels"][name]["kept"]["v"] == found["labels"][name]["kept"]["bergsma"] == 0
    assert found["labels"]["prompt variant"]["kept"]["not_defined"]
    apart = found["telling_generators_apart"]
    assert apart["accuracy"]["interval"][0] > 0.7
    low, high = apart["shuffled_accuracy"]["interval"]
    assert low - 0.05 < apart["accuracy_of_guessing"] == 0.5 < high + 0.05


def test_twice_the_same_and_no_wider_than_the_terminal(release):
    text = run(release.folder)
    assert text == run(release.folder)
    assert max(map(len, text.splitlines())) <= 80


def test_what_one_generator_loses_of_a_class_shows(release):
    def change(rows):
        cedar = "lexical-writer/cedar"
        return [own for own in rows if own["model"] != cedar or own["lcc_code"] > "M"]

    every_split(release, change)
    found = json.loads(run(release.folder, "--json"))["labels"]["class"]
    assert found["written"]["v"] == 0
    assert found["kept"]["interval"][0] > 0.3


def test_without_the_gates_report(release):
    (release.folder / GATES).unlink()
    release.change_manifest(lambda manifest: manifest["other_files"].pop(GATES))
    found = json.loads(run(release.folder, "--json"))
    assert found["written"] is None
    assert found["labels"]["class"]["written"]["not_defined"]
    assert found["labels"]["class"]["kept"]["v"] == 0


def test_pooled_documents_without_a_generator_are_counted(release):
    def change(rows):
        for own in rows[:3]:
            own["model"] = None

    release.change_rows("all", "train", change)
    release.rehash()
    found = json.loads(run(release.folder, "--config", "all", "--json"))
    assert found["without_generator"] == 3


def test_one_generator_is_refused(release):
    def change(rows):
        for own in rows:
            own["model"] = "alone"

    every_split(release, change)
    with pytest.raises(ShelfError, match="'alone' alone"):
        run(release.folder)


def test_no_generator_is_refused(release):
    def change(rows):
        for own in rows:
            own["model"] = None

    every_split(release, change)
    with pytest.raises(ShelfError, match="no generator"):
        run(release.folder)


def test_no_documents_are_refused(release):
    every_split(release, lambda rows: [])
    with pytest.raises(ShelfError, match="no documents"):
        run(release.folder)


@pytest.mark.parametrize("config", ["same_lcc_pairs", "nowhere"])
def test_a_config_without_documents_is_refused(release, config):
    with pytest.raises(ShelfError, match=config):
        run(release.folder, "--config", config)


@pytest.mark.parametrize("column", ["model", "text"])
def test_a_missing_column_is_named(release, column):
    def change(manifest):
        manifest["configs"]["v0_4_core"]["schema"].pop(column)

    release.change_manifest(change)
    with pytest.raises(ShelfError, match=f"no column '{column}'"):
        run(release.folder)


def test_a_changed_report_is_refused(release):
    path = release.folder / GATES
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(ShelfError, match=r"gates\.parquet"):
        run(release.folder)


def test_a_report_that_is_no_table_is_refused(release):
    (release.folder / GATES).write_bytes(b"no table")
    release.rehash()
    with pytest.raises(ShelfError, match=r"gates\.parquet"):
        run(release.folder)


@pytest.mark.parametrize("column", ["passed", "passes_length", "lcc_code"])
def test_a_report_without_a_column_is_refused(release, column):
    path = release.folder / GATES
    pq.write_table(pq.read_table(path).drop_columns([column]), path)
    release.rehash()
    with pytest.raises(ShelfError, match=column):
        run(release.folder)


def test_no_release(tmp_path):
    with pytest.raises(ShelfError):
        run(tmp_path)
