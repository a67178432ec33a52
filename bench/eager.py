#!/usr/bin/env python3
"""Seconds a step of eager PyTorch with nested autograd, the paper's own way, for every item: python times.py [--steps 100] [--only NAME]

One step = fresh points where the problem samples, forward, loss, gradient, Adam. For equations also with the test error at 10,000 fresh
points after every update, as the authors' scripts have it ('with test'). Prints one line an item, writes $OUT/times.json.
"""
import argparse, json, math, os, statistics, sys, time, traceback
import torch
a = argparse.ArgumentParser(); a.add_argument("--steps", type=int, default=100); a.add_argument("--only", default=""); a.add_argument("--device", default="cuda"); a.add_argument("--shrink", type=int, default=1); a.add_argument("--cap", type=float, default=20, help="seconds an item"); a.add_argument("--warm", type=int, default=10)
a = a.parse_args()
dev = torch.device(a.device)
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
sync = torch.cuda.synchronize if a.device == "cuda" else (lambda: None)
P = torch.nn.Parameter
results = {}


def measure(name, full, make):
    if a.only and a.only not in name:
        return
    try:
        torch.manual_seed(0)
        step = make()
        begun = time.time()
        for _ in range(a.warm):
            loss = step()
        sync()
        times = []
        while len(times) < a.steps and time.time() - begun < a.cap:
            t0 = time.perf_counter(); loss = step(); sync(); times.append(time.perf_counter() - t0)
        s = statistics.median(times)
        results[name] = dict(median_s=s, best_s=min(times), worst_s=max(times), timed=len(times), full_steps=full, hours=s * full / 3600, loss=float(loss.detach()))
        print(f"{name:34s} {s * 1e3:9.3f} ms  (best {min(times) * 1e3:.3f}, {len(times)} steps)  x {full:>6} = {s * full / 3600:7.3f} h   loss {float(loss.detach()):.3e}", flush=True)
    except Exception:
        traceback.print_exc()
        results[name] = dict(failed=traceback.format_exc()[-400:])
    if a.device == "cuda":
        torch.cuda.empty_cache()
    json.dump(results, open(os.path.join(os.environ.get("OUT", "."), "times.json"), "w"), indent=1)


# signals: four activated layers, single precision
class Coordinate(torch.nn.Module):
    def __init__(s, kind, n, widths):
        super().__init__()
        q = lambda m, sd: P(torch.empty(1, n).normal_(m, sd))
        s.kind = kind
        if kind == "siren":
            return
        s.a1, s.b1 = q(2, .1), q(30, .001)
        if "gauss" in kind:
            s.a2, s.b2 = q(1, .1), P(torch.empty(1, n).uniform_(*widths))
        if "poly" in kind:
            s.a3, s.a4 = q(0, .1), q(1, .1)

    def forward(s, x):
        if s.kind == "siren":
            return torch.sin(30 * x)
        y = s.a1 * torch.sin(s.b1 * x)
        if "gauss" in s.kind:
            y = y + s.a2 * torch.exp(-x ** 2 / (2 * s.b2 ** 2))
        if "poly" in s.kind:
            y = y + s.a3 * x + s.a4 * x ** 2
        return y


