"""What an application gives, as values of JSON and as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evaluate_shelf.application.estimate import FEWEST, Estimate, Measure, Share
from evaluate_shelf.application.marc_copies import MarcCopy
from evaluate_shelf.application.training_records import TEXT, WORK
from evaluate_shelf.bounded import one_line
from evaluate_shelf.records.report import RecordReport

CAVEAT = (
    "Records that carry a class may differ from those without one, so the model may be right more "
    "or less often on the others."
)

_LEFT_OUT = {
    TEXT: "a training document has the same text",
    WORK: "a training document is of the same work, by title and author",
}


@dataclass(frozen=True)
class Outcome:
    """What became of the records.

    Attributes
    ----------
    run_id, model, release_id : str
        What was applied.
    report : RecordReport
        Records that were read, and what could not be.
    classed : int
        Records that were given a class.
    unclassed : dict of str to int
        Records that were read and given none, by reason.
    estimate : Estimate or None
        None where no record carries a class.
    marc_copies : tuple of MarcCopy
        The MARC files that were written.
    """

    run_id: str
    model: str
    release_id: str
    report: RecordReport
    classed: int
    unclassed: dict[str, int]
    estimate: Estimate | None
    marc_copies: tuple[MarcCopy, ...]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as values of JSON; the same records and run give the same."""
        return {
            "run_id": self.run_id,
            "model": self.model,
            "release_id": self.release_id,
            "read": self.report.read_count,
            "classed": self.classed,
            "unclassed": self.unclassed,
            "unread": self.report.to_dict()["unread"],
            "estimate": _estimate_values(self.estimate),
            "marc": [copy.to_dict() for copy in self.marc_copies],
        }

    def to_text(self) -> str:
        """Lines for a reader."""
        lines = [f"{self.report.read_count} records read, {self.classed} given a class"]
        lines += [f"  no class: {count}: {reason}" for reason, count in self.unclassed.items()]
        lines += _unread_lines(self.report, "not read")
        for copy in self.marc_copies:
            lines.append(f"{copy.path}: {copy.records} records, {copy.classed} with a class")
            lines += _unread_lines(copy.report, "not in it, or without its class")
        return "\n".join(map(_printable, [*lines, *_estimate_lines(self.estimate)]))


def _printable(line: str) -> str:
    """A line without control characters, its indent kept."""
    text = line.lstrip(" ")
    return line[: len(line) - len(text)] + one_line(text)


def _unread_lines(report: RecordReport, what: str) -> list[str]:
    lines = []
    for kind, found in report.to_dict()["unread"].items():
        lines.append(f"  {what}: {found['count']}: {kind}")
        lines += [
            f"    {example['file']}, record {example['position']}"
            + (f" ({example['id']})" if example["id"] else "")
            + (f": {example['detail']}" if example["detail"] else "")
            for example in found["examples"]
        ]
        more = found["count"] - len(found["examples"])
        lines += [f"    and {more} more"] if more else []
    return lines


def _estimate_lines(estimate: Estimate | None) -> list[str]:
    if estimate is None:
        return ["no record carries a class, so nothing is said of how often the classes are right"]
    count = f"{estimate.records} records, of {estimate.classes} classes"
    lines = [f"{count}, carry a class that the model can give, and were given one"]
    lines += [
        f"  left out of the estimate: {number}: {_LEFT_OUT[reason]}"
        for reason, number in estimate.left_out.items()
    ]
    if estimate.not_given:
        lines.append(f"  {estimate.not_given} more carry such a class and were given none")
    lines += [
        f"  {count} more carry class {label}, which the model cannot give"
        for label, count in estimate.unknown_classes.items()
    ]
    if estimate.accuracy is None or estimate.macro_f1 is None:
        return [*lines, f"no estimate: at least {FEWEST} such records are needed"]
    interval = f"{estimate.level:.0%}"
    lines.append(
        f"accuracy {_measured(estimate.accuracy)}, macro-F1 {_measured(estimate.macro_f1)} "
        f"({interval}, {estimate.replicates} resamples of the records)"
    )
    lines += [
        f"  probability {band.low:.1f} to {band.high:.1f}, mean {band.mean_probability:.2f}: "
        f"{_shared(band.share)}"
        for band in estimate.bands
    ]
    lines += [
        f"  records of class {label}: {_shared(share)}"
        for label, share in estimate.by_class.items()
    ]
    return [*lines, CAVEAT]


def _measured(measure: Measure) -> str:
    if measure.low is None or measure.high is None:
        return f"{measure.value:.3f} (no interval: all records have the same outcome)"
    return f"{measure.value:.3f} [{measure.low:.3f}, {measure.high:.3f}]"


def _shared(share: Share) -> str:
    counts = f"{share.right} of {share.records} right"
    if share.value is None:
        return f"{counts}, too few for a share"
    return f"{counts}, {share.value:.3f} [{share.low:.3f}, {share.high:.3f}]"


def _estimate_values(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    values = estimate._asdict()
    for name in ("accuracy", "macro_f1"):
        values[name] = values[name] and values[name]._asdict()
    values["bands"] = [{**band._asdict(), "share": band.share._asdict()} for band in estimate.bands]
    values["by_class"] = {label: share._asdict() for label, share in estimate.by_class.items()}
    return {**values, "fewest_records": FEWEST, "note": CAVEAT}
