"""scipy.fft and scipy.fftpack: cosine and sine transforms against their sums, plans, fftpack's
packed numbers, the protocol of scipy.fft's backends."""

import doctest
import importlib
import types

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import fft, fftpack

RNG = np.random.default_rng(9)
PI = 4 * np.arctan(np.longdouble(1))


def cosine(x, kind):
    """The sums themselves, along the last axis."""
    n = x.shape[-1]
    k, j = np.arange(n, dtype=np.longdouble)[:, None], np.arange(n, dtype=np.longdouble)
    if kind == 1:
        weights = np.where((j == 0) | (j == n - 1), 1, 2)
        return x @ (weights * np.cos(PI * k * j / (n - 1))).T
    if kind == 2:
        return x @ (2 * np.cos(PI * k * (2 * j + 1) / (2 * n))).T
    if kind == 3:
        return x @ (np.where(j == 0, 1, 2) * np.cos(PI * (2 * k + 1) * j / (2 * n))).T
    return x @ (2 * np.cos(PI * (2 * k + 1) * (2 * j + 1) / (4 * n))).T


def sine(x, kind):
    n = x.shape[-1]
    k, j = np.arange(n, dtype=np.longdouble)[:, None], np.arange(n, dtype=np.longdouble)
    if kind == 1:
        return x @ (2 * np.sin(PI * (k + 1) * (j + 1) / (n + 1))).T
    if kind == 2:
        return x @ (2 * np.sin(PI * (k + 1) * (2 * j + 1) / (2 * n))).T
    if kind == 3:
        weights = np.where(j == n - 1, 1, 2)
        return x @ (weights * np.sin(PI * (2 * k + 1) * (j + 1) / (2 * n))).T
    return x @ (2 * np.sin(PI * (2 * k + 1) * (2 * j + 1) / (4 * n))).T


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
@pytest.mark.parametrize("name", ["dct", "dst"])
def test_cosine_and_sine(name, kind):
    sums = cosine if name == "dct" else sine
    forward, inverse = getattr(fft, name), getattr(fft, "i" + name)
    for n in (2, 3, 4, 7, 8, 16, 31, 100):
        for dtype in "fd":
            x = RNG.standard_normal((3, n)).astype(dtype)
            a = tn.array(x)
            wanted = sums(x.astype("d"), kind)
            unit = 50 * np.finfo(dtype).eps * np.abs(wanted).max()
            got = forward(a, kind)
            assert got.dtype == dtype and np.abs(got.get() - wanted).max() <= unit
            whole = 2 * (n + (0 if kind != 1 else -1 if name == "dct" else 1))
            assert np.abs(forward(a, kind, norm="forward").get() * whole - wanted).max() <= unit
            for norm in (None, "ortho", "forward"):
                back = inverse(forward(a, kind, norm=norm), kind, norm=norm)
                assert np.abs(back.get() - x).max() <= 50 * np.finfo(dtype).eps * np.abs(x).max()
            matrix = forward(tn.eye(n, dtype=dtype), kind, axis=0, norm="ortho").get()
            assert np.abs(matrix @ matrix.T - np.eye(n)).max() <= 50 * np.finfo(dtype).eps
            transposed = forward(a.T, kind, axis=0).get().T
            assert np.abs(transposed - wanted).max() <= unit
    z = RNG.standard_normal(9) + 1j * RNG.standard_normal(9)
    assert np.allclose(forward(tn.array(z), kind).get(), sums(z.real, kind) + 1j * sums(z.imag, kind))
    padded = np.append(z.real, [0, 0])
    assert np.allclose(forward(tn.array(z.real.copy()), kind, 11).get(), sums(padded, kind))
    assert np.allclose(forward(tn.array(z.real.copy()), kind, 6).get(), sums(z.real[:6], kind))


