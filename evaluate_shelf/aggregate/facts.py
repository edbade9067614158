"""Sizes, speed and costs of a model, from `run.json`."""

from __future__ import annotations

from evaluate_shelf.aggregate.schema.facts import Facts
from evaluate_shelf.bounded import one_line
from evaluate_shelf.runs.schema import RunFile, cut_texts


def facts_of(file: RunFile) -> Facts:
    """What a run says of its model besides scores.

    Parameters
    ----------
    file : RunFile
        Its `run.json`.

    Raises
    ------
    pydantic.ValidationError
        If a number is none or beyond its bounds.
    """
    model, rate, cut = file.model, file.rate, cut_texts(file.encodings())
    return Facts(
        kind=model.kind,
        parameters=model.parameters,
        dimension=model.dimension,
        max_tokens=model.max_tokens,
        documents_per_second=rate.documents_per_second if rate else None,
        rate_low=rate.low if rate else None,
        rate_high=rate.high if rate else None,
        machine=_machine(file) if rate else None,
        money_usd=file.money_usd,
        cut_share=cut.share if cut else None,
    )


def _machine(file: RunFile) -> str | None:
    """The machine that a rate was measured on, in words."""
    facts = file.hardware
    named = " ".join(str(facts[name]) for name in ("machine", "system") if name in facts)
    cores = f"{facts['cores']} cores" if "cores" in facts else ""
    memory = facts.get("memory_bytes")
    size = f"{memory / 2**30:.1f} GiB" if isinstance(memory, int) else ""
    threads = file.threads.get("encoder")
    used = f"{threads} threads" if threads else ""
    return one_line(", ".join(filter(None, (named, cores, size, used)))) or None
