"""CUDA's libraries under CuPy's names: tables of functions, errors, what serves on the host."""

import inspect
import io

import numpy as np
import pytest
import tenorite as tn
from programs import DOUBLES, needs_doubles, on_double, output_of
from tenorite.cuda import (
    compiler,
    cub,
    cublas,
    curand,
    cusolver,
    cusparse,
    driver,
    function,
    jitify,
    nvrtc,
    runtime,
    thrust,
)
from tenorite.cuda._raw import tables
from tenorite.exceptions import CUDARuntimeError


@pytest.fixture
def needs_nvrtc():
    try:
        nvrtc.getVersion()
    except CUDARuntimeError as reason:
        pytest.skip(str(reason))


# --- Tables ---


@pytest.mark.parametrize(
    "module, name, symbol, parameters",
    [
        (cublas, "zgemm", "cublasZgemm_v2", "handle transa transb m n k alpha A lda B ldb beta C ldc"),
        (cublas, "dznrm2", "cublasDznrm2_v2", "handle n x incx result"),
        (cublas, "cdotc", "cublasCdotc_v2", "handle n x incx y incy result"),
        (cublas, "ssbmv", "cublasSsbmv_v2", "handle uplo n k alpha A lda x incx beta y incy"),
        (cusolver, "cormqr", "cusolverDnCunmqr", "handle side trans m n k A lda tau C ldc work lwork devInfo"),
        (cusolver, "zheevd_bufferSize", "cusolverDnZheevd_bufferSize", "handle jobz uplo n A lda W"),
        (cusolver, "dsgesv", "cusolverDnDSgesv", "handle n nrhs dA ldda dipiv dB lddb dX lddx dWork lwork dInfo"),
        (cusolver, "xsyevjSetTolerance", "cusolverDnXsyevjSetTolerance", "info tolerance"),
        (
            cusparse,
            "createCsr",
            "cusparseCreateCsr",
            "rows cols nnz csrRowOffsets csrColInd csrValues csrRowOffsetsType csrColIndType idxBase valueType",
        ),
        (
            cusparse,
            "znnz_compress",
            "cusparseZnnz_compress",
            "handle m descr csrSortedValA csrSortedRowPtrA nnzPerRow nnzC tol",
        ),
        (
            cusparse,
            "spGEMM_compute",
            "cusparseSpGEMM_compute",
            "handle opA opB alpha matA matB beta matC computeType alg spgemmDescr bufferSize2 externalBuffer2",
        ),
        (cusparse, "csrGet", "cusparseCsrGet", "spMatDescr"),
        (curand, "generateNormal", "curandGenerateNormal", "generator outputPtr n mean stddev"),
    ],
)
def test_signatures(module, name, symbol, parameters):
    found = getattr(module, name)
    assert list(inspect.signature(found).parameters) == parameters.split() and symbol in found.__doc__
    assert found.__module__ == module.__name__ and found.__name__ == name


def test_numbers_by_value():
    """A float lies in the first half of its word."""
    assert np.float64(tables._real("f", 2.5)[0]).tobytes() == np.asarray([2.5, 0], "f4").tobytes()
    assert np.float64(tables._real("C", 2 - 3j)[0]).tobytes() == np.complex64(2 - 3j).tobytes()
    assert tables._real("Z", 2 - 3j) == (2.0, -3.0) and tables._real("d", 7) == (7.0,)


@pytest.mark.parametrize(
    "error, status, text",
    [
        (cublas.CUBLASError, 7, "CUBLAS_STATUS_INVALID_VALUE"),
        (cusolver.CUSOLVERError, 1, "CUSOLVER_STATUS_NOT_INITIALIZED"),
        (cusparse.CuSparseError, 11, "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES: insufficient resources"),
        (curand.CURANDError, 104, "CURAND_STATUS_OUT_OF_RANGE"),
        (nvrtc.NVRTCError, 6, "NVRTC_ERROR_COMPILATION (6)"),
    ],
)
def test_errors(error, status, text):
    import pickle
    import sys

    made = error(status)
    assert made.status == status and str(made) == text and isinstance(made, RuntimeError)
    assert pickle.loads(pickle.dumps(made)).status == status
    module = sys.modules[error.__module__]
    module.check_status(0)
    with pytest.raises(error):
        module.check_status(status)


