"""Several runs of one problem in one table: values of parameters × seeds, here, in a pool of processes or over a Dask cluster.

A run is a pure function of its task, which is text and numbers, and gives figures and a model as bytes. Only the caller writes files, whole or
not at all, so that a worker that dies leaves nothing behind and its run is made again elsewhere.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import math
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from ._optional import found
from ._texts import options
from .errors import OptionError, ProblemError, RafnetError

if TYPE_CHECKING:
    from .problem import Problem, SolverOptions

__all__ = ["FailedRuns", "Table", "sweep"]

RESULT = "result.json"
MODEL = "model.safetensors"


class FailedRuns(UserWarning):
    """Runs of a sweep that failed, however often they were repeated."""


class Table(Sequence[dict[str, Any]]):
    """Rows by number, columns by name: what `sweep` gives where pandas is not installed.

    >>> table = Table([{"nu": 0.1, "error": 1e-9}, {"nu": 0.05, "error": 2e-9}])
    >>> table["nu"], table[1]["error"], len(table)
    ([0.1, 0.05], 2e-09, 2)
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._rows = [dict(row) for row in rows]
        self.columns = list(dict.fromkeys(name for row in self._rows for name in row))

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            return self._rows[key]
        if key not in self.columns:
            raise KeyError(f"`{key}` is no column; there are {', '.join(self.columns)}")
        return [row.get(key) for row in self._rows]

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Writes the table."""
        import csv

        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.columns)
            writer.writeheader()
            writer.writerows(self._rows)

    def __repr__(self) -> str:
        cells = [self.columns, *([_shown(row.get(name)) for name in self.columns] for row in self._rows)]
        widths = [max(map(len, column)) for column in zip(*cells)] if cells[0] else []
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in cells)

    def _repr_html_(self) -> str:
        from html import escape

        def line(kind: str, cells: Iterable[str]) -> str:
            return "<tr>" + "".join(f"<{kind}>{escape(cell)}</{kind}>" for cell in cells) + "</tr>"

        body = [line("td", (_shown(row.get(name)) for name in self.columns)) for row in self._rows]
        return f"<table>{line('th', self.columns)}{''.join(body)}</table>"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def sweep(
    problem: str | os.PathLike[str] | Problem,
    parameters: Mapping[str, Iterable[float | str]] | None = None,
    *,
    seeds: int | Iterable[int] = 1,
    executor: Any = None,
    folder: str | os.PathLike[str] | None = None,
    repeats: int = 2,
    progress: bool | Callable[[dict[str, Any]], object] = False,
    **given: Unpack[SolverOptions],
) -> Any:
    """Solves a problem for all combinations of values of its parameters and seeds: a table with a row for each run.

    ``seeds`` are how many, from 0 on, or which. ``executor`` is where: ``None`` for this process, one run after the other; a number for a pool
    of so many processes; a Dask ``Client``; or any executor of ``concurrent.futures``. Other processes take one thread a run unless ``threads``
    says otherwise; the answers do not depend on it. The table is a pandas ``DataFrame`` where there is pandas, else a :class:`Table`.

    With a ``folder`` every run leaves its figures and its model there, and the same call again makes what is missing. A run whose worker
    dies or that meets an error of the system is made again, ``repeats`` times; one that fails even so has the outcome ``"failed"`` with
    its reason under ``message``, and is named in a warning of :class:`FailedRuns`.

    >>> import rafnet
    >>> table = rafnet.sweep("burgers", {"nu": [0.2, 0.1]}, seeds=2, target=1e-4)
    >>> list(table["nu"]), list(table["seed"])
    ([0.2, 0.2, 0.1, 0.1], [0, 1, 0, 1])
    """
    from .problem import SolverOptions, read

    asked = read(problem)
    numbers = _seeds(seeds)
    if isinstance(repeats, bool) or not isinstance(repeats, int) or repeats < 0:
        raise OptionError(f"repeats={repeats!r} cannot be used: expected how often a run is made again, from 0", option="repeats")
    if given.get("seed") is not None:
        raise OptionError("seed cannot be given to a sweep", hint="give seeds=[…] instead", option="seed")
    run_by, elsewhere = _run_by(executor)
    if elsewhere:
        given.setdefault("threads", 1)
    texts = options(given, SolverOptions.__annotations__, "sweep")
    choices = _choices(asked, parameters or {})
    root = None if folder is None else Path(folder)
    runs = [_Run(asked, chosen, seed, texts, root) for chosen in choices for seed in numbers]
    rows: dict[int, dict[str, Any]] = {}
    for k, run in enumerate(runs):
        before = run.before()
        if before is not None:
            rows[k] = run.row(before)
    told = _told(progress, len(runs))
    for row in rows.values():
        told(row)
    attempts = dict.fromkeys((k for k in range(len(runs)) if k not in rows), 0)
    for k, attempt in run_by({k: runs[k].task for k in attempts}, repeats):
        if isinstance(attempt, OptionError):
            raise attempt  # every run has the same options
        rows[k] = runs[k].failed(attempt) if isinstance(attempt, BaseException) else runs[k].done(*attempt)
        told(rows[k])
    failed = [runs[k].label for k in sorted(rows) if rows[k]["outcome"] == "failed"]
    if failed:
        warnings.warn(
            f"{len(failed)} of {len(runs)} runs failed: {'; '.join(failed[:5])}{' …' if len(failed) > 5 else ''}; "
            "their reasons are in the column `message`" + ("" if root is None else ", and the same call makes them again"),
            FailedRuns,
            stacklevel=2,
        )
    table = [rows[k] for k in range(len(runs))]
    pandas = found("pandas")
    return Table(table) if pandas is None else pandas.DataFrame(table)


def _seeds(seeds: int | Iterable[int]) -> list[int]:
    if isinstance(seeds, bool) or not (isinstance(seeds, Iterable) or hasattr(seeds, "__index__")):
        raise OptionError(f"seeds={seeds!r} cannot be used: expected how many, or a list of them", option="seeds")
    numbers = range(seeds.__index__()) if not isinstance(seeds, Iterable) else seeds
    try:
        listed = [n.__index__() for n in numbers]
    except AttributeError:
        raise OptionError(f"seeds={seeds!r} cannot be used: expected whole numbers", option="seeds") from None
    if not listed or min(listed) < 0 or len(set(listed)) < len(listed):
        raise OptionError(f"seeds={seeds!r} cannot be used: expected at least one, all different and from 0", option="seeds")
    return listed


def _choices(problem: Problem, parameters: Mapping[str, Iterable[float | str]]) -> list[dict[str, float | str]]:
    """Every choice of one value for each parameter, the last one fastest; one that the problem refuses is refused now."""
    lists: dict[str, list[Any]] = {}
    for name, values in parameters.items():
        if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
            raise ProblemError(f"{name}={values!r} is no list of values", hint=f"write {{{name!r}: [0.1, 0.05]}}")
        lists[name] = [v.item() if hasattr(v, "item") else v for v in values]
        if not lists[name]:
            raise ProblemError(f"there is no value for `{name}`", hint="give at least one, or leave it out")
    chosen = [dict(zip(lists, values)) for values in itertools.product(*lists.values())]
    for values in chosen:
        problem.with_parameters(**values)
    return chosen


class _Run:
    """One run: what is asked of it, where it is kept, its row."""

    def __init__(self, problem: Problem, values: dict[str, Any], seed: int, texts: list[tuple[str, str]], root: Path | None) -> None:
        self.values = values
        self.seed = seed
        parts = [f"{name}={value}" for name, value in values.items()]
        self.label = ", ".join([*parts, f"seed {seed}"])
        self.task: Task = (
            problem.with_parameters(**values).to_toml(),
            problem.name,
            problem._folder and os.path.abspath(problem._folder),
            [*texts, ("seed", str(seed))],
        )
        # what the answer depends on
        text, _, _, given = self.task
        self.asked = {"problem": text, "options": [[n, v] for n, v in given if n not in ("threads", "checkpoint")]}
        name = "-".join([*parts, str(seed)])
        plain = re.sub(r"[^A-Za-z0-9.=-]", "-", name)[:60]
        if plain != name:
            plain += "-" + hashlib.blake2b(name.encode(), digest_size=4).hexdigest()
        self.folder = None if root is None else root / plain

    def before(self) -> dict[str, Any] | None:
        """The figures of a run that was finished before."""
        if self.folder is None or not (self.folder / RESULT).exists():
            return None
        asked: Any = None
        figures: dict[str, Any] = {}
        try:
            kept = json.loads((self.folder / RESULT).read_text(encoding="utf-8"))
            asked, figures = kept["asked"], kept["figures"]
        except (OSError, ValueError, KeyError, TypeError):
            pass
        if asked != self.asked:
            raise OptionError(f"`{self.folder}` holds another run", hint="pass another folder, or remove this one", option="folder")
        return figures

    def done(self, figures: dict[str, Any], model: bytes) -> dict[str, Any]:
        """Keeps a run that was made."""
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            _write(self.folder / MODEL, model)
            kept = {"asked": self.asked, "figures": figures}
            _write(self.folder / RESULT, json.dumps(kept).encode())
        return self.row(figures)

    def failed(self, error: BaseException) -> dict[str, Any]:
        text = str(error).partition("\n")[0]
        return {**self.values, "seed": self.seed, "outcome": "failed", "message": f"{type(error).__name__}: {text}"}

    def row(self, figures: dict[str, Any]) -> dict[str, Any]:
        """What the table says of a run."""

        def number(value: Any) -> Any:
            return math.nan if value is None else value

        row = {**self.values, "seed": self.seed, "outcome": figures["outcome"]}
        row |= {name: number(figures[name]) for name in ("error_estimate", "linf_estimate", "residual")}
        if figures["relative_l2"] is not None:
            row["relative_l2"] = figures["relative_l2"]
        row |= {f"{name} (found)": value for name, value in figures["found"].items()}
        row |= {report["name"]: number(report["value"]) for report in figures["reports"]}
        row |= {f"eigenvalue {k}": pair["value"] for k, pair in enumerate(figures["eigenvalues"], 1)}
        row |= {name: figures[name] for name in ("method", "steps", "seconds", "message")}
        if self.folder is not None:
            row["folder"] = str(self.folder)
        return row


Task = tuple[str, str, str | None, list[tuple[str, str]]]
"""A problem's text, its name, the folder of its data, options."""
Made = tuple[dict[str, Any], bytes]
"""A run's figures and its model."""
Attempts = Iterator[tuple[int, Made | BaseException]]


