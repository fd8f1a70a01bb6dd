"""Clusters of worker processes: a device each, killed workers, answers that are right."""

import os
import signal
import time

import numpy as np
import pytest
import tenorite as tn

distributed = pytest.importorskip("distributed")
import dask  # noqa: E402
import dask.array as da  # noqa: E402
from tenorite.dask import local_cluster  # noqa: E402

WORKERS = 4
# How many times a worker is killed in the middle of its work; 100 for a thorough look.
ROUNDS = int(os.environ.get("TENORITE_KILLED_WORKERS", 2))
# What a machine may take on which much else runs; an idle one starts the workers in three seconds.
PATIENCE_S = 240


@pytest.fixture(scope="module")
def client():
    with dask.config.set({"distributed.comm.timeouts.connect": f"{PATIENCE_S}s"}):
        with local_cluster(WORKERS, dashboard_address=None, silence_logs=50) as cluster, cluster.get_client() as client:
            client.wait_for_workers(WORKERS, timeout=PATIENCE_S)
            yield client


@pytest.fixture
def whole(client):
    """Two workers at least: on a busy machine Dask may give up one that was killed, and its
    successor does not come."""
    client.wait_for_workers(2, timeout=PATIENCE_S)
    with dask.config.set({"array.backend": "tenorite"}):
        yield client


def variables():
    return {name: value for name, value in os.environ.items() if name.startswith(("TENORITE", "CUDA_VISIBLE"))}


@pytest.mark.host_only("the variables are those of the host")
def test_each_has_a_part_of_the_host(whole):
    for found in whole.run(variables).values():
        assert found["TENORITE_BACKEND"] == "host" and found["TENORITE_HOST_DEVICES"] == "1"
        assert int(found["TENORITE_NUM_THREADS"]) == max(1, os.cpu_count() // WORKERS)
    assert set(whole.run(lambda: __import__("tenorite").cuda.runtime.getDeviceCount()).values()) == {1}


def test_options_that_it_sets_itself():
    with pytest.raises(TypeError, match="env, processes itself"):
        local_cluster(1, processes=False, env={})


def product():
    x = da.random.default_rng(3).standard_normal((600, 600), chunks=100)
    return da.fft.fft((x @ x.T).rechunk((100, 600))).real.sum(axis=0)


def test_the_same_as_alone(whole):
    alone = product().compute(scheduler="sync")
    together = product().compute()
    assert type(together) is tn.ndarray
    np.testing.assert_allclose(together.get(), alone.get(), rtol=1e-9, atol=1e-9)
    drawn = da.random.default_rng(3).standard_normal((60, 60), chunks=10)
    assert (drawn.compute() == drawn.compute(scheduler="sync")).all()


def test_arrays_go_and_come(whole):
    sent = whole.scatter(tn.arange(1_000_000), broadcast=True)
    sums = whole.map(lambda array, k: (type(array).__module__, int(array.sum()) + k), [sent] * 8, range(8), pure=False)
    assert whole.gather(sums) == [("tenorite", 499999500000 + k) for k in range(8)]
    moved = whole.submit(lambda: tn.asfortranarray(tn.ones((3, 4), "f4"))).result()
    assert moved.flags.fnc and moved.dtype == "f4" and moved.get().tolist() == np.ones((3, 4)).tolist()


def slow(number):
    time.sleep(0.05)
    return tn.full(1000, number)


@pytest.mark.parametrize("round_", range(ROUNDS))
def test_killed_worker(whole, round_):
    """Results that died with a worker are computed again."""
    parts = whole.map(slow, range(60), pure=False)
    total = whole.submit(lambda parts: tn.stack(parts).sum(axis=0), parts)
    while len(whole.who_has(parts)) == 0 or sum(bool(held) for held in whole.who_has(parts).values()) < 10:
        time.sleep(0.02)
    os.kill(next(iter(whole.run(os.getpid).values())), signal.SIGKILL)
    assert total.result(timeout=PATIENCE_S).tolist() == [sum(range(60))] * 1000


def test_error_of_a_task(whole):
    with pytest.raises(ValueError, match="broadcast"):
        whole.submit(lambda: tn.ones(2) + tn.ones(3)).result()
