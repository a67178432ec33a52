"""Two hundred bad calls: each is refused by one exception of rafnet's that says what is wrong, and leaves everything as it was."""

import os
import pathlib

import numpy as np
import pytest

import rafnet

BOX = rafnet.box({"x": (0, 1)})
TIME = rafnet.box({"x": (0, 1), "t": (0, 1)}, time="t")
NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def s():
    return rafnet.solve("heat")


@pytest.fixture(scope="module")
def m():
    return rafnet.fit(kind="image", size=(8, 8), width=8, depth=1, steps=2)


@pytest.fixture(scope="module")
def sound():
    return rafnet.fit(np.sin(np.arange(50.0)), kind="audio", rate=100, width=8, depth=1, steps=2)


@pytest.fixture(scope="module")
def net():
    return rafnet.Network(["x", "t"], width=6)


class Odd:
    pass


def ragged():
    return [[1.0, 2.0], [3.0]]


EVALUATIONS = {
    "no coordinates": lambda s: s(),
    "a coordinate missing": lambda s: s(x=0.5),
    "a coordinate too many": lambda s: s(x=0.5, t=0.1, y=0.0),
    "a coordinate misspelt": lambda s: s(x=0.5, T=0.1),
    "shapes that do not broadcast": lambda s: s(x=np.zeros(3), t=np.zeros(4)),
    "a text for a number": lambda s: s(x="middle", t=0.1),
    "texts in an array": lambda s: s(x=np.array(["0.5"]), t=0.1),
    "complex numbers": lambda s: s(x=0.5 + 0j, t=0.1),
    "booleans": lambda s: s(x=True, t=0.1),
    "None": lambda s: s(x=None, t=0.1),
    "an object": lambda s: s(x=Odd(), t=0.1),
    "a ragged list": lambda s: s(x=ragged(), t=0.1),
    "dates": lambda s: s(x=np.array(["2020-01-01"], dtype="datetime64[D]"), t=0.1),
    "long doubles": lambda s: s(x=np.zeros(2, dtype=np.longdouble), t=0.1),
    "a masked array": lambda s: s(x=np.ma.array([0.1, 0.2], mask=[True, False]), t=0.1),
    "records": lambda s: s(x=np.zeros(2, dtype=[("a", float)]), t=0.1),
    "NaN": lambda s: s(x=NAN, t=0.1),
    "infinity": lambda s: s(x=INF, t=0.1),
    "NaN among points": lambda s: s.at([[0.5, 0.1], [0.5, NAN]]),
    "three coordinates a point": lambda s: s.at(np.zeros((5, 3))),
    "one coordinate a point": lambda s: s.at(np.zeros(5)),
    "a number for points": lambda s: s.at(0.5),
    "an empty array of the wrong width": lambda s: s.at(np.empty((0, 5))),
    "points and names": lambda s: s(np.zeros((5, 2)), x=0.5, t=0.1),
    "two arrays": lambda s: s(np.zeros(5), np.zeros(5)),
    "a text after points": lambda s: s(np.zeros((5, 2)), "u"),
    "an unknown name": lambda s: s("v", x=0.5, t=0.1),
    "a function misspelt": lambda s: s("lapacian(u)", x=0.5, t=0.1),
    "an empty text": lambda s: s("", x=0.5, t=0.1),
    "a bracket that stays open": lambda s: s("(u", x=0.5, t=0.1),
    "a third derivative": lambda s: s("u_xxx", x=0.5, t=0.1),
    "an equation": lambda s: s("u = 1", x=0.5, t=0.1),
    "Python in a text": lambda s: s("__import__('os')", x=0.5, t=0.1),
    "a null byte": lambda s: s("u\0", x=0.5, t=0.1),
    "a normal derivative": lambda s: s("u_n", x=0.5, t=0.1),
    "another script": lambda s: s("ü", x=0.5, t=0.1),
    "deep brackets": lambda s: s("(" * 5000 + "u" + ")" * 5000, x=0.5, t=0.1),
    "a gradient of nothing": lambda s: s.gradient([[0.5, 0.1]], "w"),
    "a gradient of one column": lambda s: s.gradient([0.5]),
    "a device that is not there": lambda s: s.on("cuda:7")(x=0.5, t=0.1),
    "a device that nobody has": lambda s: s.on("abacus"),
    "too many threads": lambda s: s.on(threads=10**6),
    "outside misspelt": lambda s: s.on(outside="zero"),
    "a grid of another coordinate": lambda s: s.grid(5, y=0.0),
    "a plot of another coordinate": lambda s: s.plot(y=0.0),
    "a folder to save into": lambda s: s.save("/"),
    "a folder that is not there": lambda s: s.save("/no/such/folder/u.safetensors"),
    "no file to load": lambda s: rafnet.load("/no/such/file.safetensors"),
    "a folder to load": lambda s: rafnet.load(os.curdir),
    "a file of another kind": lambda s: rafnet.load(__file__),
}


