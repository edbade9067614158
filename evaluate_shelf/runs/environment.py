"""What a run was made with: library versions and the machine."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version

_LIBRARIES = (
    "evaluate-shelf",
    "numpy",
    "pyarrow",
    "scikit-learn",
    "scipy",
    "wordllama",
    "tokenizers",
    "torch",
    "transformers",
    "sentence-transformers",
)


def library_versions() -> dict[str, str]:
    """Versions of Python and of the installed libraries that scores can depend on."""
    return {"python": platform.python_version(), **versions_of(_LIBRARIES)}


def versions_of(libraries: Iterable[str]) -> dict[str, str]:
    """Versions of those of the libraries that are installed."""
    versions = {}
    for name in libraries:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions


def hardware() -> dict[str, str | int]:
    """The machine: architecture, processors and memory in bytes."""
    facts: dict[str, str | int] = {
        "machine": platform.machine(),
        "system": platform.system(),
        "cores": os.cpu_count() or 0,
    }
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        facts["memory_bytes"] = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return facts
