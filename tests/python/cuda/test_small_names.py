"""Names of cuda and cusparse that no family of tests has: what they hold, and what they refuse."""

import numpy as np
import pytest
import tenorite as tn
from tenorite import cuda, cusparse
from tenorite.scipy import sparse

VALUES = np.array([[0, 2.5, 0], [1, 0, -3], [0, 0, 0], [4, 0, 0]])


def test_handles():
    here = cuda.Device()
    assert isinstance(here.cublas_handle, int)
    solvers = (
        lambda: here.cutensor_handle,
        cuda.device.get_cutensor_handle,
        lambda: here.cusolver_handle,
        lambda: here.cusolver_sp_handle,
        lambda: here.cusparse_handle,
        cuda.device.get_cusolver_handle,
        cuda.device.get_cusolver_sp_handle,
        cuda.device.get_cusparse_handle,
    )
    assert all(isinstance(call(), int) for call in solvers)


def test_compute_capability(device):
    """The host's is below every GPU's: programs ask it to learn whether there is a device."""
    assert cuda.device.get_compute_capability() == cuda.Device().compute_capability
    assert (int(cuda.Device().compute_capability) > 0) == (device == "cuda")


def test_paths():
    assert cuda.get_rocm_path() is None
    assert all(path is None or isinstance(path, str) for path in (cuda.get_cuda_path(), cuda.get_nvcc_path()))
    assert issubclass(cuda.compiler.JitifyException, Exception) and cuda.jitify.get_cuda_version() >= 12000
    assert issubclass(cuda.MemoryAsync, cuda.BaseMemory) and cuda.MemoryAsyncPool.memoryAsyncHasStat in (True, False)
    memory = cuda.memory.SystemMemory(64)
    assert memory.size == 64 and memory.ptr


def test_records():
    """The tuples in which cuSPARSE's descriptors are written."""
    kinds = cuda.cusparse
    csr = kinds.CsrAttributes(3, 4, 2, 16, 32, 48, 0, 1, 2, 3)
    assert (csr.rowOffsets, csr.colIdx, csr.rowOffsetType, csr.colIdxType) == (16, 32, 0, 1)
    assert (csr.idxBase, csr.valueType) == (2, 3)
    coo = kinds.CooAttributes(3, 4, 2, 16, 32, 48, 0, 1, 2)
    assert (coo.rowIdx, coo.colIdx, coo.idxBase, coo.valueType) == (16, 32, 1, 2)
    structures = kinds.CooAoSAttributes(3, 4, 2, 16, 48, 0, 1, 2)
    assert (structures.idxBase, structures.valueType) == (1, 2)
    vector = kinds.SpVecAttributes(9, 2, 16, 32, 0, 1, 2)
    assert (vector.idx, vector.idxBase, vector.valueType) == (16, 1, 2)
    assert kinds.DnVecAttributes(9, 16, 2).valueType == 2
    assert kinds.DnMatAttributes(3, 4, 4, 16, 2, 1).ld == 4 and kinds.DnMatBatchAttributes(2, 12).count == 2
    assert issubclass(kinds.CuSparseError, Exception)


def test_conversions():
    csr, csc = (make(tn.asarray(VALUES)) for make in (sparse.csr_matrix, sparse.csc_matrix))
    expected = (
        (cusparse.csr2dense, csr),
        (cusparse.csc2dense, csc),
        (cusparse.dense2csr, tn.asarray(VALUES)),
        (cusparse.dense2csc, tn.asarray(VALUES)),
    )
    for function, operand in expected:
        found = function(operand)
        np.testing.assert_array_equal((found.toarray() if hasattr(found, "toarray") else found).get(), VALUES)
    for function, operand in ((cusparse.csr2coo, csr), (cusparse.csc2coo, csc)):
        found = function(operand, operand.data, operand.indices)
        assert found.format == "coo"
        np.testing.assert_array_equal(found.toarray().get(), VALUES)
    for function, operand in ((cusparse.csrsort, csr), (cusparse.cscsort, csc)):
        operand.indices[:2] = operand.indices[:2].copy()
        function(operand)
        np.testing.assert_array_equal(operand.toarray().get(), VALUES)


def test_descriptors():
    description = cusparse.MatDescriptor()
    for change in (
        description.set_mat_type,
        description.set_mat_fill_mode,
        description.set_mat_diag_type,
        description.set_mat_index_base,
    ):
        change(0)
    assert issubclass(cusparse.DnMatDescriptor, cusparse.BaseDescriptor)
    assert issubclass(cusparse.SpVecDescriptor, cusparse.BaseDescriptor)


def test_lschol():
    pytest.importorskip("scipy")
    a = VALUES @ VALUES.T + 5 * np.eye(4)
    b = np.arange(4.0)
    found = tn.x.linalg.sparse.lschol(sparse.csr_matrix(tn.asarray(a)), tn.asarray(b))
    np.testing.assert_allclose(a @ found.get(), b, atol=1e-12)


def test_histogram():
    y = tn.zeros(2, int)
    assert cuda.cub.cub_histogram(tn.arange(5), y, 2) is y and y.tolist() == [2, 3]


def test_handles_are_given_back():
    given_back = []
    handle = cuda.device.Handle(7, given_back.append)
    assert handle.handle == 7
    del handle
    assert given_back == [7]


def test_refused():
    for call in (lambda: cuda.cufft.multi_gpu_execC2C(0, 0, 0, 1), lambda: cuda.cufft.multi_gpu_execZ2Z(0, 0, 0, 1)):
        with pytest.raises(NotImplementedError):
            call()
    for call in (lambda: cuda.cufft.setCallback(0, 0, 0, 0), lambda: cuda.cufft.setJITCallback(0, 0, 0, 0, 0)):
        with pytest.raises(NotImplementedError, match="set_cufft_callbacks"):
            call()


def test_modules_and_links(device):
    """Images are of GPUs: on the host there is none to ask."""
    module = cuda.Module()
    module.mapping["short"] = "a_long_name"
    assert module.mapping == {"short": "a_long_name"} and callable(cuda.Function.linear_launch)
    if device == "host" and not tn._core._device_count("cuda"):
        with pytest.raises(cuda.driver.CUDADriverError):
            module.get_global_var("short")
        with pytest.raises(cuda.driver.CUDADriverError):
            cuda.function.LinkState()
    assert callable(cuda.function.LinkState.add_ptr_data) and callable(cuda.function.LinkState.add_ptr_file)


def test_textures_know_what_they_read():
    texture, runtime = cuda.texture, cuda.runtime
    floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, runtime.cudaChannelFormatKindFloat)
    array = texture.CUDAarray(floats, 4, flags=runtime.cudaArraySurfaceLoadStore)
    resource, description = (
        texture.ResourceDescriptor(runtime.cudaResourceTypeArray, array),
        texture.TextureDescriptor(),
    )
    read = texture.TextureObject(resource, description)
    assert read.ResDesc is resource and read.TexDesc is description
    assert texture.SurfaceObject(resource).ResDesc is resource
