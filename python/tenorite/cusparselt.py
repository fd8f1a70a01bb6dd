"""Products with matrices that have two zeros in every four elements of a row ("2:4"), which GPUs
multiply at twice the speed.

cuSPARSELt works where it is installed, the current device is a GPU and it has the dtype and sizes.
Elsewhere the pattern is checked and the product is a dense one, with the same results.
"""

import functools
import itertools

import numpy

from tenorite import _core
from tenorite._arguments import ndarray
from tenorite.cuda import cusparse, cusparselt, runtime

__all__ = ["Compressed", "compress", "is_pruned", "matmul", "prune"]

# cudaDataType_t's number and the computation of each dtype that the library multiplies, and what
# its sizes must be multiples of.
_TYPES = {"float16": (2, cusparselt.CUSPARSE_COMPUTE_32F, 16), "bfloat16": (14, cusparselt.CUSPARSE_COMPUTE_32F, 16)}
_GROUP, _KEPT = 4, 2


def _check(name, a, ndim=2):
    if not isinstance(a, ndarray):
        raise TypeError(f"cusparselt.{name}: a must be a tenorite.ndarray, not {type(a)}")
    if a.ndim != ndim:
        raise ValueError(f"cusparselt.{name}: a must be a matrix, it has shape {a.shape}")
    if a.dtype.kind not in "fiuc" and a.dtype.name != "bfloat16":
        raise TypeError(f"cusparselt.{name}: a must have numbers, it has dtype {a.dtype}")
    if a.shape[1] % _GROUP:
        raise ValueError(f"cusparselt.{name}: rows must have a multiple of {_GROUP} elements, a has shape {a.shape}")


