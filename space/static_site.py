"""The site: an aggregate as a folder of static files that needs no server.

`shelf space --static DIR` writes it; `shelf space` serves the same. The pages ask for nothing
outside their folder and work from a disk. What the reader chooses is in the address of a page.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import NamedTuple

from evaluate_shelf.aggregate.schema import Aggregate
from evaluate_shelf.aggregate.schema.whole import MadeOf
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replace_folder, restore_folder
from evaluate_shelf.submissions.contents import ARCHIVE_BYTES, MIB

# On the Hub this file lies in a folder that is no package.
if __package__:
    from space.views import data_files
    from space.views.card_tables import cards, task_list
    from space.views.details import details_of
    from space.views.first_table import first_table
    from space.views.long_form import write_long
    from space.views.markup import counted, listing
    from space.views.transfer_tables import agreement, matrices, scatter_data
else:
    from views import data_files
    from views.card_tables import cards, task_list
    from views.details import details_of
    from views.first_table import first_table
    from views.long_form import write_long
    from views.markup import counted, listing
    from views.transfer_tables import agreement, matrices, scatter_data

POLICY = "default-src 'self'; base-uri 'none'; form-action 'self'; object-src 'none'"
"""What the pages may load: nothing that is not beside them, and no script or style inside them."""

_SOURCE = Path(__file__).parent / "site"
_MARK = Path("data") / "catalogue.js"
_COMMON = ("dom", "format", "data", "state", "help")
_OF_ROWS = (*_COMMON, "rows", "sorting")

_README = """\
---
title: SHELF leaderboard
sdk: static
app_file: index.html
pinned: false
license: mit
short_description: How well models do bibliographic work
---

