"""What a notebook shows."""

import re
import sys
import types

import numpy as np
import pytest

import rafnet
from rafnet import _pictures, _progress


@pytest.mark.parametrize("name", ["logistic", "heat", "poisson-smooth", "poisson-5d", "quantum-oscillator"])
def test_models_have_a_picture_and_their_figures(name):
    s = rafnet.solve(name)
    html = s._repr_html_()
    assert ("<img" in html or "<svg" in html) and "error estimate" in html and s.outcome in html
    assert html.count("<div") == html.count("</div>") and "http" not in html
    assert s.report().startswith(f"{name}: ") and name in repr(s)


def test_a_png_is_read_back():
    image = pytest.importorskip("PIL.Image", reason="left out: Pillow is not installed")
    import io

    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 4), dtype=np.uint8)
    assert np.array_equal(np.asarray(image.open(io.BytesIO(_pictures.png(pixels)))), pixels)


def test_colours_go_from_dark_to_bright():
    colours = _pictures.coloured(np.array([[0.0, 0.5, 1.0, np.nan]]))
    assert colours[0, 0, :3].sum() < colours[0, 1, :3].sum() < colours[0, 2, :3].sum() and colours[0, :, 3].tolist() == [255, 255, 255, 0]


class Handle:
    def __init__(self):
        self.shown = []

    def update(self, html):
        self.shown.append(html)


def test_a_bar_moves_in_a_notebook(monkeypatch):
    handle = Handle()
    display = types.SimpleNamespace(HTML=str, display=lambda html, display_id: handle)
    monkeypatch.setattr(_progress, "_notebook", lambda: display)
    with pytest.warns(rafnet.StalledWarning):
        rafnet.solve("burgers", method="adam", steps=300, width=20, points=500)
    values = [int(v) for html in handle.shown for v in re.findall(r'value="(\d+)"', html)]
    assert len(set(values)) > 1 and values == sorted(values) and handle.shown[-1] == ""


def test_a_line_on_a_terminal_goes_away(capsys):
    with pytest.warns(rafnet.StalledWarning):
        rafnet.solve("burgers", method="adam", steps=300, width=20, points=500, progress=True)
    written = capsys.readouterr().err
    assert "step" in written and "\n" not in written and written.rsplit("\r", 1)[-1].strip() == ""
    rafnet.solve("logistic", progress=False)
    rafnet.solve("logistic")
    assert capsys.readouterr().err == ""


def test_figures_of_matplotlib():
    matplotlib = pytest.importorskip("matplotlib", reason="left out: matplotlib is not installed")
    matplotlib.use("Agg")
    for name, axes in {"logistic": 2, "heat": 4, "poisson-smooth": 4}.items():
        figure = rafnet.solve(name).plot()
        assert len(figure.axes) >= min(axes, 2), name
        figure.canvas.draw()
    s = rafnet.solve("heat")
    lines = s.plot(times=[0.0, 0.05, 0.1])
    assert len(lines.axes[0].lines) == 3 and lines.axes[0].get_title() == "u" and lines.axes[1].get_title() == "error of u"
    assert len(s.plot("u_x", t=0.05).axes) == 1


def test_what_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "xarray", None)
    s = rafnet.solve("logistic")
    with pytest.raises(rafnet.MissingPackage, match="matplotlib") as raised:
        s.plot()
    assert raised.value.hint == "pip install matplotlib" and isinstance(raised.value, ImportError)
    with pytest.raises(rafnet.MissingPackage, match="xarray"):
        s.to_xarray()
