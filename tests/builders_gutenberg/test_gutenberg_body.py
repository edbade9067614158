from __future__ import annotations

import re

import pytest
from gutenberg_books import file_text, paragraph, prose, sentence
from hypothesis import given, settings
from hypothesis import strategies as st

from builders.corpora.gutenberg.body import body_of
from builders.corpora.gutenberg.frame import inside_frame

FOREIGN = re.compile(r"gutenberg|pgdp|e-?book|e-?text|licen[cs]e|transcriber", re.IGNORECASE)
BOOK = prose(30)
SMALL_PRINT = (
    "***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***\n"
    'Why is this "Small Print!" statement here? You know: lawyers.\n\n'
    "Project Gutenberg is a trademark.\n\n"
)


def words(text: str) -> list[str]:
    return text.split()


@pytest.mark.parametrize(
    "start",
    [
        "*** START OF THIS PROJECT GUTENBERG EBOOK BEES ***",
        "*** START OF THE PROJECT GUTENBERG EBOOK BEES ***",
        "***START OF THE PROJECT GUTENBERG EBOOK BEES***",
        "*** START OF THE PROJECT GUTENBERG EBOOK 7 ***",
        "*** START OF THIS PROJECT GUTENBERG ETEXT BEES ***",
        "***START OF THE PROJECT GUTENBERG EBOOK BEES AND THE WAYS OF\nTHE HIVE***",
        "*** START OF THE PROJECT GUTENBERG EBOOK BEES",
        SMALL_PRINT + "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*",
        SMALL_PRINT + "*END THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*",
        "*** START OF THE PROJECT GUTENBERG EBOOK BEES ***\n\n"
        + SMALL_PRINT
        + "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*",
        "Scanned for Project Gutenberg",
    ],
)
@pytest.mark.parametrize(
    "end",
    [
        "*** END OF THIS PROJECT GUTENBERG EBOOK BEES ***\n\nA licence.",
        "***END OF THE PROJECT GUTENBERG EBOOK BEES***\n\nA licence.",
        "*** END OF THE PROJECT GUTENBERG EBOOK BEES AND THE WAYS OF\nTHE HIVE ***\n\nA licence.",
        "End of the Project Gutenberg EBook of Bees, by A. Keeper\n\nA licence.",
        "End of Project Gutenberg's Bees, by A. Keeper\n\n*** END OF THIS PROJECT GUTENBERG",
        "End of The Project Gutenberg Etext of Bees",
        "End of this Project Gutenberg Etext",
        "*** START: FULL LICENSE ***\n\nTHE FULL PROJECT GUTENBERG LICENSE\n\nA licence.",
        "",
    ],
)
def test_every_frame_is_cut(start: str, end: str) -> None:
    head = "The Project Gutenberg Etext of Bees\n\nThis Etext is free.\n\n"
    body = body_of(f"{head}{start}\n\n\n{BOOK}\n\n\n{end}\n")
    assert words(body) == words(BOOK)


def test_an_old_head_without_a_mark() -> None:
    text = f"Project Gutenberg Etext of Bees, by A. Keeper\n\nBEES\n\n{BOOK}"
    assert words(body_of(text)) == ["BEES", *words(BOOK)]


def test_a_text_without_any_frame_is_kept() -> None:
    assert words(body_of(BOOK)) == words(BOOK)


def test_the_small_print_behind_a_book() -> None:
    text = f"{BOOK}\n\n{SMALL_PRINT}*END*THE SMALL PRINT! FOR PUBLIC DOMAIN*END*\n"
    assert words(body_of(text)) == words(BOOK)


def test_several_books_in_one_file_are_joined() -> None:
    first, second = prose(10), prose(10, start=10)
    body = body_of(file_text(first) + "\n\n" + file_text(second))
    assert words(body) == words(first) + words(second)


