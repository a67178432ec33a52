#!/usr/bin/env python3
"""Oscillation (Tables 3 and 4 of the paper) in JAX with many settings side by side in one program.

    python scan.py SPEC.json OUT_PREFIX --seconds 500

SPEC: {"width": 100, "points": 2500, "dtype": "float64", "steps": 100000, "configs": [{...}, ...]}; of a config (defaults in DEFAULT):
  act      relu3 poly poly-relu poly-relu3 poly-sine psg psg-even first last first-cos last-cos
  w        neurons in use (the others give zero and are never trained)
  k        waves: sin(2 pi k x) sin(2 pi k y);  cubic: the released code's further -(u-1)^3
  lr, s, q rate lr * q^floor(n/s);  cosine: T > 0 takes lr/2 (1 + cos(pi n/T)) in its place
  wd, b2   coupled weight decay, Adam's second beta
  fixed    1: the same points at every step
  init     fan (code), glorot (uniform, no bias), ten (fan-in times 10 in the first layer)
  lift     1: the network as printed: V x first, W_1 square, no output bias
  gauss    the Gaussians' width
  adaptive 0
Masks choose each neuron's function, so that one program serves all. Error on fresh points after every 10th update.
"""
import json, math, sys, time
from functools import partial

DEFAULT = dict(act="psg", w=None, k=3, cubic=0, lr=1e-3, s=1000, q=0.95, cosine=0, wd=0.0, b2=0.999, fixed=0, init="fan", lift=0, gauss=0.5, seed=0)
PARTS = {"relu3": ["relu3"], "poly": ["x", "x2"], "poly-relu": ["x", "x2", "relu"], "poly-relu3": ["x", "x2", "relu3"],
         "poly-sine": ["x", "x2", "sin"], "psg": ["x", "x2", "sin", "gauss"], "psg-even": ["x", "x2", "sin", "gauss"],
         "sines": ["x", "sines", "x2"], "sines-cos": ["x", "sines", "cosines", "x2"]}
KIND = {"none": 0, "x": 1, "x2": 2, "sin": 3, "sines": 3, "cosines": 3, "gauss": 4, "relu": 5, "relu3": 6}


