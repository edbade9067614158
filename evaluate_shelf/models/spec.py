"""The string that names a model: `NAME[,option=value]...`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from evaluate_shelf.errors import ShelfError

REDUCING = ("dim", "precision")
"""Options of everything that has dense vectors; they change stored vectors afterwards."""

_UNKNOWN = re.compile(r",\s*([A-Za-z_]\w*)\s*=[^,/\\]*$")
_WHOLE = re.compile(r"[1-9]\d{0,8}")
Choice = TypeVar("Choice", bound=str)


@dataclass(frozen=True)
class Spec:
    """A model's name and its options.

    Attributes
    ----------
    name : str
        What stands before the options.
    options : dict of str to str
        In one order, whichever they were given in.
    """

    name: str
    options: dict[str, str]

    @property
    def text(self) -> str:
        """The string again, with its options in one order.

        Examples
        --------
        >>> parse_spec("wordllama,precision=int8,dim=64", REDUCING).text
        'wordllama,dim=64,precision=int8'
        """
        return ",".join([self.name, *(f"{key}={value}" for key, value in self.options.items())])

    @property
    def target(self) -> str:
        """What stands behind the kind, up to the options: a path, an id, an address."""
        return self.name.partition(":")[2]

    def without(self, keys: Iterable[str]) -> Spec:
        """The same without some options."""
        dropped = set(keys)
        return Spec(
            self.name, {key: value for key, value in self.options.items() if key not in dropped}
        )

    def number(self, key: str) -> int | None:
        """An option that is a whole number above 0; None if it was not given.

        Raises
        ------
        ShelfError
            If it is another thing.
        """
        value = self.options.get(key)
        if value is None:
            return None
        if not _WHOLE.fullmatch(value):
            raise ShelfError(
                f"model {self.text!r}: {key}={value}: a whole number above 0 is needed"
            )
        return int(value)

    def choice(self, key: str, known: Sequence[Choice]) -> Choice | None:
        """An option that is one of a few words; None if it was not given.

        Raises
        ------
        ShelfError
            If it is another word.
        """
        value = self.options.get(key)
        if value is None:
            return None
        for word in known:
            if word == value:
                return word
        raise ShelfError(f"model {self.text!r}: {key}={value}: known are {', '.join(known)}")


def parse_spec(text: str, known: Sequence[str]) -> Spec:
    """Take a model's string apart.

    Parameters
    ----------
    text : str
        `NAME[,option=value]...`.
    known : sequence of str
        The options that the kind of model takes. Only `,KNOWN=` begins an option, so that a
        comma in a path stays part of it, and an option of a model that is itself an option's
        value stays with that one.

    Returns
    -------
    Spec
        `precision=float32`, which changes nothing, is left out.

    Raises
    ------
    ShelfError
        If an option stands twice or has no value.

    Examples
    --------
    >>> spec = parse_spec("st:models/a,b,dim=128", ["dim", "precision"])
    >>> spec.name, spec.target, spec.options
    ('st:models/a,b', 'models/a,b', {'dim': '128'})
    """
    begins = rf",(?=(?:{'|'.join(known)})=)" if known else r"(?!)"
    name, *parts = re.split(begins, text)
    given: dict[str, str] = {}
    for part in parts:
        key, _, value = part.partition("=")
        if key in given:
            raise ShelfError(f"model {text!r}: the option {key} stands twice")
        if not value:
            raise ShelfError(f"model {text!r}: the option {key} has no value")
        given[key] = value
    if given.get("precision") == "float32":
        del given["precision"]
    return Spec(name, {key: given[key] for key in known if key in given})


def refuse_unknown_options(spec: Spec, known: Sequence[str], note: str = "") -> None:
    """Refuse a name that ends in what can only be meant as an option.

    Parameters
    ----------
    spec : Spec
        The name.
    known : sequence of str
        The options of its kind.
    note : str, default=''
        Why there is no other; ends the message.

    Raises
    ------
    ShelfError
        If it does, and no file or folder has this name.

    Examples
    --------
    >>> refuse_unknown_options(parse_spec("st:minilm,dims=128", ["dim"]), ["dim"])
    Traceback (most recent call last):
    evaluate_shelf.errors.ShelfError: model 'st:minilm,dims=128': unknown option 'dims'; known: dim
    """
    found = _UNKNOWN.search(spec.name)
    if found and not (spec.target and Path(spec.target).expanduser().exists()):
        known_here = f"known: {', '.join(known)}" if known else "this model takes none"
        raise ShelfError(
            f"model {spec.text!r}: unknown option {found[1]!r}; {known_here}{note and '; '}{note}"
        )
