"""A report as a page and as Markdown: nothing in a text is markup."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

pytest.importorskip("matplotlib")

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import one_line
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
from evaluate_shelf.report.markdown import code, escaped, markdown
from evaluate_shelf.report.page import page
from evaluate_shelf.report.writing import check_target, write_report

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
        assert figure.sha256 in found.text
        assert figure.command in found.text
        assert figure.command.startswith("shelf ")


def test_a_command_is_safe_to_paste(report: Report) -> None:
    commands = {figure.command for figure in report.figures()}
    assert "shelf leaderboard 'my $(runs)' --facet form --format csv" in commands


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
    blocks = (
        Heading("H"),
        Paragraph("p", "warning"),
        Listing(("a", "b")),
        Table("t", ("a", "b"), (("1", "2"),)),
        Figure(name, "c", (picture, picture), data, "shelf x"),
    )
    return Report("T", ("lead",), (Section("s", "S", blocks),))


def test_a_folder_holds_the_page_the_text_and_every_figure(tmp_path: Path) -> None:
    write_report(small(), tmp_path / "out")
    names = sorted(str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out").rglob("*.*"))
    assert names == [
        "figures/one-1.png",
        "figures/one-1.svg",
        "figures/one-2.png",
        "figures/one-2.svg",
        "figures/one.csv",
        "report.html",
        "report.md",
    ]
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_a_report_is_replaced_whole_and_nothing_else_is(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_report(small("one"), out)
    write_report(small("two"), out)
    assert {path.name for path in (out / "figures").glob("*.csv")} == {"two.csv"}
    (out / "mine.txt").write_text("keep me", encoding="utf-8")
    with pytest.raises(ShelfError, match=r"holds 'mine.txt'"):
        write_report(small("three"), out)
    assert (out / "figures" / "two.csv").is_file()
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ShelfError, match="is a file"):
        check_target(tmp_path / "file")


def test_a_report_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_report(small("one"), out)
    twice = small("two")
    section = twice.sections[0]
    bad = Report("T", (), (section, section))
    with pytest.raises(ShelfError, match="two figures have the name 'two'"):
        write_report(bad, out)
    assert (out / "figures" / "one.csv").is_file()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_is_not_there_is_said_in_every_section() -> None:
    found = report_of(Evidence())
    for section in found.sections[:-1]:
        assert [b for b in section.blocks if isinstance(b, Paragraph) and b.kind == "absent"]
    assert found.figures() == []
