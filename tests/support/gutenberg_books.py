"""Books and catalogues made up for the tests; no line is from a real file."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterable, Mapping

COLUMNS = (
    "Text#", "Type", "Issued", "Title", "Language", "Authors", "Subjects", "LoCC", "Bookshelves",
)  # fmt: skip
THINGS = (
    "hive", "queen", "meadow", "keeper", "orchard", "winter", "swarm", "honey", "garden", "river",
    "letter", "village", "harvest", "lantern", "bridge", "window",
)  # fmt: skip


def sentence(number: int, theme: str = "bees") -> str:
    """A sentence that no other number gives."""
    first, second, third = (THINGS[number // 16**power % 16] for power in range(3))
    return f"In the {first} of the {second} there was a {third} that the old {theme} had known."


def paragraph(number: int, theme: str = "bees", sentences: int = 5) -> str:
    """A paragraph of 80 words, wrapped as Project Gutenberg wraps."""
    text = " ".join(sentence(number * sentences + index, theme) for index in range(sentences))
    return textwrap.fill(text, 70)


def prose(paragraphs: int = 60, theme: str = "bees", start: int = 0) -> str:
    """Running text."""
    return "\n\n".join(paragraph(start + index, theme) for index in range(paragraphs))


def file_text(body: str, title: str = "OF BEES") -> str:
    """A body in the frame of today's files."""
    return (
        f"The Project Gutenberg EBook of {title.title()}\n\n"
        "This eBook is for the use of anyone anywhere at no cost.\n\n"
        f"*** START OF THIS PROJECT GUTENBERG EBOOK {title} ***\n\n\n"
        "Produced by A. Volunteer and the Online Distributed\nProofreading Team at "
        f"http://www.pgdp.net\n\n\n{body}\n\n\n"
        f"End of the Project Gutenberg EBook of {title.title()}\n\n"
        f"*** END OF THIS PROJECT GUTENBERG EBOOK {title} ***\n\n"
        "THE FULL PROJECT GUTENBERG LICENSE\n\nYou may charge no fee for a licence.\n"
    )


def catalogue_row(number: int, **fields: str) -> dict[str, str]:
    """A row that the corpus takes, but for what `fields` change."""
    row = {
        "Text#": str(number),
        "Type": "Text",
        "Issued": "2003-10-01",
        "Title": f"Book {number}",
        "Language": "en",
        "Authors": f"Writer{number}, Anna, 1850-1920",
        "Subjects": "Bees",
        "LoCC": "QL",
        "Bookshelves": "",
    }
    return row | {name.replace("Text_", "Text#"): value for name, value in fields.items()}


def catalogue_text(rows: Iterable[Mapping[str, str]]) -> str:
    """A catalogue as Project Gutenberg writes it."""
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()
