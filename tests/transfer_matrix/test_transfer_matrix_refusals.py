"""What a user can get wrong, each with a message that says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from staged_releases import pairs, row_of, staged

from builders.corpora.catalogue.columns import CATALOGUE
from builders.release.folder import write_release
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.transfer_matrix import Settings, corpora_named, settings_for, transfer_matrix

QUICK = str(shipped_release())


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "no corpus"),
        (["quick"], "NAME=RELEASE"),
        (["=folder"], "NAME=RELEASE"),
        (["quick="], "NAME=RELEASE"),
        (["a/b=folder"], "NAME=RELEASE"),
        (["x" * 41 + "=folder"], "NAME=RELEASE"),
        ([f"quick={QUICK}:nothing"], "no config 'nothing'"),
        ([f"quick={QUICK}:same_lcc_pairs"], "holds no documents"),
        (["quick=/no/such/folder:all"], "no such folder"),
        (["quick=/no/such\0folder:all"], "no such folder"),
        ([f"quick={QUICK}", f"quick={QUICK}:v0_4_core"], "'quick' stands twice"),
    ],
)
def test_what_names_no_corpus(given: list[str], said: str) -> None:
    with pytest.raises(ShelfError, match=said):
        corpora_named(given)


def test_a_config_without_classes(tmp_path: Path) -> None:
    plain = CATALOGUE.remove(CATALOGUE.get_field_index("lcc_code"))
    config = staged(tmp_path / "staged", "own", plain, [row_of(n) for n in range(20)])
    write_release("own", [config], tmp_path / "own")
    with pytest.raises(ShelfError, match=r"own, config 'own': it has no column 'lcc_code'"):
        corpora_named([f"own={tmp_path / 'own'}"])


def test_documents_without_a_class(release, made, tmp_path: Path) -> None:
    none = [{**row, "lcc_code": None} for row in made(40, 2, "fish")]
    named = corpora_named([f"fish={release('fish', none)}"])
    with pytest.raises(
        ShelfError, match=r"config 'own_catalogue': no document has a lcc_code; leave fish"
    ):
        transfer_matrix(named, work=tmp_path / "work")


@pytest.mark.parametrize("label", ["A\x1b[2J", "A\nB", "A\u202eB", "A\x7f", "x" * 301])
def test_a_class_that_no_terminal_can_show(release, made, tmp_path: Path, label: str) -> None:
    rows = [*made(39, 3, "fish"), {**made(40, 3, "fish")[39], "lcc_code": label}]
    named = corpora_named([f"fish={release('fish', rows)}"])
    with pytest.raises(ShelfError, match=r"'fish000039', field 'lcc_code'.* is no class") as error:
        transfer_matrix(named, work=tmp_path / "work")
    assert str(error.value).isprintable()


def test_fewer_than_two_classes(release, made, tmp_path: Path) -> None:
    good = f"good={release('good', made(40, 2, 'bird'))}"
    one = corpora_named([good, f"one={release('one', made(40, 1, 'fish'))}"])
    with pytest.raises(ShelfError, match="corpus 'one': only one class is left, 'A'"):
        transfer_matrix(one, work=tmp_path / "work")
    assert not (tmp_path / "work").exists()


def test_two_classes_of_which_one_alone_is_learned_from(release, made, tmp_path: Path) -> None:
    rows = made(20, 2, "fish")
    for row in rows:
        row["group_id"] = row["lcc_code"]
    named = corpora_named([f"fish={release('fish', rows)}"])
    with pytest.raises(ShelfError, match="the part to learn from: only one class is left"):
        transfer_matrix(named, work=tmp_path / "work")


def test_a_corpus_that_cannot_be_split(release, made, tmp_path: Path) -> None:
    rows = [{**row, "group_id": "g"} for row in made(20, 2, "fish")]
    named = corpora_named([f"fish={release('fish', rows, group_column=None)}"])
    assert transfer_matrix(named, work=tmp_path / "work").corpora[0].n_test == 6
    few = corpora_named([f"few={release('few', made(10, 5, 'fish'), group_column=None)}"])
    with pytest.raises(ShelfError, match="corpus 'few': 10 documents of 5 classes are too few"):
        transfer_matrix(few, work=tmp_path / "work")


def test_a_config_of_pairs_is_no_corpus(tmp_path: Path) -> None:
    source = staged(tmp_path / "staged", "own", CATALOGUE, [row_of(n) for n in range(20)])
    write_release("own", [source, pairs(tmp_path / "pairs", source)], tmp_path / "own")
    with pytest.raises(ShelfError, match="holds no documents"):
        corpora_named([f"own={tmp_path / 'own'}:same_lcc_pairs"])


def test_a_folder_with_a_colon_in_its_name_is_a_folder(release, made) -> None:
    folder = release("of:fish", made(40, 2, "fish"))
    for text in (f"a={folder}", f"a={folder}:own_catalogue"):
        (corpus,) = corpora_named([text])
        assert corpus.data.config == "own_catalogue"


@pytest.mark.parametrize(
    ("model", "said"),
    [("bm25", "gives no vectors"), ("no-model", "unknown model"), ("tfidf-full,dim=3", "option")],
)
def test_models_without_vectors(corpora, tmp_path: Path, model: str, said: str) -> None:
    with pytest.raises(ShelfError, match=said):
        transfer_matrix(corpora, model, work=tmp_path / "work")


def test_no_words() -> None:
    with pytest.raises(ShelfError, match="at least 1 word"):
        settings_for(words=0)


def test_stored_vectors_cannot_be_of_the_first_words(corpora, tmp_path: Path) -> None:
    ids = [identity for corpus in corpora for identity in corpus.documents.ids]
    vectors = np.random.default_rng(1).normal(size=(len(ids), 8)).astype(np.float32)
    np.save(tmp_path / "v.npy", vectors)
    (tmp_path / "v.ids.txt").write_text("\n".join(ids), encoding="utf-8")
    model = f"npy:{tmp_path / 'v.npy'}"
    assert len(transfer_matrix(corpora, model, work=tmp_path / "work").cells) == 4
    with pytest.raises(ShelfError, match="--words"):
        transfer_matrix(corpora, model, Settings(words=3), work=tmp_path / "work")
