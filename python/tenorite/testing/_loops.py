"""Decorators that run a test for each of several dtypes, orders or axes."""

import itertools
import os
import random

import numpy

from tenorite.testing._comparisons import (  # noqa: F401 — CuPy's tests look for them here
    _call_func_numpy_cupy,
    _check_cupy_numpy_error,
    _contains_signed_and_unsigned,
    _make_decorator,
    _skip_classes,
    _wraps_partial,
    _wraps_partial_xp,
    numpy_cupy_allclose,
    numpy_cupy_array_almost_equal,
    numpy_cupy_array_almost_equal_nulp,
    numpy_cupy_array_equal,
    numpy_cupy_array_less,
    numpy_cupy_array_list_equal,
    numpy_cupy_array_max_ulp,
    numpy_cupy_equal,
    numpy_cupy_raises,
)
from tenorite.testing._dtypes import (  # noqa: F401
    _complex_dtypes,
    _dtypes,
    _float_dtypes,
    _int_bool_dtypes,
    _int_dtypes,
    _make_all_dtypes,
    _regular_dtypes,
    _regular_float_dtypes,
    _signed_dtypes,
    _unsigned_dtypes,
)


def _for_each(choices, names):
    """A decorator that runs a test with each of several dicts of arguments."""

    def decorator(impl):
        @_wraps_partial(impl, *names)
        def test_func(*args, **kw):
            for chosen in choices:
                said = ", ".join(f"{name} = {value}" for name, value in chosen.items())
                try:
                    impl(*args, **{**kw, **chosen})
                except _skip_classes as error:
                    print(f"skipped: {said} ({error})")
                except Exception:
                    print(said)
                    raise

        return test_func

    return decorator


_DTYPES = """
    dtypes : sequence of dtypes
        Those to go over.
"""
_NAME = """
    name : str, optional
        Which argument of the test is the dtype. It gets NumPy's type.
"""
_NAMES = """
    names : sequence of str, optional
        Which arguments of the test are dtypes. They get NumPy's types.
"""
_FULL = """
    full : bool, optional
        Whether all combinations come. None: if the environment's CUPY_TEST_FULL_COMBINATION is
        not 0. Otherwise each dtype comes twice in each argument, in an order of chance.
"""
_NO_FLOAT16 = """
    no_float16 : bool, optional
        Whether float16 is left out.
"""
_NO_BOOL = """
    no_bool : bool, optional
        Whether bool is left out.
"""
_NO_COMPLEX = """
    no_complex : bool, optional
        Whether complex dtypes are left out.
"""


def _described(summary, parameters, arguments="", test_arguments="dtype", body="cp.ones(2, dtype)"):
    """Gives a decorator of tests its text."""

    def decorator(function):
        listed = "".join(part.rstrip() for part in parameters)
        function.__doc__ = f"""{summary}

    Parameters
    ----------{listed}

    Returns
    -------
    callable
        A decorator of tests.

    Examples
    --------
    >>> import tenorite as cp
    >>> @cp.testing.{function.__name__}({arguments})
    ... def test_it({test_arguments}):
    ...     {body}
    >>> test_it()
    """
        return function

    return decorator


@_described("Run a test for each of several dtypes.", [_DTYPES, _NAME], '["f", "d"]')
def for_dtypes(dtypes, name="dtype"):
    return _for_each([{name: numpy.dtype(dtype).type} for dtype in dtypes], [name])


@_described("Run a test for each dtype.", [_NAME, _NO_FLOAT16, _NO_BOOL, _NO_COMPLEX])
def for_all_dtypes(name="dtype", no_float16=False, no_bool=False, no_complex=False):
    return for_dtypes(_make_all_dtypes(no_float16, no_bool, no_complex), name=name)


@_described("Run a test for each floating-point dtype.", [_NAME, _NO_FLOAT16])
def for_float_dtypes(name="dtype", no_float16=False):
    return for_dtypes(_regular_float_dtypes if no_float16 else _float_dtypes, name=name)


@_described("Run a test for each signed integer dtype.", [_NAME])
def for_signed_dtypes(name="dtype"):
    return for_dtypes(_signed_dtypes, name=name)


@_described("Run a test for each unsigned integer dtype.", [_NAME])
def for_unsigned_dtypes(name="dtype"):
    return for_dtypes(_unsigned_dtypes, name=name)


@_described("Run a test for each integer dtype, and bool.", [_NAME, _NO_BOOL])
def for_int_dtypes(name="dtype", no_bool=False):
    return for_dtypes(_int_dtypes if no_bool else _int_bool_dtypes, name=name)


