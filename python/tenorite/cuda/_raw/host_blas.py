"""What cuBLAS's functions of one vector or matrix do on the host: the memory at their addresses as
arrays, with columns that lie one after the other, and operations of the library on them.

FUNCTIONS is {name: function}, the parameters those of tenorite.cuda.cublas, which also says how a
number is refused that is no handle.
"""

import ctypes

import numpy

from tenorite import _core
from tenorite.cuda._raw.host_handles import Handles
from tenorite.cuda.memory import MemoryPointer, UnownedMemory

_DTYPES = dict(zip("sdcz", map(numpy.dtype, "fdFD"), strict=True))
FUNCTIONS = {}
refuse_handle = None

# --- Handles ---


_handles = Handles(lambda: refuse_handle())
_state = _handles.state
FUNCTIONS |= _handles.functions("Stream", "PointerMode", "MathMode") | {"getVersion": _handles.constant(0)}

# --- Memory ---


def _at(address, shape, steps, dtype):
    """An array of memory at an address; steps are counted in elements."""
    if 0 in shape:
        return _core.ndarray(shape, dtype)
    size = 1 + sum((length - 1) * step for length, step in zip(shape, steps, strict=True))
    pointer = MemoryPointer(UnownedMemory(address, size * dtype.itemsize, None), 0)
    return _core.ndarray(shape, dtype, pointer, tuple(step * dtype.itemsize for step in steps))


def _vector(address, length, step, dtype):
    """The first element lies at the end if the step is negative, as BLAS has it."""
    found = _at(address, (max(length, 0),), (abs(step),), dtype)
    return found[::-1] if step < 0 else found


def _matrix(address, rows, columns, lead, dtype):
    return _at(address, (rows, columns), (1, lead), dtype)


def _number(address, dtype):
    return numpy.frombuffer(ctypes.string_at(address, dtype.itemsize), dtype)[0]


def _store(address, value, dtype):
    data = numpy.asarray(value, dtype).tobytes()
    ctypes.memmove(address, data, len(data))


def _transposed(matrix, operation):
    return matrix if operation == 0 else matrix.T if operation == 1 else matrix.T.conj()


def _operand(address, operation, rows, columns, lead, dtype):
    """op(A) of so many rows and columns."""
    stored = (rows, columns) if operation == 0 else (columns, rows)
    return _transposed(_matrix(address, *stored, lead, dtype), operation)


def _add(to, alpha, value, beta):
    """to = alpha value + beta to; where beta is 0 it is not read."""
    total = alpha * value
    to[...] = total if beta == 0 else total + beta * to


# --- Vectors ---


def _sizes(x):
    return abs(x.real) + abs(x.imag) if x.dtype.kind == "c" else abs(x)


def _define_vectors(letter, dtype):
    part = numpy.dtype(dtype.char.lower())
    real = {"s": "s", "d": "d", "c": "sc", "z": "dz"}[letter]

    def extreme(find):
        def function(handle, n, x, incx, result):
            ours = _vector(x, n, incx, dtype)
            _store(result, int(getattr(_sizes(ours), find)()) + 1 if n > 0 else 0, numpy.dtype("i"))

        return function

    def asum(handle, n, x, incx, result):
        _store(result, _sizes(_vector(x, n, incx, dtype)).sum().get(), part)

    def nrm2(handle, n, x, incx, result):
        ours = _vector(x, n, incx, dtype)
        _store(result, numpy.sqrt((abs(ours.astype("D")) ** 2).sum().get()), part)

    def axpy(handle, n, alpha, x, incx, y, incy):
        to = _vector(y, n, incy, dtype)
        to[...] = _number(alpha, dtype) * _vector(x, n, incx, dtype) + to

    def dot(handle, n, x, incx, y, incy, result):
        _store(result, (_vector(x, n, incx, dtype) @ _vector(y, n, incy, dtype)).get(), dtype)

    def dotc(handle, n, x, incx, y, incy, result):
        _store(result, (_vector(x, n, incx, dtype).conj() @ _vector(y, n, incy, dtype)).get(), dtype)

    def scal_by(kind):
        def function(handle, n, alpha, x, incx):
            ours = _vector(x, n, incx, dtype)
            ours[...] = ours * _number(alpha, kind)

        return function

    FUNCTIONS.update(
        {
            f"i{letter}amax": extreme("argmax"),
            f"i{letter}amin": extreme("argmin"),
            f"{real}asum": asum,
            f"{real}nrm2": nrm2,
            f"{letter}axpy": axpy,
            f"{letter}scal": scal_by(dtype),
        }
    )
    if letter in "sd":
        FUNCTIONS[f"{letter}dot"] = dot
    else:
        FUNCTIONS.update(
            {f"{letter}dotu": dot, f"{letter}dotc": dotc, {"c": "cs", "z": "zd"}[letter] + "scal": scal_by(part)}
        )


