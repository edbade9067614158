"""The queries that a release names for a search: a sample of its test documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.release.documents import Documents
from evaluate_shelf.release.manifest import Manifest


def queries_config(manifest: Manifest, config: str, task_id: str) -> str | None:
    """The release's config of queries of a retrieval task, if there is one.

    Parameters
    ----------
    manifest : Manifest
        The release's.
    config : str
        The config of documents whose test documents are asked.
    task_id : str
        A retrieval or instruction retrieval.
    """
    for subset in (task_id, f"{config}_{task_id}"):
        name = f"{subset}-queries"
        entry = manifest.configs.get(name)
        if entry is not None and entry.kind == "selection" and entry.derived_from == config:
            return name
    return None


@dataclass(frozen=True)
class AskedData(TaskData):
    """As `TaskData`, with the test documents that a config of queries names.

    Attributes
    ----------
    queries : str
        That config.
    """

    queries: str = ""

    @cached_property
    def test(self) -> Documents:
        """The test documents that are asked, in the order of the test split."""
        wanted = set(self.release.documents(self.queries, "test").ids)
        of_split = self._split("test")
        places = [place for place, own in enumerate(of_split.ids) if own in wanted]
        if self.limit is None and len(places) < len(wanted):
            raise ShelfError(
                f"{self.release.folder}: config {self.queries!r}: "
                f"{len(wanted) - len(places)} queries are no test documents of {self.config!r}; "
                "run `shelf verify` on the release"
            )
        return of_split.take(places)
