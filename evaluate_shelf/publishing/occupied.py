"""Tell a branch as the Hub makes one from a branch that holds somebody's files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from evaluate_shelf.errors import ShelfError
from evaluate_shelf.publishing.address import Address
from evaluate_shelf.publishing.local import LocalFile
from evaluate_shelf.publishing.plan import RemoteFile, plan_changes

CARD = "README.md"

_NAMED = 5
# With a license chosen on the Hub's page, a new repository has a card of these three lines.
_CARD_AS_MADE = re.compile(rb"---\r?\nlicense: [\w.-]+\r?\n---\s*", re.ASCII)
_LARGEST_CARD_AS_MADE = 200


def may_be_as_made(files: Mapping[str, RemoteFile]) -> bool:
    """Whether files, by path, may be those alone that the Hub puts into a new repository.

    Examples
    --------
    >>> may_be_as_made({".gitattributes": RemoteFile(2500, "1f", None)})
    True
    >>> may_be_as_made({"train.csv": RemoteFile(2500, "1f", None)})
    False
    """
    others = files.keys() - {".gitattributes"}
    return others <= {CARD} and all(files[path].size <= _LARGEST_CARD_AS_MADE for path in others)


def is_card_as_made(content: bytes) -> bool:
    r"""Whether a card is the one that the Hub puts into a new repository.

    Examples
    --------
    >>> is_card_as_made(b"---\nlicense: mit\n---\n"), is_card_as_made(b"# My data\n")
    (True, False)
    """
    return _CARD_AS_MADE.fullmatch(content) is not None


def occupied(
    address: Address, local: Mapping[str, LocalFile], remote: Mapping[str, RemoteFile]
) -> ShelfError:
    """What to tell a user whose branch holds files but no release.

    Parameters
    ----------
    address : Address
        The branch.
    local : mapping of str to LocalFile
        The release's files by path.
    remote : mapping of str to RemoteFile
        The branch's files by path.
    """
    plan = plan_changes(local, remote, frozenset(remote))
    return ShelfError(
        f"{address.repo_id}: {address.revision} holds no SHELF release but other files: "
        f"{_names(remote.keys() - {'.gitattributes'}, address)}; publish to another repository, or "
        f"with --replace, which deletes {_names(plan.deleted, address)} and overwrites "
        f"{_names(plan.replaced, address)} (--replace --dry-run lists all)"
    )


def _names(paths: Iterable[str], address: Address) -> str:
    """The first paths, in order, and the number of the others."""
    ordered = sorted(paths)
    # Paths are the Hub's words.
    named = [address.clean(path, 100) for path in ordered[:_NAMED]]
    rest = len(ordered) - len(named)
    return ", ".join(named) + (f" and {rest} more" if rest else "") or "nothing"
