"""Problems in which something known is narrow: a source, an impulse, a boundary or initial value, a coefficient.

The truth of each is a closed form or a quadrature written here, and stands in no file: nothing but the texts of sources, coefficients and
data tells the solver where to look. Peaks have the mass 1 or the height 1, so that to miss one is to be wrong by a visible part.
"""
import math
from .posed import Feature, Posed, dirichlet, equation, file, initial, interval, number, space_time, square


# --- peaks of unit mass and their integrals ----------------------------------------------------------------------------------

class Peak:
    """A peak at a of width s in a coordinate: its text, its integral and the integral of that."""

    TEXTS = {
        "gauss": "exp(-(({x} - {a})/{s})^2)/({s}*sqrt(pi))",
        "sech": "1/(2*{s}*cosh(({x} - {a})/{s})^2)",
        "lorentz": "{s}/(pi*(({x} - {a})^2 + {s}^2))",
        "hat": "where(abs({x} - {a}) < {s}, 1/(2*{s}), 0)",
    }

    def __init__(self, form, a, s):
        self.form, self.a, self.s = form, a, s

    def text(self, x="x", a=None, s=None):
        return self.TEXTS[self.form].format(x=x, a=a or repr(self.a), s=s or repr(self.s))

    def once(self, x):
        z = (x - self.a) / self.s
        return {"gauss": lambda: math.erf(z) / 2, "sech": lambda: math.tanh(z) / 2, "lorentz": lambda: math.atan(z) / math.pi,
                "hat": lambda: max(-1.0, min(1.0, z)) / 2}[self.form]()

    def twice(self, x):
        z = (x - self.a) / self.s
        return self.s * {
            "gauss": lambda: (z * math.erf(z) + math.exp(-z * z) / math.sqrt(math.pi)) / 2,
            "sech": lambda: (abs(z) + math.log1p(math.exp(-2 * abs(z))) - math.log(2)) / 2,
            "lorentz": lambda: (z * math.atan(z) - math.log1p(z * z) / 2) / math.pi,
            "hat": lambda: (z * z + 1) / 4 if abs(z) < 1 else abs(z) / 2,
        }[self.form]()


def legendre(n):
    """Nodes and weights of Gauss's rule on [-1, 1], by Newton's method."""
    rule = []
    for k in range(n):
        x = math.cos(math.pi * (k + 0.75) / (n + 0.5))
        for _ in range(20):
            p, q = 1.0, x
            for j in range(2, n + 1):
                p, q = q, ((2 * j - 1) * x * q - (j - 1) * p) / j
            slope = n * (x * q - p) / (x * x - 1)
            x -= q / slope
        rule.append((x, 2 / ((1 - x * x) * slope * slope)))
    return rule


RULE = legendre(20)


def integral(f, low, high, parts=8):
    """Gauss's rule on equal parts."""
    step = (high - low) / parts
    middles = (low + (k + 0.5) * step for k in range(parts))
    return math.fsum(w * f(m + x * step / 2) for m in middles for x, w in RULE) * step / 2


def against_gauss(f, a, s, low, high):
    """∫ f(ξ) exp(−((ξ − a)/s)²)/(s √π) dξ from low to high, f smooth on the scale of s; the tails beyond 6.5 widths are below 1e-19."""
    low, high = max((low - a) / s, -6.5), min((high - a) / s, 6.5)
    return integral(lambda z: f(a + s * z) * math.exp(-z * z), low, high) / math.sqrt(math.pi) if low < high else 0.0


def exponential_integral(x):
    """E₁(x) = ∫ₓ^∞ e^(−t)/t dt, by its series below 1 and its continued fraction above."""
    if x < 1:
        term, total = 1.0, -0.5772156649015329 - math.log(x)
        for k in range(1, 40):
            term *= -x / k
            total -= term / k
        return total
    if x > 700:
        return 0.0
    tail = 0.0
    for k in range(200, 0, -1):
        tail = k / (1 + k / (x + tail))
    return math.exp(-x) / (x + tail)


# --- where things are --------------------------------------------------------------------------------------------------------

