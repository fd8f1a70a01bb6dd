"""tenorite.scipy.special: functions with several or complex results beside SciPy's."""

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import special

scipy_special = pytest.importorskip("scipy.special")

X = np.array([-30.0, -3.5, -0.2, 0.1, 1.0, 2.5, 3.99, 4.5, 12.0, 60.0])


@pytest.mark.parametrize("name", ["sici", "shichi"])
def test_integrals(name):
    for found, expected in zip(getattr(special, name)(tn.asarray(X)), getattr(scipy_special, name)(X)):
        np.testing.assert_allclose(found.get(), expected, rtol=1e-11, atol=1e-13)
    assert getattr(special, name)(tn.ones(2, "f4"))[0].dtype == np.float32
    odd, even = getattr(special, name)(tn.array([0.0]))
    assert odd.tolist() == [0.0] and even.tolist() == [-np.inf]


@pytest.mark.parametrize("name", ["sici", "shichi"])
def test_integrals_of_complex_numbers(name):
    parts = [0.0, -0.0, 0.3, -0.3, 1, -1, 3, -5, 8, -41, 60]
    z = np.array([complex(x, y) for x in parts for y in parts])
    for found, expected in zip(getattr(special, name)(tn.asarray(z)), getattr(scipy_special, name)(z)):
        np.testing.assert_allclose(found.get(), expected, rtol=1e-12)
    assert getattr(special, name)(tn.ones(2, "F"))[1].dtype == np.complex64


def test_jacobian_functions():
    u, m = np.meshgrid(np.linspace(-4, 4, 9), [0.0, 0.1, 0.5, 0.99, 1.0])
    for found, expected in zip(special.ellipj(tn.asarray(u), tn.asarray(m)), scipy_special.ellipj(u, m)):
        np.testing.assert_allclose(found.get(), expected, rtol=1e-10, atol=1e-12)
    assert np.isnan(special.ellipj(tn.array([1.0]), 1.5)[0].get()).all()


@pytest.mark.parametrize("derivative", [False, True])
def test_spherical_bessel_functions(derivative):
    n, x = np.meshgrid([0, 1, 2, 5], [-3.0, 0.1, 1.0, 20.0])
    found = special.spherical_yn(tn.asarray(n), tn.asarray(x), derivative)
    np.testing.assert_allclose(found.get(), scipy_special.spherical_yn(n, x, derivative), rtol=1e-11)


def test_spherical_harmonics():
    n, m = np.array([[n, m] for n in range(6) for m in range(-n, n + 1)]).T
    theta, phi = np.linspace(0, np.pi, n.size), np.linspace(0, 6, n.size)
    found = special.sph_harm_y(*map(tn.asarray, (n, m, theta, phi)))
    assert found.dtype == np.complex128
    np.testing.assert_allclose(found.get(), scipy_special.sph_harm_y(n, m, theta, phi), rtol=1e-11, atol=1e-14)
    with pytest.raises(NotImplementedError, match="diff_n"):
        special.sph_harm_y(1, 0, tn.ones(1), 0.0, diff_n=1)


@pytest.mark.parametrize("k", [0, -1, 1, 3])
def test_lambertw(k):
    z = np.array([0.1, 1, -0.2, -0.36, -1, 5, 1e5, 1 + 2j, -2 - 0.5j, 0.3j, -0.3 + 0.1j, -0.3 - 0.1j])
    found = special.lambertw(tn.asarray(z), k)
    np.testing.assert_allclose(found.get(), scipy_special.lambertw(z, k), rtol=1e-10)
    assert special.lambertw(tn.ones(2, "f4"), tn.asarray([k, 0], "i4")).dtype == np.complex128


def test_spherical_harmonics_in_the_old_order():
    theta, phi = tn.asarray([0.1, 2.0]), tn.asarray([0.3, 5.0])
    np.testing.assert_array_equal(special.sph_harm(1, 2, phi, theta).get(), special.sph_harm_y(2, 1, theta, phi).get())
