"""The reported scores as runs: without items, and so without any interval."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pyarrow as pa

from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.reported.source import (
    Arm,
    ReportedModel,
    ReportedPanel,
    ReportedScore,
    load_reported,
)
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.runs.schema import (
    SCORES_SCHEMA,
    RunData,
    RunFile,
    RunModel,
    RunProtocol,
    TaskRecord,
)

AS_PUBLISHED = "as published"
"""Release, protocol and revision of a reported run: what was published does not say more."""


def reported_runs(
    corpus: str | None = None, *, arm: Arm = "none", folder: Path | None = None
) -> list[Run]:
    """The published panel's scores, one run a model and corpus.

    Parameters
    ----------
    corpus : str, default=None
        `all`, `transfer_gutenberg` or `transfer_lcshbench`; all three without it.
    arm : {'none', 'masked', 'sham'}, default='none'
        What was done to the texts.
    folder : pathlib.Path or None
        The configuration folder. None: the one of the installation.

    Returns
    -------
    list of Run
        With `Run.reported` naming the source; their scores have neither interval nor number of
        items. A corpus without reported scores gives none.

    Examples
    --------
    >>> runs = reported_runs("all")
    >>> len(runs), runs[0].file.model.name, runs[0].file.data.config
    (28, 'BERT', 'all')
    """
    panel = load_reported(folder)
    scores: dict[tuple[str, str], list[ReportedScore]] = defaultdict(list)
    for score in panel.scores:
        scores[score.config, score.model].append(score)
    wanted = [c.config for c in panel.source.corpora if c.arm == arm and corpus in (None, c.corpus)]
    return [
        _run(panel, config, panel.models[model], own)
        for config in wanted
        for model in panel.models
        if (own := scores[config, model])
    ]


def _run(panel: ReportedPanel, config: str, model: ReportedModel, own: list[ReportedScore]) -> Run:
    file = RunFile(
        run_version=2,
        run_id=f"reported-{config}-{model.model}",
        model=RunModel(
            name=model.name,
            spec=model.model,
            kind=model.kind,
            revision=AS_PUBLISHED,
            settings={} if model.checkpoint is None else {"checkpoint": model.checkpoint},
            parameters=model.parameters,
            dimension=model.dimension,
            max_tokens=None,
        ),
        data=RunData(
            release_id=AS_PUBLISHED,
            release_name="SHELF",
            config=config,
            content_sha256={config: AS_PUBLISHED},
        ),
        protocol=RunProtocol(id=AS_PUBLISHED, version=1, key=AS_PUBLISHED),
        limit=None,
        seeds={},
        threads={},
        versions={},
        hardware={},
        tokens=None,
        money_usd=None,
        tasks={score.task: TaskRecord(status="done") for score in own},
        files={},
    )
    primary = {task.id: task.primary_metric for task in load_tasks().values()}
    rows = [
        {
            **dict.fromkeys(SCORES_SCHEMA.names),
            "task": score.task,
            "metric": score.metric,
            "primary": score.metric == primary[score.task],
            "value": score.value,
        }
        for score in own
    ]
    table = pa.Table.from_pylist(rows, schema=SCORES_SCHEMA)
    return Run(Path("configs/reported"), file, table, reported=panel.source.source)
