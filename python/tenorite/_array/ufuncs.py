"""Loops of ufuncs by dtypes: calls with signature=, and methods that are added to the type."""

import numpy

from tenorite import _core


def resolve_dtypes(self, dtypes, *, signature=None, casting=None, reduction=False):
    """The dtypes of operands and results that a call with such operands computes with.

    Loops and rules are NumPy's, so the ufunc of the same name there is asked.

    Parameters
    ----------
    dtypes : tuple of dtypes
        Those of the operands; None for an output that is not given, and the types int, float and
        complex for numbers of Python's.
    signature : tuple of dtypes, optional
        The dtypes of the loop, each of which may be None.
    casting : str, optional
        The rule for casts, "same_kind" if left out.
    reduction : bool, optional
        Whether the dtypes are those of a reduction.

    Returns
    -------
    tuple of dtypes

    Examples
    --------
    >>> import numpy
    >>> import tenorite as cp
    >>> cp.add.resolve_dtypes((numpy.dtype("f4"), int, None))
    (dtype('float32'), dtype('float32'), dtype('float32'))
    """
    theirs = getattr(numpy, self.__name__, None)
    if not isinstance(theirs, numpy.ufunc):
        raise NotImplementedError(f"{self.__name__} is no ufunc of NumPy, whose rules resolve_dtypes() gives")
    options = {"signature": signature, "casting": casting}
    given = {name: value for name, value in options.items() if value is not None}
    return theirs.resolve_dtypes(dtypes, reduction=reduction, **given)


_core.ufunc.resolve_dtypes = resolve_dtypes


def by_signature(name, args, kwargs):
    """A call of the function of this name with signature= or sig=, the loop by its dtypes.

    NumPy says which loop that is. Operands in its dtypes choose the same loop here.
    """
    function, theirs = getattr(_core, name), getattr(numpy, name, None)
    if not isinstance(theirs, numpy.ufunc):
        raise NotImplementedError(f"{name}(signature=): {name} is no ufunc of NumPy, whose loops are asked for")
    options = dict(kwargs)
    given = [options.pop(one) for one in ("sig", "signature") if one in options]
    if len(given) == 2:
        raise TypeError("cannot specify both 'sig' and 'signature'")
    if options.pop("dtype", None) is not None:
        raise TypeError("cannot specify both 'signature' and 'dtype'")
    if not isinstance(given[0], (str, bytes, tuple)):
        raise TypeError("the signature object to ufunc must be a string or a tuple.")
    out = options.get("out")
    outputs = args[theirs.nin :] or (out if isinstance(out, tuple) else (out,) * (out is not None))
    outputs += (None,) * (theirs.nout - len(outputs))
    inputs = args[: theirs.nin]
    asked = [type(one) if type(one) in (int, float, complex) else _core._result_type(one) for one in inputs]
    asked += [None if one is None else one.dtype for one in outputs]
    loop = theirs.resolve_dtypes(tuple(asked), signature=given[0], casting=options.get("casting", "same_kind"))
    inputs = [_core.asarray(one, dtype=dtype) for one, dtype in zip(inputs, loop)]
    made = function(*inputs, *args[theirs.nin :], **options)
    for one, dtype, output in zip(made if theirs.nout > 1 else (made,), loop[theirs.nin :], outputs):
        if output is None and one.dtype != dtype:
            raise TypeError(f"No loop matching the specified signature {given[0]!r} was found for ufunc {name}")
    return made
