"""What can compute here."""

from __future__ import annotations

import json
from typing import Any

from . import _rafnet

__all__ = ["devices"]


def devices() -> list[dict[str, Any]]:
    """What ``device=`` can name, with what is known of each: this processor, NVIDIA GPUs, and ``"reference"``, which is slow and for
    tests.

    >>> import rafnet
    >>> rafnet.devices()[0]["device"]
    'cpu'
    """
    found: list[dict[str, Any]] = json.loads(_rafnet.devices())["devices"]
    return found
