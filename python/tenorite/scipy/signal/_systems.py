"""Linear systems: SciPy's classes and functions on the host, which give arrays of a device."""

from tenorite.scipy.signal._host import SYSTEMS, fetched, forwarded, placed, scipy_signal, spelled

_OUTPUT = ("tuple of ndarrays", "Times and outputs; of inputs, the states, too.")
_RESPONSE = ("tuple of ndarrays", "Frequencies and complex responses.")
_BODE = ("tuple of ndarrays", "Frequencies, magnitudes in decibels and phases in degrees.")
_LOW = "([1.0], [1.0, 1.0])"
_DIGITAL = "([1.0], [1.0, -0.5], 0.1)"

# Name, parameters, what it does, what it returns, an example and what that prints.
_TABLE = [
    (
        "lsim",
        "system, U, T, X0=None, interp=True",
        "The output of a continuous system.",
        _OUTPUT,
        f"signal.lsim({_LOW}, [1.0, 1.0, 1.0], [0.0, 1.0, 2.0])[1].round(3)\narray([0.   , 0.632, 0.865])",
    ),
    (
        "impulse",
        "system, X0=None, T=None, N=None",
        "The output of a continuous system after an impulse.",
        _OUTPUT,
        f"signal.impulse({_LOW})[1].shape\n(100,)",
    ),
    (
        "step",
        "system, X0=None, T=None, N=None",
        "The output of a continuous system after a step.",
        _OUTPUT,
        f"signal.step({_LOW})[1].shape\n(100,)",
    ),
    (
        "bode",
        "system, w=None, n=100",
        "Magnitude and phase of a continuous system.",
        _BODE,
        f"signal.bode({_LOW})[1].shape\n(100,)",
    ),
    (
        "freqresp",
        "system, w=None, n=10000",
        "The frequency response of a continuous system.",
        _RESPONSE,
        f"signal.freqresp({_LOW}, n=5)[1].shape\n(5,)",
    ),
    (
        "dlsim",
        "system, u, t=None, x0=None",
        "The output of a discrete system.",
        _OUTPUT,
        f"signal.dlsim({_DIGITAL}, [1.0, 1.0, 1.0])[1].tolist()\n[[0.0], [1.0], [1.5]]",
    ),
    (
        "dimpulse",
        "system, x0=None, t=None, n=None",
        "The output of a discrete system after an impulse.",
        _OUTPUT,
        f"signal.dimpulse({_DIGITAL}, n=3)[1][0].tolist()\n[[0.0], [1.0], [0.5]]",
    ),
    (
        "dstep",
        "system, x0=None, t=None, n=None",
        "The output of a discrete system after a step.",
        _OUTPUT,
        f"signal.dstep({_DIGITAL}, n=3)[1][0].tolist()\n[[0.0], [1.0], [1.5]]",
    ),
    (
        "dbode",
        "system, w=None, n=100",
        "Magnitude and phase of a discrete system.",
        _BODE,
        f"signal.dbode({_DIGITAL})[1].shape\n(100,)",
    ),
    (
        "dfreqresp",
        "system, w=None, n=10000, whole=False",
        "The frequency response of a discrete system.",
        _RESPONSE,
        f"signal.dfreqresp({_DIGITAL}, n=5)[1].shape\n(5,)",
    ),
    (
        "cont2discrete",
        "system, dt, method='zoh', alpha=None",
        "A discrete system from a continuous one.",
        ("tuple", "The system as it was given, and the sampling time."),
        f"signal.cont2discrete({_LOW}, 0.1)[2]\n0.1",
    ),
    (
        "abcd_normalize",
        "A=None, B=None, C=None, D=None",
        "Matrices of a state with two axes, what lacks completed.",
        ("tuple of ndarrays", "A, B, C, D."),
        "signal.abcd_normalize(1.0, 2.0, 3.0)[3].shape\n(1, 1)",
    ),
]

globals().update({row[0]: forwarded(*row) for row in _TABLE})


class _Bunch(dict):
    """A dict whose values are attributes, too."""

    __getattr__ = dict.__getitem__


def _place_poles(**given):
    found = scipy_signal("place_poles")(**{key: fetched(value) for key, value in given.items()})
    return _Bunch({name: placed(value) for name, value in vars(found).items()})


place_poles = spelled(
    "place_poles",
    "A, B, poles, method='YT', rtol=0.001, maxiter=30",
    _place_poles,
    "The feedback that gives a system the poles.",
    ("dict", "With the attributes gain_matrix, computed_poles, requested_poles, X, rtol and nb_iter."),
    "signal.place_poles(tn.array([[0.0, 1], [0, 0]]), tn.array([[0.0], [1]]), [-1.0, -2]).gain_matrix.round(6)\narray([[2., 3.]])",
    "Computed by SciPy on the host, which must be installed. Tits and Yang, 1996.",
)


