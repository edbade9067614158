"""What a dataset repository shows beside its data: card, caveats, Croissant, evaluation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

import pyarrow as pa
import yaml

from builders.corpora.built import BuiltConfig
from builders.release.data_files import with_features
from evaluate_shelf.registry.tasks import load_tasks
from evaluate_shelf.release.card_front import configs_entry, features_entry, split_entries
from evaluate_shelf.release.manifest import DataFile

TEMPLATES = Path(__file__).resolve().parents[2] / "dataset_card"
_LICENCE = "cc-by-4.0"


def card(name: str, configs: Sequence[BuiltConfig], files: Mapping[str, DataFile]) -> str:
    """The dataset's README: YAML that is made from the Parquet files, then the prose.

    Parameters
    ----------
    name : str
        Of the release.
    configs : sequence of BuiltConfig
        The first of them is the default.
    files : mapping of str to DataFile
        By path.

    Returns
    -------
    str
        `configs` and `dataset_info` of the YAML agree with the files by construction.
    """
    front = {
        "license": _LICENCE,
        "language": "en",
        "pretty_name": "SHELF",
        "task_categories": ["text-classification", "text-retrieval", "sentence-similarity"],
        "tags": ["benchmark", "library-of-congress", "bibliography"],
        "configs": [
            configs_entry(config.name, config.splits, is_default=config is configs[0])
            for config in configs
        ],
        "dataset_info": [_dataset_info(config, files) for config in configs],
    }
    prose = _template("README.md").substitute(
        name=name, configs=_table_of_configs(configs), first=configs[0].name
    )
    text = yaml.safe_dump(front, sort_keys=False, allow_unicode=True, width=100)
    return f"---\n{text}---\n\n{prose}"


def caveats(configs: Sequence[BuiltConfig]) -> str:
    """`CAVEATS.md`: the general ones, and what each config's build had to note."""
    notes = []
    for config in configs:
        notes.extend([f"## `{config.name}`", "", f"Source: {config.source}.", ""])
        notes.extend(f"- {note}" for note in config.notes)
        notes.append("")
    return _template("CAVEATS.md").substitute(notes="\n".join(notes))


def croissant(name: str, configs: Sequence[BuiltConfig], files: Mapping[str, DataFile]) -> str:
    """`croissant.json` (Croissant 1.0): a file object a Parquet file, a record set a split."""
    base = json.loads((TEMPLATES / "croissant.json").read_text(encoding="utf-8"))
    base["name"] = f"shelf-{name}"
    base["distribution"] = [
        {
            "@type": "cr:FileObject",
            "@id": path,
            "name": path,
            "contentUrl": path,
            "contentSize": f"{file.bytes} B",
            "encodingFormat": "application/x-parquet",
            "sha256": file.sha256,
        }
        for path, file in sorted(files.items())
    ]
    schemas = {config.name: next(iter(config.splits.values())).schema for config in configs}
    base["recordSet"] = [
        _record_set(path, schemas[file.config]) for path, file in sorted(files.items())
    ]
    return json.dumps(base, ensure_ascii=False, indent=2) + "\n"


def evaluation(configs: Sequence[BuiltConfig]) -> str:
    """`eval.yaml` for the Hub's community evaluations: the tasks that read a whole config.

    The Hub takes only the frameworks that it lists; of these, mteb runs tasks of this form.
    """
    names = {config.name for config in configs if config.kind == "documents"}
    tasks = [
        {"id": f"{task.id}.{name}", "config": name, "split": "test"}
        for name in sorted(names)
        for task in load_tasks().values()
        if task.available and task.formulation == "classification" and task.facet == "subject"
    ]
    value = {
        "name": "SHELF",
        "description": "Bibliographic work: what a document is about and what kind it is.",
        "evaluation_framework": "mteb",
        "tasks": tasks,
    }
    return yaml.safe_dump(value, sort_keys=False)


def _template(name: str) -> Template:
    return Template((TEMPLATES / name).read_text(encoding="utf-8"))


def _dataset_info(config: BuiltConfig, files: Mapping[str, DataFile]) -> dict[str, Any]:
    own = [file for file in files.values() if file.config == config.name]
    tables = {split: with_features(table) for split, table in config.splits.items()}
    rows = [(split, table.nbytes, table.num_rows) for split, table in tables.items()]
    return {
        "config_name": config.name,
        "features": features_entry(next(iter(tables.values())).schema),
        "splits": split_entries(rows),
        "download_size": sum(file.bytes for file in own),
        "dataset_size": sum(num_bytes for _, num_bytes, _ in rows),
    }


def _table_of_configs(configs: Sequence[BuiltConfig]) -> str:
    lines = [
        "| config | rows are | train | validation | test | source |",
        "|---|---|--:|--:|--:|---|",
    ]
    for config in configs:
        rows = [
            str(config.splits[split].num_rows) if split in config.splits else "–"
            for split in ("train", "validation", "test")
        ]
        lines.append(f"| `{config.name}` | {config.kind} | {' | '.join(rows)} | {config.source} |")
    return "\n".join(lines)


def _record_set(path: str, schema: pa.Schema) -> dict[str, Any]:
    identity = path.removeprefix("data/").removesuffix(".parquet")
    return {
        "@type": "cr:RecordSet",
        "@id": identity,
        "name": identity,
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{identity}/{field.name}",
                "name": field.name,
                "dataType": _croissant_type(field.type),
                **({"repeated": True} if pa.types.is_list(field.type) else {}),
                "source": {"fileObject": {"@id": path}, "extract": {"column": field.name}},
            }
            for field in schema
        ],
    }


def _croissant_type(kind: pa.DataType) -> str:
    if pa.types.is_list(kind):
        return _croissant_type(kind.value_type)
    if pa.types.is_integer(kind):
        return "sc:Integer"
    if pa.types.is_floating(kind):
        return "sc:Float"
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    return "sc:Text"
