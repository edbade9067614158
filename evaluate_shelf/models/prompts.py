"""A model's prompts, as a run can keep them to the letter."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import TypeAdapter, ValidationError

from evaluate_shelf.bounded import Line, Prompt
from evaluate_shelf.errors import ShelfError

_KEPT = TypeAdapter(dict[Line, Prompt])


def kept_prompts(prompts: Mapping[str, object], place: str) -> dict[str, str]:
    r"""The prompts, once it is seen that a run can say what they were.

    Parameters
    ----------
    prompts : mapping of str to str
        By role or by the model's own names.
    place : str
        The model; begins the message.

    Raises
    ------
    ShelfError
        If one is no text, is longer than 10,000 characters, or has a control character besides
        line feeds and tabs. It is raised before anything is encoded.

    Examples
    --------
    >>> kept_prompts({"query": "Instruct: find\nQuery: "}, "a model")
    {'query': 'Instruct: find\nQuery: '}
    """
    try:
        return _KEPT.validate_python(dict(prompts))
    except ValidationError as error:
        role = str(error.errors()[0]["loc"][0])
        raise ShelfError(
            f"{place}: its prompt {role!r:.200} is no text of at most 10,000 characters without "
            "control characters"
        ) from error
