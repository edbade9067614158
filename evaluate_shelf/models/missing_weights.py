"""Weights that a model needs and its files do not hold.

transformers fills them with random numbers and warns; what comes of them is no outcome of the
model.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from evaluate_shelf.errors import ShelfError

_MOST_NAMED = 3
# One text does not pass through all experts of a mixture.
_EXPERTS = ".experts."
_PATCHED = threading.Lock()


class Loaded(NamedTuple):
    """A model of transformers, and the names of its weights that were not in its files."""

    model: Any
    missing: frozenset[str]


@contextmanager
def loading_seen() -> Iterator[list[Loaded]]:
    """Note what transformers could not load, whoever has it load a model inside the block.

    sentence-transformers does not pass on what transformers tells about loading.
    """
    from transformers import PreTrainedModel

    patched: Any = PreTrainedModel
    with _PATCHED:
        own = patched.__dict__["from_pretrained"]
        seen: list[Loaded] = []

        def from_pretrained(cls: type, *args: Any, **settings: Any) -> Any:
            wants_account = settings.pop("output_loading_info", False)
            model, account = own.__func__(cls, *args, **settings, output_loading_info=True)
            seen.append(Loaded(model, _missing(account)))
            return (model, account) if wants_account else model

        patched.from_pretrained = classmethod(from_pretrained)
        try:
            yield seen
        finally:
            patched.from_pretrained = own


def check_weights(place: str, loaded: Collection[Loaded], output: Callable[[], Any] | None) -> None:
    """Refuse a model some of whose weights are random numbers.

    Parameters
    ----------
    place : str
        The model, for the message.
    loaded : collection of Loaded
        As `loading_seen` gave it.
    output : callable or None
        Gives a tensor that the model made of some text, by which is told which weights are used:
        many checkpoints of BERT lack a pooler that nothing asks for. None where all are.

    Raises
    ------
    ShelfError
        If a weight is missing, or has another shape in its file, that the output depends on.
    """
    missing = [(own.model, name) for own in loaded for name in sorted(own.missing)]
    if not missing:
        return
    used = _used(missing, output) if output else [name for _, name in missing]
    if used:
        named = ", ".join(used[:_MOST_NAMED]) + (", ..." if len(used) > _MOST_NAMED else "")
        raise ShelfError(
            f"{place}: its files lack {len(used)} of the weights that it needs, or hold them in "
            f"another shape: {named}"
        )


def _missing(account: Mapping[str, Any]) -> frozenset[str]:
    # Of weights of another shape transformers tells the name and both shapes.
    shapes = (own if isinstance(own, str) else own[0] for own in account["mismatched_keys"])
    return frozenset(account["missing_keys"]) | frozenset(shapes)


def _used(missing: Collection[tuple[Any, str]], output: Callable[[], Any]) -> list[str]:
    """Those of the missing weights that the output depends on."""
    import torch

    found = [(name, dict(model.named_parameters()).get(name)) for model, name in missing]
    # Of the others no gradient tells, so that they count as used.
    followed = [own for _, own in found if own is not None and own.is_floating_point()]
    unused: set[int] = set()
    if followed:
        with torch.enable_grad():
            given = output().sum()
            gradients = torch.autograd.grad(given, followed, allow_unused=True)
        pairs = zip(followed, gradients, strict=True)
        unused = {id(own) for own, gradient in pairs if gradient is None}
    return [name for name, own in found if id(own) not in unused or _EXPERTS in name]
