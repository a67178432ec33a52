"""The second generator: the first one's problems, two in five, and what it lacked.

A tenth of all have something narrow, of a width down to 1e-6. The others are impulses, equations with several solutions, systems, derivatives
of order three and four, reported integrals and values, eigenvalues, noisy observations, ten and twenty dimensions, and problems that were made
contradictory or under-determined on purpose: what they must be called stands in `named`.
"""
import math, random
from . import first, narrow
from .posed import Posed, compiled, dirichlet, equation, file, initial, interval, logarithmic, number, space_time, square

MANUFACTURED = "source = \"manufactured\"\n"
DISC = ["kind = \"ball\"", "coordinates = [\"x\", \"y\"]"]


def posed(seed):
    """The problem of a seed."""
    r = random.Random(seed)
    kinds = [(narrowed, 10), (impulse, 4), (several, 4), (system, 5), (high_order, 6), (reported, 5), (eigenvalue, 6), (noisy, 5), (many_dimensions, 4),
             (contradictory, 5), (under_determined, 4), (first.manufactured, 26), (first.stiff, 3), (first.transported, 3), (first.growing, 2),
             (first.jumping_source, 3), (first.kinked_data, 2), (first.ill_posed, 2), (local, 1)]
    make = r.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
    return make(r, seed)


def local(r, seed):
    return r.choice([first.peaks, first.hole, first.front, first.thin_layer, first.scattered])(r, seed)


def title(seed):
    return f"trust-{seed}"


def exact_table(**texts):
    return "[exact]\n" + "".join(f"{u} = \"{text}\"\n" for u, text in texts.items())


# --- narrow ------------------------------------------------------------------------------------------------------------------

def narrowed(r, seed):
    """Something narrow, half of the time on a line."""
    groups = [narrow.LINE["source"] + narrow.LINE["coefficient"], sum(narrow.PLANE.values(), [])]
    return r.choice(r.choice(groups))(r, logarithmic(r, 1e-6, 1e-2), title(seed))


def impulse(r, seed):
    return r.choice(narrow.LINE["impulse"])(r, logarithmic(r, 1e-6, 1e-2), title(seed))


# --- several solutions -------------------------------------------------------------------------------------------------------

def several(r, seed):
    """Two solutions, both right."""
    return r.choice([bratu, cannon, moved, bowl])(r, seed)


def root(f, low, high):
    """A zero between two numbers at which f has different signs."""
    sign = f(low) > 0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if (f(middle) > 0) == sign else (low, middle)
    return (low + high) / 2


def bratu(r, seed):
    """u″ + λ e^u = 0 below its fold at 3.51."""
    strength = number(r, 0.8, 3.2)
    f = lambda q: q - math.sqrt(2 * strength) * math.cosh(q / 4)  # 4.8 lies between its two zeros
    exact = [f"-2*log(cosh((x - 1/2)*{q!r}/2)/cosh({q!r}/4))" for q in (root(f, 0.0, 4.8), root(f, 4.8, 30.0))]
    body = equation(f"u_xx + {strength}*exp(u)") + dirichlet(0)
    return Posed("several Bratu", file(title(seed), interval("x", 0, 1), body), ["x"], {"u": exact}, lambda q: [q.random()])


def cannon(r, seed):
    """u″ = 3 u²/2 from 4 down to 1: one solution is 4/(1 + x)², the other dips far below zero (slope −35.8585487 at the start)."""
    path = shot(lambda u, v: 1.5 * u * u, 4.0, -35.858548728, 1.0, 8000)
    body = equation("u_xx - 3*u^2/2") + dirichlet(4, "x=0") + dirichlet(1, "x=1")
    return Posed("several parabolas", file(title(seed), interval("x", 0, 1), body), ["x"], {"u": ["4/(1 + x)^2", path]}, lambda q: [q.random()])


