"""Both programs on this machine, each in a process of its own: lines, seconds and error side by side.

    python compare.py                      # needs: pip install rafnet deepxde torch
    python compare.py burgers_rafnet       # one of them

DeepXDE computes in single precision unless told; there L-BFGS ends after a few steps. `burgers_deepxde:float64` is the same program in double.
"""

import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

import reference

HERE = Path(__file__).parent
PROGRAMS = ["burgers_rafnet", "burgers_deepxde", "burgers_deepxde:float64"]


def lines(path):
    """Lines of code: no empty ones, no comments, no docstring."""
    code = path.read_text(encoding="utf-8").split('"""')[2]
    return sum(1 for line in code.splitlines() if line.strip() and not line.strip().startswith("#"))


def measured(name):
    """Runs a program here; a line of the table."""
    module, _, precision = name.partition(":")
    wall, processor = time.perf_counter(), time.process_time()
    if precision:
        import deepxde

        deepxde.config.set_default_float(precision)
    program = importlib.import_module(module)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    error = reference.error(program.u(*reference.grid()[:2]))
    row = f"{name:<24} {lines(HERE / f'{module}.py'):>5} {wall:>8.1f} {processor:>18.1f} {error:>17.1e}"
    estimate = getattr(getattr(program, "s", None), "error_estimate", None)
    return row if estimate is None else f"{row}   (estimated {estimate:.1e})"


def main(names):
    print(f"{'':<24} {'lines':>5} {'seconds':>8} {'processor seconds':>18} {'relative L2 error':>17}", flush=True)
    for name in names:
        environment = {**os.environ, "DDE_BACKEND": "pytorch"}
        run = subprocess.run([sys.executable, __file__, "--one", name], env=environment, stdout=subprocess.PIPE, text=True, check=True)
        print(run.stdout.splitlines()[-1], flush=True)


if sys.argv[1:2] == ["--one"]:
    print(measured(sys.argv[2]))
else:
    main(sys.argv[1:] or PROGRAMS)
