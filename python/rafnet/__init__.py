"""Networks with reproducing activation functions: fit signals, solve differential equations, with exact derivatives.

A system of equations answers with its first unknown, the others by their names: ``s(x=X)``, ``s("v", x=X)``.

>>> import rafnet
>>> s = rafnet.solve("heat")
>>> s.outcome, s.error_estimate < 1e-9
('target reached', True)
>>> u = s(x=0.5, t=[0.0, 0.1])
>>> u_x = s("u_x", x=0.5, t=0.1)
"""

import sys as _sys
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

if not getattr(_sys, "_is_gil_enabled", lambda: True)():
    raise ImportError(
        "rafnet does not support free-threaded builds of Python (this is one): use an ordinary build, in which it computes with every "
        "core while other Python threads run"
    )

from ._rafnet import __version__
from ._devices import devices
from .domains import annulus, ball, box, difference, ellipse, intersection, interval, polygon, union
from .errors import (
    Contradictory,
    ContradictoryWarning,
    DeviceError,
    ExpressionError,
    FitError,
    Interrupted,
    MissingPackage,
    ModelError,
    NotEnoughMemory,
    OptionError,
    PointsError,
    ProblemError,
    ProblemWarning,
    RafnetError,
    SolveError,
    Stalled,
    StalledWarning,
)
from .fitting import Fit, Signal, fit
from .model import Model, load
from .network import Kernel, Network, ntk
from .problem import Problem, builtin_problems, data, solve
from .solution import Eigenpair, Estimated, Solution

if _TYPE_CHECKING:
    from ._sweep import FailedRuns, Table, sweep
    from .sklearn import RAFRegressor

__all__ = [
    "Contradictory",
    "ContradictoryWarning",
    "DeviceError",
    "Eigenpair",
    "Estimated",
    "ExpressionError",
    "FailedRuns",
    "Fit",
    "FitError",
    "Interrupted",
    "Kernel",
    "MissingPackage",
    "Model",
    "ModelError",
    "Network",
    "NotEnoughMemory",
    "OptionError",
    "PointsError",
    "Problem",
    "ProblemError",
    "ProblemWarning",
    "RAFRegressor",
    "RafnetError",
    "Signal",
    "Solution",
    "SolveError",
    "Stalled",
    "StalledWarning",
    "Table",
    "__version__",
    "annulus",
    "ball",
    "box",
    "builtin_problems",
    "data",
    "devices",
    "difference",
    "ellipse",
    "fit",
    "intersection",
    "interval",
    "load",
    "ntk",
    "polygon",
    "solve",
    "sweep",
    "union",
]


def _options() -> None:
    """The options of a solution and of a fit in their documentation, as the compiled module lists them."""
    from ._rafnet import fit_options, solver_options

    for function, rows in ((solve, solver_options()), (fit, fit_options())):
        lines = "\n".join(f"    - ``{name}``: {help}" for name, help in rows)
        function.__doc__ = (function.__doc__ or "").rstrip() + "\n\n" + lines + "\n"


_options()


def __getattr__(name: str) -> _Any:
    # what needs more than NumPy, or takes its time, is imported when it is asked for
    if name in ("FailedRuns", "Table", "sweep"):
        from . import _sweep

        return getattr(_sweep, name)
    if name == "RAFRegressor":
        from .sklearn import RAFRegressor

        return RAFRegressor
    if name == "torch":
        import importlib

        return importlib.import_module(".torch", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
