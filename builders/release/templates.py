"""The templates in `dataset_card/`."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builders.release import markdown
from evaluate_shelf.errors import ShelfError

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).resolve().parents[2] / "dataset_card"


def require_templates() -> None:
    """Refuse to begin a build whose card could not be written at its end.

    Raises
    ------
    ShelfError
        If Jinja is not installed.
    """
    _environment()


def rendered(template: str, /, **values: Any) -> str:
    """A template with its values.

    Parameters
    ----------
    template : str
        Name of a file in `dataset_card/`.
    **values
        What it shows. A string is not looked at for template syntax. The filters `plain` and
        `code` make text of any origin safe; nothing is escaped by itself.

    Returns
    -------
    str
        Ends in one line feed.
    """
    return _environment().get_template(template).render(**values).strip() + "\n"


@functools.cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        raise ShelfError(
            "the dataset card needs Jinja: pip install 'evaluate-shelf[build]', or -e '.[build]' "
            "in a checkout"
        ) from error
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES, encoding="utf-8"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # It is Markdown, which HTML's rules would spoil.
        autoescape=False,  # noqa: S701
    )
    environment.filters.update(
        plain=markdown.plain, code=markdown.code, number=markdown.number, table=markdown.table
    )
    return environment
