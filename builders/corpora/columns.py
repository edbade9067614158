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
        ("qc_length_delta", pa.int64()),
        ("qc_selflabel", pa.bool_()),
        ("qc_refusal", pa.bool_()),
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

_OF_DEFAULT_ONLY = [("thinking_budget", pa.int32()), ("token_multiplier", pa.float64())]
_OF_PAIRED_SPECIFICATIONS = [(n, _STRING) for n in ("pair_id", "pair_role", "pair_axis")]
_OF_THE_POOL = [(n, _STRING) for n in ("source_config", "source_version", "split")]

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


def core_schema() -> pa.Schema:
    """Columns of the synthetic slices: the published ones, then what the gates recorded."""
    return pa.unify_schemas([CORE, GATES])


def pooled_schema() -> pa.Schema:
    """Columns of the pool: the published ones, then what the gates recorded."""
    return pa.unify_schemas([POOLED, GATES])
