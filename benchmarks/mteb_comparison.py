"""Measure three tasks through mteb's own evaluators beside SHELF's, and print Markdown.

    pip install mteb-core==2.26.24 pytrec-eval-terrier
    python -m benchmarks.mteb_comparison --data RELEASE > benchmarks/mteb_comparison.md

Both are given the same stored vectors. RELEASE is a folder that `shelf build` made. With --work,
vectors that lie there already are not computed again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.measuring import in_fresh_process, machine, peak_gib, spread, table, timed, told
from benchmarks.models import HashedWords
from evaluate_shelf.embeddings.encoding import encode_all
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.models.protocol import ModelIdentity, Vectors
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.registry.tasks import task as task_named
from evaluate_shelf.release.documents import Documents, Release

LABEL = "lcc_code"
BATCH = 1024
WARM_UP = 200
TASKS = ("lcc_classification", "lcc_clustering", "lcc_retrieval")
METRICS = {
    "lcc_classification": ("macro_f1", "f1"),
    "lcc_clustering": ("v_measure", "v_measure"),
    "lcc_retrieval": ("ndcg_at_10", "ndcg_at_10"),
}
"""By task, the metric that both have: as SHELF and as mteb call it."""

PAGE = """# Three tasks through mteb's evaluators

Subject classification, clustering and retrieval on config `{config}`: {train:,} documents in
train, {corpus:,} in the searched corpus, {test:,} in test, of which retrieval asks
{queries:,}{cap}. Vectors of {dimension} dimensions, the same for both, by document from a file.
Each measurement is in a fresh process, data and vectors read and the task done once on {warm_up}
documents a split before the clock starts; mteb is given the threads that it takes by itself.
{repeats} in turn, least / median. Made by

```sh
python -m benchmarks.mteb_comparison --data RELEASE{arguments}
```

{table}

*Ratio*: mteb's least time by SHELF's. SHELF's time includes intervals from 2,000 resamples, which
mteb does not give, and leaves out the shuffled-label control. mteb is called as
`mteb.evaluate(model, task, cache=None)` on tasks of its own classes, with its own settings but for
those named here.

What differs:

- Classification. mteb draws 8 examples a class, ten times; here it is given the whole training
  split (`samples_per_label` as large as the split), once (`n_experiments = 1`), since ten draws of
  everything are one. Its probe stops after 100 iterations; SHELF's goes on to the optimum of the
  same objective. mteb computes seven metrics, SHELF three with intervals.
- Clustering. mteb clusters ten samples drawn with replacement, here of as many documents as test
  has (`max_documents_per_cluster`, its limit on documents lifted), by mini-batch k-means with one
  start each, and takes the mean; SHELF clusters the documents themselves by full k-means with ten
  starts, of which the best counts, at one seed. Two copies of a document in a sample agree with
  each other, which raises mteb's V-measure.
- Retrieval. mteb's depth is 1,000, here 100 as SHELF's (`k_values` up to 100). Ties go by id in
  both, upwards in SHELF, downwards in mteb. SHELF rounds scores to six decimals before it orders
  them, and gives graded nDCG too; mteb gives precision, hit rate and the areas under abstention
  curves.{queries_note}
- Texts. mteb's tasks are given document ids in place of texts, so that it spends no time on
  reading texts that are encoded already.

