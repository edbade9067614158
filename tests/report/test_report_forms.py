"""A report as a page and as Markdown: nothing in a text is markup."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pypandoc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

pytest.importorskip("matplotlib")

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.locks import sole_use
from evaluate_shelf.printable import one_line
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release
from evaluate_shelf.report.building import report_of
from evaluate_shelf.report.document import (
    Heading,
    Listing,
    Paragraph,
    Report,
    Section,
    Table,
)
from evaluate_shelf.report.evidence import Evidence
from evaluate_shelf.report.figures.figure import Figure, Picture
from evaluate_shelf.report.markdown import code, escaped, inline, markdown
from evaluate_shelf.report.page import page
from evaluate_shelf.report.source import Source
from evaluate_shelf.report.writing import check_target, write_report
from evaluate_shelf.reported.runs import reported_runs

MARKUP = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
VOID = {"meta", "link", "wbr"}


class Page(HTMLParser):
    """Tags, how deep they nest, and the page's text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text += data


@pytest.fixture(scope="module")
def report(evidence: Evidence) -> Report:
    return report_of(evidence)


def test_every_name_is_shown_and_none_is_markup(report: Report, hostile: tuple[str, ...]) -> None:
    found = Page(page(report))
    assert found.open == []
    kinds = {tag for tag, _ in found.tags}
    assert not kinds & {"script", "img", "iframe", "object", "form"}
    for name in hostile:
        assert name in found.text
    attributes = [name for _, own in found.tags for name in own]
    assert not [name for name in attributes if name.startswith("on")]


def test_the_page_asks_for_nothing(report: Report) -> None:
    tags = Page(page(report)).tags
    addresses = [
        own[name] for _, own in tags for name in ("href", "src", "xlink:href") if own.get(name)
    ]
    assert [a for a in addresses if not str(a).startswith(("#", "data:,"))] == []
    policy = next(own["content"] for tag, own in tags if own.get("http-equiv"))
    assert str(policy).startswith("default-src 'none'")


def test_ids_are_unique_and_links_lead_somewhere(report: Report) -> None:
    tags = Page(page(report)).tags
    ids = [own["id"] for _, own in tags if "id" in own]
    assert len(ids) == len(set(ids))
    links = {str(own["href"])[1:] for tag, own in tags if tag == "a"}
    assert links == {section.key for section in report.sections}
    assert links <= set(ids)


def test_every_picture_has_an_alternative_text_and_a_source(report: Report) -> None:
    found = Page(page(report))
    pictures = [own for tag, own in found.tags if tag == "svg"]
    count = sum(len(figure.pictures) for figure in report.figures())
    assert len(pictures) == count > 0
    assert all(own["role"] == "img" and len(str(own["aria-label"])) > 30 for own in pictures)
    for figure in report.figures():
        assert figure.source.sha256 in found.text
        assert figure.source.command in found.text


def test_a_command_is_safe_to_paste(report: Report) -> None:
    commands = {source.command for source in report.sources()}
    assert "shelf leaderboard 'my $(runs)' --no-reported --facet form --format csv" in commands


@given(st.text(max_size=60))
def test_escaped_text_is_read_back_as_it_was(text: str) -> None:
    line = one_line(text).strip()
    tokens = [t for t in MARKUP.parse(escaped(text)) if t.type == "inline"]
    read = "".join(
        child.content if child.type in ("text", "text_special") else f"<{child.type}>"
        for token in tokens
        for child in token.children or []
    )
    assert read == line


@pytest.mark.slow
def test_plain_names_and_the_reports_own_words_need_no_backslash() -> None:
    everything = Evidence(
        reported=tuple(reported_runs()),
        treated=(*reported_runs(arm="masked"), *reported_runs(arm="sham")),
        releases=(("release", Release.open(shipped_release())),),
    )
    text = markdown(report_of(everything))
    assert "\\" not in text
    assert "&lt;" not in text


def test_pandoc_reads_back_every_text(hostile: tuple[str, ...]) -> None:
    texts = [*hostile, *PANDOC]
    table = "\n".join(["| a |", "|---|", *(f"| {inline(text)} |" for text in texts)])
    source = "\n\n".join(["# Costs", *map(escaped, texts), table, "Table\\: end"])
    for form in ("markdown-smart", "commonmark_x-smart", "commonmark+pipe_tables"):
        read = subprocess.run(
            [pypandoc.get_pandoc_path(), "-f", form, "-t", "json"],
            input=source,
            capture_output=True,
            text=True,
            check=True,
        )
        _, *blocks = json.loads(read.stdout)["blocks"]
        expected = [one_line(text).strip() for text in texts]
        assert [plain(block["c"]) for block in blocks[: len(texts)]] == expected
        table_read = blocks[len(texts)]
        assert table_read["t"] == "Table"
        rows = table_read["c"][4][0][3]
        assert [plain(row[1][0][4][0]["c"]) for row in rows] == expected


PANDOC = (
    "1. x", "(a) x", "#. x", "(@) x", "- x", "+ x", "> x", "# x", ": x", "~ x", "Table: x", "% x",
    "a_b_c _d_ __e__", "x^2^ H~2~O", "$x$ and $y$", "[Costs]", "[a](b) [c][d] [e]: f ![g](h)",
    "[0.1, 0.2](x) [0.1, 0.2]", "^[note] [^1]", "@cite [@cite] a_@b", "a--b---c ...", "{#id} {.c}",
    "<b>x</b> <!-- --> <?x?> http://x<b> &lt; &#60;", "www.x.org https://x.org", ":a: :rocket:",
    "`code`{=html}", "\\alpha \\begin{x}", "a | b || c", "~~x~~ ~~~", "***", "---", "* * *",
)  # fmt: skip


