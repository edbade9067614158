"""A model's folder may name no class outside of the libraries, wherever it names one."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.models.sentence_encoder import SentenceEncoder, names_hub_revision
from evaluate_shelf.registry.protocols import load_protocol

needs_sentence_transformers = pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed"
)
TRANSFORMER = "sentence_transformers.models.Transformer"
ROUTER = "sentence_transformers.models.Router"
DENSE = "sentence_transformers.models.Dense"


def modules(*types: str, paths: tuple[str, ...] = ("", "1_Second")) -> list[dict[str, Any]]:
    return [
        {"idx": number, "name": str(number), "path": path, "type": kind}
        for number, (kind, path) in enumerate(zip(types, paths, strict=False))
    ]


def folder_of(place: Path, files: dict[str, Any]) -> Path:
    """A model's folder with code that would leave a mark."""
    place.mkdir(parents=True)
    mark = place.parent / "mark"
    code = f"open({str(mark)!r}, 'w').close()\nclass Evil:\n    pass\n"
    (place / "evil.py").write_text(code)
    for name, value in {"config.json": {}, **files}.items():
        path = place / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value))
    return place


def load(spec: str, revision: str = "0") -> SentenceEncoder:
    return SentenceEncoder(ModelIdentity("x", spec, "encoder", revision, {}), load_protocol())


OWN_CODE = [
    ({"modules.json": modules("evil.Evil")}, "modules.json", "evil.Evil"),
    ({"modules.json": modules(TRANSFORMER, "os.system")}, "modules.json", "os.system"),
    ({"modules.json": modules("sentence_transformers_evil.Evil")}, "modules.json", "_evil.Evil"),
    (
        {
            "modules.json": modules(ROUTER),
            "router_config.json": {"types": {"0_E": "evil.Evil"}, "structure": {}},
        },
        "router_config.json",
        "evil.Evil",
    ),
    (
        {
            "modules.json": modules(ROUTER),
            "config.json": {"types": {"q": ROUTER}},
            "q/config.json": {"types": {".": ROUTER, "d": "evil.Evil"}},
        },
        "q/config.json",
        "evil.Evil",
    ),
    (
        {
            "modules.json": modules(TRANSFORMER, DENSE),
            "1_Second/config.json": {"activation_function": "evil.Evil"},
        },
        "1_Second/config.json",
        "evil.Evil",
    ),
    (
        {
            "modules.json": modules("sentence_transformers.models.WordEmbeddings"),
            "wordembedding_config.json": {"tokenizer_class": "evil.Evil"},
        },
        "wordembedding_config.json",
        "evil.Evil",
    ),
]


@pytest.mark.parametrize(
    ("files", "file", "kind"),
    OWN_CODE,
    ids=["a module", "a second module", "a prefix", "a router", "in a router", "a layer", "words"],
)
def test_a_folder_with_code_of_its_own_is_not_loaded(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    files: dict[str, Any],
    file: str,
    kind: str,
) -> None:
    folder = folder_of(tmp_path / "model", files)
    # As far as the import path goes, it could be found.
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(ShelfError) as caught:
        load(f"st:{folder}")
    for part in (str(folder), file, kind):
        assert part in str(caught.value)
    assert not (tmp_path / "mark").exists()


@pytest.mark.parametrize(
    "value",
    [
        "{",
        "[" * 100_000,
        "{}" * 2,
        "7",
        '["evil.Evil"]',
        '[{"type": "sentence_transformers.models.Pooling"}]',
        " " * 10_000_001,
        "\udcff".encode("utf-8", "surrogateescape").decode("latin-1"),
        *(
            json.dumps(modules(ROUTER, paths=(path,)))
            for path in ("../other", "/etc", "a/../../b", "C:\\x", "\\x", "a\0b")
        ),
    ],
    ids=lambda value: value[:60] if len(value) < 1000 else str(len(value)),
)
def test_a_list_of_modules_that_is_none(tmp_path: Path, value: str) -> None:
    folder = folder_of(tmp_path / "model", {"modules.json": value})
    with pytest.raises(ShelfError, match=r"modules\.json"):
        load(f"st:{folder}")


@needs_sentence_transformers
def test_code_that_transformers_would_need_is_not_run(tmp_path: Path) -> None:
    config = {"model_type": "evilbert", "auto_map": {"AutoConfig": "evil.Evil"}}
    folder = folder_of(tmp_path / "model", {"config.json": config})
    with pytest.raises(ShelfError) as caught:
        load(f"st:{folder}")
    for part in (str(folder), "config.json", "evil.Evil"):
        assert part in str(caught.value)
    assert not (tmp_path / "mark").exists()


@needs_sentence_transformers
def test_a_folder_that_cannot_be_loaded_is_the_folder_s_fault(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "model", {"config.json": {"model_type": "bert"}})
    with pytest.raises(ShelfError, match="model"):
        load(f"st:{folder}")


def test_a_model_of_the_hub_with_code_of_its_own_is_not_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    folder = folder_of(tmp_path / "model", OWN_CODE[4][0])
    asked = []

    def download(repo_id: str, name: str, *, revision: str, cache_dir: str | None) -> str:
        asked.append((repo_id, revision))
        if not (folder / name).is_file():
            kinds = [EntryNotFoundError, LocalEntryNotFoundError]
            kind = kinds[len(asked) % 2]
            raise kind.__new__(kind)
        return str(folder / name)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    with pytest.raises(ShelfError, match=r"evil\.Evil"):
        load("st:owner/name@main", "a" * 40)
    assert set(asked) == {("owner/name", "a" * 40)}

    def fail(*_: object, **__: object) -> str:
        raise OSError("no route")

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", fail)
    with pytest.raises(ShelfError, match="no route"):
        load("st:owner/name@main", "a" * 40)


@needs_sentence_transformers
def test_a_folder_does_not_pass_for_a_revision_of_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec = f"st:owner/name@{'a' * 40}"
    assert names_hub_revision(spec)
    folder_of(tmp_path / "owner" / "name", {"modules.json": modules("evil.Evil")})
    with pytest.raises(ShelfError, match="owner/name"):
        resolve_model(spec, load_protocol())
    (tmp_path / spec.removeprefix("st:")).mkdir()
    assert not names_hub_revision(spec)
