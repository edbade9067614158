"""What an import did, as a record and in words."""

from __future__ import annotations

from collections import Counter
from typing import Any

from builders.taxonomies.form import Case, Kind

_SHOWN = 5


def import_record(
    *,
    source: dict[str, Any],
    facet: str,
    options: dict[str, Any],
    vocabulary: str,
    uri: str,
    licence: str,
    read: int,
    labels: int,
    cases: list[Case],
    remarks: list[str],
) -> dict[str, Any]:
    """The record of one import, for `import.json`.

    Parameters
    ----------
    source : dict
        File name, SHA-256 and format.
    facet : str
        Which facet was replaced.
    options : dict
        What was asked for.
    vocabulary : str
        Name of the scheme, or of the file.
    uri, licence : str
        Of the vocabulary; "" if unknown.
    read, labels : int
        Concepts that were read, and labels that the facet has.
    cases : list of Case
        All of them.
    remarks : list of str
        How the facet was made.

    Returns
    -------
    dict
        Ready for JSON; every case by its kind, with no key that has nothing to say.
    """
    by_kind: dict[str, list[dict[str, str]]] = {kind: [] for kind in Kind}
    for case in cases:
        own = case._asdict()
        own.pop("kind")
        keep_after = case.kind is Kind.CLEANED
        by_kind[case.kind].append(
            {key: text for key, text in own.items() if text or (keep_after and key == "after")}
        )
    counts = Counter(str(case.kind) for case in cases)
    return {
        "facet": facet,
        "vocabulary": vocabulary,
        **({"uri": uri} if uri else {}),
        **({"licence": licence} if licence else {}),
        "source": source,
        "options": options,
        "concepts_read": read,
        "labels": labels,
        "remarks": remarks,
        "counts": {kind: counts[kind] for kind in by_kind if counts[kind]},
        "cases": {kind: own for kind, own in by_kind.items() if own},
    }


def report_lines(record: dict[str, Any]) -> list[str]:
    """The record in words: counts, and the first cases of each kind.

    Parameters
    ----------
    record : dict
        As `import_record` gives it.

    Returns
    -------
    list of str
        Lines.
    """
    labels, read = record["labels"], record["concepts_read"]
    lines = [
        f"{record['facet']}: {labels:,} labels from {read:,} concepts of {record['vocabulary']}",
        f"  licence of the labels: {record.get('licence') or 'not stated; --licence records it'}",
        *(f"  {remark}" for remark in record["remarks"]),
    ]
    for kind, own in record["cases"].items():
        lines.append(f"  {kind}: {len(own):,}")
        lines += [f"    {_shown(case)}" for case in own[:_SHOWN]]
        if len(own) > _SHOWN:
            lines.append(f"    and {len(own) - _SHOWN:,} more, in import.json")
    return lines


def _shown(case: dict[str, str]) -> str:
    name = case.get("label") or case.get("id", "")
    if "before" in case:
        return f"{name}: {case['before']!r} -> {case.get('after', '')!r}"
    return f"{name}: {case['detail']}" if "detail" in case else name