def place(r, low=0.15, high=0.85):
    """A place that no grid meets."""
    return float(f"{r.uniform(low, high):.8f}")


REACH = Feature.REACH


def on_a_line(what, a, s, length=1.0):
    """A feature at a place of an interval."""
    away = lambda p: abs(p[0] - a) / s
    return Feature(what, s, away, lambda q: [a + s * q.uniform(-REACH, REACH)], lambda p: length / (2 * REACH * s) if away(p) < REACH else 0.0)


def either(first, second):
    """Two features of one problem."""
    return Feature(first.what, min(first.width, second.width), lambda p: min(first.away(p), second.away(p)),
                   lambda q: (first if q.random() < 0.5 else second).draw(q), lambda p: (first.density(p) + second.density(p)) / 2)


def in_a_square(what, a, b, s, inside=lambda p: True, part=1.0):
    """A feature around a point of the unit square, or around one of its boundary."""
    away = lambda p: math.hypot(p[0] - a, p[1] - b) / s

    def draw(q):
        while True:
            p = [a + s * q.uniform(-REACH, REACH), b + s * q.uniform(-REACH, REACH)]
            if away(p) < REACH and inside(p):
                return p

    return Feature(what, s, away, draw, lambda p: 1 / (part * math.pi * (REACH * s) ** 2) if away(p) < REACH else 0.0)


def along(what, s, across, foot, area, length, inside):
    """A feature along a line: `across` is a point's signed distance from it, `foot` the point of a place along it and a distance."""
    away = lambda p: abs(across(p)) / s

    def draw(q):
        while True:
            p = foot(q.random(), s * q.uniform(-REACH, REACH))
            if inside(p):
                return p

    return Feature(what, s, away, draw, lambda p: area / (2 * REACH * s * length) if away(p) < REACH else 0.0)


def in_unit_square(p):
    return 0 <= p[0] <= 1 and 0 <= p[1] <= 1


def somewhere(q):
    return [q.random(), q.random()]


# --- a source on a line ------------------------------------------------------------------------------------------------------

def source(r, s, name, form=None):
    """u″ + smooth + a peak of unit mass."""
    form, a = form or r.choice(["gauss", "gauss", "sech", "lorentz"]), place(r)
    peak = Peak(form, a, s)
    parameters = f"[parameters]\ns = {s!r}\na = {a!r}\n"
    body = parameters + equation(f"u_xx + pi^2*sin(pi*x) + {peak.text('x', 'a', 's')}") + dirichlet(0)
    first, last = peak.twice(0), peak.twice(1)
    exact = lambda p: math.sin(math.pi * p[0]) - peak.twice(p[0]) + first * (1 - p[0]) + last * p[0]
    return Posed(f"source {form}", file(name, interval("x", 0, 1), body), ["x"], {"u": exact}, lambda q: [q.random()], feature=on_a_line("source", a, s))


def hat(r, s, name):
    """The same, constant over its width."""
    return source(r, s, name, "hat")


def two_sources(r, s, name):
    """Two peaks of different widths and signs."""
    first, second = Peak("gauss", place(r, 0.15, 0.45), s), Peak("gauss", place(r, 0.55, 0.85), float(f"{min(s * r.uniform(1, 5), 0.02):.3g}"))
    m = number(r, 0.3, 0.9)
    body = equation(f"u_xx + 2*cos(3*x) + {first.text()} - {m}*{second.text()}") + dirichlet(0)
    raw = lambda x: 2 * math.cos(3 * x) / 9 - first.twice(x) + m * second.twice(x)
    exact = lambda p: raw(p[0]) - raw(0) * (1 - p[0]) - raw(1) * p[0]
    feature = either(on_a_line("source", first.a, first.s), on_a_line("source", second.a, second.s))
    return Posed("source two", file(name, interval("x", 0, 1), body), ["x"], {"u": exact}, lambda q: [q.random()], feature=feature)


