"""Writes problems/lorenz.toml: Lorenz's equations integrated by the classical Runge-Kutta method in steps of 1e-4, observed with noise.

    python3 lorenz.py > ../../problems/lorenz.toml
"""

import random

S, R, B = 10.0, 28.0, 8.0 / 3.0
SIGMA = 0.1


def slope(p):
    x, y, z = p
    return (S * (y - x), x * (R - z) - y, x * y - B * z)


def step(p, h):
    def ahead(q, k, f):
        return tuple(a + f * h * b for a, b in zip(q, k))

    k1 = slope(p)
    k2 = slope(ahead(p, k1, 0.5))
    k3 = slope(ahead(p, k2, 0.5))
    k4 = slope(ahead(p, k3, 1.0))
    return tuple(a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(p, k1, k2, k3, k4))


random.seed(1963)
p, rows = (-8.0, 7.0, 27.0), []
for n in range(41):
    seen = [round(v + random.gauss(0, SIGMA), 3) for v in p]
    rows.append(f"  [{n / 20:g}, {seen[0]}, {seen[1]}, {seen[2]}],")
    for _ in range(500):
        p = step(p, 1e-4)

print('''name = "lorenz"
about = "three parameters of Lorenz's equations (10, 28, 8/3) from noisy observations"
unknowns = ["x", "y", "z"]

[domain]
kind = "interval"
t = [0, 2]
time = "t"

[parameters]
s = { find = true, start = 8, min = 0 }
r = { find = true, start = 20, min = 0 }
b = { find = true, start = 2, min = 0 }

[equation]
residual = ["x_t - s*(y - x)", "y_t - x*(r - z) + y", "z_t - x*y + b*z"]

[[data]]
sigma = %g
rows = [
%s
]''' % (SIGMA, "\n".join(rows)))
