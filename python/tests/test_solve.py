"""Solutions: what they answer, and that they are what they were through files, copies, processes and threads."""

import copy
import pickle
import threading
import warnings

import numpy as np
import pytest

import rafnet


@pytest.fixture(scope="module")
def heat():
    return rafnet.solve("heat")


def test_values_broadcast_as_numpy_does(heat):
    x, t = np.linspace(0, 1, 5), np.linspace(0, 0.1, 3)
    assert heat(x=x, t=0.05).shape == (5,)
    assert heat(x=x[:, None], t=t[None, :]).shape == (5, 3)
    assert isinstance(heat(x=0.5, t=0.1), np.float64)
    points = np.stack(np.meshgrid(x, t, indexing="ij"), axis=-1)
    assert np.array_equal(heat.at(points), heat(x=x[:, None], t=t[None, :]))
    assert np.array_equal(heat(points), heat.at(points))
    assert heat(x=[], t=0.1).shape == (0,)
    assert heat.at(np.empty((0, 2))).shape == (0,)
    for kind in (np.float32, np.int64, list):
        given = [0, 1] if kind is list else np.array([0, 1], kind)
        assert np.array_equal(heat(x=given, t=0.05), heat(x=[0.0, 1.0], t=0.05))
    fortran = np.asfortranarray(points.reshape(-1, 2))
    assert np.array_equal(heat.at(fortran), heat.at(points).ravel())
    assert np.array_equal(heat(x=x[::-1], t=0.05), heat(x=x, t=0.05)[::-1])


def test_texts_are_what_they_say(heat):
    x = np.linspace(0.1, 0.9, 7)
    u, u_x, u_t, u_xx = heat("u", "u_x", "u_t", "u_xx", x=x, t=0.05)
    assert np.allclose(heat("2*u_x - x*u + t", x=x, t=0.05), 2 * u_x - x * u + 0.05, rtol=1e-14)
    assert np.array_equal(heat("laplacian(u)", x=x, t=0.05), u_xx)
    h = 1e-5
    assert np.allclose((heat(x=x + h, t=0.05) - heat(x=x - h, t=0.05)) / (2 * h), u_x, atol=1e-8)
    assert np.allclose((heat(x=x, t=0.05 + h) - heat(x=x, t=0.05 - h)) / (2 * h), u_t, atol=1e-7)
    gradient = heat.gradient(np.stack([x, np.full(7, 0.05)], axis=-1))
    assert np.array_equal(gradient, np.stack([u_x, u_t], axis=-1))


def test_texts_know_the_parameters_and_functions():
    p = rafnet.Problem(
        domain=rafnet.interval(0, 1),
        equation="k*u_xx + q",
        parameters={"k": "1/a", "a": 2, "c": [1, 3]},
        functions={"q": "c[2]*x"},
        boundary={"x": 0},
    )
    s = p.solve()
    x = np.linspace(0, 1, 5)
    for again in (s, pickle.loads(pickle.dumps(s)), s.on(threads=1)):
        assert np.allclose(again("-k*u_x + c[1]*q", x=x), -0.5 * s("u_x", x=x) + 3 * x, rtol=1e-13)
    assert np.abs(s("k*u_xx + q", x=x)).max() < 1e-9


def test_the_error_is_the_one_that_is_reported(heat):
    rng = np.random.default_rng(0)
    low, high = np.array(list(heat.bounds.values())).T
    points = rng.uniform(low, high, (2000, 2))
    assert np.linalg.norm(heat.error(points)) / np.linalg.norm(heat.at(points)) < 10 * heat.relative_l2
    assert heat.relative_l2 < 1e-9 and heat.error_estimate < 1e-8
    assert heat.linf_estimate < 1e-7 and heat.residual <= 1e-11


def test_outside_is_nan_unless_continued(heat):
    assert np.isnan(heat(x=2.0, t=0.0))
    assert np.isfinite(heat.on(outside="continued")(x=1.01, t=0.0))


def test_a_system_answers_with_its_first_unknown():
    s = rafnet.solve("system")
    first = s.unknowns[0]
    point = {name: 0.3 for name in s.coordinates}
    assert s(**point) == s(first, **point)
    values = s(*s.unknowns, **point)
    assert isinstance(values, tuple) and len(values) == len(s.unknowns)


def test_found_parameters_have_their_errors():
    s = rafnet.solve("inverse-diffusivity")
    (name,) = s.problem.sought
    assert isinstance(s.found[name], float) and s.found[name].error >= 0
    assert "±" in repr(s.found[name])
    assert float(pickle.loads(pickle.dumps(s.found[name]))) == s.found[name]


