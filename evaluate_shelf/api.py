"""`from evaluate_shelf import evaluate`: score models from Python."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import EllipsisType, NoneType
from typing import Any

from evaluate_shelf.arguments import names, one_of, whole_number
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.evaluation import (
    Evaluation,
    Reporter,
    default_store,
    evaluate_models,
    prepare,
    run_folder,
)
from evaluate_shelf.evaluation.refusals import raise_gathered
from evaluate_shelf.models.in_memory import has_revision, named_object
from evaluate_shelf.models.named import NamedModel
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.registry.conditions import conditioned
from evaluate_shelf.registry.protocols import Protocol, load_protocol
from evaluate_shelf.release.needed import folder_to_evaluate
from evaluate_shelf.runs.reading import Run, load_run


def evaluate(
    models: Any,
    data: str | Path,
    *,
    config: str | None = None,
    tasks: str | Sequence[str] = (),
    facets: str | Sequence[str] = (),
    protocol: str | Protocol | None = None,
    prompts: str | None = None,
    max_tokens: int | None = None,
    text: str | None = None,
    runs: str | Path = "runs",
    limit: int | None = None,
    rates: bool = False,
    store: str | Path | EllipsisType | None = ...,
    progress: bool = False,
) -> list[Run]:
    """Score one or several models on a release, as `shelf evaluate` does.

    Parameters
    ----------
    models : str, object, or sequence of these
        A string as the command line takes it (`tfidf`, `st:<path or Hub id>`, ...), an object
        that implements the model protocol (`encode(texts, *, role)`, `fit(texts)`, or `score` and
        `score_pairs`), or a SentenceTransformer, which is encoded without prompts on its own
        device. An object is named by its `name`, or else its class, and `revision` says which
        version of it this is. Without a `revision` every call makes a run of its own, and its
        vectors are not stored.
    data : str or pathlib.Path
        A release folder, or a Hub dataset id.
    config : str, default=None
        A config of documents; the release's default without it.
    tasks, facets : str or sequence of str, default=()
        Restrict the tasks; without both, all but the optional ones.
    protocol : str or Protocol, default=None
        `shelf-1` without it.
    prompts : {'none', 'model-card'}, default=None
        As `--prompts`: the protocol's with other prompts.
    max_tokens : int, default=None
        As `--max-tokens`: cut every text there.
    text : {'full', 'masked', 'sham'}, default=None
        As `--text`: take every document's own label terms out of it, or as many other tokens.
    runs : str or pathlib.Path, default='runs'
        Folder of runs. Tasks that are done there are not run again.
    limit : int, default=None
        Documents a split, for a smoke run that is comparable with no other.
    rates : bool, default=False
        Measure how many documents a second a model takes.
    store : str, pathlib.Path or None, optional
        Where vectors are kept; the user's cache without it. None keeps none.
    progress : bool, default=False
        Tell of the progress on standard error.

    Returns
    -------
    list of Run
        One a model, in their order. `run.scores` is the table of scores, `run.file` the rest.

    Raises
    ------
    ShelfError
        If an argument is of another type, or what is asked for does not exist.
    RefusedModelsError
        If a model or the data cannot be used; after the other models have been run, and with
        their runs in its `finished`.

    Examples
    --------
    >>> import tempfile
    >>> from evaluate_shelf.quickstart import shipped_release
    >>> class Lengths:
    ...     name = "lengths"
    ...     def encode(self, texts, *, role):
    ...         import numpy as np
    ...         return np.array([[len(text), 1] for text in texts], dtype=np.float32)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [run] = evaluate(Lengths(), shipped_release(), tasks="lcc_retrieval", runs=folder)
    >>> run.file.model.name, run.file.tasks["lcc_retrieval"].status
    ('lengths', 'done')
    """
    for name, path in (("data", data), ("runs", runs)):
        one_of(name, path, str, Path, what="a path")
    for name, word in (("config", config), ("prompts", prompts), ("text", text)):
        one_of(name, word, str, NoneType, what="a string or None")
    for name, switch in (("rates", rates), ("progress", progress)):
        one_of(name, switch, bool, what="True or False")
    one_of("protocol", protocol, str, Protocol, NoneType, what="a name or a Protocol")
    one_of("store", store, str, Path, NoneType, EllipsisType, what="a path or None")
    chosen = protocol if isinstance(protocol, Protocol) else load_protocol(protocol)
    chosen = conditioned(chosen, prompts, whole_number("max_tokens", max_tokens), text)
    evaluation = prepare(
        folder_to_evaluate(str(data), config),
        config,
        task_ids=names("tasks", tasks),
        facets=names("facets", facets),
        protocol=chosen,
        runs=Path(runs),
        limit=whole_number("limit", limit),
        store=_store(store),
        rates=rates,
    )
    objects = _several(models)
    if not objects:
        raise ShelfError("no model: name at least one")
    named = [_named(model, chosen) for model in objects]
    with ExitStack() as stack:
        reporter = _reporter(stack) if progress else Reporter()
        return _evaluated(objects, named, evaluation, reporter)


def _evaluated(
    objects: Sequence[Any],
    named: Sequence[NamedModel],
    evaluation: Evaluation,
    reporter: Reporter,
) -> list[Run]:
    finished: list[Run] = []
    refused: list[tuple[str, ShelfError]] = []
    for given, model in zip(objects, named, strict=True):
        kept = isinstance(given, str) or has_revision(given)
        own = evaluation if kept else replace(evaluation, store=None)
        try:
            evaluate_models([model], own, reporter)
            finished.append(load_run(run_folder(model, own)))
        except ShelfError as error:
            refused.append((model.identity.name, error))
    raise_gathered(refused, finished)
    return finished


def _named(model: Any, protocol: Protocol) -> NamedModel:
    if isinstance(model, str):
        return resolve_model(model, protocol)
    return named_object(model, protocol)


def _store(given: str | Path | EllipsisType | None) -> Path | None:
    if given is None:
        return None
    return default_store() if isinstance(given, EllipsisType) else Path(given)


def _several(given: Any) -> list[Any]:
    """One thing, or several, as a list."""
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _reporter(stack: ExitStack) -> Reporter:
    from evaluate_shelf.cli.terminal import Bar, TerminalReporter

    return TerminalReporter(stack.enter_context(Bar()))
