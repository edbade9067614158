"""An aggregate from runs, reported scores, releases and matrices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from itertools import groupby

from pydantic import ValidationError

from evaluate_shelf.aggregate.boards import board_entry, board_key, check_can_be_shown
from evaluate_shelf.aggregate.evidence import Evidence
from evaluate_shelf.aggregate.models import STANDING, models_of
from evaluate_shelf.aggregate.registry_entries import label_entries, metric_entries, task_entries
from evaluate_shelf.aggregate.schema import RANKED, Aggregate, Board
from evaluate_shelf.aggregate.schema.whole import AGGREGATE_VERSION, MadeOf
from evaluate_shelf.aggregate.transfer import transfer_of
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.leaderboard.boards import comparable
from evaluate_shelf.runs.reading import Run
from evaluate_shelf.transfer_matrix.matrix import Matrix


def aggregate_of(evidence: Evidence) -> Aggregate:
    """Everything that is shown, from what there is.

    Parameters
    ----------
    evidence : Evidence
        Runs, reported scores, and what belongs to them. Reported scores alone are enough.

    Returns
    -------
    Aggregate
        The same for the same evidence, in whatever order runs, releases and matrices are given,
        and wherever they lie. What a missing or damaged release, or damaged items, left out is in
        it; `what_is_left_out` lists that. So is a run that says of itself what cannot be.

    Raises
    ------
    ShelfError
        If there is more than an aggregate holds, such as 10,000 rows on a board.
    """
    try:
        return _aggregate(evidence)
    except ValidationError as error:
        raise ShelfError(f"no aggregate holds these runs: {_first_problem(error)}") from error


def _aggregate(evidence: Evidence) -> Aggregate:
    computed, doubled = _distinct(evidence)
    reported = tuple(sorted(evidence.reported, key=_order))
    matrices = tuple(sorted(evidence.matrices, key=_matrix_order))
    releases = tuple(sorted(evidence.releases, key=lambda own: own.manifest.release_id))
    known = replace(
        evidence, computed=computed, reported=reported, releases=releases, matrices=matrices
    )
    runs = (*computed, *reported)
    models = models_of(runs, known)
    groups = comparable(runs)
    labels, labels_unread = label_entries(releases)
    boards = [board_entry(group, known, models) for group in groups]
    return Aggregate(
        aggregate_version=AGGREGATE_VERSION,
        made_with=_version(),
        made_of=tuple(_made_of(known)),
        left_out=(
            *map(one_line, sorted(evidence.left_out)),
            *doubled,
            *_of_no_board(runs, groups, boards),
            *_unused(known),
            *labels_unread,
        ),
        tasks=task_entries(),
        metrics=metric_entries(),
        labels=labels,
        models=models.entries,
        boards=tuple(sorted((own for own in boards if own is not None), key=_nobody_is_ranked)),
        transfer=transfer_of(known, models),
        matrices=matrices,
    )


def what_is_left_out(aggregate: Aggregate) -> list[str]:
    """What an aggregate of computed runs lacks, and why: for a terminal.

    Parameters
    ----------
    aggregate : Aggregate
        Any.

    Returns
    -------
    list of str
        Each reason once. Of reported scores nothing is said: they have no items.
    """
    lines = list(aggregate.left_out)
    for board in aggregate.boards:
        if board.reported:
            continue
        for name in ("pairs", "confusions", "strata", "cards"):
            part = getattr(board, name)
            if part.why_not:
                lines.append(f"{board.title}: no {name}: {part.why_not}")
            lines += [
                f"{board.title}: {name}: {board.rows[own.row].name}: {own.reason}"
                for own in getattr(part, "left_out", ())
            ]
    lines += [
        f"transfer, {outcome.protocol or outcome.origin}: {outcome.why_not}"
        for outcome in aggregate.transfer.outcomes
        if outcome.why_not
    ]
    return list(dict.fromkeys(lines))


def _order(run: Run) -> tuple[str, ...]:
    """An order of runs that does not depend on where they lie or how they were given."""
    file = run.file
    return (file.data.config, file.model.name, file.model.spec, file.run_id, _content(run))


def _content(run: Run) -> str:
    return sha256_of_json(run.file.model_dump(mode="json"))


def _matrix_order(matrix: Matrix) -> tuple[str, str]:
    return matrix.model.spec, sha256_of_json(matrix.model_dump(mode="json"))


def _distinct(evidence: Evidence) -> tuple[tuple[Run, ...], list[str]]:
    """Runs with a score, each model once a board, and what is left out for that.

    Of runs with one id, that of the highest standing is shown; of these, the one that came first.
    Whoever sends one later can choose what is in it, so that nothing in it may decide.
    """

    def same(run: Run) -> tuple[str, str, str]:
        return board_key(run), run.file.model.spec, run.file.run_id

    def standing(run: Run) -> tuple[object, ...]:
        place = STANDING.index(evidence.status_of(run))
        return (*same(run), place, evidence.received_at(run), _content(run))

    scored: list[Run] = []
    left_out: list[str] = []
    for run in sorted(evidence.computed, key=_order):
        why_not = _why_not_shown(run, evidence)
        if why_not is None:
            scored.append(run)
        else:
            left_out.append(one_line(f"{_named(run)}: {why_not}"))
    kept: list[Run] = []
    for _, alike in groupby(sorted(scored, key=standing), key=same):
        first, *others = alike
        kept.append(first)
        if others:
            status = evidence.status_of(first)
            statuses = Counter(map(evidence.status_of, others))
            told = ", ".join(f"{n} {name}" for name, n in sorted(statuses.items()))
            left_out.append(
                one_line(
                    f"{_named(first)}: {len(others)} more of the same model and data ({told}); "
                    f"shown is the first that is {status}"
                )
            )
    return tuple(sorted(kept, key=_order)), left_out


def _why_not_shown(run: Run, evidence: Evidence) -> str | None:
    if not run.scores.num_rows:
        return "no score"
    try:
        check_can_be_shown(run, evidence)
    except ValidationError as error:
        return f"says what cannot be: {_first_problem(error)}"
    return None


def _first_problem(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return one_line(f"{error.title} {place}: {first['msg']}", 300)


def _named(run: Run) -> str:
    return f"{run.file.model.name}, run {run.file.run_id}"


def _nobody_is_ranked(board: Board) -> bool:
    """Whether a board shows nothing at first: such a board stands behind all others."""
    return not board.reported and not any(row.status in RANKED for row in board.rows)


def _of_no_board(
    runs: Sequence[Run], groups: Sequence[Sequence[Run]], boards: Sequence[Board | None]
) -> Iterator[str]:
    for group, board in zip(groups, boards, strict=True):
        if board is None:
            for run in group:
                yield one_line(f"{_named(run)}: no score on a task that this version knows")


def _unused(evidence: Evidence) -> Iterator[str]:
    scored_on = {run.file.data.release_id for run in evidence.computed}
    for release in evidence.releases:
        identity = release.manifest.release_id
        if identity not in scored_on:
            yield one_line(f"release {identity} was given, and no run was scored on it")


def _made_of(evidence: Evidence) -> Iterator[MadeOf]:
    for name, n in sorted(Counter(run.file.data.release_id for run in evidence.computed).items()):
        yield MadeOf(kind="runs", name=name, n=n)
    for name, n in sorted(Counter(run.reported or "" for run in evidence.reported).items()):
        yield MadeOf(kind="reported", name=one_line(name), n=n)
    for release in evidence.releases:
        yield MadeOf(kind="release", name=one_line(release.manifest.release_id), n=1)
    for matrix in evidence.matrices:
        yield MadeOf(kind="matrix", name=matrix.model.name, n=1)


def _version() -> str:
    try:
        return version("evaluate-shelf")
    except PackageNotFoundError:
        return "unknown"
