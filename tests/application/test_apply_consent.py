"""What a run.json names is loaded only if nobody could have put it there, or the user agrees."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from marc_samples import book, utf8
from shelf_process import Shelf

from evaluate_shelf.application import same_model as module
from evaluate_shelf.application.same_model import same_model
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.quickstart import shipped_release
from evaluate_shelf.registry.protocols import load_protocol
from evaluate_shelf.runs.folder import read_run

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class ReachedError(Exception):
    """The model would be looked for."""


@pytest.mark.parametrize(
    ("spec", "is_free"),
    [
        ("tf", True),
        ("tfidf", True),
        ("bm25", True),
        ("wordllama", True),
        ("st:minilm", True),
        ("st:owner/name@main", True),
        (f"st:owner/name@{COMMIT}", True),
        ("st:owner/name", False),
        ("st:/path/evil", False),
        ("st:./evil", False),
        ("st:evil", False),
        ("st:~/evil", False),
        ("st:a/b/c@main", False),
        ("st:../owner/name@main", False),
        ("st:", False),
        ("apply_lengths:Lengths", False),
    ],
)
def test_which_specs_go_without_the_user_s_word(
    scored: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, spec: str, is_free: bool
) -> None:
    def reached(*_: object) -> None:
        raise ReachedError

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(module, "resolve_model", reached)
    run = read_run(scored.folders["tfidf"]).model.model_copy(update={"spec": spec})
    with pytest.raises(ReachedError if is_free else ShelfError) as caught:
        same_model(run, load_protocol())
    assert is_free or f"--model {spec}" in str(caught.value)
    with pytest.raises(ReachedError):
        same_model(run, load_protocol(), spec)


def test_a_folder_with_the_name_of_a_revision_needs_the_user_s_word(
    scored: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "owner" / "name@main").mkdir(parents=True)
    run = read_run(scored.folders["tfidf"]).model
    with pytest.raises(ShelfError, match="--model"):
        same_model(run.model_copy(update={"spec": "st:owner/name@main"}), load_protocol())


@pytest.mark.skipif(
    find_spec("sentence_transformers") is None, reason="sentence-transformers is not installed"
)
def test_a_forged_run_s_code_is_never_run(shelf: Shelf, scored: Any, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(scored.folders["tfidf"], run)
    mark = tmp_path / "mark"
    (run / "evil").mkdir()
    (run / "evil" / "evil.py").write_text(f"open({str(mark)!r}, 'w').close()\nclass Evil: ...\n")
    module_row = {"idx": 0, "name": "0", "path": "", "type": "evil.Evil"}
    (run / "evil" / "modules.json").write_text(json.dumps([module_row]))
    books = tmp_path / "books.mrc"
    books.write_bytes(utf8(book("1", "The history of the lighthouse")))

    from evaluate_shelf.models.resolve import resolve_model

    for spec in (f"st:{run / 'evil'}", "st:run/evil"):
        values = json.loads((run / "run.json").read_text())
        values["model"].update(spec=spec, kind="encoder", settings={})
        values["model"]["revision"] = resolve_model(f"st:{run / 'evil'}", load_protocol()).identity
        values["model"]["revision"] = values["model"]["revision"].revision
        (run / "run.json").write_text(json.dumps(values))
        arguments = ["apply", run, books, "--data", shipped_release(), "--out", "out.csv"]
        for more, part in [([], f"--model {spec}"), (["--model", spec], "evil.Evil")]:
            result = shelf(*arguments, *more)
            assert result.returncode == 2, result.stderr
            assert part in result.stderr
            assert not mark.exists()
            assert not (tmp_path / "out.csv").exists()
