"""A folder in the form of the published release: its layout, columns and odd typings.

The rows are of this project: composed by the lexical writer, a few hundred in all.
"""

from __future__ import annotations

import copy
import functools
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from builders.draws import Draws
from builders.specifications import Specification, draw_block
from builders.writers.lexical import LexicalWriter
from builders.writers.lexicon import load_lexicon
from evaluate_shelf.registry.taxonomy import load_taxonomy

Rows = list[dict[str, Any]]
SPLITS = ("train", "validation", "test")
SLICES = ("default", "v0_4_core", "v0_4_supplement", "v0_4_minimal_pairs", "v0_4_holdout")
CLASSES = "BDHQ"
STYLES = {
    "gpt-5.2": "birch",
    "anthropic/claude-opus-4.5": "cedar",
    "gemini-3-pro": "hazel",
    "gpt-5.1": "maple",
    "fable": "rowan",
}

_S, _L = pa.string(), pa.list_(pa.string())
DEFAULT = pa.schema(
    [
        ("id", _S), ("text", _S), ("title", _S), ("body", _S), ("word_count", pa.int32()),
        ("lcc_code", _S), ("lcc_name", _S), ("lcc_uri", _S), ("lcgft_category", _S),
        ("lcgft_form", _S), ("topics", _L), ("geographic", _L), ("audience", _S),
        ("register", _S), ("register_description", _S), ("target_length", _S),
        ("target_word_range", pa.list_(pa.int32())), ("temperature", pa.float32()),
        ("top_p", pa.float32()), ("model", _S), ("git_commit", _S), ("code_version", _S),
        ("thinking_budget", pa.int32()), ("token_multiplier", pa.float32()),
    ]
)  # fmt: skip
CORE = pa.schema(
    [
        ("id", _S), ("title", _S), ("body", _S), ("word_count", pa.int64()), ("lcc_code", _S),
        ("lcc_name", _S), ("lcc_uri", _S), ("lcgft_category", _S), ("lcgft_form", _S),
        ("topics", _L), ("audience", _S), ("geographic", _L), ("target_length", _S),
        ("target_word_range", _L), ("register", _S), ("register_description", _S),
        ("temperature", pa.float64()), ("top_p", pa.float64()), ("model", _S),
        ("model_resolved", _S), ("provider", _S), ("provider_served", _S), ("prompt", _S),
        ("prompt_variant_id", _S), ("spec_id", _S), ("block_id", _S), ("run_id", _S),
        ("input_tokens", pa.int64()), ("output_tokens", pa.int64()),
        ("reasoning_tokens", pa.int64()), ("cost_usd", pa.float64()), ("git_commit", _S),
        ("git_dirty", pa.bool_()), ("git_branch", _S), ("code_version", _S),
    ]
)  # fmt: skip
MINIMAL_PAIRS = pa.schema([*CORE, ("pair_id", _S), ("pair_role", _S), ("pair_axis", _S)])
PROVENANCE = pa.struct(
    [
        ("gutenberg_id", pa.int64()), ("lcc_letter", _S), ("lcc_subclasses", _L),
        ("chunk_index", pa.int64()), ("chunk_count", pa.int64()), ("text_url", _S),
        ("rights", _S),
    ]
)  # fmt: skip
GUTENBERG = pa.schema(
    [
        ("id", _S), ("text", _S), ("body", _S), ("title", _S), ("word_count", pa.int64()),
        ("lcc_code", _S), ("lcc_name", _S), ("lcc_uri", _S), ("lcgft_category", _S),
        ("lcgft_form", _S), ("topics", _L), ("geographic", _L), ("audience", _S),
        ("register", _S), ("language", _S), ("author", _S), ("source_type", _S), ("source", _S),
        ("contamination_status", _S), ("label_space", _S), ("schema_version", _S),
        ("provenance", pa.int64()),
    ]
)  # fmt: skip
LCSHBENCH = pa.schema(
    [
        ("id", _S), ("title", _S), ("body", _S), ("text", _S), ("lcc_code", _S),
        ("language", _S), ("word_count", pa.int64()), ("corpus", _S),
        ("is_synthetic", pa.bool_()), ("n_agencies", pa.int64()), ("catalogs", _L),
    ]
)  # fmt: skip
PAIRS = pa.schema(
    [
        *((name, _S) for name in ("id", "doc_a_id", "doc_a_title", "doc_a_body", "doc_b_id",
          "doc_b_title", "doc_b_body")),
        ("label", pa.int32()), ("label_field", _S),
    ]
)  # fmt: skip


