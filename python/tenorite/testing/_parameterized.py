"""Classes of tests that run once for each of several sets of attributes."""

import inspect
import itertools
import re
import sys
import unittest

from tenorite.testing import _attr

_VALUE_MAX = 100
_PARAMETERS_MAX = 5000


def product(parameter):
    """All combinations of values.

    Parameters
    ----------
    parameter : dict or list of lists of dicts
        A dict of lists has the values of each attribute; of lists of dicts one dict of each list
        is joined.

    Returns
    -------
    list of dict
        Sets of attributes for `parameterize`.

    Raises
    ------
    TypeError
        If it is anything else.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.product({"a": [1, 2], "b": [3]})
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    >>> cp.testing.product([[{"a": 1}], [{"b": 2}, {"b": 3}]])
    [{'a': 1, 'b': 2}, {'a': 1, 'b': 3}]
    """
    if isinstance(parameter, dict):
        names = sorted(parameter)
        return [dict(zip(names, values)) for values in itertools.product(*(parameter[name] for name in names))]
    if not isinstance(parameter, list):
        raise TypeError(f"parameter must be either dict or list. Actual: {type(parameter)}")
    if not all(isinstance(one, list) and all(isinstance(d, dict) for d in one) for one in parameter):
        raise TypeError("parameter must be a list of lists of dicts")
    return product_dict(*parameter)


def product_dict(*parameters):
    """All combinations of one dict of each list, joined.

    Parameters
    ----------
    *parameters : list of dict
        Sets of attributes.

    Returns
    -------
    list of dict
        Sets of attributes for `parameterize`.

    Examples
    --------
    >>> import tenorite as cp
    >>> cp.testing.product_dict([{"a": 1}, {"a": 2}], [{"b": 3}])
    [{'a': 1, 'b': 3}, {'a': 2, 'b': 3}]
    """
    return [{k: v for one in chosen for k, v in one.items()} for chosen in itertools.product(*parameters)]


def _shorten(text, most):
    """A text of so many characters at most: its middle becomes three dots."""
    if len(text) <= most:
        return text
    rest = most - 3
    return f"{text[: rest - rest // 2]}...{text[len(text) - rest // 2 :]}"


def _shown(value):
    """Text of a value that is the same in each process: without an address."""
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) else re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def _identity(number, param):
    parts = [f"{name}={_shorten(_shown(value), _VALUE_MAX)}" for name, value in sorted(param.items())]
    return f"_param_{number}_{{{_shorten(', '.join(parts), _PARAMETERS_MAX)}}}"


class _Bundle:
    """Classes that were made of one; a second parameterize() makes more of each."""

    def __init__(self, cases):
        self.cases = cases


def _said_with(test, param):
    """A test whose failure says with what attributes it has run."""

    def said(self, *args, **kwargs):
        try:
            return test(self, *args, **kwargs)
        except unittest.SkipTest:
            raise
        except Exception as error:
            values = "".join(f"  {name}: {_shown(value)}\n" for name, value in sorted(param.items()))
            error.add_note(f"Parameterized test failed.\n\nTest parameters:\n{values}")
            raise

    said.__dict__.update(test.__dict__)
    said.__wrapped__, said.__name__, said.__doc__ = test, test.__name__, test.__doc__
    said.__signature__ = inspect.signature(test)
    return said


def _made_of(case, number, param):
    """A unittest.TestCase of its own in the module of the one that it is made of."""
    members = {name: staticmethod(value) if inspect.isfunction(value) else value for name, value in param.items()}
    for name, test in inspect.getmembers(case, inspect.isfunction):
        if name.startswith("test"):
            members[name] = _said_with(test, param)
    name = case.__name__ + _identity(number, param)
    made = type(case)(name, (case,), {**members, "__module__": case.__module__})
    setattr(sys.modules[case.__module__], name, made)
    return made


def _unittest_parameterize(params, cases):
    bundled = cases.cases if isinstance(cases, _Bundle) else [cases]
    for case in bundled:  # the ones that were made first are only steps
        if isinstance(cases, _Bundle):
            delattr(sys.modules[case.__module__], case.__name__)
    return _Bundle([_made_of(case, number, one) for case in bundled for number, one in enumerate(params)])


def _pytest_parameterize(params, cls, named):
    _attr.check_available()
    pytest = _attr.pytest

    class Attributes:
        @pytest.fixture(autouse=True)
        def _cupy_testing_parameterize(self, _cupy_testing_param):
            self.__dict__.update(_cupy_testing_param)

    made = type(cls.__name__, (Attributes, cls), {"__module__": cls.__module__, "__qualname__": cls.__qualname__})
    names = [_identity(number, param) for number, param in enumerate(params)] if named else range(len(params))
    return pytest.mark.parametrize("_cupy_testing_param", params, ids=map(str, names))(made)


def parameterize(*params, _ids=True):
    """Run a class of tests once for each of several sets of attributes.

    Parameters
    ----------
    *params : dict
        The attributes that the tests find in ``self``.

    Returns
    -------
    callable
        A decorator of classes: of ``unittest.TestCase``, or such as pytest collects.

    Examples
    --------
    >>> import tenorite as cp, unittest
    >>> @cp.testing.parameterize(*cp.testing.product({"n": [1, 2]}))
    ... class TestOnes(unittest.TestCase):
    ...     def test_sum(self):
    ...         assert cp.ones(self.n).sum() == self.n
    >>> [case("test_sum").run().wasSuccessful() for case in TestOnes.cases]
    [True, True]
    """

    def decorator(cls):
        if isinstance(cls, _Bundle) or issubclass(cls, unittest.TestCase):
            return _unittest_parameterize(params, cls)
        return _pytest_parameterize(params, cls, _ids)

    return decorator
