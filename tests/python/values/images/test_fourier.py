"""tenorite.scipy.ndimage's Fourier filters beside SciPy's, over calls that are made."""

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import ndimage

scipy = pytest.importorskip("scipy.ndimage")

NAMES = ("fourier_gaussian", "fourier_uniform", "fourier_ellipsoid", "fourier_shift")


@pytest.mark.parametrize("name", NAMES)
def test_values(name):
    rng = np.random.default_rng(len(name))
    for _ in range(150):
        most = 4 if name == "fourier_ellipsoid" else 5
        shape = tuple(map(int, rng.integers(1, 9, rng.integers(1, most))))
        dtype = str(rng.choice(["f4", "f8", "c8", "c16", "u1", "i4"]))
        host = 9 * rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if dtype[0] == "c" else 0)
        host = host.astype(dtype)
        axis = int(rng.integers(-len(shape), len(shape)))
        n = -1 if rng.random() < 0.5 else max(1, int(2 * (shape[axis] - 1) + rng.integers(2)))
        sizes = float(rng.random() * 3) if rng.random() < 0.5 else (4 * rng.random(len(shape))).tolist()
        expected = getattr(scipy, name)(host, sizes, n, axis)
        found = getattr(ndimage, name)(tn.array(host), sizes, n, axis)
        assert found.dtype == expected.dtype
        single = expected.dtype in (np.float32, np.complex64)
        np.testing.assert_allclose(found.get(), expected, rtol=1e-5, atol=1e-5 if single else 1e-11)


@pytest.mark.parametrize("name", NAMES)
def test_outputs(name):
    rng = np.random.default_rng(1)
    host = rng.standard_normal((5, 6)) + 1j * rng.standard_normal((5, 6))
    expected, function = getattr(scipy, name)(host, 1.5), getattr(ndimage, name)
    for output in (tn.zeros((5, 6), complex), tn.zeros((6, 5), complex).T, tn.array(host)):
        assert function(tn.array(host), 1.5, output=output) is output
        np.testing.assert_allclose(output.get(), expected, atol=1e-13)
    ours = tn.array(host)
    assert function(ours, 1.5, output=ours) is ours
    np.testing.assert_allclose(ours.get(), expected, atol=1e-13)
    assert function(tn.array(host.T).T, 1.5, output=np.complex64).dtype == np.complex64
    assert function(tn.zeros((0, 3)), 1.5).shape == (0, 3)


@pytest.mark.parametrize("name", NAMES)
def test_refusals(name):
    function, host = getattr(ndimage, name), np.ones((2, 3))
    for arguments, options in (
        ((1.0,), {"axis": 2}),
        (([1.0],), {}),
        (([1.0, 2.0, 3.0],), {}),
        ((1.0,), {"output": np.int32}),
    ):
        with pytest.raises(Exception) as expected:
            getattr(scipy, name)(host, *arguments, **options)
        with pytest.raises(type(expected.value)) as found:
            function(tn.array(host), *arguments, **options)
        assert str(found.value) == str(expected.value)
    with pytest.raises(RuntimeError, match="output shape not correct"):
        function(tn.ones((2, 3)), 1.0, output=tn.zeros((3, 2), complex))
    if name == "fourier_ellipsoid":
        with pytest.raises(NotImplementedError, match="Only 1d, 2d and 3d inputs are supported"):
            function(tn.ones((1, 1, 1, 1)), 1.0)
