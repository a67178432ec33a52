#!/usr/bin/env python3
"""Second-order optimisers in JAX on the equations of the paper's Table 3, beside Adam: the same PSG network, boundary factor and loss as table3.py.

    python second_order.py poisson engd lm ss-broyden --seeds 0 1 2 --seconds 60 --log second_order.json
    python second_order.py oscillation adam soap --seeds 0 1 2 --steps 20000 --log second_order.json
    python second_order.py low-regularity ss-broyden --points 40000 --redraw 1000 --toward 2 --weight 0.75 --steps 6000 --seconds 600 --log second_order.json
    python second_order.py oscillation-scaled-first gn-broyden --matrix 40000 --refresh 1000 --steps 60000 --seconds 600 --log second_order.json

  adam        rate 3e-3 (--rate), down to zero by a cosine; its seeds and soap's run side by side
  soap        Adam in the eigenbasis of G G' and G' G of each matrix, refreshed every ten steps by a QR step (Vyas et al., arXiv:2409.11321); the same rate
  kfac        a Kronecker product for each layer's Gauss-Newton matrix, value, gradient and Laplacian as shared weights; step and momentum from the
              quadratic model (Dangel, Müller, Zeinhofer, arXiv:2405.15603, their KFAC*)
  engd        energy natural gradient: the whole Gauss-Newton matrix (Müller, Zeinhofer, arXiv:2302.13163), in the smaller of its two forms; three dampings
              and eleven lengths a step, the best one by the loss (--judge: at the step's points or at as many others)
  spring      the same with nine tenths of the last step carried over (Guzmán-Cordero et al., arXiv:2505.12149)
  lm          Levenberg-Marquardt: whole steps, damping by the gain ratio
  ss-bfgs     self-scaled BFGS, ss-broyden: self-scaled Broyden (Urbán, Stefanou, Pons, arXiv:2405.04230), the whole inverse matrix, a weak Wolfe line search,
              new points every --redraw steps
  gn-broyden  self-scaled Broyden from the inverse of the damped Gauss-Newton matrix, made anew with every --refresh'th set of points and
              where the line search finds nothing; the damping is the one of five whose step lowers the loss most

`oscillation-scaled-first` and `super-oscillation` have the network of Table 4: sines of the frequencies 2 pi k in the first hidden layer, x + x^2 + sin in the others.
For low regularity --toward draws the radius as U^p (0.5: even over the disc) and --weight multiplies the residual by r^q; q = 1 - 1/(2p) undoes what p does to the loss.

Double precision. adam, soap, kfac, engd, spring and lm draw new points at every step. All but adam and soap start with --warm-up steps of Adam at a rate of 1e-3, whose
seconds are counted; compilation is not. Relative L2 error at other points that do not change, at every look; `mean` is that of a running mean of the weights, `graded` the
error by a quadrature that is dense at the origin (low regularity). A run that diverges stays in the log with its end named; one that is cut off as `running`.
Figures: second_order.json, from one H200. Install: pip install jax
"""
import argparse, json, math, os, time
import jax, jax.numpy as jnp, numpy as np
from jax.flatten_util import ravel_pytree
from jax.scipy.linalg import cho_factor, cho_solve

METHODS = ["adam", "soap", "kfac", "engd", "spring", "lm", "ss-bfgs", "ss-broyden", "gn-broyden"]
QUASI_NEWTON = METHODS[-3:]
p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument("problem", choices=["poisson", "low-regularity", "oscillation", "oscillation-scaled-first", "super-oscillation"])
p.add_argument("methods", nargs="+", choices=METHODS)
p.add_argument("--seeds", type=int, nargs="+", default=[0])
p.add_argument("--seconds", type=float, default=60, help="of a run")
p.add_argument("--steps", type=int, default=0, help="0: no end but that of --seconds; for adam and soap as many as a timed chunk promises for it")
p.add_argument("--points", type=int, default=10_000)
p.add_argument("--width", type=int, help="50, for oscillations 100")
p.add_argument("--rate", type=float, default=3e-3)
p.add_argument("--warm-up", type=int, default=3000)
p.add_argument("--judge", choices=["own", "other"], default="other")
p.add_argument("--redraw", type=int, default=500, help="steps of ss-bfgs, ss-broyden and gn-broyden on the same points")
p.add_argument("--refresh", type=int, default=1, help="sets of points that one Gauss-Newton matrix of gn-broyden serves")
p.add_argument("--matrix", type=int, default=0, help="points of gn-broyden's Gauss-Newton matrix; 0: those of the step")
p.add_argument("--adapt", action="store_true", help="ss- and gn-: of four times as many points keep some by chance, the likelier the larger the residual")
p.add_argument("--toward", type=float, default=0.5)
p.add_argument("--weight", type=float, default=0.0)
p.add_argument("--keep", type=int, default=1, help="steps of engd, spring and lm on the same points")
p.add_argument("--beside", type=int, default=0, help="other runs on the card at the time, for the log")
p.add_argument("--log", default="second_order.json")
a = p.parse_args()
jax.config.update("jax_enable_x64", True)
jax.config.update("jax_default_matmul_precision", "highest")
each = jax.tree_util.tree_map

