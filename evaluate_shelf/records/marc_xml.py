"""The records of a MARCXML file.

Elements are told by their names without prefixes, so MARCXML inside an OAI-PMH or SRU answer is
read too: a `record` that holds another before any MARC field is only its wrapper. Where the XML is
broken, reading goes on at the next `record`. There is no entity to expand and nothing to fetch: a
document type declaration is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluate_shelf.records.marc_fields import MarcField, control_number
from evaluate_shelf.records.marc_xml_recovery import records_and_damage
from evaluate_shelf.records.record import Unread


@dataclass(frozen=True, slots=True)
class XmlRecord:
    """A record of a MARCXML file.

    Attributes
    ----------
    position : int
        Place in the file, from 1.
    attributes : tuple of (str, str)
        Those of its element, without namespaces.
    leader : str
        "" if there is none.
    fields : tuple of MarcField
        All of them, values as they stand.
    """

    position: int
    attributes: tuple[tuple[str, str], ...]
    leader: str
    fields: tuple[MarcField, ...]


def read_xml(blocks: Iterable[bytes], path: Path) -> Iterator[XmlRecord | Unread]:
    """Read the records of a file.

    Parameters
    ----------
    blocks : iterable of bytes
        The file's bytes.
    path : pathlib.Path
        The file, for messages.

    Yields
    ------
    XmlRecord or Unread
        In the order of the file, each with the next position.

    Raises
    ------
    ShelfError
        The file has a document type declaration.
    """
    for position, found in enumerate(records_and_damage(blocks, path), start=1):
        if isinstance(found, str):
            yield Unread(path.name, position, found)
        elif found.wrong:
            yield Unread(path.name, position, found.wrong, control_number(found.fields))
        else:
            yield XmlRecord(position, found.attributes, found.leader, tuple(found.fields))
