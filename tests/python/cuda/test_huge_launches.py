"""How maps of networks are planned for CUDA around 2**31 elements: indices of 64 bits from there
on, and grids that a GPU can have. Arrays claim memory that is not there, since no kernel runs."""

import json
import re

import pytest
from programs import needs_doubles, on_double, output_of

pytestmark = needs_doubles

PROGRAM = """
import ctypes, json, math, os
import tenorite as tn
from tenorite import _core
from tenorite.cuda._raw.dnn import dropout, elementwise, norms

FAKE = ctypes.CDLL(os.environ["TENORITE_FAKE_CUDA"])
PLACES = iter(range(1 << 50, 1 << 51, 1 << 34))


class Launch(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 192), ("grid", ctypes.c_uint * 3), ("rest", ctypes.c_char * 8192)]


def huge(*shape, dtype="e"):
    size = math.prod(shape) * tn.dtype(dtype).itemsize
    memory = tn.cuda.UnownedMemory(next(PLACES), size, None, device_id=0)
    return tn.ndarray(shape, dtype, tn.cuda.MemoryPointer(memory, 0))


def launches(call):
    tn.cuda.Device().synchronize()
    first, found = FAKE.fake_cuda_launches(), []
    call()
    tn.cuda.Device().synchronize()
    for number in range(first, FAKE.fake_cuda_launches()):
        launch = Launch()
        assert FAKE.fake_cuda_get_launch(ctypes.byref(launch), ctypes.c_long(number))
        found.append([launch.name.decode(), launch.grid[0]])
    return found


def convolve(name, *arrays, groups=1):
    axes = arrays[0].ndim - 2
    getattr(_core, f"_convolve_{name}")(*arrays, (0,) * axes, (1,) * axes, (1,) * axes, groups, False, 1.0, 0.0)


def pool(name, *arrays, kind=0):
    getattr(_core, f"_pooling_{name}")(*arrays, kind, (2,), (0,), (1,), False, 1.0, 0.0)


def softmax(n):
    elementwise.softmax(huge(n // 128, 128, 1, 1), huge(n // 128, 128, 1, 1), 1, 1)


def activate(n):
    relu = elementwise.Activation()
    elementwise.describe_activation(relu, elementwise.RELU, False, 0.0)
    elementwise.activate(huge(n), huge(n), relu)


def drop(n):
    found = dropout.Dropout()
    found.ratio = 0.5
    found.apply(huge(n), huge(n, dtype="?"), huge(n))


w, g, few = tn.empty((1, 1, 2), "e"), [tn.empty(4, "f") for _ in range(8)], tn.empty((8, 1, 2), "e")
norm = lambda n, last: (lambda a: a.transpose(0, 2, 1) if last else a)(huge(*((1, n // 4, 4) if last else (1, 4, n // 4))))
CALLS = {
    "forward": lambda n: convolve("forward", huge(1, 1, n + 1), w, huge(1, 1, n)),
    "forward of a batch": lambda n: convolve("forward", huge(n // 64, 1, 65), w, huge(n // 64, 1, 64)),
    "forward of tiles": lambda n: convolve("forward", huge(1, 1, n + 1), few, huge(1, 8, n)),
    "data": lambda n: convolve("backward_data", huge(1, 1, n - 1), w, huge(1, 1, n)),
    "filter": lambda n: convolve("backward_filter", huge(1, 1, n + 1), huge(1, 1, n), w),
    "filter of tiles": lambda n: convolve("backward_filter", huge(1, 1, n + 1), huge(1, 8, n), few),
    "largest": lambda n: pool("forward", huge(1, 4, n // 4 + 1), huge(1, 4, n // 4)),
    "mean of channels": lambda n: pool("forward", huge(1, n // 8, 9), huge(1, n // 8, 8), kind=1),
    "gradient of the largest": lambda n: pool(
        "backward", huge(1, 4, n // 4), huge(1, 4, n // 4 - 1), huge(1, 4, n // 4)),
    "gradient of the mean": lambda n: pool("backward", huge(n // 8, 1, 8), huge(n // 8, 1, 7), huge(n // 8, 1, 8), kind=1),
    "activation": activate, "dropout": drop, "softmax": softmax,
}
for last in (False, True):
    CALLS |= {
        f"norm {last}": lambda n, l=last: _core._batch_norm_forward(
            norm(n, l), g[0], g[1], norm(n, l), g[2], g[3], None, None, False, 1e-5, 0.5),
        f"given norm {last}": lambda n, l=last: _core._batch_norm_given(norm(n, l), *g[:4], norm(n, l), False, 1e-5),
        f"gradient of norm {last}": lambda n, l=last: _core._batch_norm_backward(
            norm(n, l), norm(n, l), *g[:3], norm(n, l), *g[3:5], False),
    }
print(json.dumps({name: [launches(lambda: call(n)) for n in SIZES] for name, call in CALLS.items()}))
"""
BELOW, ABOVE = 2**31 - 2**21, 2**31 + 2**10


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """For each call, below and above: (the macro of the launch's text, blocks)."""
    folder = tmp_path_factory.mktemp("cache")
    record = folder / "texts"
    given = on_double(folder, FAKE_NVRTC_RECORD=str(record), TENORITE_CUDNN_PATH="none")
    calls = json.loads(output_of(f"SIZES = {BELOW, ABOVE}\n{PROGRAM}", given))
    parts = [part.split("\n", 1) for part in record.read_text().split("// kernel ")[1:]]
    wide = {name: int(re.search(r"#define WIDE_INDEX (\d)", text)[1]) for name, text in parts}
    return {
        name: [[(wide[kernel], kernel, blocks) for kernel, blocks in one] for one in both]
        for name, both in calls.items()
    }


def test_wide_indices(found):
    """Rows, and elements of flat arrays, are numbered by 64 bits in any case."""
    for name, (below, above) in found.items():
        assert below and len(above) == len(below), name
        for one in (*below, *above):
            assert 1 <= one[2] < 2**31, (name, one)
        is_other = above[0][1].startswith(("tn_fused_rows", "tn_flat"))
        assert not any(one[0] for one in below), (name, below)
        assert all(one[0] for one in above) or is_other, (name, above)
