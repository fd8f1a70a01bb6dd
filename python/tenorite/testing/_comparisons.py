"""Decorators that run a test under NumPy and under Tenorite and compare what they return.

Both runs come first; errors, types, dtypes, contiguity and shapes are compared before values. A
test may raise on both sides only where `accept_error` says so.
"""

import functools
import importlib
import inspect
import os
import traceback
import unittest
import warnings

import numpy

import tenorite
from tenorite.testing import _array, _attr
from tenorite.testing._dtypes import _float_dtypes, _signed_dtypes, _unsigned_dtypes

_skip_classes = (unittest.SkipTest,) if _attr.pytest is None else (unittest.SkipTest, _attr.pytest.skip.Exception)

# A program that handles one of these must find the other side's error to be one, too.
_public_errors = (
    AttributeError,
    Exception,
    IndexError,
    TypeError,
    ValueError,
    NotImplementedError,
    DeprecationWarning,
    numpy.exceptions.AxisError,
    numpy.linalg.LinAlgError,
)


def _wraps_partial(wrapped, *names):
    """functools.wraps for a function that gives these arguments itself."""

    def decorator(impl):
        impl = functools.wraps(wrapped)(impl)
        signature = inspect.signature(wrapped)
        kept = [p for p in signature.parameters.values() if p.name not in names]
        impl.__signature__ = signature.replace(parameters=kept)
        return impl

    return decorator


def _wraps_partial_xp(wrapped, name, sp_name=None, scipy_name=None):
    """The same for a decorator that gives a test the modules under these names."""
    return _wraps_partial(wrapped, *(one for one in (name, sp_name, scipy_name) if one is not None))


# --- The two runs ---


def _call_func(impl, args, kw):
    try:
        return impl(*args, **kw), None
    except (Exception, *_skip_classes) as error:
        if error.__traceback__.tb_next is None:
            raise  # the test was not even called: its arguments are wrong
        return None, error


def _call_func_with(module, prefix, impl, args, kw, name, sp_name, scipy_name):
    """Runs a test with a module and, where it asks for them, the module's scipy and sparse."""
    if sp_name:
        kw[sp_name] = importlib.import_module(f"{prefix}scipy.sparse")
    if scipy_name:
        kw[scipy_name] = importlib.import_module(f"{prefix}scipy")
    kw[name] = module
    return _call_func(impl, args, kw)


def _call_func_cupy(*args):
    return _call_func_with(tenorite, "tenorite.", *args)


def _call_func_numpy(*args):
    return _call_func_with(numpy, "", *args)


def _call_func_numpy_cupy(impl, args, kw, name, sp_name, scipy_name):
    ours = _call_func_cupy(impl, args, kw, name, sp_name, scipy_name)
    return *ours, *_call_func_numpy(impl, args, kw, name, sp_name, scipy_name)


# --- Errors of both sides ---


def _text(error):
    return "".join(traceback.format_exception(error)) if error is not None else ""


def _fail(words, cupy_error, numpy_error):
    sides = [("cupy", cupy_error), ("numpy", numpy_error)]
    texts = "".join(f"\n[{side}]\n{_text(error)}\n" for side, error in sides if error is not None)
    tb = (cupy_error or numpy_error).__traceback__
    raise AssertionError(f"{words}\n{texts}").with_traceback(tb)


def _raised_by_test(error):
    frame = traceback.extract_tb(error.__traceback__)[-1]
    name = os.path.basename(frame.filename)
    return name.startswith("test_") and name != "test_helper.py"