# the network: two residual blocks of two layers, the neurons shared among x, x^2, sin and Gaussians, or x, x^2 and sin
WAVES = a.problem not in ("poisson", "low-regularity")
WIDTH = a.width or (100 if WAVES else 50)
S = 0.5 if WAVES else 0.1  # the Gaussians' width
quarter, third = WIDTH // 4, WIDTH // 3
if a.problem in ("oscillation-scaled-first", "super-oscillation"):
    LAYERS = [("x", "sines", "x2")] + 3 * [("x", "x2", "sin")]
    CUTS = [third, 2 * third]
else:
    LAYERS = 4 * [("x", "x2", "sin", "gauss")]
    CUTS = np.cumsum([quarter, quarter, WIDTH - 2 * quarter - 10 if WAVES else quarter]).tolist()


def function(name, z):
    """A basic function with its first two derivatives."""
    one, zero = jnp.ones_like(z), jnp.zeros_like(z)
    if name == "x":
        return z, one, zero
    if name == "x2":
        return z * z, 2 * z, 2 * one
    if name == "gauss":
        e = jnp.exp(-z * z / (2 * S * S))
        return e, -z / S**2 * e, (z * z / S**4 - 1 / S**2) * e
    k = 2 * math.pi * jnp.arange(1, z.shape[-1] + 1) if name == "sines" else 1.0
    s, c = jnp.sin(k * z), jnp.cos(k * z)
    return s, k * c, -k * k * s


def activated(layer, jet):
    """A hidden layer's activation of value, gradient and Laplacian."""
    z, gradient, laplacian = jet
    towers = [function(name, of) for name, of in zip(LAYERS[layer], jnp.split(z, CUTS, -1))]
    f, f1, f2 = (jnp.concatenate([t[k] for t in towers], -1) for k in range(3))
    return f, f1[:, None] * gradient, f2 * (gradient**2).sum(1) + f1 * laplacian


def network(weights, x, taps=None):
    """Value, gradient and Laplacian at the points, and what each layer was given; `taps` are added to what it gives."""
    given = []

    def dense(k, jet):
        given.append(jet)
        out = (jet[0] @ weights[k][0] + weights[k][1], jet[1] @ weights[k][0], jet[2] @ weights[k][0])
        return out if taps is None else each(jnp.add, out, taps[k])

    pad = lambda v: jnp.concatenate([v, jnp.zeros(v.shape[:-1] + (WIDTH - 2,))], -1)
    unit = jnp.broadcast_to(jnp.eye(2), (len(x), 2, 2))
    hidden = lambda k, jet: activated(k, dense(k, jet))
    y = hidden(1, hidden(0, (x, unit, jnp.zeros_like(x))))
    y = each(jnp.add, y, (pad(x), pad(unit), jnp.zeros((len(x), WIDTH))))
    y = each(jnp.add, hidden(3, hidden(2, y)), y)
    v, gradient, laplacian = dense(4, y)
    return (v[:, 0], gradient[:, :, 0], laplacian[:, 0]), given


SHAPES = [(2, WIDTH)] + 3 * [(WIDTH, WIDTH)] + [(WIDTH, 1)]


def first_weights(seed):
    key, weights = jax.random.PRNGKey(1000 + seed), []
    for n, m in SHAPES:
        key, k1, k2 = jax.random.split(key, 3)
        c = 1 / math.sqrt(n)
        weights.append((jax.random.uniform(k1, (n, m), minval=-c, maxval=c), jax.random.uniform(k2, (m,), minval=-c, maxval=c)))
    return weights


flat, unravel = ravel_pytree(first_weights(0))
N_WEIGHTS = len(flat)

# the problems
W = (40 if a.problem == "super-oscillation" else 6) * math.pi


def points(key, n=None, toward=None):
    n = n or a.points
    if a.problem != "low-regularity":
        return jax.random.uniform(key, (n, 2))
    k1, k2 = jax.random.split(key)
    t, r = 2 * math.pi * jax.random.uniform(k1, (n,)), jax.random.uniform(k2, (n,)) ** (toward or a.toward)
    return jnp.stack([r * jnp.cos(t), r * jnp.sin(t)], 1)


