"""Nothing is out of sample without two dates, and no date is there without its source."""

from __future__ import annotations

import csv
import datetime as dt
import io
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_runs import run

from evaluate_shelf.contamination.runs import cutoff_of, seen_by, written_of
from evaluate_shelf.contamination.seen import MARKS, MEANINGS, seen
from evaluate_shelf.contamination.written import (
    Written,
    written_as_published,
    written_by_ids,
    written_in,
)
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.leaderboard.boards import boards
from evaluate_shelf.leaderboard.forms import as_csv, as_markdown, as_values
from evaluate_shelf.leaderboard.terminal_table import for_terminal
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.panel import Cutoff, load_panel
from evaluate_shelf.release.documents import Release
from evaluate_shelf.reported.runs import reported_runs
from evaluate_shelf.reported.source import load_reported

DAYS = st.dates(dt.date(2015, 1, 1), dt.date(2035, 1, 1))
KINDS = st.sampled_from(["static", "encoder", "hybrid", "custom", "endpoint"])


def cutoff(day: dt.date) -> Cutoff:
    return Cutoff(date=day, of="release", source="https://example.org/model")


@given(DAYS, DAYS, KINDS)
def test_only_a_model_older_than_every_document_is_out_of_sample(
    learned: dt.date, first: dt.date, kind: str
) -> None:
    written = Written(first, None, "x")
    found = seen(kind=kind, cutoff=cutoff(learned), corpus="synthetic", written=written)
    assert found == ("out of sample by date" if learned < first else "may have seen")


@given(st.none() | DAYS, st.none() | DAYS, KINDS, st.sampled_from([None, "synthetic"]))
def test_a_date_that_is_not_known_leaves_it_unknown(
    learned: dt.date | None, first: dt.date | None, kind: str, corpus: None
) -> None:
    found = seen(
        kind=kind,
        cutoff=None if learned is None else cutoff(learned),
        corpus=corpus,
        written=None if first is None else Written(first, None, "x"),
    )
    assert (found == "unknown") == (learned is None or first is None)


@given(st.none() | DAYS, KINDS)
def test_natural_text_is_in_pretraining_data_whatever_the_dates(
    learned: dt.date | None, kind: str
) -> None:
    known = None if learned is None else cutoff(learned)
    written = Written(dt.date(2034, 1, 1), None, "x")
    for day in (None, written):
        assert seen(kind=kind, cutoff=known, corpus="natural", written=day) == "in pretraining data"
    # Counts of words are of the corpus itself.
    assert seen(kind="sparse", cutoff=known, corpus="natural", written=None) == "no pretraining"


def test_every_date_of_a_model_has_a_page_that_states_it() -> None:
    known = [
        *(model.cutoff for model in load_reported().models.values()),
        *(row.cutoff for row in load_panel().values()),
    ]
    dated = [one for one in known if one is not None]
    assert dated
    assert all(one.source.startswith("https://") for one in dated)
    # A page can only state what has been.
    assert all(dt.date(2013, 1, 1) < one.date < dt.date.today() for one in dated)


def test_the_published_panel() -> None:
    found = {own.file.model.spec: seen_by(own) for own in reported_runs("all")}
    assert {found[sparse] for sparse in ("tf", "tfidf", "bm25")} == {"no pretraining"}
    assert found["minilm"] == found["qwen3_embed_600m"] == "out of sample by date"
    assert found["embeddinggemma_300m"] == "out of sample by date"
    # Their cards cite a paper of the month in which the first documents were written.
    unknown = {spec for spec, status in found.items() if status == "unknown"}
    assert {spec for spec in found if spec.startswith("ogbert")} <= unknown
    assert unknown == {
        spec
        for spec, model in load_reported().models.items()
        if model.cutoff is None and model.kind != "sparse"
    }


@pytest.mark.parametrize("corpus", ["transfer_gutenberg", "transfer_lcshbench"])
@pytest.mark.parametrize("arm", ["none", "masked", "sham"])
def test_natural_corpora_are_marked_in_every_arm(corpus: str, arm: str) -> None:
    runs = reported_runs(corpus, arm=arm)  # type: ignore[arg-type]
    found = {seen_by(own) for own in runs if own.file.model.kind != "sparse"}
    assert found == {"in pretraining data"}