def _check_cupy_numpy_error(cupy_error, numpy_error, accept_error=False):
    """Passes if both sides raised errors that are equal to a program and are accepted."""
    errors = cupy_error, numpy_error
    if all(isinstance(error, _skip_classes) for error in errors):
        if type(cupy_error) is not type(numpy_error) or cupy_error.args != numpy_error.args:
            _fail("Both numpy and cupy were skipped but with different exceptions.", *errors)
        raise cupy_error
    if os.environ.get("CUPY_CI", "") and cupy_error is not None and _raised_by_test(cupy_error):
        _fail("Error was raised from test code.", *errors)
    if accept_error is True:
        accept_error = Exception
    elif not accept_error:
        accept_error = ()
    if cupy_error is None and numpy_error is None:
        raise AssertionError("Both cupy and numpy are expected to raise errors, but not")
    if cupy_error is None:
        _fail("Only numpy raises error", *errors)
    if numpy_error is None:
        _fail("Only cupy raises error", *errors)
    if any(isinstance(cupy_error, kind) != isinstance(numpy_error, kind) for kind in _public_errors):
        _fail("Different types of errors occurred", *errors)
    if not all(isinstance(error, accept_error) for error in errors):
        _fail("Both cupy and numpy raise exceptions", *errors)


# --- Results of both sides ---


def _convert_output_to_ndarray(c_out, n_out, sp_name, check_sparse_format):
    """The two results as arrays, if their types answer each other."""
    if sp_name is not None:
        ours, theirs = (importlib.import_module(f"{prefix}scipy.sparse") for prefix in ("tenorite.", ""))
        if ours.issparse(c_out):
            assert theirs.issparse(n_out), f"numpy returns a {type(n_out)}, which is not sparse"
            if check_sparse_format:
                assert c_out.format == n_out.format, f"cupy: {c_out.format}, numpy: {n_out.format}"
            return c_out.toarray(), n_out.toarray()
    if isinstance(c_out, tenorite.ndarray) and isinstance(n_out, (numpy.ndarray, numpy.generic)):
        return c_out, n_out
    for kind in (numpy.ndarray, numpy.generic):
        if isinstance(c_out, kind) and isinstance(n_out, kind):
            return c_out, n_out
    if isinstance(n_out, numpy.poly1d) and isinstance(c_out, tenorite.poly1d):
        assert c_out.variable == n_out.variable, f"cupy: {c_out.variable}, numpy: {n_out.variable}"
        return c_out.coeffs, n_out.coeffs
    if numpy.isscalar(c_out) and numpy.isscalar(n_out):
        return numpy.array(c_out), numpy.array(n_out)
    raise AssertionError(f"numpy and cupy return different return types:\ncupy: {type(c_out)}\nnumpy: {type(n_out)}")


def _check_contiguous(c_out, n_out):
    if isinstance(n_out, numpy.ndarray):
        for flag in ("c_contiguous", "f_contiguous"):
            if getattr(n_out.flags, flag) and not getattr(c_out.flags, flag):
                raise AssertionError(f"The state of {flag} flag is false.\ncupy:\n{c_out}\nnumpy:\n{n_out}")


def _check_kind(c_out, n_out, type_check):
    if type_check and c_out.dtype != n_out.dtype:
        raise AssertionError(f"ndarrays of different dtypes are returned.\ncupy: {c_out.dtype}\nnumpy: {n_out.dtype}")
    if c_out.shape != n_out.shape:
        raise AssertionError(f"ndarrays of different shapes are returned.\ncupy: {c_out.shape}\nnumpy: {n_out.shape}")


def _contains_signed_and_unsigned(kw):
    types = {v for v in kw.values() if isinstance(v, (type, str, numpy.dtype))}
    return any(d in types for d in _unsigned_dtypes) and any(d in types for d in _float_dtypes + _signed_dtypes)


def _make_positive_mask(impl, args, kw, name, sp_name, scipy_name):
    """Where a run with signed dtypes in place of the unsigned ones gives no negative number; None:
    a test that is skipped for these says nothing."""
    signed = {k: numpy.intp if isinstance(v, type) and v in _unsigned_dtypes else v for k, v in kw.items()}
    result, error = _call_func_cupy(impl, args, signed, name, sp_name, scipy_name)
    if isinstance(error, _skip_classes):
        return None
    assert error is None, _text(error)
    return tenorite.asnumpy(result) >= 0


