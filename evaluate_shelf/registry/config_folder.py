"""Where the tables are: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

from evaluate_shelf.errors import ShelfError

_PACKAGE = Path(__file__).resolve().parent.parent


def config_folder(package: Path = _PACKAGE) -> Path:
    """Folder with the benchmark's YAML tables.

    Parameters
    ----------
    package : pathlib.Path
        Folder of the installed `evaluate_shelf`.

    Returns
    -------
    pathlib.Path
        `_configs` inside the package, as the wheel has it, else `configs` beside the package, as
        a checkout has it.

    Raises
    ------
    ShelfError
        If there is neither.

    Examples
    --------
    >>> (config_folder() / "tasks.yaml").is_file()
    True
    """
    places = (package / "_configs", package.parent / "configs")
    for place in places:
        if place.is_dir():
            return place
    raise ShelfError(
        f"no configuration: neither {places[0]} nor {places[1]} exists; "
        "install evaluate-shelf again, or run it from a complete checkout"
    )
