"""The text of scipy.special compiles with NVRTC and without a warning; no GPU is needed."""

import re

import pytest
import test_device_text as device_text
from tenorite.scipy.special._table import TABLE

_FUNCTION = """extern "C" __global__ void special_{name}(double *result, {inputs}) {{
    result[threadIdx.x] = {expression};
}}
"""
_SEVERAL = """extern "C" __global__ void special_several(double *result, double x, double y) {
    double *at = result + 4 * threadIdx.x;
    sp_sici(x, at, at + 1);
    sp_shichi(x, at + 2, at + 3);
    sp_ellipj(x, y, at + 4, at + 5, at + 6, at + 7);
    at[8] = sp_spherical_yn(x, y) + sp_spherical_yn_slope(x, y);
}
"""


def text_of(header, seen):
    """A header of src/kernel/text with what it includes, each once."""
    name = {"thrust/complex.h": "thrust_complex.cuh"}.get(header, header.split("/")[1])
    if name in seen:
        return ""
    seen.add(name)
    text = (device_text.ROOT / "src/kernel/text" / name).read_text()
    return re.sub(r"#include <(.*)>\n", lambda found: text_of(found[1], seen), text)


def test_special_text():
    nvrtc = device_text.load()
    if nvrtc is None:
        pytest.skip("NVRTC is not installed (pip install nvidia-cuda-nvrtc)")
    functions = [
        _FUNCTION.format(name=name, inputs=", ".join(f"double {one}" for one in names.split()), expression=expression)
        for lines in TABLE.values()
        for name, names, expression, _ in lines
    ]
    seen = set()
    text = "".join(text_of(f"tenorite/special_{name}.cuh", seen) for name in TABLE)
    message = device_text.compile_text(nvrtc, text + "".join(functions) + _SEVERAL, device_text.ARCHITECTURES[0])
    assert message is None, message


def test_complex_text():
    nvrtc = device_text.load()
    if nvrtc is None:
        pytest.skip("NVRTC is not installed (pip install nvidia-cuda-nvrtc)")
    # The other functions are compiled as far as to warnings and errors, but make no code.
    calls = "result[0] = sp_loggamma_complex(x); result[1] = sp_psi_complex(x); result[2] = sp_exp1_complex(x);"
    function = f'extern "C" __global__ void special_complex(complex<double> *result, complex<double> x) {{{calls}}}'
    text = text_of("tenorite/special_complex.cuh", set()) + function
    message = device_text.compile_text(nvrtc, text, device_text.ARCHITECTURES[0])
    assert message is None, message
