"""What apply says of the release's own test documents is what the run says of them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pymarc
import pytest

from evaluate_shelf.application import Reporter, apply_run
from evaluate_shelf.application.classifier import Classifier, fitted_classifier
from evaluate_shelf.application.reproduction import check_encoder, check_reproduced
from evaluate_shelf.application.scored_run import ScoredRun, open_scored_run
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.resolve import resolve_model
from evaluate_shelf.models.static import WordLlama
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.release.documents import Release
from evaluate_shelf.runs.threads import protocol_threads

COLUMNS = ("id=id", "text=text", "lcc=lcc")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def agree(rows: list[dict[str, str]], items: dict[str, dict[str, Any]]) -> None:
    assert [row["id"] for row in rows] == list(items)
    for row in rows:
        item = items[row["id"]]
        assert row["predicted_class"] == item["predicted"]
        # The file has six decimals.
        assert float(row["probability"]) == pytest.approx(item["probability"], abs=1.5e-6)


def classifier_of(scored: Any, model: str) -> tuple[ScoredRun, Classifier, Any]:
    run = open_scored_run(scored.folders[model], str(shipped_release()))
    named = resolve_model(model, run.protocol)
    work = Workspace(named.load(), named.identity, run.protocol, scored.store)
    with protocol_threads(run.protocol):
        return run, *fitted_classifier(run, work)


@pytest.mark.parametrize("model", ["tfidf", "wordllama"])
def test_the_classifier_says_of_test_texts_what_the_run_says(
    scored: Any, documents: Any, model: str
) -> None:
    run, classifier, _ = classifier_of(scored, model)
    with protocol_threads(run.protocol):
        probabilities, reasons = classifier.classify(documents.texts)
    assert not any(reasons)
    for identity, own in zip(documents.ids, probabilities, strict=True):
        item = scored.items(model)[identity]
        assert classifier.labels[int(own.argmax())] == item["predicted"]
        assert abs(own.max() - item["probability"]) <= 1e-6
        assert own.sum() == pytest.approx(1)


def test_a_table_of_the_test_documents(scored: Any, documents: Any, tmp_path: Path) -> None:
    table = documents.table(tmp_path / "books.parquet")
    outcome = apply_run(scored.request("tfidf", table, columns=COLUMNS, out=tmp_path / "out.csv"))
    rows = rows_of(tmp_path / "out.csv")
    agree(rows, scored.items("tfidf"))
    assert [row["own_class"] for row in rows] == documents.classes
    assert outcome.classed == outcome.report.read_count == len(documents.ids)


@pytest.mark.parametrize("name", ["books.mrc", "books.xml"])
def test_marc_of_the_test_documents(scored: Any, documents: Any, tmp_path: Path, name: str) -> None:
    source = documents.marc(tmp_path / name)
    target = tmp_path / f"classed{source.suffix}"
    apply_run(scored.request("tfidf", source, out=tmp_path / "out.csv", marc=target))
    items = scored.items("tfidf")
    agree(rows_of(tmp_path / "out.csv"), items)
    with target.open("rb") as stream:
        is_xml = target.suffix == ".xml"
        records = pymarc.parse_xml_to_array(stream) if is_xml else list(pymarc.MARCReader(stream))
    assert [record["001"].data for record in records] == list(items)
    for record in records:
        item = items[record["001"].data]
        assert record["084"]["a"] == item["predicted"]
        assert float(record["883"]["c"]) == pytest.approx(item["probability"], abs=1e-4)
        assert scored.folders["tfidf"].name in record["883"]["a"]


def test_accuracy_of_the_test_documents_is_the_run_s(
    scored: Any, documents: Any, tmp_path: Path
) -> None:
    outcome = apply_run(
        scored.request("tfidf", documents.table(tmp_path / "b.parquet"), columns=COLUMNS)
    )
    items = scored.items("tfidf")
    right = [
        items[identity]["predicted"] == code
        for identity, code in zip(documents.ids, documents.classes, strict=True)
    ]
    assert outcome.estimate.accuracy.value == pytest.approx(np.mean(right))


@pytest.mark.slow
@pytest.mark.parametrize("model", ["tfidf", "wordllama"])
def test_the_same_bytes_twice_and_in_any_batches(
    scored: Any, documents: Any, tmp_path: Path, model: str
) -> None:
    source = documents.marc(tmp_path / "books.mrc")
    written = []
    for number, size in enumerate((1000, 1000, 1, 7)):
        out, copy = tmp_path / f"{number}.csv", tmp_path / f"{number}.mrc"
        outcome = apply_run(
            scored.request(
                model,
                source,
                out=out,
                marc=copy,
                top=3,
                batch_records=size,
                minimum_probability=0.1,
            )
        )
        report = outcome.to_dict() | {"marc": None}
        written.append((out.read_bytes(), copy.read_bytes(), json.dumps(report)))
    assert len(set(written)) == 1


def test_vectors_come_from_the_store(
    scored: Any, documents: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: list[int] = []

    class Counting(Reporter):
        def encoding(self, done: int, total: int, seconds_left: float) -> None:
            encoded.append(done)

    table = documents.table(tmp_path / "b.parquet")
    apply_run(scored.request("wordllama", table, columns=COLUMNS), Counting())
    assert encoded == []
    apply_run(scored.request("wordllama", table, columns=COLUMNS, store=None), Counting())
    assert encoded != []


def test_an_encoder_that_gives_other_vectors_than_the_stored_ones_is_refused(
    scored: Any, documents: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = WordLlama.encode
    monkeypatch.setattr(
        WordLlama, "encode", lambda self, texts, *, role: original(self, texts, role=role) * 1.001
    )
    run, classifier, test_vectors = classifier_of(scored, "wordllama")
    check_reproduced(run, classifier, test_vectors)
    with pytest.raises(ShelfError, match="cannot be reproduced"):
        check_encoder(run, classifier, test_vectors)
    table = documents.table(tmp_path / "b.parquet")
    out = tmp_path / "out.csv"
    with pytest.raises(ShelfError, match="cannot be reproduced"):
        apply_run(scored.request("wordllama", table, columns=COLUMNS, out=out))
    assert not out.exists()


def test_the_encoder_is_tried_on_a_few_test_documents(scored: Any, documents: Any) -> None:
    run, classifier, test_vectors = classifier_of(scored, "wordllama")
    assert 0 < check_encoder(run, classifier, test_vectors) < len(documents.ids)


def test_a_run_whose_items_say_something_else_is_refused(
    scored: Any, documents: Any, tmp_path: Path
) -> None:
    import shutil

    import pyarrow as pa
    import pyarrow.parquet as pq

    forged = tmp_path / "forged"
    shutil.copytree(scored.folders["tfidf"], forged)
    path = forged / "items/lcc_classification.parquet"
    items = pq.read_table(path).to_pylist()
    items[5]["probability"] += 2e-6
    pq.write_table(pa.Table.from_pylist(items, schema=pq.read_schema(path)), path)
    values = json.loads((forged / "run.json").read_text())
    values["files"]["items/lcc_classification.parquet"] = sha256_of_file(path)
    (forged / "run.json").write_text(json.dumps(values))
    scored.folders["forged"] = forged
    ids = Release.open(shipped_release()).documents("all", "test").ids
    with pytest.raises(ShelfError, match=ids[5]):
        apply_run(
            scored.request("forged", documents.table(tmp_path / "b.parquet"), columns=COLUMNS)
        )


def test_classes_do_not_depend_on_what_stands_beside_a_record(
    scored: Any, documents: Any, tmp_path: Path
) -> None:
    whole = tmp_path / "whole.csv"
    request = scored.request(
        "tfidf", documents.table(tmp_path / "b.parquet"), columns=COLUMNS, out=whole
    )
    apply_run(request)
    half = type(documents)(documents.ids[::-2], documents.texts[::-2], documents.classes[::-2])
    apply_run(
        scored.request(
            "tfidf",
            half.table(tmp_path / "half.parquet", classes=False),
            columns=COLUMNS[:2],
            out=tmp_path / "half.csv",
        )
    )
    expected = {row["id"]: row["probability"] for row in rows_of(whole)}
    for row in rows_of(tmp_path / "half.csv"):
        assert row["probability"] == expected[row["id"]]
        assert row["own_class"] == ""
