"""The programs of ndimage.generic_filter compile with NVRTC without a warning; no GPU is needed."""

import re

import pytest
import tenorite as tn
import test_device_text as device_text
from tenorite.scipy import ndimage
from tenorite.scipy.ndimage import _generic

NAMES = {"thrust/complex.h": "thrust_complex.cuh", "math_constants.h": "math_constants.cuh"}
RAW = 'extern "C" __global__ void largest(double *w, int n, double *y) { *y = w[n - 1]; }'
LINE = 'extern "C" __global__ void same(double *x, ptrdiff_t m, double *y, ptrdiff_t n) { y[0] = x[m - n]; }'


def inlined(text, seen):
    """A program with the headers that it includes, each once."""

    def header(found):
        name = NAMES.get(found[1], found[1].split("/")[-1])
        if name in seen:
            return ""
        seen.add(name)
        return inlined((device_text.ROOT / "src/kernel/text" / name).read_text(), seen)

    return re.sub(r"#include <(.*)>\n", header, text)


def test_generic_text(monkeypatch):
    nvrtc = device_text.load()
    if nvrtc is None:
        pytest.skip("NVRTC is not installed (pip install nvidia-cuda-nvrtc)")
    programs, program = [], _generic._program

    def noted(*arguments, **names):
        programs.append(program(*arguments, **names))
        return programs[-1]

    monkeypatch.setattr(_generic, "_program", noted)
    image, below = tn.ones((3, 4), "f4"), "_raw_x[_in_ind.size() / 2] > x"
    for kernel in (
        tn.RawKernel(RAW, "largest"),
        tn.ReductionKernel("X x", "Y y", below, "a + b", "y = a", "0", "text_below", reduce_type="int"),
        tn.ReductionKernel("T x", "T y", "x", "max(a, b)", "y = a", None, "text_largest"),
    ):
        ndimage.generic_filter(image, kernel, 3)
    ndimage.generic_filter1d(image, tn.RawKernel(LINE, "same"), 3)
    assert len(programs) == 4
    for one in programs:
        message = device_text.compile_text(nvrtc, inlined(one.code, set()), device_text.ARCHITECTURES[0])
        assert message is None, message
