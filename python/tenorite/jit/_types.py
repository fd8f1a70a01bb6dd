"""Types and values of translated programs: what a Python expression is in C++."""

import functools
import math

import numpy

from tenorite import _core
from tenorite._kernels.parameters import type_name

# Of CUDA C++, from the smallest to the largest: what two of them become together there.
RANKS = "?bBhHiIlLqQefdFD"


class CType:
    """A type: its text in C++, and what makes two types equal."""

    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text

    def __repr__(self):
        return f"<{self.text}>"

    def __eq__(self, other):
        return isinstance(other, CType) and self.text == other.text

    def __hash__(self):
        return hash(self.text)


class Scalar(CType):
    """A number of a dtype."""

    def __init__(self, dtype):
        self.dtype = numpy.dtype(dtype)
        if self.dtype.char not in RANKS and self.dtype.name != "bfloat16":
            raise TypeError(f"kernels have no numbers of dtype {self.dtype}")
        super().__init__(type_name(self.dtype))

    @property
    def is_short_float(self):
        return self.dtype.itemsize == 2 and self.dtype.kind not in "iu"

    @property
    def kind(self):
        return "f" if self.is_short_float else self.dtype.kind


class Array(CType):
    """A parameter that is an array: CArray of carray.cuh."""

    def __init__(self, dtype, ndim, is_contiguous):
        self.item, self.ndim, self.is_contiguous = Scalar(dtype), ndim, is_contiguous
        super().__init__(f"CArray<{self.item}, {ndim}, {'true' if is_contiguous else 'false'}>")

    dtype = property(lambda self: self.item.dtype)


class Pointer(CType):
    """Elements side by side, of a block, of a thread, or of an array: begin(), shared_memory().
    `shape` is None where their number is not known."""

    def __init__(self, item, shape=None):
        self.item, self.shape = item, shape
        super().__init__(f"{item} *")

    dtype = property(lambda self: self.item.dtype)


class Iterator(CType):
    """Elements one after the other: of an array that does not lie contiguous, or made ones."""

    def __init__(self, text, item):
        self.item = item
        super().__init__(text)

    dtype = property(lambda self: self.item.dtype)


class Dim3(CType):
    """Three numbers x, y, z."""

    def __init__(self):
        super().__init__("dim3")


class Tuple(CType):
    """Several values, as tni_tuple of jit.cuh."""

    def __init__(self, types):
        self.types = tuple(types)
        super().__init__(f"tni_tuple<{', '.join(map(str, self.types))}>")


class Object(CType):
    """What has methods: a group of threads. Its variable is another name of `text`'s value."""

    def __init__(self, text, methods):
        self.methods = methods
        super().__init__(text)

    def method(self, value, name):
        """What makes a value of a call of a method; None: there is no such method."""
        kind = self.methods.get(name)
        return None if kind is None else lambda env: Value(f"{value}.{name}()", kind, False)


# What has elements under numbers, whose variable is as any other.
PLACES = (Array, Pointer, Iterator)

VOID = CType("void")
BOOL, INT32, UINT32, INT64 = Scalar("?"), Scalar("i4"), Scalar("u4"), Scalar("i8")


class Value:
    """A value that a kernel computes: text of C++, and its type."""

    is_pure = True  # whether it may be computed twice
    # Whether it matters when it is computed, and how often.
    acts = property(lambda self: not self.is_pure)

    def __init__(self, text, type, is_pure=True):
        self.text, self.type, self.is_pure = text, type, is_pure

    def __str__(self):
        return self.text


class Row(Value):
    """Part of an array: that at some indexes of its first axes. No name stands for it, since the
    indexes may change; an index of it is one of the array."""

    acts = property(lambda self: any(isinstance(one, Value) and one.acts for one in (self.array, *self.indexes)))

    def __init__(self, text, type, array, indexes):
        super().__init__(text, type, False)
        self.array, self.indexes = array, indexes


class Constant:
    """A value that is known while a function is translated: a number, a dtype, a module, ..."""

    def __init__(self, value):
        self.value = value


scalar_type = functools.lru_cache(maxsize=256)(Scalar)


def is_number(value):
    return isinstance(value, (bool, int, float, complex, numpy.generic))


def number_type(value, mode):
    """The type of a number: in the mode 'cuda' a literal is what it is in CUDA C++."""
    if isinstance(value, numpy.generic):
        return scalar_type(value.dtype)
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        if mode == "cuda" and -(1 << 31) <= value < 1 << 31:
            return INT32
        if not -(1 << 63) <= value < 1 << 64:
            raise OverflowError(f"the number {value} has more than 64 bits")
        return INT64 if value < 1 << 63 else Scalar("u8")
    if isinstance(value, float):
        return scalar_type("f4" if mode == "cuda" else "f8")
    if isinstance(value, complex):
        return scalar_type("c8" if mode == "cuda" else "c16")
    raise TypeError(f"a kernel can't use a value of type {type(value).__name__}")


def _real_literal(value, suffix):
    value = float(value)
    if math.isnan(value):
        return f"CUDART_NAN{suffix and '_F'}"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}CUDART_INF{suffix and '_F'}"
    return repr(value) + suffix


def literal(value, type):
    """The text of a number as a scalar of `type`."""
    dtype = type.dtype
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.kind in "iu":
        number = int(value)
        info = numpy.iinfo(dtype)
        if not info.min <= number <= info.max:
            raise OverflowError(f"{dtype} can't hold {number}")
        if number == -(1 << 63):
            return "(-9223372036854775807LL - 1)"
        text = f"{number}{'u' if dtype.kind == 'u' else ''}{'ll' if dtype.itemsize == 8 else ''}"
        if dtype.itemsize < 4:
            return f"({type}){'(' + text + ')' if number < 0 else text}"
        return f"({text})" if number < 0 else text
    if dtype.kind == "c":
        suffix = "f" if dtype.itemsize == 8 else ""
        return f"{type}({_real_literal(value.real, suffix)}, {_real_literal(value.imag, suffix)})"
    if type.is_short_float:
        return f"{type}({_real_literal(value, 'f')})"
    text = _real_literal(value, "f" if dtype.itemsize == 4 else "")
    return f"({text})" if text[0] == "-" else text


_array_type = functools.lru_cache(maxsize=1024)(Array)


def type_of(value, mode):
    """The type of an argument of a call: an array's, or a number's."""
    if isinstance(value, _core.ndarray):
        return _array_type(value.dtype, value.ndim, value.flags.c_contiguous)
    if is_number(value):
        return number_type(value, mode)
    raise TypeError(f"a kernel takes arrays of tenorite and numbers, no {type(value).__name__}")
