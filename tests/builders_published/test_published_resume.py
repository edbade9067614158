"""An interrupted import goes on where it stopped, and other inputs are not mixed with it."""

from __future__ import annotations

from pathlib import Path

import pytest
from published_folder import PublishedFolder, published_folder

from builders.build import build
from builders.published import slices
from builders.published.recipes import imported_recipes
from builders.published.release import open_published
from builders.request import BuildRequest
from evaluate_shelf.registry.generation import load_plan
from evaluate_shelf.release.manifest import Manifest
from evaluate_shelf.release.verification import verify_release

WANTED = ("default", "v0_4_core", "v0_4_holdout")


def import_to(out: Path, own: PublishedFolder, folder: Path, stop_at: str = "") -> Manifest:
    """Import three slices; the user interrupts when one of them has begun."""
    release = open_published(str(own.write(folder)), WANTED)
    known = imported_recipes(release)

    def progress(config: str, done: int, total: int) -> None:
        if config == stop_at:
            raise KeyboardInterrupt

    request = BuildRequest(WANTED, out, "imported", load_plan("standard"))
    return build(request, progress, known).manifest


@pytest.mark.slow
def test_finished_slices_are_not_taken_over_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = published_folder()
    whole = import_to(tmp_path / "whole", own, tmp_path / "published")
    with pytest.raises(KeyboardInterrupt):
        import_to(tmp_path / "out", own, tmp_path / "published", stop_at="v0_4_holdout")
    assert not (tmp_path / "out").exists()
    begun = []
    monkeypatch.setattr(slices, "check_columns", lambda taken, *rest: begun.append(taken.name))
    resumed = import_to(tmp_path / "out", own, tmp_path / "published")
    assert begun == ["v0_4_holdout"]
    assert resumed == whole
    verify_release(tmp_path / "out")
    reports = [tmp_path / name / "reports" / "default_import.tsv" for name in ("whole", "out")]
    assert reports[0].read_bytes() == reports[1].read_bytes()


@pytest.mark.slow
def test_another_folder_is_not_mixed_with_the_pieces_of_the_first(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        import_to(tmp_path / "out", published_folder(), tmp_path / "first", "v0_4_holdout")
    other = published_folder()
    other.of("default")[0]["body"] = "Bees in another text."
    resumed = import_to(tmp_path / "out", other, tmp_path / "second")
    assert resumed == import_to(tmp_path / "alone", other, tmp_path / "second")
    verify_release(tmp_path / "out")
