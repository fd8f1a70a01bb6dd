"""Names that programs take from cupy._core, cupy.cuda and cupyx.optimizing."""

import json
import os
import shutil

import numpy
import pytest
import tenorite
from programs import output_of
from tenorite import jit
from tenorite._cupy import _core
from tenorite._cupy._core import create_reduction_func, create_ufunc
from tenorite.cuda import compiler

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))


@pytest.fixture
def kernels(device):
    if device == "host" and not has_compiler:
        pytest.skip("no C++ compiler is installed")


def check(result, expected):
    assert isinstance(result, tenorite.ndarray)
    assert result.dtype == expected.dtype and result.shape == expected.shape
    numpy.testing.assert_array_equal(result.get(), expected)


def refuse():
    raise TypeError("no such thing of bool")


ADD = create_ufunc(
    "my_add",
    ("ii->i", "dd->d", ("DD->D", "out0 = in0 - in1")),
    "out0 = in0 + in1",
    doc="adds",
    preamble="#define UNUSED 1",
)


def test_create_ufunc(kernels):
    a = tenorite.arange(3, dtype="i")
    check(ADD(a, 1), numpy.arange(3, dtype="i") + numpy.int32(1))
    check(ADD(a, 1.5), numpy.arange(3) + 1.5)
    check(ADD(a.astype("f")[::-1], a[:, None]), numpy.arange(3.0)[::-1] + numpy.arange(3.0)[:, None])
    check(ADD(a, 2j), numpy.arange(3) - 2j)
    check(ADD(1, 2.0), numpy.array(3.0))
    check(ADD(a, 1, dtype="d"), numpy.arange(3) + 1.0)
    out = tenorite.zeros(3)
    assert ADD(a, 1, out) is out and ADD(a, 5, out=out, where=tenorite.asarray([True, False, False])) is out
    check(out, numpy.array([5.0, 2, 3]))
    assert (ADD.nin, ADD.nout, ADD.nargs, ADD.types) == (2, 1, 3, ["ii->i", "dd->d", "DD->D"])
    assert ADD.__doc__ == "adds" and repr(ADD) == "<ufunc 'my_add'>" and ADD.name == "my_add"
    both = create_ufunc("both", ("d->dd",), ("in0 * 2", "in0 * 3"))
    for result, factor in zip(both(tenorite.arange(3.0)), (2, 3)):
        check(result, numpy.arange(3.0) * factor)
    refused = create_ufunc("refused", (("?->?", refuse), "d->d"), "out0 = in0")
    for call, match in (
        (lambda: refused(tenorite.ones(2, "?")), "no such thing of bool"),
        (lambda: refused(tenorite.ones(2, "D")), "Wrong type .complex128. of arguments for refused"),
        (lambda: refused(), "Wrong number of arguments"),
        (lambda: refused(a, bogus=1), "Wrong arguments bogus"),
        (lambda: ADD(a, 1, out=tenorite.zeros(3, "?")), "could not be coerced"),
    ):
        with pytest.raises(TypeError, match=match):
            call()


@jit.rawkernel()
def calls(x, y):
    i = jit.grid(1)
    y[i] = ADD(x[i], 2)


def test_created_ufuncs_in_kernels(kernels):
    x, y = tenorite.arange(3, dtype="i"), tenorite.zeros(3, "i")
    calls[1, 3](x, y)
    check(y, numpy.arange(2, 5, dtype="i"))


def test_create_reduction_func(kernels):
    total = create_reduction_func(
        "total", ("i->l", ("d->d", (None, None, None, None))), ("in0 * in0", "a + b", "out0 = a", None), 0
    )
    check(total(tenorite.arange(4, dtype="i")), numpy.array(14))
    check(total(tenorite.ones((2, 3)), axis=1, keepdims=True), numpy.full((2, 1), 3.0))
    out = tenorite.zeros(2)
    assert total(tenorite.ones((2, 3)), axis=1, out=out) is out
    check(out, numpy.full(2, 3.0))
    largest = create_reduction_func("largest", ("d->d",), ("in0", "a > b ? a : b", "out0 = a", None))
    check(largest(tenorite.arange(4.0)), numpy.array(3.0))
    with pytest.raises(ValueError, match="has no identity"):
        largest(tenorite.zeros(0))
    with pytest.raises(TypeError, match="Wrong type"):
        total(tenorite.zeros(2, "D"))
    with pytest.raises(ValueError, match="out has the shape"):
        total(tenorite.ones((2, 3)), axis=1, out=tenorite.zeros(3))


