"""Fused rows on CUDA without a GPU: the device text of all launches runs on the host as a
RawKernel's, and what is fused has the bits of the operations by themselves.

A first process notes the texts, by NVRTC's double; in a second one the driver's double learns of
parameters from what the real NVRTC makes, and its memory is the host's.
"""

import json
import os

import pytest
from programs import ROOT, needs_doubles, on_double, output_of
from test_reduction_text import has_compiler

pytestmark = [
    needs_doubles,
    pytest.mark.skipif(not has_compiler, reason="no C++ compiler is installed"),
    pytest.mark.skipif("TENORITE_DEBUG_CUTS" in os.environ, reason="graphs are cut at random"),
]

HARNESS = r'''
import ctypes, json, os, pathlib, re
import numpy as np
import tenorite as tn

FAKE = ctypes.CDLL(os.environ["TENORITE_FAKE_CUDA"])
KERNELS = pathlib.Path(os.environ["ROOT"], "src/backend/cuda/kernels")
FOLDERS = [KERNELS.parents[2] / "ops", *sorted(path for path in KERNELS.iterdir() if path.is_dir())]
RECORD = pathlib.Path(os.environ["RECORD"])
RNG = np.random.default_rng(3)
runs = "FAKE_NVRTC_RECORD" not in os.environ


class Launch(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 192), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p), ("cooperative", ctypes.c_bool),
                ("watched", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("params", ctypes.c_char * 4096)]


@tn.memoize()
def kernel(name):
    """A launch's program as a RawKernel that gets the address of its parameters."""
    def file(found):
        text = next(KERNELS.rglob(found[1])).read_text()
        return text.replace("KERNEL(const __grid_constant__ Params p) {",
                            name + "(const Params *p_) { const Params &p = *p_;")

    text = dict(part.split("\n", 1) for part in RECORD.read_text().split("// kernel ")[1:])[name]
    text = re.sub(r'namespace of_\w+ \{\n|#include "end.cuh"\n', "", text)
    text = re.sub(r'#include "(\w+\.cu)"\n\}\n', file, text)
    text = re.sub(r"\bj([01])\b", r"j_\1", text)  # in the program's namespace no Bessel function
    return tn.RawKernel(text, name, options=("--fmad=false", *(f"-I{folder}" for folder in FOLDERS)))


def run(function, *arrays):
    """The result, and the kernels that were launched, which have run on the host."""
    first, names = FAKE.fake_cuda_launches(), []
    made = function(*arrays)
    tn.cuda.Device().synchronize()
    for number in range(first, FAKE.fake_cuda_launches() if runs else first):
        launch = Launch()
        assert FAKE.fake_cuda_get_launch(ctypes.byref(launch), ctypes.c_long(number))
        names.append(launch.name.decode())
        params = ctypes.string_at(ctypes.addressof(launch) + Launch.params.offset, launch.bytes)
        with tn.cuda.Device("host"):
            given = tn.array(np.frombuffer(params, np.uint8))
            kernel(names[-1])(tuple(launch.grid), tuple(launch.block), (given,))
            tn.cuda.Device().synchronize()
    return made if type(made) is tuple else (made,), names


def numbers(dtype, rows, length, offset=0):
    """Rows that begin so many elements after a multiple of 16 bytes."""
    values = RNG.integers(-9, 9, rows * length + offset) if np.dtype(dtype).kind in "iu" else \
        RNG.standard_normal(rows * length + offset)
    return tn.asarray(values.astype(dtype))[offset:].reshape(rows, length)


def softmax(x):
    e = tn.exp(x - tn.max(x, axis=-1, keepdims=True))
    return e / tn.sum(e, axis=-1, keepdims=True)


def layer_norm(x, gain, bias):
    away = x - tn.mean(x, axis=-1, keepdims=True)
    return away / tn.sqrt(tn.var(x, axis=-1, keepdims=True) + 1e-5) * gain + bias


def mixed(x, y):
    """Folds of dtypes of three sizes, and results of rows and of elements."""
    most = tn.max(x, axis=-1, keepdims=True)
    total = tn.sum((x - most).astype("d") * y, axis=-1, keepdims=True)
    return (x - most).astype("d") / total, tn.sum(x > 0, axis=-1), total


def in_place(x, y):
    x -= tn.mean(x * y, axis=-1, keepdims=True)
    return tn.sum(x * y, axis=-1)


def constants(a, b):
    """Constants of steps that compilers rewrite, and of one that they would not leave its bits."""
    c = tn.where(a > 3, a * 5 - b, 7) / 2
    return c + a / 3, tn.maximum(a, 0.25) == b, abs(a) ** 2.5 - 1 / (b + 20), -(a * 0.0) + b


found = {}
for name, function, *arrays in [
    ("offset", softmax, numbers("f", 30, 257, 1)),
    ("offset halves", softmax, numbers("e", 30, 100, 3)),
    ("offset norm", layer_norm, numbers("f", 20, 1001, 3), numbers("f", 1, 1001), numbers("f", 1, 1001, 1)),
    ("offset short", softmax, numbers("f", 1100, 12, 1)),
    ("long short", mixed, numbers("b", 1030, 65), numbers("d", 1030, 65)),
    ("mixed", mixed, numbers("e", 30, 300, 1), numbers("d", 30, 300, 1)),
    ("long", softmax, numbers("f", 3, 9000)),
    ("long norm", layer_norm, numbers("d", 2, 4097, 1), numbers("d", 1, 4097), numbers("d", 1, 4097)),
    ("later", softmax, numbers("f", 30, 700)[:, 3:515]),
    ("steps", layer_norm, numbers("f", 30, 700)[::2, 1:-1:2], numbers("f", 1, 349), numbers("f", 1, 349)),
    ("complex", lambda x: (x - tn.max(x, axis=1, keepdims=True), tn.sum(x, axis=1)), numbers("f", 20, 101, 1) * (1 - 2j)),
    ("held in place", in_place, numbers("f", 30, 101, 1), numbers("f", 30, 101)),
    ("held", softmax, numbers("f", 30, 257)),
    *((f"constants {dtype}", constants, numbers(dtype, 1, 999), numbers(dtype, 1, 999)) for dtype in "fi"),
]:
    copies = run(lambda *given: tuple(array.copy() for array in given), *arrays)[0] if function is in_place else arrays
    wanted, _ = run(function, *copies)
    kept = [array.tobytes() for array in copies]
    made, names = run(tn.fuse(function), *arrays)
    same = [one.dtype == other.dtype and one.tobytes() == other.tobytes() for one, other in zip(wanted, made)]
    same.append(function is not in_place or kept == [array.tobytes() for array in arrays])
    same.append(not runs or all(np.isfinite(one.get()).all() for one in wanted))
    found[name] = {"same": same, "kernels": names}
print(json.dumps(found))
'''


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")
    variables = {"ROOT": str(ROOT), "RECORD": str(folder / "texts")}
    variables["TENORITE_COMPILE_THREADS"] = "0"  # a text for each program
    recorded = on_double(folder / "first", FAKE_NVRTC_RECORD=variables["RECORD"], **variables)
    output_of(HARNESS, recorded)
    compiled = on_double(folder / "second", **variables)
    del compiled["TENORITE_NVRTC_PATH"]
    return json.loads(output_of(HARNESS, compiled))


def test_bits(found):
    """Fused programs, and what they store, have the bits of the unfused ones."""
    assert {name: one["same"] for name, one in found.items() if not all(one["same"])} == {}


def test_kernels(found):
    """One launch each, of rows in registers where all folds take them alike."""
    for name, one in found.items():
        kind = "tn_fused_rows" if name.startswith("held") else "tn_f" if "constants" in name else "tn_fused_passes"
        assert len(one["kernels"]) == 1 and one["kernels"][0].startswith(kind), (name, one["kernels"])
