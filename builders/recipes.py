"""How each config is made, and which ones it needs before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from builders.corpora.books import build_gutenberg, table_of_refused
from builders.corpora.lcshbench.config import build_lcshbench
from builders.corpora.pool import build_pool
from builders.corpora.synthetic.slices import build_slice, gate_table_file
from builders.corpora.synthetic.written import build_written_slice, gated_corpus
from builders.gates.verdict import VERSION as GATES_VERSION
from builders.request import Bench, Made, shortened
from builders.staging.config import StagedConfig
from builders.staging.resume import content_id
from builders.task_configs.pair_tasks import PAIR_TASKS
from builders.task_configs.pairs import build_pairs
from builders.task_configs.retrieval.names import subset_name
from builders.task_configs.search import build_corpus, build_search
from builders.task_configs.selections import build_topic_classification
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.registry.corpora import corpus
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.registry.taxonomy import load_taxonomy

Make = Callable[[Bench], Made]
"""Makes a config, or several."""


class Recipe(NamedTuple):
    """How a config is made.

    Attributes
    ----------
    needs : tuple of str
        Configs that come before it, and become part of the release too.
    make : callable
        Makes it, or them.
    """

    needs: tuple[str, ...]
    make: Make


def recipes(plan: Plan) -> dict[str, Recipe]:
    """Every config that can be built under a plan, each behind those that it needs.

    Examples
    --------
    >>> from evaluate_shelf.registry.generation import load_plan
    >>> recipes(load_plan("quickstart"))["all"].needs
    ('v0_4_core',)
    """
    return recipes_on(
        {name: partial(_slice, name) for name in plan.slices},
        _pool,
        {"transfer_gutenberg": _books, "transfer_lcshbench": _lcshbench},
    )


def recipes_on(
    slices: Mapping[str, Make], pool: Make, natural: Mapping[str, Make]
) -> dict[str, Recipe]:
    """Every config that follows from some corpora, however these are made.

    Parameters
    ----------
    slices : mapping of str to callable
        How each synthetic slice is made.
    pool : callable
        How `all` is made from them.
    natural : mapping of str to callable
        How each natural corpus is made.

    Returns
    -------
    dict of str to Recipe
        By config, each behind those that it needs.
    """
    known: dict[str, Recipe] = {name: Recipe((), make) for name, make in slices.items()}
    if slices:
        known["all"] = Recipe(tuple(slices), pool)
        known |= _tasks_on("all", tuple(PAIR_TASKS), _retrieval_tasks())
        known["topic_classification"] = Recipe(("all",), _topics)
    return known | recipes_on_natural(natural)


def recipes_on_natural(natural: Mapping[str, Make]) -> dict[str, Recipe]:
    """Natural corpora and all that they come with, each config behind those that it needs.

    Parameters
    ----------
    natural : mapping of str to callable
        How each corpus is made.

    Returns
    -------
    dict of str to Recipe
        By config.
    """
    known: dict[str, Recipe] = {}
    for name, make in natural.items():
        known[name] = Recipe((), make)
        known |= _tasks_on(name, *TASKS_OF_NATURAL_CORPORA)
    return known


# What a natural corpus can be asked, having classes alone: it comes with these.
TASKS_OF_NATURAL_CORPORA = (("same_lcc_pairs",), ("lcc_retrieval",))


def companions(corpus: str) -> tuple[str, ...]:
    """What a natural corpus comes with, so that it can be asked in every formulation."""
    return tuple(subset_name(corpus, task) for tasks in TASKS_OF_NATURAL_CORPORA for task in tasks)


def _retrieval_tasks() -> tuple[str, ...]:
    wanted = ("retrieval", "instruction_retrieval")
    return tuple(task.id for task in load_tasks().values() if task.formulation in wanted)


def _tasks_on(corpus: str, pairs: tuple[str, ...], searches: tuple[str, ...]) -> dict[str, Recipe]:
    searched = f"{corpus}-corpus"
    return {
        **{subset_name(corpus, t): Recipe((corpus,), partial(_pairs, corpus, t)) for t in pairs},
        searched: Recipe((corpus,), partial(_corpus, corpus)),
        **{
            subset_name(corpus, t): Recipe((corpus, searched), partial(_search, corpus, t))
            for t in searches
        },
    }


def _slice(name: str, bench: Bench) -> Made:
    request, staging = bench.request, bench.staging
    written = request.written
    labels = sha256_of_json(repr(load_taxonomy(request.taxonomy)))

    def build() -> StagedConfig:
        if written is not None:
            pieces = gated_corpus(written, staging, bench.progress)
            return build_written_slice(name, written, pieces, seed=request.seed, staging=staging)
        return build_slice(
            name,
            request.plan,
            seed=request.seed,
            staging=staging,
            progress=bench.progress,
            taxonomy=request.taxonomy,
        )

    own = written.content_id if written else request.plan.slices[name].model_dump(mode="json")  # type: ignore[index]
    made = bench.finished(name, [own, labels, GATES_VERSION], build)
    return replace(made, gate_tables=(gate_table_file(name, staging),))


def _pool(bench: Bench) -> Made:
    sources = [bench.built[name] for name in bench.request.plan.slices]
    inputs = [[source.name, content_id(source)] for source in sources]
    return bench.finished("all", inputs, lambda: build_pool(sources, bench.staging))


def _books(bench: Bench) -> Made:
    request = bench.request
    if request.catalogue is None or request.texts is None:
        raise ShelfError("transfer_gutenberg needs --catalog FILE and --texts DIR")
    config, books = build_gutenberg(
        corpus("transfer_gutenberg"),
        request.catalogue,
        request.texts,
        seed=request.seed,
        passages_per_work=request.passages_per_work,
        staging=bench.staging,
        progress=bench.progress,
    )
    path = "reports/transfer_gutenberg_refused.tsv"
    refused = [f"refused: {number}, {title}: {reason}" for number, title, reason in books.refused]
    return Made(
        (config,),
        reports={path: table_of_refused(books.refused)},
        messages=shortened(refused, path),
    )


def _lcshbench(bench: Bench) -> Made:
    if bench.request.lcshbench is None:
        raise ShelfError("transfer_lcshbench needs --lcshbench DIR")
    config, refused = build_lcshbench(
        bench.request.lcshbench, seed=bench.request.seed, staging=bench.staging
    )
    return Made((config,), reports={"reports/transfer_lcshbench_dropped.tsv": refused})


def _pairs(source_name: str, task: str, bench: Bench) -> Made:
    source, plan = bench.built[source_name], bench.request.plan
    name = subset_name(source_name, task)
    made = bench.finished(
        name,
        [content_id(source), plan.pairs.model_dump(), plan.uses_per_document],
        lambda: build_pairs(
            name, PAIR_TASKS[task], source, plan, seed=bench.request.seed, staging=bench.staging
        ),
    )
    report = (bench.staging / "configs" / f"{name}.tsv").read_bytes()
    return Made(made.configs, reports={f"reports/{name}.tsv": report})


def _corpus(source_name: str, bench: Bench) -> Made:
    source = bench.built[source_name]
    return bench.finished(
        f"{source_name}-corpus", [content_id(source)], lambda: build_corpus(source, bench.staging)
    )


def _topics(bench: Bench) -> Made:
    source = bench.built["all"]
    name = "topic_classification"
    return bench.finished(
        name, [content_id(source)], lambda: build_topic_classification(source, name, bench.staging)
    )


def _search(source_name: str, task: str, bench: Bench) -> Made:
    name = subset_name(source_name, task)
    configs = build_search(
        name, load_tasks()[task], bench.built[source_name], bench.request.seed, bench.staging
    )
    return Made(configs, aliases={f"{name}-corpus": f"{source_name}-corpus"})
