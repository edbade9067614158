"""Every kind of model leaves a finished run whose scores follow from its items."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from loopback_server import serving

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation import evaluate, prepare, run_folder
from evaluate_shelf.evaluation.rescore import rescored_differences
from evaluate_shelf.models.lexical import VARIANTS
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.conditions import under_conditions
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.reading import Run, load_run

PROTOCOL = load_protocol()
RETRIEVAL = "lcc_retrieval"
INSTRUCTION = "instruction_same_subject_diff_form"
CLASSES = "register_classification"
PAIRS = "same_lcc_pairs"
TASKS = [RETRIEVAL, INSTRUCTION, CLASSES, PAIRS]

needs_transformers = pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed"
)


def evaluated(
    spec: str, folder: Path, tasks: list[str] = TASKS, protocol: Protocol = PROTOCOL, **changes: Any
) -> Run:
    """The run of a model, once it is seen that it is whole and that its scores can be had again."""
    asked = prepare(
        shipped_release(),
        "all",
        task_ids=tasks,
        protocol=protocol,
        **{"runs": folder / "runs", "store": folder / "store", **changes},
    )
    evaluate([spec], asked)
    run = load_run(run_folder(resolve_model(spec, protocol), asked))
    assert set(run.file.tasks) == set(tasks)
    for task, record in run.file.tasks.items():
        assert record.status != "failed", (task, record.reason)
        assert (record.reason is None) == (record.status == "done")
    assert rescored_differences(run.folder, shipped_release()) == []
    return run


def skipped(run: Run) -> dict[str, str]:
    return {t: r.reason or "" for t, r in run.file.tasks.items() if r.status == "skipped"}


def items(run: Run, task: str = RETRIEVAL) -> dict[str, list[Any]]:
    return pq.read_table(run.folder / f"items/{task}.parquet").to_pydict()


def primary(run: Run) -> dict[str, float]:
    return {row["task"]: row["value"] for row in run.scores.to_pylist() if row["primary"]}


def stores(folder: Path) -> int:
    return sum(path.is_dir() for path in (folder / "store").iterdir())


def texts_of_splits() -> tuple[list[str], list[str]]:
    """Texts of the test split, and of the corpus."""
    release = Release.open(shipped_release())
    splits = [release.documents("all", s) for s in ("test", "train", "validation")]
    test, train, validation = (documents.column("text") for documents in splits)
    return test, train + validation


@pytest.mark.parametrize("model", ["tf-full", "tfidf-full"])
def test_whole_sparse_vectors_in_every_formulation(model: str, tmp_path: Path) -> None:
    tasks = [
        *TASKS,
        "topic_classification",
        "x_audience_classification",
        "register_clustering",
        "register_clustering_hdbscan",
        "register_clustering_agglomerative",
    ]
    run = evaluated(model, tmp_path, tasks, limit=60)
    assert set(skipped(run)) == {t for t in tasks if t.endswith(("hdbscan", "agglomerative"))}
    assert all("sparse" in reason for reason in skipped(run).values())
    assert run.file.tasks["x_audience_classification"].left_out > 0
    for record in run.file.tasks.values():
        assert all(fit.converged for fit in record.fits)
    assert not (tmp_path / "store").exists()


def test_whole_tfidf_ranks_as_scikit_learn_s_cosines(tmp_path: Path) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    run = evaluated("tfidf-full", tmp_path, [RETRIEVAL])
    test, corpus = texts_of_splits()
    vectors = TfidfVectorizer(**PROTOCOL.tfidf.model_dump(), dtype=np.float64)
    of_corpus = vectors.fit_transform(corpus)
    cosines = (vectors.transform(test) @ of_corpus.T).toarray()
    ranked, scores = (np.array(items(run)[name]) for name in ("ranked", "scores"))
    found = np.take_along_axis(cosines, ranked, axis=1)
    np.testing.assert_allclose(found, scores, atol=2e-6)
    np.testing.assert_allclose(-np.sort(-cosines, axis=1)[:, :100], found, atol=2e-6)


def test_bm25_and_its_variants(tmp_path: Path) -> None:
    runs = {name: evaluated(name, tmp_path) for name in ("bm25", *VARIANTS)}
    assert len({run.file.run_id for run in runs.values()}) == len(runs)
    for run in runs.values():
        assert set(skipped(run)) == {CLASSES}
    same = [items(runs[name]) for name in ("bm25", "bm25-lucene")]
    assert same[0] == same[1]
    others = [json.dumps(items(runs[name])) for name in VARIANTS]
    assert len(set(others)) == len(VARIANTS)


def test_rows_of_one_model_share_its_vectors(tmp_path: Path) -> None:
    options = ["", ",dim=64", ",precision=int8", ",dim=64,precision=binary"]
    runs = [evaluated(f"wordllama{option}", tmp_path) for option in options]
    # Documents, queries with an instruction, and sides of pairs.
    assert stores(tmp_path) == 3
    for number, run in enumerate(runs):
        encodings = run.file.encodings()
        assert len(encodings) == 3
        assert [encoding.from_store for encoding in encodings] == [number > 0] * 3
        assert not skipped(run)
    assert len({run.file.run_id for run in runs}) == len({run.file.model.name for run in runs}) == 4
    assert len({json.dumps(items(run)) for run in runs}) == 4


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A folder with a static table of a few words."""
    pytest.importorskip("safetensors")
    tokenizers = pytest.importorskip("tokenizers")
    from safetensors.numpy import save_file

    folder = tmp_path / "table"
    folder.mkdir()
    words = ["[UNK]", "the", "of", "and", "a", "in", "to", "is", "ship", "music", "law", "science"]
    numbers = {word: number for number, word in enumerate(words)}
    model = tokenizers.models.WordLevel(numbers, unk_token="[UNK]")
    tokenizer = tokenizers.Tokenizer(model)
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    vectors = np.random.default_rng(4).normal(size=(len(words), 8)).astype(np.float32)
    save_file({"embeddings": vectors}, folder / "model.safetensors")
    return folder


