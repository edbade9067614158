"""What a transfer matrix depends on besides the model and the corpora."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.protocol_settings import CountSettings, Seed, TfidfSettings
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.registry.strict_yaml import Row

FIELD = "lcc_code"
"""The label that is predicted: the class of the Library of Congress."""

DEFAULT_MODEL = "tfidf-full"
"""A model that has read nothing before, so that a gap is the corpora's and not its memory's."""

Size = Literal["full", "equal"]
Unit = Literal["groups", "documents"]

_WORDS = {"ngram_range": (1, 1), "min_df": 1, "max_df": 1.0, "max_features": 50_000}
_PROBE_ITERATIONS = 2000


class Settings(Row):
    """How corpora are cut to size and split.

    Attributes
    ----------
    size : {'full', 'equal'}
        All documents of each corpus, or of each as many as the smallest has.
    words : int or None
        How many words at the beginning of a text are read; the whole text where it is None.
    split : {'groups', 'documents'}
        Whether documents of one group stay on one side, where the release says what groups are;
        else each class is split by itself.
    test_share : float
        Share of the groups, or of the documents, that is tested on.
    seed : int
        Of the sample and of the split.
    """

    size: Size = "full"
    words: Annotated[int, Field(gt=0)] | None = None
    split: Unit = "groups"
    test_share: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 0.3
    seed: Seed = 42


def settings_for(size: Size = "full", words: int | None = None, split: Unit = "groups") -> Settings:
    """Settings as a user gives them.

    Raises
    ------
    ShelfError
        If there is to be no word.

    Examples
    --------
    >>> settings_for("equal", 200).words
    200
    """
    if words is not None and words < 1:
        raise ShelfError(f"--words {words}: at least 1 word is needed")
    return Settings(size=size, words=words, split=split)


def matrix_protocol() -> Protocol:
    """The protocol of the published matrix: single words, none left out for being rare or common.

    All else, the probe's objective among it, is that of the default protocol, so that vectors of
    encoders are those that `shelf evaluate` has stored.

    Examples
    --------
    >>> protocol = matrix_protocol()
    >>> protocol.tfidf.ngram_range, protocol.tfidf.max_features, protocol.probe.max_iter
    ((1, 1), 50000, 2000)
    """
    usual = load_protocol()
    return usual.model_copy(
        update={
            "id": "transfer-matrix",
            "version": 1,
            "tfidf": TfidfSettings.model_validate({**_WORDS, "sublinear_tf": True}),
            "tf": CountSettings.model_validate(_WORDS),
            "probe": usual.probe.model_copy(update={"max_iter": _PROBE_ITERATIONS}),
        }
    )
