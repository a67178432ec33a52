"""Problems in Python are problem files, and the other way round."""

import copy
import pickle

import numpy as np
import pytest

import rafnet


def burgers():
    return rafnet.Problem(
        domain=rafnet.box({"x": (-1, 1), "t": (0, 1)}, time="t"),
        equation="u_t + u*u_x - nu*u_xx",
        parameters={"nu": 0.05},
        boundary={"x": 0},
        initial="-sin(pi*x)",
    )


@pytest.mark.parametrize("name", rafnet.builtin_problems())
def test_builtin_problems_are_equal_both_ways(name):
    p = rafnet.Problem.builtin(name)
    assert rafnet.Problem.from_toml(p.to_toml()) == p
    again = rafnet.Problem.from_toml(rafnet._toml.written(p.document()))
    assert again == p and again.coordinates == p.coordinates and again.unknowns == p.unknowns


def test_a_problem_is_its_file(tmp_path):
    p = burgers()
    path = tmp_path / "burgers.toml"
    path.write_text(p.to_toml(), encoding="utf-8")
    from_file = rafnet.Problem.from_file(path)
    assert from_file == p and p == rafnet.Problem.from_toml(p.to_toml())
    assert p != p.with_parameters(nu=0.1) and p != "burgers"
    assert from_file.name == "burgers" and p.parameters == {"nu": 0.05}
    for again in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert again == p


def test_the_file_beside_the_problem_has_its_data(tmp_path):
    (tmp_path / "seen.csv").write_text("x,u\n0.5,0.25\n", encoding="utf-8")
    text = '[domain]\nkind = "interval"\nx = [0, 1]\n[equation]\nresidual = "u_xx - a"\n[parameters]\na = { find = true }\n'
    text += '[[boundary]]\non = "all"\ndirichlet = 0\n[[data]]\nfile = "seen.csv"\n'
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    s = pickle.loads(pickle.dumps(rafnet.Problem.from_file(tmp_path / "p.toml"))).solve()
    assert abs(s.found["a"] + 2) < 1e-8
    assert rafnet.Problem.from_toml(text, folder=tmp_path).sought == ("a",)


def test_short_forms_of_the_boundary():
    p = rafnet.Problem(
        domain=rafnet.interval(0, 1),
        unknowns=["u", "v"],
        equation=["u_x - v", "v_x + u"],
        boundary={"x=0": {"u": 0, "v": {"dirichlet": 1}}},
    )
    assert [b["unknown"] for b in p.document()["boundary"]] == ["u", "v"]
    assert abs(p.solve()("u", x=1.0) - np.sin(1)) < 1e-9
    q = rafnet.Problem(
        domain=rafnet.interval(0, 1), equation="u_xx", boundary=[{"on": "x=0", "dirichlet": 1}, {"on": "x=1", "neumann": 2}]
    )
    assert abs(q.solve()(x=1.0) - 3) < 1e-9


def test_numbers_of_numpy_and_nested_tables():
    p = rafnet.Problem(
        domain=rafnet.difference(rafnet.box({"x": (0, 2), "y": np.array([0, 2])}), rafnet.ball((1, 1), np.float32(0.5))),
        equation="laplacian(u) - k",
        parameters={"k": np.int64(0), "c": np.array([0.1, 0.4])},
        boundary={"all": "exp(x)*cos(y)"},
        exact="exp(x)*cos(y)",
        solver={"target": 1e-3},
    )
    assert p.document()["domain"]["parts"][1]["radius"] == 0.5 and p.coordinates == ("x", "y")
    assert rafnet.Problem.from_toml(p.to_toml()) == p


def test_texts_may_be_sympy():
    sympy = pytest.importorskip("sympy", reason="left out: sympy is not installed")
    x, t, nu = sympy.symbols("x t nu")
    u = sympy.Function("u")(x, t)
    p = rafnet.Problem(
        domain=rafnet.box({"x": (-1, 1), "t": (0, 1)}, time="t"),
        equation=sympy.Eq(u.diff(t), nu * u.diff(x, 2)),
        parameters={"nu": sympy.Rational(1, 20)},
        boundary={"x": 0},
        initial=-sympy.sin(sympy.pi * x),
    )
    plain = rafnet.Problem(
        domain=rafnet.box({"x": (-1, 1), "t": (0, 1)}, time="t"),
        equation="u_t - nu*u_xx",
        parameters={"nu": 0.05},
        boundary={"x": 0},
        initial="-sin(pi*x)",
    )
    mine, theirs = p.solve(), plain.solve()
    at = {"x": np.linspace(-1, 1, 21), "t": 0.5}
    assert np.abs(mine(**at) - theirs(**at)).max() < 1e-9
    assert np.allclose(mine(u.diff(x), **at), mine("u_x", **at), rtol=1e-14)
    nonlinear = rafnet._texts.symbolic(sympy.Eq(u.diff(t) + u * u.diff(x), nu * u.diff(x, 2)))
    assert mine(nonlinear, **at).shape == (21,)
    with pytest.raises(rafnet.ProblemError, match="besselj"):
        rafnet.Problem(domain=rafnet.interval(0, 1), equation=sympy.besselj(0, x), boundary={"x": 0})
    with pytest.raises(rafnet.ProblemError, match="complex"):
        rafnet.Problem(domain=rafnet.interval(0, 1), equation=sympy.I * x, boundary={"x": 0})


