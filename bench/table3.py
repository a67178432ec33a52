#!/usr/bin/env python3
"""The equations of the paper's Tables 3 and 4 and of its Figure 3 (f) in JAX: its network, ansatz and Adam, the error at every step.

    python table3.py poisson psg --weight-decay 1e-4 --steps 100000 --seeds 3
    python table3.py oscillation relu3 --seconds 600
    python table3.py oscillation first-cos --seconds 600
    python table3.py poisson poly --weights runs/a/model.safetensors runs/b/model.safetensors

Double precision; value, gradient and Laplacian are carried through the layers by hand; the seeds run side by side. `cubic` is
oscillation as the released code has it: a further -(u - 1)^3, width 50; `super-oscillation` has 20 waves along each axis in place of three.
`first` and `last` have sines of the frequencies 2 pi k in that hidden layer, with `-cos` cosines too. `--weights` starts from first weights of `raf`, which
`raf solve PROBLEM --method adam --preset paper --activation NAME --steps 1 --lr 1e-300 --out FOLDER` leaves.

Prints the smallest mean over 100 steps, the smallest error of a step and the mean of the last 100, one figure a seed.
The figures in crates/rafnet-paper/src/peers.txt are the first of the three (for Table 4 and Figure 3 (f) the second), on one H200. Install: pip install jax safetensors
"""
import argparse, math, time
import jax, jax.numpy as jnp, numpy as np

PARTS = {
    "relu3": ["relu3"], "poly": ["x", "x2"], "poly-relu": ["x", "x2", "relu"], "poly-relu3": ["x", "x2", "relu3"],
    "poly-sine": ["x", "x2", "sin"], "psg": ["x", "x2", "sin", "gauss"], "sines": ["x", "sines", "x2"], "sines-cos": ["x", "sines", "cosines", "x2"],
}
FIXED = ["first", "last", "first-cos", "last-cos"]
p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument("problem", choices=["poisson", "low-regularity", "oscillation", "cubic", "super-oscillation"])
p.add_argument("activation", choices=[name for name in PARTS if "sines" not in name] + FIXED)
p.add_argument("--weight-decay", type=float, default=0.0)
p.add_argument("--steps", type=int, default=1000, help="a multiple of --chunk")
p.add_argument("--seeds", type=int, default=1)
p.add_argument("--seconds", type=float, default=math.inf, help="stop after so long")
p.add_argument("--weights", nargs="*", default=[], help="models to start from, one a seed")
p.add_argument("--points", type=int, default=10_000)
p.add_argument("--chunk", type=int, default=1000, help="steps between two lines")
a = p.parse_args()
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")
each = jax.tree_util.tree_map

# the network: two residual blocks of two layers, the neurons shared among the basic functions
WIDTH = 100 if a.problem.endswith("oscillation") else 50
S = 0.1 if a.problem in ("poisson", "low-regularity") else 0.5  # the Gaussians' width
names = [a.activation] * 4  # of the hidden layers
if a.activation in FIXED:
    place, _, cosines = a.activation.partition("-")
    names = ["poly-sine"] * 4
    names[0 if place == "first" else 3] = "sines-cos" if cosines else "sines"


