"""A row of a piece: a document with its labels, its provenance and what the gates say of it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from builders.budget.reading import Written
from builders.gates.parse import document_of
from builders.gates.verdict import Origin, judged_as_ordered, origin_of
from builders.orders import Order
from builders.writers.derived_words import lexicon_for
from builders.writers.lexical import VERSION, LexicalWriter
from builders.writers.protocol import Provenance, WrittenDocument
from evaluate_shelf import __version__
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.registry.taxonomy_rows import Length, Register, SubjectClass

_STYLE = "lexical-writer/"
_NANO = 10**9


@dataclass(frozen=True)
class LexicalRows:
    """Writes the document of an order by rules.

    Attributes
    ----------
    seed : int
        Of the writing.
    taxonomy : pathlib.Path or None
        Folder of the taxonomy; None for the one of the installation.
    """

    seed: int
    taxonomy: Path | None = None

    def __call__(self, order: Order) -> dict[str, Any]:
        """The row of an order, with the columns of `piece_schema`."""
        writer = _writer(order.generator.removeprefix(_STYLE), self.taxonomy)
        document = writer.write(order.spec, self.seed)
        return row_of(
            order,
            document,
            run_id=f"seed{self.seed}",
            code_version=f"lexical-{VERSION}",
            taxonomy=self.taxonomy,
        )


@dataclass(frozen=True)
class AnswerRows:
    """Makes the row of an answer.

    Attributes
    ----------
    seed : int
        Of the orders.
    taxonomy : pathlib.Path or None
        Folder of the taxonomy; None for the one of the installation.
    """

    seed: int
    taxonomy: Path | None = None

    def __call__(self, written: Written) -> dict[str, Any]:
        """The row of an answer, with the columns of `piece_schema`.

        `temperature` and `top_p` are those that were really sent; null where the model takes none.
        """
        order, answer, nano_usd = written
        title, body = document_of(answer.text)
        usage = answer.usage
        provenance = Provenance(
            model=order.generator,
            model_resolved=answer.model_resolved,
            provider=answer.provider,
            provider_served=answer.provider_served,
            prompt=order.prompt.text if order.prompt else None,
            prompt_variant_id=order.prompt.variant_id if order.prompt else None,
            temperature=_number(answer.sent, "temperature"),
            top_p=_number(answer.sent, "top_p"),
            input_tokens=usage.input_tokens if usage else None,
            output_tokens=usage.output_tokens if usage else None,
            reasoning_tokens=usage.reasoning_tokens if usage else None,
            cost_usd=nano_usd / _NANO,
        )
        return row_of(
            order,
            WrittenDocument(title, body, provenance),
            run_id=f"seed{self.seed}",
            code_version=f"shelf-{__version__}",
            taxonomy=self.taxonomy,
            origin=origin_of(answer),
        )


def row_of(
    order: Order,
    document: WrittenDocument,
    *,
    run_id: str,
    code_version: str,
    taxonomy: Path | None = None,
    origin: Origin | None = None,
) -> dict[str, Any]:
    """The row of a written document, with the columns of `piece_schema`.

    Parameters
    ----------
    order : Order
        What was to be written.
    document : WrittenDocument
        What was.
    run_id, code_version : str
        Which writing it is of, and by what code.
    taxonomy : pathlib.Path, default=None
        Folder of the taxonomy that the order is from; None for the one of the installation.
    origin : Origin, default=None
        What an endpoint says of it.

    Returns
    -------
    dict
        `qc_near_dup` is null until the whole corpus has been compared.
    """
    spec, known = order.spec, _known(taxonomy)
    length = known.lengths[spec.target_length]
    verdict, found = judged_as_ordered(document.title, document.body, spec, length, origin)
    return {
        "id": order.id,
        "slice": order.slice,
        "text": document.body,
        "title": document.title,
        "body": document.body,
        "word_count": len(document.body.split()),
        "lcc_code": spec.lcc_code,
        "lcc_name": spec.lcc_name,
        "lcc_uri": known.classes[spec.lcc_code].uri,
        "lcgft_category": spec.lcgft_category,
        "lcgft_form": spec.lcgft_form,
        "topics": list(spec.topics),
        "audience": spec.audience,
        "geographic": list(spec.geographic),
        "target_length": spec.target_length,
        "target_word_range": [length.min_words, length.max_words],
        "register": spec.register,
        "register_description": known.registers[spec.register].description,
        **asdict(document.provenance),
        "spec_id": spec.spec_id,
        "block_id": spec.block_id,
        "run_id": run_id,
        # Null, since the same inputs have to give the same rows from any checkout; the manifest
        # names the versions that built the release.
        "git_commit": None,
        "git_dirty": None,
        "git_branch": None,
        "code_version": code_version,
        "pair_id": order.pair_id,
        "pair_role": order.pair_role,
        "pair_axis": order.pair_axis,
        "thinking_budget": -1,
        "token_multiplier": 1.0,
        **verdict._asdict(),
        "qc_found": list(found),
    }


class _Known(NamedTuple):
    lengths: dict[str, Length]
    registers: dict[str, Register]
    classes: dict[str, SubjectClass]


@functools.cache
def _known(folder: Path | None) -> _Known:
    taxonomy = load_taxonomy(folder)
    return _Known(
        {length.id: length for length in taxonomy.lengths},
        {register.id: register for register in taxonomy.registers},
        {subject.code: subject for subject in taxonomy.classes},
    )


@functools.cache
def _writer(style: str, folder: Path | None) -> LexicalWriter:
    taxonomy = load_taxonomy(folder)
    lexicon = lexicon_for(taxonomy)
    return LexicalWriter(style, lexicon.styles[style], lexicon, taxonomy)


def _number(sent: Mapping[str, Any], name: str) -> float | None:
    value = sent.get(name)
    return float(value) if isinstance(value, int | float) else None
