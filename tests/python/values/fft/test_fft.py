"""Fourier transforms: a direct sum in long double, NumPy's shapes, dtypes and errors, the plans
that are kept."""

import doctest
import os

import numpy as np
import pytest
import tenorite as tn

RNG = np.random.default_rng(5)
WHOLE = os.environ.get("TENORITE_WHOLE") == "1"
LENGTHS = [*range(1, 34), 37, 48, 49, 51, 53, 64, 77, 100, 121, 127, 128, 143, 169, 211, 240, 256, 263, 300]
LONG = [509, 1000, 1024, 1155, 2017, 4096, 10007, 16384, 3**9, 2**17, 100003]
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
MANY = ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "ifft2", "rfft2", "irfft2"]
REAL_INPUT = ("rfft", "ihfft", "rfftn", "rfft2")


def values(shape, dtype):
    data = RNG.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        data = data + 1j * RNG.standard_normal(shape)
    return data.astype(dtype)


def eps(dtype):
    return np.finfo(np.dtype(dtype)).eps


def close(got, wanted, dtype, units=8):
    """The error in the norm of all elements, in units of eps."""
    got = got.get()
    assert got.shape == wanted.shape and got.dtype == wanted.dtype
    if got.size:
        size = np.sqrt(np.sum(np.abs(wanted.astype("G")) ** 2))
        error = np.sqrt(np.sum(np.abs(got.astype("G") - wanted.astype("G")) ** 2))
        assert error <= units * eps(dtype) * size


def direct(x, sign=-1):
    """The sums themselves in long double, along the last axis."""
    n = x.shape[-1]
    turn = np.longdouble(8) * np.arctan(np.longdouble(1)) / n
    k = np.arange(n)
    angles = (np.outer(k, k) % n).astype(np.longdouble) * turn
    return x.astype("G") @ (np.cos(angles) + sign * 1j * np.sin(angles))


