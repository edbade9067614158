from __future__ import annotations

import asyncio
import http.client
import subprocess
import sys
from pathlib import Path

import pytest
from chromium import skip_without_browser

from benchmarks.space_load import served
from benchmarks.space_load.clients import Errand, Fetched, fetched
from benchmarks.space_load.facets import facets_of, tour_of
from benchmarks.space_load.limits import verdict
from benchmarks.space_load.measured import Measured, measured
from benchmarks.space_load.page import Asked, page_of, ratio
from benchmarks.space_load.servers import cpu_seconds, peak_gib, processes_of, started
from benchmarks.space_load.sites import OURS, PLACES, PLAIN, STATIC, all_started
from benchmarks.space_load.visitors import Traffic, Visit
from benchmarks.space_load.waits import changes, changes_back, changes_to_all, median
from benchmarks.synthetic_aggregate import synthetic_aggregate
from evaluate_shelf.aggregate.file import write_aggregate
from space.static_site import write_site

MEBIBYTES = 150
PARENT = f"""
import subprocess, sys
child = "held = bytearray({MEBIBYTES} << 20); print(len(held), flush=True); input()"
child = subprocess.Popen([sys.executable, "-c", child], stdin=subprocess.PIPE)
sys.stdin.read()
child.communicate(b"\\n")
"""


def _read(address: str, path: str) -> bytes:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
    connection.request("GET", path)
    return connection.getresponse().read()


def test_a_folder_is_served_until_the_block_ends(tmp_path: Path) -> None:
    (tmp_path / "file.txt").write_text("text")
    with served(tmp_path) as address:
        assert _read(address, "/file.txt") == b"text"
    with pytest.raises(ConnectionError):
        _read(address, "/file.txt")


def test_a_server_that_ends_is_an_error_with_its_last_words() -> None:
    with (
        pytest.raises(RuntimeError, match="no such thing"),
        started(["-c", "import sys; sys.exit('no such thing')"]),
    ):
        pass


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_memory_and_time_are_those_of_all_processes_of_a_server() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        first, *others = processes_of(parent.pid)
        assert (first, len(others)) == (parent.pid, 1)
        own = peak_gib(others[0])
        assert MEBIBYTES / 1024 < own < peak_gib(parent.pid)
        assert 0 < cpu_seconds(parent.pid) < 60
        parent.communicate(b"")
    assert peak_gib(parent.pid) == 0


def test_facets_are_the_ranked_models_of_the_board_best_first() -> None:
    made = synthetic_aggregate(40, 20, seed=3)
    [board] = made.boards
    facets = facets_of(made)
    assert facets[0].name == "subject"
    assert {facet.name for facet in facets} == {"all", *(task.facet for task in made.tasks)}
    row_of = {row.name: row for row in board.rows}
    for facet in facets:
        own = [task.id for task in made.tasks if facet.name in ("all", task.facet)]
        assert list(facet.tasks) == own
        places = [board.tasks.index(task) for task in own]
        scored = {
            row.name
            for row in board.rows
            if row.status in ("computed", "verified")
            and any(len(row.cells[place]) > 1 for place in places)
        }
        assert len(facet.models) == len(scored)
        assert set(facet.models) == scored
        means = [mean for mean in facet.means if mean is not None]
        assert means == sorted(means, reverse=True)
        for task, column in zip(facet.tasks, facet.scores, strict=True):
            cells = [row_of[name].cells[board.tasks.index(task)] for name in facet.models]
            expected = [round(cell[0], 3) if len(cell) > 1 else None for cell in cells]
            assert list(column) == expected


def test_a_tour_ends_where_it_began_and_goes_through_all_tasks() -> None:
    names = [facet.name for facet in tour_of(facets_of(synthetic_aggregate(3, 20)))]
    assert names[0] == names[-1] == "subject"
    assert names[-2] == "all"
    assert len(set(names)) == len(names) - 1 == 4
    few = [facet.name for facet in tour_of(facets_of(synthetic_aggregate(3, 1)))]
    assert few == ["subject", "all", "subject"]


