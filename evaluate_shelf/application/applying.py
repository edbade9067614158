"""Class a library's records with a run's model."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evaluate_shelf.application.assignments import Assignment, assignments
from evaluate_shelf.application.catalogue_files import CatalogueFiles, catalogue_files
from evaluate_shelf.application.classifier import Classifier, fitted_classifier
from evaluate_shelf.application.csv_rows import header, row
from evaluate_shelf.application.estimate import Outcomes, estimate
from evaluate_shelf.application.marc_copies import copy_paths, write_copies
from evaluate_shelf.application.outcome import Outcome
from evaluate_shelf.application.reporter import Reporter
from evaluate_shelf.application.reproduction import check_encoder, check_reproduced
from evaluate_shelf.application.request import Request
from evaluate_shelf.application.same_model import same_model
from evaluate_shelf.application.scored_run import ScoredRun, open_scored_run
from evaluate_shelf.application.tally import Tally
from evaluate_shelf.application.targets import target_file
from evaluate_shelf.application.training_records import TrainingRecords
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing
from evaluate_shelf.formulations.data import labels_of
from evaluate_shelf.formulations.workspace import Workspace
from evaluate_shelf.models.resolve import NamedModel
from evaluate_shelf.records.record import CatalogueRecord, Unread
from evaluate_shelf.records.report import RecordReport
from evaluate_shelf.registry.taxonomy import load_taxonomy
from evaluate_shelf.runs.threads import protocol_threads


def apply_run(request: Request, reporter: Reporter | None = None) -> Outcome:
    """Give records the classes that a run's model assigns to them.

    The classifier is fitted again on the release's training split, as `lcc_classification` does,
    and used only if it says of the test split what the run says. Records are read in batches; what
    is kept of each is a few bytes for the estimate, and with `marc` its class and probability.

    Parameters
    ----------
    request : Request
        What to apply to which records.
    reporter : Reporter, default=None
        Told of the progress.

    Returns
    -------
    Outcome
        Counts and the estimate; the classes are in the files that were asked for, which are whole
        or absent.

    Raises
    ------
    ShelfError
        If the run, the release, the model or the records cannot be used.
    """
    listener = reporter or Reporter()
    run = open_scored_run(request.run, request.data)
    files = catalogue_files(request.records, request.columns)
    request = replace(request, out=target_file(request.out) if request.out else None)
    copies = copy_paths(files, request.marc) if request.marc else ()
    _check_targets(request, files, copies)
    _check_top(request, run)
    _check_scheme(request, run)
    model = same_model(run.file.model, run.protocol, request.model)
    listener.model(run.file.model.name)
    with protocol_threads(run.protocol):
        classifier = _classifier(run, model, request, listener)
        return _applied(request, run, files, copies, classifier, listener)


def _classifier(
    run: ScoredRun, model: NamedModel, request: Request, reporter: Reporter
) -> Classifier:
    try:
        work = Workspace(
            model.load(),
            model.base_identity,
            run.protocol,
            request.store,
            reporter.encoding,
            model.reduce,
        )
        classifier, test_vectors = fitted_classifier(run, work)
        check_reproduced(run, classifier, test_vectors)
        if not work.needs_fit:
            check_encoder(run, classifier, test_vectors)
    except ShelfError as error:
        raise ShelfError(f"model {model.identity.spec!r}: {error}") from error
    reporter.reproduced(len(test_vectors))
    return classifier


def _applied(
    request: Request,
    run: ScoredRun,
    files: CatalogueFiles,
    copies: tuple[Path, ...],
    classifier: Classifier,
    reporter: Reporter,
) -> Outcome:
    report = RecordReport()
    tally = Tally(Outcomes(classifier.labels), keeps_classes=bool(copies))
    given = assignments(
        _counted(files, report),
        classifier,
        TrainingRecords(run.data.train),
        top=request.top,
        minimum_probability=request.minimum_probability,
        batch_records=request.batch_records,
    )
    with _csv_writer(request, _class_names(run)) as write:
        for number, assignment in enumerate(given, start=1):
            write(assignment)
            tally.add(assignment)
            if not number % request.batch_records:
                reporter.applied(number)
        # Within the block: where a copy cannot be written, there is no CSV either.
        written = write_copies(files, copies, tally.classes, run.file) if copies else ()
    return Outcome(
        run_id=run.file.run_id,
        model=run.file.model.name,
        release_id=run.file.data.release_id,
        report=report,
        classed=tally.classed,
        unclassed=dict(sorted(tally.unclassed.items())),
        estimate=estimate(tally.outcomes, run.protocol) if tally.outcomes.seen else None,
        marc_copies=written,
    )


def _counted(
    files: CatalogueFiles, report: RecordReport
) -> Iterator[tuple[int, CatalogueRecord | Unread]]:
    for number, record in files.read():
        if isinstance(record, Unread):
            report.add_unread(record)
        else:
            report.read_count += 1
        yield number, record


@contextlib.contextmanager
def _csv_writer(
    request: Request, names: Mapping[str, str]
) -> Iterator[Callable[[Assignment], None]]:
    """Give what writes an assignment to the CSV file, or to nowhere where none is asked for."""
    if request.out is None:
        yield lambda assignment: None
        return
    with (
        replacing(request.out) as temporary,
        # A file's name may hold bytes that are no UTF-8.
        temporary.open("w", encoding="utf-8", errors="backslashreplace", newline="") as stream,
    ):
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header(request.top))
        yield lambda assignment: writer.writerow(row(assignment, names, request.top))


def _class_names(run: ScoredRun) -> dict[str, str]:
    return {entry.code: entry.name for entry in run.data.release.taxonomy.classes}


def _check_scheme(request: Request, run: ScoredRun) -> None:
    """Refuse to write classes of another scheme where MARC has those of the Library of Congress."""
    own = {entry.code: entry.name for entry in load_taxonomy().classes}
    if request.marc and _class_names(run) != own:
        raise ShelfError(
            "--marc: copies of records get classes of the Library of Congress, and those of "
            f"release {run.file.data.release_id} are imported ones; take --out alone"
        )


def _check_targets(request: Request, files: CatalogueFiles, copies: Sequence[Path]) -> None:
    """Refuse to write over what is read, or one result over another."""
    targets = [*copies, *([request.out] if request.out else [])]
    inputs = {path.resolve() for path in files.paths}
    for target in targets:
        if target.resolve() in inputs:
            raise ShelfError(f"{target}: is a file of records; name another for the result")
    if len({target.resolve() for target in targets}) < len(targets):
        raise ShelfError(f"{targets[-1]}: --out and --marc are one file; name two")


def _check_top(request: Request, run: ScoredRun) -> None:
    labels = len(set(labels_of(run.data.train, run.task.label_field)))
    if request.top > labels:
        raise ShelfError(f"--top {request.top}: the model knows {labels} classes")
