"""A report as a folder: whole, or the old one."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replace_folder, restore_folder
from evaluate_shelf.report.document import Report
from evaluate_shelf.report.markdown import markdown
from evaluate_shelf.report.page import page

PAGE, TEXT, FIGURES = "report.html", "report.md", "figures"


def check_target(folder: Path) -> None:
    """Refuse a folder that holds anything but a report.

    Raises
    ------
    ShelfError
        If it is a file, or something in it was not written by `write_report`.
    """
    if folder.exists() and not folder.is_dir():
        raise ShelfError(f"{folder}: is a file; give a folder")
    own = {PAGE, TEXT, FIGURES}
    others = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    stranger = next((name for name in others if name not in own), None)
    if stranger:
        raise ShelfError(f"{folder}: holds {stranger!r}, which is no report; give another folder")


def write_report(report: Report, folder: Path) -> list[Path]:
    """Write the page, the Markdown, and the figures with their data.

    Parameters
    ----------
    report : Report
        What it says.
    folder : pathlib.Path
        Where to; a report that is there is replaced when the new one is complete.

    Returns
    -------
    list of pathlib.Path
        The page and the Markdown.

    Raises
    ------
    ShelfError
        If the folder holds anything but a report, or two figures have one name.
    """
    folder = folder.resolve()
    restore_folder(folder)
    check_target(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    try:
        (new / FIGURES).mkdir(parents=True)
        _write_figures(report, new / FIGURES)
        (new / TEXT).write_text(markdown(report), encoding="utf-8", newline="\n")
        (new / PAGE).write_text(page(report), encoding="utf-8", newline="\n")
        replace_folder(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return [folder / PAGE, folder / TEXT]


def _write_figures(report: Report, folder: Path) -> None:
    for figure in report.figures():
        data = folder / f"{figure.name}.csv"
        if data.exists():
            raise ShelfError(f"two figures have the name {figure.name!r}")
        data.write_bytes(figure.data)
        for picture, name in zip(figure.pictures, figure.picture_names(), strict=True):
            (folder / f"{name}.svg").write_bytes(picture.svg)
            (folder / f"{name}.png").write_bytes(picture.png)
