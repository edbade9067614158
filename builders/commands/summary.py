"""What a built release holds, in a few lines a config."""

from __future__ import annotations

from evaluate_shelf.cli.terminal import say
from evaluate_shelf.release.manifest import Manifest

_SHOWN_NOTES = 3


def say_configs(manifest: Manifest) -> None:
    """Name every config with its rows, its classes and its first notes."""
    for name, config in manifest.configs.items():
        rows = sum(manifest.rows_of(name).values())
        classes = {
            label for counts in config.counts.values() for label in counts.get("lcc_code", {})
        }
        in_classes = f" in {len(classes)} classes" if classes else ""
        what = "rows" if config.kind == "selection" else config.kind
        say(f"{name}: {rows} {what}{in_classes}")
        for note in config.notes[:_SHOWN_NOTES]:
            say(f"  {note}")
        if len(config.notes) > _SHOWN_NOTES:
            say(f"  further notes: {len(config.notes) - _SHOWN_NOTES}; CAVEATS.md has them all")
