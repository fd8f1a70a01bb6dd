"""Functions that make sparse matrices: diagonals, random ones, products and blocks of others."""

import operator
from itertools import accumulate

import numpy

from tenorite import _core, random as randoms
from tenorite._core import arange, asarray, concatenate, ones, zeros
from tenorite._lib.documents import documenter
from tenorite._numpy.repetition import repeat
from tenorite.scipy.sparse._arguments import check_dtype, check_shape, index_dtype, ndarray, upcast
from tenorite.scipy.sparse._base import _Sparse, as_dense, class_of

_documented = documenter(
    {
        "A": ("sparse matrix or array", ""),
        "B": ("sparse matrix or array", ""),
        "blocks": ("list of lists", "Matrices, or None for a block of zeros."),
        "density": ("float", "The share of elements that are stored, from 0 to 1."),
        "diagonals": ("sequence of arrays, or an array", ""),
        "dtype": ("dtype", ""),
        "format": ("str", "The format; 'dia' without."),
        "k": ("int", "Which diagonal."),
        "m": ("int", "Rows."),
        "n": ("int", "Columns; as many as rows without."),
        "offsets": ("sequence of int, or int", "Which diagonals: 0 is the main one, k > 0 above it."),
        "shape": ("tuple of int", ""),
    }
)


def _as_coo(value):
    """A matrix of any kind, or a dense array, as coordinates; one axis is one row."""
    if isinstance(value, _Sparse):
        made = value.tocoo()
        return made if made.ndim == 2 else made._row()
    return class_of("coo", False)(value)


def _axes(value):
    """How many axes a sparse or dense operand has."""
    return numpy.ndim(value) if isinstance(value, (list, tuple)) else getattr(value, "ndim", 0)


def _is_array(*values):
    return any(getattr(one, "_is_array", False) for one in values)


# --- Diagonals ---


def spdiags(data, diags, m=None, n=None, format=None):
    """A sparse matrix from its diagonals.

    Parameters
    ----------
    data : array
        A row for each diagonal: element j is that of column j.
    diags : array of int
        Which diagonals: 0 is the main one, k > 0 above it.
    m, n : int
        The shape; m may be a tuple of both.
    format : str, optional
        The format; 'dia' without.

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.spdiags(tn.array([[1, 2], [3, 4]]), tn.array([0, 1]), 2, 2).toarray()
    array([[1, 4],
           [0, 2]])
    """
    if n is None and isinstance(m, (tuple, list)):
        m, n = m
    if m is None and n is None:
        dense = as_dense(data) if as_dense(data) is not None else asarray(data)
        m = n = dense.shape[-1]
    return class_of("dia", False)((data, diags), shape=(m, n)).asformat(format)


def _diags(diagonals, offsets, shape, format, dtype, is_array):
    if isinstance(offsets, (int, numpy.integer)) or isinstance(offsets, ndarray) and offsets.ndim == 0:
        if isinstance(diagonals, (list, tuple)) and len(diagonals) > 0 and numpy.ndim(_host(diagonals[0])) > 0:
            raise ValueError("Different number of diagonals and offsets.")
        diagonals = [diagonals]
        offsets = [int(offsets)]
    else:
        diagonals = list(diagonals)
        offsets = [int(one) for one in _host(offsets)]
    if len(diagonals) != len(offsets):
        raise ValueError("Different number of diagonals and offsets.")
    diagonals = [one if isinstance(one, ndarray) else asarray(one) for one in diagonals]
    diagonals = [one.reshape(1) if one.ndim == 0 else one for one in diagonals]
    if shape is None:
        size = diagonals[0].size + abs(offsets[0])
        shape = (size, size)
    if dtype is None:
        dtype = upcast(*(one.dtype for one in diagonals))
        if dtype.kind in "bui" and not is_array:
            dtype = numpy.dtype(numpy.float64)
    m, n = shape = check_shape(shape)
    width = max([0, *(min(m + offset, n - offset) + max(0, offset) for offset in offsets)])
    data = zeros((len(offsets), width), check_dtype(dtype))
    for k, (diagonal, offset) in enumerate(zip(diagonals, offsets)):
        first, length = max(0, offset), min(m + offset, n - offset, max(m, n) if min(m, n) == 0 else min(m, n))
        if length < 0:
            raise ValueError(f"Offset {offset} (index {k}) out of bounds")
        if diagonal.size < length and diagonal.size != 1:
            raise ValueError(
                f"Diagonal length (index {k}: {diagonal.size} at offset {offset}) does not agree with array size "
                f"({m}, {n})."
            )
        data[k, first : first + length] = diagonal[:length]
    return class_of("dia", is_array)((data, asarray(offsets)), shape=shape).asformat(format)