@dataclass
class PublishedFolder:
    """What is to be written.

    Attributes
    ----------
    rows : dict
        Rows by config and split.
    schemas : dict
        Types by config and split, as published.
    declared : dict
        Rows by config and split that the card's YAML declares.
    in_text : dict
        Rows by config that a table in the card's text declares.
    patterns : dict
        Patterns by config and split.
    """

    rows: dict[tuple[str, str], Rows] = field(default_factory=dict)
    schemas: dict[tuple[str, str], pa.Schema] = field(default_factory=dict)
    declared: dict[str, dict[str, int]] = field(default_factory=dict)
    in_text: dict[str, int] = field(default_factory=dict)
    patterns: dict[str, dict[str, str]] = field(default_factory=dict)

    def configs(self) -> list[str]:
        return list(dict.fromkeys(config for config, _ in self.rows))

    def of(self, config: str) -> Rows:
        """All rows of a config."""
        return [row for (own, _), rows in self.rows.items() if own == config for row in rows]

    def split_of(self, config: str) -> dict[str, str]:
        """The split of each id of a config."""
        return {
            row["id"]: split
            for (own, split), rows in self.rows.items()
            if own == config
            for row in rows
        }

    def retype(self, config: str, column: str, kind: pa.DataType) -> None:
        """Publish a column in another type."""
        for key, schema in self.schemas.items():
            if key[0] == config:
                place = schema.get_field_index(column)
                self.schemas[key] = schema.set(place, pa.field(column, kind))

    def without_column(self, config: str, column: str) -> None:
        """Publish a config without a column."""
        for key, schema in self.schemas.items():
            if key[0] == config:
                self.schemas[key] = schema.remove(schema.get_field_index(column))

    def with_column(self, config: str, column: str, kind: pa.DataType) -> None:
        """Publish a config with a further column, whose values the rows have."""
        for key, schema in self.schemas.items():
            if key[0] == config:
                self.schemas[key] = schema.append(pa.field(column, kind))

    def declare(self) -> None:
        """Let the card declare what is there."""
        for config, by_split in self.declared.items():
            for split in by_split:
                by_split[split] = len(self.rows[config, split])
        for config in self.in_text:
            self.in_text[config] = len(self.of(config))

    def path(self, config: str, split: str) -> str:
        """Where a split's file lies."""
        folder = "data" if config == "default" else config
        return f"{folder}/{split}-00000-of-00001.parquet"

    def write(self, folder: Path) -> Path:
        """Write the folder."""
        for (config, split), rows in self.rows.items():
            path = folder / self.path(config, split)
            path.parent.mkdir(parents=True, exist_ok=True)
            table = pa.Table.from_pylist(rows, schema=self.schemas[config, split])
            pq.write_table(table, path)
        self.write_card(folder)
        return folder

    def write_card(self, folder: Path) -> None:
        """Write the card alone."""
        front = {
            "license": "cc-by-4.0",
            "language": ["en"],
            "dataset_info": [
                {
                    "config_name": config,
                    "features": [{"name": "id", "dtype": "string"}],
                    "splits": [
                        {"name": split, "num_bytes": 1, "num_examples": count}
                        for split, count in counts.items()
                    ],
                    "download_size": 1,
                }
                for config, counts in self.declared.items()
            ],
            "configs": [
                {
                    "config_name": config,
                    "data_files": [
                        {"split": split, "path": pattern} for split, pattern in own.items()
                    ],
                }
                for config, own in self.patterns.items()
            ],
            "version": "0.4.0",
        }
        lines = ["| Config | Documents | What it is |", "|---|---|---|"]
        lines += [f"| `{name}` | {count:,} | documents |" for name, count in self.in_text.items()]
        text = f"---\n{yaml.safe_dump(front, sort_keys=False)}---\n# SHELF\n\n" + "\n".join(lines)
        (folder / "README.md").write_text(text + "\n", encoding="utf-8")


def published_folder() -> PublishedFolder:
    """The whole release, small; a caller may change it."""
    return copy.deepcopy(_whole())