@pytest.mark.host_only("a GPU has them")
def test_what_the_host_refuses():
    for call, text in [
        (cusolver.createParams, "tenorite.linalg"),
        (curand.getVersion, "tenorite.random"),
        (lambda: cublas.dtrsm(*range(12)), "cublas.dtrsm"),
        (lambda: cusolver.sgetrf(*range(8)), "sgetrf"),
    ]:
        with pytest.raises(NotImplementedError, match=text):
            call()
    for call in (driver.linkCreate, function.LinkState, lambda: driver.ctxCreate(0)):
        with pytest.raises(driver.CUDADriverError, match="the current device is the host"):
            call()
    with pytest.raises(TypeError):
        cusolver.sgetrf(1)
    with pytest.raises(cublas.CUBLASError, match="NOT_INITIALIZED"):
        cublas.getStream(987654)


DOUBLE = """
import ctypes
import numpy as np
import tenorite as tn
from tenorite.cuda import cublas, cusolver, driver, runtime, texture
handle = tn.cuda.get_cublas_handle()
assert handle and handle == tn.cuda.get_cublas_handle()
cublas.setMathMode(handle, 1)
cublas.setPointerMode(handle, 0)
for call in (lambda: cublas.sgeam(handle, *range(12)), lambda: cublas.getVersion(handle)):
    try:
        call()
    except NotImplementedError as error:
        assert "has no function cublas" in str(error)
    else:
        raise AssertionError
try:
    cublas.setStream(0, 0)
except cublas.CUBLASError as error:
    assert error.status == 1
else:
    raise AssertionError
# linking
state = driver.linkCreate()
driver.linkAddData(state, driver.CU_JIT_INPUT_PTX, b"one ", "a.ptx")
driver.linkAddData(state, driver.CU_JIT_INPUT_PTX, b"two", "b.ptx")
assert driver.linkComplete(state) == b"one two"
driver.linkDestroy(state)
try:
    driver.linkComplete(state)
except driver.CUDADriverError as error:
    assert error.status == 400
else:
    raise AssertionError
# textures
floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
array = texture.CUDAarray(floats, 5, 4, 3, flags=runtime.cudaArraySurfaceLoadStore)
values = np.arange(60, dtype="f4").reshape(3, 4, 5)
array.copy_from(values)
ours = tn.zeros((3, 4, 5), "f4")
array.copy_to(ours)
assert (ours.get() == values).all()
resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array)
seen = texture.TextureObject(resource, texture.TextureDescriptor((1, 1, 1), 1))
surface = texture.SurfaceObject(resource)
linear = texture.ResourceDescriptor(runtime.cudaResourceTypeLinear, arr=ours, chDesc=floats, sizeInBytes=240)
texture.TextureObject(linear, texture.TextureDescriptor())
part = np.zeros((2, 3), "f4")
rows = runtime.mallocArray(floats.ptr, 5, 4)
runtime.memcpy2DToArray(rows, 0, 0, values.ctypes.data, 20, 20, 4, runtime.memcpyHostToDevice)
runtime.memcpy2DFromArray(part.ctypes.data, 12, rows, 4, 1, 12, 2, runtime.memcpyDeviceToHost)
assert (part == values[0, 1:3, 1:4]).all()
runtime.freeArray(rows)
for call in (lambda: runtime.freeArray(rows), lambda: runtime.destroyTextureObject(12)):
    try:
        call()
    except tn.exceptions.CUDARuntimeError as error:
        assert error.status == 400
    else:
        raise AssertionError
print("good")
"""


