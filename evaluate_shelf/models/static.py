"""Static tables of token vectors, mean pooled: the dense models that need no torch."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.models.limits import count_longer
from evaluate_shelf.models.named import NamedModel, base_spec, reducible
from evaluate_shelf.models.ordering import normalised
from evaluate_shelf.models.protocol import ModelFacts, ModelIdentity, Role, Vectors
from evaluate_shelf.models.spec import Spec
from evaluate_shelf.registry.protocols import Protocol

_WEIGHTS = Path("weights/l2_supercat_256.safetensors")
_TOKENIZER = Path("tokenizers/l2_supercat_tokenizer_config.json")
_TABLE, _WORDS, _CONFIG = "model.safetensors", "tokenizer.json", "config.json"
_LARGEST_CONFIG = 1_000_000
_LARGEST_WORDS = 200_000_000
# What model2vec does where its configuration does not say.
_DEFAULT_LIMIT = 512


def wordllama(spec: Spec, protocol: Protocol) -> NamedModel:
    """`wordllama`: the table in the package of that name.

    Raises
    ------
    ShelfError
        If the package is not installed.
    """
    try:
        revision = f"wordllama {version('wordllama')} l2_supercat_256"
    except PackageNotFoundError as error:
        raise ShelfError("wordllama is not installed; run `pip install wordllama`") from error
    return reducible(
        ModelIdentity("wordllama", base_spec(spec), "static", revision),
        spec,
        WordLlama,
        dimension=_width(wordllama_folder() / _WEIGHTS),
    )


def static_table(spec: Spec, protocol: Protocol) -> NamedModel:
    """`static:<folder>`: a table as model2vec keeps it.

    Raises
    ------
    ShelfError
        If a file is missing.
    """
    folder = Path(spec.target).expanduser()
    for name in (_TABLE, _WORDS):
        if not spec.target or not (folder / name).is_file():
            raise ShelfError(f"{spec.text}: {folder} holds no {name}")
    files = [folder / name for name in (_TABLE, _WORDS, _CONFIG) if (folder / name).is_file()]
    revision = " ".join(sha256_of_file(file)[:24] for file in files)
    name = "/".join(folder.resolve().parts[-2:])
    base = ModelIdentity(name, base_spec(spec), "static", revision)
    return reducible(
        base,
        spec,
        lambda: StaticTable(folder, protocol.max_tokens),
        takes=["max_tokens"],
        dimension=_width(folder / _TABLE),
    )


class WordLlama:
    """The vectors that ship inside the `wordllama` wheel, read without importing its code.

    Importing the package would set up the root logger; its weights are a plain safetensors file.

    References
    ----------
    Miller, "WordLlama" (2024), https://github.com/dleemiller/WordLlama, MIT licence.
    """

    def __init__(self) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        folder = wordllama_folder()
        self._table = load_file(folder / _WEIGHTS)["embedding.weight"].astype(np.float32)
        self._tokenizer = Tokenizer.from_file(str(folder / _TOKENIZER))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    @property
    def facts(self) -> ModelFacts:
        """Parameters and dimension of the table."""
        return ModelFacts(parameters=int(self._table.size), dimension=int(self._table.shape[1]))

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Mean of the tokens' vectors, normalised."""
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        vectors = np.stack([self._table[tokens.ids].mean(axis=0) for tokens in encoded])
        return normalised(vectors)


