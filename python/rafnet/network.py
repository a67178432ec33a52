"""The engine itself: a network, its exact derivatives and the gradient of any residual, for optimisers of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _rafnet
from ._arrays import Floats, as_points, floats, from_bytes
from ._texts import is_symbolic, options, symbolic
from .errors import OptionError, PointsError
from .model import Model
from .problem import Problem, read

__all__ = ["Kernel", "Network", "ntk"]


class Network:
    """A network u(x; θ) with every number of θ in one vector, in double precision.

    ``inputs`` and ``outputs`` are names, or numbers of them. ``residual`` is a text (or several) that should be zero at the points: anything
    in the coordinates, the outputs, their first and second derivatives, the ``shared`` numbers, which are the last of θ, and what ``data`` names. Without a residual the loss is that of
    regression, the outputs minus ``data`` (n or n × outputs).

    >>> import numpy as np, rafnet
    >>> net = rafnet.Network(["x"], ["u"], width=20)
    >>> theta = net.init(seed=0)
    >>> X = np.linspace(0, 1, 64)[:, None]
    >>> loss, gradient = net.loss_and_gradient(theta, X, residual="u_xx + pi^2*sin(pi*x)")
    >>> gradient.shape == theta.shape
    True
    >>> r, J = net.jacobian(theta, X, residual="u_xx + pi^2*sin(pi*x)")
    >>> bool(np.allclose(2 * J.T @ r / len(X), gradient)) and bool(np.isclose(loss, (r**2).mean()))
    True
    """

    def __init__(
        self,
        inputs: int | Sequence[str] = 1,
        outputs: int | Sequence[str] = 1,
        *,
        width: int = 50,
        depth: int = 4,
        activation: str | Sequence[str] = "psg",
        shape: str = "resnet",
        learnable: bool = False,
        gaussian_width: float = 0.1,
        periodic: int | None = None,
        weights: str = "fan-in",
        hidden_scale: float = 1.0,
        shared: Sequence[str] = (),
        time: str | None = None,
        device: str = "cpu",
        threads: int = 0,
    ) -> None:
        coordinates = _names(inputs, "inputs", "x")
        unknowns = _names(outputs, "outputs", "u")
        named = [activation] if isinstance(activation, str) else list(activation)
        if shape == "resnet" and depth != 4 and len(named) == 1:
            raise OptionError(
                f"depth={depth} cannot be used: a residual network has 4 activated layers", hint='take shape="fnn"', option="depth"
            )
        layers = named * _count("depth", depth) if len(named) == 1 else named
        shared = [shared] if isinstance(shared, str) else [str(name) for name in shared]
        twice = [name for name in [*coordinates, *unknowns, *shared] if [*coordinates, *unknowns, *shared].count(name) > 1]
        if twice:
            raise OptionError(f"`{twice[0]}` names two things", hint="give every coordinate, output and shared number a name of its own")
        if time is not None and time not in coordinates:
            raise OptionError(f"time={time!r} is no coordinate", hint=f"the coordinates are {', '.join(coordinates)}", option="time")
        for name, value in (("gaussian_width", gaussian_width), ("hidden_scale", hidden_scale)):
            if not (isinstance(value, (int, float)) and np.isfinite(value) and value > 0):
                raise OptionError(f"{name}={value!r} cannot be used: expected a positive number", option=name)
        self._asked: dict[str, Any] = {
            "coordinates": coordinates,
            "outputs": unknowns,
            "shared": shared,
            "time": time,
            "width": _count("width", width),
            "activation": layers,
            "shape": shape,
            "learnable": bool(learnable),
            "gaussian_width": float(gaussian_width),
            "periodic": None if periodic is None else _count("periodic", periodic),
            "weights": weights,
            "hidden_scale": float(hidden_scale),
            "device": device,
            "threads": _count("threads", threads, least=0),
        }
        self._core = _rafnet.Network(self._asked)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of a point's columns."""
        return tuple(self._asked["coordinates"])

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return tuple(self._asked["outputs"])

    @property
    def n_parameters(self) -> int:
        """How many numbers θ has, the shared ones among them.

        >>> import rafnet
        >>> rafnet.Network(2).n_parameters
        7851
        """
        return self._core.n_parameters

    @property
    def layout(self) -> dict[str, tuple[slice, tuple[int, ...]]]:
        """Where every block of the parameters stands in θ, and its shape; named and shaped as in PyTorch."""
        return {name: (slice(start, end), tuple(shape)) for name, shape, start, end in self._core.layout}

    def init(self, seed: int = 0, *, shared: Sequence[float] | None = None) -> Floats:
        """Drawn parameters; the same seed gives the same bits. ``shared`` numbers start there, else at 0.

        >>> import rafnet
        >>> bool((rafnet.Network(2).init(seed=1) == rafnet.Network(2).init(seed=1)).all())
        True
        """
        seed = _count("seed", seed, least=0)
        if seed >= 2**64:
            raise OptionError(f"seed={seed} cannot be used: expected a whole number below 2^64", option="seed")
        names = self._asked["shared"]
        start = np.zeros(len(names)) if shared is None else floats(shared, "the shared numbers").ravel()
        if start.shape != (len(names),):
            raise PointsError(f"{start.size} shared numbers were given for {len(names)}: {', '.join(names)}")
        drawn = self._core.init(seed)
        return np.concatenate([from_bytes(drawn, (len(drawn) // 8,)), start])

    def __call__(self, theta: Any, points: Any) -> Floats:
        """The outputs at points (n × d): (n,), or (n, outputs) where there are several."""
        values = self.jet(theta, points, *self.outputs)
        return values[:, 0] if len(self.outputs) == 1 else values

    def jet(self, theta: Any, points: Any, *texts: str) -> Floats:
        """Texts such as ``"u"``, ``"u_x"``, ``"laplacian(u)"`` at points: (n, texts). Without texts the value, the gradient and the Laplacian
        of every output.

        >>> import rafnet
        >>> net = rafnet.Network(["x", "y"])
        >>> net.jet(net.init(), [[0.1, 0.2]]).shape
        (1, 4)
        """
        if not texts:
            usual = [[u, *(f"d({u}, {x})" for x in self.coordinates), f"laplacian({u})"] for u in self.outputs]
            texts = tuple(text for one in usual for text in one)
        asked, _ = self._batch(theta, points, texts, None, None)
        return from_bytes(self._core.residuals(asked), (len(asked["points"]), len(texts)))

    def loss_and_gradient(
        self, theta: Any, points: Any, residual: str | Sequence[str] | None = None, *, data: Any = None, weights: Any = None
    ) -> tuple[float, Floats]:
        """The mean over the points of the sum of the residuals' squares (each point's times its weight), and its gradient by θ."""
        asked, _ = self._batch(theta, points, residual, data, weights)
        loss, gradient = self._core.loss_and_gradient(asked)
        return loss, from_bytes(gradient, (self.n_parameters,))

    def residuals(
        self, theta: Any, points: Any, residual: str | Sequence[str] | None = None, *, data: Any = None, weights: Any = None
    ) -> Floats:
        """Every residual, point by point: (n · residuals,), each times the root of its point's weight."""
        asked, rows = self._batch(theta, points, residual, data, weights)
        return from_bytes(self._core.residuals(asked), (rows,))

    def jacobian(
        self, theta: Any, points: Any, residual: str | Sequence[str] | None = None, *, data: Any = None, weights: Any = None
    ) -> tuple[Floats, Floats]:
        """The residuals and their derivatives by θ: (n · residuals,) and (n · residuals, parameters)."""
        asked, rows = self._batch(theta, points, residual, data, weights)
        r, jacobian = self._core.jacobian(asked)
        return from_bytes(r, (rows,)), from_bytes(jacobian, (rows, self.n_parameters))

    def ntk(self, theta: Any, points: Any, residual: str | Sequence[str] | None = None, *, data: Any = None) -> Floats:
        """The tangent kernel J Jᵀ of the residuals, or without one of the outputs."""
        texts = residual if residual is not None or data is not None else list(self.outputs)
        _, jacobian = self.jacobian(theta, points, texts, data=data)
        return jacobian @ jacobian.T

    def _batch(self, theta: Any, points: Any, residual: Any, data: Any, weights: Any) -> tuple[dict[str, Any], int]:
        numbers = floats(theta, "theta")
        if numbers.shape != (self.n_parameters,):
            raise PointsError(f"theta has the shape {numbers.shape}, expected ({self.n_parameters},)", hint="theta = net.init() has the right one")
        array, _ = as_points(self.coordinates, points)
        n = len(array)
        several = [] if residual is None else [residual] if isinstance(residual, str) or is_symbolic(residual) else list(residual)
        texts = [text if isinstance(text, str) else symbolic(text) for text in several]
        if residual is not None and not texts:
            raise OptionError("the list of residuals is empty", hint="name one, such as residual=\"u_xx + u\"", option="residual")
        names: list[str] = []
        beside = None
        if isinstance(data, Mapping):
            beside, names = self._named(data, n, bool(texts))
        elif data is not None:
            beside = self._targets(data, n, texts)
            names = ["y"] if texts else []
        elif not texts:
            raise OptionError("there is neither a residual nor data", hint='pass residual="u_xx + u", or data=Y for regression')
        weighed = None
        if weights is not None:
            weighed = np.ascontiguousarray(floats(weights, "the weights"))
            if weighed.shape != (n,):
                raise PointsError(f"the weights have the shape {weighed.shape}, expected ({n},), one for each point")
        asked = {
            "theta": np.ascontiguousarray(numbers),
            "points": array,
            "texts": texts,
            "names": names,
            "data": beside,
            "weights": weighed,
        }
        return asked, n * (len(texts) or len(self.outputs))

    def _targets(self, data: Any, n: int, texts: list[str]) -> Floats:
        """Targets of regression, or with a residual the one column ``y``."""
        values = floats(data, "the data")
        columns = 1 if texts else len(self.outputs)
        values = values[:, None] if values.ndim == 1 and columns == 1 else values
        if values.shape != (n, columns):
            said = "data={'y': …} names columns that a residual reads" if texts else f"expected a value of each output at each of {n} points"
            raise PointsError(f"the data have the shape {values.shape}, expected ({n}, {columns})", hint=said)
        return self._laid(n, [values[:, 0]]) if texts else np.ascontiguousarray(values)

    def _named(self, data: Mapping[str, Any], n: int, reads: bool) -> tuple[Floats, list[str]]:
        names = [str(name) for name in data]
        most = len(self.coordinates) + 1
        if not reads:
            raise OptionError("data by name are for residuals that read them", hint="pass an array for regression", option="data")
        if len(names) > most:
            raise OptionError(f"{len(names)} columns of data are too many: a residual reads at most {most}", option="data")
        wrong = [name for name in names if name in (*self.coordinates, *self.outputs, *self._asked["shared"])]
        if wrong:
            raise OptionError(f"`{wrong[0]}` names two things", hint="give the data a name of its own", option="data")
        columns = [floats(column, f"the data `{name}`").ravel() for name, column in data.items()]
        for name, column in zip(names, columns):
            if column.shape != (n,):
                raise PointsError(f"the data `{name}` have {column.size} numbers for {n} points")
        return self._laid(n, columns), names

    def _laid(self, n: int, columns: list[Floats]) -> Floats:
        """Columns as an engine reads them: the first is its last, the others follow from its first."""
        laid = np.zeros((n, len(self.coordinates) + 1))
        laid[:, -1] = columns[0]
        for k, column in enumerate(columns[1:]):
            laid[:, k] = column
        return laid

    def __repr__(self) -> str:
        kind, width = self._asked["shape"], self._asked["width"]
        layers = " × ".join(dict.fromkeys(self._asked["activation"]))
        u, x = ", ".join(self.outputs), ", ".join(self.coordinates)
        return f"<rafnet.Network {u}({x}): {kind}, {len(self._asked['activation'])} layers of {width}, {layers}, {self.n_parameters:,} parameters>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._asked,)


def _again(asked: dict[str, Any]) -> Network:
    network = object.__new__(Network)
    network._asked = asked
    network._core = _rafnet.Network(asked)
    return network


def _names(given: int | Sequence[str], what: str, letter: str) -> list[str]:
    if isinstance(given, str):
        return [given]
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool):
        n = _count(what, given)
        if letter == "x" and n <= 3:
            return ["x", "y", "z"][:n]
        return [letter] if n == 1 else [f"{letter}{k + 1}" for k in range(n)]
    names = list(given) if isinstance(given, Sequence) else []
    if not names or not all(isinstance(name, str) and name.isidentifier() for name in names):
        raise OptionError(f"{what}={given!r} cannot be used: expected names, or a number of them", option=what)
    return names


def _count(name: str, value: Any, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least or value >= 2**63 and name != "seed":
        raise OptionError(f"{name}={value!r} cannot be used: expected a whole number from {least}", option=name)
    return int(value)


class Kernel(NamedTuple):
    """A tangent kernel's figures."""

    eigenvalues: Floats
    """In descending order; where parameters are fewer than residuals, as many as those, and the others are zero."""
    condition_number: float | None
    """Largest over smallest; ``None`` where the kernel is singular."""
    effective_rank: float
    """(Σλ)²/Σλ²: from 1 (one direction learns) to n (all learn alike)."""
    matrix: Floats | None
    """The kernel itself, with ``matrix=True``."""


def ntk(
    problem: str | Problem,
    *,
    model: Model | None = None,
    at: Any = None,
    matrix: bool = False,
    mode: str = "f64-svd",
    gaussian_width: float | None = None,
    activation: str | Sequence[str] | None = None,
    width: int | None = None,
    depth: int | None = None,
    init_scale: float | None = None,
    points: int | None = None,
    boundary_points: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    device: str | None = None,
) -> Kernel:
    """The tangent kernel of a problem's residuals, of a fresh network or of a trained ``model``: what `raf ntk` prints.

    >>> import rafnet
    >>> k = rafnet.ntk("regression-jump", width=8, points=10)
    >>> len(k.eigenvalues), k.effective_rank >= 1
    (10, True)
    """
    asked = read(problem)
    given = {
        "activation": activation,
        "width": width,
        "depth": depth,
        "init_scale": init_scale,
        "points": points,
        "boundary_points": boundary_points,
        "seed": seed,
        "threads": threads,
        "device": device,
    }
    if model is not None and not isinstance(model, Model):
        raise OptionError(f"model is {type(model).__name__}, expected a rafnet.Model", hint="rafnet.load reads one", option="model")
    if gaussian_width is not None and not (isinstance(gaussian_width, (int, float)) and np.isfinite(gaussian_width)):
        raise OptionError(f"gaussian_width={gaussian_width!r} cannot be used: expected a positive number", option="gaussian_width")
    places = None if at is None else as_points(asked.coordinates, at)[0]
    values, condition, rank, kernel, n = _rafnet.ntk(
        asked._core,
        options(given, given, "ntk"),
        None if gaussian_width is None else float(gaussian_width),
        mode,
        None if model is None else model._core,
        places,
        matrix,
    )
    whole = None if kernel is None else from_bytes(kernel, (n, n))
    return Kernel(from_bytes(values, (len(values) // 8,)), condition, rank, whole)
