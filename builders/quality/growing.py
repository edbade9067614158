"""An array that takes rows as they come, without a second copy of itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_FIRST = 1024


class GrowingArray:
    """Rows in one block of memory, at most a quarter of which is empty.

    Parameters
    ----------
    width : int
        Values a row.
    dtype : dtype-like
        Of a value.

    Examples
    --------
    >>> grown = GrowingArray(2, np.uint8)
    >>> grown.append(np.array([[1, 2]], dtype=np.uint8))
    >>> grown.append(np.array([[3, 4], [5, 6]], dtype=np.uint8))
    >>> grown.rows.tolist()
    [[1, 2], [3, 4], [5, 6]]
    """

    def __init__(self, width: int, dtype: DTypeLike) -> None:
        self._values: NDArray[Any] = np.empty((_FIRST, width), dtype=dtype)
        self._used = 0

    def __len__(self) -> int:
        return self._used

    @property
    def rows(self) -> NDArray[Any]:
        """The rows so far, of shape (rows, width); valid until the next `append`."""
        return self._values[: self._used]

    def append(self, rows: NDArray[Any]) -> None:
        """Take rows of shape (n, width) behind the others."""
        needed = self._used + len(rows)
        if needed > len(self._values):
            room = max(needed, len(self._values) * 5 // 4)
            # In place where the system can; a view of the old block is nobody's any more.
            self._values.resize((room, self._values.shape[1]), refcheck=False)
        self._values[self._used : needed] = rows
        self._used = needed
