"""A report as a folder: whole, or the old one."""

from __future__ import annotations

import shutil
from pathlib import Path

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replace_folder, restore_folder, writing_to
from evaluate_shelf.locks import sole_use
from evaluate_shelf.report.document import Report
from evaluate_shelf.report.markdown import markdown
from evaluate_shelf.report.page import page

PAGE, TEXT, DATA, FIGURES = "report.html", "report.md", "data", "figures"


def check_target(folder: Path) -> None:
    """Refuse a folder that holds anything but a report.

    Raises
    ------
    ShelfError
        If it is a file, or something in it was not written by `write_report`.
    """
    if folder.exists() and not folder.is_dir():
        raise ShelfError(f"{folder}: is a file; give a folder")
    own = {PAGE, TEXT, DATA, FIGURES}
    others = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    stranger = next((name for name in others if name not in own), None)
    if stranger:
        raise ShelfError(f"{folder}: holds {stranger!r}, which is no report; give another folder")


def write_report(report: Report, folder: Path) -> list[Path]:
    """Write the page, the Markdown, the figures, and the data of figures and tables.

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
        If the folder holds anything but a report, another process writes there, two figures have
        one name, or two different data have one.
    """
    folder = folder.resolve()
    with sole_use(folder, "choose another --out"):
        restore_folder(folder)
        check_target(folder)
        new = folder.with_name(f".{folder.name}.new")
        try:
            with writing_to(folder, new):
                _write_new(report, new)
                replace_folder(new, folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    return [folder / PAGE, folder / TEXT]


def _write_new(report: Report, folder: Path) -> None:
    # What a process that was killed left behind: nobody else writes here now.
    if folder.exists():
        shutil.rmtree(folder)
    for part in (DATA, FIGURES):
        (folder / part).mkdir(parents=True)
    _write_data(report, folder / DATA)
    _write_figures(report, folder / FIGURES)
    (folder / TEXT).write_text(markdown(report), encoding="utf-8", newline="\n")
    (folder / PAGE).write_text(page(report), encoding="utf-8", newline="\n")


def _write_data(report: Report, folder: Path) -> None:
    for source in report.sources():
        file = folder / f"{source.name}.csv"
        if file.exists():
            raise ShelfError(f"two tables or figures have other data under one name, {file.name!r}")
        file.write_bytes(source.data)


def _write_figures(report: Report, folder: Path) -> None:
    for figure in report.figures():
        for picture, name in zip(figure.pictures, figure.picture_names(), strict=True):
            file = folder / f"{name}.svg"
            if file.exists():
                raise ShelfError(f"two figures have the name {name!r}")
            file.write_bytes(picture.svg)
            file.with_suffix(".png").write_bytes(picture.png)