def problem(**changed):
    given = {"domain": BOX, "equation": "u_xx", "boundary": {"x": 0}, **changed}
    return rafnet.Problem(**given)


PROBLEMS = {
    "no domain": lambda: problem(domain=None),
    "a text for a domain": lambda: problem(domain="box"),
    "an empty domain": lambda: problem(domain={}),
    "a kind of domain misspelt": lambda: problem(domain={"kind": "bocks", "x": [0, 1]}),
    "an empty interval": lambda: problem(domain=rafnet.box({"x": (1, 0)})),
    "an interval of one end": lambda: problem(domain=rafnet.box({"x": (1,)})),
    "an interval without end": lambda: problem(domain=rafnet.box({"x": (0, INF)})),
    "an interval of NaN": lambda: problem(domain=rafnet.box({"x": (0, NAN)})),
    "no coordinates": lambda: problem(domain=rafnet.box({})),
    "time that is no coordinate": lambda: problem(domain=rafnet.box({"x": (0, 1)}, time="t")),
    "periodic that is no coordinate": lambda: problem(domain=rafnet.box({"x": (0, 1)}, periodic="z")),
    "a ball of no size": lambda: problem(domain=rafnet.ball(radius=0), equation="laplacian(u)", boundary={"all": 0}),
    "a polygon of two corners": lambda: problem(domain=rafnet.polygon([(0, 0), (1, 0)]), equation="laplacian(u)", boundary={"all": 0}),
    "a polygon that crosses itself": lambda: problem(
        domain=rafnet.polygon([(0, 0), (1, 1), (1, 0), (0, 1)]), equation="laplacian(u)", boundary={"all": 0}
    ),
    "an object for a domain": lambda: problem(domain=rafnet.box({"x": Odd()})),
    "no equation": lambda: problem(equation=None),
    "an empty equation": lambda: problem(equation=""),
    "an equation without an unknown": lambda: problem(equation="x - 1"),
    "an equation of nonsense": lambda: problem(equation="u_xx +* 1"),
    "an unknown name": lambda: problem(equation="u_xx - k*u"),
    "a function misspelt": lambda: problem(equation="lapacian(u)"),
    "a fifth derivative": lambda: problem(equation="u_xxxxx"),
    "an object for an equation": lambda: problem(equation=Odd()),
    "bytes for an equation": lambda: problem(equation=Odd),
    "too few equations": lambda: problem(unknowns=["u", "v"]),
    "no boundary": lambda: problem(boundary=None),
    "half a boundary": lambda: problem(boundary={"x=0": 0}),
    "a boundary elsewhere": lambda: problem(boundary={"x=0": 0, "x=2": 0}),
    "a boundary of another coordinate": lambda: problem(boundary={"y": 0}),
    "a condition misspelt": lambda: problem(boundary={"x": {"dirichlett": 0}}),
    "two conditions at once": lambda: problem(boundary={"x": {"dirichlet": 0, "neumann": 0}}),
    "a list for a value": lambda: problem(boundary={"x": [0, 1]}),
    "a boundary of NaN": lambda: problem(boundary={"x": NAN}),
    "a derivative on the boundary's text": lambda: problem(boundary={"x": "u_x"}),
    "an object for a value": lambda: problem(boundary={"x": Odd()}),
    "initial data without time": lambda: problem(initial="x"),
    "no initial data": lambda: problem(domain=TIME, equation="u_t - u_xx"),
    "initial data of another unknown": lambda: problem(domain=TIME, equation="u_t - u_xx", initial={"w": 0}),
    "an array for a number": lambda: problem(parameters={"k": [[1, 2]]}),
    "a parameter of NaN": lambda: problem(parameters={"k": NAN}),
    "parameters in a circle": lambda: problem(parameters={"a": "b", "b": "a"}),
    "a parameter called as a coordinate": lambda: problem(parameters={"x": 1}),
    "a parameter that cannot be a name": lambda: problem(parameters={"1k": 1}),
    "a parameter that is sought and unused": lambda: problem(parameters={"k": {"find": True}}).solve(),
    "an unknown called as a coordinate": lambda: problem(unknowns=["x"]),
    "an unknown twice": lambda: problem(unknowns=["u", "u"], equation=["u_xx", "u_xx"]),
    "the exact solution of another": lambda: problem(exact={"w": "x"}),
    "a source without an exact solution": lambda: problem(equation="u_xx - f", source="manufactured"),
    "a report without a name": lambda: problem(report=[{"integral": "u"}]),
    "data outside": lambda: problem(data=[[5.0, 1.0]]),
    "data of the wrong width": lambda: problem(data=[[0.5, 1.0, 2.0, 3.0]]),
    "data of one axis": lambda: problem(data=[0.5, 1.0]),
    "data of texts": lambda: problem(data=[["a", "b"]]),
    "no data": lambda: problem(data=np.empty((0, 2))),
    "data without the coordinate": lambda: problem(data={"t": [0.5], "u": [1.0]}),
    "data of different lengths": lambda: problem(data={"x": [0.5, 0.6], "u": [1.0]}),
    "data of NaN alone": lambda: problem(data={"x": [0.5], "u": [NAN]}),
    "unclear data": lambda: problem(data={"x": [0.5], "a": [1.0], "b": [1.0]}),
    "noise that is negative": lambda: problem(data=rafnet.data([[0.5, 1.0]], sigma=-1)),
    "a solver's option misspelt": lambda: problem(solver={"metod": "lsq"}),
    "a name that is a path": lambda: problem(name="../up"),
    "eigenvalues of an equation": lambda: problem(eigenvalue={"operator": "-u_xx"}),
    "a complex number": lambda: problem(boundary={"x": 1j}),
    "a text that is no TOML": lambda: rafnet.Problem.from_toml("[domain"),
    "an empty text": lambda: rafnet.Problem.from_toml(""),
    "a number for a text": lambda: rafnet.Problem.from_toml(3),
    "no file": lambda: rafnet.Problem.from_file("/no/such/problem.toml"),
    "a folder for a file": lambda: rafnet.Problem.from_file("/"),
    "a file that is no problem": lambda: rafnet.Problem.from_file(__file__),
    "a built-in one misspelt": lambda: rafnet.Problem.builtin("burgurs"),
    "a parameter that it does not have": lambda: rafnet.Problem.builtin("burgers").with_parameters(viscosity=1),
    "a parameter of no value": lambda: rafnet.Problem.builtin("burgers").with_parameters(nu=None),
    "a parameter of nonsense": lambda: rafnet.Problem.builtin("burgers").with_parameters(nu="thick"),
    "a parameter of infinity": lambda: rafnet.Problem.builtin("burgers").with_parameters(nu=INF),
    "a parameter of an array": lambda: rafnet.Problem.builtin("burgers").with_parameters(nu=[1, 2]),
}

