"""Golden values of optimisers: PyTorch's Adam (coupled weight decay) and L-BFGS, a dense damped Gauss-Newton in NumPy.

Writes optimisers.json. Run with torch and numpy installed: python3 optimisers.py > optimisers.json
"""

import json

import numpy as np
import torch

torch.set_default_dtype(torch.float64)
START = [0.7, -1.3, 2.1, 0.4]


def rosenbrock(x):
    """Extended by a quartic so that nothing is zero at the start."""
    return sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(3)) + 0.1 * x[0] ** 4


def adam(decay):
    x = torch.tensor(START, requires_grad=True)
    optimiser = torch.optim.Adam([x], lr=0.03, weight_decay=decay)
    path = []
    for _ in range(5):
        optimiser.zero_grad()
        rosenbrock(x).backward()
        optimiser.step()
        path.append(x.detach().tolist())
    return path


def lbfgs():
    """The direction of the two-loop recursion, from PyTorch's own state after a few steps of fixed length."""
    x = torch.tensor(START, requires_grad=True)
    optimiser = torch.optim.LBFGS([x], lr=1e-3, max_iter=1, history_size=20)
    points, gradients = [], []

    def closure():
        optimiser.zero_grad()
        value = rosenbrock(x)
        value.backward()
        return value

    for _ in range(6):
        points.append(x.detach().clone().tolist())
        value = closure()
        gradients.append(x.grad.detach().clone().tolist())
        optimiser.step(closure)
    direction = optimiser.state[x]["d"].tolist()  # the direction taken at the last of the points
    return {"points": points, "gradients": gradients, "direction": direction}


def gauss_newton():
    rng = np.random.default_rng(5)
    out = []
    for rows, columns, damping in [(6, 4, 1e-3), (4, 9, 1e-2), (12, 12, 1e-6)]:
        jacobian = rng.normal(size=(rows, columns))
        residual = rng.normal(size=rows)
        step = np.linalg.solve(jacobian.T @ jacobian + damping * np.eye(columns), -jacobian.T @ residual)
        out.append({"jacobian": jacobian.ravel().tolist(), "residual": residual.tolist(), "rows": rows,
                    "columns": columns, "damping": damping, "step": step.tolist()})
    return out


print(json.dumps({"start": START, "adam": adam(0.0), "adam_decayed": adam(1e-2), "lbfgs": lbfgs(), "gauss_newton": gauss_newton()}, indent=1))