@pytest.mark.parametrize("dtype", ["F", "D"])
@pytest.mark.parametrize("n", range(1, 301) if WHOLE else LENGTHS)
def test_direct_sum(n, dtype):
    for lines in (1, 19):
        z = values((lines, n), dtype)
        wanted = direct(z)
        unit = 2 * eps(dtype) * (1 + np.log2(n)) * np.sqrt(np.sum(np.abs(wanted) ** 2))
        columns = np.ascontiguousarray(z.T)
        for got in (tn.fft.fft(tn.array(z)), tn.fft.fft(tn.array(columns), axis=0).T):
            assert np.sqrt(np.sum(np.abs(got.get() - wanted) ** 2)) <= unit
        got = tn.fft.ifft(tn.array(z), norm="forward").get()
        assert np.sqrt(np.sum(np.abs(got - direct(z, 1)) ** 2)) <= unit
        x = z.real.copy()
        wanted = direct(x)
        unit = 2 * eps(dtype) * (1 + np.log2(n)) * np.sqrt(np.sum(np.abs(wanted) ** 2))
        half = tn.fft.rfft(tn.array(x))
        assert np.sqrt(np.sum(np.abs(half.get() - wanted[:, : n // 2 + 1]) ** 2)) <= unit
        assert np.sqrt(np.sum(np.abs(tn.fft.fft(tn.array(x)).get() - wanted) ** 2)) <= unit
        back = tn.fft.irfft(half, n).get()
        assert np.abs(back - x).max() <= 40 * eps(dtype) * np.abs(x).max()


@pytest.mark.parametrize("dtype", ["f", "d"])
@pytest.mark.parametrize("n", [1, 3, 7, 15, 17, 31, 101, 243, 997, 1001, 3**8])
def test_odd_real_lines(n, dtype):
    """Real lines of odd length go in pairs, and one of them as half a matrix."""
    for lines in (1, 2, 9, 16, 33, 40):
        x = values((lines, n), dtype)
        half = np.fft.rfft(x.astype("d"))
        for axis, a in ((1, x), (0, np.ascontiguousarray(x.T))):
            made = tn.fft.rfft(tn.array(a), axis=axis)
            back = tn.fft.irfft(made, n, axis=axis)
            close(made if axis else made.T, half.astype(dtype.upper()), dtype)
            close(back if axis else back.T, x, dtype)
            close(tn.fft.ihfft(tn.array(a), axis=axis), np.conj(made.get()) / np.dtype(dtype).type(n), dtype)
            whole = tn.fft.fft(tn.array(a), axis=axis)
            close(whole if axis else whole.T, np.fft.fft(x.astype("d")).astype(dtype.upper()), dtype)


@pytest.mark.parametrize("dtype", ["F", "D"])
@pytest.mark.parametrize("shape", [(1,), (7, 30), (5, 8, 9), (2, 101), (3, 4096)])
def test_energy(shape, dtype):
    """Parseval: the orthonormal transform keeps the sum of the squares."""
    z = tn.array(values(shape, dtype))
    before, after = (float((abs(a) ** 2).sum(dtype="d")) for a in (z, tn.fft.fftn(z, norm="ortho")))
    assert abs(after - before) <= 16 * eps(dtype) * before


@pytest.mark.parametrize("dtype", ["F", "D"])
@pytest.mark.parametrize("n", LONG)
def test_long_lines(n, dtype):
    z = values(n, dtype)
    a = tn.array(z)
    got = tn.fft.fft(a)
    close(got, np.fft.fft(z.astype("D")).astype(dtype), dtype, 20)
    close(tn.fft.ifft(got), z, dtype, 20)
    energy = np.sum(np.abs(z.astype("D")) ** 2)
    assert abs(np.sum(np.abs(got.get().astype("D")) ** 2) / n - energy) <= 40 * eps(dtype) * energy
    real = tn.array(z.real.copy())
    close(tn.fft.irfft(tn.fft.rfft(real), n), z.real, dtype, 20)
    close(tn.fft.fft(real), np.fft.fft(z.real.astype("d")).astype(dtype), dtype, 20)
    close(tn.fft.hfft(a[: n // 2 + 1], n), np.fft.hfft(z[: n // 2 + 1].astype("D"), n).astype(z.real.dtype), dtype, 20)


@pytest.mark.parametrize("name", ONE)
@pytest.mark.parametrize("dtype", ["?", "b", "H", "i", "q", "e", "f", "d", "F", "D"])
def test_dtypes(name, dtype):
    data = (10 * RNG.standard_normal(12)).astype(dtype)
    if name in REAL_INPUT and np.dtype(dtype).kind == "c":
        with pytest.raises(TypeError):
            getattr(tn.fft, name)(tn.array(data))
        return
    wanted = getattr(np.fft, name)(data)
    if dtype == "e":  # NumPy rounds the factor 1/n to a half
        wanted = getattr(np.fft, name)(data.astype("f")).astype(wanted.dtype)
    got = getattr(tn.fft, name)(tn.array(data))
    close(got, wanted, "e" if wanted.dtype == "e" else "f" if dtype in "efF" else "d")


@pytest.mark.parametrize("dtype", ["f", "D"])
@pytest.mark.parametrize("name", ONE)
def test_layouts_and_axes(name, dtype):
    data = values((6, 20, 9), dtype)
    if name in REAL_INPUT:
        data = data.real.copy()
    function, ours = getattr(np.fft, name), getattr(tn.fft, name)
    made = tn.array(data)
    for view, same in [
        (data, made),
        (data.T, made.T),
        (data[::-1, ::2], made[::-1, ::2]),
        (data[:, 3], made[:, 3]),
        (np.broadcast_to(data[:1], data.shape), tn.broadcast_to(made[:1], data.shape)),
        (np.asfortranarray(data), tn.asfortranarray(made)),
    ]:
        for axis in range(-view.ndim, view.ndim):
            for n in (None, 1, 5, 16, 23):
                if n is None and name in ("irfft", "hfft") and view.shape[axis] < 2:
                    continue
                close(ours(same, n, axis), function(view, n, axis), dtype, 20)
    for norm in ("ortho", "forward", "backward"):
        close(ours(made, norm=norm), function(data, norm=norm), dtype, 20)


@pytest.mark.parametrize("dtype", ["f", "F", "d", "D"])
@pytest.mark.parametrize("name", MANY)
def test_several_axes(name, dtype):
    if name in REAL_INPUT and np.dtype(dtype).kind == "c":
        pytest.skip("real input only")
    function, ours = getattr(np.fft, name), getattr(tn.fft, name)
    for shape in ((3, 4), (17, 16), (5, 6, 7), (2, 3, 4, 5), (40, 33)):
        data = values(shape, dtype)
        made = tn.array(data)
        close(ours(made), function(data), dtype, 20)
        close(ours(made.T), function(data.T), dtype, 20)
        for s, axes in (
            ((4, 9), (0, -1)),
            ((7, 3), (-1, 0)),
            (None, (1, 0)),
            ((-1, 8), (0, 1)),
            (None, (0,)),
            ((5,), (1,)),
        ):
            close(ours(made, s, axes), function(data, s, axes), dtype, 20)
        close(ours(made, axes=(0, 1, 0)), function(data, axes=(0, 1, 0)), dtype, 20)
        close(ours(made, norm="ortho"), function(data, norm="ortho"), dtype, 20)


def test_out():
    data = values((4, 6), "D")
    made = tn.array(data)
    out = tn.empty((4, 6), "D")
    assert tn.fft.fft(made, out=out) is out
    close(out, np.fft.fft(data), "D")
    assert tn.fft.fftn(made, out=made) is made
    close(made, np.fft.fftn(data), "D")
    transposed = tn.empty((6, 4), "D").T
    assert tn.fft.ifft(tn.array(data), out=transposed) is transposed
    close(transposed, np.fft.ifft(data), "D")
    with pytest.raises(ValueError, match="output array has wrong shape"):
        tn.fft.fft(made, out=tn.empty((4, 5), "D"))
    with pytest.raises(TypeError):
        tn.fft.fft(made, out=tn.empty((4, 6), "d"))
    kept = made.get()
    with pytest.raises(ValueError):
        tn.fft.fft(made, 0, out=made)
    assert (made.get() == kept).all()


def test_empty_and_errors():
    assert tn.fft.fft(tn.zeros((0, 4))).shape == (0, 4)
    assert tn.fft.rfft(tn.zeros((0, 5))).shape == (0, 3)
    assert (tn.fft.fft(tn.zeros(0), 4).get() == 0).all()
    for call in (
        lambda: tn.fft.fft(tn.zeros(0)),
        lambda: tn.fft.fft(tn.ones(3), 0),
        lambda: tn.fft.fft(tn.ones(3), -1),
        lambda: tn.fft.irfft(tn.ones(1)),
        lambda: tn.fft.fftn(tn.ones((2, 2)), (2,), (0, 1)),
        lambda: tn.fft.fft(tn.ones(3), norm="other"),
        lambda: tn.fft.fftn(tn.zeros((3, 0))),
    ):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: tn.fft.fft(tn.ones(3), axis=1), lambda: tn.fft.fft(tn.array(1.0))):
        with pytest.raises(IndexError):
            call()
    with pytest.raises(TypeError):
        tn.fft.fft(tn.ones(3), 2.5)
    with pytest.raises(TypeError):
        tn.fft.fft([1, 2, 3])


def test_not_finite():
    data = values((40, 24), "D")
    data[3, 5], data[20, 0] = np.nan, np.inf
    got = tn.fft.fft(tn.array(data)).get()
    spoilt = ~np.isfinite(got).all(1)
    assert np.flatnonzero(spoilt).tolist() == [3, 20]
    assert np.isnan(got[3]).all()


def test_frequencies_and_shifts():
    for n in (1, 2, 5, 8):
        for d in (1, 0.25):
            assert (tn.fft.fftfreq(n, d).get() == np.fft.fftfreq(n, d)).all()
            assert (tn.fft.rfftfreq(n, d).get() == np.fft.rfftfreq(n, d)).all()
            for made in (tn.fft.fftfreq(n, d, dtype=tn.float32), tn.fft.rfftfreq(n, d, dtype="f4")):
                assert made.dtype == np.float32 and made.size in (n, n // 2 + 1)
    with pytest.raises(ValueError, match="n should be an integer"):
        tn.fft.fftfreq(2.5)
    data = np.arange(30).reshape(5, 6)
    for axes in (None, 0, (0, 1), [1], -1):
        assert (tn.fft.fftshift(tn.array(data), axes).get() == np.fft.fftshift(data, axes)).all()
        assert (tn.fft.ifftshift(tn.array(data), axes).get() == np.fft.ifftshift(data, axes)).all()


def test_numpy_dispatch():
    made = tn.array(values(8, "D"))
    for name in ("fft", "irfft", "fftn", "fftshift"):
        got = getattr(np.fft, name)(made)
        assert type(got) is tn.ndarray
        assert (got.get() == getattr(tn.fft, name)(made).get()).all()


def test_plan_cache(capsys):
    config = tn.fft.config
    cache = config.get_plan_cache()
    size = config.get_plan_cache_size()
    cache.clear()
    try:
        for _ in range(3):
            tn.fft.fft(tn.ones(8, "F"))
        assert cache.get_curr_size() == 1
        cache.show_info()
        assert "hits / misses: 2 / 1 (counts)" in capsys.readouterr().out
        tn.fft.fft(tn.ones(1_000_003, "F"))  # a large prime needs memory everywhere
        assert cache.get_curr_memsize() > 0
        config.set_plan_cache_size(2)
        for n in (8, 9, 10, 11):
            tn.fft.fft(tn.ones(n, "F"))
        assert len(cache) == 2
        config.set_plan_cache_size(0)
        assert len(cache) == 0
        assert tn.fft.fft(tn.ones(8, "F")).get()[0] == 8
        assert len(cache) == 0
        config.set_plan_cache_size(-1)
        with pytest.raises(ValueError):
            config.set_plan_cache_size(-2)
    finally:
        config.set_plan_cache_size(size)


def test_config():
    config = tn.fft.config
    assert config.get_current_callback_manager() is None
    for wrong in (1, [0], "2"):
        with pytest.raises(ValueError):
            config.set_cufft_gpus(wrong)


@pytest.mark.parametrize(
    "module", ["tenorite.fft", "tenorite.fft.config", "tenorite.fft._cache", "tenorite.fft._callbacks"]
)
def test_examples(module):
    import importlib

    found = importlib.import_module(module)
    kept = found.__dict__.get("devices")
    try:
        failed, tried = doctest.testmod(found, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    finally:
        if "devices" in found.__dict__:
            found.devices = kept
    assert failed == 0 and (tried > 0)
