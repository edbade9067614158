"""A limit on texts and prompts: refused by what has none, and by nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from evaluate_shelf import evaluate
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation.refusals import RefusedModelsError
from evaluate_shelf.models import lexical
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.conditions import under_conditions
from evaluate_shelf.registry.protocols import Protocol, load_protocol

PROTOCOL = load_protocol()
LIMIT = under_conditions(PROTOCOL, max_tokens=16)
PROMPTS = under_conditions(PROTOCOL, prompts="model-card")
BOTH = under_conditions(PROTOCOL, prompts="model-card", max_tokens=16)
NAMES = {"--max-tokens 16": LIMIT, "--prompts model-card": PROMPTS}
TASK = "lcc_retrieval"

needs_transformers = pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed"
)


class Letters:
    name = "letters"
    revision = "1"

    def encode(self, texts: Sequence[str], *, role: str) -> np.ndarray:
        return np.array([[1 + text.count(c) for c in "etaoin"] for text in texts], np.float32)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    np.save(tmp_path / "v.npy", np.ones((1, 2)))
    (tmp_path / "v.ids.txt").write_text("a")
    return tmp_path / "v.npy"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    tokenizers = pytest.importorskip("tokenizers")
    from safetensors.numpy import save_file

    letters = {"[UNK]": 0, **{chr(code): code - 31 for code in range(32, 127)}}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(letters, unk_token="[UNK]"))
    one = tokenizers.Regex(".")
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split(one, "isolated")
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    vectors = np.random.default_rng(1).normal(size=(len(letters), 8)).astype(np.float32)
    save_file({"embeddings": vectors}, tmp_path / "model.safetensors")
    return tmp_path


def refused(spec: str, protocol: Protocol) -> str:
    """What loading says; naming the model says nothing, so that a sweep is not stopped."""
    named = resolve_model(spec, protocol)
    with pytest.raises(ShelfError) as caught:
        named.load()
    return str(caught.value)


WITHOUT = ["tf", "tfidf", "tf-full", "tfidf-full", "bm25", *lexical.VARIANTS, "wordllama"]


@pytest.mark.parametrize("condition", NAMES)
@pytest.mark.parametrize(
    "spec",
    [
        *WITHOUT,
        "wordllama,dim=64",
        "npy:FILE",
        "npy:FILE,dim=1",
        "hybrid:bm25+wordllama",
        "hybrid:tfidf+npy:FILE",
        "openai:m@https://example.org/v1",
        "shelf_letters:Letters",
    ],
)
def test_what_has_neither_refuses_each(
    spec: str, condition: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shelf_letters.py").write_text(
        "class Letters:\n    def encode(self, t, *, role): ...\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    spec = spec.replace("FILE", str(file))
    assert condition in refused(spec, NAMES[condition])
    assert all(name in refused(spec, BOTH) for name in NAMES)
    resolve_model(spec, PROTOCOL).load()


@pytest.mark.parametrize("form", ["static:{}", "hybrid:bm25+static:{}", "hybrid:static:{}+tf"])
def test_a_table_takes_a_limit_and_no_prompts_and_so_does_a_hybrid_with_it(
    form: str, table: Path
) -> None:
    spec = form.format(table)
    resolve_model(spec, LIMIT).load()
    assert "--max-tokens" not in refused(spec, BOTH)
    assert "--prompts model-card" in refused(spec, PROMPTS)


@needs_transformers
def test_encoders_take_both_and_rerankers_what_their_first_stage_takes(tmp_path: Path) -> None:
    from tiny_bert import tiny_bert, tiny_encoder

    encoder = f"st:{tiny_encoder(tmp_path / 'encoder', prompts={'query': 'query : '})}"
    cross = f"rerank:{tiny_bert(tmp_path / 'cross', labels=1)}"
    for spec in (encoder, f"hybrid:bm25+{encoder}", f"{cross},first={encoder}"):
        resolve_model(spec, BOTH).load()
    assert resolve_model(cross, LIMIT).load().facts.max_tokens == 16
    assert "--prompts" in refused(cross, PROMPTS)


@pytest.mark.parametrize(
    ("one", "kind"), [("bm25", str), ("npy:FILE", str), ("letters", Letters)], ids=str
)
def test_one_that_refuses_stops_no_other(
    one: str, kind: Callable[..., object], file: Path, table: Path, tmp_path: Path
) -> None:
    model = kind(one.replace("FILE", str(file))) if kind is str else kind()
    models = [model, f"static:{table}"]
    settings = {"tasks": TASK, "limit": 30, "runs": tmp_path / "runs", "store": None}
    with pytest.raises(RefusedModelsError, match="--max-tokens 16") as caught:
        evaluate(models, shipped_release(), max_tokens=16, **settings)
    [run] = caught.value.finished
    assert (run.file.model.kind, run.file.model.max_tokens) == ("static", 16)
    assert len(list((tmp_path / "runs").rglob("run.json"))) == 1


def test_a_hybrid_under_a_limit_is_scored(table: Path, tmp_path: Path) -> None:
    values = []
    for limit in (16, 1_000_000):
        [run] = evaluate(
            f"hybrid:static:{table}+bm25",
            shipped_release(),
            tasks=TASK,
            max_tokens=limit,
            limit=30,
            runs=tmp_path / "runs",
            store=None,
        )
        [encoding] = run.file.encodings()
        values.append(encoding.cut)
    assert values[0] > values[1] == 0
