"""A static table of token vectors, mean pooled: the one dense model that needs no torch."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.ordering import normalised
from evaluate_shelf.models.protocol import ModelFacts, Role, Vectors

_WEIGHTS = Path("weights/l2_supercat_256.safetensors")
_TOKENIZER = Path("tokenizers/l2_supercat_tokenizer_config.json")


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
