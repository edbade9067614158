"""YAML that says one thing: no key twice, no field unknown, no value of another type."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, StringConstraints, ValidationError

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import brief

try:
    from yaml import CSafeLoader as _SafeLoader
except ImportError:  # PyYAML built without libyaml
    from yaml import SafeLoader as _SafeLoader  # type: ignore[assignment]

Text = Annotated[str, StringConstraints(pattern=r"^\S(.*\S)?$")]
"""One line of text, not blank, without blanks at its ends."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$")]
"""An id that is safe in a file name and on a command line."""


class Row(BaseModel):
    """A row of a table: every field known, no field changed afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


RowT = TypeVar("RowT", bound=BaseModel)

_LONGEST_NAME = 120
_TAG = "tag:yaml.org,2002:"
# YAML 1.1 also knows numbers to the bases 2, 8, 16 and 60: text here, as what has more digits is.
_INT = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})\Z")
_FLOAT = re.compile(
    r"([-+]?([0-9]{1,400}\.[0-9]{0,400}|\.[0-9]{1,400})([eE][-+][0-9]{1,4})?"
    r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))\Z"
)
_NUMBERS = {f"{_TAG}int": (_INT, "-+0123456789"), f"{_TAG}float": (_FLOAT, "-+0123456789.")}


class _StrictLoader(_SafeLoader):
    """Gives text, decimal numbers, booleans, null, lists and mappings with text keys alone."""

    # A date stays text, so that a field alone decides what it is.
    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [
            (tag, pattern)
            for tag, pattern in resolvers
            if tag != f"{_TAG}timestamp" and tag not in _NUMBERS
        ]
        for first, resolvers in _SafeLoader.yaml_implicit_resolvers.items()
    }
    yaml_constructors = {  # noqa: RUF012
        tag: constructor
        for tag, constructor in _SafeLoader.yaml_constructors.items()
        if tag is None or tag.removeprefix(_TAG) in {"str", "int", "float", "bool", "null", "seq"}
    }


NO_VARIABLE = (
    "must be the name of an environment variable that holds the key, in capitals, such as MY_KEY; "
    "no file holds the key itself"
)
"""What is said of a field `api_key` that is no such name; it is not repeated."""


def _mapping(loader: _StrictLoader, node: yaml.MappingNode) -> dict[str, Any]:
    first_line: dict[str, int] = {}
    values: dict[str, Any] = {}
    for key_node, value_node in node.value:
        if key_node.tag != f"{_TAG}str":
            raise yaml.constructor.ConstructorError(
                None, None, "a key must be text", key_node.start_mark
            )
        key = key_node.value
        if key in values:
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f"duplicate key {key!r}, first on line {first_line[key]}",
                key_node.start_mark,
            )
        first_line[key] = key_node.start_mark.line + 1
        values[key] = loader.construct_object(value_node, deep=True)
    return values


def _number(loader: _StrictLoader, node: yaml.ScalarNode) -> int | float:
    """A number; what is tagged as one and is none is refused, before Python reads it."""
    pattern, _ = _NUMBERS[node.tag]
    if not isinstance(node.value, str) or not pattern.match(node.value):
        raise yaml.constructor.ConstructorError(
            None, None, f"{brief(node.value)} is no decimal number", node.start_mark
        )
    if node.tag == f"{_TAG}int":
        return int(node.value)
    return float(loader.construct_yaml_float(node))


_StrictLoader.add_constructor(f"{_TAG}map", _mapping)
for _tag, (_pattern, _begins) in _NUMBERS.items():
    _StrictLoader.add_implicit_resolver(_tag, _pattern, list(_begins))
    _StrictLoader.add_constructor(_tag, _number)


def read_yaml(file: Path) -> Any:
    r"""Read one YAML document.

    Parameters
    ----------
    file : pathlib.Path
        UTF-8.

    Returns
    -------
    object
        Dictionaries, lists, texts, numbers, booleans and None. A date stays text.

    Raises
    ------
    ShelfError
        If the file is missing, is not UTF-8, is not YAML, has a key twice or is empty. The
        message names the file and, where there is one, the line.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "t.yaml"
    >>> _ = file.write_text("day: 2021-08-30\nwords: 12\n")
    >>> read_yaml(file)
    {'day': '2021-08-30', 'words': 12}
    >>> _ = file.write_text("words: 1\nwords: 2\n")
    >>> try:
    ...     read_yaml(file)
    ... except ShelfError as error:
    ...     print(str(error).removeprefix(str(file)))
    , line 2: duplicate key 'words', first on line 1
    """
    try:
        value = yaml.load(_decoded(file), Loader=_StrictLoader)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = "" if mark is None else f", line {mark.line + 1}"
        raise ShelfError(f"{file}{line}: {error.problem or error.context}") from error
    except yaml.YAMLError as error:
        raise ShelfError(f"{file}: not YAML: {error}") from error
    if value is None:
        raise ShelfError(f"{file}: is empty")
    return value


def _decoded(file: Path) -> str:
    try:
        content = file.read_bytes()
    except OSError as error:
        raise ShelfError(f"{file}: cannot be read: {error.strerror or error}") from error
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ShelfError(f"{file}, line {line}: is not UTF-8: {error.reason}") from error


def read_rows(file: Path) -> list[Any]:
    """Read a YAML file that is a list of rows.

    Parameters
    ----------
    file : pathlib.Path
        UTF-8.

    Returns
    -------
    list
        The rows as they stand, not yet checked.

    Raises
    ------
    ShelfError
        As `read_yaml`, and if the document is not a list.
    """
    rows = read_yaml(file)
    if not isinstance(rows, list):
        raise ShelfError(f"{file}: must be a list of rows, is {_kind(rows)}")
    return rows


def validated(model: type[RowT], row: Any, file: Path, row_name: str | int | None = None) -> RowT:
    """Check one row against its model.

    Parameters
    ----------
    model : type of pydantic.BaseModel
        What the row must be. Types are strict: "12" is no number and 1 is no boolean.
    row : object
        What `read_yaml` gave.
    file : pathlib.Path
        Where the row came from, for the message.
    row_name : str, int or None
        The row's id or number, for the message. None if the file is one row.

    Returns
    -------
    RowT
        The checked row.

    Raises
    ------
    ShelfError
        If a field is missing, unknown or wrong; one line for each, with file, row and field.

    Examples
    --------
    >>> class Length(Row):
    ...     words: int
    >>> validated(Length, {"words": 12}, Path("length.yaml"), "micro")
    Length(words=12)
    >>> try:
    ...     validated(Length, {"words": "twelve"}, Path("length.yaml"), "micro")
    ... except ShelfError as error:
    ...     print(error)
    length.yaml, row 'micro', field 'words': Input should be a valid integer, got 'twelve'
    """
    if not isinstance(row, dict):
        raise wrong(file, row_name, None, f"must be a mapping of fields, is {_kind(row)}")
    try:
        # In JSON mode a strict tuple takes a list and a strict date takes its text.
        return model.model_validate_json(json.dumps(row), strict=True)
    except ValidationError as error:
        details = error.errors(include_url=False)
    lines = (_described(detail, file, row_name) for detail in details)
    raise ShelfError("\n".join(lines))


def _described(detail: Mapping[str, Any], file: Path, row_name: str | int | None) -> str:
    field = ".".join(str(part) for part in detail["loc"]) or None
    if detail["type"] == "missing":
        return str(wrong(file, row_name, field, "is missing"))
    if detail["type"] == "extra_forbidden":
        return str(wrong(file, row_name, field, "is not a known field"))
    if field == "api_key":
        # What stands there may be the key itself.
        return str(wrong(file, row_name, field, NO_VARIABLE))
    message = detail["msg"].removeprefix("Value error, ")
    return str(wrong(file, row_name, field, f"{message}, got {brief(detail['input'])}"))


def validated_rows(
    model: type[RowT], rows: Any, file: Path, id_field: str = "id", unique: Iterable[str] = ()
) -> tuple[RowT, ...]:
    """Check a list of rows, each by itself and all for being different.

    Parameters
    ----------
    model : type of pydantic.BaseModel
        What each row must be.
    rows : list
        What `read_rows` gave, or a list inside a file.
    file : pathlib.Path
        Where the rows came from, for the message.
    id_field : str
        The field that names a row; no two rows may share its value.
    unique : iterable of str
        Further fields in which no two rows may agree.

    Returns
    -------
    tuple of RowT
        The checked rows in their order.

    Raises
    ------
    ShelfError
        As `validated`, if there is no row, and if two rows have the same id.
    """
    if not rows:
        raise ShelfError(f"{file}: has no rows")
    names = [row_name(row, number, id_field) for number, row in enumerate(rows, start=1)]
    checked = tuple(
        validated(model, row, file, name) for row, name in zip(rows, names, strict=True)
    )
    for field in (id_field, *unique):
        seen: dict[Any, int] = {}
        for number, (row, name) in enumerate(zip(checked, names, strict=True), start=1):
            value = getattr(row, field)
            if value in seen:
                raise wrong(
                    file, name, field, f"row {number} repeats {value!r} of row {seen[value]}"
                )
            seen[value] = number
    return checked


def row_name(row: Any, number: int, id_field: str = "id") -> str | int:
    """Give the id of a row that may be damaged, else its number, which counts from 1.

    Examples
    --------
    >>> row_name({"id": "micro"}, 1), row_name({"words": 12}, 2)
    ('micro', 2)
    """
    value = row.get(id_field) if isinstance(row, dict) else None
    return value if isinstance(value, str) and value else number


def wrong(file: Path, row: str | int | None, field: str | None, problem: str) -> ShelfError:
    """Make the error for one field of one row.

    Examples
    --------
    >>> wrong(Path("tasks.yaml"), 3, "metric", "is missing")
    ShelfError("tasks.yaml, row 3, field 'metric': is missing")
    """
    where = str(file)
    if row is not None:
        where += f", row {brief(row, _LONGEST_NAME)}"
    if field is not None:
        where += f", field {field!r}"
    return ShelfError(f"{where}: {problem}")


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else brief(value)
