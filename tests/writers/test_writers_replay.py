"""Replay: documents that exist are orders and answers, or are refused by file, row and field."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from builders.writers.named import generator_at
from builders.writers.protocol import Usage
from builders.writers.replay import replayed
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy

ROW: dict[str, Any] = {
    "model": "vendor/m",
    "title": "The ford",
    "body": "Who crosses at the ford\nknows the river.",
    "lcc_code": "G",
    "lcc_name": "Geography. Anthropology. Recreation",
    "lcgft_category": "Literature",
    "lcgft_form": "Poetry",
    "topics": ["Rivers"],
    "geographic": [],
    "audience": None,
    "register": "academic",
    "target_length": "micro",
}


@pytest.fixture(scope="module")
def taxonomy() -> Taxonomy:
    return load_taxonomy()


@pytest.fixture(scope="module")
def row(taxonomy: Taxonomy) -> dict[str, Any]:
    """A row whose labels the taxonomy has, whatever those are."""
    category = taxonomy.categories[0]
    return ROW | {
        "lcc_code": taxonomy.classes[0].code,
        "lcc_name": taxonomy.classes[0].name,
        "lcgft_category": category.name,
        "lcgft_form": category.forms[0],
        "topics": [taxonomy.topics[0], taxonomy.topics[1]],
        "geographic": [taxonomy.places[0].name],
        "audience": taxonomy.audiences[0],
        "register": taxonomy.registers[0].id,
        "target_length": taxonomy.lengths[0].id,
    }


def lines(tmp_path: Path, *rows: Any) -> Path:
    file = tmp_path / "documents.jsonl"
    file.write_text("".join(f"{json.dumps(own)}\n" for own in rows))
    return file


def table(tmp_path: Path, *rows: dict[str, Any]) -> Path:
    file = tmp_path / "documents.parquet"
    pq.write_table(pa.Table.from_pylist(list(rows)), file)
    return file


def test_a_document_is_an_order_and_its_answer(
    row: dict[str, Any], taxonomy: Taxonomy, tmp_path: Path
) -> None:
    (own,) = replayed(lines(tmp_path, row), taxonomy, "v0_4_core")
    spec = own.order.spec
    assert own.answer.text == f"{row['title']}\n\n{row['body']}"
    assert own.answer.order_id == own.order.id
    assert own.order.generator == "vendor/m"
    assert (spec.lcc_code, spec.lcc_name) == (row["lcc_code"], row["lcc_name"])
    assert (spec.topics, spec.geographic) == (tuple(row["topics"]), tuple(row["geographic"]))
    assert (own.order.prompt, own.order.sampling, own.answer.usage) == (None, None, None)
    assert own.nano_usd == 0


def test_what_else_a_file_may_say(row: dict[str, Any], taxonomy: Taxonomy, tmp_path: Path) -> None:
    more = row | {
        "id": "20260101_120000_abcdef01",
        "prompt": "Write.",
        "prompt_variant_id": "s1-plain",
        "temperature": 0.7,
        "top_p": 0.9,
        "input_tokens": 100,
        "output_tokens": 70,
        "reasoning_tokens": 20,
        "cost_usd": 0.0000012345,
        "provider": "somebody",
        "word_count": 7,
    }
    (own,) = replayed(lines(tmp_path, more), taxonomy, "v0_4_core")
    assert own.order.id == more["id"]
    assert own.order.prompt is not None
    assert (own.order.prompt.variant_id, own.order.prompt.text) == ("s1-plain", "Write.")
    assert own.order.sampling is not None
    assert (own.order.sampling.temperature, own.order.sampling.top_p) == (0.7, 0.9)
    assert own.answer.usage == Usage(100, 70, 20)
    assert own.answer.provider == "somebody"
    assert own.nano_usd == 1235


def test_parquet_and_json_lines_give_the_same(
    row: dict[str, Any], taxonomy: Taxonomy, tmp_path: Path
) -> None:
    rows = [row, row | {"body": "Another text."}, row | {"audience": None, "geographic": []}]
    from_lines = list(replayed(lines(tmp_path, *rows), taxonomy, "v0_4_core"))
    from_table = list(replayed(table(tmp_path, *rows), taxonomy, "v0_4_core"))
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress((tmp_path / "documents.jsonl").read_bytes()))
    assert from_lines == from_table == list(replayed(packed, taxonomy, "v0_4_core"))
    assert len({own.order.id for own in from_lines}) == 3


def test_a_text_that_holds_title_and_body(
    row: dict[str, Any], taxonomy: Taxonomy, tmp_path: Path
) -> None:
    whole = {name: own for name, own in row.items() if name not in ("title", "body")}
    (own,) = replayed(lines(tmp_path, whole | {"text": "A\n\nB"}), taxonomy, "v0_4_core")
    assert own.answer.text == "A\n\nB"
    # Where both are there, `text` may be the body alone, as in the published files.
    (own,) = replayed(lines(tmp_path, row | {"text": row["body"]}), taxonomy, "v0_4_core")
    assert own.answer.text == f"{row['title']}\n\n{row['body']}"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("model", ""),
        ("model", None),
        ("model", 7),
        ("lcc_code", "ZZ"),
        ("lcc_name", "Another"),
        ("lcgft_category", "Nothing"),
        ("lcgft_form", "Nothing"),
        ("topics", []),
        ("topics", "Rivers"),
        ("topics", ["Nothing"]),
        ("topics", [{"a": 1}]),
        ("geographic", ["Atlantis"]),
        ("audience", "Nobody"),
        ("register", "loud"),
        ("target_length", "epic"),
        ("title", "one\ntwo"),
        ("body", None),
        ("title", None),
        ("body", "a\x00b"),
        ("body", "a\ud800b"),
        ("id", "../x"),
        ("id", ""),
        ("temperature", -1),
        ("temperature", float("nan")),
        ("input_tokens", -1),
        ("input_tokens", 1.5),
        ("input_tokens", "7"),
        ("cost_usd", -0.1),
        ("cost_usd", float("inf")),
    ],
)
def test_a_row_that_is_wrong(
    row: dict[str, Any], taxonomy: Taxonomy, tmp_path: Path, field: str, value: Any
) -> None:
    good = row | {"body": "Another."}
    file = lines(tmp_path, good, row | {field: value})
    with pytest.raises(ShelfError) as caught:
        list(replayed(file, taxonomy, "v0_4_core"))
    said = str(caught.value)
    assert said.startswith(f"{file}, row 2, field '{field}")


def test_a_column_that_is_missing(row: dict[str, Any], taxonomy: Taxonomy, tmp_path: Path) -> None:
    own = {name: value for name, value in row.items() if name != "register"}
    for file in (lines(tmp_path, own), table(tmp_path, own)):
        with pytest.raises(ShelfError, match="column 'register' is missing"):
            list(replayed(file, taxonomy, "v0_4_core"))


def test_two_documents_of_one_id(row: dict[str, Any], taxonomy: Taxonomy, tmp_path: Path) -> None:
    for rows in ([row, row], [row | {"id": "a"}, row | {"id": "a", "body": "Another."}]):
        with pytest.raises(ShelfError, match=r"row 2, field 'id': repeats .* of row 1"):
            list(replayed(lines(tmp_path, *rows), taxonomy, "v0_4_core"))


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"PAR1" + b"\x00" * 50, b"nonsense", b"\xff\xfe", b"[1]\n"]
)
def test_a_file_that_is_none(taxonomy: Taxonomy, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "documents"
    file.write_bytes(content)
    with pytest.raises(ShelfError, match="documents"):
        list(replayed(file, taxonomy, "v0_4_core"))
    with pytest.raises(ShelfError, match="missing"):
        list(replayed(tmp_path / "missing", taxonomy, "v0_4_core"))


def test_a_line_that_is_damaged(row: dict[str, Any], taxonomy: Taxonomy, tmp_path: Path) -> None:
    file = lines(tmp_path, row)
    file.write_text(file.read_text() + '{"model": \n')
    with pytest.raises(ShelfError, match="row 2: bad row"):
        list(replayed(file, taxonomy, "v0_4_core"))


def test_columns_of_a_kind_that_no_json_has(
    row: dict[str, Any], taxonomy: Taxonomy, tmp_path: Path
) -> None:
    with pytest.raises(ShelfError, match="row 1, field 'body'"):
        list(replayed(table(tmp_path, row | {"body": b"bytes"}), taxonomy, "v0_4_core"))


def test_a_generator_on_the_command_line() -> None:
    own = generator_at("vendor/m@https://example.org/v1/,reasoning_effort=low,reasons=true")
    assert (own.name, own.model, own.base_url) == ("vendor/m", "vendor/m", "https://example.org/v1")
    assert (own.reasoning_effort, own.reasons, own.price) == ("low", True, "table")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "m",
        "m@example.org",
        "@https://example.org/v1",
        "m@ftp://example.org",
        "m@https://me:pw@example.org/v1",
        "m@https://example.org/v1,price=free",
        "m@https://example.org/v1,price",
        "m@https://example.org/v1,colour=red",
        "m@https://example.org/v1,concurrency=0",
        "m@https://example.org/v1,concurrency=2,concurrency=3",
        "m@https://example.org/v1,model=x",
        "m@https://example.org/v1,reasons=perhaps",
    ],
)
def test_what_is_no_generator(text: str) -> None:
    with pytest.raises(ShelfError, match="writer"):
        generator_at(text)
