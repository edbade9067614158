"""What a user must know of a corpus of a library's records, or of why there is none."""

from __future__ import annotations

from collections.abc import Iterator

from builders.corpora.catalogue.classes import FEWEST_CLASSES
from builders.corpora.catalogue.report import Json, summary, thin_in_words
from builders.corpora.catalogue.request import CatalogueRequest


def refusal(request: CatalogueRequest, report: Json) -> str:
    """Why there is no corpus, with the counts and what could be done."""
    choice = request.choice
    advice = ["give more records"]
    if report["too_thin"] and choice.minimum_records > 2:
        advice.append(f"a lower --minimum-records (it is {choice.minimum_records})")
    if choice.language is not None:
        languages = ", ".join(f"{name or 'unknown'} {n}" for name, n in report["languages"].items())
        advice.append(f"another --language (it is {choice.language}; read were: {languages:.300})")
    if "not an LCC number" in report["left_out"]:
        advice.append("class numbers of the form QA76.9")
    has = [f"class {own['code']}: {own['kept']} records" for own in report["classes"]]
    counts = "; ".join([summary(report), *has, *thin_in_words(report)])
    return (
        f"{', '.join(str(path) for path in request.files[:3])}: a corpus needs at least "
        f"{FEWEST_CLASSES} classes, each with {choice.minimum_records} records and two works or "
        f"more, and there {'is' if len(has) == 1 else 'are'} {len(has)}: {counts}. "
        f"What can help: {', or '.join(advice)}"
    )


def notes(request: CatalogueRequest, report: Json) -> Iterator[str]:
    """What the manifest and the caveats say of the corpus."""
    choice = request.choice
    yield (
        "The records are a library's own. The class is the main class of the record's class "
        "number, which a cataloguer gave; nobody has checked it here."
    )
    yield (
        "The text is title, contents and summary, as far as the record has them. Pair tasks put "
        "the title before it, as they do everywhere, so they read it twice."
    )
    yield f"{summary(report)}, {report['in_corpus']} in the corpus"
    if choice.language is not None:
        yield f"Records in the language {choice.language} alone are kept."
    for thin in thin_in_words(report):
        yield f"dropped, {thin}"
    yield (
        "Split by work: records of one title and main author, such as editions, and records of "
        "one text lie in one split."
    )
    yield (
        "Ids are hashes of the library (field 003, else the file) and the control number, which "
        "stands in `control_number`."
    )
    yield "Authors are the names in the main entry of the record, as public catalogues show them."
    yield (
        f"Terms, in the words of who imported the records: {choice.licence}"
        if choice.licence
        else "The import named no licence: find out under which terms the records may be used."
    )
