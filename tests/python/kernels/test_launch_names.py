"""Names around kernels as CuPy has them: linear_launch, errors of the driver's kind, flags."""

import numpy as np
import pytest
import tenorite as tn
from tenorite._array.flags import Flags

NUMBER = """
extern "C" __global__ void number(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = i;
}"""


def test_linear_launch():
    kernel = tn.RawKernel(NUMBER, "number")
    for size, most in ((1, 128), (300, 128), (7, 3)):
        x = tn.zeros(size, "f")
        kernel.linear_launch(size, (x, np.int32(size)), block_max_size=most)
        np.testing.assert_array_equal(x.get(), np.arange(size))
    kernel.kernel.linear_launch(2, (tn.zeros(2, "f"), np.int32(2)))


@pytest.mark.host_only("a GPU's driver has its own errors")
def test_what_is_absent(tmp_path):
    module = tn.RawModule(code=NUMBER)
    for kind in (tn.cuda.driver.CUDADriverError, ValueError):
        with pytest.raises(kind, match="CUDA_ERROR_NOT_FOUND: named symbol not found: the module has no kernel other"):
            module.get_function("other")
        with pytest.raises(kind, match="CUDA_ERROR_FILE_NOT_FOUND: there is no file"):
            tn.RawModule(path=str(tmp_path / "no.cubin")).get_function("number")


@pytest.mark.parametrize("jitify", [True, False])
def test_jitify(jitify):
    with pytest.warns(DeprecationWarning, match="jitify"):
        tn.RawKernel(NUMBER, "number", jitify=jitify)
    with pytest.warns(DeprecationWarning, match="jitify"):
        tn.RawModule(code=NUMBER, jitify=jitify)


def test_raw_outputs():
    """An output of a call with a size is made, raw or not."""
    x = tn.arange(6, dtype="f")
    double = tn.ElementwiseKernel("raw T x", "raw T z", "z[i] = x[i] * 2", "double_raw")
    np.testing.assert_array_equal(double(x, size=4).get(), [0, 2, 4, 6])
    for k in ("raw T x", "T x"):
        with pytest.raises(ValueError, match="size"):
            tn.ElementwiseKernel(k, "raw T z", "", "no_size")(x)


def test_flags_of_values():
    flags = Flags(1, 2, 3)
    assert (flags.c_contiguous, flags["F"], flags["OWNDATA"], flags.forc) == (1, 2, 3, 2)
    assert repr(flags) == "  C_CONTIGUOUS : 1\n  F_CONTIGUOUS : 2\n  OWNDATA : 3"
    assert flags == Flags(1, 2, 3) != Flags(1, 2, 0)
    with pytest.raises(KeyError, match="Unknown flag"):
        flags["nothing"]


@pytest.mark.host_only("a GPU has its own")
def test_attributes_of_the_host():
    runtime = tn.cuda.runtime
    assert runtime.deviceGetAttribute(runtime.cudaDevAttrWarpSize, 0) == 32
    assert runtime.deviceGetAttribute(runtime.cudaDevAttrMemoryPoolsSupported, 0) == 1
    assert runtime.deviceGetAttribute(runtime.cudaDevAttrClusterLaunch, 0) == 0
    assert runtime.deviceGetAttribute(runtime.cudaDevAttrCooperativeMultiDeviceLaunch, 0) == 0
    with pytest.raises(runtime.CUDARuntimeError, match="no attribute has the number -3"):
        runtime.deviceGetAttribute(-3, 0)