SOLUTIONS = {
    "a number": lambda: rafnet.solve(3),
    "nothing": lambda: rafnet.solve(None),
    "no such file": lambda: rafnet.solve("no-such-file.toml"),
    "no such path": lambda: rafnet.solve(pathlib.Path("/no/such/thing.toml")),
    "a name misspelt": lambda: rafnet.solve("poison-smooth"),
    "a null byte in a name": lambda: rafnet.solve("a\0b"),
    "a method misspelt": lambda: rafnet.solve("heat", method="lsqq"),
    "a method that is a number": lambda: rafnet.solve("heat", method=3),
    "steps of least squares": lambda: rafnet.solve("heat", method="lsq", steps=10),
    "no steps": lambda: rafnet.solve("heat", method="adam", steps=0),
    "half a step": lambda: rafnet.solve("heat", method="adam", steps=1.5),
    "steps of a text": lambda: rafnet.solve("heat", method="adam", steps="many"),
    "a negative width": lambda: rafnet.solve("heat", method="adam", width=-5),
    "a width beyond all memory": lambda: rafnet.solve("heat", method="adam", width=10**9),
    "a width too narrow": lambda: rafnet.solve("heat", method="adam", width=1, steps=1),
    "depth of none": lambda: rafnet.solve("heat", method="adam", depth=0),
    "a target of zero": lambda: rafnet.solve("heat", target=0),
    "a target of NaN": lambda: rafnet.solve("heat", target=NAN),
    "a negative limit": lambda: rafnet.solve("heat", time_limit=-1),
    "a seed that is negative": lambda: rafnet.solve("heat", seed=-1),
    "a seed of a half": lambda: rafnet.solve("heat", seed=0.5),
    "too many threads": lambda: rafnet.solve("heat", threads=10**7),
    "an activation misspelt": lambda: rafnet.solve("heat", method="adam", activation="pgs"),
    "single precision": lambda: rafnet.solve("heat", precision="f32"),
    "a device misspelt": lambda: rafnet.solve("heat", device="gpu"),
    "frozen layers on a GPU": lambda: rafnet.solve("heat", device="cuda:15"),
    "a GPU that is not there": lambda: rafnet.solve("heat", method="adam", steps=1, device="cuda:15"),
    "an option of nobody": lambda: rafnet.solve("heat", metod="lsq"),
    "an option that is an object": lambda: rafnet.solve("heat", target=Odd()),
    "an option that is a dictionary": lambda: rafnet.solve("heat", target={}),
    "an empty list": lambda: rafnet.solve("heat", activation=[]),
    "an array for a number": lambda: rafnet.solve("heat", target=np.zeros(3)),
    "progress of a number": lambda: rafnet.solve("heat", progress=3),
    "a parameter that is not there": lambda: rafnet.solve("burgers", parameters={"mu": 1}),
    "random paths without an eigenvalue": lambda: rafnet.solve("heat", method="bsde"),
    "a kernel of nothing": lambda: rafnet.ntk("no-such-problem"),
    "a kernel's mode": lambda: rafnet.ntk("heat", mode="f16"),
    "a kernel's model": lambda: rafnet.ntk("heat", model=3),
    "a kernel's depth": lambda: rafnet.ntk("heat", depth=0),
    "a kernel's width": lambda: rafnet.ntk("heat", gaussian_width=NAN),
    "a kernel's points": lambda: rafnet.ntk("heat", at=[[0.1, NAN]]),
    "a kernel of another model": lambda: rafnet.ntk("poisson-smooth", model=rafnet.solve("heat")),
}