def _host(value):
    return value.get() if isinstance(value, ndarray) else value


@_documented
def diags(diagonals, offsets=0, shape=None, format=None, dtype=None):
    """A sparse matrix from its diagonals, each as long as it is in the matrix.

    Parameters
    ----------
    shape : tuple of int, optional
        Square and as large as the first diagonal needs without.

    Returns
    -------
    sparse matrix

    Raises
    ------
    ValueError
        For a negative size.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.diags([tn.array([1.0, 2.0]), tn.array([3.0])], [0, 1]).toarray()
    array([[1., 3.],
           [0., 2.]])
    """
    return _diags(diagonals, offsets, shape, format, dtype, False)


@_documented
def diags_array(diagonals, /, *, offsets=0, shape=None, format=None, dtype=None):
    """A sparse array from its diagonals, each as long as it is in the array.

    Returns
    -------
    sparse array

    Raises
    ------
    ValueError
        For a negative size.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.diags_array([tn.array([1.0, 2.0])], offsets=[1]).shape
    (3, 3)
    """
    return _diags(diagonals, offsets, shape, format, dtype, True)


def _eye(m, n, k, dtype, format, is_array):
    m = operator.index(m)
    n = m if n is None else operator.index(n)
    check_shape((m, n))
    dtype = check_dtype(dtype)
    first, size = max(0, -k), max(0, min(m + min(k, 0), n - max(k, 0)))
    index = index_dtype(max(m, n))
    if format in ("csr", "csc"):
        lines, across, k = (m, n, k) if format == "csr" else (n, m, -k)
        first = max(0, -k)
        places = arange(size, dtype=index)
        starts = _core.minimum(_core.maximum(arange(lines + 1, dtype=index) - first, 0), size)
        return class_of(format, is_array)._make((ones(size, dtype), places + max(k, 0), starts), (m, n), True)
    if format == "coo":
        places = arange(size, dtype=index)
        return class_of(format, is_array)._make(ones(size, dtype), places + first, places + max(k, 0), (m, n), True)
    data = ones((1, max(0, min(m + k, n))), dtype)
    return class_of("dia", is_array)((data, asarray([k])), shape=(m, n)).asformat(format)


@_documented
def eye(m, n=None, k=0, dtype="d", format=None):
    """A sparse matrix of ones on a diagonal.

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.eye(2).toarray()
    array([[1., 0.],
           [0., 1.]])
    """
    return _eye(m, n, k, dtype, format, False)


@_documented
def eye_array(m, n=None, *, k=0, dtype=float, format=None):
    """A sparse array of ones on a diagonal.

    Returns
    -------
    sparse array

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.eye_array(2, 3).shape
    (2, 3)
    """
    return _eye(m, n, k, dtype, format, True)


@_documented
def identity(n, dtype="d", format=None):
    """A square sparse matrix of ones on the main diagonal.

    Parameters
    ----------
    n : int

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.identity(3).nnz
    3
    """
    return _eye(n, n, 0, dtype, format, False)


# --- Random ones ---


