"""Which passes a fused program is, in which order, and what is in memory between them."""

import os
import threading

import numpy as np
import pytest
import tenorite as tn
from generator import ON_GPU
from programs import ROOT, python

RNG = np.random.default_rng(5)
SEEDS = [int(seed) for seed in os.environ.get("TENORITE_CUT_SEEDS", "3,8").split(",")]
SAMPLE = "generated or layouts or in_place or chain or once or reductions or twice or cuts"
SAMPLE += " or any_layout or across or is_stored or parts"


WHAT = {
    "sample": ("-k", SAMPLE, "test_fuse.py", "test_fuse_bits.py", "test_fuse_views.py"),
    "programs": ("test_fuse_limits.py", "test_fuse_chains.py::test_drawn", "test_fuse_programs.py"),
}


@pytest.mark.parametrize("what", WHAT)
@pytest.mark.parametrize("seed", SEEDS)
def test_cut_anywhere(seed, what):
    """Graphs that are cut at random places, and into single nodes, have the same bits."""
    done = python(
        *("-m", "pytest", "-q", "-p", "no:cacheprovider", *WHAT[what]),
        variables={"TENORITE_DEBUG_CUTS": str(seed), "TENORITE_FUSED_PROGRAMS": "5"},
        cwd=ROOT / "tests/python/kernels",
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr


def numbers(*shape):
    return tn.asarray(RNG.standard_normal(shape))


def count_queued(function, *arrays):
    """How many calls of the library a function makes on a stream of the host; and its result."""
    fused = tn.fuse(function)
    fused(*[array.copy() for array in arrays])
    stream, gate = tn.cuda.Stream(), threading.Event()
    with stream:
        stream.launch_host_func(lambda _: gate.wait(60), None)
        before = tn.cuda.get_statistics()["queued_calls"]
        result = fused(*arrays)
        count = tn.cuda.get_statistics()["queued_calls"] - before
        gate.set()
    stream.synchronize()
    return count, result


def check(wanted_count, function, *arrays):
    ours = [array.copy() for array in arrays]
    wanted = function(*ours)
    count, found = count_queued(function, *arrays)
    for one, other in zip([*ours, wanted], [*arrays, found]):
        assert one is other is None or one.tobytes() == other.tobytes()
    assert count == wanted_count


def runs_in(function, count, *arrays):
    """A fused function needs no more memory than so many arrays as large as the first."""
    pool, fused = tn.get_default_memory_pool(), tn.fuse(function)
    wanted = function(*[array.copy() for array in arrays])
    fused(*[array.copy() for array in arrays])
    pool.free_all_blocks()
    before = pool.get_limit()
    # What the pool still holds lies beside arrays of other tests, in pieces of any size.
    pool.set_limit(size=pool.total_bytes() + int((count + 0.5) * arrays[0].nbytes))
    try:
        found = fused(*arrays)
    finally:
        pool.set_limit(size=before)
    assert found is wanted is None or found.tobytes() == wanted.tobytes()


on_host = pytest.mark.skipif(ON_GPU, reason="counts calls on the host's queues")


def dead(x):
    tn.sum(tn.exp(x))
    tn.max(x * 2, axis=0)
    return x + 1


def later(x, y):
    """x * y is computed where it is read, after the sum."""
    product = x * y
    return product - tn.sum(x)


def chains(x):
    """Both chains enter their sums, and what they share is computed twice."""
    away = x - 1
    return tn.sum(away * away) + tn.prod(away * 0.5)


def center(x):
    x -= tn.mean(x, axis=0)


def into(x, y, out):
    out[...] = x * tn.sum(y)
    out += 1


@on_host
@pytest.mark.parametrize("function, count", [(dead, 1), (chains, 3), (center, 2)])
def test_passes(function, count):
    check(count, function, numbers(300, 200))


@on_host
def test_passes_of_several_arrays():
    check(2, later, numbers(300, 200), numbers(300, 200))
    check(2, into, numbers(300, 200), numbers(300, 200), numbers(300, 200))


def test_dead_reductions_fail_as_they_do():
    def maximum(x):
        tn.max(x, axis=0)
        return x + 1

    for shape in ((0, 3), (0,)):
        with pytest.raises(ValueError, match="zero-size array"):
            tn.fuse(maximum)(tn.empty(shape))


def interleaved(*arrays):
    """Parts that share nothing, each of which keeps an array for a while; written side by side."""
    roots = [tn.sqrt(x * x + 1) for x in arrays]
    away = [root - tn.mean(root, axis=0) for root in roots]
    widest = [tn.max(x) for x in away]
    total = [tn.sum(x * w + root) for x, w, root in zip(away, widest, roots)]
    return sum(total[1:], total[0])


def test_parts_run_one_after_the_other():
    # Arrays so large that a GPU runs their parts one by one, too; a root, what is away from the
    # mean, and there, where a sum does not take a row beside its elements, what it folds.
    shape = (800, 700) if ON_GPU else (400, 300)
    runs_in(interleaved, 3, *[numbers(*shape) for _ in range(6)])


def test_stores_need_no_copy():
    runs_in(center, 0, numbers(400, 300))
    runs_in(into, 0, *[numbers(400, 300) for _ in range(3)])


def test_only_stores_that_overlap_end_a_pass():
    """A store to what another operand shows runs by itself, between what comes before and after."""

    def program(x, y):
        for _ in range(10):
            x = x * 0.5 + y
        y += x
        for _ in range(10):
            x = x * 0.5 + y
        return x

    ours, theirs = (tn.arange(20_001.0) for _ in range(2))
    wanted = program(theirs[1:], theirs[:-1])
    if ON_GPU:
        found = tn.fuse(program)(ours[1:], ours[:-1])
    else:
        count, found = count_queued(program, ours[1:], ours[:-1])
        assert count == 3
    assert found.tobytes() == wanted.tobytes() and ours.tobytes() == theirs.tobytes()
