"""A model that is identified but not loaded."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.protocol import ModelFacts, ModelIdentity
from evaluate_shelf.models.reductions import PRECISIONS, Reduction
from evaluate_shelf.models.spec import REDUCING, Spec

Condition = Literal["max_tokens", "prompts"]
"""A protocol's field that not every model can be given."""

CONDITIONS: tuple[Condition, ...] = get_args(Condition)


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
    takes : collection of {'max_tokens', 'prompts'}
        Conditions of a protocol that change what it gives.
    """

    identity: ModelIdentity
    load: Callable[[], Any]
    reduce: Reduction | None = None
    base: ModelIdentity | None = None
    takes: Collection[Condition] = ()

    @property
    def base_identity(self) -> ModelIdentity:
        """The identity that stored vectors are kept under: several rows of a model share them."""
        return self.base or self.identity


def facts_of(model: Any) -> ModelFacts:
    """What a loaded model says of its size; nothing where it says nothing."""
    try:
        facts = getattr(model, "facts", None)
    except Exception:  # what a model says of itself is no reason to lose its scores
        facts = None
    return facts if isinstance(facts, ModelFacts) else ModelFacts()


def reducible(
    base: ModelIdentity,
    spec: Spec,
    load: Callable[[], Any],
    *,
    takes: Collection[Condition] = (),
    dimension: int | None = None,
) -> NamedModel:
    """A model with dense vectors, with the reduction that its string asks for.

    Parameters
    ----------
    base : ModelIdentity
        Of the model without `dim` and `precision`.
    spec : Spec
        May have those options.
    load : callable
        Gives the model that `base` identifies.
    takes : collection of {'max_tokens', 'prompts'}, default=()
        As for `NamedModel`.
    dimension : int, default=None
        Of its vectors, where it is known before the model is loaded.

    Returns
    -------
    NamedModel
        With a name as `all-MiniLM-L6-v2, dim 128, int8`. Its loading raises where the model turns
        out to have fewer dimensions than are to be kept, before anything is encoded.

    Raises
    ------
    ShelfError
        If a value of an option is unknown, or there are not so many dimensions.
    """
    reduction = Reduction(
        spec.number("dim"), spec.choice("precision", PRECISIONS) or Reduction.precision
    )
    if reduction == Reduction():
        return NamedModel(base, load, takes=takes)
    _refuse_more_than(dimension, reduction, f"model {spec.text!r}: ")
    name, settings = base.name, dict(base.settings)
    if reduction.dim is not None:
        name += f", dim {reduction.dim}"
        settings["dim"] = reduction.dim
    if reduction.precision != "float32":
        name += f", {reduction.precision}"
        settings["precision"] = reduction.precision
    identity = replace(base, name=name, spec=spec.text, settings=settings)

    def checked() -> Any:
        model = load()
        _refuse_more_than(facts_of(model).dimension, reduction)
        return model

    return NamedModel(identity, checked, reduction, base, takes)


def _refuse_more_than(dimension: int | None, reduction: Reduction, place: str = "") -> None:
    if dimension is not None and reduction.dim is not None and reduction.dim > dimension:
        raise ShelfError(
            f"{place}dim={reduction.dim}: its vectors have {dimension} dimensions; take at most "
            f"{dimension}"
        )


def base_spec(spec: Spec) -> str:
    """The string that names the model without its reduction.

    Examples
    --------
    >>> base_spec(Spec("st:minilm", {"dim": "128", "pooling": "cls"}))
    'st:minilm,pooling=cls'
    """
    return spec.without(REDUCING).text
