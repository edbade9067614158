"""What forms and topics mean, in words that a writer can be given in place of the label."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from evaluate_shelf.registry.strict_yaml import Row, Text, read_yaml, validated, wrong


class Glosses(NamedTuple):
    """Glosses by label; a label may have none.

    Attributes
    ----------
    forms, topics : dict of str to str
        Phrases that do not name their label.
    """

    forms: dict[str, str]
    topics: dict[str, str]


class _GlossFile(Row):
    forms: dict[str, Text] = Field(default_factory=dict)
    topics: dict[str, Text] = Field(default_factory=dict)


def read_glosses(file: Path, *, forms: Set[str], topics: Set[str]) -> Glosses:
    """Read the glosses of a taxonomy.

    Parameters
    ----------
    file : pathlib.Path
        `glosses.yaml`, with `forms` and `topics`, either of which may be missing. A taxonomy
        without the file has no glosses.
    forms, topics : set of str
        The taxonomy's labels.

    Returns
    -------
    Glosses
        In the order of the file.

    Raises
    ------
    ShelfError
        If a label is unknown; the message names file, row and field.
    """
    if not file.exists():
        return Glosses({}, {})
    table = validated(_GlossFile, read_yaml(file), file)
    for field, own, known in (("forms", table.forms, forms), ("topics", table.topics, topics)):
        unknown = next((label for label in own if label not in known), None)
        if unknown is not None:
            raise wrong(file, unknown, field, f"the taxonomy has no {field[:-1]} of that name")
    return Glosses(table.forms, table.topics)
