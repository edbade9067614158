"""The string that names a model: options, commas in paths, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models import lexical
from evaluate_shelf.models.bm25 import VARIANTS
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.models.spec import REDUCING, parse_spec
from evaluate_shelf.registry.protocols import load_protocol

PROTOCOL = load_protocol()


@given(
    name=st.text("abc/,:=. ", min_size=1).filter(
        lambda t: not any(f",{k}=" in t for k in REDUCING)
    ),
    dim=st.integers(1, 999),
    swapped=st.booleans(),
)
def test_options_are_taken_off_the_end_in_any_order(name: str, dim: int, swapped: bool) -> None:
    options = [f"dim={dim}", "precision=binary"]
    text = ",".join([name, *(options[::-1] if swapped else options)])
    spec = parse_spec(text, REDUCING)
    assert spec.name == name
    assert (spec.number("dim"), spec.options["precision"]) == (dim, "binary")
    assert spec.text == ",".join([name, *options])


def test_the_order_of_options_does_not_make_another_model() -> None:
    one, two = (
        resolve_model(f"wordllama,{options}", PROTOCOL)
        for options in ("dim=64,precision=int8", "precision=int8,dim=64")
    )
    assert one.identity == two.identity
    assert one.identity.settings == {"dim": 64, "precision": "int8"}
    assert one.identity.name == "wordllama, dim 64, int8"
    assert one.base_identity == resolve_model("wordllama", PROTOCOL).identity


def test_full_precision_is_the_model_itself() -> None:
    named = resolve_model("wordllama,precision=float32", PROTOCOL)
    assert named.identity == resolve_model("wordllama", PROTOCOL).identity
    assert named.reduce is None


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ("wordllama,dims=64", "dims"),
        ("wordllama,dim=0", "dim=0"),
        ("wordllama,dim=-3", "dim=-3"),
        ("wordllama,dim=6.4", "dim=6.4"),
        ("wordllama,dim=", "dim"),
        ("wordllama,dim=64,dim=32", "dim"),
        ("wordllama,dim=1000000000000", "dim="),
        ("wordllama,precision=int4", "int4"),
        ("wordllama,pooling=cls", "pooling"),
        ("wordllama,", "wordllama,"),
        ("bm25,dim=3", "dim"),
        ("tf,dim=64", "protocol"),
        ("tfidf,dim=64", "protocol"),
        ("wordllama,dim=257", "at most 256"),
        ("wordllama,dim=300,precision=int8", "at most 256"),
        ("openai:m@https://host/v1,dimensions=64,dim=65", "at most 64"),
        ("bm25,path=a/b", "bm25"),
        ("tfidf,precision=int8", "precision"),
        ("hybrid:bm25", "hybrid:bm25"),
        ("hybrid:bm25+", "hybrid:bm25+"),
        ("hybrid:bm25+tfidf+tf", "hybrid"),
        ("hybrid:bm25+nothing", "nothing"),
        ("hybrid:bm25+wordllama,dims=3", "dims"),
        ("hybrid:bm25+wordllama,constant=x", "constant=x"),
        ("npy:", "npy:"),
        ("npy:/no/such/file.npy", "/no/such/file.npy"),
        ("static:/no/such/folder", "/no/such/folder"),
        ("openai:model", "openai"),
        ("openai:model@ftp://host/v1", "openai"),
        ("openai:model@https://user:secret@host/v1", "URL"),
        ("openai:model@https://host/v1?key=1", "URL"),
        ("openai:model@https://host:99999/v1", "99999"),
        ("openai:model@https:///v1", "URL"),
    ],
)
def test_what_is_wrong_is_named(spec: str, part: str) -> None:
    with pytest.raises(ShelfError) as caught:
        resolve_model(spec, PROTOCOL)
    assert part in str(caught.value)


def test_commas_and_equals_signs_in_a_path_are_part_of_it(tmp_path: Path) -> None:
    file = tmp_path / "a,b=c" / "vectors,of=all.npy"
    file.parent.mkdir()
    np.save(file, np.ones((1, 2), dtype=np.float32))
    file.with_suffix(".ids.txt").write_text("x\n")
    named = resolve_model(f"npy:{file},dim=1", PROTOCOL)
    assert named.base_identity.spec == f"npy:{file}"
    assert named.load().vectors_of(["x"]).shape == (1, 2)


def test_more_dimensions_than_there_are_are_refused_before_anything_is_encoded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save(tmp_path / "v.npy", np.ones((1, 2), dtype=np.float32))
    (tmp_path / "v.ids.txt").write_text("x")
    (tmp_path / "sized_model.py").write_text(
        "from evaluate_shelf.models.protocol import ModelFacts\n"
        "class Sized:\n"
        "    facts = ModelFacts(dimension=2)\n"
        "    def encode(self, texts, *, role): raise AssertionError\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for spec in (f"npy:{tmp_path / 'v.npy'}", "sized_model:Sized"):
        resolve_model(f"{spec},dim=2", PROTOCOL).load()
        with pytest.raises(ShelfError, match="at most 2"):
            resolve_model(f"{spec},dim=3", PROTOCOL).load()


def test_a_table_s_dimensions_are_known_from_its_header(tmp_path: Path) -> None:
    from safetensors.numpy import save_file

    table = {"embeddings": np.ones((3, 8), np.float32), "weights": np.ones(3, np.float32)}
    save_file(table, tmp_path / "model.safetensors", metadata={"format": "np"})
    (tmp_path / "tokenizer.json").write_text("{}")
    resolve_model(f"static:{tmp_path},dim=8", PROTOCOL)
    with pytest.raises(ShelfError, match="at most 8"):
        resolve_model(f"static:{tmp_path},dim=9", PROTOCOL)


@pytest.mark.parametrize(
    "header",
    [b"", b"{", b"[]", b"[" * 5000, b"7", b'{"a": 7}', b'{"a": {"shape": [2, "x"]}}', b"\xff"],
)
def test_a_damaged_header_is_left_to_the_loading(header: bytes, tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    for length in (len(header), 2**63):
        data = length.to_bytes(8, "little") + header
        (tmp_path / "model.safetensors").write_bytes(data)
        with pytest.raises(ShelfError, match=r"model\.safetensors"):
            resolve_model(f"static:{tmp_path},dim=9", PROTOCOL).load()


def test_an_option_of_a_part_stays_with_the_part() -> None:
    named = resolve_model("hybrid:wordllama,dim=64+bm25plus,constant=10", PROTOCOL)
    hybrid = named.load()
    assert hybrid.constant == 10
    assert hybrid.first.identity.settings == {"dim": 64}
    assert hybrid.second.identity.settings["variant"] == "bm25plus"
    last = resolve_model("hybrid:bm25+wordllama,dim=64", PROTOCOL).load()
    assert last.second.identity.settings == {"dim": 64}
    other = resolve_model("hybrid:wordllama,dim=32+bm25plus,constant=10", PROTOCOL)
    assert other.identity.settings != named.identity.settings


def test_every_variant_of_bm25_has_a_name_and_its_own_identity() -> None:
    assert set(lexical.VARIANTS.values()) == set(VARIANTS)
    named = [resolve_model(name, PROTOCOL) for name in ("bm25", *lexical.VARIANTS)]
    assert len({(n.identity.spec, str(n.identity.settings)) for n in named}) == len(named)
    for model in named:
        texts = ["wheat", "ships at sea", "books", "letters", "maps"]
        assert model.load().score(["ships"], texts, k=1).position.tolist() == [[1]]


def test_naming_models_imports_nothing_heavy() -> None:
    code = (
        "import sys, evaluate_shelf.models.resolve;"
        "heavy = {'torch', 'httpx', 'mteb', 'sklearn', 'scipy', 'sentence_transformers',"
        "'transformers', 'tokenizers', 'safetensors', 'huggingface_hub', 'datasets'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
