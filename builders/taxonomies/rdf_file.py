"""An RDF file as a graph: of bounded size, nothing fetched, no entity expanded."""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.parsers import expat

from builders.taxonomies import form
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.installation import install_command
from evaluate_shelf.printable import one_line
from evaluate_shelf.records.byte_source import BrokenOffError, blocks

if TYPE_CHECKING:
    from rdflib import Graph

_DEEPEST = 100
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_XML = re.compile(rb"\s*(?:<\?xml|<!|<(?:[A-Za-z_][\w.-]*:)?RDF[\s>])")
# What relative addresses are resolved against: a name that nothing answers to, and not the file's
# place on this machine, so that the same bytes give the same ids everywhere.
_BASE = "http://vocabulary.invalid/"


def rdf_graph(path: Path) -> Graph:
    """Read a Turtle or RDF/XML file; its content says which of them it is.

    Parameters
    ----------
    path : pathlib.Path
        UTF-8, plain or compressed by gzip.

    Returns
    -------
    rdflib.Graph

    Raises
    ------
    ShelfError
        The file is missing, too large, in UTF-16, not well-formed, has a document type
        declaration, or is neither; or rdflib is not installed.
    """
    _require_rdflib()
    data = bounded_bytes(path)
    if data.startswith(_UTF16):
        raise ShelfError(f"{path}: is in UTF-16; save it as UTF-8")
    data = data.removeprefix(_BYTE_ORDER_MARK)
    if data.lstrip()[:1] == b"{":
        raise ShelfError(f"{path}: JSON-LD is not read; save it as Turtle or RDF/XML")
    if _XML.match(data):
        _check_xml(data, path)
        return _parsed(data, "xml", path)
    return _parsed(data, "turtle", path)


def bounded_bytes(path: Path) -> bytes:
    """The bytes of a file, inflated, if they are not too many.

    Raises
    ------
    ShelfError
        The file is missing, damaged, empty or larger than `form.MOST_BYTES`.
    """
    parts: list[bytes] = []
    size = 0
    try:
        for block in blocks(path):
            size += len(block)
            if size > form.MOST_BYTES:
                raise ShelfError(
                    f"{path}: larger than {form.MOST_BYTES // 2**20} MiB; take a part of it, or "
                    "make a table of it (--format tsv)"
                )
            parts.append(block)
    except BrokenOffError as error:
        raise ShelfError(f"{path}: cannot be read to its end: {error}") from error
    if not size:
        raise ShelfError(f"{path}: is empty")
    return b"".join(parts)


def _require_rdflib() -> None:
    try:
        import rdflib  # noqa: F401
    except ImportError as error:
        raise ShelfError(
            f"this needs the extra `build`: rdflib is not installed; run {install_command('build')}"
        ) from error


def _check_xml(data: bytes, path: Path) -> None:
    """Refuse what can name other files, expand without bound or nest without bound."""
    depth = 0

    def refuse(*_: object) -> None:
        raise ShelfError(
            f"{path}: has a document type declaration (DOCTYPE), which is refused as it can name "
            "other files and expand without bound; save it as Turtle, or remove it"
        )

    def start(*_: object) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise ShelfError(f"{path}: {_DEEPEST} elements inside each other; save it as Turtle")

    def end(*_: object) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        why = expat.ErrorString(error.code)
        raise ShelfError(f"{path}, line {error.lineno}: no well-formed XML: {why}") from error
    except (ValueError, LookupError) as error:
        raise ShelfError(f"{path}: cannot be decoded ({error}); save it as UTF-8") from error


def _parsed(data: bytes, syntax: str, path: Path) -> Graph:
    import rdflib

    graph = rdflib.Graph()
    # It warns of every odd literal and address; what SHELF takes of them is checked here.
    log = logging.getLogger("rdflib")
    level, log.level = log.level, logging.CRITICAL
    try:
        graph.parse(data=data, format=syntax, publicID=_BASE)
    except RecursionError as error:
        raise ShelfError(f"{path}: too deeply nested to be read") from error
    except Exception as error:
        # Its parsers raise whatever they meet: their own errors, ValueError, AssertionError.
        name = {"xml": "RDF/XML", "turtle": "Turtle"}[syntax]
        raise ShelfError(f"{path}{_line_of(error)}: no {name}: {_why(error)}") from error
    finally:
        log.level = level
    return graph


def _line_of(error: Exception) -> str:
    line = getattr(error, "lines", None)
    return f", line {line + 1}" if isinstance(line, int) else ""


def _why(error: Exception) -> str:
    """The reason without the excerpt of the file that the parser puts around it."""
    why = getattr(error, "_why", None)
    return one_line(why if isinstance(why, str) else str(error) or type(error).__name__, 200)
