"""Leak and quality reports of corpora: duplicates, groups, labels, and what gives labels away."""

from builders.quality.leaks import Relevance, relevance_of
from builders.quality.report import QualityReport, quality_of
from builders.quality.stream import Batches, batches_of
from builders.quality.tables import markdown
from builders.quality.writing import as_json, write_quality

__all__ = [
    "Batches",
    "QualityReport",
    "Relevance",
    "as_json",
    "batches_of",
    "markdown",
    "quality_of",
    "relevance_of",
    "write_quality",
]
