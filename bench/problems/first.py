"""The first generator: what thresholds were chosen on and every range up to seed 14,199 was drawn from.

A seed gives the same problem as ever: nothing here may draw another number, or in another order.
"""
import math, random
from .posed import Posed, interval, number


def smooth(r, axes):
    """A sum of waves, exponentials and powers of a few coordinates."""
    terms = []
    for _ in range(r.randint(1, 3)):
        x, y = r.choice(axes), r.choice(axes)
        a, b = number(r, 0.5, 3), number(r, -1, 1)
        kinds = ["sin({a}*{x} + {b}*{y})", "exp({b}*{x})*cos({a}*{y})", "{a}*{x}^2*{y} - {b}", "log(5 + {x} + {b}*{y})", "1/(2 + {x}^2 + {y})", "tanh({a}*{x} - {b})"]
        terms.append(r.choice(kinds).format(a=a, b=b, x=x, y=y))
    return " + ".join(terms)


def oscillating(r, axes):
    """Waves of 2 to 12 periods along one axis, fewer along another."""
    x, y = r.choice(axes), r.choice(axes)
    a, b = number(r, 12, 70 if len(axes) < 3 else 25), number(r, 1, 12)
    return f"sin({a}*{x} + {b}*{y}) + {number(r, 0.2, 1)}*cos({b}*{x})"


def layered(r, axes):
    """A front or a boundary layer of width 1/200 to 1/10."""
    x, y = r.choice(axes), r.choice(axes)
    width, at = number(r, 0.005, 0.1), number(r, 0.2, 0.8)
    if r.random() < 0.5:
        return f"tanh(({x} - {at} - {number(r, -0.3, 0.3)}*{y})/{width})"
    return f"exp(({x} - 1)/{width}) + sin({y})"


def singular(r, axes):
    """A root at a face or at a point."""
    x, y = r.choice(axes), r.choice(axes)
    power = r.choice([1.5, 2.5, number(r, 1.6, 3.4)])
    if x == y or r.random() < 0.5:
        return f"abs({x} - {number(r, 0.1, 0.9)})^{power} + {y}"
    return f"(({x} - {number(r, 0, 1)})^2 + ({y} - {number(r, 0, 1)})^2)^{number(r, 0.8, 1.6)}"


SHAPES = {"smooth": smooth, "oscillating": oscillating, "layered": layered, "singular": singular}


def box(r, axes, time, shape):
    """A box, time among its axes or not."""
    ranges = {a: (0.0, 1.0) if r.random() < 0.7 or shape == "layered" else (-1.0, number(r, 0.5, 2)) for a in axes}
    lines = ["kind = \"box\""] + [f"{a} = [{lo}, {hi}]" for a, (lo, hi) in ranges.items()]
    draw = lambda q: [q.uniform(*ranges[a]) for a in axes]
    return lines + ([f"time = \"{time}\""] if time else []), draw, ranges


def disc(r, axes):
    """A ball, an annulus or an L in the plane."""
    kind = r.choice(["ball", "annulus", "polygon"]) if len(axes) == 2 else "ball"
    names = "[" + ", ".join(f"\"{a}\"" for a in axes) + "]"
    inside = {
        "ball": lambda p: sum(v * v for v in p) < 1,
        "annulus": lambda p: 0.25 < sum(v * v for v in p) < 1,
        "polygon": lambda p: not (p[0] > 0 and p[1] < 0),
    }[kind]
    lines = {
        "ball": ["kind = \"ball\"", f"coordinates = {names}"],
        "annulus": ["kind = \"annulus\"", "inner = 0.5", "outer = 1"],
        "polygon": ["kind = \"polygon\"", "vertices = [[-1, -1], [0, -1], [0, 0], [1, 0], [1, 1], [-1, 1]]"],
    }[kind]

    def draw(q):
        while True:
            point = [q.uniform(-1, 1) for _ in axes]
            if inside(point):
                return point

    return lines, draw, None


