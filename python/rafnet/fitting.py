"""Fits: a picture, a sound, a video, a table or any sampled function as a network."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from . import _rafnet
from ._arrays import Floats, floats
from ._texts import options
from .errors import FitError, Interrupted, OptionError, PointsError
from .model import Model
from .problem import Progress

__all__ = ["Fit", "FitOptions", "Signal", "fit"]

KINDS = ("image", "audio", "video", "table", "array")
MOST_INPUTS = 10
_ENDINGS = {
    "image": (".png", ".jpg", ".jpeg"),
    "audio": (".wav",),
    "video": (".mp4", ".gif"),
    "table": (".csv",),
}


class FitOptions(TypedDict, total=False):
    """The options of a fit, those of `raf fit`; what is left out is the default for the kind of signal."""

    preset: str
    activation: str
    width: int
    depth: int
    init_scale: float
    steps: int
    batch: int | str
    lr: float
    schedule: str
    optimiser: str
    displaced: float
    precision: str
    device: str
    holdout: str
    supervise: str
    size: str | tuple[int, int]
    grey: bool
    mono: bool
    inputs: str | Sequence[str]
    outputs: str | Sequence[str]
    target: float
    time_limit: float
    look: int
    checkpoint: float
    seed: int
    threads: int


class Signal(Model):
    """A fitted signal: a model in the signal's own units.

    Pictures take (row, column) from −1 to 1 and videos (t, row, column); their values lie between 0 and 1. All channels are answered
    together, the last axis.
    """

    _kind: str
    _signal: dict[str, Any]

    def __init__(self, core: _rafnet.Model) -> None:
        super().__init__(core)
        region = core.region
        self._signal = json.loads(region) if region else {}
        self._kind = self._signal.get("kind", "table")

    @property
    def kind(self) -> str:
        """``"image"``, ``"audio"``, ``"video"`` or ``"table"`` (arrays too)."""
        return self._kind

    def _usual(self) -> tuple[str, ...]:
        return self.unknowns

    def render(
        self,
        size: tuple[int, int] | None = None,
        *,
        region: tuple[int, int, int, int] | None = None,
        rate: float | None = None,
        frames: int | None = None,
    ) -> Floats:
        """The signal sampled anew: a picture (rows, columns[, channels]) of ``size=(width, height)`` pixels, within 0 and 1, of a
        ``region`` (x0, y0, x1, y1) in pixels of the original, both corners included; a sound (samples[, channels]) at ``rate``; a video
        (frames, rows, columns, 3).

        >>> import rafnet
        >>> m = rafnet.fit(kind="image", size=(32, 32), width=32, steps=50)
        >>> m.render(size=(64, 48)).shape
        (48, 64)
        """
        about = self._signal
        if self.kind == "audio":
            _only("a sound", "rate", size=size, region=region, frames=frames)
            own = about["rate"]
            n = max(1, round(about["samples"] * (rate or own) / own)) if rate is None or rate > 0 else 0
            if not 1 <= n <= 1_000_000_000:
                raise OptionError(f"rate={rate} cannot be used: that would be {n} samples", hint=f"its own rate is {own}", option="rate")
            (low, high) = (self.bounds or {})[self.coordinates[0]]
            samples: Floats = self.at(np.linspace(low, high, n)[:, None])
            return samples
        if self.kind in ("image", "video"):
            width, height = _size(size, about)
            columns, rows = about["width"], about["height"]
            x0, y0, x1, y1 = _region(region, columns, rows)
            if region is not None and size is None:
                width, height = x1 - x0 + 1, y1 - y0 + 1
            across, down = _axis(columns, x0, x1, width), _axis(rows, y0, y1, height)
            if self.kind == "image":
                _only("a picture", "size and region", rate=rate, frames=frames)
                pixels: Floats = np.clip(self(row=down[:, None], column=across[None, :]), 0.0, 1.0)
                return pixels
            _only("a video", "size, region and frames", rate=rate)
            n = about["frames"] if frames is None else frames
            if not isinstance(n, int) or n < 1:
                raise OptionError(f"frames={frames!r} cannot be used: expected a whole number from 1", option="frames")
            video = np.empty((n, height, width, 3))
            for k, t in enumerate(np.linspace(-1.0, 1.0, n) if n > 1 else [0.0]):
                video[k] = np.clip(self(t=t, row=down[:, None], column=across[None, :]), 0.0, 1.0)
            return video
        raise FitError("a fitted table has no pixels, samples or frames to render", hint="call it at points: m(points) or m(x=…)")

    def _drawn(self) -> tuple[str, str]:
        from . import _pictures

        if self.kind in ("image", "video"):
            about = self._signal
            scale = min(1.0, 240 / max(about["width"], about["height"]))
            size = (max(1, round(about["width"] * scale)), max(1, round(about["height"] * scale)))
            pixels = self.render(size) if self.kind == "image" else self.render(size, frames=1)[0]
            pixels = pixels if pixels.ndim == 3 else pixels[..., None]
            pixels = {1: np.repeat(pixels, 3, -1), 2: np.concatenate([np.repeat(pixels[..., :1], 3, -1), pixels[..., 1:]], -1)}.get(
                pixels.shape[-1], pixels
            )
            return _pictures.image((pixels * 255).round().astype(np.uint8)), f"{about['width']} × {about['height']} pixels"
        return super()._drawn()


class Fit(Signal):
    """A fit with its quality.

    >>> import numpy as np, rafnet
    >>> x = np.linspace(-1, 1, 101)
    >>> m = rafnet.fit(np.sin(3 * x), width=16, steps=1000)
    >>> float(abs(m(x=0.5) - np.sin(1.5))) < 0.05
    True
    >>> m.gradient([[0.0]]).shape
    (1, 1)
    """

    figures: dict[str, Any]
    """Every figure, as `raf fit --json` prints it."""

    def __init__(self, core: _rafnet.Model, figures: dict[str, Any]) -> None:
        super().__init__(core)
        self.figures = figures

    @property
    def outcome(self) -> str:
        """How it ended: `"all steps taken"`, `"lossless"`, `"target reached"`, `"budget spent"`, `"diverged"` or `"stopped"`."""
        return str(self.figures["outcome"])

    @property
    def psnr(self) -> float | None:
        """Quality at the samples that were trained on, in dB; tables and arrays have none."""
        quality: float | None = self.figures["psnr"]
        return quality

    @property
    def psnr_heldout(self) -> float | None:
        """The same at the samples that were held out."""
        quality: float | None = self.figures["psnr_heldout"]
        return quality

    @property
    def mse(self) -> float:
        """Mean square difference at the samples: of pictures in [0, 1], of sounds over the largest amplitude, of tables over the deviation;
        NaN of a fit that was interrupted."""
        mse = self.figures["mse"]
        return math.nan if mse is None else float(mse)

    @property
    def ssim(self) -> float | None:
        """Structural similarity of a picture."""
        similarity: float | None = self.figures["ssim"]
        return similarity

    @property
    def lossless(self) -> bool | None:
        """Whether every step of an 8- or 16-bit picture is as it was."""
        lossless: bool | None = self.figures["lossless"]
        return lossless

    def _about(self) -> list[tuple[str, str]]:
        figures = self.figures
        lines = [("outcome", f"{self.outcome} after {figures['steps']:,} steps, {figures['seconds']:.1f} s")]
        if self.psnr is not None:
            lines.append(("quality", f"{self.psnr:.2f} dB"))
        if self.lossless:
            lines.append(("lossless", "yes, bit for bit"))
        if self.psnr_heldout is not None:
            lines.append(("between the samples", f"{self.psnr_heldout:.2f} dB"))
        elif figures["mse_heldout"] is not None:
            lines.append(("held-out error", f"{figures['mse_heldout']:.2e}"))
        if not math.isnan(self.mse):
            lines.append(("mean square error", f"{self.mse:.2e}"))
        lines.append(("network", f"{figures['activation']}, {self.n_parameters:,} parameters"))
        return lines


def fit(
    source: Any = None,
    *,
    kind: str | None = None,
    points: Any = None,
    axes: Mapping[str, Any] | None = None,
    rate: float | None = None,
    progress: Progress = None,
    **given: Unpack[FitOptions],
) -> Fit:
    """Fits a network to a file or to numbers. The same bits as `raf fit`.

    ``source`` is a path (PNG, JPEG, WAV, MP4, GIF, a folder of frames, CSV), an array, or a table (a DataFrame or a dictionary of
    columns); without one the embedded sample of the ``kind`` is fitted. What an array is, ``kind`` says:

    - ``"array"``, the default: a function sampled on a regular grid of up to ten axes, which reach from −1 to 1 and are called x, y, z or x1, x2, …;
      ``axes={"x": X, "t": T}`` names and places them. With ``points`` (n × d) the values (n or n × m) lie there.
    - ``"image"``, the default for whole numbers of 8 and 16 bits: (rows, columns[, channels]), or real numbers from 0 to 1.
    - ``"audio"``: (samples[, channels]) with ``rate``; ``"video"``: (frames, rows, columns, 3) of 8 bits with ``rate``, frames a second.
    - ``"table"``: ``inputs`` and ``outputs`` name columns.

    >>> import numpy as np, rafnet
    >>> x, y = np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 2, 21), indexing="ij")
    >>> m = rafnet.fit(x * y, axes={"x": x[:, 0], "y": y[0]}, width=16, steps=500)
    >>> m.coordinates, m.bounds["y"]
    (('x', 'y'), (0.0, 2.0))

    Options:

    """
    from ._progress import shown

    if kind is not None and kind not in KINDS:
        raise OptionError(f"kind={kind!r} cannot be used: expected one of {', '.join(KINDS)}", option="kind")
    options({name: None for name in given}, FitOptions.__annotations__, "fit")
    path, array, kind = _source(source, kind, points, axes, rate, given)
    size = given.get("size")
    if isinstance(size, tuple):
        given["size"] = "x".join(str(side) for side in size)
    texts = options(given, FitOptions.__annotations__, "fit")
    with shown(progress, f"fit of {'a sample' if source is None else kind}") as told:
        text, core, asked = _rafnet.fit("table" if kind == "array" else kind, path, array, texts, told)
    found = Fit(core, json.loads(text))
    if asked is not None:
        if isinstance(asked, KeyboardInterrupt):
            raise Interrupted("the fit was interrupted; what it had by then is in .best", found) from None
        raise asked
    return found


def _source(
    source: Any, kind: str | None, points: Any, axes: Mapping[str, Any] | None, rate: float | None, given: Any
) -> tuple[str | None, dict[str, Any] | None, str]:
    """What is fitted: a path or an array, and its kind."""
    if isinstance(source, (str, os.PathLike)):
        if points is not None or axes is not None:
            raise OptionError("`points` and `axes` are for arrays, and a file was given", hint="leave them out")
        return os.fspath(source), None, kind or _kind_of(Path(source))
    if source is None:
        if kind is None or kind in ("table", "array"):
            raise FitError("there is nothing to fit", hint='pass a path or an array, or kind="image", "audio" or "video" for a sample')
        return None, None, kind
    if isinstance(source, Mapping) or (hasattr(source, "columns") and hasattr(source, "keys")):
        if kind not in (None, "table"):
            raise OptionError(f"columns were given, and kind={kind!r}", hint='leave `kind` out, or pass kind="table"', option="kind")
        return None, _columns(source, given), "table"
    for name in ("inputs", "outputs"):
        if given.get(name) is not None:
            raise OptionError(
                f"{name}={given[name]!r} names columns of a table, and this is an array", hint="pass a dictionary of columns", option=name
            )
    values = _values(source)
    if kind is None:
        whole = values.dtype in (np.uint8, np.uint16) and values.ndim in (2, 3) and points is None and axes is None
        kind = "image" if whole else "array"
    if points is not None or axes is not None:
        if kind not in ("array", "table"):
            raise OptionError(f"`points` and `axes` are for arrays, and kind={kind!r}", option="kind")
        return None, _scattered(values, points, axes), "array"
    taken = {"image": _image, "audio": _sound, "video": _video, "array": _array, "table": _array}[kind](values, rate)
    return None, taken, kind


def _values(source: Any) -> npt.NDArray[Any]:
    """The array as it is: its type may say that it is a picture."""
    if isinstance(source, np.ma.MaskedArray):
        return floats(source, "the array")
    try:
        return np.asarray(source)
    except Exception as error:  # whatever an array-like raises
        raise FitError(f"what is to be fitted makes no array: {error}", hint="pass numbers, or a NumPy array of them") from None


def _kind_of(path: Path) -> str:
    for kind, endings in _ENDINGS.items():
        if path.suffix.lower() in endings:
            return kind
    if path.is_dir():
        return "video"
    known = ", ".join(ending for endings in _ENDINGS.values() for ending in endings)
    raise FitError(f"`{path}` has no ending that says what it is; known are {known}", hint='say it by kind="image", "audio", "video" or "table"')


def _of(kind: str, values: npt.NDArray[Any], sizes: Sequence[int], **more: Any) -> dict[str, Any]:
    whole = {"rate": None, "inputs": None, "names": None, **more}
    return {"kind": kind, "values": values if kind == "f64" else values.tobytes(), "sizes": list(sizes), **whole}


def _filled(values: npt.NDArray[Any], what: str) -> None:
    if values.size == 0:
        raise FitError(f"{what} is empty: its shape is {values.shape}", hint="pass an array with samples in it")


def _image(values: npt.NDArray[Any], rate: float | None) -> dict[str, Any]:
    _only("a picture", "options", rate=rate)
    _filled(values, "the picture")
    if values.ndim not in (2, 3) or (values.ndim == 3 and not 1 <= values.shape[2] <= 4):
        raise FitError(
            f"a picture of the shape {values.shape} cannot be fitted", hint="pass (rows, columns) or (rows, columns, channels) with 1 to 4 channels"
        )
    sizes = (*values.shape[:2], values.shape[2] if values.ndim == 3 else 1)
    if values.dtype == np.uint8:
        return _of("u8", np.ascontiguousarray(values), sizes)
    if values.dtype == np.uint16:
        return _of("u16", np.ascontiguousarray(values.astype("<u2")), sizes)
    numbers = floats(values, "the picture")
    _finite(numbers, "the numbers of the picture")
    if numbers.min() < 0 or numbers.max() > 1:
        raise FitError(
            f"a picture of real numbers lies between 0 and 1; this one reaches from {numbers.min():g} to {numbers.max():g}",
            hint='scale it, convert it to numpy.uint8, or fit it as numbers by kind="array"',
        )
    return _of("f64", np.ascontiguousarray(numbers), sizes)


def _sound(values: npt.NDArray[Any], rate: float | None) -> dict[str, Any]:
    if rate is None or not float(rate).is_integer() or not 1 <= rate < 2**32:
        raise OptionError(f"rate={rate!r} cannot be used: expected the whole number of samples a second", hint="pass rate=44100", option="rate")
    _filled(values, "the sound")
    numbers = floats(values, "the sound")
    if numbers.ndim not in (1, 2):
        raise FitError(f"a sound of the shape {values.shape} cannot be fitted", hint="pass (samples,) or (samples, channels)")
    if values.dtype.kind in "iu":  # as a WAV file's whole numbers
        numbers = numbers / float(np.iinfo(values.dtype).max + 1) if values.dtype.kind == "i" else numbers / 128.0 - 1.0
    return _of("f64", np.ascontiguousarray(numbers), (len(numbers), numbers.shape[1] if numbers.ndim == 2 else 1), rate=float(rate))


def _video(values: npt.NDArray[Any], rate: float | None) -> dict[str, Any]:
    _filled(values, "the video")
    if values.ndim != 4 or values.shape[3] != 3 or values.dtype != np.uint8:
        raise FitError(
            f"a video of the shape {values.shape} and the type {values.dtype} cannot be fitted",
            hint="pass (frames, rows, columns, 3) of numpy.uint8",
        )
    fps = 25.0 if rate is None else float(rate)
    if not (np.isfinite(fps) and fps > 0):
        raise OptionError(f"rate={rate!r} cannot be used: expected a number of frames a second", option="rate")
    return _of("u8", np.ascontiguousarray(values), values.shape, rate=fps)


def _array(values: npt.NDArray[Any], rate: float | None) -> dict[str, Any]:
    _only("an array", "axes", rate=rate)
    _filled(values, "the array")
    numbers = floats(values, "the array")
    if not 1 <= numbers.ndim <= MOST_INPUTS:
        raise FitError(f"an array of {numbers.ndim} axes cannot be fitted: expected 1 to {MOST_INPUTS}", hint="pass a function sampled on a grid")
    return _of("f64", np.ascontiguousarray(numbers), numbers.shape)


def _scattered(values: npt.NDArray[Any], points: Any, axes: Mapping[str, Any] | None) -> dict[str, Any]:
    """Values at points, or on a grid with axes of its own."""
    numbers = floats(values, "the values")
    _filled(numbers, "the array of values")
    if points is not None and axes is not None:
        raise OptionError("both `points` and `axes` were given", hint="leave one of them out")
    if axes is not None:
        columns = [floats(axis, f"the axis `{name}`") for name, axis in axes.items()]
        wanted = tuple(column.size for column in columns)
        if any(column.ndim != 1 for column in columns) or numbers.shape[: len(columns)] != wanted or numbers.ndim > len(columns) + 1:
            raise PointsError(
                f"the values have the shape {numbers.shape}, the axes {', '.join(f'{n} {c.shape}' for n, c in zip(axes, columns))}",
                hint="give an axis of numbers for each axis of the array, in its order",
            )
        inputs = np.stack(np.meshgrid(*columns, indexing="ij"), axis=-1).reshape(-1, len(columns))
        names = [str(name) for name in axes]
        outputs = numbers.reshape(len(inputs), -1)
    else:
        inputs = floats(points, "the array of points")
        inputs = inputs[:, None] if inputs.ndim == 1 else inputs
        if inputs.ndim != 2 or numbers.ndim not in (1, 2) or len(numbers) != len(inputs):
            raise PointsError(
                f"the values have the shape {numbers.shape}, the points {inputs.shape}",
                hint="give (n,) or (n, m) values at (n, d) points",
            )
        d = inputs.shape[1]
        names = ["x", "y", "z"][:d] if d <= 3 else [f"x{k + 1}" for k in range(d)]
        outputs = numbers.reshape(len(inputs), -1)
    if not 1 <= inputs.shape[1] <= MOST_INPUTS:
        raise PointsError(f"points of {inputs.shape[1]} coordinates cannot be fitted: expected 1 to {MOST_INPUTS}")
    _finite(inputs, "the points")
    _finite(outputs, "the values")
    called = ["u"] if outputs.shape[1] == 1 else [f"u{k + 1}" for k in range(outputs.shape[1])]
    return _of("f64", np.ascontiguousarray(outputs), [len(inputs)], inputs=np.ascontiguousarray(inputs), names=(names, called))


def _columns(source: Any, given: Any) -> dict[str, Any]:
    """A table by its columns' names."""
    names = [str(name) for name in (source.keys() if isinstance(source, Mapping) else source.columns)]
    if len(names) < 2:
        raise FitError(f"a table of {len(names)} columns cannot be fitted", hint="pass columns of inputs and of outputs")

    def chosen(option: str) -> list[str]:
        asked = given.pop(option, None)
        asked = [name.strip() for name in asked.split(",")] if isinstance(asked, str) else list(asked or [])
        for name in asked:
            if name not in names:
                raise FitError(f"there is no column `{name}`; there are {', '.join(names)}", hint=f"choose `{option}` among them")
        return asked

    outputs = chosen("outputs")
    inputs = chosen("inputs") or [name for name in names if name not in (outputs or names[-1:])]
    outputs = outputs or [name for name in names[-1:] if name not in inputs]
    if not inputs or not outputs:
        raise FitError("the table has no column left for the inputs or the outputs", hint="name both, `inputs` and `outputs`")
    columns = {name: floats(source[name], f"the column `{name}`").ravel() for name in [*inputs, *outputs]}
    if len({len(column) for column in columns.values()}) > 1:
        said = ", ".join(f"{name} {len(column)}" for name, column in columns.items())
        raise FitError(f"the columns have different lengths: {said}", hint="give a value in each row")
    if len(columns[inputs[0]]) == 0:
        raise FitError("the table has no rows", hint="pass a table with numbers in it")
    for name, column in columns.items():
        _finite(column, f"the numbers of the column `{name}`")
    rows = [np.ascontiguousarray(np.stack([columns[name] for name in chosen], axis=-1)) for chosen in (inputs, outputs)]
    return _of("f64", rows[1], [len(rows[1])], inputs=rows[0], names=(inputs, outputs))


