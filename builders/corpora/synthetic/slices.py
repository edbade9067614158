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
from builders.corpora.synthetic.gated import GatedPieces, gated
from builders.corpora.synthetic.pieces import Progress, written_pieces
from builders.corpora.synthetic.rows import LexicalRows
from builders.gates.language import require_identifier
from builders.gates.table import VERDICTS
from builders.gates.verdict import VERSION as GATES_VERSION
from builders.orders import design_id, orders_of_slice
from builders.splits import Member, grouped_splits, thin_labels
from builders.staging.config import ConfigInfo, StagedConfig
from builders.staging.ordering import by_split_and_id, split_codes
from builders.staging.writing import stage
from builders.taxonomies.importing import imports_of
from builders.writers.derived_words import lexicon_for
from builders.writers.lexical import VERSION
from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing, sha256_of_json
from evaluate_shelf.registry.corpora import corpus
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.registry.taxonomy import load_taxonomy

COUNTED = ("lcc_code", "lcgft_category", "lcgft_form", "register", "audience", "model")

_MOST_NAMED = 25


def build_slice(
    name: str,
    plan: Plan,
    *,
    seed: int,
    staging: Path,
    progress: Progress | None = None,
    taxonomy: Path | None = None,
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
    taxonomy : pathlib.Path, default=None
        Folder of the labels; those of the installation without it.

    Returns
    -------
    StagedConfig
        Split 60/20/20, stratified by class and category; no specification, and no minimal pair,
        on two sides. What the gates say of every document lies in `gate_table_file`.

    Raises
    ------
    ShelfError
        If the plan's generators are no lexical ones, fewer than two classes have two groups each,
        or py3langid is not installed.
    """
    if not plan.is_lexical:
        raise ShelfError(
            f"plan {plan.id!r} is written by language models: `shelf write {plan.id}` writes it, "
            "and --written takes what was written"
        )
    require_identifier()
    labels = load_taxonomy(taxonomy)
    pieces = written_pieces(
        orders_of_slice(name, plan, labels, seed),
        LexicalRows(seed, taxonomy),
        count=plan.documents([name]),
        folder=staging / "pieces" / f"{name}-{_writing_id(name, plan, seed, taxonomy)}",
        progress=progress,
    )
    return slice_of(
        name,
        gated(name, pieces),
        seed=seed,
        seeds={"specifications": seed, "writing": seed},
        source=f"lexical writer {VERSION}, no language model",
        notes=(
            "Composed by fixed rules from word lists; no language model wrote any of it.",
            *label_notes(taxonomy),
        ),
        staging=staging,
    )


def slice_of(
    name: str,
    pieces: GatedPieces,
    *,
    seed: int,
    seeds: dict[str, int],
    source: str,
    notes: Sequence[str],
    staging: Path,
) -> StagedConfig:
    """Make a config of the written documents of a slice that pass every gate.

    Parameters
    ----------
    name : str
        Of the slice.
    pieces : GatedPieces
        The whole corpus.
    seed : int
        Of the split.
    seeds : dict of str to int
        Of what came before it.
    source : str
        What wrote it, in a few words.
    notes : sequence of str
        What to know of it.
    staging : pathlib.Path
        Where it is written.

    Returns
    -------
    StagedConfig
        As `build_slice` gives it.

    Raises
    ------
    ShelfError
        If fewer than two classes have two groups each.
    """
    verdicts = pieces.gate_table(name)
    with replacing(gate_table_file(name, staging)) as temporary:
        pq.write_table(verdicts, temporary, compression="zstd")
    group_column = corpus(name).split.group_column
    index = _index(pieces, name, verdicts, group_column)
    splits, own_notes = _splits(name, index, is_paired=group_column == "pair_id", seed=seed)
    tables = by_split_and_id(
        lambda: pieces.tables(name, slice_schema(name).names),
        pc.cast(index["id"], pa.string()).combine_chunks(),
        splits,
        staging / "buckets",
    )
    info = ConfigInfo(
        name=name,
        kind="documents",
        schema=slice_schema(name),
        source=source,
        group_column=group_column,
        seeds={**seeds, "split": seed},
        counted=COUNTED,
        notes=(*notes, *own_notes, *pieces.notes),
    )
    return stage(info, tables, staging / "configs")


def label_notes(taxonomy: Path | None) -> list[str]:
    """Whose labels stand in the columns, where they are not SHELF's own.

    Raises
    ------
    ShelfError
        If the taxonomy's record of what was imported is damaged.
    """
    imports = [] if taxonomy is None else imports_of(taxonomy)
    if not imports:
        return []
    named = [f"{own['facet']} from {own['vocabulary']}" for own in imports]
    return [one_line(f"Imported labels: {'; '.join(named)}. The other facets have SHELF's.", 300)]


def gate_table_file(name: str, staging: Path) -> Path:
    """Where what the gates say of each document of a slice lies until the release is complete."""
    return staging / "configs" / f"{name}.gates.parquet"


def _writing_id(name: str, plan: Plan, seed: int, folder: Path | None) -> str:
    """Name of what is written: other words, specifications or writers are another writing."""
    taxonomy = load_taxonomy(folder)
    parts = {name: repr(value) for name, value in vars(lexicon_for(taxonomy)).items()}
    own = plan.model_copy(update={"slices": {name: plan.slices[name]}})  # type: ignore[index]
    design = design_id(own, taxonomy, seed)
    return sha256_of_json([VERSION, GATES_VERSION, seed, design, parts])[:16]


def _index(
    pieces: GatedPieces, name: str, verdicts: pa.Table, group_column: str | None
) -> pa.Table:
    """What the splits depend on, of every written document, and its group."""
    columns = ["id", "lcc_code", "lcgft_category", "qc_passed"]
    own = [*columns, *([group_column] if group_column else [])]
    parts = list(pieces.tables(name, own))
    table = pa.concat_tables(parts) if parts else pa.table({own: [] for own in own})
    for column in VERDICTS:
        table = table.append_column(column, verdicts[column])
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
        notes.append(f"dropped, fewer than two groups: class {_named(sorted(thin))}")
    # A group goes as a whole where one of its documents has a class that is too thin.
    gone = {member.group for member in passed if member.label in thin}
    kept = [own and member.group not in gone for own, member in zip(kept, members, strict=True)]
    left = [member for member, own in zip(members, kept, strict=True) if own]
    if len({member.label for member in left}) < 2:
        raise ShelfError(
            f"{name}: {len(members)} documents leave fewer than two classes with two "
            f"{'pairs' if is_paired else 'specifications'} each; ask for more documents, or import "
            "fewer classes (--level, --most)"
        )
    own_split = iter(grouped_splits(left, seed=seed))
    return split_codes([next(own_split) if own else None for own in kept]), notes


def _named(codes: Sequence[str]) -> str:
    more = len(codes) - _MOST_NAMED
    return ", ".join([*codes[:_MOST_NAMED], *([f"and {more:,} more"] if more > 0 else [])])


def _kept(index: pa.Table, *, is_paired: bool) -> tuple[list[bool], str]:
    """Which documents pass; of a minimal pair both or none."""
    passed = index["qc_passed"]
    rejected = index.filter(pc.invert(passed))
    kept = np.asarray(passed)
    if is_paired:
        lost = pc.is_in(index["group"], value_set=rejected["group"].combine_chunks())
        # A document whose other one was never written is no pair either.
        whole = Counter(index["group"].to_pylist())
        kept = kept & ~np.asarray(lost)
        kept &= np.array([whole[group] == 2 for group in index["group"].to_pylist()], dtype=bool)
    by_gate = {column: pc.sum(pc.invert(rejected[column])).as_py() or 0 for column in VERDICTS}
    named = [f"{VERDICTS[column]} {count}" for column, count in by_gate.items() if count]
    note = f"{int(kept.sum())} of {index.num_rows} written documents kept"
    if rejected.num_rows:
        note += f"; {rejected.num_rows} rejected, by gate: {', '.join(named)}"
    if is_paired and int(kept.sum()) < index.num_rows - rejected.num_rows:
        note += "; the other document of a pair went with it"
    return kept.tolist(), note
