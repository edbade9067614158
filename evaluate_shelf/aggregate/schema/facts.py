"""What a run says of its model besides scores: what nobody can compute from items."""

from __future__ import annotations

from evaluate_shelf.aggregate.schema.values import Amount, Count, Number, Part, Share
from evaluate_shelf.bounded import Line, Reason


class Facts(Part):
    """Sizes, speed and costs of a model, as a run has them.

    Attributes
    ----------
    kind : str
        Of the model.
    parameters, dimension, max_tokens : int or None
        None where that is not known, or where there is none.
    documents_per_second, rate_low, rate_high : float or None
        How fast it encodes, with the interval, on `machine`.
    machine : str or None
        Where the rate was measured; rates of two machines are not to be compared.
    money_usd : float or None
        What its tokens cost.
    cut_share : float or None
        Share of the texts that its limit cut.
    """

    kind: Line
    parameters: Count | None = None
    dimension: Count | None = None
    max_tokens: Count | None = None
    documents_per_second: Amount | None = None
    rate_low: Number | None = None
    rate_high: Number | None = None
    machine: Reason | None = None
    money_usd: Amount | None = None
    cut_share: Share | None = None
