from __future__ import annotations

import dataclasses

import pyarrow as pa
import pytest

from builders.corpora.pool import build_pool

# The published columns, in the order in which the published pool has them.
POOL = [
    "audience", "block_id", "body", "code_version", "cost_usd", "geographic", "git_branch",
    "git_commit", "git_dirty", "id", "input_tokens", "lcc_code", "lcc_name", "lcc_uri",
    "lcgft_category", "lcgft_form", "model", "model_resolved", "output_tokens", "pair_axis",
    "pair_id", "pair_role", "prompt", "prompt_variant_id", "provider", "provider_served",
    "reasoning_tokens", "register", "register_description", "run_id", "source_config",
    "source_version", "spec_id", "split", "target_length", "target_word_range", "temperature",
    "text", "thinking_budget", "title", "token_multiplier", "top_p", "topics", "word_count",
]  # fmt: skip
CORE = [
    "id", "title", "body", "word_count", "lcc_code", "lcc_name", "lcc_uri", "lcgft_category",
    "lcgft_form", "topics", "audience", "geographic", "target_length", "target_word_range",
    "register", "register_description", "temperature", "top_p", "model", "model_resolved",
    "provider", "provider_served", "prompt", "prompt_variant_id", "spec_id", "block_id", "run_id",
    "input_tokens", "output_tokens", "reasoning_tokens", "cost_usd", "git_commit", "git_dirty",
    "git_branch", "code_version",
]  # fmt: skip
GATES = {"qc_parse", "qc_length_delta", "qc_selflabel", "qc_refusal", "qc_passed"}


def rows_of(config):
    return [row for table in config.splits.values() for row in table.to_pylist()]


def test_the_pool_has_the_44_published_columns_in_alphabetical_order_and_the_gates(pool):
    assert len(POOL) == 44
    assert sorted(POOL) == POOL
    for table in pool.splits.values():
        assert table.column_names[:44] == POOL
        assert set(table.column_names[44:]) == GATES


def test_a_slice_has_the_published_columns_in_their_order_with_text_and_the_gates(core):
    for table in core.splits.values():
        names = [name for name in table.column_names if name not in {"text", *GATES}]
        assert names == CORE
        assert set(table.column_names) == {*CORE, "text", *GATES}


def test_a_column_has_the_same_type_in_the_pool_and_in_its_slices(core, pool):
    types = {field.name: field.type for field in core.splits["train"].schema}
    for field in pool.splits["train"].schema:
        assert field.type == types.get(field.name, field.type), field.name
    assert types["target_word_range"] == pa.list_(pa.int32())
    assert types["reasoning_tokens"] == pa.int64()
    assert types["word_count"] == pa.int64()


def test_every_document_keeps_its_split_and_says_so(core, pool):
    split_of = {i: split for split, table in core.splits.items() for i in table["id"].to_pylist()}
    seen = {}
    for split, table in pool.splits.items():
        for row in table.to_pylist():
            assert split_of[row["id"]] == split == row["split"]
            seen[row["id"]] = row
    assert set(seen) == set(split_of)


def test_every_document_names_its_source_and_keeps_its_values(core, pool):
    pooled = {row["id"]: row for row in rows_of(pool)}
    for row in rows_of(core):
        own = pooled[row["id"]]
        assert (own["source_config"], own["source_version"]) == ("v0_4_core", "0.4.0")
        assert {name: own[name] for name in row} == row
        for name in ("pair_id", "pair_role", "pair_axis", "thinking_budget", "token_multiplier"):
            assert own[name] is None


def test_text_is_the_body(core):
    assert all(row["text"] == row["body"] for row in rows_of(core))


def test_no_group_of_the_pool_lies_in_two_splits(pool):
    split_of = {}
    for row in rows_of(pool):
        assert split_of.setdefault(row["spec_id"], row["split"]) == row["split"]


@pytest.mark.parametrize("change", [str.upper, lambda text: text.replace(" ", " \n "), str.strip])
def test_a_text_that_a_source_before_had_is_dropped_and_counted(core, pool, change):
    def changed(table):
        rows = [
            {**row, "id": f"x{row['id']}", "spec_id": f"x{row['spec_id']}"}
            | ({"body": change(row["body"])} if number else {"body": "Something new to the pool."})
            for number, row in enumerate(table.to_pylist())
        ]
        return pa.Table.from_pylist(rows, schema=table.schema)

    other = dataclasses.replace(
        core, name="v0_4_supplement", splits={s: changed(t) for s, t in core.splits.items()}
    )
    built = build_pool([core, other])
    kept = [row for row in rows_of(built) if row["source_config"] == "v0_4_supplement"]
    # The new text stands once a split, and is kept once.
    assert [row["body"] for row in kept] == ["Something new to the pool."]
    dropped = len(rows_of(core)) - 1
    assert any(str(dropped) in note for note in built.notes)
    assert len(rows_of(built)) == len(rows_of(pool)) + 1


def test_ids_give_no_label_away(pool):
    """Ids are hashes of where a document was drawn; rows are in their order."""
    for table in pool.splits.values():
        ids = table["id"].to_pylist()
        assert ids == sorted(ids)
        assert all(len(identity) == 16 and int(identity, 16) >= 0 for identity in ids)
    ids = [row["id"] for row in rows_of(pool)]
    assert len(set(ids)) == len(ids)
