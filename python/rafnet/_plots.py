"""Figures with matplotlib: lines over one coordinate, maps over two, at several times; beside them the error, where it is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from ._optional import need
from .errors import PointsError
from .solution import Solution

if TYPE_CHECKING:
    from .model import Model

TIMES = 4  # maps of a function of space and time


def plot(model: Model, texts: tuple[str, ...], times: Iterable[float] | None, at: dict[str, Any]) -> Any:
    """A row of axes for each text."""
    pyplot = need("matplotlib.pyplot", "plot")
    bounds = model.bounds
    if bounds is None:
        raise PointsError("the model knows no domain, so there is nothing to draw", hint="evaluate it at points of your own")
    wrong = [name for name in at if name not in bounds]
    if wrong:
        raise PointsError(f"there is no coordinate `{wrong[0]}` to be held", hint=f"the coordinates are {', '.join(bounds)}")
    time = model.time
    space = [name for name in bounds if name != time and name not in at]
    held = dict(at)
    for name in space[2:]:
        held[name] = 0.5 * sum(bounds[name])
    shown = space[:2]
    moments: list[float | None] = [None]
    if time is not None and time not in at:
        if not shown:
            shown = [time]
        elif times is not None:
            moments = [float(t) for t in times]
        elif len(shown) == 1:
            shown = [shown[0], time]
        else:
            moments = list(np.linspace(*bounds[time], TIMES))
    asked = texts or model.unknowns[:1]
    draw = _lines if len(shown) == 1 else _maps
    rows = [_row(model, text, shown, held, moments, time) for text in asked]
    width = max(len(row) for row in rows) if draw is _maps else max(len({name for name, *_ in row}) for row in rows)
    figure, axes = pyplot.subplots(len(rows), width, squeeze=False, figsize=(4.2 * width, 3.4 * len(rows)), layout="constrained")
    for row, places in zip(rows, axes):
        for place in places[draw(figure, places, row, shown) :]:
            place.set_axis_off()
    title = ", ".join(f"{name} = {value:g}" for name, value in held.items() if np.ndim(value) == 0)
    if title:
        figure.suptitle(title)
    return figure


def _row(model: Model, text: str, shown: list[str], held: dict[str, Any], moments: list[float | None], time: str | None) -> list[Any]:
    """(title, moment, axes, values) of a text at every moment, then of its error."""
    bounds = model.bounds or {}
    axes = [np.linspace(*bounds[name], 401 if len(shown) == 1 else 161) for name in shown]
    mesh = np.meshgrid(*axes, indexing="ij")
    row, errors = [], []
    for moment in moments:
        given = {**held, **({} if moment is None or time is None else {time: moment})}
        full = {**given, **dict(zip(shown, mesh))}
        points = np.stack([np.broadcast_to(np.asarray(full[name], dtype=float), mesh[0].shape) for name in bounds], axis=-1)
        row.append((text, moment, axes, model.at(points, text)))
        wrong = model.error(points, text) if isinstance(model, Solution) and text in model.unknowns else None
        if wrong is not None:
            values = np.where(np.isfinite(row[-1][3]), wrong, np.nan)
            errors.append((f"error of {text}", moment, axes, values))
    return row + errors


def _lines(figure: Any, places: Any, row: list[Any], shown: list[str]) -> int:
    titles = list(dict.fromkeys(title for title, *_ in row))
    for place, title in zip(places, titles):
        for _, moment, axes, values in (one for one in row if one[0] == title):
            place.plot(axes[0], values, label=None if moment is None else f"{moment:.3g}")
        place.set(title=title, xlabel=shown[0])
        if any(moment is not None for _, moment, *_ in row):
            place.legend(title="time", fontsize="small")
    return len(titles)


def _maps(figure: Any, places: Any, row: list[Any], shown: list[str]) -> int:
    for place, (title, moment, axes, values) in zip(places, row):
        symmetric = title.startswith("error")
        most = np.nanmax(np.abs(values)) if symmetric and np.isfinite(values).any() else None
        limits = {"vmin": -most, "vmax": most, "cmap": "RdBu_r"} if most else {}
        mesh = place.pcolormesh(axes[0], axes[1], values.T, shading="gouraud", rasterized=True, **limits)
        figure.colorbar(mesh, ax=place)
        place.set(title=title if moment is None else f"{title}, {moment:.3g}", xlabel=shown[0], ylabel=shown[1])
    return len(row)