FITS = {
    "nothing": lambda: rafnet.fit(),
    "nothing of a kind": lambda: rafnet.fit(kind="table"),
    "a kind misspelt": lambda: rafnet.fit(np.zeros(5), kind="sound"),
    "an empty array": lambda: rafnet.fit(np.empty(0)),
    "an empty picture": lambda: rafnet.fit(np.empty((0, 4), np.uint8)),
    "a number": lambda: rafnet.fit(3.0),
    "texts": lambda: rafnet.fit(np.array(["a", "b"])),
    "an object": lambda: rafnet.fit(Odd()),
    "a ragged list": lambda: rafnet.fit(ragged(), points=[[0], [1]]),
    "complex numbers": lambda: rafnet.fit(np.zeros(5, complex)),
    "NaN": lambda: rafnet.fit(np.array([0.0, NAN, 1.0])),
    "infinity": lambda: rafnet.fit(np.array([0.0, INF, 1.0])),
    "numbers too far apart": lambda: rafnet.fit(np.array([1e308, -1e308, 1e308])),
    "eleven axes": lambda: rafnet.fit(np.zeros((2,) * 11)),
    "a picture of five channels": lambda: rafnet.fit(np.zeros((4, 4, 5)), kind="image"),
    "a picture of four axes": lambda: rafnet.fit(np.zeros((4, 4, 3, 2)), kind="image"),
    "a picture beyond white": lambda: rafnet.fit(np.full((4, 4), 2.0), kind="image"),
    "a picture of NaN": lambda: rafnet.fit(np.full((4, 4), NAN), kind="image"),
    "a sound without a rate": lambda: rafnet.fit(np.zeros(50), kind="audio"),
    "a sound of half a rate": lambda: rafnet.fit(np.zeros(50), kind="audio", rate=0.5),
    "a sound of three axes": lambda: rafnet.fit(np.zeros((5, 5, 5)), kind="audio", rate=100),
    "a video of real numbers": lambda: rafnet.fit(np.zeros((2, 4, 4, 3)), kind="video"),
    "a grey video": lambda: rafnet.fit(np.zeros((2, 4, 4), np.uint8), kind="video"),
    "a video of no rate": lambda: rafnet.fit(np.zeros((2, 4, 4, 3), np.uint8), kind="video", rate=0),
    "a rate of an array": lambda: rafnet.fit(np.zeros(5), rate=3),
    "points of another number": lambda: rafnet.fit(np.zeros(5), points=np.zeros((4, 2))),
    "points of eleven coordinates": lambda: rafnet.fit(np.zeros(5), points=np.zeros((5, 11))),
    "points of NaN": lambda: rafnet.fit(np.zeros(5), points=np.full((5, 2), NAN)),
    "points and axes": lambda: rafnet.fit(np.zeros(5), points=np.zeros((5, 1)), axes={"x": np.zeros(5)}),
    "axes of another length": lambda: rafnet.fit(np.zeros((5, 4)), axes={"x": np.zeros(5), "y": np.zeros(5)}),
    "axes that cannot be names": lambda: rafnet.fit(np.zeros(5), axes={"1 x": np.arange(5.0)}),
    "a table of one column": lambda: rafnet.fit({"x": [1.0, 2.0]}),
    "a table without such a column": lambda: rafnet.fit({"x": [1.0], "u": [1.0]}, inputs="y"),
    "a table of different lengths": lambda: rafnet.fit({"x": [1.0], "u": [1.0, 2.0]}),
    "a table of texts": lambda: rafnet.fit({"x": ["a"], "u": [1.0]}),
    "a table without rows": lambda: rafnet.fit({"x": [], "u": []}),
    "a table as a picture": lambda: rafnet.fit({"x": [1.0], "u": [1.0]}, kind="image"),
    "no file": lambda: rafnet.fit("/no/such/picture.png"),
    "a file of another kind": lambda: rafnet.fit(__file__, kind="image"),
    "an ending that says nothing": lambda: rafnet.fit(__file__),
    "points of a file": lambda: rafnet.fit("photo.png", points=[[0.0]]),
    "an activation misspelt": lambda: rafnet.fit(np.arange(5.0), activation="sirne"),
    "no steps": lambda: rafnet.fit(np.arange(5.0), steps=0),
    "a width beyond all": lambda: rafnet.fit(np.arange(5.0), width=10**6),
    "an option of pictures": lambda: rafnet.fit(np.arange(5.0), grey=True),
    "columns of an array": lambda: rafnet.fit(np.arange(5.0), inputs="x"),
    "everything held out": lambda: rafnet.fit(np.arange(5.0), holdout="random:1"),
    "an option of nobody": lambda: rafnet.fit(np.arange(5.0), stepps=3),
    "a GPU that is not there": lambda: rafnet.fit(np.arange(5.0), device="cuda:15", steps=1),
    "a size that is none": lambda: rafnet.fit(kind="image", size=(0, 5)),
}

