"""Documents that exist already, as if they had just been written to their specifications."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, StringConstraints

from builders.orders import Order, Sampling
from builders.prompts.prompt import Message, Prompt
from builders.specifications import Specification
from builders.writers.protocol import Answer, Usage
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import brief
from evaluate_shelf.records.byte_source import head
from evaluate_shelf.records.json_rows import json_rows
from evaluate_shelf.records.parquet_rows import parquet_rows
from evaluate_shelf.records.record import DamageError
from evaluate_shelf.registry.strict_yaml import Row, validated, wrong
from evaluate_shelf.registry.taxonomy import Taxonomy

_FACETS = ("lcc_code", "lcgft_category", "lcgft_form", "topics", "register", "target_length")
_MOST_TOKENS = 10**9

_Named = Annotated[str, StringConstraints(min_length=1, max_length=300, pattern=r"^[^\x00-\x1f]*$")]
_Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$")]
_Body = Annotated[str, StringConstraints(max_length=400_000)]
_Tokens = Annotated[int, Field(ge=0, le=_MOST_TOKENS)]
_Number = Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)]


@dataclass(frozen=True)
class Replayed:
    """A document that exists, with the order that it answers.

    Attributes
    ----------
    order : Order
    answer : Answer
        Its text is the title, an empty line, and the body; `raw` is empty.
    nano_usd : int
        What it cost, in billionths of a US dollar; 0 where the file does not say.
    """

    order: Order
    answer: Answer
    nano_usd: int


class _Document(Row):
    """The columns that are read. Others, which a corpus may have, are not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    model: _Named
    lcc_code: _Named
    lcgft_category: _Named
    lcgft_form: _Named
    topics: Annotated[tuple[_Named, ...], Field(min_length=1, max_length=20)]
    register_: _Named = Field(alias="register")
    target_length: _Named
    id: _Id | None = None
    title: _Body | None = None
    body: _Body | None = None
    text: _Body | None = None
    lcc_name: _Named | None = None
    geographic: Annotated[tuple[_Named, ...], Field(max_length=20)] | None = None
    audience: Annotated[str, StringConstraints(max_length=300)] | None = None
    block_id: _Named | None = None
    prompt: _Body | None = None
    prompt_variant_id: _Named | None = None
    temperature: _Number | None = None
    top_p: _Number | None = None
    model_resolved: _Named | None = None
    provider: _Named | None = None
    provider_served: _Named | None = None
    finish_reason: _Named | None = None
    input_tokens: _Tokens | None = None
    output_tokens: _Tokens | None = None
    reasoning_tokens: _Tokens | None = None
    cost_usd: Annotated[float, Field(ge=0, le=10**6, allow_inf_nan=False)] | None = None


_COLUMNS = tuple(field.alias or name for name, field in _Document.model_fields.items())


def replayed(file: Path, taxonomy: Taxonomy, slice_name: str) -> Iterator[Replayed]:
    """Documents of a file, each checked when its turn comes.

    Parameters
    ----------
    file : pathlib.Path
        Parquet, or JSON lines in UTF-8, perhaps in gzip. Needed are `model`, the facets
        (`lcc_code`, `lcgft_category`, `lcgft_form`, `topics`, `register`, `target_length`), and
        `title` and `body` or else `text`, which holds both. `geographic`, `audience`, `id`,
        `block_id`, `prompt`, `prompt_variant_id`, `temperature`, `top_p`, the providers, token
        counts, `finish_reason` and `cost_usd` are read where they are there.
    taxonomy : Taxonomy
        Every facet has to be in it.
    slice_name : str
        The config that they are for.

    Yields
    ------
    Replayed
        In the order of the file. A document without an id is named by what it holds.

    Raises
    ------
    ShelfError
        If the file cannot be read, a row is wrong, or two have one id; the message names file, row
        and field.
    """
    known = _Known(taxonomy)
    first_row: dict[str, int] = {}
    for number, row in enumerate(_rows(file), start=1):
        if isinstance(row, DamageError):
            raise wrong(file, number, None, str(row))
        document = validated(_Document, _plain(file, number, row), file, number)
        known.check(document, file, number)
        own = _replayed(document, known, _text(document, file, number), slice_name, number - 1)
        if own.order.id in first_row:
            before = first_row[own.order.id]
            raise wrong(file, number, "id", f"repeats the document {own.order.id} of row {before}")
        first_row[own.order.id] = number
        yield own


