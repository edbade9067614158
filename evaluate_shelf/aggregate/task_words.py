"""What a task asks, in a librarian's words."""

from __future__ import annotations

from evaluate_shelf.registry.tasks import Task

_NAMED = {
    "lcc_code": "LC class",
    "lcc_subclass": "LC subclass",
    "lcgft_form": "form",
    "lcgft_category": "category of form",
    "geographic_region": "region",
}
_SHARING = {
    "subject": "of the same LC class",
    "category": "of the same category of form",
    "form": "of the same form",
    "topic": "with a topic in common",
    "audience": "for the same audience",
    "register": "in the same register",
    "geography": "about the same region",
}
_BUT = {
    "lcc_code": "of another LC class",
    "lcgft_form": "of another form",
    "register": "in another register",
}
_ALGORITHMS = {
    "kmeans": "By k-means, which is told how many groups there are.",
    "hdbscan": "By HDBSCAN, which finds out by itself how many groups there are.",
    "agglomerative": "By joining the nearest step by step, told how many groups there are.",
}


def question_of(task: Task) -> str:
    """What a task asks, in a sentence or two.

    Parameters
    ----------
    task : Task
        Of the registry.

    Examples
    --------
    >>> from evaluate_shelf.registry.tasks import load_tasks
    >>> tasks = load_tasks()
    >>> question_of(tasks["lcc_classification"])
    'Given a document, name its LC class.'
    >>> question_of(tasks["form_retrieval"])
    'Given a document, find others of the same form.'
    >>> question_of(tasks["instruction_same_form_diff_subject"])
    'Given a document, find others of the same form, but of another LC class.'
    >>> question_of(tasks["same_topic_pairs"])
    'Given two documents, tell whether they have a topic in common.'
    """
    label = _NAMED.get(task.label_field, task.label_field.replace("_", " "))
    sharing = _SHARING[task.facet]
    match task.formulation:
        case "classification":
            return f"Given a document, name its {label}."
        case "multilabel_classification":
            return f"Given a document, name all of its {label}."
        case "retrieval":
            return f"Given a document, find others {sharing}."
        case "instruction_retrieval":
            but = _BUT.get(task.contrast_field or "", "otherwise unlike it")
            return f"Given a document, find others {sharing}, but {but}."
        case "clustering":
            how = _ALGORITHMS[task.algorithm or "kmeans"]
            return f"Sort documents into groups without a label: does each hold one {label}? {how}"
        case "conditional_clustering":
            return (
                "Sort the documents of an LC class into groups without a label: does each hold one "
                f"{label}?"
            )
        case "pair_classification" if task.facet == "topic":
            # A count of topics has more labels than yes and no.
            what = "how many topics" if (task.n_labels or 2) > 2 else "whether they have a topic"
            they = " they have" if what.startswith("how") else ""
            return f"Given two documents, tell {what}{they} in common."
        case "pair_classification":
            return f"Given two documents, tell whether they are {sharing}."
