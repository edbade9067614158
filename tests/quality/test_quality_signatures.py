"""Shingle hashes and MinHash signatures against their definitions."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planted_corpora import naive_jaccard, near_copy, normal, words

from builders.draws import Draws
from builders.quality.shingles import ShingleHashes, jaccard, shingles
from builders.quality.signatures import BINS, Signatures

TEXTS = st.text(alphabet="ab Çİß\u2003\n\x1c水", max_size=40).map(normal)


@settings(max_examples=200, deadline=None)
@given(st.lists(TEXTS.filter(bool), max_size=8))
def test_equal_shingles_and_no_others_have_equal_hashes(texts: list[str]) -> None:
    hash_of: dict[tuple[str, ...], int] = {}
    encoded = [text.encode() for text in texts]
    for hashes, texts_of in ShingleHashes(3).batches(encoded):
        for number, text in enumerate(texts):
            tokens = text.split(" ")
            grams = [tuple(tokens[i : i + 5]) for i in range(max(1, len(tokens) - 4))]
            own = hashes[texts_of == number].tolist()
            assert len(own) == len(grams)
            for gram, value in zip(grams, own, strict=True):
                assert hash_of.setdefault(gram, value) == value
    assert len(set(hash_of.values())) == len(hash_of)


def test_where_a_batch_is_cut_does_not_matter() -> None:
    texts = [" ".join(words(Draws(n, "cut"), 900, 10**6)).encode() for n in range(120)]
    assert sum(len(text) for text in texts) > 2 * 2**18
    hasher = ShingleHashes(9)
    together: dict[int, list[int]] = {}
    for hashes, texts_of in hasher.batches(texts):
        for number in np.unique(texts_of).tolist():
            together[number] = hashes[texts_of == number].tolist()
    alone = {n: next(hasher.batches([text]))[0].tolist() for n, text in enumerate(texts)}
    assert together == alone


@settings(max_examples=200, deadline=None)
@given(TEXTS, TEXTS)
def test_the_exact_similarity_is_that_of_the_definition(first: str, second: str) -> None:
    assert jaccard(shingles(first), shingles(second)) == naive_jaccard(first, second)


@pytest.mark.parametrize("length", [7, 30, 125, 640])
@pytest.mark.parametrize("share", [0.02, 0.1])
def test_bins_agree_as_often_as_texts_are_similar(length: int, share: float) -> None:
    draws = Draws(length, "agreement", round(1000 * share))
    original = words(draws, length)
    copy = near_copy(draws, original, max(1, round(length * share)))
    texts = [" ".join(original), " ".join(copy)]
    similarity = naive_jaccard(*texts)
    expected = similarity + (1 - similarity) / 256
    runs = 60
    agreeing = [
        np.equal(*Signatures(s).of([t.encode() for t in texts])).mean() for s in range(runs)
    ]
    # The bins of one run depend on each other, the runs do not.
    error = np.std(agreeing, ddof=1) / np.sqrt(runs)
    assert abs(np.mean(agreeing) - expected) < 4.5 * max(error, 0.002)


def test_texts_with_nothing_in_common_agree_only_by_chance_however_short_they_are() -> None:
    texts = [f"word{number}".encode() for number in range(400)]
    signatures = Signatures(5).of(texts)
    agreeing = (signatures[:, None, :] == signatures[None, :, :]).sum(axis=2)
    np.fill_diagonal(agreeing, 0)
    # Of 125 bins that agree with a probability of 1/256; ten would be one chance in 10^10.
    assert agreeing.max() < 10


def test_a_signature_does_not_depend_on_its_batch() -> None:
    texts = [" ".join(words(Draws(n, "batch"), 5 * n)).encode() for n in range(30)]
    signatures = Signatures(4)
    alone = np.concatenate([signatures.of([text]) for text in texts])
    assert (signatures.of(texts) == alone).all()
    assert not signatures.of([b""]).any()
    assert signatures.of([]).shape == (0, BINS)


def test_signatures_are_the_same_on_every_machine() -> None:
    text = normal("Ünder the lamp, the old keeper counted forty-one hives and wrote them down.")
    digest = hashlib.sha256(Signatures(42).of([text.encode()]).tobytes()).hexdigest()
    assert digest == "113b1e68cb393bad72fc2b8cdb133513c1f7733b14ba57cb2fca32aa7e0f1033"
