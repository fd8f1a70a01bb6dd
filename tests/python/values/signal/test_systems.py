"""tenorite.scipy.signal: linear systems beside SciPy's."""

import pickle

import numpy as np
import pytest
import tenorite as tn
from oracle import quiet
from tenorite.scipy import signal
from test_design import both, same

theirs = pytest.importorskip("scipy.signal")

CALLS = """
    lsim(([1.0], [1.0, 1.0]), x([1.0, 2.0, 3.0]), x([0.0, 1.0, 2.0]))
    lsim(m.lti([1.0], [1.0, 1.0]), [1.0, 2.0, 3.0], [0.0, 1.0, 2.0], X0=x([0.5]), interp=False)
    impulse(([1.0], [1.0, 1.0]), N=7)
    impulse(m.StateSpace(-1.0, 1.0, 1.0, 0.0), T=x([0.0, 0.5, 1.0]))
    step(([1.0], [1.0, 3.0, 1.0]))
    bode(m.lti([1.0], [1.0, 3.0, 1.0]), n=9)
    freqresp(([1.0, 2.0], [1.0, 3.0, 1.0]), w=x([0.1, 1.0]))
    dlsim(([1.0], [1.0, -0.5], 0.1), x([1.0, 2.0, 3.0]))
    dlsim(m.dlti([1.0], [1.0, -0.5], dt=0.5), [[1.0], [2.0]], x0=x([2.0]))
    dimpulse(([1.0], [1.0, -0.5], 0.1), n=4)
    dstep(([1.0], [1.0, -0.5], 0.1), n=4)
    dbode(([1.0], [1.0, -0.5], 0.1), n=4)
    dfreqresp(([1.0], [1.0, -0.5], 0.1), n=4, whole=True)
    lti([1.0], [1.0, 2.0]).impulse(N=3)
    lti([1.0], [1.0, 2.0]).step(T=[0.0, 1.0])
    lti([1.0], [1.0, 2.0]).output([1.0, 1.0], [0.0, 1.0], X0=[1.0])
    lti([1.0], [1.0, 2.0]).bode(n=3)
    lti([1.0], [1.0, 2.0]).freqresp(n=3)
    lti([1.0], [1.0, 2.0]).to_discrete(0.1, "tustin").num
    dlti([1.0], [1.0, 0.2]).impulse(n=3)
    dlti([1.0], [1.0, 0.2]).step(n=3)
    dlti([1.0], [1.0, 0.2]).output(x([1.0, 1.0]), None)
    dlti([1.0], [1.0, 0.2]).bode(n=3)
    dlti([1.0], [1.0, 0.2]).freqresp(n=3)
    TransferFunction([1.0, 3.0], [1.0, 2.0, 5.0], dt=0.1).to_zpk().zeros
    TransferFunction([1.0, 3.0], [1.0, 2.0, 5.0]).to_ss().A
    TransferFunction(m.lti([1.0], [2.0], 3.0)).num
    ZerosPolesGain(x([1.0]), x([2.0, 3.0]), 4.0).to_tf().den
    ZerosPolesGain([1.0], [2.0, 3.0], 4.0).to_ss().B
    ZerosPolesGain([1.0], [2.0, 3.0], 4.0).gain
    ZerosPolesGain([1.0], [2.0, 3.0], 4.0, dt=0.2).dt
    StateSpace(x([[1.0, 2.0], [3.0, 4.0]]), [[1.0], [2.0]], [[1.0, 0.0]], [[0.0]]).to_tf().num
    StateSpace([[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0]], [[1.0, 0.0]], [[0.0]]).to_zpk().poles
    StateSpace([[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0]], [[1.0, 0.0]], [[0.0]]).to_ss().C
    StateSpace([[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0]], [[1.0, 0.0]], [[0.0]]).inputs
    StateSpace([[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0]], [[1.0, 0.0]], [[0.0]]).outputs
    StateSpace([[1.0, 2.0], [3.0, 4.0]], [[1.0], [2.0]], [[1.0, 0.0]], [[0.0]]).zeros
"""


@pytest.mark.parametrize("text", [line.strip() for line in CALLS.strip().splitlines()])
def test_systems(text):
    with quiet():
        found, expected = both(text)
    same(found, expected, rtol=1e-10, atol=1e-13)


OPERATIONS = ["s + s", "s - s", "s * s", "-s", "2 * s", "s * 3", "s / 4", "s + 1", "1 - s", "s * d", "d * s"]


@pytest.mark.parametrize("text", OPERATIONS)
def test_operations(text):
    d = np.array([[2.0]])
    found = eval(text, {"s": signal.StateSpace(-1.0, 1.0, 2.0, 0.5), "d": tn.asarray(d)})
    expected = eval(text, {"s": theirs.StateSpace(-1.0, 1.0, 2.0, 0.5), "d": d})
    assert isinstance(found, signal.StateSpace)
    for name in "ABCD":
        same(getattr(found, name), getattr(expected, name))


def test_classes():
    system = signal.lti([1.0], [1.0, 2.0])
    assert isinstance(system, signal.lti) and isinstance(system, signal.TransferFunction)
    assert isinstance(signal.dlti([1.0], [1.0], 2.0, dt=0.1), signal.ZerosPolesGain)
    assert repr(system).startswith("TransferFunctionContinuous(")
    system.num = tn.array([3.0])
    assert pickle.loads(pickle.dumps(system)).num.tolist() == [3.0]
    with pytest.raises(TypeError):
        signal.StateSpace(-1.0, 1.0, 2.0, 0.5) + signal.StateSpace(-1.0, 1.0, 2.0, 0.5, dt=0.1)
    with pytest.raises(ValueError, match="2, 3 or 4 arguments"):
        signal.lti([1.0])


def test_place_poles():
    a, b = np.array([[1.0, 2, 0], [0, 1, 1], [1, 0, 0]]), np.array([[1.0, 0], [0, 1], [1, 1]])
    found = signal.place_poles(tn.asarray(a), tn.asarray(b), [-1.0, -2, -3], method="KNV0", maxiter=50)
    expected = theirs.place_poles(a, b, [-1.0, -2, -3], method="KNV0", maxiter=50)
    same(found.gain_matrix, expected.gain_matrix, rtol=1e-9)
    same(found.computed_poles, expected.computed_poles, rtol=1e-9)
    assert found.keys() == vars(expected).keys()
