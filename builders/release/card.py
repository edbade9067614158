"""What a dataset repository shows to people: the card and the caveats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from builders.release.columns import Family, families
from builders.release.figures.figure import Figure
from builders.release.front import front_matter
from builders.release.label_counts import by_split, label_counts, totals_of
from builders.release.markdown import code, plain, table
from builders.release.origins import (
    SYNTHETIC,
    Origin,
    distinct_documents,
    documents_of,
    origins_in,
    origins_of,
)
from builders.release.task_of import subset_of, task_of
from builders.release.templates import rendered
from builders.staging.config import StagedConfig
from builders.taxonomies.foreign import ForeignLabels, in_words
from evaluate_shelf.registry.tasks import Task
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy
from evaluate_shelf.release.manifest import SPLITS, DataFile, Kind

_KINDS: dict[Kind, str] = {
    "documents": "documents",
    "pairs": "pairs",
    "selection": "texts",
    "qrels": "relevance",
    "instructions": "instructions",
}
_KEPT_TOGETHER = {
    "spec_id": "the versions of one specification",
    "pair_id": "the two documents of a minimal pair",
}
_GROUPS: dict[Origin, str] = {
    "composed": "the versions of one specification, or the two documents of a minimal pair",
    "written": "the versions of one specification, or the two documents of a minimal pair",
    "generated": "the versions of one specification, or the two documents of a minimal pair",
    "books": "the passages of one writer or work",
    "lcshbench": "the records of one work",
    "records": "the records of one work",
}
_LICENCES: dict[Origin, tuple[str, str]] = {
    "composed": ("texts and labels composed here", "CC BY 4.0"),
    "written": (
        "texts that language models wrote to order, and their labels",
        "CC BY 4.0, as far as the terms of these models allow it",
    ),
    "generated": ("texts and labels of the published release", "CC BY 4.0 (reported)"),
    "books": (
        "passages of books from Project Gutenberg",
        "the texts are in the public domain in the USA; elsewhere, look at the law of your country",
    ),
    "lcshbench": ("records of LCSHBench", "CC0 (reported)"),
    "records": (
        "a library's own records",
        "what that library states (see their notes in `CAVEATS.md`); SHELF gives no right to them",
    ),
}

_NO_LICENCE = "not on record: ask whoever publishes them"
_MOST_CLASSES = 100


def card(
    name: str,
    configs: Sequence[StagedConfig],
    files: Mapping[str, DataFile],
    aliases: Mapping[str, str],
    figures: Sequence[Figure] = (),
    taxonomy: Taxonomy | None = None,
    foreign: Sequence[ForeignLabels] = (),
) -> str:
    """The dataset's README: YAML that is made from the Parquet files, then the prose.

    Parameters
    ----------
    name : str
        Of the release.
    configs : sequence of StagedConfig
        The first of them is the default.
    files : mapping of str to DataFile
        By path.
    aliases : mapping of str to str
        Second names of configs.
    figures : sequence of Figure, default=()
        What is shown of the data.
    taxonomy : Taxonomy, default=None
        Its labels; those of the installation without it.
    foreign : sequence of ForeignLabels, default=()
        Those of them that are not SHELF's.

    Returns
    -------
    str
        Markdown. `configs` and `dataset_info` of the YAML agree with the files by construction.
    """
    labels = taxonomy or load_taxonomy()
    origins = origins_in(configs)
    described = families(configs, foreign)
    pairs = [config for config in configs if config.info.kind == "pairs"]
    return rendered(
        "README.md",
        front=front_matter(configs, files, aliases, foreign),
        name=name,
        first=configs[0].name,
        configs=configs,
        names={*(config.name for config in configs), *aliases},
        kinds={config.info.kind for config in configs},
        documents=distinct_documents(configs),
        origins=origins,
        synthetic=any(origin in SYNTHETIC for origin in origins),
        natural=any(origin not in SYNTHETIC for origin in origins),
        config_table=_config_table(configs),
        aliases=aliases,
        alias_table=table(
            ["name", "loads"], [(code(own), code(other)) for own, other in aliases.items()]
        ),
        families=described,
        column_tables=[_column_table(family) for family in described],
        split_table=_split_table(configs),
        pair_table=_count_table(pairs, "label"),
        hard_pairs=[own.name for own in pairs if "lexical_overlap" in own.info.schema.names],
        stratum_table=_count_table(pairs, "relation_stratum"),
        search_table=_search_table(configs, aliases),
        label_table=_label_table(configs, labels),
        class_list=_class_list(configs, labels),
        foreign=foreign,
        foreign_words=plain(in_words(foreign)),
        foreign_facets={own.facet for own in foreign},
        foreign_table=_foreign_table(foreign),
        figures=figures,
        figure_tables=[_figure_table(figure) for figure in figures],
        licence_table=_licence_table(origins, foreign),
    )


def caveats(configs: Sequence[StagedConfig], foreign: Sequence[ForeignLabels] = ()) -> str:
    """`CAVEATS.md`: the general ones, and what each import and each config's build had to note."""
    origins = origins_in(configs)
    return rendered(
        "CAVEATS.md",
        configs=configs,
        origins=origins,
        synthetic=any(origin in SYNTHETIC for origin in origins),
        foreign=foreign,
        foreign_facets={own.facet for own in foreign},
    )


def _config_table(configs: Sequence[StagedConfig]) -> str:
    rows = [
        (
            code(config.name),
            _KINDS[config.info.kind],
            *(config.rows(split) if split in config.splits else "–" for split in SPLITS),
            plain(config.info.source),
        )
        for config in configs
    ]
    return table(["config", "rows are", *SPLITS, "made from"], rows)


