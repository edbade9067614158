"""How many documents a second a model takes, measured as published figures were."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from statistics import fmean, stdev

from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.protocol import Encoder, Limited, Searcher
from evaluate_shelf.runs.schema import RateRecord

DOCUMENTS = 1000
MAX_TOKENS = 512
REPEATS = 3
_WARM_UP = 64


def measured_rate(data: TaskData, work: Workspace) -> RateRecord | None:
    """Encode the first 1,000 test documents three times and give the mean rate.

    Loading and fitting are left out, a warm-up before the first repeat is thrown away. A model
    with a limit reads at most 512 tokens of a text; one without reads whole documents. A model
    that only searches is given the documents as queries against the corpus; its index is built
    before.

    Returns
    -------
    RateRecord or None
        None for a model that computes nothing: vectors read from a file, and models made of
        others.
    """
    texts = data.test.column("text")[:DOCUMENTS]
    run = _task_of(data, work)
    if run is None:
        return None
    limited = work.model.limited_to(MAX_TOKENS) if isinstance(work.model, Limited) else None
    with limited or nullcontext() as cap:
        run(texts[:_WARM_UP])
        seconds = [_seconds(run, texts) for _ in range(REPEATS)]
    rates = [len(texts) / max(spent, 1e-9) for spent in seconds]
    mean = fmean(rates)
    half = _half_width(rates, 0.95)
    return RateRecord(
        documents_per_second=mean,
        low=None if half is None else max(mean - half, 0.0),
        high=None if half is None else mean + half,
        level=0.95,
        documents=len(texts),
        repeats=len(rates),
        max_tokens=cap,
        batch_size=work.protocol.batch_size,
    )


def _task_of(data: TaskData, work: Workspace) -> Callable[[Sequence[str]], object] | None:
    model = work.model
    if isinstance(model, Searcher):
        index = getattr(model, "index", None)
        documents = data.corpus.column("text")
        depth = work.protocol.ranking_depth
        if index is None:
            return lambda texts: model.score(list(texts), documents, k=depth)
        built = work.once(("index for the rate", data.config), lambda: index(documents))
        return lambda texts: built.score(list(texts), k=depth)
    if work.needs_fit:
        encoder = work.fitted_encoder(data, ["train"])
        return lambda texts: work.encode_with(encoder, [""] * len(texts), texts)
    if isinstance(model, Encoder):
        return lambda texts: _in_batches(model, texts, work.protocol.batch_size)
    return None


def _in_batches(encoder: Encoder, texts: Sequence[str], size: int) -> None:
    by_length = sorted(texts, key=len)
    for start in range(0, len(by_length), size):
        encoder.encode(by_length[start : start + size], role="document")


def _seconds(run: Callable[[Sequence[str]], object], texts: Sequence[str]) -> float:
    began = time.perf_counter()
    run(texts)
    return time.perf_counter() - began


def _half_width(rates: Sequence[float], level: float) -> float | None:
    """Half of Student's t interval of the mean."""
    if len(rates) < 2:
        return None
    from scipy.stats import t

    quantile = float(t.ppf((1 + level) / 2, len(rates) - 1))
    return quantile * stdev(rates) / math.sqrt(len(rates))