def reaction(r, s, name):
    """u″ − k² u + smooth + a peak, by Green's function."""
    a, k = place(r), number(r, 1, 6)
    body = equation(f"u_xx - {k}^2*u + (pi^2 + {k}^2)*sin(pi*x) + {Peak('gauss', a, s).text()}") + dirichlet(0)
    scale = k * math.sinh(k)

    def exact(p):
        x = p[0]
        left = against_gauss(lambda y: math.sinh(k * y), a, s, 0, x) * math.sinh(k * (1 - x))
        right = against_gauss(lambda y: math.sinh(k * (1 - y)), a, s, x, 1) * math.sinh(k * x)
        return math.sin(math.pi * x) + (left + right) / scale

    return Posed("source reaction", file(name, interval("x", 0, 1), body), ["x"], {"u": exact}, lambda q: [q.random()], feature=on_a_line("source", a, s))


def slope(r, s, name):
    """A peak between a given slope and a given value."""
    peak = Peak(r.choice(["gauss", "sech"]), place(r), s)
    body = equation(f"u_xx + (pi/2)^2*cos(pi*x/2) + {peak.text()}") + "[[boundary]]\non = \"x=0\"\nneumann = 0\n" + dirichlet(0, "x=1")
    exact = lambda p: math.cos(math.pi * p[0] / 2) - peak.twice(p[0]) + peak.twice(1) + peak.once(0) * (p[0] - 1)
    return Posed("source slope", file(name, interval("x", 0, 1), body), ["x"], {"u": exact}, lambda q: [q.random()], feature=on_a_line("source", peak.a, s))


# --- an impulse in time ------------------------------------------------------------------------------------------------------

def timed(kind, name, body, exact, end, a, s, unknowns=None):
    return Posed(kind, file(name, interval("t", 0, end, True), body, unknowns), ["t"], exact, lambda q: [q.uniform(0, end)],
                 feature=on_a_line("impulse", a, s, end))


def kick(r, s, name):
    """u′ = −k u + smooth + an impulse."""
    end, k, m = 2.0, number(r, 0.3, 4), number(r, 0.5, 2)
    a = place(r, 0.3, 1.7)
    body = equation(f"u_t + {k}*u + sin(t) - {k}*cos(t) - {m}*{Peak('gauss', a, s).text('t')}") + initial(u=1)

    def exact(p):
        z = (p[0] - a) / s
        grown = math.exp(-k * (p[0] - a) + (k * s) ** 2 / 4) if z > -7 else 0.0
        return math.cos(p[0]) + m / 2 * grown * (math.erf(z - k * s / 2) + math.erf(a / s + k * s / 2))

    return timed("impulse decay", name, body, {"u": exact}, end, a, s)


def struck(r, s, name):
    """An oscillator that is struck."""
    end, w, m = 2.0, number(r, 1, 8), number(r, 0.5, 3)
    a = place(r, 0.3, 1.7)
    body = equation(f"u_tt + {w}^2*u - {m}*{Peak('gauss', a, s).text('t')}") + initial(u=1, u_t=0)
    exact = lambda p: math.cos(w * p[0]) + m / w * against_gauss(lambda y: math.sin(w * (p[0] - y)), a, s, 0, p[0])
    return timed("impulse oscillator", name, body, {"u": exact}, end, a, s)


def struck_pair(r, s, name):
    """The same as a system."""
    end, m = 3.0, number(r, 0.5, 2)
    a = place(r, 0.4, 2.6)
    body = equation("u_t - v", f"v_t + u - {m}*{Peak('gauss', a, s).text('t')}") + initial(u=1, v=0)
    exact = {"u": lambda p: math.cos(p[0]) + m * against_gauss(lambda y: math.sin(p[0] - y), a, s, 0, p[0]),
             "v": lambda p: -math.sin(p[0]) + m * against_gauss(lambda y: math.cos(p[0] - y), a, s, 0, p[0])}
    return timed("impulse system", name, body, exact, end, a, s, ["u", "v"])


