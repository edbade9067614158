"""What is wrong with a published folder is refused by name, and nothing is left behind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from published_folder import PublishedFolder
from shelf_process import shelf_in

from builders.published.recipes import imported_recipes
from builders.published.release import open_published, remarks
from builders.request import Bench, BuildRequest
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.release.manifest import MANIFEST

Take = Callable[..., Any]


def refusal(folder: Path) -> str:
    with pytest.raises(ShelfError) as caught:
        open_published(str(folder))
    return str(caught.value)


# Row counts


def test_other_rows_than_the_card_says_are_refused_with_both_numbers(
    published: PublishedFolder, tmp_path: Path
) -> None:
    published.declared["default"]["train"] += 1
    message = refusal(published.write(tmp_path))
    assert "config 'default', split 'train': 67 rows expected, 66 found" in message
    assert "--accept-counts" in message


def test_all_that_differs_is_named_at_once(published: PublishedFolder, tmp_path: Path) -> None:
    published.rows["default", "test"].pop()
    published.rows["v0_4_core", "test"].pop()
    message = refusal(published.write(tmp_path))
    assert "config 'default', split 'test': 22 rows expected, 21 found" in message
    assert "config 'v0_4_core', all splits: 90 rows expected, 89 found" in message


def test_rows_of_pairs_that_are_there_are_checked_too(
    published: PublishedFolder, tmp_path: Path
) -> None:
    published.rows["same_lcc_pairs", "test"].pop()
    assert "config 'same_lcc_pairs', split 'test'" in refusal(published.write(tmp_path))


def test_other_rows_can_be_accepted_and_are_said(
    published: PublishedFolder, tmp_path: Path
) -> None:
    published.declared["default"]["train"] = 9
    release = open_published(str(published.write(tmp_path)), accept_counts=True)
    said = list(remarks(release, ()))
    assert any("split 'train': 9 rows expected, 66 found" in own for own in said)
    assert "default\ttrain\t9\t66\tnot as in the card\ttaken over" in release.table()
    request = BuildRequest((), tmp_path, "test", load_plan("standard"))
    bench = Bench(request, {}, tmp_path / "pieces", None)
    (config,) = imported_recipes(release)["default"].make(bench).configs
    assert any("9 rows expected, 66 found" in note for note in config.info.notes)


def test_a_split_without_its_file_is_refused(published: PublishedFolder, tmp_path: Path) -> None:
    folder = published.write(tmp_path)
    (folder / published.path("default", "validation")).unlink()
    assert "split 'validation': 22 rows expected, 0 found" in refusal(folder)


def test_a_config_without_a_count_is_said_to_be_unchecked(
    published: PublishedFolder, tmp_path: Path
) -> None:
    del published.in_text["v0_4_core"]
    said = list(remarks(open_published(str(published.write(tmp_path))), ()))
    assert any("not checked" in own and "v0_4_core (train)" in own for own in said)


def test_a_pair_config_without_files_is_no_fault(
    published: PublishedFolder, tmp_path: Path
) -> None:
    folder = published.write(tmp_path)
    for split in ("train", "validation", "test"):
        (folder / published.path("same_lcc_pairs", split)).unlink()
    release = open_published(str(folder))
    assert release.rows_in_card("same_lcc_pairs") == 20


# The card


@pytest.mark.parametrize(
    "pattern",
    [
        "../data/train-*", "/etc/*", "data/../../*", "./data/*", "data//train-*", "**/train-*",
        "data/.hidden", "~/data/*", "data/train-*\n", "a/b/c/d/e/f/g", "data\\train-*", "",
        "https://example.org/train.parquet", "x" * 500, "../base/data/train-*", "/etc/passwd",
        "hf://x", "data/[t]rain-*",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["path", "paths", "bare", "bare list"])
def test_a_path_that_leaves_the_folder_is_refused_by_name(
    published: PublishedFolder, tmp_path: Path, pattern: str, form: str
) -> None:
    files: Any = {
        "path": [{"split": "train", "path": pattern}],
        "paths": [{"split": "train", "path": ["data/train-*", pattern]}],
        "bare": pattern,
        "bare list": ["data/train-*", pattern],
    }[form]
    published.write_card(tmp_path)
    _change_front(tmp_path, configs=[{"config_name": "default", "data_files": files}])
    place = f"{tmp_path / 'README.md'}, field 'configs.0.data_files.0.path'"
    assert refusal(tmp_path).startswith(f"{place}: {pattern!r:.120} is not a path inside")


@pytest.mark.parametrize(
    ("config", "field", "given"),
    [
        ({"config_name": "a", "data_files": 3}, "configs.0.data_files.0", "3"),
        ({"config_name": "a", "data_files": [{"split": "x/y", "path": "x"}]},
         "configs.0.data_files.0.split", "'x/y'"),
        ({"config_name": "a", "data_files": [{"split": "test", "path": 7}]},
         "configs.0.data_files.0.path.0", "7"),
        ({"config_name": "a", "data_files": [{"path": "data/*"}]},
         "configs.0.data_files.0.split", "missing"),
        ({"config_name": "a", "data_files": ["data/*", {"split": "test", "path": "x"}]},
         "configs.0.data_files.0", "'data/*'"),
        ({"config_name": "../a"}, "configs.0.config_name", "'../a'"),
        ("a", "configs.0", "'a'"),
    ],
)  # fmt: skip
def test_a_field_of_the_card_that_is_wrong_is_named_as_the_card_has_it(
    published: PublishedFolder, tmp_path: Path, config: object, field: str, given: str
) -> None:
    published.write_card(tmp_path)
    _change_front(tmp_path, configs=[config])
    place, _, reason = refusal(tmp_path).partition(": ")
    assert place == f"{tmp_path / 'README.md'}, field {field!r}"
    assert given in reason


def test_a_card_with_a_byte_order_mark_is_read(published: PublishedFolder, tmp_path: Path) -> None:
    folder = published.write(tmp_path)
    wanted = open_published(str(folder)).source.configs
    card = folder / "README.md"
    card.write_bytes(b"\xef\xbb\xbf" + card.read_bytes())
    assert open_published(str(folder)).source.configs == wanted


@pytest.mark.parametrize("text", ["", "# No YAML\n", "---\n", "---\na: [\n---\n", "---\n- 1\n---\n",
                                  "---\nconfigs: []\n---\n", "---\nconfigs: 3\n---\n",
                                  "---\nconfigs:\n- data_files: data/*\n---\n",
                                  "---\nconfigs:\n- config_name: ../x\n---\n"])  # fmt: skip
def test_a_card_that_is_none_is_refused(
    published: PublishedFolder, tmp_path: Path, text: str
) -> None:
    folder = published.write(tmp_path)
    (folder / "README.md").write_text(text, encoding="utf-8")
    assert "README.md" in refusal(folder)


def test_a_card_that_is_not_there_not_text_or_too_long_is_refused(
    published: PublishedFolder, tmp_path: Path
) -> None:
    folder = published.write(tmp_path)
    card = folder / "README.md"
    for content in (b"---\n\xff\xfe\n---\n", b"---\n" + b"# " * 2_000_000):
        card.write_bytes(content)
        assert "README.md" in refusal(folder)
    card.unlink()
    assert "README.md" in refusal(folder)


@pytest.mark.parametrize(
    "infos",
    [
        [{"config_name": "default", "splits": [{"name": "test", "num_examples": -1}]}],
        [{"config_name": "default", "splits": [{"name": "test", "num_examples": "many"}]}],
        [{"config_name": "default", "splits": [{"name": "test"}, {"name": "test"}]}],
        [{"config_name": "default", "splits": 3}],
        "default",
    ],
)
def test_counts_that_are_none_are_refused(
    published: PublishedFolder, tmp_path: Path, infos: object
) -> None:
    folder = published.write(tmp_path)
    _change_front(folder, dataset_info=infos)
    assert "dataset_info" in refusal(folder)


def test_a_config_that_stands_twice_is_refused(published: PublishedFolder, tmp_path: Path) -> None:
    folder = published.write(tmp_path)
    front = _front(folder)
    _change_front(folder, configs=[*front["configs"], front["configs"][0]])
    assert "'default' stands twice" in refusal(folder)


def test_a_file_of_two_splits_is_refused(published: PublishedFolder, tmp_path: Path) -> None:
    published.patterns["default"]["test"] = "data/*"
    message = refusal(published.write(tmp_path))
    assert "'default'" in message
    assert "train-00000-of-00001.parquet" in message


def test_a_split_with_another_name_is_refused(published: PublishedFolder, take: Take) -> None:
    own = published.patterns["default"]
    published.patterns["default"] = {"dev": own["validation"], "train": own["train"]}
    del published.declared["default"]
    with pytest.raises(ShelfError, match="'dev' of default"):
        take(published, "default")


def test_what_is_no_parquet_file_is_refused(published: PublishedFolder, tmp_path: Path) -> None:
    folder = published.write(tmp_path)
    (folder / "data" / "train-notes.txt").write_text("notes", encoding="utf-8")
    assert "train-notes.txt" in refusal(folder)


def test_a_folder_without_any_known_config_is_refused(
    published: PublishedFolder, tmp_path: Path
) -> None:
    published.patterns = {"mystery": {"train": "data/train-*"}}
    assert "nothing to take over" in refusal(published.write(tmp_path))


def test_a_release_of_this_project_is_refused(whole: Path) -> None:
    assert (whole / MANIFEST).is_file()
    assert "already" in refusal(whole)


@pytest.mark.parametrize(
    "source", ["nonsense", "/no/such/folder", "a\0b", "~nosuchuser/x", "x" * 5000]
)
def test_what_is_neither_a_folder_nor_an_id_is_refused(source: str) -> None:
    with pytest.raises(ShelfError):
        open_published(source)


# Ids


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("default", "train", 3), ("default", "train", 5)),
        (("default", "train", 3), ("default", "test", 0)),
        (("default", "test", 1), ("v0_4_core", "train", 2)),
        (("transfer_gutenberg", "test", 0), ("transfer_gutenberg", "test", 9)),
    ],
)
def test_an_id_that_stands_twice_is_refused_with_both_rows(
    published: PublishedFolder, tmp_path: Path, first: Any, second: Any
) -> None:
    kept = published.rows[first[:2]][first[2]]["id"]
    published.rows[second[:2]][second[2]]["id"] = kept
    message = refusal(published.write(tmp_path))
    assert repr(kept) in message
    for config, split, row in (first, second):
        assert f"{published.path(config, split)}, row {row}" in message


def test_an_id_of_slice_and_natural_corpus_is_no_fault(
    published: PublishedFolder, tmp_path: Path
) -> None:
    published.of("transfer_lcshbench")[0]["id"] = published.of("default")[0]["id"]
    open_published(str(published.write(tmp_path)))


@pytest.mark.parametrize(
    "identity",
    [
        None, "", "a\nb", "\u202eab", "x" * 201, " ", "   ", "\u00a0", "\u200b\ufeff", "\u3164",
    ],
)  # fmt: skip
def test_an_id_that_is_none_is_refused(
    published: PublishedFolder, tmp_path: Path, identity: str | None
) -> None:
    published.rows["default", "validation"][4]["id"] = identity
    message = refusal(published.write(tmp_path))
    assert f"{published.path('default', 'validation')}, row 4, field 'id'" in message


# Columns and values


@pytest.mark.parametrize(
    ("config", "columns"),
    [
        ("v0_4_core", ("spec_id", "lcc_code")),
        ("v0_4_minimal_pairs", ("pair_id", "pair_role")),
        ("default", ("topics", "register")),
        ("transfer_gutenberg", ("title",)),
        ("v0_4_core", ("body",)),
        ("default", ("id",)),
    ],
)
def test_missing_columns_are_refused_all_at_once(
    published: PublishedFolder, take: Take, config: str, columns: tuple[str, ...]
) -> None:
    for column in columns:
        published.without_column(config, column)
    with pytest.raises(ShelfError) as caught:
        take(published, config)
    assert all(column in str(caught.value) for column in columns)
    assert ".parquet" in str(caught.value)


@pytest.mark.parametrize(
    ("config", "column", "kind", "value", "row"),
    [
        ("v0_4_core", "input_tokens", pa.string(), "many", 7),
        ("v0_4_core", "cost_usd", pa.string(), "2 USD", 7),
        ("v0_4_core", "git_dirty", pa.string(), "perhaps", 7),
        ("v0_4_core", "word_count", pa.float64(), 1.5, 7),
        ("v0_4_holdout", "reasoning_tokens", pa.string(), "none", 2),
        ("default", "temperature", pa.float64(), float("inf"), 7),
        ("default", "thinking_budget", pa.int64(), 2**40, 7),
        ("default", "title", pa.float64(), 2.5, 7),
        ("transfer_lcshbench", "n_agencies", pa.string(), "two", 7),
        ("transfer_gutenberg", "provenance", pa.string(), "{not json", 7),
    ],
)
def test_a_value_without_meaning_is_refused_with_file_row_and_field(
    published: PublishedFolder,
    take: Take,
    config: str,
    column: str,
    kind: Any,
    value: Any,
    row: int,
) -> None:
    published.retype(config, column, kind)
    for own in published.of(config):
        own[column] = None
    split = "test" if config == "transfer_gutenberg" else "train"
    published.rows[config, split][row][column] = value
    with pytest.raises(ShelfError) as caught:
        take(published, config)
    where = f"{published.path(config, split)}, row {row}, field '{column}'"
    assert where in str(caught.value)


def test_an_item_without_meaning_is_refused_with_its_row(
    published: PublishedFolder, take: Take
) -> None:
    published.rows["v0_4_core", "test"][4]["target_word_range"] = ["10", "a few"]
    with pytest.raises(ShelfError, match=r"row 4, field 'target_word_range': 'a few'"):
        take(published, "v0_4_core")


def test_a_field_without_meaning_is_refused_with_its_name(
    published: PublishedFolder, take: Take
) -> None:
    published.retype("transfer_gutenberg", "provenance", pa.string())
    for row in published.of("transfer_gutenberg"):
        row["provenance"] = json.dumps({"gutenberg_id": row["provenance"], "chunk_index": 1})
    published.rows["transfer_gutenberg", "test"][5]["provenance"] = json.dumps(
        {"gutenberg_id": 7, "chunk_index": "first"}
    )
    with pytest.raises(ShelfError, match=r"row 5, field 'provenance.chunk_index': 'first'"):
        take(published, "transfer_gutenberg")


def test_rows_are_numbered_as_in_the_file_where_others_were_dropped(
    published: PublishedFolder, take: Take
) -> None:
    published.retype("v0_4_core", "input_tokens", pa.string())
    for row in published.of("v0_4_core"):
        row["input_tokens"] = "3"
    rows = published.rows["v0_4_core", "train"]
    rows[2]["body"] = ""
    rows[6]["input_tokens"] = "many"
    with pytest.raises(ShelfError, match=r"row 6, field 'input_tokens'"):
        take(published, "v0_4_core")


# Files


def test_a_damaged_file_is_refused(published: PublishedFolder, tmp_path: Path) -> None:
    folder = published.write(tmp_path)
    path = folder / published.path("default", "test")
    path.write_bytes(path.read_bytes()[:-100])
    assert f"{path}: damaged" in refusal(folder)


def test_damage_inside_a_file_is_refused(published: PublishedFolder, tmp_path: Path) -> None:
    folder = published.write(tmp_path)
    path = folder / published.path("default", "test")
    content = bytearray(path.read_bytes())
    content[20:4000] = bytes(3980)
    path.write_bytes(content)
    message = refusal(folder)
    assert str(path) in message
    assert "damaged" in message


def test_bytes_that_are_no_text_are_refused(published: PublishedFolder, take: Take) -> None:
    """Parquet does not check that a text is UTF-8."""
    published.retype("v0_4_core", "prompt", pa.string())
    config = "v0_4_core"
    for row in published.of(config):
        row["prompt"] = "Write."
    schema = published.schemas[config, "train"]
    place = schema.get_field_index("prompt")

    class Bad(PublishedFolder):
        def write(self, folder: Path) -> Path:
            published.write(folder)
            table = pa.Table.from_pylist(published.rows[config, "train"], schema=schema)
            wrong = pa.array([b"\xff\xfe"] * len(table), pa.binary())
            text = pa.Array.from_buffers(pa.string(), len(wrong), wrong.buffers())
            table = table.set_column(place, "prompt", text)
            pq.write_table(table, folder / published.path(config, "train"))
            return folder

    with pytest.raises(ShelfError, match=r"v0_4_core/train-00000-of-00001.parquet, row 0"):
        take(Bad(), config)


def test_a_refused_import_leaves_nothing(published: PublishedFolder, tmp_path: Path) -> None:
    published.rows["v0_4_core", "test"][4]["target_word_range"] = ["10", "a few"]
    folder = published.write(tmp_path / "published")
    done = shelf_in(tmp_path, timeout=300)("import-release", folder, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "row 4, field 'target_word_range'" in done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["published"]


def _front(folder: Path) -> Any:
    return yaml.safe_load((folder / "README.md").read_text(encoding="utf-8").split("---\n")[1])


def _change_front(folder: Path, **changes: object) -> None:
    front = {**_front(folder), **changes}
    text = f"---\n{yaml.safe_dump(front)}---\n# SHELF\n"
    (folder / "README.md").write_text(text, encoding="utf-8")
