"""Plans and rosters: what the table says, what fills it, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry import config_folder
from evaluate_shelf.registry.generation import load_plan, load_plans
from evaluate_shelf.registry.roster import Generator, load_roster

HERE = "http://127.0.0.1:9/v1"
AWAY = "https://api.example.org/v1"


def generator(name: str, **changes) -> Generator:
    return Generator(
        **{"name": name, "writer": "openai", "model": name, "base_url": AWAY, **changes}
    )


@pytest.fixture
def damaged(tmp_path):
    def change(function) -> Path:
        folder = Path(shutil.copytree(config_folder(), tmp_path / "configs"))
        file = folder / "generation.yaml"
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        function({row["id"]: row for row in content["plans"]})
        file.write_text(yaml.safe_dump(content, allow_unicode=True), encoding="utf-8")
        return folder

    return change


@pytest.fixture
def roster(tmp_path):
    def write(text: str) -> Path:
        file = tmp_path / "writers.yaml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


def test_the_factorial_plan_is_the_published_design():
    plan = load_plan("factorial")
    assert plan.documents(plan.slices) == 22_500 == 3 * 500 * 15
    assert len(plan.places) == 15
    assert list(plan.slices) == ["v0_4_core"]
    sampling = plan.sampling
    assert (sampling.temperature.low, sampling.temperature.high) == (0.6, 1.2)
    assert (sampling.top_p.low, sampling.top_p.high) == (0.85, 1.0)
    assert len(plan.prompts.variants) == 4
    assert not plan.prompts.avoid_topic_words


def test_the_sample_plan_leaves_a_thousand_of_half_and_costs_nothing():
    plan = load_plan("sample")
    [own] = plan.generators
    assert plan.documents(plan.slices) / 2 >= 1000
    assert plan.lengths == ("micro", "tiny", "brief", "short", "medium")
    assert len(plan.prompts.variants) == 4
    assert (own.writer, own.price, own.is_paid, own.is_place) == ("openai", "free", False, False)


def test_plans_without_a_model_have_neither_prompts_nor_sampling():
    for name in ("standard", "quickstart"):
        plan = load_plan(name)
        assert plan.is_lexical
        assert plan.prompts is None
        assert plan.sampling is None
        assert not any(own.is_paid for own in plan.generators)


@pytest.mark.parametrize(
    ("plan", "change", "message"),
    [
        ("sample", lambda p: p.pop("prompts"), "prompts and sampling"),
        ("sample", lambda p: p.pop("sampling"), "prompts and sampling"),
        ("quickstart", lambda p: p.update(prompts={"variants": ["s1-plain"]}), "prompts and"),
        ("sample", lambda p: p["prompts"].update(variants=["s9"]), "'prompts.variants': unknown"),
        ("sample", lambda p: p["prompts"].update(variants=[]), "'prompts.variants'"),
        ("sample", lambda p: p["prompts"].update(variants=["s1-plain"] * 2), "a variant twice"),
        ("sample", lambda p: p["sampling"]["top_p"].update(high=1.1), "'sampling.top_p'"),
        ("sample", lambda p: p["sampling"]["top_p"].update(low=0), "'sampling.top_p.low'"),
        ("sample", lambda p: p["sampling"]["temperature"].update(high=0.1), "less than low"),
        ("sample", lambda p: p.update(lengths=["micro", "micro"]), "a length stands there twice"),
        ("sample", lambda p: p.update(lengths=[]), "'lengths'"),
        ("sample", lambda p: p["generators"][0].update(name="other"), "unknown generator"),
        ("sample", lambda p: p["generators"].append(p["generators"][0]), "a name stands there"),
        ("sample", lambda p: p["generators"][0].pop("model"), "model and base_url go together"),
        ("sample", lambda p: p["generators"][0].update(base_url=AWAY), "price: free is for"),
        ("sample", lambda p: p["generators"][0].update(base_url="ftp://h"), "base_url"),
        ("sample", lambda p: p["generators"][0].update(base_url="http://u:p@h/v1"), "base_url"),
        ("sample", lambda p: p["generators"][0].update(concurrency=0), "concurrency"),
        ("sample", lambda p: p["generators"][0].update(reasoning_effort="low"), "reasons: true"),
        ("sample", lambda p: p["generators"][0].update(documents="f"), "replay writer"),
        ("sample", lambda p: p["generators"][0].update(writer="magic"), "writer"),
        ("quickstart", lambda p: p["generators"][0].update(base_url=HERE), "no base_url"),
        (
            "quickstart",
            lambda p: p["generators"].append({"name": "x", "writer": "openai"}),
            "do not write in one plan",
        ),
        (
            "quickstart",
            lambda p: p["slices"]["v0_4_core"].update(generators=["lexical-writer/birch"] * 2),
            "a generator twice",
        ),
        (
            "quickstart",
            lambda p: p["slices"]["v0_4_core"].update(shares=[0.5, 0.6]),
            "must sum to 1",
        ),
        ("quickstart", lambda p: p["slices"]["v0_4_core"].update(shares=[1.0]), "one share for"),
        ("quickstart", lambda p: p["slices"].update(other={}), "slices.other"),
    ],
)
def test_a_damaged_plan_is_refused_by_file_and_row(damaged, plan, change, message):
    folder = damaged(lambda plans: change(plans[plan]))
    with pytest.raises(ShelfError) as caught:
        load_plans(folder)
    assert f"generation.yaml, row {plan!r}" in str(caught.value)
    assert message in str(caught.value)


def test_own_generators_fill_the_places_in_order():
    own = [generator("zeta/1"), generator("alpha", model="a-2")]
    plan = load_plan("factorial").filled(own)
    assert plan.generators == tuple(own)
    assert plan.slices["v0_4_core"].generators == ("zeta/1", "alpha")
    assert plan.documents(plan.slices) == 3 * 500 * 2
    assert plan.places == ()


def test_a_generator_of_the_same_name_takes_the_other_s_place():
    moved = generator("smollm2-135m-instruct", base_url="http://localhost:1/v1", price="free")
    plan = load_plan("sample").filled([moved])
    assert plan.generators == (moved,)
    third = generator("generator-03")
    plan = load_plan("factorial").filled([third, generator("first")])
    assert [own.name for own in plan.generators] == ["first", "generator-03"]


@pytest.mark.parametrize(
    ("plan", "own", "message"),
    [
        ("sample", [generator("more")], "has 0 empty places for generators; more would be too"),
        ("factorial", [generator(f"g{n}") for n in range(16)], "15 empty places.*g15"),
        ("factorial", [], "left without generator"),
        ("factorial", [Generator(name="rules", writer="lexical"), generator("a")], "in one plan"),
    ],
)
def test_a_roster_that_does_not_fit_is_refused(plan, own, message):
    with pytest.raises(ShelfError, match=f"plan '{plan}'.*{message}"):
        load_plan(plan).filled(own)


def test_shares_want_all_their_generators(damaged):
    def share(plans):
        plans["factorial"]["slices"]["v0_4_core"]["shares"] = [1 / 15] * 15

    plan = load_plans(damaged(share))["factorial"]
    assert plan.documents(plan.slices) == 1500
    with pytest.raises(ShelfError, match="by shares; fill all 15"):
        plan.filled([generator("one")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("[]", "has no rows"),
        ("{}", "must be a list"),
        ("- {name: a}", "field 'writer': is missing"),
        ("- {name: a, writer: lexical}\n- {name: a, writer: lexical}", "row 2 repeats 'a'"),
        ("- {name: 'a b', writer: lexical}", "field 'name'"),
        ("- {name: a, writer: openai, price: free}", "price: free"),
        ("- {name: a, writer: replay}", "replay"),
        ("- {name: a, writer: lexical, key: sk-1}", "'key': is not a known field"),
    ],
)
def test_a_damaged_roster_is_refused(roster, text, message):
    file = roster(text)
    with pytest.raises(ShelfError) as caught:
        load_roster(file)
    assert str(caught.value).startswith(str(file))
    assert message in str(caught.value)
