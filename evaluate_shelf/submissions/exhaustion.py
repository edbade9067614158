"""Whether a process had too little memory, from what it raised or how it ended.

Memory that runs out does not always end in `MemoryError`: libraries that are not loaded, threads
that are not started and native code that gives up are as often what is seen of it. Only the
standard library is needed here, so that a process in that state can still ask.
"""

from __future__ import annotations

import errno
import re
import signal
from collections.abc import Iterator
from typing import Literal

End = Literal["memory", "crash", "other"]
"""Too little memory; native code that broke off, for whatever reason; anything else."""

# Any error with such a text may be of an exhausted process, but only of these kinds: the words of a
# ValueError may be a stranger's. PanicException is what Rust code raises, as in tokenizers.
_KINDS = (ImportError, OSError, RuntimeError, SystemError)
_NAMED_KINDS = frozenset({"PanicException", "SafetensorError"})

_WORDS = re.compile(
    r"""(?xi)
    \bMemoryError\b | \bbad_?\ ?alloc(ation)?\b
    # The interpreter's own code failed, and the memory for an exception was missing too.
  | \bSystemError:.*\bwithout\ (setting\ an\ )?exception\b
  | \b(out\ of|not\ enough)\ memory\b
  | \b(can't|cannot|could\ not|unable\ to|failed\ to)\ allocate\b
    # A loader's table that is full, with memory to spare.
    (?!\ memory\ in\ static\ TLS)
  | \bmemory\ allocation\b.{0,40}\bfailed\b        # Rust, OpenBLAS
  | \b[mc]alloc\ of\ size\ \d+\ failed\b           # Arrow
  | \bfailed\ to\ map\ segment\ from\ shared\ object\b
    # A disk from which nothing may be run.
    (?!:\ Operation\ not\ permitted)
    # A thread's stack takes addresses too.
  | \bcan't\ start\ new\ thread\b
  | \bthread.{0,80}\bresource\ temporarily\ unavailable\b
    """
)
_CRASHES = frozenset({signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL, signal.SIGFPE})


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error, or one that led to it, is of a process without memory.

    Parameters
    ----------
    error : BaseException
        With its causes, its contexts, and the members of a group.

    Examples
    --------
    >>> is_out_of_memory(MemoryError()), is_out_of_memory(OSError(errno.ENOMEM, "mmap"))
    (True, True)
    >>> is_out_of_memory(ValueError("out of memory is no label"))
    False
    """
    return any(map(_is_of_memory, causes(error)))


def speaks_of_memory(text: str) -> bool:
    """Whether a text, such as the end of what a process printed, says that memory ran out.

    Examples
    --------
    >>> speaks_of_memory("memory allocation of 393216 bytes failed"), speaks_of_memory("no memory")
    (True, False)
    """
    return _WORDS.search(text) is not None


def end_of(status: int, said: str) -> End:
    """Why a process ended that gave no answer.

    Parameters
    ----------
    status : int
        Its status; below zero the signal that ended it.
    said : str
        The end of what it printed.

    Returns
    -------
    {'memory', 'crash', 'other'}
        A process that was killed counts as one without memory: so the system ends the largest one
        where all of its own is used. A crash is native code that broke off. It may have been an
        allocation whose failure went unnoticed, or a fault that comes again with the same files.

    Examples
    --------
    >>> end_of(-signal.SIGABRT, "terminate called after throwing an instance of 'std::bad_alloc'")
    'memory'
    >>> end_of(-signal.SIGSEGV, ""), end_of(-signal.SIGTERM, "")
    ('crash', 'other')
    """
    if status == -signal.SIGKILL or speaks_of_memory(said):
        return "memory"
    return "crash" if -status in _CRASHES else "other"


def _is_of_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError):
        return True
    if isinstance(error, OSError) and error.errno is not None:
        return error.errno == errno.ENOMEM
    kind = type(error).__name__
    is_of_kind = isinstance(error, _KINDS) or kind in _NAMED_KINDS
    return is_of_kind and speaks_of_memory(f"{kind}: {error}")


def causes(error: BaseException) -> Iterator[BaseException]:
    """An error and all that led to it, each once; also what `from None` hides of a traceback."""
    waiting, seen = [error], set()
    while waiting:
        own = waiting.pop()
        if id(own) in seen:
            continue
        seen.add(id(own))
        yield own
        waiting += [led for led in (own.__cause__, own.__context__) if led is not None]
        if isinstance(own, BaseExceptionGroup):
            waiting += own.exceptions
