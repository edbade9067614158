"""The roster of generators: which model writes, how it is reached, and whether it is paid."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, field_validator, model_validator

from evaluate_shelf.endpoints.address import checked_base, is_loopback
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, read_rows, validated_rows

GeneratorName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,99}$")]
"""A generator's name; it may hold a vendor and a slash, as the names of models do."""

WriterKind = Literal["lexical", "openai", "batch", "replay"]
_Variable = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]{0,99}$")]
_REMOTE = ("openai", "batch")
_OWN_PARAMETERS = frozenset(
    {
        "model", "messages", "temperature", "top_p", "max_tokens", "max_completion_tokens",
        "reasoning_effort", "n", "stream", "stream_options",
    }
)  # fmt: skip


class Generator(Row):
    """Who writes.

    Attributes
    ----------
    name : str
        As the plan and the caps name it; no two of a plan have the same.
    writer : str
        How it is reached: `lexical` composes by rules, `openai` asks a chat endpoint, `batch`
        submits many requests at once, `replay` takes documents that exist.
    model : str or None
        As the endpoint names it. None, for `openai` and `batch`: a place that is not filled yet.
    base_url : str or None
        Of the endpoint, up to and without `/chat/completions`.
    api_key : str
        The environment variable with the key.
    reasons : bool or None
        Whether the model thinks in tokens that are paid before it writes. None where nobody knows:
        short texts then get room for a little of it.
    reasoning_effort : str or None
        What is asked of a model that takes it.
    price : str
        `table`: what prices.yaml says. `free`: nothing, for an endpoint on this machine alone.
    concurrency : int
        The most calls at once.
    documents : str or None
        Of `replay`: the file with what was written.
    parameters : dict
        Sent with every call beside what every endpoint takes, for example `repeat_penalty`.
    other_names : tuple of str
        What the endpoint may call the model when it answers, beside `model`.
    answer_seconds : float
        The longest wait for an answer.
    """

    name: GeneratorName
    writer: WriterKind
    model: Text | None = None
    base_url: Text | None = None
    api_key: _Variable = "OPENAI_API_KEY"
    reasons: bool | None = None
    reasoning_effort: Literal["minimal", "low", "medium", "high"] | None = None
    price: Literal["table", "free"] = "table"
    concurrency: int = Field(default=4, ge=1, le=256)
    documents: Text | None = None
    parameters: dict[Name, bool | int | float | str] = Field(default_factory=dict)
    other_names: tuple[Text, ...] = ()
    answer_seconds: float = Field(default=600.0, gt=0, le=86_400, allow_inf_nan=False)

    @field_validator("base_url")
    @classmethod
    def _address(cls, value: str | None) -> str | None:
        try:
            return None if value is None else checked_base(value)
        except ShelfError as error:
            raise ValueError(str(error)) from error

    @field_validator("parameters")
    @classmethod
    def _beside_the_usual(
        cls, value: dict[str, bool | int | float | str]
    ) -> dict[str, bool | int | float | str]:
        for name in value:
            if name in _OWN_PARAMETERS:
                raise ValueError(f"{name!r} is set by SHELF")
        return value

    @model_validator(mode="after")
    def _whole(self) -> Self:
        remote = self.writer in _REMOTE
        if (self.model is None) != (self.base_url is None) and remote:
            raise ValueError("model and base_url go together")
        if self.base_url is not None and not remote:
            raise ValueError(f"a {self.writer} writer has no base_url")
        if self.reasoning_effort is not None and not self.reasons:
            raise ValueError("reasoning_effort needs reasons: true")
        if self.price == "free" and remote and not (self.base_url and is_loopback(self.base_url)):
            raise ValueError("price: free is for an endpoint on this machine")
        if (self.documents is not None) != (self.writer == "replay"):
            raise ValueError("documents is what a replay writer has, and no other")
        return self

    @property
    def is_place(self) -> bool:
        """Whether this is a place for a generator that a file of one's own fills."""
        return self.writer in _REMOTE and self.model is None

    @property
    def is_paid(self) -> bool:
        """Whether its calls may cost money."""
        return self.writer in _REMOTE and self.price == "table"

    @property
    def model_name(self) -> str:
        """What stands in the column `model`."""
        return self.model or self.name


def load_roster(file: Path) -> tuple[Generator, ...]:
    """Read a roster of one's own: a list of generators.

    Parameters
    ----------
    file : pathlib.Path
        YAML.

    Returns
    -------
    tuple of Generator
        In the order of the file.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "writers.yaml"
    >>> row = "- {name: mine, writer: openai, model: m, base_url: 'http://localhost:8000/v1'}"
    >>> _ = file.write_text(row)
    >>> [generator.model_name for generator in load_roster(file)]
    ['m']
    """
    return validated_rows(Generator, read_rows(file), file, "name")
