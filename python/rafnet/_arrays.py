"""Arrays as they come from people: converted once, refused by name where they are no numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import PointsError

Floats = npt.NDArray[np.float64]


def floats(values: Any, what: str) -> Floats:
    """``values`` as 64-bit numbers; what was no number, or would lose something, is refused."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise PointsError(
            f"{what} is a masked array with masked entries, which would be taken for numbers",
            hint="choose the entries that count first, such as values.compressed()",
        )
    try:
        array = np.asarray(values)
    except Exception as error:  # whatever an array-like raises
        raise PointsError(f"{what} makes no array: {error}", hint="pass numbers, or a NumPy array of them") from None
    if array.dtype.kind not in "biuf" or array.dtype.kind == "b":
        raise PointsError(
            f"{what} holds {_called(array)}, expected real numbers",
            hint="pass numbers, or a NumPy array of them; complex ones as their real and imaginary parts",
        )
    if array.dtype.itemsize > 8:
        raise PointsError(
            f"{what} holds {array.dtype} numbers, which rafnet does not compute with", hint="convert it by .astype(float)"
        )
    return array.astype(np.float64, copy=False)


def _called(array: npt.NDArray[Any]) -> str:
    kinds = {"b": "booleans", "c": "complex numbers", "U": "texts", "S": "bytes", "M": "dates", "m": "times", "V": "records"}
    if array.dtype == object:
        other = next((v for v in array.flat if not isinstance(v, (int, float))), None)
        return f"objects such as {type(other).__name__}"
    return kinds.get(array.dtype.kind, str(array.dtype))


def by_name(coordinates: Sequence[str], given: Mapping[str, Any]) -> tuple[Floats, tuple[int, ...]]:
    """Coordinates by name, broadcast against each other: points (n × d) and the shape they have together."""
    wrong = [name for name in given if name not in coordinates]
    missing = [name for name in coordinates if name not in given]
    if wrong or missing:
        parts = []
        if wrong:
            parts.append("there is no coordinate " + " and no coordinate ".join(f"`{name}`" for name in wrong))
        if missing:
            parts.append("the coordinate " + " and the coordinate ".join(f"`{name}`" for name in missing) + " is missing")
        raise PointsError("; ".join(parts), hint=f"name each of {', '.join(f'{name}=…' for name in coordinates)}")
    columns = [floats(given[name], f"`{name}`") for name in coordinates]
    try:
        shape = np.broadcast_shapes(*(column.shape for column in columns))
    except ValueError:
        shapes = ", ".join(f"{name} {column.shape}" for name, column in zip(coordinates, columns))
        raise PointsError(
            f"the coordinates' shapes do not go together: {shapes}",
            hint="give arrays of one shape, or shapes that NumPy broadcasts, such as x[:, None] and t[None, :]",
        ) from None
    points = np.empty((*shape, len(columns)))
    for k, column in enumerate(columns):
        points[..., k] = column
    return points.reshape(-1, len(columns)), shape


def as_points(coordinates: Sequence[str], values: Any) -> tuple[Floats, tuple[int, ...]]:
    """An array whose last axis holds the coordinates: points (n × d) and the shape without that axis."""
    array = floats(values, "the array of points")
    d = len(coordinates)
    if d == 1 and not (array.ndim >= 2 and array.shape[-1] == 1):
        return np.ascontiguousarray(array).reshape(-1, 1), array.shape
    if array.ndim == 0 or array.shape[-1] != d:
        raise PointsError(
            f"the array of points has the shape {array.shape}; its last axis must have {d}, for {', '.join(coordinates)}",
            hint=f"pass an array of shape (n, {d}), or the coordinates by name",
        )
    return np.ascontiguousarray(array).reshape(-1, d), array.shape[:-1]


def from_bytes(numbers: bytearray, shape: tuple[int, ...]) -> Floats:
    """Numbers of the compiled module, in place."""
    return np.frombuffer(numbers, dtype=np.float64).reshape(shape)
