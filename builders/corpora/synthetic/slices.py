"""A synthetic slice as a config: written, gated, split."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from builders.corpora.columns import slice_schema
from builders.corpora.synthetic.pieces import Progress, written_pieces
from builders.orders import design_id, orders_of_slice
from builders.splits import Member, grouped_splits, thin_labels
from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.ordering import by_split_and_id, split_codes
from builders.staging.writing import stage
from builders.writers.lexical import VERSION
from builders.writers.lexicon import load_lexicon
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_json
from evaluate_shelf.registry.corpora import corpus
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.registry.taxonomy import load_taxonomy

COUNTED = ("lcc_code", "lcgft_category", "lcgft_form", "register", "audience", "model")
_GATES = ("qc_parse", "qc_selflabel", "qc_refusal")


def build_slice(
    name: str, plan: Plan, *, seed: int, staging: Path, progress: Progress | None = None
) -> StagedConfig:
    """Build a synthetic slice with the lexical writer.

    Parameters
    ----------
    name : str
        Of the plan's slices.
    plan : Plan
        How many blocks and specifications, and who writes.
    seed : int
        Seed of the first block; the others count up from it.
    staging : pathlib.Path
        Where written pieces are kept, so that an interrupted build goes on behind the last one.
    progress : callable, default=None
        Called with the number of documents written and in all.

    Returns
    -------
    StagedConfig
        Split 60/20/20, stratified by class and category; no specification, and no minimal pair,
        on two sides.

    Raises
    ------
    ShelfError
        If fewer than two classes have two groups each.
    """
    taxonomy = load_taxonomy()
    pieces = written_pieces(
        orders_of_slice(name, plan, taxonomy, seed),
        count=plan.documents([name]),
        seed=seed,
        folder=staging / "pieces" / f"{name}-{_writing_id(name, plan, seed)}",
        progress=progress,
    )
    group_column = corpus(name).split.group_column
    index = _index(pieces, group_column)
    splits, notes = _splits(name, index, is_paired=group_column == "pair_id", seed=seed)
    tables = by_split_and_id(
        lambda: (pq.read_table(path) for path in pieces),
        index["id"].combine_chunks(),
        splits,
        staging / "buckets",
    )
    info = ConfigInfo(
        name=name,
        kind="documents",
        schema=slice_schema(name),
        source=f"lexical writer {VERSION}, no language model",
        group_column=group_column,
        seeds={"specifications": seed, "writing": seed, "split": seed},
        counted=COUNTED,
        notes=(
            "Composed by fixed rules from word lists; no language model wrote any of it.",
            *notes,
        ),
    )
    return stage(info, tables, staging / "configs")


def _writing_id(name: str, plan: Plan, seed: int) -> str:
    """Name of what is written: other words, specifications or writers are another writing."""
    parts = {name: repr(value) for name, value in vars(load_lexicon()).items()}
    own = plan.model_copy(update={"slices": {name: plan.slices[name]}})  # type: ignore[index]
    return sha256_of_json([VERSION, seed, design_id(own, load_taxonomy(), seed), parts])[:16]


def _index(pieces: Sequence[Path], group_column: str | None) -> pa.Table:
    """What the splits depend on, of every written document, and its group."""
    columns = ["id", "lcc_code", "lcgft_category", *_GATES, "qc_passed"]
    own = [*columns, *([group_column] if group_column else [])]
    table = pa.concat_tables(pq.read_table(path, columns=own) for path in pieces)
    return table.append_column("group", table[group_column or "id"])


def _splits(
    name: str, index: pa.Table, *, is_paired: bool, seed: int
) -> tuple[NDArray[np.int8], list[str]]:
    """The number of each written document's split, `DROPPED` for those that go, and notes."""
    kept, gate_note = _kept(index, is_paired=is_paired)
    notes = [gate_note]
    columns = (index[column].to_pylist() for column in ("group", "lcc_code", "lcgft_category"))
    members = [Member(*row) for row in zip(*columns, strict=True)]
    passed = [member for member, own in zip(members, kept, strict=True) if own]
    thin = set(thin_labels(passed))
    if thin:
        notes.append(f"dropped, fewer than two groups: class {', '.join(sorted(thin))}")
    # A group goes as a whole where one of its documents has a class that is too thin.
    gone = {member.group for member in passed if member.label in thin}
    kept = [own and member.group not in gone for own, member in zip(kept, members, strict=True)]
    left = [member for member, own in zip(members, kept, strict=True) if own]
    if len({member.label for member in left}) < 2:
        raise ShelfError(
            f"{name}: {len(members)} documents leave fewer than two classes with two "
            f"{'pairs' if is_paired else 'specifications'} each; ask for more documents"
        )
    own_split = iter(grouped_splits(left, seed=seed))
    return split_codes([next(own_split) if own else None for own in kept]), notes


def _kept(index: pa.Table, *, is_paired: bool) -> tuple[list[bool], str]:
    """Which documents pass; of a minimal pair both or none."""
    passed = index["qc_passed"]
    rejected = index.filter(pc.invert(passed))
    lost = pc.is_in(index["group"], value_set=rejected["group"].combine_chunks())
    kept = np.asarray(pc.and_(passed, pc.invert(lost)) if is_paired else passed).tolist()
    by_gate = Counter({gate: pc.sum(pc.invert(rejected[gate])).as_py() or 0 for gate in _GATES})
    named = [f"{gate} {count}" for gate, count in sorted(by_gate.items()) if count]
    note = f"{sum(kept)} of {index.num_rows} written documents kept"
    if rejected.num_rows:
        note += f"; {rejected.num_rows} rejected, by gate: {', '.join(named) or 'length'}"
    if is_paired and rejected.num_rows:
        note += "; the other document of a pair went with it"
    return kept, note
