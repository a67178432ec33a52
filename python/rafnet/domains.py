"""Where an equation holds: the `[domain]` of a problem file, as dictionaries.

>>> box({"x": (-1, 1), "t": (0, 1)}, time="t")
{'kind': 'box', 'x': [-1, 1], 't': [0, 1], 'time': 't'}
>>> difference(box({"x": (0, 2), "y": (0, 2)}), ball(center=(1, 1), radius=0.5))["kind"]
'difference'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ._texts import plain

Domain = dict[str, Any]
"""A `[domain]`."""

__all__ = ["Domain", "annulus", "ball", "box", "difference", "ellipse", "interval", "intersection", "polygon", "union"]


def _domain(kind: str, **keys: Any) -> Domain:
    return {"kind": kind, **{key: plain(value, f"`{key}` of the domain") for key, value in keys.items() if value is not None}}


def box(
    sides: Mapping[str, Sequence[Any]] | None = None,
    *,
    time: str | None = None,
    periodic: str | Sequence[str] | None = None,
    **named: Sequence[Any],
) -> Domain:
    """An interval for each coordinate, in the order of the points' columns; ``time`` names the coordinate that is time.

    >>> box({"x": (0, "2*pi"), "t": (0, 1)}, time="t", periodic="x")
    {'kind': 'box', 'x': [0, '2*pi'], 't': [0, 1], 'time': 't', 'periodic': ['x']}
    >>> box(x=(0, 1), y=(0, 2))
    {'kind': 'box', 'x': [0, 1], 'y': [0, 2]}
    """
    periodic = [periodic] if isinstance(periodic, str) else periodic
    return _domain("box", **dict(sides or {}), **named, time=time, periodic=periodic)


def interval(low: Any, high: Any, name: str = "x", *, time: bool = False) -> Domain:
    """One coordinate, which is time with ``time=True``.

    >>> interval(0, "pi")
    {'kind': 'interval', 'x': [0, 'pi']}
    """
    return _domain("interval", **{name: [low, high]}, time=name if time else None)


def ball(
    center: Sequence[Any] | None = None,
    radius: Any = None,
    *,
    coordinates: Sequence[str] | None = None,
    dimension: int | None = None,
    time: tuple[str, Sequence[Any]] | None = None,
) -> Domain:
    """A disc or a ball; ``time=("t", (0, 1))`` adds time.

    >>> ball(dimension=3)
    {'kind': 'ball', 'dimension': 3}
    """
    return _with_time(_domain("ball", center=center, radius=radius, coordinates=coordinates, dimension=dimension), time)


def annulus(
    inner: Any,
    outer: Any,
    *,
    center: Sequence[Any] | None = None,
    coordinates: Sequence[str] | None = None,
    time: tuple[str, Sequence[Any]] | None = None,
) -> Domain:
    """What lies between two spheres.

    >>> annulus(0.5, 1)
    {'kind': 'annulus', 'inner': 0.5, 'outer': 1}
    """
    return _with_time(_domain("annulus", inner=inner, outer=outer, center=center, coordinates=coordinates), time)


def ellipse(
    axes: Sequence[Any],
    *,
    center: Sequence[Any] | None = None,
    coordinates: Sequence[str] | None = None,
    time: tuple[str, Sequence[Any]] | None = None,
) -> Domain:
    """An ellipse by half of its extent along each coordinate.

    >>> ellipse((2, 1))
    {'kind': 'ellipse', 'axes': [2, 1]}
    """
    return _with_time(_domain("ellipse", axes=axes, center=center, coordinates=coordinates), time)


def polygon(
    vertices: Sequence[Sequence[Any]],
    *,
    coordinates: Sequence[str] | None = None,
    time: tuple[str, Sequence[Any]] | None = None,
) -> Domain:
    """A polygon by its vertices in order; edge 1 joins the first and the second.

    >>> polygon([(0, 0), (1, 0), (0, 1)])
    {'kind': 'polygon', 'vertices': [[0, 0], [1, 0], [0, 1]]}
    """
    return _with_time(_domain("polygon", vertices=vertices, coordinates=coordinates), time)


def union(*parts: Domain, time: tuple[str, Sequence[Any]] | None = None) -> Domain:
    """What lies in any of the parts."""
    return _with_time(_domain("union", parts=parts), time)


def difference(*parts: Domain, time: tuple[str, Sequence[Any]] | None = None) -> Domain:
    """What lies in the first part and in none of the others."""
    return _with_time(_domain("difference", parts=parts), time)


def intersection(*parts: Domain, time: tuple[str, Sequence[Any]] | None = None) -> Domain:
    """What lies in all parts."""
    return _with_time(_domain("intersection", parts=parts), time)


def _with_time(domain: Domain, time: tuple[str, Sequence[Any]] | None) -> Domain:
    if time is None:
        return domain
    name, ends = time
    return {**domain, name: plain(ends, f"`{name}` of the domain"), "time": name}


_WORDS = {"kind", "time", "periodic", "dimension", "each", "coordinates", "center", "radius", "inner", "outer", "vertices", "parts"}


def coordinates_of(domain: Mapping[str, Any]) -> list[str]:
    """Names of a domain's coordinates, in the order of a point's columns.

    >>> coordinates_of(ball(radius=2, time=("t", (0, 1))))
    ['x', 'y', 't']
    """
    own = [name for name in domain if name not in _WORDS]
    time = domain.get("time")
    if domain.get("kind") in ("box", "interval") and "dimension" not in domain:
        return own
    if "coordinates" in domain:
        space = list(domain["coordinates"])
    elif "dimension" in domain:
        space = [f"x{k + 1}" for k in range(int(domain["dimension"]))]
    elif domain.get("parts"):
        space = coordinates_of(domain["parts"][0])
    else:
        space = ["x", "y", "z"][: len(domain.get("center", "xy"))]
    return [*space, time] if time is not None and time not in space else space