RENDERS = {
    "a size of nothing": lambda m: m.render(size=(0, 5)),
    "a size of texts": lambda m: m.render(size="large"),
    "a size of one": lambda m: m.render(size=5),
    "a region outside": lambda m: m.render(region=(0, 0, 8, 8)),
    "a region turned around": lambda m: m.render(region=(5, 5, 1, 1)),
    "a rate of a picture": lambda m: m.render(rate=100),
    "frames of a picture": lambda m: m.render(frames=3),
    "a point beyond": lambda m: m([[0.0, NAN]]),
    "a file of a folder": lambda m: m.save("/"),
}

NETWORKS = {
    "no inputs": lambda n: rafnet.Network(0),
    "inputs of a half": lambda n: rafnet.Network(1.5),
    "names that are none": lambda n: rafnet.Network(["1x"]),
    "a name twice": lambda n: rafnet.Network(["x", "x"]),
    "no outputs": lambda n: rafnet.Network(2, []),
    "a width of none": lambda n: rafnet.Network(2, width=0),
    "a width of a text": lambda n: rafnet.Network(2, width="wide"),
    "a width beyond all memory": lambda n: rafnet.Network(2, width=10**12),
    "a depth of the residual network": lambda n: rafnet.Network(2, depth=3),
    "a shape misspelt": lambda n: rafnet.Network(2, shape="transformer"),
    "an activation misspelt": lambda n: rafnet.Network(2, activation="gelu"),
    "weights misspelt": lambda n: rafnet.Network(2, weights="he"),
    "a Gaussian of no width": lambda n: rafnet.Network(2, gaussian_width=0),
    "a time that is no coordinate": lambda n: rafnet.Network(2, time="t"),
    "a device misspelt": lambda n: rafnet.Network(2, device="tpu"),
    "more inputs than neurons": lambda n: rafnet.Network(5, width=3),
    "too many threads": lambda n: rafnet.Network(2, threads=10**6),
    "a seed of a text": lambda n: n.init("zero"),
    "a seed that is negative": lambda n: n.init(-1),
    "a seed too large": lambda n: n.init(2**64),
    "shared numbers that it lacks": lambda n: n.init(0, shared=[1.0]),
    "a theta too short": lambda n: n.loss_and_gradient(np.zeros(3), np.zeros((5, 2)), "u"),
    "a theta of two axes": lambda n: n.loss_and_gradient(n.init()[None], np.zeros((5, 2)), "u"),
    "a theta of NaN": lambda n: n.loss_and_gradient(np.full(n.n_parameters, NAN), np.zeros((5, 2)), "u"),
    "a theta of texts": lambda n: n.loss_and_gradient("theta", np.zeros((5, 2)), "u"),
    "points of the wrong width": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 3)), "u"),
    "points of NaN": lambda n: n.loss_and_gradient(n.init(), np.full((5, 2), NAN), "u"),
    "no points": lambda n: n.loss_and_gradient(n.init(), np.empty((0, 2)), "u"),
    "neither residual nor data": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2))),
    "an empty list of residuals": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2)), []),
    "a residual of nonsense": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2)), "u_xx +"),
    "a residual of an unknown name": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2)), "u - w"),
    "a third derivative": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2)), "u_xxx"),
    "data of another number": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2)), data=np.zeros(4)),
    "data by name without a residual": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2)), data={"y": np.zeros(5)}),
    "data called as a coordinate": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2)), "u - x", data={"x": np.zeros(5)}),
    "too many data": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2)), "u", data={k: np.zeros(5) for k in "abcd"}),
    "data of NaN": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2)), data=np.full(5, NAN)),
    "weights of another number": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2)), "u", weights=np.ones(4)),
    "negative weights": lambda n: n.loss_and_gradient(n.init(), np.zeros((5, 2)), "u", weights=-np.ones(5)),
    "a jet of nothing": lambda n: n.jet(n.init(), np.zeros((5, 2)), ""),
    "a Jacobian beyond all memory": lambda n: rafnet.Network(1, width=400).jacobian(
        np.zeros(rafnet.Network(1, width=400).n_parameters), np.zeros((2_000_000, 1)), "u"
    ),
    "a GPU that is not there": lambda n: rafnet.Network(2, device="cuda:15").jet(rafnet.Network(2).init(), np.zeros((5, 2)), "u"),
}