def sizes(name, w):
    parts = PARTS[name]
    n = [w // len(parts)] * (len(parts) - 1)
    if name == "sines-cos":
        n = [w // 3, w // 6, w // 3 - w // 6]
    elif name == "psg":
        n = [w // 4, w // 4, w - 2 * (w // 4) - 10]
    return n + [w - sum(n)]


def masks(np, c, width):
    w = c["w"] or width
    names = [c["act"]] * 4
    if c["act"].split("-")[0] in ("first", "last"):
        place, _, cos = c["act"].partition("-")
        names = ["poly-sine"] * 4
        names[0 if place == "first" else 3] = "sines-cos" if cos else "sines"
    kind, omega, phase = np.zeros((4, width), np.int32), np.ones((4, width)), np.zeros((4, width))
    for l, name in enumerate(names):
        at = 0
        for part, n in zip(PARTS[name], sizes(name, w)):
            kind[l, at:at + n] = KIND[part]
            if part in ("sines", "cosines"):
                omega[l, at:at + n] = 2 * math.pi * np.arange(1, n + 1)
            if part == "cosines":
                phase[l, at:at + n] = math.pi / 2
            at += n
    return kind, omega, phase


def first_weights(np, c, width):
    """(W, b) of five layers, then V and the printed network's W_1."""
    w = c["w"] or width
    r = np.random.default_rng(1000 + c["seed"])
    out = []
    for l, (n, m) in enumerate([(2, w)] + 3 * [(w, w)] + [(w, 1)]):
        bound = math.sqrt(6 / (n + m)) if c["init"] == "glorot" else 1 / math.sqrt(n)
        bound *= 10 if c["init"] == "ten" and l == 0 else 1
        W, b = r.uniform(-bound, bound, (n, m)), r.uniform(-bound, bound, m)
        if c["init"] == "glorot":
            b = 0 * b
        rows, cols = (2 if l == 0 else width), (1 if l == 4 else width)
        P, B = np.zeros((rows, cols)), np.zeros(cols)
        P[:n, :m], B[:m] = W, b
        if l == 4 and c["lift"]:
            B = 0 * B
        out += [P, B]
    V, S = np.zeros((2, width)), np.zeros((width, width))
    if c["lift"]:
        V[:, :w] = r.uniform(-1 / math.sqrt(2), 1 / math.sqrt(2), (2, w))
        S[:w, :w] = r.uniform(-1 / math.sqrt(w), 1 / math.sqrt(w), (w, w))
    else:
        V[0, 0] = V[1, 1] = 1
    return out + [V, S]


def program(jax, jnp, dtype, split):
    def functions(z, kind, om, ph, S):
        """f and three derivatives of the neuron's function."""
        a = om * z + ph
        s, c = jnp.sin(a), jnp.cos(a)
        i2 = 1 / (S * S)
        y = z * z * i2
        e = jnp.exp(-0.5 * y)
        r, H = jnp.maximum(z, 0), jnp.where(z > 0, 1.0, 0.0).astype(z.dtype)
        o, O = jnp.ones_like(z), jnp.zeros_like(z)
        towers = {1: (z, o, O, O), 2: (z * z, 2 * z, 2 * o, O), 3: (s, om * c, -om * om * s, -om * om * om * c),
                  4: (e, -z * i2 * e, (y - 1) * i2 * e, (3 - y) * z * i2 * i2 * e), 5: (r, H, O, O), 6: (r * r * r, 3 * r * r, 6 * r, 6 * H)}
        out = []
        for d in range(4):
            v = O
            for number, tower in towers.items():
                v = jnp.where(kind == number, tower[d], v)
            out.append(v)
        return out

    @jax.custom_vjp
    def act(jet, b, mask):
        z, g, h, l = jet
        f, f1, f2, _ = functions(z + b, *mask)
        return f, f1 * g, f1 * h, f2 * (g * g + h * h) + f1 * l

    def act_fwd(jet, b, mask):
        return act(jet, b, mask), (jet, b, mask)

    def act_bwd(saved, ct):
        (z, g, h, l), b, mask = saved
        cf, cg, ch, cl = ct
        f, f1, f2, f3 = functions(z + b, *mask)
        cz = cf * f1 + f2 * (cg * g + ch * h) + cl * (f3 * (g * g + h * h) + f2 * l)
        jet = (cz, cg * f1 + 2 * cl * f2 * g, ch * f1 + 2 * cl * f2 * h, cl * f1)
        return jet, cz.sum(0), None

    act.defvjp(act_fwd, act_bwd)

    @jax.custom_vjp
    def mul(x, W):
        return x @ W

    def mul_bwd(saved, c):
        x, W = saved
        n = x.shape[0]
        k = split if n % split == 0 else 1
        parts = jnp.einsum("smi,smj->sij", x.reshape(k, n // k, -1), c.reshape(k, n // k, -1))
        return c @ W.T, parts.sum(0)

    mul.defvjp(lambda x, W: (x @ W, (x, W)), mul_bwd)
    dense = lambda jet, W: tuple(mul(v, W) for v in jet)

    def net(p, cfg, x):
        W1, b1, W2, b2, W3, b3, W4, b4, W5, b5, V, S = p
        mask = lambda l: (cfg["kind"][l], cfg["omega"][l], cfg["phase"][l], cfg["gauss"])
        W1 = jnp.where(cfg["lift"] > 0, V @ S, W1)
        n, w = x.shape[0], V.shape[1]
        start = lambda M: (x @ M, jnp.broadcast_to(M[0], (n, w)), jnp.broadcast_to(M[1], (n, w)), jnp.zeros((n, w), x.dtype))
        skip = start(V)
        y = act(dense(act(start(W1), b1, mask(0)), W2), b2, mask(1))
        y = tuple(a + b for a, b in zip(y, skip))
        z = act(dense(act(dense(y, W3), b3, mask(2)), W4), b4, mask(3))
        y = tuple(a + b for a, b in zip(y, z))
        v, g, h, l = (a @ W5[:, 0] for a in y)
        return v + b5[0], g, h, l

    def exact(cfg, x):
        W = 2 * math.pi * cfg["k"]
        return jnp.sin(W * x[:, 0]) * jnp.sin(W * x[:, 1])

    def loss(p, cfg, x):
        v, g, h, l = net(p, cfg, x)
        X, Y = x[:, 0], x[:, 1]
        bx, by = X * (1 - X), Y * (1 - Y)
        u = bx * by * v
        lap = bx * by * l + 2 * ((1 - 2 * X) * by * g + (1 - 2 * Y) * bx * h) - 2 * (bx + by) * v
        e, W = exact(cfg, x), 2 * math.pi * cfg["k"]
        r = -lap + (u + 2) ** 2 - (2 * W * W * e + (e + 2) ** 2) + cfg["cubic"] * ((e - 1) ** 3 - (u - 1) ** 3)
        return jnp.mean(r * r)

    def error(p, cfg, x):
        e = exact(cfg, x)
        u = x[:, 0] * (1 - x[:, 0]) * x[:, 1] * (1 - x[:, 1]) * net(p, cfg, x)[0]
        return jnp.sqrt(jnp.sum((u - e) ** 2) / jnp.sum(e * e))

    def update(p, m, v, t, cfg, x):
        """One step of Adam, the first with t = 1."""
        value, g = jax.value_and_grad(loss)(p, cfg, x)
        lift = cfg["lift"]
        g = [a + cfg["wd"] * b for a, b in zip(g, p)]
        g[9], g[10], g[11] = g[9] * (1 - lift), g[10] * lift, g[11] * lift
        rate = jnp.where(cfg["cosine"] > 0, cfg["lr"] / 2 * (1 + jnp.cos(math.pi * jnp.minimum((t - 1) / jnp.maximum(cfg["cosine"], 1), 1))),
                         cfg["lr"] * cfg["q"] ** jnp.floor((t - 1) / cfg["s"])).astype(value.dtype)
        B = cfg["b2"]
        m = [0.9 * a + 0.1 * b for a, b in zip(m, g)]
        v = [B * a + (1 - B) * b * b for a, b in zip(v, g)]
        c1, c2 = (1 - 0.9 ** t).astype(value.dtype), (1 - B ** t).astype(value.dtype)
        p = [a - rate * (b / c1) / (jnp.sqrt(c / c2) + 1e-8) for a, b, c in zip(p, m, v)]
        return p, m, v, t + 1, value

    return net, loss, error, update


def main():
    import argparse
    a = argparse.ArgumentParser()
    a.add_argument("spec"), a.add_argument("out")
    a.add_argument("--seconds", type=float, default=1e9)
    a.add_argument("--split", type=int, default=5)
    a.add_argument("--chunk", type=int, default=500)
    a.add_argument("--steps", type=int, default=0)
    a = a.parse_args()
    begun = time.time()
    spec = json.load(open(a.spec))
    import jax, jax.numpy as jnp, numpy as np
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    dt, n, width, steps = jnp.dtype(spec["dtype"]), spec["points"], spec["width"], a.steps or spec["steps"]
    configs = [dict(DEFAULT, **c) for c in spec["configs"]]
    net, loss, error, update = program(jax, jnp, dt, a.split)
    weights = [np.stack(q).astype(dt) for q in zip(*(first_weights(np, c, width) for c in configs))]
    of = [masks(np, c, width) for c in configs]
    cfg = {name: jnp.array([c[name] for c in configs], dt) for name in ("k", "cubic", "lr", "s", "q", "cosine", "wd", "b2", "lift", "gauss")}
    cfg.update(fixed=jnp.array([c["fixed"] for c in configs]), kind=jnp.array(np.stack([m[0] for m in of])),
               omega=jnp.array(np.stack([m[1] for m in of]), dt), phase=jnp.array(np.stack([m[2] for m in of]), dt))

    def inner(cfg, state, _):
        p, m, v, t, key, _ = state
        key, k = jax.random.split(key)
        k = jnp.where(cfg["fixed"] > 0, jax.random.PRNGKey(77), k)
        p, m, v, t, value = update(p, m, v, t, cfg, jax.random.uniform(k, (n, 2), dt))
        return (p, m, v, t, key, value), None

    def outer(cfg, state, _):
        state, _ = jax.lax.scan(partial(inner, cfg), state, None, 10)
        p, m, v, t, key, value = state
        key, k = jax.random.split(key)
        return (p, m, v, t, key, value), (error(p, cfg, jax.random.uniform(k, (n, 2), dt)), value)

    chunk = jax.jit(jax.vmap(lambda cfg, state: jax.lax.scan(partial(outer, cfg), state, None, a.chunk // 10)), donate_argnums=1)
    keys = jnp.stack([jax.random.PRNGKey(5000 + c["seed"]) for c in configs])
    zero = lambda: [jnp.zeros_like(w) for w in weights]
    state = ([jnp.array(w) for w in weights], zero(), zero(), jnp.ones(len(configs), jnp.float64), keys, jnp.zeros(len(configs), dt))
    E, Lo, done, started, said = [], [], 0, None, 0
    while done < steps and time.time() - begun < a.seconds:
        state, (e, l) = chunk(cfg, state)
        E.append(np.asarray(e)), Lo.append(np.asarray(l))
        done += a.chunk
        if started is None:
            started, at = time.time(), done
            print(f"{a.out}: compiled and {done} steps after {started - begun:.0f} s", flush=True)
        if done - said >= max(steps // 20, a.chunk) or done >= steps:
            said = done
            rate = (done - at) / max(time.time() - started, 1e-9)
            errors = np.concatenate(E, 1)
            print(f"{a.out}: {done} steps, {time.time() - begun:.0f} s, {rate:.0f} joint = {rate * len(configs):.0f} config steps/s; last "
                  + " ".join(f"{x:.1e}" for x in errors[:, -10:].mean(1)), flush=True)
            np.savez_compressed(a.out + ".npz", errors=errors.astype(np.float32), losses=np.concatenate(Lo, 1).astype(np.float32), configs=json.dumps(configs), spec=json.dumps(spec))
    errors = np.concatenate(E, 1).astype(np.float64)
    losses = np.concatenate(Lo, 1)
    np.savez_compressed(a.out + ".npz", errors=errors.astype(np.float32), losses=losses.astype(np.float32), configs=json.dumps(configs), spec=json.dumps(spec))
    sums = np.cumsum(np.pad(errors, ((0, 0), (1, 0))), 1)
    k = min(10, errors.shape[1])
    means = (sums[:, k:] - sums[:, :-k]) / k
    print(f"== {a.out}: width {width}, {n} points, {spec['dtype']}, {done} steps")
    for c, e, m, l in zip(configs, errors, means, losses):
        differs = {k: v for k, v in c.items() if v != DEFAULT[k] or k == "act"}
        print(f"{json.dumps(differs)}\taverage {np.nanmin(m):.2e}\tbest {np.nanmin(e):.2e}\tlast {m[-1]:.2e}\tloss {l[-10:].mean():.1e}", flush=True)


if __name__ == "__main__":
    main()