def conditions(r, unknowns, faces, exact, shape):
    """Values, slopes or mixtures on the boundary, all from the exact solution."""
    lines = []
    for u in unknowns:
        tag = f"unknown = \"{u}\"\n" if len(unknowns) > 1 else ""
        if faces is None or r.random() < 0.5:
            lines.append(f"[[boundary]]\n{tag}on = \"all\"\ndirichlet = \"{exact[u]}\"")
            continue
        for k, (axis, (lo, hi)) in enumerate(faces.items()):
            for at in (lo, hi):
                slope = derivative(exact[u], axis)
                kind = "dirichlet" if k == 0 and at == lo or slope is None else r.choice(["dirichlet", "neumann", "robin"])
                outward = "-" if at == lo else ""
                value = {
                    "dirichlet": lambda: f"dirichlet = \"{exact[u]}\"",
                    "neumann": lambda: f"neumann = \"{outward}({slope})\"",
                    "robin": lambda: f"robin = {{ a = \"1\", b = \"1\", g = \"{exact[u]} + {outward or '+'}({slope})\" }}".replace("+ +", "+ ").replace("+ -", "- "),
                }[kind]()
                lines.append(f"[[boundary]]\n{tag}on = \"{axis}={at}\"\n{value}")
    return lines


def derivative(text, axis):
    """The problem format differentiates for us: d(text, axis)."""
    return f"d({text}, {axis})"


def posed(seed, local=False):
    """The problem of a seed."""
    r = random.Random(seed)
    kinds = [(manufactured, 60), (stiff, 8), (transported, 6), (growing, 5), (jumping_source, 7), (kinked_data, 4), (contradictory, 6), (ill_posed, 4)]
    if local:
        kinds = [(peaks, 1), (hole, 1), (front, 1), (thin_layer, 1), (scattered, 1)]
    make = r.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
    return make(r, seed)


def manufactured(r, seed):
    """A solution is drawn, the source follows."""
    d = r.choices([1, 2, 3, 4, 5, 6], [20, 40, 18, 8, 7, 7])[0]
    timed = d > 1 and r.random() < 0.4
    axes = [["x"], ["x", "y"], ["x", "y", "z"], ["x1", "x2", "x3", "x4"], [f"x{i}" for i in range(1, 6)], [f"x{i}" for i in range(1, 7)]][d - 1 - timed]
    space = list(axes)
    curved = not timed and d in (2, 3) and r.random() < 0.35
    if timed:
        axes = axes + ["t"]
    shape = r.choices(list(SHAPES), [50, 20, 18, 12])[0] if d < 4 else "smooth"
    domain, draw, ranges = disc(r, axes) if curved else box(r, axes, "t" if timed else None, shape)
    count = 2 if r.random() < 0.15 and d < 4 else 1
    unknowns = ["u", "v"][:count]
    exact = {u: SHAPES[shape](r, axes) for u in unknowns}
    linear = r.random() < 0.6
    texts = []
    for k, u in enumerate(unknowns):
        c = number(r, 0.1, 2)
        principal = f"-laplacian({u})" if not timed else r.choice([f"{u}_t - {c}*laplacian({u})"] * 3 + [f"{u}_tt - {c}*laplacian({u})"])
        if shape == "layered" and not timed:
            principal = f"-{number(r, 0.01, 0.2)}*laplacian({u}) + {u}_{space[0]}"
        lower = r.choice(["", f" + {c}*{u}", f" + sin({space[0]})*{u}", f" + {number(r, -1, 1)}*{u}_{space[0]}"])
        if not linear:
            lower = r.choice([f" + {u}^3", f" + {u}*{u}_{space[0]}", f" + exp({u})", f" - {c}*sin({u})", f" + {c}*{u}^2"])
        if count > 1:
            lower += f" + {number(r, -1, 1)}*{unknowns[1 - k]}"
        texts.append(f"{principal}{lower} - f{k + 1 if count > 1 else ''}")
    second = [("_tt" in t) for t in texts]
    faces = None if curved else {a: v for a, v in ranges.items() if a != "t"}
    parts = ["[domain]", *domain, "[equation]", "residual = [" + ", ".join(f"\"{t}\"" for t in texts) + "]", "source = \"manufactured\""]
    parts += ["[exact]"] + [f"{u} = \"{exact[u]}\"" for u in unknowns]
    parts += conditions(r, unknowns, faces, exact, shape)
    if timed:
        start = ["[[initial]]"] + [f"{u} = \"{exact[u]}\"" for u in unknowns]
        start += [f"{u}_t = \"{derivative(exact[u], 't')}\"" for u, s in zip(unknowns, second) if s]
        parts += start
    head = f"name = \"trust-{seed}\"\nunknowns = [" + ", ".join(f"\"{u}\"" for u in unknowns) + "]\n"
    kind = f"{shape} {d}d{' t' if timed else ''}{' curved' if curved else ''}{' system' if count > 1 else ''}{'' if linear else ' nonlinear'}"
    return Posed(kind, head + "\n".join(parts) + "\n", axes, exact, draw)


