"""cuTENSOR's functions through its test double, which computes: what it is called with is right."""

import pytest
from programs import DOUBLES, needs_doubles, on_double, output_of

pytestmark = needs_doubles

PROGRAM = """
import itertools, numpy as np, tenorite as tn
from tenorite import cutensor
from tenorite.cuda import cutensor as raw

assert raw.get_version() == 20300 and raw._library.serves()
random = np.random.default_rng(0)
def made(shape, dtype):
    a = random.standard_normal(shape)
    return (a + 1j * random.standard_normal(shape) if np.dtype(dtype).kind == "c" else a).astype(dtype)
# No kernel runs on the double: arrays are copied as they lie.
def put(a, order):
    return tn.asarray(a) if order == "C" else tn.asarray(np.ascontiguousarray(a.T)).T
def taken(x, order):
    return x.get() if order == "C" else x.T.get().T
for dtype, order in itertools.product("fdFD", "CF"):
    a, b, c = made((3, 4, 5), dtype), made((5, 2, 4), dtype), made((2, 3), dtype)
    x, y, z = (put(one, order) for one in (a, b, c))
    exact = dict(rtol=1e-4 if dtype in "fF" else 1e-12)
    got = cutensor.contraction(2, x, "abc", y, "cdb", 3, z, "da")
    assert got is z
    np.testing.assert_allclose(taken(z, order), 2 * np.einsum("abc,cdb->da", a, b) + 3 * c, **exact)
    u, v = tn.asarray(made((6, 8), dtype)), tn.asarray(made((8, 6), dtype))
    w = tn.asarray(made((6, 6), dtype))
    cutensor.contraction(1, u[::2, 1:5], "ik", v[1:5, ::2], "kj", 0, w[::2, ::2], "ij")
    np.testing.assert_allclose(w.get()[::2, ::2], u.get()[::2, 1:5] @ v.get()[1:5, ::2], **exact)
    z = tn.asarray(made(5, dtype))
    before = z.get()
    cutensor.reduction(2, x, "abc", 1, z, "c")
    np.testing.assert_allclose(z.get(), 2 * a.sum((0, 1)) + before, **exact)
    d = cutensor.elementwise_binary(2, y, "cdb", 3, tn.asarray(made((4, 5, 2), dtype)), "bcd", op_AC=raw.OP_MUL)
    assert d.shape == (4, 5, 2)
    t = cutensor.elementwise_trinary(1, x, "abc", 2, x, "abc", 3, x, "abc")
    np.testing.assert_allclose(t.get(), 6 * a, **exact)
print("good")
"""


def variables(folder, **others):
    return on_double(folder, TENORITE_CUTENSOR_PATH=str(DOUBLES / "libfake_cutensor.so"), **others)


def test_operations(tmp_path):
    assert output_of(PROGRAM, variables(tmp_path)).strip() == "good"


FAILING = """
import gc, tenorite as tn
from tenorite import cutensor
from tenorite.cuda.cutensor import CuTensorError
pool = tn.get_default_memory_pool()
a = tn.ones((3, 3))
used = pool.used_bytes()
for _ in range(3):
    try:
        cutensor.contraction(1, a, "ij", a, "jk", 0, a.copy(), "ik")
    except CuTensorError as error:
        print(error, "(3, 3)" in str(error.__cause__))
gc.collect()
assert pool.used_bytes() == used
"""


def test_failures(tmp_path):
    for name, text in {
        "create": "CUTENSOR_STATUS_ALLOC_FAILED False",
        "operation": "CUTENSOR_STATUS_NOT_SUPPORTED True",
        "execute": "CUTENSOR_STATUS_EXECUTION_FAILED False",
    }.items():
        lines = output_of(FAILING, variables(tmp_path, FAKE_CUTENSOR_FAILS=name)).splitlines()
        assert lines == [text] * 3, name


@pytest.mark.parametrize("path", ["none.so", "libfake_cufft.so"])
def test_absent(tmp_path, path):
    """A library that cannot be opened, or lacks the functions, is none: ours serve, on a GPU as on
    the host."""
    program = """
from tenorite.cuda import cutensor
print(cutensor.get_version(), cutensor._library.serves(), cutensor.create() > 0)
"""
    missing = on_double(tmp_path, TENORITE_CUTENSOR_PATH=str(DOUBLES / path))
    assert output_of(program, missing).split() == ["0", "False", "True"]


WORKSPACE = """
import gc, numpy as np, tenorite as tn
from tenorite import cutensor
from tenorite.cuda import cutensor as raw
pool, a = tn.get_default_memory_pool(), tn.asarray(np.arange(12.0).reshape(3, 4))
cutensor.elementwise_binary(1, a, "ij", 1, a, "ij")
out, used = tn.empty((3, 3)), None
for limit in (0, raw.WORKSPACE_MIN, raw.WORKSPACE_RECOMMENDED, raw.WORKSPACE_MAX):
    try:
        cutensor.contraction(1, a, "ij", a, "kj", 0, out, "ik", ws_pref=limit)
        np.testing.assert_array_equal(out.get(), a.get() @ a.get().T)
        print(limit)
    except raw.CuTensorError as error:
        print(error)
    gc.collect()
    used = used or pool.used_bytes()
    assert pool.used_bytes() == used
"""


def test_workspace(tmp_path):
    """Without workspace a contraction that needs some fails, and leaves nothing behind."""
    printed = output_of(WORKSPACE, variables(tmp_path)).splitlines()
    assert printed == ["CUTENSOR_STATUS_INSUFFICIENT_WORKSPACE", "1", "2", "3"]


CAPTURE = """
import numpy as np, tenorite as tn
from tenorite import cutensor
a, stream = np.arange(12.0).reshape(3, 4), tn.cuda.Stream()
x, out, sums = tn.asarray(a), tn.asarray(np.zeros((3, 3))), tn.asarray(np.zeros(4))
def run():
    cutensor.contraction(1, x, "ij", x, "kj", 0, out, "ik")
    cutensor.reduction(1, x, "ij", 0, sums, "j")
if {warm}:
    run()
stream.synchronize()
with stream:
    stream.begin_capture()
    run()
    graph = stream.end_capture()
for factor in (1, 2):
    x.set(a * factor)
    graph.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(out.get(), factor**2 * (a @ a.T))
    np.testing.assert_array_equal(sums.get(), factor * a.sum(0))
print("good")
"""


@pytest.mark.parametrize("warm", [True, False])
def test_capture(tmp_path, warm):
    """A graph contracts and reduces what its arrays hold when it is launched."""
    assert output_of(CAPTURE.format(warm=warm), variables(tmp_path)).strip() == "good"


EINSUM = """
import numpy as np, tenorite as tn
from unittest import mock
from tenorite import cutensor
random = np.random.default_rng(0)
a, b = random.standard_normal((3, 4, 5)), random.standard_normal((5, 2, 4))
with mock.patch.object(cutensor, "contraction", wraps=cutensor.contraction) as called:
    got = tn.einsum("abc,cdb->da", tn.asarray(a), tn.asarray(b))
    print(called.call_count)
np.testing.assert_allclose(got.get(), np.einsum("abc,cdb->da", a, b), rtol=1e-12)
"""


def test_einsum(tmp_path):
    """Where a program asks for it, pairs that would be transposed are contracted by cuTENSOR."""
    assert output_of(EINSUM, variables(tmp_path, TENORITE_ACCELERATORS="cutensor")).strip() == "1"
