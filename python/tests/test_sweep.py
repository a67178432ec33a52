"""`rafnet.sweep`: the same table everywhere, kept runs, failed ones named, workers that die."""

import concurrent.futures
import doctest
import json
import multiprocessing
import os
import signal
import threading
import time

import pytest

import rafnet
from rafnet import _sweep

QUICK = {"target": 1e-4}


def comparable(table):
    """Rows without what differs from run to run."""
    rows = table.to_dict("records") if hasattr(table, "to_dict") else list(table)
    return [{k: v for k, v in row.items() if k not in ("seconds", "folder")} for row in rows]


def same(left, right):
    return json.dumps(comparable(left)) == json.dumps(comparable(right))


@pytest.fixture
def plain(monkeypatch):
    """Without pandas."""
    monkeypatch.setattr(_sweep, "found", lambda name: None)


def test_examples():
    assert doctest.testmod(_sweep) == (0, 5)


def test_rows_in_order(plain):
    table = rafnet.sweep("burgers", {"nu": [0.2, "1/10"]}, seeds=[3, 5], **QUICK)
    assert isinstance(table, _sweep.Table) and len(table) == 4
    assert table["nu"] == [0.2, 0.2, "1/10", "1/10"] and table["seed"] == [3, 5, 3, 5]
    assert all(e < 1e-3 for e in table["error_estimate"])
    assert set(table["outcome"]) == {"target reached"}
    alone = rafnet.solve("burgers", parameters={"nu": 0.1}, seed=5, **QUICK)
    assert table[3]["error_estimate"] == alone.error_estimate
    assert "0.2" in repr(table) and "<td>1/10</td>" in table._repr_html_()
    with pytest.raises(KeyError, match="no column"):
        table["mu"]


def test_a_data_frame_where_there_is_pandas():
    pandas = pytest.importorskip("pandas")
    table = rafnet.sweep("heat", seeds=2, **QUICK)
    assert isinstance(table, pandas.DataFrame) and list(table.seed) == [0, 1]


def test_kept_runs_are_not_made_again(tmp_path, plain, monkeypatch):
    first = rafnet.sweep("heat", seeds=2, folder=tmp_path, **QUICK)
    model = rafnet.load(os.path.join(first[0]["folder"], "model.safetensors"))
    assert model.unknowns == ("u",)
    made = []
    make = _sweep.make
    monkeypatch.setattr(_sweep, "make", lambda task: made.append(task) or make(task))
    again = rafnet.sweep("heat", seeds=3, folder=tmp_path, **QUICK)
    assert len(made) == 1 and list(again)[:2] == list(first)
    with pytest.raises(rafnet.OptionError, match="holds another run"):
        rafnet.sweep("heat", seeds=2, folder=tmp_path, target=1e-5)
    (tmp_path / "0" / "result.json").write_text("{")
    with pytest.raises(rafnet.OptionError, match="holds another run"):
        rafnet.sweep("heat", seeds=1, folder=tmp_path, **QUICK)


def test_reports_and_found_numbers_are_columns(plain):
    problem = rafnet.Problem(
        domain=rafnet.interval(0, 1),
        equation="u_xx + k",
        parameters={"k": {"find": True}, "c": 2},
        boundary={"x": 0},
        data=[[0.5, 0.25]],
        report={"mean": {"integral": "c*u"}},
    )
    table = rafnet.sweep(problem, {"c": [1, 2]})
    assert table["k (found)"] == pytest.approx([2, 2])
    assert table["mean"] == pytest.approx([1 / 6, 1 / 3])


def test_an_error_of_the_system_is_repeated(plain, monkeypatch):
    make, tries = _sweep.make, []

    def unlucky(task):
        tries.append(task)
        if len(tries) < 3:
            raise OSError("the disk is busy")
        return make(task)

    monkeypatch.setattr(_sweep, "make", unlucky)
    assert rafnet.sweep("heat", **QUICK)["outcome"] == ["target reached"]
    tries.clear()
    with pytest.warns(_sweep.FailedRuns, match="1 of 2 runs failed: seed 0"):
        table = rafnet.sweep("heat", seeds=2, repeats=1, **QUICK)
    assert table["outcome"] == ["failed", "target reached"]
    assert table[0]["message"] == "OSError: the disk is busy"


