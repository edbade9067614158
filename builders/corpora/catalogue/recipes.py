"""How a library's own records become configs."""

from __future__ import annotations

from dataclasses import replace

from builders.corpora.catalogue.config import build_catalogue, report_paths
from builders.corpora.catalogue.request import CatalogueRequest
from builders.recipes import Recipe, recipes_on_natural
from builders.request import Bench, Made

REPORT = "reports/records.json"
"""Where a release has the report on its records; the same as a table is beside it, as TSV."""


def catalogue_recipes(request: CatalogueRequest) -> dict[str, Recipe]:
    """The corpus of a library's own records, and what a natural corpus comes with.

    Parameters
    ----------
    request : CatalogueRequest
        The records.

    Returns
    -------
    dict of str to Recipe
        By config, each behind those that it needs.
    """
    name = request.choice.name

    def make(bench: Bench) -> Made:
        made = bench.finished(
            name,
            request.inputs(),
            lambda: build_catalogue(
                request, seed=bench.request.seed, staging=bench.staging, progress=bench.progress
            ),
        )
        paths = report_paths(name, bench.staging)
        return replace(
            made,
            reports={
                REPORT: paths["json"].read_bytes(),
                "reports/records.tsv": paths["tsv"].read_bytes(),
            },
            messages=tuple(paths["txt"].read_text(encoding="utf-8").split("\n")),
        )

    return recipes_on_natural({name: make})
