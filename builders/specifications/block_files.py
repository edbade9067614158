"""Block files: the specifications of a block as JSON lines, chained so that damage is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from builders.specifications.blocks import Block, Member, members_of
from builders.specifications.specification import Specification
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import replacing
from evaluate_shelf.printable import brief
from evaluate_shelf.registry.taxonomy import Taxonomy

FORMAT = "shelf-block-1"
_LONGEST_LINE = 65_536
_MOST_LINES = 10_000_000
_SPEC_FIELDS = (
    "lcc_code",
    "lcc_name",
    "lcgft_category",
    "lcgft_form",
    "topics",
    "geographic",
    "audience",
    "register",
    "target_length",
    "prompt_variant",
)
_LISTS = ("topics", "geographic")
_OPTIONAL = ("audience", "prompt_variant")


class BlockFile(NamedTuple):
    """What a block file holds.

    Attributes
    ----------
    block_id : str
    slice : str
        The config that the block is for.
    seed : int
        That it was drawn with.
    members : tuple of Member
        In the order in which they were drawn.
    """

    block_id: str
    slice: str
    seed: int
    members: tuple[Member, ...]


def write_block(folder: Path, block: Block, taxonomy: Taxonomy) -> Path:
    """Write the file of a block.

    The first line says what the block is and how many lines follow. Each other line is a
    specification with its id, and the hash of the lines up to it.

    Parameters
    ----------
    folder : pathlib.Path
        Where to; it is made if it is missing, and a file of that block is replaced.
    block : Block
        Which one.
    taxonomy : Taxonomy
        What it is drawn from.

    Returns
    -------
    pathlib.Path
        `<block id>.jsonl`. The same block gives the same bytes.

    Examples
    --------
    >>> import tempfile
    >>> from builders.specifications.blocks import blocks_of
    >>> from evaluate_shelf.registry.generation import load_plan
    >>> from evaluate_shelf.registry.taxonomy import load_taxonomy
    >>> [block] = blocks_of("v0_4_core", load_plan("quickstart"), 42)
    >>> file = write_block(Path(tempfile.mkdtemp()), block, load_taxonomy())
    >>> file.name, len(read_block(file, block, load_taxonomy()).members)
    ('block-00-seed42.jsonl', 252)
    """
    members = list(members_of(block, taxonomy))
    file = folder / f"{block.id}.jsonl"
    with replacing(file) as temporary, temporary.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(f"{line}\n" for line in _lines(_header(block, members), members))
    return file


def read_block(
    file: Path, block: Block | None = None, taxonomy: Taxonomy | None = None
) -> BlockFile:
    """Read a block file, and refuse one that is not as it was written.

    Parameters
    ----------
    file : pathlib.Path
        As `write_block` leaves it.
    block : Block, default=None
        The block that it has to be. Any block without it.
    taxonomy : Taxonomy, default=None
        With `block`: the specifications are drawn again, and must be those of the file.

    Returns
    -------
    BlockFile

    Raises
    ------
    ShelfError
        If the file cannot be read, a line was changed, is missing, stands at another place or is
        not what the seed draws; the message names the line.
    """
    try:
        with file.open("rb") as stream:
            found = _read(file, stream)
    except OSError as error:
        raise ShelfError(f"{file}: cannot be read: {error.strerror or error}") from error
    if block is not None:
        _check_is(file, found, block, taxonomy)
    return found


def checksum(members: Iterable[Member]) -> str:
    """Hexadecimal SHA-256 of the specifications' ids in their order, as in the published data."""
    return hashlib.sha256("".join(own.spec.spec_id for own in members).encode()).hexdigest()


def _header(block: Block, members: list[Member]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "block_id": block.id,
        "slice": block.slice,
        "seed": block.seed,
        "specifications": len(members),
        "lengths": block.lengths,
        "prompt_variants": block.variants,
        "checksum": checksum(members),
    }


def _lines(header: dict[str, Any], members: Iterable[Member]) -> Iterator[str]:
    """Lines that end with the hash of everything up to and with them."""
    chain = ""
    for values in (header, *(_values(member) for member in members)):
        chain = _chained(chain, values)
        yield _json({**values, "chain": chain})


def _values(member: Member) -> dict[str, Any]:
    spec = member.spec
    values = {"number": member.number, "spec_id": spec.spec_id}
    values |= {name: getattr(spec, name) for name in _SPEC_FIELDS}
    if member.pair_id is not None:
        values |= {
            "pair_id": member.pair_id,
            "pair_role": member.pair_role,
            "pair_axis": member.pair_axis,
        }
    return values


def _chained(before: str, values: dict[str, Any]) -> str:
    return hashlib.sha256(f"{before}\n{_json(values)}".encode()).hexdigest()[:16]


