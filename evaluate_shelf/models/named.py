"""A model that is identified but not loaded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from evaluate_shelf.models.protocol import ModelIdentity
from evaluate_shelf.models.reductions import PRECISIONS, Reduction
from evaluate_shelf.models.spec import REDUCING, Spec


@dataclass(frozen=True)
class NamedModel:
    """A model that is identified but not loaded.

    Attributes
    ----------
    identity : ModelIdentity
        Known without the weights; its settings and its name hold all options.
    load : callable
        Gives the object that implements the protocol. Its vectors are not yet reduced.
    reduce : Reduction or None
        What is done to its vectors: a callable from vectors to vectors.
    base : ModelIdentity or None
        Identity without the reduction, where there is one.
    """

    identity: ModelIdentity
    load: Callable[[], Any]
    reduce: Reduction | None = None
    base: ModelIdentity | None = None

    @property
    def base_identity(self) -> ModelIdentity:
        """The identity that stored vectors are kept under: several rows of a model share them."""
        return self.base or self.identity


def reducible(base: ModelIdentity, spec: Spec, load: Callable[[], Any]) -> NamedModel:
    """A model with dense vectors, with the reduction that its string asks for.

    Parameters
    ----------
    base : ModelIdentity
        Of the model without `dim` and `precision`.
    spec : Spec
        May have those options.
    load : callable
        Gives the model that `base` identifies.

    Returns
    -------
    NamedModel
        With a name as `all-MiniLM-L6-v2, dim 128, int8`.

    Raises
    ------
    ShelfError
        If a value of an option is unknown.
    """
    reduction = Reduction(
        spec.number("dim"), spec.choice("precision", PRECISIONS) or Reduction.precision
    )
    if reduction == Reduction():
        return NamedModel(base, load)
    name, settings = base.name, dict(base.settings)
    if reduction.dim is not None:
        name += f", dim {reduction.dim}"
        settings["dim"] = reduction.dim
    if reduction.precision != "float32":
        name += f", {reduction.precision}"
        settings["precision"] = reduction.precision
    identity = replace(base, name=name, spec=spec.text, settings=settings)
    return NamedModel(identity, load, reduction, base)


def base_spec(spec: Spec) -> str:
    """The string that names the model without its reduction.

    Examples
    --------
    >>> base_spec(Spec("st:minilm", {"dim": "128", "pooling": "cls"}))
    'st:minilm,pooling=cls'
    """
    return spec.without(REDUCING).text
