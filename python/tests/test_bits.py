"""The same bits as the command, and no growth of memory."""

import gc
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import rafnet

SHORT = {"target": 1e-2, "time_limit": 1e6}  # an end that no clock decides
QUICK = {"logistic", "heat", "poisson-smooth", "regression-jump", "quantum-oscillator"}
SAME = ("outcome", "error_estimate", "linf_estimate", "residual", "relative_l2", "residual_rms", "parameters", "points", "found", "reports", "seed")


def command(raf, *arguments):
    done = subprocess.run([raf, *map(str, arguments), "--json"], capture_output=True, text=True, timeout=900)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in rafnet.builtin_problems()])
def test_every_builtin_problem(raf, name, tmp_path):
    theirs = command(raf, "solve", name, "--out", tmp_path / "run", "--target", SHORT["target"], "--time-limit", "1000000")
    mine = rafnet.solve(name, **SHORT)
    assert {key: mine.figures[key] for key in SAME} == {key: theirs[key] for key in SAME}
    assert mine.to_bytes() == Path(theirs["model"]).read_bytes()
    for other, path in zip(mine.others, theirs["other_models"], strict=True):
        assert other.to_bytes() == Path(path).read_bytes()
    for pair, said in zip(mine.eigenvalues, theirs["eigenvalues"], strict=True):
        assert pair.value == said["value"] and pair.function.to_bytes() == Path(said["model"]).read_bytes()


@pytest.mark.parametrize("method", [{"method": "adam", "steps": 30, "points": 200}, {"method": "lm", "width": 8, "steps": 3, "points": 80}])
@pytest.mark.filterwarnings("ignore")
def test_trained_networks(raf, method, tmp_path):
    options = [text for name, value in method.items() for text in (f"--{name}", str(value))]
    theirs = command(raf, "solve", "burgers", "--set", "nu=0.1", "--out", tmp_path / "run", *options)
    assert rafnet.solve("burgers", parameters={"nu": 0.1}, **method).to_bytes() == Path(theirs["model"]).read_bytes()


@pytest.mark.parametrize("kind", ["image", "audio", "table"])
def test_three_fits(raf, kind, tmp_path):
    options = {"width": 16, "depth": 2, "steps": 40}
    source = []
    if kind == "table":
        x = np.linspace(0, 1, 40)
        (tmp_path / "t.csv").write_text("x,u\n" + "".join(f"{a!r},{a * a!r}\n" for a in x.tolist()), encoding="utf-8")
        source = [tmp_path / "t.csv"]
    given = [text for name, value in options.items() for text in (f"--{name}", value)]
    theirs = command(raf, "fit", kind, *source, *given, "--out", tmp_path / "run")
    mine = rafnet.fit(*source, kind=kind, **options)
    assert mine.to_bytes() == Path(theirs["model"]).read_bytes()
    assert (mine.mse, mine.psnr, mine.figures["steps"]) == (theirs["mse"], theirs["psnr"], theirs["steps"])


def test_evaluations(raf, tmp_path):
    s = rafnet.solve("heat")
    s.save(tmp_path / "u.safetensors")
    points = np.random.default_rng(0).uniform(-0.1, 1.1, (5000, 2))
    np.save(tmp_path / "points.npy", points)
    columns = "u, u_x, laplacian(u), x*u_t"
    command(raf, "eval", tmp_path / "u.safetensors", "--at", tmp_path / "points.npy", "--columns", columns, "-o", tmp_path / "u.npy")
    mine = np.stack(s.at(points, *columns.split(", ")), axis=-1)
    assert np.array_equal(mine, np.load(tmp_path / "u.npy"), equal_nan=True)


def resident():
    """Megabytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_memory_does_not_grow():
    p = rafnet.Problem(domain=rafnet.interval(0, 1), equation="u - 2*x")
    net, x = rafnet.Network(["x"], width=6), np.linspace(0, 1, 100)
    theta = net.init()

    def once(k):
        s = p.solve(method="adam", steps=1, width=4, points=10, threads=1, seed=k)
        assert np.isfinite(s("u_x", x=x)).all()
        net.loss_and_gradient(theta, x, "u_x - 1")

    for k in range(500):
        once(k)
    gc.collect()
    before = resident()
    for k in range(10_000):
        once(k)
    gc.collect()
    assert resident() - before < 5