def exact(X, Y):
    if a.problem == "poisson":
        return X**2 * (1 - X) * Y**2 * (1 - Y)
    if a.problem == "low-regularity":
        return jnp.sin(2 * math.pi * (1 - jnp.hypot(X, Y)))
    return jnp.sin(W * X) * jnp.sin(W * Y)


def residual(weights, x, taps=None):
    """The equation's residual at the points, and what each layer was given."""
    X, Y = x.T
    (v, gradient, laplacian), given = network(weights, x, taps)
    if a.problem == "low-regularity":  # -div(r grad u) of u = (1 - r) v
        r = jnp.hypot(X, Y)
        q = 2 * math.pi * (1 - r)
        f = 4 * math.pi * jnp.cos(q) + 4 * math.pi**2 * r * jnp.sin(q)
        return -r * (1 - r) * laplacian + (3 * r - 1) * (x * gradient).sum(1) / r + 2 * v - f, given
    bx, by = X * (1 - X), Y * (1 - Y)  # u = bx by v
    gb = jnp.stack([(1 - 2 * X) * by, (1 - 2 * Y) * bx], 1)
    u, lap = bx * by * v, bx * by * laplacian + 2 * (gb * gradient).sum(1) - 2 * (bx + by) * v
    if a.problem == "poisson":
        return -lap - ((6 * X - 2) * Y**2 * (1 - Y) + (6 * Y - 2) * X**2 * (1 - X)), given
    e = exact(X, Y)
    return -lap + (u + 2) ** 2 - (2 * W * W * e + (e + 2) ** 2), given


LOOKED = points(jax.random.PRNGKey(7), 20_000, 0.5)


def graded():
    """Points on circles that crowd at the origin, and the weights of a quadrature over the disc."""
    s, w = np.polynomial.legendre.leggauss(200)
    s, w = (1 + s) / 2, w / 2
    r, w = s**3, 3 * s**2 * w * s**3
    t = 2 * math.pi * np.arange(100) / 100
    return jnp.array(np.stack([np.outer(r, np.cos(t)).ravel(), np.outer(r, np.sin(t)).ravel()], 1)), jnp.array(np.repeat(w, 100))


GRADED = graded() if a.problem == "low-regularity" else None


@jax.jit
def error(theta):
    return error_at(theta, LOOKED, 1.0)


@jax.jit
def graded_error(theta):
    return error_at(theta, *GRADED)


def error_at(theta, x, w):
    X, Y = x.T
    factor = 1 - jnp.hypot(X, Y) if a.problem == "low-regularity" else X * (1 - X) * Y * (1 - Y)
    e = exact(X, Y)
    return jnp.sqrt(jnp.sum(w * (factor * network(unravel(theta), x)[0][0] - e) ** 2) / jnp.sum(w * e * e))


def residuals(theta, x):
    r = residual(unravel(theta), x)[0]
    return r * jnp.hypot(*x.T) ** a.weight if a.weight else r


loss = lambda theta, x: jnp.mean(residuals(theta, x) ** 2)
slope = jax.value_and_grad(loss)


# adam and soap: one seed's state, then what a step does with it
def adam_state(theta, key):
    return theta, jnp.zeros_like(theta), jnp.zeros_like(theta), 0.0, key


def adam_step(state, rate, n=None):
    theta, m, v, t, key = state
    key, k = jax.random.split(key)
    value, g = slope(theta, points(k, n))
    m, v, t = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g, t + 1
    return (theta - rate * (m / (1 - 0.9**t)) / (jnp.sqrt(v / (1 - 0.999**t)) + 1e-8), m, v, t, key), value


REFRESH = 10  # steps in one basis
B1, B2 = 0.99, 0.999
leaves = lambda theta: jax.tree_util.tree_leaves(unravel(theta))


def soap_state(theta, key):
    """The basis of the first gradient; biases have none and are trained as by Adam."""
    key, k = jax.random.split(key)
    gs = leaves(slope(theta, points(k))[1])
    qs = [(jnp.linalg.eigh(g @ g.T)[1], jnp.linalg.eigh(g.T @ g)[1]) if g.ndim == 2 else () for g in gs]
    factors = [(g @ g.T, g.T @ g) if g.ndim == 2 else () for g in gs]
    zero = each(jnp.zeros_like, gs)
    return theta, zero, zero, qs, factors, 0.0, key


