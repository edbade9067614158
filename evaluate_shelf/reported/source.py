"""What `configs/reported/` holds, read and checked."""

from __future__ import annotations

import csv
import datetime as dt
import functools
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, FiniteFloat, ValidationError, model_validator

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.panel import Address, Cutoff
from evaluate_shelf.registry.strict_yaml import Name, Row, RowT, Text, read_yaml, validated
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.runs.reading import is_score

Arm = Literal["none", "masked", "sham"]
Count = Annotated[int, Field(gt=0)]


class Corpus(Row):
    """What a config of the reported scores is: a corpus, and what was done to its texts."""

    config: Name
    corpus: Name
    arm: Arm


class Source(Row):
    """Where the scores come from.

    Attributes
    ----------
    source : str
        Who computed them, and which of their files were taken.
    url : str
        Where they can be read.
    reported : datetime.date
        When they were computed.
    corpora : tuple of Corpus
        The configs that they are of.
    """

    source: Text
    url: Text
    reported: dt.date
    corpora: Annotated[tuple[Corpus, ...], Field(min_length=1)]


class ReportedModel(Row):
    """A model of the panel; sizes as they were reported.

    The three columns of the cutoff are all there or all empty.
    """

    model: Name
    name: Text
    kind: Literal["sparse", "encoder"]
    checkpoint: Text | None
    parameters: Count | None
    dimension: Count | None
    cutoff_date: dt.date | None
    cutoff_of: Literal["training", "release"] | None
    cutoff_source: Address | None

    @model_validator(mode="after")
    def _whole(self) -> ReportedModel:
        parts = (self.cutoff_date, self.cutoff_of, self.cutoff_source)
        if None in parts and parts != (None, None, None):
            raise ValueError("a cutoff needs a date, what it is of, and a source")
        return self

    @property
    def cutoff(self) -> Cutoff | None:
        """After which day nothing was learned; None where no source states one."""
        if self.cutoff_date is None or self.cutoff_of is None or self.cutoff_source is None:
            return None
        return Cutoff(date=self.cutoff_date, of=self.cutoff_of, source=self.cutoff_source)


class ReportedScore(Row):
    """One score: a metric of a model on a task of a config."""

    config: Name
    model: Name
    task: Name
    metric: Name
    value: FiniteFloat


class ReportedPanel(NamedTuple):
    """All of it: the source, the models by key, and the scores."""

    source: Source
    models: dict[str, ReportedModel]
    scores: tuple[ReportedScore, ...]


def load_reported(folder: Path | None = None) -> ReportedPanel:
    """Read the reported scores.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation. A folder is read once in a
        process.

    Returns
    -------
    ReportedPanel

    Raises
    ------
    ShelfError
        If a file is missing, or a row names a model, config or task that is not there, holds no
        score or stands twice; the message names file, row and field.

    Examples
    --------
    >>> len(load_reported().models)
    28
    """
    return _loaded((folder or config_folder()).resolve() / "reported")


@functools.lru_cache(maxsize=4)
def _loaded(folder: Path) -> ReportedPanel:
    file = folder / "source.yaml"
    source = validated(Source, read_yaml(file), file)
    models: dict[str, ReportedModel] = {}
    for place, model in _rows(folder / "models.csv", ReportedModel):
        if model.model in models:
            raise ShelfError(f"{place}, field 'model': {model.model!r} stands twice")
        models[model.model] = model
    scores: dict[tuple[str, ...], ReportedScore] = {}
    known = {
        "config": {corpus.config for corpus in source.corpora},
        "model": set(models),
        "task": set(load_tasks(folder.parent)),
    }
    for place, score in _rows(folder / "scores.csv", ReportedScore):
        for field, names in known.items():
            if getattr(score, field) not in names:
                raise ShelfError(f"{place}, field {field!r}: unknown {getattr(score, field)!r}")
        if not is_score(score.metric, score.value):
            raise ShelfError(f"{place}, field 'value': {score.value!r} is no score")
        key = (score.config, score.model, score.task, score.metric)
        if key in scores:
            raise ShelfError(f"{place}: the score stands twice")
        scores[key] = score
    return ReportedPanel(source, models, tuple(scores.values()))


def _rows(file: Path, form: type[RowT]) -> Iterator[tuple[str, RowT]]:
    """The rows of a CSV file, each with its place; an empty cell is absent."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ShelfError(f"{file}: cannot be read: {error}") from error
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if reader.fieldnames != list(form.model_fields):
        raise ShelfError(f"{file}: its columns must be {','.join(form.model_fields)}")
    for number, cells in enumerate(reader, start=1):
        place = f"{file}, row {number}"
        try:
            yield place, form.model_validate({name: cells[name] or None for name in cells})
        except ValidationError as error:
            detail = error.errors(include_url=False)[0]
            field = ".".join(map(str, detail["loc"]))
            raise ShelfError(f"{place}, field {field!r}: {detail['msg']}") from error
