"""What the settings of a stranger's model may say: nothing that a library opens or runs for it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from evaluate_shelf.printable import brief
from evaluate_shelf.submissions.module_settings import fault_of_schema, schema_of

SETTINGS = re.compile(
    r"modules\.json|config\.json|config_sentence_transformers\.json|sentence_[a-z-]+_config\.json"
    r"|tokenizer_config\.json|special_tokens_map\.json|added_tokens\.json"
)
"""Names of files of settings."""

# Each makes a library import a file that lies beside the weights.
_CODE = frozenset({"auto_map", "trust_remote_code", "custom_pipelines", "custom_generate"})
_ACTIVATION = re.compile(r"torch\.nn\.(modules\.(activation|linear)\.)?[A-Z][A-Za-z0-9]{1,40}")
# Where a library opens what stands there, or hands it to one that does.
_OPENED = re.compile(
    r"(.*_)?(files?|paths?|dirs?|directory|folder|repo|repository|repo_id|uri|url)"
    r"|.*name_or_path|vocab|merges|init_inputs|tokenizer_object|transformers_weights",
    re.IGNORECASE,
)
_PACKED = frozenset({"quantization_config", "compression_config"})
# Where a file came from once: written beside the rest by the libraries, and read by none.
_LABELS = frozenset({"_name_or_path", "name_or_path", "special_tokens_map_file"})
_TEXTS = re.compile(
    r".*_tokens?|added_tokens_decoder|chat_template|id2label|label2id|never_split|prefix"
    r"|task_specific_params"
)
_SPECIAL_TOKENS = re.compile(r"[a-z_]{1,60}_tokens?")


def fault_of_settings(name: str, module: str | None, values: Any) -> str | None:
    """What in a file of settings is not taken; None where all of it is.

    Parameters
    ----------
    name : str
        Of the file, without its folder.
    module : str or None
        The module of sentence-transformers whose folder it is in.
    values : JSON
        What it holds.

    Examples
    --------
    >>> fault_of_settings("tokenizer_config.json", "Transformer", {"tokenizer_file": "/root/x"})
    "has 'tokenizer_file', which names a file or a model; only the model's own are opened"
    >>> fault_of_settings("config.json", "Transformer", {"_name_or_path": "/home/ann/bert"}) is None
    True
    """
    for key, value in _pairs_in(values):
        if key in _CODE and value:
            return f"has {key!r}, code of the model's own; such code is not run"
        if key in _PACKED and value:
            return f"has {key!r}; weights that another library unpacks are not taken"
        if key == "activation_function" and not _is_activation(value):
            return f"names {brief(value, 120)}, which is no activation of torch.nn"
    schema = schema_of(name, module)
    if schema is not None:
        return fault_of_schema(schema, values)
    if not isinstance(values, dict):
        return "is no object of JSON"
    if name == "special_tokens_map.json":
        # Its values take the place of any of the tokenizer's, also of the files that it opens.
        for key in values:
            if not _SPECIAL_TOKENS.fullmatch(key):
                return f"has {brief(key)}, which is no special token"
    return _fault_of_names(values)


def _fault_of_names(values: Any) -> str | None:
    """What of transformers' own settings names a file or a repository."""
    waiting: list[tuple[str, Any]] = [("", values)]
    while waiting:
        key, value = waiting.pop()
        if key in _LABELS or _TEXTS.fullmatch(key):
            continue
        is_name = isinstance(value, str | list | dict) and value
        if is_name and _OPENED.fullmatch(key):
            return (
                f"has {brief(key)}, which names a file or a model; only the model's own are opened"
            )
        if isinstance(value, str) and _is_place(value):
            return f"has {brief(key)} with {brief(value)}, which reads like the place of a file"
        if isinstance(value, dict):
            waiting.extend((str(name), own) for name, own in value.items())
        elif isinstance(value, list):
            waiting.extend((key, own) for own in value)
    return None


def _is_place(text: str) -> bool:
    return any(mark in text for mark in ("/", "\\", "..", "\0")) or text.startswith("~")


def _is_activation(value: Any) -> bool:
    # A name without a point is one of transformers' own, such as 'gelu'.
    return value is None or (
        isinstance(value, str) and ("." not in value or _ACTIVATION.fullmatch(value) is not None)
    )


def _pairs_in(value: Any) -> Iterator[tuple[str, Any]]:
    """All keys of a JSON value with what stands there, at any depth."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield from one.items()
            waiting.extend(one.values())
        elif isinstance(one, list):
            waiting.extend(one)
