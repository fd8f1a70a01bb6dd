"""Calls of the driver that wait: for room in its queue, or because host memory is not page-locked.
The driver is the test double, whose calls wait where the real one's do; it does not compute, so
only copies have values."""

import pytest
from programs import needs_doubles, on_double, output_of

pytestmark = needs_doubles

# `gate` is a function in the queue of a stream, which goes on when the event is set.
BEGIN = """
import faulthandler, threading
faulthandler.dump_traceback_later(60, exit=True)
import numpy
import tenorite as tn
from tenorite import cuda
a = tn.zeros(10)
b = a + a
cuda.Device().synchronize()
stream = cuda.Stream(non_blocking=True)

def gate(stream):
    opened = threading.Event()
    stream.launch_host_func(lambda _: opened.wait(), None)
    return opened

"""


def run(program, folder, queue=0):
    """What a program prints."""
    variables = on_double(folder, FAKE_CUDA_QUEUE=str(queue), TENORITE_COMPILE_THREADS="2")
    return output_of(BEGIN + program, variables).split()


@pytest.mark.parametrize(
    "call", ["a.get()", "float(a[0])", "a.tolist()", "bool(a[0] == 1)", "cuda.runtime.memset(a.data.ptr, 0, 8)"]
)
def test_python_function_before_a_wait(tmp_path, call):
    """It needs the interpreter, which the call that waits for it must not keep."""
    program = f"""
with stream:
    stream.launch_host_func(lambda _: print("called"), None)
    {call}
stream.synchronize()
"""
    assert run(program * 20, tmp_path) == ["called"] * 20


@pytest.mark.parametrize(
    "call",
    [
        "b = a + a",
        "a += 1",
        "b = a.sum()",
        "a.fill(0)",
        "b = a[::2].copy()",
        "b = tn.asarray([1, 2, 3])",
        "stream.record()",
    ],
)
def test_python_function_before_a_full_queue(tmp_path, call):
    program = f"""
with stream:
    for _ in range(3):
        stream.launch_host_func(lambda _: print("called"), None)
        for _ in range(40):
            {call}
stream.synchronize()
"""
    assert run(program, tmp_path, queue=16) == ["called"] * 3


def test_full_queue_and_several_threads(tmp_path):
    """Locks that are held around calls of the driver, too, are no place to wait with the
    interpreter."""
    program = """
def work():
    with cuda.Stream(non_blocking=True) as own:
        for step in range(30):
            own.launch_host_func(lambda _: None, None)
            for _ in range(5):
                b = a + a; i = tn.zeros((5, 5), dtype=int); i = i @ i; b = a[::-1] * step; c = a.sum(); b.take(i[0])
            tn.cuda.alloc_pinned_memory(1000)
            b.get()
    finished.append(1)
finished = []
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(finished))
"""
    assert run(program, tmp_path, queue=8) == ["4"]


def test_copies_to_pageable_memory_wait_without_the_interpreter(tmp_path):
    """Whatever it is that they wait for: here, another thread must run before the stream's work
    ends."""
    program = """
held = cuda.Event()
other = cuda.Stream(non_blocking=True)
opened = gate(other)
other.record(held)
stream.wait_event(held)
threading.Timer(0.05, opened.set).start()
print(len(a.get(stream=stream)))
"""
    assert run(program, tmp_path) == ["10"]


@pytest.mark.parametrize("call", ["a.get(stream=stream)", "a[0].item()", "tn.zeros(5000000).set(numpy.ones(5000000))"])
def test_copies_with_pageable_memory_can_be_interrupted(tmp_path, call):
    program = f"""
import _thread
timer = threading.Timer(0.05, _thread.interrupt_main)
with stream:
    opened = gate(stream)
    timer.start()
    try:
        {call}
    except KeyboardInterrupt:
        print("interrupted")
timer.join()
opened.set()
stream.synchronize()
"""
    assert run(program, tmp_path) == ["interrupted"]


# --- What returns at once ---