def plain(kind, seed, axes, domain, body, exact, draw):
    text = f"name = \"trust-{seed}\"\n[domain]\n" + "\n".join(domain) + "\n" + body
    return Posed(kind, text, axes, exact, draw)


def stiff(r, seed):
    """Fast decay onto a slow curve, or a fast oscillator."""
    if r.random() < 0.5:
        rate = number(r, 50, 2000)
        body = f"[equation]\nresidual = \"u_t + {rate}*(u - cos(t)) + sin(t)\"\n[[initial]]\nu = 2\n"
        exact = {"u": f"cos(t) + exp(-{rate}*t)"}
        return plain("stiff decay", seed, ["t"], interval("t", 0, 3, True), body, exact, lambda q: [q.uniform(0, 3)])
    w, end = number(r, 20, 120), number(r, 1, 4)
    if r.random() < 0.5:
        body = f"[equation]\nresidual = \"u_tt + {w}^2*u\"\n[[initial]]\nu = 1\nu_t = 0\n"
        exact = {"u": f"cos({w}*t)"}
    else:
        body = f"[equation]\nresidual = \"u_tt + {w}^2*u + {w}*u^3 - {w}*cos({w}*t)^3\"\n[[initial]]\nu = 1\nu_t = 0\n"
        exact = {"u": f"cos({w}*t)"}
    return plain("stiff oscillator", seed, ["t"], interval("t", 0, end, True), body, exact, lambda q: [q.uniform(0, end)])


def transported(r, seed):
    """A profile carried around a circle or along a line."""
    c, k = number(r, 1, 30), r.randint(1, 3)
    if r.random() < 0.6:
        profile = r.choice([f"sin({k}*2*pi*(x - {c}*t))", f"exp(sin(2*pi*(x - {c}*t)))"])
        initial = profile.replace(f" - {c}*t", "")
        domain = ["kind = \"box\"", "x = [0, 1]", "t = [0, 1]", "time = \"t\"", "periodic = [\"x\"]"]
        body = f"[equation]\nresidual = \"u_t + {c}*u_x\"\n[[initial]]\nu = \"{initial}\"\n"
        return plain("transport on a circle", seed, ["x", "t"], domain, body, {"u": profile}, lambda q: [q.random(), q.random()])
    c, width = number(r, 0.3, 1.5), number(r, 0.02, 0.2)
    profile = f"exp(-((x - {c}*t - 0.2)/{width})^2)"
    domain = ["kind = \"box\"", "x = [0, 2]", "t = [0, 1]", "time = \"t\""]
    initial, inflow = f"exp(-((x - 0.2)/{width})^2)", f"exp(-((-{c}*t - 0.2)/{width})^2)"
    body = f"[equation]\nresidual = \"u_t + {c}*u_x\"\n[[initial]]\nu = \"{initial}\"\n[[boundary]]\non = \"x=0\"\ndirichlet = \"{inflow}\"\n"
    return plain("transport of a pulse", seed, ["x", "t"], domain, body, {"u": profile}, lambda q: [q.uniform(0, 2), q.random()])


