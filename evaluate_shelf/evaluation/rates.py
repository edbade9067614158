"""How many documents a second a model takes, measured as published figures were."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from statistics import fmean, stdev

from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.checks import within_memory
from evaluate_shelf.models.protocol import Counting, Encoder, Limited, Searcher
from evaluate_shelf.runs.schema import RateRecord

DOCUMENTS = 1000
MAX_TOKENS = 512
REPEATS = 3
LONGEST_SECONDS = 120.0
"""What the repeats may take in all."""
SHORTEST_SECONDS = 1.0
"""What the repeats take at least, so that their interval tells of the model, not of the clock."""
MOST_REPEATS = 1000
# Shorter than the longest, since the first documents only tell about how long the others take.
_PLANNED_SECONDS = 90.0
_WARM_UP = 64
_WARM_UP_SECONDS = 5.0

Run = Callable[[Sequence[str]], object]
Clock = Callable[[], float]


def measured_rate(
    data: TaskData, work: Workspace, begun: Callable[[], None] = lambda: None
) -> RateRecord | None:
    """Encode the first 1,000 test documents three times and give the mean rate.

    Loading and fitting are left out, a warm-up before the first repeat is thrown away. A model
    with a limit reads at most 512 tokens of a text; one without reads whole documents. A model
    that only searches is given the documents as queries against the corpus; its index is built
    before. How many documents and repeats there are in the end, see `timed`.

    Parameters
    ----------
    data : TaskData
        A config of documents.
    work : Workspace
        With the model.
    begun : callable, optional
        Called before the first document is encoded, and only if one is.

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
    begun()
    limited = work.model.limited_to(MAX_TOKENS) if isinstance(work.model, Limited) else None
    with limited or nullcontext() as cap:
        documents, seconds = timed(run, texts)
    rates = [documents / max(spent, 1e-9) for spent in seconds]
    mean = fmean(rates)
    half = _half_width(rates, 0.95)
    return RateRecord(
        documents_per_second=mean,
        low=None if half is None else max(mean - half, 0.0),
        high=None if half is None else mean + half,
        level=0.95,
        documents=documents,
        repeats=len(rates),
        max_tokens=cap,
        batch_size=work.protocol.batch_size,
    )


def timed(
    run: Run, texts: Sequence[str], clock: Clock = time.perf_counter
) -> tuple[int, list[float]]:
    """Time a model on texts, neither too long nor too short.

    The warm-up takes one text, then 1, 2, 4, ... of them, up to 64 or until a step takes five
    seconds; its last step says how long a text takes. If three repeats over all texts would take
    longer than 90 seconds, they are over the first so many that would not. If they are done in
    less than one second, there are more of them. A repeat that would end after two minutes, going
    by the longest so far, is not begun.

    Parameters
    ----------
    run : callable
        Takes texts.
    texts : sequence of str
        At least one.
    clock : callable, default=time.perf_counter
        Gives seconds.

    Returns
    -------
    tuple of int and list of float
        Number of texts a repeat, and the seconds of each repeat.
    """
    per_text = _warm_up(run, texts, clock)
    fitting = _PLANNED_SECONDS / REPEATS / max(per_text, 1e-9)
    documents = max(1, min(len(texts), int(fitting)))
    seconds = [_seconds(run, texts[:documents], clock)]
    while (
        len(seconds) < MOST_REPEATS
        and (len(seconds) < REPEATS or sum(seconds) < SHORTEST_SECONDS)
        and sum(seconds) + max(seconds) <= LONGEST_SECONDS
    ):
        seconds.append(_seconds(run, texts[:documents], clock))
    return documents, seconds


def _warm_up(run: Run, texts: Sequence[str], clock: Clock) -> float:
    """Seconds that a text takes once the model is warm."""
    run(texts[:1])
    size = 1
    while True:
        spent = _seconds(run, texts[:size], clock)
        if size >= min(_WARM_UP, len(texts)) or spent > _WARM_UP_SECONDS:
            return spent / min(size, len(texts))
        size *= 2


def _task_of(data: TaskData, work: Workspace) -> Run | None:
    model = within_memory(work.model, work.memory_bytes)
    if isinstance(model, Counting):
        # An endpoint's rate is that of the network, and its tokens are paid for.
        return None
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


def _seconds(run: Run, texts: Sequence[str], clock: Clock) -> float:
    began = clock()
    run(texts)
    return clock() - began


def _half_width(rates: Sequence[float], level: float) -> float | None:
    """Half of Student's t interval of the mean."""
    if len(rates) < 2:
        return None
    from scipy.stats import t

    quantile = float(t.ppf((1 + level) / 2, len(rates) - 1))
    return quantile * stdev(rates) / math.sqrt(len(rates))