def _column_table(family: Family) -> str:
    partial = any(column.configs for column in family.columns)
    rows = [
        (
            code(column.name),
            plain(column.kind),
            *((_where(column.configs, family.configs),) if partial else ()),
            column.meaning.replace("|", "\\|"),
        )
        for column in family.columns
    ]
    return table(["column", "type", *(["in"] if partial else []), "meaning"], rows)


def _where(having: Sequence[str], configs: Sequence[str]) -> str:
    """The configs that have a column, or those that lack it where they are fewer."""
    lacking = [name for name in configs if name not in having]
    if not having:
        return "all"
    if len(lacking) < len(having):
        return f"all but {', '.join(map(code, lacking))}"
    return ", ".join(map(code, having))


def _split_table(configs: Sequence[StagedConfig]) -> str:
    rows = []
    for config in documents_of(configs):
        column = config.info.group_column
        together = _KEPT_TOGETHER.get(column or "", _GROUPS[origins_of(config)[0]])
        kept = f"{together} ({code(column)})" if column else "nothing: each document by itself"
        rows.append((code(config.name), kept))
    return table(["config", "in one split stay"], rows)


def _count_table(configs: Sequence[StagedConfig], column: str) -> str:
    """Rows by label and split; empty where no config has the column."""
    rows = [
        (code(config.name), plain(label), *by_split(counts, label))
        for config in configs
        for counts in [label_counts(config, column)]
        for label in totals_of(counts)
    ]
    return table(["config", column.replace("_", " "), *SPLITS], rows) if rows else ""


def _search_table(configs: Sequence[StagedConfig], aliases: Mapping[str, str]) -> str:
    by_name = {config.name: config for config in configs}
    rows = []
    for config in configs:
        if config.info.kind != "qrels":
            continue
        subset = subset_of(config)
        corpus = aliases.get(f"{subset}-corpus", f"{subset}-corpus")
        sizes = [
            by_name[name].rows() if name in by_name else "–"
            for name in (f"{subset}-queries", corpus)
        ]
        rows.append((code(subset), _relevant(task_of(config)), *sizes, config.rows()))
    head = ["X", "relevant is a document with", "queries", "searched documents", "relevances"]
    return table(head, rows) if rows else ""


def _relevant(task: Task | None) -> str:
    if task is None:
        return "what the source says"
    anchor = task.anchor_field or task.label_field
    shared = f"{'one of ' if anchor == 'topics' else ''}the query's {code(anchor)}"
    if task.contrast_field is None:
        return shared
    return f"{shared}, and not the query's {code(task.contrast_field)}"


def _label_table(configs: Sequence[StagedConfig], taxonomy: Taxonomy) -> str:
    spaces = (
        ("subject", "lcc_code", len(taxonomy.classes)),
        ("category of genre and form", "lcgft_category", len(taxonomy.categories)),
        ("genre or form", "lcgft_form", len(taxonomy.forms)),
        ("topic", "topics", len(taxonomy.topics)),
        ("audience", "audience", len(taxonomy.audiences)),
        ("register", "register", len(taxonomy.registers)),
        ("place", "geographic", len(taxonomy.places)),
    )
    rows = []
    for facet, column, size in spaces:
        found: set[str] = set()
        for config in documents_of(configs):
            found.update(totals_of(label_counts(config, column)))
        if found:
            rows.append((facet, code(column), size, len(found)))
    return table(["facet", "column", "labels in the taxonomy", "labels in this release"], rows)


def _class_list(configs: Sequence[StagedConfig], taxonomy: Taxonomy) -> str:
    found: set[str] = set()
    for config in documents_of(configs):
        found.update(totals_of(label_counts(config, "lcc_code")))
    subjects = [subject for subject in taxonomy.classes if subject.code in found]
    shown = [f"{plain(own.code)} {plain(own.name)}" for own in subjects[:_MOST_CLASSES]]
    more = len(subjects) - len(shown)
    return "; ".join([*shown, *([f"and {more:,} more, in `taxonomy/lcc.yaml`"] if more else [])])


def _foreign_table(foreign: Sequence[ForeignLabels]) -> str:
    rows = [
        (
            own.slot.labels,
            ", ".join(map(code, own.slot.columns)),
            plain(own.name),
            plain(own.uri) or "not on record",
            own.labels,
            plain(own.file) or "not on record",
            plain(own.licence) or _NO_LICENCE,
        )
        for own in foreign
    ]
    head = ["labels", "columns", "vocabulary", "its address", "how many", "from the file", "under"]
    return table(head, rows)


def _figure_table(figure: Figure) -> str:
    if figure.shown_rows is None:
        return ""
    rows = [[_cell(cell) for cell in row] for row in figure.shown_rows]
    return table([plain(name) for name in figure.shown_header], rows)


def _cell(cell: object) -> object:
    return plain(cell) if isinstance(cell, str) else cell


def _licence_table(origins: Sequence[Origin], foreign: Sequence[ForeignLabels]) -> str:
    rows = [_LICENCES[origin] for origin in origins]
    rows += [
        (f"{own.slot.labels}, labels of {plain(own.name)}", plain(own.licence) or _NO_LICENCE)
        for own in foreign
    ]
    rows.append(("choice, splits, pairs, queries, tables, figures and this card", "CC BY 4.0"))
    return table(["what", "under"], rows)
