"""The synthetic slices: specifications, written by every style, gated and split."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from builders.corpora.built import BuiltConfig, tables_by_split
from builders.corpora.columns import core_schema
from builders.gates.verdict import judge
from builders.specifications import Specification, draw_block
from builders.splits import Member, grouped_splits, thin_labels
from builders.writers.lexical import VERSION, lexical_writers
from builders.writers.lexicon import load_lexicon
from builders.writers.protocol import Writer
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing, sha256_of_json
from evaluate_shelf.registry.generation import Plan
from evaluate_shelf.registry.taxonomy import Taxonomy, load_taxonomy

Progress = Callable[[int, int], None]

# A piece is written whole or not at all, and kept until the build is complete.
_SPECIFICATIONS_PER_PIECE = 25
COUNTED = ("lcc_code", "lcgft_category", "lcgft_form", "register", "audience", "model")


def build_core(
    plan: Plan, *, seed: int, staging: Path, progress: Progress | None = None
) -> BuiltConfig:
    """Build `v0_4_core` with the lexical writer.

    Parameters
    ----------
    plan : Plan
        How many blocks and specifications.
    seed : int
        Seed of the first block; the others count up from it.
    staging : pathlib.Path
        Where written pieces are kept, so that an interrupted build goes on behind the last one.
    progress : callable, default=None
        Called with the number of documents written and in all.

    Returns
    -------
    BuiltConfig
        Split 60/20/20, stratified by class and category, no specification on two sides.

    Raises
    ------
    ShelfError
        If fewer than two classes have two specifications each.
    """
    taxonomy = load_taxonomy()
    writers = lexical_writers(load_lexicon(), taxonomy)[: plan.styles]
    specs = [
        spec
        for index in range(plan.blocks)
        for spec in draw_block(
            taxonomy, index=index, seed=seed + index, size=plan.specifications_per_block
        )
    ]
    rows = _written(specs, writers, taxonomy, seed, staging, progress)
    kept = [row for row in rows if row["qc_passed"]]
    notes = _notes(rows, kept)
    members = [Member(r["spec_id"], r["lcc_code"], r["lcgft_category"]) for r in kept]
    thin = thin_labels(members)
    if thin:
        notes.append(f"dropped, fewer than two specifications: class {', '.join(thin)}")
        kept = [row for row in kept if row["lcc_code"] not in thin]
        members = [member for member in members if member.label not in thin]
    if len({member.label for member in members}) < 2:
        raise ShelfError(
            f"v0_4_core: {len(specs)} specifications leave fewer than two classes with two "
            "specifications each; ask for more documents"
        )
    return BuiltConfig(
        name="v0_4_core",
        kind="documents",
        splits=tables_by_split(kept, grouped_splits(members, seed=seed), core_schema()),
        group_column="spec_id",
        source=f"lexical writer {VERSION}, no language model",
        seeds={"specifications": seed, "writing": seed, "split": seed},
        counted=COUNTED,
        notes=tuple(notes),
    )


def _written(
    specs: Sequence[Specification],
    writers: Sequence[Writer],
    taxonomy: Taxonomy,
    seed: int,
    staging: Path,
    progress: Progress | None,
) -> list[dict[str, Any]]:
    """Rows of all documents, rejected ones too; pieces that are there are read, not written."""
    folder = staging / _plan_id(specs, writers, taxonomy, seed)
    rows: list[dict[str, Any]] = []
    for start in range(0, len(specs), _SPECIFICATIONS_PER_PIECE):
        piece = folder / f"documents-{start:06d}.jsonl"
        if not piece.is_file():
            new = [
                _row(number, spec, writer, taxonomy, seed)
                for number, spec in enumerate(
                    specs[start : start + _SPECIFICATIONS_PER_PIECE], start=start
                )
                for writer in writers
            ]
            with replacing(piece) as temporary:
                lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in new)
                temporary.write_text("".join(lines), encoding="utf-8")
        rows.extend(json.loads(line) for line in piece.read_text(encoding="utf-8").split("\n")[:-1])
        if progress:
            progress(len(rows), len(specs) * len(writers))
    return rows


def _plan_id(
    specs: Sequence[Specification], writers: Sequence[Writer], taxonomy: Taxonomy, seed: int
) -> str:
    """Name of what is written: other words, specifications or writers are another plan."""
    lexicon = load_lexicon()
    parts = {name: repr(value) for name, value in {**vars(lexicon), "": taxonomy}.items()}
    checksum = hashlib.sha256("".join(spec.spec_id for spec in specs).encode()).hexdigest()
    return sha256_of_json(
        [VERSION, seed, checksum, [writer.model for writer in writers], sha256_of_json(parts)]
    )[:16]


def _row(
    number: int, spec: Specification, writer: Writer, taxonomy: Taxonomy, seed: int
) -> dict[str, Any]:
    document = writer.write(spec, seed)
    length = next(known for known in taxonomy.lengths if known.id == spec.target_length)
    register = next(known for known in taxonomy.registers if known.id == spec.register)
    subject = next(known for known in taxonomy.classes if known.code == spec.lcc_code)
    key = f"{seed}\x1f{spec.block_id}\x1f{number}\x1f{writer.model}"
    return {
        # Where it was drawn, not what it is labelled, so that an id gives no label away.
        "id": hashlib.sha256(key.encode()).hexdigest()[:16],
        "text": document.body,
        "title": document.title,
        "body": document.body,
        "word_count": len(document.body.split()),
        "lcc_code": spec.lcc_code,
        "lcc_name": spec.lcc_name,
        "lcc_uri": subject.uri,
        "lcgft_category": spec.lcgft_category,
        "lcgft_form": spec.lcgft_form,
        "topics": list(spec.topics),
        "audience": spec.audience,
        "geographic": list(spec.geographic),
        "target_length": spec.target_length,
        "target_word_range": [length.min_words, length.max_words],
        "register": spec.register,
        "register_description": register.description,
        **asdict(document.provenance),
        "spec_id": spec.spec_id,
        "block_id": spec.block_id,
        "run_id": f"seed{seed}",
        # Null, since the same inputs have to give the same rows from any checkout; the manifest
        # names the versions that built the release.
        "git_commit": None,
        "git_dirty": None,
        "git_branch": None,
        "code_version": f"lexical-{VERSION}",
        **judge(document, spec, length)._asdict(),
    }


def _notes(rows: Sequence[dict[str, Any]], kept: Sequence[dict[str, Any]]) -> list[str]:
    notes = ["Composed by fixed rules from word lists; no language model wrote any of it."]
    rejected = [row for row in rows if not row["qc_passed"]]
    gates = Counter(
        gate
        for row in rejected
        for gate in ("qc_parse", "qc_selflabel", "qc_refusal")
        if not row[gate]
    )
    by_gate = ", ".join(f"{gate} {count}" for gate, count in sorted(gates.items())) or "length"
    notes.append(
        f"{len(kept)} of {len(rows)} written documents kept"
        + (f"; rejected by gate: {by_gate}" if rejected else "")
    )
    return notes
