"""What jit makes of Python functions compiles with NVRTC; no GPU is needed: the driver is a test
double, which computes nothing."""

import os
import sys

import pytest
from programs import DOUBLES, ROOT, needs_doubles, on_double, output_of

sys.path.append(os.path.join(ROOT, "tests", "python", "cuda"))
import test_device_text as device_text

FOLDERS = [os.path.join(ROOT, "tests", "python"), os.path.join(ROOT, "tests", "python", "kernels")]
PROGRAM = (
    f"""
import sys
sys.path[:0] = {FOLDERS!r}
"""
    + """
import pathlib
import tempfile
import numpy
import tenorite
import test_core_names
import test_jit
import test_jit_order
import test_jit_thrust
import test_vectorize
count = 0

def run(kernel, *arguments, **options):
    global count
    kernel(*arguments, **options)
    count += 1

def new(shape, dtype="f"):
    return tenorite.empty(shape, dtype)

t = test_jit
run(t.statements, (2,), (3,), (new(9), new((9, 3)), 9))
run(t.statements, (2,), (3,), (new(18)[::2], new((3, 9)).T, 9))
run(t.threads, (2,), (64,), (new(128, "i"), new((2, 64, 3), "i"), new((2, 64, 4), "I")))
run(t.dynamic, (1,), (10,), (new(10, "d"),), shared_mem=80)
run(t.atomics, (4,), (25,), (new(4, "i"), new(5, "I"), new(5, "l"), new((1, 2)), new(2, "d")))
run(t.groups, (2,), (32,), (new(64, "i"), new((2, 2), "i")))
for dtype in ("F", "D"):
    run(t.complex_numbers, (1,), (5,), (new(5, dtype), new(5, dtype), new(5, dtype.lower())))
run(t.weak_numpy, (1,), (1,), (new(1), new(1), new(1, "?"), new(2, "l")))
run(t.scalars, (1,), (1,), (new(2, "d"), 1, 2.5, True, numpy.float16(0.5), numpy.int64(1)))
for dtype in ("f4", "f8", "f2", "i4", "u1", "i8"):
    names = t.UNARY + t.BINARY if dtype[0] == "f" else t.INTEGERS
    one = numpy.ones(4, dtype)
    expected = [getattr(numpy, name)(one, one) if name not in t.UNARY else getattr(numpy, name)(one) for name in names]
    outs = [new(4, result.dtype) for result in expected]
    with tempfile.TemporaryDirectory() as folder:
        kernel = t.make(names, one, one, pathlib.Path(folder), dtype)
        run(kernel, (1,), (4,), (new(4, dtype), new(4, dtype), *outs))
t = test_jit_thrust
for view in (new((6, 8), "i"), new((8, 6), "i").T):
    run(t.searches, (1,), (6,), (view, new(6, "i"), new((6, 4), "q"), new((6, 4), "?"), new((6, 6), "i")))
for dtype in ("f", "d", "e"):
    run(t.changes, (1,), (3,), (new((3, 8), dtype), new((3, 8), dtype), new((3, 8), "q"), new((3, 3), "D"), new(3, "q")))
run(t.streams, (1,), (1,), (new(6, "q"), new((12, 6), "q"), new(6, "i"), new(6, "i")))
run(t.sets, (1,), (1,), (new(6, "f"), new(5, "f"), new(6, "q"), new(5, "q"), new((6, 12), "f"), new((2, 12), "q"), new(7, "q")))
run(t.by_key, (1,), (1,), (*(new(4, "h") for _ in range(4)), new((5, 8), "i"), new((5, 8), "i"), new(6, "q")))
run(t.of_parts, (1,), (2,), (new((2, 6, 4), "d").T.T, new(2)))
run(t.largest, (1,), (8,), (new(8, "F"), new(2, "F")))
run(t.half_sum, (1,), (32,), (new(32, "e"), new(1, "e")))
for function in test_jit_order.FUNCTIONS:
    run(tenorite.jit.rawkernel()(function), (1,), (1,), [new(one.shape, one.dtype) for one in test_jit_order.arguments()])
v = test_vectorize
run(tenorite.vectorize(v.branches), new(3), new(3, "i"))
run(tenorite.vectorize(v.pair), new(3))
run(tenorite.vectorize(v.calls), new(3, "i"))
run(tenorite.vectorize(v.polynomial, excluded={"p"}), new(6)[::2], new(3, "d"))
run(tenorite.vectorize(v.product, signature="(n),(n),()->(),()"), new((3, 4, 5)), new((4, 5)), new((3, 1)))
run(test_core_names.ADD, new(3, "i"), 1)
run(test_core_names.calls, (1,), (3,), (new(3, "i"), new(3, "i")))
print(count)
"""
)


@needs_doubles
def test_all_compile(tmp_path):
    if device_text.load() is None:
        pytest.skip("NVRTC is not installed")
    variables = on_double(tmp_path)
    del variables["TENORITE_NVRTC_PATH"]
    assert DOUBLES.exists() and int(output_of(PROGRAM, variables)) == 39