# --- Classes: each object has one of SciPy's, and says what that says ---


def _attribute(name, text):
    def read(self):
        return placed(getattr(self._of_scipy, name))

    def write(self, value):
        setattr(self._of_scipy, name, fetched(value))

    return property(read, write, doc=text)


def _method(name, parameters, summary, returns, example):
    def run(self, **given):
        given = {key: fetched(value) for key, value in given.items()}
        return placed(getattr(self._of_scipy, name)(**given))

    return spelled(name, f"self, {parameters}".rstrip(", "), run, summary, returns, f"signal.{example}")


def _operation(name):
    def run(self, *other):
        made = getattr(self._of_scipy, name)(*map(fetched, other))
        return made if made is NotImplemented else placed(made)

    run.__name__ = name
    return run


def _static(name):
    def run(num, den):
        return placed(getattr(scipy_signal("TransferFunction"), name)(*fetched((num, den))))

    return staticmethod(run)


class LinearTimeInvariant:
    """What systems share: one of SciPy's, on the host."""

    _of_scipy = None

    def __new__(cls, *system, **kwargs):
        return placed(scipy_signal(cls.__name__)(*fetched(system), **kwargs))

    @classmethod
    def _around(cls, of_scipy):
        self = object.__new__(cls)
        self._of_scipy = of_scipy
        return self

    def __reduce__(self):
        return _again, (self._of_scipy,)

    def __repr__(self):
        return repr(self._of_scipy)

    inputs = _attribute("inputs", "The number of inputs.")
    outputs = _attribute("outputs", "The number of outputs.")
    dt = _attribute("dt", "The sampling time; None of continuous systems.")
    zeros = _attribute("zeros", "The zeros.")
    poles = _attribute("poles", "The poles.")


def _again(of_scipy):
    return SYSTEMS[type(of_scipy).__name__]._around(of_scipy)


_TIMES = ("tuple of ndarrays", "Times and outputs.")


class lti(LinearTimeInvariant):
    """A continuous system: a numerator and a denominator, or zeros, poles and gain, or matrices.

    Parameters
    ----------
    *system : array_like
        Two, three or four of these.

    Notes
    -----
    Kept and computed by SciPy on the host, which must be installed; what it gives are arrays of the
    current device.

    Examples
    --------
    >>> from tenorite.scipy import signal
    >>> signal.lti([1.0], [1.0, 2.0]).poles
    array([-2.])
    """

    def __new__(cls, *system):
        return super().__new__(cls, *system)

    impulse = _method(
        "impulse",
        "X0=None, T=None, N=None",
        "The output after an impulse.",
        _TIMES,
        f"lti(*{_LOW}).impulse()[1].shape\n(100,)",
    )
    step = _method(
        "step", "X0=None, T=None, N=None", "The output after a step.", _TIMES, f"lti(*{_LOW}).step()[1].shape\n(100,)"
    )
    output = _method(
        "output",
        "U, T, X0=None",
        "The output of inputs at times.",
        _OUTPUT,
        f"lti(*{_LOW}).output([1.0, 1.0], [0.0, 1.0])[1].shape\n(2,)",
    )
    bode = _method("bode", "w=None, n=100", "Magnitude and phase.", _BODE, f"lti(*{_LOW}).bode(n=5)[1].shape\n(5,)")
    freqresp = _method(
        "freqresp",
        "w=None, n=10000",
        "The frequency response.",
        _RESPONSE,
        f"lti(*{_LOW}).freqresp(n=5)[1].shape\n(5,)",
    )
    to_discrete = _method(
        "to_discrete",
        "dt, method='zoh', alpha=None",
        "A discrete system of the same kind.",
        ("dlti", ""),
        f"lti(*{_LOW}).to_discrete(0.1).dt\n0.1",
    )


class dlti(LinearTimeInvariant):
    """A discrete system: a numerator and a denominator, or zeros, poles and gain, or matrices.

    Parameters
    ----------
    *system : array_like
        Two, three or four of these.
    **kwargs
        ``dt``, the sampling time; True if it is not known.

    Notes
    -----
    Kept and computed by SciPy on the host, which must be installed; what it gives are arrays of the
    current device.

    Examples
    --------
    >>> from tenorite.scipy import signal
    >>> signal.dlti([1.0], [1.0, -0.5], dt=0.1).poles
    array([0.5])
    """

    impulse = _method(
        "impulse",
        "x0=None, t=None, n=None",
        "The output after an impulse.",
        _TIMES,
        "dlti([1.0], [1.0, -0.5]).impulse(n=3)[1][0].shape\n(3, 1)",
    )
    step = _method(
        "step",
        "x0=None, t=None, n=None",
        "The output after a step.",
        _TIMES,
        "dlti([1.0], [1.0, -0.5]).step(n=3)[1][0].shape\n(3, 1)",
    )
    output = _method(
        "output",
        "u, t, x0=None",
        "The output of inputs at times.",
        _OUTPUT,
        "dlti([1.0], [1.0, -0.5]).output([1.0, 1.0], None)[1].shape\n(2, 1)",
    )
    bode = _method(
        "bode", "w=None, n=100", "Magnitude and phase.", _BODE, "dlti([1.0], [1.0, -0.5]).bode(n=5)[1].shape\n(5,)"
    )
    freqresp = _method(
        "freqresp",
        "w=None, n=10000, whole=False",
        "The frequency response.",
        _RESPONSE,
        "dlti([1.0], [1.0, -0.5]).freqresp(n=5)[1].shape\n(5,)",
    )


