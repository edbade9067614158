"""Download the books that gutenberg.md was measured on.

    python -m benchmarks.download_gutenberg FOLDER

The numbers of the books are in gutenberg_ids.txt. FOLDER/natural/gutenberg then holds Project
Gutenberg's catalogue (pg_catalog.csv.gz), its rows of these books (catalog.csv) and their texts
(texts/pg<n>.txt). One file is asked for at a time; what is there is not asked for again, so the
same command goes on with an interrupted download. A text that is cut short or is of another book
is not kept.
"""

from __future__ import annotations

import argparse
import csv
import io
import re
import shlex
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from builders.corpora.gutenberg.catalogue import read_catalogue
from builders.corpora.gutenberg.download import Mirror, download_catalogue, download_texts
from builders.corpora.gutenberg.text_file import find_text
from builders.corpora.inflate import read_bytes
from evaluate_shelf.cli.terminal import Bar, say
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing

IDS = Path(__file__).parent / "gutenberg_ids.txt"
# Project Gutenberg's own mirror in its list, https://www.gutenberg.org/MIRRORS.ALL; it has the
# generated files (cache/epub), which not all mirrors have. The main site is for people alone.
MIRROR = "https://gutenberg.pglaf.org"

_LARGEST_NUMBER = 1_000_000
_LARGEST_IDS = 2**20
_LARGEST_TEXT = 32 * 2**20
_LARGEST_CATALOGUE = 512 * 2**20
_HEAD = 3_000
_END = re.compile(
    rb"^[ \t*]*END[ \t]+OF[ \t]+(?:(?:THE|THIS)[ \t]+)?PROJECT[ \t]+GUTENBERG",
    re.IGNORECASE | re.MULTILINE,
)