def quenched(r, s, name):
    """u′ = −(1 + an impulse) u²."""
    end, m = 2.0, number(r, 0.5, 2)
    peak = Peak(r.choice(["gauss", "sech"]), place(r, 0.3, 1.7), s)
    body = equation(f"u_t + (1 + {m}*{peak.text('t')})*u^2") + initial(u=1)
    exact = lambda p: 1 / (1 + p[0] + m * (peak.once(p[0]) - peak.once(0)))
    return timed("impulse nonlinear", name, body, {"u": exact}, end, peak.a, s)


# --- a coefficient -----------------------------------------------------------------------------------------------------------

def absorbed(r, s, name):
    """u′ = −(k + an impulse) u."""
    end, k, m = 2.0, number(r, 0.2, 2), number(r, 0.5, 2)
    peak = Peak("gauss", place(r, 0.3, 1.7), s)
    body = equation(f"u_t + ({k} + {m}*{peak.text('t')})*u") + initial(u=1)
    exact = lambda p: math.exp(-k * p[0] - m * (peak.once(p[0]) - peak.once(0)))
    made = timed("coefficient decay", name, body, {"u": exact}, end, peak.a, s)
    made.feature.what = "coefficient"
    return made


def resisting(m, peak):
    """w with (k w′)′ = −1, w(0) = w(1) = 0 and 1/k = 1 + m times a Gaussian peak: k w′ = c − x."""
    a, s = peak.a, peak.s
    moment = lambda x: a * peak.once(x) - s / (2 * math.sqrt(math.pi)) * math.exp(-min(((x - a) / s) ** 2, 700.0))
    plain, curved = (lambda x: x + m * (peak.once(x) - peak.once(0))), (lambda x: x * x / 2 + m * (moment(x) - moment(0)))
    c = curved(1) / plain(1)
    return lambda x: c * plain(x) - curved(x)


def resistance(r, s, name):
    """A strip that resists: the solution jumps across it."""
    m, peak = number(r, 0.3, 2), Peak("gauss", place(r), s)
    body = f"[functions]\nk = \"1/(1 + {m}*{peak.text()})\"\n" + equation("d(k*u_x, x) + 1") + dirichlet(0)
    w = resisting(m, peak)
    return Posed("coefficient resisting", file(name, interval("x", 0, 1), body), ["x"], {"u": lambda p: w(p[0])}, lambda q: [q.random()],
                 feature=on_a_line("coefficient", peak.a, s))


def conductance(r, s, name):
    """A strip that conducts ten times better: missing it costs about its width."""
    a = place(r)
    body = f"[functions]\nk = \"1 + 9*exp(-((x - {a!r})/{s!r})^2)\"\n" + equation("d(k*u_x, x) + 1") + dirichlet(0)
    # 1/k = 1 − lost, and lost·√π s is against_gauss of 9/(1 + 9 e^(−z²))
    share = lambda y: 9 * s * math.sqrt(math.pi) / (1 + 9 * math.exp(-(((y - a) / s) ** 2)))
    plain = lambda x: x - against_gauss(share, a, s, 0, x)
    curved = lambda x: x * x / 2 - against_gauss(lambda y: y * share(y), a, s, 0, x)
    c = curved(1) / plain(1)
    exact = lambda p: c * plain(p[0]) - curved(p[0])
    return Posed("coefficient conducting", file(name, interval("x", 0, 1), body), ["x"], {"u": exact}, lambda q: [q.random()],
                 feature=on_a_line("coefficient", a, s))


def strip(r, s, name):
    """The strip that resists, across a square."""
    m, peak, c = number(r, 0.3, 2), Peak("gauss", place(r), s), number(r, -1, 1)
    a, w = peak.a, resisting(m, peak)
    walls = dirichlet(f"{c}*y", "x") + f"[[boundary]]\non = \"y=0\"\nneumann = {-c}\n[[boundary]]\non = \"y=1\"\nneumann = {c}\n"
    body = f"[functions]\nk = \"1/(1 + {m}*{peak.text()})\"\n" + equation("div(k*grad(u)) + 1") + walls
    exact = lambda p: w(p[0]) + c * p[1]
    feature = along("coefficient", s, lambda p: p[0] - a, lambda l, z: [a + z, l], 1.0, 1.0, in_unit_square)
    return Posed("coefficient plane", file(name, square(), body), ["x", "y"], {"u": exact}, somewhere, feature=feature)


