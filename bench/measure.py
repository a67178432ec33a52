"""Solves a problem with a binary of `raf` and holds the answer against the truth."""
import csv, hashlib, json, math, os, random, subprocess, time

POINTS = 2_000  # at which the error is measured
POOL = 20_000  # among which steep places are found


class Answer:
    """What `raf solve --json` said, its exit status and the seconds of the whole command."""

    def __init__(self, said, status, wall, message):
        self.said, self.status, self.wall, self.message = said, status, wall, message

    def __getitem__(self, key):
        return self.said.get(key)

    @property
    def model(self):
        return self.said.get("model")


def solve(binary, path, out, limit, seed=0, threads=1, more=()):
    """One run. An answer without JSON has the last line of the error stream as its message."""
    command = [os.path.abspath(binary), "solve", str(path), "--json", "--time-limit", str(limit), "--seed", str(seed), "--threads", str(threads), "--out", str(out), *more]
    begun = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 + 20 * limit)
    except subprocess.TimeoutExpired:
        return Answer({"outcome": "no end"}, -1, time.monotonic() - begun, f"did not end after {60 + 20 * limit:.0f} s")
    wall = time.monotonic() - begun
    try:
        said = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip().splitlines() or ["?"])[-1]
        return Answer({"outcome": "no answer: " + last}, done.returncode, wall, last)
    return Answer(said, done.returncode, wall, (said.get("message") or "").strip())


def values(binary, model, axes, points, folder, tag):
    """The model's values at points: a list by unknown. A model that cannot be evaluated has none, which `errors` counts as NaN."""
    at, out = folder / f"a{tag}.csv", folder / f"o{tag}.csv"
    at.write_text(",".join(axes) + "\n" + "\n".join(",".join(repr(v) for v in p) for p in points) + "\n")
    if subprocess.run([os.path.abspath(binary), "eval", str(model), "--at", str(at), "-o", str(out)], capture_output=True).returncode != 0:
        return {}
    with out.open() as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name] or "nan") for row in rows] for name in rows[0] if name not in axes}


def points_of(problem, seed):
    """Points and their weights: half anywhere, half in the feature or, where there is none, drawn by the size of the gradient.

    With the weights, sums over points in a feature are sums over the domain; steep points count as they are.
    """
    q = random.Random(seed ^ 0xC0FFEE)
    anywhere = [problem.draw(q) for _ in range(POINTS // 2)]
    if problem.exact is None:
        return anywhere, [1.0] * len(anywhere)
    if problem.feature:
        points = anywhere + [problem.feature.draw(q) for _ in range(POINTS // 2)]
        return points, [2 / (1 + problem.feature.density(p)) for p in points]
    functions = list(problem.solutions()[0].values())
    pool = [problem.draw(q) for _ in range(POOL // (2 + len(problem.axes)))]

    def steepness(point):
        total = 0.0
        for f in functions:
            try:
                here = f(point)
                for k in range(len(point)):
                    there = list(point)
                    there[k] += 1e-6
                    total += (f(there) - here) ** 2
            except (ValueError, ZeroDivisionError, OverflowError):
                pass
        return math.sqrt(total)

    weights = [steepness(p) for p in pool]
    steep = q.choices(pool, weights, k=POINTS // 2) if sum(weights) > 0 else pool[: POINTS // 2]
    return anywhere + steep, [1.0] * POINTS


def largest(values):
    """The largest of some numbers; NaN if one is."""
    top = 0.0
    for v in values:
        if math.isnan(v):
            return math.nan
        top = max(top, v)
    return top


def errors(found, truth, weights):
    """Relative L2 and L∞ errors, the worst of the unknowns; each point counts by its weight in the first."""
    l2s, linfs = [], []
    for u, exact in truth.items():
        off = [a - b for a, b in zip(found.get(u, [math.nan] * len(exact)), exact)]
        size, most = math.sqrt(math.fsum(w * v * v for w, v in zip(weights, exact))), largest(map(abs, exact))
        sum_of_squares = sum(w * o * o for w, o in zip(weights, off)) if any(map(math.isnan, off)) else math.fsum(w * o * o for w, o in zip(weights, off))
        l2s.append(math.sqrt(sum_of_squares) / size if size > 0 else math.inf)
        linfs.append(largest(map(abs, off)) / most if most > 0 else math.inf)
    return largest(l2s), largest(linfs)


def checksum(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]