# --- Matrices ---


def _product(dtype, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc):
    left, right = _operand(A, transa, m, k, lda, dtype), _operand(B, transb, k, n, ldb, dtype)
    _add(_matrix(C, m, n, ldc, dtype), _number(alpha, dtype), left @ right, _number(beta, dtype))


def _define_products(letter, dtype):
    size = dtype.itemsize

    def gemm(handle, *of):
        _product(dtype, *of)

    def strided(handle, transa, transb, m, n, k, alpha, A, lda, strideA, B, ldb, strideB, beta, C, ldc, strideC, count):
        for item in range(count):
            _product(
                dtype,
                transa,
                transb,
                m,
                n,
                k,
                alpha,
                A + item * strideA * size,
                lda,
                B + item * strideB * size,
                ldb,
                beta,
                C + item * strideC * size,
                ldc,
            )

    def batched(handle, transa, transb, m, n, k, alpha, Aarray, lda, Barray, ldb, beta, Carray, ldc, count):
        lists = [(ctypes.c_size_t * count).from_address(one) for one in (Aarray, Barray, Carray)]
        for a, b, c in zip(*lists, strict=True):
            _product(dtype, transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)

    FUNCTIONS.update({f"{letter}gemm": gemm, f"{letter}gemmStridedBatched": strided, f"{letter}gemmBatched": batched})


def _define_matrices(letter, dtype):
    def gemv(handle, trans, m, n, alpha, A, lda, x, incx, beta, y, incy):
        left = _transposed(_matrix(A, m, n, lda, dtype), trans)
        to = _vector(y, left.shape[0], incy, dtype)
        _add(to, _number(alpha, dtype), left @ _vector(x, left.shape[1], incx, dtype), _number(beta, dtype))

    def ger_of(turn):
        def function(handle, m, n, alpha, x, incx, y, incy, A, lda):
            to, row = _matrix(A, m, n, lda, dtype), turn(_vector(y, n, incy, dtype))
            to[...] = _number(alpha, dtype) * (_vector(x, m, incx, dtype)[:, None] * row) + to

        return function

    def geam(handle, transa, transb, m, n, alpha, A, lda, beta, B, ldb, C, ldc):
        left, right = _number(alpha, dtype), _number(beta, dtype)
        total = left * _operand(A, transa, m, n, lda, dtype) if left else dtype.type(0)
        to = _matrix(C, m, n, ldc, dtype)
        to[...] = total + right * _operand(B, transb, m, n, ldb, dtype) if right else total

    def dgmm(handle, mode, m, n, A, lda, x, incx, C, ldc):
        scale = _vector(x, m if mode == 0 else n, incx, dtype)
        _matrix(C, m, n, ldc, dtype)[...] = (scale[:, None] if mode == 0 else scale) * _matrix(A, m, n, lda, dtype)

    def syrk(handle, uplo, trans, n, k, alpha, A, lda, beta, C, ldc):
        left, to = _operand(A, min(trans, 1), n, k, lda, dtype), _matrix(C, n, n, ldc, dtype)
        total = _number(alpha, dtype) * (left @ left.T)
        factor = _number(beta, dtype)
        total = total + factor * to if factor else total
        inside = numpy.tri(n, dtype=bool) if uplo == 0 else ~numpy.tri(n, k=-1, dtype=bool)
        mask = _core.asarray(inside)
        to[mask] = total[mask]

    FUNCTIONS.update({f"{letter}gemv": gemv, f"{letter}geam": geam, f"{letter}dgmm": dgmm, f"{letter}syrk": syrk})
    if letter in "sd":
        FUNCTIONS[f"{letter}ger"] = ger_of(lambda y: y)
    else:
        FUNCTIONS.update({f"{letter}geru": ger_of(lambda y: y), f"{letter}gerc": ger_of(lambda y: y.conj())})


for _letter, _dtype in _DTYPES.items():
    _define_vectors(_letter, _dtype)
    _define_products(_letter, _dtype)
    _define_matrices(_letter, _dtype)
