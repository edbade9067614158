"""Vectors for a task: fitted where the model has to be fitted, stored where it has not."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from evaluate_shelf.embeddings.checks import checked_vectors
from evaluate_shelf.embeddings.encoding import Encoding, Progress, encode_all
from evaluate_shelf.embeddings.store import State, encode_into, stored_vectors
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.formulations.data import TaskData
from evaluate_shelf.formulations.notes import Notes
from evaluate_shelf.models.checks import fitted, fitted_and_encoded
from evaluate_shelf.models.protocol import (
    Encoder,
    Fittable,
    Lookup,
    ModelIdentity,
    Role,
    SparseEncoder,
    Vectors,
)
from evaluate_shelf.models.resolve import NamedModel
from evaluate_shelf.registry.protocols import Protocol
from evaluate_shelf.runs.environment import versions_of
from evaluate_shelf.runs.schema import EncodingRecord

T = TypeVar("T")

# Vectors are computed with these; another version is another vector in its last bits.
_LIBRARIES = ("torch", "transformers", "sentence-transformers", "tokenizers", "mteb", "numpy")


@dataclass(frozen=True)
class Workspace:
    """A loaded model with what it needs to encode.

    Attributes
    ----------
    model : object
        Implements one or more of the model protocols.
    identity : ModelIdentity
        The key of stored vectors: without the dimensions and the precision that vectors are cut
        to afterwards.
    protocol : Protocol
        Batch size, seeds, limits.
    store : pathlib.Path or None
        Folder of stored vectors.
    progress : callable or None
        Told how many texts are encoded.
    reduce : callable or None
        Applied to vectors as they come from the store: fewer dimensions, less precision.
    memory_bytes : int
        How much a ranking may hold at a time, besides vectors and hits.
    notes : Notes
        What the task that runs has to say.
    """

    model: Any
    identity: ModelIdentity
    protocol: Protocol
    store: Path | None = None
    progress: Progress | None = None
    reduce: Callable[[Vectors], Vectors] | None = None
    memory_bytes: int = 512 * 2**20
    notes: Notes = field(default_factory=Notes)
    _memory: dict[tuple[Hashable, ...], Any] = field(default_factory=dict)

    def noting(self, notes: Notes) -> Workspace:
        """The same workspace, for a task with notes of its own."""
        return replace(self, notes=notes)

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

    @property
    def needs_fit(self) -> bool:
        """Whether the model has to see a collection before it encodes."""
        return isinstance(self.model, Fittable)

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
            By split, `corpus` for training and validation split together; for a `Fittable`
            model, only the splits that a task can ask of it. A model with sparse vectors gives
            scipy.sparse.csr_matrix.
        """
        if self.needs_fit:
            key = ("fitted vectors", data.config, *fit_on)
            return self.once(key, lambda: self._fitted(data, fit_on))
        key = ("vectors", data.config)
        return self.once(key, lambda: self._of_all_splits(data))

    def fitted_encoder(self, data: TaskData, fit_on: Sequence[str]) -> Encoder:
        """The encoder behind `document_vectors` of a `Fittable` model."""
        self.document_vectors(data, fit_on)
        encoder: Encoder = self._memory[("encoder", data.config, *fit_on)]
        return encoder

    def _of_all_splits(self, data: TaskData) -> dict[str, Vectors]:
        documents = data.all
        vectors = self.encode(data, "text", documents.ids, lambda: documents.column("text"))
        ends = np.cumsum([len(data.train), len(data.validation), len(data.test)])
        return {
            "train": vectors[: ends[0]],
            "validation": vectors[ends[0] : ends[1]],
            "corpus": vectors[: ends[1]],
            "test": vectors[ends[1] :],
        }

    def _fitted(self, data: TaskData, fit_on: Sequence[str]) -> dict[str, Vectors]:
        seen = {
            ("train",): data.train,
            ("train", "validation"): data.corpus,
            ("test",): data.test,
        }[tuple(fit_on)]
        name = "corpus" if len(fit_on) > 1 else fit_on[0]
        with self.notes.stage("fit the encoder"):
            encoder, vectors = self.fit_and_encode(seen.ids, seen.column("text"))
        self._memory[("encoder", data.config, *fit_on)] = encoder
        parts = {name: vectors}
        if name != "test":
            with self.notes.stage("encode"):
                test = data.test
                parts["test"] = self.encode_with(encoder, test.ids, test.column("text"))
        return parts

    def fit_and_encode(self, ids: Sequence[str], texts: Sequence[str]) -> tuple[Encoder, Vectors]:
        """Fit a `Fittable` model on texts and encode the same texts."""
        both = fitted_and_encoded(self.model, texts)
        if both is not None:
            return both
        encoder = fitted(self.model, texts)
        return encoder, self.encode_with(encoder, ids, texts)

    def query_vectors(self, data: TaskData) -> Vectors:
        """Vectors of the test split's texts as queries.

        Without prompts a text is the same whether it is searched or searched for, so those of
        `document_vectors` are taken.
        """
        if self.needs_fit:
            return self.document_vectors(data, ["train", "validation"])["test"]
        if self.protocol.prompts == "none" or isinstance(self.model, Lookup):
            return self.document_vectors(data, [])["test"]
        test = data.test
        return self.encode(data, "text", test.ids, lambda: test.column("text"), "query")

    def encode(
        self,
        data: TaskData,
        field: str,
        ids: Sequence[str],
        texts: Callable[[], Sequence[str]],
        role: Role = "document",
    ) -> Vectors:
        """Vectors of texts from the store, encoded first where they are not there.

        Parameters
        ----------
        data : TaskData
            The config that the texts belong to.
        field : str
            Which text of its rows they are.
        ids : sequence of str
            Of the rows.
        texts : callable
            Gives the texts; called only if there is something to encode.
        role : {'document', 'query'}, default='document'
            Passed on to the model.

        Returns
        -------
        ndarray of float32, shape (n_texts, dimension)
        """
        if isinstance(self.model, Lookup):
            _refuse_other_texts(self.protocol)
            return self._reduced(checked_vectors(self.model.vectors_of(ids), ids, False))
        key = self._key(data, field, role)
        with self.notes.stage("encode"):
            vectors, state, from_store = self._stored(key, ids, texts, role)
        self.notes.encodings.append(
            EncodingRecord(
                config=data.config,
                field=field,
                role=role,
                texts=len(ids),
                cut=state.cut,
                # A sum that lacks answers is no number of tokens.
                tokens=None if state.unreported else state.tokens,
                seconds=state.seconds,
                from_store=from_store,
            )
        )
        return self._reduced(vectors)

    def _stored(
        self, key: str, ids: Sequence[str], texts: Callable[[], Sequence[str]], role: Role
    ) -> tuple[Vectors, State, bool]:
        def begin() -> Encoding:
            return Encoding(
                self.model, ids, texts(), role, self.protocol.batch_size, progress=self.progress
            )

        if self.store is None:
            encoding = begin()
            vectors = encoding.in_memory()
            state = State(
                texts=len(ids),
                seconds=encoding.seconds,
                tokens=encoding.tokens,
                unreported=encoding.unreported,
                cut=encoding.cut,
            )
            return vectors, state, False
        kept = stored_vectors(self.store / key, len(ids))
        if kept is not None:
            return kept.vectors, kept.state, True
        written = encode_into(self.store / key, len(ids), begin)
        return written.vectors, written.state, False

    def encode_with(
        self, encoder: Any, ids: Sequence[str], texts: Sequence[str], role: Role = "document"
    ) -> Vectors:
        """Encode texts with an encoder that was fitted from the model; nothing is stored."""
        if isinstance(encoder, SparseEncoder):
            sparse: Vectors = encoder.encode_sparse(texts)
            return sparse
        # A fitted model's rows do not depend on their batch, so it takes all at once.
        vectors = encode_all(
            encoder,
            ids,
            texts,
            role=role,
            batch_size=max(len(texts), 1) if self.needs_fit else self.protocol.batch_size,
            progress=self.progress,
            allow_zero=self.needs_fit,
        )
        return self._reduced(vectors)

    def _reduced(self, vectors: Vectors) -> Vectors:
        return vectors if self.reduce is None else self.reduce(vectors)

    def _key(self, data: TaskData, field: str, role: Role) -> str:
        identity, protocol = self.identity, self.protocol
        # Whole texts were all there was when the first vectors were stored: they have no mark.
        treatment = {} if protocol.text == "full" else {"text": protocol.text}
        return sha256_of_json(
            {
                **treatment,
                "model": [identity.kind, identity.revision, identity.settings],
                # A module's attribute is part of what its code gives; a path is none of a model.
                "attribute": identity.spec if identity.kind == "custom" else None,
                "prompts": protocol.prompts,
                "max_tokens": protocol.max_tokens,
                "batch_size": protocol.batch_size,
                "threads": [protocol.blas_threads, protocol.torch_threads],
                "libraries": versions_of(_LIBRARIES),
                "content": data.content_sha256,
                "limit": data.limit,
                "field": field,
                "role": role,
            }
        )[:40]


def _refuse_other_texts(protocol: Protocol) -> None:
    """Vectors that were computed elsewhere are of whole texts."""
    if protocol.text != "full":
        raise ShelfError(
            f"--text {protocol.text} would change nothing for vectors that are read from a file; "
            "leave out the option, or the model"
        )


def workspace_for(model: NamedModel, like: Workspace) -> Workspace:
    """Load a model that another one is made of, with the other's protocol, store and records."""
    return Workspace(
        model.load(),
        model.base_identity,
        like.protocol,
        like.store,
        like.progress,
        model.reduce,
        like.memory_bytes,
        like.notes,
    )
