"""Solutions: a model with the figures that say how far to trust it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _rafnet
from .model import Model

if TYPE_CHECKING:
    from .problem import Problem

__all__ = ["Eigenpair", "Estimated", "Solution"]


class Estimated(float):
    """A number with what its error is likely to be: of a found parameter the standard error; NaN where nothing is known of it.

    >>> Estimated(0.2, 1e-5)
    0.2 ± 1e-05
    >>> Estimated(0.2, 1e-5) * 2
    0.4
    """

    error: float

    def __new__(cls, value: float, error: float = math.nan) -> Estimated:
        made = super().__new__(cls, value)
        made.error = error
        return made

    def __repr__(self) -> str:
        value = float.__repr__(self)
        return value if math.isnan(self.error) else f"{value} ± {self.error:.1g}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Estimated, (float(self), self.error)


class Eigenpair(NamedTuple):
    """An eigenvalue with its function."""

    value: Estimated
    """λ; its ``error`` is what that is likely to be."""
    multiplicity: int
    """How many of the eigenvalues found cannot be told apart from it, itself included."""
    function: Model
    """u."""
    function_estimate: float
    """What the relative error of u is likely to be."""
    residual: float
    """Held-out residual, relative to its terms."""


def _number(value: float | None, missing: float) -> float:
    return missing if value is None else value


class Solution(Model):
    """A system answers with its first unknown, the others by their names: ``s(x=X)`` is ``s("u", x=X)`` where the unknowns are u and p.

    >>> import rafnet
    >>> s = rafnet.Problem(
    ...     domain=rafnet.interval(0, 3, "t", time=True),
    ...     unknowns=["p", "q"],
    ...     equation=["p_t - q", "q_t + p"],
    ...     initial={"p": 0, "q": 1},
    ... ).solve()
    >>> p, q = s("p", "q", t=[0.0, 1.0])
    >>> bool((s(t=[0.0, 1.0]) == p).all()), round(float(p[1]), 9)
    (True, 0.841470985)
    >>> s.error_estimate < 1e-8 and s.succeeded
    True
    """

    problem: Problem
    """What was solved."""
    figures: dict[str, Any]
    """Every figure, as `raf solve --json` prints it."""
    succeeded: bool
    """Whether it came to an end by itself and reached what was asked."""
    others: tuple[Model, ...]
    """Other solutions of a nonlinear problem that were seen on the way."""
    eigenvalues: tuple[Eigenpair, ...]
    """Of an eigenvalue problem its eigenpairs."""

    def __init__(
        self, problem: Problem, figures: dict[str, Any], models: Mapping[str, _rafnet.Model], succeeded: bool
    ) -> None:
        names = _names(problem)
        models = {name: model.named(*names) for name, model in models.items()}
        super().__init__(models[figures["model"]])
        self.problem = problem
        self.figures = figures
        self.succeeded = succeeded
        self.others = tuple(Model(models[name]) for name in figures["other_models"])
        self.eigenvalues = tuple(
            Eigenpair(
                Estimated(pair["value"], _number(pair["error_estimate"], math.nan)),
                pair["multiplicity"],
                self if pair["model"] == figures["model"] else Model(models[pair["model"]]),
                _number(pair["function_estimate"], math.inf),
                _number(pair["residual"], math.inf),
            )
            for pair in figures["eigenvalues"]
        )

    @property
    def outcome(self) -> str:
        """How the run ended: `"target reached"`, `"converged"`, `"stalled"`, `"contradictory"`, `"budget spent"`, `"diverged"` or `"stopped"`."""
        return str(self.figures["outcome"])

    @property
    def error_estimate(self) -> float:
        """What the relative L2 error is likely to be, from how much independent solutions differ; ∞ where nothing is known."""
        return _number(self.figures["error_estimate"], math.inf)

    @property
    def linf_estimate(self) -> float:
        """The same of the largest error over the largest value."""
        return _number(self.figures["linf_estimate"], math.inf)

    @property
    def residual(self) -> float:
        """Held-out residual of the worst kind of rows, relative to its terms."""
        return _number(self.figures["residual"], math.inf)

    @property
    def relative_l2(self) -> float | None:
        """The relative L2 error on fresh points, where the problem knows its exact solution; the solver never looks at that."""
        error: float | None = self.figures["relative_l2"]
        return error

    @property
    def method(self) -> str:
        """The method that found it."""
        return str(self.figures["method"])

    @property
    def seconds(self) -> float:
        """Seconds it took."""
        return float(self.figures["seconds"])

    @property
    def message(self) -> str | None:
        """Where the answer is poor: where it is worst, and what may help."""
        message: str | None = self.figures["message"]
        return message

    @property
    def reports(self) -> dict[str, Estimated]:
        """The figures that the problem asks for."""
        return {
            r["name"]: Estimated(_number(r["value"], math.nan), _number(r["error_estimate"], math.nan)) for r in self.figures["reports"]
        }

    @property
    def found(self) -> dict[str, Estimated]:
        """The sought parameters with their standard errors."""
        sigma = self.figures["found_sigma"]
        return {name: Estimated(value, _number(sigma.get(name), math.nan)) for name, value in self.figures["found"].items()}

    @property
    def eigenvalue(self) -> Estimated | None:
        """The first eigenvalue."""
        return self.eigenvalues[0].value if self.eigenvalues else None

    @property
    def events(self) -> list[dict[str, Any]]:
        """What was tried, in order."""
        return list(self.figures["events"])

    @property
    def decisions(self) -> list[str]:
        """The same in words."""
        return list(self.figures["decisions"])

    def report(self) -> str:
        """The figures that matter, a line each.

        >>> import rafnet
        >>> print(rafnet.solve("heat").report().splitlines()[0])
        heat: target reached
        """
        lines = [f"{self.problem.name}: {self.outcome}"]
        lines += [f"  {name:<18} {text}" for name, text in self._about()]
        return "\n".join(lines)

    def error(self, points: Any, unknown: str | None = None) -> Any:
        """u minus the exact solution at an array of points, where the problem knows it; else ``None``."""
        from ._arrays import as_points, from_bytes

        array, shape = as_points(self.coordinates, points)
        k = self.unknowns.index(unknown or self.unknowns[0])
        numbers = self.problem._core.error(self._core, k, array)
        return None if numbers is None else from_bytes(numbers, shape)

    def _title(self) -> str:
        return f"{self.problem.name}: {super()._title()}"

    def _about(self) -> list[tuple[str, str]]:
        def said(value: float) -> str:
            return f"{value:.1e}" if math.isfinite(value) else "unknown"

        lines = [("outcome", f"{self.outcome} after {self.seconds:.1f} s")]
        lines += [("eigenvalue", repr(pair.value)) for pair in self.eigenvalues]
        lines.append(("error estimate", f"{said(self.error_estimate)} (relative L2), largest {said(self.linf_estimate)}"))
        if self.relative_l2 is not None:
            lines.append(("relative L2", f"{said(self.relative_l2)} against the exact solution, which the solver never sees"))
        lines.append(("held-out residual", said(self.residual)))
        lines += [(name, repr(value)) for name, value in {**self.found, **self.reports}.items()]
        if self.others:
            lines.append(("solutions", f"{1 + len(self.others)} different ones were seen; see .others"))
        lines.append(("method", f"{self.method}, {self.n_parameters:,} parameters"))
        if self.message:
            lines.append(("what would help", self.message))
        return lines

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._core = self._core.named(*_names(self.problem))


def _names(problem: Problem) -> tuple[list[tuple[str, str]], list[tuple[str, list[float]]]]:
    """What a problem's parameters and functions stand for in texts about its solution; sought ones the model knows by itself."""
    document = problem.document()
    texts, arrays = [], []
    for name, value in {**document.get("functions", {}), **document.get("parameters", {})}.items():
        if isinstance(value, list):
            if all(isinstance(v, (int, float)) for v in value):
                arrays.append((name, [float(v) for v in value]))
        elif not isinstance(value, dict):
            texts.append((name, value if isinstance(value, str) else repr(value)))
    return texts, arrays


def solution(problem: Problem, text: str, models: list[tuple[str, _rafnet.Model]], succeeded: bool) -> Solution:
    """A solution from what the compiled module says."""
    return Solution(problem, json.loads(text), dict(models), succeeded)
