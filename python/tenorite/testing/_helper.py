"""Arrays for tests, what is installed, and checks that no comparison of results makes."""

import contextlib
import importlib.metadata
import inspect
import math
import unittest
import unittest.mock
import warnings

import numpy

import tenorite
import tenorite.scipy.sparse as ours
from tenorite import _arguments
from tenorite._lib.documents import documenter
from tenorite.testing import _attr

if _attr.pytest is None:
    _skipif = unittest.skipIf
else:

    def _skipif(condition, reason):
        return _attr.pytest.mark.skipif(condition, reason=reason)


_documented = documenter(
    {
        "xp": ("module", "NumPy or Tenorite."),
        "seed": ("int", "NumPy's random numbers begin there, those of other calls, too."),
        "order": ("{'C', 'F'}", "Order of the elements in memory."),
    },
    ("array", "Of that module."),
)


def _version(name):
    """The version of a package; of CuPy that of the names, where Tenorite stands for it."""
    if name == "cupy" and _arguments.is_cupy:
        return tenorite.__version__
    return importlib.metadata.version(name)


def installed(*specifiers):
    """Whether packages are installed.

    Parameters
    ----------
    *specifiers : str
        As those of pip: a name, and conditions on its version.

    Returns
    -------
    bool
        Whether all of them are there.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.installed("numpy>=1.20"), cp.testing.installed("numpy<1.20")
    (True, False)
    """
    Requirement = importlib.import_module("packaging.requirements").Requirement
    for specifier in specifiers:
        wanted = Requirement(specifier)
        try:
            found = _version(wanted.name)
        except importlib.metadata.PackageNotFoundError:
            return False
        if wanted.specifier and not wanted.specifier.contains(found, prereleases=True):
            return False
    return True


def with_requires(*requirements):
    """Skip a test where packages are not installed.

    Parameters
    ----------
    *requirements : str
        As those of `installed`.

    Returns
    -------
    callable
        A decorator of tests and of classes of them.

    Examples
    --------
    >>> import tenorite as cp
    >>> @cp.testing.with_requires("numpy>=1.20")
    ... def test_it():
    ...     return "ran"
    >>> test_it()
    'ran'
    """
    return _skipif(not installed(*requirements), f"requires: {','.join(requirements)}")


# The versions of which the behaviour is followed.
_BASELINE = {"numpy": "2.4", "scipy": "1.17"}


def is_after_baseline(**versions):
    """Whether a version of a package is newer than the one that is followed here.

    Parameters
    ----------
    **versions : str
        A version by the package's name: numpy or scipy.

    Returns
    -------
    bool
        Whether one of them is newer.

    Examples
    --------
    >>> from tenorite.testing._helper import is_after_baseline
    >>> is_after_baseline(scipy="1.17"), is_after_baseline(numpy="99.0")
    (False, True)
    """
    Version = importlib.import_module("packaging.version").Version
    return any(Version(version) > Version(_BASELINE[name]) for name, version in versions.items())


def skip_if_after_baseline(*, reason, **versions):
    """Skip a test where a package is installed in a version that is not followed yet.

    Parameters
    ----------
    reason : str
        Why the test cannot pass.
    **versions : str
        The first such version by the package's name: numpy or scipy.

    Returns
    -------
    callable
        A decorator of tests.

    Examples
    --------
    >>> from tenorite.testing._helper import skip_if_after_baseline
    >>> @skip_if_after_baseline(scipy="1.17", reason="SciPy changed the dtype")
    ... def test_it():
    ...     return "ran"
    >>> test_it()
    'ran'
    """
    is_newer = any(
        is_after_baseline(**{name: version}) and installed(f"{name}>={version}") for name, version in versions.items()
    )
    return _skipif(is_newer, reason)


def numpy_satisfies(version_range):
    """Whether NumPy's version is within a range.

    Parameters
    ----------
    version_range : str
        Conditions, as those of pip.

    Returns
    -------
    bool
        Whether it is.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.numpy_satisfies(">=2.0")
    True
    """
    return installed(f"numpy{version_range}")