def make(task: Task) -> Made:
    """One run, wherever this is."""
    from .problem import Problem

    text, name, folder, given = task
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the outcome is in the table
        problem = Problem.from_toml(text, folder=folder, source=f"{name}.toml")
        solved = problem.solve(progress=False, **dict(given))  # type: ignore[arg-type]
    return solved.figures, solved.to_bytes()


def _lasting(error: BaseException) -> bool:
    """Whether it would come again: what rafnet says of the task itself."""
    return isinstance(error, RafnetError) and not isinstance(error, MemoryError)


def _run_by(executor: Any) -> tuple[Callable[[dict[int, Task], int], Attempts], bool]:
    """Who makes runs, and whether that is other processes."""
    if executor is None:
        return _here, False
    if isinstance(executor, int) and not isinstance(executor, bool) and executor > 0:
        return lambda tasks, repeats: _own_pool(executor, tasks, repeats), True
    if type(executor).__module__.partition(".")[0] == "distributed" and hasattr(executor, "scheduler_info"):
        return lambda tasks, repeats: _cluster(executor, tasks, repeats), True
    if hasattr(executor, "submit"):
        return lambda tasks, repeats: _futures(executor, tasks, repeats), True
    raise OptionError(
        f"executor={executor!r} cannot be used: expected a number of processes, a Dask client or an executor of concurrent.futures",
        option="executor",
    )