def test_eigenpairs_and_pickles_of_them():
    s = rafnet.solve("quantum-oscillator")
    assert s.eigenvalues[0].function is s and s.eigenvalue == s.eigenvalues[0].value
    again = pickle.loads(pickle.dumps(s))
    assert again.eigenvalues[0].function is again
    x = {name: [0.1, 0.2] for name in s.coordinates}
    for mine, theirs in zip(s.eigenvalues, again.eigenvalues):
        assert mine.value == theirs.value and np.array_equal(mine.function(**x), theirs.function(**x))


def test_reports_by_name():
    p = rafnet.Problem(
        domain=rafnet.box({"x": (0, 1)}), equation="u_xx", boundary={"x=0": 0, "x=1": 2}, report={"area": "u", "end": {"at": [1], "value": "u_x"}}
    )
    s = p.solve()
    assert abs(s.reports["area"] - 1) < 1e-10 and abs(s.reports["end"] - 2) < 1e-9
    assert s.reports["area"].error < 1e-6


def test_copies_and_pickles_are_the_same_function(heat, tmp_path):
    x = {"x": np.linspace(0, 1, 50), "t": 0.03}
    for again in (copy.copy(heat), copy.deepcopy(heat), pickle.loads(pickle.dumps(heat))):
        assert np.array_equal(again(**x), heat(**x))
        assert again.figures == heat.figures and again.problem == heat.problem
    heat.save(tmp_path / "u.safetensors")
    assert np.array_equal(rafnet.load(tmp_path / "u.safetensors")(**x), heat(**x))
    assert np.array_equal(heat.on(threads=1)(**x), heat.on("reference")(**x)) or np.allclose(
        heat.on(threads=1)(**x), heat.on("reference")(**x), rtol=1e-12, atol=1e-14
    )


def test_several_threads_at_once(heat):
    expected = heat(x=np.linspace(0, 1, 1000), t=0.02)
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(heat(x=np.linspace(0, 1, 1000), t=0.02), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_same_bits_with_any_number_of_threads():
    one, two = (rafnet.solve("robin", threads=n) for n in (1, 2))
    point = {name: np.linspace(0.1, 0.9, 9) for name in one.coordinates}
    assert np.array_equal(one(**point), two(**point))


def contradictory():
    return rafnet.Problem(domain=rafnet.box({"x": (0, 1)}), equation=["u_x - 1", "u_x - 2"], boundary={"x=0": 0})


def test_what_no_function_solves_is_said():
    with pytest.warns(rafnet.ContradictoryWarning, match="contradictory"):
        s = contradictory().solve()
    assert s.outcome == "contradictory" and not s.succeeded and s.message
    with pytest.raises(rafnet.Contradictory) as raised:
        contradictory().solve(strict=True)
    assert raised.value.solution.outcome == "contradictory"


def test_what_misses_its_target_is_said():
    with pytest.warns(rafnet.StalledWarning):
        rafnet.solve("burgers", method="adam", width=6, points=100, steps=3, target=1e-12)
    with pytest.raises(rafnet.Stalled) as raised:
        rafnet.solve("burgers", method="adam", width=6, points=100, steps=3, target=1e-12, strict=True)
    assert raised.value.solution.outcome == "stalled"


def test_progress_is_told_and_may_refuse():
    told = []
    with pytest.warns(rafnet.StalledWarning):
        rafnet.solve("burgers", method="adam", steps=400, width=20, points=500, progress=told.append)
    assert told and {"seconds", "step", "best", "residual"} <= set(told[-1])

    class Enough(Exception):
        pass

    def refuse(news):
        raise Enough

    with pytest.raises(Enough):
        rafnet.solve("burgers", method="adam", steps=100_000, width=20, points=500, progress=refuse)


def test_a_good_answer_comes_without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rafnet.solve("logistic")


def test_grids_and_datasets(heat):
    assert [len(axis) for axis in heat.grid(5).values()] == [5, 5]
    xarray = pytest.importorskip("xarray", reason="left out: xarray is not installed")
    found = heat.to_xarray("u", "u_x", n=5)
    assert isinstance(found, xarray.Dataset) and found["u_x"].shape == (5, 5)
    assert float(found["u"].sel(x=0.5, t=0.0, method="nearest")) == heat(x=0.5, t=0.0)