class _Known:
    """The label spaces, each as a set."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.class_names = {own.code: own.name for own in taxonomy.classes}
        self._forms = {own.name: set(own.forms) for own in taxonomy.categories}
        self._labels = {
            "topics": set(taxonomy.topics),
            "geographic": {place.name for place in taxonomy.places},
            "audience": set(taxonomy.audiences),
            "register": {own.id for own in taxonomy.registers},
            "target_length": {own.id for own in taxonomy.lengths},
            "lcc_code": set(self.class_names),
            "lcgft_category": set(self._forms),
        }

    def check(self, document: _Document, file: Path, number: int) -> None:
        """Raise `ShelfError` for the first label that is not in the taxonomy."""
        given = {
            "lcc_code": (document.lcc_code,),
            "lcgft_category": (document.lcgft_category,),
            "topics": document.topics,
            "geographic": document.geographic or (),
            "audience": (document.audience,) if document.audience else (),
            "register": (document.register_,),
            "target_length": (document.target_length,),
        }
        for field, labels in given.items():
            for label in labels:
                if label not in self._labels[field]:
                    raise wrong(file, number, field, f"{brief(label)} is not in the taxonomy")
        if document.lcgft_form not in self._forms[document.lcgft_category]:
            problem = f"{brief(document.lcgft_form)} is no form of {document.lcgft_category}"
            raise wrong(file, number, "lcgft_form", problem)
        name = self.class_names[document.lcc_code]
        if document.lcc_name not in (None, name):
            problem = f"is {brief(document.lcc_name)}, but {document.lcc_code} is {name!r}"
            raise wrong(file, number, "lcc_name", problem)


def _rows(file: Path) -> Iterator[Mapping[str, object] | DamageError]:
    if head(file, 4) != b"PAR1":
        return json_rows(file, ("model", *_FACETS))
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        names = pq.read_schema(file).names
    except (pa.ArrowException, OSError, ValueError) as error:
        said = one_line(str(error), 200)
        raise ShelfError(f"{file}: not a Parquet file that can be read: {said}") from error
    optional = [name for name in _COLUMNS if name in names]
    return parquet_rows(file, list(dict.fromkeys(("model", *_FACETS, *optional))))


def _plain(file: Path, number: int, row: Mapping[str, object]) -> dict[str, Any]:
    """The columns that are read, if they are of the kinds that JSON has."""
    own = {name: row[name] for name in _COLUMNS if row.get(name) is not None}
    for name, value in own.items():
        parts = value if isinstance(value, list) else [value]
        for part in parts:
            if isinstance(part, DamageError):
                raise wrong(file, number, name, str(part))
            if type(part) not in (str, int, float, bool):
                raise wrong(file, number, name, f"{brief(part)} is neither text nor a number")
            if isinstance(part, str):
                _check_characters(file, number, name, part)
    return own


def _check_characters(file: Path, number: int, name: str, text: str) -> None:
    if "\x00" in text or any("\ud800" <= own <= "\udfff" for own in text):
        raise wrong(file, number, name, "holds a character that cannot be written as UTF-8")


def _text(document: _Document, file: Path, number: int) -> str:
    """What a writer would have given: the title, an empty line, the body."""
    if document.body is None or document.title is None:
        if document.text is None:
            missing = "body" if document.title is not None else "title"
            raise wrong(file, number, missing, "is missing, and so is text, which may hold both")
        return document.text
    if len(document.title.splitlines()) > 1:
        raise wrong(file, number, "title", f"{brief(document.title)} has more than one line")
    return f"{document.title}\n\n{document.body}"


def _replayed(
    document: _Document, known: _Known, text: str, slice_name: str, number: int
) -> Replayed:
    spec = Specification(
        lcc_code=document.lcc_code,
        lcc_name=known.class_names[document.lcc_code],
        lcgft_category=document.lcgft_category,
        lcgft_form=document.lcgft_form,
        topics=document.topics,
        geographic=document.geographic or (),
        audience=document.audience or None,
        register=document.register_,
        target_length=document.target_length,
        prompt_variant=document.prompt_variant_id,
        block_id=document.block_id or slice_name,
    )
    key = "\x1f".join((slice_name, spec.spec_id, document.model, text))
    order = Order(
        id=document.id or hashlib.sha256(key.encode()).hexdigest()[:16],
        slice=slice_name,
        number=number,
        spec=spec,
        generator=document.model,
        prompt=_prompt(document),
        sampling=_sampling(document),
    )
    return Replayed(order, _answer(document, order.id, text), _nanodollars(document.cost_usd or 0))


def _prompt(document: _Document) -> Prompt | None:
    if document.prompt is None:
        return None
    return Prompt(document.prompt_variant_id or "replayed", (Message("user", document.prompt),))


def _sampling(document: _Document) -> Sampling | None:
    if document.temperature is None or document.top_p is None:
        return None
    return Sampling(document.temperature, document.top_p)


def _answer(document: _Document, order_id: str, text: str) -> Answer:
    sampling = {"temperature": document.temperature, "top_p": document.top_p}
    usage = None
    if document.input_tokens is not None and document.output_tokens is not None:
        usage = Usage(document.input_tokens, document.output_tokens, document.reasoning_tokens)
    return Answer(
        order_id=order_id,
        text=text,
        model_resolved=document.model_resolved,
        provider=document.provider or "replay",
        provider_served=document.provider_served,
        finish_reason=document.finish_reason,
        usage=usage,
        flags=() if text.strip() else ("empty",),
        raw=b"",
        sent={name: value for name, value in sampling.items() if value is not None},
    )


def _nanodollars(usd: float) -> int:
    return math.ceil(Fraction(repr(usd)) * 10**9)
