"""What is known of one model beyond its scores: what it takes for what, and where it is weak."""

from __future__ import annotations

from typing import Any

from evaluate_shelf.aggregate.schema import Aggregate, Board
from evaluate_shelf.aggregate.schema.strata import Stratum
from evaluate_shelf.aggregate.schema.tasks import TaskEntry

from .markup import capital

_DOCUMENTS = {
    "lcc_code": "documents on {}",
    "lcgft_category": "documents of the category {}",
    "lcgft_form": "documents of the form {}",
    "register": "documents in the register {}",
    "audience": "documents for the audience {}",
    "topics": "documents with the topic {}",
    "geographic": "documents about {}",
}
_BY = {"length": "length of the text", "generator": "who wrote it"}
_PLAIN = {
    "family of the generator (configs/generators.yaml) of the text": (
        "A part holds the documents by one writer, or by one family of writers."
    ),
    "family of the generator (configs/generators.yaml) of both texts of a pair": (
        "A part holds the pairs of which both texts are by one writer, or by one family of "
        "writers; those by two are a part of their own."
    ),
}
"""What parts are, for a reader who has no configuration at hand."""
_NAMES = {"two families": "two writers", "two generators": "two writers"}

Labels = dict[tuple[str, str], str]
"""Names of labels, by field and code."""


def details_of(aggregate: Aggregate) -> dict[int, list[dict[str, Any]]]:
    """Confusions and strata, by model.

    Parameters
    ----------
    aggregate : Aggregate
        What is shown.

    Returns
    -------
    dict of int to list of dict
        By position of the model, one entry a row of a board that has any.
    """
    tasks = {task.id: task for task in aggregate.tasks}
    labels = {(label.field, label.code): label.name for label in aggregate.labels}
    found: dict[int, list[dict[str, Any]]] = {}
    for number, board in enumerate(aggregate.boards):
        for position, entry in _of_board(board, tasks, labels).items():
            own = {"board": number, "row": position, **entry}
            found.setdefault(board.rows[position].model, []).append(own)
    return dict(sorted(found.items()))


def sentence(
    field: str, gold: str, predicted: str | None, count: int, of: int, labels: Labels
) -> str:
    """A confusion as a librarian would say it.

    Parameters
    ----------
    field : str
        The label that is predicted.
    gold, predicted : str and str or None
        Codes; None where nothing was predicted.
    count, of : int
        How often, of how many with the true label.
    labels : dict
        Names of the codes.

    Examples
    --------
    >>> names = {("lcc_code", "M"): "Music", ("lcc_code", "N"): "Fine Arts"}
    >>> sentence("lcc_code", "M", "N", 14, 120, names)
    'Of 120 documents on Music, 14 were taken for Fine Arts.'
    >>> sentence("register", "formal", None, 1, 1, {})
    'Of 1 document in the register formal, 1 was given no label.'
    """
    named = labels.get((field, gold), gold.replace("_", " "))
    documents = _DOCUMENTS.get(field, "documents with the label {}").replace("{}", named)
    if of == 1:
        documents = documents.replace("documents", "document", 1)
    verb = "was" if count == 1 else "were"
    if predicted is None:
        return f"Of {of:,} {documents}, {count:,} {verb} given no label."
    taken = labels.get((field, predicted), predicted.replace("_", " "))
    return f"Of {of:,} {documents}, {count:,} {verb} taken for {taken}."


def _of_board(
    board: Board, tasks: dict[str, TaskEntry], labels: Labels
) -> dict[int, dict[str, Any]]:
    found: dict[int, dict[str, Any]] = {}
    for row in board.confusions.rows:
        entry = found.setdefault(row.row, {"confusions": [], "strata": []})
        for confused in row.tasks:
            field = tasks[confused.task].label_field if confused.task in tasks else ""
            entry["confusions"].append(
                {
                    "task": confused.task,
                    "n": confused.n,
                    "wrong": confused.wrong,
                    "most": [sentence(field, *one, labels) for one in confused.most],
                }
            )
    definitions = {(one.task, one.by): one.text for one in board.strata.definitions}
    for parts in board.strata.rows:
        entry = found.setdefault(parts.row, {"confusions": [], "strata": []})
        for part in parts.parts:
            having = [one for one in part.strata if one[1] > 0]
            # One part is the whole, whose score stands in the table.
            if len(having) < 2:
                continue
            entry["strata"].append(
                {
                    "task": part.task,
                    "by": _BY[part.by],
                    "metric": part.metric,
                    "in_none": part.in_none,
                    "text": _in_plain_words(definitions.get((part.task, part.by))),
                    "strata": [_stratum(one) for one in having],
                }
            )
    return found


def _in_plain_words(definition: str | None) -> str | None:
    """What a part is.

    Examples
    --------
    >>> _in_plain_words("words of the whole text, without its title")
    'Words of the whole text, without its title.'
    """
    if definition is None:
        return None
    return _PLAIN.get(definition) or f"{capital(definition).rstrip('.')}."


def _stratum(stratum: Stratum) -> list[Any]:
    name, n, *values = stratum
    return [
        _NAMES.get(name, name),
        n,
        *(None if value is None else round(value, 6) for value in values),
    ]
