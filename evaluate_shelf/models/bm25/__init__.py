"""BM25, exact, in its variants."""

from evaluate_shelf.models.bm25.index import Bm25Index
from evaluate_shelf.models.bm25.model import Bm25
from evaluate_shelf.models.bm25.variants import IDF, VARIANTS, Variant
from evaluate_shelf.models.bm25.words import tokens

__all__ = ["IDF", "VARIANTS", "Bm25", "Bm25Index", "Variant", "tokens"]