def _counted(a, shape, dtype):
    """NumPy's array of that shape and dtype with these elements; every second one is True."""
    if dtype == "?":
        a = a % 2 == 0
    elif dtype.kind == "c":
        a = a + a * 1j
    return a.astype(dtype).reshape(shape)


@_documented
def shaped_arange(shape, xp=tenorite, dtype=numpy.float32, order="C"):
    """An array of 1, 2, 3 and so on.

    Parameters
    ----------
    dtype : dtype, optional
        Of the result. bool: False and True in turns; complex: n + nj.

    Raises
    ------
    TypeError
        For a shape that is no tuple of ints.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.shaped_arange((2, 3), dtype=cp.int64)
    array([[1, 2, 3],
           [4, 5, 6]])
    """
    a = _counted(numpy.arange(1, math.prod(shape) + 1), shape, numpy.dtype(dtype))
    return xp.array(a, order=order)


@_documented
def shaped_reverse_arange(shape, xp=tenorite, dtype=numpy.float32):
    """An array of n, n - 1 and so on to 1.

    Parameters
    ----------
    dtype : dtype, optional
        Of the result. bool: True and False in turns; complex: n + nj.

    Raises
    ------
    TypeError
        For a shape that is no tuple of ints.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.shaped_reverse_arange((3,), dtype=cp.int64)
    array([3, 2, 1])
    """
    return xp.array(_counted(numpy.arange(math.prod(shape), 0, -1), shape, numpy.dtype(dtype)))


@_documented
def shaped_linspace(start, stop, shape, xp=tenorite, dtype=numpy.float32):
    """An array of equal steps.

    Parameters
    ----------
    start, stop : float
        The first and the last element. Unsigned dtypes begin at 0 at least, bools lie within 0
        and 1.
    shape : int or tuple of ints
        Of the result.

    Raises
    ------
    ValueError
        For a negative size.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.shaped_linspace(0, 1, (3,)).tolist()
    [0.0, 0.5, 1.0]
    """
    dtype = numpy.dtype(dtype)
    if dtype == "?":
        start, stop = max(start, 0), min(stop, 1)
    elif dtype.kind == "u":
        start = max(start, 0)
    a = numpy.linspace(start, stop, math.prod(shape) if hasattr(shape, "__len__") else shape)
    return xp.array(a.astype(dtype).reshape(shape))


@_documented
def shaped_random(shape, xp=tenorite, dtype=numpy.float32, scale=10, seed=0, order="C"):
    """An array of random numbers, the same for NumPy and Tenorite.

    Parameters
    ----------
    scale : float, optional
        The numbers lie in [0, scale), and so do both parts of complex ones.

    Raises
    ------
    ValueError
        For a negative size.

    Examples
    --------
    >>> import tenorite as cp, numpy as np
    >>> a = cp.testing.shaped_random((2, 3))
    >>> bool((a.get() == cp.testing.shaped_random((2, 3), np)).all())
    True
    """
    numpy.random.seed(seed)
    dtype = numpy.dtype(dtype)
    if dtype == "?":
        a = numpy.random.randint(2, size=shape)
    elif dtype.kind == "c":
        a = (numpy.random.rand(*shape) + 1j * numpy.random.rand(*shape)) * scale
    else:
        a = numpy.random.rand(*shape) * scale
    return xp.asarray(a, dtype=dtype, order=order)


