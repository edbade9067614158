"""The form of `run.json` and of `scores.parquet`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field

from evaluate_shelf.bounded import ConfigName, InnerPath, Line, Reason

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


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RunModel(_Part):
    """The model, as it was when it ran; sizes are read from the model itself."""

    name: Line
    spec: Line
    kind: Line
    revision: Line
    settings: dict[str, Any]
    parameters: int | None
    dimension: int | None
    max_tokens: int | None


class RunData(_Part):
    """The data: the release and the content hash of each config that the tasks read."""

    release_id: Line
    release_name: Line
    config: ConfigName
    content_sha256: dict[ConfigName, Line]


class RunProtocol(_Part):
    """The protocol's name, its version and the hash of its settings."""

    id: Line
    version: int
    key: Line


class TaskRecord(_Part):
    """How a task ended; a reason stands with everything that is not done."""

    status: Status
    reason: Reason | None = None
    seconds: float | None = None


class RunFile(_Part):
    """The whole of `run.json`.

    Attributes
    ----------
    limit : int or None
        Documents a split in a smoke run; such a run is comparable with no other.
    files : dict of str to str
        SHA-256 of every other file of the run.
    """

    run_version: Literal[1]
    run_id: Line
    model: RunModel
    data: RunData
    protocol: RunProtocol
    limit: Annotated[int, Field(ge=1)] | None
    seeds: dict[Line, int]
    threads: dict[Line, int]
    versions: dict[Line, Line]
    hardware: dict[Line, Line | int]
    tokens: int | None
    money_usd: float | None
    tasks: dict[Line, TaskRecord]
    files: dict[InnerPath, Line]
