"""`module:attribute`: a model that is a user's own code."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any

from evaluate_shelf.bounded import one_line
from evaluate_shelf.errors import ShelfError
from evaluate_shelf.files import sha256_of_file
from evaluate_shelf.models.named import NamedModel, base_spec, reducible
from evaluate_shelf.models.protocol import (
    Encoder,
    Fittable,
    Lookup,
    ModelIdentity,
    Searcher,
)
from evaluate_shelf.models.spec import Spec
from evaluate_shelf.registry.protocols import Protocol

ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def custom(spec: Spec, protocol: Protocol) -> NamedModel:
    """Import the module and name its attribute; both run the module's code.

    Parameters
    ----------
    spec : Spec
        `module:attribute`: a model, or a class or function that gives one without arguments.
    protocol : Protocol
        Not used: a model of one's own has no limit and no prompts that SHELF could set.

    Raises
    ------
    ShelfError
        If there is no such module or attribute, or the import raises.
    """
    module_name, attribute = spec.name.split(":")
    # As `python -m` does: a module beside the user is found without being installed.
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise ShelfError(f"unknown model {spec.name!r}: {error}") from error
    except (Exception, SystemExit) as error:
        raise ShelfError(
            f"model {spec.name!r}: importing {module_name} raised "
            f"{one_line(f'{type(error).__name__}: {error}', 300)}"
        ) from error
    if not hasattr(module, attribute):
        raise ShelfError(f"unknown model {spec.name!r}: {module_name} has no {attribute!r}")
    value = getattr(module, attribute)
    file = getattr(module, "__file__", None)
    # A model that reads other files says by a revision of its own when they are others.
    own = getattr(value, "revision", "")
    revision = f"{sha256_of_file(Path(file))[:40] if file else 'unknown'} {own}".strip()

    def load() -> Any:
        # A class or a factory is called; an object that is a model already is taken as it is.
        is_factory = inspect.isclass(value) or inspect.isfunction(value)
        try:
            model = value() if is_factory else value
        except (Exception, SystemExit) as error:
            reason = one_line(f"{type(error).__name__}: {error}", 300)
            raise ShelfError(f"making it raised {reason}") from error
        if not isinstance(model, (Encoder, Fittable, Searcher, Lookup)):
            raise ShelfError("it has none of encode, fit, or score and score_pairs")
        return model

    identity = ModelIdentity(spec.name, base_spec(spec), "custom", revision)
    return reducible(identity, spec, load)
