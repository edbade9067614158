"""What `datasets` and the Hub make of a release folder."""

from __future__ import annotations

import json

import datasets
import pyarrow.parquet as pq
import pytest
import yaml
from release_forgery import Release

SMALL = ["all", "v0_4_core", "same_lcc_pairs"]
NATURAL = ["transfer_books", "transfer_books_same_lcc_pairs"]
EVERY_CONFIG = pytest.mark.parametrize(
    ("source", "config"),
    [
        *(("small_release", name) for name in SMALL),
        *(("natural_release", name) for name in NATURAL),
    ],
)

pytestmark = pytest.mark.usefixtures("no_network")


@pytest.fixture
def load(tmp_path):
    """`load_dataset` with a cache of the test's own: the default one serves stale rows."""
    datasets.disable_progress_bars()

    def load_dataset(folder, *arguments, **options):
        return datasets.load_dataset(
            str(folder), *arguments, cache_dir=str(tmp_path / "cache"), **options
        )

    return load_dataset


def files_of(folder, config):
    """Parquet files by split."""
    files = {path.name.split("-")[0]: path for path in (folder / "data" / config).iterdir()}
    assert files
    return files


def features_of(path):
    return datasets.Features.from_arrow_schema(pq.read_schema(path))


@EVERY_CONFIG
def test_every_config_loads_with_its_rows_and_features(request, load, source, config):
    folder = request.getfixturevalue(source)
    files = files_of(folder, config)
    loaded = load(folder, config)
    assert set(loaded) == set(files)
    for split, path in files.items():
        assert loaded[split].features == features_of(path)
        assert loaded[split].to_list() == pq.read_table(path).to_pylist()


@EVERY_CONFIG
def test_every_config_streams_with_its_rows_and_features(request, load, source, config):
    folder = request.getfixturevalue(source)
    files = files_of(folder, config)
    streamed = load(folder, config, streaming=True)
    assert set(streamed) == set(files)
    for split, path in files.items():
        assert streamed[split].features == features_of(path)
        assert list(streamed[split]) == pq.read_table(path).to_pylist()


@pytest.mark.parametrize(
    ("source", "names"), [("small_release", SMALL), ("natural_release", NATURAL)]
)
def test_the_first_config_is_the_default(request, load, source, names):
    folder = request.getfixturevalue(source)
    assert datasets.get_dataset_config_names(str(folder)) == names
    assert Release(folder).manifest["default_config"] == names[0]
    loaded = load(folder, split="test")
    assert loaded.config_name == names[0]
    assert loaded["id"][:] == pq.read_table(files_of(folder, names[0])["test"])["id"].to_pylist()


@EVERY_CONFIG
def test_the_cards_features_are_those_of_the_files(request, source, config):
    folder = request.getfixturevalue(source)
    front, _ = Release(folder).card()
    (info,) = (info for info in front["dataset_info"] if info["config_name"] == config)
    named = datasets.Features._from_yaml_list(info["features"])
    files = files_of(folder, config)
    for path in files.values():
        assert named == features_of(path)
        assert list(named) == pq.read_schema(path).names


@EVERY_CONFIG
def test_the_cards_numbers_are_those_of_the_files(request, source, config):
    folder = request.getfixturevalue(source)
    front, _ = Release(folder).card()
    (info,) = (info for info in front["dataset_info"] if info["config_name"] == config)
    files = files_of(folder, config)
    assert {split["name"]: split["num_examples"] for split in info["splits"]} == {
        split: pq.read_metadata(path).num_rows for split, path in files.items()
    }
    assert info["download_size"] == sum(path.stat().st_size for path in files.values())
    assert info["dataset_size"] == sum(split["num_bytes"] for split in info["splits"])


def test_the_card_is_taken_by_the_hubs_own_reader(small_release):
    from huggingface_hub import DatasetCard

    card = DatasetCard.load(small_release / "README.md")
    assert card.data.license == "cc-by-4.0"
    assert [config["config_name"] for config in card.data.configs] == SMALL
    assert [config for config in card.data.configs if config.get("default")] == [
        card.data.configs[0]
    ]


def test_the_evaluation_file_names_configs_and_splits_that_are_there(small_release):
    value = yaml.safe_load((small_release / "eval.yaml").read_text(encoding="utf-8"))
    assert value["tasks"]
    for task in value["tasks"]:
        assert task["split"] in files_of(small_release, task["config"])
    assert len({task["id"] for task in value["tasks"]}) == len(value["tasks"])


def test_a_row_is_far_below_what_the_hubs_viewer_can_show(small_release):
    """Two megabytes a row are its limit, and small groups of rows let it page."""
    for path in (small_release / "data").rglob("*.parquet"):
        file = pq.ParquetFile(path)
        assert all(
            file.metadata.row_group(number).num_rows <= 1000
            for number in range(file.num_row_groups)
        )
        assert max(len(str(row)) for row in file.read().to_pylist()) < 500_000


def test_no_column_is_of_the_null_type(small_release, natural_release):
    """A column without a value keeps its type, so that splits and releases can be put together."""
    for folder in (small_release, natural_release):
        for path in (folder / "data").rglob("*.parquet"):
            assert "null" not in {str(kind) for kind in pq.read_schema(path).types}


@EVERY_CONFIG
def test_every_split_of_a_config_has_the_same_schema(request, source, config):
    files = files_of(request.getfixturevalue(source), config)
    first, *others = (pq.read_schema(path) for path in files.values())
    assert all(other.equals(first, check_metadata=True) for other in others)


@EVERY_CONFIG
def test_a_file_alone_tells_its_features(request, source, config):
    """A file that was taken out of its release has no card beside it."""
    for path in files_of(request.getfixturevalue(source), config).values():
        metadata = json.loads(pq.read_schema(path).metadata[b"huggingface"])
        named = datasets.Features.from_dict(metadata["info"]["features"])
        assert named == features_of(path)
