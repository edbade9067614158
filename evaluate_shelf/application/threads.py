"""The number of threads, on which the last bits of a matrix product depend."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from evaluate_shelf.registry.protocols import Protocol


def protocol_threads(protocol: Protocol) -> AbstractContextManager[Any]:
    """Set the number of BLAS and OpenMP threads to the protocol's, as an evaluation does."""
    import numpy as np  # noqa: F401 - the limit reaches only libraries that are loaded
    import scipy.linalg  # noqa: F401
    import sklearn.linear_model  # noqa: F401
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(limits=protocol.blas_threads)
    return limits