@pytest.mark.parametrize(
    "furniture",
    [
        "[Illustration]",
        "[Illustration: The queen\nand the [old] drones\n\nin the hive]",
        "[Transcriber's Note: the spelling\nis kept.]",
        "[Transcriber’s note: so in the original.]",
        "[Transcriber's Notes]\n\nThe spelling is kept.\n\n[End Transcriber's Notes]",
        "Transcriber's Note:\n\nThe spelling is kept.\n",
        "| Transcriber's Note:   |\n|                       |\n| The spelling is kept. |",
        "[Footnote 3: See the other\n\nbook.]",
        "[Sidenote: Of queens]",
        "{12}",
        "[Pg 12]",
        "[12]",
        "[Page xii]",
        "{p. 12}",
        "                                                      pg-12",
        "* * * * *",
        "*       *       *       *       *",
        "-----------------",
        "Page 12: 'hvie' changed to 'hive'.",
        "This file was produced from images of The Internet Archive at archive.org.",
        "Produced by the Online Distributed Proofreading Team at http://www.pgdp.net",
    ],
)
def test_furniture_goes(furniture: str) -> None:
    first, second = prose(15), prose(15, start=15)
    body = body_of(file_text(f"{first}\n\n\n{furniture}\n\n\n{second}"))
    assert words(body) == words(first) + words(second)


def test_page_marks_inside_a_paragraph_go() -> None:
    lines = paragraph(40).split("\n")
    marked = "\n".join([lines[0], "[Pg 12]", lines[1], "{13}", *lines[2:]])
    body = body_of(file_text(f"{BOOK}\n\n{marked}\n\n{prose(5, start=50)}"))
    assert paragraph(40) in body


def test_anchors_and_their_notes_go_and_emphasis_is_plain() -> None:
    text = paragraph(40) + " The _old queen_[3] flew [4]. It cost 3_s._ 6_d._ and =more=."
    notes = f"[3] {sentence(9)}\n\n[4] {sentence(10)}\n{sentence(11)}"
    body = body_of(file_text(f"{BOOK}\n\n{text}\n\n{notes}\n\n{prose(9, start=50)}"))
    assert "The old queen flew. It cost 3s. 6d. and more." in " ".join(body.split())
    assert "[" not in body


def test_an_unclosed_bracket_takes_its_block_alone() -> None:
    broken = f"[Illustration: {paragraph(40)}"
    body = body_of(file_text(f"{BOOK}\n\n{broken}\n\n{prose(9, start=50)}"))
    assert words(body) == words(BOOK) + words(prose(9, start=50))


def test_words_of_the_books_own_are_kept() -> None:
    own = (
        paragraph(40) + " Gutenberg of Mainz knew transcribers, [sic] and (see page 12) bees_knees."
    )
    body = body_of(file_text(f"{BOOK}\n\n{own}\n\n{prose(9, start=50)}"))
    assert " ".join(own.split()) in " ".join(body.split())


CONTENTS = [
    "CONTENTS\n\nCHAPTER I\nThe Hive 1\n\nCHAPTER II\nThe Queen 20\n\nCHAPTER III\nOf Honey 40",
    "TABLE OF CONTENTS.\n\n"
    + "\n".join(
        f"  {name}. Of the Hive . . . . . {page}" for name, page in zip("IVX", "159", strict=True)
    ),
    (
        "CONTENTS\n\nCHAPTER I\n\nThe Hive; Meaning of the Word; The Old Keepers; Modern Hives; "
        "Laws of the Swarm; The First Bees; Early Honey; Origin of the Queen; Garden Customs; "
        "The Unwritten Law; The Hive To-day; Winter.\n\nCHAPTER II\n\nThe Queen; Her Flight"
    ),
    "Contents\n\n  The Hive\n\n  The Queen\n\n  Of Honey",
    "LIST OF ILLUSTRATIONS\n\n  PAGE\n  The old hive      Frontispiece\n  The queen         12",
    "LIST OF PLATES.\n\nPLATE I. THE OLD HIVE 12\n\nPLATE II. THE QUEEN 15",
]


@pytest.mark.parametrize("contents", CONTENTS)
def test_front_matter_goes(contents: str) -> None:
    title = "OF BEES\n\nBY\n\nA. KEEPER\n\nLONDON\n1901\n\nTO MY SISTER"
    body = body_of(file_text(f"{title}\n\n\n{contents}\n\n\n\n\nCHAPTER I\n\nTHE HIVE\n\n\n{BOOK}"))
    assert body.endswith(BOOK)
    front = body.removesuffix(BOOK)
    assert len(front.split()) <= 4, front