def shot(force, start, slope, end_value, steps):
    """The solution of u″ = force(u, u′) that leaves near a slope and arrives at a value, by classical Runge–Kutta steps and secants."""
    h = 1.0 / steps

    def step(u, v, h):
        k1, l1 = v, force(u, v)
        k2, l2 = v + h / 2 * l1, force(u + h / 2 * k1, v + h / 2 * l1)
        k3, l3 = v + h / 2 * l2, force(u + h / 2 * k2, v + h / 2 * l2)
        k4, l4 = v + h * l3, force(u + h * k3, v + h * l3)
        return u + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), v + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4)

    def walked(slope):
        states = [(start, slope)]
        for _ in range(steps):
            states.append(step(*states[-1], h))
        return states

    before, slope = slope, slope + 1e-4
    missed = walked(before)[-1][0] - end_value
    for _ in range(8):
        states = walked(slope)
        miss = states[-1][0] - end_value
        if abs(miss) < 1e-13 or miss == missed:
            break
        before, slope, missed = slope, slope - miss * (slope - before) / (miss - missed), miss

    def value(p):
        k = min(int(p[0] / h), steps - 1)
        return step(*states[k], p[0] - k * h)[0]

    return value


def moved(r, seed):
    """u is fixed up to a constant, and ∫ u² has two values of it."""
    c, a = number(r, 0.8, 3), number(r, 0.5, 1.5)
    body = equation(f"u_xx + {a}*pi^2*cos(pi*x)") + f"[[boundary]]\non = \"all\"\nneumann = 0\n[[condition]]\nintegral = \"u^2\"\nequals = {c * c + a * a / 2!r}\n"
    return Posed("several constants", file(title(seed), interval("x", 0, 1), body), ["x"], {"u": [f"{c} + {a}*cos(pi*x)", f"-{c} + {a}*cos(pi*x)"]}, lambda q: [q.random()])


def bowl(r, seed):
    """Monge and Ampère's equation on a disc: a bowl and a dome."""
    c = number(r, 0.5, 2)
    body = equation(f"u_xx*u_yy - u_xy^2 - {c}^2") + dirichlet(0)
    return Posed("several bowls", file(title(seed), DISC, body), ["x", "y"], {"u": [f"{c}*(x^2 + y^2 - 1)/2", f"-{c}*(x^2 + y^2 - 1)/2"]},
                 first.outside(lambda p: math.hypot(*p) < 1, -1, 1))


# --- systems -----------------------------------------------------------------------------------------------------------------

def system(r, seed):
    """Two or three unknowns that hang together."""
    return r.choice([stokes, elastic, mixed, chain, species])(r, seed)


def stokes(r, seed):
    """A slow flow, its pressure fixed by its mean."""
    a, b, c = number(r, 0.5, 2), number(r, 0.5, 2), number(r, 0.5, 2)
    exact = {"u": f"{b}*sin({a}*x)*cos({b}*y)", "v": f"-{a}*cos({a}*x)*sin({b}*y)", "p": f"sin({c}*(x - 1/2))*y"}
    body = equation("-laplacian(u) + p_x - f1", "-laplacian(v) + p_y - f2", "u_x + v_y") + MANUFACTURED + exact_table(**exact)
    body += dirichlet(exact["u"], unknown="u") + dirichlet(exact["v"], unknown="v") + "[[condition]]\nmean = \"p\"\nequals = 0\n"
    return Posed("system Stokes", file(title(seed), square(), body, ["u", "v", "p"]), ["x", "y"], exact, narrow.somewhere)


def elastic(r, seed):
    """Plane elasticity."""
    stiffness, shape = number(r, 0.5, 10), r.choice([first.smooth, first.smooth, first.oscillating])
    exact = {"u": shape(r, ["x", "y"]), "v": first.smooth(r, ["x", "y"])}
    body = equation(f"laplacian(u) + {stiffness}*(u_xx + v_xy) - f1", f"laplacian(v) + {stiffness}*(u_xy + v_yy) - f2") + MANUFACTURED
    body += exact_table(**exact) + dirichlet(exact["u"], unknown="u") + dirichlet(exact["v"], unknown="v")
    return Posed("system elastic", file(title(seed), square(), body, ["u", "v"]), ["x", "y"], exact, narrow.somewhere)


