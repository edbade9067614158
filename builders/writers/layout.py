"""How sentences are set out on the page in each output format."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from builders.draws import Draws

_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

Sentences = Sequence[str]
Layout = Callable[[Sentences, Sequence[str], Draws], str]


def words_of(text: str) -> int:
    """Number of words between white space."""
    return len(text.split())


def layout(
    output_format: str,
    sentences: Sentences,
    headings: Sequence[str],
    draws: Draws,
    *,
    max_words: int,
) -> str:
    """Set sentences out in a format.

    Parameters
    ----------
    output_format : str
        One of the taxonomy's output formats.
    sentences : sequence of str
        In the order in which they are read.
    headings : sequence of str
        Used one after the other by formats that have headings.
    draws : Draws
        Decides lengths of paragraphs and the like.
    max_words : int
        Marks such as headings and speakers are left out where they would pass it.

    Returns
    -------
    str
        The body.
    """
    body = LAYOUTS[output_format](sentences, headings, draws)
    return body if words_of(body) <= max_words else " ".join(sentences)


def _paragraphs(sentences: Sentences, draws: Draws, least: int = 3, most: int = 6) -> list[str]:
    return [" ".join(group) for group in _groups(sentences, draws, least, most)]


def _groups(sentences: Sentences, draws: Draws, least: int, most: int) -> list[Sentences]:
    groups = []
    start = 0
    while start < len(sentences):
        size = draws.between(least, most)
        groups.append(sentences[start : start + size])
        start += size
    return groups


def _plain_prose(sentences: Sentences, headings: Sequence[str], draws: Draws) -> str:
    return "\n\n".join(_paragraphs(sentences, draws))


def _verse(sentences: Sentences, headings: Sequence[str], draws: Draws) -> str:
    return "\n\n".join("\n".join(stanza) for stanza in _groups(sentences, draws, 3, 5))


def _structured_markdown(sentences: Sentences, headings: Sequence[str], draws: Draws) -> str:
    if len(sentences) < 6:
        return _plain_prose(sentences, headings, draws)
    parts = []
    for number, section in enumerate(_groups(sentences, draws, 5, 10)):
        parts.append(f"## {headings[number % len(headings)]}")
        prose, points = section[:-3], section[-3:]
        if len(section) < 5 or draws.happens(0.5):
            parts.append(" ".join(section))
        else:
            parts.extend([" ".join(prose), "\n".join(f"- {point}" for point in points)])
    return "\n\n".join(parts)


def _legal_style(sentences: Sentences, headings: Sequence[str], draws: Draws) -> str:
    clauses = []
    for article, group in enumerate(_groups(sentences, draws, 2, 4), start=1):
        clauses.extend(
            f"{article}.{number} {sentence}" for number, sentence in enumerate(group, start=1)
        )
    return "\n\n".join(clauses)


def _letter_style(sentences: Sentences, headings: Sequence[str], draws: Draws) -> str:
    greeting = draws.choice(["Dear friend,", "Dear colleague,", "My dear Anna,", "Dear all,"])
    farewell = draws.choice(["Yours sincerely,", "With kind regards,", "Ever yours,"])
    return "\n\n".join([greeting, *_paragraphs(sentences, draws), farewell])


def _transcript_style(sentences: Sentences, headings: Sequence[str], draws: Draws) -> str:
    speakers = draws.choice([("HOST", "GUEST"), ("Q", "A"), ("FIRST VOICE", "SECOND VOICE")])
    turns = [
        f"{speakers[number % 2]}: {' '.join(turn)}"
        for number, turn in enumerate(_groups(sentences, draws, 1, 3))
    ]
    return "\n\n".join(turns)


def _diary_style(sentences: Sentences, headings: Sequence[str], draws: Draws) -> str:
    month, day = draws.integer(12), draws.between(1, 9)
    entries = []
    for entry in _paragraphs(sentences, draws, 3, 7):
        entries.append(f"{day} {_MONTHS[month]}. {entry}")
        day = min(day + draws.between(1, 4), 28)
    return "\n\n".join(entries)


def _list_style(sentences: Sentences, headings: Sequence[str], draws: Draws) -> str:
    blocks = []
    for number, group in enumerate(_groups(sentences, draws, 4, 8)):
        items = [f"- {sentence}" for sentence in group]
        if len(sentences) >= 8:
            items.insert(0, headings[number % len(headings)])
        blocks.append("\n".join(items))
    return "\n\n".join(blocks)


def _caption_style(sentences: Sentences, headings: Sequence[str], draws: Draws) -> str:
    return "\n\n".join(
        f"{number}. {' '.join(group)}"
        for number, group in enumerate(_groups(sentences, draws, 1, 3), start=1)
    )


LAYOUTS: dict[str, Layout] = {
    "plain_prose": _plain_prose,
    "verse": _verse,
    "structured_markdown": _structured_markdown,
    "legal_style": _legal_style,
    "letter_style": _letter_style,
    "transcript_style": _transcript_style,
    "diary_style": _diary_style,
    "list_style": _list_style,
    "caption_style": _caption_style,
}
