"""What functions of arrays say to sparse matrices, and sparse matrices to NumPy's arrays."""

import operator

import numpy as np
import pytest
import tenorite as cp
from tenorite.scipy import sparse


def make():
    return sparse.csr_matrix(cp.eye(3))


@pytest.mark.parametrize("function", [cp.sum, cp.linalg.inv, cp.exp, cp.asarray])
def test_a_sparse_matrix_is_no_array(function):
    with pytest.raises(TypeError, match=r"a sparse matrix is no array: its methods .* x\.toarray\(\)"):
        function(make())


def test_the_function_that_is_called_is_named():
    matrix = make()
    with pytest.raises(TypeError, match=r"for argument 'a' of dot\(\): a sparse matrix"):
        cp.dot(matrix, cp.ones(3))
    for function in (cp.concatenate, cp.stack, cp.hstack):
        with pytest.raises(TypeError, match=r"csr_matrix'>: a sparse matrix"):
            function([matrix, matrix])


@pytest.mark.parametrize("name", ["matmul", "mul", "add", "sub"])
def test_numpys_arrays_come_to_the_device_first(name):
    with pytest.raises(TypeError, match=r"numpy\.ndarray.* beside a sparse matrix .*tenorite\.asarray\(x\)"):
        getattr(operator, name)(make(), np.ones((3, 3)))
    assert getattr(operator, name)(make(), cp.ones((3, 3))).shape == (3, 3)


def test_names_that_a_package_lacks():
    with pytest.raises(AttributeError, match="no attribute 'nothing'; it has fft, fftpack, .*stats"):
        cp.scipy.nothing
    with pytest.raises(ImportError, match="cannot import name 'nothing' from 'tenorite.scipy'; it has fft, fftpack"):
        from tenorite.scipy import nothing  # noqa: F401
    with pytest.raises(ImportError, match=r"'tenorite.scipy.signal'; similar names: .*\bhilbert\b"):
        from tenorite.scipy.signal import hilberts  # noqa: F401
    with pytest.raises(AttributeError, match=r"dir\(tenorite.scipy.ndimage\) has its \d+ names"):
        cp.scipy.ndimage.zzzz
    with pytest.raises(ImportError, match=r"'convolve3' from 'tenorite'; similar names: convolve"):
        from tenorite import convolve3  # noqa: F401
    assert not hasattr(cp.scipy, "nothing") and not hasattr(cp, "convolve3")
    assert cp.scipy._scipy_available in (True, False)
