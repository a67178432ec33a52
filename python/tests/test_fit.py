"""Fits of arrays, files and tables."""

import pickle

import numpy as np
import pytest

import rafnet

QUICK = {"width": 16, "depth": 2, "steps": 300}


def picture(rows=24, columns=20):
    r, c = np.meshgrid(np.linspace(0, 1, rows), np.linspace(0, 1, columns), indexing="ij")
    return np.stack([0.5 + 0.4 * np.sin(5 * r), c, 0.5 + 0.5 * r * c], axis=-1)


def png(path, pixels):
    from rafnet._pictures import png as written

    path.write_bytes(written(pixels))


def test_an_array_is_a_function_on_a_grid():
    x, t = np.linspace(0, 2, 31), np.linspace(-1, 0, 21)
    values = np.sin(2 * x)[:, None] * np.exp(t)[None, :]
    m = rafnet.fit(values, axes={"x": x, "t": t}, width=24, steps=1500)
    assert m.coordinates == ("x", "t") and m.bounds == {"x": (0, 2), "t": (-1, 0)} and m.kind == "table"
    assert np.abs(m(x=x[:, None], t=t[None, :]) - values).max() < 0.05
    slope = m.gradient([[1.0, -0.5]])[0]
    assert np.allclose(slope, [2 * np.cos(2.0) * np.exp(-0.5), np.sin(2.0) * np.exp(-0.5)], atol=0.2)
    again = pickle.loads(pickle.dumps(m))
    assert np.array_equal(again(x=x, t=0.0), m(x=x, t=0.0)) and again.figures == m.figures


def test_values_at_points_and_several_of_them():
    rng = np.random.default_rng(0)
    points = rng.uniform(-1, 1, (200, 4))
    values = np.stack([points.sum(-1), points.prod(-1)], axis=-1)
    m = rafnet.fit(values, points=points, width=24, steps=1200)
    assert m.unknowns == ("u1", "u2") and m(points).shape == (200, 2) and m.gradient(points).shape == (200, 2, 4)
    assert np.abs(m(points)[:, 0] - values[:, 0]).max() < 0.2
    grid = rafnet.fit(np.zeros((2,) * 10), **QUICK)
    assert len(grid.coordinates) == 10


def test_a_picture_of_an_array_is_that_of_its_file(tmp_path):
    pixels = (picture() * 255).round().astype(np.uint8)
    png(tmp_path / "p.png", pixels)
    from_file, from_array = rafnet.fit(tmp_path / "p.png", **QUICK), rafnet.fit(pixels, **QUICK)
    assert from_file.to_bytes() == from_array.to_bytes() and from_file.psnr == from_array.psnr
    m = from_array
    assert m.kind == "image" and m.render().shape == (24, 20, 3) and m.render(size=(7, 5)).shape == (5, 7, 3)
    mse = ((m.render() - pixels / 255) ** 2).mean()
    assert abs(-10 * np.log10(mse) - m.psnr) < 1e-6 and m.psnr > 20
    assert np.array_equal(m.render(region=(3, 4, 9, 8)), m.render()[4:9, 3:10])
    assert "<img" in m._repr_html_() and "dB" in repr(m)


def test_a_sound_at_any_rate():
    samples = 0.3 * np.sin(np.arange(400) * 0.2)
    m = rafnet.fit(samples, kind="audio", rate=8000, **QUICK)
    assert m.kind == "audio" and m.render().shape == (400,) and m.render(rate=16000).shape == (800,)
    stereo = rafnet.fit(np.stack([samples, -samples], axis=-1), kind="audio", rate=8000, **QUICK)
    assert stereo.render().shape == (400, 2) and stereo.unknowns == ("left", "right")
    assert "<svg" in m._repr_html_()


def test_a_video_frame_by_frame():
    frames = (np.stack([picture(8, 12)] * 3) * 255).astype(np.uint8)
    m = rafnet.fit(frames, kind="video", rate=10, **QUICK)
    assert m.render().shape == (3, 8, 12, 3) and m.render((6, 4), frames=5).shape == (5, 4, 6, 3)


def test_a_table_by_its_columns(tmp_path):
    x = np.linspace(0, 1, 50)
    table = {"x": x, "noise": x[::-1], "u": x**2}
    m = rafnet.fit(table, inputs="x", outputs=["u"], **QUICK)
    assert m.coordinates == ("x",) and m.unknowns == ("u",)
    path = tmp_path / "t.csv"
    path.write_text("x,noise,u\n" + "".join(f"{a!r},{b!r},{c!r}\n" for a, b, c in zip(*(v.tolist() for v in table.values()))), encoding="utf-8")
    assert rafnet.fit(path, inputs="x", outputs="u", **QUICK).to_bytes() == m.to_bytes()
    pandas = pytest.importorskip("pandas", reason="left out: pandas is not installed")
    assert rafnet.fit(pandas.DataFrame(table), inputs="x", outputs="u", **QUICK).to_bytes() == m.to_bytes()


def test_what_is_held_out_is_measured():
    m = rafnet.fit(kind="image", size=(32, 32), holdout="grid:2", **QUICK)
    assert m.psnr_heldout is not None and m.figures["psnr_bicubic"] is not None


def test_a_loaded_fit_renders(tmp_path):
    m = rafnet.fit(kind="image", size=(16, 16), **QUICK)
    m.save(tmp_path / "m.safetensors")
    again = rafnet.load(tmp_path / "m.safetensors")
    assert isinstance(again, rafnet.Signal) and np.array_equal(again.render(), m.render())


def test_progress_of_a_fit_is_told():
    told = []
    rafnet.fit(kind="image", size=(64, 64), width=64, steps=60, progress=told.append)
    assert told and told[-1]["steps"] == 60
