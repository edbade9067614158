"""Numbers and names as a report writes them."""

from __future__ import annotations

_METRICS = {
    "macro_f1": "macro-F1",
    "ndcg_at_10": "nDCG@10",
    "graded_ndcg_at_10": "graded nDCG@10",
    "ari": "ARI",
    "ari_pooled": "pooled ARI",
    "ari_median_of_seeds": "ARI, median over seeds",
    "auc_roc": "ROC AUC",
    "average_precision": "average precision",
    "v_measure": "V-measure",
}


def number(value: float | None, decimals: int = 3) -> str:
    """A number in some decimals, with a true minus sign; a dash where there is none.

    Examples
    --------
    >>> number(-0.0084), number(None), number(0.5, 2)
    ('−0.008', '–', '0.50')
    """
    return "–" if value is None else f"{value:.{decimals}f}".replace("-", "−")


def percent(share: float | None) -> str:
    """A share in percent; a dash where there is none.

    Examples
    --------
    >>> percent(0.546), percent(None)
    ('54.6 %', '–')
    """
    return "–" if share is None else f"{100 * share:.1f} %"


def interval(low: float | None, high: float | None, decimals: int = 3) -> str:
    """An interval in brackets; nothing where there is none.

    Examples
    --------
    >>> interval(0.1, 0.25, 2), interval(None, None)
    ('[0.10, 0.25]', '')
    """
    if low is None or high is None:
        return ""
    return f"[{number(low, decimals)}, {number(high, decimals)}]"


def estimate(value: float | None, low: float | None, high: float | None, decimals: int = 3) -> str:
    """A number with its interval.

    Examples
    --------
    >>> estimate(0.2, 0.1, 0.3, 1), estimate(0.2, None, None, 1), estimate(None, None, None)
    ('0.2 [0.1, 0.3]', '0.2', '–')
    """
    return f"{number(value, decimals)} {interval(low, high, decimals)}".rstrip()


def metric_name(metric: str) -> str:
    """A metric as it is written.

    Examples
    --------
    >>> metric_name("ndcg_at_10"), metric_name("accuracy")
    ('nDCG@10', 'accuracy')
    """
    return _METRICS.get(metric, metric.replace("_", " "))