def test_overrides():
    class Other:
        def __cupy_override_reduction_kernel__(self, kernel, axis, dtype, out, keepdims):
            return kernel.name, axis

        def __cupy_override_elementwise_kernel__(self, kernel, *args):
            return kernel.name

    total = create_reduction_func("total", ("d->d",), ("in0", "a + b", "out0 = a", None), 0)
    assert total(Other(), axis=1) == ("total", 1) and ADD(3, Other()) == "my_add"


def test_names_of_the_core():
    from tenorite._cupy._core import internal

    assert internal.prod((2, 3)) == 6 and internal.get_size(3) == (3,) and internal.get_size(None) == ()
    assert [internal.clp2(n) for n in (0, 1, 3, 4, 5)] == [0, 1, 4, 4, 8]
    assert internal.infer_unknown_dimension((2, -1), 6) == [2, 3] and internal.normalize_axis_index(-1, 3) == 2
    for shape, size in (((-1, -1), 4), ((3, -1), 4)):
        with pytest.raises(ValueError):
            internal.infer_unknown_dimension(shape, size)
    assert _core._scalar.get_typename("f4") == "float32" and _core._scalar.get_typename(bool) == "bool"
    assert _core._get_warpsize() == 32
    assert isinstance(tenorite.ones(2).flags, _core.flags.Flags) and _core.core.ndarray is tenorite.ndarray
    assert _core._gufuncs._GUFunc is tenorite.x.GeneralizedUFunc and _core.fusion.fuse is tenorite.fuse
    _core.set_routine_accelerators(["cub"])
    assert _core.get_routine_accelerators() == [_core._accelerator.ACCELERATOR_CUB]
    _core.set_routine_accelerators([])
    with pytest.raises(ValueError, match="Unknown accelerator"):
        _core.set_reduction_accelerators(["bogus"])
    linalg = _core._routines_linalg
    _core.set_compute_type("f", linalg.COMPUTE_TYPE_TF32)
    assert _core.get_compute_type("f") == linalg.COMPUTE_TYPE_TF32
    _core.set_compute_type("f", linalg.COMPUTE_TYPE_DEFAULT)
    check(_core._routines_math._scan_for_test(tenorite.arange(4)), numpy.array([0, 1, 3, 6]))
    check(_core._routines_math._scan_for_test(tenorite.ones(3, bool)), numpy.array([True] * 3))
    with pytest.raises(TypeError, match="one dimension"):
        _core._routines_math._scan_for_test(tenorite.ones((2, 2)))
    with pytest.raises(AttributeError, match="no attribute 'bogus'"):
        _core.bogus
    program = """
        import tenorite; tenorite.install_as_cupy()
        import cupy, cupy._core.core, cupy._core.internal
        from cupy._core import create_ufunc, internal
        from cupy._core._kernel import ElementwiseKernel
        from cupy_backends.cuda.api import runtime, driver
        from cupy_backends.cuda.libs import nvtx
        import cupy_backends.cuda.stream
        assert runtime is cupy.cuda.runtime and driver is cupy.cuda.driver and nvtx is cupy.cuda.nvtx
        assert cupy._core.core.ndarray is cupy.ndarray and not runtime.is_hip
        import cupy._util, tenorite._core
        from cupy import _core, _environment
        from cupy.cuda import _compiler_cache
        from cupy.fft import _fft
        from cupy.linalg import _util
        from cupy.testing import _hypothesis
        assert _fft is cupy.fft._fft and _util.__name__ == "tenorite._cupy.linalg._util"
        assert _core is cupy._core and _core.internal is internal and cupy.testing._helper.__name__[:5] == "tenor"
        extension = __import__("sys").modules["tenorite._core"]
        assert not hasattr(extension, "__path__") and not hasattr(extension, "internal")
        print("good")
    """
    assert output_of("\n".join(line.strip() for line in program.splitlines())).strip() == "good"


def test_compiler(kernels):
    assert compiler.is_valid_kernel_name("a_1") and not compiler.is_valid_kernel_name("1a")
    assert len(compiler._get_nvrtc_version()) == 2
    with pytest.raises(compiler.CompileException):
        compiler.compile_with_cache("this is no program")
    with pytest.raises(compiler.NVCCException, match="non-zero exit status"):
        compiler._run_cc(["false"], None, "nvcc")
    assert not tenorite.cuda.cub.available and tenorite.cuda.cutensor.available


# --- optimizing ---


