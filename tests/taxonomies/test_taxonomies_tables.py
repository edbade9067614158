"""Tables and authority files; tidying; the hierarchy; what is taken of a vocabulary."""

from __future__ import annotations

import os
from pathlib import Path

import pymarc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders.taxonomies.form import Concept, Kind, Reading
from builders.taxonomies.hierarchy import Hierarchy
from builders.taxonomies.marc_authorities import read_marc_authorities
from builders.taxonomies.selection import below, down_to, some_of
from builders.taxonomies.tidying import tidied
from builders.taxonomies.tsv import read_tsv
from evaluate_shelf.errors import ShelfError


def table(tmp_path: Path, text: str | bytes) -> Reading:
    file = tmp_path / "v.tsv"
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return read_tsv(file)


def test_a_table_with_a_head(tmp_path: Path) -> None:
    reading = table(
        tmp_path,
        "\ufefflabel\tid\tbroader\tdescription\n"
        "Birds\tx:1\t\tFlyers.\r\n"
        "Owls\tx:2\tx:1\t\n\n"
        "Night birds\tx:3\tbirds | x:2\tOf the dark.\n",
    )
    assert reading.concepts == [
        Concept("x:1", "Birds", (), "Flyers."),
        Concept("x:2", "Owls", ("x:1",)),
        Concept("x:3", "Night birds", ("x:1", "x:2"), "Of the dark."),
    ]


def test_without_ids_labels_are_ids(tmp_path: Path) -> None:
    reading = table(tmp_path, "label\tbroader\nBirds\t\nOwls\tBIRDS\n")
    assert reading.concepts == [Concept("Birds", "Birds"), Concept("Owls", "Owls", ("Birds",))]