{machine}
"""


class Stored:
    """Vectors by document id: a `Lookup` to SHELF, and what mteb's encoder looks up.

    Parameters
    ----------
    folder : pathlib.Path
        With `vectors.npy` and `ids.json`, as `kept` leaves them.
    """

    def __init__(self, folder: Path) -> None:
        self._vectors = np.load(folder / "vectors.npy")
        ids = json.loads((folder / "ids.json").read_text(encoding="utf-8"))
        self._row = {own: row for row, own in enumerate(ids)}

    def vectors_of(self, ids: Sequence[str]) -> Vectors:
        """Vectors of documents, shape (n_ids, dimension)."""
        found: Vectors = self._vectors[[self._row[own] for own in ids]]
        return found


@dataclass(frozen=True)
class Asked(TaskData):
    """As `TaskData`, with the first `n_queries` documents of the test split alone."""

    n_queries: int | None = None

    @cached_property
    def test(self) -> Documents:
        """What is asked."""
        whole = self._split("test")
        n = len(whole) if self.n_queries is None else min(self.n_queries, len(whole))
        return whole.take(list(range(n)))


class Given(NamedTuple):
    """What both are given.

    Attributes
    ----------
    data, work : pathlib.Path
        Release, and folder of the vectors.
    config : str
        Of documents.
    queries : int or None
        How many test documents retrieval asks; all where it is None.
    limit : int or None
        Documents a split, for a trial.
    """

    data: Path
    work: Path
    config: str
    queries: int | None
    limit: int | None

    def of(self, task: str) -> TaskData:
        """The data of a task, read."""
        n = self.queries if task == "lcc_retrieval" else None
        data = Asked(Release.open(self.data), self.config, self.limit, n_queries=n)
        for part in (data.corpus, data.test):
            part.column(LABEL)
        return data

    def warm_up(self) -> Given:
        """A small part of it: what is imported late is there before the clock starts."""
        return self._replace(limit=min(self.limit or WARM_UP, WARM_UP))


class Measured(NamedTuple):
    """What a task took, its score, and the most memory of the process in GiB."""

    seconds: float
    score: float
    peak: float


def kept(given: Given) -> None:
    """Leave the vectors of all documents in the folder of work."""
    ids_file = given.work / "ids.json"
    data = TaskData(Release.open(given.data), given.config, given.limit)
    ids = list(data.all.ids)
    if ids_file.is_file() and json.loads(ids_file.read_text(encoding="utf-8")) == ids:
        return
    texts = data.all.column("text")
    vectors = encode_all(HashedWords(), ids, texts, role="document", batch_size=BATCH)
    given.work.mkdir(parents=True, exist_ok=True)
    np.save(given.work / "vectors.npy", vectors)
    ids_file.write_text(json.dumps(ids), encoding="utf-8")


def by_shelf(given: Given, name: str) -> Measured:
    """Predict and score as an evaluation does, at one seed of k-means, without the control."""
    from evaluate_shelf.formulations.notes import Notes
    from evaluate_shelf.formulations.registry import formulation_of
    from evaluate_shelf.formulations.workspace import Workspace
    from evaluate_shelf.runs.threads import protocol_threads

    protocol = load_protocol()
    kmeans = protocol.kmeans.model_copy(update={"median_seeds": (protocol.kmeans.seed,)})
    protocol = protocol.model_copy(update={"kmeans": kmeans})
    task, stored = task_named(name), Stored(given.work)
    formulation = formulation_of(task)
    identity = ModelIdentity("stored", "stored", "precomputed", "1")

    def run(data: TaskData, notes: Notes) -> float:
        work = Workspace(stored, identity, protocol, notes=notes)
        items = formulation.predict(task, data, work)
        scores = formulation.score(task, data, items, protocol)
        return next(s.value for s in scores if s.metric == METRICS[name][0])

    data, notes = given.of(name), Notes()
    with protocol_threads(protocol):
        run(given.warm_up().of(name), Notes())
        score, taken = timed(lambda: run(data, notes))
    return Measured(taken.seconds - notes.seconds.get("control", 0.0), score, peak_gib())


def by_mteb(given: Given, name: str) -> Measured:
    """Evaluate a task of mteb's own class."""
    import mteb
    from datasets import disable_progress_bars

    disable_progress_bars()
    model = _lookup(Stored(given.work))

    def run(task: Any) -> float:
        result = mteb.evaluate(
            model,
            task,
            cache=None,
            co2_tracker=False,
            encode_kwargs={"batch_size": BATCH, "show_progress_bar": False},
            show_progress_bar=False,
        )
        (scores,) = result.task_results[0].scores["test"]
        return float(scores[METRICS[name][1]])

    task = _MADE[name](given.of(name))
    run(_MADE[name](given.warm_up().of(name)))
    score, taken = timed(lambda: run(task))
    return Measured(taken.seconds, score, peak_gib())


def _lookup(stored: Stored) -> Any:
    """An encoder of mteb that finds the vector of a text that is an id."""
    from mteb.models import ModelMeta
    from mteb.models.abs_encoder import AbsEncoder
    from mteb.models.model_meta import ScoringFunction

    class Lookup(AbsEncoder):  # type: ignore[misc]
        mteb_model_meta = ModelMeta.create_empty(
            {
                "name": "benchmarks/stored",
                "revision": "1",
                "similarity_fn_name": ScoringFunction.COSINE,
                "framework": ["NumPy"],
            }
        )

        def encode(self, inputs: Any, **_: Any) -> NDArray[np.float32]:
            return stored.vectors_of([own for batch in inputs for own in batch["text"]])

    return Lookup()


def _classification(data: TaskData) -> Any:
    from mteb.abstasks import AbsTaskClassification

    splits = {"train": _labelled(data.train), "test": _labelled(data.test)}
    own = {"samples_per_label": len(data.train), "n_experiments": 1}
    return _task("Classification", "f1", AbsTaskClassification, {"default": splits}, own)


def _clustering(data: TaskData) -> Any:
    from mteb.abstasks import AbsTaskClustering

    own = {
        "max_fraction_of_documents_to_embed": None,
        "max_documents_per_cluster": len(data.test),
        "input_column_name": "text",
        "label_column_name": "label",
    }
    splits = {"test": _labelled(data.test)}
    return _task("Clustering", "v_measure", AbsTaskClustering, {"default": splits}, own)


