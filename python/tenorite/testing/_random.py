"""Random numbers that are the same in each run of a test."""

import atexit
import functools
import os
import random
import types
import unittest

import numpy

from tenorite.random import _generator, seed

_saved = None
# Tests that are repeated begin and end within each other: only the outermost pair does work.
_nest_count = 0


def do_setup(deterministic=True):
    """Keep the states of Python's, NumPy's and our random numbers, and begin new ones.

    Parameters
    ----------
    deterministic : bool, optional
        Whether the new ones are always the same.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing._random.do_setup()
    >>> cp.testing._random.do_teardown()
    """
    global _saved
    _saved = random.getstate(), numpy.random.get_state(), dict(_generator._random_states)
    _generator._random_states.clear()
    for begin, number in ((random.seed, 99), (numpy.random.seed, 100), (seed, 101)):
        begin(*([number] if deterministic else []))


def do_teardown():
    """Go back to the states that `do_setup` has kept.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing._random.do_setup()
    >>> cp.testing._random.do_teardown()
    """
    global _saved
    random.setstate(_saved[0])
    numpy.random.set_state(_saved[1])
    _generator._random_states.clear()
    _generator._random_states.update(_saved[2])
    _saved = None


@atexit.register
def _check_teardown():
    assert _nest_count == 0, "_setup_random() and _teardown_random() must be called in pairs"


def _setup_random():
    global _nest_count
    if _nest_count == 0:
        do_setup(not int(os.environ.get("CUPY_TEST_RANDOM_NONDETERMINISTIC", "0")))
    _nest_count += 1


def _teardown_random():
    global _nest_count
    assert _nest_count > 0, "_setup_random() and _teardown_random() must be called in pairs"
    _nest_count -= 1
    if _nest_count == 0:
        do_teardown()


def generate_seed():
    """A seed for a test's own generator, the same in each run; within `fix_random` only.

    Returns
    -------
    int
        Of [0, 2**31 - 1).

    Examples
    --------
    >>> import tenorite as cp
    >>> @cp.testing.fix_random()
    ... def test_it(self):
    ...     assert cp.testing.generate_seed() < 2**31
    >>> test_it(None)
    """
    assert _nest_count > 0, "random is not set up: generate_seed() works within fix_random() only"
    return numpy.random.randint(0x7FFFFFFF)


def _around(klass, begin, end):
    """Makes a class's two methods, which need not exist, do their work between ours."""
    first, last = getattr(klass, begin, None), getattr(klass, end, None)

    def call(function, self, method):
        """pytest gives a test's method to those that take one."""
        if function is not None:
            function(*(self, method)[: function.__code__.co_argcount])

    def set_up(self, method=None):
        _setup_random()
        call(first, self, method)

    def tear_down(self, method=None):
        try:
            call(last, self, method)
        finally:
            _teardown_random()

    for name, made, was in ((begin, set_up, first), (end, tear_down, last)):
        setattr(klass, name, made if was is None else functools.wraps(was)(made))
    return klass


def fix_random():
    """Make the random numbers of a test the same in each run.

    Python's, NumPy's and the current device's states are seeded before a test and put back after
    it. It goes outside of `repeat` and `retry`, which would draw the same numbers otherwise.

    Returns
    -------
    callable
        A decorator of a test, or of a class of them.

    Raises
    ------
    ValueError
        If it is put on anything else.

    Examples
    --------
    >>> import tenorite as cp
    >>> drawn = []
    >>> @cp.testing.fix_random()
    ... def test_it(self):
    ...     drawn.append(float(cp.random.rand()))
    >>> test_it(None), test_it(None), drawn[0] == drawn[1]
    (None, None, True)
    """

    def decorator(impl):
        if isinstance(impl, types.FunctionType) and impl.__name__.startswith("test"):

            @functools.wraps(impl)
            def test_func(*args, **kw):
                _setup_random()
                try:
                    impl(*args, **kw)
                finally:
                    _teardown_random()

            return test_func
        if not isinstance(impl, type):
            raise ValueError(f"Can't apply fix_random to {impl}")
        if issubclass(impl, unittest.TestCase):
            return _around(impl, "setUp", "tearDown")
        return _around(impl, "setup_method", "teardown_method")

    return decorator
