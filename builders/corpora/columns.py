"""Columns and types of the published configs, in their order.

The odd typings of the published files are normalised: `target_word_range` is a list of int32
everywhere, `reasoning_tokens` int64, `provenance` a struct; `text` is always there. `CAVEATS.md`
of a release says so too.
"""

from __future__ import annotations

import pyarrow as pa

_STRING, _STRINGS = pa.string(), pa.list_(pa.string())

CORE = pa.schema(
    [
        ("id", _STRING),
        ("text", _STRING),
        ("title", _STRING),
        ("body", _STRING),
        ("word_count", pa.int64()),
        ("lcc_code", _STRING),
        ("lcc_name", _STRING),
        ("lcc_uri", _STRING),
        ("lcgft_category", _STRING),
        ("lcgft_form", _STRING),
        ("topics", _STRINGS),
        ("audience", _STRING),
        ("geographic", _STRINGS),
        ("target_length", _STRING),
        ("target_word_range", pa.list_(pa.int32())),
        ("register", _STRING),
        ("register_description", _STRING),
        ("temperature", pa.float64()),
        ("top_p", pa.float64()),
        ("model", _STRING),
        ("model_resolved", _STRING),
        ("provider", _STRING),
        ("provider_served", _STRING),
        ("prompt", _STRING),
        ("prompt_variant_id", _STRING),
        ("spec_id", _STRING),
        ("block_id", _STRING),
        ("run_id", _STRING),
        ("input_tokens", pa.int64()),
        ("output_tokens", pa.int64()),
        ("reasoning_tokens", pa.int64()),
        ("cost_usd", pa.float64()),
        ("git_commit", _STRING),
        ("git_dirty", pa.bool_()),
        ("git_branch", _STRING),
        ("code_version", _STRING),
    ]
)

GATES = pa.schema(
    [
        ("qc_parse", pa.bool_()),
        ("qc_language", pa.bool_()),
        ("qc_english", pa.float64()),
        ("qc_length_delta", pa.int64()),
        ("qc_selflabel", pa.bool_()),
        ("qc_topic_coverage", pa.float64()),
        ("qc_near_dup", pa.float64()),
        ("qc_refusal", pa.bool_()),
        ("qc_served", pa.bool_()),
        ("qc_passed", pa.bool_()),
    ]
)

GUTENBERG = pa.schema(
    [
        ("id", _STRING),
        ("text", _STRING),
        ("body", _STRING),
        ("title", _STRING),
        ("word_count", pa.int64()),
        ("lcc_code", _STRING),
        ("lcc_name", _STRING),
        ("lcc_uri", _STRING),
        ("lcgft_category", _STRING),
        ("lcgft_form", _STRING),
        ("topics", _STRINGS),
        ("geographic", _STRINGS),
        ("audience", _STRING),
        ("register", _STRING),
        ("language", _STRING),
        ("author", _STRING),
        ("source_type", _STRING),
        ("source", _STRING),
        ("contamination_status", _STRING),
        ("label_space", _STRING),
        ("schema_version", _STRING),
        (
            "provenance",
            pa.struct(
                [
                    ("gutenberg_id", pa.int64()),
                    ("lcc_letter", _STRING),
                    ("lcc_subclasses", _STRINGS),
                    ("chunk_index", pa.int64()),
                    ("chunk_count", pa.int64()),
                    ("text_url", _STRING),
                ]
            ),
        ),
        ("work_id", _STRING),
        ("group_id", _STRING),
    ]
)

PAIRS = pa.schema(
    [
        ("id", _STRING),
        ("doc_a_id", _STRING),
        ("doc_a_title", _STRING),
        ("doc_a_body", _STRING),
        ("doc_b_id", _STRING),
        ("doc_b_title", _STRING),
        ("doc_b_body", _STRING),
        ("label", pa.int32()),
        ("label_field", _STRING),
    ]
)

TOPIC_PAIRS = pa.schema(
    [
        *(field for field in PAIRS if field.name != "label_field"),
        ("overlap_count", pa.int32()),
        ("shared_topics", _STRINGS),
    ]
)

# The stratum of the relation ladder, S0 to S6.
STRATIFIED_PAIRS = pa.schema([*PAIRS, ("relation_stratum", _STRING)])
# How much the words of both texts overlap, from 0 to 1.
HARD_PAIRS = pa.schema([*PAIRS, ("lexical_overlap", pa.float64())])

TOPICS = pa.schema([("id", _STRING), ("text", _STRING), ("topics", _STRINGS)])

_OF_DEFAULT_ONLY = [("thinking_budget", pa.int32()), ("token_multiplier", pa.float64())]
_OF_PAIRED_SPECIFICATIONS = [(n, _STRING) for n in ("pair_id", "pair_role", "pair_axis")]
_OF_THE_POOL = [(n, _STRING) for n in ("source_config", "source_version", "split")]

_EVERY_FIELD = pa.schema([*CORE, *_OF_DEFAULT_ONLY])
# The first generation has no record of specifications, providers and token counts.
DEFAULT = pa.schema(
    [
        _EVERY_FIELD.field(name)
        for name in (
            "id", "text", "title", "body", "word_count", "lcc_code", "lcc_name", "lcc_uri",
            "lcgft_category", "lcgft_form", "topics", "geographic", "audience", "register",
            "register_description", "target_length", "target_word_range", "temperature", "top_p",
            "model", "git_commit", "code_version", "thinking_budget", "token_multiplier",
        )
    ]
)  # fmt: skip

# The published pool has the union of its sources' columns, in alphabetical order.
POOLED = pa.schema(
    sorted(
        [
            *((field.name, field.type) for field in CORE),
            *_OF_DEFAULT_ONLY,
            *_OF_PAIRED_SPECIFICATIONS,
            *_OF_THE_POOL,
        ]
    )
)


# Of a piece alone: the config that a document is for, and the places that gates stumbled over.
_OF_PIECES = [("slice", _STRING), ("qc_found", _STRINGS)]


def written_schema() -> pa.Schema:
    """Every column that a written document can have."""
    return pa.schema([*CORE, *_OF_PAIRED_SPECIFICATIONS, *_OF_DEFAULT_ONLY, *GATES])


def piece_schema() -> pa.Schema:
    """The columns of the pieces that documents are written in, before any is left out."""
    return pa.schema([*written_schema(), *_OF_PIECES])


def slice_schema(name: str) -> pa.Schema:
    """Columns of a synthetic slice: the published ones, then what the gates recorded."""
    if name == "default":
        return pa.schema([*DEFAULT, *GATES])
    if name == "v0_4_minimal_pairs":
        return pa.schema([*CORE, *_OF_PAIRED_SPECIFICATIONS, *GATES])
    return pa.schema([*CORE, *GATES])


def pooled_schema() -> pa.Schema:
    """Columns of the pool: the published ones, what the gates recorded, and the split's group."""
    return pa.schema([*POOLED, *GATES, ("group_id", _STRING)])
