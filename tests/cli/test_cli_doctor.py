"""`shelf doctor` knows every optional part, and says how to get one that is missing."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from evaluate_shelf.cli import doctor

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
EXTRAS = {
    extra: [re.split(r"[^\w-]", wanted, maxsplit=1)[0] for wanted in distributions]
    for extra, distributions in PROJECT["optional-dependencies"].items()
    if extra != "test"
}


def report(capsys: pytest.CaptureFixture[str], *, as_json: bool) -> str:
    doctor.doctor(json=as_json)
    return capsys.readouterr().out


def test_every_extra_is_named_with_its_remedy(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_installed", lambda part: None)
    lines = {line.split()[0]: line for line in report(capsys, as_json=False).splitlines()}
    assert {"mteb", "ray", "encoders"} <= set(EXTRAS)
    for extra, distributions in EXTRAS.items():
        for distribution in distributions:
            assert "disables" in lines[distribution]
            assert f"[{extra}]" in lines[distribution]
    assert "openai:" in lines["httpx"]
    assert not any(json.loads(report(capsys, as_json=True))["libraries"].values())


def test_what_is_installed_has_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    libraries = json.loads(report(capsys, as_json=True))["libraries"]
    assert set(libraries) >= {name for names in EXTRAS.values() for name in names}
    assert re.match(r"\d+\.", libraries["httpx"])
    for distribution, module in {"mteb-core": "mteb", "ray": "ray"}.items():
        assert (libraries[distribution] is not None) == (find_spec(module) is not None)