def _random(m, n, density, format, dtype, random_state, data_rvs, is_array):
    if not 0 <= density <= 1:
        raise ValueError("density expected to be 0 <= density <= 1")
    dtype = numpy.dtype(dtype)
    kinds = "fdFD?bBhHiIlLqQ" if is_array else "fdFD"  # as CuPy's
    if dtype.char not in kinds:
        raise NotImplementedError(f"type {dtype} not supported")
    m, n = check_shape((m, n))
    count = int(round(density * m * n))
    if random_state is None:
        state = randoms.RandomState()
    elif hasattr(random_state, "random"):
        state = random_state
    else:
        state = randoms.RandomState(random_state)
    places = state.choice(m * n, count, replace=False) if m * n else zeros(0, numpy.int64)
    if data_rvs is not None:
        values = data_rvs(count)
        values = values if isinstance(values, ndarray) else asarray(values)
    elif dtype.kind == "c":
        values = state.random(count) + 1j * state.random(count)
    elif dtype.kind in "ui":
        bounds = numpy.iinfo(dtype)
        draw = state.integers if hasattr(state, "integers") else state.randint
        values = draw(bounds.min, bounds.max, count, dtype)
    else:
        values = state.random(count)
    index = index_dtype(max(m, n))
    row, column = (places // max(n, 1)).astype(index), (places % max(n, 1)).astype(index)
    return class_of("coo", is_array)((values.astype(dtype), (row, column)), shape=(m, n)).asformat(format)


def random(m, n, density=0.01, format="coo", dtype=None, random_state=None, data_rvs=None):
    """A sparse matrix with values at random places.

    Parameters
    ----------
    m, n : int
        The shape.
    density : float
        The share of elements that are stored, from 0 to 1.
    format : str
    dtype : dtype, optional
        A float or complex one; float64 without.
    random_state : RandomState, Generator or int, optional
        Where random numbers come from, or a seed.
    data_rvs : callable, optional
        Makes that many values; uniform ones without.

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.random(10, 10, density=0.2, random_state=1).nnz
    20
    """
    return _random(m, n, density, format, numpy.float64 if dtype is None else dtype, random_state, data_rvs, False)


@_documented
def rand(m, n, density=0.01, format="coo", dtype=None, random_state=None):
    """A sparse matrix with uniform values at random places.

    Parameters
    ----------
    m, n : int
        The shape.
    format : str
    random_state : RandomState, Generator or int, optional

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.rand(4, 5, density=0.5, random_state=1).shape
    (4, 5)
    """
    return random(m, n, density, format, dtype, random_state)


@_documented
def random_array(shape, *, density=0.01, format="coo", dtype=None, rng=None, data_sampler=None, random_state=None):
    """A sparse array with values at random places.

    Parameters
    ----------
    format : str
    dtype : dtype, optional
        Integers are of its whole range.
    rng : Generator, RandomState or int, optional
        Where random numbers come from, or a seed.
    data_sampler : callable, optional
        Makes values: data_sampler(size=n).
    random_state : Generator, RandomState or int, optional
        Another name of rng.

    Returns
    -------
    sparse array

    Raises
    ------
    ValueError
        For a negative size.

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.random_array((10, 10), density=0.1, rng=3).nnz
    10
    """
    shape = check_shape(shape, (1, 2))
    m, n = (1,) * (2 - len(shape)) + shape
    sampler = None if data_sampler is None else lambda count: data_sampler(size=count)
    source = rng if rng is not None else random_state
    made = _random(m, n, density, "coo", numpy.float64 if dtype is None else dtype, source, sampler, True)
    return (made if len(shape) == 2 else made._vector()).asformat(format)


# --- Products ---


def kron(A, B, format=None):
    """The Kronecker product of two sparse matrices.

    Parameters
    ----------
    A, B : sparse matrix or array
    format : str, optional
        The format; 'coo' without.

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.kron(tn.scipy.sparse.eye(2), tn.array([[1.0, 2.0]])).toarray()
    array([[1., 2., 0., 0.],
           [0., 0., 1., 2.]])
    """
    is_array = _is_array(A, B)
    is_vector = is_array and _axes(A) == _axes(B) == 1
    A, B = _as_coo(A), _as_coo(B)
    shape = (A.shape[0] * B.shape[0], A.shape[1] * B.shape[1])
    index = index_dtype(max(shape))
    if is_array:
        index = numpy.result_type(index, A.row.dtype, B.row.dtype)
    if A.nnz == 0 or B.nnz == 0:  # float64 then, as in SciPy
        return class_of("coo", is_array)(shape).asformat(format)
    row = (A.row.astype(index)[:, None] * B.shape[0] + B.row).reshape(-1)
    column = (A.col.astype(index)[:, None] * B.shape[1] + B.col).reshape(-1)
    data = (A.data[:, None] * B.data).reshape(-1)
    made = class_of("coo", is_array)._make(data, row.astype(index), column.astype(index), shape)
    return (made._vector() if is_vector else made).asformat(format)


def kronsum(A, B, format=None):
    """The Kronecker sum of two square sparse matrices: kron(I, A) + kron(B, I).

    Parameters
    ----------
    A, B : sparse matrix or array
    format : str, optional
        The format; 'csr' without.

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.kronsum(tn.array([[1.0]]), tn.array([[2.0]])).toarray()
    array([[3.]])
    """
    is_array = _is_array(A, B)
    for one, name in ((A, "A"), (B, "B")):
        if is_array and _axes(one) == 1:
            raise ValueError(f"kronsum requires 2D inputs, but {name} has one axis")
    A, B = _as_coo(A), _as_coo(B)
    for one, name in ((A, "A"), (B, "B")):
        if one.shape[0] != one.shape[1]:
            raise ValueError(f"{name} is not square matrix")
    dtype = upcast(A.dtype, B.dtype)
    left = kron(_eye(B.shape[0], None, 0, dtype, None, is_array), A, format="csr")
    right = kron(B, _eye(A.shape[0], None, 0, dtype, None, is_array), format="csr")
    return (left + right).asformat(format)


# --- Blocks ---


@_documented
def bmat(blocks, format=None, dtype=None):
    """A sparse matrix of blocks.

    Parameters
    ----------
    format : str, optional
        The format; 'coo' without.

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> one = tn.scipy.sparse.eye(1)
    >>> tn.scipy.sparse.bmat([[one, None], [None, one]]).toarray()
    array([[1., 0.],
           [0., 1.]])
    """
    return _blocks(blocks, format, dtype, False)


@_documented
def block_array(blocks, *, format=None, dtype=None):
    """A sparse array of blocks.

    Parameters
    ----------
    format : str, optional
        The format; 'coo' without.

    Returns
    -------
    sparse array

    Examples
    --------
    >>> import tenorite as tn
    >>> one = tn.scipy.sparse.eye_array(1)
    >>> tn.scipy.sparse.block_array([[one, one]]).shape
    (1, 2)
    """
    return _blocks(blocks, format, dtype, True)


def _format_of_stack(blocks):
    """The format of blocks that form one row or one column and are all csr, or all csc."""
    if len(blocks) > 1 and len(blocks[0]) > 1:
        return None
    formats = {getattr(one, "format", None) for line in blocks for one in line}
    return formats.pop() if formats in ({"csr"}, {"csc"}) else None


def _blocks(blocks, format, dtype, is_array):
    blocks = [list(line) for line in blocks]
    if not blocks or any(len(line) != len(blocks[0]) for line in blocks):
        raise ValueError("blocks must be 2-D")
    if not blocks[0]:
        raise ValueError("blocks must not be empty")
    is_array = is_array or any(_is_array(*line) for line in blocks)
    format = format or _format_of_stack(blocks)
    heights, widths = [None] * len(blocks), [None] * len(blocks[0])
    made = []
    for i, line in enumerate(blocks):
        for j, one in enumerate(line):
            if one is None:
                continue
            one = one if isinstance(one, _Sparse) else _as_coo(one)
            made.append((i, j, one))
            for sizes, at, size, name in zip((heights, widths), (i, j), one._shape_as_2d, ("row", "column")):
                if sizes[at] is None:
                    sizes[at] = size
                elif sizes[at] != size:
                    side = f"blocks[{i},:]" if name == "row" else f"blocks[:,{j}]"
                    raise ValueError(
                        f"{side} has incompatible {name} dimensions. Got blocks[{i},{j}].shape"
                        f"[{0 if name == 'row' else 1}] == {size}, expected {sizes[at]}."
                    )
    tops, lefts = ([0, *accumulate(size or 0 for size in sizes)] for sizes in (heights, widths))
    corners = [tops[i] for i, _, _ in made], [lefts[j] for _, j, _ in made]
    return _placed([one for _, _, one in made], corners, (tops[-1], lefts[-1]), format, dtype, is_array)


def _placed(blocks, corners, shape, format, dtype, is_array):
    """The matrix of sparse blocks, of which the tops and the left ends are given."""
    kind = class_of("coo", is_array)
    if dtype is None:
        dtype = upcast(*{one.dtype for one in blocks}) if blocks else numpy.float64
    if not blocks:
        return kind(shape, dtype=dtype).asformat(format)
    formats = {one.format for one in blocks}
    read = _read_lines if formats in ({"csr"}, {"csc"}) else _read_elements
    parts, places, indexes = read(blocks, corners)
    index = numpy.result_type(index_dtype(max(shape)), *indexes)
    data = concatenate(parts, dtype=check_dtype(dtype), casting="unsafe")
    return kind._make(data, *(one.astype(index, copy=False) for one in places), shape).asformat(format)


def _read_elements(blocks, corners):
    """The values of blocks, the rows and columns of all, and the dtypes of their indexes."""
    blocks = [_as_coo(one) for one in blocks]
    counts = asarray([one.data.size for one in blocks])
    rows, columns = [one.row for one in blocks], [one.col for one in blocks]
    places = [concatenate(own) + repeat(asarray(first), counts) for own, first in zip((rows, columns), corners)]
    return [one.data for one in blocks], places, {one.dtype for one in rows}


def _read_lines(blocks, corners):
    """As _read_elements, of blocks by compressed lines: those of all blocks at once."""
    turn = 1 if blocks[0].format == "csr" else -1
    tops, lefts = corners[::turn]
    starts = concatenate([one.indptr for one in blocks])
    ends = numpy.cumsum([one.indptr.size for one in blocks]) - 1
    counts = starts[asarray(ends)].get().tolist()
    # Each block has one line more here, without elements, that ends where its last one does.
    first = numpy.concatenate([[0], ends[:-1] + 1])
    lines = arange(starts.size) - repeat(asarray(first - numpy.array(tops)), asarray(ends - first + 1))
    lengths = zeros(starts.size, starts.dtype)
    lengths[:-1] = starts[1:] - starts[:-1]
    lengths[asarray(ends)] = 0
    line = repeat(lines, lengths)
    if line.size != sum(counts):
        raise ValueError("indptr of a block should start at 0")
    data, indices = (
        [one[:n] for one, n in zip(parts, counts)]
        for parts in ([one.data for one in blocks], [one.indices for one in blocks])
    )
    across = concatenate(indices) + repeat(asarray(lefts), asarray(counts))
    return data, (line, across)[::turn], {one.dtype for one in indices}


def hstack(blocks, format=None, dtype=None):
    """Sparse matrices side by side.

    Parameters
    ----------
    blocks : sequence of matrices
    format : str, optional
        The format; without, that of the blocks if all are csr or all are csc, else 'coo'.
    dtype : dtype, optional

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.hstack([tn.scipy.sparse.eye(2), tn.scipy.sparse.eye(2)]).shape
    (2, 4)
    """
    return _blocks([blocks], format, dtype, False)


def vstack(blocks, format=None, dtype=None):
    """Sparse matrices below each other.

    Parameters
    ----------
    blocks : sequence of matrices
    format : str, optional
        The format; without, that of the blocks if all are csr or all are csc, else 'coo'.
    dtype : dtype, optional

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.vstack([tn.scipy.sparse.eye(2), tn.scipy.sparse.eye(2)]).shape
    (4, 2)
    """
    return _blocks([[one] for one in blocks], format, dtype, False)


def block_diag(mats, format=None, dtype=None):
    """A sparse matrix with matrices along its diagonal.

    Parameters
    ----------
    mats : sequence of matrices
    format : str, optional
        The format; 'coo' without.
    dtype : dtype, optional

    Returns
    -------
    sparse matrix

    Examples
    --------
    >>> import tenorite as tn
    >>> tn.scipy.sparse.block_diag([tn.array([[1.0]]), tn.array([[2.0, 3.0]])]).toarray()
    array([[1., 0., 0.],
           [0., 2., 3.]])
    """
    mats, places = list(mats), {}
    is_array = _is_array(*mats)
    mats = [one if isinstance(one, _Sparse) else _whole(one, places) for one in mats]
    if not mats:
        raise ValueError("blocks must not be empty")
    tops, lefts = ([0, *accumulate(one._shape_as_2d[k] for one in mats)] for k in (0, 1))
    return _placed(mats, (tops[:-1], lefts[:-1]), (tops[-1], lefts[-1]), format, dtype, is_array)


def _whole(value, places):
    """A dense array with all its elements, zeros too; `places` keeps rows and columns by shapes."""
    dense = as_dense(value)
    dense = asarray(value) if dense is None else dense
    if dense.ndim > 2:
        raise TypeError(f"expected dimension <= 2 array or matrix, not {dense.ndim}")
    rows = dense if dense.ndim == 2 else dense.reshape(1, -1)
    m, n = shape = rows.shape
    if shape not in places:
        index = index_dtype(max(shape))
        row, column = _core.divmod(arange(m * n), max(n, 1))
        places[shape] = row.astype(index), column.astype(index)
    return class_of("coo", False)._make(rows.ravel(), *places[shape], shape)