@_documented
def shaped_sparse_random(shape, sp=None, dtype=numpy.float32, density=0.01, format="coo", seed=0):
    """A sparse matrix of random numbers, the same for SciPy and Tenorite. It needs SciPy.

    Parameters
    ----------
    shape : tuple of two ints
        Of the result.
    sp : module, optional
        scipy.sparse or, which None is, tenorite.scipy.sparse.
    density : float, optional
        Which part of the elements is stored.
    format : str, optional
        That of the result.

    Returns
    -------
    sparse matrix
        Of that module.

    Raises
    ------
    ValueError
        If `sp` is another module.

    Examples
    --------
    >>> import tenorite as cp
    >>> if cp.testing.installed("scipy"):
    ...     assert cp.testing.shaped_sparse_random((20, 30)).shape == (20, 30)
    """
    theirs = importlib.import_module("scipy.sparse")
    if sp not in (None, ours, theirs):
        raise ValueError(f"Unknown module: {sp}")
    n_rows, n_cols = shape
    numpy.random.seed(seed)
    a = theirs.random(n_rows, n_cols, density).astype(dtype)
    return (a if sp is theirs else ours.coo_matrix(a)).asformat(format)


@_documented
def generate_matrix(shape, xp=tenorite, dtype=numpy.float32, *, singular_values=None):
    """Random matrices of given singular values.

    Parameters
    ----------
    shape : tuple of ints
        Of the result; its last two axes are those of the matrices.
    dtype : dtype, optional
        Of the result: floating-point or complex.
    singular_values : array_like
        Those of each matrix: it broadcasts to ``shape[:-2] + (min(shape[-2:]),)``.

    Raises
    ------
    ValueError
        If the shape has less than two axes, or if a singular value is negative.
    TypeError
        If no singular values are given, or if no such dtype has matrices.

    Examples
    --------
    >>> import tenorite as cp
    >>> a = cp.testing.generate_matrix((2, 2), dtype=cp.float64, singular_values=[3, 1])
    >>> cp.linalg.svd(a, compute_uv=False).round(6).tolist()
    [3.0, 1.0]
    """
    if len(shape) <= 1:
        raise ValueError(f"shape {shape} is invalid for matrices: too few axes")
    if singular_values is None:
        raise TypeError("singular_values is not given")
    dtype = numpy.dtype(dtype)
    if dtype.kind not in "fc":
        raise TypeError(f"dtype {dtype} is not supported")
    singular_values = xp.asarray(singular_values)
    if singular_values.dtype.kind == "c":
        raise TypeError("singular_values is not real")
    if (singular_values < 0).any():
        raise ValueError("negative singular value is given")
    exact = numpy.complex128 if dtype.kind == "c" else numpy.float64
    a = xp.random.randn(*shape)
    if dtype.kind == "c":
        a = a + 1j * xp.random.randn(*shape)
    u, s, vh = xp.linalg.svd(a.astype(exact), full_matrices=False)
    values = xp.broadcast_to(singular_values, s.shape)
    return xp.matmul(u * values[..., None, :], vh).astype(dtype)


