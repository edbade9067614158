"""The synthetic slices and their pool: columns, types, splits, groups, repeated texts."""

from __future__ import annotations

import dataclasses

import pyarrow as pa
import pytest

from builders.corpora.pool import build_pool
from builders.staging.writing import stage

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
DEFAULT = [
    "id", "text", "title", "body", "word_count", "lcc_code", "lcc_name", "lcc_uri",
    "lcgft_category", "lcgft_form", "topics", "geographic", "audience", "register",
    "register_description", "target_length", "target_word_range", "temperature", "top_p", "model",
    "git_commit", "code_version", "thinking_budget", "token_multiplier",
]  # fmt: skip
PAIRED = ["pair_id", "pair_role", "pair_axis"]
GATES = {
    "qc_parse", "qc_language", "qc_english", "qc_length_delta", "qc_selflabel",
    "qc_topic_coverage", "qc_near_dup", "qc_refusal", "qc_served", "qc_passed",
}  # fmt: skip


def rows_of(config):
    return [row for table in config.batches() for row in table.to_pylist()]


def rows_of_split(config, split):
    return [row for table in config.batches(splits=[split]) for row in table.to_pylist()]


def test_the_pool_has_the_44_published_columns_in_alphabetical_order_and_its_own(pool):
    assert len(POOL) == 44
    assert sorted(POOL) == POOL
    assert pool.info.schema.names[:44] == POOL
    assert set(pool.info.schema.names[44:]) == {*GATES, "group_id"}


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("default", DEFAULT),
        ("v0_4_core", CORE),
        ("v0_4_supplement", CORE),
        ("v0_4_holdout", CORE),
        ("v0_4_minimal_pairs", [*CORE, *PAIRED]),
    ],
)
def test_a_slice_has_the_published_columns_in_their_order_with_text_and_the_gates(
    slices, name, published
):
    names = slices[name].info.schema.names
    assert [own for own in names if own not in {*GATES, "text"} - {*published}] == published
    assert set(names) == {*published, "text", *GATES}


def test_a_column_has_the_same_type_in_the_pool_and_in_its_slices(slices, pool):
    for config in slices.values():
        types = {field.name: field.type for field in config.info.schema}
        for field in pool.info.schema:
            assert field.type == types.get(field.name, field.type), field.name
    types = {field.name: field.type for field in pool.info.schema}
    assert types["target_word_range"] == pa.list_(pa.int32())
    assert types["reasoning_tokens"] == pa.int64()
    assert types["word_count"] == pa.int64()
    assert types["temperature"] == pa.float64()


def test_every_slice_has_all_three_splits_and_the_pool_has_them_all(slices, pool):
    for config in slices.values():
        assert config.splits == ("train", "validation", "test")
    assert sum(config.rows() for config in slices.values()) == pool.rows()


def test_every_document_keeps_its_source_its_split_and_its_values(slices, pool):
    pooled = {row["id"]: row for row in rows_of(pool)}
    assert len(pooled) == pool.rows()
    for name, config in slices.items():
        version = "0.3.1" if name == "default" else "0.4.0"
        for split in config.splits:
            for row in rows_of_split(config, split):
                own = pooled[row["id"]]
                origin = (own["source_config"], own["source_version"], own["split"])
                assert origin == (name, version, split)
                assert {column: own[column] for column in row} == row
                lacking = set(own) - set(row) - {"source_config", "source_version", "split"}
                assert all(own[column] is None for column in lacking - {"group_id"})


def test_the_group_is_the_minimal_pair_else_the_specification_else_nothing(pool):
    split_of = {}
    for row in rows_of(pool):
        assert row["group_id"] == (row["pair_id"] or row["spec_id"])
        if row["group_id"]:
            assert split_of.setdefault(row["group_id"], row["split"]) == row["split"]
        if row["spec_id"]:
            assert split_of.setdefault(row["spec_id"], row["split"]) == row["split"]


def test_text_is_the_body(slices):
    for config in slices.values():
        assert all(row["text"] == row["body"] for row in rows_of(config))


def test_the_writer_of_the_holdout_wrote_nothing_else(slices):
    writers = {name: {row["model"] for row in rows_of(own)} for name, own in slices.items()}
    holdout = writers.pop("v0_4_holdout")
    assert len(holdout) == 1
    assert not holdout & set().union(*writers.values())


def test_minimal_pairs_differ_in_what_their_axis_says_and_in_nothing_else(slices):
    by_pair = {}
    for row in rows_of(slices["v0_4_minimal_pairs"]):
        by_pair.setdefault(row["pair_id"], {})[row["pair_role"]] = row
    facets = (
        "lcc_code", "lcgft_form", "topics", "audience", "geographic", "register", "target_length",
        "model",
    )  # fmt: skip
    axes = set()
    for pair in by_pair.values():
        first, second = pair["a"], pair["b"]
        differing = {facet for facet in facets if first[facet] != second[facet]}
        assert differing == {{"form": "lcgft_form", "subject": "lcc_code"}[first["pair_axis"]]}
        assert first["spec_id"] != second["spec_id"]
        axes.add(first["pair_axis"])
    assert axes == {"form", "subject"}


def test_the_first_generation_is_written_mostly_by_one_writer(slices):
    models = [row["model"] for row in rows_of(slices["default"])]
    assert max(models.count(model) for model in set(models)) / len(models) > 0.6


@pytest.mark.parametrize("change", [str.upper, lambda text: text.replace(" ", " \n "), str.strip])
def test_a_text_that_a_source_before_had_is_dropped_and_counted(core, tmp_path, change):
    def changed(table):
        rows = [
            {**row, "id": f"x{row['id']}", "spec_id": f"x{row['spec_id']}"}
            | ({"body": change(row["body"])} if number else {"body": "Something new to the pool."})
            for number, row in enumerate(table.to_pylist())
        ]
        return pa.Table.from_pylist(rows, schema=table.schema)

    info = dataclasses.replace(core.info, name="v0_4_supplement")
    tables = {split: [changed(next(core.batches(splits=[split])))] for split in core.splits}
    other = stage(info, tables, tmp_path / "other")
    built = build_pool([core, other], tmp_path / "pool")
    kept = [row for row in rows_of(built) if row["source_config"] == "v0_4_supplement"]
    # The new text stands once a split, and is kept once.
    assert [row["body"] for row in kept] == ["Something new to the pool."]
    assert any(str(core.rows() - 1) in note for note in built.info.notes)
    assert built.rows() == core.rows() + 1


def test_ids_give_no_label_away(pool):
    """Ids are hashes of where a document was drawn; rows are in their order."""
    for split in pool.splits:
        ids = [row["id"] for row in rows_of_split(pool, split)]
        assert ids == sorted(ids)
        assert all(len(identity) == 16 and int(identity, 16) >= 0 for identity in ids)