def mixed(r, seed):
    """Poisson's equation by its flux."""
    text = first.smooth(r, ["x", "y"])
    body = equation("q - u_x", "w - u_y", "q_x + w_y - f3") + MANUFACTURED
    slopes = {"q": first.derivative(text, "x"), "w": first.derivative(text, "y")}
    body += exact_table(u=text, **slopes) + dirichlet(text, unknown="u")
    # only u is measured: the format differentiates, Python's texts do not
    return Posed("system flux", file(title(seed), square(), body, ["u", "q", "w"]), ["x", "y"], {"u": text}, narrow.somewhere)


def chain(r, seed):
    """Three substances that decay into each other."""
    a, b, end = number(r, 0.5, 30), number(r, 0.3, 3), number(r, 1, 4)
    exact = {"u": f"exp(-{a}*t)", "v": f"{a}/({b} - {a})*(exp(-{a}*t) - exp(-{b}*t))", "w": f"1 - exp(-{a}*t) - {a}/({b} - {a})*(exp(-{a}*t) - exp(-{b}*t))"}
    body = equation(f"u_t + {a}*u", f"v_t - {a}*u + {b}*v", f"w_t - {b}*v") + initial(u=1, v=0, w=0)
    return Posed("system chain", file(title(seed), interval("t", 0, end, True), body, ["u", "v", "w"]), ["t"], exact, lambda q: [q.uniform(0, end)])


def species(r, seed):
    """Two species that spread and feed on each other."""
    k, l = logarithmic(r, 0.01, 1), logarithmic(r, 0.01, 1)
    exact = {"u": first.smooth(r, ["x", "t"]), "v": first.smooth(r, ["x", "t"])}
    body = equation(f"u_t - {k}*u_xx + u*v^2 - f1", f"v_t - {l}*v_xx - u*v^2 + v - f2") + MANUFACTURED + exact_table(**exact)
    body += dirichlet(exact["u"], "x", "u") + dirichlet(exact["v"], "x", "v") + initial(**exact)
    return Posed("system species", file(title(seed), space_time((0, 1), 1), body, ["u", "v"]), ["x", "t"], exact, narrow.somewhere)


# --- orders three and four ---------------------------------------------------------------------------------------------------

def high_order(r, seed):
    return r.choice([beam, third, soliton, dispersion, plate, vibration])(r, seed)


def end_conditions(kind, on, text):
    """Two conditions at an end of a beam."""
    slope = [first.derivative(text, ", ".join(["x"] * k)) for k in range(1, 4)]
    sign = "-" if on.endswith("=0") else ""
    lines = {"clamped": [f"dirichlet = \"{text}\"", f"neumann = \"{sign}({slope[0]})\""],
             "hinged": [f"dirichlet = \"{text}\"", f"residual = \"u_xx - {slope[1]}\""],
             "free": [f"residual = \"u_xx - {slope[1]}\"", f"residual = \"u_xxx - {slope[2]}\""]}[kind]
    return "".join(f"[[boundary]]\non = \"{on}\"\n{line}\n" for line in lines)


def beam(r, seed):
    """A beam on springs, straight or not."""
    text = r.choice([first.smooth, first.smooth, first.oscillating])(r, ["x"])
    spring, extra = logarithmic(r, 0.1, 1000), r.choice(["", f" + {number(r, 0.1, 1)}*u^3", f" - {number(r, 0.1, 3)}*u_xx"])
    body = equation(f"u_xxxx + {spring}*u{extra} - f") + MANUFACTURED + exact_table(u=text)
    body += end_conditions("clamped", "x=0", text) + end_conditions(r.choice(["clamped", "hinged", "free"]), "x=1", text)
    return Posed("order 4 beam", file(title(seed), interval("x", 0, 1), body), ["x"], {"u": text}, lambda q: [q.random()])