def _groups(a):
    return _core.ascontiguousarray(a).reshape(a.shape[0], a.shape[1] // _GROUP, _GROUP)


def is_pruned(a):
    """Whether every four elements of a row hold two zeros at least.

    Parameters
    ----------
    a : ndarray
        A matrix with a multiple of four columns.

    Returns
    -------
    bool
        The call waits for the device.

    Raises
    ------
    ValueError
        For what is no such matrix.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cusparselt
    >>> cusparselt.is_pruned(cp.asarray([[1.0, 0, 0, 2, 0, 3, 0, 0]]))
    True
    """
    _check("is_pruned", a)
    if not a.size:
        return True
    return bool(((_groups(a) != 0).sum(2) <= _KEPT).all())


@functools.lru_cache(1)
def _patterns():
    """The 90 choices of two in each row and each column of a square of four."""
    rows = [row for row in itertools.product((0, 1), repeat=_GROUP) if sum(row) == _KEPT]
    found = [
        square for square in itertools.product(rows, repeat=_GROUP) if all(map(_KEPT.__eq__, map(sum, zip(*square))))
    ]
    return numpy.array(found, "f8").reshape(-1, _GROUP * _GROUP)


def prune(a, algorithm="strip"):
    """Zeros in place of the least two of every four elements of a row.

    Parameters
    ----------
    a : ndarray
        A matrix with a multiple of four columns.
    algorithm : {"strip", "tile"}, optional
        "strip" looks at rows alone. "tile" leaves two elements in each row and each column of a
        square of four, those with the largest sum of absolute values: the transpose is pruned, too.
        Such matrices have a multiple of four rows.

    Returns
    -------
    ndarray
        A new matrix. Of equal elements the first ones stay.

    Raises
    ------
    ValueError
        For what is no such matrix.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cusparselt
    >>> cusparselt.prune(cp.asarray([[1.0, -5, 2, 3]]))
    array([[ 0., -5.,  0.,  3.]])
    """
    _check("prune", a)
    if algorithm not in ("strip", "tile"):
        raise ValueError(f"cusparselt.prune: algorithm must be 'strip' or 'tile', not {algorithm!r}")
    if not a.size:
        return a.copy()
    if algorithm == "tile":
        return _prune_tiles(a)
    groups = _groups(a)
    sizes = abs(groups).astype("f8") if groups.dtype.kind != "c" else abs(groups)
    # The place of each element among its four, by size and then from the left.
    larger = (sizes[..., None, :] > sizes[..., :, None]).sum(3)
    before = _core.asarray(numpy.tri(_GROUP, k=-1, dtype=bool))
    larger += ((sizes[..., None, :] == sizes[..., :, None]) & before).sum(3)
    return (groups * (larger < _KEPT)).astype(a.dtype).reshape(a.shape)


def _prune_tiles(a):
    rows, columns = a.shape
    if rows % _GROUP:
        raise ValueError(f"cusparselt.prune: tiles want a multiple of {_GROUP} rows, a has shape {a.shape}")
    tiles = a.reshape(rows // _GROUP, _GROUP, columns // _GROUP, _GROUP).transpose(0, 2, 1, 3)
    patterns = _core.asarray(_patterns())
    scores = abs(tiles).astype("f8").reshape(-1, _GROUP * _GROUP) @ patterns.T
    kept = patterns[scores.argmax(1)].reshape(tiles.shape)
    return (tiles * kept.astype("?")).astype(a.dtype).transpose(0, 2, 1, 3).reshape(a.shape)


class Compressed:
    """A pruned matrix without its zeros, as `compress` makes it.

    Parameters
    ----------
    shape : tuple of int
        Of the matrix.
    values : ndarray
        Two elements of every four.
    places : ndarray
        Where these stand, two bits each, four in a byte.

    Attributes
    ----------
    shape : tuple of int
        Of the matrix.
    dtype : dtype
        Of the elements.
    values : ndarray
        Two elements of every four.
    places : ndarray
        Where these stand among the four, two bits each, uint8.
    nbytes : int
        The bytes of both.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cusparselt
    >>> a = cusparselt.compress(cp.asarray([[0, 2.0, 0, 3, 4, 0, 0, 0]]))
    >>> a.values, a.nbytes
    (array([[2., 3., 4., 0.]]), 33)
    """

    def __init__(self, shape, values, places):
        self.shape, self.values, self.places = shape, values, places
        self._packed = None  # what cuSPARSELt keeps instead

    @property
    def dtype(self):
        """Of the elements."""
        return self.values.dtype

    @property
    def nbytes(self):
        """The bytes of values and places."""
        return self.values.nbytes + self.places.nbytes

    def toarray(self):
        """The matrix with its zeros.

        Returns
        -------
        ndarray
            A new array.

        Examples
        --------
        >>> import tenorite as cp
        >>> from tenorite import cusparselt
        >>> cusparselt.compress(cp.asarray([[0, 2.0, 0, 3]])).toarray()
        array([[0., 2., 0., 3.]])
        """
        rows, columns = self.shape
        if not self.values.size:
            return _core.zeros(self.shape, self.dtype)
        # Nothing comes from the host, so that graphs capture it.
        pairs = self.places[..., None] >> _core.arange(0, 8, 2, "u1") & 3
        places = pairs.reshape(rows, -1)[:, : columns // 2]
        dense = _core.zeros((rows, columns), self.dtype)
        start = _core.arange(columns // 2) // _KEPT * _GROUP
        line = _core.arange(rows)[:, None]
        dense[line, start + places] = self.values
        return dense


def compress(a):
    """A pruned matrix without its zeros.

    Parameters
    ----------
    a : ndarray
        A matrix with two zeros at least in every four elements of a row.

    Returns
    -------
    Compressed
        For `matmul`; `Compressed.toarray` makes the matrix of it.

    Raises
    ------
    ValueError
        For another matrix.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cusparselt
    >>> cusparselt.compress(cp.asarray([[0, 2.0, 0, 3]])).toarray()
    array([[0., 2., 0., 3.]])
    """
    if not is_pruned(a):
        raise ValueError(
            "cusparselt.compress: a has fewer than two zeros in four elements of a row; prune() makes them"
        )
    rows, columns = a.shape
    if not a.size:
        return Compressed(a.shape, _core.zeros((rows, columns // 2), a.dtype), _core.zeros((rows, 0), "u1"))
    groups = _groups(a)
    used = groups != 0
    # Elements first, zeros after them, each in their order; the first two, from the left.
    order = used.astype("i1").__neg__().argsort(2, kind="stable")[..., :_KEPT]
    order.sort(2)
    lines = _core.asarray(numpy.arange(rows)[:, None, None])
    blocks = _core.asarray(numpy.arange(columns // _GROUP)[None, :, None])
    values = groups[lines, blocks, order].reshape(rows, columns // 2)
    places = order.astype("u1").reshape(rows, columns // 2)
    if places.shape[1] % 4:
        places = _core.concatenate([places, _core.zeros((rows, 2), "u1")], 1)
    packed = (places.reshape(rows, -1, 4) << _core.asarray(numpy.arange(0, 8, 2, dtype="u1"))).sum(2, dtype="u1")
    return Compressed((rows, columns), values, packed)


def matmul(a, b, out=None):
    """The product of a pruned matrix with a dense one.

    Parameters
    ----------
    a : ndarray or Compressed
        A matrix with two zeros at least in every four elements of a row, of shape (m, k).
    b : ndarray
        A matrix of shape (k, n) and of a's dtype.
    out : ndarray, optional
        Where the result is stored, of shape (m, n) and of a's dtype.

    Returns
    -------
    ndarray
        `out` or a new array.

    Raises
    ------
    ValueError
        For shapes that do not fit, and for a matrix that is not pruned.
    TypeError
        For other dtypes.

    Notes
    -----
    A `Compressed` keeps what cuSPARSELt made of it: a matrix that is used again is compressed once.

    Examples
    --------
    >>> import tenorite as cp
    >>> from tenorite import cusparselt
    >>> a = cusparselt.compress(cp.asarray([[0, 2.0, 0, 3]]))
    >>> cusparselt.matmul(a, cp.ones((4, 2)))
    array([[5., 5.]])
    """
    if not isinstance(a, Compressed):
        a = compress(a)
    if not isinstance(b, ndarray):
        raise TypeError(f"cusparselt.matmul: b must be a tenorite.ndarray, not {type(b)}")
    if b.ndim != 2 or b.shape[0] != a.shape[1]:
        raise ValueError(f"cusparselt.matmul: a has shape {a.shape}, b has {b.shape}")
    if b.dtype != a.dtype:
        raise TypeError(f"cusparselt.matmul: a has dtype {a.dtype}, b has {b.dtype}")
    shape = a.shape[0], b.shape[1]
    if out is not None and (not isinstance(out, ndarray) or out.shape != shape or out.dtype != a.dtype):
        raise ValueError(f"cusparselt.matmul: out must be an array of shape {shape} and dtype {a.dtype}")
    result = _library_product(a, b) if _is_served(a, b) else a.toarray() @ b
    if out is None:
        return result
    out[...] = result
    return out


def _is_served(a, b):
    """Whether cuSPARSELt has the product: of dtypes and sizes that its kernels take."""
    found = _TYPES.get(a.dtype.name)
    if found is None or not cusparselt._library.serves() or b.device.backend != "cuda":
        return False
    return all(size and size % found[2] == 0 for size in (*a.shape, b.shape[1]))


class _Product:
    """The descriptors and the plan of a product, of one shape."""

    def __init__(self, a, columns):
        rows, inner = a.shape
        self.shape = rows, columns
        number, compute, _ = _TYPES[a.dtype.name]
        self.handle = cusparselt.Handle()
        cusparselt.init(self.handle)
        row_major, plain = cusparse.CUSPARSE_ORDER_ROW, cusparse.CUSPARSE_OPERATION_NON_TRANSPOSE
        parts = [cusparselt.MatDescriptor() for _ in range(3)]
        cusparselt.structuredDescriptorInit(
            self.handle, parts[0], rows, inner, inner, 16, number, row_major, cusparselt.CUSPARSELT_SPARSITY_50_PERCENT
        )
        cusparselt.denseDescriptorInit(self.handle, parts[1], inner, columns, columns, 16, number, row_major)
        cusparselt.denseDescriptorInit(self.handle, parts[2], rows, columns, columns, 16, number, row_major)
        product, choice, self.plan = (
            cusparselt.MatmulDescriptor(),
            cusparselt.MatmulAlgSelection(),
            cusparselt.MatmulPlan(),
        )
        cusparselt.matmulDescriptorInit(
            self.handle, product, plain, plain, parts[0], parts[1], parts[2], parts[2], compute
        )
        cusparselt.matmulAlgSelectionInit(self.handle, choice, product, cusparselt.CUSPARSELT_MATMUL_ALG_DEFAULT)
        cusparselt.matmulPlanInit(self.handle, self.plan, product, choice)
        self.kept = parts, product, choice
        self.space = _core.empty(max(cusparselt.matmulGetWorkspace(self.handle, self.plan), 1), "u1")
        size, buffer_size = cusparselt.spMMACompressedSize(self.handle, self.plan)
        self.packed, buffer = _core.empty(size, "u1"), _core.empty(max(buffer_size, 1), "u1")
        cusparselt.spMMACompress(self.handle, self.plan, a.toarray().data.ptr, self.packed.data.ptr, buffer.data.ptr)
        self.factors = numpy.array([1, 0], "f4")

    def __call__(self, b):
        b = _core.ascontiguousarray(b)
        out = _core.empty(self.shape, b.dtype)
        one = self.factors.ctypes.data
        cusparselt.matmul(
            self.handle,
            self.plan,
            one,
            self.packed.data.ptr,
            b.data.ptr,
            one + 4,
            out.data.ptr,
            out.data.ptr,
            self.space.data.ptr,
        )
        return out

    def __del__(self):
        try:
            cusparselt.matmulPlanDestroy(self.plan)
            for part in self.kept[0]:
                cusparselt.matDescriptorDestroy(part)
            cusparselt.destroy(self.handle)
        except Exception:
            pass


def _library_product(a, b):
    kept = a._packed
    if kept is None or kept[0] != (b.shape[1], runtime.getDevice()):
        product = _Product(a, b.shape[1])
        kept = a._packed = (b.shape[1], runtime.getDevice()), product
    return kept[1](b)