def soap_step(state, rate):
    theta, ms, vs, qs, factors, t, key = state
    key, k = jax.random.split(key)
    value, g = slope(theta, points(k))
    gs, t = leaves(g), t + 1
    there = lambda q, g: q[0].T @ g @ q[1] if q else g
    back = lambda q, g: q[0] @ g @ q[1].T if q else g
    ms = each(lambda m, g: B1 * m + (1 - B1) * g, ms, gs)
    turned = [there(q, g) for q, g in zip(qs, gs)]
    vs = each(lambda v, g: B2 * v + (1 - B2) * g * g, vs, turned)
    moves = [back(q, (there(q, m) / (1 - B1**t)) / (jnp.sqrt(v / (1 - B2**t)) + 1e-8)) for q, m, v in zip(qs, ms, vs)]
    factors = [(B2 * f[0] + (1 - B2) * g @ g.T, B2 * f[1] + (1 - B2) * g.T @ g) if f else () for f, g in zip(factors, gs)]
    return (theta - rate * ravel_pytree(moves)[0], ms, vs, qs, factors, t, key), value


def soap_steps(state, rates):
    """As many steps as one basis serves, then a step of the power method on it."""
    state, values = jax.lax.scan(soap_step, state, rates)
    theta, ms, vs, qs, factors, t, key = state
    qs = [tuple(jnp.linalg.qr(f @ q)[0] for f, q in zip(*of)) for of in zip(factors, qs)]
    return (theta, ms, vs, qs, factors, t, key), values


def first_order(method, seeds):
    """Yields None once it is compiled and timed, then steps, the seeds' weights and their losses after every chunk."""
    thetas = jnp.stack([ravel_pytree(first_weights(s))[0] for s in seeds])
    keys = jnp.stack([jax.random.PRNGKey(2000 + s) for s in seeds])
    chunk = 200
    if method == "adam":
        begin, many = adam_state, lambda state, rates: jax.lax.scan(adam_step, state, rates)
    else:
        begin, many = soap_state, lambda state, rates: jax.lax.scan(soap_steps, state, rates.reshape(-1, REFRESH))
    run = jax.jit(jax.vmap(many, (0, None)))
    state = jax.jit(jax.vmap(begin))(thetas, keys)
    for _ in range(2):  # compiled by the first
        began = time.time()
        jax.block_until_ready(run(state, jnp.zeros(chunk)))
    chunks = max(1, round((a.steps / chunk) if a.steps else a.seconds / (time.time() - began)))
    rates = jnp.array(a.rate / 2 * (1 + np.cos(np.pi * np.arange(chunks * chunk) / (chunks * chunk)))).reshape(chunks, chunk)
    yield None
    for n, of_chunk in enumerate(rates, 1):
        state, values = run(state, of_chunk)
        yield n * chunk, state[0], values.reshape(len(seeds), -1).mean(1)


# the whole Gauss-Newton matrix
def jacobian(theta, x):
    row = jax.grad(lambda theta, x: residuals(theta, x[None])[0])
    block = jax.vmap(row, (None, 0))
    most = 10_000
    if len(x) <= most:
        return block(theta, x)
    return jax.lax.map(lambda x: block(theta, x), x.reshape(-1, most, 2)).reshape(len(x), -1)


def curvature(theta, x):
    """The residuals r, v -> J v and (damping, v) -> (J'J/N + damping m)^-1 J'v/N, m the mean of the diagonal."""
    J, r, n = jacobian(theta, x), residuals(theta, x), len(x)
    wide = n < N_WEIGHTS
    gram = (J @ J.T if wide else J.T @ J) / n
    m = jnp.trace(gram) / N_WEIGHTS

    def solved(damping, v):
        factor = cho_factor(gram + damping * m * jnp.eye(len(gram)))
        return J.T @ cho_solve(factor, v) / n if wide else cho_solve(factor, J.T @ v / n)

    return r, lambda v: J @ v, solved, m


LENGTHS = 0.5 ** jnp.arange(11)
LEAST, MOST = 1e-16, 1e4


def searched(carried):
    """engd and spring: theta, the last step, damping, key -> the same after a step, and the loss."""

    def step(theta, last, damping, key):
        k1, k2 = jax.random.split(key)
        x = points(k1)
        y = x if a.judge == "own" else points(k2)
        r, times, solved, _ = curvature(theta, x)
        last = carried * last
        ahead = r + times(last)
        before = loss(theta, y)
        best, move, chosen = before, jnp.zeros_like(theta), jnp.minimum(64 * damping, MOST)
        for factor in (0.125, 1.0, 8.0):
            tried = jnp.clip(factor * damping, LEAST, MOST)
            d = last - solved(tried, ahead)
            values = jax.lax.map(lambda t: loss(theta + t * d, y), LENGTHS)
            values = jnp.where(jnp.isfinite(values), values, jnp.inf)
            k = jnp.argmin(values)
            better = values[k] < best
            best, chosen = jnp.where(better, values[k], best), jnp.where(better, tried, chosen)
            move = jnp.where(better, LENGTHS[k] * jnp.where(jnp.isfinite(d), d, 0), move)
        return theta + move, move, chosen, best

    return step


