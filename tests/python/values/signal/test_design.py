"""tenorite.scipy.signal: design of filters beside SciPy's."""

import numpy as np
import pytest
import tenorite as tn
from oracle import quiet, to_host
from tenorite.scipy import signal

theirs = pytest.importorskip("scipy.signal")

# Calls of both; `x` makes an array of the module.
CALLS = """
    bessel(3, 0.2, norm="mag")
    butter(4, [0.1, 0.3], "bandpass", output="sos")
    butter(4, x([0.1, 0.3]), "bandstop", output="zpk")
    butter(3, 20.0, "high", analog=True)
    butter(3, 20.0, fs=100)
    cheby1(5, 1, 0.3)
    cheby2(5, 40, 0.3, output="zpk")
    ellip(4, 1, 40, 0.4, "high", output="sos")
    iirdesign(x([0.2, 0.5]), [0.1, 0.6], 1, 40, ftype="cheby2", output="sos")
    iirfilter(3, [0.2, 0.4], rs=60, rp=1, ftype="ellip")
    iirnotch(60.0, 30.0, 200.0)
    iirpeak(0.3, 30)
    iircomb(20.0, 35.0, "peak", fs=200.0, pass_zero=True)
    gammatone(440, "fir", fs=16000)
    buttord(x([0.2, 0.5]), [0.1, 0.6], 3, 40)
    cheb1ord(0.2, 0.3, 3, 40, fs=2.0)
    cheb2ord(0.3, 0.2, 3, 40)
    ellipord(20.0, 30.0, 3, 40, True)
    buttap(4)
    cheb1ap(4, 1)
    cheb2ap(5, 40)
    ellipap(4, 1, 40)
    besselap(3, norm="delay")
    band_stop_obj(0.2, 0, x([0.1, 0.6]), x([0.3, 0.4]), 1, 40, "cheby")
    firwin2(15, [0.0, 0.5, 1.0], x([1.0, 1.0, 0.0]), nfreqs=33)
    firwin2(16, [0.0, 5, 10], [0.0, 1.0, 1.0], antisymmetric=True, fs=20)
    firwin_2d((5, 7), ("boxcar", ("kaiser", 2.0)))
    firls(9, [0.0, 0.3, 0.5, 1.0], x([1.0, 1, 0, 0]), weight=[1, 2])
    remez(12, [0.0, 0.1, 0.2, 0.5], [1, 0], fs=1.0, weight=[1, 5])
    minimum_phase(x(FIRWIN), "hilbert")
    minimum_phase(x(FIRWIN), half=False)
    bilinear(x([1.0, 2.0]), [1.0, 3.0, 1.0], 2.0)
    bilinear_zpk(x([-1.0]), x([-1.0, -2.0]), 3.0, 2.0)
    lp2lp([1.0], [1.0, 1.4, 1.0], 3.0)
    lp2hp([1.0], x([1.0, 1.4, 1.0]), 3.0)
    lp2bp([1.0], [1.0, 1.4, 1.0], 3.0, 0.5)
    lp2bs([1.0], [1.0, 1.4, 1.0], 3.0, 0.5)
    lp2lp_zpk(x([]), x([-1.0 + 1j, -1.0 - 1j]), 2.0, 3.0)
    lp2hp_zpk([], [-1.0 + 1j, -1.0 - 1j], 2.0, 3.0)
    lp2bp_zpk([], [-1.0 + 1j, -1.0 - 1j], 2.0, 3.0, 0.5)
    lp2bs_zpk([], [-1.0 + 1j, -1.0 - 1j], 2.0, 3.0, 0.5)
    normalize(x([2.0, 1.0]), x([2.0, 4.0]))
    findfreqs([1.0], x([1.0, 8.0, 25.0]), 9)
    tf2zpk(x([1.0, 2.0]), [1.0, 0.5, 0.3])
    zpk2tf(x([1.0, 2.0]), [0.5 + 1j, 0.5 - 1j], 3)
    tf2sos([1.0, 2.0, 3.0, 1.0], x([1.0, 0.5, 0.2]))
    sos2tf(x([[1.0, 2, 1, 1, 0.5, 0], [1.0, 2, 1, 1, 0.1, 0.3]]))
    sos2zpk(x([[1.0, 2, 1, 1, 0.5, 0]]))
    zpk2sos([-1.0, -1.0], x([0.5 + 0.1j, 0.5 - 0.1j]), 1.0, "keep_odd")
    tf2ss([1.0, 3.0], [1.0, 2.0, 3.0])
    ss2tf(x([[-1.0, 2.0], [0.0, 1.0]]), [[1.0], [2.0]], [[1.0, 0.0]], [[0.5]])
    zpk2ss([1.0], [-1.0, -2.0], 3.0)
    ss2zpk([[-1.0, 2.0], [0.0, 1.0]], [[1.0], [2.0]], [[1.0, 0.0]], [[0.5]])
    residue(x([1.0, 2.0, 3.0]), [1.0, 3.0, 2.0])
    residuez([1.0, 2.0], [1.0, 3.0, 2.0])
    invres([1.0, -1.0], [-1.0, -2.0], [])
    invresz([1.0, -1.0], x([-1.0, -2.0]), [1.0])
    unique_roots(x([1.0, 1.0001, 2.0]), 0.01, "max")
    kaiser_beta(60)
    kaiser_beta(30.0)
    kaiser_atten(47, 0.1)
    kaiserord(65, 0.03)
    cont2discrete(([1.0], [1.0, 1.0]), 0.1, "bilinear")
    cont2discrete((x([[-1.0]]), x([[1.0]]), x([[1.0]]), x([[0.0]])), 0.1)
    abcd_normalize(x([[-1.0]]), [[1.0]], [[1.0]])
"""
FIRWIN = [0.01, 0.05, 0.2, 0.3, 0.2, 0.05, 0.01]
CALLS = [line.strip() for line in CALLS.strip().splitlines()]