def third(r, seed):
    """A third derivative on a line."""
    text, c = first.smooth(r, ["x"]), number(r, -2, 2)
    extra = r.choice([f" + {c}*u", f" + u*u_xx", f" + {c}*u_x"])
    body = equation(f"u_xxx{extra} - f") + MANUFACTURED + exact_table(u=text) + dirichlet(text)
    body += f"[[boundary]]\non = \"x=0\"\nneumann = \"-({first.derivative(text, 'x')})\"\n"
    return Posed("order 3 line", file(title(seed), interval("x", 0, 1), body), ["x"], {"u": text}, lambda q: [q.random()])


def soliton(r, seed):
    """A soliton of Korteweg and de Vries."""
    c, end = number(r, 0.5, 2), number(r, 0.3, 1)
    wave = f"{c}/(2*cosh(sqrt({c})/2*(x - {c}*t))^2)"
    body = equation("u_t + 6*u*u_x + u_xxx") + dirichlet(wave, "x") + f"[[boundary]]\non = \"x=7\"\nneumann = \"{first.derivative(wave, 'x')}\"\n" + initial(u=wave)
    return Posed("order 3 soliton", file(title(seed), space_time((-6, 7), end), body), ["x", "t"], {"u": wave}, lambda q: [q.uniform(-6, 7), q.uniform(0, end)])


def dispersion(r, seed):
    """Waves on a circle that disperse or die."""
    k, n = r.randint(1, 3), r.choice([3, 4])
    w = 2 * math.pi * k
    c = logarithmic(r, 0.001, 0.1) if n == 3 else float(f"{logarithmic(r, 0.5, 30) / w**4:.3g}")
    domain = ["kind = \"box\"", "x = [0, 1]", "t = [0, 1]", "time = \"t\"", "periodic = [\"x\"]"]
    text, wave = (f"u_t + {c}*u_xxx", f"sin({w!r}*x + {c * w**3!r}*t)") if n == 3 else (f"u_t + {c}*u_xxxx", f"exp(-{c * w**4!r}*t)*sin({w!r}*x)")
    body = equation(text) + initial(u=f"sin({w!r}*x)")
    return Posed(f"order {n} circle", file(title(seed), domain, body), ["x", "t"], {"u": wave}, narrow.somewhere)


def plate(r, seed):
    """A clamped square plate."""
    text = first.smooth(r, ["x", "y"])
    body = equation("laplacian(laplacian(u)) - f") + MANUFACTURED + exact_table(u=text) + dirichlet(text)
    for axis in "xy":
        slope = first.derivative(text, axis)
        body += f"[[boundary]]\non = \"{axis}=0\"\nneumann = \"-({slope})\"\n[[boundary]]\non = \"{axis}=1\"\nneumann = \"{slope}\"\n"
    return Posed("order 4 plate", file(title(seed), square(), body), ["x", "y"], {"u": text}, narrow.somewhere)


def vibration(r, seed):
    """A hinged beam that vibrates."""
    k, c = r.randint(1, 3), logarithmic(r, 0.01, 0.1)
    w = c * (k * math.pi) ** 2
    body = equation(f"u_tt + {c}^2*u_xxxx") + dirichlet(0, "x") + "[[boundary]]\non = \"x\"\nresidual = \"u_xx\"\n" + initial(u=f"sin({k}*pi*x)", u_t=0)
    return Posed("order 4 vibration", file(title(seed), space_time((0, 1), 1), body), ["x", "t"], {"u": f"sin({k}*pi*x)*cos({w!r}*t)"}, narrow.somewhere)


# --- reports -----------------------------------------------------------------------------------------------------------------