HERE = {
    "a domain of an object": lambda: rafnet.interval(0, Odd()),
    "an attribute of nobody": lambda: rafnet.problem.read(Odd()),
    "a rate of no sound": lambda: rafnet.fit(kind="audio", steps=1, width=8, time_limit=NAN),
}

ALL = [EVALUATIONS, PROBLEMS, SOLUTIONS, FITS, RENDERS, NETWORKS, HERE]


def refused(call):
    with pytest.raises(Exception) as raised:
        call()
    error = raised.value
    # a keyword that is none is Python's own to refuse
    assert isinstance(error, (rafnet.RafnetError, TypeError)), repr(error)
    assert isinstance(error, rafnet.RafnetError) or "unexpected keyword" in str(error), repr(error)
    said = str(error)
    assert 10 < len(said) < 2000 and "panicked" not in said
    assert "mistake of rafnet" not in said


def test_there_are_two_hundred():
    assert sum(map(len, ALL)) >= 200


@pytest.mark.parametrize("name", EVALUATIONS)
def test_evaluations(name, s):
    refused(lambda: EVALUATIONS[name](s))


@pytest.mark.parametrize("name", PROBLEMS)
def test_problems(name):
    refused(PROBLEMS[name])


@pytest.mark.parametrize("name", SOLUTIONS)
def test_solutions(name):
    refused(SOLUTIONS[name])


@pytest.mark.parametrize("name", FITS)
def test_fits(name):
    refused(FITS[name])


@pytest.mark.parametrize("name", RENDERS)
def test_renders(name, m):
    refused(lambda: RENDERS[name](m))


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name, net):
    refused(lambda: NETWORKS[name](net))


@pytest.mark.parametrize("name", HERE)
def test_others(name):
    refused(HERE[name])


def test_sounds_have_a_rate_of_their_own(sound):
    for call in (lambda: sound.render(size=(3, 3)), lambda: sound.render(rate=-5), lambda: sound.render(rate=1e15)):
        refused(call)


def test_everything_works_afterwards(s, m, net):
    assert np.isfinite(s(x=0.5, t=0.05)) and m.render().shape == (8, 8)
    assert np.isfinite(net.loss_and_gradient(net.init(), np.zeros((5, 2)), "u")[0])
