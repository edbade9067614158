"""`shelf plan` as a user runs it."""

from __future__ import annotations

import json
import shutil
import socket

import pytest
import typer
from typer.testing import CliRunner

from builders.specifications.block_files import read_block
from builders.specifications.blocks import blocks_of
from evaluate_shelf.cli.plan import plan
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry import config_folder
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.taxonomy import load_taxonomy

APP = typer.Typer(pretty_exceptions_enable=False)
APP.command()(plan)
WRITERS = """
- {name: paid, writer: openai, model: p-1, base_url: "https://api.example.org/v1"}
- {name: here, writer: openai, model: h-1, base_url: "http://localhost:1/v1", price: free}
"""
PRICES = """
- model: p-1
  usd_per_million_input_tokens: 1
  usd_per_million_output_tokens: 4
  date: 2026-03-01
  source: https://example.org/prices
"""


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """Nothing may be asked of anybody."""

    def refuse(*arguments, **more):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)


@pytest.fixture
def files(tmp_path):
    (tmp_path / "writers.yaml").write_text(WRITERS)
    (tmp_path / "prices.yaml").write_text(PRICES)
    return tmp_path


def run(*arguments, **environment):
    result = CliRunner().invoke(APP, list(map(str, arguments)), env=environment)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_a_pilot_is_planned_as_it_would_be_written(files):
    own = ("--writers", files / "writers.yaml", "--prices", files / "prices.yaml")
    small = json.loads(run("factorial", "--json", "--documents", "90", *own).stdout)
    whole = json.loads(run("factorial", "--json", *own).stdout)
    assert small["documents"] == 90
    assert sum(own["documents"] for own in small["generators"]) == 90
    assert small["worst_usd"] == pytest.approx(whole["worst_usd"] * 90 / 3000, rel=0.2)
    one = json.loads(run("standard", "--json", "--slice", "v0_4_holdout").stdout)
    assert set(one["slices"]) == {"v0_4_holdout"}
    with pytest.raises(ShelfError, match="known: default"):
        run("standard", "--slice", "none")


def test_the_design_as_json(files):
    own = ("--writers", files / "writers.yaml", "--prices", files / "prices.yaml")
    result = run("factorial", "--json", *own)
    found = json.loads(result.stdout)
    assert found["documents"] == 3000
    paid, here = found["generators"]
    assert (paid["name"], paid["cost"], here["cost"]) == ("paid", "priced", "free")
    tokens = paid["expected_tokens"]
    assert paid["expected_usd"] == pytest.approx((tokens["input"] + 4 * tokens["output"]) / 1e6)
    assert paid["worst_usd"] > paid["expected_usd"]
    assert found["worst_usd"] == paid["worst_usd"]
    assert found["cost_unknown"] == []
    assert paid["price"]["source"] == "https://example.org/prices"
    assert "2 of the 15 generators" in result.stderr


@pytest.mark.parametrize("name", ["standard", "quickstart", "sample", "factorial"])
def test_every_plan_has_a_design_on_a_narrow_terminal(name):
    text = run(name, COLUMNS="40").stdout
    assert all(len(line) <= 40 or len(line.split()) == 1 for line in text.splitlines())
    documents = load_plan(name).documents(load_plan(name).slices)
    assert f"{documents:,} documents" in " ".join(text.split())


def test_the_same_arguments_give_the_same_bytes_and_another_seed_others():
    first, second, other = (run("sample", "--json", "--seed", seed).stdout for seed in (7, 7, 8))
    assert first == second
    assert json.loads(first)["design_id"] != json.loads(other)["design_id"]


def test_blocks_are_written_and_can_be_read(tmp_path):
    run("sample", "--blocks", tmp_path / "blocks", "--seed", "5")
    blocks = blocks_of("sample", load_plan("sample"), 5)
    names = sorted(file.name for file in (tmp_path / "blocks").iterdir())
    assert names == [f"{block.id}.jsonl" for block in blocks]
    for block in blocks:
        found = read_block(tmp_path / "blocks" / f"{block.id}.jsonl", block, load_taxonomy())
        assert len(found.members) == 2000


def test_another_taxonomy_gives_another_design(tmp_path):
    shutil.copytree(config_folder() / "taxonomy", tmp_path / "own" / "taxonomy")
    audience = tmp_path / "own" / "taxonomy" / "audience.yaml"
    audience.write_text("none_probability: 0.5\naudiences: [Sailors]\n")
    own, usual = (
        json.loads(run("sample", "--json", *more).stdout)
        for more in (("--taxonomy", tmp_path / "own"), ())
    )
    assert own["design_id"] != usual["design_id"]
    assert own["cells"] == usual["cells"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sampel"], "unknown generation plan 'sampel'; did you mean sample"),
        (["sample", "--taxonomy", "nowhere"], "nowhere"),
        (["factorial", "--writers", "none.yaml"], "none.yaml: cannot be read"),
        (["sample", "--prices", "none.yaml"], "none.yaml: cannot be read"),
    ],
)
def test_what_is_not_there_is_named(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ShelfError) as caught:
        run(*arguments)
    assert message in str(caught.value)


def test_a_damaged_file_is_refused_before_anything_is_written(files):
    (files / "prices.yaml").write_text(PRICES.replace("input_tokens: 1", "input_tokens: -1"))
    with pytest.raises(ShelfError, match="row 'p-1', field 'usd_per_million_input_tokens'"):
        run("sample", "--prices", files / "prices.yaml", "--blocks", files / "blocks")
    assert not (files / "blocks").exists()
