"""Products with matrices of two zeros in every four elements, against dense ones."""

import numpy as np
import pytest
import tenorite as tn
from tenorite import cusparselt
from tenorite.cuda import cusparselt as raw

DTYPES = ["float16", "float32", "float64", "int32", "complex64"]
RANDOM = np.random.default_rng(8)


def matrix(shape, dtype):
    return (RANDOM.standard_normal(shape) * 9).astype(dtype)


@pytest.mark.parametrize("algorithm", ["strip", "tile"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_products(dtype, algorithm):
    for shape in [(8, 16), (4, 4), (32, 64), (12, 20)]:
        a = matrix(shape, dtype)
        pruned = cusparselt.prune(tn.asarray(a), algorithm)
        assert cusparselt.is_pruned(pruned) and (algorithm == "strip" or cusparselt.is_pruned(pruned.T))
        kept = pruned.get()
        assert ((kept == a) | (kept == 0)).all()
        packed = cusparselt.compress(pruned)
        assert isinstance(packed, cusparselt.Compressed) and packed.shape == shape and packed.dtype == dtype
        np.testing.assert_array_equal(packed.toarray().get(), kept)
        assert packed.nbytes < 0.76 * pruned.nbytes
        b = tn.asarray(matrix((shape[1], 16), dtype))
        expected = (pruned @ b).get()
        bound = {"float16": 2e-3, "float32": 1e-5, "complex64": 1e-5}.get(dtype, 1e-12)
        out = tn.empty(expected.shape, dtype)
        assert cusparselt.matmul(packed, b, out) is out
        for got in (cusparselt.matmul(packed, b), cusparselt.matmul(pruned, b), out):
            np.testing.assert_allclose(got.get(), expected, rtol=bound, atol=bound * np.abs(expected).max())


def test_what_is_kept():
    a = np.abs(matrix((6, 8), "f8"))
    groups = np.sort(a.reshape(6, 2, 4), 2)[..., 2:].sum()
    assert cusparselt.prune(tn.asarray(a)).sum().item() == pytest.approx(groups)
    np.testing.assert_array_equal(cusparselt.prune(tn.ones((1, 4))).get(), [[1, 1, 0, 0]])
    square = tn.asarray(a[:4, :4])
    best = max((a[:4, :4] * pattern.reshape(4, 4)).sum() for pattern in cusparselt._patterns())
    assert cusparselt.prune(square, "tile").sum().item() == pytest.approx(best)


def test_layouts_and_empty():
    a = tn.asarray(matrix((16, 8), "f4"))
    np.testing.assert_array_equal(cusparselt.prune(a[::2, ::-1]).get(), cusparselt.prune(a[::2, ::-1].copy()).get())
    np.testing.assert_array_equal(cusparselt.prune(a.T).get(), cusparselt.prune(a.T.copy()).get())
    none = tn.zeros((0, 8), "f4")
    assert cusparselt.matmul(cusparselt.compress(cusparselt.prune(none)), tn.ones((8, 3), "f4")).shape == (0, 3)


def test_refusals():
    a = tn.ones((4, 8))
    for call, error, text in [
        (lambda: cusparselt.compress(a), ValueError, "fewer than two zeros"),
        (lambda: cusparselt.prune(tn.ones((4, 6))), ValueError, r"multiple of 4 elements, a has shape \(4, 6\)"),
        (lambda: cusparselt.prune(tn.ones((3, 4)), "tile"), ValueError, "multiple of 4 rows"),
        (lambda: cusparselt.prune(a, "none"), ValueError, "'none'"),
        (lambda: cusparselt.prune(tn.ones(4)), ValueError, "must be a matrix"),
        (lambda: cusparselt.prune(a.get()), TypeError, "must be a tenorite.ndarray"),
        (lambda: cusparselt.prune(a > 0), TypeError, "bool"),
        (lambda: cusparselt.matmul(cusparselt.prune(a), tn.ones((4, 2))), ValueError, "b has"),
        (lambda: cusparselt.matmul(cusparselt.prune(a), tn.ones((8, 2), "f4")), TypeError, "float32"),
        (lambda: cusparselt.matmul(cusparselt.prune(a), tn.ones((8, 2)), tn.ones((4, 3))), ValueError, "out must be"),
    ]:
        with pytest.raises(error, match=text):
            call()


def test_functions_of_the_library(device):
    assert raw.getErrorName(3) == "CUSPARSE_STATUS_INVALID_VALUE" and raw.getErrorString(3)
    assert raw.get_build_version() > 0
    if device == "host":
        with pytest.raises(NotImplementedError, match="tenorite.cusparselt works on arrays"):
            raw.init(raw.Handle())
    for kind in (raw.Handle, raw.MatDescriptor, raw.MatmulDescriptor, raw.MatmulAlgSelection, raw.MatmulPlan):
        one = kind()
        assert one.ptr % 16 == 0 and one.__index__() == one.ptr
    assert raw.CUSPARSELT_MATMUL_SPARSE_MAT_POINTER == 9 and callable(raw.matmulSearch)


def test_search(device):
    """The library's own functions, where it is installed."""
    if device == "host" or not raw._library.is_found():
        pytest.skip("cuSPARSELt is not installed")
    a, b = tn.asarray(matrix((64, 64), "f2")), tn.asarray(matrix((64, 32), "f2"))
    packed = cusparselt.compress(cusparselt.prune(a))
    expected = cusparselt.matmul(packed, b)
    product = packed._packed[1]
    assert raw.getVersion(product.handle) > 0
    out, one = tn.zeros((64, 32), "f2"), product.factors.ctypes.data
    pointers = product.packed.data.ptr, b.data.ptr, one + 4, out.data.ptr, out.data.ptr, product.space.data.ptr
    raw.matmulSearch(product.handle, product.plan, one, *pointers)
    np.testing.assert_allclose(out.get(), expected.get(), rtol=1e-2, atol=1)
