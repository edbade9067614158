"""Masking and label terms in words and tables for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from evaluate_shelf.diagnostics.masking.arms import ArmScores, Masking
from evaluate_shelf.diagnostics.masking.counts import FEWEST_DOCUMENTS
from evaluate_shelf.diagnostics.masking.missing import UNKNOWN_RELEASE, MissingArm
from evaluate_shelf.diagnostics.masking.placing import ARM_WORDS
from evaluate_shelf.printable import one_line
from evaluate_shelf.text_columns import aligned
from evaluate_shelf.transfer.agreement import Agreement

_NONE = "–"
_WIDTH = 100
_LONGEST = 40


def masking_text(found: Masking) -> str:
    """The three arms, a table for the computed and one for each source of reported scores.

    Parameters
    ----------
    found : Masking
        From `masking`.

    Returns
    -------
    str
        Lines of text.
    """
    sources = dict.fromkeys((row.reported, row.protocol) for row in found.rows)
    lines = [*_missing(found.missing)]
    for reported, protocol in sources:
        rows = [row for row in found.rows if (row.reported, row.protocol) == (reported, protocol)]
        title = (
            f"REPORTED, not computed here: {reported}"
            if reported
            else f"Computed here, protocol {protocol}"
        )
        lines += [*_wrapped(title), "", *_table(_ARM_HEADER, [_arm_cells(row) for row in rows]), ""]
        lines += [*_lacking(rows)]
    for out in found.left_out:
        lines += _wrapped(f"left out: {one_line(out.model)}: {out.reason}")
    if not found.rows:
        return "\n".join(["No task was scored in all three arms.", "", *lines]).rstrip() + "\n"
    return "\n".join([*lines, *_notes(found.rows)]).rstrip("\n") + "\n"


def label_terms_text(values: dict[str, list[dict[str, Any]]]) -> str:
    """How often labels are named, and what masking removes.

    Parameters
    ----------
    values : dict
        From `label_term_values`.

    Returns
    -------
    str
        Lines of text.
    """
    names = [
        (
            *_part(row),
            row["facet"],
            f"{row['labelled']:,}",
            _percent(row["share_in_text"]),
            _percent(row["share_in_first_200_words"]),
        )
        for row in values["names"]
    ]
    removed = [
        (
            *_part(row),
            f"{row['documents']:,}",
            f"{row['changed']:,}",
            _percent(row["share_changed"]),
            _NONE if row["mean_tokens"] is None else f"{row['mean_tokens']:.2f}",
        )
        for row in values["removed"]
    ]
    lines = [
        "Documents that contain the name of their own label, of those that have one; all counted.",
        "",
        *_table(("BY", "", "FACET", "LABELLED", "FULL TEXT", "200 WORDS"), names, left=3),
        "",
        "What masking removes; the sham arm removes as many tokens of each document.",
        "",
        *_table(("BY", "", "DOCUMENTS", "CHANGED", "SHARE", "MEAN TOKENS"), removed, left=2),
        "",
        f"{_NONE}: of fewer than {FEWEST_DOCUMENTS} documents.",
    ]
    return "\n".join(lines) + "\n"


_ARM_HEADER = (
    "CORPUS",
    "TASK",
    "METRIC",
    "N",
    "WHOLE",
    "MASKED",
    "",
    "SHAM",
    "",
    "RANKS MASKED",
    "RANKS SHAM",
)


def _arm_cells(row: ArmScores) -> tuple[str, ...]:
    return (
        one_line(row.corpus, _LONGEST),
        row.task,
        row.metric,
        str(len(row.models)),
        f"{row.unmasked:.4f}",
        f"{row.masked:.4f}",
        f"{row.masked_change:+.4f}",
        f"{row.sham:.4f}",
        f"{row.sham_change:+.4f}",
        _correlation(row.masked_agreement),
        _correlation(row.sham_agreement),
    )


def _correlation(found: Agreement) -> str:
    if found.spearman is None:
        return _NONE
    if found.low is None:
        return f"{found.spearman:.3f}"
    return f"{found.spearman:.3f} [{found.low:.2f}, {found.high:.2f}]"


def _missing(arms: Sequence[MissingArm]) -> Iterator[str]:
    """Which models lack an arm, and the command that makes it, on a line of its own."""
    for arm in arms:
        folders = ", ".join(
            f"{name} ({folder})" for name, folder in zip(arm.models, arm.runs, strict=True)
        )
        told = f"No {ARM_WORDS[arm.arm]} of config {arm.corpus} for {folders}"
        if arm.command is None:
            yield from _wrapped(f"{told}: vectors that are read from a file cannot be masked.")
            yield ""
            continue
        place = f"; {UNKNOWN_RELEASE} is the path of release {arm.release_id}"
        yield from _wrapped(f"{told}{place if UNKNOWN_RELEASE in arm.command.split() else ''}:")
        yield from ("", f"  {arm.command}", "")


def _lacking(rows: Sequence[ArmScores]) -> Iterator[str]:
    """Each model that is in no mean, with its reason, once."""
    reasons = {(out.model, out.reason): None for row in rows for out in row.lacking}
    for model, reason in reasons:
        yield from _wrapped(f"not in a mean: {one_line(model)}: {reason}")
    if reasons:
        yield ""


def _notes(rows: Sequence[ArmScores]) -> Iterator[str]:
    agreed = next((own for row in rows if (own := row.masked_agreement).replicates), None)
    yield from _wrapped(
        "Means are over the models that have a score in every arm. RANKS: Spearman's correlation "
        "with the order on whole texts"
        + (
            f"; {100 * agreed.level:g} % interval from {agreed.replicates:,} draws of the models."
            if agreed
            else "; it needs four models."
        )
    )
    for row in {row.task: row for row in rows if row.metric != row.primary_metric}.values():
        yield from _wrapped(
            f"{row.task} is compared by {row.metric}, as in `shelf transfer`: the order of models "
            "on k-means depends on its seed. Leaderboards have its primary metric, "
            f"{row.primary_metric}, and so have the other tasks here."
        )
    yield from _wrapped(
        "Corpora lose different numbers of tokens, so a masked score is compared with its own "
        "sham, not with another corpus."
    )


def _part(row: dict[str, Any]) -> tuple[str, str]:
    return row["by"], "" if row["by"] == "all" else one_line(row["value"], _LONGEST)


def _percent(share: float | None) -> str:
    return _NONE if share is None else f"{100 * share:.1f} %"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(one_line(text), _WIDTH, break_on_hyphens=False)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 3) -> list[str]:
    """Columns two blanks apart; the first ones to the left, numbers to the right."""
    return aligned([header, *rows], left=range(left))
