"""What every writer gives: a document, and where it came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from builders.specifications import Specification


@dataclass(frozen=True)
class Provenance:
    """Who wrote a document, with what settings and at what cost; None where nothing applies.

    Attributes
    ----------
    model, model_resolved : str
        The writer as asked for, and as it answered, with its version.
    provider, provider_served : str
        Who was asked, and who served the call.
    """

    model: str
    model_resolved: str
    provider: str
    provider_served: str
    prompt: str | None = None
    prompt_variant_id: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float = 0.0


@dataclass(frozen=True)
class WrittenDocument:
    """A title, a body and their provenance."""

    title: str
    body: str
    provenance: Provenance


class Writer(Protocol):
    """Turns a specification into a document.

    Attributes
    ----------
    model : str
        The name that goes into every row's `model`.
    """

    model: str

    def write(self, spec: Specification, seed: int) -> WrittenDocument:
        """Write a document; the same specification and seed give the same document."""
