"""Burgers' equation in DeepXDE, with the settings of its own example: three layers of 20 tanh, Adam, then L-BFGS."""

import deepxde as dde
import numpy as np


def residual(x, u):
    u_x = dde.grad.jacobian(u, x, i=0, j=0)
    u_t = dde.grad.jacobian(u, x, i=0, j=1)
    u_xx = dde.grad.hessian(u, x, i=0, j=0)
    return u_t + u * u_x - 0.01 / np.pi * u_xx


dde.config.set_random_seed(0)
domain = dde.geometry.GeometryXTime(dde.geometry.Interval(-1, 1), dde.geometry.TimeDomain(0, 0.99))
sides = dde.icbc.DirichletBC(domain, lambda x: 0, lambda _, on_boundary: on_boundary)
start = dde.icbc.IC(domain, lambda x: -np.sin(np.pi * x[:, 0:1]), lambda _, on_initial: on_initial)
data = dde.data.TimePDE(domain, residual, [sides, start], num_domain=2540, num_boundary=80, num_initial=160)
model = dde.Model(data, dde.nn.FNN([2, 20, 20, 20, 1], "tanh", "Glorot normal"))
model.compile("adam", lr=1e-3)
model.train(iterations=15000)
model.compile("L-BFGS")
model.train()


def u(x, t):
    return model.predict(np.column_stack([x, t]))
