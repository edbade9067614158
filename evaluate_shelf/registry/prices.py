"""What endpoints charge for texts, with a date and a source."""

from __future__ import annotations

import datetime as dt
import functools
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from evaluate_shelf.registry.config_folder import config_folder
from evaluate_shelf.registry.strict_yaml import Row, Text, read_rows, validated_rows

Url = Annotated[str, StringConstraints(pattern=r"^https://\S+$", max_length=300)]


class Price(Row):
    """What an endpoint charges for a model.

    Attributes
    ----------
    model : str
        As the endpoint names it.
    usd_per_million_input_tokens : float
        In US dollars.
    date : datetime.date
        When this was the price.
    source : str
        URL of who says so.
    """

    model: Text
    usd_per_million_input_tokens: float = Field(ge=0, allow_inf_nan=False)
    date: dt.date
    source: Url

    def of(self, tokens: int) -> float:
        """US dollars for tokens.

        Examples
        --------
        >>> Price(
        ...     model="m", usd_per_million_input_tokens=0.1, date=dt.date(2026, 3, 1),
        ...     source="https://example.org/prices",
        ... ).of(2_000_000)
        0.2
        """
        return self.usd_per_million_input_tokens * tokens / 1_000_000


def load_prices(file: Path | None = None) -> dict[str, Price]:
    """Load and check a table of prices.

    Parameters
    ----------
    file : pathlib.Path or None
        A table of one's own. None: the one of the installation. A file is read once in a process.

    Returns
    -------
    dict of str to Price
        By model, in the order of the file; there may be none. What a model costs that is not in
        it is unknown.

    Raises
    ------
    ShelfError
        If the file is missing or a row is wrong; the message names file, row and field.

    Examples
    --------
    >>> load_prices().get("a model without a price") is None
    True
    """
    rows = _loaded((file or config_folder() / "prices.yaml").resolve())
    return {row.model: row for row in rows}


@functools.lru_cache(maxsize=8)
def _loaded(file: Path) -> tuple[Price, ...]:
    rows = read_rows(file)
    return validated_rows(Price, rows, file, "model") if rows else ()
