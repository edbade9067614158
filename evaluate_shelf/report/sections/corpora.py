"""What is told of each corpus that was given, config by config."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from evaluate_shelf.report.document import Block, Heading, Paragraph, Section
from evaluate_shelf.report.evidence import DocumentConfig, Evidence


def of_each_corpus(
    evidence: Evidence,
    key: str,
    title: str,
    lead: str,
    blocks_of: Callable[[DocumentConfig, str], Iterable[Block]],
) -> Section:
    """A section with a part for each config of documents.

    Parameters
    ----------
    evidence : Evidence
        What there is.
    key, title : str
        The section's address and heading.
    lead : str
        What all of it is about.
    blocks_of : callable
        From a config, and the name of its data, to what is told of it.

    Returns
    -------
    Section
        A sentence where no release was given.
    """
    blocks: list[Block] = []
    for place, config in enumerate(evidence.document_configs(), start=1):
        blocks += [Heading(config.title), *blocks_of(config, f"{key}-{place}")]
    if not blocks:
        absent = Paragraph("No release was given with `--data`.", "absent")
        return Section(key, title, (absent,))
    return Section(key, title, (Paragraph(lead), *blocks))