def cuts(name):
    """Where one basic function's neurons end and the next one's begin."""
    parts, third = PARTS[name], WIDTH // 3
    sizes = [WIDTH // len(parts)] * (len(parts) - 1)
    if name == "sines-cos":  # they share a third
        sizes = [third, third // 2, third - third // 2]
    elif name == "psg" and S == 0.5:
        sizes = [WIDTH // 4, WIDTH // 4, WIDTH - 2 * (WIDTH // 4) - 10]
    return np.cumsum(sizes).tolist()


def function(name, z):
    """A basic function with its first two derivatives."""
    one, zero = jnp.ones_like(z), jnp.zeros_like(z)
    if name == "x":
        return z, one, zero
    if name == "x2":
        return z * z, 2 * z, 2 * one
    if name == "sin":
        return jnp.sin(z), jnp.cos(z), -jnp.sin(z)
    if name in ("sines", "cosines"):
        k = 2 * math.pi * jnp.arange(1, z.shape[-1] + 1)
        s, c = jnp.sin(k * z), jnp.cos(k * z)
        return (s, k * c, -k * k * s) if name == "sines" else (c, -k * s, -k * k * c)
    if name == "gauss":
        e = jnp.exp(-z * z / (2 * S * S))
        return e, -z / S**2 * e, (z * z / S**4 - 1 / S**2) * e
    r = jnp.maximum(z, 0)
    return (r, jnp.where(z > 0, 1.0, 0.0), zero) if name == "relu" else (r**3, 3 * r * r, 6 * r)


def activated(layer, jet):
    """A hidden layer's activation of value, gradient and Laplacian."""
    z, gradient, laplacian = jet
    name = names[layer]
    towers = [function(part, of) for part, of in zip(PARTS[name], jnp.split(z, cuts(name), -1))]
    f, f1, f2 = (jnp.concatenate([t[k] for t in towers], -1) for k in range(3))
    return f, f1[:, None] * gradient, f2 * (gradient**2).sum(1) + f1 * laplacian


def network(weights, x):
    """Value, gradient and Laplacian at the points."""
    dense = lambda k, jet: (jet[0] @ weights[k][0] + weights[k][1], jet[1] @ weights[k][0], jet[2] @ weights[k][0])
    add = lambda u, v: tuple(p + q for p, q in zip(u, v))
    pad = lambda v: jnp.concatenate([v, jnp.zeros(v.shape[:-1] + (WIDTH - 2,))], -1)
    unit = jnp.broadcast_to(jnp.eye(2), (len(x), 2, 2))
    hidden = lambda k, jet: activated(k, dense(k, jet))
    y = hidden(1, hidden(0, (x, unit, jnp.zeros_like(x))))
    y = add(y, (pad(x), pad(unit), jnp.zeros((len(x), WIDTH))))
    y = add(hidden(3, hidden(2, y)), y)
    v, gradient, laplacian = dense(4, y)
    return v[:, 0], gradient[:, :, 0], laplacian[:, 0]


def first_weights(key):
    weights = []
    for n, m in [(2, WIDTH)] + 3 * [(WIDTH, WIDTH)] + [(WIDTH, 1)]:
        key, k1, k2 = jax.random.split(key, 3)
        c = 1 / math.sqrt(n)
        weights.append((jax.random.uniform(k1, (n, m), minval=-c, maxval=c), jax.random.uniform(k2, (m,), minval=-c, maxval=c)))
    return weights


def weights_of(model):
    from safetensors.numpy import load_file

    t = load_file(model)
    return [(t[f"layers.{k}.weight"].T, t[f"layers.{k}.bias"]) for k in range(5)]


# the problems
W = (40 if a.problem == "super-oscillation" else 6) * math.pi


def points(key):
    if a.problem != "low-regularity":
        return jax.random.uniform(key, (a.points, 2))
    k1, k2 = jax.random.split(key)
    t, r = 2 * math.pi * jax.random.uniform(k1, (a.points,)), jnp.sqrt(jax.random.uniform(k2, (a.points,)))
    return jnp.stack([r * jnp.cos(t), r * jnp.sin(t)], 1)


def exact(X, Y):
    if a.problem == "poisson":
        return X**2 * (1 - X) * Y**2 * (1 - Y)
    if a.problem == "low-regularity":
        return jnp.sin(2 * math.pi * (1 - jnp.hypot(X, Y)))
    return jnp.sin(W * X) * jnp.sin(W * Y)


def residual(weights, x):
    (X, Y), (v, gradient, laplacian) = x.T, network(weights, x)
    if a.problem == "low-regularity":  # -div(r grad u) of u = (1 - r) v
        r = jnp.hypot(X, Y)
        q = 2 * math.pi * (1 - r)
        f = 4 * math.pi * jnp.cos(q) + 4 * math.pi**2 * r * jnp.sin(q)
        return -r * (1 - r) * laplacian + (3 * r - 1) * (x * gradient).sum(1) / r + 2 * v - f
    bx, by = X * (1 - X), Y * (1 - Y)  # u = bx by v
    gb = jnp.stack([(1 - 2 * X) * by, (1 - 2 * Y) * bx], 1)
    u, lap = bx * by * v, bx * by * laplacian + 2 * (gb * gradient).sum(1) - 2 * (bx + by) * v
    if a.problem == "poisson":
        return -lap - ((6 * X - 2) * Y**2 * (1 - Y) + (6 * Y - 2) * X**2 * (1 - X))
    e = exact(X, Y)
    further = (e - 1) ** 3 - (u - 1) ** 3 if a.problem == "cubic" else 0.0
    return -lap + (u + 2) ** 2 - (2 * W * W * e + (e + 2) ** 2) + further


def error(weights, x):
    X, Y = x.T
    factor = 1 - jnp.hypot(X, Y) if a.problem == "low-regularity" else X * (1 - X) * Y * (1 - Y)
    e = exact(X, Y)
    return jnp.sqrt(jnp.sum((factor * network(weights, x)[0] - e) ** 2) / jnp.sum(e * e))


def step(state, _):
    weights, m, v, t, key = state
    key, k1, k2 = jax.random.split(key, 3)
    g = jax.grad(lambda w: jnp.mean(residual(w, points(k1)) ** 2))(weights)
    g = each(lambda g, w: g + a.weight_decay * w, g, weights)
    m, v = each(lambda m, g: 0.9 * m + 0.1 * g, m, g), each(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
    rate = 1e-3 * 0.95 ** jnp.floor((t - 1) / 1000)
    move = lambda w, m, v: w - rate * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8)
    weights = each(move, weights, m, v)
    return (weights, m, v, t + 1, key), error(weights, points(k2))


seeds = len(a.weights) or a.seeds
weights = jax.vmap(first_weights)(jax.random.split(jax.random.PRNGKey(1), seeds))
if a.weights:
    weights = each(lambda *of: jnp.array(of), *[weights_of(model) for model in a.weights])
zero = each(jnp.zeros_like, weights)
state = (weights, zero, zero, jnp.ones(seeds), jax.random.split(jax.random.PRNGKey(2), seeds))
chunk = jax.jit(jax.vmap(lambda state: jax.lax.scan(step, state, None, a.chunk)))
errors, started = np.zeros((seeds, 0)), time.time()
while errors.shape[1] < a.steps and time.time() - started < a.seconds:
    state, more = chunk(state)
    errors = np.concatenate([errors, more], 1)
    n = errors.shape[1]
    sums = np.cumsum(np.pad(errors, ((0, 0), (1, 0))), 1)
    window = min(n, 100)
    means = (sums[:, window:] - sums[:, :-window]) / window
    text = lambda values: " ".join(f"{x:.2e}" for x in values)
    print(f"{n} steps, {time.time() - started:.0f} s: average {text(means.min(1))}, best {text(errors.min(1))}, last {text(means[:, -1])}", flush=True)
