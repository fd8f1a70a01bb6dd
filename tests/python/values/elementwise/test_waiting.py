"""What calls that wait compute, and when."""

import os
import threading
import time

import numpy as np
import pytest
import tenorite as tn
from tenorite import _core

NO_CUTS = pytest.mark.skipif("TENORITE_DEBUG_CUTS" in os.environ, reason="backlogs are cut at random")


@NO_CUTS
def test_nothing_runs_before_a_look(waits):
    a = tn.arange(1000.0)
    waits(True)
    b = tn.sqrt(a * a + 1) * 2 - a
    assert _core._is_due(b)
    runs = _core._backlog_figures()["runs"]
    c = b.sum()
    assert _core._backlog_figures()["runs"] == runs
    total = float(c)
    assert not _core._is_due(b)
    assert tn.explain().runs[0].calls >= 5
    assert total == float(tn.asarray(b.get()).sum())


def test_what_ran_with_a_full_backlog_stays(waits):
    """Its last reference goes after it was computed, while a later call still reads it."""
    a, count = tn.ones(1000), tn.zeros(1000)
    waits(True)
    made = a + 1
    for _ in range(200):
        count += 1
    doubled = made * 2
    for _ in range(100):
        count += 1
    del made
    others = [tn.full(1000, k) for k in range(3)]
    assert set(doubled.tolist()) == {4}
    assert set(count.tolist()) == {300}
    assert [set(one.tolist()) for one in others] == [{0}, {1}, {2}]


def test_errors_come_at_the_call(waits):
    a = tn.ones(3)
    waits(True)
    with pytest.raises(ValueError, match="could not be broadcast"):
        _ = (a + 1) + tn.ones(4)
    with pytest.raises(ValueError, match="negative"):
        _ = tn.arange(3) ** tn.array([1, -1, 2])


@NO_CUTS
def test_addresses_that_left_never_wait(waits):
    a = tn.ones(1000)
    waits(True)
    b = a + 1
    assert _core._is_due(b)
    assert b.data.ptr != 0
    assert not _core._is_due(b)
    b += 1
    assert not _core._is_due(b)
    assert b[0] == 3


def test_other_threads_look(waits):
    waits(True)
    a = tn.ones(1000)
    b = a * 3
    found = []
    thread = threading.Thread(target=lambda: found.append(float(b.sum())))
    thread.start()
    thread.join()
    assert found == [3000.0]


@NO_CUTS
def test_eager_is_for_a_thread_and_ends(waits):
    waits(True)
    a = tn.ones(1000)
    b = a + 1
    with tn.eager():
        assert not _core._is_due(b)
        assert not _core._is_due(a + 1)
        with tn.eager(False):
            assert _core._is_due(a + 1)
        assert not _core._is_due(a + 1)
    assert _core._is_due(a + 1)


def compiled():
    """Turns until a program serves: a GPU's is compiled beside single calls."""
    for turn in range(3000):
        before = _core._backlog_figures()["graphs"]
        yield turn
        if _core._backlog_figures()["graphs"] > before:
            return
        time.sleep(0.01)
    raise AssertionError("no program was compiled")


@NO_CUTS
def test_explain(waits):
    a = tn.ones((300, 40), "f4")
    waits(True)
    b = tn.zeros((300, 1), "f4")
    for _ in compiled():
        tn.add(a, 1).max(axis=1, keepdims=True, out=b)
        b.get()
    tn.add(a, 1).max(axis=1, keepdims=True, out=b)
    told = tn.explain()
    assert _core._is_due(b)
    assert [call[:2] for call in told.waiting][-2:] == [("add", (300, 40)), ("max", (300, 1))]
    assert "max of (300, 1) float32" in str(told)
    b.get()
    run = tn.explain().runs[0]
    assert (run.look, run.cost) == ("READ", (1, 300 * 40 * 4, 300 * 4))  # it goes to b at once
    assert run.unfused.launches == run.calls
    assert run.why in str(tn.explain())
    assert tn.explain().waiting == ()


@NO_CUTS
def test_views_of_what_is_due_join(waits):
    x = tn.asarray(np.random.default_rng(3).random((50, 40), dtype="f4"))

    def softmax(x):
        e = tn.exp(x - x.max(axis=1)[:, None])
        return e / e.sum(axis=1)[:, None]

    def differences(x):
        doubled = x * 2
        made = doubled[1:] - doubled[:-1]
        doubled += 1  # the views showed what it was before
        return made + doubled.T.reshape(x.shape)[1:]

    waits(False)
    expected = [softmax(x).get(), differences(x).get()]
    waits(True)
    for _ in compiled():
        made = softmax(x)
        assert made.get().tobytes() == expected[0].tobytes()
    run = tn.explain().runs[0]
    assert (run.calls, run.cost) == (5, (1, x.nbytes, x.nbytes))
    assert differences(x).get().tobytes() == expected[1].tobytes()


@NO_CUTS
@pytest.mark.host_only("a GPU's calls always wait")
def test_what_always_runs_alone_waits_no_longer(waits):
    """Until a call like it is part of a graph; and what the calls compute stays the same."""
    a, due = tn.ones(100_000), []
    waits(True)
    _core._backlog_use_in_process(True, -1)
    for k in range(12):
        b = a + k
        due.append(_core._is_due(b))
        assert float(b[7]) == 1 + k
    assert due[0] and not due[-1]
    for _ in range(30):  # as one graph and call by call
        b = tn.sqrt(a * 4) * 2 - a
        assert float(b[7]) == 3
    waits(True)
    assert _core._is_due(a + 1)


@NO_CUTS
@pytest.mark.host_only("a GPU's calls always wait")
def test_a_fold_of_all_that_is_in_memory_runs_at_once(waits):
    a = tn.ones((100, 1000))
    waits(True)
    assert not _core._is_due(a.sum())
    assert _core._is_due(a.sum(axis=0))
    assert _core._is_due((a + 1).max())


def test_joined_arrays_wait(waits):
    """Few parts of what is due are copied as calls that wait, the short ones, too."""
    a = tn.arange(5000.0).reshape(50, 100)
    waits(True)
    b = tn.roll(a * 2, 1, axis=0)
    c = tn.concatenate([b, b + 1], axis=1)
    assert _core._is_due(b) and _core._is_due(c)
    expected = np.roll(np.arange(5000.0).reshape(50, 100) * 2, 1, axis=0)
    np.testing.assert_array_equal(c.get(), np.concatenate([expected, expected + 1], axis=1))
