"""`shelf verify` passes a whole release and names what is wrong with any other."""

from __future__ import annotations

import json
import random
import sys

import pytest
from release_forgery import Release, sha256_of_bytes

from builders.build import build
from builders.request import BuildRequest
from builders.staging import writing
from evaluate_shelf.cli import main
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.release.manifest import read_manifest
from evaluate_shelf.release.verification import verify_release

CORE, POOL, PAIRS = "v0_4_core", "all", "same_lcc_pairs"
HASHED = pytest.mark.parametrize("forged", [False, True], ids=["changed", "forged"])


def refusal(release: Release, forged: bool = False) -> str:
    """What `shelf verify` says of a release that is not as it was built."""
    if forged:
        release.rehash()
    with pytest.raises(ShelfError) as caught:
        verify_release(release.folder)
    return str(caught.value)


def assert_names(message, path, row=None, field=None):
    assert str(path) in message
    if row is not None:
        assert f"row {row}" in message
    if field is not None:
        assert repr(field) in message


# Whole


def test_whole_releases_pass(small_release, natural_release):
    for folder in (small_release, natural_release):
        assert verify_release(folder) == read_manifest(folder)


def test_the_forgers_helper_makes_a_whole_release_of_a_whole_release(release, natural):
    """So what is refused below is refused for what its rows say."""
    for own in (release, natural):
        before = own.manifest
        own.rehash()
        verify_release(own.folder)
        after = own.manifest
        assert after["data_files"] == before["data_files"]
        assert after["configs"] == before["configs"]


def test_the_command_line_gives_status_0_or_2_and_one_message(release, monkeypatch, capsys):
    def status():
        monkeypatch.setattr(sys, "argv", ["shelf", "verify", str(release.folder)])
        try:
            main()
        except SystemExit as stop:
            return stop.code or 0
        return 0

    assert status() == 0
    written = capsys.readouterr()
    assert written.err == ""
    assert read_manifest(release.folder).release_id in written.out
    path = release.change_row(CORE, 3, lcc_code="Q")
    assert status() == 2
    written = capsys.readouterr()
    assert written.out == ""
    assert len(written.err.splitlines()) == 1
    assert_names(written.err, path, 3, "lcc_code")


def test_the_folder_may_lie_anywhere(release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    release.folder.rename("moved")
    verify_release(release.folder.with_name("moved"))


@pytest.mark.parametrize("name", [None, "a thesis"])
def test_a_folder_that_is_no_release_is_refused(tmp_path, name):
    folder = tmp_path / "folder"
    if name:
        folder.mkdir()
        (folder / name).write_text("x")
    with pytest.raises(ShelfError, match="folder"):
        verify_release(folder)


# Bytes


@pytest.mark.parametrize("config", [CORE, POOL, PAIRS])
@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_one_flipped_bit_anywhere_in_a_data_file_is_refused(release, config, split):
    path = release.path(config, split)
    content = path.read_bytes()
    chance = random.Random(f"{config} {split}")
    # The first and last bytes, some of the footer, and some of everything.
    places = [0, len(content) - 1, len(content) - 5]
    places += [len(content) - 1 - chance.randrange(4000) for _ in range(4)]
    places += [chance.randrange(len(content)) for _ in range(6)]
    for place in places:
        damaged = bytearray(content)
        damaged[place] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        assert_names(refusal(release), path)


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "CAVEATS.md",
        "croissant.json",
        "eval.yaml",
        f"checks/{CORE}/test-00000-of-00001.crc32",
    ],
)
def test_one_flipped_bit_in_any_other_file_is_refused(release, name):
    path = release.folder / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert_names(refusal(release), path)


def test_a_truncated_and_an_empty_file_are_refused(release):
    path = release.path(CORE)
    content = path.read_bytes()
    for end in (0, 4, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:end])
        assert_names(refusal(release), path)


def test_a_damaged_manifest_is_refused(release):
    path = release.folder / "manifest.json"
    content = path.read_text()
    for damaged in ("", "{", content[:-20], "[]", "null", content.replace('"rows"', '"row"', 1)):
        path.write_text(damaged)
        assert_names(refusal(release), path)


@pytest.mark.parametrize("options", [{"compression": "snappy"}, {"row_group_size": 7}])
def test_the_same_rows_in_other_bytes_are_refused(release, options):
    path = release.write_rows(CORE, "test", release.rows(CORE), **options)
    assert_names(refusal(release), path)


