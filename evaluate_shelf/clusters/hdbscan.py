"""HDBSCAN: clusters are dense regions, and what lies between them is noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluate_shelf.errors import UnsupportedError
from evaluate_shelf.models.protocol import Vectors
from evaluate_shelf.registry.protocol_settings import HdbscanSettings

NOISE = -1
"""The cluster number of a document in no cluster."""

_MOST_IN_MEMORY = 15_000
"""Documents whose distances are held at once, twice 8 bytes a pair: 3.4 GiB. More are measured
again each time they are needed, which takes fifteen times as long and hardly any memory."""


def hdbscan_labels(vectors: Vectors, settings: HdbscanSettings) -> NDArray[np.int32]:
    """Cluster vectors with scikit-learn's HDBSCAN.

    Parameters
    ----------
    vectors : ndarray of float32, shape (n, dimension)
        Of unit length, so that distances order pairs as cosines do.
    settings : HdbscanSettings
        From the protocol.

    Returns
    -------
    ndarray of int32, shape (n,)
        Each vector's cluster from 0 on, `NOISE` where it is in none.

    Raises
    ------
    UnsupportedError
        If there are fewer vectors than a neighbourhood has.

    References
    ----------
    Campello, Moulavi and Sander, "Density-based clustering based on hierarchical density
    estimates", PAKDD 2013.
    """
    from sklearn.cluster import HDBSCAN
    from threadpoolctl import threadpool_limits

    fewest = max(settings.min_samples, 2)
    if len(vectors) < fewest:
        raise UnsupportedError(f"HDBSCAN needs {fewest} documents, there are {len(vectors)}")
    model = HDBSCAN(
        min_cluster_size=settings.min_cluster_size,
        min_samples=settings.min_samples,
        metric=settings.metric,
        cluster_selection_method=settings.cluster_selection_method,
        algorithm="brute" if len(vectors) <= _MOST_IN_MEMORY else "kd_tree",
        copy=False,
    )
    with threadpool_limits(1):
        return np.asarray(model.fit_predict(vectors), dtype=np.int32)