# Page-locked arrays, a queue that stands still, and what has to hold when it goes on.
LOCKED = """
import sys, time

def locked(values, order="C"):
    values = numpy.asarray(values)
    memory = cuda.alloc_pinned_memory(values.nbytes)
    made = numpy.ndarray(values.shape, values.dtype, memory, order=order)
    made[...] = values
    return made

def wait_for(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)

def is_kept():
    return sys.getrefcount(source) > before

source = locked(numpy.arange(100000.0).reshape(100, 1000), order)
a = tn.zeros((100, 1000), order=order)
before = sys.getrefcount(source)
cuda.Device().synchronize()
opened = gate(where)
"""

END = """
assert not where.done  # nothing has waited
opened.set()
where.synchronize()
"""

WHERE = pytest.mark.parametrize("where", ["stream", "cuda.Stream.null"])


def run_locked(program, folder, where="stream", order="C"):
    program = f"where, order = {where}, {order!r}" + LOCKED + program + 'print("done")'
    assert run(program, folder) == ["done"]


@WHERE
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("call", ["tn.asarray(source)", "tn.array(source)", "tn.asarray(source, blocking=False)"])
def test_page_locked_source(tmp_path, where, order, call):
    program = f"""
with where:
    made = {call}
assert is_kept()
{END}
wait_for(lambda: not is_kept())
assert (made.get(order=order) == source).all()
assert made.flags.f_contiguous == a.flags.f_contiguous
"""
    run_locked(program, tmp_path, where, order)


@WHERE
def test_blocking_waits(tmp_path, where):
    program = """
with where:
    for call in (tn.array, tn.asarray, tn.asanyarray):
        threading.Timer(0.05, opened.set).start()
        made = call(source, blocking=True)
        assert opened.is_set() and where.done
        opened = gate(where)
    out = locked(numpy.ones((100, 1000)))
    threading.Timer(0.05, opened.set).start()
    made.get(out=out)
    assert (out == source).all()
"""
    run_locked(program, tmp_path, where)


@WHERE
@pytest.mark.parametrize("count", [10, 100000])
@pytest.mark.parametrize("step", [1, 2, -1])
def test_pageable_source_is_read_at_once(tmp_path, where, count, step):
    program = f"""
values = numpy.arange({count} * 2.0)[::{step}]
want = values.copy()
with where:
    made, filled = tn.asarray(values), tn.empty(want.shape)
    filled.set(values)
    values[...] = -1
    plain = tn.asarray([1, 2, 3])
{END}
assert (made.get() == want).all() and (filled.get() == want).all() and plain.tolist() == [1, 2, 3]
"""
    run_locked(program, tmp_path, where)


def test_large_pageable_source(tmp_path):
    """Too large to be kept beside: the driver takes it, and the call waits."""
    program = """
values = numpy.arange(5000000.0)
threading.Timer(0.05, opened.set).start()
with where:
    made = tn.asarray(values)
    assert opened.is_set()
values[...] = -1
assert made.get()[-1] == 4999999
"""
    run_locked(program, tmp_path)


@WHERE
@pytest.mark.parametrize("order", "CF")
def test_page_locked_target(tmp_path, where, order):
    program = f"""
with where:
    a.set(source)
    made = a.get(order=order, blocking=False)
    out = locked(numpy.zeros((100, 1000)), order)
    assert a.get(out=out, blocking=False) is out
    by_stream = tn.asnumpy(a, stream=where, order=order, blocking=False)
address = out.ctypes.data
del out
assert is_kept()
assert cuda.pinned_memory.is_memory_pinned(made.ctypes.data)
assert cuda.alloc_pinned_memory(800000).ptr != address  # the queue has it
{END}
assert (made == source).all() and (by_stream == source).all() and made.flags.f_contiguous == (order == "F")
wait_for(lambda: not is_kept())
wait_for(lambda: cuda.alloc_pinned_memory(800000).ptr == address)
"""
    run_locked(program, tmp_path, where, order)


@WHERE
def test_memory_of_a_raw_copy_is_not_used_again_before(tmp_path, where):
    """Only the queue knows of the copy."""
    program = f"""
pool = cuda.PinnedMemoryPool()
with where:
    memory = pool.malloc(1000)
    address = memory.ptr
    cuda.runtime.memcpyAsync(address, a.data.ptr, 1000, cuda.runtime.memcpyDeviceToHost, where.ptr)
    del memory
    other = pool.malloc(1000)
    assert other.ptr != address
{END}
assert pool.malloc(1000).ptr == address
"""
    run_locked(program, tmp_path, where)
