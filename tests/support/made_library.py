"""A made-up library: works of several classes, editions, and records that no corpus can use."""

from __future__ import annotations

from marc_samples import Spec, marc, utf8
from pymarc import Record

WORDS = {
    "Q": "proton lattice enzyme theorem galaxy",
    "H": "tariff wage market census trade",
    "P": "sonnet novel grammar verse dialect",
    "N": "fresco etching sculptor gallery canvas",
}
SUBCLASS = {"Q": "QA", "H": "HB", "P": "PR", "N": "ND"}
WORKS = 8


def entry(
    number: str | None,
    title: str,
    lcc: str,
    *more: Spec,
    author: str | None = None,
    summary: str | None = None,
    language: str = "eng",
) -> Record:
    """A catalogue record of a book."""
    specs: list[Spec] = [("050", "00", [("a", lcc)])] if lcc else []
    if author:
        specs.append(("100", "1 ", [("a", author)]))
    specs.append(("245", "10", [("a", title)]))
    if summary:
        specs.append(("520", "  ", [("a", summary)]))
    return marc(number, *specs, *more, language=language)


def works_of_class(code: str, works: int = WORKS) -> list[Record]:
    """A record of each of some works of a class."""
    words = WORDS[code].split()
    return [
        entry(
            f"{code.lower()}{number}",
            f"The {words[number % 5]} and the {words[(number + 1) % 5]}, part {number} /",
            f"{SUBCLASS[code]}{number + 1}.A{number}",
            ("650", " 0", [("a", f"{words[number % 5].title()}."), ("x", "History.")]),
            ("655", " 7", [("a", "Handbooks.")]),
            author=f"Writer {code} {number},",
            summary=f"On {WORDS[code]} in {number} chapters.",
        )
        for number in range(works)
    ]


SOUND = [record for code in WORDS for record in works_of_class(code)]
# A second edition of each of three works, in another language and class.
EDITIONS = [
    entry("e1", "The PROTON and the lattice, part 0", "QC9", author="Writer Q 0", language="ger",
          summary="A second edition."),
    entry("e2", "The wage and the market; part 1.", "HD4", author="Writer H 1", summary="Again."),
    entry("e3", "The sonnet and the novel, part 0 :", "QA7", author="Writer P 0", summary="New."),
]  # fmt: skip
THIN = [entry(f"v{number}", f"Ships of the line {number}", "VA10") for number in range(3)]
ONE_WORK = [
    entry(f"z{number}", "Books on books", "Z1001", author="Reader", summary=f"Printing {number}.")
    for number in range(6)
]
LEFT_OUT = {
    "no LCC number": [entry("x1", "No class at all", "")],
    "not an LCC number": [entry("x2", "A local number", "LAW"), entry("x3", "Dewey", "823.91")],
    "class outside the 21": [entry("x4", "Physicians", "WG 300")],
    "no text": [entry("x5", "", "QA1")],
    "repeated id": [entry("e1", "Another book with an id that is taken", "QA2")],
    "repeated text": [entry("x6", "Ships of the line 0", "VA11")],
}


def shelved(works: int) -> bytes:
    """Records whose control numbers follow the order of the shelves."""
    codes = sorted(WORDS)
    return b"".join(
        utf8(entry(f"{place:06d}", f"Volume {place}", f"{SUBCLASS[code]}{place + 1}"))
        for place in range(works)
        for code in [codes[place * len(codes) // works]]
    )
