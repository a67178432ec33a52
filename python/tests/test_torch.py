"""`rafnet.torch`: activations as in the paper, models equal to rounding, differentiable to any order."""

import copy
import importlib.util
import io
import math
import pickle
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

# by its path: one file that works without the package
_there = importlib.util.spec_from_file_location("rafnet_torch", Path(__file__).parents[1] / "rafnet" / "torch.py")
raf = importlib.util.module_from_spec(_there)
sys.modules["rafnet_torch"] = raf
_there.loader.exec_module(raf)


@pytest.fixture(autouse=True)
def double():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(0)
    yield
    torch.set_default_dtype(before)


def test_shared_out_is_one_function_a_neuron():
    layer = raf.shared_out("psg", 50, gaussian_width=0.3)
    z = torch.linspace(-2, 2, 7)[:, None].repeat(1, 50)
    values = layer(z)
    expected = {0: z[:, 0], 12: z[:, 0] ** 2, 24: z[:, 0].sin(), 36: torch.exp(-(z[:, 0] ** 2) / (2 * 0.3**2))}
    for neuron, function in expected.items():
        torch.testing.assert_close(values[:, neuron], function)
    # the last function takes the remainder
    assert [group["neurons"] for group in layer.groups_about] == [12, 12, 12, 14]
    assert list(layer.parameters()) == []


def test_learnable_is_a_mix_in_every_neuron():
    layer = raf.learnable("psg", 4000)
    assert {name: tuple(p.shape) for name, p in layer.named_parameters()} == {"alpha": (4, 4000), "beta": (2, 4000)}
    means = [0.0, 1.0, 2.0, 1.0]
    torch.testing.assert_close(layer.alpha.mean(1), torch.tensor(means), atol=0.01, rtol=0)  # 0.1/√4000 is 0.0016
    torch.testing.assert_close(layer.alpha.std(1), torch.full((4,), 0.1), atol=0.01, rtol=0)
    assert layer.beta[0].sub(30).abs().max() < 0.01
    assert 0.01 <= layer.beta[1].min() < 0.011 and 0.049 < layer.beta[1].max() <= 0.05
    z = torch.randn(3, 4000)
    a, (b, s) = layer.alpha, layer.beta
    expected = a[0] * z + a[1] * z**2 + a[2] * torch.sin(b * z) + a[3] * torch.exp(-(z**2) / (2 * s**2))
    torch.testing.assert_close(layer(z), expected)
    video = raf.learnable("psg", 4000, signal="video")
    assert abs(video.alpha[2].mean() - 1.0) < 0.01 and video.beta[1].max() <= 0.01


@pytest.mark.parametrize("name", [*raf.SETS, "a*sin(b*x) + exp(-abs(x)); b = 30", "x^2 + 0.5*sin(3*x)"])
@pytest.mark.parametrize("make", [raf.learnable, raf.shared_out])
def test_every_set_trains_and_is_saved(make, name, tmp_path):
    network = torch.nn.Sequential(torch.nn.Linear(2, 21), make(name, 21), torch.nn.Linear(21, 21), make(name, 21), torch.nn.Linear(21, 3))
    x = torch.rand(11, 2)
    network(x).square().sum().backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in network.parameters())
    raf.save_sequential(network, tmp_path / "n.safetensors", coordinates=["x", "t"], outputs=["u", "v", "p"])
    again = raf.load(tmp_path / "n.safetensors")
    torch.testing.assert_close(again(x), network(x))
    assert sum(p.numel() for p in again.parameters()) == sum(p.numel() for p in network.parameters())


def test_models_are_copied_and_pickled(tmp_path):
    network = [torch.nn.Linear(1, 8), raf.learnable("a*sin(b*x); b = 3", 8), torch.nn.Linear(8, 1)]
    raf.save_sequential(network, tmp_path / "n.safetensors")
    model = raf.load(tmp_path / "n.safetensors")
    x = torch.rand(5, 1)
    buffer = io.BytesIO()
    torch.save(model, buffer)
    buffer.seek(0)
    for again in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(buffer, weights_only=False)):
        torch.testing.assert_close(again(x), model(x), rtol=0, atol=0)


def test_any_order_of_derivatives():
    layer = raf.learnable("psg", 6)
    x = torch.rand(4, 6, requires_grad=True)
    found = layer(0.1 * x)[:, 2]
    for _ in range(4):
        (slope,) = torch.autograd.grad(found.sum(), x, create_graph=True)
        found = slope[:, 2]
    a, b, s = layer.alpha[2, 2], layer.beta[0, 2], layer.beta[1, 2]
    y = 0.1 * x[:, 2]
    z = y / s  # d⁴/dz⁴ exp(−z²/2) = (z⁴ − 6z² + 3) exp(−z²/2)
    gauss = layer.alpha[3, 2] * (z**4 - 6 * z**2 + 3) * torch.exp(-(z**2) / 2) / s**4
    torch.testing.assert_close(found, 1e-4 * (a * b**4 * torch.sin(b * y) + gauss), rtol=1e-10, atol=1e-10)
    assert torch.autograd.gradgradcheck(layer, (x,), atol=1e-3, rtol=1e-3)
    # and by the parameters of a derivative
    found.sum().backward()
    assert layer.beta.grad.isfinite().all() and layer.beta.grad.abs().sum() > 0


