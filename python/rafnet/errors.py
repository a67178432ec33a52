"""What rafnet raises.

Every exception says what is wrong and, in ``hint``, what to type next; those of bad input are ``ValueError`` too::

    RafnetError
    ├── ProblemError       a problem's file or text (line)
    ├── OptionError        an option of a solution or a fit (option)
    ├── ExpressionError    a text that is to be evaluated
    ├── PointsError        points or arrays of a wrong shape or kind
    ├── ModelError         a model's file
    ├── FitError           a signal that cannot be fitted
    ├── DeviceError        a device that is not there or cannot do it
    ├── NotEnoughMemory    more than is free; a ``MemoryError`` too
    ├── MissingPackage     an optional package that is not installed; an ``ImportError`` too
    └── SolveError         no solution
        ├── Stalled        ``strict=True`` and the answer is poor (solution)
        └── Contradictory  ``strict=True`` and no function meets everything (solution)
    Interrupted            Ctrl-C, a ``KeyboardInterrupt`` (best)

>>> import rafnet
>>> try:
...     rafnet.Problem.from_toml("[domain]\\nkind = 'interval'\\nx = [0, 1]\\n[equation]\\nresidual = 'lapacian(u) - 1'\\n")
... except rafnet.ProblemError as error:
...     print(error.line, error.hint)
5 did you mean `laplacian`?
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "Contradictory",
    "ContradictoryWarning",
    "DeviceError",
    "ExpressionError",
    "FitError",
    "Interrupted",
    "MissingPackage",
    "ModelError",
    "NotEnoughMemory",
    "OptionError",
    "PointsError",
    "ProblemError",
    "ProblemWarning",
    "RafnetError",
    "SolveError",
    "Stalled",
    "StalledWarning",
]


class RafnetError(Exception):
    """Anything rafnet refuses: ``message`` says what is wrong, ``hint`` what to type next."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\n\nhint: {self.hint}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.message), self.__dict__


def _again(kind: type[RafnetError], message: str) -> RafnetError:
    return kind(message)


class ProblemError(RafnetError, ValueError):
    """A mistake in a problem; ``line`` is that of its file or text, from 1, where it is one line's."""

    def __init__(self, message: str, *, hint: str | None = None, line: int | None = None) -> None:
        super().__init__(message, hint=hint)
        self.line = line


class OptionError(RafnetError, ValueError):
    """An option that cannot be used; ``option`` is its name."""

    def __init__(self, message: str, *, hint: str | None = None, option: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.option = option


class ExpressionError(RafnetError, ValueError):
    """A text that cannot be read or evaluated."""


class PointsError(RafnetError, ValueError):
    """Points or numbers of a wrong shape or kind."""


class ModelError(RafnetError, ValueError):
    """A model's file that cannot be read or written."""


class FitError(RafnetError, ValueError):
    """A signal that cannot be fitted."""


class DeviceError(RafnetError, RuntimeError):
    """A device that is not there or cannot do what was asked."""


class NotEnoughMemory(RafnetError, MemoryError):
    """More was asked for than is free."""


class MissingPackage(RafnetError, ImportError):
    """An optional package that is not installed."""


class SolveError(RafnetError, RuntimeError):
    """A problem that could not be solved."""


class Stalled(SolveError):
    """With ``strict=True``: the answer is poor, or misses the target. ``solution`` is what was found."""

    solution: Any = None


class Contradictory(SolveError):
    """With ``strict=True``: no function meets everything that was asked. ``solution`` is the nearest that was found."""

    solution: Any = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a solution or a fit; ``best`` is what was found by then, or ``None``."""

    best: Any = None

    def __init__(self, message: str = "", best: Any = None) -> None:
        super().__init__(message)
        self.best = best

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.best)


class ProblemWarning(UserWarning):
    """Something in a problem that is allowed and was probably not meant."""


class StalledWarning(UserWarning):
    """An answer that is poor, or misses the target."""


class ContradictoryWarning(UserWarning):
    """An answer to a problem that no function solves."""
