"""Hostile submissions and good ones in one stream: none of the first is taken, all of the others.

`python -m benchmarks.hostile_submissions` does the same with a thousand.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.hostile_submissions import (
    FUZZED,
    GOOD,
    good_runs,
    in_turn,
    judged_rightly,
    made,
    served,
)

TASKS = ("lcc_retrieval", "lcc_classification", "topic_classification", "same_lcc_pairs")
CLUSTERS = "lcc_clustering"


@pytest.mark.slow
def test_none_is_taken_and_all_good_ones_are(tmp_path: Path) -> None:
    runs = good_runs(tmp_path, 10, [*TASKS, CLUSTERS])
    (tmp_path / "sent").mkdir()
    sent = in_turn(list(made(runs, tmp_path / "sent", 50, 4)))
    found = served(sent, 2, tmp_path / "store")
    families = {own.family for own in sent}
    assert len(families) == 6
    assert [own for own in found.outcomes if own.fault] == []
    hostile = [own for own in found.outcomes if own.family not in (GOOD, FUZZED)]
    assert [own.kind for own in hostile if own.accepted] == []
    assert sum(own.accepted for own in found.outcomes if own.family == GOOD) == 10
    assert judged_rightly(found.outcomes)
    assert found.left == 0
    assert found.kept == sum(own.accepted for own in found.outcomes)
