"""What a file holds moves no cursor on its way to the terminal, and is nowhere else changed."""

from __future__ import annotations

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf_process import Shelf
from written_run import SCORE, write_run

from evaluate_shelf.cli.messages import StandardOutput, say
from evaluate_shelf.cli.terminal import show_json
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.runs.reading import load_run

# Written out here, so that the test does not follow from what it tests.
MOVES = [*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x202A, 0x202F)]
MOVES += range(0x2066, 0x206A)
EVIL = "\x1b[2J\x1b]0;title\x07\x9b2J\x7f\u202eright to left\u2066"


def moves(text: str) -> list[str]:
    return [sign for sign in text if ord(sign) in MOVES and sign not in "\n\t"]


class Shown(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


@given(st.text())
def test_a_message_moves_no_cursor(text: str) -> None:
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        say(text)
    expected = [sign for sign in text if ord(sign) not in MOVES or sign in "\n\t"]
    assert moves(stream.getvalue().replace("\r\n", "\n")) == []
    assert [s for s in stream.getvalue() if s != "\r"] == [*expected, "\n"]


@given(st.text())
def test_a_terminal_is_given_printable_text_and_a_file_every_character(text: str) -> None:
    terminal, file = Shown(newline=""), io.StringIO(newline="")
    for stream in (terminal, file):
        output = StandardOutput(stream)
        output.write(text)
        output.writelines([text, text])
    assert moves(terminal.getvalue().replace("\r\n", "\n")) == []
    assert file.getvalue() == text * 3


@given(st.recursive(st.text(), lambda part: st.lists(part) | st.dictionaries(st.text(), part)))
def test_json_means_the_same_and_moves_no_cursor(value: object) -> None:
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        show_json(value)
    assert moves(stream.getvalue()) == []
    assert json.loads(stream.getvalue()) == value


def at(*path: str, value: object) -> Callable[[dict[str, object]], None]:
    def change(whole: dict[str, object]) -> None:
        part = whole
        for key in path[:-1]:
            part = part[key]  # type: ignore[assignment]
        part[path[-1]] = value

    return change


DAMAGE = {
    "name": at("model", "name", value=EVIL),
    "blank name": at("model", "name", value=" \u3000 "),
    "no name": at("model", "name", value=""),
    "invisible name": at("model", "name", value="\u200b\u200b"),
    "key": at("tasks", EVIL, value={"status": "done"}),
    "unknown field": at("model", EVIL, value=1),
    "prompt": at("model", "prompts", value={"query": EVIL}),
    "path": at("files", EVIL, value="0"),
    "status": at("tasks", "lcc_retrieval", "status", value=EVIL),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_run_is_named_with_what_to_do_and_moves_no_cursor(
    shelf: Shelf, tmp_path: Path, damage: str
) -> None:
    write_run(tmp_path / "runs/m/good", lambda _: None, SCORE)
    write_run(tmp_path / "runs/m/bad", DAMAGE[damage], SCORE)
    result = shelf("leaderboard", "runs", "--no-reported")
    assert result.returncode == 0
    assert moves(result.stdout + result.stderr) == []
    assert "runs/m/bad/run.json: " in result.stderr
    assert "remove runs/m/bad and evaluate the model again" in result.stderr


@pytest.mark.parametrize(
    "row", [{"task": EVIL}, {"value": 7.0}, {"low": None}, {"high": 0.1}, {"primary": False}]
)
def test_damaged_scores_are_named_with_what_to_do(tmp_path: Path, row: dict[str, object]) -> None:
    write_run(tmp_path, lambda _: None, {**SCORE, **row})
    with pytest.raises(ShelfError, match=r"row 0, field '\w+': ") as caught:
        load_run(tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'scores.parquet'}, ")
    assert message.endswith(f"remove {tmp_path} and evaluate the model again")
    assert moves(message) == []


def test_a_command_on_a_terminal_moves_no_cursor(tmp_path: Path) -> None:
    """The whole command on a terminal, with a folder whose name is none of ours."""
    write_run(tmp_path / "runs/m/good", lambda _: None, SCORE)
    (tmp_path / f"runs/m/{EVIL.replace('/', '')}" / "progress").mkdir(parents=True)
    main, worker = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "evaluate_shelf", "leaderboard", "runs", "--no-reported"],
        cwd=tmp_path,
        stdout=worker,
        stderr=worker,
    )
    os.close(worker)
    parts = []
    try:
        while part := os.read(main, 10_000):
            parts.append(part)
    except OSError:  # what a terminal gives that nobody writes to any more
        pass
    finally:
        os.close(main)
    assert process.wait() == 0
    text = b"".join(parts).decode().replace("\r\n", "\n")
    assert "not finished" in text
    assert moves(text) == []


@pytest.mark.parametrize("value", ["", "0", "false", "No", " off "])
def test_debugging_that_is_off_is_off(shelf: Shelf, tmp_path: Path, value: str) -> None:
    (tmp_path / "file").write_text("x")
    result = shelf("leaderboard", "--no-reported", "file/runs", SHELF_DEBUG=value)
    assert "Traceback" not in result.stderr
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "evaluate_shelf", "tasks"]
        env = {**os.environ, "SHELF_DEBUG": value}
        off = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=env, check=False)
        env["SHELF_DEBUG"] = "1"
        on = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=env, check=False)
    assert off.stderr.decode() == "shelf: standard output: No space left on device\n"
    assert off.returncode == 1
    assert b"Traceback" in on.stderr