def growing(r, seed):
    """An exponential, or a solution that nearly blows up."""
    if r.random() < 0.5:
        rate = number(r, 2, 25)
        body = f"[equation]\nresidual = \"u_t - {rate}*u\"\n[[initial]]\nu = 1\n"
        return plain("growth", seed, ["t"], interval("t", 0, 1, True), body, {"u": f"exp({rate}*t)"}, lambda q: [q.random()])
    end = number(r, 0.5, 0.98)
    body = "[equation]\nresidual = \"u_t - u^2\"\n[[initial]]\nu = 1\n"
    return plain("near blow-up", seed, ["t"], interval("t", 0, end, True), body, {"u": "1/(1 - t)"}, lambda q: [q.uniform(0, end)])


def jumping_source(r, seed):
    """A source that jumps at a place: the solution bends there."""
    a, k = number(r, 0.2, 0.8), number(r, 0.5, 5)
    # −u″ = k where x > a, u(0) = u(1) = 0
    slope = k * (1 - a) ** 2 / 2
    exact = {"u": f"{slope!r}*x - where(x > {a}, {k / 2!r}*(x - {a})^2, 0)".replace("where(x > ", "where(x > ")}
    if r.random() < 0.5:
        body = f"[equation]\nresidual = \"-u_xx - where(x > {a}, {k}, 0)\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n"
        return plain("jumping source", seed, ["x"], interval("x", 0, 1), body, exact, lambda q: [q.random()])
    body = f"[equation]\nresidual = \"-laplacian(u) - where(x > {a}, {k}, 0)\"\n[[boundary]]\non = \"all\"\ndirichlet = \"{exact['u']}\"\n"
    domain = ["kind = \"box\"", "x = [0, 1]", "y = [0, 1]"]
    return plain("jumping source 2d", seed, ["x", "y"], domain, body, exact, lambda q: [q.random(), q.random()])


def kinked_data(r, seed):
    """Heat from a kink: u = E|x − a + √(2t) Z| in closed form."""
    a, end = number(r, -0.4, 0.4), number(r, 0.02, 0.5)
    exact = f"(x - {a})*erf((x - {a})/sqrt(4*max(t, 1e-300))) + 2*sqrt(t/pi)*exp(-(x - {a})^2/(4*max(t, 1e-300)))"
    domain = ["kind = \"box\"", "x = [-1, 1]", f"t = [0, {end}]", "time = \"t\""]
    body = f"[equation]\nresidual = \"u_t - u_xx\"\n[[initial]]\nu = \"abs(x - {a})\"\n[[boundary]]\non = \"x\"\ndirichlet = \"{exact}\"\n"
    return plain("kinked data", seed, ["x", "t"], domain, body, {"u": exact}, lambda q: [q.uniform(-1, 1), q.uniform(0, end)])


def peaks(r, seed):
    """Poisson's equation with one to three narrow sources."""
    source, exact = [], []
    for _ in range(r.randint(1, 3)):
        x, y, w, h = number(r, 0.2, 0.8), number(r, 0.2, 0.8), number(r, 0.02, 0.1), number(r, -1, 1)
        a = f"((x - {x})^2 + (y - {y})^2)/{w}^2"
        exact.append(f"{h}*exp(-{a})")
        source.append(f"{h}*4/{w}^2*({a} - 1)*exp(-{a})")
    exact = {"u": " + ".join(exact)}
    body = f"[equation]\nresidual = \"laplacian(u) - ({' + '.join(source)})\"\n[[boundary]]\non = \"all\"\ndirichlet = \"{exact['u']}\"\n"
    return plain("peaks", seed, ["x", "y"], ["kind = \"box\"", "x = [0, 1]", "y = [0, 1]"], body, exact, lambda q: [q.random(), q.random()])


