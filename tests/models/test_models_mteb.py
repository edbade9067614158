"""Encoders of mteb by name, offline."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.resolve import facts_of, resolve_model
from evaluate_shelf.registry.protocols import load_protocol

if find_spec("mteb") is None or find_spec("torch") is None:
    pytest.skip("mteb or torch is not installed", allow_module_level=True)

RANDOM = "mteb:mteb/baseline-random-encoder"
PROTOCOL = load_protocol()


def test_the_random_encoder_gives_what_mteb_gives() -> None:
    from mteb._content_hashes import hash_item

    named = resolve_model(f"{RANDOM},dim=8", PROTOCOL)
    assert named.identity.name == "mteb/baseline-random-encoder (mteb), dim 8"
    assert named.identity.revision
    model = named.load()
    texts = ["ships", "wheat", "ships"]
    vectors = model.encode(texts, role="document")
    assert vectors.dtype == np.float32
    for text, vector in zip(texts, vectors, strict=True):
        seed = int(hash_item({"text": text}), 16) % 2**32
        expected = np.random.default_rng(seed).random(vectors.shape[1], dtype=np.float32)
        np.testing.assert_array_equal(vector, expected)
    assert facts_of(model).max_tokens is None


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("mteb/baseline-random-encode", "baseline-random-encoder"),
        ("no/such-model", "no/such-model"),
        ("mteb/baseline-bm25s", "one vector"),
        ("mteb/baseline-random-cross-encoder", "one vector"),
        ("nomic-ai/nomic-embed-text-v1", "code of the model's own"),
    ],
)
def test_what_is_not_taken(name: str, part: str) -> None:
    with pytest.raises(ShelfError) as caught:
        resolve_model(f"mteb:{name}", PROTOCOL)
    assert part in str(caught.value)


def test_no_model_of_the_registry_that_is_told_to_run_code_is_taken() -> None:
    from mteb.models.model_implementations import MODEL_REGISTRY

    told = [
        name
        for name, meta in MODEL_REGISTRY.items()
        if (meta.loader_kwargs or {}).get("trust_remote_code")
    ]
    assert told
    for name in told:
        with pytest.raises(ShelfError):
            resolve_model(f"mteb:{name}", PROTOCOL)


class Prompted:
    """As mteb wraps a model."""

    def __init__(self) -> None:
        self.model_prompts = {"query": "query: "}
        self.seen: list[Any] = []

    def encode(self, inputs: Any, *, prompt_type: Any = None, **_: Any) -> np.ndarray:
        texts = [text for batch in inputs for text in batch["text"]]
        self.seen.append((texts, prompt_type, dict(self.model_prompts or {})))
        return np.ones((len(texts), 2))


def test_prompts_are_used_under_the_model_card_s_protocol_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from mteb.models import ModelMeta

    made: list[Prompted] = []

    def load(*_: object, **__: object) -> Prompted:
        made.append(Prompted())
        return made[-1]

    monkeypatch.setattr(ModelMeta, "load_model", load)
    for prompts in ("none", "model-card"):
        protocol = PROTOCOL.model_copy(update={"prompts": prompts})
        model = resolve_model(RANDOM, protocol).load()
        model.encode(["a", "b"], role="query")
    (unprompted,), (prompted,) = (model.seen for model in made)
    assert unprompted == (["a", "b"], None, {})
    assert (prompted[0], prompted[1].value, prompted[2]) == (
        ["a", "b"],
        "query",
        {"query": "query: "},
    )
    monkeypatch.setattr(Prompted, "instruction_template", "Instruct: {instruction}", raising=False)
    with pytest.raises(ShelfError, match="instruction"):
        resolve_model(RANDOM, PROTOCOL).load()


def test_a_limit_that_cannot_be_given_is_refused() -> None:
    with pytest.raises(ShelfError, match="limit"):
        resolve_model(RANDOM, PROTOCOL.model_copy(update={"max_tokens": 512})).load()
