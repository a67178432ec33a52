"""RAF activations in a DeepXDE network: -u'' = f on [0, 1] whose solution, sin(2 pi x) + 0.1 sin(50 pi x), has a slow and a fast wave.

    python raf_activations.py            # needs: pip install deepxde torch rafnet
"""

import os
import time

os.environ.setdefault("DDE_BACKEND", "pytorch")

import deepxde as dde
import numpy as np
import rafnet.torch
import torch


def exact(x):
    return np.sin(2 * np.pi * x) + 0.1 * np.sin(50 * np.pi * x)


def residual(x, u):
    f = (2 * np.pi) ** 2 * torch.sin(2 * np.pi * x) + 0.1 * (50 * np.pi) ** 2 * torch.sin(50 * np.pi * x)
    return (dde.grad.hessian(u, x) + f) / (50 * np.pi)


def solved(network):
    """The relative L2 error after 3,000 steps of Adam, and the seconds."""
    start = time.perf_counter()
    domain = dde.geometry.Interval(0, 1)
    ends = dde.icbc.DirichletBC(domain, lambda x: 0, lambda _, on_boundary: on_boundary)
    model = dde.Model(dde.data.PDE(domain, residual, ends, num_domain=128, num_boundary=2), network)
    model.compile("adam", lr=1e-3, decay=("step", 1000, 0.5))
    model.train(iterations=3000, display_every=3000, verbose=0)
    x = np.linspace(0, 1, 1001)[:, None]
    return dde.metrics.l2_relative_error(exact(x), model.predict(x)), time.perf_counter() - start


def tanh():
    return dde.nn.FNN([1, 50, 50, 1], "tanh", "Glorot normal")


def sine():
    return dde.nn.FNN([1, 50, 50, 1], "sin", "Glorot normal")


def shared_out():
    # one function a neuron: nothing is trained, so one module serves both layers
    raf = rafnet.torch.shared_out("psg", 50)
    return dde.nn.FNN([1, 50, 50, 1], raf, "Glorot normal")


def learnable():
    # a trained mix in every neuron: one module a layer, and the network must know of them
    layers = [rafnet.torch.learnable("a*sin(b*x) + c*x; b = 15", 50) for _ in range(2)]
    network = dde.nn.FNN([1, 50, 50, 1], [*layers, None], "Glorot normal")
    network.raf = torch.nn.ModuleList(layers)
    return network


if __name__ == "__main__":
    print(f"{'activation':<12} {'relative L2 error, seeds 0, 1, 2':<36} {'seconds':>8}")
    for make in (tanh, sine, shared_out, learnable):
        errors, seconds = [], []
        for seed in range(3):
            dde.config.set_random_seed(seed)
            error, wall = solved(make())
            errors.append(error)
            seconds.append(wall)
        print(f"{make.__name__:<12} {'  '.join(f'{e:.1e}' for e in errors):<36} {sum(seconds) / 3:>8.0f}", flush=True)