# --- a source in the plane ---------------------------------------------------------------------------------------------------

def hill(r, s, name):
    """A solution with a hill of that width, its source written out."""
    a, b, c = place(r), place(r), number(r, 0.5, 1.5)
    z2 = f"((x - {a!r})^2 + (y - {b!r})^2)/{s!r}^2"
    text = f"laplacian(u) + 2*pi^2*sin(pi*x)*sin(pi*y) - {c}*4/{s!r}^2*({z2} - 1)*exp(-({z2}))"
    exact = lambda p: math.sin(math.pi * p[0]) * math.sin(math.pi * p[1]) + c * math.exp(-min(((p[0] - a) ** 2 + (p[1] - b) ** 2) / s**2, 700.0))
    return Posed("plane hill", file(name, square(), equation(text) + dirichlet(0)), ["x", "y"], {"u": exact}, somewhere,
                 feature=in_a_square("source", a, b, s))


def charge(r, s, name):
    """A source of unit mass: a logarithm outside of it."""
    a, b, c = place(r, 0.25, 0.75), place(r, 0.25, 0.75), number(r, 0.5, 1.5)
    r2 = f"((x - {a!r})^2 + (y - {b!r})^2)"
    text = f"laplacian(u) - exp(-{r2}/{s!r}^2)/(pi*{s!r}^2)"
    body = equation(text) + dirichlet(f"log({r2})/(4*pi) + {c}*exp(x)*cos(y)")

    def exact(p):
        d = max((p[0] - a) ** 2 + (p[1] - b) ** 2, 1e-300)
        return (math.log(d) + exponential_integral(d / s**2)) / (4 * math.pi) + c * math.exp(p[0]) * math.cos(p[1])

    return Posed("plane charge", file(name, square(), body), ["x", "y"], {"u": exact}, somewhere, feature=in_a_square("source", a, b, s))


def slanted(r, s, name):
    """A source along a slanted line."""
    turn = r.uniform(0.2, 1.3)
    n = [float(f"{math.cos(turn):.6f}"), float(f"{math.sin(turn):.6f}")]
    norm = n[0] ** 2 + n[1] ** 2
    a = float(f"{r.uniform(0.4, 0.6) * (n[0] + n[1]):.8f}")
    peak = Peak("gauss", a, s)
    across = f"({n[0]}*x + {n[1]}*y)"
    grown = f"({across} - {a!r})*erf(({across} - {a!r})/{s!r})/2 + {s!r}/(2*sqrt(pi))*exp(-(({across} - {a!r})/{s!r})^2)"
    body = equation(f"laplacian(u) - {norm!r}*{peak.text(across)}") + dirichlet(f"{grown} + exp(x)*sin(y)")
    exact = lambda p: peak.twice(n[0] * p[0] + n[1] * p[1]) + math.exp(p[0]) * math.sin(p[1])
    # the chord of the square along the line, from end to end
    foot = lambda l, z: [n[0] * (a + z) / norm - n[1] * (3 * l - 1.5), n[1] * (a + z) / norm + n[0] * (3 * l - 1.5)]
    length = 3 * sum(in_unit_square(foot((k + 0.5) / 4000, 0)) for k in range(4000)) / 4000
    feature = along("source", s, lambda p: n[0] * p[0] + n[1] * p[1] - a, foot, 1.0, length, in_unit_square)
    return Posed("plane slanted", file(name, square(), body), ["x", "y"], {"u": exact}, somewhere, feature=feature)


# --- a boundary value --------------------------------------------------------------------------------------------------------