def plain(inlines: list[dict[str, Any]]) -> str:
    """Text of what pandoc read, as long as it is nothing but text."""
    kinds = {"Space": " ", "SoftBreak": " "}
    return "".join(kinds.get(one["t"]) or str(one["c"]) for one in check_text(inlines))


def check_text(inlines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    assert {one["t"] for one in inlines} <= {"Str", "Space", "SoftBreak"}, inlines
    return inlines


@given(st.text(max_size=60))
def test_a_code_span_is_read_back_as_it_was(text: str) -> None:
    line = one_line(text)
    if not line.strip():
        return
    [token] = [t for t in MARKUP.parse(f"x {code(text)}") if t.type == "inline"]
    spans = [child.content for child in token.children or [] if child.type == "code_inline"]
    assert spans == [line]


def test_the_markdown_has_the_tables_and_images_of_the_page(
    report: Report, hostile: tuple[str, ...]
) -> None:
    text = markdown(report)
    tokens = MARKUP.parse(text)
    assert not [t for t in tokens if t.type == "html_block"]
    children = [child for t in tokens for child in t.children or []]
    assert not [child for child in children if child.type == "html_inline"]
    images = [child for child in children if child.type == "image"]
    names = [name for figure in report.figures() for name in figure.picture_names()]
    assert [image.attrs["src"] for image in images] == [f"figures/{name}.png" for name in names]
    assert all(image.content for image in images)
    tables = [b for s in report.sections for b in s.blocks if isinstance(b, Table)]
    rows = sum(token.type == "tr_open" for token in tokens)
    assert rows == sum(len(table.rows) + 1 for table in tables)
    shown = " ".join(child.content for child in children)
    assert "(run 000000000000)" not in shown
    assert hostile[1] in shown


def small(name: str = "one", data: bytes = b"a\n1\n") -> Report:
    picture = Picture("what it shows", b'<svg viewBox="0 0 1 1"/>', b"png")
    source = Source(name, data, "shelf x")
    blocks = (
        Heading("H"),
        Paragraph("p", "warning"),
        Listing(("a", "b")),
        Table("t", ("a", "b"), (("1", "2"),), source),
        Figure("c", (picture, picture), source),
    )
    return Report("T", ("lead",), (Section("s", "S", blocks),))


def test_a_folder_holds_the_page_the_text_and_every_figure(tmp_path: Path) -> None:
    write_report(small(), tmp_path / "out")
    names = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*"))
    assert names == [
        "data/one.csv",
        "figures/one-1.png",
        "figures/one-1.svg",
        "figures/one-2.png",
        "figures/one-2.svg",
        "report.html",
        "report.md",
    ]
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_a_report_is_replaced_whole_and_nothing_else_is(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_report(small("one"), out)
    write_report(small("two"), out)
    assert {path.name for path in (out / "data").glob("*.csv")} == {"two.csv"}
    (out / "mine.txt").write_text("keep me", encoding="utf-8")
    with pytest.raises(ShelfError, match=r"holds 'mine.txt'"):
        write_report(small("three"), out)
    assert (out / "data" / "two.csv").is_file()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ShelfError, match="is a file"):
        check_target(tmp_path / "file")


def test_a_report_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_report(small("one"), out)
    twice = small("two")
    section = twice.sections[0]
    bad = Report("T", (), (section, section))
    with pytest.raises(ShelfError, match="two figures have the name 'two-1'"):
        write_report(bad, out)
    assert (out / "data" / "one.csv").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    left = tmp_path / ".out.new"
    (left / "figures").mkdir(parents=True)
    (left / "report.html").write_text("half", encoding="utf-8")
    (left / "figures" / "old.svg").write_text("half", encoding="utf-8")
    write_report(small("one"), out)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert not (out / "figures" / "old.svg").exists()


@pytest.mark.parametrize("moment", range(4))
def test_a_process_killed_at_any_moment_leaves_nothing_behind_the_next_one(
    tmp_path: Path, moment: int
) -> None:
    out = tmp_path / "out"
    write_report(small("one"), out)
    steps = ("markdown", "page", "replace_folder", "shutil.rmtree")
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from test_report_forms import small\n"
        "from unittest.mock import patch\n"
        "from evaluate_shelf.report.writing import write_report\n"
        "kill = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"with patch('evaluate_shelf.report.writing.{steps[moment]}', kill):\n"
        f"    write_report(small('two'), Path({str(out)!r}))\n"
    )
    tests = Path(__file__).parent
    killed = subprocess.run(
        [sys.executable, "-c", code],
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (tests, tests.parent)))},
    )
    assert killed.returncode == -signal.SIGKILL
    write_report(small("three"), out)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert [path.name for path in (out / "data").iterdir()] == ["three.csv"]


def test_two_processes_do_not_write_one_report(tmp_path: Path) -> None:
    with (
        sole_use(tmp_path / "out", "wait"),
        pytest.raises(ShelfError, match="another process works there"),
    ):
        write_report(small(), tmp_path / "out")


def test_what_is_not_there_is_said_in_every_section() -> None:
    found = report_of(Evidence())
    for section in found.sections[:-1]:
        assert [b for b in section.blocks if isinstance(b, Paragraph) and b.kind == "absent"]
    assert found.figures() == []
