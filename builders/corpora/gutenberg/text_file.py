"""Find the plain text of a work and read it, whatever its encoding."""

from __future__ import annotations

import codecs
import re
import unicodedata
from pathlib import Path

from builders.corpora.inflate import read_bytes
from evaluate_shelf.errors import ShelfError

_LIMIT = 32 * 2**20
# UTF-8 first, because the other encodings of the same book lose letters.
_NAMES = ("{}-0.txt", "pg{}.txt", "{}-8.txt", "{}.txt")
_UNDEFINED = frozenset(b"\x81\x8d\x8f\x90\x9d")
_WINDOWS_1252 = "".join(
    chr(byte) if byte in _UNDEFINED else bytes([byte]).decode("cp1252") for byte in range(256)
)
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
# English in UTF-16 is half NUL bytes; a stray one in an old text is only dropped.
_NUL_SHARE = 0.05
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def find_text(folder: Path, number: int) -> Path | None:
    """Find the text file of a work.

    Parameters
    ----------
    folder : pathlib.Path
        Where the texts lie, directly or in a folder named by the number.
    number : int
        Project Gutenberg's number.

    Returns
    -------
    pathlib.Path or None
        The best of `<n>-0.txt`, `pg<n>.txt`, `<n>-8.txt` and `<n>.txt`, each plain or with
        `.gz`; None if there is none.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "12.txt").write_text("plain")
    >>> _ = (folder / "12-0.txt").write_text("UTF-8")
    >>> find_text(folder, 12).name
    '12-0.txt'
    >>> find_text(folder, 13) is None
    True
    """
    for name in _NAMES:
        for place in (folder, folder / str(number)):
            for ending in ("", ".gz"):
                path = place / (name.format(number) + ending)
                if path.is_file():
                    return path
    return None


def read_text(path: Path) -> str:
    r"""Read a text file as Unicode.

    Parameters
    ----------
    path : pathlib.Path
        Plain or gzip. UTF-8 is tried first, then Windows-1252, which holds all that ISO-8859-1
        prose holds.

    Returns
    -------
    str
        In NFC, with `\n` as line end and no control character but `\n` and `\t`.

    Raises
    ------
    ShelfError
        The file is damaged, too large, empty, or in UTF-16 or UTF-32.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "12-8.txt"
    >>> _ = path.write_bytes("Jókai\r\n".encode("latin-1"))
    >>> read_text(path)
    'Jókai\n'
    """
    data = read_bytes(path, limit=_LIMIT)
    if data.startswith(_WIDE_MARKS) or data.count(0) > _NUL_SHARE * len(data):
        raise ShelfError(f"{path}: is in UTF-16 or UTF-32; convert it to UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text, _ = codecs.charmap_decode(data, "strict", _WINDOWS_1252)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    text = unicodedata.normalize("NFC", _CONTROLS.sub("", text))
    if not text.strip():
        raise ShelfError(f"{path}: is empty; fetch the file again or take it out of the folder")
    return text
