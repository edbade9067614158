"""Which characters the texts of a stranger's `run.json` may have.

Texts are shown as text wherever they are shown. This rule stands before that: a text that a
browser, a spreadsheet or a terminal could take for more than text never gets in.

- A *name* (every text and every key but those below) is plain ASCII: letters, digits, blanks and
  any of ``_ . - + : / @ , = ( ) [ ] ~ # %``, and `` > `` between blanks, as rerankers are named. It
  begins with a letter or a digit and has at most 300 characters (a model's name 200).
- A *sentence* (why a task was not done, how a date or a price is known) may have letters of any
  script, and ``' ; ! ? *`` besides, and `=` between letters and digits. It does not begin as a
  formula does.
- A *prompt* (what is put before a text, to the letter) may have line feeds, tabs, ``" | =`` and
  punctuation of other scripts besides, and ``<`` and ``>`` in the marks that models are trained
  with, such as ``<instruct>`` and ``</s>``.
- None of them has an address that a browser runs (`javascript:`, `vbscript:`, `data:text/`), nor
  an attribute that one runs (`onclick="`), nor `](`, which makes a link of a text in Markdown.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST_MODEL_NAME = 200
LONGEST_NAME = 300
LONGEST_SENTENCE = 2_000
LONGEST_PROMPT = 10_000

MARKS = frozenset(
    f"<{slash}{word}>"
    for slash in ("", "/")
    for word in (
        "instruct",
        "query",
        "document",
        "passage",
        "s",
        "bos",
        "eos",
        "pad",
        "unk",
        "mask",
    )
)
"""Marks in angle brackets that a prompt may have."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _.\-+:/@,=()\[\]~#%]*")
_ACTIVE = re.compile(
    r"""(?i)(javascript|vbscript)\s*:|data\s*:\s*text\s*/|\bon\w+\s*=\s*["']|\]\s*\("""
)
_IN_SENTENCES = frozenset(" _.-+:/@,()[]~#%';!?*")
_IN_PROMPTS = _IN_SENTENCES | frozenset('"|=\n\t')
_EQUALS = re.compile(r"(?<=\w)=(?=[\w.+-])")
_FORMULA = tuple("=+-@＝＋－＠")
_NOT_ACTIVE = "must not have a link or an address that a browser runs"


def fault_in_name(text: str, longest: int = LONGEST_NAME) -> str | None:
    """What keeps a text from being a name; None where nothing does.

    Examples
    --------
    >>> fault_in_name("bm25 > all-MiniLM-L6-v2, 500 queries") is None
    True
    >>> fault_in_name("<b>best</b>"), fault_in_name("=1+1")
    ("must begin with a letter or a digit, not '<'", "must begin with a letter or a digit, not '='")
    >>> fault_in_name("a<b")
    "must not have the character '<'"
    """
    if len(text) > longest:
        return f"must not have more than {longest} characters"
    if _ACTIVE.search(text):
        return _NOT_ACTIVE
    plain = text.replace(" > ", " ")
    if not plain or _NAME.fullmatch(plain):
        return None
    if not re.match("[A-Za-z0-9]", plain):
        return f"must begin with a letter or a digit, not {_shown(plain[0])}"
    return _without(next(own for own in plain[1:] if not _NAME.fullmatch(f"a{own}")))


def fault_in_sentence(text: str) -> str | None:
    r"""What keeps a text from being a sentence; None where nothing does.

    Examples
    --------
    >>> fault_in_sentence("no class has 20 documents with a 'geographic_region'") is None
    True
    >>> fault_in_sentence('" onclick="alert(1)')
    'must not have a link or an address that a browser runs'
    """
    fault = _fault_in_any(text, LONGEST_SENTENCE)
    if fault:
        return fault
    for own in _EQUALS.sub("", text):
        if own not in _IN_SENTENCES and not _is_letter(own):
            return _without(own)
    return None


def fault_in_prompt(text: str) -> str | None:
    r"""What keeps a text from being a prompt; None where nothing does.

    Examples
    --------
    >>> fault_in_prompt("<instruct>Find the \"same\" subject.\n<query>") is None
    True
    >>> fault_in_prompt("<script>alert(1)</script>")
    "must not have the character '<'"
    """
    fault = _fault_in_any(text, LONGEST_PROMPT)
    if fault:
        return fault
    for mark in MARKS:
        text = text.replace(mark, "")
    for own in text:
        foreign_mark = not own.isascii() and unicodedata.category(own).startswith("P")
        if own not in _IN_PROMPTS and not _is_letter(own) and not foreign_mark:
            return _without(own)
    return None


def _fault_in_any(text: str, most: int) -> str | None:
    """What keeps a text of that length from being one that is shown."""
    if len(text) > most:
        return f"must not have more than {most:,} characters"
    if text.lstrip().startswith(_FORMULA):
        return f"must not begin with {_shown(text.lstrip()[0])}"
    return _NOT_ACTIVE if _ACTIVE.search(text) else None


def _is_letter(character: str) -> bool:
    """Whether a character is a letter, an accent or a digit of any script."""
    return unicodedata.category(character)[0] in "LMN"


def _without(character: str) -> str:
    return f"must not have the character {_shown(character)}"


def _shown(character: str) -> str:
    """A character in quotes, or its number where it cannot be seen.

    Examples
    --------
    >>> _shown("<"), _shown(chr(0x202E))
    ("'<'", 'U+202E')
    """
    seen = character.isascii() and character.isprintable()
    return repr(character) if seen else f"U+{ord(character):04X}"