def _make_decorator(
    check_func,
    name,
    type_check,
    contiguous_check,
    accept_error,
    sp_name=None,
    scipy_name=None,
    check_sparse_format=True,
):
    """A decorator whose tests pass if check_func(ours, NumPy's) does for each array returned."""
    assert isinstance(name, str)
    assert sp_name is None or isinstance(sp_name, str)
    assert scipy_name is None or isinstance(scipy_name, str)
    names = name, sp_name, scipy_name

    def check(c_out, n_out, impl, args, kw):
        # What a negative number becomes in an unsigned dtype differs between devices.
        if c_out.dtype in _unsigned_dtypes and _contains_signed_and_unsigned(kw):
            mask = _make_positive_mask(impl, args, kw, *names)
            if mask is None:
                mask = numpy.ones(c_out.shape, bool)
            if c_out.shape == ():
                if not mask.all():
                    return
            else:
                c_out, n_out = tenorite.asnumpy(c_out)[mask], n_out[mask]
        check_func(c_out, n_out)

    def decorator(impl):
        @_wraps_partial(impl, *names)
        def test_func(*args, **kw):
            c_out, c_error, n_out, n_error = _call_func_numpy_cupy(impl, args, kw, *names)
            if c_error is not None or n_error is not None:
                _check_cupy_numpy_error(c_error, n_error, accept_error=accept_error)
                return
            assert c_out is not None and n_out is not None, "the test returns None, so nothing is compared"
            c_outs, n_outs = ((out if isinstance(out, (tuple, list)) else (out,)) for out in (c_out, n_out))
            assert len(c_outs) == len(n_outs), f"cupy returns {len(c_outs)} arrays, numpy {len(n_outs)}"
            pairs = [_convert_output_to_ndarray(c, n, sp_name, check_sparse_format) for c, n in zip(c_outs, n_outs)]
            for pair in pairs:
                _check_kind(*pair, type_check)
            if contiguous_check:  # of arrays alone: what becomes of a sparse matrix is no result
                for pair in zip(c_outs, n_outs):
                    _check_contiguous(*pair)
            for pair in pairs:
                check(*pair, impl, args, kw)

        return test_func

    return decorator


# --- The decorators ---

_NAMES = """
    name : str, optional
        Which argument of the test is the module.
"""
_TYPES = """
    type_check : bool, optional
        Whether the dtypes must be the same.
    accept_error : bool, type or tuple of types, optional
        Which errors may be raised by both; True is any.
"""
_SCIPY = """
    sp_name : str, optional
        Which argument of the test is scipy.sparse, or ours.
    scipy_name : str, optional
        Which argument of the test is scipy, or ours.
"""
_MESSAGE = """
    err_msg : str, optional
        Begins the message of a failure.
    verbose : bool, optional
        Whether the message has the values.
"""
_AFTER = """

    Returns
    -------
    callable
        A decorator of tests.

    Examples
    --------
    >>> import tenorite as cp
    >>> @cp.testing.{function}
    ... def test_it({argument}):
    ...     return {result}
    >>> test_it()
    """


def _described(summary, parameters, example, result="xp.arange(3) + 1"):
    """Gives a decorator of tests its text."""

    def decorator(function):
        after = _AFTER.format(function=f"{function.__name__}({example})", argument="xp", result=result)
        listed = "".join(part.rstrip() for part in parameters)
        function.__doc__ = f"{summary}\n\n    Parameters\n    ----------{listed}{after}"
        return function

    return decorator


def _check_tolerance_keys(*tolerances):
    for tolerance in tolerances:
        for key in tolerance if isinstance(tolerance, dict) else ():
            if type(key) is not type and key != "default":
                raise TypeError(
                    "Keys of the tolerance dictionary need to be type objects as `numpy.float32` and "
                    f"`cupy.float32` or the 'default' string, not {key!r}"
                )