def _conversion(name, kind):
    return _method(name, "", f"The system as {kind}.", (kind, ""), f"lti(*{_LOW}).{name}().dt is None\nTrue")


class TransferFunction(LinearTimeInvariant):
    """A system as a ratio of polynomials, of falling powers.

    Parameters
    ----------
    *system : array_like
        Numerator and denominator, or another system.
    **kwargs
        ``dt``, the sampling time of a discrete system.

    Notes
    -----
    Kept and computed by SciPy on the host, which must be installed.

    Examples
    --------
    >>> from tenorite.scipy import signal
    >>> signal.TransferFunction([1.0], [2.0, 4.0]).den
    array([1., 2.])
    """

    num = _attribute("num", "The numerator.")
    den = _attribute("den", "The denominator.")
    # Of polynomials in z those in 1/z, and back: private names of CuPy's and SciPy's.
    _z_to_zinv, _zinv_to_z = _static("_z_to_zinv"), _static("_zinv_to_z")
    to_tf = _conversion("to_tf", "TransferFunction")
    to_zpk = _conversion("to_zpk", "ZerosPolesGain")
    to_ss = _conversion("to_ss", "StateSpace")


class ZerosPolesGain(LinearTimeInvariant):
    """A system as zeros, poles and a gain.

    Parameters
    ----------
    *system : array_like
        Zeros, poles and gain, or another system.
    **kwargs
        ``dt``, the sampling time of a discrete system.

    Notes
    -----
    Kept and computed by SciPy on the host, which must be installed.

    Examples
    --------
    >>> from tenorite.scipy import signal
    >>> signal.ZerosPolesGain([1.0], [2.0], 3.0).gain
    3.0
    """

    gain = _attribute("gain", "The gain.")
    to_tf = _conversion("to_tf", "TransferFunction")
    to_zpk = _conversion("to_zpk", "ZerosPolesGain")
    to_ss = _conversion("to_ss", "StateSpace")


class StateSpace(LinearTimeInvariant):
    """A system as matrices of a state; systems are added, and multiplied one after the other.

    Parameters
    ----------
    *system : array_like
        A, B, C and D, or another system.
    **kwargs
        ``dt``, the sampling time of a discrete system.

    Notes
    -----
    Kept and computed by SciPy on the host, which must be installed.

    Examples
    --------
    >>> from tenorite.scipy import signal
    >>> (2 * signal.StateSpace(-1.0, 1.0, 1.0, 0.0)).C
    array([[2.]])
    """

    __array_priority__ = 100.0
    __array_ufunc__ = None

    A = _attribute("A", "The matrix of the state.")
    B = _attribute("B", "The matrix of the input.")
    C = _attribute("C", "The matrix of the output.")
    D = _attribute("D", "The matrix from the input to the output.")
    to_tf = _method(
        "to_tf",
        "input=0",
        "The system as TransferFunction.",
        ("TransferFunction", ""),
        "StateSpace(-1.0, 1.0, 1.0, 0.0).to_tf().den\narray([1., 1.])",
    )
    to_zpk = _method(
        "to_zpk",
        "input=0",
        "The system as ZerosPolesGain.",
        ("ZerosPolesGain", ""),
        "StateSpace(-1.0, 1.0, 1.0, 0.0).to_zpk().poles\narray([-1.])",
    )
    to_ss = _conversion("to_ss", "StateSpace")

    __add__ = _operation("__add__")
    __radd__ = _operation("__radd__")
    __sub__ = _operation("__sub__")
    __rsub__ = _operation("__rsub__")
    __mul__ = _operation("__mul__")
    __rmul__ = _operation("__rmul__")
    __truediv__ = _operation("__truediv__")
    __neg__ = _operation("__neg__")


for _kind in (TransferFunction, ZerosPolesGain, StateSpace):
    for _ending, _base in (("Continuous", lti), ("Discrete", dlti)):
        _name = _kind.__name__ + _ending
        SYSTEMS[_name] = type(_name, (_kind, _base), {"__module__": __name__, "__doc__": _kind.__doc__})
globals().update(SYSTEMS)
