"""Solutions without a text that `bench/accept` holds answers against: coordinates, points and values of each."""
import math, random
from decimal import Decimal, getcontext


def burgers(count=300):
    """u_t + u u_x = ν u_xx from −sin πx, ν = 0.01/π, by Cole and Hopf's integrals; half of the points lie where the front is."""
    nu, q = 0.01 / math.pi, random.Random(1)

    def value(p):
        x, t = p
        steps, reach = 1200, 14.0
        eta = [2 * math.sqrt(nu * t) * reach * (2 * k / steps - 1) for k in range(steps + 1)]
        powers = [-math.cos(math.pi * (x - e)) / (2 * math.pi * nu) - e * e / (4 * nu * t) for e in eta]
        top = max(powers)
        weights = [math.exp(v - top) for v in powers]
        return -math.fsum(w * math.sin(math.pi * (x - e)) for w, e in zip(weights, eta)) / math.fsum(weights)

    points = [[q.uniform(-1, 1) if k % 2 else q.uniform(-0.03, 0.03), q.uniform(0.01, 1)] for k in range(count)]
    return ["x", "t"], points, {"u": [value(p) for p in points]}


def string(count=2000):
    """A pulse of a string that is held at 0 and 1: half of it to each side, reflected as an odd function of period 2."""
    q = random.Random(2)

    def pulse(x):
        x = (x + 1) % 2 - 1
        return math.copysign(math.exp(-(((abs(x) - 0.5) / 0.05) ** 2)), x)

    points = [[q.random(), q.uniform(0, 20)] for _ in range(count)]
    return ["x", "t"], points, {"u": [(pulse(x - t) + pulse(x + t)) / 2 for x, t in points]}


def turning_point(count=400):
    """ε u″ = x u with ends of 1, ε = 1e-5: power series around 0 in 320 digits, for they cancel to the last of 200."""
    getcontext().prec = 320
    eps, q = Decimal("1e-5"), random.Random(3)

    def series(x):
        """The solutions that begin as 1 and as x."""
        x = Decimal(repr(x)) if isinstance(x, float) else Decimal(x)
        cube = x**3 / eps
        even, odd = term, other = Decimal(1), x
        for k in range(1, 2000):
            term *= cube / ((3 * k - 1) * 3 * k)
            other *= cube / (3 * k * (3 * k + 1))
            even, odd = even + term, odd + other
            if abs(term) + abs(other) < Decimal("1e-60"):
                break
        return even, odd

    (a, b), (c, d) = series(-1), series(1)
    det = a * d - b * c
    first, second = (d - b) / det, (a - c) / det
    points = [[q.uniform(-1, 1) if k % 2 else q.uniform(-0.1, 0.1)] for k in range(count)]
    return ["x"], points, {"u": [float(first * e + second * o) for e, o in (series(p[0]) for p in points)]}
