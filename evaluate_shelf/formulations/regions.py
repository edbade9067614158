"""The region of a document, from the places that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.registry.taxonomy import Taxonomy
from evaluate_shelf.release.documents import Documents

REGION_FIELD = "geographic_region"
"""The label of the geographic tasks; no config has it as a column."""

_PLACES_FIELD = "geographic"


def region_of_places(taxonomy: Taxonomy) -> dict[str, str | None]:
    """Region that each place of the taxonomy counts for, None where it counts for none."""
    return {place.name: place.region for place in taxonomy.places}


def region_of(places: Iterable[str], region_of_place: Mapping[str, str | None]) -> str | None:
    """The one region that a document's places lie in.

    A document about places of two regions has no single one: to take the first would be noise in
    the label. A place without a region decides nothing.

    Parameters
    ----------
    places : iterable of str
        Names of places.
    region_of_place : mapping of str to str or None
        From `region_of_places`.

    Returns
    -------
    str or None
        None where no place has a region, or the places' regions differ.

    Raises
    ------
    ShelfError
        If a place is not known.

    Examples
    --------
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> known = region_of_places(load_taxonomy())
    >>> region_of(["France", "Berlin"], known)
    'Europe'
    >>> region_of(["France", "Australia"], known)
    'Europe'
    >>> region_of(["France", "Japan"], known) is None
    True
    """
    regions = set()
    for place in places:
        if place not in region_of_place:
            raise ShelfError(
                f"field {_PLACES_FIELD!r}: {place!r} is no place of taxonomy/geographic.yaml"
            )
        regions.add(region_of_place[place])
    regions.discard(None)
    return regions.pop() if len(regions) == 1 else None


def regions_of(documents: Documents, taxonomy: Taxonomy) -> list[str | None]:
    """The region of each document, as `region_of` gives it.

    Parameters
    ----------
    documents : Documents
        Of a release.
    taxonomy : Taxonomy
        The release's labels.

    Returns
    -------
    list of str or None, length n_documents

    Raises
    ------
    UnsupportedError
        If the config has no places.
    ShelfError
        If a row names a place that the taxonomy does not have; the message names the document.
    """
    if _PLACES_FIELD not in documents.table.column_names:
        raise UnsupportedError(f"the config has no column {_PLACES_FIELD!r}")
    region_of_place = region_of_places(taxonomy)
    regions = []
    for identity, places in zip(documents.ids, documents.column(_PLACES_FIELD), strict=True):
        try:
            regions.append(region_of(places or (), region_of_place))
        except ShelfError as error:
            raise ShelfError(f"document {identity!r}, {error}") from None
    return regions