def both(text, call=eval):
    """What a call gives of ours and of SciPy's."""
    names = {"FIRWIN": FIRWIN}
    return (
        call(f"m.{text}", {"m": signal, "x": tn.array, **names}),
        call(f"m.{text}", {"m": theirs, "x": np.array, **names}),
    )


def same(found, expected, **options):
    """Whether results are close, in tuples and lists too; arrays of ours for NumPy's."""
    if isinstance(expected, (tuple, list)):
        assert type(found) is type(expected) and len(found) == len(expected)
        for one, other in zip(found, expected):
            same(one, other, **options)
        return
    if isinstance(expected, np.ndarray):
        assert isinstance(found, tn.ndarray) and found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(to_host(found), expected, **options)


@pytest.mark.parametrize("text", CALLS)
def test_design(text):
    with quiet():
        found, expected = both(text)
    same(found, expected, rtol=1e-12, atol=1e-14)


WINDOWED = [
    "firwin(9, 0.3)",
    "firwin(8, 0.3, window='hann')",
    "firwin(9, [0.2, 0.5])",
    "firwin(9, [0.2, 0.5], pass_zero=False)",
    "firwin(9, x([0.2, 0.5]), pass_zero='bandpass', scale=False)",
    "firwin(9, 20.0, width=5, fs=100, pass_zero='highpass')",
    "firwin(31, [0.1, 0.2, 0.3, 0.4], window=('kaiser', 4.0))",
    "firwin(1, 0.5)",
]


@pytest.mark.parametrize("text", WINDOWED)
def test_firwin(text):
    found, expected = both(text)
    same(found, expected, rtol=1e-12, atol=1e-16)


ERRORS = [
    "firwin(8, 0.3, pass_zero='highpass')",
    "firwin(9, 1.3)",
    "firwin(9, [])",
    "firwin(9, [0.5, 0.2])",
    "firwin(9, [[0.5, 0.2]])",
    "firwin(9, [0.2, 0.5], pass_zero='lowpass')",
    "firwin(9, 0.2, pass_zero='bandpass')",
    "firwin(9, 0.2, pass_zero='nothing')",
    "firwin(9, 0.2, fs=[1, 2])",
    "kaiserord(5, 0.1)",
    "butter(4, 1.5)",
    "butter()",
    "butter(4, 0.5, bype='low')",
    "iirfilter(4, 0.5, btype='nothing')",
    "zpk2sos([], [], 1.0, 'nothing')",
]


@pytest.mark.parametrize("text", ERRORS)
def test_errors(text):
    def call(line, names):
        with pytest.raises((TypeError, ValueError)) as caught:
            eval(line, names)
        return type(caught.value), str(caught.value)

    found, expected = both(text, call)
    assert found == expected


def test_warnings_are_of_our_class():
    sos = theirs.butter(12, [5.0, 30.0], "bandpass", fs=1200.0, output="sos")
    with pytest.warns(signal.BadCoefficients, match="Badly conditioned"):
        zeros = signal.sos2zpk(tn.asarray(sos))[0]
    assert zeros.size == 24


def test_scalars_stay_on_the_device():
    order, edge = signal.buttord(tn.asarray(0.2), 0.3, 3, 40)
    assert isinstance(order, int)
    assert isinstance(edge, tn.ndarray)
    assert edge.shape == ()
    gain = signal.tf2zpk(tn.asarray([2.0, 1.0]), [1.0, 0.5])[2]
    assert isinstance(gain, tn.ndarray)
    assert float(signal.zpk2tf([], [0.5], gain)[0][0]) == 2


def test_names():
    assert issubclass(signal.BadCoefficients, UserWarning)
    assert set(signal.__all__) <= set(dir(signal))
    with pytest.raises(AttributeError, match="nothing"):
        signal.nothing
