"""Calls of the driver that wait: for room in its queue, or because host memory is not page-locked. The driver is
the test double, whose calls wait where the real one's do; it does not compute, so only copies have values."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tenorite.config

DOUBLES = Path(tenorite.config.library_dir()).resolve().parents[1] / "tests/fake_cuda"

pytestmark = pytest.mark.skipif(not (DOUBLES / "libfake_cuda.so").exists(), reason="needs the test double of the driver")

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
    variables = dict(os.environ, TENORITE_BACKEND="cuda", FAKE_CUDA_QUEUE=str(queue),
                     TENORITE_FAKE_CUDA=str(DOUBLES / "libfake_cuda.so"),
                     TENORITE_NVRTC_PATH=str(DOUBLES / "libfake_nvrtc.so"), TENORITE_CACHE_DIR=str(folder),
                     TENORITE_COMPILE_THREADS="2")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", BEGIN + program], env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("call", ["a.get()", "float(a[0])", "a.tolist()", "bool(a[0] == 1)", "cuda.runtime.memset(a.data.ptr, 0, 8)"])
def test_python_function_before_a_wait(tmp_path, call):
    """It needs the interpreter, which the call that waits for it must not keep."""
    program = f"""
with stream:
    stream.launch_host_func(lambda _: print("called"), None)
    {call}
stream.synchronize()
"""
    assert run(program * 20, tmp_path) == ["called"] * 20


@pytest.mark.parametrize("call", ["b = a + a", "a += 1", "b = a.sum()", "a.fill(0)", "b = a[::2].copy()",
                                  "b = tn.asarray([1, 2, 3])", "stream.record()"])  # fmt: skip
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
    """Locks that are held around calls of the driver, too, are no place to wait with the interpreter."""
    program = """
def work():
    with cuda.Stream(non_blocking=True) as own:
        for step in range(30):
            own.launch_host_func(lambda _: None, None)
            for _ in range(5):
                b = a + a; b = b @ b; b = a[::-1] * step; c = a.sum(); b.take(tn.zeros(3, dtype=int))
            tn.cuda.alloc_pinned_memory(1000)
            b.get()
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("done")
"""
    assert run(program, tmp_path, queue=8) == ["done"]


def test_copies_to_pageable_memory_wait_without_the_interpreter(tmp_path):
    """Whatever it is that they wait for: here, another thread must run before the stream's work ends."""
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
