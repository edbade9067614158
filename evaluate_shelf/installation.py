"""How this copy was installed, and so how to add to it."""

from __future__ import annotations

from pathlib import Path


def is_checkout() -> bool:
    """Whether this copy lies in a checkout, with `builders` and `space` beside it."""
    checkout = Path(__file__).resolve().parents[1]
    return (checkout / "pyproject.toml").is_file() and (checkout / "builders").is_dir()


def install_command(extra: str | None = None) -> str:
    """The command that installs SHELF, with an extra, the way this copy was.

    Parameters
    ----------
    extra : str, default=None
        An extra of the package.

    Returns
    -------
    str
        For a checkout an editable install, else one by the package's name.

    Examples
    --------
    >>> install_command("space").startswith("pip install")
    True
    """
    brackets = f"[{extra}]" if extra else ""
    if is_checkout():
        return f"pip install -e '.{brackets}'"
    return f"pip install 'evaluate-shelf{brackets}'"


def encoder_commands() -> str:
    """The two commands that make sentence encoders run: a plain torch brings gigabytes of CUDA."""
    return f"pip install torch==2.13.0, then {install_command('encoders')}"
