"""RandomState, as CuPy and NumPy have it, and the functions of the module, which draw from the
current device's one."""

import os
import threading

import numpy

from tenorite import _core
from tenorite.random import _drawings as drawings
from tenorite.random._bit_generator import BitGenerator, Philox4x3210
from tenorite.random._choices import Choices
from tenorite.random._documents import described, of_a_function


def _check_and_get_dtype(dtype):
    """The dtype, which must be float32 or float64."""
    dtype = numpy.dtype(dtype)
    if dtype not in (numpy.float32, numpy.float64):
        raise TypeError(f"Unsupported dtype {dtype} for tenorite.random: it gives float32 and float64")
    return dtype


class RandomState(Choices):
    """Draws from distributions, with the methods of CuPy's and NumPy's RandomState.

    Parameters
    ----------
    seed : int, sequence of ints, BitGenerator or None
        None: the operating system's entropy.
    method : int, optional
        Taken for CuPy's sake; the words are those of Philox4x3210 in any case.

    Notes
    -----
    Differs from NumPy: a seed gives other numbers.
    Differs from CuPy: a seed gives the same numbers on every device.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.random.RandomState(7).rand(2, 3).shape
    (2, 3)
    """

    def __init__(self, seed=None, method=None):
        super().__init__(seed if isinstance(seed, BitGenerator) else Philox4x3210(seed))

    _least_sample = 1  # as NumPy's
    _narrows = True

    def _check_population(self, a):
        if a.ndim != 1:
            raise ValueError(f"a must be 1-dimensional, not of {a.ndim} dimensions")

    def __repr__(self):
        return f"RandomState({type(self._bit_generator).__name__}) at {id(self):#x}"

    def seed(self, seed=None):
        """Begin anew.

        Parameters
        ----------
        seed : int, sequence of ints or None
            As that of the class.

        Examples
        --------
        >>> import tenorite as cp
        >>> rng = cp.random.RandomState()
        >>> rng.seed(7)
        """
        self._bit_generator.state = type(self._bit_generator)(seed).state

    def get_state(self):
        """The state, to be given to `set_state`.

        Returns
        -------
        dict
            That of the generator of words.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.random.RandomState(7).get_state()["state"]["seed"]
        7
        """
        return self._bit_generator.state

    def set_state(self, state):
        """Go back to a state.

        Parameters
        ----------
        state : dict
            What `get_state` gave.

        Examples
        --------
        >>> import tenorite as cp
        >>> rng = cp.random.RandomState(7)
        >>> rng.set_state(rng.get_state())
        """
        self._bit_generator.state = state

    @described("random_sample(4)", drawn="RandomState")
    def random_sample(self, size=None, dtype=float):
        """Draw from the uniform distribution on [0, 1)."""
        return drawings.random(self._bit_generator, True, size, dtype, None)

    def rand(self, *size, dtype=float):
        """Draw from the uniform distribution on [0, 1).

        Parameters
        ----------
        *size : ints
            Shape of the result.
        dtype : {float64, float32}, optional
            Of the result.

        Returns
        -------
        ndarray
            A new array.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.random.RandomState(7).rand(2, 3).shape
        (2, 3)
        """
        return drawings.random(self._bit_generator, True, size, dtype, None)

    def randn(self, *size, dtype=float):
        """Draw from the normal distribution of mean 0 and standard deviation 1.

        Parameters
        ----------
        *size : ints
            Shape of the result.
        dtype : {float64, float32}, optional
            Of the result.

        Returns
        -------
        ndarray
            A new array.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.random.RandomState(7).randn(2, 3).shape
        (2, 3)
        """
        return drawings.standard_normal(self._bit_generator, True, size, dtype, None)

    def randint(self, low, high=None, size=None, dtype=int):
        """Draw integers that are equally likely.

        Parameters
        ----------
        low : int or ndarray
            The least one; if `high` is None, 0 is the least and `low` stands for `high`.
        high : int or ndarray, optional
            The least that is too large.
        size : int or tuple of ints, optional
            Shape of the result. None: what the bounds broadcast to.
        dtype : dtype, optional
            Of the result: an integer, or bool.

        Returns
        -------
        ndarray
            A new array.

        Raises
        ------
        ValueError
            If there is no such integer, or bounds that are ints leave the dtype.

        Examples
        --------
        >>> import tenorite as cp
        >>> bool((cp.random.RandomState(7).randint(3, size=100) < 3).all())
        True
        """
        return self._bounded(low, high, size, dtype, False)

    def random_integers(self, low, high=None, size=None):
        """Draw integers of [low, high], or of [1, low] if `high` is None.

        Parameters
        ----------
        low, high : int
            Both may come.
        size : int or tuple of ints, optional
            Shape of the result.

        Returns
        -------
        ndarray
            int64.

        Raises
        ------
        AxisError
            For an axis that the array has not.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.random.RandomState(7).random_integers(1, 1, 2).tolist()
        [1, 1]
        """
        low, high = (1, low) if high is None else (low, high)
        return self._bounded(low, high, size, numpy.int64, True)

    def tomaxint(self, size=None):
        """Draw integers of [0, 2**63 - 1].

        Parameters
        ----------
        size : int or tuple of ints, optional
            Shape of the result.

        Returns
        -------
        ndarray
            int64.

        Examples
        --------
        >>> import tenorite as cp
        >>> cp.random.RandomState(7).tomaxint(2).dtype
        dtype('int64')
        """
        return self._bounded(0, 2**63 - 1, size, numpy.int64, True)

    def _interval(self, mx, size):
        """Integers of [0, mx], under the name that programs of CuPy's take."""
        return self._bounded(0, mx, size, numpy.int64 if mx > 2**31 - 1 else numpy.int32, True)

    ranf = sample = random = random_sample