def test_a_static_table_in_a_folder(table: Path, tmp_path: Path) -> None:
    run = evaluated(f"static:{table}", tmp_path)
    assert not skipped(run)
    assert (run.file.model.kind, run.file.model.dimension) == ("static", 8)


def test_the_share_of_texts_that_a_limit_cuts(table: Path, tmp_path: Path) -> None:
    test, corpus = texts_of_splits()
    lengths = [len(re.findall(r"\w+|[^\w\s]+", text)) for text in test + corpus]
    for limit in (60, 300, 2048):
        protocol = under_conditions(PROTOCOL, max_tokens=limit)
        [encoding] = evaluated(f"static:{table}", tmp_path, [RETRIEVAL], protocol).file.encodings()
        assert not encoding.from_store
        assert encoding.texts == len(lengths)
        assert encoding.cut == sum(length > limit for length in lengths)


def precomputed_file(folder: Path, names: list[str], suffix: str = "own") -> Path:
    file = folder / f"{suffix}.npy"
    np.save(file, np.random.default_rng(2).normal(size=(len(names), 6)).astype(np.float32))
    file.with_suffix(".ids.txt").write_text("\n".join(names) + "\n")
    return file


def test_vectors_in_a_file(tmp_path: Path) -> None:
    release = Release.open(shipped_release())
    names = [i for s in ("test", "validation", "train") for i in release.documents("all", s).ids]
    file = precomputed_file(tmp_path, names)
    run = evaluated(f"npy:{file}", tmp_path)
    assert set(skipped(run)) == {INSTRUCTION}
    assert "instruction" in skipped(run)[INSTRUCTION]
    assert not (tmp_path / "store").exists()

    file = precomputed_file(tmp_path, names[:5] + names[6:], "lacking")
    with pytest.raises(ShelfError, match=names[5]):
        evaluated(f"npy:{file}", tmp_path)


def test_a_hybrid_is_the_fusion_of_both_rankings(tmp_path: Path) -> None:
    pytest.importorskip("ranx", reason="ranx is not installed")
    from ranx import Run as RanxRun
    from ranx.fusion import rrf

    parts = [items(evaluated(name, tmp_path, [RETRIEVAL])) for name in ("bm25", "wordllama")]
    run = evaluated("hybrid:bm25+wordllama", tmp_path)
    assert set(skipped(run)) == {CLASSES, PAIRS}
    theirs = rrf(
        [
            RanxRun(
                {
                    str(row): {str(d): -float(place) for place, d in enumerate(ranked)}
                    for row, ranked in zip(part["row"], part["ranked"], strict=True)
                }
            )
            for part in parts
        ],
        k=60,
    ).to_dict()
    ours = items(run)
    for row, ranked, scores in zip(ours["row"], ours["ranked"], ours["scores"], strict=True):
        of_document = theirs[str(row)]
        best = sorted(of_document.values(), reverse=True)[: len(ranked)]
        np.testing.assert_allclose(scores, best, rtol=1e-6)
        np.testing.assert_allclose(scores, [of_document[str(d)] for d in ranked], rtol=1e-6)