@contextlib.contextmanager
def assert_warns(expected):
    """Fail unless the code within warns.

    Parameters
    ----------
    expected : type
        Of the warning.

    Raises
    ------
    AssertionError
        If there was no such warning.

    Examples
    --------
    >>> import tenorite as cp, warnings
    >>> with cp.testing.assert_warns(UserWarning):
    ...     warnings.warn("mind the gap")
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    if not any(isinstance(one.message, expected) for one in caught):
        raise AssertionError(f"{getattr(expected, '__name__', expected)} not triggered")


class AssertFunctionIsCalled:
    """Fail unless a function is called within: a context.

    Parameters
    ----------
    mock_mod : str
        Full name of the function. A unittest.mock stands in its place meanwhile.
    times_called : int, optional
        How often it must be called.
    **kwargs
        Those of unittest.mock.patch, such as `wraps` and `return_value`.

    Examples
    --------
    >>> import tenorite as cp
    >>> with cp.testing.AssertFunctionIsCalled("math.floor", return_value=7) as floor:
    ...     import math
    ...     print(math.floor(1.5), floor.call_count)
    7 1
    """

    def __init__(self, mock_mod, *, times_called=1, **kwargs):
        self.times_called = times_called
        self.patch = unittest.mock.patch(mock_mod, **kwargs)

    def __enter__(self):
        self.handle = self.patch.__enter__()
        assert self.handle.call_count == 0
        return self.handle

    def __exit__(self, exc_type, exc_value, traceback):
        try:
            if exc_type is None:
                assert self.handle.call_count == self.times_called, (
                    f"called {self.handle.call_count} times instead of {self.times_called}"
                )
        finally:
            self.patch.__exit__(exc_type, exc_value, traceback)


class NumpyAliasTestBase(unittest.TestCase):
    """The base of tests of functions that NumPy has by the same name.

    Examples
    --------
    >>> import tenorite as cp
    >>> class TestNdim(cp.testing._helper.NumpyAliasTestBase):
    ...     func = "ndim"
    >>> TestNdim().numpy_func([1, 2])
    1
    """

    @property
    def func(self):
        """The function's name, which a class of tests says.

        Examples
        --------
        >>> import tenorite as cp
        >>> class TestNdim(cp.testing._helper.NumpyAliasTestBase):
        ...     func = "ndim"
        >>> TestNdim().func
        'ndim'
        """
        raise NotImplementedError("a class of tests of a function has its name as func")

    @property
    def cupy_func(self):
        """Our function of that name.

        Examples
        --------
        >>> import tenorite as cp
        >>> class TestNdim(cp.testing._helper.NumpyAliasTestBase):
        ...     func = "ndim"
        >>> TestNdim().cupy_func is cp.ndim
        True
        """
        return getattr(tenorite, self.func)

    @property
    def numpy_func(self):
        """NumPy's function of that name.

        Examples
        --------
        >>> import tenorite as cp, numpy
        >>> class TestNdim(cp.testing._helper.NumpyAliasTestBase):
        ...     func = "ndim"
        >>> TestNdim().numpy_func is numpy.ndim
        True
        """
        return getattr(numpy, self.func)


class NumpyAliasBasicTestBase(NumpyAliasTestBase):
    """Tests that a function has the arguments of NumPy's, and a text of its own.

    Examples
    --------
    >>> import tenorite as cp
    >>> class TestVander(cp.testing.NumpyAliasBasicTestBase):
    ...     func = "vander"
    >>> TestVander("test_argspec").run().wasSuccessful()
    True
    """

    def test_argspec(self):
        """The signatures are equal.

        Examples
        --------
        >>> import tenorite as cp
        >>> class TestVander(cp.testing.NumpyAliasBasicTestBase):
        ...     func = "vander"
        >>> TestVander("test_argspec").run().wasSuccessful()
        True
        """
        assert inspect.signature(self.cupy_func) == inspect.signature(self.numpy_func)

    def test_docstring(self):
        """There is a text, which is not NumPy's.

        Examples
        --------
        >>> import tenorite as cp
        >>> class TestVander(cp.testing.NumpyAliasBasicTestBase):
        ...     func = "vander"
        >>> TestVander("test_docstring").run().wasSuccessful()
        True
        """
        assert self.cupy_func.__doc__ is not None
        assert self.cupy_func.__doc__ != self.numpy_func.__doc__


class NumpyAliasValuesTestBase(NumpyAliasTestBase):
    """Tests that a function gives what NumPy's gives.

    Examples
    --------
    >>> import tenorite as cp
    >>> class TestNdim(cp.testing.NumpyAliasValuesTestBase):
    ...     func, args = "ndim", (3,)
    >>> TestNdim("test_values").run().wasSuccessful()
    True
    """

    def test_values(self):
        """The results are equal.

        Examples
        --------
        >>> import tenorite as cp
        >>> class TestNdim(cp.testing.NumpyAliasValuesTestBase):
        ...     func, args = "ndim", (3,)
        >>> TestNdim("test_values").run().wasSuccessful()
        True
        """
        assert self.cupy_func(*self.args) == self.numpy_func(*self.args)
