"""Fetch missing texts from a mirror of Project Gutenberg, slowly and one at a time."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from builders.corpora.gutenberg.text_file import find_text
from evaluate_shelf import __version__
from evaluate_shelf.endpoints.retry_after import seconds_named
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing

USER_AGENT = (
    f"shelf-benchmark/{__version__} (builder of the Gutenberg passages; one request at a time)"
)
_ABSENT = frozenset({404, 410})
_BUSY = frozenset({429, 500, 502, 503, 504})
_LIMIT = 32 * 2**20


@dataclass(slots=True)
class Download:
    """What a download did.

    Parameters
    ----------
    fetched : list of int
        Numbers of the texts that were fetched.
    present : list of int
        Numbers of the texts that were in the folder before.
    refused : list of tuple of (int, str)
        Numbers of the texts that the mirror did not give, with the reason.
    """

    fetched: list[int] = field(default_factory=list)
    present: list[int] = field(default_factory=list)
    refused: list[tuple[int, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Mirror:
    """A mirror, and how politely it is asked.

    Parameters
    ----------
    base : str
        Address before `/cache/epub/<n>/pg<n>.txt`. Project Gutenberg asks robots to use a mirror
        and not its main site.
    pause : float, default=2.0
        Seconds between two requests.
    timeout : float, default=60.0
        Seconds until an answer is given up.
    tries : int, default=4
        How often a text is asked for while the mirror is busy or does not answer.
    longest_wait : float, default=120.0
        The most seconds that a `Retry-After` header is obeyed.
    limit : int, default=33554432
        The most bytes of a text.
    sleep : callable
        Waits for a number of seconds.
    """

    base: str
    pause: float = 2.0
    timeout: float = 60.0
    tries: int = 4
    longest_wait: float = 120.0
    limit: int = _LIMIT
    sleep: Callable[[float], None] = time.sleep

    def __post_init__(self) -> None:
        parts = urlsplit(self.base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ShelfError(f"{self.base!r}: the mirror must be an http or https address")

    def get(self, number: int) -> bytes | str:
        """Ask for a text; give its bytes, or the reason why there is none.

        Raises
        ------
        ShelfError
            The mirror cannot be reached, stays busy or refuses to serve.
        """
        return self.fetch(f"cache/epub/{number}/pg{number}.txt")

    def fetch(self, path: str) -> bytes | str:
        """Ask for a file of the mirror, as `get` asks for a text."""
        url = f"{self.base.rstrip('/')}/{path}"
        trouble = ""
        for attempt in range(self.tries):
            try:
                return self._read(url)
            except urllib.error.HTTPError as error:
                error.close()
                if error.code in _ABSENT:
                    return "not on the mirror"
                if error.code not in _BUSY:
                    raise ShelfError(
                        f"{url}: the mirror refuses with status {error.code}; check the address "
                        "and the mirror's rules for robots"
                    ) from error
                trouble = f"answers with status {error.code}"
                named = seconds_named(error.headers.get("Retry-After"))
                wait = self.pause * 2**attempt if named is None else named
            except (OSError, EOFError) as error:
                trouble = f"cannot be reached ({getattr(error, 'reason', None) or error})"
                wait = self.pause * 2**attempt
            if attempt + 1 < self.tries:
                self.sleep(min(max(wait, self.pause), self.longest_wait))
        raise ShelfError(
            f"{url}: after {self.tries} tries the mirror {trouble}; try again later or with "
            "another mirror: what was fetched is kept and not asked for again"
        )

    def _read(self, url: str) -> bytes | str:
        request = urllib.request.Request(url, headers={"User-Agent": USER_AGENT})  # noqa: S310
        # The scheme was checked above.
        with urllib.request.urlopen(request, timeout=self.timeout) as answer:  # noqa: S310
            data: bytes = answer.read(self.limit + 1)
            length = answer.headers.get("Content-Length")
            kind = answer.headers.get_content_type()
        if len(data) > self.limit:
            return f"longer than {self.limit:,} bytes"
        if length is not None and length.isdigit() and len(data) != int(length):
            raise EOFError(f"{len(data)} of {length} bytes came")
        if kind == "text/html":
            return "the mirror sent a web page instead of a text"
        return data if data.strip() else "empty on the mirror"


def download_catalogue(folder: Path, mirror: Mirror) -> Path:
    """Fetch Project Gutenberg's catalogue, unless it is in the folder already.

    Parameters
    ----------
    folder : pathlib.Path
        Where it goes.
    mirror : Mirror
        Where to ask.

    Returns
    -------
    pathlib.Path
        `pg_catalog.csv.gz` in the folder.

    Raises
    ------
    ShelfError
        The mirror does not give it.
    """
    file = folder / "pg_catalog.csv.gz"
    if not file.is_file():
        answer = mirror.fetch("cache/epub/feeds/pg_catalog.csv.gz")
        if isinstance(answer, str):
            raise ShelfError(f"{mirror.base}: it gives no catalogue: {answer}; use --catalog FILE")
        with replacing(file) as temporary:
            temporary.write_bytes(answer)
    return file


def download_texts(
    numbers: Iterable[int],
    folder: Path,
    mirror: Mirror,
    *,
    progress: Callable[[int], None] | None = None,
) -> Download:
    """Fetch the texts that are not in a folder yet.

    Parameters
    ----------
    numbers : iterable of int
        Project Gutenberg's numbers of the works.
    folder : pathlib.Path
        Where texts lie; new ones are named `pg<n>.txt`. A file is whole or absent, so an
        interrupted download goes on where it stopped.
    mirror : Mirror
        Where to ask.
    progress : callable, optional
        Called with each number when it is done.

    Returns
    -------
    Download
        What was fetched, was there or was refused.

    Raises
    ------
    ShelfError
        The mirror cannot be reached, stays busy or refuses to serve.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "7.txt").write_text("They hum.")
    >>> download_texts([7], folder, Mirror("https://mirror.invalid/gutenberg")).present
    [7]
    """
    done = Download()
    asked = False
    for number in numbers:
        if find_text(folder, number) is not None:
            done.present.append(number)
        else:
            if asked:
                mirror.sleep(mirror.pause)
            asked = True
            answer = mirror.get(number)
            if isinstance(answer, str):
                done.refused.append((number, answer))
            else:
                with replacing(folder / f"pg{number}.txt") as temporary:
                    temporary.write_bytes(answer)
                done.fetched.append(number)
        if progress is not None:
            progress(number)
    return done
