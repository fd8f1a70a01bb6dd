"""How a fold's body reads arrays that lie otherwise than what it stands for: body.cuh on the
host."""

import os
import shutil

import device_text
import numpy as np
import pytest
import tenorite as tn
from generator import ON_GPU

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))
pytestmark = pytest.mark.skipif(ON_GPU or not has_compiler, reason="needs the host's compiler")

PROBE = """
extern "C" __global__ void probe_{axes}_{width}(const char *data, const tn_i64 *shape, const tn_i64 *strides,
                                                tn_i64 total, tn_i64 claimed, float *out) {{
    for (tn_i64 at = 0; at < total; at += {width}) {{
        float values[{width}];
        BodyInput input;
        input.data = data;
        load_strided<{axes}>(values, input, at, claimed, shape, strides);
        for (int k = 0; k < {width} && at + k < total; k++) out[at + k] = values[k];
    }}
}}
"""
ARRAYS = {
    "column": lambda x: np.broadcast_to(x[0, :, 0, :1], (6, 5)),
    "row": lambda x: np.broadcast_to(x[0, 0, 0], (6, 5)),
    "reversed": lambda x: x[0, :, 0, ::-1],
    "transposed": lambda x: x[0, :, 0].T,
    "one axis": lambda x: x[0, 0, 0, ::2],
    "three axes": lambda x: x[0, ::-2, 1:, ::3],
    "four axes": lambda x: x[:, 1::2].transpose(3, 1, 0, 2),
    "broadcast": lambda x: np.broadcast_to(x[:1, :, :1], (2, 6, 3, 5)),
}


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("name", ARRAYS)
def test_load_strided(name, width):
    """Sizes that fit 32 bits are divided as such; the others are claimed to be larger."""
    whole = np.arange(2 * 6 * 3 * 5, dtype="f").reshape(2, 6, 3, 5)
    lies = ARRAYS[name](whole)
    text = device_text.TYPES + device_text.text_of("body.cuh", set()) + PROBE.format(axes=lies.ndim, width=width)
    kernel = tn.RawKernel(text, f"probe_{lies.ndim}_{width}")
    data = tn.asarray(whole)
    first = data.data.ptr + (lies.__array_interface__["data"][0] - whole.__array_interface__["data"][0])
    shape, strides = tn.asarray(np.array(lies.shape, "q")), tn.asarray(np.array(lies.strides, "q"))
    for total, claimed in ((lies.size, lies.size), (lies.size - lies.size % width, 2**33)):
        out = tn.zeros(total, "f")
        kernel((1,), (1,), (np.uint64(first), shape, strides, np.int64(total), np.int64(claimed), out))
        assert (out.get() == lies.reshape(-1)[:total]).all()