def signal(kind, d, width, out, batch, widths=(.01, .05)):
    def make():
        layers, n = [], d
        for i in range(4):
            lin = torch.nn.Linear(n, width)
            b = 1 / n if i == 0 else math.sqrt(6 / n) / 30
            torch.nn.init.uniform_(lin.weight, -b, b)
            layers += [lin, Coordinate(kind, width, widths)]
            n = width
        lin = torch.nn.Linear(n, out)
        torch.nn.init.uniform_(lin.weight, -math.sqrt(6 / n) / 30, math.sqrt(6 / n) / 30)
        net = torch.nn.Sequential(*layers, lin).to(dev)
        opt = torch.optim.Adam(net.parameters(), lr=1e-4)
        sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 2000)
        draw = batch()

        def step():
            x, t = draw()
            loss = ((net(x) - t) ** 2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            return loss
        return step
    return make


def picture():
    g = torch.linspace(-1, 1, 256 // a.shrink, device=dev)
    x = torch.stack(torch.meshgrid(g, g, indexing="ij"), -1).reshape(-1, 2)
    t = torch.sin(9 * x[:, :1]) * torch.cos(7 * x[:, 1:])
    return lambda: (x, t)


def sound(n):
    def batch():
        x = torch.linspace(-100, 100, n // a.shrink, device=dev)[:, None]
        t = 0.3 * torch.sin(70 * x)
        return lambda: (x, t)
    return batch


def video():
    frames, rows, cols = 250 // a.shrink, 272 // a.shrink, 640 // a.shrink
    data = torch.rand(frames * rows * cols, 3, device=dev) * 2 - 1
    n = int(0.0038 * len(data))
    scale = torch.tensor([frames - 1, rows - 1, cols - 1], device=dev)

    def draw():
        at = torch.randint(0, len(data), (n,), device=dev)
        c = torch.stack([at // (rows * cols), at // cols % rows, at % cols], 1)
        return c / scale * 2 - 1, data[at]
    return draw


# equations: two residual blocks, double precision, nested autograd
G = {"relu3": lambda z: torch.relu(z) ** 3, "relu": torch.relu, "x": lambda z: z, "x2": lambda z: z ** 2, "sin": torch.sin}
ROWS = {"relu3": ["relu3"], "poly": ["x", "x2"], "poly-relu": ["x", "x2", "relu"], "poly-relu3": ["x", "x2", "relu3"], "poly-sine": ["x", "x2", "sin"], "psg": ["x", "x2", "sin", "gauss"]}


def activation(name, w, gauss):
    """The neurons are shared as in the authors' code, written into a tensor of zeros slice by slice as there."""
    fs = dict(G, gauss=lambda z: torch.exp(-z ** 2 / (2 * gauss ** 2)))
    if name in ROWS:
        parts = ROWS[name]
        n = [w // len(parts)] * (len(parts) - 1)
        if name == "psg" and gauss == 0.5:
            n = [w // 4, w // 4, w - 2 * (w // 4) - 10]
    elif name == "sines":
        parts, n = ["x", "sines", "x2"], [w // 3, w // 3]
    else:
        parts, n = ["x", "sines", "cosines", "x2"], [w // 3, w // 6, w // 3 - w // 6]
    n = n + [w - sum(n)]
    for part, m in zip(parts, n):
        k = 2 * math.pi * torch.arange(1, m + 1, device=dev)
        if part == "sines":
            fs["sines"] = lambda z, k=k: torch.sin(k * z)
        if part == "cosines":
            fs["cosines"] = lambda z, k=k: torch.cos(k * z)
    if len(parts) == 1:
        return fs[parts[0]]
    ends = [sum(n[:i]) for i in range(len(n) + 1)]

    def f(z):
        y = torch.zeros(z.shape, dtype=z.dtype, device=z.device)
        for part, i, j in zip(parts, ends, ends[1:]):
            y[:, i:j] = fs[part](z[:, i:j])
        return y
    return f


def equation(problem, names, width, gauss, test):
    N = 10_000 // a.shrink

    def make():
        dt = torch.float64
        lin = lambda i, o: torch.nn.Linear(i, o, device=dev, dtype=dt)
        L = torch.nn.ModuleList([lin(2, width), lin(width, width), lin(width, width), lin(width, width), lin(width, 1)])
        A = [activation(name, width, gauss) for name in names]
        I = torch.zeros(2, width, dtype=dt, device=dev); I[0, 0] = I[1, 1] = 1
        W = 6 * math.pi

        def net(x):
            s = x @ I
            y = A[1](L[1](A[0](L[0](x)))) + s
            return L[4](A[3](L[3](A[2](L[2](y)))) + y)

        def points():
            if problem != "low-regularity":
                return torch.rand(N, 2, dtype=dt, device=dev)
            p = torch.randn(N, 2, dtype=dt, device=dev)
            return p / p.norm(dim=1, keepdim=True) * torch.rand(N, 1, dtype=dt, device=dev) ** 0.5

        def exact(x):
            if problem == "poisson":
                return (x ** 2 * (1 - x)).prod(1, keepdim=True)
            if problem == "low-regularity":
                return torch.sin(2 * math.pi * (1 - x.norm(dim=1, keepdim=True)))
            return torch.sin(W * x).prod(1, keepdim=True)

        def u_of(x):
            if problem == "low-regularity":
                return (1 - torch.sqrt((x ** 2).sum(1, keepdim=True))) * net(x)
            return (x * (1 - x)).prod(1, keepdim=True) * net(x)

        def residual(x):
            x.requires_grad_(True)
            u = u_of(x)
            v = torch.ones_like(u)
            g = torch.autograd.grad(u, x, grad_outputs=v, create_graph=True)[0]
            if problem == "low-regularity":
                g = torch.sqrt((x ** 2).sum(1, keepdim=True)) * g
            lap = sum(torch.autograd.grad(g[:, i:i + 1], x, grad_outputs=v, create_graph=True)[0][:, i:i + 1] for i in range(2))
            X = x.detach()
            if problem == "poisson":
                f = (6 * X[:, :1] - 2) * X[:, 1:] ** 2 * (1 - X[:, 1:]) + (6 * X[:, 1:] - 2) * X[:, :1] ** 2 * (1 - X[:, :1])
                return -lap - f
            if problem == "low-regularity":
                r = X.norm(dim=1, keepdim=True); t = 2 * math.pi * (1 - r)
                return -lap - (4 * math.pi * torch.cos(t) + 4 * math.pi ** 2 * r * torch.sin(t))
            e = exact(X)
            return -lap + (u + 2) ** 2 - 2 * W * W * e - (e + 2) ** 2

        decay = 0.0 if problem == "oscillation" else 1e-4
        opt = torch.optim.Adam(L.parameters(), lr=1e-3, weight_decay=decay)
        sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1000, gamma=0.95)

        def step():
            opt.zero_grad()
            loss = (residual(points()) ** 2).mean()
            loss.backward()
            opt.step()
            sched.step()
            if test:
                x = points(); x.requires_grad_(True)
                e = exact(x)
                step.error = float(torch.sqrt(((u_of(x) - e) ** 2).sum() / (e ** 2).sum()).detach())
            return loss
        return step
    return make


# eigenpairs along random paths (Han, Lu, Zhou)
def paths(d, kind):
    width, K, T, decay, lam0 = (80, 120, 0.2, 0.2, -3.3) if d == 5 else (200, 200, 0.3, 0.1, -3.2)
    M, order, h, dt = 2048 // a.shrink, 5, T / K, torch.float64
    c2 = 1.2190048608591617676 if d == 5 else 1.1048958812459125275
    like = dict(dtype=dt, device=dev)

    def make():
        def network(outputs):
            sizes = [2 * d * order, width, width, width, outputs]
            layers = torch.nn.ModuleList(torch.nn.Linear(i, o, **like) for i, o in zip(sizes, sizes[1:]))
            for l in layers:
                torch.nn.init.xavier_uniform_(l.weight)
                torch.nn.init.zeros_(l.bias)
            return layers
        f = torch.relu if kind == "relu" else activation(kind, width, 0.1)

        def forward(layers, x):
            x = torch.cat([g(m * x) for m in range(1, order + 1) for g in (torch.sin, torch.cos)], 1)
            for l in layers[:-1]:
                x = f(l(x))
            return layers[-1](x)
        net_y, net_z, lam = network(1), network(d), P(torch.tensor(lam0, **like))
        opt = torch.optim.Adam([*net_y.parameters(), *net_z.parameters(), lam], lr=5e-5)
        st = {"ma": torch.tensor(100.0, **like), "biased": torch.zeros((), **like), "n": 0}

        def step():
            opt.zero_grad()
            dw = torch.randn(K, M, d, **like) * math.sqrt(h)
            x = torch.cumsum(torch.cat([2 * math.pi * torch.rand(1, M, d, **like), math.sqrt(2) * dw]), 0)
            y0 = forward(net_y, x[0])[:, 0]
            mean = (y0 ** 2).mean()
            yl2 = decay * st["ma"] + (1 - decay) * mean
            s = torch.sign(y0.detach().sum()) / torch.sqrt(yl2)
            y = s * y0
            for k in range(K):
                si, c = torch.sin(x[k]), torch.cos(x[k])
                v = -torch.exp(2 / d * c.sum(-1)) / c2 + (si ** 2 / d ** 2 - c / d).sum(-1) - 3
                y = y + h * (y ** 3 + v * y - lam * y) + (forward(net_z, x[k]) * dw[k]).sum(1)
                if k + 1 < K:
                    y = torch.clamp(y, -5, 5)
            last = x[K].clone().requires_grad_(True)
            y_last = forward(net_y, last)[:, 0]
            slopes = torch.autograd.grad(y_last.sum(), last, create_graph=True)[0]
            delta = y - s * y_last
            mis = torch.where(delta.abs() < 100, delta ** 2, 200 * delta.abs() - 10_000)
            off = forward(net_z, x[K]) - s * math.sqrt(2) * slopes
            loss = 1000 * mis.mean() + 20 * (off ** 2).mean() + 200 * torch.relu(2 - yl2)
            loss.backward()
            opt.step()
            with torch.no_grad():
                st["n"] += 1
                st["biased"] = decay * st["biased"] + (1 - decay) * mean.detach()
                st["ma"] = st["biased"] / (1 - decay ** st["n"])
            return loss
        return step
    return make


print(torch.__version__, torch.cuda.get_device_name() if a.device == "cuda" else "cpu", flush=True)
for kind in ("siren", "sine", "poly-sine", "sine-gauss", "poly-sine-gauss"):
    measure(f"image {kind}", 2000, signal(kind, 2, 256, 1, picture))
for problem, width, gauss, full in (("poisson", 50, 0.1, 100_000), ("low-regularity", 50, 0.1, 200_000), ("oscillation", 100, 0.5, 100_000)):
    for row in ROWS:
        measure(f"{problem} {row}", full, equation(problem, [row] * 4, width, gauss, False))
    measure(f"{problem} psg with test", full, equation(problem, ["psg"] * 4, width, gauss, True))
for place in ("first", "last"):
    for cos in ("sines", "sines-cos"):
        names = ["poly-sine"] * 4
        names[0 if place == "first" else 3] = cos
        measure(f"table4 {place} {cos}", 100_000, equation("oscillation", names, 100, 0.5, False))
for kind in ("relu", "relu3", "psg"):
    measure(f"eigen-5 {kind}", 60_001, paths(5, kind))
for kind in ("siren", "sine-gauss"):
    measure(f"video {kind}", 100_000, signal(kind, 3, 400, 3, video, (.002, .01)))
for clip, n in (("bach", 308_207), ("counting", 537_936)):
    for kind in ("siren", "sine", "sine-gauss"):
        measure(f"sound {clip} {kind}", 2000, signal(kind, 1, 256, 1, sound(n)))
for kind in ("relu", "relu3", "psg"):
    measure(f"eigen-10 {kind}", 80_001, paths(10, kind))
