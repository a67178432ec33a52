"""Both programs on this machine: lines, seconds and error side by side.

    python compare.py            # burgers_deepxde.py needs: pip install deepxde torch
"""

import importlib
import os
import sys
import time
from pathlib import Path

import reference

os.environ.setdefault("DDE_BACKEND", "pytorch")
HERE = Path(__file__).parent


def lines(path):
    """Lines of code: no empty ones, no comments, no docstring."""
    code = path.read_text(encoding="utf-8").split('"""')[2]
    return sum(1 for line in code.splitlines() if line.strip() and not line.strip().startswith("#"))


def main(names):
    x, t, _ = reference.grid()
    rows = []
    for name in names:
        wall, processor = time.perf_counter(), time.process_time()
        program = importlib.import_module(name)
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        error = reference.error(program.u(x, t))
        rows.append(f"{name:<22} {lines(HERE / f'{name}.py'):>5} {wall:>8.1f} {processor:>18.1f} {error:>17.1e}")
        estimate = getattr(getattr(program, "s", None), "error_estimate", None)
        if estimate is not None:
            rows[-1] += f"   (estimated {estimate:.1e})"
    print(f"{'':<22} {'lines':>5} {'seconds':>8} {'processor seconds':>18} {'relative L2 error':>17}")
    print(*rows, sep="\n")


main(sys.argv[1:] or ["burgers_rafnet", "burgers_deepxde"])
