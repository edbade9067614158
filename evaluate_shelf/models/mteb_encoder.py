"""`mteb:<name>`: any encoder that mteb knows by name."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.models.limits import capped, own_limit
from evaluate_shelf.models.named import CONDITIONS, NamedModel, base_spec, reducible
from evaluate_shelf.models.prompts import kept_prompts
from evaluate_shelf.models.protocol import ModelFacts, ModelIdentity, Role, Vectors
from evaluate_shelf.models.spec import Spec
from evaluate_shelf.registry.protocols import Protocol

_INSTALL = "run `pip install mteb`, which brings what its models need (mteb-core does not)"
_OWN_CODE = "trust_remote_code"


def mteb_encoder(spec: Spec, protocol: Protocol) -> NamedModel:
    """Identify a model of mteb's registry; nothing is asked of the Hub.

    Raises
    ------
    ShelfError
        If mteb is not installed, does not know the name, the model is no encoder of one vector a
        text, or mteb loads it with code of the model's own.
    """
    if find_spec("mteb") is None:
        raise ShelfError(f"{spec.text}: mteb is not installed; {_INSTALL}")
    meta = _meta(spec.text, spec.target)
    if "dense" not in (meta.model_type or []):
        kinds = ", ".join(meta.model_type or [])
        raise ShelfError(f"{spec.text}: mteb knows it as {kinds}; one vector a text is needed")
    _refuse_own_code(spec.text, meta)
    base = ModelIdentity(
        f"{meta.name} (mteb)", base_spec(spec), "encoder", str(meta.revision or "unknown")
    )
    return reducible(
        base,
        spec,
        lambda: MtebEncoder(spec.text, meta, protocol),
        takes=CONDITIONS,
        dimension=_dimension(meta),
    )


class MtebEncoder:
    """A model as mteb loads it.

    Parameters
    ----------
    spec : str
        For messages.
    meta : mteb.models.ModelMeta
        Of the registry.
    protocol : Protocol
        Without prompts, mteb is not told whether a text is a query or a document, and the
        prompts that it knows for the model are taken from it.

    Raises
    ------
    ShelfError
        If mteb cannot load it, it puts an instruction before every text and the protocol has no
        prompts, or the protocol has a limit on texts that this encoder cannot be given.
    """

    def __init__(self, spec: str, meta: Any, protocol: Protocol) -> None:
        self._meta = meta
        self._with_prompts = protocol.prompts == "model-card"
        try:
            self._model = meta.load_model(device="cpu")
        # What a loader can raise has no end.
        except Exception as error:
            reason = one_line(f"{type(error).__name__}: {error}", 300)
            raise ShelfError(f"{spec}: mteb does not load it: {reason}; {_INSTALL}") from error
        inner = getattr(self._model, "model", None)
        if hasattr(inner, "max_seq_length"):
            capped(inner, spec, protocol.max_tokens)
        elif protocol.max_tokens is not None:
            raise ShelfError(f"{spec}: mteb's encoder takes no limit; leave out max_tokens")
        self._prompts: dict[str, str] | None = None
        if self._with_prompts:
            own = getattr(self._model, "model_prompts", None)
            self._prompts = None if own is None else kept_prompts(own, spec)
        else:
            _take_prompts(spec, self._model)

    @property
    def facts(self) -> ModelFacts:
        """What mteb's registry says of it; the dimension where it names one alone."""
        meta = self._meta
        inner = getattr(self._model, "model", None)
        limit = own_limit(inner) if hasattr(inner, "max_seq_length") else meta.max_tokens
        return ModelFacts(
            parameters=meta.n_parameters or None,
            dimension=_dimension(meta),
            max_tokens=None if limit is None or not np.isfinite(limit) else int(limit),
            prompts=None if self._prompts is None else dict(self._prompts),
        )

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Encode one batch."""
        from datasets import Dataset, disable_progress_bars
        from mteb._create_dataloaders import create_dataloader
        from mteb.types import PromptType

        disable_progress_bars()
        given = self._model.encode(
            create_dataloader(
                Dataset.from_dict({"text": list(texts)}),
                task_metadata=_task(),
                input_column="text",
                batch_size=len(texts),
            ),
            task_metadata=_task(),
            hf_split="test",
            hf_subset="default",
            prompt_type=PromptType(role) if self._with_prompts else None,
            batch_size=len(texts),
            show_progress_bar=False,
        )
        # A tensor may be of a precision that numpy has not.
        if hasattr(given, "detach"):
            given = given.detach().float().cpu().numpy()
        return np.asarray(given, dtype=np.float32)


def _meta(spec: str, name: str) -> Any:
    import mteb

    try:
        return mteb.get_model_meta(name, fetch_from_hf=False)
    except KeyError as error:
        raise ShelfError(f"{spec}: {one_line(str(error.args[0]), 300)}") from error


def _dimension(meta: Any) -> int | None:
    return meta.embed_dim if isinstance(meta.embed_dim, int) else None


def _refuse_own_code(spec: str, meta: Any) -> None:
    """Refuse a model whose loader is told, or tells transformers, to run the model's own code."""
    loader = meta.loader
    wanted = {**getattr(loader, "keywords", {}), **(meta.loader_kwargs or {})}
    inner = [value for value in wanted.values() if isinstance(value, dict)]
    told = any(settings.get(_OWN_CODE) for settings in (wanted, *inner))
    source = _source(loader)
    if source is None:
        raise ShelfError(f"{spec}: what mteb loads it with cannot be read, so it is not run")
    if told or f"{_OWN_CODE}=True" in source:
        raise ShelfError(f"{spec}: mteb loads it with code of the model's own, which is not run")


def _source(loader: Any) -> str | None:
    """The text of what loads a model, and of the classes that it follows from; None: unknown."""
    loader = getattr(loader, "func", loader)
    parts = inspect.getmro(loader) if inspect.isclass(loader) else (loader,)
    try:
        return "".join(inspect.getsource(part) for part in parts if part is not object)
    except (OSError, TypeError):
        return None


def _take_prompts(spec: str, model: Any) -> None:
    if getattr(model, "instruction_template", None) is not None:
        raise ShelfError(
            f"{spec}: mteb puts an instruction before this model's texts; "
            "a protocol with prompts is needed"
        )
    if getattr(model, "model_prompts", None) is not None:
        model.model_prompts = None
    inner = getattr(model, "model", None)
    if inner is not None and getattr(inner, "default_prompt_name", None) is not None:
        inner.default_prompt_name = None


def _task() -> Any:
    """A task as mteb describes one: it decides which of a model's prompts are taken."""
    from mteb.abstasks.task_metadata import TaskMetadata

    return TaskMetadata(
        name="SHELF",
        description="Bibliographic records",
        type="Retrieval",
        dataset={"path": "SHELF", "revision": "0"},
        eval_langs=["eng-Latn"],
        main_score="ndcg_at_10",
    )
