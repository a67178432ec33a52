"""Problems: equations, conditions and data on a domain, in Python or as a text file, which are the same."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np

from . import _rafnet, _toml
from ._arrays import Floats, floats
from ._texts import options, plain
from .domains import Domain, coordinates_of
from .errors import (
    Contradictory,
    ContradictoryWarning,
    Interrupted,
    ProblemError,
    ProblemWarning,
    Stalled,
    StalledWarning,
)
from .solution import Solution, solution

__all__ = ["Problem", "SolverOptions", "builtin_problems", "data", "solve"]

Text = Any
"""A text, a number, or an expression of SymPy's."""

Progress = bool | Callable[[dict[str, Any]], object] | None
"""``True`` for a bar, ``None`` for a bar in notebooks and terminals only once it takes longer, or a function that is told."""


class SolverOptions(TypedDict, total=False):
    """The options of a solution, those of `raf solve`; what is left out is the default."""

    method: str
    preset: str
    activation: str | Sequence[str]
    width: int
    pieces: int
    slabs: int
    depth: int
    steps: int
    points: int
    boundary_points: int
    lr: float
    schedule: str
    init_scale: float
    gaussian_width: float
    weight_decay: float
    resnet: str
    sharing: str
    mode: str
    precision: str
    device: str
    time_limit: float
    target: float
    checkpoint: float
    threads: int
    seed: int


