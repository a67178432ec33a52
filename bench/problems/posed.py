"""A problem file with its truth, and the texts that both are written in."""
import math

NAMES = {name: getattr(math, name) for name in "sin cos tan asin acos atan atan2 sinh cosh tanh exp log sqrt erf pi e floor".split()}
NAMES |= {"abs": abs, "min": min, "max": max, "cbrt": math.cbrt, "sign": lambda v: (v > 0) - (v < 0), "where": lambda c, a, b: a if c else b}


def compiled(text, axes):
    """A text of the problem format as a Python function of a point."""
    code = compile(text.replace("^", "**"), text, "eval")
    return lambda point: float(eval(code, NAMES, dict(zip(axes, point))))  # our own texts only


def number(r, low, high):
    """A random number, short enough to be read."""
    return float(f"{r.uniform(low, high):.3g}")


def logarithmic(r, low, high):
    """The same, uniform in its logarithm."""
    return float(f"{math.exp(r.uniform(math.log(low), math.log(high))):.3g}")


class Posed:
    """A problem file, its exact solutions by unknown, and a way to draw points.

    A solution is a text, a function of a point, or a list of those where any of several solutions is right. `exact` is None where
    nothing can be right. `feature` is what is narrow in it, `named` what the answer must call the problem, `reports`, `found` and
    `eigenvalues` are further figures whose truth is known, `scatter` is the relative error that noise is expected to make.
    """

    def __init__(self, kind, text, axes, exact, draw, *, feature=None, named=None, reports=None, found=None, eigenvalues=None, scatter=0.0):
        self.kind, self.text, self.axes, self.exact, self.draw = kind, text, axes, exact, draw
        self.feature, self.named, self.reports, self.found, self.eigenvalues = feature, named, reports or {}, found or {}, eigenvalues or []
        self.scatter = scatter

    def solutions(self):
        """Every right answer, each as a function of a point by unknown."""
        count = max(len(e) if isinstance(e, list) else 1 for e in self.exact.values())
        function = lambda e: compiled(e, self.axes) if isinstance(e, str) else e
        return [{u: function(e[k] if isinstance(e, list) else e) for u, e in self.exact.items()} for k in range(count)]


class Feature:
    """Something narrow: where it is, in its own widths, and points that lie in it.

    `away` is the distance of a point in widths, `draw` gives points up to REACH widths away, `density` is how often it gives those around
    a point, over how often uniform points lie there.
    """

    REACH = 4.0

    def __init__(self, what, width, away, draw, density):
        self.what, self.width, self.away, self.draw, self.density = what, width, away, draw, density


def interval(name, lo, hi, time=False):
    return ["kind = \"interval\"", f"{name} = [{lo}, {hi}]"] + ([f"time = \"{name}\""] if time else [])


def square(lo=0, hi=1):
    return ["kind = \"box\"", f"x = [{lo}, {hi}]", f"y = [{lo}, {hi}]"]


def space_time(x, end):
    return ["kind = \"box\"", f"x = [{x[0]}, {x[1]}]", f"t = [0, {end}]", "time = \"t\""]


def file(name, domain, body, unknowns=None):
    """The text of a problem file."""
    head = f"name = \"{name}\"\n" + (f"unknowns = [{', '.join(chr(34) + u + chr(34) for u in unknowns)}]\n" if unknowns else "")
    return head + "[domain]\n" + "\n".join(domain) + "\n" + body


def dirichlet(value, on="all", unknown=None):
    tag = f"unknown = \"{unknown}\"\n" if unknown else ""
    return f"[[boundary]]\n{tag}on = \"{on}\"\ndirichlet = \"{value}\"\n"


def equation(*residuals):
    return "[equation]\nresidual = [" + ", ".join(f"\"{r}\"" for r in residuals) + "]\n"


def initial(**values):
    return "[[initial]]\n" + "".join(f"{name} = \"{value}\"\n" for name, value in values.items())