# Files


@pytest.mark.parametrize(
    "name",
    [
        f"data/{CORE}/validation-00000-of-00001.parquet",
        f"checks/{PAIRS}/test-00000-of-00001.crc32",
        "README.md",
        "CAVEATS.md",
        "croissant.json",
        "eval.yaml",
        "manifest.json",
    ],
)
def test_a_missing_file_is_refused(release, name):
    (release.folder / name).unlink()
    message = refusal(release)
    assert "manifest.json" in message if name == "manifest.json" else name in message


@pytest.mark.parametrize(
    "name",
    [
        "notes.txt",
        "dataset_infos.json",
        f"data/{CORE}/test-00001-of-00002.parquet",
        f"data/{CORE}/extra/test.parquet",
        "data/other/train.parquet",
        f"checks/{CORE}/other.crc32",
        # `load_dataset` reads this one, and prefers it to the card.
        ".huggingface.yaml",
    ],
)
def test_a_foreign_file_is_refused(release, name):
    path = release.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    assert_names(refusal(release), path)


def test_a_data_file_that_is_a_folder_is_refused(release):
    path = release.path(CORE)
    path.unlink()
    path.mkdir()
    assert_names(refusal(release), path)


# Rows


@pytest.mark.parametrize("row", [0, 5, -1])
def test_a_missing_row_is_refused(release, row):
    rows = release.rows(CORE)
    place = row % len(rows)
    path = release.change_rows(CORE, "test", lambda own: own.pop(row) and None)
    assert_names(refusal(release), path, place)


def test_a_missing_row_is_refused_where_only_the_hashes_were_forged(release):
    """The card still tells how many rows there were, and the pool has the document."""
    path = release.change_rows(CORE, "test", lambda own: own[:-1])
    front, prose = release.card()
    release.rehash()
    release.write_card(front, prose)
    readme = release.folder / "README.md"

    def forge(manifest):
        manifest["other_files"]["README.md"].update(
            sha256=sha256_of_bytes(readme.read_bytes()), bytes=readme.stat().st_size
        )

    release.change_manifest(forge)
    message = refusal(release)
    assert str(readme) in message or str(path) in message or repr(POOL) in message


@pytest.mark.parametrize("row", [0, 5, 58])
def test_an_added_row_is_refused(release, row):
    extra = {**release.rows(CORE, "train")[0], "id": "f" * 16}
    path = release.change_rows(CORE, "test", lambda own: own.insert(row, extra))
    assert_names(refusal(release), path, row)


def test_exchanged_rows_are_refused(release):
    def exchange(rows):
        rows[4], rows[9] = rows[9], rows[4]

    path = release.change_rows(CORE, "test", exchange)
    assert_names(refusal(release), path, 4)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "0" * 15 + "x"),
        ("text", "Something else."),
        ("title", "Something else"),
        ("lcc_code", "S"),
        ("lcgft_form", "Novels"),
        ("topics", ["Information"]),
        ("audience", "Nobody"),
        ("register", "formal and more"),
        ("word_count", 1),
        ("target_word_range", [1, 2]),
        ("cost_usd", 0.5),
        ("temperature", 0.0),
        ("git_dirty", True),
        ("spec_id", None),
        ("qc_passed", False),
    ],
)
@pytest.mark.parametrize("row", [0, 17, 57])
def test_a_changed_value_is_refused_by_row_and_field(release, row, field, value):
    assert release.rows(CORE)[row][field] != value
    path = release.change_row(CORE, row, **{field: value})
    assert_names(refusal(release), path, row, field)


def test_a_changed_value_within_a_struct_is_refused_by_row_and_field(natural):
    row = natural.rows("transfer_books")[2]
    changed = {**row["provenance"], "chunk_index": 7}
    path = natural.change_row("transfer_books", 2, provenance=changed)
    assert_names(refusal(natural), path, 2, "provenance")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_refused(release, value):
    path = release.change_row(CORE, 3, cost_usd=value)
    assert_names(refusal(release), path)


# What rows say; the hashes agree with the rows where they were forged


@HASHED
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("lcc_code", "I"),
        ("lcc_code", None),
        ("lcc_code", ""),
        ("lcgft_category", "Musik"),
        ("lcgft_form", "Shopping lists"),
        ("topics", ["Information", "Gossip"]),
        ("geographic", ["Atlantis"]),
        ("audience", "Nobody"),
        ("register", "shouted"),
        ("target_length", "endless"),
    ],
)
def test_an_unknown_label_is_refused(release, field, value, forged):
    path = release.change_row(CORE, 11, **{field: value})
    assert_names(refusal(release, forged), path, 11, field)


