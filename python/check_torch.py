"""Holds rafnet.torch, python/rafnet/torch.py, against values of `raf eval`, and writes a sine network for `raf eval` to be held against.

    check_torch.py model MODEL.safetensors POINTS.npy VALUES.npy COPY.safetensors
        the largest difference of an unknown over its largest value; writes the model again
    check_torch.py siren KEYS MODEL.safetensors POINTS.npy
        writes both, and the values beside the points; KEYS is reference, plain or sine (a sine last)
    check_torch.py refused MODEL.safetensors
        the messages with which it and bad state dicts are refused

Exit status 3 when torch, safetensors or numpy is not installed.
"""
import importlib.util
import pathlib
import sys

try:
    import numpy as np
    import safetensors
    import torch
except ImportError as error:
    print(error)
    sys.exit(3)

sys.dont_write_bytecode = True
# by its path: the package itself need not be installed
there = importlib.util.spec_from_file_location("rafnet_torch", pathlib.Path(__file__).resolve().parent / "rafnet" / "torch.py")
rafnet_torch = importlib.util.module_from_spec(there)
there.loader.exec_module(rafnet_torch)


class Sine(torch.nn.Module):
    """A layer of the SIREN reference code, written from its formula: sin(omega_0 (W x + b))."""

    def __init__(self, fan_in, width, omega_0):
        super().__init__()
        self.omega_0, self.linear = omega_0, torch.nn.Linear(fan_in, width)

    def forward(self, x):
        return torch.sin(self.omega_0 * self.linear(x))


class Siren(torch.nn.Module):
    def __init__(self, last):
        super().__init__()
        self.net = torch.nn.Sequential(Sine(2, 32, 12.0), Sine(32, 32, 7.0), last)

    def forward(self, x):
        return self.net(x)


def model(path, points, expected, to):
    module = rafnet_torch.load(path)
    points, expected = torch.from_numpy(np.load(points)), np.load(expected)
    found = module(points).detach().numpy()
    assert found.shape == expected.shape, (found.shape, expected.shape)
    assert (np.isnan(found) == np.isnan(expected)).all(), "NaN at other points"
    single = rafnet_torch.load(path, torch.float32)(points.float())
    assert single.dtype == torch.float32, single.dtype
    total = torch.nansum(module(points))
    total.backward()
    assert all(p.grad is not None and p.grad.isfinite().all() for p in module.parameters()), "a gradient is missing"
    rafnet_torch.save(module, to)
    print((np.nanmax(np.abs(found - expected), axis=0) / np.nanmax(np.abs(expected), axis=0)).max())


def siren(keys, path, points):
    torch.manual_seed(0)
    network = Siren(Sine(32, 3, 7.0) if keys == "sine" else torch.nn.Linear(32, 3)).double()
    state = network.state_dict()
    if keys == "plain":
        state = {f"layers.{key.replace('net.', '').replace('.linear', '')}": tensor for key, tensor in state.items()}
    rafnet_torch.save_siren(state, path, first_omega_0=12.0, hidden_omega_0=7.0, outputs=["r", "g", "b"])
    at = torch.rand(300, 2, dtype=torch.float64) * 2.0 - 1.0
    np.save(points, at.numpy())
    np.save(points.replace("points", "expected"), network(at).detach().numpy())


def refused(path):
    weight = torch.ones(1, 1)
    for attempt in (
        lambda: rafnet_torch.load(path),
        lambda: rafnet_torch.save_siren({"encoder.weight": weight}, path),
        lambda: rafnet_torch.save_siren({"net.0.weight": weight, "net.1.weight": torch.ones(1, 2)}, path),
        lambda: rafnet_torch.save_siren({"net.0.weight": weight.half()}, path),
    ):
        try:
            attempt()
        except ValueError as error:
            print(error)


globals()[sys.argv[1]](*sys.argv[2:])
