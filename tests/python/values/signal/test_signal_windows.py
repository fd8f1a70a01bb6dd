"""tenorite.scipy.signal.windows beside SciPy's."""

import numpy as np
import pytest
import tenorite as tn
from tenorite.scipy import signal
from tenorite.scipy.signal import windows

ours = windows
theirs = pytest.importorskip("scipy.signal.windows")

CALLS = {
    "barthann": [()],
    "bartlett": [()],
    "blackman": [()],
    "blackmanharris": [()],
    "bohman": [()],
    "boxcar": [()],
    "chebwin": [(60,), (100.0,), (-50,)],
    "cosine": [()],
    "exponential": [(), (None, 3.0)],
    "flattop": [()],
    "gaussian": [(2.5,), (0.3,)],
    "general_cosine": [([0.4, 0.3, 0.2, 0.1],), ([1.0],)],
    "general_gaussian": [(1.5, 7), (0.5, 2)],
    "general_hamming": [(0.6,)],
    "hamming": [()],
    "hann": [()],
    "kaiser": [(0,), (5.0,), (14,)],
    "lanczos": [()],
    "nuttall": [()],
    "parzen": [()],
    "taylor": [(), (6, 40), (3, 25, False), (1,)],
    "triang": [()],
    "tukey": [(), (0.0,), (1.0,), (0.1,), (1.5,), (0.9,)],
}


@pytest.mark.parametrize("name", CALLS)
def test_windows(name):
    rtol = 1e-9 if name == "chebwin" else 1e-11  # it turns by the order times an arc cosine
    assert name in windows.__all__
    for arguments in CALLS[name]:
        for sym in (True, False):
            for length in (0, 1, 2, 3, 4, 5, 8, 33, 64, 1001):
                found = getattr(ours, name)(length, *arguments, sym=sym)
                with np.errstate(all="ignore"):
                    expected = (
                        getattr(theirs, name)(length, *map(np.asarray, arguments), sym=sym)
                        if (name == "general_cosine")
                        else getattr(theirs, name)(length, *arguments, sym=sym)
                    )
                assert found.dtype == np.float64 and found.shape == expected.shape
                np.testing.assert_allclose(found.get(), expected, rtol=rtol, atol=2e-13, err_msg=f"{length} {sym}")


def test_of_other_arguments():
    for length in (0, 2, 12):
        expected = theirs.kaiser_bessel_derived(length, 4.0)
        np.testing.assert_allclose(ours.kaiser_bessel_derived(length, 4.0).get(), expected, rtol=1e-13)
    centered = ours.exponential(9, 2, 1.5, False).get()
    np.testing.assert_allclose(centered, theirs.exponential(9, 2, 1.5, False), rtol=1e-14)
    coefficients = tn.array([0.5, 0.3, 0.2])
    expected = theirs.general_cosine(9, coefficients.get())
    np.testing.assert_allclose(ours.general_cosine(9, coefficients).get(), expected, atol=1e-15)
    with pytest.warns(UserWarning, match="not suitable for spectral"):
        ours.chebwin(7, 40)


def test_slepian_windows():
    found, ratios = ours.dpss(51, 2.5, 3, return_ratios=True)
    expected, theirs_too = theirs.dpss(51, 2.5, 3, return_ratios=True)
    np.testing.assert_allclose(found.get(), expected, atol=1e-12)
    np.testing.assert_allclose(ratios.get(), theirs_too)
    np.testing.assert_allclose(ours.dpss(50, 3).get(), theirs.dpss(50, 3))


ERRORS = [
    "windows.hann(-1)",
    "windows.hann(2.5)",
    "windows.kaiser_bessel_derived(5, 4)",
    "windows.kaiser_bessel_derived(6, 4, sym=False)",
    "windows.exponential(5, center=2)",
    "get_window('hann', 0)",
    "get_window('hann', 2.0)",
    "get_window('hann', 4, fftbins=1)",
    "get_window('nothing', 4)",
    "get_window(('nothing', 2), 4)",
    "get_window((2, 'hann'), 4)",
    "get_window(('hann', 2), 4)",
    "get_window('kaiser', 4)",
    "get_window(('dpss', 1, 2), 4)",
    "get_window([1, 2], 4)",
]


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    import scipy.signal

    with pytest.raises(ValueError) as expected:
        eval(f"scipy.signal.{text}", {"scipy": scipy})
    with pytest.raises(ValueError) as found:
        eval(f"signal.{text}", {"signal": signal})
    assert str(found.value) == str(expected.value)


NAMES = [
    "hann",
    "hann_periodic",
    "hann_symmetric",
    "tri",
    "boxcar",
    "kbd",
    "ksr",
    "poisson",
    "taylorwin",
    "general hamming",
]


@pytest.mark.parametrize("name", [*NAMES, ("kaiser", 3.0), ("tukey", 0.3), ("tukey_periodic", 0.3), ("gauss", 2), 8.6])
def test_get_window(name):
    given = {"kbd": ("kbd", 3.0), "ksr": ("ksr_symmetric", 2.0), "general hamming": ("general hamming", 0.7)}
    name = given.get(name, name)
    fftbins = name != ("kbd", 3.0)
    expected = theirs.get_window(name, 10, fftbins)
    np.testing.assert_allclose(signal.get_window(name, 10, fftbins).get(), expected, rtol=1e-13, atol=1e-15)
