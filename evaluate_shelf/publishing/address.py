"""Where a release goes: a branch of a dataset repository, on a Hub, with a token."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from huggingface_hub import constants, get_token
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError

HUGGING_FACE = "https://huggingface.co"

_COMMIT = re.compile(r"[0-9a-f]{40}")
_REVISION = re.compile(r"[A-Za-z0-9][\w.-]*(/[\w.-]+)*", re.ASCII)
_LONGEST_REVISION = 200


@dataclass(frozen=True)
class Address:
    """A branch of a dataset repository.

    Attributes
    ----------
    repo_id : str
        `owner/name`.
    revision : str
        The branch, or the reference `refs/pr/N` of a pull request.
    endpoint : str
        The Hub's address.
    token : str or None
        The user's token; it is in no representation and in no message.
    """

    repo_id: str
    revision: str
    endpoint: str
    token: str | None = field(repr=False)

    @property
    def url(self) -> str:
        """The repository's page."""
        return f"{self.endpoint}/datasets/{self.repo_id}"

    @property
    def has_xet(self) -> bool:
        """Whether the Hub is huggingface.co; others need not have Xet, its newer storage."""
        return self.endpoint == HUGGING_FACE

    def clean(self, text: str, longest: int = 500) -> str:
        r"""A text of the Hub on one line, cut, and without the token.

        Examples
        --------
        >>> address = Address("owner/name", "main", "https://huggingface.co", "hf_secret")
        >>> address.clean("hf_secret\nis unknown")
        '*** is unknown'
        """
        line = one_line(text, len(text))
        return (line.replace(self.token, "***") if self.token else line)[:longest]


def address_of(repo_id: str, revision: str, endpoint: str | None, token: str | None) -> Address:
    """Check where a release is to go.

    Parameters
    ----------
    repo_id : str
        `owner/name`.
    revision : str
        A branch or `refs/pr/N`.
    endpoint : str or None
        The Hub's address; None for that of `HF_ENDPOINT`, or else huggingface.co.
    token : str or None
        None for that of `HF_TOKEN`, or else of `hf auth login`.

    Raises
    ------
    ShelfError
        If one of them is not of its form, or `revision` is a commit.
    """
    try:
        validate_repo_id(repo_id)
    except HFValidationError as error:
        raise ShelfError(
            f"{one_line(repo_id, 100)}: not a dataset's id on the Hub, owner/name: "
            f"{one_line(str(error), 300)}"
        ) from error
    if repo_id.count("/") != 1:
        raise ShelfError(f"{repo_id}: a dataset's id on the Hub is owner/name")
    if not _REVISION.fullmatch(revision) or len(revision) > _LONGEST_REVISION:
        raise ShelfError(f"{one_line(revision, 100)!r}: not the name of a branch")
    if _COMMIT.fullmatch(revision):
        raise ShelfError(f"{revision}: a commit; a release is published to a branch, such as main")
    hub = (endpoint or constants.ENDPOINT).rstrip("/")
    if not hub.startswith(("https://", "http://")):
        raise ShelfError(f"{one_line(hub, 100)}: not a Hub's address; it begins with https://")
    return Address(repo_id, revision, hub, token or get_token())