def test_texts_that_differentiate(tmp_path):
    texts = {
        "x + d(3, x)": lambda x, t, y: x,
        "d(x^3*y, x, y)": lambda x, t, y: 3 * x**2,
        "d(r*t, t) + d(r, x)": lambda x, t, y: torch.sqrt(1 + x**2 + y**2) + x / torch.sqrt(1 + x**2 + y**2),
        "laplacian(x^2*y^2 + t^2)": lambda x, t, y: 2 * y**2 + 2 * x**2,
        "div(-x^2*grad(y^3)/2 + grad(x))": lambda x, t, y: -3 * x**2 * y,
        "dot(grad(x*y), grad(exp(y)) - 2*grad(x))": lambda x, t, y: x * torch.exp(y) - 2 * y,
    }
    raf.save_sequential([torch.nn.Linear(4, len(texts), bias=False)], tmp_path / "n.safetensors")
    model = raf.load(tmp_path / "n.safetensors")
    about = copy.deepcopy(model.about) | {"coordinates": ["x", "t", "y"], "time": "t"}
    about["features"] = [{"name": "r", "text": "sqrt(1 + x^2 + y^2)"}]
    for output, text in zip(about["outputs"], texts):
        output.update(lift=text)
    model = raf.Model(about, {"layers.0.weight": torch.zeros(len(texts), 4)}, torch.float64)
    points = torch.rand(20, 3, requires_grad=True)
    found = model(points)
    for k, function in enumerate(texts.values()):
        torch.testing.assert_close(found[:, k], function(*points.unbind(1)))
    # and they are differentiated with the rest
    (slope,) = torch.autograd.grad(found[:, 1].sum(), points)
    torch.testing.assert_close(slope[:, 0], 6 * points[:, 0])


def test_functions_between_layers_are_known(tmp_path):
    linears = [torch.nn.Linear(3, 7), torch.nn.Linear(7, 7), torch.nn.Linear(7, 7), torch.nn.Linear(7, 2)]
    modules = [linears[0], torch.tanh, linears[1], torch.nn.ReLU(), linears[2], torch.sin, linears[3]]
    x = torch.rand(5, 3)
    expected = linears[3](torch.sin(linears[2](torch.relu(linears[1](torch.tanh(linears[0](x)))))))
    raf.save_sequential(modules, tmp_path / "n.safetensors", bounds=[(0, 1)] * 3)
    model = raf.load(tmp_path / "n.safetensors")
    torch.testing.assert_close(model(x), expected)
    assert model(x + 1.5).isnan().all()
    # in single precision the file is in single precision
    raf.save_sequential([torch.nn.Linear(1, 1).float()], tmp_path / "f.safetensors")
    assert raf.load(tmp_path / "f.safetensors").about["precision"] == "f32"


def refusals(path):
    linear = torch.nn.Linear
    return {
        "unknown activation `psq`; known: siren": lambda: raf.shared_out("psq", 8),
        "unknown signal `picture`": lambda: raf.learnable("psg", 8, signal="picture"),
        "`c = 2` says nothing of a name": lambda: raf.learnable("a*sin(b*x); c = 2", 8),
        "does not depend on x": lambda: raf.learnable("a*sin(b)", 8),
        "uses `gamma(…)`": lambda: raf.learnable("gamma(x)*x", 8),
        "a width of 0": lambda: raf.shared_out("psg", 8, gaussian_width=0),
        "8 neurons, and 7 numbers arrive": lambda: raf.shared_out("psg", 8)(torch.ones(2, 7)),
        "it has 9 neurons, and 8 numbers arrive": lambda: raf.save_sequential([linear(1, 8), raf.shared_out("psg", 9)], path),
        "`layer 1` does not fit: it takes 7 numbers, and 8 arrive": lambda: raf.save_sequential([linear(1, 8), linear(7, 1)], path),
        "`layer 1` is Dropout": lambda: raf.save_sequential([linear(1, 8), torch.nn.Dropout()], path),
        "there is no layer": lambda: raf.save_sequential([], path),
        "3 coordinates were named": lambda: raf.save_sequential([linear(2, 1)], path, coordinates="xyz"),
        "`save` takes what `load` gave": lambda: raf.save(linear(1, 1), path),
    }


