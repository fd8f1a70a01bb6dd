"""The text of scipy.special compiles with NVRTC and without a warning; no GPU is needed."""

import pytest
import test_device_text as device_text
from tenorite.scipy.special import _complex
from tenorite.scipy.special._table import TABLE
from tenorite.scipy.special._text import TEXT

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


def test_special_text():
    nvrtc = device_text.load()
    if nvrtc is None:
        pytest.skip("NVRTC is not installed (pip install nvidia-cuda-nvrtc)")
    functions = [
        _FUNCTION.format(name=name, inputs=", ".join(f"double {one}" for one in names.split()), expression=expression)
        for name, names, expression, _ in TABLE
    ]
    message = device_text.compile_text(nvrtc, TEXT + "".join(functions) + _SEVERAL, device_text.ARCHITECTURES[0])
    assert message is None, message


def test_complex_text():
    nvrtc = device_text.load()
    if nvrtc is None:
        pytest.skip("NVRTC is not installed (pip install nvidia-cuda-nvrtc)")
    # The other functions are compiled as far as to warnings and errors, but make no code.
    calls = "result[0] = sp_loggamma_complex(x); result[1] = sp_psi_complex(x); result[2] = sp_exp1_complex(x);"
    function = f'extern "C" __global__ void special_complex(complex<double> *result, complex<double> x) {{{calls}}}'
    texts = device_text.ROOT / "src/kernel/text"
    own = (texts / "complex.cuh").read_text().replace("#include <thrust/complex.h>", "")
    header = (texts / "thrust_complex.cuh").read_text() + own
    message = device_text.compile_text(nvrtc, header + _complex.TEXT + function, device_text.ARCHITECTURES[0])
    assert message is None, message