def _json(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _read(file: Path, stream: BinaryIO) -> BlockFile:
    header, chain = _line(file, 1, stream, "")
    _check_header(file, header)
    members = []
    for number in range(2, header["specifications"] + 2):
        values, chain = _line(file, number, stream, chain, header["specifications"])
        members.append(_member(file, number, values, header["block_id"]))
    if stream.read(1):
        number = header["specifications"] + 2
        raise _wrong(file, number, f"line 1 says that {header['specifications']:,} lines follow it")
    if checksum(members) != header["checksum"]:
        raise _wrong(file, 1, "the checksum is not that of the specifications")
    return BlockFile(header["block_id"], header["slice"], header["seed"], tuple(members))


def _line(
    file: Path, number: int, stream: BinaryIO, chain: str, promised: int | None = None
) -> tuple[dict[str, Any], str]:
    raw = stream.readline(_LONGEST_LINE)
    if not raw:
        if promised is None:
            raise ShelfError(f"{file}: is empty")
        raise _wrong(
            file, number, f"is missing; line 1 says that {promised:,} follow it: the file was cut"
        )
    if not raw.endswith(b"\n"):
        whole = len(raw) < _LONGEST_LINE
        raise _wrong(file, number, "is cut" if whole else f"is over {_LONGEST_LINE:,} bytes")
    try:
        values = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _wrong(file, number, "is not JSON") from error
    if not isinstance(values, dict):
        raise _wrong(file, number, "is not a JSON object")
    values.pop("chain", None)
    try:
        own = _chained(chain, values)
        written = f"{_json({**values, 'chain': own})}\n".encode()
    except ValueError as error:
        raise _wrong(file, number, "holds what no block file holds") from error
    if raw != written:
        raise _wrong(file, number, "was changed, or stands at another place than it was written")
    return values, own


def _check_header(file: Path, header: dict[str, Any]) -> None:
    if header.get("format") != FORMAT:
        raise _wrong(file, 1, f"is not the first line of a block file ({FORMAT})")
    kinds = {"block_id": str, "slice": str, "seed": int, "specifications": int, "checksum": str}
    for name, kind in kinds.items():
        if type(header.get(name)) is not kind:
            raise _wrong(file, 1, f"field {name!r}: wrong value {brief(header.get(name))}")
    if not 0 < header["specifications"] <= _MOST_LINES:
        raise _wrong(file, 1, f"field 'specifications': must be 1 to {_MOST_LINES:,}")
    if not header["block_id"].endswith(f"-seed{header['seed']}"):
        raise _wrong(
            file, 1, f"block {brief(header['block_id'])} was not drawn with seed {header['seed']}"
        )


def _member(file: Path, number: int, values: dict[str, Any], block_id: str) -> Member:
    spec_id = values.pop("spec_id", None)
    pair = [values.pop(name, None) for name in ("pair_id", "pair_role", "pair_axis")]
    place = values.pop("number", None)
    if place != number - 2:
        raise _wrong(file, number, f"field 'number': must be {number - 2}, is {brief(place)}")
    if set(values) != set(_SPEC_FIELDS):
        odd = ", ".join(sorted(map(str, set(values) ^ set(_SPEC_FIELDS))))
        raise _wrong(file, number, f"fields missing or unknown: {odd}")
    for name, value in values.items():
        if not _is_of_kind(name, value):
            raise _wrong(file, number, f"field {name!r}: wrong value {brief(value)}")
    values |= {name: tuple(values[name]) for name in _LISTS}
    spec = Specification(**values, block_id=block_id)
    if spec.spec_id != spec_id:
        raise _wrong(file, number, f"field 'spec_id': is not that of the facets ({spec.spec_id})")
    return Member(number - 2, spec, *pair)


def _is_of_kind(name: str, value: Any) -> bool:
    if name in _LISTS:
        return isinstance(value, list) and all(isinstance(own, str) for own in value)
    return isinstance(value, str) or (value is None and name in _OPTIONAL)


def _check_is(file: Path, found: BlockFile, block: Block, taxonomy: Taxonomy | None) -> None:
    stated = {"block_id": found.block_id, "slice": found.slice, "seed": found.seed}
    wanted = {"block_id": block.id, "slice": block.slice, "seed": block.seed}
    for name, value in wanted.items():
        if stated[name] != value:
            raise _wrong(file, 1, f"field {name!r}: must be {value!r}, is {brief(stated[name])}")
    drawn = members_of(block, taxonomy) if taxonomy is not None else iter(found.members)
    for number, (own, again) in enumerate(zip_longest(found.members, drawn), start=2):
        if own != again:
            raise _wrong(file, number, f"is not what seed {block.seed} draws for the plan")


def _wrong(file: Path, number: int, problem: str) -> ShelfError:
    return ShelfError(f"{file}, line {number}: {problem}")