The leaderboard of SHELF as static pages. `shelf space --static DIR` writes this folder again.
"""


class _Page(NamedTuple):
    """A page: its file, its name in the navigation (none without), scripts, and its data."""

    name: str
    title: str
    scripts: tuple[str, ...]
    data: tuple[str, ...] = ()
    listed: bool = True


_ADVICE = ("advice_choice", "advice_words", "advice")
_TABLE = ("columns", "table", "fields", "filters", "downloads", "chosen_models")
_BOARD = ("board_choices", "board_groups", "board_notes")
_PLOT = ("scales", "plot_names", "plot")
_COMPARE = ("dots", "compare_scores", "compare_parts", "compare")
_MODEL = ("dots", "model_board", "model_details", "model")
_SUBMIT = (
    "submit_api",
    "submit_words",
    "submit_fields",
    "submit_forms",
    "submit_list",
    "submit_decide",
    "submit_one",
    "submit",
)
_PAGES = (
    _Page(
        "index",
        "Leaderboard",
        (*_OF_ROWS, *_TABLE, *_BOARD, *_ADVICE, "leaderboard"),
        ("catalogue", "board-0"),
    ),
    _Page("transfer", "Transfer", (*_OF_ROWS, *_PLOT, "transfer"), ("catalogue",)),
    _Page("cost", "Cost", (*_OF_ROWS, "frontier", *_PLOT, "cost"), ("catalogue",)),
    _Page("compare", "Compare", (*_OF_ROWS, *_COMPARE), ("catalogue",)),
    _Page("model", "Model", (*_OF_ROWS, *_MODEL), ("catalogue",), listed=False),
    _Page("tasks", "Tasks", (*_COMMON, "rows", "tasks"), ("catalogue",)),
    _Page("submit", "Submit", ("dom", "format", "help", "served", *_SUBMIT)),
    _Page("about", "About", ("dom", "help")),
)


def write_site(aggregate: Aggregate, folder: Path, results: str | None = None) -> None:
    """Write the site; an older one is replaced as a whole.

    Parameters
    ----------
    aggregate : Aggregate
        What is shown.
    folder : pathlib.Path
        Where to. It is made, or has to be empty or hold a site.
    results : str, default=None
        The results repository of the Hub that it was made from, `owner/name`, to which runs can be
        proposed.

    Raises
    ------
    ShelfError
        If something else is there, or it cannot be written.
    """
    folder = folder.absolute()
    try:
        restore_folder(folder)
        _refuse_other(folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        # A folder for one pair of eyes would be served to nobody.
        temporary.chmod(0o755)
        _write(aggregate, temporary, results)
        replace_folder(temporary, folder)
    except OSError as error:
        raise _unwritable(folder, error) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _unwritable(folder: Path, error: OSError) -> ShelfError:
    return ShelfError(f"{folder}: the site cannot be written ({error.strerror or error})")


def _refuse_other(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise ShelfError(f"{folder}: this is no folder; name another")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).is_file():
        raise ShelfError(
            f"{folder}: this folder holds something other than a site, and would be replaced; "
            "name another"
        )


def _write(aggregate: Aggregate, folder: Path, results: str | None) -> None:
    for part in ("js", "data"):
        (folder / part).mkdir()
    for source in sorted((_SOURCE / "js").glob("*.js")):
        _put(folder / "js" / source.name, source.read_text(encoding="utf-8"))
    for name in ("style.css", "favicon.svg"):
        _put(folder / name, (_SOURCE / name).read_text(encoding="utf-8"))
    _put(folder / "README.md", _README)
    for page in _PAGES:
        _put(folder / f"{page.name}.html", page_html(aggregate, page, results))
    for name, text in _data(aggregate):
        _put(folder / "data" / f"{name}.js", text)
    for board in aggregate.boards:
        write_long(aggregate, board, folder / "data" / data_files.parquet_name(board))


def page_html(aggregate: Aggregate, page: _Page, results: str | None = None) -> str:
    """A page of the site, whole."""
    shell = Template((_SOURCE / "shell.html").read_text(encoding="utf-8"))
    main = Template((_SOURCE / f"{page.name}.html").read_text(encoding="utf-8"))
    data = [name for name in page.data if name != "board-0" or aggregate.boards]
    scripts = [f"data/{name}.js" for name in data] + [f"js/{name}.js" for name in page.scripts]
    return shell.substitute(
        policy=escape(POLICY),
        title=escape("SHELF" if page.name == "index" else f"{page.title}, SHELF"),
        scripts="\n".join(f'<script src="{name}" defer></script>' for name in scripts),
        navigation=_navigation(page),
        main=main.substitute(_parts(aggregate, page.name, results)),
        sources=escape(_made_of(aggregate)),
    )


def _parts(aggregate: Aggregate, page: str, results: str | None) -> dict[str, str]:
    """What stands in the marked places of a page."""
    match page:
        case "index":
            return {"table": first_table(aggregate)}
        case "transfer":
            return {
                "agreement": agreement(aggregate.transfer),
                "matrices": matrices(aggregate.matrices),
            }
        case "tasks":
            return {"cards": cards(aggregate), "tasks": task_list(aggregate)}
        case "submit":
            return {"sending": _sending(results), "most": str(ARCHIVE_BYTES // MIB)}
        case "about":
            return {"metrics": _metrics(aggregate), "sources": _sources(aggregate)}
    return {}


def _navigation(shown: _Page) -> str:
    return "".join(
        f'<li><a href="{page.name}.html"{_current(page, shown)}>{escape(page.title)}</a></li>'
        for page in _PAGES
        if page.listed
    )


def _current(page: _Page, shown: _Page) -> str:
    return ' aria-current="page"' if page.name == shown.name else ""


def _sending(results: str | None) -> str:
    """Where the archive of a run goes."""
    elsewhere = (
        "These pages take nothing themselves, and name no repository of results: ask whoever keeps "
        "this site where to send the archive."
        if results is None
        else "Send the archive as a pull request to the results repository "
        f"<code>{escape(results)}</code>, a dataset of the Hub."
    )
    # A server that takes submissions puts its form above, and its sentence here.
    return f'<span id="sending">{elsewhere}</span>'


def _metrics(aggregate: Aggregate) -> str:
    items = "".join(
        f"<dt>{escape(metric.label)}</dt><dd>{escape(metric.help)}</dd>"
        for metric in aggregate.metrics
    )
    return f'<dl class="facts-list">{items}</dl>'


def _made_of(aggregate: Aggregate) -> str:
    runs = sum(one.n for one in aggregate.made_of if one.kind == "runs")
    reported = any(one.kind == "reported" for one in aggregate.made_of)
    parts = [counted(runs, "run")] if runs else []
    parts += ["published scores"] if reported else []
    return f"{' and '.join(parts) or 'nothing yet'}, with SHELF {aggregate.made_with}"


def _sources(aggregate: Aggregate) -> str:
    left_out = f"<p>Left out:</p>{listing(aggregate.left_out)}" if aggregate.left_out else ""
    names = {board.release_id: board.release_name for board in aggregate.boards}
    return listing(_source(one, names) for one in aggregate.made_of) + left_out


def _source(one: MadeOf, names: Mapping[str, str | None]) -> str:
    called = names.get(one.name)
    release = f"{called} (release {one.name})" if called and called != one.name else one.name
    match one.kind:
        case "runs":
            return f"{counted(one.n, 'run')} on {release}"
        case "reported":
            return f"{counted(one.n, 'row')} of reported scores: {one.name}"
        case "release":
            return f"the release {release}"
        case "matrix":
            return f"the transfer matrix of {one.name}"


def _data(aggregate: Aggregate) -> Iterator[tuple[str, str]]:
    details = details_of(aggregate)
    parts: list[tuple[str, object]] = [
        ("catalogue", data_files.catalogue_of(aggregate, details)),
        ("transfer", scatter_data(aggregate)),
    ]
    for n, board in enumerate(aggregate.boards):
        parts.append((f"board-{n}", data_files.board_data(aggregate, board)))
        parts.append((f"pairs-{n}", data_files.pairs_data(board)))
    parts += [(f"model-{n}", own) for n, own in details.items()]
    for name, value in parts:
        yield name, data_files.script_of(name, value)


def _put(file: Path, text: str) -> None:
    file.write_bytes(text.encode("utf-8"))
