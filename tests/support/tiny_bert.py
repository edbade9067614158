"""Transformers small enough to be made in a test, with random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

WORDS = ["ships", "sea", "wheat", "and", "at", "the", "query", "passage", "book", "of", ":"]
LETTERS = [*"abcdefghijklmnopqrstuvwxyz", *(f"##{c}" for c in "abcdefghijklmnopqrstuvwxyz")]
POSITIONS = 32


def tiny_bert(folder: Path, *, labels: int | None = None, roberta: bool = False) -> Path:
    """A BERT of 16 dimensions and 32 positions, with `labels` scores a pair if they are given."""
    import torch
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        BertModel,
        BertTokenizerFast,
        RobertaConfig,
        RobertaModel,
    )

    folder.mkdir(parents=True)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *LETTERS]
    vocabulary = {word: number for number, word in enumerate(dict.fromkeys(words))}
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    settings: dict[str, Any] = {
        "vocab_size": len(vocabulary),
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": POSITIONS,
        "pad_token_id": 0,
    }
    with torch.random.fork_rng():
        torch.manual_seed(7)
        if roberta:
            settings["pad_token_id"] = 1
            model: Any = RobertaModel(RobertaConfig(**settings))
        elif labels is None:
            model = BertModel(BertConfig(**settings))
        else:
            model = BertForSequenceClassification(BertConfig(num_labels=labels, **settings))
    model.save_pretrained(folder)
    BertTokenizerFast(vocab=vocabulary, model_max_length=POSITIONS).save_pretrained(folder)
    return folder


def tiny_encoder(folder: Path, **settings: Any) -> Path:
    """The same as a SentenceTransformer with mean pooling; `settings` go to its class."""
    from sentence_transformers import SentenceTransformer

    plain = tiny_bert(folder.with_name(f"{folder.name}-plain"))
    model = SentenceTransformer(str(plain), device="cpu", **settings)
    model.save(str(folder))
    return folder
