"""Labels that are not SHELF's: drawn from, composed, gated, brought along and verified."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from builders.build import build
from builders.corpora.synthetic.written import written_corpus
from builders.release.taxonomy import taxonomy_files
from builders.request import BuildRequest
from builders.taxonomies.importing import ImportRequest, import_taxonomy
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.registry.taxonomy import load_taxonomy, taxonomy_folder
from evaluate_shelf.release.manifest import manifest_json, read_manifest
from evaluate_shelf.release.taxonomy import taxonomy_of
from evaluate_shelf.release.verification import verify_release

CRAFTS = ("Weaving", "Pottery", "Thatching", "Rope making", "Basketry", "Bell founding")


@pytest.fixture(scope="module")
def crafts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A taxonomy whose classes are crafts."""
    folder = tmp_path_factory.mktemp("crafts")
    file = folder / "crafts.tsv"
    rows = [f"c{number}\t{label}" for number, label in enumerate(CRAFTS)]
    file.write_text("\n".join(["id\tlabel", *rows]) + "\n")
    import_taxonomy(ImportRequest(file, "tsv", "subject", folder / "taxonomy"))
    return folder / "taxonomy"


def request_of(out: Path, crafts: Path | None, *configs: str) -> BuildRequest:
    plan = load_plan("standard").sized(200, ["v0_4_core"])
    return BuildRequest(configs or ("v0_4_core",), out, "crafts", plan, taxonomy=crafts)


@pytest.fixture(scope="module")
def release(crafts: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("release") / "crafts"
    build(request_of(out, crafts))
    return out


def test_the_release_has_the_imported_labels_and_verifies_with_them(release, crafts):
    manifest = verify_release(release)
    names = set()
    for file in (release / "data/v0_4_core").glob("*.parquet"):
        names.update(pq.read_table(file, columns=["lcc_name"])["lcc_name"].to_pylist())
    assert names == set(CRAFTS)
    assert taxonomy_of(release, manifest) == load_taxonomy(crafts)
    assert any("crafts" in note for note in manifest.configs["v0_4_core"].notes)


def test_the_taxonomys_files_are_copied_and_nothing_that_lies_beside_them(crafts, tmp_path):
    copy = tmp_path / "taxonomy"
    shutil.copytree(crafts, copy)
    (copy / "secrets.txt").write_text("mine")
    files = taxonomy_files(copy)
    assert set(files) == {f"taxonomy/{own.name}" for own in crafts.iterdir()}
    assert all((crafts / Path(name).name).read_bytes() == own for name, own in files.items())


def test_shelfs_own_labels_are_not_brought_along():
    assert taxonomy_files(None) == {}
    assert taxonomy_files(taxonomy_folder()) == {}


def test_its_gates_look_for_its_own_labels(release):
    report = json.loads((release / "reports/gates.json").read_text())
    assert report["counts"]["in_all"]["written"] >= 190
    assert report["counts"]["in_all"]["passed"] >= 0.9 * report["counts"]["in_all"]["written"]


@pytest.mark.parametrize(("old", "new"), [("Basketry", "Basket weaving"), ("code: c0", "code: c9")])
def test_a_taxonomy_that_was_changed_in_the_release_is_refused(release, tmp_path, old, new):
    copy = tmp_path / "copy"
    shutil.copytree(release, copy)
    file = copy / "taxonomy/lcc.yaml"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    with pytest.raises(ShelfError, match=r"lcc\.yaml"):
        verify_release(copy)


def test_rows_are_held_against_the_releases_own_labels(release, tmp_path):
    """A forged manifest knows the changed file, so the rows have to tell."""
    from builders.release.data_files import plain_file

    copy = tmp_path / "copy"
    shutil.copytree(release, copy)
    file = copy / "taxonomy/lcc.yaml"
    file.write_text(file.read_text().replace("Basketry", "Basket weaving"))
    manifest = read_manifest(copy)
    others = {**manifest.other_files, "taxonomy/lcc.yaml": plain_file(file)}
    forged = manifest.model_copy(update={"other_files": others})
    (copy / "manifest.json").write_text(json.dumps(manifest_json(forged)))
    with pytest.raises(ShelfError, match="lcc_name"):
        verify_release(copy)


def test_natural_corpora_with_other_classes_are_refused(crafts, tmp_path):
    request = request_of(tmp_path / "out", crafts, "transfer_lcshbench")
    with pytest.raises(ShelfError, match="--taxonomy"):
        build(BuildRequest(**{**vars(request), "lcshbench": tmp_path}))
    assert not (tmp_path / "out").exists()


def test_a_folder_without_a_taxonomy_is_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(ShelfError):
        build(request_of(tmp_path / "out", tmp_path / "empty"))
    assert not (tmp_path / "out").exists()


def test_documents_are_written_and_loaded_as_a_dataset(release, tmp_path):
    import datasets

    loaded = datasets.load_dataset(str(release), "v0_4_core", cache_dir=str(tmp_path))
    rows = {split: len(own) for split, own in loaded.items()}
    assert rows == read_manifest(release).rows_of("v0_4_core")


def test_a_corpus_that_was_written_from_it_is_built_with_it_alone(crafts, write, tmp_path):
    corpus = write(tmp_path / "corpus", 240, taxonomy=crafts)
    with pytest.raises(ShelfError, match="--taxonomy"):
        written_corpus(corpus)
    written = written_corpus(corpus, crafts)
    request = BuildRequest(
        ("v0_4_core",), tmp_path / "own", "own", written.plan, written=written, taxonomy=crafts
    )
    build(request)
    manifest = verify_release(tmp_path / "own")
    assert taxonomy_of(tmp_path / "own", manifest) == load_taxonomy(crafts)
