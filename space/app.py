"""The leaderboard as a page: `shelf space`, or this file as a script on the Hub."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# Gradio reads it when it is imported.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"

import gradio as gr

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing
from evaluate_shelf.leaderboard.boards import Board, boards
from evaluate_shelf.leaderboard.forms import as_csv, title
from evaluate_shelf.runs.reading import Run, load_runs

# On the Hub this file is a script in a folder that is no package.
if __package__:
    from space.selection import filtered, occurring
    from space.table import board_html, nothing_html, spoken
else:
    from selection import filtered, occurring
    from table import board_html, nothing_html, spoken

_HERE = Path(__file__).parent
_PORT = 7860
_MASTHEAD = (
    '<header class="masthead"><h1>SHELF</h1><p>A benchmark of bibliographic work: how well models '
    "tell what a document is about and what kind of document it is, in the terms that library "
    "catalogues use.</p></header>"
)


def leaderboard_app(runs: Path) -> gr.Blocks:
    """Build the page over a folder of runs; they are read once.

    Parameters
    ----------
    runs : pathlib.Path
        The folder.

    Returns
    -------
    gradio.Blocks
        The page, not yet served; `start` serves it.

    Raises
    ------
    ShelfError
        If runs are missing or damaged.
    """
    found = load_runs(runs)
    every = boards(found)
    return _page(found, every, Path(tempfile.mkdtemp(dir=_temporary_folder())))


def start(app: gr.Blocks, port: int) -> str:
    """Serve a page in the background, on this machine alone unless this is the Hub.

    Parameters
    ----------
    app : gradio.Blocks
        From `leaderboard_app`.
    port : int
        Where to listen.

    Returns
    -------
    str
        The page's address.

    Raises
    ------
    ShelfError
        If the port is taken.
    """
    try:
        _, address, _ = app.launch(
            server_name="0.0.0.0" if "SPACE_ID" in os.environ else "127.0.0.1",  # noqa: S104
            server_port=port,
            prevent_thread_lock=True,
            quiet=True,
            share=False,
            ssr_mode=False,
            run_history=False,
            footer_links=[],
            # Nothing here takes a file; Gradio would take one of any size all the same.
            max_file_size=1,
            css_paths=_HERE / "style.css",
            theme=gr.themes.Base(
                font=["system-ui", "sans-serif"], font_mono=["ui-monospace", "monospace"]
            ),
        )
    except OSError as error:
        raise ShelfError(f"port {port} is taken; choose another with --port") from error
    return address


def serve(runs: Path, port: int) -> None:
    """Serve the page over a folder of runs until the process is interrupted.

    Parameters
    ----------
    runs : pathlib.Path
        The folder.
    port : int
        Where to listen.

    Raises
    ------
    ShelfError
        If runs are missing or damaged, or the port is taken.
    """
    app = leaderboard_app(runs)
    start(app, port)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
    # Closing waits for open connections; a second interruption ends that.
    with contextlib.suppress(KeyboardInterrupt):
        app.close(verbose=False)


@functools.cache
def _temporary_folder() -> Path:
    """Make the folder of all files that are served for download; it goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix="shelf-space-")).resolve()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    # Gradio serves files from here alone, and would else keep copies in a folder that stays.
    os.environ["GRADIO_TEMP_DIR"] = str(folder)
    return folder


def _page(runs: Sequence[Run], every: Sequence[Board], folder: Path) -> gr.Blocks:
    def chosen(position: int, facet: str, formulation: str) -> tuple[str, dict[str, Any]]:
        html, file = _view(runs, folder, position, facet, formulation)
        return html, gr.update(value=file, interactive=file is not None)

    html, file = _view(runs, folder, 0, "", "")
    with gr.Blocks(title="SHELF leaderboard", analytics_enabled=False, fill_width=True) as app:
        gr.HTML(_MASTHEAD, apply_default_css=False, js_on_load=None)
        with gr.Row():
            filters = [
                _board_picker(every),
                _filter("facet", occurring(every, "facet")),
                _filter("formulation", occurring(every, "formulation")),
            ]
        table = gr.HTML(
            html, apply_default_css=False, js_on_load=_text("sort.js"), elem_id="scores"
        )
        download = gr.DownloadButton("Download CSV", value=file, size="sm", elem_id="download")
        gr.HTML(_text("reading.html"), apply_default_css=False, js_on_load=None)
        gr.on(
            [each.input for each in filters],
            chosen,
            filters,
            [table, download],
            show_progress="hidden",
            api_visibility="private",
            # One at a time, because two visitors may ask for the same file.
            concurrency_limit=1,
        )
    app.queue(max_size=64)
    return app


def _view(
    runs: Sequence[Run], folder: Path, position: int, facet: str, formulation: str
) -> tuple[str, str | None]:
    """Give the table's HTML and the file to download, which is None where nothing is left."""
    board = filtered(runs, position, facet or None, formulation or None)
    if board is None:
        return nothing_html(facet, formulation), None
    parts = ("shelf", f"board-{position + 1}", facet, formulation)
    file = folder / f"{'-'.join(part for part in parts if part)}.csv"
    if not file.exists():
        with replacing(file) as temporary:
            temporary.write_text(as_csv([board]), encoding="utf-8")
    return board_html(board), str(file)


def _board_picker(every: Sequence[Board]) -> gr.Dropdown:
    titles = [title(board) for board in every]
    # Boards of the same title differ in a hash that nobody wants to read.
    labels = [
        f"{text} ({titles[: position + 1].count(text)})" if titles.count(text) > 1 else text
        for position, text in enumerate(titles)
    ]
    choices = [(label, position) for position, label in enumerate(labels)]
    return gr.Dropdown(
        choices,
        value=0,
        label="Board",
        visible=len(every) > 1,
        scale=2,
        min_width=300,
        elem_id="board",
    )


def _filter(kind: str, names: Sequence[str]) -> gr.Dropdown:
    choices = [(f"All {kind}s", ""), *((spoken(name).capitalize(), name) for name in names)]
    return gr.Dropdown(
        choices, value="", label=kind.capitalize(), min_width=200, filterable=False, elem_id=kind
    )


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def main() -> None:
    """Serve the runs that `SHELF_RUNS` names; status 2 if they are missing or damaged."""
    try:
        serve(Path(os.environ.get("SHELF_RUNS", "runs")), _PORT)
    except ShelfError as error:
        sys.stderr.write(f"shelf: {error}\n")
        sys.exit(2)


if __name__ == "__main__":
    main()
