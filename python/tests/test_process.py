"""Signals, threads and forks."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import n_threads

import rafnet

LONG = {"method": "adam", "steps": 10_000_000, "width": 30, "points": 500}


def interrupted_after(seconds, work):
    """What `work` raises when this process is interrupted, and the seconds from the signal to the exception."""
    sent = []

    def send():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(seconds, send)
    timer.start()
    with pytest.raises(rafnet.Interrupted) as raised:
        work()
    seconds = time.perf_counter() - sent[0]
    timer.join()
    return raised.value, seconds


def settled(expected):
    """Threads that end are gone a moment after they are joined."""
    deadline = time.monotonic() + 5
    while n_threads() > expected and time.monotonic() < deadline:
        time.sleep(0.01)
    return n_threads()


@pytest.mark.parametrize("method", [LONG, {"method": "pieces", "target": 1e-15}, {"method": "lm", "target": 1e-16, "width": 40}])
def test_interrupted_solution_stops_within_a_second(method):
    before = n_threads()
    error, seconds = interrupted_after(1.0, lambda: rafnet.solve("burgers", time_limit=600, parameters={"nu": 0.004}, **method))
    # within a second where nothing else runs; what is tested is that it ends long before the solution would
    assert seconds < 10.0 and isinstance(error, KeyboardInterrupt)
    assert settled(before) <= before
    if error.best is not None:
        assert np.isfinite(error.best(x=0.1, t=0.1)) and error.best.outcome == "stopped"
        error.best = None
    assert rafnet.solve("logistic").succeeded  # the next cell runs
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_interrupted_fit_keeps_what_it_had():
    before = n_threads()
    error, seconds = interrupted_after(0.7, lambda: rafnet.fit(kind="image", size=(128, 128), steps=1_000_000))
    assert seconds < 10.0 and error.best.render().shape == (128, 128) and error.best.outcome == "stopped" and "stopped" in repr(error.best)
    error.best = None
    assert settled(before) <= before + 2


def test_other_threads_run_meanwhile():
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    rafnet.solve("burgers", target=1e-8, threads=1)
    done.set()
    thread.join()
    assert counted[0] > 20


def test_threads_of_ones_own_solve_at_once():
    found = []
    threads = [threading.Thread(target=lambda: found.append(rafnet.solve("logistic", threads=1).relative_l2)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and len(set(found)) == 1


def child(queue, s, net, theta, x):
    queue.put((s(x=x, t=0.05), net.loss_and_gradient(theta, x, "u_x - 1")[0], rafnet.solve("logistic").relative_l2))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_models_survive_a_fork(method):
    s, net, x = rafnet.solve("heat"), rafnet.Network(["x"], width=10), np.linspace(0, 1, 3000)
    theta = net.init()
    expected = (s(x=x, t=0.05), net.loss_and_gradient(theta, x, "u_x - 1")[0])
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    children = [context.Process(target=child, args=(queue, s, net, theta, x)) for _ in range(2)]
    for one in children:
        one.start()
    answers = [queue.get(timeout=60) for _ in children]
    for one in children:
        one.join(30)
        assert one.exitcode == 0
    for values, loss, error in answers:
        assert np.array_equal(values, expected[0]) and loss == expected[1] and error < 1e-9
    assert np.array_equal(s(x=x, t=0.05), expected[0])


def test_a_fork_in_the_middle_of_an_evaluation():
    s = rafnet.solve("heat")
    x = np.linspace(0, 1, 400_000)
    busy = threading.Thread(target=lambda: [s(x=x, t=0.05) for _ in range(4)])
    busy.start()
    time.sleep(0.05)
    pid = os.fork()
    if pid == 0:
        answered = s(x=0.5, t=0.05)
        del s
        os._exit(0 if np.isfinite(answered) else 1)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            break
        time.sleep(0.05)
    else:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        pytest.fail("the child hangs")
    busy.join()
    assert os.waitstatus_to_exitcode(status) == 0


def test_interrupted_on_a_terminal_the_session_goes_on():
    program = """
import os, signal, sys, threading, rafnet
before = len(os.listdir("/proc/self/task"))
print("ready", flush=True)
try:
    rafnet.solve("burgers", method="adam", steps=10_000_000, width=30, points=500)
except KeyboardInterrupt as error:
    kind, best = type(error).__name__, error.best is not None
    del error
import time
time.sleep(0.2)
print(kind, best, len(os.listdir("/proc/self/task")) - before, rafnet.solve("logistic").succeeded, flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    kind, best, more, next_runs = process.stdout.readline().split()
    assert (kind, best, next_runs) == ("Interrupted", "True", "True") and int(more) <= 0 and process.wait(30) == 0


def test_importing_is_quick(tmp_path):
    program = "import numpy, time; a = time.process_time(); import rafnet; print(time.process_time() - a)"
    # with its bytecode, as pip installs it
    around = {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(tmp_path)}
    runs = [subprocess.run([sys.executable, "-c", program], env=around, capture_output=True, text=True, check=True) for _ in range(6)]
    assert min(float(run.stdout) for run in runs[1:]) < 0.5  # some 0.02 where nothing else runs


def test_nothing_more_than_numpy_is_imported():
    program = (
        "import sys, json, rafnet; print(json.dumps([m for m in ('matplotlib', 'torch', 'sympy', 'xarray', 'pandas', 'dask', 'tqdm', 'sklearn', 'IPython')"
        " if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []
