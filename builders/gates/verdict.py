"""All gates over one document: the recorded columns and the verdict."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from builders.gates.labels import OwnLabels
from builders.gates.language import english_probability, language_passes
from builders.gates.length import length_delta, length_passes
from builders.gates.parse import is_parsed
from builders.gates.readable import readable
from builders.gates.refusal import refusals
from builders.gates.self_label import self_labels
from builders.gates.table import UNSEEN
from builders.gates.topic_coverage import topic_coverage
from builders.specifications import Specification
from builders.writers.protocol import Answer, WrittenDocument
from evaluate_shelf.registry.taxonomy_rows import Length

VERSION = "3"
"""Of the gates: pieces that others judged are judged again."""


class Verdict(NamedTuple):
    """What the gates found; the names are those of the columns.

    Attributes
    ----------
    qc_parse : bool
        G1, whether title and body are there.
    qc_language : bool
        G2, whether the text may be English.
    qc_english : float
        Probability that it is.
    qc_length_delta : int or None
        G3, words above or, negative, below the range that was asked for; None if none was.
    qc_selflabel : bool
        G4, whether it presents none of its labels.
    qc_topic_coverage : float
        G5, the share of its topics that it speaks of.
    qc_near_dup : float or None
        G6, similarity to an earlier document; None until the whole corpus has been compared.
    qc_refusal : bool
        G7, whether it is neither refused nor cut off.
    qc_served : bool
        Whether the model that was asked wrote it.
    qc_passed : bool or None
        Whether every gate that was put is passed; None where the length is unknown and the others
        are passed.
    """

    qc_parse: bool
    qc_language: bool
    qc_english: float
    qc_length_delta: int | None
    qc_selflabel: bool
    qc_topic_coverage: float
    qc_near_dup: float | None
    qc_refusal: bool
    qc_served: bool
    qc_passed: bool | None


class Judged(NamedTuple):
    """A verdict, and the places in the text that G4 and G7 stumbled over.

    `found` also says how many characters were taken out of the answer that nobody sees.
    """

    verdict: Verdict
    found: tuple[str, ...]


class Origin(NamedTuple):
    """What is known of an answer: why it ends, its flags, and how much was taken out of it.

    `removed` are characters that nobody sees, which `document_of` has left out.
    """

    finish_reason: str | None = None
    flags: Collection[str] = ()
    removed: int = 0


def judge(
    document: WrittenDocument, spec: Specification, length: Length, origin: Origin | None = None
) -> Verdict:
    """Put a written document through all gates but G6, which needs the whole corpus.

    Parameters
    ----------
    document : WrittenDocument
        What was written.
    spec : Specification
        Its labels must not stand in it as such.
    length : Length
        The range that was asked for.
    origin : Origin, default=None
        Where it came from, if an endpoint gave it.

    Returns
    -------
    Verdict
        `qc_passed` is true where every gate passes.
    """
    return judged_as_ordered(document.title, document.body, spec, length, origin).verdict


def judged_as_ordered(
    title: str, body: str, spec: Specification, length: Length, origin: Origin | None = None
) -> Judged:
    """As `judge`, of a text alone, and with the places that the gates stumbled over."""
    wanted = (length.min_words, length.max_words)
    return judged(title, body, labels_of(spec), spec.topics, wanted, origin or Origin())


def origin_of(answer: Answer) -> Origin:
    """What is known of an endpoint's answer, whose text `document_of` takes apart."""
    return Origin(answer.finish_reason, answer.flags, readable(answer.text).removed)


def judged(
    title: str,
    body: str,
    labels: OwnLabels,
    topics: Collection[str],
    wanted: tuple[int, int] | None,
    origin: Origin,
) -> Judged:
    """Put any document through all gates but G6.

    Parameters
    ----------
    title, body : str
        The document.
    labels : OwnLabels
        Its own.
    topics : collection of str
        That were asked for.
    wanted : tuple of int and int or None
        The fewest and the most words that were asked for; None where that is not known.
    origin : Origin
        What the endpoint says of it.

    Returns
    -------
    Judged
    """
    words = len(body.split())
    english = english_probability(body)
    delta = fits = None
    if wanted is not None:
        delta = length_delta(words, *wanted)
        fits = length_passes(delta, *wanted)
    presented = self_labels(title, body, labels)
    refused = refusals(title, body, finish_reason=origin.finish_reason, flags=origin.flags)
    verdict = Verdict(
        qc_parse=is_parsed(title, body),
        qc_language=language_passes(body, english),
        qc_english=english,
        qc_length_delta=delta,
        qc_selflabel=not presented,
        qc_topic_coverage=topic_coverage(f"{title}\n\n{body}", list(topics)),
        qc_near_dup=None,
        qc_refusal=not refused,
        qc_served="served" not in origin.flags,
        qc_passed=None,
    )
    others = (
        verdict.qc_parse
        and verdict.qc_language
        and verdict.qc_selflabel
        and verdict.qc_refusal
        and verdict.qc_served
    )
    removed = [f"{UNSEEN} {origin.removed}"] if origin.removed else []
    found = (*(f"label: {own}" for own in presented), *refused, *removed)
    return Judged(verdict._replace(qc_passed=others and fits), found)


def labels_of(spec: Specification) -> OwnLabels:
    """The labels of a specification that its document must not present."""
    audience = () if spec.audience is None else (spec.audience,)
    return OwnLabels(
        kinds=(spec.lcgft_category, spec.lcgft_form),
        subjects=(spec.lcc_name,),
        code=spec.lcc_code,
        others=(*spec.topics, *audience, spec.register),
    )