@_described("Run a test for each complex dtype.", [_NAME])
def for_complex_dtypes(name="dtype"):
    return for_dtypes(_complex_dtypes, name=name)


def _combinations(types, names):
    """Pairs in which each type comes in each place, without all of the product."""
    columns = [types + random.sample(types, len(types)) for _ in names]
    return [dict(zip(names, chosen)) for chosen in sorted(set(zip(*columns)), key=str)]


@_described(
    "Run a test for combinations of dtypes.",
    ["\n    types : sequence of dtypes\n        Those to go over.\n", _NAMES, _FULL],
    '["f", "d"], names=["a", "b"]',
    "a, b",
    "cp.ones(2, a) + cp.ones(2, b)",
)
def for_dtypes_combination(types, names=("dtype",), full=None):
    types, names = list(types), list(names)
    if len(names) == 1:
        return for_dtypes(types, names[0])
    if full is None:
        full = int(os.environ.get("CUPY_TEST_FULL_COMBINATION", "0")) != 0
    types = [numpy.dtype(one).type for one in types]
    if full:
        choices = [dict(zip(names, chosen)) for chosen in itertools.product(types, repeat=len(names))]
    else:
        choices = _combinations(types, names)
    return _for_each(choices, names)


@_described(
    "Run a test for combinations of all dtypes.",
    [_NAMES, _NO_FLOAT16, _NO_BOOL, _FULL, _NO_COMPLEX],
    'names=["a", "b"]',
    "a, b",
    "cp.ones(2, a) + cp.ones(2, b)",
)
def for_all_dtypes_combination(names=("dtype",), no_float16=False, no_bool=False, full=None, no_complex=False):
    return for_dtypes_combination(_make_all_dtypes(no_float16, no_bool, no_complex), names, full)


@_described("Run a test for combinations of signed integer dtypes.", [_NAMES, _FULL])
def for_signed_dtypes_combination(names=("dtype",), full=None):
    return for_dtypes_combination(_signed_dtypes, names=names, full=full)


@_described("Run a test for combinations of unsigned integer dtypes.", [_NAMES, _FULL])
def for_unsigned_dtypes_combination(names=("dtype",), full=None):
    return for_dtypes_combination(_unsigned_dtypes, names=names, full=full)


@_described("Run a test for combinations of integer dtypes, and bool.", [_NAMES, _NO_BOOL, _FULL])
def for_int_dtypes_combination(names=("dtype",), no_bool=False, full=None):
    return for_dtypes_combination(_int_dtypes if no_bool else _int_bool_dtypes, names, full)


_ORDER = """
    name : str, optional
        Which argument of the test is the order.
"""


@_described(
    "Run a test for each of several orders.",
    ["\n    orders : sequence\n        Those to go over.\n", _ORDER],
    '"CF"',
    "order",
    "cp.ones((2, 2), order=order)",
)
def for_orders(orders, name="order"):
    return _for_each([{name: order} for order in orders], [name])


@_described(
    "Run a test for the orders None, 'C', 'F', 'c' and 'f'.", [_ORDER], "", "order", "cp.ones((2, 2), order=order)"
)
def for_CF_orders(name="order"):
    return for_orders([None, "C", "F", "c", "f"], name)


def for_contiguous_axes(name="axis"):
    """Run a test for each group of axes whose elements lie side by side.

    Parameters
    ----------
    name : str, optional
        Which argument of the test is the tuple of axes. The test's class has the array's shape as
        ``shape``, and its order as ``order``.

    Returns
    -------
    callable
        A decorator of methods of test classes.

    Examples
    --------
    >>> import tenorite as cp
    >>> class Tests:
    ...     shape, order = (2, 3), "C"
    ...     @cp.testing.for_contiguous_axes()
    ...     def test_sum(self, axis):
    ...         print(axis)
    >>> Tests().test_sum()
    (0, 1)
    (1,)
    """

    def decorator(impl):
        @_wraps_partial(impl, name)
        def test_func(self, *args, **kw):
            ndim = len(self.shape)
            if self.order in ("c", "C"):
                groups = [tuple(range(i, ndim)) for i in range(ndim)]
            elif self.order in ("f", "F"):
                groups = [tuple(range(i + 1)) for i in range(ndim)]
            else:
                raise ValueError("Please specify the array order.")
            for group in groups:
                try:
                    impl(self, *args, **{**kw, name: group})
                except Exception:
                    print(f"{name} is {group}, shape is {self.shape}, order is {self.order}")
                    raise

        return test_func

    return decorator