def test_a_run_computed_here_has_the_panel_s_date_and_no_day_of_its_documents() -> None:
    for spec in ("st:minilm", "st:minilm,dim=256", "hybrid:bm25+st:minilm"):
        found = cutoff_of(run(spec, {"lcc_retrieval": (0.5, 0.4, 0.6)}))
        assert found is not None
        assert found == load_panel()["st:minilm"].cutoff
    own = run("st:minilm", {"lcc_retrieval": (0.5, 0.4, 0.6)})
    # The config is called `all`, as the published one is, and may be any release.
    assert written_of(own) is None
    assert seen_by(own) == "unknown"
    assert cutoff_of(run("st:somebody/anything", {"lcc_retrieval": (0.5, 0.4, 0.6)})) is None


IDS = st.builds(
    lambda day, digits: f"{day:%Y%m%d}_101112_{digits:08x}", DAYS, st.integers(0, 2**32 - 1)
)


@given(st.lists(IDS, min_size=1))
def test_the_days_of_ids_bound_when_documents_were_written(ids: list[str]) -> None:
    found = written_by_ids(ids)
    assert found is not None
    days = sorted(identity[:8] for identity in ids)
    assert (f"{found.first:%Y%m%d}", f"{found.last:%Y%m%d}") == (days[0], days[-1])
    # One document that may be older than all others takes the lower end away.
    assert written_by_ids([*ids, "023de726b05aa2b8"]) is None


def test_a_composed_release_does_not_say_when_it_was_written() -> None:
    release = Release.open(shipped_release())
    assert written_in(release, "all") is None
    with pytest.raises(ShelfError, match="not one of documents"):
        written_in(release, "same_lcc_pairs")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(config_folder(), tmp_path / "configs"))


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("corpus: all", "corpus: everything", "everything"),
        ("corpus: all", "corpus: transfer_gutenberg", "natural"),
        ("source: https://", "source: told by ", "source"),
        ("first: 2025-11-01", "first: soon", "first"),
    ],
)
def test_a_damaged_table_of_documents(folder: Path, old: str, new: str, part: str) -> None:
    file = folder / "contamination.yaml"
    file.write_text(file.read_text().replace(old, new, 1))
    with pytest.raises(ShelfError, match=part) as caught:
        written_as_published("all", folder)
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    "change",
    [
        lambda cells: {**cells, "cutoff_source": ""},
        lambda cells: {**cells, "cutoff_date": ""},
        lambda cells: {**cells, "cutoff_of": "memory"},
        lambda cells: {**cells, "cutoff_source": "I remember it"},
    ],
)
def test_a_date_without_its_source_is_refused(folder: Path, change: object) -> None:
    file = folder / "reported" / "models.csv"
    reader = csv.DictReader(io.StringIO(file.read_text()))
    rows = [change(row) if row["model"] == "minilm" else row for row in reader]  # type: ignore[operator]
    stream = io.StringIO()
    writer = csv.DictWriter(stream, reader.fieldnames or [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    file.write_text(stream.getvalue())
    with pytest.raises(ShelfError, match=r"models\.csv"):
        load_reported(folder)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    of: release\n", ""),
        ("https://github.com", "a talk"),
        ("    of: release", "    of: hearsay"),
    ],
)
def test_a_damaged_cutoff_of_the_reference_panel(folder: Path, old: str, new: str) -> None:
    file = folder / "panel.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    with pytest.raises(ShelfError, match=r"row 'st:minilm', field 'cutoff\."):
        load_panel(folder)


def test_it_stands_with_every_score_of_a_board() -> None:
    found = boards([*reported_runs("all"), *reported_runs("transfer_gutenberg")])
    status = {(board.config, row.name): row.seen for board in found for row in board.rows}
    lines = list(csv.DictReader(io.StringIO(as_csv(found))))
    assert {(line["config"], line["model"]): line["seen"] for line in lines} == status
    assert all(line["seen"] for line in lines)
    for board in found:
        rows = as_values(board)["rows"]
        assert {row["name"]: row["seen"] for row in rows} == {
            row.name: row.seen for row in board.rows
        }
        text, narrow = as_markdown(board), for_terminal([board], 80)
        for row in board.rows:
            # The fifth column of both, behind the name.
            (line,) = [one for one in text.splitlines() if one.startswith(f"| {row.name} |")]
            assert line.split(" | ")[4].strip() == MARKS[row.seen]
            first = next(one for one in narrow.splitlines() if one.startswith(f"│ {row.name} "))
            assert first.split("│")[5].strip() == MARKS[row.seen]
        for there in {row.seen for row in board.rows}:
            assert MEANINGS[there] in text


def test_marks_tell_statuses_apart() -> None:
    assert set(MARKS) == set(MEANINGS)
    assert len(set(MARKS.values())) == len(MARKS)
