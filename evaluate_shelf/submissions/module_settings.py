"""What the settings of sentence-transformers may hold: each key that is taken, and its values.

Some of these settings go to a library as they are, which opens what they name. So what is not known
here is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    StringConstraints,
    ValidationError,
)

from evaluate_shelf.bounded import Line, Prompt
from evaluate_shelf.printable import brief

Width = Annotated[int, Field(ge=1, le=65_536)]
Tokens = Annotated[int, Field(ge=1, le=10_000_000)]
Layers = Annotated[int, Field(ge=0, le=1_000)]
Word = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,59}$")]
Package = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,59}$")]
Side = Literal["left", "right"]
Activation = Annotated[
    str,
    StringConstraints(
        pattern=r"^torch\.nn\.(modules\.(activation|linear)\.)?[A-Z][A-Za-z0-9]{1,40}$"
    ),
]
Dtype = Literal["auto", "float32", "float16", "bfloat16"]
Pooled = Literal["cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Module(_Settings):
    idx: Annotated[int, Field(ge=0, le=100)] = 0
    name: Line = ""
    path: str
    type: str
    kwargs: Annotated[list[Word], Field(max_length=20)] = []


class _Modules(RootModel[Annotated[list[_Module], Field(min_length=1, max_length=20)]]):
    pass


class _Requirement(_Settings):
    specifier: Line
    reason: Line = ""


class _OfModel(_Settings):
    version: Annotated[dict[Word, Line], Field(alias="__version__", max_length=20)] = {}
    model_type: Literal["SentenceTransformer"] | None = None
    prompts: Annotated[dict[Line, Prompt], Field(max_length=100)] | None = None
    default_prompt_name: Line | None = None
    similarity_fn_name: Literal["cosine", "dot", "euclidean", "manhattan"] | None = None
    truncate_dim: Width | None = None
    requirements: Annotated[dict[Package, Line | _Requirement], Field(max_length=20)] | None = None


class _OfLoading(_Settings):
    """Of what is passed to a library when it loads something: nothing of it names a file."""

    trust_remote_code: Literal[False] | None = None


class _OfWeights(_OfLoading):
    dtype: Dtype | None = None
    torch_dtype: Dtype | None = None
    attn_implementation: Literal["eager", "sdpa", "flash_attention_2"] | None = None
    add_pooling_layer: bool | None = None
    use_safetensors: Literal[True] | None = None


class _OfTokenizer(_OfLoading):
    model_max_length: Tokens | None = None
    padding_side: Side | None = None
    truncation_side: Side | None = None
    use_fast: bool | None = None
    do_lower_case: bool | None = None
    add_bos_token: bool | None = None
    add_eos_token: bool | None = None
    clean_up_tokenization_spaces: bool | None = None


class _OfConfig(_OfLoading):
    use_cache: bool | None = None
    output_hidden_states: bool | None = None
    add_pooling_layer: bool | None = None
    is_causal: bool | None = None


class _Modality(_Settings):
    """Which method of a transformer is called: one that computes, and no other."""

    method: Annotated[
        str,
        StringConstraints(pattern=r"^(forward|get_(text|image|audio|video|multimodal)_features)$"),
    ]
    method_output_name: Word | None
    format: Literal["structured", "flat", "auto"] | None = None


_Modalities = Annotated[str, StringConstraints(pattern=r"^[a-z]{1,10}(\+[a-z]{1,10}){0,4}$")]
_Processed = Annotated[dict[Word, bool | int | Word | None], Field(max_length=20)]


class _Transformer(_Settings):
    max_seq_length: Tokens | None = None
    do_lower_case: bool | None = None
    transformer_task: Literal["feature-extraction"] = "feature-extraction"
    modality_config: Annotated[dict[_Modalities, _Modality], Field(max_length=10)] | None = None
    module_output_name: Word | None = None
    processing_kwargs: Annotated[dict[Word, _Processed], Field(max_length=10)] | None = None
    unpad_inputs: bool | None = None
    query_length: Tokens | None = None
    document_length: Tokens | None = None
    query_expansion: None = None
    tokenizer_name_or_path: None = None
    # What they are called now, and what they were called before.
    model_kwargs: _OfWeights | None = None
    model_args: _OfWeights | None = None
    processor_kwargs: _OfTokenizer | None = None
    tokenizer_args: _OfTokenizer | None = None
    config_kwargs: _OfConfig | None = None
    config_args: _OfConfig | None = None


class _Pooling(_Settings):
    embedding_dimension: Width | None = None
    word_embedding_dimension: Width | None = None
    pooling_mode: Pooled | Annotated[list[Pooled], Field(min_length=1, max_length=6)] = "mean"
    pooling_mode_cls_token: bool = False
    pooling_mode_max_tokens: bool = False
    pooling_mode_mean_tokens: bool = False
    pooling_mode_mean_sqrt_len_tokens: bool = False
    pooling_mode_weightedmean_tokens: bool = False
    pooling_mode_lasttoken: bool = False
    include_prompt: bool = True


class _Named(_Settings):
    module_input_name: Word | None = None
    module_output_name: Word | None = None


class _Dense(_Named):
    in_features: Width
    out_features: Width
    bias: bool = True
    activation_function: Activation = "torch.nn.Tanh"
    use_residual: bool = False


class _Dropout(_Settings):
    dropout: Annotated[float, Field(ge=0, le=1)] = 0.2


class _LayerNorm(_Settings):
    dimension: Width


class _WeightedLayerPooling(_Settings):
    embedding_dimension: Width | None = None
    word_embedding_dimension: Width | None = None
    layer_start: Layers = 4
    num_hidden_layers: Layers = 12


MODULES_FILE, MODEL_FILE = "modules.json", "config_sentence_transformers.json"

_OF_MODULES: Mapping[str, type[BaseModel]] = {
    "Pooling": _Pooling,
    "Normalize": _Named,
    "Dense": _Dense,
    "Dropout": _Dropout,
    "LayerNorm": _LayerNorm,
    "WeightedLayerPooling": _WeightedLayerPooling,
}


def schema_of(name: str, module: str | None) -> type[BaseModel] | None:
    """What a file of settings may hold; None where transformers reads it.

    Parameters
    ----------
    name : str
        Of the file, without its folder.
    module : str or None
        The module whose folder it is in, such as `Pooling`.
    """
    if name == MODULES_FILE:
        return _Modules
    if name == MODEL_FILE:
        return _OfModel
    if name.startswith("sentence_"):
        return _Transformer
    return _OF_MODULES.get(module or "") if name == "config.json" else None


def fault_of_schema(schema: type[BaseModel], values: Any) -> str | None:
    """What of a file's values is not taken; None where all is.

    Examples
    --------
    >>> fault_of_schema(schema_of("config.json", "Pooling"), {"x_file": "y"})
    "has 'x_file', which is not taken"
    >>> fault_of_schema(schema_of("config.json", "Dropout"), {"dropout": 2})
    "has 'dropout' with the value 2, which is not taken"
    """
    try:
        schema.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        if first["type"] == "missing":
            return f"has no {first['loc'][-1]!r}"
        place = brief(".".join(_keys(first["loc"], values)), 120)
        if first["type"] == "extra_forbidden":
            return f"has {place}, which is not taken"
        return f"has {place} with the value {brief(first['input'])}, which is not taken"
    return None


def _keys(path: tuple[int | str, ...], values: Any) -> list[str]:
    """The keys of a path that are keys of the values; others are pydantic's own."""
    keys = []
    for part in path:
        is_key = isinstance(values, dict) and part in values
        if is_key or (isinstance(values, list) and part in range(len(values))):
            values = values[part]
            keys.append(str(part))
    return keys
