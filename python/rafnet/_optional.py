"""Packages that are used when they are there."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import MissingPackage


def need(name: str, purpose: str) -> Any:
    """The package of this name; where it is missing that is said with what to type."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise MissingPackage(f"{purpose} needs the package {package}, which is not installed", hint=f"pip install {package}") from None


def found(name: str) -> Any | None:
    """The package of this name, or ``None``."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