def lm(theta, growth, damping, key):
    """Up to eight dampings for one Gauss-Newton matrix, until one lowers the loss."""
    x = points(key)
    r, _, solved, m = curvature(theta, x)
    before = jnp.mean(r * r)
    g = jax.grad(loss)(theta, x) / 2

    def attempt(state):
        theta, growth, damping, tries, _ = state
        d = -solved(damping, r)
        after = loss(theta + d, x)
        ratio = (before - after) / (d @ (damping * m * d - g))
        good = (after < before) & (ratio > 0)
        smaller = damping * jnp.maximum(1 / 3, 1 - (2 * ratio - 1) ** 3)
        return (jnp.where(good, theta + jnp.where(jnp.isfinite(d), d, 0), theta), jnp.where(good, 2.0, 2 * growth),
                jnp.clip(jnp.where(good, smaller, growth * damping), LEAST, MOST), tries + 1, jnp.where(good, after, jnp.inf))

    going = lambda state: (state[3] < 8) & ~jnp.isfinite(state[4])
    theta, growth, damping, _, after = jax.lax.while_loop(going, attempt, (theta, growth, damping, 0, jnp.inf))
    return theta, jnp.minimum(growth, 2.0**20), damping, jnp.minimum(after, before)


def gauss_newton(method, theta, key):
    step = jax.jit(lm if method == "lm" else searched(0.9 if method == "spring" else 0.0))
    extra = jnp.array(2.0) if method == "lm" else jnp.zeros_like(theta)
    damping, n = jnp.array(1e-3), 0
    jax.block_until_ready(step(theta, extra, damping, key))
    yield None
    while True:
        if n % a.keep == 0:
            key, k = jax.random.split(key)
        theta, extra, damping, value = step(theta, extra, damping, k)
        n += 1
        yield n, theta, value


# a Kronecker product a layer
def kfac(theta, key):
    decay = 0.95

    def joined(jet):
        """The four streams of a jet as rows."""
        return jnp.concatenate([jet[0][:, None], jet[1], jet[2][:, None]], 1)

    def factors(theta, x):
        taps = [(jnp.zeros((len(x), m)), jnp.zeros((len(x), 2, m)), jnp.zeros((len(x), m))) for _, m in SHAPES]
        pulled, given = jax.grad(lambda taps: (lambda r, given: (r.sum(), given))(*residual(unravel(theta), x, taps)), has_aux=True)(taps)
        out = []
        for inner, outer in zip(given, pulled):
            A, B = joined(inner), joined(outer)
            one = jnp.zeros(A.shape[:2] + (1,)).at[:, 0].set(1.0)  # the bias enters the value alone
            A = jnp.concatenate([A, one], -1)
            A, B = A.reshape(-1, A.shape[-1]), B.reshape(-1, B.shape[-1])
            out.append((A.T @ A / len(A), B.T @ B / len(x)))
        return out

    def solved(damping, factors, g):
        moves = []
        for (A, B), (gw, gb) in zip(factors, unravel(g)):
            G = jnp.concatenate([gw, gb[None]])
            shifted = lambda M: cho_factor(M + jnp.sqrt(damping) * jnp.eye(len(M)))
            M = cho_solve(shifted(B), cho_solve(shifted(A), G).T).T
            moves.append((M[:-1], M[-1]))
        return ravel_pytree(moves)[0]

    def step(state, k):
        theta, last, held, damping, t = state
        x = points(k)
        t = t + 1
        held = each(lambda h, f: decay * h + (1 - decay) * f, held, factors(theta, x))
        before, g = slope(theta, x)
        d = -solved(damping, each(lambda h: h / (1 - decay**t), held), g / 2)
        r, along = jax.linearize(lambda theta: residuals(theta, x), theta)
        D, V = jnp.stack([along(d), along(last)]), jnp.stack([d, last])
        Q = D @ D.T / len(x) + damping * V @ V.T
        b = D @ r / len(x)
        Q = Q + 1e-14 * jnp.trace(Q) * jnp.eye(2)
        c = -jnp.linalg.solve(Q, b)
        move = c @ V
        after = loss(theta + move, x)
        ratio = (after - before) / (c @ (D @ D.T / len(x)) @ c + 2 * b @ c)
        good = jnp.isfinite(after) & (after < before)
        damping = jnp.clip(damping * jnp.where(good & (ratio > 0.75), 0.95, jnp.where(good & (ratio > 0.25), 1.0, 1 / 0.95)), 1e-16, 1e6)
        ok = jnp.isfinite(after) & (after < 4 * before)
        return (jnp.where(ok, theta + move, theta), jnp.where(ok, move, 0 * last), held, damping, t), jnp.where(ok, after, before)

    run = jax.jit(lambda state, keys: jax.lax.scan(step, state, keys))
    zero = each(lambda f: jnp.zeros(f.shape), jax.eval_shape(factors, theta, jax.ShapeDtypeStruct((a.points, 2), jnp.float64)))
    state, n, chunk = (theta, jnp.zeros_like(theta), zero, jnp.array(1e-3), jnp.array(0.0)), 0, 20
    jax.block_until_ready(run(state, jax.random.split(key, chunk)))
    yield None
    while True:
        key, k = jax.random.split(key)
        state, values = run(state, jax.random.split(k, chunk))
        n += chunk
        yield n, state[0], values[-1]