def hole(r, seed):
    """Laplace's equation in a square with a round hole, singular inside it."""
    x, y, radius, a, b = number(r, 0.35, 0.65), number(r, 0.35, 0.65), number(r, 0.1, 0.25), number(r, -1, 1), number(r, -0.2, 0.2)
    r2 = f"((x - {x})^2 + (y - {y})^2)"
    exact = {"u": f"{a}*log({r2}) + {b}*(x - {x})/{r2} + sin(2*x)*cosh(2*y)/4"}
    domain = ["kind = \"difference\"", "coordinates = [\"x\", \"y\"]",
              f"parts = [{{ kind = \"box\", x = [0, 1], y = [0, 1] }}, {{ kind = \"ball\", center = [{x}, {y}], radius = {radius} }}]"]
    body = f"[equation]\nresidual = \"laplacian(u)\"\n[[boundary]]\non = \"all\"\ndirichlet = \"{exact['u']}\"\n"
    return plain("a hole", seed, ["x", "y"], domain, body, exact, outside(lambda p: math.hypot(p[0] - x, p[1] - y) > radius, 0, 1))


def outside(allowed, low, high):
    """Points of a square that are allowed."""
    def draw(q):
        while True:
            point = [q.uniform(low, high), q.uniform(low, high)]
            if allowed(point):
                return point
    return draw


def front(r, seed):
    """A front of Burgers' equation."""
    nu, c, a, at = number(r, 0.003, 0.05), number(r, -0.5, 0.5), number(r, 0.3, 1), number(r, -0.3, 0.3)
    wave = f"{c} - {a}*tanh({a}*(x - {at} - {c}*t)/(2*{nu}))"
    domain = ["kind = \"box\"", "x = [-1, 1]", "t = [0, 1]", "time = \"t\""]
    body = f"[equation]\nresidual = \"u_t + u*u_x - {nu}*u_xx\"\n[[boundary]]\non = \"x\"\ndirichlet = \"{wave}\"\n[[initial]]\nu = \"{wave.replace('*t)', '*0)')}\"\n"
    return plain("a front", seed, ["x", "t"], domain, body, {"u": wave}, lambda q: [q.uniform(-1, 1), q.random()])


def thin_layer(r, seed):
    """A layer at one end of an interval, or along two sides of a square."""
    eps = float(f"{10 ** r.uniform(-4, -1.5):.3g}")
    if r.random() < 0.5:
        exact = {"u": f"x^2 + exp(-x/{eps})"}
        body = f"[equation]\nresidual = \"-{eps}^2*u_xx + u - x^2 + 2*{eps}^2\"\n[[boundary]]\non = \"all\"\ndirichlet = \"{exact['u']}\"\n"
        return plain("a layer", seed, ["x"], interval("x", 0, 1), body, exact, lambda q: [q.random()])
    eps = max(eps, 0.003)
    exact = {"u": f"exp((x - 1)/{eps}) + cos(2*x)*y"}
    body = (f"[equation]\nresidual = \"-{eps}*laplacian(u) + u_x - {eps}*4*cos(2*x)*y + 2*sin(2*x)*y\"\n"
            f"[[boundary]]\non = \"all\"\ndirichlet = \"{exact['u']}\"\n")
    return plain("a layer 2d", seed, ["x", "y"], ["kind = \"box\"", "x = [0, 1]", "y = [0, 1]"], body, exact, lambda q: [q.random(), q.random()])


