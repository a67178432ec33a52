"""The engine: values, derivatives, losses, gradients and Jacobians against formulas and differences."""

import copy
import pickle

import numpy as np
import pytest

import rafnet


def test_gradients_against_differences():
    net = rafnet.Network(["x", "t"], ["u", "p"], width=8, shared=["nu"], time="t")
    theta = net.init(seed=3, shared=[0.7])
    rng = np.random.default_rng(0)
    X, weights = rng.uniform(0, 1, (13, 2)), rng.uniform(0.5, 2, 13)
    data = {"y": rng.normal(size=13), "z": rng.normal(size=13)}
    residual = ["u_t + u*u_x - nu*u_xx - y", "p_x*z + laplacian(p) - nu^2"]
    loss, gradient = net.loss_and_gradient(theta, X, residual, data=data, weights=weights)
    r, J = net.jacobian(theta, X, residual, data=data, weights=weights)
    assert J.shape == (26, net.n_parameters) and np.array_equal(r, net.residuals(theta, X, residual, data=data, weights=weights))
    assert np.isclose(loss, (r**2).sum() / 13, rtol=1e-13) and np.allclose(2 / 13 * J.T @ r, gradient, rtol=1e-9, atol=1e-12)
    direction = rng.normal(size=theta.size)
    h = 1e-6
    ahead, behind = (net.loss_and_gradient(theta + s * h * direction, X, residual, data=data, weights=weights)[0] for s in (1, -1))
    assert np.isclose((ahead - behind) / (2 * h), gradient @ direction, rtol=1e-5)


def test_the_jet_of_a_known_function():
    net = rafnet.Network(1, 1, width=1, depth=1, activation="sine", shape="fnn")
    places = net.layout
    theta = np.zeros(net.n_parameters)
    for name, value in {"layers.0.weight": 3.0, "layers.0.bias": 0.5, "layers.1.weight": 2.0, "layers.1.bias": 1.0}.items():
        theta[places[name][0]] = value
    x = np.linspace(-1, 1, 11)
    u, u_x, u_xx = net.jet(theta, x, "u", "u_x", "u_xx").T
    assert np.allclose(u, 2 * np.sin(3 * x + 0.5) + 1) and np.allclose(u_x, 6 * np.cos(3 * x + 0.5)) and np.allclose(u_xx, -18 * np.sin(3 * x + 0.5))
    assert np.array_equal(net(theta, x), u) and net.jet(theta, x).shape == (11, 3)


def test_regression_is_plain():
    net = rafnet.Network(2, 2, width=10)
    theta = net.init()
    rng = np.random.default_rng(1)
    X, Y = rng.uniform(size=(20, 2)), rng.normal(size=(20, 2))
    loss, gradient = net.loss_and_gradient(theta, X, data=Y)
    assert np.isclose(loss, ((net(theta, X) - Y) ** 2).sum(-1).mean()) and gradient.shape == theta.shape
    by_text, _ = rafnet.Network(2, 1, width=10).loss_and_gradient(
        rafnet.Network(2, 1, width=10).init(), X, residual="u - y", data=Y[:, 0]
    )
    plain, _ = rafnet.Network(2, 1, width=10).loss_and_gradient(rafnet.Network(2, 1, width=10).init(), X, data=Y[:, 0])
    assert np.isclose(by_text, plain, rtol=1e-14)


def test_a_descent_of_ones_own():
    net = rafnet.Network(["x"], width=20)
    theta = net.init()
    X = np.linspace(0, 1, 40)[:, None]
    first = loss = net.loss_and_gradient(theta, X, residual="u_x - 1")[0]
    for _ in range(10):  # Levenberg-Marquardt by NumPy, in the space of the residuals
        r, J = net.jacobian(theta, X, residual="u_x - 1")
        theta = theta - J.T @ np.linalg.solve(J @ J.T + 1e-3 * np.eye(len(r)), r)
        loss = net.loss_and_gradient(theta, X, residual="u_x - 1")[0]
    assert loss < 1e-4 * first


def test_scipy_drives_it():
    optimize = pytest.importorskip("scipy.optimize", reason="left out: scipy is not installed")
    net = rafnet.Network(["x"], width=10, shape="fnn", depth=1, activation="tanh")
    X = np.linspace(-1, 1, 50)[:, None]
    found = optimize.minimize(net.loss_and_gradient, net.init(), args=(X, "u - x^2"), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    assert found.fun < 1e-4


def test_kernels_are_those_of_jacobians():
    net = rafnet.Network(2, width=6)
    theta = net.init()
    X = np.random.default_rng(0).uniform(size=(7, 2))
    kernel = net.ntk(theta, X)
    assert kernel.shape == (7, 7) and np.allclose(kernel, kernel.T) and np.linalg.eigvalsh(kernel).min() > -1e-10
    k = rafnet.ntk("poisson-smooth", width=8, points=12, matrix=True)
    assert np.allclose(np.sort(np.linalg.eigvalsh(k.matrix))[::-1][:3], k.eigenvalues[:3], rtol=1e-8)
    assert k.condition_number is None or k.condition_number > 1
    at = np.random.default_rng(0).uniform(0.1, 0.9, (5, 2))
    assert len(rafnet.ntk("poisson-smooth", width=8, at=at, boundary_points=1).eigenvalues) >= 5


def test_copies_of_networks():
    net = rafnet.Network(["x"], width=5, shared=["k"])
    theta, X = net.init(), np.linspace(0, 1, 9)
    expected = net.loss_and_gradient(theta, X, "u_x - k*x")
    for again in (pickle.loads(pickle.dumps(net)), copy.deepcopy(net)):
        loss, gradient = again.loss_and_gradient(theta, X, "u_x - k*x")
        assert loss == expected[0] and np.array_equal(gradient, expected[1])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_bits_do_not_depend_on_threads(threads):
    X = np.random.default_rng(0).uniform(size=(501, 2))
    one, other = (rafnet.Network(2, width=16, threads=n) for n in (1, threads))
    theta = one.init()
    a, b = (net.loss_and_gradient(theta, X, "laplacian(u) - sin(x)*y") for net in (one, other))
    assert a[0] == b[0] and np.array_equal(a[1], b[1])


def test_the_reference_engine_agrees():
    X = np.random.default_rng(0).uniform(size=(5, 2))
    fast, slow = (rafnet.Network(2, width=6, device=device) for device in ("cpu", "reference"))
    theta = fast.init()
    a, b = (net.loss_and_gradient(theta, X, "laplacian(u) - 1") for net in (fast, slow))
    assert np.isclose(a[0], b[0], rtol=1e-12) and np.allclose(a[1], b[1], rtol=1e-9, atol=1e-12)