# self-scaled quasi-Newton methods
def line_search(theta, value, g, d, x, halted=False):
    """A length with the weak Wolfe conditions by bisection, or the last one that lowered the loss enough, or zero (at once if halted)."""
    down = g @ d

    def going(state):
        return ~state[-1] & (state[0] < 40)

    def attempt(state):
        n, t, low, high, kept, _ = state
        there = theta + t * d
        f, h = slope(there, x)
        enough = f <= value + 1e-4 * t * down  # false for what is not finite
        flat_enough = h @ d >= 0.9 * down
        kept = each(lambda new, old: jnp.where(enough, new, old), (t, f, h), kept)
        low, high = jnp.where(enough, t, low), jnp.where(enough, high, t)
        t = jnp.where(jnp.isfinite(high), (low + high) / 2, 2 * t)
        return n + 1, t, low, high, kept, enough & flat_enough

    start = (0, 1.0, 0.0, jnp.inf, (0.0, value, g), (down >= 0) | halted)
    return jax.lax.while_loop(going, attempt, start)[4]


def gauss_newton_inverse():
    """theta, points, gradient -> the inverse of the damped Gauss-Newton matrix of the loss, and its damping."""
    many = a.matrix or a.points
    block = math.gcd(many, 2500)
    row = jax.vmap(jax.grad(lambda theta, x: residuals(theta, x[None])[0]), (None, 0))

    @jax.jit
    def matrix(theta, x):
        def more(G, x):
            J = row(theta, x)
            return G + J.T @ J / many, None

        return jax.lax.scan(more, jnp.zeros((N_WEIGHTS, N_WEIGHTS)), x.reshape(-1, block, 2))[0]

    factor = jax.jit(lambda G, damping: cho_factor(G + damping * jnp.trace(G) / N_WEIGHTS * jnp.eye(N_WEIGHTS))[0])
    inverse = jax.jit(lambda L: cho_solve((L, False), jnp.eye(N_WEIGHTS)) / 2)

    @jax.jit
    def lowest(theta, L, g, x):
        d = -cho_solve((L, False), g / 2)
        values = jax.lax.map(lambda t: loss(theta + t * d, x), LENGTHS)
        return jnp.min(jnp.where(jnp.isfinite(values), values, jnp.inf))

    def made(theta, x, g, key):
        G = matrix(theta, points(key, a.matrix) if a.matrix else x)
        dampings = [1e-3, 1e-5, 1e-7, 1e-9, 1e-11]
        values = [float(lowest(theta, factor(G, damping), g, x)) for damping in dampings]
        damping = dampings[int(np.argmin(values))]
        L = factor(G, damping)
        del G
        return inverse(L), damping

    return made


