"""What each generator charges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.prices import Price
from evaluate_shelf.registry.roster import Generator


@dataclass(frozen=True)
class Tariff:
    """The price of one generator's tokens.

    Attributes
    ----------
    price : Price or None
        None: it is free.
    is_batch : bool
        Whether the discount of batches is taken off.
    """

    price: Price | None
    is_batch: bool = False

    def nanodollars(self, input_tokens: int, output_tokens: int) -> int:
        """What a call costs, rounded up.

        Examples
        --------
        >>> Tariff(None).nanodollars(1000, 1000)
        0
        """
        if self.price is None:
            return 0
        return self.price.nanodollars(input_tokens, output_tokens, is_batch=self.is_batch)


def tariffs_of(generators: Iterable[Generator], prices: Mapping[str, Price]) -> dict[str, Tariff]:
    """The tariff of each generator, by its name.

    Parameters
    ----------
    generators : iterable of Generator
    prices : mapping of str to Price
        By model, as the endpoint names it.

    Raises
    ------
    ShelfError
        If one that is paid has no price, or none for output; each is named.

    Examples
    --------
    >>> own = Generator(
    ...     name="mine", writer="openai", model="m", base_url="http://localhost:1/v1", price="free"
    ... )
    >>> tariffs_of([own], {})
    {'mine': Tariff(price=None, is_batch=False)}
    """
    rows = list(generators)
    lacking = [row.model_name for row in rows if row.is_paid and not _priced(row, prices)]
    if lacking:
        raise ShelfError(
            f"prices: no price, or none for output tokens, of {', '.join(lacking)}; nothing is "
            "asked of a model whose price is unknown: add a row with date and source, or name a "
            "table of your own with --prices"
        )
    return {
        row.name: Tariff(prices[row.model_name] if row.is_paid else None, row.writer == "batch")
        for row in rows
    }


def _priced(row: Generator, prices: Mapping[str, Price]) -> bool:
    price = prices.get(row.model_name)
    return price is not None and price.usd_per_million_output_tokens is not None
