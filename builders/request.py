"""What is to be built, and from what."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from builders.corpora.synthetic.written import WrittenCorpus
from builders.staging.config import StagedConfig
from builders.staging.resume import finished_or_built
from evaluate_shelf.registry.generation import Plan, load_plan

Progress = Callable[[str, int, int], None]
QUICKSTART = ("v0_4_core", "all", "same_lcc_pairs")


@dataclass(frozen=True)
class BuildRequest:
    """What to build and from what.

    Attributes
    ----------
    configs : tuple of str
        Names of recipes.
    out : pathlib.Path
        The release folder.
    name : str
        Of the release.
    plan : Plan
        How much is written.
    seed : int
        Of every draw.
    catalogue, texts : pathlib.Path or None
        Project Gutenberg's.
    passages_per_work : int or None
        In place of the corpus's own number.
    lcshbench : pathlib.Path or None
        Folder of LCSHBench's files.
    written : WrittenCorpus or None
        What the synthetic slices are made from, in place of the lexical writer.
    taxonomy : pathlib.Path or None
        Folder of the labels; None for those of the installation.
    """

    configs: tuple[str, ...]
    out: Path
    name: str
    plan: Plan
    seed: int = 42
    catalogue: Path | None = None
    texts: Path | None = None
    passages_per_work: int | None = None
    lcshbench: Path | None = None
    written: WrittenCorpus | None = None
    taxonomy: Path | None = None


@dataclass(frozen=True)
class Made:
    """What a recipe made.

    Attributes
    ----------
    configs : tuple of StagedConfig
        Written and ready.
    aliases : dict of str to str
        Second names of configs.
    reports : dict of str to bytes
        Further files of the release by path.
    messages : tuple of str
        What the user should be told now.
    gate_tables : tuple of pathlib.Path
        Files with what the gates say of each document that was written.
    """

    configs: tuple[StagedConfig, ...]
    aliases: dict[str, str] = field(default_factory=dict)
    reports: dict[str, bytes] = field(default_factory=dict)
    messages: tuple[str, ...] = ()
    gate_tables: tuple[Path, ...] = ()


class Bench(NamedTuple):
    """What a recipe works with.

    Attributes
    ----------
    request : BuildRequest
        What is built.
    built : mapping of str to StagedConfig
        The configs that it needs.
    staging : pathlib.Path
        Where it writes.
    progress : callable or None
        Told the number of items done and in all.
    """

    request: BuildRequest
    built: Mapping[str, StagedConfig]
    staging: Path
    progress: Callable[[int, int], None] | None

    def finished(self, name: str, inputs: list[Any], build: Callable[[], StagedConfig]) -> Made:
        """A config from an interrupted build of the same inputs, or built now."""
        seed = self.request.seed
        return Made((finished_or_built(name, [seed, *inputs], self.staging, build),))


def quickstart_request(out: Path, seed: int = 42) -> BuildRequest:
    """The small release that ships with the package."""
    return BuildRequest(QUICKSTART, out, "quickstart", load_plan("quickstart"), seed)


_MOST_MESSAGES = 20


def shortened(messages: Sequence[str], report: str) -> tuple[str, ...]:
    """The first messages, and where the others stand."""
    left = len(messages) - _MOST_MESSAGES
    more = (f"and {left} more; {report} names them all",) if left > 0 else ()
    return (*messages[:_MOST_MESSAGES], *more)
