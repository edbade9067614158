"""Money as whole billionths of a US dollar, so that sums are exact."""

from __future__ import annotations

from decimal import ROUND_FLOOR, Decimal, InvalidOperation

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.printable import brief

NANODOLLARS = 1_000_000_000
"""In a US dollar."""

_MOST_USD = 1_000_000_000
_CENT = NANODOLLARS // 100


def nanodollars_in(text: str, what: str) -> int:
    """Read an amount of US dollars.

    Parameters
    ----------
    text : str
        A decimal number.
    what : str
        What it is, for a message.

    Returns
    -------
    int
        Billionths of a US dollar; what is finer is cut off, so that a cap never grows.

    Raises
    ------
    ShelfError
        If it is no number, negative, or more than a billion dollars.

    Examples
    --------
    >>> nanodollars_in("0.25", "--cap-usd")
    250000000
    """
    try:
        usd = Decimal(text.strip())
    except InvalidOperation:
        usd = Decimal("NaN")
    if not usd.is_finite() or not 0 <= usd <= _MOST_USD:
        raise ShelfError(
            f"{what}: US dollars from 0 to {_MOST_USD:,} are needed, as 20 or 2.50, "
            f"not {brief(text)}"
        )
    return int((usd * NANODOLLARS).to_integral_value(rounding=ROUND_FLOOR))


def usd(nanodollars: int) -> str:
    """An amount in US dollars, in cents; in hundredths of cents where it is less than a dollar.

    It is rounded up, as to a cent too much is better than to one too little.

    Examples
    --------
    >>> usd(12_340_000_001), usd(1_234_500), usd(0)
    ('12.35', '0.0013', '0.00')
    """
    in_cents = nanodollars >= NANODOLLARS or nanodollars % _CENT == 0
    step, digits = (_CENT, 2) if in_cents else (_CENT // 100, 4)
    steps = -(-nanodollars // step)
    whole, part = divmod(steps, 10**digits)
    return f"{whole:,}.{part:0{digits}d}"
