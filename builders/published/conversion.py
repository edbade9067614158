"""Published values in the types of this project, whatever type they were published in."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

_WHOLE = re.compile(r"[+-]?\d{1,19}(?:\.0+)?")
_LONGEST_JSON = 1_000_000
_LONGEST_SHOWN = 60

Convert = Callable[[Any], Any]


class UnfitError(Exception):
    """A value that has no meaning in the wanted type.

    Attributes
    ----------
    row : int
        Its row, counted from the first that was given.
    field : str
        Of a struct; empty elsewhere.
    reason : str
        What is wrong.
    """

    def __init__(self, row: int, field: str, reason: str) -> None:
        super().__init__(reason)
        self.row, self.field, self.reason = row, field, reason


def converted(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Give values in another type, where that says the same.

    Numbers in decimal become numbers; a blank text, and a number that is NaN, is no value; a
    number of single precision becomes the number that it is written as; a list without a value is
    empty, and items without a value are left out of lists; a struct may be published as JSON, or
    as its first field alone.

    Parameters
    ----------
    values : pyarrow.Array, shape (n_rows,)
        As published.
    kind : pyarrow.DataType
        Text, whole number, number, truth value, a list of these, or a struct of all that.

    Returns
    -------
    pyarrow.Array of `kind`, shape (n_rows,)

    Raises
    ------
    UnfitError
        Names the first value that says something else.

    Examples
    --------
    >>> converted(pa.array(["12", "", None]), pa.int64()).to_pylist()
    [12, None, None]
    >>> converted(pa.array([["250", "500"], None]), pa.list_(pa.int32())).to_pylist()
    [[250, 500], []]
    >>> converted(pa.array([0.7], pa.float32()), pa.float64()).to_pylist()
    [0.7]
    """
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if pa.types.is_null(values.type) and not pa.types.is_list(kind):
        return pa.nulls(len(values), kind)
    quick = _quick(values, kind)
    if quick is not None:
        return quick
    convert = _converter(kind)
    found = []
    for row, value in enumerate(values.to_pylist()):
        try:
            found.append(convert(value))
        except _WrongError as wrong:
            raise UnfitError(row, wrong.field, wrong.reason) from wrong
    return pa.array(found, kind)


class _WrongError(Exception):
    def __init__(self, reason: str, field: str = "") -> None:
        super().__init__(reason)
        self.reason, self.field = reason, field


def _quick(values: pa.Array, kind: pa.DataType) -> pa.Array | None:
    """The same as value by value, for the types that most columns have."""
    given = values.type
    if pa.types.is_string(kind) and (pa.types.is_string(given) or pa.types.is_large_string(given)):
        return values.cast(kind)
    if pa.types.is_boolean(kind) and pa.types.is_boolean(given):
        return values
    if pa.types.is_integer(kind) and pa.types.is_integer(given):
        try:
            return values.cast(kind)
        except pa.ArrowInvalid:
            return None
    if pa.types.is_floating(kind) and pa.types.is_floating(given):
        if not pc.all(pc.fill_null(pc.is_finite(values), True)).as_py():
            return None
        # 0.7 in single precision is 0.699999988 in double, and was written as 0.7.
        return values.cast(pa.string()).cast(kind) if given != pa.float64() else values
    return None


def _converter(kind: pa.DataType) -> Convert:
    if pa.types.is_list(kind):
        item = _converter(kind.value_type)
        return lambda value: _items(value, item)
    if pa.types.is_struct(kind):
        fields = {
            kind.field(n).name: _converter(kind.field(n).type) for n in range(kind.num_fields)
        }
        return lambda value: _struct(value, fields)
    if pa.types.is_string(kind):
        return _text
    if pa.types.is_boolean(kind):
        return _truth
    if pa.types.is_integer(kind):
        return lambda value: _whole(value, kind.bit_width)
    return _number


def _text(value: Any) -> str | None:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, dict | list):
        try:
            return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise _WrongError(f"{_shown(value)} cannot be told in JSON") from error
    raise _WrongError(f"{_shown(value)} is no text")


def _whole(value: Any, bits: int) -> int | None:
    if isinstance(value, str):
        text = value.strip()
        if not text:
            return None
        if not _WHOLE.fullmatch(text):
            raise _WrongError(f"{_shown(value)} is no whole number")
        value = int(text.partition(".")[0])
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _WrongError(f"{_shown(value)} is no whole number")
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise _WrongError(f"{_shown(value)} is too big for int{bits}")
    return value


def _number(value: Any) -> float | None:
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise _WrongError(f"{_shown(value)} is no number")
    try:
        number = float(value)
    except (ValueError, OverflowError) as error:
        raise _WrongError(f"{_shown(value)} is no number") from error
    if math.isinf(number):
        raise _WrongError("the number is infinite")
    return None if math.isnan(number) else number


def _truth(value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    known = {"": None, "true": True, "false": False}
    if isinstance(value, str) and value.strip().casefold() in known:
        return known[value.strip().casefold()]
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    raise _WrongError(f"{_shown(value)} is neither true nor false")


def _items(value: Any, item: Convert) -> list[Any]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _WrongError(f"{_shown(value)} is no list")
    found = [item(own) for own in value]
    return [own for own in found if own is not None]


def _struct(value: Any, fields: Mapping[str, Convert]) -> dict[str, Any] | None:
    if isinstance(value, str):
        value = _from_json(value)
    if value is None:
        return None
    if not isinstance(value, Mapping):
        value = {next(iter(fields)): value}
    found = {}
    for name, convert in fields.items():
        try:
            found[name] = convert(value.get(name))
        except _WrongError as wrong:
            raise _WrongError(wrong.reason, name) from wrong
    return found


def _from_json(text: str) -> Any:
    if not text.strip():
        return None
    if len(text) > _LONGEST_JSON:
        raise _WrongError(f"the JSON is longer than {_LONGEST_JSON:,} characters")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _WrongError(f"{_shown(text)} is no JSON") from error


def unknown_fields(values: Sequence[Any], kind: pa.DataType) -> set[str]:
    """Names that structs, or their JSON, have besides the fields of a type.

    Examples
    --------
    >>> kind = pa.struct([("gutenberg_id", pa.int64())])
    >>> unknown_fields(['{"gutenberg_id": 7, "rights": "free"}', None, 7], kind)
    {'rights'}
    """
    known = {kind.field(number).name for number in range(kind.num_fields)}
    found: set[str] = set()
    for value in values:
        own = _from_json(value) if isinstance(value, str) else value
        if isinstance(own, Mapping):
            found |= own.keys() - known
    return found


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