def test_visitors_get_every_file_and_a_missing_one_is_an_error(tmp_path: Path) -> None:
    sizes = {"a": 10, "b": 70_000}
    for name, size in sizes.items():
        (tmp_path / name).write_bytes(b"x" * size)
    with served(tmp_path) as address:
        found = fetched(Errand(address, ("/a", "/b", "/a"), ()), 4)
        assert [one.size for one in found] == [70_020] * 4
        assert all(one.view > 0 and one.changes == () for one in found)
        with pytest.raises(RuntimeError, match="/c: status 404"):
            fetched(Errand(address, ("/a", "/c"), ()), 2)


def _measured(ms: float) -> Measured:
    visit = Visit(ms, 2 * ms, None, {"form": 3 * ms, "all": 4 * ms, "subject": 5 * ms})
    return Measured(
        start_seconds=1.0,
        traffic=Traffic(("/",), 0),
        alone=[visit],
        among=[visit],
        together=[visit],
        fetched_alone=[Fetched(ms, (), 10)],
        fetched_together=[Fetched(ms, (), 10)],
        together_seconds=1.0,
        peak_gib=0.5,
    )


def test_the_page_has_what_was_measured_and_how_ours_compares() -> None:
    found = {OURS: _measured(100.0), PLAIN: _measured(400.0), STATIC: _measured(50.0)}
    page = page_of(Asked(3, 2, 5, 1, ""), found, browser="Chromium", load=0.0)
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("|")
    ]
    assert ["first row painted", "100 (100)", "400 (400)", "50 (50)", "0.25", "2.00"] in cells
    assert ["first page, 5 at once", "100.0", "400.0", "50.0", "0.25", "2.00"] in cells
    assert ["change to all tasks, s", "0.40", "0.3", "no"] in cells
    assert ["change to all tasks, one of 5, times one alone", "1.00", "2.0", "yes"] in cells
    assert ["change back from all tasks, s", "0.50", "0.3", "no"] in cells
    assert ["memory, GiB", "0.50", "1.0", "yes"] in cells


def test_a_ratio_needs_two_numbers_and_a_limit_is_held_where_it_is_met() -> None:
    assert (ratio(30.0, 120.0), ratio(None, 1.0), ratio(1.0, None)) == ("0.25", "–", "–")
    assert ratio(0.0, 0.0) == "–"
    assert (verdict(1.0, 1.0), verdict(1.01, 1.0)) == ("yes", "no")
    assert (median([3.0, None, 1.0]), median([None]), median([])) == (2.0, None, None)


@pytest.mark.slow
def test_all_three_are_measured_in_a_browser(tmp_path: Path) -> None:
    skip_without_browser("gradio")
    made = synthetic_aggregate(12, 14, compared=3)
    file = write_aggregate(made, tmp_path / "leaderboard.json")
    write_site(made, tmp_path / "site")
    tour = tour_of(facets_of(made))
    chosen = [facet.name for facet in tour[1:]]
    with all_started(file, tmp_path / "site") as servers:
        assert list(servers) == list(PLACES) == [OURS, PLAIN, STATIC]
        found, browser = asyncio.run(measured(servers, tour, visitors=2, rounds=1))
    assert browser.startswith("Chromium ")
    for name, own in found.items():
        visits = [*own.alone, *own.among, *own.together]
        assert [len(own.alone), len(own.among), len(own.together)] == [1, 1, 2]
        for visit in visits:
            assert list(visit.changes) == chosen
            assert 0 < visit.first <= visit.usable
            assert (visit.whole is None) == (name == PLAIN)
        assert len(changes(visits)) == 2 * len(visits)
        assert len(changes_to_all(visits)) == len(changes_back(visits)) == len(visits)
        assert min(ms for visit in visits for ms in visit.changes.values()) > 0
        asked_for = 0 if name != PLAIN else len(chosen)
        assert {len(one.changes) for one in own.fetched_together} == {asked_for}
        assert (own.traffic.changing > 0) == (name == PLAIN)
        assert own.fetched_alone[0].size > 10_000
        assert 0 < own.peak_gib < 2
