"""G7: a document is neither a refusal nor cut off."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

_SHOWN = 60
_OPENING = 300

# A model speaks of itself as one.
_DISCLAIMER = re.compile(
    r"\bas an? (?:ai|artificial intelligence|(?:large )?language model)(?: (?:language )?model"
    r"| assistant| system)?,? (?:i\b|i'm\b|my\b|it is not)"
    r"|\bi(?:'m| am) (?:only |just )?(?:an ai\b(?! \w+ (?:at|for|in)\b)(?: (?:language model"
    r"|assistant))?|an? (?:large )?language model|an artificial intelligence)"
    r"|\bmy (?:training data|knowledge cut-?off|content policy|safety guidelines)\b"
    r"|\bagainst my (?:guidelines|programming|content policy|policies)\b"
    r"|\bi (?:do not|don't) have (?:personal (?:experiences|opinions|feelings)"
    r"|(?:real-time|internet) access|access to (?:real-time|current) )"
    r"|\b(?:violates?|against) (?:the |our |my )?(?:content|usage|use) (?:policy|policies)\b",
    re.IGNORECASE,
)
_NOT = (
    r"(?:cannot|can't|can not|won't|will not|am unable to|'m unable to|am not able to"
    r"|'m not able to|must decline to|have to decline to|decline to)"
)
_TASK = (
    r"(?:request|prompt|instruction|task|specification|brief|content|material|output|document"
    r"|text|response|piece of writing|kind of (?:content|text|material))s?"
)
# The task is refused: looked for where the text begins, since in a story anyone may refuse.
_REFUSAL = re.compile(
    rf"\bi ?{_NOT} (?:\w+ly )?(?:help|assist|comply)\b(?: you)?(?: (?:with|on) (?:that|this|your"
    rf"|the)\b(?: \w+)? ?(?:{_TASK})?)?\s*(?:[.,!]|as\b|because\b|since\b|\Z)"
    rf"|\bi ?{_NOT} (?:\w+ly )?(?:fulfil|fulfill|provide|create|generate|write|produce|complete"
    rf"|continue|process|engage with|respond to|answer)\b[^.!?\n]{{0,40}}?\b(?:this|that|your|such"
    rf"|the requested|any)\b[^.!?\n]{{0,20}}?\b{_TASK}\b"
    rf"|\bi(?:'m| am) (?:really |very |so )?sorry,? but i ?{_NOT} (?:\w+ly )?(?:help|assist|comply"
    rf"|fulfil|fulfill|provide|create|generate|produce)\b"
    rf"|\b(?:sorry|unfortunately),? (?:but )?i ?{_NOT} (?:\w+ly )?(?:fulfil|fulfill|comply with"
    rf"|generate|create|write)\b[^.!?\n]{{0,30}}\b(?:that|this|{_TASK})\b",
    re.IGNORECASE,
)
# A text without any of these has neither; looking for plain words takes a fraction of the time.
_WORDS = (
    "an ai", "a ai", "artificial intelligence", "language model", "unable to", "not able to",
    "i cannot", "i can't", "i can not", "i won't", "i will not", "decline to", "training data",
    "knowledge cut", "guidelines", "programming", "polic", "personal", "access",
)  # fmt: skip

# Speech and speakers: what they say is not the model's word.
_QUOTED = re.compile(r'"[^"\n]{0,2000}"?|\u201c[^\u201d\n]{0,2000}\u201d?|\u2018[^\u2019\n]{0,400}')
_SPEAKER = re.compile(r"^[ \t>*_-]*(?:\[?[A-Z][\w .'\u2019-]{0,30}\]?)[*_]{0,2}:[^\n]*$", re.M)

_MARK = re.compile(
    r"\[\s*(?:truncated|cut ?off|continued|text (?:ends|cut|continues)|output (?:truncated|limit)"
    r"|response (?:truncated|cut)|remaining \w+ omitted|to be continued in next)[^\]\n]*\]",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"<\|[\w ]{1,40}\|>|</s>\s*\Z|\A\s*<s>|<(?:eos|bos|pad|unk|end_of_turn|start_of_turn)>"
    r"|\[/?INST\]|<\uff5c[^>\n]{1,40}\uff5c>"
)
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_OPEN_THOUGHT = re.compile(r"<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_ELLIPSIS = re.compile(r"(?:\.\.\.|\u2026)[*_ \t]*\Z")


def refusals(
    title: str,
    body: str,
    *,
    finish_reason: str | None = None,
    flags: Collection[str] = (),
) -> list[str]:
    """Find what shows that a document was refused or is not whole.

    Parameters
    ----------
    title, body : str
        The document.
    finish_reason : str or None
        Why the endpoint says that the text ends.
    flags : collection of str
        Of the answer.

    Returns
    -------
    list of str
        Each begins with `refusal:` or `truncation:`; none for a whole document.

    Examples
    --------
    >>> refusals("The tide", "It turned at noon.")
    []
    >>> refusals("A request", "I'm sorry, but I can't help with that.")
    ["refusal: I'm sorry, but I can't help"]
    >>> refusals("The ford", "It was late and", finish_reason="length")
    ['truncation: the allowance was used up']
    """
    return [*_refused(title, body, finish_reason, flags), *_cut(title, body, finish_reason)]


def _refused(
    title: str, body: str, finish_reason: str | None, flags: Collection[str]
) -> Iterator[str]:
    if "refusal" in flags:
        yield "refusal: the endpoint says so"
    if "filtered" in flags or finish_reason == "content_filter":
        yield "refusal: stopped by the endpoint's filter"
    plain = f"{title}\n\n{body}".replace("\u2019", "'")  # writers use either apostrophe
    folded = plain.casefold()
    if not any(word in folded for word in _WORDS):
        return
    own = _SPEAKER.sub(_blank, _QUOTED.sub(_blank, plain))
    found = [_DISCLAIMER.search(own), _REFUSAL.search(own[:_OPENING])]
    yield from (f"refusal: {match[0].strip()[:_SHOWN]}" for match in found if match)


def _cut(title: str, body: str, finish_reason: str | None) -> Iterator[str]:
    if finish_reason == "length":
        yield "truncation: the allowance was used up"
    text = f"{title}\n\n{body}"
    if not body.strip():
        yield "truncation: no text"
    found = [_MARK.search(text), _TOKEN.search(_CODE.sub(_blank, text) if "`" in text else text)]
    yield from (f"truncation: {match[0][:_SHOWN]}" for match in found if match)
    thought = _OPEN_THOUGHT.search(text)
    if thought and f"</{thought[1]}>".lower() not in text.lower():
        yield f"truncation: {thought[0]} without an end"
    if _ELLIPSIS.search(body.rstrip()):
        yield "truncation: ends with an ellipsis"


def _blank(match: re.Match[str]) -> str:
    """As many blanks as there were characters, so that places stay where they are."""
    return re.sub(r"[^\n]", " ", match[0])
