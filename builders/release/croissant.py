"""`croissant.json`: Croissant 1.1 with the extension for responsible AI, RAI 1.0."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import yaml

from builders.release.columns import meanings_with
from builders.release.front import licences
from builders.release.origins import ORIGINS, SYNTHETIC, Origin, languages_in, origins_in
from builders.release.templates import TEMPLATES
from builders.staging.config import StagedConfig
from builders.taxonomies.foreign import ForeignLabels, in_words
from evaluate_shelf.bounded import one_line
from evaluate_shelf.release.manifest import DataFile, Split

Json = dict[str, Any]

_PARQUET = "application/x-parquet"
_OWN_RECORDS = "For the records of a library: as that library states"
_VOCABULARIES = "(vocabularies)"
_KEYS = (("id",), ("query-id", "corpus-id"), ("query-id",))


def croissant(
    name: str,
    configs: Sequence[StagedConfig],
    files: Mapping[str, DataFile],
    foreign: Sequence[ForeignLabels] = (),
) -> str:
    """Describe a release for machines.

    Parameters
    ----------
    name : str
        Of the release.
    configs : sequence of StagedConfig
        Its configs; second names get no record sets of their own.
    files : mapping of str to DataFile
        Its Parquet files by path.
    foreign : sequence of ForeignLabels, default=()
        Its labels that are not SHELF's.

    Returns
    -------
    str
        JSON: a file object a Parquet file, a record set a config and split. There is no clock in
        it: the same release gives the same text.
    """
    origins = origins_in(configs)
    words = _words()
    value: Json = json.loads((TEMPLATES / "croissant.json").read_text(encoding="utf-8"))
    value["name"] = one_line(f"shelf-{name}", 300)
    known = (*origins, "imported_labels" if foreign else "own_labels")
    value["description"] = " ".join(_parts(words["description"], known)).replace(
        _VOCABULARIES, in_words(foreign)
    )
    value["inLanguage"] = languages_in(configs)
    value["license"] = _licence(value["license"], origins, foreign)
    if any(own.facet == "subject" for own in foreign):
        value["keywords"].remove("Library of Congress Classification")
    for field, parts in words["one"].items():
        if found := list(_parts(parts, known)):
            value[field] = " ".join(found)
    for field, parts in words["many"].items():
        if found := list(_parts(parts, known)):
            value[field] = found
    value["rai:hasSyntheticData"] = any(origin in SYNTHETIC for origin in origins)
    splits = [
        (config, split, _paths(files, config.name, split))
        for config in configs
        for split in config.splits
    ]
    value["distribution"] = [
        *(_file_object(path, file) for path, file in sorted(files.items())),
        *(_file_set(config.name, split) for config, split, paths in splits if len(paths) > 1),
    ]
    if not set(origins) - {"records"}:
        # A library's own records have no part in the published data's version.
        value["version"] = "1.0.0"
        del value["datePublished"]
    said = meanings_with(foreign, one_line)
    value["recordSet"] = [_record_set(*split, said) for split in splits]
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


@functools.cache
def _words() -> Json:
    words: Json = yaml.safe_load((TEMPLATES / "croissant.yaml").read_text(encoding="utf-8"))
    return words


def _parts(parts: Mapping[str, str], known: Sequence[str]) -> Iterator[str]:
    """The parts that hold for a release, of whose origins and labels something is known."""
    natural = [origin for origin in ORIGINS if origin not in SYNTHETIC]
    groups: dict[str, Sequence[str]] = {"synthetic": SYNTHETIC, "natural": natural}
    for key, text in parts.items():
        if key == "always" or set(groups.get(key, (key,))) & set(known):
            yield text


def _licence(
    own: str, origins: Sequence[Origin], foreign: Sequence[ForeignLabels]
) -> str | list[str]:
    found = [own if licence == "cc-by-4.0" else _OWN_RECORDS for licence in licences(origins)]
    found += [
        one_line(f"For {in_words([labels])}: {labels.licence or 'as their publisher states'}", 500)
        for labels in foreign
    ]
    return found[0] if len(found) == 1 else found


def _paths(files: Mapping[str, DataFile], config: str, split: Split) -> list[str]:
    return sorted(p for p, file in files.items() if (file.config, file.split) == (config, split))


def _file_object(path: str, file: DataFile) -> Json:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "contentSize": f"{file.bytes} B",
        "encodingFormat": _PARQUET,
        "sha256": file.sha256,
    }


def _file_set(config: str, split: Split) -> Json:
    identity = _file_set_id(config, split)
    return {
        "@type": "cr:FileSet",
        "@id": identity,
        "name": identity,
        "encodingFormat": _PARQUET,
        "includes": f"data/{config}/{split}-*.parquet",
    }


def _file_set_id(config: str, split: Split) -> str:
    return f"files/{config}/{split}"


def _record_set(
    config: StagedConfig, split: Split, paths: Sequence[str], said: Mapping[str, str]
) -> Json:
    identity = f"{config.name}/{split}"
    schema = config.info.schema
    key = next((key for key in _KEYS if set(key) <= set(schema.names)), ())
    source: Json = (
        {"fileObject": {"@id": paths[0]}}
        if len(paths) == 1
        else {"fileSet": {"@id": _file_set_id(config.name, split)}}
    )
    return {
        "@type": "cr:RecordSet",
        "@id": identity,
        "name": identity,
        "description": f"Rows of the config {config.name} in the split {split}.",
        **({"key": [{"@id": f"{identity}/{name}"} for name in key]} if key else {}),
        "field": [
            _field(
                f"{identity}/{field.name}",
                field,
                {**source, "extract": {"column": field.name}},
                said,
            )
            for field in schema
        ],
    }


def _field(identity: str, field: pa.Field, source: Json, said: Mapping[str, str]) -> Json:
    kind = field.type
    value: Json = {"@type": "cr:Field", "@id": identity, "name": field.name}
    if meaning := said.get(field.name):
        value["description"] = meaning
    if pa.types.is_struct(kind):
        value["source"] = source
        value["subField"] = [
            _field(
                f"{identity}/{own.name}",
                own,
                {**source, "transform": {"jsonPath": f"$.{own.name}"}},
                said,
            )
            for own in (kind.field(number) for number in range(kind.num_fields))
        ]
        return value
    if pa.types.is_list(kind):
        value |= {"dataType": _data_type(kind.value_type), "isArray": True, "arrayShape": "-1"}
    else:
        value["dataType"] = _data_type(kind)
    value["source"] = source
    return value


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "sc:Integer"
    if pa.types.is_floating(kind):
        return "sc:Float"
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    return "sc:Text"
