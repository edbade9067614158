"""The files of `taxonomy/`: the fields of each, and the checks of one row against the others."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, StringConstraints, field_validator

from evaluate_shelf.registry.strict_yaml import (
    Name,
    Row,
    Text,
    read_yaml,
    validated,
    validated_rows,
    wrong,
)
from evaluate_shelf.registry.taxonomy_rows import (
    Category,
    Length,
    Place,
    Register,
    SubjectClass,
    Texts,
)

_PLAIN = "plain_prose"
_CODE = "{code}"
_MAIN_CLASS = re.compile(r"[A-Z]")


class _ClassRow(Row):
    code: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    name: Text
    description: Text
    uri: Text | None = None
    narrower: tuple[Text, ...] = ()


class _ClassFile(Row):
    uri_pattern: Text | None = None
    classes: list[object]

    @field_validator("uri_pattern")
    @classmethod
    def _has_a_code(cls, value: str | None) -> str | None:
        if value is not None and value.count(_CODE) != 1:
            raise ValueError(f"must hold {_CODE} once")
        return value


class _CategoryFile(Row):
    output_formats: Annotated[tuple[Name, ...], Field(min_length=1)]
    categories: list[object]
    output_format_of_form: dict[str, Name]


class _TopicFile(Row):
    domains: dict[str, Texts]
    domains_of_class: dict[str, Texts]
    narrower_of_topic: dict[str, Texts] = Field(default_factory=dict)


class _PlaceFile(Row):
    regions: Texts
    places: list[object]


class _AudienceFile(Row):
    none_probability: float = Field(ge=0, lt=1, allow_inf_nan=False)
    audiences: Texts


class _RegisterFile(Row):
    registers: list[object]


class _LengthFile(Row):
    lengths: list[object]


class Kinds(NamedTuple):
    """What `lcgft.yaml` says.

    Attributes
    ----------
    categories : tuple of Category
    output_formats : tuple of str
        All layouts.
    output_format_of_form : mapping of str to str
        Layout of each form that has one of its own.
    """

    categories: tuple[Category, ...]
    output_formats: tuple[str, ...]
    output_format_of_form: Mapping[str, str]


class Topics(NamedTuple):
    """What `topics.yaml` says.

    Attributes
    ----------
    domains, domains_of_class : mapping of str to tuple of str
        Topics by domain, and domains by class code.
    narrower_of_topic : mapping of str to tuple of str
        Some of what belongs to a topic, of those that have it.
    """

    domains: Mapping[str, tuple[str, ...]]
    domains_of_class: Mapping[str, tuple[str, ...]]
    narrower_of_topic: Mapping[str, tuple[str, ...]]


def read_classes(file: Path) -> tuple[SubjectClass, ...]:
    """Read the classes.

    Parameters
    ----------
    file : pathlib.Path
        `lcc.yaml`.

    Returns
    -------
    tuple of SubjectClass
        In the order of the file.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.
    """
    table = validated(_ClassFile, read_yaml(file), file)
    rows = validated_rows(_ClassRow, table.classes, file, "code", unique=["name"])
    return tuple(
        SubjectClass(
            code=row.code,
            name=row.name,
            uri=row.uri or _uri_of_main_class(row, table.uri_pattern, file),
            description=row.description,
            narrower=row.narrower,
        )
        for row in rows
    )


def _uri_of_main_class(row: _ClassRow, pattern: str | None, file: Path) -> str:
    """The URI of a class that has none of its own: those of one scheme follow a pattern."""
    if pattern is None:
        raise wrong(file, None, "uri_pattern", "is missing")
    if not _MAIN_CLASS.fullmatch(row.code):
        raise wrong(
            file, row.code, "code", "a class without a 'uri' of its own has one capital letter"
        )
    return pattern.replace(_CODE, row.code)


def read_categories(file: Path) -> Kinds:
    """Read the categories with their forms, and the layouts.

    Parameters
    ----------
    file : pathlib.Path
        `lcgft.yaml`.

    Returns
    -------
    Kinds

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.
    """
    table = validated(_CategoryFile, read_yaml(file), file)
    _distinct(table.output_formats, file, None, "output_formats")
    if _PLAIN not in table.output_formats:
        raise wrong(file, None, "output_formats", f"must hold {_PLAIN!r}")
    rows = validated_rows(Category, table.categories, file, "name")
    for row in rows:
        _distinct(row.forms, file, row.name, "forms")
        _known(row.output_format, table.output_formats, file, row.name, "output_format")
    forms = {form for row in rows for form in row.forms}
    for form, output_format in table.output_format_of_form.items():
        _known(form, forms, file, form, "output_format_of_form")
        _known(output_format, table.output_formats, file, form, "output_format_of_form")
    return Kinds(rows, table.output_formats, table.output_format_of_form)


def read_topics(file: Path, codes: list[str]) -> Topics:
    """Read the topics of each domain and the domains of each class.

    Parameters
    ----------
    file : pathlib.Path
        `topics.yaml`.
    codes : list of str
        Codes of all classes, each of which has to have domains.

    Returns
    -------
    Topics

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.
    """
    table = validated(_TopicFile, read_yaml(file), file)
    for domain, topics in table.domains.items():
        _distinct(topics, file, domain, "domains")
    for code, domains in table.domains_of_class.items():
        _known(code, codes, file, code, "domains_of_class")
        _distinct(domains, file, code, "domains_of_class")
        for domain in domains:
            _known(domain, table.domains, file, code, "domains_of_class")
    for code in codes:
        if code not in table.domains_of_class:
            raise wrong(file, code, "domains_of_class", "is missing")
    known = {topic for own in table.domains.values() for topic in own}
    for topic in table.narrower_of_topic:
        _known(topic, known, file, topic, "narrower_of_topic")
    return Topics(table.domains, table.domains_of_class, table.narrower_of_topic)


def read_places(file: Path) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    """Read the places and the regions.

    Parameters
    ----------
    file : pathlib.Path
        `geographic.yaml`.

    Returns
    -------
    tuple of tuple of Place and tuple of str
        The places, and the regions that they count for.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.
    """
    table = validated(_PlaceFile, read_yaml(file), file)
    _distinct(table.regions, file, None, "regions")
    rows = validated_rows(Place, table.places, file, "name")
    for row in rows:
        if row.region is not None:
            _known(row.region, table.regions, file, row.name, "region")
    return rows, table.regions


def read_audiences(file: Path) -> tuple[tuple[str, ...], float]:
    """Read the audiences.

    Parameters
    ----------
    file : pathlib.Path
        `audience.yaml`.

    Returns
    -------
    tuple of tuple of str and float
        The audiences, and how often a specification names none.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.
    """
    table = validated(_AudienceFile, read_yaml(file), file)
    _distinct(table.audiences, file, None, "audiences")
    return table.audiences, table.none_probability


def read_registers(file: Path) -> tuple[Register, ...]:
    """Read the registers, whose weights sum to 1.

    Parameters
    ----------
    file : pathlib.Path
        `register.yaml`.

    Returns
    -------
    tuple of Register
        In the order of the file.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.
    """
    table = validated(_RegisterFile, read_yaml(file), file)
    rows = validated_rows(Register, table.registers, file)
    _sum_to_one([row.weight for row in rows], file)
    return rows


def read_lengths(file: Path) -> tuple[Length, ...]:
    """Read the target lengths, whose weights sum to 1.

    Parameters
    ----------
    file : pathlib.Path
        `length.yaml`.

    Returns
    -------
    tuple of Length
        In the order of the file.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.
    """
    table = validated(_LengthFile, read_yaml(file), file)
    rows = validated_rows(Length, table.lengths, file)
    _sum_to_one([row.weight for row in rows], file)
    return rows


def _sum_to_one(weights: list[float], file: Path) -> None:
    total = math.fsum(weights)
    if not math.isclose(total, 1.0, abs_tol=1e-9):
        raise wrong(file, None, "weight", f"the weights must sum to 1, sum to {total:.9g}")


def _distinct(values: Iterable[str], file: Path, row: str | None, field: str) -> None:
    seen = set()
    for value in values:
        if value in seen:
            raise wrong(file, row, field, f"repeats {value!r}")
        seen.add(value)


def _known(value: str, known: Collection[str], file: Path, row: str, field: str) -> None:
    if value not in known:
        names = tuple(known)
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        raise wrong(file, row, field, f"unknown {value!r}; known: {shown}")