def test_optimize(kernels, tmp_path):
    kernel = tenorite.ElementwiseKernel("T x", "T y", "y = x * x", "square_of")
    path = str(tmp_path / "found.json")
    x = tenorite.arange(100.0)
    expected = numpy.arange(100.0) ** 2
    options = {"max_total_time_per_trial": 1e-4}
    with tenorite.optimizing.optimize(key="first", path=path, **options):
        check(kernel(x), expected)
        check(kernel(x), expected)
        out = tenorite.zeros(100)
        assert kernel(x, out) is out
    (found,) = json.load(open(path))["'first'"].values()
    assert found in (32, 64, 128, 256, 512, 1024)
    check(kernel(x), expected)
    assert "__call__" not in vars(tenorite.ElementwiseKernel)
    with tenorite.optimizing.optimize(key="first", path=path, readonly=True):
        check(kernel(x[:5]), expected[:5])
    with (
        pytest.raises(FileNotFoundError, match="readonly"),
        tenorite.optimizing.optimize(path=str(tmp_path / "none"), readonly=True),
    ):
        pass
    with pytest.raises(TypeError, match="unexpected keyword argument 'bogus'"), tenorite.optimizing.optimize(bogus=1):
        pass
    (tmp_path / "broken.json").write_text("[1]")
    with (
        pytest.raises(ValueError, match="no results of optimize"),
        tenorite.optimizing.optimize(path=str(tmp_path / "broken.json")),
    ):
        pass


def test_module_and_function(device):
    """Images are for GPUs, and the host says so."""
    module = tenorite.cuda.Module()
    assert module.ptr == 0 and tenorite.cuda.Function is tenorite.cuda.function.Function
    if device == "host" and not tenorite._core._device_count("cuda"):
        for call in (lambda: module.load(b"image"), lambda: module.load_file("none"), lambda: module.get_function("f")):
            with pytest.raises(tenorite.cuda.driver.CUDADriverError):
                call()


def test_names_of_submodules():
    from tenorite._cupy._core import _dtype, _memory_range, core, dlpack, fusion, internal, new_fusion, raw

    assert raw.RawKernel is _core.RawKernel is tenorite.RawKernel and raw.RawModule is tenorite.RawModule
    assert core._ndarray_base is _core._ndarray_base is tenorite.ndarray
    assert _core._full_mask() == 0xFFFFFFFF and _core.moveaxis is tenorite.moveaxis
    assert internal._normalize_axis_index(-1, 3) == 2 and internal._normalize_axis_indices((0, -1), 2) == (0, 1)
    a = tenorite.arange(4.0)
    for made in (fusion.Fusion, new_fusion.Fusion):
        check(made(lambda x: x * x + 1, "squares")(a), numpy.arange(4.0) ** 2 + 1)
    assert _core.may_share_bounds(a, a[::2]) and not _core.may_share_bounds(a[:2], a[2:])
    assert _memory_range.get_bound(a) == (a.data.ptr, a.data.ptr + 32)
    assert _dtype.get_dtype("f") == numpy.float32 and _dtype.to_cuda_dtype("D") == tenorite.cuda.runtime.CUDA_C_64F
    with pytest.raises(TypeError, match="float16"):
        _dtype.to_cuda_dtype("e")
    assert _dtype.to_cuda_dtype("e", True) == 2
    check(_core.fromDlpack(dlpack.toDlpack(a)), numpy.arange(4.0))


def test_codes_of_kernels(kernels):
    total = create_reduction_func("total", ("l->l", "f->f"), ("in0", "a + b", "out0 = a", None), 0)
    double = tenorite.ElementwiseKernel("T x", "T y", "y = 2 * x", "double_it")
    for kernel in (total, double):
        assert len(kernel._cached_codes) == 0
        for dtypes in ("l", "ll", "llf"):
            kernel(tenorite.arange(10).astype(dtypes[-1]))
            assert len(kernel._cached_codes) == len(kernel.cached_codes) == len(set(dtypes))
    with pytest.raises(TypeError, match="Argument 'a' has incorrect type"):
        total(numpy.arange(3))


@pytest.mark.parametrize("jitify, match", [(True, "jitify=True is deprecated"), (False, "Avoid passing.*jitify=False")])
def test_jitify_of_the_compiler(jitify, match, monkeypatch):
    monkeypatch.setattr(compiler.nvrtc, "createProgram", lambda *_: refuse())
    with pytest.warns(DeprecationWarning, match=match), pytest.raises(TypeError, match="no such thing"):
        compiler.compile_using_nvrtc("", arch="90", jitify=jitify)
