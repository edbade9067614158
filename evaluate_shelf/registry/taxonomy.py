"""The labels: classes, categories and forms, topics, places, audiences, registers, lengths."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from evaluate_shelf.errors import ShelfError
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
from evaluate_shelf.registry.taxonomy_glosses import read_glosses
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
    form_glosses, topic_glosses : mapping of str to str
        What a form or topic means, without its label, of those that have such a phrase.
    narrower_of_topic : mapping of str to tuple of str
        Some of what belongs to a topic, of those imported ones that have it.
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
    form_glosses: Mapping[str, str] = field(default_factory=dict)
    topic_glosses: Mapping[str, str] = field(default_factory=dict)
    narrower_of_topic: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

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
        A folder that holds `taxonomy/`, as the configuration does, or a taxonomy's own folder, as
        `shelf taxonomy import` writes it. None: the configuration of the installation. A folder
        is read once in a process.

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
    return _loaded(taxonomy_folder(folder))


def taxonomy_folder(folder: Path | None = None) -> Path:
    """Where the files lie that `load_taxonomy` reads.

    Parameters
    ----------
    folder : pathlib.Path or None
        As for `load_taxonomy`.

    Returns
    -------
    pathlib.Path
        `taxonomy` inside the folder where that is a folder, else the folder itself.

    Raises
    ------
    ShelfError
        If there is no such folder.

    Examples
    --------
    >>> taxonomy_folder() == taxonomy_folder(taxonomy_folder())
    True
    """
    given = config_folder() if folder is None else folder
    try:
        resolved = given.resolve()
        inner = resolved / "taxonomy"
        if inner.is_dir():
            return inner
        if resolved.is_dir():
            return resolved
    except (OSError, RuntimeError, ValueError) as error:
        raise ShelfError(f"{str(given)!r}: this path leads nowhere: {error}") from error
    raise ShelfError(f"{given}: no such folder; name one that `shelf taxonomy import` wrote")


def read_taxonomy(folder: Path) -> Taxonomy:
    """Load and check a taxonomy's own folder as it is now, whether or not it was read before.

    Parameters
    ----------
    folder : pathlib.Path
        As `taxonomy_folder` gives it.

    Returns
    -------
    Taxonomy

    Raises
    ------
    ShelfError
        As for `load_taxonomy`.
    """
    classes = read_classes(folder / "lcc.yaml")
    kinds = read_categories(folder / "lcgft.yaml")
    topics = read_topics(folder / "topics.yaml", [row.code for row in classes])
    places, regions = read_places(folder / "geographic.yaml")
    audiences, none_probability = read_audiences(folder / "audience.yaml")
    glosses = read_glosses(
        folder / "glosses.yaml",
        forms={form for category in kinds.categories for form in category.forms},
        topics={topic for own in topics.domains.values() for topic in own},
    )
    return Taxonomy(
        classes=classes,
        categories=kinds.categories,
        output_formats=kinds.output_formats,
        output_format_of_form=kinds.output_format_of_form,
        domains=topics.domains,
        domains_of_class=topics.domains_of_class,
        places=places,
        regions=regions,
        audiences=audiences,
        audience_none_probability=none_probability,
        registers=read_registers(folder / "register.yaml"),
        lengths=read_lengths(folder / "length.yaml"),
        narrower_of_topic=topics.narrower_of_topic,
        form_glosses=glosses.forms,
        topic_glosses=glosses.topics,
    )


_loaded = functools.cache(read_taxonomy)
