"""What was written becomes a release: gated, split, with its provenance; nothing is lost unsaid."""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from small_ledger import SEED, small_plan

from builders.budget.reading import read_answers
from builders.build import build
from builders.commands.build import build_from_command_line
from builders.corpora.synthetic import gated as gated_module
from builders.corpora.synthetic.written import written_corpus
from builders.gates.parse import document_of
from builders.gates.table import GATE_TABLE
from builders.orders import Order
from builders.request import BuildRequest
from builders.writers.protocol import Answer
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.verification import verify_release

Write = Callable[..., Path]
DOCUMENTS = 240
# By the number of an answer, what is wrong with it and which verdict says so.
FAULTS = {
    10: "passes_parse",
    21: "passes_language",
    32: "passes_length",
    43: "passes_self_label",
    54: "passes_refusal",
    65: "passes_refusal",
    76: "passes_served",
}
GERMAN = "Der Eimer schlägt an die Steine und singt, und keiner im Dorf ist hinuntergestiegen. "


def spoiled(number: int, order: Order, answer: Answer) -> Answer:
    title, _, body = answer.text.partition("\n\n")
    words = len(body.split())
    if number == 10:
        return dataclasses.replace(answer, text=title)
    if number == 21:
        return dataclasses.replace(answer, text=f"{title}\n\n{GERMAN * (words // 14 + 1)}")
    if number == 32:
        return dataclasses.replace(answer, text=f"{answer.text}\n\n{body}\n\n{body} {body}")
    if number == 43:
        return dataclasses.replace(answer, text=f"{order.spec.lcgft_form}\n\n{body}")
    if number == 54:
        return dataclasses.replace(answer, text=f"{answer.text} <|im_end|>")
    if number == 65:
        return dataclasses.replace(answer, finish_reason="length")
    if number == 76:
        return dataclasses.replace(answer, flags=("served",))
    return answer


@pytest.fixture(scope="module")
def corpus(write: Write, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("written") / "corpus", DOCUMENTS, spoiled)


