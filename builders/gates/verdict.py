"""All gates over one document: the recorded columns and the verdict."""

from __future__ import annotations

from typing import NamedTuple

from builders.gates.length import length_delta, length_passes
from builders.gates.parse import is_parsed
from builders.gates.refusal import is_complete
from builders.gates.self_label import self_labels
from builders.specifications import Specification
from builders.writers.protocol import WrittenDocument
from evaluate_shelf.registry.taxonomy_rows import Length


class Verdict(NamedTuple):
    """What the gates found; the names are those of the columns.

    `qc_selflabel`, `qc_parse` and `qc_refusal` are true where the document passes.
    """

    qc_parse: bool
    qc_length_delta: int
    qc_selflabel: bool
    qc_refusal: bool
    qc_passed: bool


def judge(document: WrittenDocument, spec: Specification, length: Length) -> Verdict:
    """Put a document through gates G1 (parse), G3 (length), G4 (self-label) and G7 (refusal).

    Parameters
    ----------
    document : WrittenDocument
        What was written.
    spec : Specification
        Its category, form and class name must not stand in it as labels.
    length : Length
        The range that was asked for.

    Returns
    -------
    Verdict
        `qc_passed` is true where every gate passes.
    """
    parsed = is_parsed(document.title, document.body)
    delta = length_delta(len(document.body.split()), length.min_words, length.max_words)
    labels = [spec.lcgft_category, spec.lcgft_form, spec.lcc_name]
    unlabelled = not self_labels(f"{document.title}\n\n{document.body}", labels)
    complete = is_complete(document.body)
    fits = length_passes(delta, length.min_words, length.max_words)
    passed = parsed and fits and unlabelled and complete
    return Verdict(parsed, delta, unlabelled, complete, passed)