@needs_doubles
def test_on_the_double(tmp_path):
    variables = on_double(tmp_path, TENORITE_CUBLAS_PATH=str(DOUBLES / "libfake_cublas.so"))
    assert output_of(DOUBLE, variables).strip() == "good"


# --- cuBLAS on memory ---

LETTERS = [("s", "f"), ("d", "d"), ("c", "F"), ("z", "D")]


def number(value, dtype):
    kept = np.asarray(value, dtype)
    return kept, kept.ctypes.data


@pytest.mark.host_only("its functions are cuBLAS's there, which needs more than the test's numbers")
@pytest.mark.parametrize("letter, dtype", LETTERS)
def test_blas_of_vectors(letter, dtype):
    handle = cublas.create()
    rng = np.random.default_rng(0)
    x = (rng.standard_normal(10) + (1j * rng.standard_normal(10) if dtype in "FD" else 0)).astype(dtype)
    y = x[::-1].copy()
    a, b = tn.asarray(x), tn.asarray(y)
    kept, alpha = number(2.5, dtype)
    getattr(cublas, f"{letter}axpy")(handle, 5, alpha, a.data.ptr, 2, b.data.ptr, -2)
    expected = y.copy()
    expected[0:9:2] += 2.5 * x[0:10:2][::-1]
    np.testing.assert_allclose(b.get(), expected, rtol=1e-5)
    place, at = number(0, "i")
    getattr(cublas, f"i{letter}amax")(handle, 10, a.data.ptr, 1, at)
    assert place == np.argmax(abs(x.real) + abs(x.imag)) + 1
    part = {"s": "s", "d": "d", "c": "sc", "z": "dz"}[letter]
    total, at = number(0, dtype.lower())
    getattr(cublas, f"{part}nrm2")(handle, 10, a.data.ptr, 1, at)
    np.testing.assert_allclose(total, np.linalg.norm(x), rtol=1e-5)
    getattr(cublas, f"{part}asum")(handle, 10, a.data.ptr, 1, at)
    np.testing.assert_allclose(total, (abs(x.real) + abs(x.imag)).sum(), rtol=1e-5)
    product, at = number(0, dtype)
    dot = getattr(cublas, f"{letter}dot" + ("c" if letter in "cz" else ""))
    dot(handle, 10, a.data.ptr, 1, a.data.ptr, 1, at)
    np.testing.assert_allclose(product, np.vdot(x, x), rtol=1e-5)
    getattr(cublas, f"{letter}scal")(handle, 3, alpha, a.data.ptr, 3)
    x[0:9:3] *= 2.5
    np.testing.assert_allclose(a.get(), x, rtol=1e-5)
    cublas.destroy(handle)


