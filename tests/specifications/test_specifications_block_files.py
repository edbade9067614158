"""A block file is read as it was written, or refused by the number of the line."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from builders.specifications.block_files import read_block, write_block
from builders.specifications.blocks import Block, members_of
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy()
BLOCK = Block("v0_4_core", 0, 42, 12, ("micro", "short"), ("v1", "v2"))
PAIRS = Block("v0_4_minimal_pairs", 1, 43, 5, None, ())


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    return write_block(tmp_path_factory.mktemp("blocks"), BLOCK, TAXONOMY)


@pytest.fixture
def copy(written, tmp_path) -> Path:
    return Path(
        (tmp_path / written.name).write_bytes(written.read_bytes()) and tmp_path / written.name
    )


def lines_of(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines(keepends=True)


def refused(file: Path, *more: object) -> str:
    with pytest.raises(ShelfError) as caught:
        read_block(file, *more)
    assert str(caught.value).startswith(str(file))
    return str(caught.value)


def rechained(values: list[dict]) -> bytes:
    """Lines whose hashes are right, as somebody would write them who knows the rule."""
    chain, lines = "", []
    for value in values:
        own = {key: cell for key, cell in value.items() if key != "chain"}
        text = json.dumps(own, ensure_ascii=False, separators=(",", ":"))
        chain = hashlib.sha256(f"{chain}\n{text}".encode()).hexdigest()[:16]
        lines.append(json.dumps({**own, "chain": chain}, ensure_ascii=False, separators=(",", ":")))
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize("block", [BLOCK, PAIRS], ids=["core", "pairs"])
def test_what_was_written_is_read(block, tmp_path):
    found = read_block(write_block(tmp_path, block, TAXONOMY), block, TAXONOMY)
    assert found.members == tuple(members_of(block, TAXONOMY))
    assert (found.block_id, found.slice, found.seed) == (block.id, block.slice, block.seed)


def test_the_same_block_gives_the_same_bytes_and_replaces_what_was_there(written, tmp_path):
    (tmp_path / written.name).write_text("old")
    assert write_block(tmp_path, BLOCK, TAXONOMY).read_bytes() == written.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == [written.name]


def test_the_checksum_is_the_published_one(written):
    header, *specs = map(json.loads, lines_of(written))
    ids = "".join(spec["spec_id"] for spec in specs)
    assert header["checksum"] == hashlib.sha256(ids.encode()).hexdigest()
    assert header["specifications"] == len(specs) == 12


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_any_changed_byte_is_refused_at_its_line(written, copy, data):
    content = bytearray(written.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    new = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[place]))
    line = content.count(b"\n", 0, place) + 1
    content[place] = new
    copy.write_bytes(content)
    # A line end that comes or goes moves what follows into another line.
    named = int(re.search(r", line (\d+): ", refused(copy))[1])
    assert named in (line, line + 1)


@given(st.integers(1, 11), st.integers(1, 11))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_exchanged_lines_are_refused_at_the_first_of_them(written, copy, first, second):
    lines = lines_of(written)
    lines[first], lines[second] = lines[second], lines[first]
    copy.write_bytes(b"".join(lines))
    if first == second:
        assert len(read_block(copy).members) == 12
    else:
        assert f", line {min(first, second) + 1}: was changed" in refused(copy)


@pytest.mark.parametrize("kept", range(13))
def test_a_file_that_was_cut_is_refused_at_the_first_missing_line(written, copy, kept):
    copy.write_bytes(b"".join(lines_of(written)[:kept]))
    message = refused(copy)
    assert "is empty" in message if not kept else f", line {kept + 1}: is missing" in message


def test_half_a_line_is_refused(written, copy):
    copy.write_bytes(written.read_bytes()[:-10])
    assert ", line 13: is cut" in refused(copy)


def test_a_line_too_many_is_refused(written, copy):
    copy.write_bytes(written.read_bytes() + lines_of(written)[-1])
    assert ", line 14: " in refused(copy)


@pytest.mark.parametrize(
    ("line", "change", "message"),
    [
        (0, {"seed": 43}, "was not drawn with seed 43"),
        (0, {"seed": True}, "field 'seed'"),
        (0, {"specifications": 10**9}, "field 'specifications'"),
        (0, {"format": "other"}, "not the first line"),
        (0, {"checksum": "0" * 64}, "the checksum is not that"),
        (3, {"topics": "Ethics"}, "field 'topics'"),
        (3, {"topics": ["Ethics", 1]}, "field 'topics'"),
        (3, {"register": None}, "field 'register'"),
        (3, {"register": "casual", "audience": "Nobody"}, "field 'spec_id'"),
        (3, {"number": 7}, "field 'number': must be 2"),
        (3, {"extra": 1}, "missing or unknown: extra"),
    ],
)
def test_wrong_values_are_refused_though_their_hashes_are_right(
    written, copy, line, change, message
):
    values = [json.loads(own) for own in lines_of(written)]
    values[line] |= change
    copy.write_bytes(rechained(values))
    found = refused(copy)
    assert message in found
    assert f", line {line + 1}: " in found


def test_a_block_of_another_seed_is_refused_where_it_first_differs(written, copy):
    values = [json.loads(own) for own in lines_of(written)]
    values[0] |= {"seed": 43, "block_id": "block-00-seed43"}
    copy.write_bytes(rechained(values))
    read_block(copy)
    assert ", line 1: field 'block_id'" in refused(copy, BLOCK, TAXONOMY)
    other = BLOCK._replace(seed=43)
    assert ", line 2: is not what seed 43 draws" in refused(copy, other, TAXONOMY)


def test_a_shorter_block_is_refused_where_it_ends(tmp_path):
    file = write_block(tmp_path, BLOCK, TAXONOMY)
    assert ", line 14: is not what" in refused(file, BLOCK._replace(size=13), TAXONOMY)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"[]\n",
        b"not json\n",
        b"\xff\xfe\n",
        b"{}\n",
        b'{"format": NaN}\n',
        b'{"format": "\\ud800"}\n',
        b"[" * 100_000 + b"\n",
        b'{"format": "' + b"x" * 100_000 + b'"}\n',
        b'{"seed": ' + b"9" * 10_000 + b"}\n",
    ],
)
def test_what_is_no_block_file_is_refused(content, tmp_path):
    file = tmp_path / "b.jsonl"
    file.write_bytes(content)
    refused(file)


def test_a_missing_file_is_refused(tmp_path):
    assert "cannot be read" in refused(tmp_path / "none.jsonl")
