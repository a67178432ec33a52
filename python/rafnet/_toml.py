"""Dictionaries as the TOML of a problem file. Python reads TOML and does not write it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def written(document: Mapping[str, Any]) -> str:
    """The text of a document: first what stands at the top, then its tables in their order."""
    top = [f"{_key(k)} = {_value(v)}\n" for k, v in document.items() if not _is_table(v)]
    tables = []
    for name, value in document.items():
        if isinstance(value, Mapping):
            tables.append(_table(f"[{_key(name)}]", value))
        elif _is_table(value):
            tables += [_table(f"[[{_key(name)}]]", one) for one in value]
    return "\n".join(["".join(top), *tables]) if top else "\n".join(tables)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and all(isinstance(v, Mapping) for v in value))


def _table(head: str, table: Mapping[str, Any]) -> str:
    return head + "\n" + "".join(f"{_key(k)} = {_value(v)}\n" for k, v in table.items())


def _key(name: str) -> str:
    return name if _BARE.match(name) else _text(name)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isfinite(value):
            return repr(value)
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(k)} = {_value(v)}" for k, v in value.items()) + " }" if value else "{}"
    if len(value) > 8 and all(isinstance(v, list) for v in value):  # a table of numbers: a line each
        return "[\n" + "".join(f"  {_value(v)},\n" for v in value) + "]"
    return "[" + ", ".join(_value(v) for v in value) + "]"