@pytest.mark.parametrize("letter, dtype", LETTERS)
def test_blas_of_matrices(letter, dtype):
    """On the host and by cuBLAS itself."""
    handle = tn.cuda.get_cublas_handle()
    rng = np.random.default_rng(1)
    x, y, z = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((3, 4), (5, 4), (3, 5)))
    if dtype in "FD":
        x, y, z = (one + 1j * rng.integers(-4, 5, one.shape) for one in (x, y, z))
        x, y, z = (one.astype(dtype) for one in (x, y, z))
    a, b, c = (tn.asfortranarray(tn.asarray(one)) for one in (x, y, z))
    (_kept, alpha), (_also, beta) = number(2, dtype), number(3, dtype)
    getattr(cublas, f"{letter}gemm")(
        handle,
        cublas.CUBLAS_OP_N,
        cublas.CUBLAS_OP_C,
        3,
        5,
        4,
        alpha,
        a.data.ptr,
        3,
        b.data.ptr,
        5,
        beta,
        c.data.ptr,
        3,
    )
    expected = 2 * x @ y.conj().T + 3 * z
    np.testing.assert_array_equal(c.get(), expected)
    getattr(cublas, f"{letter}geam")(handle, 0, 0, 3, 5, alpha, c.data.ptr, 3, beta, c.data.ptr, 3, c.data.ptr, 3)
    np.testing.assert_array_equal(c.get(), 5 * expected)
    vector, out = tn.ones(4, dtype), tn.zeros(3, dtype)
    getattr(cublas, f"{letter}gemv")(handle, 0, 3, 4, alpha, a.data.ptr, 3, vector.data.ptr, 1, beta, out.data.ptr, 1)
    np.testing.assert_array_equal(out.get(), 2 * x.sum(1))
    getattr(cublas, f"{letter}dgmm")(handle, 1, 3, 4, a.data.ptr, 3, vector.data.ptr, 1, a.data.ptr, 3)
    np.testing.assert_array_equal(a.get(), x)
    row, column = tn.arange(4).astype(dtype), tn.ones(3, dtype)
    ger = getattr(cublas, letter + ("ger" if letter in "sd" else "geru"))
    ger(handle, 3, 4, alpha, column.data.ptr, 1, row.data.ptr, 1, a.data.ptr, 3)
    np.testing.assert_array_equal(a.get(), x + 2 * np.arange(4))


def test_blas_of_batches():
    handle = tn.cuda.get_cublas_handle()
    x, y = np.arange(24.0).reshape(2, 3, 4), np.arange(16.0).reshape(2, 4, 2)
    a, b, c = tn.asarray(x.transpose(0, 2, 1).copy()), tn.asarray(y.transpose(0, 2, 1).copy()), tn.zeros((2, 2, 3))
    (_kept, alpha), (_also, beta) = number(1, "d"), number(0, "d")
    cublas.dgemmStridedBatched(
        handle, 0, 0, 3, 2, 4, alpha, a.data.ptr, 3, 12, b.data.ptr, 4, 8, beta, c.data.ptr, 3, 6, 2
    )
    np.testing.assert_array_equal(c.get().transpose(0, 2, 1), x @ y)
    pointers = [tn.asarray([one.data.ptr, one[1].data.ptr], "u8") for one in (a, b, c)]
    c[...] = 7
    cublas.dgemmBatched(
        handle, 0, 0, 3, 2, 4, alpha, pointers[0].data.ptr, 3, pointers[1].data.ptr, 4, beta, pointers[2].data.ptr, 3, 2
    )
    np.testing.assert_array_equal(c.get().transpose(0, 2, 1), x @ y)


# --- The compiler ---

TEXT = "template <class T> __global__ void one(T* x) { *x = 1; }\n"


def test_nvrtc(needs_nvrtc):
    major, minor = nvrtc.getVersion()
    assert major >= 11 and minor >= 0 and nvrtc.getSupportedArchs() == sorted(nvrtc.getSupportedArchs())
    program = nvrtc.createProgram(TEXT, "one.cu", (), ())
    nvrtc.addNameExpression(program, "one<int>")
    nvrtc.compileProgram(program, ("-arch=sm_90",))
    assert "one" in nvrtc.getLoweredName(program, "one<int>") and nvrtc.getCUBIN(program)
    assert nvrtc.getProgramLog(program) == "" and b".version" in nvrtc.getPTX(program)
    nvrtc.destroyProgram(program)
    program = nvrtc.createProgram('#include "own.h"\nint broken', "own.cu", ("#define A 1\n",), ("own.h",))
    with pytest.raises(nvrtc.NVRTCError, match="NVRTC_ERROR_COMPILATION"):
        nvrtc.compileProgram(program, ())
    assert "own.cu(2)" in nvrtc.getProgramLog(program)
    nvrtc.destroyProgram(program)


