from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loopback_server import serving
from model_hub import COMMIT, MODELS, ModelHub, model_files, model_hub

from evaluate_shelf.submissions.fetching import WrongAnswerError, fetched, local_vetted
from evaluate_shelf.submissions.job_records import HubModel
from evaluate_shelf.submissions.model_files import Bounds, Listing, RefusedModelError
from evaluate_shelf.submissions.vetting import MODULES, Vetted, vetted

NEEDED = {
    "modules.json",
    "config.json",
    "tokenizer_config.json",
    "tokenizer.json",
    "sentence_bert_config.json",
    "1_Pooling/config.json",
    "model.safetensors",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "files"
    place.mkdir()
    return place


def vet(folder: Path, files: dict[str, bytes], bounds: Bounds | None = None) -> Vetted:
    """Vet files that lie in a folder; reading one that was not vetted yet is an error."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    sizes: dict[str, int | None] = {path: len(content) for path, content in files.items()}

    def read(path: str) -> Path:
        assert path.endswith(".json"), f"{path} was read before it was allowed"
        return folder / path

    return vetted(Listing("owner/name", COMMIT, sizes), read, bounds or Bounds())


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


def modules(*kinds: str, path: str = "") -> bytes:
    return as_json([{"idx": n, "path": path, "type": kind} for n, kind in enumerate(kinds)])


def with_module(kind: str, settings: Any) -> dict[str, bytes]:
    """A model with one more module in a folder of its own."""
    files = model_files()
    more = {"idx": 2, "path": "2_More", "type": kind}
    files["modules.json"] = as_json([*json.loads(files["modules.json"]), more])
    files |= {"2_More/model.safetensors": b"w", "2_More/tokenizer.json": b"{}"}
    return files | {"2_More/config.json": as_json(settings)}


SETTINGS_OF: dict[str, dict[str, Any]] = {
    "Transformer": {"model_type": "bert", "_name_or_path": "/home/ann/bert"},
    "Pooling": {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True},
    "Normalize": {},
    "Dense": {
        "in_features": 8,
        "out_features": 4,
        "bias": True,
        "activation_function": "torch.nn.modules.activation.Tanh",
    },
    "LayerNorm": {"dimension": 8},
    "Dropout": {"dropout": 0.1},
    "StaticEmbedding": {},
    "WeightedLayerPooling": {"word_embedding_dimension": 8, "num_hidden_layers": 6},
}


def test_only_settings_tokenizers_and_safetensors_are_needed(folder: Path) -> None:
    found = vet(folder, model_files())
    assert set(found.sizes) == NEEDED
    assert found.total_bytes == sum(len(model_files()[path]) for path in NEEDED)


def test_a_plain_transformer_is_taken(folder: Path) -> None:
    files = model_files(**{"modules.json": None, "1_Pooling/config.json": None})
    assert "model.safetensors" in vet(folder, files).sizes


def test_shards_are_taken_with_their_index(folder: Path) -> None:
    shards = {f"model-0000{n}-of-00002.safetensors": b"w" for n in (1, 2)}
    index = {"weight_map": {f"layer{n}": name for n, name in enumerate(shards)}}
    files = model_files(**{"model.safetensors": None}) | shards
    files["model.safetensors.index.json"] = as_json(index)
    assert set(shards) < set(vet(folder, files).sizes)


@pytest.mark.parametrize("kind", MODULES)
@pytest.mark.parametrize(
    "place", ["models", "base.modules.x", "sentence_transformer.modules.static_embedding"]
)
def test_modules_of_the_list_are_taken(folder: Path, kind: str, place: str) -> None:
    files = with_module(f"sentence_transformers.{place}.{kind}", SETTINGS_OF[kind])
    assert "2_More/config.json" in vet(folder, files).sizes


REFUSED: dict[str, tuple[dict[str, bytes | None], str]] = {
    "pickles alone": ({"model.safetensors": None}, "no safetensors"),
    "weights elsewhere": (
        {"model.safetensors": None, "other/model.safetensors": b"w"},
        "no safetensors",
    ),
    "auto_map": ({"config.json": as_json({"auto_map": {"AutoModel": "own.Own"}})}, "auto_map"),
    "auto_map of a part": (
        {"config.json": as_json({"vision_config": [{"auto_map": {"AutoModel": "own.Own"}}]})},
        "auto_map",
    ),
    "auto_map of the tokenizer": (
        {"tokenizer_config.json": as_json({"auto_map": {"AutoTokenizer": ["o.O", None]}})},
        "auto_map",
    ),
    "trust_remote_code": (
        {"sentence_bert_config.json": as_json({"model_args": {"trust_remote_code": True}})},
        "trust_remote_code",
    ),
    "trust_remote_code in a module": (
        {"1_Pooling/config.json": as_json({"trust_remote_code": "yes"})},
        "trust_remote_code",
    ),
    "a module of its own": ({"modules.json": modules("own.Own")}, "taken are"),
    "a module of a library": ({"modules.json": modules("os.system")}, "taken are"),
    "a module that reads pickles": (
        {"modules.json": modules(f"{MODELS}WordEmbeddings")},
        "taken are",
    ),
    "a router": ({"modules.json": modules(f"{MODELS}Router")}, "taken are"),
    "a module with more behind it": (
        {"modules.json": modules(f"{MODELS}Pooling.own")},
        "taken are",
    ),
    "a line feed behind a module": ({"modules.json": modules(f"{MODELS}Pooling\n")}, "taken are"),
    "a folder outside": (
        {"modules.json": modules(f"{MODELS}Transformer", path="../other")},
        "folder",
    ),
    "an absolute folder": ({"modules.json": modules(f"{MODELS}Pooling", path="/etc")}, "folder"),
    "no list of modules": ({"modules.json": as_json({"type": "x"})}, "not a list"),
    "an empty list of modules": ({"modules.json": b"[]"}, "not a list"),
    "a module without a type": ({"modules.json": as_json([{"path": ""}])}, "without a type"),
    "a module that is a number": ({"modules.json": b"[1]"}, "without a type"),
    "an activation of its own": (
        {**with_module(f"{MODELS}Dense", {"activation_function": "own.Own"})},
        "no activation",
    ),
    "an activation that is none": (
        {**with_module(f"{MODELS}Dense", {"activation_function": "torch.nn.init.normal_"})},
        "no activation",
    ),
    "a folder of two modules": (
        {"modules.json": modules(f"{MODELS}StaticEmbedding", f"{MODELS}Transformer")},
        "two modules",
    ),
    "shards without an index": (
        {"model.safetensors": None, "model-00001-of-00001.safetensors": b"w"},
        "no safetensors",
    ),
    "a module with pickles alone": (
        {
            **with_module(f"{MODELS}LayerNorm", {"dimension": 8}),
            "2_More/model.safetensors": None,
            "2_More/pytorch_model.bin": b"a pickle",
        },
        "no safetensors",
    ),
    "an adapter in a module": ({"1_Pooling/adapter_config.json": as_json({})}, "adapter"),
    "a key that stands twice": ({"config.json": b'{"a": 1, "model_type": "x", "a": 2}'}, "twice"),
    "a type that stands twice": (
        {"modules.json": b'[{"type": "os.x", "type": "%sPooling", "path": ""}]' % MODELS.encode()},
        "twice",
    ),
    "a tokenizer of its own": (
        {"config.json": as_json({"tokenizer_class": "own.Own"})},
        "not part of",
    ),
    "no settings of the transformer": ({"config.json": None}, "no config.json"),
    "an adapter": ({"adapter_config.json": as_json({})}, "adapter"),
    "no JSON": ({"config.json": b"{"}, "no JSON"),
    "no UTF-8": ({"config.json": b"\xff"}, "no JSON"),
    "deep JSON": ({"config.json": b"[" * 200_000}, "no JSON"),
    "an index that leads outside": (
        {"model.safetensors.index.json": as_json({"weight_map": {"a": "../x.safetensors"}})},
        "index",
    ),
    "an index to a pickle": (
        {"model.safetensors.index.json": as_json({"weight_map": {"a": "pytorch_model.bin"}})},
        "index",
    ),
    "an index without a map": ({"model.safetensors.index.json": b"[]"}, "weight_map"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_safe_is_refused_with_its_reason(folder: Path, case: str) -> None:
    changes, why = REFUSED[case]
    with pytest.raises(RefusedModelError, match=why) as caught:
        vet(folder, model_files(**changes))
    assert str(caught.value).startswith("owner/name: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        (Bounds(total_bytes=100), "limit"),
        (Bounds(files=6), "7 files"),
        (Bounds(settings_bytes=20), "longer than"),
        (Bounds(vocabulary_bytes=1), "tokenizer.json has"),
    ],
)
def test_what_is_too_large_is_refused(folder: Path, bounds: Bounds, why: str) -> None:
    with pytest.raises(RefusedModelError, match=why):
        vet(folder, model_files(), bounds)


def test_a_size_that_is_not_known_is_refused() -> None:
    sizes = dict.fromkeys(("model.safetensors", "config.json"))
    with pytest.raises(RefusedModelError, match="how large"):
        vetted(Listing("owner/name", COMMIT, sizes), Path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "path", "auto_map", "weight_map", "types", "x"]),
            inner | st.sampled_from([f"{MODELS}Transformer", f"{MODELS}Dense", "own.Own", ".."]),
            max_size=3,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(
    path=st.sampled_from(
        ["modules.json", "config.json", "1_Pooling/config.json", "model.safetensors.index.json"]
    ),
    value=json_values,
)
def test_any_settings_are_vetted_or_refused(
    tmp_path_factory: pytest.TempPathFactory, path: str, value: Any
) -> None:
    folder = tmp_path_factory.mktemp("any")
    try:
        found = vet(folder, model_files(**{path: as_json(value)}))
    except RefusedModelError:
        return
    assert "own.Own" not in json.dumps(value) or path != "modules.json"
    assert not any(name.endswith((".bin", ".py")) for name in found.sizes)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ModelHub]:
    """A Hub that this process takes for the only one, with a token that nobody should see."""
    from huggingface_hub import constants

    with model_hub() as served:
        monkeypatch.setattr(constants, "ENDPOINT", served.url)
        monkeypatch.setattr(
            constants,
            "HUGGINGFACE_CO_URL_TEMPLATE",
            served.url + "/{repo_id}/resolve/{revision}/{filename}",
        )
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.setenv("HF_TOKEN", "hf_secret")
        yield served


NEWEST = HubModel("owner/name", None)


def test_a_model_is_fetched_at_its_commit_and_nothing_else_of_it(hub: ModelHub) -> None:
    hub.add("owner/name", model_files())
    found = fetched(NEWEST)
    assert (found.model, found.commit) == ("owner/name", COMMIT)
    assert hub.downloaded("owner/name") == NEEDED
    assert all(f"/resolve/{COMMIT}/" in own for own in hub.requests if "/resolve/" in own)
    assert not any("authorization" in map(str.lower, own) for own in hub.headers)


def test_nothing_but_settings_is_downloaded_of_a_model_that_is_refused(hub: ModelHub) -> None:
    hub.add("owner/name", model_files(**{"config.json": as_json({"auto_map": {"A": "b.C"}})}))
    with pytest.raises(RefusedModelError, match="auto_map"):
        fetched(NEWEST)
    assert "model.safetensors" not in hub.downloaded("owner/name")


def test_nothing_is_downloaded_of_a_model_that_is_too_large(hub: ModelHub) -> None:
    hub.add("owner/name", model_files(), sizes={"model.safetensors": 5 * 2**30})
    with pytest.raises(RefusedModelError, match="limit"):
        fetched(NEWEST)
    assert not hub.downloaded("owner/name") & {"model.safetensors", "config.json"}


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ({"gated": "manual"}, "gated"),
        ({"gated": "auto"}, "gated"),
        ({"private": True}, "private"),
        ({"disabled": True}, "disabled"),
    ],
)
def test_a_model_that_is_not_open_is_refused(hub: ModelHub, says: dict[str, Any], why: str) -> None:
    hub.add("owner/name", model_files(), says=says)
    with pytest.raises(RefusedModelError, match=why):
        fetched(NEWEST)
    assert not hub.downloaded("owner/name")


def test_a_model_that_is_not_there_is_refused(hub: ModelHub) -> None:
    with pytest.raises(RefusedModelError, match="no public model"):
        fetched(NEWEST)
    hub.add("owner/name", model_files())
    with pytest.raises(RefusedModelError, match="no commit"):
        fetched(HubModel("owner/name", "f" * 40))


@pytest.mark.parametrize(
    "says",
    [{"sha": None}, {"sha": "main"}, {"id": "../../x"}, {"id": "owner/name@x"}],
)
def test_a_hub_that_makes_no_sense_is_tried_again(hub: ModelHub, says: dict[str, Any]) -> None:
    hub.add("owner/name", model_files(), says=says)
    with pytest.raises(WrongAnswerError):
        fetched(NEWEST)


def test_a_hub_that_answers_for_another_commit_is_not_believed(hub: ModelHub) -> None:
    hub.add("owner/name", model_files(), says={"sha": "1" * 40})
    with pytest.raises(WrongAnswerError, match="another commit"):
        fetched(HubModel("owner/name", COMMIT))


def test_a_file_of_another_size_than_was_said_is_not_taken(hub: ModelHub) -> None:
    hub.add("owner/name", model_files(), sizes={"model.safetensors": 3})
    with pytest.raises(WrongAnswerError, match=r"model\.safetensors"):
        fetched(NEWEST)


@pytest.mark.parametrize("name", ["ETag", "X-Linked-ETag"])
@pytest.mark.parametrize(
    "tag",
    [
        '"../../../{outside}"',
        '"{outside}"',
        'W/"a/b"',
        '"a.lock"',
        '".."',
        '"a b"',
        '"a\\b"',
        f'"{"a" * 300}"',
    ],
)
def test_a_tag_of_the_hub_that_is_no_plain_word_names_no_file(
    hub: ModelHub, tmp_path: Path, name: str, tag: str
) -> None:
    outside = str(tmp_path / "outside")
    hub.add("owner/name", model_files(), headers={name: tag.replace("{outside}", outside)})
    with pytest.raises(WrongAnswerError, match="tag") as refused:
        fetched(NEWEST)
    assert outside not in str(refused.value)
    assert not hub.downloaded("owner/name")
    assert not list(tmp_path.glob("outside*"))


@pytest.mark.parametrize("tag", ['"{}"', 'W/"{}"', "{}", '"{}-gzip"'])
def test_any_plain_tag_of_the_hub_is_taken(hub: ModelHub, tag: str) -> None:
    from huggingface_hub import get_session

    # A tag for each file: a file that has the tag of another is taken for it.
    made = hub.add("owner/name", model_files())
    own = get_session().event_hooks
    made.headers = _TagOfEach(tag)
    assert fetched(NEWEST).commit == COMMIT
    assert get_session().event_hooks == own


class _TagOfEach(dict[str, str]):
    """Headers with another tag at each look at them."""

    def __init__(self, tag: str) -> None:
        super().__init__()
        self._tag = tag
        self._looks = 0

    def __ror__(self, other: dict[str, str]) -> dict[str, str]:
        self._looks += 1
        return {**other, "ETag": self._tag.format(f"{self._looks:040x}")}


@pytest.mark.parametrize("commit", ["1" * 40, "../../../outside", "main"])
def test_a_file_of_another_commit_is_not_taken(hub: ModelHub, tmp_path: Path, commit: str) -> None:
    hub.add("owner/name", model_files(), headers={"X-Repo-Commit": commit})
    with pytest.raises(WrongAnswerError, match="another commit"):
        fetched(NEWEST)
    assert not hub.downloaded("owner/name")


def test_where_a_file_was_looked_for_is_told_to_nobody(hub: ModelHub) -> None:
    with serving(_Elsewhere) as other:
        headers = {"X-Linked-Size": "7", "Location": f"{other}/latest/meta-data"}
        hub.add("owner/name", model_files(), headers=headers, file_status=302)
        with pytest.raises(WrongAnswerError) as refused:
            fetched(NEWEST)
    assert "meta-data" not in str(refused.value)
    assert other.split("//")[1] not in str(refused.value)


class _Elsewhere(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "3")
        self.end_headers()
        self.wfile.write(b"abc")

    def log_message(self, *_: object) -> None:
        pass


def test_a_model_that_was_renamed_has_its_new_name(hub: ModelHub) -> None:
    made = hub.add("owner/name", model_files(), says={"id": "new/name"})
    hub.repositories["new/name"] = made
    assert fetched(NEWEST).model == "new/name"


def test_a_folder_is_vetted_by_the_same_rules(folder: Path) -> None:
    place = folder / "own" / "model"
    for path, content in model_files().items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)
    found = local_vetted(place)
    assert found.model == "own/model"
    assert len(found.commit) == 40
    (place / "model.safetensors").unlink()
    with pytest.raises(RefusedModelError, match="no safetensors"):
        local_vetted(place)
    with pytest.raises(RefusedModelError, match="no such folder"):
        local_vetted(place / "nowhere")
