"""The labelled cases of each gate, and what the gate says of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import Field

from builders.gates.labels import OwnLabels
from builders.gates.language import english_probability, language_passes
from builders.gates.length import length_delta, length_passes
from builders.gates.near_duplicate import NEAR_DUPLICATE, nearest_earlier, table_of
from builders.gates.parse import document_of, is_parsed
from builders.gates.refusal import refusals
from builders.gates.self_label import self_labels
from builders.gates.topic_coverage import covers
from builders.quality.stream import batches_of
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.lookup import found
from evaluate_shelf.registry.strict_yaml import Name, Row, Text, read_yaml, validated_rows, wrong
from evaluate_shelf.registry.taxonomy import load_taxonomy

_FOLDER = Path(__file__).parent
_STYLES: Mapping[str, Callable[[list[str]], str]] = {
    "plain": " ".join,
    "upper": lambda words: " ".join(words).upper(),
    "lines": "\n".join,
    "blanks": "  ".join,
    "reversed": lambda words: " ".join(reversed(words)),
    "sorted": lambda words: " ".join(sorted(words)),
}


class Outcome(NamedTuple):
    """A case and what its gate made of it.

    Attributes
    ----------
    id : str
        Of the case.
    is_hard : bool
        Whether it passes and looks as if it should not.
    passes, gate_passes : bool
        What is right, and what the gate says.
    """

    id: str
    is_hard: bool
    passes: bool
    gate_passes: bool


class Case(Row):
    """What every case has.

    Attributes
    ----------
    id : str
    passes : bool
        Whether the gate should let it pass.
    hard : bool
        Whether it passes and looks as if it should not.
    note : str
        What is peculiar about it.
    """

    id: Name
    passes: bool
    hard: bool = False
    note: Text = "none"

    def gate_passes(self) -> bool:
        """What the gate says."""
        raise NotImplementedError


class ParseCase(Case):
    """An answer; `title` is the one that has to be found in it."""

    text: str
    title: str | None = None

    def gate_passes(self) -> bool:
        """Whether title and body are found, and the title is the right one."""
        title, body = document_of(self.text)
        return is_parsed(title, body) and title == (self.title if self.passes else title)


class LanguageCase(Case):
    """A text, perhaps repeated, and what follows it."""

    text: str
    times: int = Field(default=1, ge=1, le=100)
    then: str = ""
    then_times: int = Field(default=1, ge=1, le=100)

    def gate_passes(self) -> bool:
        """Whether it may be English."""
        text = self.text * self.times + self.then * self.then_times
        return language_passes(text, english_probability(text))


class LengthCase(Case):
    """A number of words and the length that was asked for."""

    words: int = Field(ge=0)
    length: Name

    def gate_passes(self) -> bool:
        """Whether it is near enough to the range."""
        own = found({row.id: row for row in load_taxonomy().lengths}, self.length, "length")
        delta = length_delta(self.words, own.min_words, own.max_words)
        return length_passes(delta, own.min_words, own.max_words)


class _Labels(Row):
    category: Text
    form: Text
    class_name: Text
    code: Text
    others: tuple[Text, ...] = ()


class SelfLabelCase(Case):
    """A document and its labels."""

    labels: _Labels
    title: str
    body: str

    def gate_passes(self) -> bool:
        """Whether it presents none of them."""
        own = self.labels
        labels = OwnLabels((own.category, own.form), (own.class_name,), own.code, own.others)
        return not self_labels(self.title, self.body, labels)


class TopicCoverageCase(Case):
    """A text and a topic."""

    text: str
    topic: Text

    def gate_passes(self) -> bool:
        """Whether the text is found to speak of it."""
        return covers(self.text.casefold(), self.topic)


class NearDuplicateCase(Case):
    """A text of `near_duplicate_texts.yaml` and what is made of it, or another one of them."""

    text: Name
    second: Name | None = None
    changes: tuple[tuple[str, str], ...] = ()
    keep_first: int | None = Field(default=None, ge=1)
    keep_last: int | None = Field(default=None, ge=1)
    without_last: int = Field(default=0, ge=0)
    before: str = ""
    adds: str = ""
    adds_text: Name | None = None
    style: Literal["plain", "upper", "lines", "blanks", "reversed", "sorted"] = "plain"

    def gate_passes(self) -> bool:
        """Whether the second text is found to be one of its own."""
        texts = [_base(self.text), self.changed()]
        nearest = nearest_earlier(self.id, batches_of(table_of(["a", "b"], texts)))
        return bool(nearest.similarity[1] < NEAR_DUPLICATE)

    def changed(self) -> str:
        """The second text."""
        text = _base(self.second or self.text)
        for old, new in self.changes:
            if old not in text:
                raise ShelfError(f"near_duplicate.yaml, row {self.id!r}: no {old!r} in the text")
            text = text.replace(old, new, 1)
        words = text.split()[: self.keep_first]
        words = words[-self.keep_last :] if self.keep_last else words
        words = words[: len(words) - self.without_last]
        added = [self.adds, _base(self.adds_text) if self.adds_text else ""]
        whole = [*self.before.split(), *words, *" ".join(added).split()]
        return _STYLES[self.style](whole)


class RefusalCase(Case):
    """A document and what the endpoint says of it."""

    title: str
    body: str
    finish_reason: Text | None = None
    flags: tuple[Text, ...] = ()

    def gate_passes(self) -> bool:
        """Whether it is found whole."""
        return not refusals(
            self.title, self.body, finish_reason=self.finish_reason, flags=self.flags
        )


CASES: dict[str, type[Case]] = {
    "parse": ParseCase,
    "language": LanguageCase,
    "length": LengthCase,
    "self_label": SelfLabelCase,
    "topic_coverage": TopicCoverageCase,
    "near_duplicate": NearDuplicateCase,
    "refusal": RefusalCase,
}
"""By gate, in the order G1 to G7."""


def outcomes(gate: str) -> list[Outcome]:
    """What a gate says of its cases, in the order of their file.

    Raises
    ------
    ShelfError
        If there is no such gate, or a case is wrong; the message names file, row and field.

    Examples
    --------
    >>> outcomes("length")[0]
    Outcome(id='micro-9-under', is_hard=False, passes=False, gate_passes=False)
    """
    model = found(CASES, gate, "gate")
    file = _FOLDER / f"{gate}.yaml"
    rows = validated_rows(model, read_yaml(file), file)
    for row in rows:
        if row.hard and not row.passes:
            raise wrong(file, row.id, "hard", "a hard negative has to pass")
    return [Outcome(row.id, row.hard, row.passes, row.gate_passes()) for row in rows]


def _base(name: str) -> str:
    texts = read_yaml(_FOLDER / "near_duplicate_texts.yaml")
    return str(found(texts, name, "text"))