def inflow(r, s, name):
    """A spike that flows in at one end and is carried along."""
    c, a = number(r, 0.8, 2), place(r, 0.1, 0.4)
    value = f"exp(-((t - {a!r})/{s!r})^2) + sin(2*t)"
    body = equation(f"u_t + {c}*u_x") + dirichlet(value, "x=0") + initial(u=f"sin(-2*x/{c})")

    def exact(p):
        t = p[1] - p[0] / c
        return math.exp(-min(((t - a) / s) ** 2, 700.0)) + math.sin(2 * t)

    last = min(1.0, c * (1 - a))  # where the spike is at the end, or where it has left
    feature = along("boundary value", s, lambda p: p[1] - p[0] / c - a, lambda l, z: [l * last, l * last / c + a + z], 1.0, last, in_unit_square)
    return Posed("boundary inflow", file(name, space_time((0, 1), 1), body), ["x", "t"], {"u": exact}, somewhere, feature=feature)


def electrode(r, s, name):
    """Laplace's equation over a narrow electrode: s (y + s)/((x − a)² + (y + s)²) is harmonic."""
    a, c = place(r), number(r, 0.3, 1)
    value = f"{s!r}*(y + {s!r})/((x - {a!r})^2 + (y + {s!r})^2) + {c}*exp(x)*cos(y)"
    exact = lambda p: s * (p[1] + s) / ((p[0] - a) ** 2 + (p[1] + s) ** 2) + c * math.exp(p[0]) * math.cos(p[1])
    feature = in_a_square("boundary value", a, 0.0, s, in_unit_square, 0.5)
    return Posed("boundary electrode", file(name, square(), equation("laplacian(u)") + dirichlet(value)), ["x", "y"], {"u": exact}, somewhere, feature=feature)


def flash(r, s, name):
    """Heat under a flash at one end, its source written out."""
    a = place(r, 0.2, 0.8)
    z = f"((t - {a!r})/{s!r})"
    text = f"u_t - u_xx + exp(-{z}^2)*(2*{z}/{s!r}*(1 - x)^2 + 2) + (1 - pi^2)*exp(-t)*sin(pi*x)"
    body = equation(text) + dirichlet(f"exp(-{z}^2)", "x=0") + dirichlet(0, "x=1") + initial(u="sin(pi*x)")
    exact = lambda p: math.exp(-min(((p[1] - a) / s) ** 2, 700.0)) * (1 - p[0]) ** 2 + math.exp(-p[1]) * math.sin(math.pi * p[0])
    feature = along("boundary value", s, lambda p: p[1] - a, lambda l, v: [l, a + v], 1.0, 1.0, in_unit_square)
    return Posed("boundary flash", file(name, space_time((0, 1), 1), body), ["x", "t"], {"u": exact}, somewhere, feature=feature)


# --- an initial value --------------------------------------------------------------------------------------------------------

def carried(r, s, name):
    """A pulse on a line that is carried along."""
    c, a = number(r, 0.2, 0.5), place(r, 0.15, 0.45)
    value = lambda x: f"exp(-(({x} - {a!r})/{s!r})^2) + cos(3*({x}))"
    body = equation(f"u_t + {c}*u_x") + dirichlet(f"cos(3*{c}*t)", "x=0") + initial(u=value("x"))

    def exact(p):
        x = p[0] - c * p[1]
        return math.exp(-min(((x - a) / s) ** 2, 700.0)) + math.cos(3 * x)

    feature = along("initial value", s, lambda p: p[0] - c * p[1] - a, lambda l, z: [c * l + a + z, l], 1.0, 1.0, in_unit_square)
    return Posed("initial transport", file(name, space_time((0, 1), 1), body), ["x", "t"], {"u": exact}, somewhere, feature=feature)


def split(r, s, name):
    """A pulse of the wave equation, which parts into two."""
    c, a = number(r, 0.1, 0.3), place(r, 0.4, 0.6)
    body = equation(f"u_tt - {c}^2*u_xx") + dirichlet(0, "x") + initial(u=f"exp(-((x - {a!r})/{s!r})^2) + sin(pi*x)", u_t=0)
    pulse = lambda z: math.exp(-min((z / s) ** 2, 700.0)) / 2
    exact = lambda p: pulse(p[0] - a - c * p[1]) + pulse(p[0] - a + c * p[1]) + math.sin(math.pi * p[0]) * math.cos(math.pi * c * p[1])
    way = lambda v: along("initial value", s, lambda p: p[0] - v * p[1] - a, lambda l, z: [v * l + a + z, l], 1.0, 1.0, in_unit_square)
    return Posed("initial wave", file(name, space_time((0, 1), 1), body), ["x", "t"], {"u": exact}, somewhere, feature=either(way(c), way(-c)))


