"""The form of `run.json` and of `scores.parquet`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import Annotated, Any, Literal, NamedTuple

import pyarrow as pa
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    field_validator,
    model_serializer,
)

from evaluate_shelf.bounded import ConfigName, InnerPath, Line, Named, Prompt, Reason

Status = Literal["done", "skipped", "failed"]

SCORES_SCHEMA = pa.schema(
    [
        ("task", pa.string()),
        ("metric", pa.string()),
        ("primary", pa.bool_()),
        ("value", pa.float64()),
        ("low", pa.float64()),
        ("high", pa.float64()),
        ("level", pa.float64()),
        ("unit", pa.string()),
        ("n_units", pa.int64()),
        ("n", pa.int64()),
        ("chance_level", pa.float64()),
    ]
)

UNBOUNDED_METRICS = frozenset(
    {
        "contrast_violation_lift_at_10",
        "cluster_k_error",
        "label_cardinality",
        "label_cardinality_predicted",
        "n_classes_skipped",
    }
)
"""Counts and ratios, which may be any number. Every other metric lies between -1 and 1."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RunModel(_Part):
    """The model, as it was when it ran; sizes are read from the model itself.

    Attributes
    ----------
    prompts : dict of str to str, or None
        By role, what was put before a text, to the letter; None where prompts are not used.
    """

    name: Named
    spec: Named
    kind: Line
    revision: Line
    settings: dict[str, Any]
    parameters: int | None
    dimension: int | None
    max_tokens: int | None
    prompts: dict[Line, Prompt] | None = None


class WrittenRecord(_Part):
    """The days between which the documents of a config were written, and how that is known."""

    first: dt.date
    last: dt.date | None
    source: Line


class RunData(_Part):
    """The data: the release and the content hash of each config that the tasks read.

    Attributes
    ----------
    written : WrittenRecord or None
        When the documents were written; None where they do not tell.
    """

    release_id: Line
    release_name: Line
    config: ConfigName
    content_sha256: dict[ConfigName, Line]
    written: WrittenRecord | None = None


class RunProtocol(_Part):
    """The protocol's name, its version and the hash of its settings."""

    id: Line
    version: int
    key: Line


class FitRecord(_Part):
    """A probe's fit.

    Attributes
    ----------
    target : str
        What it was fitted on: the labels, or labels that were shuffled.
    iterations : int
        Of the solver.
    gradient_norm : float
        Largest component of the gradient, where the solver stopped, of scikit-learn's objective
        divided by C times the sum of the documents' weights.
    objective : float
        The objective's value there, not divided.
    converged : bool
        Whether it is at most the protocol's tolerance, relative, above its minimum.
    """

    target: Line
    iterations: Annotated[int, Field(ge=0)]
    gradient_norm: float
    objective: float
    converged: bool


class EncodingRecord(_Part):
    """Texts that were encoded, or whose vectors were found in the store.

    Attributes
    ----------
    config, field, role : str
        Which texts, and as what.
    texts : int
        How many.
    cut : int or None
        How many of them were longer than the model's limit; None where it does not tell.
    tokens : int or None
        Tokens that an endpoint counted.
    seconds : float
        Time in the model when they were encoded, in this evaluation or in an earlier one.
    from_store : bool
        Whether it was an earlier one.
    """

    config: ConfigName
    field: Line
    role: Line
    texts: Annotated[int, Field(ge=0)]
    cut: Annotated[int, Field(ge=0)] | None = None
    tokens: Annotated[int, Field(ge=0)] | None = None
    seconds: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    from_store: bool

    @field_validator("cut")
    @classmethod
    def _of_the_texts(cls, value: int | None, info: ValidationInfo) -> int | None:
        if value is not None and value > info.data.get("texts", value):
            raise ValueError("must not be more than there are texts")
        return value


class RateRecord(_Part):
    """How many documents a second a model encodes on the machine that `hardware` names.

    Attributes
    ----------
    documents_per_second : float
        Mean over the repeats.
    low, high : float or None
        Interval of that mean (Student's t over the repeats); None for one repeat.
    level : float
        Its coverage.
    documents, repeats : int
        Documents a repeat, and repeats; a warm-up before them does not count. 1,000 documents
        three times; fewer documents where that would take longer than about 90 seconds, more
        repeats where it is done within a second.
    max_tokens : int or None
        Where a text was cut; None where it was read whole.
    batch_size : int
        Documents at a time.
    """

    documents_per_second: Annotated[float, Field(gt=0, lt=1e12)]
    low: Annotated[float, Field(lt=1e12)] | None
    high: Annotated[float, Field(lt=1e12)] | None
    level: float
    documents: Annotated[int, Field(ge=1)]
    repeats: Annotated[int, Field(ge=1)]
    max_tokens: int | None
    batch_size: int


