"""Private modules of CuPy's that programs and CuPy's own tests import."""

import numpy
import pytest

import tenorite as tn
from tenorite import _environment
from tenorite._creation import from_data
from tenorite._indexing import generate
from tenorite.cuda import nccl
from tenorite.cuda._compiler_cache import DiskKernelCacheBackend, _hash_length
from tenorite.fft import _fft as transforms
from tenorite.linalg import _util
from tenorite.testing import _helper, _hypothesis, _loops, _protocol_helpers
from tenorite.tools import install_library


def test_modules_of_creation_and_indexing_give_the_public_functions():
    assert from_data.array is tn.array
    assert generate.ix_ is tn.ix_
    assert isinstance(tn.r_, generate.AxisConcatenator)
    assert len(generate.AxisConcatenator()) == 0


def test_tools_that_are_not_there():
    assert _environment.get_cub_path() is None
    assert _environment.get_hipcc_path() is None
    assert not nccl.available


def test_stacked_identity():
    made = _util.stacked_identity((2, 1), 3, "f")
    assert made.dtype == "f"
    numpy.testing.assert_array_equal(made.get(), numpy.broadcast_to(numpy.eye(3), (2, 1, 3, 3)))


@pytest.mark.parametrize("ndim, axes, is_nd", [
    (1, None, False), (2, None, True), (3, None, True), (4, None, False), (3, (0, 2), False), (3, (1,), False),
    (3, (1, 2), True), (3, (2, 1), True), (4, (1, 2), False),
])  # fmt: skip
def test_which_transform_cupy_takes(ndim, axes, is_nd):
    taken = transforms._default_fft_func(tn.ones((2,) * ndim), axes=axes)
    assert taken is (transforms._fftn if is_nd else transforms._fft)


def test_the_real_side_of_a_transform_comes_last():
    a = tn.ones((2, 3, 4))
    assert transforms._default_fft_func(a, axes=(2, 1), value_type="R2C") is transforms._fft
    assert transforms._default_fft_func(a, axes=(1, 2), value_type="R2C") is transforms._fftn


def test_transforms_by_their_private_names():
    a = tn.arange(12.0).reshape(3, 4)
    forth = transforms._fftn(a, None, None, None, transforms.FORWARD)
    numpy.testing.assert_allclose(forth.get(), numpy.fft.fftn(a.get()))
    back = transforms._fft(forth, None, None, None, transforms.INVERSE)
    numpy.testing.assert_allclose(back.get(), a.get(), atol=1e-12)
    assert transforms._size_last_transform_axis((3, 4), None, (0,)) == 3
    assert transforms._size_last_transform_axis((3, 4), (5, 6), None) == 6


def test_kernels_in_files(tmp_path):
    kept = DiskKernelCacheBackend(str(tmp_path / "new"))
    assert kept.load("a.cubin") is None
    kept.save("a.cubin", b"kernel", "source")
    assert kept.load("a.cubin") == b"kernel"
    path = tmp_path / "new" / "a.cubin"
    path.write_bytes(path.read_bytes()[:-1])
    assert kept.load("a.cubin") is None
    assert kept._decode_cubin(b"short") is None
    assert len(kept._encode_cubin(b"kernel")) == _hash_length + 6


def test_what_tests_of_cupy_take_from_its_testing():
    assert _hypothesis.chi_square_test([48, 52], [50, 50])
    assert not _hypothesis.chi_square_test([5, 95], [50, 50])
    assert not _helper.is_after_baseline(numpy="1.20")

    @_helper.skip_if_after_baseline(numpy="1.20", reason="none")
    def ran():
        return 1

    assert ran() == 1
    assert _protocol_helpers.DummyObjectWithCuPyGetNDArray(3).__cupy_get_ndarray__() == 3

    @_loops._wraps_partial_xp(lambda self, xp, sp, dtype: None, "xp", "sp")
    def made(self, dtype):
        pass

    assert list(made.__signature__.parameters) == ["self", "dtype"]


def test_libraries_that_can_be_installed():
    assert {one["cuda"] for one in install_library.library_records["nccl"]} == {"12.x", "13.x"}
