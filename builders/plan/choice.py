"""The plan that a command line asks for: with generators of one's own, and of another size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from builders.writers.named import generator_at
from evaluate_shelf.cli.terminal import say
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.registry.generation import Plan, load_plan
from evaluate_shelf.registry.roster import Generator, load_roster


def chosen_plan(name: str, writer: Sequence[str] = (), writers: Path | None = None) -> Plan:
    """A plan by its name, its empty places filled as far as somebody is named.

    Says how many generators then write nothing.

    Parameters
    ----------
    name : str
        A plan of generation.yaml.
    writer : sequence of str, default=()
        Generators as `generator_at` takes them.
    writers : pathlib.Path, default=None
        A file of generators.

    Raises
    ------
    ShelfError
        If there is no such plan, a generator is wrong, or both ways are used.

    Examples
    --------
    >>> len(chosen_plan("sample").generators)
    1
    """
    plan = load_plan(name)
    if writer and writers is not None:
        raise ShelfError("--writer and --writers: give one of the two")
    roster: tuple[Generator, ...] = tuple(map(generator_at, writer))
    if writers is not None:
        roster = load_roster(writers)
    if not roster:
        return plan
    filled = plan.filled(roster)
    own, planned = len(filled.generators), len(plan.generators)
    if own < planned:
        say(f"{own} of the {planned} generators that the plan has room for")
    return filled


def chosen_slices(plan: Plan, wanted: Sequence[str]) -> tuple[str, ...]:
    """The slices that are wanted, in the order of the plan; all of them for none.

    Raises
    ------
    ShelfError
        If the plan has not one of them.
    """
    known = [str(name) for name in plan.slices]
    for name in wanted:
        if name not in known:
            raise ShelfError(
                f"--slice {name}: plan {plan.id!r} has none; known: {', '.join(known)}"
            )
    return tuple(name for name in known if name in wanted or not wanted)
