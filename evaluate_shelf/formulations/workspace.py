"""Vectors for a task: fitted where the model has to be fitted, stored where it has not."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.models.checks import fitted
from evaluate_shelf.models.protocol import Encoder, Fittable, ModelIdentity, Role, Vectors
from evaluate_shelf.models.vectors import Progress, encode_all
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.release.documents import Documents

T = TypeVar("T")


@dataclass(frozen=True)
class Workspace:
    """A loaded model with what it needs to encode.

    Attributes
    ----------
    model : object
        Implements one or more of the model protocols.
    identity : ModelIdentity
        Part of the key of stored vectors.
    protocol : Protocol
        Batch size, seeds, limits.
    store : pathlib.Path or None
        Folder of stored vectors.
    progress : callable or None
        Told how many texts are encoded.
    """

    model: Any
    identity: ModelIdentity
    protocol: Protocol
    store: Path | None = None
    progress: Progress | None = None
    _memory: dict[tuple[Hashable, ...], Any] = field(default_factory=dict)

    def once(self, key: tuple[Hashable, ...], make: Callable[[], T]) -> T:
        """Give what `make` gives, made once for all tasks of a model.

        Parameters
        ----------
        key : tuple
            Everything that the result depends on besides the model.
        make : callable
            Without arguments.
        """
        if key not in self._memory:
            self._memory[key] = make()
        result: T = self._memory[key]
        return result

    def document_vectors(self, data: TaskData, fit_on: Sequence[str]) -> dict[str, Vectors]:
        """Vectors of the texts of all three splits of a config.

        A model without a fit encodes them once for all tasks of the config; a model with one is
        fitted on the splits that the task names.

        Parameters
        ----------
        data : TaskData
            A config of documents.
        fit_on : sequence of {'train', 'validation', 'test'}
            Splits whose texts a `Fittable` model may see.

        Returns
        -------
        dict of str to ndarray of float32, shape (n_documents, dimension)
            By split; for a `Fittable` model, only the splits that a task can ask of it.
        """
        key = ("document_vectors", data.config, *(fit_on if self.needs_fit else ()))
        return self.once(key, lambda: self._document_vectors(data, fit_on))

    @property
    def needs_fit(self) -> bool:
        """Whether the model has to see a collection before it encodes."""
        return isinstance(self.model, Fittable)

    def _document_vectors(self, data: TaskData, fit_on: Sequence[str]) -> dict[str, Vectors]:
        splits = {"train": data.train, "validation": data.validation, "test": data.test}
        if self.needs_fit:
            return self._fitted(splits, fit_on)
        ids = [i for documents in splits.values() for i in documents.ids]
        texts = [t for documents in splits.values() for t in documents.column("text")]
        vectors = self.encode(ids, texts, role="document", key=(data, "text"))
        parts: dict[str, Vectors] = {}
        start = 0
        for name, documents in splits.items():
            parts[name] = vectors[start : start + len(documents)]
            start += len(documents)
        return parts

    def _fitted(self, splits: dict[str, Documents], fit_on: Sequence[str]) -> dict[str, Vectors]:
        seen = [text for name in fit_on for text in splits[name].column("text")]
        encoder = fitted(self.model, seen)
        return {
            name: self.encode_with(encoder, documents.ids, documents.column("text"), "document")
            for name, documents in splits.items()
            if name in fit_on or name == "test"
        }

    def encode(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        *,
        role: Role,
        key: tuple[TaskData, str] | None = None,
    ) -> Vectors:
        """Encode texts with a model that needs no fit.

        Parameters
        ----------
        ids, texts : sequence of str
            What to encode.
        role : {'document', 'query'}
            Passed on to the model.
        key : tuple of TaskData and str, default=None
            The config and the field that the texts are, where they are worth keeping.

        Returns
        -------
        ndarray of float32, shape (n_texts, dimension)
        """
        folder = None
        if self.store is not None and key is not None:
            folder = self.store / self._key(*key, role)
        return self.encode_with(self.model, ids, texts, role, folder)

    def encode_fitted(self, ids: Sequence[str], texts: Sequence[str]) -> Vectors:
        """Fit a `Fittable` model on texts and encode the same texts."""
        return self.encode_with(fitted(self.model, texts), ids, texts, "document")

    def encode_with(
        self,
        encoder: Encoder,
        ids: Sequence[str],
        texts: Sequence[str],
        role: Role,
        store: Path | None = None,
    ) -> Vectors:
        """Encode texts with the model, or with an encoder that was fitted from it."""
        return encode_all(
            encoder,
            ids,
            texts,
            role=role,
            # A fitted model's rows do not depend on their batch, so it takes all at once.
            batch_size=len(texts) if self.needs_fit else self.protocol.batch_size,
            store=store,
            progress=self.progress,
            allow_zero=self.needs_fit,
        )

    def _key(self, data: TaskData, field: str, role: Role) -> str:
        return sha256_of_json(
            {
                "model": [self.identity.spec, self.identity.revision, self.identity.settings],
                "protocol": self.protocol.key,
                "content": data.content_sha256,
                "limit": data.limit,
                "field": field,
                "role": role,
            }
        )[:40]
