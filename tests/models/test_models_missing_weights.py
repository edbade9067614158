"""Weights that a model needs and its files lack, or hold in another shape: no random numbers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.registry.protocols import load_protocol

if find_spec("sentence_transformers") is None:
    pytest.skip("sentence-transformers is not installed", allow_module_level=True)

from safetensors.torch import load_file, save_file
from tiny_bert import tiny_bert, tiny_encoder

PROTOCOL = load_protocol()
WEIGHTS = "model.safetensors"
Change = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_encoder(tmp_path_factory.mktemp("weights") / "encoder")


def changed(folder: Path, to: Path, change: Change) -> Path:
    shutil.copytree(folder, to)
    save_file(change(load_file(to / WEIGHTS)), to / WEIGHTS, {"format": "pt"})
    return to


def without(part: str) -> Change:
    return lambda held: {name: own for name, own in held.items() if part not in name}


def foreign(held: dict[str, Any]) -> dict[str, Any]:
    return {f"x.{name}": own for name, own in held.items()}


def narrower(held: dict[str, Any]) -> dict[str, Any]:
    name = "encoder.layer.1.output.dense.weight"
    return {**held, name: held[name][:, :3].contiguous()}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda _: {}, "embeddings"),
        (foreign, "embeddings"),
        (without("layer.1.output.dense.weight"), "layer.1.output.dense.weight"),
        # Filled with zeros and ones, and missing all the same.
        (without("layer.0.attention.self.query.bias"), "layer.0.attention.self.query.bias"),
        (without("embeddings.LayerNorm"), "embeddings.LayerNorm"),
        (narrower, "layer.1.output.dense.weight|size|shape"),
    ],
)
def test_a_model_without_weights_that_it_uses_is_refused(
    encoder: Path, tmp_path: Path, change: Change, named: str
) -> None:
    folder = changed(encoder, tmp_path / "e", change)
    with pytest.raises(ShelfError, match=named):
        resolve_model(f"st:{folder}", PROTOCOL).load()


def test_a_shard_that_is_not_listed_is_missing(encoder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "e"
    shutil.copytree(encoder, folder)
    (folder / WEIGHTS).rename(folder / "model-00001-of-00001.safetensors")
    index = {"metadata": {}, "weight_map": {"x": "model-00001-of-00001.safetensors"}}
    held = load_file(folder / "model-00001-of-00001.safetensors")
    save_file({"x": held["embeddings.LayerNorm.bias"]}, folder / "model-00001-of-00001.safetensors")
    (folder / f"{WEIGHTS}.index.json").write_text(json.dumps(index))
    with pytest.raises(ShelfError, match="lack"):
        resolve_model(f"st:{folder}", PROTOCOL).load()


def test_a_pooler_that_nothing_asks_for_may_be_missing(encoder: Path, tmp_path: Path) -> None:
    folder = changed(encoder, tmp_path / "e", without("pooler"))
    whole = resolve_model(f"st:{encoder}", PROTOCOL).load()
    found = resolve_model(f"st:{folder}", PROTOCOL).load()
    texts = ["ships at sea", "wheat"]
    np.testing.assert_array_equal(
        found.encode(texts, role="document"), whole.encode(texts, role="document")
    )


@pytest.mark.parametrize("part", ["dense", "linear"])
def test_a_further_layer_without_weights_is_refused(tmp_path: Path, part: str) -> None:
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.models import Dense

    model = SentenceTransformer(str(tiny_encoder(tmp_path / "e")), device="cpu")
    model.append(Dense(16, 4))
    model.save(str(tmp_path / "further"))
    [weights] = (tmp_path / "further").glob(f"*_Dense/{WEIGHTS}")
    held = load_file(weights)
    kept = {} if part == "dense" else {"linear.bias": held["linear.bias"]}
    save_file(kept, weights, {"format": "pt"})
    with pytest.raises(ShelfError):
        resolve_model(f"st:{tmp_path / 'further'}", PROTOCOL).load()


def test_a_cross_encoder_without_its_head_is_refused(tmp_path: Path) -> None:
    tiny_bert(tmp_path / "whole", labels=1)
    changed(tmp_path / "whole", tmp_path / "headless", without("classifier"))
    resolve_model(f"rerank:{tmp_path / 'whole'},first=bm25", PROTOCOL).load()
    with pytest.raises(ShelfError, match="classifier"):
        resolve_model(f"rerank:{tmp_path / 'headless'},first=bm25", PROTOCOL).load()


def test_loading_leaves_transformers_as_it_was(encoder: Path) -> None:
    from transformers import PreTrainedModel

    own = PreTrainedModel.__dict__["from_pretrained"]
    resolve_model(f"st:{encoder}", PROTOCOL).load()
    assert PreTrainedModel.__dict__["from_pretrained"] is own