def reported(r, seed):
    """Integrals and values of a solution, whose true ones come from Gauss's rule."""
    shape = r.choice([first.smooth, first.smooth, first.layered, first.singular, first.oscillating])
    if r.random() < 0.5:
        text, at = shape(r, ["x"]), [number(r, 0.1, 0.9)]
        axes, domain, draw = ["x"], interval("x", 0, 1), lambda q: [q.random()]
    else:
        text, at = shape(r, ["x", "y"]), [number(r, 0.1, 0.9), number(r, 0.1, 0.9)]
        axes, domain, draw = ["x", "y"], square(), narrow.somewhere
    body = equation(f"-laplacian(u) + {number(r, 0.1, 2)}*u - f") + MANUFACTURED + exact_table(u=text) + dirichlet(text)
    f = compiled(text, axes)
    wanted = {"mean": ("integral = \"u\"", over_unit(f, len(axes))), "square": ("integral = \"u^2\"", over_unit(lambda p: f(p) ** 2, len(axes))),
              "there": (f"value = \"u\"\nat = {at}", f(at))}
    body += "".join(f"[[report]]\nname = \"{name}\"\n{text}\n" for name, (text, _) in wanted.items())
    return Posed(f"reports {shape.__name__} {len(axes)}d", file(title(seed), domain, body), axes, {"u": text}, draw, reports={name: v for name, (_, v) in wanted.items()})


def over_unit(f, d):
    """The integral over the unit interval or square, with many parts: solutions may be layered or have a root."""
    parts = 800 if d == 1 else 40
    if d == 1:
        return narrow.integral(lambda x: f([x]), 0, 1, parts)
    return narrow.integral(lambda x: narrow.integral(lambda y: f([x, y]), 0, 1, parts), 0, 1, parts)


# --- eigenvalues -------------------------------------------------------------------------------------------------------------

def eigenvalue(r, seed):
    return r.choice([string, rectangle, drum, ball, oscillator, drift])(r, seed)


def modes(kind, seed, domain, operator, count, values, conditions, axes, tail=""):
    body = f"[eigenvalue]\noperator = \"{operator}\"\ncount = {count}\n{tail}" + conditions
    return Posed(f"eigenvalues {kind}", file(title(seed), domain, body), axes, None, lambda q: [q.random() for _ in axes], eigenvalues=sorted(values)[:count])


