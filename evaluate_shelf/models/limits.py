"""Where a transformer cuts a text, and which texts that is true of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from evaluate_shelf.errors import ShelfError

# Tokenizers without a limit say a number with thirty digits.
_NO_LIMIT = 10**9
# A prefix of six characters a token is nearly always longer than the limit, and seldom by much.
_CHARACTERS_A_TOKEN = 6
# Tokens besides a text's own, and tokens that another ending of a prefix can make or unmake.
_SPARE = 16
_TEXTS_AT_A_TIME = 256

Lengths = Callable[[Sequence[str], int], Sequence[int]]
"""Number of tokens of each text, special ones among them; only told apart up to a number."""


def own_limit(model: Any) -> int | None:
    """Where a sentence-transformers model cuts a text, in tokens; None if it does not.

    Parameters
    ----------
    model : SentenceTransformer or CrossEncoder
        Loaded.
    """
    limit = getattr(model, "max_seq_length", None)
    if limit is None:
        # A cross-encoder of sentence-transformers 5.
        limit = getattr(model, "max_length", None)
    return None if limit is None or limit > _NO_LIMIT else int(limit)


def capped(model: Any, name: str, limit: int | None) -> None:
    """Make a sentence-transformers model cut texts at the protocol's limit.

    Parameters
    ----------
    model : SentenceTransformer or CrossEncoder
        Changed in place.
    name : str
        For the message.
    limit : int or None
        In tokens, special ones among them. None leaves the model its own.

    Raises
    ------
    ShelfError
        If the model has no positions for so many tokens.
    """
    if limit is None:
        return
    positions = position_limit(model)
    if positions is not None and limit > positions:
        raise ShelfError(
            f"{name}: the protocol's max_tokens is {limit}, and the model has positions for "
            f"{positions} tokens; take at most {positions}"
        )
    if hasattr(model, "max_seq_length"):
        model.max_seq_length = limit
    else:
        model.max_length = limit


def position_limit(model: Any) -> int | None:
    """The longest text in tokens that a model has positions for; None if it does not say.

    Parameters
    ----------
    model : torch.nn.Module
        With a transformer somewhere in it.
    """
    for name, table in model.named_modules():
        if name.rpartition(".")[2] == "position_embeddings" and hasattr(table, "num_embeddings"):
            # RoBERTa and its kin count positions from behind the one for padding.
            padding = getattr(table, "padding_idx", None)
            return int(table.num_embeddings) - (0 if padding is None else padding + 1)
    for _, module in model.named_modules():
        positions = getattr(getattr(module, "config", None), "max_position_embeddings", None)
        if isinstance(positions, int) and positions > 0:
            return positions
    return None


def count_longer(texts: Sequence[str], limit: int, lengths: Lengths) -> int:
    """How many texts have more tokens than a limit.

    Only a text that could is tokenised, and at first no more of it than is likely to tell.

    Parameters
    ----------
    texts : sequence of str
        As the model gets them.
    limit : int
        In tokens, special ones among them.
    lengths : callable
        Takes texts and the number that lengths are told apart up to.

    Returns
    -------
    int

    Examples
    --------
    >>> words = lambda texts, most: [min(len(text.split()), most) for text in texts]
    >>> count_longer(["a b c", "a b", "a " * 500], 2, words)
    2
    """
    # A token of plain ASCII has at least one character; others can be several tokens.
    doubtful = [text for text in texts if len(text) + _SPARE > limit or not text.isascii()]
    beginnings = [_beginning(text, _CHARACTERS_A_TOKEN * (limit + _SPARE)) for text in doubtful]
    longer, undecided = 0, []
    lengths_of_beginnings = _lengths(beginnings, limit + _SPARE, lengths)
    for text, beginning, length in zip(doubtful, beginnings, lengths_of_beginnings, strict=True):
        if len(beginning) == len(text):
            longer += length > limit
        elif length >= limit + _SPARE:
            longer += 1
        else:
            undecided.append(text)
    return longer + sum(length > limit for length in _lengths(undecided, limit + 1, lengths))


def _beginning(text: str, characters: int) -> str:
    """Whole words from the beginning of a text: half a word can be more tokens than the whole.

    Examples
    --------
    >>> _beginning("ships at sea", 10), _beginning("ships", 10), _beginning("shipshapes", 4)
    ('ships at', 'ships', '')
    """
    if len(text) <= characters:
        return text
    end = max(text.rfind(" ", 0, characters), text.rfind("\n", 0, characters))
    return text[: max(end, 0)]


def _lengths(texts: Sequence[str], most: int, lengths: Lengths) -> list[int]:
    found: list[int] = []
    for start in range(0, len(texts), _TEXTS_AT_A_TIME):
        found.extend(lengths(texts[start : start + _TEXTS_AT_A_TIME], most))
    return found