def _resolve_tolerance(type_check, cupy_dtype, numpy_dtype, tolerance):
    """A tolerance of a dict is that of NumPy's dtype, or of ours if the two may differ and it is
    larger."""
    if not isinstance(tolerance, dict):
        return tolerance

    def of(dtype):
        found = tolerance.get(dtype.type, tolerance.get("default"))
        if found is None:
            raise TypeError(f"Can not find tolerance for {dtype.type}")
        return found

    return of(numpy_dtype) if type_check else max(of(cupy_dtype), of(numpy_dtype))


@_described(
    "Run a test under NumPy and Tenorite and fail unless the results are equal within tolerances.",
    [
        """
    rtol, atol : float or dict, optional
        The difference may be `atol` plus `rtol` times the absolute of NumPy's. A dict has
        tolerances by type of element, and that of others as 'default'.
""",
        _MESSAGE,
        _NAMES,
        _TYPES,
        _SCIPY,
        """
    contiguous_check : bool, optional
        Whether ours must be contiguous where NumPy's is.
""",
    ],
    "rtol=1e-6",
    "xp.sin(xp.arange(3.0))",
)
def numpy_cupy_allclose(
    rtol=1e-7,
    atol=0,
    err_msg="",
    verbose=True,
    name="xp",
    type_check=True,
    accept_error=False,
    sp_name=None,
    scipy_name=None,
    contiguous_check=True,
    *,
    _check_sparse_format=True,
):
    _check_tolerance_keys(rtol, atol)

    def check(c, n):
        resolved = [_resolve_tolerance(type_check, c.dtype, n.dtype, tolerance) for tolerance in (rtol, atol)]
        _array.assert_allclose(c, n, *resolved, err_msg, verbose)

    return _make_decorator(
        check, name, type_check, contiguous_check, accept_error, sp_name, scipy_name, _check_sparse_format
    )


@_described(
    "Run a test under NumPy and Tenorite and fail unless the results are equal to so many decimals.",
    [
        """
    decimal : int, optional
        The difference is less than 1.5 * 10**-decimal.
""",
        _MESSAGE,
        _NAMES,
        _TYPES,
        _SCIPY,
    ],
    "decimal=5",
)
def numpy_cupy_array_almost_equal(
    decimal=6, err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, sp_name=None, scipy_name=None
):
    def check(c, n):
        _array.assert_array_almost_equal(c, n, decimal, err_msg, verbose)

    return _make_decorator(check, name, type_check, False, accept_error, sp_name, scipy_name)


@_described(
    "Run a test under NumPy and Tenorite and fail unless the results are equal within units in the\n    last place.",
    [
        """
    nulp : int, optional
        How many units an element may differ by.
""",
        _NAMES,
        _TYPES,
        _SCIPY,
    ],
    "nulp=1",
    "xp.arange(3.0) + 1",
)
def numpy_cupy_array_almost_equal_nulp(
    nulp=1, name="xp", type_check=True, accept_error=False, sp_name=None, scipy_name=None
):
    def check(c, n):
        _array.assert_array_almost_equal_nulp(c, n, nulp)

    return _make_decorator(check, name, type_check, False, accept_error, sp_name, scipy_name)


@_described(
    "Run a test under NumPy and Tenorite and fail unless all elements of the results differ by a\n"
    "    number of units in the last place at most.",
    [
        """
    maxulp : int, optional
        How many units an element may differ by.
    dtype : dtype, optional
        To which both are converted first.
""",
        _NAMES,
        _TYPES,
        _SCIPY,
    ],
    "maxulp=1",
    "xp.arange(3.0) + 1",
)
def numpy_cupy_array_max_ulp(
    maxulp=1, dtype=None, name="xp", type_check=True, accept_error=False, sp_name=None, scipy_name=None
):
    def check(c, n):
        _array.assert_array_max_ulp(c, n, maxulp, dtype)

    return _make_decorator(check, name, type_check, False, accept_error, sp_name, scipy_name)