def spreading(r, s, name):
    """Heat from a narrow place, high enough to be seen at the end."""
    k, a, end = number(r, 0.002, 0.01), place(r, 0.35, 0.65), 0.5
    wide = lambda t: math.sqrt(s * s + 4 * k * t)
    tail = f"exp(-(x - {a!r})^2/({s!r}^2 + 4*{k}*t))/sqrt(pi*({s!r}^2 + 4*{k}*t))"
    body = equation(f"u_t - {k}*u_xx") + dirichlet(tail, "x") + initial(u=f"exp(-((x - {a!r})/{s!r})^2)/(sqrt(pi)*{s!r})")
    exact = lambda p: math.exp(-min(((p[0] - a) / wide(p[1])) ** 2, 700.0)) / (math.sqrt(math.pi) * wide(p[1]))
    begun = s * s / (4 * k)  # times are drawn uniformly in their logarithm from here on
    decades = math.log(end / begun)

    def draw(q):
        t = begun * math.exp(q.random() * decades)
        return [min(1.0, max(0.0, a + wide(t) * q.uniform(-REACH, REACH))), t]

    def density(p):
        inside = p[1] >= begun and abs(p[0] - a) < REACH * wide(p[1])
        return end / (p[1] * decades * 2 * REACH * wide(p[1])) if inside else 0.0

    feature = Feature("initial value", s, lambda p: math.hypot((p[0] - a) / s, 4 * k * p[1] / s**2), draw, density)
    return Posed("initial heat", file(name, space_time((0, 1), end), body), ["x", "t"], {"u": exact}, lambda q: [q.random(), q.uniform(0, end)], feature=feature)


# --- nothing narrow ----------------------------------------------------------------------------------------------------------

def controls(r):
    """Ten problems without features, by name."""
    n = lambda low, high: number(r, low, high)
    line, time, plane, both = interval("x", 0, 1), interval("t", 0, 2, True), square(), space_time((0, 1), 1)
    a, b = n(0.5, 3), n(0.5, 3)
    return {
        "line": (line, equation(f"u_xx + pi^2*sin(pi*x) + {a}*x") + dirichlet(0)),
        "line-reaction": (line, equation(f"u_xx - {a}*u + cos({b}*x)") + dirichlet(0)),
        "line-nonlinear": (line, equation(f"u_xx - u^3 + {a}*exp(x)") + dirichlet(1)),
        "line-coefficient": (line, equation(f"d((1 + {a}*x^2)*u_x, x) + sin({b}*x)") + dirichlet(0)),
        "time": (time, equation(f"u_t + {a}*u - cos({b}*t)") + initial(u=1)),
        "time-oscillator": (time, equation(f"u_tt + {a}^2*u - sin(t)") + initial(u=1, u_t=0)),
        "plane": (plane, equation(f"laplacian(u) + {a}*sin(pi*x)*sin(pi*y)") + dirichlet(0)),
        "plane-harmonic": (plane, equation("laplacian(u)") + dirichlet(f"exp({a}*x)*cos({a}*y)")),
        "heat": (both, equation(f"u_t - {a / 10:.3g}*u_xx") + dirichlet(0, "x") + initial(u="sin(pi*x)")),
        "transport": (both, equation(f"u_t + {a}*u_x") + dirichlet(f"sin(-{b}*{a}*t)", "x=0") + initial(u=f"sin({b}*x)")),
    }


LINE = {"source": [source, source, two_sources, reaction, slope, hat], "impulse": [kick, struck, struck_pair, quenched],
        "coefficient": [absorbed, resistance, conductance]}
PLANE = {"plane": [hill, charge, slanted], "boundary": [inflow, electrode, flash], "strip": [strip], "initial": [carried, split, spreading]}