class Problem:
    """A problem: what a problem file says, in Python.

    Every argument is a part of the file (`docs/reference/problem-file.md`): a text, a number or an expression of SymPy's wherever the file
    has a text, dictionaries for its tables, lists where there are several. ``boundary`` may be short, ``{"x": 0, "x=1": {"neumann": 1}}``,
    and so may ``initial``, ``"-sin(pi*x)"``.

    >>> import rafnet
    >>> p = rafnet.Problem(
    ...     domain=rafnet.box({"x": (-1, 1), "t": (0, 1)}, time="t"),
    ...     equation="u_t + u*u_x - nu*u_xx",
    ...     parameters={"nu": 0.05},
    ...     boundary={"x": 0},
    ...     initial="-sin(pi*x)",
    ... )
    >>> p.coordinates, p.unknowns
    (('x', 't'), ('u',))
    >>> rafnet.Problem.from_toml(p.to_toml()) == p
    True
    """

    def __init__(
        self,
        domain: Domain,
        equation: Text | Sequence[Text] | None = None,
        *,
        unknowns: str | Sequence[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        functions: Mapping[str, Text] | None = None,
        features: Mapping[str, Text] | None = None,
        boundary: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        initial: Text | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        condition: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        data: Any = None,
        report: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
        exact: Text | Mapping[str, Text] | None = None,
        ansatz: Mapping[str, Text] | None = None,
        guess: Text | Mapping[str, Text] | None = None,
        eigenvalue: Mapping[str, Any] | None = None,
        source: str | None = None,
        name: str | None = None,
        about: str | None = None,
        network: Mapping[str, Any] | None = None,
        solver: Mapping[str, Any] | None = None,
        trained: Mapping[str, Any] | None = None,
    ) -> None:
        several = [unknowns] if isinstance(unknowns, str) else unknowns
        first = several[0] if several else "u"
        document: dict[str, Any] = {}

        def put(key: str, value: Any) -> None:
            if value is not None:
                document[key] = plain(value, f"`{key}`")

        put("name", name)
        put("about", about)
        put("unknowns", several)
        if not isinstance(domain, Mapping):
            raise ProblemError(
                f"the domain is {type(domain).__name__}, expected one such as rafnet.box({{'x': (0, 1)}})", hint="see rafnet.domains"
            )
        put("domain", domain)
        put("parameters", parameters)
        put("functions", functions)
        put("features", features)
        if equation is not None:
            if isinstance(equation, Mapping):
                put("equation", equation)
            else:
                put("equation", {"residual": equation, "source": source})
        put("eigenvalue", eigenvalue)
        put("boundary", None if boundary is None else _boundary(boundary, list(several or ["u"])))
        put("initial", initial if initial is None or isinstance(initial, (Mapping, list, tuple)) else {first: initial})
        put("condition", condition)
        put("data", None if data is None else _data(data, domain, list(several or ["u"])))
        put("report", _named(report))
        put("exact", exact if exact is None or isinstance(exact, Mapping) else {first: exact})
        put("ansatz", ansatz)
        put("guess", guess if guess is None or isinstance(guess, Mapping) else {first: guess})
        put("network", network)
        put("solver", solver)
        put("trained", trained)
        self._core: _rafnet.Problem = _rafnet.Problem.from_text(_toml.written(document), name or "problem", None)
        self._folder: str | None = None

    @classmethod
    def _of(cls, core: _rafnet.Problem, folder: str | None = None) -> Problem:
        problem = object.__new__(cls)
        problem._core = core
        problem._folder = folder
        return problem

    @classmethod
    def from_toml(cls, text: str, *, folder: str | os.PathLike[str] | None = None, source: str = "problem.toml") -> Problem:
        """The problem of a text; ``folder`` is where its data files are, ``source`` what messages call it."""
        if not isinstance(text, str):
            raise ProblemError(f"the text is {type(text).__name__}, expected a text", hint="a file is read by Problem.from_file")
        place = None if folder is None else os.fspath(folder)
        return cls._of(_rafnet.Problem.from_text(text, source, place), place)

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> Problem:
        """The problem of a file."""
        path = Path(path)
        return cls._of(_rafnet.Problem.from_file(str(path)), str(path.parent))

    @classmethod
    def builtin(cls, name: str) -> Problem:
        """A built-in problem; :func:`builtin_problems` lists them.

        >>> import rafnet
        >>> rafnet.Problem.builtin("burgers").parameters["nu"]
        0.1
        """
        return cls._of(_rafnet.Problem.builtin(name))

    def to_toml(self) -> str:
        """The problem file."""
        return self._core.text

    def document(self) -> dict[str, Any]:
        """The problem file as dictionaries and lists."""
        import tomllib

        return tomllib.loads(self._core.text)

    @property
    def name(self) -> str:
        """Its name."""
        return self._core.name

    @property
    def about(self) -> str:
        """One line on it."""
        return self._core.about

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates, in the order of a point's columns."""
        return tuple(self._core.coordinates)

    @property
    def unknowns(self) -> tuple[str, ...]:
        """Names of the unknown functions."""
        return tuple(self._core.unknowns)

    @property
    def sought(self) -> tuple[str, ...]:
        """Names of the parameters that are sought."""
        return tuple(self._core.sought)

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters as its file has them."""
        return dict(self.document().get("parameters", {}))

    def with_parameters(self, **values: float | str) -> Problem:
        """The same problem with other values for some of its parameters.

        >>> import rafnet
        >>> rafnet.Problem.builtin("burgers").with_parameters(nu=0.02).parameters["nu"]
        0.02
        """
        core = self._core
        for name, value in values.items():
            core = core.with_value(name, _parameter(name, value))
        return self._of(core, self._folder)

    def solve(
        self,
        *,
        parameters: Mapping[str, float | str] | None = None,
        progress: Progress = None,
        strict: bool = False,
        **given: Unpack[SolverOptions],
    ) -> Solution:
        """Solves the problem; :func:`solve` says more.

        >>> import rafnet
        >>> s = rafnet.Problem.builtin("logistic").solve(threads=1, seed=3)
        >>> s.relative_l2 < 1e-9
        True
        """
        problem = self.with_parameters(**parameters) if parameters else self
        texts = options(given, SolverOptions.__annotations__, "solve")
        for sentence in problem._core.warnings:
            warnings.warn(sentence, ProblemWarning, stacklevel=3)
        from ._progress import shown

        with shown(progress, problem.name) as told:
            text, models, succeeded, asked = _rafnet.solve(problem._core, texts, told)
        best = solution(problem, text, models, succeeded) if text else None
        if asked is not None:
            if isinstance(asked, KeyboardInterrupt):
                has = f"; its best so far ({best.error_estimate:.0e} estimated) is in .best" if best else " before there was a first solution"
                raise Interrupted(f"`{problem.name}` was interrupted{has}", best) from None
            raise asked
        assert best is not None
        _judge(best, strict)
        return best

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Problem):
            return NotImplemented
        return self._core.text == other._core.text or self.document() == other.document()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<rafnet.Problem {self.name}: {', '.join(self.unknowns)}({', '.join(self.coordinates)})>"

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self.to_toml())}</pre>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _problem_again, (self._core.text, self.name, self._folder)


def _problem_again(text: str, source: str, folder: str | None) -> Problem:
    return Problem.from_toml(text, folder=folder, source=f"{source}.toml")


def _judge(found: Solution, strict: bool) -> None:
    """A poor answer is said, or raised."""
    said = f"`{found.problem.name}` is {found.outcome}: " + (found.message or "the answer is poor")
    kind: type[Contradictory | Stalled]
    warning: type[UserWarning]
    if found.outcome == "contradictory":
        kind, warning = Contradictory, ContradictoryWarning
    elif not found.succeeded:
        kind, warning = Stalled, StalledWarning
    else:
        return
    if strict:
        error = kind(said, hint="the nearest that was found is in .solution")
        error.solution = found
        raise error
    warnings.warn(said, warning, stacklevel=4)


def solve(
    problem: str | os.PathLike[str] | Problem,
    *,
    parameters: Mapping[str, float | str] | None = None,
    progress: Progress = None,
    strict: bool = False,
    **given: Unpack[SolverOptions],
) -> Solution:
    """Solves a problem: a `.toml` file, the name of a built-in one, or a :class:`Problem`. The same bits as `raf solve`.

    ``parameters`` are other values for its parameters; ``progress=True`` shows a bar, a function is told instead. An answer that is poor
    (`"stalled"`) or to a problem that no function solves (`"contradictory"`) comes with a warning; with ``strict=True`` it is an
    exception. Ctrl-C raises :class:`Interrupted`, with the best so far in ``.best``.

    >>> import rafnet
    >>> s = rafnet.solve("heat", target=1e-6)
    >>> s.outcome, s.residual <= 1e-6
    ('target reached', True)
    >>> bool(abs(s(x=1.0, t=0.5)) < 1e-5)
    True

    Options:

    """
    return read(problem).solve(parameters=parameters, progress=progress, strict=strict, **given)


def read(problem: str | os.PathLike[str] | Problem) -> Problem:
    """The problem that is meant: a file, a built-in one's name, or one that is there."""
    if isinstance(problem, Problem):
        return problem
    if isinstance(problem, (str, os.PathLike)):
        path = Path(problem)
        if path.suffix == ".toml" or path.is_file():
            return Problem.from_file(path)
        return Problem.builtin(os.fspath(problem))
    raise ProblemError(
        f"a problem was expected, this is {type(problem).__name__}", hint="pass a file, the name of a built-in problem or a rafnet.Problem"
    )


def builtin_problems() -> dict[str, str]:
    """The built-in problems with a line on each.

    >>> import rafnet
    >>> "burgers" in rafnet.builtin_problems()
    True
    """
    return dict(_rafnet.builtin_names())


def data(table: Any, *, observe: Text | None = None, sigma: Text | None = None) -> dict[str, Any]:
    """Observations for a problem's ``data``: an array with the coordinates' columns first, a DataFrame or a dictionary with columns by
    name; ``observe`` is what was observed where that is no unknown, ``sigma`` the noise.

    >>> import rafnet
    >>> rafnet.data([[0.0, 1.0], [0.5, 2.0]], sigma=0.1)
    {'table': [[0.0, 1.0], [0.5, 2.0]], 'observe': None, 'sigma': 0.1}
    """
    return {"table": table, "observe": observe, "sigma": sigma}


_SHORT = {"dirichlet", "neumann", "robin", "residual", "enforce", "weight", "points", "unknown", "on"}


def _boundary(boundary: Any, unknowns: list[str]) -> list[dict[str, Any]]:
    """`[[boundary]]` from its short form."""
    if not isinstance(boundary, Mapping):
        return [dict(one) for one in boundary]
    if "on" in boundary:
        return [dict(boundary)]
    tables: list[dict[str, Any]] = []
    for on, value in boundary.items():
        if isinstance(value, Mapping) and set(value) <= set(unknowns) and not set(value) & _SHORT:
            for unknown, one in value.items():
                kind = dict(one) if isinstance(one, Mapping) else {"dirichlet": one}
                tables.append({"on": on, "unknown": unknown, **kind})
        elif isinstance(value, Mapping):
            tables.append({"on": on, **value})
        else:
            tables.append({"on": on, "dirichlet": value})
    return tables


def _named(report: Any) -> Any:
    """`[[report]]`: by name, or as the file has it."""
    if isinstance(report, Mapping) and "name" not in report:
        return [{"name": name, **({"integral": what} if not isinstance(what, Mapping) else what)} for name, what in report.items()]
    return [report] if isinstance(report, Mapping) else report


def _data(given: Any, domain: Domain, unknowns: list[str]) -> list[dict[str, Any]]:
    """`[[data]]` from arrays and tables."""
    tables = [given]
    if isinstance(given, (list, tuple)) and given and all(isinstance(one, Mapping) for one in given):
        tables = list(given)
    return [_table(one, domain, unknowns) for one in tables]


def _table(given: Any, domain: Domain, unknowns: list[str]) -> dict[str, Any]:
    if isinstance(given, Mapping) and ("file" in given or "rows" in given):
        return dict(given)
    keys: dict[str, Any] = {}
    if isinstance(given, Mapping) and "table" in given:
        keys = {key: given[key] for key in ("observe", "sigma") if given.get(key) is not None}
        given = given["table"]
    if isinstance(given, Mapping) or hasattr(given, "columns"):
        array = _columns(given, coordinates_of(domain), unknowns, keys)
    else:
        array = floats(given, "the array of observations")
    if array.ndim != 2:
        raise ProblemError(
            f"the observations have the shape {array.shape}, expected rows of coordinates and values", hint="pass an array of shape (n, d + 1)"
        )
    return {"rows": array.tolist(), **keys}


def _columns(given: Any, coordinates: list[str], unknowns: list[str], keys: dict[str, Any]) -> Floats:
    """Columns by name as rows: coordinates, then the unknowns (NaN where they were not observed) or what else was observed."""
    names = [str(name) for name in (given.keys() if isinstance(given, Mapping) else given.columns)]
    there = ", ".join(names)
    missing = [name for name in coordinates if name not in names]
    if missing:
        raise ProblemError(f"the observations have no column `{missing[0]}`; there are {there}", hint="name the columns as the coordinates")
    columns = {name: floats(given[name], f"the column `{name}` of the observations").ravel() for name in names}
    if len({len(column) for column in columns.values()}) > 1:
        said = ", ".join(f"{name} {len(column)}" for name, column in columns.items())
        raise ProblemError(f"the observations' columns have different lengths: {said}", hint="give a value for each point")
    observed = [name for name in names if name not in coordinates]
    if observed and set(observed) <= set(unknowns) and "observe" not in keys:
        nothing = np.full(len(columns[names[0]]), np.nan)
        values = [columns.get(name, nothing) for name in unknowns]
    elif len(observed) == 1:
        keys.setdefault("observe", observed[0])
        values = [columns[observed[0]]]
    else:
        raise ProblemError(
            f"what was observed is not clear from the columns {there}",
            hint="name columns as the unknowns, or pass one column more than there are coordinates with rafnet.data(…, observe=\"k*u_x\")",
        )
    return np.stack([*(columns[name] for name in coordinates), *values], axis=-1)


def _parameter(name: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    number = plain(value, f"the parameter `{name}`")
    if isinstance(number, bool) or not isinstance(number, (int, float, str)):
        raise ProblemError(f"{name}={value!r} cannot be a parameter's value", hint="pass a number, or a text that comes out as one")
    return number if isinstance(number, str) else repr(number)