@_described(
    "Run a test under NumPy and Tenorite and fail unless the results are equal.",
    [
        _MESSAGE,
        _NAMES,
        _TYPES,
        _SCIPY,
        """
    strides_check : bool, optional
        Whether the strides must be the same, too.
""",
    ],
    "",
)
def numpy_cupy_array_equal(
    err_msg="",
    verbose=True,
    name="xp",
    type_check=True,
    accept_error=False,
    sp_name=None,
    scipy_name=None,
    strides_check=False,
):
    def check(c, n):
        _array.assert_array_equal(c, n, err_msg, verbose, strides_check)

    return _make_decorator(check, name, type_check, False, accept_error, sp_name, scipy_name)


@_described(
    "Run a test under NumPy and Tenorite and fail unless they return lists of equal arrays. CuPy has\n"
    "    deprecated it, which is why it warns.",
    [_MESSAGE, _NAMES, _SCIPY],
    "",
    "[xp.arange(3), xp.ones(2)]",
)
def numpy_cupy_array_list_equal(err_msg="", verbose=True, name="xp", sp_name=None, scipy_name=None):
    warnings.warn(
        "numpy_cupy_array_list_equal is deprecated. Use numpy_cupy_array_equal instead.",
        DeprecationWarning,
        stacklevel=2,
    )

    def check(c, n):
        _array.assert_array_equal(c, n, err_msg, verbose)

    return _make_decorator(check, name, False, False, False, sp_name, scipy_name)


@_described(
    "Run a test under NumPy and Tenorite and fail unless each element of ours is less than NumPy's.",
    [_MESSAGE, _NAMES, _TYPES, _SCIPY],
    "",
    "xp.full(3, 1.0 if xp is cp else 2.0)",
)
def numpy_cupy_array_less(
    err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, sp_name=None, scipy_name=None
):
    def check(c, n):
        _array.assert_array_less(c, n, err_msg, verbose)

    return _make_decorator(check, name, type_check, False, accept_error, sp_name, scipy_name)


@_described(
    "Run a test under NumPy and Tenorite and fail unless it returns objects that are equal.",
    [_NAMES, _SCIPY],
    "",
    "xp.arange(3).shape",
)
def numpy_cupy_equal(name="xp", sp_name=None, scipy_name=None):
    names = name, sp_name, scipy_name

    def decorator(impl):
        @_wraps_partial(impl, *names)
        def test_func(*args, **kw):
            c_out, c_error, n_out, n_error = _call_func_numpy_cupy(impl, args, kw, *names)
            if c_error is not None or n_error is not None:
                _check_cupy_numpy_error(c_error, n_error, accept_error=False)
            elif c_out != n_out:
                raise AssertionError(f"Results are not equal:\ncupy: {c_out}\nnumpy: {n_out}")

        return test_func

    return decorator


@_described(
    "Run a test under NumPy and Tenorite and fail unless both raise errors that are equal to a\n"
    "    program. CuPy has deprecated it, which is why it warns.",
    [
        _NAMES,
        _SCIPY,
        """
    accept_error : bool, type or tuple of types, optional
        Which errors may be raised; True is any.
""",
    ],
    "",
    "xp.ones(3).reshape(7)",
)
def numpy_cupy_raises(name="xp", sp_name=None, scipy_name=None, accept_error=Exception):
    warnings.warn("cupy.testing.numpy_cupy_raises is deprecated.", DeprecationWarning, stacklevel=2)
    names = name, sp_name, scipy_name

    def decorator(impl):
        @_wraps_partial(impl, *names)
        def test_func(*args, **kw):
            _, c_error, _, n_error = _call_func_numpy_cupy(impl, args, kw, *names)
            _check_cupy_numpy_error(c_error, n_error, accept_error=accept_error)

        return test_func

    return decorator
