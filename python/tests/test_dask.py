"""`rafnet.sweep` over a Dask cluster of processes whose workers are killed in the middle."""

import os
import signal
import threading

import pytest

import rafnet
from test_sweep import same

distributed = pytest.importorskip("distributed")

ASKED = {"parameters": {"nu": [0.3, 0.25, 0.2, 0.15, 0.1, 0.08]}, "seeds": 10, "target": 1e-6}


def test_workers_that_die_change_nothing(tmp_path):
    """Sixty runs on two workers, one of which is killed twice: the table of one process."""
    expected = rafnet.sweep("burgers", **ASKED)
    assert len(expected) == 60
    ended, kills = [], []

    def kill_in_between(row):
        ended.append(row)
        if len(ended) in (15, 35):
            pids, workers = client.run(os.getpid), client.scheduler_info(n_workers=-1)["workers"]
            kills.extend(pids[address] for address, worker in workers.items() if worker["name"] == 0)
            os.kill(kills[-1], signal.SIGKILL)

    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, protocol="tcp") as cluster,
        distributed.Client(cluster) as client,
    ):
        table = rafnet.sweep("burgers", executor=client, folder=tmp_path / "runs", progress=kill_in_between, **ASKED)
        assert len(set(kills)) == 2 and len(ended) == 60
        assert same(table, expected)
        # all are kept: nothing is made again
        again = rafnet.sweep("burgers", executor=client, folder=tmp_path / "runs", **ASKED)
        assert list(again["seconds"]) == list(table["seconds"])
    # and here, without the cluster
    assert same(rafnet.sweep("burgers", folder=tmp_path / "runs", **ASKED), expected)


def die(task):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_run_that_kills_its_workers_is_named(monkeypatch):
    """One task takes every worker with it; the others go on."""
    make = rafnet._sweep.make
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, protocol="tcp") as cluster,
        distributed.Client(cluster) as client,
    ):
        submit = client.submit

        def poisoned(function, task, **given):
            return submit(die if dict(task[3])["seed"] == "1" else make, task, **given)

        monkeypatch.setattr(client, "submit", poisoned)
        with pytest.warns(rafnet.FailedRuns, match="1 of 4 runs failed: seed 1"):
            table = rafnet.sweep("heat", seeds=4, executor=client, repeats=0, target=1e-4)
    assert [outcome == "failed" for outcome in table["outcome"]] == [False, True, False, False]
    assert "KilledWorker" in table["message"][1]


def test_threads_of_one_worker_share_it():
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None, protocol="tcp") as cluster,
        distributed.Client(cluster) as client,
    ):
        assert threading.current_thread() is threading.main_thread()
        table = rafnet.sweep("heat", seeds=4, executor=client, target=1e-4)
        with client.get_executor() as executor:
            by_executor = rafnet.sweep("heat", seeds=4, executor=executor, target=1e-4)
    assert same(table, rafnet.sweep("heat", seeds=4, target=1e-4)) and same(by_executor, table)