def scattered(r, seed):
    """Waves around a square, absorbed on a circle, as a pair."""
    k, side, turn = number(r, 4, 12), number(r, 0.2, 0.5), number(r, 0, 3)
    phase = f"{k}*({math.cos(turn):.6f}*x + {math.sin(turn):.6f}*y)"
    k2 = f"({k}^2*(({math.cos(turn):.6f})^2 + ({math.sin(turn):.6f})^2))"
    exact = {"u": f"cos({phase})", "v": f"sin({phase})"}
    normal = f"({k}*({math.cos(turn):.6f}*x + {math.sin(turn):.6f}*y)/sqrt(x^2 + y^2))"
    domain = ["kind = \"difference\"", "coordinates = [\"x\", \"y\"]",
              f"parts = [{{ kind = \"ball\", center = [0, 0], radius = 1.2 }}, {{ kind = \"box\", x = [-{side}, {side}], y = [-{side}, {side}] }}]"]
    body = f"[equation]\nresidual = [\"laplacian(u) + {k2}*u\", \"laplacian(v) + {k2}*v\"]\n"
    for name in "uv":
        body += f"[[boundary]]\nunknown = \"{name}\"\non = \"part 2\"\ndirichlet = \"{exact[name]}\"\n"
    body += f"[[boundary]]\nunknown = \"u\"\non = \"part 1\"\nresidual = \"(x*u_x + y*u_y)/sqrt(x^2 + y^2) + {k}*v + ({normal} - {k})*sin({phase})\"\n"
    body += f"[[boundary]]\nunknown = \"v\"\non = \"part 1\"\nresidual = \"(x*v_x + y*v_y)/sqrt(x^2 + y^2) - {k}*u - ({normal} - {k})*cos({phase})\"\n"
    made = plain("waves around a square", seed, ["x", "y"], domain, body, exact,
                 outside(lambda p: math.hypot(*p) < 1.2 and max(abs(p[0]), abs(p[1])) > side, -1.2, 1.2))
    made.text = "unknowns = [\"u\", \"v\"]\n" + made.text
    return made


def contradictory(r, seed):
    """No function meets all that is asked."""
    made = contradiction(r, seed)
    made.named = "contradictory"
    return made


def contradiction(r, seed):
    c = number(r, 0.5, 3)
    kind = r.randrange(3)
    if kind == 0:  # ∫ Δu = ∮ u_n
        body = f"[equation]\nresidual = \"-laplacian(u) - {c}\"\n[[boundary]]\non = \"all\"\nneumann = 0\n[[condition]]\nmean = \"u\"\n"
        domain = ["kind = \"box\"", "x = [0, 1]", "y = [0, 1]"]
        return plain("contradictory slopes", seed, ["x", "y"], domain, body, None, lambda q: [q.random(), q.random()])
    if kind == 1:  # a resonance that is driven
        body = "[equation]\nresidual = \"u_xx + pi^2*u - sin(pi*x)\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n"
        return plain("contradictory resonance", seed, ["x"], interval("x", 0, 1), body, None, lambda q: [q.random()])
    rows = f"[[0.2, {c}], [0.5, {-c}], [0.8, {c}]]"
    body = f"[equation]\nresidual = \"u_xx\"\n[[boundary]]\non = \"all\"\ndirichlet = 0\n[[data]]\nrows = {rows}\n"
    return plain("contradictory data", seed, ["x"], interval("x", 0, 1), body, None, lambda q: [q.random()])


def ill_posed(r, seed):
    """The heat equation backwards, or Laplace's equation from one side."""
    k = r.randint(1, 4)
    if r.random() < 0.5:
        domain = ["kind = \"box\"", "x = [0, 1]", "t = [0, 0.2]", "time = \"t\""]
        body = f"[equation]\nresidual = \"u_t + u_xx\"\n[[boundary]]\non = \"x\"\ndirichlet = 0\n[[initial]]\nu = \"sin({k}*pi*x)\"\n"
        exact = {"u": f"exp({k * k}*pi^2*t)*sin({k}*pi*x)"}
        return plain("backward heat", seed, ["x", "t"], domain, body, exact, lambda q: [q.random(), q.uniform(0, 0.2)])
    domain = ["kind = \"box\"", "x = [0, 1]", "t = [0, 1]", "time = \"t\""]
    body = f"[equation]\nresidual = \"u_tt + u_xx\"\n[[boundary]]\non = \"x\"\ndirichlet = 0\n[[initial]]\nu = \"sin({k}*pi*x)\"\nu_t = 0\n"
    exact = {"u": f"cosh({k}*pi*t)*sin({k}*pi*x)"}
    return plain("Cauchy data for Laplace", seed, ["x", "t"], domain, body, exact, lambda q: [q.random(), q.random()])
