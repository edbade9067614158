"""The labels: classes, categories and forms, topics, places, audiences, registers, lengths."""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, field_validator
from pydantic_core.core_schema import ValidationInfo

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.strict_yaml import (
    Name,
    Row,
    Text,
    read_yaml,
    validated,
    validated_rows,
    wrong,
)

Weight = Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)]
Texts = Annotated[tuple[Text, ...], Field(min_length=1)]

_PLAIN = "plain_prose"
_CODE = "{code}"


class SubjectClass(Row):
    """A main class of the Library of Congress Classification."""

    code: str
    name: str
    uri: str
    description: str


class Category(Row):
    """A genre/form category with its forms and the layout that they have unless they say so."""

    name: Text
    description: Text
    output_format: Name
    forms: Texts


class Place(Row):
    """A place, and the region that it counts for, if any."""

    name: Text
    kind: Literal["country", "us_state", "region", "city"]
    region: Text | None


class Register(Row):
    """A register and its weight in the draw."""

    id: Name
    description: Text
    weight: Weight


class Length(Row):
    """A target length in words and its weight in the draw."""

    id: Name
    min_words: int = Field(gt=0)
    max_words: int = Field(gt=0)
    weight: Weight

    @field_validator("max_words")
    @classmethod
    def _not_below_min(cls, value: int, info: ValidationInfo) -> int:
        if value <= info.data.get("min_words", 0):
            raise ValueError("must be more than min_words")
        return value


class _ClassRow(Row):
    code: Annotated[str, StringConstraints(pattern=r"^[A-Z]$")]
    name: Text
    description: Text


class _ClassFile(Row):
    uri_pattern: Text
    classes: list[object]

    @field_validator("uri_pattern")
    @classmethod
    def _has_a_code(cls, value: str) -> str:
        if value.count(_CODE) != 1:
            raise ValueError(f"must hold {_CODE} once")
        return value


class _CategoryFile(Row):
    output_formats: Annotated[tuple[Name, ...], Field(min_length=1)]
    categories: list[object]
    output_format_of_form: dict[str, Name]


class _TopicFile(Row):
    domains: dict[str, Texts]
    domains_of_class: dict[str, Texts]


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


@dataclass(frozen=True)
class Taxonomy:
    """All labels, in the order of their files.

    Attributes
    ----------
    classes : tuple of SubjectClass
    categories : tuple of Category
    output_formats : tuple of str
        The layouts that a document can have.
    output_format_of_form : mapping of str to str
        Layout of the forms that do not follow their category.
    domains : mapping of str to tuple of str
        Topics of each domain.
    domains_of_class : mapping of str to tuple of str
        Domains of each class code.
    places : tuple of Place
    regions : tuple of str
    audiences : tuple of str
    audience_none_probability : float
        How often a specification names no audience.
    registers : tuple of Register
    lengths : tuple of Length
    """

    classes: tuple[SubjectClass, ...]
    categories: tuple[Category, ...]
    output_formats: tuple[str, ...]
    output_format_of_form: Mapping[str, str]
    domains: Mapping[str, tuple[str, ...]]
    domains_of_class: Mapping[str, tuple[str, ...]]
    places: tuple[Place, ...]
    regions: tuple[str, ...]
    audiences: tuple[str, ...]
    audience_none_probability: float
    registers: tuple[Register, ...]
    lengths: tuple[Length, ...]

    @functools.cached_property
    def forms(self) -> tuple[str, ...]:
        """Distinct forms, sorted."""
        return tuple(sorted({form for category in self.categories for form in category.forms}))

    @functools.cached_property
    def topics(self) -> tuple[str, ...]:
        """Distinct topics, sorted."""
        return tuple(sorted({topic for topics in self.domains.values() for topic in topics}))

    def topics_of_class(self, code: str) -> tuple[str, ...]:
        """Topics that a class draws from: those of its domains, without repeats.

        Parameters
        ----------
        code : str
            Code of a class.

        Returns
        -------
        tuple of str
            In the order of the domains and of each domain's list.

        Raises
        ------
        ShelfError
            If there is no such class.

        Examples
        --------
        >>> load_taxonomy().topics_of_class("A")
        ('Information', 'Knowledge', 'Research', 'Analysis', 'Methodology')
        """
        domains = found(self.domains_of_class, code, "class")
        return tuple(dict.fromkeys(topic for name in domains for topic in self.domains[name]))

    def output_format(self, form: str, category: str) -> str:
        """Layout of a document: that of its form if it has one, else that of its category.

        Parameters
        ----------
        form, category : str
            Names, as in a specification.

        Returns
        -------
        str
            One of `output_formats`.

        Raises
        ------
        ShelfError
            If the form or the category is unknown.

        Examples
        --------
        >>> taxonomy = load_taxonomy()
        >>> taxonomy.output_format("Poetry", "Literature")
        'verse'
        >>> taxonomy.output_format("Novels", "Literature")
        'plain_prose'
        """
        default = self._category_of(form, category).output_format
        return self.output_format_of_form.get(form, default)

    def description_of_form(self, form: str, category: str) -> str:
        """Say what a form is without its label; a form has no description but its category's.

        Parameters
        ----------
        form, category : str
            Names, as in a specification.

        Returns
        -------
        str
            One sentence.

        Raises
        ------
        ShelfError
            If the form or the category is unknown.

        Examples
        --------
        >>> load_taxonomy().description_of_form("Riddles", "Recreational works")[:31]
        'Texts made for play and amuseme'
        """
        return self._category_of(form, category).description

    def _category_of(self, form: str, category: str) -> Category:
        found(dict.fromkeys(self.forms), form, "form")
        return found({row.name: row for row in self.categories}, category, "category")


