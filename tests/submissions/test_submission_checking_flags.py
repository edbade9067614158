"""What is consistent and still not to be believed is pointed out, and never refused."""

from __future__ import annotations

import itertools
import json
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from submitted_runs import copied_run, kept_run

from benchmarks.hostile.forging import contents_of, data_of, rescored, table_of, zipped
from evaluate_shelf.formulations.data import labelled
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.submissions.checking import Checked, checked, checked_archive
from evaluate_shelf.submissions.fingerprints import SKETCHED
from evaluate_shelf.submissions.flags import (
    LEAST_KNOWN,
    MOST_NAMED,
    check_of,
    flags_of,
    known_of,
    known_run,
)
from evaluate_shelf.submissions.likeness import NEARLY, Known, agreement
from evaluate_shelf.submissions.published import best_published

RELEASES = [shipped_release()]
TASK = "lcc_classification"


@pytest.fixture(scope="module")
def run() -> Checked:
    return checked(kept_run(), RELEASES)


@pytest.fixture(scope="module")
def perfect(tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """A run that answers with the public labels, and is consistent in everything."""
    contents = contents_of(kept_run())
    items = table_of(contents, f"items/{TASK}.parquet")
    gold = labelled(task_named(TASK), data_of(TASK).test).labels
    names = sorted(set(labelled(task_named(TASK), data_of(TASK).train).labels))
    answers = pa.DictionaryArray.from_arrays(
        pa.array([names.index(own) for own in gold], pa.int32()), pa.array(names)
    )
    items = items.set_column(items.column_names.index("predicted"), "predicted", answers)
    path = tmp_path_factory.mktemp("perfect") / "run.zip"
    with tempfile.TemporaryDirectory() as folder:
        path.write_bytes(zipped(rescored(contents, TASK, items, Path(folder))))
    return checked_archive(path, RELEASES)


def named(known: Known, **changes: object) -> Known:
    """Another run: what is known of it, with other files."""
    changes = {"content_sha256": "0" * 64, **changes}
    return Known.model_validate({**known.model_dump(), **changes})


def test_an_honest_run_has_no_flag(run: Checked) -> None:
    others = [
        named(known_of(run), name=f"other {number}", run_id=f"{number:012}", fingerprints={})
        for number in range(LEAST_KNOWN)
    ]
    assert flags_of(run, []) == []
    assert flags_of(run, [known_of(run), *others]) == []


def test_public_labels_are_accepted_and_pointed_out(perfect: Checked) -> None:
    [flag] = flags_of(perfect, [])
    assert perfect.primary_scores()[TASK].value == 1.0
    assert (flag.kind, flag.tasks) == ("near-perfect", (TASK,))


def test_the_same_answers_under_another_name_are_pointed_out_by_name(run: Checked) -> None:
    other = named(known_of(run), name="The same weights", run_id="0" * 12)
    [flag] = flags_of(run, [other])
    assert (flag.kind, set(flag.tasks)) == ("same-answers", set(run.fingerprints))
    assert "The same weights" in flag.text
    assert f"{len(run.fingerprints)} of {len(run.fingerprints)}" in flag.text
    one = named(other, fingerprints={**other.fingerprints, TASK: "0" * 64})
    [flag] = flags_of(run, [one])
    assert TASK not in flag.tasks
    assert flag.holds


def test_few_equal_answers_are_noted_and_hold_nothing(run: Checked) -> None:
    """Two honest models may answer one task of many alike."""
    known = known_of(run)
    others = dict.fromkeys(known.fingerprints, "0" * 64)
    other = named(
        known,
        name="An honest one",
        run_id="0" * 12,
        fingerprints={**others, TASK: known.fingerprints[TASK]},
        sketches={},
    )
    [flag] = flags_of(run, [other])
    assert (flag.kind, flag.tasks, flag.holds) == ("same-answers", (TASK,), False)
    passed = check_of(RELEASES, lambda board: [other])(kept_run())
    assert passed.flags == ()
    assert [own["text"] for own in passed.found["flags"]] == [flag.text]


def test_a_known_run_id_with_other_files_is_pointed_out_with_who_was_first(run: Checked) -> None:
    known = known_of(run)
    nothing = {"fingerprints": {}, "sketches": {}, "values": {}}
    first = named(known, content_sha256="1" * 64, **nothing)
    second = named(known, content_sha256="2" * 64, **nothing)
    [flag] = flags_of(run, [first, second])
    assert (flag.kind, flag.holds) == ("same-run", True)
    assert known.run_id in flag.text
    assert "1" * 12 in flag.text
    assert flags_of(run, [known]) == []


def test_a_copy_under_the_same_name_and_id_is_pointed_out(run: Checked) -> None:
    kinds = [flag.kind for flag in flags_of(run, [named(known_of(run))])]
    assert kinds == ["same-run", "same-answers"]


def test_of_many_copies_a_few_are_named_and_the_others_counted(run: Checked) -> None:
    copies = [
        named(known_of(run), run_id=f"{number:012}", content_sha256=f"{number:064}")
        for number in range(300)
    ]
    *flags, more = flags_of(run, copies)
    assert len(flags) == MOST_NAMED
    assert f"{300 - MOST_NAMED} more runs" in more.text


@pytest.mark.parametrize("changes", [1, 3, 6, 10])
def test_a_copy_with_some_answers_changed_is_pointed_out(
    run: Checked, tmp_path: Path, changes: int
) -> None:
    """So many answers of 118 a task are changed, so that no fingerprint is equal."""
    contents = contents_of(kept_run())
    for task in run.fingerprints:
        name = f"items/{task}.parquet"
        items = table_of(contents, name)
        for place in range(changes):
            items = one_changed(items, place)
        contents = rescored(contents, task, items, tmp_path)
    (tmp_path / "run.zip").write_bytes(zipped(contents))
    copy = checked_archive(tmp_path / "run.zip", RELEASES)
    assert not set(copy.fingerprints.values()) & set(run.fingerprints.values())
    kinds = {flag.kind for flag in flags_of(copy, [known_of(run)]) if flag.holds}
    assert kinds == {"same-run", "near-answers"}


def one_changed(items: pa.Table, place: int = 0) -> pa.Table:
    """Item rows with the answer changed that stands in that place."""
    names = items.column_names
    if "ranked" in names:
        ranked = items["ranked"].to_pylist()
        row = [own for own in ranked if own is not None][place]
        row[0], row[1] = row[1], row[0]
        new, name = pa.array(ranked, items.schema.field("ranked").type), "ranked"
    elif "predicted" in names:
        labels = items["predicted"].cast(pa.string()).to_pylist()
        labels[place] = next(own for own in labels if own != labels[place])
        kind = items.schema.field("predicted").type
        new, name = pa.array(labels).dictionary_encode().cast(kind), "predicted"
    else:
        scores = items["score"].to_numpy().copy()
        scores[place] = scores.min() if scores[place] > np.median(scores) else scores.max()
        new, name = pa.array(scores, items.schema.field("score").type), "score"
    return items.set_column(names.index(name), name, new)


def test_models_of_other_weights_have_other_answers(run: Checked) -> None:
    other = checked(kept_run("wordllama,dim=64"), RELEASES)
    assert not set(run.fingerprints.values()) & set(other.fingerprints.values())
    assert other.board == run.board
    assert flags_of(run, [known_of(other)]) == []


def test_of_honest_models_only_those_of_equal_weights_are_pointed_out() -> None:
    models = ("wordllama", "wordllama,dim=256", "wordllama,dim=128", "tfidf", "tfidf-full", "tf")
    runs = {model: checked(kept_run(model), RELEASES) for model in models}
    held = {
        frozenset((one, other))
        for one, other in itertools.permutations(models, 2)
        if any(flag.holds for flag in flags_of(runs[one], [known_of(runs[other])]))
    }
    # 256 dimensions are what the model has where none are named.
    assert held == {frozenset(("wordllama", "wordllama,dim=256"))}


def test_a_sketch_is_of_the_same_items_for_all_and_bounded(run: Checked) -> None:
    other = checked(kept_run("tfidf"), RELEASES)
    for task, sketch in run.sketches.items():
        assert 0 < len(sketch) <= 2 * SKETCHED
        assert len(other.sketches[task]) == len(sketch)
        assert agreement(sketch, sketch) == 1
        assert agreement(sketch, other.sketches[task]) < NEARLY


def test_last_bits_of_scores_change_no_answer(tmp_path: Path, run: Checked) -> None:
    """Another machine computes other last bits of similarities and probabilities."""
    contents = contents_of(copied_run(tmp_path))
    for task, column in (("lcc_retrieval", "scores"), (TASK, "probability")):
        items = table_of(contents, f"items/{task}.parquet")
        values = items[column].combine_chunks()
        flat = values.flatten() if task != TASK else values
        less = pa.array((flat.to_numpy() * (1 - 1e-6)).astype("float32"))
        new = pa.FixedSizeListArray.from_arrays(less, 100) if task != TASK else less
        items = items.set_column(items.column_names.index(column), column, new)
        contents = rescored(contents, task, items, tmp_path)
    (tmp_path / "run.zip").write_bytes(zipped(contents))
    found = checked_archive(tmp_path / "run.zip", RELEASES)
    assert found.content_sha256 != run.content_sha256
    assert found.fingerprints == run.fingerprints


def test_runs_of_other_boards_are_not_compared_with(run: Checked) -> None:
    other = named(known_of(run), name="other", run_id="0" * 12, board="another")
    assert flags_of(run, [other]) == []


def test_answers_that_are_the_same_for_all_say_nothing(run: Checked) -> None:
    empty = dict.fromkeys(run.fingerprints, "")
    same = Checked(**{**vars(run), "fingerprints": empty})
    other = named(known_of(same), name="other", run_id="0" * 12)
    assert flags_of(same, [other]) == []


def test_a_score_far_above_the_best_of_enough_is_pointed_out(run: Checked) -> None:
    low = run.primary_scores()[TASK].low
    assert low is not None
    others = [
        Known(
            name=f"other {number}",
            run_id=f"{number:012}",
            board=run.board,
            content_sha256="0" * 64,
            fingerprints={},
            values={TASK: low - 0.051 - number / 100},
        )
        for number in range(LEAST_KNOWN)
    ]
    [flag] = flags_of(run, others)
    assert (flag.kind, flag.tasks) == ("far-above", (TASK,))
    assert "other 0" in flag.text
    # To fewer the published panel is added, of which the best has more.
    assert best_published(run.file.data.config)[TASK].value > low
    assert flags_of(run, others[1:]) == []
    assert flags_of(run, [*others, named(others[0], name="best", values={TASK: low})]) == []


def scored(run: Checked, value: float) -> Checked:
    """The run with another score on one task, whose interval is narrow."""
    rows = tuple(
        own.model_copy(update={"value": value, "low": value - 0.01, "high": value})
        if own.task == TASK and own.primary
        else own
        for own in run.recomputed
    )
    return Checked(**{**vars(run), "recomputed": rows})


@pytest.mark.parametrize("n_known", [0, 1, LEAST_KNOWN - 1, LEAST_KNOWN, 50])
@pytest.mark.parametrize("value", [0.95, 0.96, 0.974, 0.9799, 0.98, 1.0])
def test_a_score_that_nobody_comes_near_is_held_however_few_are_known(
    run: Checked, n_known: int, value: float
) -> None:
    others = [known_with(run, number, 0.238) for number in range(n_known)]
    assert "near-perfect" in {own.kind for own in flags_of(scored(run, value), others) if own.holds}


@pytest.mark.parametrize("best", [0.9, 0.94])
def test_a_score_beside_others_that_are_as_good_is_not_held(run: Checked, best: float) -> None:
    others = [known_with(run, number, best) for number in range(LEAST_KNOWN)]
    assert flags_of(scored(run, 0.96), others) == []


def test_with_few_known_the_published_panel_is_the_bar(run: Checked) -> None:
    best = best_published(run.file.data.config)[TASK]
    others = [known_with(run, number, 0.2) for number in range(LEAST_KNOWN - 1)]
    assert flags_of(scored(run, best.value), others) == []
    [flag] = flags_of(scored(run, min(best.value + 0.062, 0.949)), others)
    assert flag.kind == "far-above"
    assert best.name in flag.text


def known_with(run: Checked, number: int, value: float) -> Known:
    """Another model's score on the task, and nothing else of it."""
    return Known(
        name=f"other {number}",
        run_id=f"{number:012}",
        board=run.board,
        content_sha256="0" * 64,
        fingerprints={},
        values={TASK: value},
    )


def test_a_run_that_was_accepted_is_known_without_its_scores(run: Checked) -> None:
    assert known_run(kept_run(), RELEASES) == known_of(run)


def test_a_store_s_check_gives_what_is_to_be_shown(run: Checked) -> None:
    other = named(known_of(run), name="other", run_id="0" * 12)
    passed = check_of(RELEASES, lambda board: [other] if board == run.board else [])(kept_run())
    assert len(passed.flags) == 1
    assert json.loads(json.dumps(passed.found)) == passed.found
    assert passed.known == known_of(run)
    assert passed.found["claimed"] == passed.found["recomputed"]
