"""Callbacks of transforms (fft.config.set_cufft_callbacks): what they see and write, and what is
refused."""

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import fft as scipy_fft

RNG = np.random.default_rng(14)
TYPES = {"f": "cufftReal", "d": "cufftDoubleReal", "F": "cufftComplex", "D": "cufftDoubleComplex"}


def load_text(char, offset="unsigned long long", more=""):
    """Every element times that of the data at the offset."""
    kind, parts = TYPES[char], ("x.x *= w; x.y *= w;" if char in "FD" else "x *= w;")
    real = "float" if char in "fF" else "double"
    return f"""#include <cufftXt.h>
    __device__ {kind} weigh(void *dataIn, {offset} offset, void *callerInfo, void *sharedPtr) {{
        {kind} x = (({kind} *)dataIn)[offset];
        const {real} w = (({real} *)callerInfo)[offset];
        {parts}
        return x;
    }}
    {more}"""


def store_text(char, offset="unsigned long long"):
    """Every element minus its offset."""
    kind, part = TYPES[char], "x.x" if char in "FD" else "x"
    return f"""__device__ void lower(void *dataOut, {offset} offset, {kind} x, void *info, void *shared) {{
        {part} -= offset;
        (({kind} *)dataOut)[offset] = x;
    }}"""


@pytest.mark.parametrize("char", "fdFD")
def test_lines(char):
    """Along any axis, cut or filled up; offsets count with the axis last."""
    double = char in "dD"
    for shape, axis, n in (((10,), 0, None), ((3, 8), 1, 11), ((8, 3), 0, 5), ((2, 6, 3), 1, None)):
        x = RNG.standard_normal(shape)
        x = (x + 1j * RNG.standard_normal(shape) if char in "FD" else x).astype(char)
        swapped = x.swapaxes(axis, -1)
        length = n or shape[axis]
        whole = np.zeros((*swapped.shape[:-1], length), char)
        count = min(length, shape[axis])
        whole[..., :count] = swapped[..., :count]
        weights = RNG.standard_normal(whole.shape).astype("d" if double else "f")
        name = "ifft" if char in "FD" else "rfft"
        wanted = getattr(np.fft, name)(whole * weights, norm="forward" if name == "ifft" else None)
        wanted = wanted - np.arange(wanted.size).reshape(wanted.shape)
        if name == "ifft":
            wanted /= length
        made = "D" if double else "F"
        data = tn.array(weights).data
        with tn.fft.config.set_cufft_callbacks(load_text(char), store_text(made), cb_load_data=data) as manager:
            assert tn.fft.config.get_current_callback_manager() is manager
            got = getattr(tn.fft, name)(tn.array(x), n, axis)
            again = getattr(scipy_fft, name)(tn.array(x), n, axis)
        assert tn.fft.config.get_current_callback_manager() is None
        assert got.dtype == made and got.shape == wanted.swapaxes(axis, -1).shape
        assert np.allclose(got.get(), wanted.swapaxes(axis, -1), atol=1e-12 if double else 1e-4)
        assert np.array_equal(again.get(), got.get())


def test_several_axes():
    x = RNG.standard_normal((3, 4, 5)) + 1j * RNG.standard_normal((3, 4, 5))
    weights = RNG.standard_normal((3, 4, 4))
    with tn.fft.config.set_cufft_callbacks(load_text("D"), cb_load_data=tn.array(weights).data):
        got = tn.fft.irfft2(tn.array(x), s=(4, 6), norm="ortho")
    assert np.allclose(got.get(), np.fft.irfft2(x[..., :4] * weights, s=(4, 6), norm="ortho"))
    out = tn.empty((3, 4, 5), "D")
    with tn.fft.config.set_cufft_callbacks(cb_store=store_text("D")):
        assert tn.fft.fftn(tn.array(x), out=out) is out
    assert np.allclose(out.get(), np.fft.fftn(x) - np.arange(60).reshape(3, 4, 5))


def test_older_ways():
    """The pointer names the function; arrays are given as they are; both warn."""
    text = load_text("F", "size_t", "__device__ cufftCallbackLoadC d_loadCallbackPtr = weigh;")
    text = "// d_loadCallbackPtr = absent;\n" + text
    other = "__device__ float other(void *a, size_t b, void *c, void *d) { return 1; }\n"
    weights = tn.arange(6, dtype="f")
    with pytest.warns(DeprecationWarning, match="cb_load_aux_arr"), pytest.warns(DeprecationWarning, match="legacy"):
        manager = tn.fft.config.set_cufft_callbacks(other + text, cb_load_aux_arr=weights, cb_ver="legacy")
    assert manager.cb_load_name == "weigh"
    with manager:
        got = tn.fft.fft(tn.ones(6, "F"))
    assert np.allclose(got.get(), np.fft.fft(np.arange(6)), atol=1e-5)


def test_the_name_is_not_of_a_comment():
    remark = "/* __device__ float old(void *a, size_t b, void *c, void *d) */ // void *"
    manager = tn.fft.config.set_cufft_callbacks(f"{remark}\n{load_text('F')}")
    assert manager.cb_load_name == "weigh"


def test_refused():
    callbacks = tn.fft.config.set_cufft_callbacks
    data = tn.ones(4, "f")
    for wrong in (
        lambda: callbacks(),
        lambda: callbacks("int x;"),
        lambda: callbacks(load_text("F"), cb_ver="new"),
        lambda: callbacks(load_text("F"), cb_store_data=data.data),
    ):
        with pytest.raises(ValueError):
            wrong()
    a = tn.ones((4, 4), "F")
    plan = scipy_fft.get_fft_plan(a)
    with callbacks(load_text("F"), cb_load_data=tn.ones((4, 4), "f").data):
        with pytest.raises(NotImplementedError, match="callbacks"):
            plan.fft(a, a, -1)
        with pytest.raises(NotImplementedError, match="twice"):
            tn.fft.fftn(a, axes=(0, 0))
        with pytest.raises(TypeError):
            tn.fft.rfft(a)
        with pytest.raises(ValueError, match="data points"):
            tn.fft.fft(a[:0], axis=0)
    with callbacks("__device__ cufftComplex bad(void *a, size_t b, void *c, void *d) { return oops; }"):
        with pytest.raises(tn.cuda.compiler.CompileException):
            tn.fft.fft(a)
