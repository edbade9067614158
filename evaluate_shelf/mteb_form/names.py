"""What SHELF's tasks are called in mteb."""

from __future__ import annotations


def mteb_name(task_id: str, config: str) -> str:
    """Name of a task on a config, one that no task of mteb has.

    The config is part of it: scores on two corpora are two tasks, never one mean.

    Parameters
    ----------
    task_id : str
        SHELF's id.
    config : str
        The config of documents that it is scored on.

    Returns
    -------
    str

    Examples
    --------
    >>> mteb_name("lcc_classification", "all"), mteb_name("same_lcc_pairs", "v0_4_core")
    ('SHELFLccClassification.all', 'SHELFSameLccPairs.v0_4_core')
    """
    words = "".join(word.capitalize() for word in task_id.split("_"))
    return f"SHELF{words}.{config}"
