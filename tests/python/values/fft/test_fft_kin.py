"""The transforms of scipy.fft that others are made of, and what fft.config says of the plans."""

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import fft

X = np.random.default_rng(4).standard_normal((4, 6, 5))


def close(ours, expected):
    np.testing.assert_allclose(ours.get(), expected, rtol=1e-12, atol=1e-12)


def test_hermitian():
    """A Hermitian transform is the real inverse of the conjugate, without its scale."""
    for s, axes in ((None, (-2, -1)), ((6, 8), (-2, -1)), ((4, 6), (0, 1))):
        lengths = s or (X.shape[axes[0]], 2 * (X.shape[axes[1]] - 1))
        expected = np.fft.irfftn(X.conj(), lengths, axes) * np.prod(lengths)
        close(fft.hfft2(tn.asarray(X), s, axes), expected)
        close(fft.hfftn(tn.asarray(X), s, axes), expected)
        shape = s or tuple(X.shape[axis] for axis in axes)
        inverse = np.fft.rfftn(X, shape, axes).conj() / np.prod(shape)
        close(fft.ihfft2(tn.asarray(X), s, axes), inverse)
        close(fft.ihfftn(tn.asarray(X), s, axes), inverse)


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
def test_inverses(kind, norm):
    there_and_back = ((fft.dct, fft.idct), (fft.dst, fft.idst), (fft.dctn, fft.idctn), (fft.dstn, fft.idstn))
    for forward, back in there_and_back:
        close(back(forward(tn.asarray(X), kind, norm=norm), kind, norm=norm), X)


def test_plan_cache(capsys):
    config = tn.fft.config
    before = config.get_plan_cache_max_memsize()
    try:
        config.set_plan_cache_max_memsize(1 << 20)
        assert config.get_plan_cache_max_memsize() == 1 << 20
        config.clear_plan_cache()
        config.show_plan_cache_info()
        assert "FFT plan cache" in capsys.readouterr().out
    finally:
        config.set_plan_cache_max_memsize(before)


def test_plan_is_a_class():
    x = tn.asarray(X[0].astype("c16"))
    plan = fft.get_fft_plan(x, axes=1)
    assert isinstance(plan, tn.cuda.cufft.Plan1d)
    close(fft.fft(x, axis=1, plan=plan), np.fft.fft(X[0], axis=1))


def test_no_axes():
    """As NumPy: without axes nothing is done, and the array itself comes back."""
    x = tn.array(np.ones((2, 3), "f"))
    assert tn.fft.fftn(x, axes=()) is x
    assert tn.fft.ifft2(x, axes=()) is x


@pytest.mark.parametrize("axes", [(1,), (0, 1), (0, 1, 2)])
def test_halves_of_several_axes(axes):
    """Along one axis halves stay halves, along several they become float32."""
    x = np.arange(24, dtype="e").reshape(2, 3, 4)
    wanted = np.fft.irfftn(x, axes=axes)
    got = tn.fft.irfftn(tn.array(x), axes=axes)
    assert got.dtype == wanted.dtype == ("e" if len(axes) == 1 else "f")
    assert np.allclose(got.get(), wanted, atol=0.02)


@pytest.mark.parametrize("mu, bias", [(-4.0, 1.0), (-2.5, 0.5)])
def test_poles_without_warning(mu, bias, recwarn):
    """Transforms at poles of the gamma function that are well-defined, and warn of nothing."""
    got = fft.fht(tn.array(np.linspace(-1, 1, 64)), 0.3, mu, bias=bias)
    assert np.isfinite(got.get()).all() and not recwarn.list


def test_lengths_without_axes(recwarn):
    """As CuPy, which warns neither of lengths without axes nor of None among them."""
    x = tn.array(np.ones((3, 4)))
    assert tn.fft.fftn(x, s=(2, 2)).shape == (2, 2)
    assert tn.fft.fftn(x, s=(2, None)).shape == (2, 4)
    assert not recwarn.list