@HASHED
def test_a_class_with_another_classes_name_is_refused(release, forged):
    row = release.rows(CORE)[11]
    path = release.change_row(CORE, 11, lcc_code="Q" if row["lcc_code"] != "Q" else "T")
    message = refusal(release, forged)
    assert_names(message, path, 11)
    assert "'lcc_name'" in message or "'lcc_code'" in message


@HASHED
@pytest.mark.parametrize("text", ["", " ", "\n\t ", None])
@pytest.mark.parametrize("config", [CORE, POOL])
def test_an_empty_text_is_refused(release, config, text, forged):
    path = release.change_row(config, 8, text=text)
    assert_names(refusal(release, forged), path, 8, "text")


@HASHED
@pytest.mark.parametrize("count", [0, -1, None, 10**9])
def test_a_wrong_number_of_words_is_refused(release, count, forged):
    path = release.change_row(POOL, 8, split="validation", word_count=count)
    assert_names(refusal(release, forged), path, 8, "word_count")


@HASHED
@pytest.mark.parametrize("identity", ["", None])
def test_a_row_without_an_id_is_refused(release, identity, forged):
    path = release.change_row(CORE, 8, id=identity)
    assert_names(refusal(release, forged), path, 8, "id")


@HASHED
@pytest.mark.parametrize("config", [CORE, POOL, PAIRS])
def test_an_id_that_stands_twice_is_refused(release, config, forged):
    first = release.rows(config)[2]["id"]
    path = release.change_row(config, 8, id=first)
    assert_names(refusal(release, forged), path, 8, "id")


@HASHED
@pytest.mark.parametrize("config", [CORE, POOL, PAIRS])
def test_an_id_in_two_splits_is_refused(release, config, forged):
    other = release.rows(config, "train")[0]["id"]
    path = release.change_row(config, 8, id=other)
    message = refusal(release, forged)
    # Which of the two files is named depends on the order in which they are read.
    assert str(path) in message or str(release.path(config, "train")) in message
    assert_names(message, release.folder, field="id")


@HASHED
@pytest.mark.parametrize("config", [CORE, POOL])
def test_a_group_in_two_splits_is_refused(release, config, forged):
    other = release.rows(config, "train")[0]["spec_id"]
    field = "group_id" if config == POOL else "spec_id"
    path = release.change_row(config, 8, **{"spec_id": other, field: other})
    message = refusal(release, forged)
    if forged:
        assert str(path) in message or str(release.path(config, "train")) in message
    else:
        assert_names(message, path, 8)
        field = "spec_id"  # the first column that was changed
    assert_names(message, release.folder, field=field)


@HASHED
def test_a_pooled_row_whose_group_is_not_its_specification_is_refused(release, forged):
    path = release.change_row(POOL, 8, group_id="nobody")
    assert_names(refusal(release, forged), path, 8, "group_id")


def test_a_group_of_natural_passages_in_two_splits_is_refused(natural):
    other = natural.rows("transfer_books", "train")[0]["group_id"]
    natural.change_row("transfer_books", 3, group_id=other)
    assert_names(refusal(natural, forged=True), natural.folder, field="group_id")


@HASHED
@pytest.mark.parametrize("label", [2, -1, None])
def test_a_pair_label_that_is_neither_0_nor_1_is_refused(release, label, forged):
    path = release.change_row(PAIRS, 8, label=label)
    assert_names(refusal(release, forged), path, 8, "label")


@HASHED
@pytest.mark.parametrize("field", ["doc_a_body", "doc_b_body"])
def test_an_empty_text_of_a_pair_is_refused(release, field, forged):
    path = release.change_row(PAIRS, 8, **{field: " "})
    assert_names(refusal(release, forged), path, 8, field)


@HASHED
def test_a_document_paired_with_itself_is_refused(release, forged):
    row = release.rows(PAIRS)[8]
    path = release.change_row(PAIRS, 8, doc_b_id=row["doc_a_id"])
    assert_names(refusal(release, forged), path, 8, "doc_b_id")


# What pairs say of the documents that lie beside them


def flipped(row):
    return {"label": 1 - row["label"]}


