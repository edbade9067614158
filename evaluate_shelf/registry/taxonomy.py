"""The labels: classes, categories and forms, topics, places, audiences, registers, lengths."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.taxonomy_files import (
    read_audiences,
    read_categories,
    read_classes,
    read_lengths,
    read_places,
    read_registers,
    read_topics,
)
from evaluate_shelf.registry.taxonomy_rows import Category, Length, Place, Register, SubjectClass


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
    classes = read_classes(folder / "lcc.yaml")
    categories, formats, format_of_form = read_categories(folder / "lcgft.yaml")
    domains, domains_of_class = read_topics(folder / "topics.yaml", [row.code for row in classes])
    places, regions = read_places(folder / "geographic.yaml")
    audiences, none_probability = read_audiences(folder / "audience.yaml")
    return Taxonomy(
        classes=classes,
        categories=categories,
        output_formats=formats,
        output_format_of_form=format_of_form,
        domains=domains,
        domains_of_class=domains_of_class,
        places=places,
        regions=regions,
        audiences=audiences,
        audience_none_probability=none_probability,
        registers=read_registers(folder / "register.yaml"),
        lengths=read_lengths(folder / "length.yaml"),
    )