def load_taxonomy(folder: Path | None = None) -> Taxonomy:
    """Load and check the taxonomy.

    Parameters
    ----------
    folder : pathlib.Path or None
        The configuration folder, which holds `taxonomy/`. None: the one of the installation.
        A folder is read once in a process.

    Returns
    -------
    Taxonomy
        All labels.

    Raises
    ------
    ShelfError
        If a file is missing or a row is wrong; the message names file, row and field.

    Examples
    --------
    >>> taxonomy = load_taxonomy()
    >>> len(taxonomy.classes), len(taxonomy.forms), len(taxonomy.topics)
    (21, 133, 112)
    """
    return _loaded((folder or config_folder()).resolve() / "taxonomy")


@functools.lru_cache(maxsize=8)
def _loaded(folder: Path) -> Taxonomy:
    classes = _classes(folder / "lcc.yaml")
    categories, formats, format_of_form = _categories(folder / "lcgft.yaml")
    domains, domains_of_class = _topics(folder / "topics.yaml", [row.code for row in classes])
    places, regions = _places(folder / "geographic.yaml")
    audience_file = folder / "audience.yaml"
    audience = validated(_AudienceFile, read_yaml(audience_file), audience_file)
    _distinct(audience.audiences, audience_file, None, "audiences")
    return Taxonomy(
        classes=classes,
        categories=categories,
        output_formats=formats,
        output_format_of_form=format_of_form,
        domains=domains,
        domains_of_class=domains_of_class,
        places=places,
        regions=regions,
        audiences=audience.audiences,
        audience_none_probability=audience.none_probability,
        registers=_registers(folder / "register.yaml"),
        lengths=_lengths(folder / "length.yaml"),
    )


def _classes(file: Path) -> tuple[SubjectClass, ...]:
    table = validated(_ClassFile, read_yaml(file), file)
    rows = validated_rows(_ClassRow, table.classes, file, "code", unique=["name"])
    return tuple(
        SubjectClass(
            code=row.code,
            name=row.name,
            uri=table.uri_pattern.replace(_CODE, row.code),
            description=row.description,
        )
        for row in rows
    )


def _categories(file: Path) -> tuple[tuple[Category, ...], tuple[str, ...], dict[str, str]]:
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
    return rows, table.output_formats, table.output_format_of_form


def _topics(
    file: Path, codes: list[str]
) -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
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
    return table.domains, table.domains_of_class


def _places(file: Path) -> tuple[tuple[Place, ...], tuple[str, ...]]:
    table = validated(_PlaceFile, read_yaml(file), file)
    _distinct(table.regions, file, None, "regions")
    rows = validated_rows(Place, table.places, file, "name")
    for row in rows:
        if row.region is not None:
            _known(row.region, table.regions, file, row.name, "region")
    return rows, table.regions


def _registers(file: Path) -> tuple[Register, ...]:
    table = validated(_RegisterFile, read_yaml(file), file)
    rows = validated_rows(Register, table.registers, file)
    _sum_to_one([row.weight for row in rows], file)
    return rows


def _lengths(file: Path) -> tuple[Length, ...]:
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


def _known(value: str, known: Iterable[str], file: Path, row: str, field: str) -> None:
    names = tuple(known)
    if value not in names:
        shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
        raise wrong(file, row, field, f"unknown {value!r}; known: {shown}")