# --- The current device's ---

_random_states = {}
_lock = threading.Lock()


def get_random_state():
    """The RandomState of the current device, from which the functions of this module draw.

    The first one of a device is seeded by the environment's TENORITE_SEED, or CUPY_SEED, an int;
    without them by the operating system's entropy.

    Returns
    -------
    RandomState
        The same one until it is exchanged.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.random.get_random_state() is cp.random.get_random_state()
    True
    """
    device = _core._current_device_id()
    state = _random_states.get(device)
    if state is None:
        with _lock:
            state = _random_states.get(device)
            if state is None:
                seed = os.environ.get("TENORITE_SEED") or os.environ.get("CUPY_SEED")
                state = _random_states[device] = RandomState(None if seed is None else int(seed))
    return state


def set_random_state(rs):
    """Make a RandomState the current device's.

    Parameters
    ----------
    rs : RandomState
        From which the functions of this module draw then.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.random.set_random_state(cp.random.RandomState(7))
    """
    if not isinstance(rs, RandomState):
        raise TypeError(f"Random state must be an instance of RandomState. Actual: {type(rs)}")
    _random_states[_core._current_device_id()] = rs


def seed(seed=None):
    """Begin the current device's random numbers anew.

    Parameters
    ----------
    seed : int, sequence of ints or None
        None: the operating system's entropy.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.random.seed(7)
    >>> first = cp.random.rand(3)
    >>> cp.random.seed(7)
    >>> bool((cp.random.rand(3) == first).all())
    True
    """
    get_random_state().seed(seed)


def get_state():
    """The state of the current device's generator, to be given to `set_state`.

    Returns
    -------
    dict
        As RandomState.get_state gives it.

    Examples
    --------
    >>> import tenorite as cp
    >>> state = cp.random.get_state()
    >>> first = cp.random.rand(3)
    >>> cp.random.set_state(state)
    >>> bool((cp.random.rand(3) == first).all())
    True
    """
    return get_random_state().get_state()


def set_state(state):
    """Put the current device's generator into a state.

    Parameters
    ----------
    state : dict
        What `get_state` gave.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.random.set_state(cp.random.get_state())
    """
    get_random_state().set_state(state)


def reset_states():
    """Forget the states of all devices.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.random.reset_states()
    """
    global _random_states
    _random_states = {}


def functions_of(names):
    """Functions that call methods of the current device's RandomState, with the signatures and the
    documents of these, by their names.

    They are compiled from a line each: arguments that are handed on as `*args, **kwargs` would cost
    a small call half of its time.
    """
    made = {"_state": get_random_state}
    methods = {name: getattr(RandomState, name) for name in names}
    exec("\n".join(_line_of(name, method.__code__) for name, method in methods.items()), made)
    for name, method in methods.items():
        function = made[name]
        function.__defaults__, function.__kwdefaults__ = method.__defaults__, method.__kwdefaults__
        function.__doc__, function.__module__ = of_a_function(method.__doc__), "tenorite.random"
    return {name: made[name] for name in names}


# What does the same as a method that takes the lengths of its result one by one.
_OF_A_SHAPE = {"rand": "random_sample", "randn": "standard_normal"}


def _line_of(name, code):
    """The text of the function for a method whose code is given."""
    if name in _OF_A_SHAPE:
        return f"def {name}(*size, dtype): return _state().{_OF_A_SHAPE[name]}(size, dtype)"
    names = ", ".join(code.co_varnames[1 : code.co_argcount])
    return f"def {name}({names}): return _state().{name}({names})"
