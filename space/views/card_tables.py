"""Report cards: which tasks tell models apart."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from statistics import median

from evaluate_shelf.aggregate.schema import Aggregate, Board
from evaluate_shelf.aggregate.schema.cards import CardEntry
from evaluate_shelf.aggregate.schema.tasks import TaskEntry

from .chance_words import chance_of
from .data_files import board_labels
from .markup import breakable, capital, help_button, interval, number, paragraph, spoken, table

_HELPS = {
    "verdict": (
        "Separates models: their median lies a small effect above chance, and best and worst are "
        "told apart. At chance in these runs: the median of these models on these documents lies "
        "no small effect above chance; other models, or more documents, may do better. Broken: the "
        "score cannot be trusted. A task that is marked as a control is another matter: it is at "
        "or near chance by nature, and in no mean."
    ),
    "chance": (
        "The level that the effect is measured from. Stated: it follows from the number of labels. "
        "Measured: the middle of what shuffled labels gave in these runs. The levels of all are "
        "below the table."
    ),
    "effect": "How far the median lies above chance, in standard deviations; 0.2 is called small.",
    "interval / spread": (
        "Width of a score's interval, measured by the distance of the best from the worst model. "
        "From 1 on, the task tells nothing apart."
    ),
    "neighbours told apart": "Share of neighbouring ranks that tests or intervals tell apart.",
}
_VERDICTS = {"control": "at chance in these runs"}
_SOURCES = {"tasks.yaml": "stated", "report_cards.yaml": "stated", "measured": "measured"}
_HEADER = (
    "task",
    "verdict",
    "models",
    "chance",
    "worst",
    "median",
    "best",
    "effect",
    "interval / spread",
    "neighbours told apart",
    "same facet",
)


def cards(aggregate: Aggregate) -> str:
    """All report cards, a section a board.

    Parameters
    ----------
    aggregate : Aggregate
        What is shown.
    """
    if not aggregate.boards:
        return paragraph("There are no scores yet, so there are no cards.", "absent")
    labels = board_labels(aggregate.boards)
    metrics = {metric.id: metric.label for metric in aggregate.metrics}
    tasks = {task.id: task for task in aggregate.tasks}
    return "".join(
        _section(board, label, tasks, metrics)
        for board, label in zip(aggregate.boards, labels, strict=True)
    )


def task_list(aggregate: Aggregate) -> str:
    """What each task asks, in the registry's order."""
    metrics = {metric.id: metric for metric in aggregate.metrics}
    items = []
    for task in aggregate.tasks:
        metric = metrics.get(task.metric)
        label = metric.label if metric else task.metric
        marks = "".join(
            f' <span class="mark">{name}</span>'
            for name, holds in (("control", task.control), ("optional", task.optional))
            if holds
        )
        note = f'<p class="note">{escape(task.note)}</p>' if task.note else ""
        button = help_button(label, metric.help) if metric else ""
        items.append(
            f'<div><dt id="task-{escape(task.id)}"><code>{breakable(task.id)}</code>{marks}</dt>'
            f"<dd><p><strong>{escape(task.question)}</strong></p>"
            f"<p>{escape(capital(spoken(task.formulation)))}, facet {escape(task.facet)}, "
            f"by {escape(label)}{button}; {_stated(task)}.</p>{note}</dd></div>\n"
        )
    return f'<dl class="tasks">{"".join(items)}</dl>\n'


def _stated(task: TaskEntry) -> str:
    if task.chance is None:
        return "no chance level is stated, each run measures its own"
    return f"stated chance {number(task.chance)}"


def _section(board: Board, label: str, tasks: dict[str, TaskEntry], metrics: dict[str, str]) -> str:
    key = escape(board.key)
    head = f'<section class="cards" data-board="{key}"><h3>{escape(label)}</h3>\n'
    if board.cards.why_not is not None or not board.cards.cards:
        why = board.cards.why_not or "no task was run"
        return f"{head}{paragraph(f'No cards: {why}.', 'absent')}</section>\n"
    own = board.cards.cards
    shown = table(
        f"{label}: the report cards of {len(own)} tasks",
        _HEADER,
        (_row(card, tasks, metrics) for card in own),
        words={1},
        helps=[_HELPS.get(name) for name in _HEADER],
    )
    return f"{head}{shown}{_reasons(own, board, tasks)}</section>\n"


def _row(card: CardEntry, tasks: dict[str, TaskEntry], metrics: dict[str, str]) -> tuple[str, ...]:
    metric = tasks[card.task].metric if card.task in tasks else ""
    known = [one.spearman for one in card.agreement if one.spearman is not None]
    return (
        f"{card.task} ({metrics.get(metric, metric)})",
        _VERDICTS.get(card.verdict or "", card.verdict or "none"),
        str(card.models),
        f"{number(card.chance)} {_SOURCES.get(card.chance_source or '', '')}".rstrip(),
        number(card.worst),
        number(card.median),
        number(card.best),
        number(card.effect, 2),
        number(card.width_to_spread, 2),
        "–" if card.told_apart is None else f"{100 * card.told_apart:.0f} %",
        number(median(known), 2) if known else "–",
    )


def _differs(card: CardEntry, task: TaskEntry | None) -> str:
    """What is to be said where the verdict and the registry do not say the same."""
    if card.agrees is not False or task is None:
        return ""
    if task.control:
        return " The registry has it as a control all the same, in no mean."
    return " By nature it is no control: it stays in the means."


def _chance(card: CardEntry, board: Board) -> str:
    if card.task not in board.tasks:
        return ""
    return f" Chance: {chance_of(board, board.tasks.index(card.task))}."


def _reasons(own: Sequence[CardEntry], board: Board, tasks: dict[str, TaskEntry]) -> str:
    items = []
    for card in own:
        differs = _differs(card, tasks.get(card.task)) + _chance(card, board)
        range_ = (
            f" Best {card.best_model} ({number(card.best)}), worst {card.worst_model} "
            f"({number(card.worst)})."
            if card.best_model and card.worst_model
            else ""
        )
        agreed = "".join(
            f" The order agrees with {one.task} at {number(one.spearman, 2)} "
            f"{interval(one.low, one.high, 2)}".rstrip()
            + f" over {one.n} models."
            for one in card.agreement
            if one.spearman is not None
        )
        text = f"{capital(card.reason).rstrip('.')}.{differs}{range_}{agreed}"
        items.append(f"<dt><code>{breakable(card.task)}</code></dt><dd>{escape(text)}</dd>")
    return (
        "<details><summary>Why, task by task</summary>"
        f'<dl class="reasons">{"".join(items)}</dl></details>\n'
    )