def _here(tasks: dict[int, Task], repeats: int) -> Attempts:
    for k, task in tasks.items():
        for left in range(repeats, -1, -1):
            try:
                yield k, make(task)
            except Exception as error:
                if left and not _lasting(error):
                    continue
                yield k, error
            break


def _futures(executor: Any, tasks: dict[int, Task], repeats: int) -> Attempts:
    """Over an executor of `concurrent.futures`; one that breaks is the end of its tasks."""
    import concurrent.futures

    left = dict.fromkeys(tasks, repeats)
    waiting = {executor.submit(make, task): k for k, task in tasks.items()}
    try:
        while waiting:
            ended, _ = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in ended:
                k = waiting.pop(future)
                error = future.exception()
                if error is None:
                    yield k, future.result()
                    continue
                if left[k] and not _lasting(error) and not isinstance(error, concurrent.futures.BrokenExecutor):
                    left[k] -= 1
                    with contextlib.suppress(RuntimeError):  # it broke, or was shut down
                        waiting[executor.submit(make, tasks[k])] = k
                        continue
                yield k, error
    finally:
        for future in waiting:
            future.cancel()


def _own_pool(processes: int, tasks: dict[int, Task], repeats: int) -> Attempts:
    """In a pool of our own, which is built anew where one of its processes dies. Nobody can say whose task that was: all that were under way are
    repeated, and what is left then goes through one process a task, so that no task pays for another."""
    import concurrent.futures
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    others = {child.pid for child in multiprocessing.active_children()}
    left, ended = dict(tasks), False
    pool = concurrent.futures.ProcessPoolExecutor(processes, mp_context=context)
    alone = concurrent.futures.ThreadPoolExecutor(processes)
    try:
        for k, made in _futures(pool, left.copy(), repeats):
            if not isinstance(made, concurrent.futures.BrokenExecutor):
                del left[k]
                yield k, made
        waiting = {alone.submit(_alone, context, task, repeats): k for k, task in left.items()}
        for future in concurrent.futures.as_completed(waiting):
            error = future.exception()
            yield waiting[future], future.result() if error is None else error
        ended = True
    finally:
        alone.shutdown(wait=False, cancel_futures=True)
        pool.shutdown(wait=ended, cancel_futures=True)
        # the interrupt key: nobody waits for the runs that are under way
        for child in multiprocessing.active_children():
            if not ended and child.pid not in others:
                child.terminate()


