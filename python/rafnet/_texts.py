"""What people write in Python as the texts of a problem file: numbers, SymPy's expressions, options."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import OptionError, ProblemError


def option(name: str, value: Any) -> str:
    """The text of an option."""
    if isinstance(value, str):
        return value
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        value = float(value)
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, (list, tuple)) and value:
        return ",".join(option(name, one) for one in value)
    raise OptionError(
        f"{name}={value!r} cannot be used: expected a number, a text or a list of them", hint="leave it out for the default", option=name
    )


def options(given: Mapping[str, Any], known: Iterable[str], function: str) -> list[tuple[str, str]]:
    """Names and texts of what is not ``None``; a name that is no option of the function is refused."""
    known = list(known)
    for name in given:
        if name not in known:
            import difflib

            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"help(rafnet.{function}) lists the options"
            raise OptionError(f"`{name}` is no option of rafnet.{function}", hint=hint, option=name)
    return [(name, option(name, value)) for name, value in given.items() if value is not None]


def is_symbolic(value: Any) -> bool:
    """Whether it is an expression or an equation of SymPy's."""
    return type(value).__module__.partition(".")[0] == "sympy"


def plain(value: Any, where: str) -> Any:
    """A value as TOML can hold it: numbers and texts as they are, arrays as lists, SymPy's expressions as texts."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, Mapping):
        return {str(k): plain(v, where) for k, v in value.items() if v is not None}
    if is_symbolic(value):
        return symbolic(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist(), where)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, Iterable):
        return [plain(v, where) for v in value]
    raise ProblemError(
        f"{where} is {type(value).__name__}, which a problem cannot hold", hint="pass a number, a text, or a list or dictionary of them"
    )


def symbolic(expression: Any) -> str:
    """A SymPy expression in the language of problem files; ``Eq(a, b)`` is a − b.

    >>> import sympy
    >>> x, t = sympy.symbols("x t")
    >>> u = sympy.Function("u")(x, t)
    >>> symbolic(sympy.Eq(u.diff(t), sympy.Rational(1, 3) * u.diff(x, 2) + sympy.exp(-x**2)))
    'd(u, t) - d(u, x, x)/3 - exp(-x^2)'
    """
    from ._sympy import written

    return written(expression)