def test_compile_using_nvrtc(needs_nvrtc):
    image, names = compiler.compile_using_nvrtc(
        TEXT, name_expressions=["one<float>"], arch="80", log_stream=io.StringIO()
    )
    assert image[:4] == b"\x7fELF" and list(names) == ["one<float>"]
    assert compiler.compile_using_nvrtc("__global__ void k() {}")[1] is None
    with pytest.raises(compiler.CompileException, match="kern.cu") as error:
        compiler.compile_using_nvrtc("broken")
    assert error.value.backend == "nvrtc" and error.value.source == "broken"
    with pytest.raises(compiler.HIPCCException):
        compiler.compile_using_hipcc("", (), "gfx90a")
    with pytest.raises(ValueError, match="code_type"):
        compiler.compile_using_nvcc("", code_type="elf")


def test_headers(monkeypatch, tmp_path, needs_nvrtc):
    """CCCL's headers are found in a toolkit's folder; else the error says what to install."""
    from tenorite._kernels import headers

    assert headers.cccl_options("__global__ void k() {}") == ()
    folder = tmp_path / "include/cccl/cub"
    folder.mkdir(parents=True)
    (folder / "cub.cuh").write_text("#define OURS 5\n")
    monkeypatch.setattr(headers, "_folders", lambda: iter([str(tmp_path / "include")]))
    assert jitify.find_nvidia_header_directory("cccl") == str(tmp_path / "include/cccl")
    text = "#include <cub/cub.cuh>\n__global__ void k(int* x) { *x = OURS; }"
    assert compiler.compile_using_nvrtc(text)[0]
    monkeypatch.setattr(headers, "_folders", lambda: iter(()))
    with pytest.raises(RuntimeError, match="pip install nvidia-cuda-cccl"):
        compiler.compile_using_nvrtc(text)


# --- CUB and Thrust ---


def test_cub():
    x = tn.arange(24).reshape(2, 3, 4)
    assert cub.device_reduce(x, cub.CUPY_CUB_SUM) == 276 and cub.cub_reduction(x, cub.CUPY_CUB_MAX, axis=0)[2, 3] == 23
    assert cub.device_segmented_reduce(x, cub.CUPY_CUB_MIN, (1, 2), (0,)).get().tolist() == [0, 12]
    assert cub.device_reduce(x, cub.CUPY_CUB_ARGMAX) == 23
    assert cub.cub_scan(tn.arange(1, 5), cub.CUPY_CUB_CUMPROD).get().tolist() == [1, 2, 6, 24]
    counts = tn.zeros(3, "q")
    cub.device_histogram(tn.asarray([0.0, 1, 1, 2, 3]), counts, tn.arange(4.0))
    assert counts.get().tolist() == [1, 2, 2] and cub.get_build_version() == -1
    with pytest.raises(ValueError, match="no scan"):
        cub.device_scan(x, cub.CUPY_CUB_SUM)


def test_thrust():
    values = np.random.default_rng(0).integers(0, 9, (3, 7))
    x, places = tn.asarray(values), tn.zeros((3, 7), "p")
    thrust.argsort(x.dtype, places.data.ptr, x.data.ptr, 0, x.shape)
    assert (places.get() == values.argsort(-1, kind="stable")).all() and (x.get() == np.sort(values, -1)).all()
    x = tn.asarray(values)
    thrust.sort(x.dtype, x.data.ptr, 0, x.shape)
    assert (x.get() == np.sort(values, -1)).all()
    keys, places = tn.asarray(values), tn.zeros(7, "p")
    thrust.lexsort(keys.dtype, places.data.ptr, keys.data.ptr, 3, 7)
    assert (places.get() == np.lexsort(values)).all()


def test_arguments_of_functions():
    assert bytes(function._pack(function.CIntptr(5))) == b"\x05"
    whole = function.CNumpyArray(np.zeros((), "i4, f8"))
    assert whole.ptr and function.CUIntMax(7).ptr and function.CPointer(3).ptr == 3
    assert tn.cuda.memory.malloc_system(64).mem.size == 64 if runtime.getDeviceCount() == 0 else True