def _retrieval(data: TaskData) -> Any:
    from datasets import Dataset
    from mteb.abstasks import AbsTaskRetrieval

    relevant: dict[str, dict[str, int]] = {}
    for identity, label in zip(data.corpus.ids, data.corpus.column(LABEL), strict=True):
        relevant.setdefault(label, {})[identity] = 1
    asked = zip(data.test.ids, data.test.column(LABEL), strict=True)
    split = {
        "corpus": Dataset.from_dict({"id": data.corpus.ids, "text": data.corpus.ids}),
        "queries": Dataset.from_dict({"id": data.test.ids, "text": data.test.ids}),
        "relevant_docs": {query: relevant.get(label, {}) for query, label in asked},
        "top_ranked": None,
    }
    own = {"k_values": (1, 3, 5, 10, 20, 100)}
    return _task("Retrieval", "ndcg_at_10", AbsTaskRetrieval, {"default": {"test": split}}, own)


_MADE: dict[str, Callable[[TaskData], Any]] = dict(
    zip(TASKS, (_classification, _clustering, _retrieval), strict=True)
)


def _labelled(documents: Documents) -> Any:
    from datasets import Dataset

    return Dataset.from_dict({"text": documents.ids, "label": documents.column(LABEL)})


def _task(kind: str, metric: str, base: type, dataset: Any, own: dict[str, Any]) -> Any:
    """A task of one of mteb's classes, with its data."""
    from mteb import TaskMetadata

    metadata = TaskMetadata(
        name=f"Shelf{kind}",
        description="Library of Congress classes of documents",
        type=kind,
        dataset={"path": "shelf", "revision": "1"},
        eval_langs=["eng-Latn"],
        eval_splits=["test"],
        main_score=metric,
    )
    task = type(f"Shelf{kind}", (base,), {"metadata": metadata, **own})()
    task.dataset, task.data_loaded = dataset, True
    return task


def rows(given: Given, repeats: int) -> Iterable[list[str]]:
    """Measure each task in turn: mteb, SHELF, mteb, SHELF, ..."""
    for name in TASKS:
        runs: dict[str, list[Measured]] = {"mteb": [], "SHELF": []}
        for _ in range(repeats):
            for side, measure in (("mteb", by_mteb), ("SHELF", by_shelf)):
                told(f"{name}, {side}")
                runs[side].append(in_fresh_process(measure, given, name))
        mteb, shelf = runs["mteb"], runs["SHELF"]
        ratio = min(m.seconds for m in mteb) / min(m.seconds for m in shelf)
        yield [
            name,
            spread([m.seconds for m in mteb], 1),
            spread([m.seconds for m in shelf], 1),
            f"**{ratio:.1f}**",
            f"{max(m.peak for m in mteb):.2f}",
            f"{max(m.peak for m in shelf):.2f}",
            f"{METRICS[name][0]} {mteb[0].score:.4f}",
            f"{shelf[0].score:.4f}",
        ]


HEADER = ("task", "mteb, s", "SHELF, s", "ratio", "mteb, GiB", "SHELF, GiB", "mteb", "SHELF")


def page(given: Given, repeats: int) -> str:
    """Measure everything and say what came out."""
    told("vectors")
    in_fresh_process(kept, given)
    data = TaskData(Release.open(given.data), given.config, given.limit)
    queries = len(data.test) if given.queries is None else min(given.queries, len(data.test))
    trial = f", A TRIAL OF {given.limit} DOCUMENTS A SPLIT" if given.limit else ""
    return PAGE.format(
        config=given.config,
        train=len(data.train),
        corpus=len(data.corpus),
        test=len(data.test),
        queries=queries,
        cap=trial,
        dimension=HashedWords.dimension,
        warm_up=WARM_UP,
        repeats=f"{repeats} of each",
        arguments=f" --queries {given.queries}" if given.queries else "",
        table=table(HEADER, rows(given, repeats)),
        queries_note=QUERIES_NOTE.format(queries=queries) if queries < len(data.test) else "",
        machine=machine("mteb-core", "datasets", "torch"),
    )


QUERIES_NOTE = """ Both are asked {queries:,} queries, the first of the test split: mteb
  hands its judgements on query by query, with an entry for each document of the query's class."""


def main() -> None:
    """Print the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of a release")
    parser.add_argument("--config", help="its default config without it")
    parser.add_argument("--queries", type=int, help="cap on those of retrieval")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--work", type=Path, help="folder of the vectors, kept")
    parser.add_argument("--limit", type=int, help="documents a split, for a trial")
    asked = parser.parse_args()
    config = asked.config or Release.open(asked.data).manifest.default_config
    with tempfile.TemporaryDirectory() as temporary:
        work = asked.work or Path(temporary)
        given = Given(asked.data, work, config, asked.queries, asked.limit)
        print(page(given, asked.repeats))


if __name__ == "__main__":
    main()
