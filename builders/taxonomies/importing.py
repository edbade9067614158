"""The whole of an import: read, tidy, choose, make a facet, write."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from builders.taxonomies.facets import Wanted, make_facet
from builders.taxonomies.folder import IMPORTED, check_destination, read_tables, write_taxonomy
from builders.taxonomies.form import LONGEST_LABEL, Facet, Format, Reading, plain
from builders.taxonomies.hierarchy import Hierarchy
from builders.taxonomies.marc_authorities import read_marc_authorities
from builders.taxonomies.report import import_record
from builders.taxonomies.selection import below
from builders.taxonomies.skos import read_skos
from builders.taxonomies.tidying import tidied
from builders.taxonomies.tsv import read_tsv
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.registry.taxonomy import taxonomy_folder

_UP_TO_LAST_PART = re.compile(r"https?://[^/#]+[/#](?:.*[/#])?")
_LANGUAGE = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")


@dataclass(frozen=True)
class ImportRequest:
    """What is imported, and how.

    Attributes
    ----------
    file : pathlib.Path
        The vocabulary.
    format : str
        `skos`, `tsv` or `marc`.
    facet : str
        The facet that it becomes.
    out : pathlib.Path
        The taxonomy folder to write.
    language : str
        Of SKOS labels and notes.
    scheme : str or None
        The SKOS concept scheme, where there are several.
    under : str or None
        Id, notation or label of the concept below which all is taken.
    level, most : int or None
        As in `Wanted`.
    base : pathlib.Path or None
        The taxonomy that is added to; None for SHELF's own.
    licence : str or None
        Terms of the labels, in the place of what the file says of them.
    name : str or None
        Of the vocabulary, in the place of what the file says, or of the file's own name.
    """

    file: Path
    format: Format
    facet: Facet
    out: Path
    language: str = "en"
    scheme: str | None = None
    under: str | None = None
    level: int | None = None
    most: int | None = None
    base: Path | None = None
    licence: str | None = None
    name: str | None = None


def import_taxonomy(request: ImportRequest) -> dict[str, Any]:
    """Import a vocabulary as a facet of a taxonomy.

    Parameters
    ----------
    request : ImportRequest
        Everything.

    Returns
    -------
    dict
        The record of this import, as `import.json` has it, without those of the base's imports.

    Raises
    ------
    ShelfError
        If the file cannot be read, lacks what the facet needs, or the folder cannot be written.
    """
    if not _LANGUAGE.fullmatch(request.language):
        raise ShelfError(
            f"--lang {request.language!r}: must be a language tag, such as en or pt-BR"
        )
    for name in ("level", "most"):
        number = getattr(request, name)
        if number is not None and number < 1:
            raise ShelfError(f"--{name} {number}: must be 1 or more")
    for option in ("licence", "name"):
        text = getattr(request, option)
        if text is not None and not 0 < len(plain(text)) <= LONGEST_LABEL:
            raise ShelfError(f"--{option}: must have 1 to {LONGEST_LABEL} characters")
    base = taxonomy_folder(request.base)
    check_destination(request.out, base)
    tables = read_tables(base)
    earlier = _earlier_imports(base, request.facet)
    reading = tidied(_read(request))
    read = len(reading.concepts) + sum(case.kind.is_left_out for case in reading.cases)
    Hierarchy(reading.concepts)
    if request.under is not None:
        reading = below(reading, request.under)
    if not reading.concepts:
        raise ShelfError(f"{request.file}: no concept is left; {_first_reason(reading)}")
    made = make_facet(request.facet, reading, tables, Wanted(request.level, request.most))
    options = {
        name: value
        for name, value in asdict(request).items()
        if name in ("language", "scheme", "under", "level", "most") and value is not None
    }
    record = import_record(
        source={
            "file": request.file.name,
            "sha256": sha256_of_file(request.file),
            "format": request.format,
        },
        facet=request.facet,
        options=options,
        vocabulary=plain(request.name or "") or reading.name,
        uri=reading.uri or namespace_of(one.id for one in reading.concepts),
        licence=plain(request.licence or "") or reading.licence,
        read=read,
        labels=made.labels,
        cases=[*reading.cases, *made.cases],
        remarks=made.remarks,
    )
    write_taxonomy(
        request.out,
        base,
        made.tables,
        {request.facet: reading.concepts},
        {"imports": [*earlier, record]},
    )
    return record


def namespace_of(ids: Iterable[str]) -> str:
    """The address that the ids of a vocabulary begin with, up to a slash or a number sign.

    Returns
    -------
    str
        "" where an id is no address, or they have no more than a host's beginning in common.

    Examples
    --------
    >>> namespace_of(["http://www.yso.fi/onto/yso/p3", "http://www.yso.fi/onto/yso/p31"])
    'http://www.yso.fi/onto/yso/'
    >>> namespace_of(["http://a.example/1", "http://b.example/1"]), namespace_of(["c1", "c2"])
    ('', '')
    """
    known = set(ids)
    first, last = min(known, default=""), max(known, default="")
    alike = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    shared = _UP_TO_LAST_PART.match("".join(own for own, _ in alike))
    return shared[0] if shared else ""


def imports_of(folder: Path) -> list[dict[str, Any]]:
    """The records of what was imported into a taxonomy, the facet imported last at the end.

    Parameters
    ----------
    folder : pathlib.Path
        As for `load_taxonomy`.

    Returns
    -------
    list of dict
        Each with `facet`, `vocabulary`, `source` and more; none for SHELF's own taxonomy.

    Raises
    ------
    ShelfError
        If `import.json` is damaged.
    """
    file = taxonomy_folder(folder) / IMPORTED
    if not file.is_file():
        return []
    try:
        imports = json.loads(file.read_text(encoding="utf-8"))["imports"]
        if not all(isinstance(one["facet"], str) for one in imports):
            raise TypeError("a facet is no text")
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ShelfError(f"{file}: is damaged ({error}); import the taxonomy again") from error
    return list(imports)


def _earlier_imports(base: Path, facet: str) -> list[dict[str, Any]]:
    return [one for one in imports_of(base) if one["facet"] != facet]


def _read(request: ImportRequest) -> Reading:
    if request.format == "skos":
        return read_skos(request.file, language=request.language, scheme=request.scheme)
    if request.scheme is not None:
        raise ShelfError(f"--scheme has no meaning with --format {request.format}")
    if request.format == "tsv":
        return read_tsv(request.file)
    return read_marc_authorities(request.file, request.facet)


def _first_reason(reading: Reading) -> str:
    if not reading.cases:
        return "it has none"
    case = reading.cases[0]
    return f"for example, {case.label or case.id}: {case.kind}"