class RemovedRecord(_Part):
    """What was removed from the documents of a config before a model read them.

    Attributes
    ----------
    documents : int
        All of the config's documents; of pairs, those of the test pairs.
    changed : int
        Those that lost a token.
    emptied : int
        Those of which nothing was left; they were read as a full stop.
    tokens : int
        Tokens that all of them lost.
    mean_tokens : float
        The same, a document.
    """

    documents: Annotated[int, Field(ge=0)]
    changed: Annotated[int, Field(ge=0)]
    emptied: Annotated[int, Field(ge=0)]
    tokens: Annotated[int, Field(ge=0)]
    mean_tokens: Annotated[float, Field(ge=0, allow_inf_nan=False)]


class TaskRecord(_Part):
    """How a task ended; a reason stands with everything that is not done.

    Attributes
    ----------
    seconds : float or None
        Of the whole task.
    stages : dict of str to float
        Seconds of its parts.
    fits : list of FitRecord
        Of its probes.
    encodings : list of EncodingRecord
        Texts that were encoded for it, or found in the store; what an earlier task of the same
        evaluation had ready is named there.
    left_out : int
        Test rows that are no part of the task.
    """

    status: Status
    reason: Reason | None = None
    seconds: float | None = None
    stages: dict[Line, float] = {}
    fits: list[FitRecord] = []
    encodings: list[EncodingRecord] = []
    left_out: Annotated[int, Field(ge=0)] = 0


class RunFile(_Part):
    """The whole of `run.json`.

    Attributes
    ----------
    run_version : int
        2, or 1 for a run whose items name documents by id; that one is read, not scored again.
    limit : int or None
        Documents a split in a smoke run; such a run is comparable with no other.
    rate : RateRecord or None
        None where it was not measured.
    tokens, money_usd : int and float, or None
        Tokens that an endpoint counted, and what they cost at the price of `price_source`.
    files : dict of str to str
        SHA-256 of every other file of the run.
    removed : dict of str to RemovedRecord, or None
        By config, under a protocol that removes something from the texts; elsewhere it is neither
        there nor in the file.
    """

    run_version: Literal[1, 2]
    run_id: Line
    model: RunModel
    data: RunData
    protocol: RunProtocol
    limit: Annotated[int, Field(ge=1)] | None
    seeds: dict[Line, int]
    threads: dict[Line, int]
    versions: dict[Line, Line]
    hardware: dict[Line, Line | int]
    rate: RateRecord | None = None
    tokens: Annotated[int, Field(ge=0)] | None
    money_usd: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    price_source: Line | None = None
    # A task's id is a file's name in the run's folder.
    tasks: dict[ConfigName, TaskRecord]
    files: dict[InnerPath, Line]
    removed: dict[ConfigName, RemovedRecord] | None = None

    @model_serializer(mode="wrap")
    def _without_absent(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        values: dict[str, Any] = plain(self)
        return {name: own for name, own in values.items() if name != "removed" or own is not None}

    def encodings(self) -> list[EncodingRecord]:
        """What was encoded for its tasks, each once."""
        return distinct_encodings(self.tasks.values())


def distinct_encodings(records: Iterable[TaskRecord]) -> list[EncodingRecord]:
    """What was encoded for several tasks, each config, field and role once."""
    found: dict[tuple[str, str, str], EncodingRecord] = {}
    for record in records:
        for encoding in record.encodings:
            found.setdefault((encoding.config, encoding.field, encoding.role), encoding)
    return list(found.values())


class CutTexts(NamedTuple):
    """Texts that a limit cut, of those whose model tells.

    Attributes
    ----------
    cut, texts : int
        How many were cut, and of how many.
    """

    cut: int
    texts: int

    @property
    def share(self) -> float:
        """Share of the texts that were cut."""
        return self.cut / self.texts


def cut_texts(encodings: Iterable[EncodingRecord]) -> CutTexts | None:
    """How many texts were cut; None where there is no limit, or the model does not tell."""
    told = [(own.cut, own.texts) for own in encodings if own.cut is not None and own.texts]
    return CutTexts(*map(sum, zip(*told, strict=True))) if told else None