def test_what_rafnet_refuses_is_not_repeated(plain, monkeypatch):
    tries = []

    def refusing(task):
        tries.append(task)
        raise rafnet.SolveError("no solution")

    monkeypatch.setattr(_sweep, "make", refusing)
    with pytest.warns(_sweep.FailedRuns):
        rafnet.sweep("heat")
    assert len(tries) == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"seeds": 0}, "seeds=0"),
        ({"seeds": [1, 1]}, "all different"),
        ({"seeds": [0.5]}, "whole numbers"),
        ({"seeds": True}, "how many"),
        ({"seed": 3}, "seed cannot be given"),
        ({"repeats": -1}, "repeats=-1"),
        ({"executor": "dask"}, "executor='dask'"),
        ({"executor": 0}, "executor=0"),
        ({"progress": "yes"}, "progress='yes'"),
        ({"parameters": {"nu": 0.1}}, "no list of values"),
        ({"parameters": {"nu": []}}, "no value for `nu`"),
        ({"parameters": {"mu": [1]}}, "mu"),
        ({"parameters": {"nu": ["x*"]}}, "nu"),
    ],
)
def test_bad_calls_are_refused_before_anything_runs(given, said, monkeypatch):
    monkeypatch.setattr(_sweep, "make", lambda task: pytest.fail("a run was begun"))
    with pytest.raises(rafnet.RafnetError, match=".") as error:
        rafnet.sweep("burgers", **given)
    assert said in str(error.value)


def test_an_option_that_no_run_can_use_is_raised():
    with pytest.raises(rafnet.OptionError, match="width"):
        rafnet.sweep("burgers", seeds=3, width="many")


@pytest.mark.slow
def test_threads_and_processes_give_the_same_table(tmp_path):
    here = rafnet.sweep("burgers", {"nu": [0.2, 0.1]}, seeds=2, **QUICK)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        assert same(rafnet.sweep("burgers", {"nu": [0.2, 0.1]}, seeds=2, executor=pool, **QUICK), here)
    assert same(rafnet.sweep("burgers", {"nu": [0.2, 0.1]}, seeds=2, executor=2, **QUICK), here)


@pytest.mark.slow
def test_a_pool_that_breaks_is_built_anew():
    here = rafnet.sweep("burgers", {"nu": [0.2, 0.1]}, seeds=4, **QUICK)
    done = threading.Event()

    def kill_one():
        while not done.wait(0.01):
            children = multiprocessing.active_children()
            if children:
                time.sleep(2.0)  # in the middle of a run
                os.kill(children[0].pid, signal.SIGKILL)
                return

    killer = threading.Thread(target=kill_one)
    killer.start()
    try:
        table = rafnet.sweep("burgers", {"nu": [0.2, 0.1]}, seeds=4, executor=2, **QUICK)
    finally:
        done.set()
        killer.join()
    assert same(table, here)


@pytest.mark.slow
def test_the_interrupt_key_ends_a_pool(tmp_path):
    slow = rafnet.Problem.builtin("burgers").with_parameters(nu=0.01)
    before = set(multiprocessing.active_children())
    begun = []

    def interrupt():
        begun.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(6.0, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        rafnet.sweep(slow, seeds=6, executor=2, folder=tmp_path, target=1e-14)
    assert time.monotonic() - begun[0] < 1.0
    for child in set(multiprocessing.active_children()) - before:
        child.join(10)
        assert not child.is_alive()
    # what was finished by then is kept, and nothing else
    for kept in tmp_path.iterdir():
        assert (kept / "result.json").exists()


def test_an_executor_that_breaks_names_its_runs():
    pool = concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    pid = pool.submit(os.getpid).result()
    threading.Timer(0.3, os.kill, (pid, signal.SIGKILL)).start()
    with pytest.warns(_sweep.FailedRuns, match="runs failed"):
        table = rafnet.sweep("burgers", {"nu": [0.05]}, seeds=3, executor=pool, target=1e-10)
    pool.shutdown()
    assert "failed" in set(table["outcome"]) and any("BrokenProcessPool" in str(m) for m in table["message"])
