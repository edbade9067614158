"""A document has a region where its places agree on one."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate_shelf.errors import ShelfError, UnsupportedError
from evaluate_shelf.formulations.regions import region_of, region_of_places, regions_of
from evaluate_shelf.registry import load_taxonomy
from evaluate_shelf.release.documents import Documents

TAXONOMY = load_taxonomy()
KNOWN = region_of_places(TAXONOMY)


def test_every_place_of_the_taxonomy_is_known_and_every_region_occurs() -> None:
    assert len(KNOWN) == len(TAXONOMY.places) == 44
    assert set(KNOWN.values()) - {None} == set(TAXONOMY.regions)
    assert [place for place, region in KNOWN.items() if region is None] == ["Australia"]


@pytest.mark.parametrize(
    ("places", "region"),
    [
        ([], None),
        (["Australia"], None),
        (["Mexico"], "Central America & Caribbean"),
        (["Texas", "Canada"], "North America"),
        (["Texas", "Australia"], "North America"),
        (["Texas", "Mexico"], None),
        (["Mexico", "Texas"], None),
    ],
)
def test_region_of_places(places: list[str], region: str | None) -> None:
    assert region_of(places, KNOWN) == region


@given(st.lists(st.sampled_from(sorted(KNOWN)), max_size=4))
def test_neither_the_order_nor_repeats_decide(places: list[str]) -> None:
    assert region_of(places, KNOWN) == region_of(reversed(places * 2), KNOWN)


def test_an_unknown_place_is_refused_by_name() -> None:
    documents = Documents(pa.table({"id": ["a", "b"], "geographic": [["Texas"], ["Mu"]]}), None)
    with pytest.raises(ShelfError, match=r"document 'b', field 'geographic': 'Mu'"):
        regions_of(documents, TAXONOMY)


def test_no_places_are_no_region() -> None:
    places = pa.array([None, [], ["Berlin"]], pa.list_(pa.string()))
    documents = Documents(pa.table({"id": ["a", "b", "c"], "geographic": places}), None)
    assert regions_of(documents, TAXONOMY) == [None, None, "Europe"]


def test_a_config_without_places_has_no_such_task() -> None:
    with pytest.raises(UnsupportedError, match="geographic"):
        regions_of(Documents(pa.table({"id": ["a"]}), None), TAXONOMY)
