"""What a `shelf` fixture is: run the command line, get the finished process."""

from __future__ import annotations

import subprocess
from collections.abc import Callable

Shelf = Callable[..., subprocess.CompletedProcess[str]]
