"""The published release becomes a release of this project."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from published_folder import SLICES, PublishedFolder, published_folder
from shelf_process import shelf_in

from builders.corpora.columns import GUTENBERG, pooled_schema, slice_schema
from builders.corpora.lcshbench.columns import LCSHBENCH
from builders.published.release import open_published
from builders.recipes import recipes
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.release.manifest import Manifest, read_manifest
from evaluate_shelf.release.verification import verify_release

PUBLISHER = "published by M. J. Bommarito II, CC BY 4.0"


def rows_of(release: Path, config: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, file in sorted(read_manifest(release).data_files.items()):
        if file.config == config:
            for row in pq.read_table(release / path).to_pylist():
                yield file.split, row


def test_the_release_verifies(whole: Path) -> None:
    manifest = verify_release(whole)
    assert {*SLICES, "all", "transfer_gutenberg", "transfer_lcshbench"} <= manifest.configs.keys()
    assert manifest.default_config == "all"


@pytest.mark.parametrize("config", [*SLICES, "transfer_gutenberg", "transfer_lcshbench", "all"])
def test_types_are_those_of_this_project(whole: Path, config: str) -> None:
    wanted = {
        "transfer_gutenberg": GUTENBERG,
        "transfer_lcshbench": LCSHBENCH,
        "all": pooled_schema(),
    }.get(config)
    for path, file in read_manifest(whole).data_files.items():
        if file.config == config:
            schema = pq.read_schema(whole / path).remove_metadata()
            assert schema.equals(wanted or slice_schema(config)), path


@pytest.mark.parametrize("config", [*SLICES, "transfer_lcshbench"])
def test_every_document_is_there_in_its_own_split_with_its_text(whole: Path, config: str) -> None:
    own = published_folder()
    published = {row["id"]: row for row in own.of(config)}
    split_of = own.split_of(config)
    seen = set()
    for split, row in rows_of(whole, config):
        seen.add(row["id"])
        before = published[row["id"]]
        assert split == split_of[row["id"]]
        assert row["text"] == row["body"] == before["body"]
        assert row["word_count"] == len(row["body"].split())
        assert row["lcc_code"] == before["lcc_code"]
    assert seen == published.keys()


@pytest.mark.parametrize("config", SLICES)
def test_values_are_the_published_ones_in_other_types(whole: Path, config: str) -> None:
    published = {row["id"]: row for row in published_folder().of(config)}
    same = ("title", "lcgft_category", "lcgft_form", "topics", "geographic", "register",
            "register_description", "target_length", "git_commit", "code_version")  # fmt: skip
    for _, row in rows_of(whole, config):
        before = published[row["id"]]
        assert {name: row[name] for name in same} == {name: before[name] for name in same}
        assert row["target_word_range"] == [int(number) for number in before["target_word_range"]]
        # Of single precision in `default`; not 0.699999988 in double.
        assert (row["temperature"], row["top_p"]) == (before["temperature"], before["top_p"])
        assert row["audience"] == (before["audience"] or None)
        assert row["model"] == before["model"].removeprefix("anthropic/")
    if config == "default":
        assert {row["temperature"] for _, row in rows_of(whole, config)} == {0.0, 0.7}
        assert {row["thinking_budget"] for _, row in rows_of(whole, config)} == {-1}
    else:
        assert {row["spec_id"] for _, row in rows_of(whole, config)} == {
            row["spec_id"] for row in published.values()
        }
        assert {row["reasoning_tokens"] for _, row in rows_of(whole, config)} == {None}


def test_the_pool_is_the_slices(whole: Path) -> None:
    pooled = {row["id"]: row for _, row in rows_of(whole, "all")}
    sliced = {row["id"]: name for name in SLICES for _, row in rows_of(whole, name)}
    assert {identity: row["source_config"] for identity, row in pooled.items()} == sliced
    assert all(row["split"] == split for split, row in rows_of(whole, "all"))


def test_no_book_and_no_writer_is_in_two_splits(whole: Path) -> None:
    splits: dict[str, set[str]] = {}
    for split, row in rows_of(whole, "transfer_gutenberg"):
        splits.setdefault(row["title"], set()).add(split)
        splits.setdefault(f"by {row['author']}", set()).add(split)
        assert row["provenance"]["gutenberg_id"] == int(row["id"].split("-")[1])
        assert row["work_id"] == row["id"].split("-")[1]
    assert max(map(len, splits.values())) == 1
    count = Counter(split for split, _ in rows_of(whole, "transfer_gutenberg"))
    assert count.total() == 42
    assert set(count) == {"train", "validation", "test"}


def test_every_config_says_where_it_comes_from(whole: Path) -> None:
    manifest = read_manifest(whole)
    for name in (*SLICES, "all", "transfer_gutenberg", "transfer_lcshbench"):
        assert PUBLISHER in manifest.configs[name].source
        assert manifest.configs[name].kind == "documents"
        assert PUBLISHER in (whole / "CAVEATS.md").read_text(encoding="utf-8")
    assert manifest.configs["transfer_gutenberg"].seeds == {"split": 42}
    # Nothing was drawn for these.
    assert manifest.configs["default"].seeds == manifest.configs["v0_4_core"].seeds == {}


@pytest.mark.parametrize(("config", "published"), [("same_lcc_pairs", 20), ("all", 255)])
def test_what_is_not_taken_over_is_said_with_both_counts(
    whole: Path, config: str, published: int
) -> None:
    manifest = read_manifest(whole)
    rows = sum(manifest.rows_of(config).values())
    note = next(own for own in manifest.configs[config].notes if "not taken over" in own)
    assert f"{rows} rows" in note
    assert f"{published} rows" in note


def test_published_pairs_are_not_there(whole: Path) -> None:
    assert not any(row["id"].startswith("pair_") for _, row in rows_of(whole, "same_lcc_pairs"))


def test_gates_are_those_of_a_document_that_is_written_here(whole: Path) -> None:
    """The rows were composed by the lexical writer, which every gate lets pass."""
    for name in SLICES:
        rows = [row for _, row in rows_of(whole, name)]
        assert all(row["qc_parse"] and row["qc_selflabel"] and row["qc_refusal"] for row in rows)
        lengths = {own.id: own for own in load_taxonomy().lengths}
        for row in rows:
            low, high = (
                lengths[row["target_length"]].min_words,
                lengths[row["target_length"]].max_words,
            )
            words = row["word_count"]
            assert row["qc_length_delta"] == min(words - low, 0) + max(words - high, 0)


@pytest.mark.slow
def test_every_config_is_made_and_verifies(
    tmp_path: Path, import_folder: Callable[..., Manifest]
) -> None:
    source = published_folder().write(tmp_path / "published")
    made = import_folder(source, tmp_path / "out", None)
    verify_release(tmp_path / "out")
    wanted = set(recipes(load_plan("standard")))
    searches = {name.removesuffix("-qrels") for name in made.configs}
    assert wanted <= {*made.configs, *searches}


def test_the_same_folder_gives_the_same_bytes(
    whole: Path, tmp_path: Path, import_folder: Callable[..., Manifest]
) -> None:
    again = tmp_path / "again"
    import_folder(published_folder().write(tmp_path / "elsewhere"), again)
    files = [path.relative_to(whole) for path in whole.rglob("*") if path.is_file()]
    assert {path.relative_to(again) for path in again.rglob("*") if path.is_file()} == set(files)
    for path in files:
        assert (again / path).read_bytes() == (whole / path).read_bytes(), path


def test_reports_tell_what_the_card_has_and_what_was_found(whole: Path) -> None:
    lines = (whole / "reports" / "import_card.tsv").read_text(encoding="utf-8").splitlines()
    assert "default\ttrain\t66\t66\tas in the card\ttaken over" in lines
    assert "v0_4_core\tall splits\t90\t90\tas in the card\ttaken over" in lines
    books = (whole / "reports" / "transfer_gutenberg_import.tsv").read_text(encoding="utf-8")
    assert any(line.split("\t")[1:4] == ["topics", "Bees", "42"] for line in books.splitlines())


def test_shards_and_other_forms_of_the_card_are_read(
    published: PublishedFolder, tmp_path: Path
) -> None:
    """Several files a split; files without a split are train; one entry for one config."""
    folder = published.write(tmp_path)
    train = pq.read_table(folder / published.path("default", "train"))
    (folder / published.path("default", "train")).unlink()
    for number in range(3):
        path = folder / f"data/train-{number:05d}-of-00003.parquet"
        pq.write_table(train.slice(22 * number, 22), path)
    front = {
        "configs": [
            {"config_name": "default", "data_files": ["data/train-*"]},
            {"config_name": "v0_4_core", "data_files": "v0_4_core/train-*"},
            {
                "config_name": "v0_4_holdout",
                "data_files": [{"split": "test", "path": ["v0_4_holdout/train-*"]}],
            },
        ],
        "dataset_info": {"splits": [{"name": "train", "num_examples": 66}]},
    }
    (folder / "README.md").write_text(f"---\n{json.dumps(front)}\n---\n", encoding="utf-8")
    release = open_published(str(folder))
    assert release.files.rows("default") == {"train": 66}
    assert [file.path.name[:11] for file in release.files_of("default")] == [
        f"train-0000{number}" for number in range(3)
    ]
    assert release.files.rows("v0_4_core") == {"train": 54}
    assert release.files.rows("v0_4_holdout") == {"test": 9}
    assert len(release.files.unknown) == 25 - 3


@pytest.mark.parametrize("change", ["struct", "json"])
def test_provenance_in_other_types(
    published: PublishedFolder, take: Callable[..., Any], change: str
) -> None:
    from published_folder import PROVENANCE, provenance_of

    for row in published.of("transfer_gutenberg"):
        whole = provenance_of(row)
        row["provenance"] = whole if change == "struct" else json.dumps(whole)
    published.retype(
        "transfer_gutenberg", "provenance", PROVENANCE if change == "struct" else pa.string()
    )
    taken = take(published, "transfer_gutenberg")
    for row in taken.rows.values():
        assert row["provenance"]["chunk_count"] == 12
        assert row["provenance"]["lcc_subclasses"] == [f"{row['lcc_code']}X"]
        assert row["provenance"].keys() == {
            "gutenberg_id", "lcc_letter", "lcc_subclasses", "chunk_index", "chunk_count",
            "text_url",
        }  # fmt: skip
    assert "'rights' 42" in taken.notes


@pytest.mark.slow
def test_the_command_line_imports_and_names_what_it_leaves_out(
    published: PublishedFolder, tmp_path: Path
) -> None:
    for name in ("default", "v0_4_supplement", "v0_4_minimal_pairs", "v0_4_holdout", "all"):
        for split in ("train", "validation", "test"):
            del published.rows[name, split], published.schemas[name, split]
        del published.patterns[name]
    del published.declared["default"]
    published.patterns["mystery"] = {"train": "mystery/train-*"}
    folder = published.write(tmp_path / "published")
    pq.write_table(pa.table({"a": [1]}), folder / "stray.parquet")
    done = shelf_in(tmp_path, timeout=300)(
        "import-release", "published", "--out", "out",
        "--config", "same_lcc_pairs", "--config", "transfer_lcshbench",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    for named in ("default: not imported", "stray.parquet", "mystery: not a config"):
        assert named in done.stderr
    assert {*verify_release(tmp_path / "out").configs} == {
        "v0_4_core", "all", "same_lcc_pairs", "transfer_lcshbench",
        "transfer_lcshbench_same_lcc_pairs", "transfer_lcshbench-corpus",
        "transfer_lcshbench_lcc_retrieval-queries", "transfer_lcshbench_lcc_retrieval-qrels",
    }  # fmt: skip
    assert done.stdout.startswith(str(tmp_path / "out"))
