"""`MODEL@URL[,option=value]...`: a generator on the command line."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import ValidationError

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.roster import Generator
from evaluate_shelf.registry.strict_yaml import NO_VARIABLE

_FORM = re.compile(r"(?P<model>[^@\s,]{1,100})@(?P<base>https?://[^\s,]{1,300})(?P<rest>(?:,.*)?)")
_OPTION = re.compile(r"(?P<name>[a-z_]+)=(?P<value>[^,]*)")
# Somebody may have put the key itself there; no message repeats it.
_KEY = re.compile(r"(api_key=)[^,]*")


def generator_at(text: str) -> Generator:
    """A generator whose endpoint is named on the command line.

    Parameters
    ----------
    text : str
        The model as the endpoint calls it, the base URL, and other fields of a roster's row.

    Returns
    -------
    Generator
        Its name is the model's. An endpoint on this machine is not free unless it says so, since
        it may pass calls on to one that is paid.

    Raises
    ------
    ShelfError
        If the text is none, or an option is unknown or wrong.

    Examples
    --------
    >>> generator_at("smollm2@http://127.0.0.1:8080/v1,price=free,concurrency=1").concurrency
    1
    """
    found = _FORM.fullmatch(text)
    shown = _KEY.sub(r"\1…", text)
    if found is None:
        raise ShelfError(
            f"writer {shown!r}: MODEL@URL[,option=value]... is needed, "
            "as in my-model@https://example.org/v1,reasons=true"
        )
    row: dict[str, Any] = {
        "name": found["model"],
        "writer": "openai",
        "model": found["model"],
        "base_url": found["base"],
    }
    for part in filter(None, found["rest"].split(",")):
        option = _OPTION.fullmatch(part)
        if option is None or option["name"] in row:
            part = _KEY.sub(r"\1…", part)
            raise ShelfError(f"writer {shown!r}: {part!r} is no option=value, or stands twice")
        row[option["name"]] = _value(option["value"])
    try:
        return Generator.model_validate_json(json.dumps(row), strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        where = f", {field}" if field else ""
        said = NO_VARIABLE if field == "api_key" else first["msg"].removeprefix("Value error, ")
        raise ShelfError(f"writer {shown!r}{where}: {said}") from error


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
