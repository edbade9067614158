"""Folder names that every file system takes."""

from __future__ import annotations

import hashlib
import re

_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
_LONGEST = 80


def safe_name(name: str) -> str:
    """Turn any string into one folder name; strings that had to be changed stay distinct.

    Examples
    --------
    >>> safe_name("tfidf")
    'tfidf'
    >>> safe_name("org/model:latest")
    'org_model_latest-e8cd'
    """
    kept = re.sub(r"[^A-Za-z0-9._-]+", "_", name)[:_LONGEST].strip("._-")
    if kept == name and kept and not _RESERVED.fullmatch(kept):
        return kept
    return f"{kept or 'model'}-{hashlib.sha256(name.encode('utf-8')).hexdigest()[:4]}"