class StaticTable:
    """A folder with a table of token vectors and its tokenizer, pooled as model2vec pools.

    Parameters
    ----------
    folder : pathlib.Path
        With `model.safetensors` (one tensor of two dimensions; `mapping`, the row of each token,
        and `weights`, its weight, may stand beside it), `tokenizer.json`, and perhaps
        `config.json` with `normalize` and `max_length`.
    max_tokens : int, default=None
        Where a text is cut, in place of the folder's own limit.

    Raises
    ------
    ShelfError
        If a file is damaged, or they do not fit each other.

    References
    ----------
    Tulkens and van Dongen, "Model2Vec: Fast State-of-the-Art Static Embeddings" (2024).
    """

    def __init__(self, folder: Path, max_tokens: int | None = None) -> None:
        config = _config(folder)
        self._normalise = config.get("normalize", True)
        self._limit: int | None = max_tokens or config.get("max_length", _DEFAULT_LIMIT)
        self._table, self._row, self._weight = _tensors(folder / _TABLE)
        self._tokenizer, self._unknown = _tokenizer(folder / _WORDS)
        tokens = len(self._table) if self._row is None else len(self._row)
        largest = max(self._tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
        if largest >= tokens:
            raise ShelfError(
                f"{folder}: {_WORDS} has token {largest}, and {_TABLE} vectors for {tokens} tokens"
            )

    @property
    def facts(self) -> ModelFacts:
        """Parameters, dimension and limit of the table."""
        return ModelFacts(
            parameters=int(self._table.size),
            dimension=int(self._table.shape[1]),
            max_tokens=self._limit,
        )

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Mean of the known tokens' vectors; a text without any has a zero vector."""
        vectors = np.zeros((len(texts), self._table.shape[1]), dtype=np.float32)
        for number, tokens in enumerate(self._tokens(texts, self._limit)):
            known = np.array([token for token in tokens if token != self._unknown], dtype=np.int64)
            if len(known):
                vectors[number] = self._of(known).mean(axis=0)
        return normalised(vectors) if self._normalise else vectors

    def count_cut(self, texts: Sequence[str], *, role: Role = "document") -> int:
        """How many texts have more tokens than the table's limit."""
        return 0 if self._limit is None else count_longer(texts, self._limit, self._lengths)

    @contextmanager
    def limited_to(self, max_tokens: int) -> Iterator[int]:
        """Cut texts after so many tokens, or the table's own limit; gives the number."""
        own = self._limit
        self._limit = max_tokens if own is None else min(own, max_tokens)
        try:
            yield self._limit
        finally:
            self._limit = own

    def _of(self, tokens: NDArray[np.int64]) -> NDArray[np.float32]:
        rows = tokens if self._row is None else self._row[tokens]
        vectors = self._table[rows].astype(np.float32, copy=False)
        return vectors if self._weight is None else vectors * self._weight[tokens][:, None]

    def _tokens(self, texts: Sequence[str], most: int | None) -> list[list[int]]:
        if most is None:
            self._tokenizer.no_truncation()
        else:
            self._tokenizer.enable_truncation(most)
        encoded = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [tokens.ids for tokens in encoded]

    def _lengths(self, texts: Sequence[str], most: int) -> list[int]:
        return [len(tokens) for tokens in self._tokens(texts, most)]


def wordllama_folder() -> Path:
    """Where the `wordllama` package lies.

    Raises
    ------
    ShelfError
        If it is not installed.
    """
    found = importlib.util.find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise ShelfError("wordllama is not installed; run `pip install wordllama`")
    return Path(found.submodule_search_locations[0])


def _width(file: Path) -> int | None:
    """Columns of the only table in a file, by its header; None where that does not say.

    A header begins with its length, eight bytes, and goes on as JSON.
    """
    try:
        with file.open("rb") as stream:
            length = int.from_bytes(stream.read(8), "little")
            header = json.loads(stream.read(min(length, _LARGEST_CONFIG)).decode("utf-8"))
        shapes = [list(entry["shape"]) for name, entry in header.items() if name != "__metadata__"]
    # What is damaged is said when the file is loaded.
    except (OSError, ValueError, RecursionError, AttributeError, KeyError, TypeError):
        return None
    widths = [shape[1] for shape in shapes if len(shape) == 2]
    return widths[0] if len(widths) == 1 and type(widths[0]) is int else None


def _config(folder: Path) -> dict[str, Any]:
    file = folder / _CONFIG
    if not file.is_file():
        return {}
    if file.stat().st_size > _LARGEST_CONFIG:
        raise ShelfError(f"{file}: longer than {_LARGEST_CONFIG:,} bytes")
    try:
        config = json.loads(file.read_bytes().decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ShelfError(f"{file}: no JSON can be read: {one_line(str(error), 200)}") from error
    if not isinstance(config, dict):
        raise ShelfError(f"{file}: no mapping of settings")
    if not isinstance(config.get("normalize", True), bool):
        raise ShelfError(f"{file}: normalize must be true or false")
    limit = config.get("max_length")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise ShelfError(f"{file}: max_length must be a whole number above 0 or null")
    return config


def _tensors(
    file: Path,
) -> tuple[NDArray[Any], NDArray[np.int64] | None, NDArray[np.float32] | None]:
    """The table, the row of each token and the weight of each token."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(file)
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise ShelfError(f"{file}: no tensors can be read: {one_line(str(error), 200)}") from error
    tables = {name: tensor for name, tensor in tensors.items() if tensor.ndim == 2}
    if len(tables) != 1:
        raise ShelfError(
            f"{file}: {len(tables)} tensors of two dimensions; the table alone is needed"
        )
    (table,) = tables.values()
    if not table.size or table.dtype.kind not in "fi":
        raise ShelfError(f"{file}: a table of {table.dtype} and shape {table.shape}")
    row, weight = tensors.get("mapping"), tensors.get("weights")
    if row is not None and (
        row.ndim != 1
        or row.dtype.kind not in "iu"
        or not row.size
        or not 0 <= int(row.min()) <= int(row.max()) < len(table)
    ):
        raise ShelfError(f"{file}: its mapping names rows that the table has not")
    tokens = len(table) if row is None else len(row)
    if weight is not None and weight.shape != (tokens,):
        raise ShelfError(f"{file}: weights of shape {weight.shape} for {tokens} tokens")
    return (
        table,
        None if row is None else row.astype(np.int64),
        None if weight is None else weight.astype(np.float32),
    )


def _tokenizer(file: Path) -> tuple[Any, int | None]:
    """The tokenizer and its token for the unknown, which model2vec leaves out."""
    from tokenizers import Tokenizer

    if file.stat().st_size > _LARGEST_WORDS:
        raise ShelfError(f"{file}: longer than {_LARGEST_WORDS:,} bytes")
    try:
        tokenizer = Tokenizer.from_file(str(file))
        words = json.loads(file.read_bytes().decode("utf-8"))["model"]
    # The library raises Exception itself.
    except Exception as error:
        raise ShelfError(
            f"{file}: no tokenizer can be read: {one_line(str(error), 200)}"
        ) from error
    tokenizer.no_padding()
    unknown = words.get("unk_id")
    name = words.get("unk_token")
    return tokenizer, tokenizer.token_to_id(name) if isinstance(name, str) else unknown