def test_annif_s_form(tmp_path: Path) -> None:
    reading = table(tmp_path, "<http://x/1>\tone\n<http://x/2>\ttwo\tparts\n")
    assert [(one.id, one.label) for one in tidied(reading).concepts] == [
        ("http://x/1", "one"),
        ("http://x/2", "two parts"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no rows"),
        ("\n \n", "has no rows"),
        ("label\n", "a head and no rows"),
        ("label\tcolour\nx\ty\n", "row 1: unknown column 'colour'"),
        ("id\nx\n", "row 1: columns"),
        ("label\tlabel\nx\ty\n", "row 1: columns"),
        ("label\tid\nx\n", "row 2: 1 fields, the head has 2"),
        ("label\tbroader\nx\ty\n", "row 2, field 'broader': no concept 'y'"),
        ("<http://x/1>\tone\ntwo\n", "row 2: must be a URI in angle brackets"),
        (b"label\n\xff\n", "row 2: is not UTF-8"),
        ("label\n" + "x" * (2**20 + 1), "row 2: longer than"),
    ],
)
def test_a_damaged_table_is_refused_by_row(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(ShelfError, match=message):
        table(tmp_path, text)


@pytest.mark.skipif("SHELF_TEST_DATA" not in os.environ, reason="SHELF_TEST_DATA is not set")
def test_yso_is_read_and_every_line_accounted_for() -> None:
    folder = Path(os.environ["SHELF_TEST_DATA"]) / "natural/subject_indexing/yso_finna_en"
    file = folder / "yso_labels_en.tsv"
    lines = file.read_text(encoding="utf-8").splitlines()
    reading = tidied(read_tsv(file))
    left_out = [case for case in reading.cases if case.kind.is_left_out]
    assert len(lines) == len(reading.concepts) + len(left_out)
    folded = [one.label.casefold() for one in reading.concepts]
    assert len(set(folded)) == len(folded)
    # Independent count: a label that another line has too, in any case, is left out but once.
    labels = [" ".join(line.split("\t", 1)[1].split()).casefold() for line in lines]
    assert len(set(labels)) == len(folded)
    assert {case.label for case in reading.cases if case.kind is Kind.CONTROL} >= {"satyr play s"}


def authority(
    number: str, tag: str, heading: list[tuple[str, str]], *more: tuple[str, list[tuple[str, str]]]
) -> pymarc.Record:
    record = pymarc.Record(leader="00000nz  a2200000n  4500", force_utf8=True)
    record.add_field(pymarc.Field("001", data=number))
    record.add_field(
        pymarc.Field("008", data="850101 n anznnbabn          |a ana     "[:9] + "a" * 31)
    )
    for own, subfields in ((tag, heading), *more):
        record.add_field(
            pymarc.Field(own, [" ", " "], [pymarc.Subfield(*pair) for pair in subfields])
        )
    return record


def authorities() -> list[pymarc.Record]:
    deleted = authority("sh5", "150", [("a", "Gone")])
    deleted.leader = pymarc.Leader("00000dz  a2200000n  4500")
    book = authority("b1", "150", [("a", "No authority")])
    book.leader = pymarc.Leader("00000nam a2200000n  4500")
    reference = authority("sh7", "150", [("a", "Only a reference")])
    reference["008"].data = "850101 n b" + "a" * 30
    return [
        authority("sh1", "150", [("a", "Animals")], ("550", [("w", "h"), ("a", "Fishes")])),
        authority(
            "sh2",
            "150",
            [("a", "Birds")],
            ("024", [("a", "http://id.example/sh2"), ("2", "uri")]),
            ("450", [("a", "Aves")]),
            ("450", [("w", "nne"), ("a", "Fowls")]),
            ("550", [("w", "g"), ("a", "Animals.")]),
            ("550", [("a", "Ornithology")]),
            ("677", [("a", "Feathered egg layers.")]),
            ("680", [("i", "Here are entered works on"), ("a", "feathered flyers.")]),
        ),
        authority(
            "sh3", "150", [("a", "Birds"), ("x", "Eggs")], ("550", [("w", "g"), ("a", "Birds")])
        ),
        authority("sh4", "151", [("a", "Bird Island")]),
        deleted,
        book,
        reference,
        authority("sh6", "150", [("a", "Fishes")], ("550", [("w", "g"), ("a", "Nowhere")])),
    ]


@pytest.mark.parametrize("form", ["binary", "xml"])
def test_authority_records(tmp_path: Path, form: str) -> None:
    file = tmp_path / "a.mrc"
    if form == "binary":
        file.write_bytes(b"".join(record.as_marc() for record in authorities()))
    else:
        body = b"".join(pymarc.record_to_xml(record) for record in authorities())
        file.write_bytes(b"<collection>" + body + b"</collection>")
    reading = read_marc_authorities(file, "topics")
    assert {one.label: (one.id, one.broader) for one in reading.concepts} == {
        "Animals": ("sh1", ()),
        "Birds": ("http://id.example/sh2", ("sh1",)),
        "Birds--Eggs": ("sh3", ("http://id.example/sh2",)),
        "Fishes": ("sh6", ("sh1",)),
    }
    birds = reading.concepts[1]
    assert birds.description == "Feathered egg layers."
    assert birds.scope_note == "Here are entered works on feathered flyers."
    assert birds.other_labels == ("Aves", "Fowls")
    assert {(case.kind, case.id) for case in reading.cases} == {
        (Kind.OTHER_HEADING, "sh4"),
        (Kind.DEPRECATED, "sh5"),
        (Kind.NO_AUTHORITY, "b1"),
        (Kind.REFERENCE, "sh7"),
        (Kind.NO_BROADER, "sh6"),
    }
    assert [one.label for one in read_marc_authorities(file, "places").concepts] == ["Bird Island"]


def test_a_damaged_authority_costs_no_more_than_itself(tmp_path: Path) -> None:
    first, second, *_ = (record.as_marc() for record in authorities())
    file = tmp_path / "a.mrc"
    file.write_bytes(first + second[:-20] + b"\x1d" + second)
    reading = read_marc_authorities(file, "topics")
    assert [one.label for one in reading.concepts] == ["Animals", "Birds"]
    assert [case.kind for case in reading.cases if case.kind is Kind.UNREAD] == [Kind.UNREAD]


@pytest.mark.skipif("SHELF_TEST_DATA" not in os.environ, reason="SHELF_TEST_DATA is not set")
def test_bibliographic_records_are_no_authorities() -> None:
    folder = Path(os.environ["SHELF_TEST_DATA"]) / "natural/marc"
    with pytest.raises(ShelfError, match="100 records, and no authority record"):
        read_marc_authorities(folder / "BooksAll.2014.part01-0001.mrc", "topics")


def test_labels_are_repaired_or_left_out() -> None:
    reading = tidied(
        Reading(
            "v",
            [
                Concept("1", "a\tb\n"),
                Concept("2", "  "),
                Concept("3", "—"),
                Concept("4", "x" * 201),
                Concept("5", "two \ud800", broader=("1",)),
                Concept("1", "the same id"),
                Concept("6", "A B"),
                Concept("7", "A b", broader=("5",)),
                Concept("8", "below", broader=("2", "9")),
            ],
        )
    )
    assert [(one.id, one.label) for one in reading.concepts] == [
        ("1", "a b"),
        ("5", "two ?"),
        ("7", "A b (two ?)"),
        ("8", "below"),
    ]
    kinds = {(case.kind, case.id) for case in reading.cases}
    assert kinds >= {
        (Kind.CONTROL, "1"),
        (Kind.EMPTY_LABEL, "2"),
        (Kind.EMPTY_LABEL, "3"),
        (Kind.LONG_LABEL, "4"),
        (Kind.SAME_ID, "1"),
        (Kind.SAME_LABEL, "6"),
        (Kind.QUALIFIED, "7"),
        (Kind.NO_BROADER, "8"),
    }


LABELS = st.text(st.characters(codec="utf-8"), max_size=8) | st.sampled_from(["a", "A", "a\t"])


@given(
    st.lists(
        st.tuples(
            st.sampled_from("1234567"), LABELS, st.lists(st.sampled_from("1234567"), max_size=2)
        ),
        max_size=9,
    )
)
def test_whatever_comes_in_what_is_left_is_tidy(rows: list[tuple[str, str, list[str]]]) -> None:
    reading = tidied(
        Reading("v", [Concept(own, label, tuple(above)) for own, label, above in rows])
    )
    left_out = sum(case.kind.is_left_out for case in reading.cases)
    assert len(rows) == len(reading.concepts) + left_out
    ids = {one.id for one in reading.concepts}
    labels = {one.label.casefold() for one in reading.concepts}
    assert len(ids) == len(labels) == len(reading.concepts)
    for one in reading.concepts:
        assert set(one.broader) <= ids
        assert one.label == " ".join(one.label.split())
        assert "\t" not in one.label


def test_a_circle_is_refused_by_its_names() -> None:
    concepts = [
        Concept("t", "top"),
        Concept("a", "A", ("c", "t")),
        Concept("b", "B", ("a",)),
        Concept("c", "C", ("b",)),
        Concept("d", "D", ("c",)),
    ]
    with pytest.raises(ShelfError) as caught:
        Hierarchy(concepts)
    for name in ("A <a>", "B <b>", "C <c>"):
        assert name in str(caught.value)
    assert "D <d>" not in str(caught.value)
    with pytest.raises(ShelfError, match="A <a> > A <a>"):
        Hierarchy([Concept("a", "A", ("a",))])


def test_a_chain_of_many_levels_is_no_trouble() -> None:
    chain = [Concept("0", "0")] + [Concept(str(n), str(n), (str(n - 1),)) for n in range(1, 20_000)]
    own = Hierarchy(chain)
    assert own.level("19999") == 20_000
    assert len(own.descendants("0")) == 19_999


def tree() -> Reading:
    return Reading(
        "v",
        [
            Concept("1", "animals", notation="A"),
            Concept("2", "birds", ("1",)),
            Concept("3", "owls", ("2", "4")),
            Concept("4", "night"),
        ],
    )


@pytest.mark.parametrize("name", ["1", "A", "ANIMALS", "<1>"])
def test_what_lies_below_a_concept(name: str) -> None:
    reading = below(tree(), name)
    assert [(one.id, one.broader) for one in reading.concepts] == [("2", ()), ("3", ("2",))]
    assert {case.id for case in reading.cases} == {"1", "4"}


@pytest.mark.parametrize(("name", "message"), [("none", "no concept has"), ("owls", "lies below")])
def test_below_what_is_not_there(name: str, message: str) -> None:
    with pytest.raises(ShelfError, match=message):
        below(tree(), name)


def test_the_first_levels() -> None:
    assert [one.id for one in down_to(tree(), 1).concepts] == ["1", "4"]
    assert [one.id for one in down_to(tree(), 2).concepts] == ["1", "2", "3", "4"]


@given(st.sets(st.text(max_size=3), max_size=9), st.integers(1, 9))
def test_some_are_the_same_whatever_their_order_and_nested(ids: set[str], most: int) -> None:
    own = some_of(sorted(ids), most)
    assert own == some_of(sorted(ids, reverse=True), most)
    assert len(own) == min(most, len(ids))
    assert own <= some_of(ids, most + 1)
