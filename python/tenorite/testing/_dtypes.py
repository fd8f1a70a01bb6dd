"""The dtypes that tests go over, as CuPy groups them."""

import numpy


def _types(codes):
    return tuple(numpy.dtype(code).type for code in codes)


_complex_dtypes = _types("FD")
_regular_float_dtypes = _types("df")
_float_dtypes = _types("dfe")
_signed_dtypes = _types("bhilq")
_unsigned_dtypes = _types("BHILQ")
_int_dtypes = _signed_dtypes + _unsigned_dtypes
_int_bool_dtypes = (*_int_dtypes, numpy.bool_)
_regular_dtypes = _regular_float_dtypes + _int_bool_dtypes
_dtypes = _float_dtypes + _int_bool_dtypes


def _make_all_dtypes(no_float16, no_bool, no_complex):
    floats = _regular_float_dtypes if no_float16 else _float_dtypes
    ints = _int_dtypes if no_bool else _int_bool_dtypes
    return floats + ints + (() if no_complex else _complex_dtypes)