def request_of(corpus: Path, out: Path, **changes: object) -> BuildRequest:
    written = written_corpus(corpus)
    return BuildRequest(("v0_4_core",), out, "own", written.plan, written=written, **changes)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def release(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("release") / "own"
    build(request_of(corpus, out))
    return out


def rows_of(release: Path) -> dict[str, dict]:
    files = sorted((release / "data/v0_4_core").glob("*.parquet"))
    return {row["id"]: row for file in files for row in pq.read_table(file).to_pylist()}


def gates_of(release: Path) -> dict[str, dict]:
    table = pq.read_table(release / "reports/gates.parquet")
    assert table.schema.equals(GATE_TABLE)
    return {row["id"]: row for row in table.to_pylist()}


def test_the_release_holds_and_every_answer_is_in_it_or_refused(corpus, release):
    verify_release(release)
    rows, gates = rows_of(release), gates_of(release)
    assert set(gates) == {own.order.id for own in read_answers(corpus)}
    passed = {name for name, row in gates.items() if row["passed"]}
    assert len(gates) - len(passed) == len(FAULTS)
    # Beside the gates, only classes with a single specification go, and the notes name them.
    assert set(rows) <= passed
    [note] = [n for n in read_manifest(release).configs["v0_4_core"].notes if "fewer" in n]
    thin = note.rpartition(" class ")[2].split(", ")
    assert {gates[name]["lcc_code"] for name in passed - set(rows)} == set(thin)


def test_each_fault_is_told_by_its_own_verdict_alone(release):
    refused = [row for row in gates_of(release).values() if not row["passed"]]
    verdicts = [name for name in GATE_TABLE.names if name.startswith("passes_")]
    failed = sorted(tuple(v for v in verdicts if not row[v]) for row in refused)
    parse = [own for own in failed if "passes_parse" in own]
    # Without a body there is nothing that could be English, long enough or whole.
    assert parse == [("passes_parse", "passes_language", "passes_length", "passes_refusal")]
    others = sorted((verdict,) for verdict in FAULTS.values() if verdict != "passes_parse")
    assert [own for own in failed if own not in parse] == others


def test_a_row_has_what_was_ordered_what_came_and_what_it_cost(corpus, release):
    rows = rows_of(release)
    for order, answer, nano_usd in read_answers(corpus):
        if order.id not in rows:
            continue
        row = rows[order.id]
        title, body = document_of(answer.text)
        assert (row["title"], row["body"], row["text"]) == (title, body, body)
        assert row["word_count"] == len(body.split())
        assert (row["model"], row["model_resolved"]) == (order.generator, answer.model_resolved)
        assert (row["provider"], row["provider_served"]) == ("local", None)
        assert row["prompt"] == order.prompt.text
        assert row["prompt_variant_id"] == order.prompt.variant_id == order.spec.prompt_variant
        # What was really sent, not what was drawn.
        assert (row["temperature"], row["top_p"]) == (0.8, None)
        tokens = (row["input_tokens"], row["output_tokens"], row["reasoning_tokens"])
        assert tokens == (100, 30, None)
        assert round(row["cost_usd"] * 10**9) == nano_usd
        assert (row["spec_id"], row["block_id"]) == (order.spec.spec_id, order.spec.block_id)
        assert (row["lcc_code"], row["lcgft_form"]) == (order.spec.lcc_code, order.spec.lcgft_form)
        assert tuple(row["topics"]) == order.spec.topics
        assert row["run_id"] == f"seed{SEED}"
        assert row["qc_passed"]
        assert row["qc_near_dup"] < 0.9


def test_no_specification_is_on_two_sides(release):
    split_of: dict[str, str] = {}
    for file in sorted((release / "data/v0_4_core").glob("*.parquet")):
        for spec in pq.read_table(file, columns=["spec_id"])["spec_id"].to_pylist():
            assert split_of.setdefault(spec, file.name[:5]) == file.name[:5]


def test_the_report_counts_what_the_table_has(release):
    report = json.loads((release / "reports/gates.json").read_text())
    counts, gates = report["counts"], gates_of(release).values()
    assert counts["in_all"]["written"] == len(gates) == DOCUMENTS
    assert counts["in_all"]["passed"] == sum(row["passed"] for row in gates)
    for name, own in counts["by_generator"].items():
        rows = [row for row in gates if row["model"] == name]
        assert own["written"] == len(rows)
        assert own["refused"]["G7"] == sum(not row["passes_refusal"] for row in rows)
    assert counts["in_all"]["refused"]["G7"] == 3
    assert counts["in_all"]["refused_alone"]["G7"] == 2
    assert len(report["quality"]) == 7
    notes = " ".join(read_manifest(release).configs["v0_4_core"].notes)
    assert f"{DOCUMENTS} of {DOCUMENTS} ordered documents are written" in notes


def test_the_account_has_what_every_answer_cost_refused_ones_too(corpus, release):
    accounts = json.loads((release / "reports/writing.json").read_text())
    answers = list(read_answers(corpus))
    assert [own["name"] for own in accounts] == ["a", "b"]
    for own in accounts:
        mine = [row for row in answers if row.order.generator == own["name"]]
        assert own["answers"] == len(mine) == own["orders"]
        assert own["nano_usd"] == sum(row.nano_usd for row in mine)
        tokens = sum(row.answer.usage.input_tokens for row in mine if row.answer.usage)
        assert own["input_tokens"] == tokens
        assert own["answers_without_usage"] == sum(row.answer.usage is None for row in mine)
        assert own["served"] == sorted({row.answer.model_resolved for row in mine} - {None})
        assert own["lost_calls"] == own["nano_usd_lost"] == 0
        assert dt.date.fromisoformat(own["first_answer"]) <= dt.date.fromisoformat(
            own["last_answer"]
        )


def test_the_same_corpus_gives_the_same_release_by_one_process_or_several(
    corpus, release, tmp_path, monkeypatch, photograph
):
    from builders.corpora.synthetic import pieces

    monkeypatch.setattr(pieces, "_PIECES_FOR_PROCESSES", 1)
    build(request_of(corpus, tmp_path / "own"))
    assert photograph(tmp_path / "own") == photograph(release)


def test_an_interrupted_build_goes_on_and_gives_the_same(
    corpus, release, tmp_path, monkeypatch, photograph
):
    class StoppedError(Exception):
        pass

    def stopped(*_):
        raise StoppedError

    with monkeypatch.context() as patch:
        patch.setattr(gated_module, "nearest_earlier", stopped)
        with pytest.raises(StoppedError):
            build(request_of(corpus, tmp_path / "own"))
    assert not (tmp_path / "own").exists()
    build(request_of(corpus, tmp_path / "own"))
    assert photograph(tmp_path / "own") == photograph(release)
    assert not list(tmp_path.glob(".*"))


def test_a_corpus_that_is_half_written_says_so(write, tmp_path):
    corpus = write(tmp_path / "corpus", DOCUMENTS, first=150)
    build(request_of(corpus, tmp_path / "own"))
    notes = read_manifest(tmp_path / "own").configs["v0_4_core"].notes
    assert f"150 of {DOCUMENTS} ordered documents are written" in " ".join(notes)


def test_near_duplicates_are_found_across_generators_and_specifications(write, tmp_path):
    text = (
        "On Rivers\n\nThe mill at the lower ford had stood idle since the flood, and the parish "
        "met to ask what should be done with it before the summer came and the wheel dried out."
    )

    def copied(number: int, order: Order, answer: Answer) -> Answer:
        if number < 20:
            return dataclasses.replace(answer, text=text.upper() if number % 3 else text)
        return answer

    corpus = write(tmp_path / "corpus", DOCUMENTS, copied)
    build(request_of(corpus, tmp_path / "own"))
    gates = gates_of(tmp_path / "own")
    copies = sorted(name for name, row in gates.items() if row["qc_near_dup"] == 1.0)
    rest = [row for row in gates.values() if row["earlier"] in (None, copies[0])]
    assert len(copies) == 19
    first = {gates[name]["earlier"] for name in copies}
    assert len(first) == 1
    # Only what has the smallest id of them all passes the gate.
    assert first.pop() < copies[0]
    assert all(not gates[name]["passes_near_duplicate"] for name in copies)
    near = json.loads((tmp_path / "own/reports/gates.json").read_text())["counts"]
    assert near["near_duplicates"]["refused"] == near["near_duplicates"]["of_equal_text"] == 19
    assert near["near_duplicates"]["of_one_specification"] <= 1
    assert len(rest) >= DOCUMENTS - 20


OPTIONS = {
    "seed": 42, "catalog": None, "texts": None, "passages_per_work": None, "mirror": None,
    "works_per_class": 48,
}  # fmt: skip


def test_the_command_builds_the_same(corpus, release, tmp_path, photograph):
    out = tmp_path / "own"
    build_from_command_line(["v0_4_core"], out=out, documents=None, written=corpus, **OPTIONS)
    assert photograph(out) == photograph(release)


@pytest.mark.slow
def test_the_command_builds_everything_that_follows_from_what_was_written(corpus, tmp_path):
    out = tmp_path / "own"
    build_from_command_line([], out=out, documents=None, written=corpus, **OPTIONS)
    manifest = verify_release(out)
    assert {"all", "v0_4_core", "same_lcc_pairs", "lcc_retrieval-queries"} <= set(manifest.configs)


def test_the_commands_options_are_refused_where_they_have_no_meaning(corpus, tmp_path):
    for configs, options in (
        (["v0_4_core"], {"documents": 10, "written": corpus}),
        (["quickstart"], {"documents": None, "written": corpus}),
        (["quickstart"], {"documents": None, "taxonomy": tmp_path}),
        (["v0_4_core"], {"documents": None, "written": tmp_path / "nothing"}),
        (["v0_4_holdout"], {"documents": None, "written": corpus}),
    ):
        with pytest.raises(ShelfError):
            build_from_command_line(configs, out=tmp_path / "out", **OPTIONS, **options)
        assert not (tmp_path / "out").exists()


def test_a_corpus_of_other_labels_is_refused(corpus, tmp_path, monkeypatch):
    import shutil

    from evaluate_shelf.registry.taxonomy import taxonomy_folder

    other = tmp_path / "labels"
    shutil.copytree(taxonomy_folder(), other)
    lengths = other / "length.yaml"
    lengths.write_text(lengths.read_text().replace("max_words: 25", "max_words: 26"))
    with pytest.raises(ShelfError, match="other labels"):
        written_corpus(corpus, other)


def test_a_corpus_without_an_answer_is_refused(write, tmp_path):
    with pytest.raises(ShelfError, match="no answer yet"):
        written_corpus(write(tmp_path / "corpus", 24, first=0))


def test_a_plan_of_models_is_not_composed(tmp_path):
    with pytest.raises(ShelfError, match="shelf write"):
        build(BuildRequest(("v0_4_core",), tmp_path / "own", "own", small_plan(24)))
    assert load_plan("standard").is_lexical
