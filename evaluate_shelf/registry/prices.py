"""What endpoints charge for texts, with a date and a source."""

from __future__ import annotations

import datetime as dt
import functools
import math
from fractions import Fraction
from pathlib import Path
from typing import Annotated

from pydantic import Field, StringConstraints

from evaluate_shelf.errors import ShelfError
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
    usd_per_million_output_tokens : float or None
        Tokens of reasoning too; None for a model that writes nothing.
    batch_discount : float
        The share by which a batch is cheaper.
    date : datetime.date
        When this was the price.
    source : str
        URL of who says so.
    """

    model: Text
    usd_per_million_input_tokens: float = Field(ge=0, allow_inf_nan=False)
    date: dt.date
    source: Url
    usd_per_million_output_tokens: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    batch_discount: float = Field(default=0.0, ge=0, lt=1, allow_inf_nan=False)

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

    def nanodollars(self, input_tokens: int, output_tokens: int, *, is_batch: bool = False) -> int:
        """What a call costs, in whole billionths of a US dollar, rounded up.

        Sums of whole numbers are exact, in any order. Cached input is charged as any other, so that
        a cost is never too low.

        Parameters
        ----------
        input_tokens, output_tokens : int
        is_batch : bool, default=False
            Whether the discount is taken off.

        Raises
        ------
        ShelfError
            If the model has no price for output.

        Examples
        --------
        >>> price = Price(
        ...     model="m", usd_per_million_input_tokens=0.0375, usd_per_million_output_tokens=10,
        ...     date=dt.date(2026, 3, 1), source="https://example.org/prices",
        ... )
        >>> price.nanodollars(1, 0), price.nanodollars(1_000_000, 1_000_000)
        (38, 10037500000)
        """
        if self.usd_per_million_output_tokens is None:
            raise ShelfError(
                f"prices, row {self.model!r}, field 'usd_per_million_output_tokens': is missing, "
                "and the model is to write"
            )
        usd_per_million = (
            _exact(self.usd_per_million_input_tokens) * input_tokens
            + _exact(self.usd_per_million_output_tokens) * output_tokens
        )
        share = 1 - _exact(self.batch_discount) if is_batch else 1
        return math.ceil(usd_per_million * share * 1000)


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


def _exact(number: float) -> Fraction:
    """A number as it was written, not as a float holds it."""
    return Fraction(repr(number))


@functools.lru_cache(maxsize=8)
def _loaded(file: Path) -> tuple[Price, ...]:
    rows = read_rows(file)
    return validated_rows(Price, rows, file, "model") if rows else ()