@pytest.mark.parametrize("said", refusals(""))
def test_what_cannot_be_is_said(said, tmp_path):
    path = tmp_path / "n.safetensors"
    with pytest.raises((ValueError, TypeError)) as error:
        refusals(path)[said]()
    assert said in str(error.value)
    assert not list(tmp_path.iterdir())


def test_the_package_reads_what_torch_writes(tmp_path):
    rafnet = pytest.importorskip("rafnet")
    network = torch.nn.Sequential(torch.nn.Linear(2, 24), raf.learnable("psg", 24), torch.nn.Linear(24, 1))
    raf.save_sequential(network, tmp_path / "n.safetensors", coordinates=["x", "t"])
    model = rafnet.load(tmp_path / "n.safetensors")
    x = torch.rand(50, 2, requires_grad=True)
    u = network(x)
    (slope,) = torch.autograd.grad(u.sum(), x, create_graph=True)
    (bend,) = torch.autograd.grad(slope[:, 0].sum(), x)
    found = model.at(x.detach().numpy(), "u", "u_t", "u_xx")
    for k, expected in enumerate((u[:, 0], slope[:, 1], bend[:, 0])):
        expected = expected.detach()
        torch.testing.assert_close(torch.from_numpy(found[k]), expected, rtol=0, atol=1e-12 * float(expected.abs().max()))


@pytest.mark.parametrize(("name", "method"), [("low-regularity-r", "lsq"), ("nonlinear-polygon", "pieces")])
def test_a_solution_is_a_module(name, method, tmp_path):
    rafnet = pytest.importorskip("rafnet")
    s = rafnet.solve(name, method=method, target=1e-6, threads=1)
    s.save(tmp_path / "s.safetensors")
    module = raf.load(tmp_path / "s.safetensors")
    x = torch.rand(200, 2) * 2.2 - 1.1
    found, expected = module(x)[:, 0].detach(), torch.from_numpy(s.at(x.numpy(), "u"))
    assert (found.isnan() == expected.isnan()).all() and found.isnan().any()
    inside = ~found.isnan()
    # functions with large coefficients that cancel: the rounding of the sum
    rounding = 2.0**-52 * float(module.layers[-1].weight.detach().abs().sum())
    torch.testing.assert_close(found[inside], expected[inside], rtol=0, atol=rounding)
    raf.save(module, tmp_path / "again.safetensors")
    again = rafnet.load(tmp_path / "again.safetensors")
    assert math.isclose(float(again.at(x[inside].numpy()[:1], "u")[0]), float(expected[inside][0]), rel_tol=0, abs_tol=0)


@pytest.mark.parametrize("axes", [[2.0, 1.0], [0.3, 1.7], [1.0, 1.0], [5.0, 0.05]])
def test_an_ellipse_is_as_far_as_its_nearest_point(axes):
    half = torch.tensor(axes)
    y = torch.cat([half * (3.0 * torch.rand(40, 2) - 1.5), half * torch.tensor([[0.0, 0.0], [0.4, 0.0], [0.0, 0.4], [0.999, 0.0], [0.0, -3.0]])])
    angle = torch.arange(200_000) * (math.tau / 200_000)
    curve = half * torch.stack([angle.cos(), angle.sin()], 1)
    nearest = torch.stack([(curve - point).norm(dim=1).min() for point in y])
    level = raf.level({"kind": "ellipse", "center": [0.5, -1.0], "axes": axes}, y + torch.tensor([0.5, -1.0]))
    assert ((level < 0.0) == ((y / half).norm(dim=1) < 1.0)).all()
    # between two points of the curve it is 1.6e-4 half axes away at most
    torch.testing.assert_close(level**2, nearest**2, rtol=0, atol=1e-7 * max(axes))


def test_names_are_those_of_the_package(tmp_path):
    rafnet = pytest.importorskip("rafnet")
    samples = {"image": [[0.0, 0.5], [1.0, 0.2]], "audio": [0.0, 0.5, 1.0]}
    for name, signal in (("psg", "image"), ("poly-sine", "audio")):
        rate = 8000 if signal == "audio" else None
        fitted = rafnet.fit(samples[signal], kind=signal, rate=rate, activation=name, steps=1, width=10)
        fitted.save(tmp_path / "m.safetensors")
        layers = raf.load(tmp_path / "m.safetensors").about["network"]["layers"]
        ours = raf.learnable(name, 10, signal)
        assert layers[0]["activation"] == ours.groups_about
    with pytest.warns(rafnet.StalledWarning):
        s = rafnet.solve("poisson-smooth", method="adam", steps=1, width=10, activation="psg", gaussian_width=0.1, sharing="even")
    s.save(tmp_path / "m.safetensors")
    layers = raf.load(tmp_path / "m.safetensors").about["network"]["layers"]
    assert layers[0]["activation"] == raf.shared_out("psg", 10).groups_about
