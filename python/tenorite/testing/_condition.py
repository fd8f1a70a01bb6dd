"""Tests that are run several times, because they stand on random numbers."""

import functools
import os
import traceback
import unittest


def _once(f, instance, args, kwargs):
    """Runs a test once: (None or why it was skipped, None or the text of its failure)."""
    fresh = instance
    if isinstance(instance, unittest.TestCase):
        fresh = type(instance)(instance._testMethodName)
    try:
        if fresh is not instance:
            fresh.setUp()
        try:
            f(fresh, *args, **kwargs)
        finally:
            if fresh is not instance:
                fresh.tearDown()
                fresh.doCleanups()
    except unittest.SkipTest as skipped:
        return skipped, None
    except Exception:
        return None, traceback.format_exc()
    return None, None


def repeat_with_success_at_least(times, min_success):
    """Run a test several times; it passes when it has passed often enough.

    Parameters
    ----------
    times : int
        How often it is run at most.
    min_success : int
        How often it must pass. Runs that are not needed for an answer are left out.

    Returns
    -------
    callable
        A decorator of methods of test classes.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.testing import _condition
    >>> runs = []
    >>> @_condition.repeat_with_success_at_least(3, 2)
    ... def test_it(self):
    ...     runs.append(1)
    >>> test_it(None), len(runs)
    (None, 2)
    """
    assert times >= min_success, f"min_success {min_success} is more than times {times}"

    def decorator(f):
        @functools.wraps(f)
        def wrapper(instance, *args, **kwargs):
            passed, failures = 0, []
            while passed < min_success and len(failures) <= times - min_success:
                skipped, failure = _once(f, instance, args, kwargs)
                if skipped is not None:
                    raise skipped
                if failure is None:
                    passed += 1
                else:
                    failures.append(failure)
            if passed < min_success:
                raise AssertionError(
                    f"Fail: {len(failures)}, Success: {passed}\n\nThe first error message:\n{failures[0]}"
                )

        return wrapper

    return decorator


def repeat(times, intensive_times=None):
    """Run a test several times; it must pass each time.

    Parameters
    ----------
    times : int
        How often.
    intensive_times : int, optional
        How often, unless the environment's CUPY_TEST_CASUAL is 1.

    Returns
    -------
    callable
        A decorator of methods of test classes.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.testing import _condition
    >>> runs = []
    >>> @_condition.repeat(3)
    ... def test_it(self):
    ...     runs.append(1)
    >>> test_it(None), len(runs)
    (None, 3)
    """
    if intensive_times is not None and not int(os.environ.get("CUPY_TEST_CASUAL", "0")):
        times = intensive_times
    return repeat_with_success_at_least(times, times)


def retry(times):
    """Run a test until it passes, a number of times at most.

    Parameters
    ----------
    times : int
        How often at most.

    Returns
    -------
    callable
        A decorator of methods of test classes.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite.testing import _condition
    >>> runs = []
    >>> @_condition.retry(3)
    ... def test_it(self):
    ...     runs.append(1)
    ...     assert len(runs) == 2
    >>> test_it(None), len(runs)
    (None, 2)
    """
    return repeat_with_success_at_least(times, 1)