def string(r, seed):
    """A string that is held, free or closed."""
    length, count = number(r, 0.5, 4), r.randint(2, 5)
    kind = r.choice(["held", "free", "mixed", "closed"])
    values = {"held": [(k * math.pi / length) ** 2 for k in range(1, 9)], "free": [(k * math.pi / length) ** 2 for k in range(8)],
              "mixed": [((k + 0.5) * math.pi / length) ** 2 for k in range(8)],
              "closed": [(2 * math.pi * ((k + 1) // 2) / length) ** 2 for k in range(9)]}[kind]
    free = lambda on: f"[[boundary]]\non = \"{on}\"\nneumann = 0\n"
    conditions = {"held": dirichlet(0), "free": free("all"), "mixed": dirichlet(0, "x=0") + free(f"x={length}"), "closed": ""}[kind]
    domain = interval("x", 0, length) if kind != "closed" else ["kind = \"box\"", f"x = [0, {length}]", "periodic = [\"x\"]"]
    shift = number(r, 0.5, 2)  # keeps the first eigenvalue away from zero, where nothing is relative
    return modes(f"string {kind}", seed, domain, f"-u_xx + {shift}*u", count, [v + shift for v in values], conditions, ["x"])


def rectangle(r, seed):
    a, b, count = number(r, 0.7, 2), number(r, 0.7, 2), r.randint(2, 5)
    values = [math.pi**2 * (m * m / a**2 + n * n / b**2) for m in range(1, 8) for n in range(1, 8)]
    return modes("rectangle", seed, ["kind = \"box\"", f"x = [0, {a}]", f"y = [0, {b}]"], "-laplacian(u)", count, values, dirichlet(0), ["x", "y"])


def bessel(order, x):
    """J_order(x) = (1/π) ∫ cos(order θ − x sin θ) dθ from 0 to π: the trapezoidal rule converges geometrically."""
    n = 200
    return math.fsum((0.5 if k in (0, n) else 1.0) * math.cos(order * math.pi * k / n - x * math.sin(math.pi * k / n)) for k in range(n + 1)) / n


def spherical(order, x):
    """The spherical Bessel function by its recurrence, for x well above its order or low orders."""
    low, high = math.sin(x) / x, math.sin(x) / x**2 - math.cos(x) / x
    for k in range(1, order):
        low, high = high, (2 * k + 1) / x * high - low
    return low if order == 0 else high


def zeros(f, low, high, step=0.05):
    found, x = [], low
    while x < high:
        if f(x) * f(x + step) < 0:
            found.append(root(f, x, x + step))
        x += step
    return found


def drum(r, seed):
    """A round drum: squares of the zeros of Bessel functions, those of orders above 0 twice."""
    radius, count = number(r, 0.5, 2), r.randint(2, 5)
    values = [(z / radius) ** 2 for m in range(5) for z in zeros(lambda x: bessel(m, x), 1.0, 9.0) for _ in range(1 if m == 0 else 2)]
    domain = [*DISC, f"radius = {radius}"]
    return modes("disc", seed, domain, "-laplacian(u)", count, values, dirichlet(0), ["x", "y"])


def ball(r, seed):
    """A ball: zeros of spherical Bessel functions, 2l + 1 times each."""
    radius, count = number(r, 0.7, 1.5), r.choice([1, 4])
    values = [(z / radius) ** 2 for l in range(3) for z in zeros(lambda x: spherical(l, x), 1.5, 8.0) for _ in range(2 * l + 1)]
    domain = ["kind = \"ball\"", "coordinates = [\"x\", \"y\", \"z\"]", f"radius = {radius}"]
    return modes("sphere", seed, domain, "-laplacian(u)", count, values, dirichlet(0), ["x", "y", "z"])


def oscillator(r, seed):
    """The harmonic oscillator, cut off where its functions have fallen to 1e-17."""
    w, count = number(r, 0.5, 4), r.randint(2, 5)
    end = float(f"{11 / math.sqrt(w):.3g}")
    return modes("oscillator", seed, interval("x", -end, end), f"-u_xx/2 + ({w}*x)^2/2*u", count, [w * (k + 0.5) for k in range(9)], dirichlet(0), ["x"])


def drift(r, seed):
    """Not symmetric: −u″ + 2 c u′ has (k π)² + c²."""
    c, count = number(r, 0.3, 3), r.randint(2, 4)
    return modes("drift", seed, interval("x", 0, 1), f"-u_xx + 2*{c}*u_x", count, [(k * math.pi) ** 2 + c * c for k in range(1, 8)], dirichlet(0), ["x"])


# --- noisy observations ------------------------------------------------------------------------------------------------------

def noisy(r, seed):
    """A number is sought in observations with noise. Beside its truth stand the least standard error that there can be, and by how much the
    solution moves with that: an answer that is better by luck has a fair estimate too."""
    return r.choice([decay_rate, spring_constant, diffusivity, strength])(r, seed)


def sought(kind, seed, name, start, value, sigma, domain, body, axes, text, draw, points, unknowns=None):
    """Rows of observations of a text in the coordinates and the sought number."""
    q = random.Random(seed ^ 0x5EED)
    f = lambda p, k: compiled(text.replace("{k}", f"({k!r})"), axes)(p)
    rows = [[*p, f(p, value) + q.gauss(0, sigma)] for p in points]
    slopes = [(f(p, value * (1 + 1e-5)) - f(p, value * (1 - 1e-5))) / (2e-5 * value) for p in points]
    least = sigma / math.sqrt(math.fsum(v * v for v in slopes))
    places = [draw(q) for _ in range(400)]
    moved = math.fsum((f(p, value + least) - f(p, value)) ** 2 for p in places) / math.fsum(f(p, value) ** 2 for p in places)
    data = "[[data]]\nrows = [" + ", ".join("[" + ", ".join(repr(v) for v in row) + "]" for row in rows) + f"]\nsigma = {sigma}\n"
    parameters = f"[parameters]\n{name} = {{ find = true, start = {start} }}\n"
    return Posed(f"noise {kind}", file(title(seed), domain, parameters + body + data, unknowns), axes, {"u": text.replace("{k}", f"({value!r})")}, draw,
                 found={name: (value, least)}, scatter=math.sqrt(moved))


def decay_rate(r, seed):
    k, sigma = number(r, 0.3, 3), logarithmic(r, 1e-4, 5e-2)
    points = [[round(0.1 * j, 3)] for j in range(1, 20)]
    return sought("decay", seed, "k", 1, k, sigma, interval("t", 0, 2, True), equation("u_t + k*u") + initial(u=1), ["t"], "exp(-{k}*t)", lambda q: [q.uniform(0, 2)], points)


def spring_constant(r, seed):
    k, sigma = number(r, 1, 6), logarithmic(r, 1e-4, 5e-2)
    points = [[round(0.08 * j, 3)] for j in range(1, 25)]
    return sought("oscillator", seed, "k", round(k * 0.8, 2), k, sigma, interval("t", 0, 2, True), equation("u_tt + k*u") + initial(u=1, u_t=0), ["t"],
                  "cos(sqrt({k})*t)", lambda q: [q.uniform(0, 2)], points)


def diffusivity(r, seed):
    k, sigma = number(r, 0.05, 0.5), logarithmic(r, 1e-4, 2e-2)
    points = [[x, t] for x in (0.2, 0.4, 0.5, 0.7, 0.9) for t in (0.1, 0.3, 0.6, 1.0)]
    body = equation("u_t - k*u_xx") + dirichlet(0, "x") + initial(u="sin(pi*x)")
    return sought("diffusivity", seed, "k", 0.3, k, sigma, space_time((0, 1), 1), body, ["x", "t"], "exp(-{k}*pi^2*t)*sin(pi*x)", narrow.somewhere, points)


def strength(r, seed):
    """A source's strength in a square."""
    k, sigma = number(r, 0.5, 3), logarithmic(r, 1e-4, 2e-2)
    points = [[x, y] for x in (0.2, 0.5, 0.8) for y in (0.2, 0.5, 0.8)]
    body = equation("laplacian(u) + k*2*pi^2*sin(pi*x)*sin(pi*y)") + dirichlet(0)
    return sought("strength", seed, "k", 1, k, sigma, square(), body, ["x", "y"], "{k}*sin(pi*x)*sin(pi*y)", narrow.somewhere, points)


# --- many dimensions ---------------------------------------------------------------------------------------------------------

def many_dimensions(r, seed):
    """Ten or twenty coordinates."""
    d = r.choice([10, 20])
    c, a = number(r, 0.2, 1), number(r, 0.5, 1.5)
    name, term = r.choice([("additive", f"sum(i, 1, {d}, sin({a}*x[i]))"), ("neighbours", f"sum(i, 1, {d - 1}, x[i]*x[i + 1])"),
                           ("ridge", f"cos({a}*sum(i, 1, {d}, x[i])/{math.sqrt(d):.6f})"), ("quadratic", f"sum(i, 1, {d}, x[i]^2)/{d}")])
    python = {"additive": lambda p: math.fsum(math.sin(a * v) for v in p), "neighbours": lambda p: math.fsum(v * w for v, w in zip(p, p[1:])),
              "ridge": lambda p: math.cos(a * math.fsum(p) / float(f"{math.sqrt(d):.6f}")), "quadratic": lambda p: math.fsum(v * v for v in p) / d}[name]
    lower = r.choice(["", f" + {c}*u", f" + {c}*u^2"])
    body = f"[functions]\nsol = \"{term}\"\n" + equation(f"-laplacian(u){lower} - f") + MANUFACTURED + dirichlet("sol") + exact_table(u="sol")
    domain = ["kind = \"box\"", f"dimension = {d}", "each = [0, 1]"]
    return Posed(f"{d} dimensions {name}", file(title(seed), domain, body), [f"x{i}" for i in range(1, d + 1)], {"u": python}, lambda q: [q.random() for _ in range(d)])


# --- what nothing solves, and what too much solves ---------------------------------------------------------------------------

def refused(name, kind, seed, domain, body, axes, unknowns=None):
    """A problem that must be called by a name."""
    return Posed(f"{name}: {kind}", file(title(seed), domain, body, unknowns), axes, None, lambda q: [q.random() for _ in axes], named=name)


def contradictory(r, seed):
    """No function meets all that is asked."""
    a, b = number(r, 0.5, 3), number(r, 0.5, 3)
    line, time, plane = interval("x", 0, 1), interval("t", 0, 1, True), square()
    say = lambda *rest: refused("contradictory", *rest)
    slopes = "[[boundary]]\non = \"all\"\nneumann = 0\n[[condition]]\nmean = \"u\"\n"
    cases = [
        lambda: say("gradient", seed, plane, equation(f"u_x - {a}*y", f"u_y + {b}*x") + "[[condition]]\nat = [0, 0]\nvalue = \"u\"\n", ["x", "y"]),
        lambda: say("integral", seed, line, equation("u_xx") + dirichlet(0, "x=0") + dirichlet(a, "x=1") + f"[[condition]]\nintegral = \"u\"\nequals = {a / 2 + b!r}\n", ["x"]),
        lambda: say("two times", seed, time, equation(f"u_t + {a}*u") + initial(u=1) + f"[[condition]]\nat = [1]\nvalue = \"u\"\nequals = {1 + b!r}\n", ["t"]),
        lambda: say("slopes on a line", seed, line, equation(f"u_xx - {a}") + slopes, ["x"]),
        lambda: say("slopes on a disc", seed, DISC, equation(f"laplacian(u) - {a}") + slopes, ["x", "y"]),
        lambda: say("resonance", seed, interval("x", 0, math.pi), equation(f"u_xx + 4*u - {a}*sin(2*x)") + dirichlet(0), ["x"]),
        lambda: say("observations", seed, line, equation(f"u_xx + {a}*u") + dirichlet(0) + f"[[data]]\nrows = [[0.3, {a}], [0.6, {-b}]]\n", ["x"]),
        lambda: say("two equations", seed, line, equation(f"u_xx - {a}", f"u_x - {b}*x^2") + dirichlet(0, "x=0"), ["x"]),
    ]
    return r.choice(cases)()


def under_determined(r, seed):
    """Functions that differ meet all that is asked."""
    a, b = number(r, 0.5, 3), number(r, 0.5, 3)
    line, plane, both = interval("x", 0, 1), square(), space_time((0, 1), 1)
    say = lambda *rest: refused("under-determined", *rest)
    cases = [
        lambda: say("resonance", seed, line, equation(f"u_xx + pi^2*u + {a}*sin(2*pi*x)") + dirichlet(0), ["x"]),
        lambda: say("sum of two", seed, line, equation(f"u_x + v_x - {a}", f"u - {a}*x + v") + dirichlet(0, "x=0", "u") + dirichlet(0, "x=0", "v"), ["x"], ["u", "v"]),
        lambda: say("slopes", seed, plane, equation(f"laplacian(u) + {a}*cos(pi*x)*cos(pi*y)") + "[[boundary]]\non = \"all\"\nneumann = 0\n", ["x", "y"]),
        lambda: say("pressure in time", seed, both, equation(f"u_t + {b}*u", f"p_x - {a}*pi*cos(pi*x)*u") + initial(u=1) + "[[condition]]\nmean = \"p\"\n", ["x", "t"], ["u", "p"]),
        lambda: say("drum", seed, plane, equation("laplacian(u) + 2*pi^2*u - sin(2*pi*x)*sin(pi*y)") + dirichlet(0), ["x", "y"]),
    ]
    return r.choice(cases)()