@HASHED
def test_a_flipped_pair_label_is_refused(release, forged):
    """The release holds the documents, and so what the label has to be."""
    path = release.change_row(PAIRS, 8, **flipped(release.rows(PAIRS)[8]))
    assert_names(refusal(release, forged), path, 8, "label")


@HASHED
@pytest.mark.parametrize("side", ["doc_a", "doc_b"])
def test_a_pair_of_a_document_that_is_not_there_is_refused(release, side, forged):
    path = release.change_row(PAIRS, 8, **{f"{side}_id": "f" * 16})
    assert_names(refusal(release, forged), path, 8, f"{side}_id")


@HASHED
def test_a_pair_with_another_text_than_its_document_is_refused(release, forged):
    path = release.change_row(PAIRS, 8, doc_a_body="Something else.")
    assert_names(refusal(release, forged), path, 8, "doc_a_body")


@HASHED
def test_a_pair_that_comes_twice_is_refused(release, forged):
    row = release.rows(PAIRS)[2]
    swapped = {
        f"doc_{one}_{part}": row[f"doc_{other}_{part}"]
        for one, other in ("ab", "ba")
        for part in ("id", "title", "body")
    }
    path = release.change_row(PAIRS, 8, label=row["label"], **swapped)
    assert_names(refusal(release, forged), path, 8)


@HASHED
def test_a_test_pair_of_a_train_document_is_refused(release, forged):
    """What a model is tested on must not be what it was trained on."""
    foreign = release.rows(POOL, "train")[0]
    path = release.change_row(
        PAIRS,
        8,
        doc_a_id=foreign["id"],
        doc_a_title=foreign["title"],
        doc_a_body=foreign["body"],
    )
    assert_names(refusal(release, forged), path, 8, "doc_a_id")


@HASHED
def test_a_pooled_row_that_names_another_split_is_refused(release, forged):
    path = release.change_rows(POOL, "test", lambda rows: rows[8].update(split="train"))
    assert_names(refusal(release, forged), path, 8, "split")


@HASHED
def test_a_text_that_is_not_the_body_is_refused(release, forged):
    text = release.rows(CORE)[8]["text"]
    path = release.change_row(CORE, 8, text=text[::-1])
    message = refusal(release, forged)
    assert_names(message, path, 8)
    assert "'text'" in message or "'body'" in message


# What the manifest and the card say


def test_a_changed_row_with_only_its_files_hash_forged_is_refused(release):
    """The release's id is made from the content hashes, so they have to be those of the rows."""
    before = read_manifest(release.folder).release_id
    path = release.change_row(CORE, 8, title="Something else")
    name = path.relative_to(release.folder).as_posix()

    def forge(manifest):
        content = path.read_bytes()
        manifest["data_files"][name].update(sha256=sha256_of_bytes(content), bytes=len(content))

    release.change_manifest(forge)
    assert read_manifest(release.folder).release_id == before
    assert_names(refusal(release), path, 8, "title")


def in_file(**fields):
    def change(manifest):
        manifest["data_files"][f"data/{CORE}/test-00000-of-00001.parquet"].update(fields)

    return change


def in_config(**fields):
    return lambda manifest: manifest["configs"][CORE].update(fields)


def other_counts(manifest):
    counts = manifest["configs"][CORE]["counts"]["test"]["lcc_code"]
    counts[next(iter(counts))] += 1


def other_type(manifest):
    manifest["configs"][CORE]["schema"]["word_count"] = "string"


def other_field_hash(manifest):
    file = manifest["data_files"][f"data/{CORE}/test-00000-of-00001.parquet"]
    file["field_sha256"]["title"] = "0" * 64


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(in_file(rows=1), id="rows"),
        pytest.param(in_file(bytes=1), id="bytes"),
        pytest.param(in_file(content_sha256="0" * 64), id="content of a file"),
        pytest.param(in_file(split="train"), id="split"),
        pytest.param(in_file(config="other"), id="config of a file"),
        pytest.param(in_file(row_checks="checks/none.crc32"), id="row checks"),
        pytest.param(in_config(content_sha256="0" * 64), id="content of a config"),
        pytest.param(in_config(group_column="nobody"), id="group column"),
        pytest.param(in_config(kind="pairs"), id="kind"),
        pytest.param(in_config(derived_from="nothing"), id="derived from"),
        pytest.param(other_counts, id="counts"),
        pytest.param(other_type, id="type"),
        pytest.param(other_field_hash, id="hash of a field"),
        pytest.param(lambda manifest: manifest.update(default_config="nothing"), id="default"),
        pytest.param(lambda m: m["other_files"]["README.md"].update(bytes=1), id="bytes of a file"),
        pytest.param(lambda manifest: manifest.update(manifest_version=1), id="version"),
        pytest.param(lambda manifest: manifest.update(more=1), id="unknown entry"),
    ],
)
def test_a_manifest_that_says_something_else_is_refused(release, change):
    release.change_manifest(change)
    assert refusal(release)