def self_scaled(method, theta, key):
    """The matrix is c H + U' diag(D) U: what m steps add to it is multiplied out at their end, so that a step reads H once and writes it never."""
    m = min(50, a.redraw)

    def step(state, k, H, x):
        """H <- (H - Hy y'H / y'Hy + phi y'Hy v v') / tau + s s' / y's, or H as it was where y's is not positive; Hg is H times the gradient."""
        theta, value, g, Hg, last, c, U, D = state
        d = -Hg
        t, after, h = line_search(theta, value, g, d, x, last == 0)
        Hh = c * (H @ h) + (D * (U @ h)) @ U
        s, y = t * d, h - g
        ys = y @ s
        good = ys > 0
        ys = jnp.where(good, ys, 1.0)
        Hy = Hh - Hg
        yHy = y @ Hy
        good = good & (yHy > 0)
        yHy = jnp.where(good, yHy, 1.0)
        hk = yHy / ys
        b = jnp.where(good, -t * (s @ g) / ys, 1.0)
        if method == "ss-bfgs":
            phi, tau = 1.0, jnp.minimum(1.0, 1 / b)
        else:
            excess = jnp.maximum(b * hk - 1, 1e-30)
            root = jnp.sqrt(excess / (1 + excess))
            least = jnp.minimum(1.0, hk * (1 - root))
            theta_k = jnp.maximum((least - 1) / excess, jnp.minimum(1 / least, (1 - b) / b))
            sigma = 1 + theta_k * excess
            spread = jnp.abs(sigma) ** (1 / (1 - N_WEIGHTS))
            scale = jnp.minimum(1.0, 1 / b)
            tau = jnp.where(theta_k <= 0, jnp.minimum(scale * spread, sigma), scale * jnp.minimum(spread, 1 / jnp.where(theta_k > 0, theta_k, 1.0)))
            phi = (1 - theta_k) / sigma
        v = s / ys - Hy / yHy
        good = good & jnp.isfinite(tau) & (tau > 0) & jnp.isfinite(phi)
        shrunk = jnp.where(good, 1 / tau, 1.0)
        rows = jnp.where(good, jnp.stack([Hy, v, s]), 0.0)
        factors = jnp.where(good, jnp.stack([-1 / (yHy * tau), phi * yHy / tau, 1 / ys]), 0.0)
        U, D = jax.lax.dynamic_update_slice(U, rows, (3 * k, 0)), jax.lax.dynamic_update_slice(shrunk * D, factors, (3 * k,))
        return (theta + s, after, h, shrunk * Hh + (factors * (rows @ h)) @ rows, t, shrunk * c, U, D), t

    def steps(state, H, x):
        empty = (jnp.ones(()), jnp.zeros((3 * m, N_WEIGHTS)), jnp.zeros(3 * m))
        (*state, c, U, D), lengths = jax.lax.scan(lambda state, k: step(state, k, H, x), (*state, *empty), jnp.arange(m))
        return tuple(state), c * H + (U.T * D) @ U, lengths

    def descent(theta, x):
        """A step along the gradient, and the multiple of the identity that fits it."""
        value, g = slope(theta, x)
        d = -g / jnp.linalg.norm(g)
        t, _, h = line_search(theta, value, g, d, x)
        y, s = h - g, t * d
        return theta + s, jnp.where(y @ s > 0, y @ s / (y @ y), 1 / jnp.linalg.norm(g))

    def drawn(theta, key):
        if not a.adapt:
            return points(key)
        k1, k2 = jax.random.split(key)
        x = points(k1, 4 * a.points)
        r = jnp.abs(residuals(theta, x))
        chance = jnp.log(r / jnp.mean(r) + 1) + jax.random.gumbel(k2, r.shape)
        return x[jax.lax.top_k(chance, a.points)[1]]

    run = jax.jit(steps, donate_argnums=1)
    descent, value_and_slope, drawn = jax.jit(descent), jax.jit(slope), jax.jit(drawn)
    times = jax.jit(lambda H, g: H @ g)
    fresh = lambda scale: scale * jnp.eye(N_WEIGHTS)
    newton = gauss_newton_inverse() if method == "gn-broyden" else None

    def begun(theta, H, x):
        value, g = value_and_slope(theta, x)
        return theta, value, g, times(H, g), jnp.ones(())

    def anew(theta, x, key):
        """Weights and matrix without memory."""
        if newton is None:
            theta, scale = descent(theta, x)
            return theta, fresh(scale)
        H, damping = newton(theta, x, value_and_slope(theta, x)[1], jax.random.fold_in(key, 1))
        print(f"  damping {damping:.0e}", flush=True)
        return theta, H

    x = drawn(theta, key)
    H = anew(theta, x, key)[1]
    jax.block_until_ready(run(begun(theta, H, x), H, x))
    del H
    yield None
    theta, H = anew(theta, x, key)
    state, n, stuck, sets = begun(theta, H, x), 0, 0, 1
    while stuck < 6:
        for _ in range(max(1, min(100, a.redraw) // m)):
            state, H, lengths = run(state, H, x)
            n += m
        stuck = 0 if bool(lengths[-1] > 0) else stuck + 1
        yield n, state[0], state[1]
        if stuck or n % a.redraw == 0:
            key, k = jax.random.split(key)
            theta, state, sets = state[0], None, sets + 1
            x = drawn(theta, k)
            if stuck > 1 or (newton and sets % a.refresh == 0):  # other points alone did not help, or it is time
                H = None
                theta, H = anew(theta, x, k)
            state = begun(theta, H, x)


# the runs
def warmed(seed):
    """Weights after Adam's warm-up, and its seconds."""
    theta, key = ravel_pytree(first_weights(seed))[0], jax.random.PRNGKey(3000 + seed)
    state = adam_state(theta, key)
    run = jax.jit(lambda state: jax.lax.scan(lambda *of: adam_step(*of, min(a.points, 10_000)), state, jnp.full(a.warm_up, 1e-3))[0]).lower(state).compile()
    began = time.time()
    theta = jax.block_until_ready(run(state))[0]
    return theta, time.time() - began


def thinned(rows, most=200):
    """About that many rows, evenly in the logarithm of the step, and the last."""
    keep = np.unique(np.geomspace(1, len(rows), min(most, len(rows))).round().astype(int) - 1) if rows else []
    return [rows[k] for k in keep]


def logged(record):
    """Added to the log, in place of the same run as it was on its way."""
    runs = json.load(open(a.log)) if os.path.exists(a.log) else []
    if runs and runs[-1]["end"] == "running":
        runs.pop()
    runs.append(record)
    with open(a.log + ".new", "w") as f:
        f.write("[\n" + ",\n".join(json.dumps(r) for r in runs) + "\n]\n")
    os.replace(a.log + ".new", a.log)


def record(method, seed, rows, end, together=1):
    """A line for the log: rows of step, seconds, loss, error, error of the mean."""
    finite = [r for r in rows if np.isfinite(r[3])]
    best = min(finite, key=lambda r: r[3], default=None)
    mean = min((r for r in finite if r[4] is not None and np.isfinite(r[4])), key=lambda r: r[4], default=None)
    line = dict(problem=a.problem, method=method, seed=seed, width=WIDTH, weights=N_WEIGHTS, points=a.points, device=jax.devices()[0].device_kind,
                jax=jax.__version__, end=end, steps=rows[-1][0], seconds=round(rows[-1][1], 2), seeds_together=together, beside=a.beside, last=rows[-1][3],
                best=best and best[3], best_at=best and [best[0], round(best[1], 2)], last_mean=rows[-1][4], best_mean=mean and mean[4],
                settings=dict(rate=a.rate, warm_up=a.warm_up, judge=a.judge, redraw=a.redraw, keep=a.keep, refresh=a.refresh, matrix=a.matrix, adapt=a.adapt,
                toward=a.toward, weight=a.weight), columns=["step", "seconds", "loss", "error", "mean"] + ["graded"] * (GRADED is not None),
                rows=[[r[0], round(r[1], 3)] + [r[k] if r[k] is None else float(f"{r[k]:.5g}") for k in range(2, len(r))] for r in thinned(rows)])
    if GRADED is not None and best:
        line.update(last_graded=rows[-1][5], graded_of_best=best[5], best_graded=min((r[5] for r in finite if r[5] is not None), default=None))
    show = lambda x: "-" if x is None else f"{x:.2e}"
    print(f"{a.problem} {method} seed {seed}: {end}, {line['steps']} steps, {line['seconds']:.1f} s, best {show(line['best'])} at {line['best_at']}, last {show(line['last'])}, "
          f"mean {show(line['best_mean'])} {show(line['last_mean'])}, loss {rows[-1][2]:.2e}, graded {show(line.get('last_graded'))}", flush=True)
    logged(json.loads(json.dumps(line).replace("NaN", "null").replace("Infinity", "null")))


for method in a.methods:
    if method in ("adam", "soap"):
        run = first_order(method, a.seeds)
        next(run)
        rows, began = [[] for _ in a.seeds], time.time()
        errors = jax.jit(jax.vmap(error))
        errors(jnp.zeros((len(a.seeds), N_WEIGHTS)))
        for n, thetas, values in run:
            measured = np.array(errors(thetas))
            for own, value, e in zip(rows, np.array(values), measured):
                own.append((n, time.time() - began, float(value), float(e), None, *([None] if GRADED else [])))
        for seed, own in zip(a.seeds, rows):
            record(method, seed, own, "steps" if np.isfinite(own[-1][3]) else "diverged", len(a.seeds))
        continue
    for seed in a.seeds:
        theta, spent = warmed(seed)
        key = jax.random.PRNGKey(4000 + seed)
        run = kfac(theta, key) if method == "kfac" else self_scaled(method, theta, key) if method in QUASI_NEWTON else gauss_newton(method, theta, key)
        averaged = method not in QUASI_NEWTON
        next(run)
        others = lambda theta: [float(graded_error(theta))] if GRADED else []
        rows, end, mean = [(0, spent, float(loss(theta, points(key))), float(error(theta)), None, *others(theta))], "stalled", None
        began = told = time.time()
        for n, theta, value in run:
            if averaged:
                mean = theta if mean is None else mean + 0.2 * (theta - mean)
            rows.append((n, spent + time.time() - began, float(value), float(error(theta)), float(error(mean)) if averaged else None, *others(theta)))
            if time.time() - told > 20:
                record(method, seed, rows, "running")
                told = time.time()
            if not np.isfinite(rows[-1][3]):
                end = "diverged"
                break
            if a.steps and n >= a.steps:
                end = "steps"
                break
            if rows[-1][1] > a.seconds:
                end = "seconds"
                break
        record(method, seed, rows, end)
        del run
