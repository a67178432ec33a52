"""Models: the whole function, evaluated and differentiated at points."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from . import _rafnet
from ._arrays import Floats, as_points, by_name, from_bytes
from ._texts import is_symbolic, symbolic
from .errors import OptionError, PointsError

__all__ = ["Model", "load"]


class Model:
    """A function u of some coordinates with exact derivatives: what `raf eval` evaluates, to the same bits.

    Calling it evaluates texts at points. Texts come first, coordinates by name, broadcast as NumPy does; points may also be one array
    whose last axis holds the coordinates. A text is anything in the coordinates, the unknowns, their first and second derivatives and the
    problem's constants. Outside the domain the values are NaN.

    >>> import rafnet
    >>> s = rafnet.solve("heat")
    >>> s.coordinates, s.unknowns
    (('x', 't'), ('u',))
    >>> round(float(s(x=0.5, t=0.1)), 6)
    0.906018
    >>> s("u_t", x=[0.25, 0.5], t=[[0.0], [0.1]]).shape
    (2, 2)
    >>> values, slopes = s("u", "u_x", x=0.5, t=0.1)
    """

    _core: _rafnet.Model
    _place: tuple[str, int, bool]

    def __init__(self, core: _rafnet.Model, place: tuple[str, int, bool] = ("cpu", 0, False)) -> None:
        self._core = core
        self._place = place
        self._coordinates: tuple[str, ...] = tuple(core.coordinates)
        self._unknowns: tuple[str, ...] = tuple(core.outputs)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of a point's columns."""
        return self._coordinates

    @property
    def unknowns(self) -> tuple[str, ...]:
        """Names of the functions."""
        return self._unknowns

    @property
    def time(self) -> str | None:
        """The coordinate that is time."""
        time = self._core.time
        return None if time is None else self._coordinates[time]

    @property
    def bounds(self) -> dict[str, tuple[float, float]] | None:
        """The domain's box, [low, high] for each coordinate; ``None`` where the model knows no domain."""
        bounds = self._core.bounds
        return None if bounds is None else dict(zip(self._coordinates, bounds))

    @property
    def n_parameters(self) -> int:
        """How many numbers it is made of."""
        return self._core.n_parameters

    @property
    def precision(self) -> str:
        """``"f64"`` or ``"f32"``: what its numbers are kept as."""
        return self._core.precision

    def _usual(self) -> tuple[str, ...]:
        """What is answered where no text is given."""
        return self._unknowns[:1]

    def __call__(self, *texts_or_points: Any, **coordinates: Any) -> Any:
        """Texts (without any: the first unknown) at coordinates by name, or at an array of points.

        One text gives an array, several a tuple of arrays.
        """
        texts: list[str] = []
        rest = list(texts_or_points)
        while rest and (isinstance(rest[0], str) or is_symbolic(rest[0])):
            text = rest.pop(0)
            texts.append(text if isinstance(text, str) else symbolic(text))
        if rest and coordinates:
            raise PointsError("points were given as an array and by name", hint="leave one of them out")
        if len(rest) > 1:
            names = ", ".join(f"{name}=…" for name in self._coordinates)
            raise PointsError(f"{len(rest)} arrays were given without a name", hint=f"name them: {names}")
        points, shape = as_points(self._coordinates, rest[0]) if rest else by_name(self._coordinates, coordinates)
        return self._evaluate(texts, points, shape)

    def at(self, points: Any, *texts: str) -> Any:
        """The same at an array of points, whose last axis holds the coordinates.

        >>> import rafnet
        >>> rafnet.solve("heat").at([[0.5, 0.1], [0.25, 0.1]], "laplacian(u)").shape
        (2,)
        """
        array, shape = as_points(self._coordinates, points)
        return self._evaluate([t if isinstance(t, str) else symbolic(t) for t in texts], array, shape)

    def gradient(self, points: Any, unknown: str | None = None) -> Floats:
        """First derivatives at an array of points: the last axis holds ∂u/∂x for each coordinate.

        >>> import rafnet
        >>> rafnet.solve("heat").gradient([[0.5, 0.1]]).shape
        (1, 2)
        """
        array, shape = as_points(self._coordinates, points)
        names = self._usual() if unknown is None else (unknown,)
        texts = [f"d({u}, {x})" for u in names for x in self._coordinates]
        columns = self._columns(texts, array).T
        several = (len(names),) if len(names) > 1 else ()
        return np.ascontiguousarray(columns).reshape((*shape, *several, len(self._coordinates)))

    def _columns(self, texts: list[str], points: Floats) -> Floats:
        return from_bytes(self._core.evaluate(texts, points), (len(texts), len(points)))

    def _evaluate(self, texts: list[str], points: Floats, shape: tuple[int, ...]) -> Any:
        asked = texts or list(self._usual())
        columns = self._columns(asked, points)
        if len(asked) == 1:
            return columns[0].reshape(shape)[()]
        if texts:
            return tuple(column.reshape(shape)[()] for column in columns)
        return np.ascontiguousarray(columns.T).reshape((*shape, len(asked)))

    def on(self, device: str | None = None, *, threads: int | None = None, outside: str | None = None) -> Model:
        """The same function, evaluated on another device, by so many threads (0: one for each core), or with ``outside="continued"`` beyond
        its domain too.
        """
        if outside not in (None, "nan", "continued"):
            raise OptionError(f"outside={outside!r} cannot be used: expected 'nan' or 'continued'", option="outside")
        place = (
            self._place[0] if device is None else device,
            self._place[1] if threads is None else threads,
            self._place[2] if outside is None else outside == "continued",
        )
        again = object.__new__(type(self))
        again.__dict__.update(self.__dict__)
        again._core = self._core.placed(*place)
        again._place = place
        return again

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model as a `.safetensors` file, whole or not at all; `raf eval` and `raf export` read it."""
        self._core.save(os.fspath(path))

    def to_bytes(self) -> bytes:
        """The same as bytes."""
        return self._core.to_bytes()

    def grid(self, n: int | None = None, **at: Any) -> dict[str, Floats]:
        """Regular points along each axis of the domain's box (``n`` each, or as many as suit so many axes); a coordinate that is given is
        taken as it is.

        >>> import rafnet
        >>> {name: len(axis) for name, axis in rafnet.solve("heat").grid(11, t=0.5).items()}
        {'x': 11, 't': 1}
        """
        bounds = self.bounds
        if bounds is None:
            raise PointsError("the model knows no domain, so there is no grid", hint="pass the coordinates yourself")
        wrong = [name for name in at if name not in bounds]
        if wrong:
            raise PointsError(f"there is no coordinate `{wrong[0]}`", hint=f"the coordinates are {', '.join(bounds)}")
        free = max(1, len(bounds) - len(at))
        count = max(3, int({1: 401, 2: 129}.get(free, 2e5 ** (1 / free)))) if n is None else n
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise OptionError(f"n={n!r} cannot be used: expected a whole number from 1", option="n")
        axes = {}
        for name, (low, high) in bounds.items():
            axes[name] = np.atleast_1d(np.asarray(at[name], dtype=float)) if name in at else np.linspace(low, high, count)
        return axes

    def to_xarray(self, *texts: str, n: int | None = None, **at: Any) -> Any:
        """An xarray Dataset over a grid of the domain: a variable for each text, or for each unknown."""
        from ._optional import need

        xarray = need("xarray", "to_xarray")
        axes = self.grid(n, **at)
        names = list(texts or self._unknowns)
        mesh = np.meshgrid(*axes.values(), indexing="ij")
        columns = self._columns(names, np.stack([m.ravel() for m in mesh], axis=-1))
        shape = tuple(len(axis) for axis in axes.values())
        values = {name: (tuple(axes), column.reshape(shape)) for name, column in zip(names, columns)}
        return xarray.Dataset(values, coords=axes)

    def plot(self, *texts: str, times: Iterable[float] | None = None, **at: Any) -> Any:
        """Draws the function with matplotlib: a line over one coordinate, a map over two; with time lines or maps at ``times``; further
        coordinates are held in the middle or where ``at`` says. Returns matplotlib's figure.
        """
        from ._plots import plot

        return plot(self, texts, times, at)

    def _drawn(self) -> tuple[str, str]:
        """A picture for notebooks, and what it shows."""
        from ._pictures import drawn

        return drawn(self)

    def _about(self) -> list[tuple[str, str]]:
        """Names and texts of the figures that matter."""
        return [("parameters", f"{self.n_parameters:,}")]

    def _title(self) -> str:
        return f"{', '.join(self._unknowns)}({', '.join(self._coordinates)})"

    def __repr__(self) -> str:
        return f"<rafnet.{type(self).__name__} {self._title()}: {'; '.join(f'{n} {t}' for n, t in self._about())}>"

    def _repr_html_(self) -> str:
        from ._pictures import html

        return html(self)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state["_core"] = self._core.to_bytes()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._core = _rafnet.Model.from_bytes(state["_core"])
        if self._place != ("cpu", 0, False):
            self._core = self._core.placed(*self._place)


def load(path: str | os.PathLike[str]) -> Model:
    """The model in a `.safetensors` file that a solution, a fit or the command `raf` wrote."""
    core = _rafnet.Model.load(os.fspath(path))
    region = core.region
    about = json.loads(region) if region else {}
    if isinstance(about, dict) and about.get("kind") in ("image", "audio", "video", "table"):
        from .fitting import Signal

        return Signal(core)
    return Model(core)
