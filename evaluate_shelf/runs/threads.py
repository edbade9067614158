"""The number of threads, on which the last bits of a matrix product depend."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

from evaluate_shelf.registry.protocols import Protocol


def protocol_threads(protocol: Protocol) -> AbstractContextManager[Any]:
    """Set the number of BLAS and OpenMP threads to the protocol's.

    Parameters
    ----------
    protocol : Protocol
        The one that is evaluated under, or that a run was made under.

    Returns
    -------
    context manager
        At its end the numbers are again what they were.
    """
    import numpy as np  # noqa: F401 - the limit reaches only libraries that are loaded
    import scipy.linalg  # noqa: F401
    import sklearn.cluster  # noqa: F401
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[Any] = threadpool_limits(limits=protocol.blas_threads)
    return limits