class BookMirror(Mirror):
    """A mirror whose texts are looked at before they are kept."""

    def get(self, number: int) -> bytes | str:
        """Ask for a text; give its bytes, or the reason why there is none or it is damaged."""
        answer = super().get(number)
        return answer if isinstance(answer, str) else damage(answer, number) or answer


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a download left in its folder.

    Parameters
    ----------
    catalogue : pathlib.Path
        The catalogue's rows of the books.
    texts : pathlib.Path
        The folder of their texts.
    missing : list of tuple of (int, str)
        Numbers of the books that are not there, with the reason.
    """

    catalogue: Path
    texts: Path
    missing: list[tuple[int, str]]


def read_ids(path: Path = IDS) -> list[int]:
    r"""Read the numbers of books.

    Parameters
    ----------
    path : pathlib.Path, default=IDS
        One number a line; a line that begins with `#` is a comment.

    Returns
    -------
    list of int
        In the order of the file.

    Raises
    ------
    ShelfError
        The file cannot be read, or a line is no number or the same as an earlier one.

    Examples
    --------
    >>> len(read_ids())
    128
    """
    numbers: list[int] = []
    lines = read_bytes(path, limit=_LARGEST_IDS).decode("utf-8", errors="replace").splitlines()
    for row, line in enumerate(lines, start=1):
        value = line.strip()
        if not value or value.startswith("#"):
            continue
        if not re.fullmatch(r"[1-9][0-9]{0,6}", value) or int(value) > _LARGEST_NUMBER:
            raise ShelfError(
                f"{path}, row {row}: {value[:40]!r} is no number of a book; write one a line, "
                f"from 1 to {_LARGEST_NUMBER:,}"
            )
        if int(value) in numbers:
            raise ShelfError(f"{path}, row {row}: {value} is there twice; keep one of the two")
        numbers.append(int(value))
    return numbers


def damage(text: bytes, number: int) -> str | None:
    r"""Say why a text is not the whole book of a number.

    Parameters
    ----------
    text : bytes
        As Project Gutenberg gives it, with its header and footer.
    number : int
        The book that it should be.

    Returns
    -------
    str or None
        The reason; None if the header names the number and there is a footer.

    Examples
    --------
    >>> damage(b"Title: Bees\n[EBook #4511]\nThey hum", 4511)
    'damaged: its footer is missing, so it is cut short'
    """
    if not re.search(rb"#\s?%d\b" % number, text[:_HEAD]):
        return "damaged: its header does not name this number"
    if not _END.search(text, len(text) // 2):
        return "damaged: its footer is missing, so it is cut short"
    return None


def rows_of(catalogue: Path, numbers: Collection[int]) -> str:
    """The rows of some books, with the header, as a catalogue of its own.

    Parameters
    ----------
    catalogue : pathlib.Path
        Project Gutenberg's, which `read_catalogue` has found sound.
    numbers : collection of int
        The books.

    Returns
    -------
    str
        CSV with LF as line end; every value as it is in the catalogue.
    """
    text = read_bytes(catalogue, limit=_LARGEST_CATALOGUE).decode("utf-8-sig")
    header, *rows = (row for row in csv.reader(io.StringIO(text, newline="")) if row)
    column = header.index("Text#")
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(row for row in rows if int(row[column]) in numbers)
    return out.getvalue()


def fetch_books(
    folder: Path,
    mirror: Mirror,
    numbers: Sequence[int],
    *,
    progress: Callable[[int], None] | None = None,
) -> Fetched:
    """Fetch the catalogue and the books that a folder lacks.

    Parameters
    ----------
    folder : pathlib.Path
        `natural/gutenberg` of it is filled.
    mirror : Mirror
        Where to ask; a `BookMirror` keeps damaged texts out.
    numbers : sequence of int
        The books.
    progress : callable, optional
        Called with each number when it is done.

    Returns
    -------
    Fetched
        Where everything is, and what is not.

    Raises
    ------
    ShelfError
        The mirror cannot be reached or refuses, it sends a damaged catalogue, or a file that was
        in the folder is damaged.
    """
    place = folder / "natural" / "gutenberg"
    texts = place / "texts"
    texts.mkdir(parents=True, exist_ok=True)
    _check_present(texts, numbers)
    listed = _fetch_catalogue(place, mirror)
    wanted = [number for number in numbers if number in listed]
    done = download_texts(wanted, texts, mirror, progress=progress)
    unlisted = [(n, "not in the mirror's catalogue") for n in numbers if n not in listed]
    catalogue = place / "catalog.csv"
    with replacing(catalogue) as temporary:
        rows = rows_of(place / "pg_catalog.csv.gz", frozenset(numbers))
        temporary.write_text(rows, encoding="utf-8", newline="")
    return Fetched(catalogue, texts, sorted([*done.refused, *unlisted]))


def _check_present(texts: Path, numbers: Sequence[int]) -> None:
    for number in numbers:
        path = find_text(texts, number)
        if path is not None and (why := damage(read_bytes(path, limit=_LARGEST_TEXT), number)):
            raise ShelfError(f"{path}: {why}; remove it and run the same command again")


def _fetch_catalogue(place: Path, mirror: Mirror) -> frozenset[int]:
    """Numbers in the catalogue. A damaged one that has just come is not kept."""
    was_there = (place / "pg_catalog.csv.gz").is_file()
    path = download_catalogue(place, mirror)
    if not was_there:
        mirror.sleep(mirror.pause)
    try:
        return frozenset(work.number for work in read_catalogue(path))
    except ShelfError as error:
        if was_there:
            raise ShelfError(f"{error}; remove the file and run the same command again") from error
        path.unlink()
        raise ShelfError(
            f"{mirror.base}: it gave a damaged catalogue, which was not kept: {error}"
        ) from error


def commands(folder: Path, fetched: Fetched) -> str:
    """What to run next: build a release of the books, or measure everything again."""
    return "\n".join(
        [
            shlex.join(
                [
                    *("shelf", "build", "transfer_gutenberg"),
                    *("--catalog", str(fetched.catalogue), "--texts", str(fetched.texts)),
                    *("--out", "books"),
                ]
            ),
            f"SHELF_TEST_DATA={shlex.quote(str(folder))} python -m benchmarks.gutenberg",
        ]
    )


def main(
    arguments: Sequence[str] | None = None, *, sleep: Callable[[float], None] = time.sleep
) -> int:
    """Download, then print what to run; give 0 if all books are there, 1 if some are not."""
    parser = argparse.ArgumentParser(description="Download the books of gutenberg.md.")
    parser.add_argument("folder", type=Path, help="where they go; the same one to go on")
    parser.add_argument("--mirror", default=MIRROR, metavar="URL", help=f"default: {MIRROR}")
    options = parser.parse_args(arguments)
    folder = options.folder.resolve()
    try:
        numbers = read_ids()
        mirror = BookMirror(options.mirror, sleep=sleep)
        with Bar() as bar:
            done = iter(range(1, len(numbers) + 1))
            fetched = fetch_books(
                folder,
                mirror,
                numbers,
                progress=lambda _: bar.update("books", next(done), len(numbers)),
            )
    except ShelfError as error:
        say(str(error))
        return 2
    except KeyboardInterrupt:
        say("stopped; the same command goes on from here")
        return 130
    for number, reason in fetched.missing:
        say(f"not there: {number}: {reason}")
    say(f"{len(numbers) - len(fetched.missing)} of {len(numbers)} books are in {fetched.texts}")
    print(commands(folder, fetched))
    return 1 if fetched.missing else 0


if __name__ == "__main__":
    sys.exit(main())
