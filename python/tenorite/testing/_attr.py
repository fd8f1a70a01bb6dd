"""Marks of tests: how many devices one needs, and which takes long."""

import os
import unittest

try:
    import pytest
except ImportError:
    pytest = None

from tenorite.cuda.runtime import getDeviceCount

# As CuPy has it: no more than so many devices are used by tests; -1 is no limit.
_gpu_limit = int(os.environ.get("CUPY_TEST_GPU_LIMIT", "-1"))


def check_available():
    """Fail with a clear error if pytest is not installed.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing._attr.check_available()
    """
    if pytest is None:
        raise RuntimeError("this part of tenorite.testing needs pytest, which is not installed")


def multi_gpu(gpu_num):
    """Skip a test where there are fewer devices than it needs.

    Devices beyond the environment's CUPY_TEST_GPU_LIMIT do not count.

    Parameters
    ----------
    gpu_num : int
        How many devices the test needs.

    Returns
    -------
    callable
        A decorator of tests and of classes of them.

    Examples
    --------
    >>> import tenorite as cp
    >>> @cp.testing.multi_gpu(1)
    ... def test_one():
    ...     return "ran"
    >>> test_one()
    'ran'
    """
    count = getDeviceCount()
    limit = count if _gpu_limit < 0 else min(count, _gpu_limit)
    lacks, reason = gpu_num > limit, f"{gpu_num} GPUs required"
    return unittest.skipIf(lacks, reason) if pytest is None else pytest.mark.skipif(lacks, reason=reason)


def gpu(function):
    """Mark a test as one that needs a device. There is always one here, if only the host's.

    Parameters
    ----------
    function : function or class
        A test, or a class of them.

    Returns
    -------
    function or class
        The same one.

    Examples
    --------
    >>> import tenorite as cp
    >>> @cp.testing.gpu
    ... def test_it():
    ...     return "ran"
    >>> test_it()
    'ran'
    """
    return function


def slow(function=None):
    """Mark a test as one that takes long: pytest's mark ``slow``, so ``-m "not slow"`` leaves it
    out.

    Parameters
    ----------
    function : function or class, optional
        A test, or a class of them.

    Returns
    -------
    function, class or mark
        The same one; without an argument the mark itself.

    Examples
    --------
    >>> import tenorite as cp
    >>> @cp.testing.slow
    ... def test_it():
    ...     return "ran"
    >>> test_it()
    'ran'
    """
    if pytest is None:
        return slow if function is None else function
    return pytest.mark.slow if function is None else pytest.mark.slow(function)
