from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.printable import one_line
from evaluate_shelf.submissions.refusals import Refused, presentable, quoted


@pytest.mark.parametrize(
    ("reason", "shown"),
    [
        ("/srv/a/b/run.json, field x: bad", "run.json, field x: bad"),
        ("C:\\data\\run.json: bad", "run.json: bad"),
        ("C:/data/run.json: bad", "run.json: bad"),
        ("\\\\host\\share\\run.json: bad", "run.json: bad"),
        ("in 'C:\\\\data\\\\run.json'", "in 'run.json'"),
        ("~/models/x and ~ann/models/y", "x and y"),
        ("[Errno 2] No such file: '/srv/my store/run.json'", "[Errno 2] No such file: 'run.json'"),
        ('open("/srv/(old)/run.json")', 'open("run.json")'),
        ("ImportError: /venv/lib/a.so: failed to map", "ImportError: a.so: failed to map"),
        ("no model 'st:/models/x' here", "no model 'st:x' here"),
        ("cause:/srv/store/x, --store=/srv/store", "cause:x, --store=store"),
        ("file:///srv/store/x", "file:x"),
        ("/store: no store", "store: no store"),
        ("(/srv/a/x)/(y)", "(x)/(y)"),
    ],
)
def test_a_path_loses_its_folders(reason: str, shown: str) -> None:
    assert presentable(reason) == shown
    assert str(Refused(reason)) == shown


@pytest.mark.parametrize(
    "reason",
    [
        "12 documents/second",
        "12 documents / second",
        "scored on owner/name, not a/b",
        "st:owner/name@0123, hf://datasets/ORG/NAME/leaderboard.json.gz",
        "https://huggingface.co/owner/name?a=/b/c is no model",
        "items/lcc_retrieval.parquet, row 3",
        "../x leads out of the archive",
        "a prompt ends with </s> or <s>/</s>",
        "'documents'/'second', [a]/[b], 50%/50%, (a)/(b)",
        "items/*/x and **/*.parquet",
        "no (ratio) 1/200, 2024/05/06",
        "a \\d+ and '\\x1b[2J'",
        "/ alone, // and /",
        "and/or",
    ],
)
def test_what_is_no_path_keeps_its_slashes(reason: str) -> None:
    assert presentable(reason) == reason


LETTERS = st.characters(codec="utf-8", categories=["Ll", "Lu", "Nd"])
NAME = st.text(LETTERS | st.sampled_from("_.+-@=[]()~%"), min_size=1, max_size=12).filter(
    lambda name: name[0].isalnum()
)
SECRET = NAME.map(lambda name: f"secret{name}")
SEPARATOR = st.sampled_from(["/", "//", "\\", "\\\\"])


@st.composite
def paths(draw: st.DrawFn) -> tuple[str, str]:
    """An absolute path, and the name at its end."""
    separator = draw(SEPARATOR)
    if separator[0] == "\\":
        root = draw(st.sampled_from(["C:\\", "d:\\\\", "\\\\"]))
    else:
        root = draw(st.sampled_from(["/", "//", "~/", "~ann/", "C:/", "file:///"]))
    folders, name = draw(st.lists(SECRET, min_size=1, max_size=5)), draw(NAME)
    return root + separator.join([*folders, name]), name


@given(
    path=paths(),
    before=st.sampled_from(
        ["", "at ", "(", "[", "no such file: ", "x=", "cause:", "a, ", "'", '"', 'in "', "->", "a|"]
    ),
    after=st.sampled_from(["", " ", ": bad", ", row 1", "'", '"', "; no"]),
)
def test_no_folder_of_any_path_is_shown(path: tuple[str, str], before: str, after: str) -> None:
    shown = presentable(before + path[0] + after)
    assert "secret" not in shown
    assert one_line(path[1] + after) in shown


@given(st.lists(SECRET.map(lambda name: f"{name} of a"), min_size=1, max_size=4), NAME)
def test_in_quotes_blanks_are_a_part_of_a_path(folders: list[str], name: str) -> None:
    assert presentable(f"no such file: '/{'/'.join(folders)}/{name}'") == f"no such file: '{name}'"


WORD = st.text(LETTERS | st.sampled_from("_.-"), min_size=1, max_size=8).filter(
    lambda word: word[0].isalnum() and word[-1].isalnum()
)
SLASHED = st.lists(WORD, min_size=1, max_size=3).map("/".join)


@given(st.lists(SLASHED | st.sampled_from(["/", "</s>", "a / b"]), max_size=8))
def test_words_with_slashes_between_them_stay(words: list[str]) -> None:
    text = " ".join(words)
    assert presentable(text) == one_line(text, 500)


@given(st.text(st.sampled_from("ab/\\:'\" ~.C(),<>\n=") | LETTERS, max_size=60))
def test_what_was_made_presentable_once_is_so(text: str) -> None:
    once = presentable(text)
    assert "\n" not in once
    assert presentable(once) == once


def test_a_reason_is_bounded() -> None:
    assert len(presentable("x" * 10_000)) == 500
    assert len(presentable("/a" * 10_000)) <= 500


@given(st.text(max_size=500))
def test_a_quoted_text_is_short_printable_and_no_address(text: str) -> None:
    shown = quoted(text)
    assert len(shown) <= 2 * 40 + 2
    assert shown.isprintable()
    assert "://" not in shown


@pytest.mark.parametrize(
    "address",
    ["https://spam.example/x", "HTTPS://x.y", "hhttp://ttp://x.y", "www.x.y", "javascript://x"],
)
def test_an_address_is_quoted_as_none(address: str) -> None:
    shown = quoted(f"look at {address}").lower()
    assert "//" not in shown
    assert "www." not in shown
