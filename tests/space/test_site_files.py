from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_site import SCRIPT, hostile_aggregate

from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.file import write_aggregate
from evaluate_shelf.aggregate.schema import Aggregate
from evaluate_shelf.errors import ShelfError
from space.static_site import POLICY, write_site
from space.views import long_form
from space.views.data_files import script_of
from space.views.details import details_of

SPACE = Path(__file__).parents[2] / "space"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@pytest.fixture(scope="module")
def aggregate() -> Aggregate:
    return hostile_aggregate()


@pytest.fixture(scope="module")
def site(aggregate: Aggregate, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files") / "site"
    write_site(aggregate, folder)
    return folder


def _content(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_the_same_aggregate_gives_the_same_bytes(
    aggregate: Aggregate, site: Path, tmp_path: Path
) -> None:
    write_site(aggregate, tmp_path / "again")
    assert _content(tmp_path / "again") == _content(site)


def test_a_site_names_the_repository_that_runs_are_proposed_to(
    aggregate: Aggregate, site: Path, tmp_path: Path
) -> None:
    write_site(aggregate, tmp_path / "site", "org/<results>")
    named = (tmp_path / "site" / "submit.html").read_text(encoding="utf-8")
    assert "<code>org/&lt;results&gt;</code>" in named
    assert "the results repository" not in (site / "submit.html").read_text(encoding="utf-8")


def test_an_older_site_is_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    write_site(synthetic_aggregate(3, 2), folder)
    (folder / "left.txt").write_text("from before")
    write_site(synthetic_aggregate(2, 2), folder)
    assert not (folder / "left.txt").exists()
    assert [one.name for one in tmp_path.iterdir()] == ["site"]


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ShelfError, match="something other than a site"):
        write_site(synthetic_aggregate(2, 2), tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == ["thesis.txt"]
    link = tmp_path.parent / f"{tmp_path.name}-link"
    link.symlink_to(tmp_path)
    for other in (link, tmp_path / "thesis.txt"):
        with pytest.raises(ShelfError, match="no folder"):
            write_site(synthetic_aggregate(2, 2), other)


def test_a_failure_leaves_the_older_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site"
    write_site(synthetic_aggregate(3, 2), folder)
    before = _content(folder)

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("space.static_site.write_long", fail)
    with pytest.raises(ShelfError, match="cannot be written"):
        write_site(synthetic_aggregate(2, 2), folder)
    assert _content(folder) == before
    assert [one.name for one in tmp_path.iterdir()] == ["site"]


class _Elements(HTMLParser):
    """The elements of a page, as a browser reads them: name and attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))


def test_pages_hold_no_script_style_handler_or_foreign_address(site: Path) -> None:
    for page in site.glob("*.html"):
        elements = _Elements(page.read_text("utf-8")).found
        policies = [own["content"] for _, own in elements if "http-equiv" in own]
        assert policies == [POLICY]
        for name, attributes in elements:
            assert name not in ("style", "img", "iframe", "object", "base")
            assert name != "script" or "src" in attributes
            assert not [one for one in attributes if one == "style" or one.startswith("on")]
            for key in ("src", "href"):
                address = attributes.get(key, "#")
                assert address.startswith("#") or (site / address.partition("?")[0]).is_file()


def test_hostile_texts_are_escaped_in_pages_and_data(site: Path) -> None:
    names = [*site.glob("*.html"), *(site / "data").glob("*.js")]
    for file in names:
        text = file.read_text("utf-8")
        assert SCRIPT not in text
        assert "</script><script>" not in text
    assert "&lt;img src=x" in (site / "tasks.html").read_text("utf-8")


@given(VALUES)
def test_data_are_read_back_as_they_were(value: object) -> None:
    text = script_of("name", value)
    [literal] = re.findall(r"JSON\.parse\((.*)\);\n$", text)
    assert json.loads(json.loads(literal)) == value
    assert "<" not in text
    assert text.isascii()


def test_parquet_holds_every_score_in_full(aggregate: Aggregate, site: Path) -> None:
    [board] = aggregate.boards
    table = pq.read_table(site / "data" / f"{board.key}.parquet").to_pylist()
    cells = [
        (row.name, task, *cell[:4]) if len(cell) > 1 else (row.name, task, None, None, None, None)
        for row in board.rows
        for task, cell in zip(board.tasks, row.cells, strict=True)
    ]
    names = ("model", "task", "value", "low", "high", "rank")
    assert [tuple(line[name] for name in names) for line in table] == cells


def test_parquet_written_in_parts_is_the_same_table(
    aggregate: Aggregate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [board] = aggregate.boards
    long_form.write_long(aggregate, board, tmp_path / "whole.parquet")
    monkeypatch.setattr(long_form, "CELLS_AT_A_TIME", 3 * len(board.tasks) + 1)
    long_form.write_long(aggregate, board, tmp_path / "parts.parquet")
    parts = pq.ParquetFile(tmp_path / "parts.parquet")
    assert parts.num_row_groups == -(-len(board.rows) // 3)
    table = parts.read()
    assert table.equals(pq.read_table(tmp_path / "whole.parquet"))
    known = {task.id: task.chance for task in aggregate.tasks}
    assert [line["chance_stated"] for line in table.to_pylist()] == [
        known[task] for _ in board.rows for task in board.tasks
    ]
    assert table["chance_measured"].to_pylist() == [
        cell[6] if len(cell) > 1 else None for row in board.rows for cell in row.cells
    ]


def test_a_score_that_is_in_one_part_is_not_parted(aggregate: Aggregate) -> None:
    [board] = aggregate.boards
    [first, *rest] = board.strata.rows
    one, *others = first.parts
    cut = one.model_copy(update={"strata": one.strata[:1]})
    row = first.model_copy(update={"parts": (cut, *others)})
    strata = board.strata.model_copy(update={"rows": (row, *rest)})
    changed = aggregate.model_copy(
        update={"boards": (board.model_copy(update={"strata": strata}),)}
    )
    model = board.rows[first.row].model
    [before], [after] = details_of(aggregate)[model], details_of(changed)[model]
    assert after["strata"] == before["strata"][1:]


def test_without_a_script_the_first_page_shows_at_most_fifty_models(tmp_path: Path) -> None:
    write_site(synthetic_aggregate(80, 3), tmp_path / "site")
    text = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert text.count('<th scope="row"><a class="name"') == 50
    assert "The first 50 of" in text


def test_an_aggregate_without_boards_gives_a_site(tmp_path: Path) -> None:
    empty = synthetic_aggregate(2, 2).model_copy(update={"boards": (), "models": ()})
    write_site(empty, tmp_path / "site")
    assert "There are no scores yet" in (tmp_path / "site" / "index.html").read_text("utf-8")


def test_the_writer_works_where_its_folder_is_no_package(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; import static_site\n"
        "from benchmarks.synthetic_aggregate import synthetic_aggregate\n"
        "static_site.write_site(synthetic_aggregate(2, 2), Path(sys.argv[1]))"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "site")],
        check=True,
        env={"PYTHONPATH": f"{SPACE}:{SPACE.parent}"},
        cwd=tmp_path,
    )
    assert (tmp_path / "site" / "index.html").is_file()


def test_the_command_writes_the_site_of_an_aggregate(tmp_path: Path, site: Path) -> None:
    write_aggregate(hostile_aggregate(), tmp_path / "shown.json.gz")
    arguments = ["space", str(tmp_path / "shown.json.gz"), "--static", str(tmp_path / "site")]
    done = subprocess.run(
        [sys.executable, "-m", "evaluate_shelf", *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=SPACE.parent,
    )
    assert done.stdout == f"{tmp_path / 'site' / 'index.html'}\n"
    assert _content(tmp_path / "site") == _content(site)