def _finite(values: Floats, what: str) -> None:
    if not np.isfinite(values).all():
        where = np.argwhere(~np.isfinite(values))[0]
        raise PointsError(
            f"among {what} is {values[tuple(where)]}, at {tuple(int(k) for k in where)}",
            hint="leave such samples out first, by numpy.isfinite",
        )


def _only(what: str, takes: str, **others: Any) -> None:
    for name, value in others.items():
        if value is not None:
            raise OptionError(f"{name}={value!r} means nothing for {what}, which takes {takes}", hint="leave it out", option=name)


def _size(size: Any, about: dict[str, Any]) -> tuple[int, int]:
    if size is None:
        return about["width"], about["height"]
    if isinstance(size, str) and "x" in size:
        size = size.split("x")
    try:
        width, height = (int(side) for side in size)
    except (TypeError, ValueError):
        width = height = 0
    if not (1 <= width <= 1 << 20 and 1 <= height <= 1 << 20):
        raise OptionError(f"size={size!r} cannot be used: expected (width, height)", hint="pass size=(1024, 768)", option="size")
    return width, height


def _region(region: Any, columns: int, rows: int) -> tuple[int, int, int, int]:
    if region is None:
        return 0, 0, columns - 1, rows - 1
    try:
        x0, y0, x1, y1 = (int(v) for v in region)
    except (TypeError, ValueError):
        x0, y0, x1, y1 = 1, 1, 0, 0
    if not (0 <= x0 <= x1 < columns and 0 <= y0 <= y1 < rows):
        raise OptionError(
            f"region={region!r} cannot be used: expected (x0, y0, x1, y1) with x up to {columns - 1} and y up to {rows - 1}",
            hint=f"the whole picture is (0, 0, {columns - 1}, {rows - 1})",
            option="region",
        )
    return x0, y0, x1, y1


def _axis(n: int, first: int, last: int, size: int) -> Floats:
    """Places of ``size`` samples spread evenly over the samples first … last of n between −1 and 1."""
    if n < 2:
        return np.zeros(size)
    share = np.full(1, 0.5) if size < 2 else np.arange(size) / (size - 1.0)
    return -1.0 + 2.0 * (first + (last - first) * share) / (n - 1.0)
