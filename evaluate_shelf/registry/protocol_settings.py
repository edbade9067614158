"""The parts of a protocol: what each step of scoring can be set to."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator

from evaluate_shelf.registry.strict_yaml import Row

Count = Annotated[int, Field(gt=0)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]


class Probe(Row):
    """Logistic regression on frozen vectors.

    `solver` is SHELF's own or scikit-learn's; both minimise the same objective, until it is at
    most `tolerance`, relative, above its minimum.
    """

    C: float = Field(gt=0, allow_inf_nan=False)
    max_iter: Count
    class_weight: Literal["balanced"] | None
    seed: Seed
    solver: Literal["shelf", "scikit-learn"]
    tolerance: float = Field(gt=0, lt=1, allow_inf_nan=False)


class CountSettings(Row):
    """Which words and pairs of words are counted."""

    ngram_range: tuple[Count, Count]
    min_df: Count
    max_df: float = Field(gt=0, le=1, allow_inf_nan=False)
    max_features: Count

    @field_validator("ngram_range")
    @classmethod
    def _in_order(cls, value: tuple[int, int]) -> tuple[int, int]:
        if value[0] > value[1]:
            raise ValueError("must not end below its start")
        return value


class TfidfSettings(CountSettings):
    """The same, weighted by inverse document frequency."""

    sublinear_tf: bool


class Bm25Settings(Row):
    """Variant and constants of BM25."""

    idf: Literal["lucene", "published"]
    k1: float = Field(ge=0, allow_inf_nan=False)
    b: float = Field(ge=0, le=1, allow_inf_nan=False)


class KMeansSettings(Row):
    """The seed of the score, and the seeds whose median stands beside it."""

    seed: Seed
    median_seeds: Annotated[tuple[Seed, ...], Field(min_length=1)]
    n_init: Count
    max_iter: Count

    @field_validator("median_seeds")
    @classmethod
    def _all_different(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(value)) < len(value):
            raise ValueError("must be all different")
        return value


class HdbscanSettings(Row):
    """Density clustering; a cluster has at least `min_cluster_size` documents."""

    min_cluster_size: Annotated[int, Field(ge=2)]
    min_samples: Count
    metric: Literal["euclidean"]
    cluster_selection_method: Literal["eom", "leaf"]


class AgglomerativeSettings(Row):
    """Clusters merged pair by pair, until there are as many as labels."""

    linkage: Literal["average", "complete", "single"]
    metric: Literal["cosine"]


class ConditionalSettings(Row):
    """What a class needs to be clustered by itself."""

    min_documents: Count
    min_labels: Annotated[int, Field(ge=2)]


class ControlSettings(Row):
    """The shuffled-label control that measures chance: how often labels are shuffled, and how."""

    replicates: Count
    seed: Seed


class BootstrapSettings(Row):
    """Replicates and level of the intervals."""

    replicates: Count
    seed: Seed
    level: float = Field(gt=0, lt=1, allow_inf_nan=False)