def forge_card(release, change):
    front, prose = release.card()
    change(front)
    release.write_card(front, prose)
    readme = release.folder / "README.md"

    def forge(manifest):
        content = readme.read_bytes()
        manifest["other_files"]["README.md"] = {
            "bytes": len(content),
            "sha256": sha256_of_bytes(content),
        }

    release.change_manifest(forge)
    return readme


def more_rows(front):
    front["dataset_info"][0]["splits"][0]["num_examples"] += 1


def train_is_test(front):
    train, _, test = front["configs"][0]["data_files"]
    train["path"] = test["path"]


def other_feature(front):
    feature = next(f for f in front["dataset_info"][0]["features"] if f["name"] == "word_count")
    feature["dtype"] = "string"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda front: front["configs"].pop(), id="a config left out"),
        pytest.param(more_rows, id="rows"),
        pytest.param(lambda front: front["dataset_info"].pop(), id="no info on a config"),
        pytest.param(train_is_test, id="train reads the files of test"),
        pytest.param(other_feature, id="type of a column"),
        pytest.param(lambda front: front["configs"][0].pop("default"), id="default"),
    ],
)
def test_a_card_that_says_something_else_is_refused_though_its_hash_is_forged(release, change):
    """`load_dataset` goes by the card."""
    readme = forge_card(release, change)
    assert_names(refusal(release), readme)


@pytest.mark.parametrize("text", ["", "# SHELF\n", "---\n- a list\n---\n", "---\n[\n---\n"])
def test_a_card_without_its_front_matter_is_refused_though_its_hash_is_forged(release, text):
    readme = release.folder / "README.md"
    readme.write_text(text)

    def forge(manifest):
        manifest["other_files"]["README.md"] = {
            "bytes": len(text),
            "sha256": sha256_of_bytes(text.encode()),
        }

    release.change_manifest(forge)
    assert_names(refusal(release), readme)


# Several files a split


@pytest.fixture
def sharded(tmp_path, monkeypatch):
    """A release whose splits lie in several files each."""
    monkeypatch.setattr(writing, "_SHARD_BYTES", 100_000)
    monkeypatch.setattr(writing, "_ROWS_A_GROUP_OF_TEXT", 25)
    plan = load_plan("quickstart").sized(260, ["v0_4_core"])
    build(BuildRequest((CORE,), tmp_path / "sharded", "sharded", plan))
    release = Release(tmp_path / "sharded")
    shards = sorted(release.path(CORE).parent.glob("train-*"))
    assert len(shards) > 1
    assert [path.name for path in shards] == [
        f"train-{number:05d}-of-{len(shards):05d}.parquet" for number in range(len(shards))
    ]
    return release


def test_a_release_of_several_files_a_split_is_whole_and_says_the_same(sharded, small_release):
    import pyarrow.parquet as pq

    verify_release(sharded.folder)
    rows = [
        row
        for path in sorted(sharded.path(CORE).parent.glob("train-*"))
        for row in pq.read_table(path).to_pylist()
    ]
    assert rows == Release(small_release).rows(CORE, "train")


def test_an_id_in_two_files_of_one_split_is_refused(sharded):
    import pyarrow as pa
    import pyarrow.parquet as pq

    first, second, *_ = sorted(sharded.path(CORE).parent.glob("train-*"))
    rows = pq.read_table(second).to_pylist()
    rows[3]["id"] = pq.read_table(first)["id"][0].as_py()
    pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(second)), second)
    message = refusal(sharded, forged=True)
    assert str(first) in message or str(second) in message
    assert_names(message, sharded.folder, field="id")


def test_the_manifest_is_plain_json(small_release):
    text = (small_release / "manifest.json").read_text(encoding="utf-8")

    def refuse(name):
        raise AssertionError(name)

    assert json.loads(text, parse_constant=refuse)["manifest_version"] == 2