@needs_transformers
def test_a_reranker_asks_as_many_queries_as_it_is_told(tmp_path: Path) -> None:
    from tiny_bert import tiny_bert

    model = tiny_bert(tmp_path / "cross", labels=1)
    first = evaluated("bm25", tmp_path, [RETRIEVAL, INSTRUCTION], limit=40)
    run = evaluated(f"rerank:{model},queries=20,depth=5", tmp_path, limit=40)
    assert set(skipped(run)) == {CLASSES, PAIRS}
    assert run.file.model.settings["queries"] == 20
    assert run.file.model.settings["depth"] == 5
    for task in (RETRIEVAL, INSTRUCTION):
        found, of_first = items(run, task), items(first, task)
        asked = [number for number, ranked in enumerate(found["ranked"]) if ranked is not None]
        assert len(asked) == 20
        assert len(found["row"]) == len(of_first["row"])
        for number in asked:
            assert sorted(found["ranked"][number]) == sorted(of_first["ranked"][number][:5])
        without = {number for number, o in enumerate(found["outcome"]) if o is None}
        assert without >= set(range(len(found["row"]))) - set(asked)
    rows = [row for row in run.scores.to_pylist() if row["task"] == RETRIEVAL and row["primary"]]
    assert [row["n"] for row in rows] == [20]


@needs_transformers
def test_sentence_encoders_pooling_limits_and_prompts(tmp_path: Path) -> None:
    from tiny_bert import POSITIONS, tiny_encoder

    prompts = {"query": "query : ", "document": "passage : "}
    model = f"st:{tiny_encoder(tmp_path / 'encoder', prompts=prompts)}"
    tasks = [RETRIEVAL, PAIRS]
    runs = [
        evaluated(f"{model},pooling={way}", tmp_path, tasks, limit=40)
        for way in ("mean", "cls", "last")
    ]
    own = evaluated(model, tmp_path, tasks, limit=40)
    assert len({json.dumps(items(run)) for run in runs}) == 3
    assert items(own) == items(runs[0])
    assert own.file.model.prompts is None

    shorter = under_conditions(PROTOCOL, max_tokens=16)
    prompted = under_conditions(PROTOCOL, prompts="model-card")
    cut = evaluated(model, tmp_path, tasks, shorter, limit=40)
    with_prompts = evaluated(model, tmp_path, tasks, prompted, limit=40)
    runs += [own, cut, with_prompts]
    assert len({run.file.run_id for run in runs}) == 6
    assert cut.file.protocol.id == "shelf-1+max-tokens-16"
    assert with_prompts.file.protocol.id == "shelf-1+model-card-prompts"
    assert cut.file.model.max_tokens == 16
    assert own.file.model.max_tokens == POSITIONS
    shown = with_prompts.file.model.prompts or {}
    assert {role: prompt.split() for role, prompt in shown.items()} == {
        role: prompt.split() for role, prompt in prompts.items()
    }
    assert len({json.dumps(items(run)) for run in (own, cut, with_prompts)}) == 3
    # Every text of the release is longer than 32 tokens.
    for run in runs:
        assert all(encoding.cut == encoding.texts for encoding in run.file.encodings())
    roles = {(encoding.field, encoding.role) for encoding in with_prompts.file.encodings()}
    assert ("text", "query") in roles
    with pytest.raises(ShelfError, match="positions"):
        evaluated(model, tmp_path, tasks, under_conditions(PROTOCOL, max_tokens=512))


@contextmanager
def endpoint() -> Iterator[tuple[str, list[int]]]:
    """Its address, and how many texts each request had."""
    sizes: list[int] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = request["input"]
            sizes.append(len(texts))
            rows = [
                {"index": number, "embedding": [1 + text.count(c) for c in "etaoin"]}
                for number, text in enumerate(texts)
            ]
            usage = {"prompt_tokens": 10 * len(texts), "total_tokens": 10 * len(texts)}
            body = json.dumps({"object": "list", "data": rows, "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with serving(Handler) as address:
        yield f"{address}/v1", sizes


def test_an_endpoint_is_asked_once_for_each_text(tmp_path: Path) -> None:
    pytest.importorskip("httpx", reason="httpx is not installed")
    with endpoint() as (address, sizes):
        run = evaluated(f"openai:letters@{address}", tmp_path)
        asked = sum(sizes)
        assert asked == sum(encoding.texts for encoding in run.file.encodings())
        assert run.file.tokens == 10 * asked
        assert not skipped(run)
        again = evaluated(f"openai:letters@{address},dim=3", tmp_path, runs=tmp_path / "others")
        assert sum(sizes) == asked
    assert again.file.tokens == run.file.tokens
    assert primary(again).keys() == primary(run).keys()


@pytest.mark.skipif(
    find_spec("mteb") is None or find_spec("torch") is None, reason="mteb is not installed"
)
def test_an_encoder_of_mteb(tmp_path: Path) -> None:
    run = evaluated("mteb:mteb/baseline-random-encoder,dim=16", tmp_path)
    assert not skipped(run)
    assert run.file.model.name == "mteb/baseline-random-encoder (mteb), dim 16"


def test_code_of_one_s_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_letters_model.py").write_text(
        "import numpy as np\n"
        "class Letters:\n"
        "    def encode(self, texts, *, role):\n"
        "        return np.array([[1 + t.count(c) for c in 'etaoin'] for t in texts], 'float32')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    run = evaluated("own_letters_model:Letters", tmp_path)
    assert run.file.model.kind == "custom"
    assert not skipped(run)
