"""The errors that a user can mend."""


class ShelfError(Exception):
    """Something in the user's input is wrong; the message says what, where and what to do.

    The command line prints the message alone on standard error and exits with status 2.

    Examples
    --------
    >>> raise ShelfError("tasks.yaml, row 3, field 'metric': unknown metric 'f2'")
    Traceback (most recent call last):
    evaluate_shelf.errors.ShelfError: tasks.yaml, row 3, field 'metric': unknown metric 'f2'
    """


class UnsupportedError(ShelfError):
    """A model or a release lacks what a task needs; the task is skipped with this reason."""


class ItemsError(ShelfError):
    """What a run kept of a task's items is not what an evaluation leaves.

    Whoever read the items knows the file and names it; see `evaluation.kept.scoring`.
    """


class StoppedError(Exception):
    """Ctrl-C ended a command that says itself what remains of its work.

    The command line prints the message alone on standard error and exits with status 130.
    """
