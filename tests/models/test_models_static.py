"""Static tables: pooled as model2vec pools them, and refused where they are damaged."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.resolve import facts_of, resolve_model
from evaluate_shelf.models.static import StaticTable
from evaluate_shelf.registry.protocols import load_protocol

PROTOCOL = load_protocol()
WORDS = ["[UNK]", "ships", "sea", "wheat", "at"]
TABLE = np.random.default_rng(4).normal(size=(5, 3)).astype(np.float32)


def folder_of(
    place: Path, tensors: dict[str, np.ndarray] | None = None, config: Any = None
) -> Path:
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, pre_tokenizers

    place.mkdir(exist_ok=True)
    words = {word: number for number, word in enumerate(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_padding(length=9)
    tokenizer.save(str(place / "tokenizer.json"))
    save_file(tensors or {"embeddings": TABLE}, place / "model.safetensors")
    if config is not None:
        (place / "config.json").write_text(
            config if isinstance(config, str) else json.dumps(config)
        )
    return place


@pytest.mark.parametrize("normalize", [True, False, None])
def test_a_vector_is_the_mean_of_the_known_tokens(tmp_path: Path, normalize: bool | None) -> None:
    config = {} if normalize is None else {"normalize": normalize}
    model = resolve_model(f"static:{folder_of(tmp_path / 't', config=config)}", PROTOCOL).load()
    vectors = model.encode(["ships at sea", "ships nothing", "nothing"], role="document")
    expected = np.stack([TABLE[[1, 4, 2]].mean(axis=0), TABLE[1]])
    if normalize is not False:
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors[:2], expected, atol=1e-6)
    assert not vectors[2].any()
    facts = facts_of(model)
    assert (facts.parameters, facts.dimension, facts.max_tokens) == (15, 3, 512)


def test_rows_and_weights_of_tokens(tmp_path: Path) -> None:
    tensors = {
        "embeddings": np.array([[1, 2], [3, -4]], dtype=np.int8),
        "mapping": np.array([0, 1, 0, 1, 0]),
        "weights": np.array([1, 2, 3, 4, 5], dtype=np.float32),
    }
    folder = folder_of(tmp_path / "t", tensors, {"normalize": False})
    (vector,) = StaticTable(folder).encode(["ships sea"], role="query")
    np.testing.assert_array_equal(vector, [(3 * 2 + 1 * 3) / 2, (-4 * 2 + 2 * 3) / 2])


def test_the_limit_cuts_and_is_counted(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "t", config={"max_length": 2, "normalize": False})
    model = resolve_model(f"static:{folder}", PROTOCOL).load()
    cut, whole = model.encode(["ships sea wheat", "ships sea"], role="document")
    np.testing.assert_array_equal(cut, whole)
    assert model.count_cut(["ships sea wheat", "ships sea", "wheat " * 900]) == 2
    with model.limited_to(1) as cap:
        assert (cap, model.count_cut(["ships sea"])) == (1, 1)
    longer = resolve_model(f"static:{folder}", PROTOCOL.model_copy(update={"max_tokens": 3})).load()
    assert longer.count_cut(["ships sea wheat"]) == 0
    unlimited = StaticTable(folder_of(tmp_path / "u", config={"max_length": None}))
    assert unlimited.count_cut(["wheat " * 9000]) == 0
    assert facts_of(unlimited).max_tokens is None


@pytest.mark.parametrize(
    ("tensors", "config", "part"),
    [
        ({"a": TABLE, "b": TABLE}, None, "2 tensors"),
        ({"a": TABLE[0]}, None, "0 tensors"),
        ({"a": TABLE[:4]}, None, "token 4"),
        ({"a": TABLE[:, :0]}, None, "shape"),
        ({"a": TABLE, "mapping": np.array([0, 1, 2, 3, 5])}, None, "mapping"),
        ({"a": TABLE, "mapping": np.array([0, 1, 2, 3, -1])}, None, "mapping"),
        ({"a": TABLE, "mapping": np.array([0, 1, 2])}, None, "token 4"),
        ({"a": TABLE, "weights": np.ones(4, np.float32)}, None, "weights"),
        (None, "{", "config.json"),
        (None, "[" * 100_000, "config.json"),
        (None, "[]", "config.json"),
        (None, {"normalize": "yes"}, "normalize"),
        (None, {"max_length": 0}, "max_length"),
        (None, {"max_length": True}, "max_length"),
    ],
    ids=str,
)
def test_damaged_tables(tmp_path: Path, tensors: Any, config: Any, part: str) -> None:
    folder = folder_of(tmp_path / "t", tensors, config)
    with pytest.raises(ShelfError) as caught:
        StaticTable(folder)
    assert part in str(caught.value)


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json"])
def test_damaged_files(tmp_path: Path, name: str) -> None:
    folder = folder_of(tmp_path / "t")
    (folder / name).write_bytes(b"\xff" * 40)
    with pytest.raises(ShelfError, match=name.replace(".", r"\.")):
        StaticTable(folder)
    (folder / name).unlink()
    with pytest.raises(ShelfError, match=name.replace(".", r"\.")):
        resolve_model(f"static:{folder}", PROTOCOL)


@pytest.mark.skipif(find_spec("static_model") is None, reason="no tokenlearn-static-model")
def test_the_table_of_tokenlearn_static_model() -> None:
    found = find_spec("static_model")
    assert found is not None
    assert found.submodule_search_locations
    folder = Path(found.submodule_search_locations[0]) / "model"
    model = resolve_model(f"static:{folder}", PROTOCOL).load()
    vectors = model.encode(
        [
            "A man is eating food",
            "A man is eating a piece of bread",
        ],
        role="document",
    )
    assert vectors.shape == (2, 64)
    assert vectors[0] @ vectors[1] == pytest.approx(0.623, abs=6e-4)
    theirs = pytest.importorskip("model2vec").StaticModel.from_pretrained(str(folder))
    texts = ["A man is eating food", "Share prices dropped. " * 90, "", "Bücher über Schiffe"]
    np.testing.assert_allclose(model.encode(texts, role="query"), theirs.encode(texts), atol=1e-6)