@pytest.mark.parametrize("n", [4096, 20001, 65538, 70001])
def test_long_cosines(n):
    """Lines that threads share, and a large prime: back and forth, and some elements by sums."""
    x = RNG.standard_normal(n)
    k = np.array([0, 1, n // 2, n - 2, n - 1])
    angles = (np.outer(k, 2 * np.arange(n) + 1) % (4 * n)) * (np.pi / (2 * n))
    got = fft.dct(tn.array(x))
    assert np.allclose(got.get()[k], 2 * (np.cos(angles) @ x), atol=1e-9)
    assert np.allclose(fft.idct(got).get(), x)
    for kind in (1, 4):
        assert np.allclose(fft.idst(fft.dst(tn.array(x), kind), kind).get(), x)


@pytest.mark.parametrize("name", ["dctn", "dstn"])
def test_several_axes(name):
    x = RNG.standard_normal((4, 5, 6))
    sums = cosine if name == "dctn" else sine
    wanted = sums(sums(sums(x, 2).swapaxes(1, 2), 2).swapaxes(1, 2).swapaxes(0, 2), 2).swapaxes(0, 2)
    got = getattr(fft, name)(tn.array(x))
    assert np.allclose(got.get(), wanted)
    assert np.allclose(getattr(fft, "i" + name)(got).get(), x)
    part = getattr(fft, name)(tn.array(x), 3, (7,), (1,))
    assert part.shape == (4, 7, 6)
    for wrong in (lambda: getattr(fft, name)(tn.array(x), 5), lambda: getattr(fft, name)(tn.array(x), 2, (3,), (0, 1))):
        with pytest.raises(ValueError):
            wrong()


NAMES = [kind + where for kind in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft") for where in ("", "2", "n")]


@pytest.mark.parametrize("name", NAMES)
def test_of_numpy(name):
    x = RNG.standard_normal((4, 6))
    z = x + 1j * RNG.standard_normal((4, 6))
    data = x if name.lstrip("i").startswith("rfft") and name[0] == "r" or name.startswith("ihfft") else z
    plain = name.rstrip("2n")
    got = getattr(fft, name)(tn.array(data)).get()
    if hasattr(np.fft, name):
        wanted = getattr(np.fft, name)(data)
    elif name.startswith("hfft"):
        wanted = getattr(np.fft, name[1:].replace("fft", "irfft"))(data.conj(), norm="forward")
    else:
        wanted = getattr(np.fft, name[2:].replace("fft", "rfft"))(data, norm="forward").conj()
    assert got.dtype == wanted.dtype and np.allclose(got, wanted)
    value_type = {"r": "R2C", "h": "C2R"}.get(plain[0], {"ir": "C2R", "ih": "R2C"}.get(plain[:2], "C2C"))
    axes = 1 if plain == name else (0, 1)
    plan = fft.get_fft_plan(tn.array(data), axes=axes, value_type=value_type)
    assert np.allclose(getattr(fft, name)(tn.array(data), plan=plan).get(), wanted)
    with plan:
        assert np.allclose(getattr(fft, name)(tn.array(data)).get(), wanted)
    with pytest.raises(ValueError, match="not match"):
        getattr(fft, name)(tn.ones((5, 7), data.dtype), plan=plan)


def test_overwrite():
    z = RNG.standard_normal((4, 6)) + 0j
    a = tn.array(z)
    assert fft.fft(a, overwrite_x=True) is a and np.allclose(a.get(), np.fft.fft(z))
    a = tn.array(z)
    assert fft.fftn(a, overwrite_x=True) is a and np.allclose(a.get(), np.fft.fftn(z))
    assert fft.fft(a, 5, overwrite_x=True) is not a


def test_plans_refused():
    a = tn.ones((4, 6), "F")
    for wrong in (
        lambda: fft.get_fft_plan(a, value_type="C2D"),
        lambda: fft.get_fft_plan(a[:, ::2]),
        lambda: fft.get_fft_plan(a, axes=(2,)),
        lambda: fft.get_fft_plan(a, (3,), (0, 1)),
        lambda: fft.get_fft_plan(tn.ones((2, 2, 2, 2))),
        lambda: fft.fftn(a, axes=(0, 0)),
    ):
        with pytest.raises(ValueError):
            wrong()


def test_fast_lengths():
    def is_fast(n):
        for prime in (2, 3, 5, 7):
            while n % prime == 0:
                n //= prime
        return n == 1

    fast = [n for n in range(1, 3000) if is_fast(n)]
    for n in range(1, 2000):
        assert fft.next_fast_len(n) == next(m for m in fast if m >= n)
    assert fft.next_fast_len(0) == 0
    with pytest.raises(ValueError):
        fft.next_fast_len(-1)


@pytest.mark.parametrize("transform", [fft.dctn, fft.dstn, fft.idctn, fft.idstn])
def test_lengths_of_several_axes(transform):
    """The lengths and axes that SciPy takes and refuses."""
    x = tn.array(RNG.standard_normal((3, 4)))
    assert np.array_equal(transform(x, s=(-1, -1)).get(), transform(x).get())
    assert np.array_equal(transform(x, s=5).get(), transform(x, s=(5,), axes=(-1,)).get())
    for s, axes, text in (
        (None, (-1, -2, -3), "axes exceeds"),
        (None, (1, -1), "must be unique"),
        ((1, 2, 3), None, "shape requires more axes"),
        ((2, 3), (0,), "same length"),
        ((0, 5), None, "number of data points"),
        ((1.5, 2.5), None, "iterable of integers"),
    ):
        with pytest.raises(ValueError, match=text):
            transform(x, s=s, axes=axes)


def test_hankel():
    n, mu = 256, 0.5
    r = np.logspace(-4, 4, n)
    dln = np.log(r[1] / r[0])
    a = r ** (mu + 1) * np.exp(-(r**2) / 2)
    k = 1 / r[::-1]
    wanted = k ** (mu + 1) * np.exp(-(k**2) / 2)  # its own transform
    got = fft.fht(tn.array(a), dln, mu).get()
    assert np.abs(got - wanted).max() < 1e-3
    for bias in (0.0, 0.2):
        back = fft.ifht(fft.fht(tn.array(a), dln, mu, 0.1, bias), dln, mu, 0.1, bias)
        assert np.abs(back.get() - a).max() < 1e-9
    on_device = tn.log(tn.array(r[1] / r[0]))
    assert np.array_equal(fft.fht(tn.array(a), on_device, mu).get(), got)
    for transform in (fft.fht, fft.ifht):
        assert transform(tn.array(a, dtype="f"), dln, mu).dtype == np.float32


@pytest.mark.parametrize("n", [1, 2, 5, 8, 9])
def test_packed(n):
    x = RNG.standard_normal((3, n))
    half = np.fft.rfft(x)
    parts = np.stack([half.real, half.imag], axis=-1).reshape(3, -1)
    wanted = np.delete(parts, 1, axis=1)[:, :n]
    got = fftpack.rfft(tn.array(x))
    assert np.allclose(got.get(), wanted)
    assert np.allclose(fftpack.rfft(tn.array(x.T.copy()), axis=0).get().T, wanted)
    assert np.allclose(fftpack.irfft(got).get(), x)
    longer = np.zeros((3, n + 3))
    longer[:, :n] = x
    assert np.allclose(fftpack.irfft(fftpack.rfft(tn.array(x), n + 3)).get(), longer)


def test_plans_of_others():
    """NumPy's arrays show a plan their shape; what is no plan is refused as CuPy does it."""
    x = RNG.standard_normal((4, 6)).astype("f")
    plan = fft.get_fft_plan(x, axes=1, value_type="R2C")
    assert np.allclose(fft.rfft(tn.array(x), plan=plan).get(), np.fft.rfft(x), atol=1e-5)
    packed = fftpack.rfft(tn.array(x), plan=plan)
    assert np.array_equal(packed.get(), fftpack.rfft(tn.array(x)).get())
    for name in ("hfft", "ihfft"):
        with pytest.raises(NotImplementedError, match=f"{name}.*not yet supported"):
            getattr(fft, name)(tn.array(x), plan="abc")


def test_backend_protocol():
    """scipy.fft asks a backend by these two names; SciPy itself need not be here."""
    a = tn.array(RNG.standard_normal(8) + 0j)
    assert fft.__ua_domain__ == "numpy.scipy.fft"
    method = types.SimpleNamespace(__name__="fft")
    got = fft.__ua_function__(method, (a,), {"axis": 0, "workers": 2})
    assert np.allclose(got.get(), np.fft.fft(a.get()))
    assert fft.__ua_function__(types.SimpleNamespace(__name__="czt"), (a,), {}) is NotImplemented


def test_backend_of_scipy():
    """Every function that SciPy dispatches, in all ways to name a backend."""
    theirs = pytest.importorskip("scipy.fft")
    x = RNG.standard_normal((4, 6))
    for name in sorted(set(theirs.__all__) & set(fft.__all__) - {"fftfreq", "rfftfreq", "fftshift", "ifftshift"}):
        if name == "next_fast_len":
            continue
        arguments = (0.5, 0.0) if name in ("fht", "ifht") else ()
        wanted = getattr(theirs, name)(x, *arguments)
        with theirs.set_backend(fft):
            got = getattr(theirs, name)(tn.array(x), *arguments)
            # NumPy's arrays go to SciPy, unless they may be converted.
            assert type(getattr(theirs, name)(x, *arguments)) is np.ndarray
        assert type(got) is tn.ndarray
        assert np.allclose(got.get(), wanted)
    with theirs.set_backend(fft, coerce=True):
        assert type(theirs.fft(x)) is tn.ndarray
        with theirs.skip_backend(fft):
            assert type(theirs.fft(x)) is np.ndarray
    with theirs.set_backend(fft, only=True), pytest.raises(Exception, match="backend"):
        theirs.fft(x)
    a = tn.array(x)
    theirs.register_backend(fft)
    try:
        with theirs.skip_backend("scipy"):
            assert type(theirs.rfft2(a, workers=2)) is tn.ndarray
    finally:
        # Nothing registered remains after this: SciPy's own backend is the global one again.
        importlib.import_module("scipy._lib.uarray").clear_backends("numpy.scipy.fft", registered=True)


MODULES = ["", "._hankel", "._lengths", "._plan", "._real"]


@pytest.mark.parametrize("module", [*("tenorite.scipy.fft" + one for one in MODULES), "tenorite.scipy.fftpack"])
def test_examples(module):
    failed, tried = doctest.testmod(importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0 and tried > 0