def _alone(context: Any, task: Task, repeats: int) -> Made:
    """One task in a process of its own, again where that dies."""
    import concurrent.futures

    for left in range(repeats, -1, -1):
        try:
            with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
                return pool.submit(make, task).result()
        except Exception as error:
            if not left or _lasting(error):
                raise
    raise AssertionError("the last time ends it")


def _cluster(client: Any, tasks: dict[int, Task], repeats: int) -> Attempts:
    """Over a Dask cluster, which itself gives the tasks of a worker that died to others, a few times; then they are handed in again."""
    import distributed

    left = dict.fromkeys(tasks, repeats)
    waiting: dict[str, tuple[Any, int]] = {}

    def submit(k: int) -> Any:
        future = client.submit(make, tasks[k], pure=False)
        waiting[future.key] = (future, k)
        return future

    ended: Any = distributed.as_completed([submit(k) for k in tasks])
    try:
        for future in ended:
            _, k = waiting.pop(future.key)
            try:
                made = future.result()
            except Exception as error:
                if left[k] and not _lasting(error):
                    left[k] -= 1
                    ended.add(submit(k))
                    continue
                made = error
            yield k, made
    finally:
        client.cancel([future for future, _ in waiting.values()])


def _write(path: Path, content: bytes) -> None:
    """A file, whole or not at all."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _told(progress: Any, count: int) -> Callable[[dict[str, Any]], object]:
    """Who hears of every run that ended."""
    if callable(progress):
        return lambda row: progress(row)
    if not isinstance(progress, bool):
        raise OptionError(f"progress={progress!r} cannot be used: expected True, False or a function that takes a row", option="progress")
    if not progress:
        return lambda row: None
    tqdm = found("tqdm.auto")
    if tqdm is not None:
        bar = tqdm.tqdm(total=count, unit="run")

        def one_more(row: dict[str, Any]) -> None:
            bar.update()
            if bar.n == count:
                bar.close()

        return one_more
    ended = itertools.count(1)
    return lambda row: print(f"{next(ended)} of {count}: {row['outcome']}", file=sys.stderr)
