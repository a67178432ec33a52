"""What a notebook shows of a model: a picture and the figures that matter, in one piece of HTML that needs nothing else."""

from __future__ import annotations

import base64
import struct
import zlib
from html import escape
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from .model import Model

Floats = npt.NDArray[np.float64]
Bytes = npt.NDArray[np.uint8]

# dark violet to yellow, evenly bright: eleven of the colours of Matplotlib's viridis
_COLOURS = np.array(
    [
        [68, 1, 84],
        [72, 36, 117],
        [65, 68, 135],
        [53, 95, 141],
        [42, 120, 142],
        [33, 145, 140],
        [34, 168, 132],
        [68, 191, 112],
        [122, 209, 81],
        [189, 223, 38],
        [253, 231, 37],
    ],
    dtype=float,
)


def png(pixels: Bytes) -> bytes:
    """A PNG file of (rows, columns, 3 or 4) bytes."""
    height, width, channels = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, -1)], axis=1)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b"")


def coloured(values: Floats) -> Bytes:
    """Numbers as colours from the smallest to the largest; NaN is transparent."""
    finite = np.isfinite(values)
    low, high = (values[finite].min(), values[finite].max()) if finite.any() else (0.0, 1.0)
    unit = np.where(finite, values - low, 0.0) / (high - low if high > low else 1.0)
    places = np.linspace(0, 1, len(_COLOURS))
    colours = np.stack([np.interp(unit, places, _COLOURS[:, c]) for c in range(3)], axis=-1)
    return np.concatenate([colours, np.where(finite, 255.0, 0.0)[..., None]], axis=-1).round().astype(np.uint8)


def image(pixels: Bytes, width: int = 240) -> str:
    """A picture as an element of HTML."""
    height = round(width * pixels.shape[0] / pixels.shape[1])
    data = base64.b64encode(png(pixels)).decode()
    return f'<img alt="" width="{width}" height="{max(60, min(480, height))}" src="data:image/png;base64,{data}">'


def line(x: Floats, values: Floats, width: int = 240, height: int = 120) -> str:
    """A curve as an element of HTML."""
    finite = np.isfinite(values)
    if finite.sum() < 2:
        return ""
    low, high = values[finite].min(), values[finite].max()
    across = (x - x.min()) / (np.ptp(x) or 1.0) * (width - 8) + 4
    up = height - 4 - (values - low) / ((high - low) or 1.0) * (height - 8)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across[finite], up[finite]))
    return (
        f'<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">'
        f'<rect width="{width}" height="{height}" fill="none" stroke="#8888"/>'
        f'<polyline points="{points}" fill="none" stroke="#21918c" stroke-width="1.5"/></svg>'
    )


def drawn(model: Model) -> tuple[str, str]:
    """The first unknown over the domain, and what it is a picture of."""
    bounds = model.bounds
    if bounds is None:
        return "", ""
    unknown, names = model.unknowns[0], list(bounds)
    middle = {name: 0.5 * (low + high) for name, (low, high) in bounds.items()}
    if len(names) == 1:
        x = np.linspace(*bounds[names[0]], 201)
        return line(x, model(unknown, **{names[0]: x})), f"{unknown} over {names[0]}, from {bounds[names[0]][0]:g} to {bounds[names[0]][1]:g}"
    # of several coordinates the first in space across and time, or the second, up
    time = model.time
    space = [name for name in names if name != time]
    across, up = (space[0], time) if time is not None and len(space) == 1 else (space[0], space[1])
    (left, right), (bottom, top) = bounds[across], bounds[up]
    rows = 96 if up == time else int(np.clip(128 * (top - bottom) / (right - left), 32, 192))
    x, y = np.linspace(left, right, 128), np.linspace(top, bottom, rows)
    rest = {name: value for name, value in middle.items() if name not in (across, up)}
    if time in rest and time is not None:
        rest[time] = bounds[time][1]
    values = np.asarray(model(unknown, **{across: x[None, :], up: y[:, None]}, **rest))
    held = ", ".join(f"{name} = {value:g}" for name, value in rest.items())
    said = f"{unknown} over {across} ({left:g} to {right:g}) and {up} ({bottom:g} to {top:g})" + (f", at {held}" if held else "")
    finite = values[np.isfinite(values)]
    if finite.size:
        said += f"; from {finite.min():.3g} to {finite.max():.3g}"
    return image(coloured(values)), said


def html(model: Model) -> str:
    """A model for a notebook."""
    picture, caption = model._drawn()
    rows = "".join(
        f'<tr><td style="text-align:left"><b>{escape(name)}</b></td><td style="text-align:left">{escape(text)}</td></tr>'
        for name, text in model._about()
    )
    return (
        f'<div style="display:flex;gap:1em;align-items:flex-start"><figure style="margin:0">{picture}'
        f'<figcaption style="font-size:80%;max-width:240px">{escape(caption)}</figcaption></figure>'
        f"<div><b>{escape(model._title())}</b><table>{rows}</table></div></div>"
    )
