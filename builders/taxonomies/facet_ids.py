"""Codes and ids for concepts that have none of the taxonomy's form."""

from __future__ import annotations

import hashlib
import itertools
import re
import unicodedata
from collections.abc import Iterable

from builders.taxonomies.form import Concept

_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LAST_PART = re.compile(r"[^/#:]*$")


def class_codes(concepts: Iterable[Concept]) -> dict[str, str]:
    """A code for each: its notation, else the last part of its id, else its label in ASCII."""
    codes: dict[str, str] = {}
    taken: set[str] = set()
    for concept in concepts:
        last = _LAST_PART.search(concept.id)
        candidates = (concept.notation, last[0] if last else "", _slug(concept.label))
        own = [code for code in candidates if _CODE.fullmatch(code)] or [_digest(concept.id)]
        numbered = (f"{own[0][:56]}-{number}" for number in itertools.count(2))
        code = next(code for code in itertools.chain(own, numbered) if code.casefold() not in taken)
        taken.add(code.casefold())
        codes[concept.id] = code
    return codes


def register_ids(concepts: Iterable[Concept]) -> dict[str, str]:
    """An id for each register: its label in ASCII, beginning with a letter."""
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for concept in concepts:
        slug = _slug(concept.label).replace("-", "_") or _digest(concept.id)
        own = slug if slug[0].isalpha() else f"r_{slug}"
        numbered = (f"{own}_{number}" for number in itertools.count(2))
        ids[concept.id] = next(one for one in itertools.chain([own], numbered) if one not in taken)
        taken.add(ids[concept.id])
    return ids


def _slug(label: str) -> str:
    folded = unicodedata.normalize("NFKD", label.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", folded).strip("-")[:48].strip("-")


def _digest(identity: str) -> str:
    return f"c{hashlib.sha256(identity.encode()).hexdigest()[:8]}"
