#!/usr/bin/env python3
"""This machine's matrix product, by NumPy and by PyTorch: the best of 1024³ and 2048×256×256, GFLOP/s, as JSON.

    python gemm.py [--threads N]

Each shape is tried in two ways, one product shared by all threads and one product for each thread, and the better one
counts, so that no small product is held back by waiting for its neighbours.
"""
import argparse, json, os, threading, time

p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
a = p.parse_args()
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(a.threads)

import numpy as np
import torch

SHAPES = [(1024, 1024, 1024), (2048, 256, 256)]


def rate(flop, product, copies):
    """GFLOP/s of `copies` threads that all call product(), the best of 8 rounds."""
    calls = max(1, round(3e9 / flop))
    barrier = threading.Barrier(copies + 1)

    def work():
        mine = product()
        for _ in range(8):
            barrier.wait()
            for _ in range(calls):
                mine()
            barrier.wait()

    threads = [threading.Thread(target=work) for _ in range(copies)]
    for t in threads:
        t.start()
    best = 0.0
    for _ in range(8):
        barrier.wait()
        start = time.perf_counter()
        barrier.wait()
        best = max(best, copies * calls * flop / (time.perf_counter() - start) / 1e9)
    for t in threads:
        t.join()
    return best


def by_numpy(shape, dtype):
    m, n, k = shape
    x, y, z = np.ones((m, k), dtype), np.ones((k, n), dtype), np.empty((m, n), dtype)
    return lambda: np.matmul(x, y, out=z)


def by_torch(shape, dtype, threads):
    torch.set_num_threads(threads)  # for the calling thread
    m, n, k = shape
    dtype = torch.float32 if dtype == "f4" else torch.float64
    x, y, z = torch.ones(m, k, dtype=dtype), torch.ones(k, n, dtype=dtype), torch.empty(m, n, dtype=dtype)
    return lambda: torch.mm(x, y, out=z)


out = {}
for precision, dtype in (("f32", "f4"), ("f64", "f8")):
    for shape in SHAPES:
        flop = 2.0 * shape[0] * shape[1] * shape[2]
        found = {
            "numpy": rate(flop, lambda: by_numpy(shape, dtype), 1),
            "torch": max(rate(flop, lambda: by_torch(shape, dtype, a.threads), 1),
                         rate(flop, lambda: by_torch(shape, dtype, 1), a.threads)),
        }
        for lib, gflops in found.items():
            out.setdefault(lib, {}).setdefault(precision, {})["x".join(map(str, shape))] = gflops
print(json.dumps(out))