def test_a_preface_is_kept() -> None:
    preface = prose(3, theme="readers")
    text = (
        f"OF BEES\n\n\nPREFACE\n\n{preface}\n\n\nCONTENTS\n\n  The Hive  1\n\n\nTHE HIVE\n\n{BOOK}"
    )
    assert preface in body_of(file_text(text))


INDEX = "\n".join(
    f"{name}, {n}, {n + 3}-{n + 9}" for n, name in enumerate(["Ants", "Bees"] * 60, 9)
)
BACK = [
    f"INDEX\n\n{INDEX}",
    f"GENERAL INDEX.\n\nA\n\n{INDEX}",
    "BIBLIOGRAPHY\n\n" + "\n\n".join(f"KEEPER, A. Hives. London, 18{n}." for n in range(10, 60)),
    "FOOTNOTES:\n\n" + "\n\n".join(f"[{n}] Keeper, Hives, p. {n}." for n in range(1, 40)),
    "THE END.\n\nSOME NEW BOOKS\n\n" + prose(2, theme="critics"),
    "\n\n".join(f"HIVES AND QUEENS, Vol. {n}. 12mo, cloth, $1.50 net." for n in range(9)),
    "\n\n".join(f"{row} A B C D E F G" for row in "HIJKLMNOPQRST"),
]


@pytest.mark.parametrize("back", BACK)
def test_back_matter_goes(back: str) -> None:
    assert body_of(file_text(f"{BOOK}\n\n\n\n{back}")) == BOOK


def test_an_appendix_of_prose_behind_the_notes_is_kept() -> None:
    appendix = prose(6, theme="fathers")
    text = (
        f"{BOOK}\n\n\nFOOTNOTES:\n\nKeeper, p. 3.\n\n\nAPPENDIX\n\n{appendix}\n\n\nINDEX\n\n{INDEX}"
    )
    body = body_of(file_text(text))
    assert BOOK in body
    assert appendix in body
    assert "Ants" not in body


def test_a_title_in_prose_is_no_list() -> None:
    own = "Works of the old keepers\n" + paragraph(70)
    assert " ".join(own.split()) in " ".join(body_of(file_text(f"{BOOK}\n\n{own}")).split())


def test_heuristics_never_take_more_than_half() -> None:
    index = "\n".join(f"{name}, {n}" for n, name in enumerate(["Ants", "Bees"] * 999))
    body = body_of(file_text(f"{prose(3)}\n\nINDEX\n\n{index}"))
    assert "Ants, 998" in body


def test_a_file_without_blank_lines_keeps_its_book() -> None:
    text = prose(30).replace("\n\n", "\n").split("\n")
    text[40] = "This eBook is for the use of Project"
    text[41] = "Gutenberg readers anywhere."
    body = body_of("\n".join(text))
    assert not FOREIGN.search(body)
    assert len(body.split("\n")) >= len(text) - 4


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "*** START OF THIS PROJECT GUTENBERG EBOOK BEES ***",
                "*** END OF THIS PROJECT GUTENBERG EBOOK BEES ***",
                "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*END*",
                "Project Gutenberg License",
                "[Illustration: a",
                "b]",
                "[Transcriber's Note",
                "INDEX",
                "CONTENTS",
                "THE END",
                "FOOTNOTES:",
                "1",
                "Bees, 1, 3",
                paragraph(1),
                paragraph(2),
                "",
            ]
        ),
        max_size=40,
    ),
    st.sampled_from(["\n", "\n\n", "\n\n\n\n"]),
)
def test_any_order_of_parts_leaves_no_foreign_word_and_adds_none(
    parts: list[str], joint: str
) -> None:
    text = joint.join(parts)
    body = body_of(text)
    assert "project gutenberg" not in body.casefold()
    assert "Transcriber" not in body
    rest = iter(text.split())
    assert all(word in rest for word in body.split()), "a word was added or moved"


def test_inside_frame_keeps_text_without_marks() -> None:
    assert inside_frame("They hum.\n") == "They hum.\n"


def test_an_old_head_and_the_small_print_behind() -> None:
    head = "The Project Gutenberg Etext of Bees\n\nThis Etext was made by a volunteer.\n\n\n"
    tail = (
        f"End of Project Gutenberg's Bees\n\n{SMALL_PRINT}*END*THE SMALL PRINT! FOR ETEXTS*END*\n"
    )
    assert words(body_of(f"{head}{BOOK}\n\n{tail}")) == words(BOOK)