@functools.cache
def _whole() -> PublishedFolder:
    own = PublishedFolder()
    specs = iter(_specifications(400))
    _add(own, "default", _documents("default", [next(specs) for _ in range(110)]), DEFAULT)
    core = [next(specs) for _ in range(30)]
    models = ("gpt-5.2", "anthropic/claude-opus-4.5", "gemini-3-pro")
    _add(own, "v0_4_core", _of_specs(core, models), CORE)
    _add(own, "v0_4_supplement", _of_specs([next(specs) for _ in range(20)], ("gpt-5.1",)), CORE)
    own.retype("v0_4_supplement", "provider_served", pa.null())
    _add(own, "v0_4_minimal_pairs", _pairs([next(specs) for _ in range(10)]), MINIMAL_PAIRS)
    _add(own, "v0_4_holdout", _of_specs([next(specs) for _ in range(15)], ("fable",)), CORE)
    own.retype("v0_4_holdout", "reasoning_tokens", pa.string())
    own.rows["transfer_gutenberg", "test"] = _passages([next(specs) for _ in range(14)])
    own.schemas["transfer_gutenberg", "test"] = GUTENBERG
    records = _records([next(specs) for _ in range(40)])
    _add(own, "transfer_lcshbench", records, LCSHBENCH)
    _add(own, "same_lcc_pairs", _published_pairs(own.of("default")), PAIRS)
    _add(own, "all", [{"id": row["id"]} for name in SLICES for row in own.of(name)], DEFAULT)
    for name in own.configs():
        splits = [split for split in SPLITS if (name, split) in own.rows]
        folder = "data" if name == "default" else name
        own.patterns[name] = {split: f"{folder}/{split}-*" for split in splits}
        if name in ("default", "same_lcc_pairs"):
            own.declared[name] = dict.fromkeys(splits, 0)
        elif name.startswith(("v0_4", "transfer_gutenberg")):
            own.in_text[name] = 0
    own.patterns["all"] = {split: own.path("all", split) for split in SPLITS}
    own.declare()
    return own


def _add(own: PublishedFolder, config: str, groups: list[Rows], schema: pa.Schema) -> None:
    """Deal groups of rows out to the splits, three of five to train."""
    dealt: dict[str, Rows] = {split: [] for split in SPLITS}
    turns = ("train", "test", "train", "validation", "train")
    groups = [[group] if isinstance(group, dict) else group for group in groups]
    for number, group in enumerate(groups):
        dealt[turns[number % 5]].extend(group)
    for split, rows in dealt.items():
        own.rows[config, split] = rows
        own.schemas[config, split] = schema


def _specifications(count: int) -> list[Specification]:
    """Specifications of four classes and short texts."""
    drawn = draw_block(load_taxonomy(), block_id="block-00-seed7", seed=7, size=9000)
    short = ("micro", "tiny", "brief")
    chosen = [own for own in drawn if own.lcc_code in CLASSES and own.target_length in short]
    assert len(chosen) >= count
    return chosen[:count]


def _facets(spec: Specification, key: str, model: str) -> dict[str, Any]:
    """What every published synthetic document has, but for types."""
    taxonomy = load_taxonomy()
    subject = next(own for own in taxonomy.classes if own.code == spec.lcc_code)
    length = next(own for own in taxonomy.lengths if own.id == spec.target_length)
    style = STYLES[model]
    lexicon = load_lexicon()
    written = LexicalWriter(style, lexicon.styles[style], lexicon, taxonomy).write(spec, 7)
    draws = Draws(7, key)
    # A day, a second and a random number, as published.
    second = f"2025121{draws.integer(9)}_{100000 + draws.integer(99999)}"
    return {
        "id": f"{second}_{draws.integer(2**32):08x}",
        "title": written.title,
        "body": written.body,
        "word_count": len(written.body.split()),
        "lcc_code": spec.lcc_code,
        "lcc_name": subject.name,
        "lcc_uri": subject.uri,
        "lcgft_category": spec.lcgft_category,
        "lcgft_form": spec.lcgft_form,
        "topics": list(spec.topics),
        "geographic": list(spec.geographic),
        "audience": spec.audience,
        "register": spec.register,
        "register_description": f"as published: {spec.register}",
        "target_length": spec.target_length,
        "target_word_range": [length.min_words, length.max_words],
        "temperature": 0.7,
        "top_p": 0.93,
        "model": model,
        "git_commit": "0a1b2c3",
        "code_version": "0a1b2c3*",
    }


def _documents(name: str, specs: list[Specification]) -> Rows:
    rows = []
    for spec in specs:
        row = _facets(spec, f"{name} {spec.spec_id}", "gpt-5.2")
        rows.append(
            {
                **row,
                "text": row["body"],
                "audience": row["audience"] or "",
                "thinking_budget": -1,
                "token_multiplier": 1.0,
            }
        )
    # Values that stand for nothing, as published.
    rows[0] |= {"target_word_range": [0, 0], "temperature": 0.0, "top_p": 0.0}
    return rows


def _of_specs(specs: list[Specification], models: tuple[str, ...]) -> list[Rows]:
    return [[_written(spec, model, "") for model in models] for spec in specs]


