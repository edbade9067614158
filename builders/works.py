"""Which records are of one work, of any number of records."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.records.titles import plain, plain_title, work_key

_DIGEST = 32
_SHORT = 8
_NONE = bytes(_SHORT)


class WorkKeys:
    """What tells works apart, gathered record by record: about 50 bytes of each.

    Records are of one work if their titles and main authors are equal but for case, accents,
    punctuation, a subtitle behind " : " and a statement of edition. A record without an author is
    of one work with every record of its title. So are records whose whole texts are equal, which
    no model could tell apart. A chain of such records is one work.

    Examples
    --------
    >>> keys = WorkKeys()
    >>> for title, author in [("The bees :", "Fabre, J."), ("The Bees", "Fabre, J"), ("Ants", "")]:
    ...     keys.add(title, author, f"{title} by {author}, no. {len(keys)}")
    >>> first, again, other = keys.group_ids()
    >>> first == again, first == other
    (True, False)
    """

    def __init__(self) -> None:
        self._texts = bytearray()
        self._titles = bytearray()
        self._works = bytearray()
        self._have_author = bytearray()

    def __len__(self) -> int:
        return len(self._have_author)

    def add(self, title: str, author: str, text: str) -> None:
        """Remember a record: its title, its main author ("" if none) and its whole text."""
        own_title = plain_title(title)
        self._texts += hashlib.sha256((plain(text) or text).encode()).digest()
        self._titles += _short(own_title) if own_title else _NONE
        self._works += _short(work_key(title, author)) if own_title else _NONE
        self._have_author.append(bool(plain(author)))

    def group_ids(self) -> list[str]:
        """Give each record the id of its work.

        Returns
        -------
        list of str
            One a record, in the order in which they were added: `w` and 12 hexadecimal digits.
            They do not depend on that order.
        """
        if not len(self):
            return []
        texts, text_of = np.unique(
            np.frombuffer(bytes(self._texts), f"S{_DIGEST}"), return_inverse=True
        )
        work_of_text = _components(len(texts), text_of, self._links())
        # Texts are sorted: the first of a work is its smallest, whatever the records' order.
        _, first = np.unique(work_of_text, return_index=True)
        ids = [_group_id(texts[number].ljust(_DIGEST, b"\0")) for number in first.tolist()]
        return [ids[work] for work in work_of_text[text_of].tolist()]

    def _links(self) -> list[tuple[NDArray[np.bool_], NDArray[np.uint64]]]:
        """By what records are linked: who has such a key, and the key of every record."""
        titles = np.frombuffer(bytes(self._titles), np.uint64)
        works = np.frombuffer(bytes(self._works), np.uint64)
        has_author = np.frombuffer(bytes(self._have_author), np.uint8).astype(bool)
        titled = titles != 0
        authorless = np.isin(titles, titles[titled & ~has_author])
        return [(titled, works), (titled & authorless, titles)]


def _components(
    n_texts: int,
    text_of: NDArray[np.intp],
    links: list[tuple[NDArray[np.bool_], NDArray[np.uint64]]],
) -> NDArray[np.int32]:
    """The work of each text: texts and keys are nodes, a record joins its text to its keys."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    nodes = n_texts
    ends: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
    for has_key, keys in links:
        distinct, key_of = np.unique(keys[has_key], return_inverse=True)
        ends.append((text_of[has_key], nodes + key_of))
        nodes += len(distinct)
    first, second = (np.concatenate(own) for own in zip(*ends, strict=True))
    graph = coo_array((np.ones(len(first), np.int8), (first, second)), shape=(nodes, nodes))
    _, component = connected_components(graph, directed=False)
    of_texts: NDArray[np.int32] = component[:n_texts]
    return of_texts


def _short(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=_SHORT).digest()


def _group_id(smallest_text: bytes) -> str:
    return "w" + hashlib.sha256(f"text\x1f{smallest_text.hex()}".encode()).hexdigest()[:12]
