"""SymPy's expressions as texts of problem files; imported only where there is one."""

from __future__ import annotations

from typing import Any

import sympy
from sympy.core.function import AppliedUndef
from sympy.printing.precedence import precedence
from sympy.printing.str import StrPrinter

from .errors import ProblemError

# functions of the same meaning under another name
CALLED = {
    "Abs": "abs",
    "Max": "max",
    "Min": "min",
    "Mod": "mod",
    "sign": "sign",
    "asin": "asin",
    "acos": "acos",
    "atan": "atan",
    "atan2": "atan2",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "exp": "exp",
    "log": "log",
    "floor": "floor",
    "erf": "erf",
}


class _Printer(StrPrinter):
    """As SymPy prints, in the words of a problem file."""

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        if expr.exp == sympy.Rational(1, 2):
            return f"sqrt({self._print(expr.base)})"
        if expr.exp == -sympy.Rational(1, 2):
            return f"1/sqrt({self._print(expr.base)})"
        above = precedence(expr)
        if expr.exp == -1:
            return f"1/{self.parenthesize(expr.base, above, strict=False)}"
        return f"{self.parenthesize(expr.base, above, strict=False)}^{self.parenthesize(expr.exp, above, strict=False)}"

    def _print_Float(self, expr: Any) -> str:
        return repr(float(expr))

    def _print_Pi(self, expr: Any) -> str:
        return "pi"

    def _print_Exp1(self, expr: Any) -> str:
        return "e"

    def _print_Derivative(self, expr: Any) -> str:
        along = [str(name) for name, count in expr.variable_count for _ in range(int(count))]
        return f"d({', '.join([self._print(expr.expr), *along])})"

    def _print_Function(self, expr: Any) -> str:
        if isinstance(expr, AppliedUndef):
            return str(expr.func)  # u(x, t) is called u
        name = type(expr).__name__
        if name == "Heaviside":
            return f"where({self._print(expr.args[0])} >= 0, 1, 0)"
        if name not in CALLED:
            raise ProblemError(
                f"SymPy's {expr} has the function `{name}`, which problem files do not know",
                hint="known are " + ", ".join(sorted(set(CALLED.values()))) + ", sqrt and Piecewise",
            )
        return f"{CALLED[name]}({', '.join(self._print(a) for a in expr.args)})"

    _print_Abs = _print_Max = _print_Min = _print_Mod = _print_Heaviside = _print_Function

    def _print_Piecewise(self, expr: Any) -> str:
        *cases, last = [(case.expr, case.cond) for case in expr.args]
        if last[1] != sympy.true:
            raise ProblemError(f"SymPy's {expr} says nothing for the other cases", hint="end it with (value, True)")
        text = self._print(last[0])
        for value, condition in reversed(cases):
            text = f"where({self._print(condition)}, {self._print(value)}, {text})"
        return str(text)

    def _print_Relational(self, expr: Any) -> str:
        return f"{self._print(expr.lhs)} {expr.rel_op} {self._print(expr.rhs)}"

    def _print_And(self, expr: Any) -> str:
        return " and ".join(f"({self._print(a)})" for a in expr.args)

    def _print_Or(self, expr: Any) -> str:
        return " or ".join(f"({self._print(a)})" for a in expr.args)

    def _print_Not(self, expr: Any) -> str:
        return f"not ({self._print(expr.args[0])})"

    def _print_ImaginaryUnit(self, expr: Any) -> str:
        raise ProblemError(
            "an expression of SymPy's is complex, and problems are real",
            hint="write the real and the imaginary part as two unknowns with two equations",
        )

    def emptyPrinter(self, expr: Any) -> str:
        raise ProblemError(f"SymPy's {type(expr).__name__} cannot be written in a problem", hint="write it as a text")


def written(expression: Any) -> str:
    """The text of an expression; ``Eq(a, b)`` is a − b."""
    if isinstance(expression, sympy.Equality):
        expression = expression.lhs - expression.rhs
    if isinstance(expression, sympy.MatrixBase):
        raise ProblemError("a matrix of SymPy's is several texts", hint="pass a list of its entries")
    return str(_Printer({"order": None}).doprint(expression))