def _written(spec: Specification, model: str, key: str) -> dict[str, Any]:
    row = _facets(spec, f"{model} {spec.spec_id} {key}", model)
    return {
        **row,
        "target_word_range": [str(number) for number in row["target_word_range"]],
        "model_resolved": f"{model}-20260101",
        "provider": "openrouter",
        "provider_served": None,
        "prompt": "Write.",
        "prompt_variant_id": "v0.4-direct",
        "spec_id": spec.spec_id,
        "block_id": "block-00-seed42",
        "run_id": "run-1",
        "input_tokens": 100,
        "output_tokens": 200,
        "reasoning_tokens": None,
        "cost_usd": 0.001,
        "git_dirty": False,
        "git_branch": "main",
    }


def _pairs(specs: list[Specification]) -> list[Rows]:
    return [
        [
            {
                **_written(spec, "gpt-5.1", f"{role} {number}"),
                "spec_id": f"{spec.spec_id[:15]}{role}",
                "body": f"{role.upper()}: {_written(spec, 'gpt-5.1', '')['body']}",
                "word_count": len(_written(spec, "gpt-5.1", "")["body"].split()) + 1,
                "pair_id": f"minimal-pairs-00-pair-{number:05d}",
                "pair_role": role,
                "pair_axis": "form",
            }
            for role in "ab"
        ]
        for number, spec in enumerate(specs)
    ]


def _passages(specs: list[Specification]) -> Rows:
    """Three passages of each of fourteen books, by twelve writers and by nobody known."""
    rows = []
    for number, spec in enumerate(specs):
        gutenberg_id = 4000 + 7 * number
        for chunk in (1, 4, 9):
            row = _facets(spec, f"{gutenberg_id} {chunk}", "gpt-5.2")
            body = f"{row['body']} It was chapter {chunk}."
            code = CLASSES[number % 2]
            rows.append(
                {
                    **{name: row[name] for name in row if name in GUTENBERG.names},
                    "id": f"pg-{gutenberg_id}-{chunk:04d}",
                    "text": body,
                    "body": body,
                    "word_count": len(body.split()),
                    "title": f"The Book of {number}",
                    "lcc_code": code,
                    "lcc_name": next(c.name for c in load_taxonomy().classes if c.code == code),
                    "lcgft_category": "",
                    "lcgft_form": "",
                    "topics": ["Bees", "Law reform"],
                    "geographic": [],
                    "audience": "",
                    "register": "",
                    "language": "en",
                    "author": "" if number == 13 else f"Writer{min(number, 11)}, Ann, 1850-1920",
                    "source_type": "natural",
                    "source": "project_gutenberg",
                    "contamination_status": "known_contaminated",
                    "label_space": json.dumps({"lcc_code": "lcc_main_class"}),
                    "schema_version": "1.0",
                    "provenance": gutenberg_id,
                }
            )
    return rows


def provenance_of(row: dict[str, Any]) -> dict[str, Any]:
    """A passage's provenance as the builder of the published corpus has it."""
    return {
        "gutenberg_id": row["provenance"],
        "lcc_letter": row["lcc_code"],
        "lcc_subclasses": [f"{row['lcc_code']}X"],
        "chunk_index": int(row["id"].rpartition("-")[2]),
        "chunk_count": 12,
        "text_url": f"https://example.org/pg{row['provenance']}.txt",
        "rights": "free",
    }


def _records(specs: list[Specification]) -> list[Rows]:
    rows = []
    for number, spec in enumerate(specs):
        title = f"The keeper's almanac, volume {number} :"
        text = f"{title}\n\n{_facets(spec, f'record {number}', 'gpt-5.2')['body']}"
        rows.append(
            [
                {
                    "id": f"{number:016x}",
                    "title": title,
                    "body": text,
                    "text": text,
                    "lcc_code": CLASSES[number % 2],
                    "language": "English",
                    "word_count": len(text.split()),
                    "corpus": "lcshbench",
                    "is_synthetic": False,
                    "n_agencies": 2,
                    "catalogs": ["harvard"],
                }
            ]
        )
    return rows


def _published_pairs(documents: Rows) -> Rows:
    """Pairs whose ids rise with the label, as published."""
    return [
        {
            "id": f"pair_{number:06d}",
            **{
                f"doc_{side}_{name}": documents[number + shift][name]
                for side, shift in (("a", 0), ("b", 1))
                for name in ("id", "title", "body")
            },
            "label": int(number < 10),
            "label_field": "lcc_code",
        }
        for number in range(20)
    ]
