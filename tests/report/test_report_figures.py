"""Drawings: the same bytes, safe with any name, and a part of a page of their own."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

pytest.importorskip("matplotlib")

from evaluate_shelf.report.figures.dots import Dot, DotRow, dots
from evaluate_shelf.report.figures.drawing import drawable, short, width
from evaluate_shelf.report.figures.figure import Picture
from evaluate_shelf.report.figures.heat import heat
from evaluate_shelf.report.figures.inline import inline_svg
from evaluate_shelf.report.figures.palette import COLOURS, SERIES
from evaluate_shelf.report.figures.scatter import Point, scatter
from evaluate_shelf.report.source import csv_data


def drawn(names: tuple[str, ...]) -> list[Picture]:
    """One picture of each kind, the first name wherever a text can stand."""
    rows = [DotRow(name, (Dot(0.5, 0.4, 0.6), Dot(0.3, series=1))) for name in names]
    points = [Point(10.0**place, 0.1 * place, name) for place, name in enumerate(names)]
    return [
        dots(names[0], names[0], rows, x=names[0], names=names[:2], line=0.2, line_name=names[0]),
        scatter(names[0], names[0], points, x=names[0], y=names[0], logarithmic=True),
        heat(names[0], names[0], [[0.5, None]], rows=names[:1], columns=names[:2], x="x", y="y"),
    ]


class Tags(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_drawing_is_340_points_wide_in_both_forms() -> None:
    for picture in drawn(("one", "two")):
        root = ET.fromstring(picture.svg)
        assert root.attrib["viewBox"].split()[2] == "340"
        assert picture.png.startswith(b"\x89PNG")
        assert struct.unpack(">I", picture.png[16:20]) == (1020,)


def test_names_of_strangers_are_text_and_nothing_else(hostile: tuple[str, ...]) -> None:
    allowed = {"svg", "g", "defs", "path", "use", "clippath", "rect", "text", "tspan"}
    for first in range(len(hostile)):
        names = (*hostile[first:], *hostile[:first])
        for picture in drawn(names):
            texts = " ".join(element.text or "" for element in ET.fromstring(picture.svg).iter())
            assert short(names[0])[:5] in texts
            inline = Tags(inline_svg(picture, "p"))
            assert {tag for tag, _ in inline.tags} <= allowed
            assert short(names[0])[:5] in inline.text
            attributes = {name for _, own in inline.tags for name in own}
            assert not [name for name in attributes if name.startswith("on")]


def test_an_inline_drawing_has_ids_of_its_own_and_the_colours_of_the_page() -> None:
    first, second, _ = (inline_svg(picture, f"p{n}") for n, picture in enumerate(drawn(("a", "b"))))
    ids = [
        own["id"]
        for html in (first, second)
        for _, own in Tags(html).tags
        if own.get("id") is not None
    ]
    assert ids
    assert len(ids) == len(set(ids))
    targets = set(re.findall(r'(?:href="#|url\(#)([^")]+)', first + second))
    assert targets <= set(ids)
    assert not [colour for colour in COLOURS if colour.light in first]
    assert f"var({SERIES[0].variable})" in first
    assert 'role="img" aria-label="a"' in first
    assert "<title" not in first


def test_another_process_draws_the_same_bytes() -> None:
    code = (
        "import hashlib, matplotlib\n"
        "matplotlib.rcParams['font.size'] = 30\n"
        "from evaluate_shelf.report.figures.dots import Dot, DotRow, dots\n"
        "p = dots('t', 'a', [DotRow('m', (Dot(0.5, 0.4, 0.6),))], x='x', line=0.1, line_name='c')\n"
        "print(hashlib.sha256(p.svg + p.png).hexdigest())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": seed},
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    svg = dots("t", "a", [DotRow("m", (Dot(0.5),))], x="x").svg
    assert b"<dc:date" not in svg
    assert b"matplotlib.org" not in svg


def test_long_and_wide_names_have_room() -> None:
    for name in ("x" * 100, "図" * 100, "a", "", "all-MiniLM-L6-v2, dim 128, int8"):
        for longest in (5, 24, 25):
            assert width(short(name, longest)) <= longest
    assert short("abcdefghijklmnopqrstuvwxyz0123").startswith("abc")
    assert short("abcdefghijklmnopqrstuvwxyz0123").endswith("123")
    assert drawable("a\ufffe\x00\ud800b") in ("ab", "a?b")


def test_series_differ_without_colour() -> None:
    row = DotRow("m", (Dot(0.1), Dot(0.2, series=1), Dot(0.3, series=2)))
    svg = dots("t", "a", [row], x="x", names=("a", "b", "c")).svg.decode()
    shapes = {
        re.sub(r"\s+", " ", shape)
        for shape in re.findall(r'<path id="m[0-9a-f]+" d="([^"]+)"', svg)
    }
    # Three markers besides the tick of an axis.
    assert len(shapes) >= 4


def test_data_is_csv_that_no_spreadsheet_runs() -> None:
    found = csv_data(("a", "b"), [("=1+1", 0.1 + 0.2), ('q"', None), ("-x", -1.5)]).decode()
    assert found == 'a,b\n\'=1+1,0.30000000000000004\n"q""",\n\'-x,-1.5\n'