def test_sympy_means_what_it_says():
    sympy = pytest.importorskip("sympy", reason="left out: sympy is not installed")
    x, y = sympy.symbols("x y")
    s = rafnet.solve("poisson-smooth")
    rng = np.random.default_rng(1)
    points = rng.uniform(0.05, 0.95, (40, 2))
    texts = [
        sympy.exp(-(x**2)) / (1 + y) ** 3 - sympy.Rational(2, 7) * x,
        sympy.sqrt(x) * sympy.Abs(y - sympy.Rational(1, 2)) ** sympy.Rational(3, 2),
        -(x**-2) + sympy.pi * sympy.E - 1e-7 * y,
        sympy.Piecewise((x, x < y), (sympy.sin(y), True)),
        sympy.Max(x, y, 0.3) * sympy.atan2(y, x) - sympy.log(x) / sympy.cosh(y),
        sympy.Mod(7 * x, 1) + sympy.floor(5 * y) + sympy.Heaviside(x - y),
        x - (y - x) - (-x) ** 2 * (-y),
        (x / y) / (x * y) ** 2,
    ]
    for text in texts:
        numbers = sympy.lambdify((x, y), text, "numpy")(points[:, 0], points[:, 1])
        assert np.allclose(s.at(points, text), numbers, rtol=1e-12), text


def test_data_are_arrays_and_tables():
    t = np.linspace(0, 2, 21)
    seen = np.exp(-1.3 * t)

    def solved(data):
        return rafnet.Problem(
            domain=rafnet.interval(0, 2, "t", time=True),
            equation="u_t + k*u",
            parameters={"k": {"find": True, "start": 1.0}},
            initial=1,
            data=data,
        ).solve()

    forms = [np.stack([t, seen], axis=-1), {"t": t, "u": seen}, rafnet.data({"u": seen, "t": t}, sigma=0.01), rafnet.data({"t": t, "value": -1.3 * seen}, observe="u_t")]
    for data in forms:
        assert abs(solved(data).found["k"] - 1.3) < 1e-6
    pandas = pytest.importorskip("pandas", reason="left out: pandas is not installed")
    assert abs(solved(pandas.DataFrame({"t": t, "u": seen})).found["k"] - 1.3) < 1e-6


def test_a_mistake_has_its_line_and_what_to_type():
    with pytest.raises(rafnet.ProblemError) as raised:
        rafnet.Problem(domain=rafnet.box({"x": (0, 1)}), equation="lapacian(u) - 1", boundary={"x": 0})
    error = raised.value
    assert error.line and "^^^^" in str(error) and error.hint == "did you mean `laplacian`?"
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) and again.line == error.line and isinstance(error, ValueError)


def test_warnings_of_a_problem():
    p = rafnet.Problem(domain=rafnet.box({"x": (0, 1), "t": (0, 1)}), equation="laplacian(u)", boundary={"all": 0})
    with pytest.warns(rafnet.ProblemWarning, match="time"):
        p.solve()


def test_domains_say_their_coordinates():
    of = rafnet.domains.coordinates_of
    for domain in (
        rafnet.box({"x": (0, 1), "t": (0, 1)}, time="t"),
        {"kind": "box", "dimension": 3, "each": [0, 1]},
        rafnet.ball(dimension=4),
        rafnet.ball((0, 0, 0), 2),
        rafnet.annulus(0.5, 1, time=("t", (0, 2))),
        rafnet.ellipse((2, 1), center=(0, 1), coordinates=["p", "q"]),
        rafnet.polygon([(0, 0), (1, 0), (0, 1)], coordinates=["a", "b"]),
        rafnet.union(rafnet.box({"p": (0, 1), "q": (0, 1)}), rafnet.ball((1, 1), 0.5, coordinates=["p", "q"]), time=("s", (0, 1))),
    ):
        names = of(domain)
        equation = " + ".join(f"d(u, {name}, {name})" for name in names if name not in ("t", "s"))
        time = domain.get("time")
        p = rafnet.Problem(
            domain=domain, equation=f"d(u, {time}) - ({equation})" if time else equation, boundary={"all": 0}, initial=0 if time else None
        )
        assert list(p.coordinates) == names
