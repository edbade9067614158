"""`shelf publish`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evaluate_shelf.publishing import Published


def publish(
    folder: Annotated[Path, typer.Argument(help="A release folder.")],
    repo: Annotated[str, typer.Argument(help="A dataset repository of the Hub, owner/name.")],
    revision: Annotated[str, typer.Option(help="A branch, or refs/pr/N.")] = "main",
    pull_request: Annotated[
        bool,
        typer.Option("--pull-request", help="Open a pull request; read access will do."),
    ] = False,
    private: Annotated[
        bool, typer.Option("--private", help="Make the repository private if it is missing.")
    ] = False,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Replace all that lies where there is no SHELF release."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change; send nothing.")
    ] = False,
    message: Annotated[
        str | None, typer.Option(help="Summary of the commit; names the release without it.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Push a release folder to a dataset repository of the Hugging Face Hub, in one commit.

    The folder is verified first, and each file again as it is sent. Files that the manifest of the
    earlier release lists and the new one lacks are deleted in the same commit, and no others; a
    folder that is there already makes none. A branch that holds files but no SHELF release is
    refused; --replace deletes them all, and --replace --dry-run lists them. The token is that of
    HF_TOKEN or of `hf auth login`, the Hub that of HF_ENDPOINT or else huggingface.co. To another
    Hub large files are sent as if HF_HUB_DISABLE_XET=1 were set, unless you set it yourself.

    Example: shelf publish release owner/name --dry-run
    """
    from dataclasses import asdict

    from evaluate_shelf.cli.terminal import say, show_json
    from evaluate_shelf.publishing import LineReporter
    from evaluate_shelf.publishing import publish as run

    _hide_bars_that_nobody_sees()
    published = run(
        folder,
        repo,
        revision=revision,
        create_pr=pull_request,
        private=private,
        replace=replace,
        dry_run=dry_run,
        message=message,
        reporter=LineReporter(say),
    )
    if json:
        show_json(asdict(published))
    else:
        sys.stdout.write(_account(published))


def _hide_bars_that_nobody_sees() -> None:
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if not sys.stderr.isatty():
        disable_progress_bars()


def _account(published: Published) -> str:
    from evaluate_shelf.bounded import one_line

    lines = []
    if published.dry_run:
        lines += [f"add     {path}" for path in published.added]
        lines += [f"replace {path}" for path in published.replaced]
        lines += [f"delete  {path}" for path in published.deleted]
    lines += _sentence(published).split("\n")
    # Paths and addresses are the Hub's words.
    return "".join(f"{one_line(line)}\n" for line in lines)


def _sentence(published: Published) -> str:
    release = f"release {published.release_id}"
    if not published.changes:
        return f"{published.repo_id} holds {release} already, as {published.compared_with}"
    changes = (
        f"{len(published.added)} files added, {len(published.replaced)} replaced, "
        f"{len(published.deleted)} deleted, {published.bytes_to_send / 1e6:.1f} MB"
    )
    if published.pull_request_url and not published.oid:
        return f"{published.pull_request_url} holds {release} already"
    if published.dry_run:
        return f"{published.repo_id}: {release} would be published: {changes}; nothing was sent"
    where = published.pull_request_url or published.commit_url
    return f"{published.repo_id}: {release} is published: {changes}\n{where}"
