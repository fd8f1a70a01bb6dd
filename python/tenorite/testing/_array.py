"""Assertions about arrays of either module: NumPy's, after a copy to the host."""

import numpy

from tenorite._arguments import also_named
from tenorite._arguments.host import asnumpy
from tenorite._lib.documents import documenter

_ARRAY = ("array_like", "An array of NumPy or of a device.")
_DIFFER = ("AssertionError", "If they differ.")
_documented = documenter(
    {
        **dict.fromkeys(("actual", "desired", "x", "y", "a", "b"), _ARRAY),
        "err_msg": ("str", "Begins the message of a failure."),
        "verbose": ("bool", "Whether the message has the values."),
        "strict": ("bool", "Whether shapes and dtypes must be the same, too."),
    },
    raises=dict.fromkeys(("actual", "x", "a"), _DIFFER),
)


@_documented
def assert_allclose(actual, desired, rtol=1e-7, atol=0, err_msg="", verbose=True, *, equal_nan=True, strict=False):
    """Fail unless two arrays are equal within tolerances.

    Parameters
    ----------
    rtol, atol : float, optional
        The difference may be `atol` plus `rtol` times the absolute of `desired`.
    equal_nan : bool, optional
        Whether NaN equals NaN.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.assert_allclose(cp.ones(3), [1.0, 1.0, 1.0 + 1e-9])
    """
    numpy.testing.assert_allclose(
        asnumpy(actual), asnumpy(desired), rtol, atol, equal_nan, err_msg, verbose, strict=strict
    )


@also_named(actual="x", desired="y")
@_documented
def assert_array_almost_equal(x, y, decimal=6, err_msg="", verbose=True):
    """Fail unless two arrays are equal to a number of decimals.

    Parameters
    ----------
    decimal : int, optional
        The difference is less than 1.5 * 10**-decimal.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.assert_array_almost_equal(cp.ones(2), [1.0, 1.0000001])
    """
    numpy.testing.assert_array_almost_equal(asnumpy(x), asnumpy(y), decimal=decimal, err_msg=err_msg, verbose=verbose)


@_documented
def assert_array_almost_equal_nulp(x, y, nulp=1):
    """Fail unless two arrays are equal within units in the last place.

    Parameters
    ----------
    nulp : int, optional
        How many units an element may differ by.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.assert_array_almost_equal_nulp(cp.ones(2), [1.0, 1.0])
    """
    numpy.testing.assert_array_almost_equal_nulp(asnumpy(x), asnumpy(y), nulp=nulp)


@_documented
def assert_array_max_ulp(a, b, maxulp=1, dtype=None):
    """Fail unless all elements of two arrays differ by a number of units in the last place at most.

    Parameters
    ----------
    maxulp : int, optional
        How many units an element may differ by.
    dtype : dtype, optional
        To which both are converted first.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.assert_array_max_ulp(cp.ones(2), cp.nextafter(cp.ones(2), 2.0))
    """
    numpy.testing.assert_array_max_ulp(asnumpy(a), asnumpy(b), maxulp=maxulp, dtype=dtype)


@_documented
def assert_array_equal(x, y, err_msg="", verbose=True, strides_check=False, **kwargs):
    """Fail unless two arrays are equal.

    Parameters
    ----------
    strides_check : bool, optional
        Whether the strides must be the same, too.
    **kwargs
        Those of numpy.testing.assert_array_equal: `strict`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.assert_array_equal(cp.arange(3), [0, 1, 2])
    """
    numpy.testing.assert_array_equal(asnumpy(x), asnumpy(y), err_msg=err_msg, verbose=verbose, **kwargs)
    if strides_check and x.strides != y.strides:
        lines = [f"Strides are not equal: {err_msg}".rstrip()]
        if verbose:
            lines += [f" x: {x.strides}", f" y: {y.strides}"]
        raise AssertionError("\n".join(lines))


@_documented
def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    """Fail unless two lists have equal arrays. CuPy has deprecated it, which is why it warns.

    Parameters
    ----------
    xlist, ylist : list or tuple of array_like
        Arrays of NumPy or of a device.

    Raises
    ------
    AssertionError
        If the types of the lists, their lengths or their arrays differ.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.assert_array_list_equal([cp.ones(2)], [cp.ones(2)])
    """
    if type(xlist) is not type(ylist):
        raise AssertionError(f"Different types of lists: {type(xlist).__name__} and {type(ylist).__name__}")
    if len(xlist) != len(ylist):
        raise AssertionError(f"List size is different: {len(xlist)} and {len(ylist)}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg=err_msg, verbose=verbose)


@_documented
def assert_array_less(x, y, err_msg="", verbose=True, *, strict=False):
    """Fail unless each element of an array is less than that of another.

    Raises
    ------
    AssertionError
        If an element of `x` is not less.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.assert_array_less(cp.zeros(2), cp.ones(2))
    """
    numpy.testing.assert_array_less(asnumpy(x), asnumpy(y), err_msg=err_msg, verbose=verbose, strict=strict)
