"""The device text of sparse matrices, run on the host as a RawKernel's, against SciPy: no GPU is
needed."""

import numpy as np
import pytest
import tenorite as tn
from device_text import launch
from test_sort_text import pytestmark  # noqa: F401

scipy_sparse = pytest.importorskip("scipy.sparse")

STRUCTS = """
struct tn_c64 { float re, im; };
inline tn_c64 m_add(tn_c64 a, tn_c64 b) { return tn_c64{a.re + b.re, a.im + b.im}; }
inline tn_c64 m_multiply(tn_c64 a, tn_c64 b) {
    return tn_c64{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
"""
BODIES = {
    "d": ("double", "a + b", "a * b", "a == 0"),
    "?": ("unsigned char", "a | b", "a & b", "a == 0"),
    "F": ("tn_c64", "m_add(a, b)", "m_multiply(a, b)", "a.re == 0 && a.im == 0"),
}
BLOCK, TILE = 64, 96


def body(dtype):
    stored, add, multiply, zero = BODIES[np.dtype(dtype).char]
    atomic = "atomicAdd(&at->re, b.re); atomicAdd(&at->im, b.im)" if stored == "tn_c64" else "atomicAdd((int *)at, 0)"
    if stored == "double":
        atomic = "atomicAdd(at, b)"
    return (
        f"typedef {stored} Value;\nstatic inline Value csr_add(Value a, Value b) {{ return {add}; }}\n"
        f"static inline Value csr_multiply(Value a, Value b) {{ return {multiply}; }}\n"
        f"static inline bool csr_is_zero(Value a) {{ return {zero}; }}\n"
        f"static inline void csr_add_to(Value *at, Value b) {{ {atomic}; }}\n"
    )


class Device:
    """Launches, and the record of what failed."""

    def __init__(self, matrix, dtype="d"):
        self.a = matrix
        self.dtype, self.wide = np.dtype(dtype), int(matrix.indices.dtype.itemsize == 8)
        self.starts, self.indices, self.values = map(tn.array, (matrix.indptr, matrix.indices, matrix.data))
        self.index = matrix.indices.dtype
        self.rows, self.columns = matrix.shape
        self.count = matrix.indices.size
        self.failed, self.taken, self.record = tn.zeros(1, "u8"), tn.zeros(1, "u4"), tn.zeros(6, "i8")
        self.record[5] = 1  # the epoch

    @property
    def matrix(self):
        return {"starts": self.starts, "indices": self.indices, "values": self.values}

    @property
    def ends(self):
        """The text and the bounds of a step that may fail."""
        return {"text": 0, "bounds": (self.failed, self.taken, self.record, 1)}

    @property
    def has_failed(self):
        return bool(self.failed[0] == 1)

    def launch(self, form, macros, blocks=3, **params):
        macros = {"BLOCK": BLOCK, "WIDE": self.wide, **macros}
        launch(form, macros, blocks, BLOCK, STRUCTS + body(self.dtype), **params)

    def pieces(self, tile=TILE):
        count = max(-(-(self.rows + self.count) // tile), 1)
        cuts = tn.full(count + 1, -1, "i8")
        self.launch("csr_cuts", {"TILE": tile}, starts=self.starts, rows=self.rows, pieces=count, cuts=cuts)
        return count, cuts

    def multiply(self, dense):
        width, dense = (dense.shape[1] if dense.ndim == 2 else 1), tn.array(dense)
        tile = TILE if dense.ndim == 1 else 16
        pieces, cuts = self.pieces(tile)
        output = tn.full((self.rows, *dense.shape[1:]), 77, self.dtype)
        carries = tn.full(pieces * width, 99, self.dtype)
        made = {"output": output, "carries": carries, "cuts": cuts, "pieces": pieces}
        common = {**self.matrix, **made, "dense": dense, "columns": self.columns, "count": self.count, **self.ends}
        if dense.ndim == 1:
            self.launch("csr_multiply", {"TILE": tile}, **common, dense_row=width)
        else:
            macros = {"TILE": tile, "LANES": 4, "PER": 2}
            self.launch("csr_multiply_dense", macros, **common, dense_row=width, width=width, chunks=-(-width // 8))
        self.launch("csr_carry", {"TEAM": 32 if dense.ndim == 1 else 1}, **made, rows=self.rows, width=width)
        return output.get()

    def turn(self, dense):
        pieces, cuts = self.pieces()
        output = tn.zeros(self.columns, self.dtype)
        self.launch(
            "csr_transpose",
            {"TILE": TILE},
            **self.matrix,
            **self.ends,
            dense=None if dense is None else tn.array(dense),
            output=output,
            cuts=cuts,
            rows=self.rows,
            columns=self.columns,
            count=self.count,
            pieces=pieces,
            dense_row=1,
        )
        return output.get()

    def product(self, other, short=32):
        """Rows of both kinds; those of the result lie apart, with room for all terms."""
        sums = tn.zeros((2, self.rows + 1), "i8")
        self.launch(
            "csr_terms",
            {"SHORT": short},
            a_starts=self.starts,
            a_indices=self.indices,
            b_starts=other.starts,
            rows=self.rows,
            inner=other.rows,
            a_count=self.count,
            b_count=other.count,
            terms=sums[0, 1:],
            long_terms=sums[1, 1:],
            **self.ends,
        )
        sums = sums.cumsum(axis=1)
        room, slots = int(sums[0, -1]), 4 * int(sums[1, -1])
        made = tn.full(room, 77, self.index), tn.full(room, 77, self.dtype)
        counts = tn.full(self.rows, 77, "i8")
        keys, places = tn.full(slots, 77, self.index), tn.full(slots, 77, "u4")
        for team in (32, BLOCK):
            self.launch(
                "csr_product",
                {"SHORT": short, "TEAM": team},
                a_starts=self.starts,
                a_indices=self.indices,
                a_values=self.values,
                b_starts=other.starts,
                b_indices=other.indices,
                b_values=other.values,
                rows=self.rows,
                inner=other.rows,
                columns=other.columns,
                a_count=self.count,
                b_count=other.count,
                terms=sums[0],
                long_terms=sums[1],
                indices=made[0],
                values=made[1],
                counts=counts,
                keys=keys,
                places=places,
                **self.ends,
            )
        starts = tn.concatenate([tn.zeros(1, "i8"), counts.cumsum()])
        packed = tn.full(int(starts[-1]), 77, self.index), tn.full(int(starts[-1]), 77, self.dtype)
        self.launch(
            "csr_pack",
            {"UNIT_BYTES": self.dtype.itemsize},
            to=starts,
            rows=self.rows,
            indices=made[0],
            values=made[1],
            to_indices=packed[0],
            to_values=packed[1],
            **{"from": sums[0]},
        )
        return packed[1].get(), packed[0].get(), starts.get()

    def conjugate(self, b, inverse, limit, steps):
        """x, and the numbers of forms/sparse.h. One block: it alone waits for itself."""
        pieces, cuts = self.pieces()
        x, q, carries = tn.zeros(self.rows), tn.full(self.rows, 77.0), tn.full(pieces, 99.0)
        p, r = tn.zeros(self.rows), tn.array(b)
        scale = None if inverse is None else tn.array(inverse)
        square = float(b @ b)
        numbers = tn.array([square if inverse is None else float(b @ (inverse * b)), square, 0.0, 0.0])
        sums, arrivals = tn.zeros(3), tn.zeros(1, "u4")
        macros = {"TILE": TILE, "PER": 4, "INVERSE": int(inverse is not None)}
        self.launch(
            "csr_conjugate",
            macros,
            **self.matrix,
            **self.ends,
            inverse=scale,
            x=x,
            residual=r,
            dense=p,
            output=q,
            carries=carries,
            numbers=numbers,
            sums=sums,
            arrivals=arrivals,
            cuts=cuts,
            rows=self.rows,
            columns=self.columns,
            count=self.count,
            pieces=pieces,
            dense_row=1,
            steps=steps,
            limit=limit,
            blocks=1,
        )
        return x.get(), numbers.tolist()

    def look(self, to=None):
        pieces, cuts = self.pieces()
        flags = tn.zeros(1, "u8")
        self.launch(
            "csr_look",
            {"TILE": TILE, "LOOK": int(to is not None)},
            starts=self.starts,
            indices=self.indices,
            cuts=cuts,
            rows=self.rows,
            columns=self.columns,
            count=self.count,
            pieces=pieces,
            to=to,
            flags=flags,
            **self.ends,
        )
        return int(flags[0])

    def gather(self, order, major, minor, lines):
        made = [
            tn.full(n, 77, dtype)
            for n, dtype in ((lines + 1, self.index), (self.count, self.index), (self.count, self.dtype))
        ]
        self.launch(
            "csr_gather",
            {"UNIT_BYTES": self.dtype.itemsize, "EACH": 4},
            order=order,
            major=major,
            minor=minor,
            values=self.values,
            lines=lines,
            count=self.count,
            to_starts=made[0],
            to_indices=made[1],
            to_values=made[2],
            **self.ends,
        )
        return [one.get() for one in made]

    def choose(self, chosen, first, step, rows):
        macros = {"UNIT_BYTES": self.dtype.itemsize}
        chosen = None if chosen is None else tn.array(chosen)
        lengths = tn.full(rows, 77, "i8")
        given = {"chosen": chosen, "rows": rows, "first": first, "step": step, "lengths": lengths}
        given = {**self.matrix, "a_rows": self.rows, "a_count": self.count, **given, **self.ends}
        none = {"to_starts": None, "count": 0, "to_indices": None, "to_values": None}
        self.launch("csr_choose", {**macros, "PHASE": 0}, **given, **none)
        starts = tn.concatenate([tn.zeros(1, "i8"), lengths.cumsum()])
        count = int(starts[-1])
        made = tn.full(count, 77, self.index), tn.full(count, 77, self.dtype)
        to = {"to_starts": starts, "count": count, "to_indices": made[0], "to_values": made[1]}
        self.launch("csr_choose", {**macros, "PHASE": 1}, **given, **to)
        return made[1].get(), made[0].get(), starts.get()

    def unite(self):
        flags = tn.full(self.count, 77, "u1")
        for phase in (0, 1):
            given = {"starts": self.starts, "indices": self.indices, "rows": self.rows, "count": self.count}
            self.launch("csr_heads", {"PHASE": phase}, **given, flags=flags, **self.ends)
        places, ends = flags.cumsum(dtype="i8"), tn.full(self.rows + 1, 77, "i8")
        self.ends_of(None, places, self.count, ends)
        made = tn.full(int(ends[-1]), 77, self.index), tn.full(int(ends[-1]), 77, self.dtype)
        self.launch(
            "csr_unite",
            {},
            **self.matrix,
            flags=flags,
            places=places,
            rows=self.rows,
            count=self.count,
            to_count=made[0].size,
            to_indices=made[0],
            to_values=made[1],
        )
        return made[1].get(), made[0].get(), ends.get()

    def ends_of(self, beside, places, count, ends):
        given = {"starts": self.starts, "beside": beside, "places": places, "rows": self.rows, "count": count}
        self.launch("csr_ends", {}, **given, ends=ends, **self.ends)

    def merge(self, other, operation):
        count = self.count + other.count
        indices, flags = tn.full(count, 77, self.index), tn.zeros(count, "u1")
        x, y = tn.zeros(count, self.dtype), tn.zeros(count, self.dtype)
        sides = {
            f"{side}_{name}": value
            for side, one in (("a", self), ("b", other))
            for name, value in {**one.matrix, "count": one.count}.items()
        }
        made = {"indices": indices, "x": x, "y": y, "flags": flags}
        self.launch("csr_merge", {}, **sides, rows=self.rows, columns=self.columns, **made, **self.ends)
        results = operation(x, y)
        given = {"indices": indices, "values": results, "flags": flags, "count": count}
        self.launch("csr_keep", {"PHASE": 0}, **given, places=None, to_indices=None, to_values=None)
        places, ends = flags.cumsum(dtype="i8"), tn.full(self.rows + 1, 77, "i8")
        made = tn.full(count, 77, self.index), tn.full(count, 77, self.dtype)
        self.launch("csr_keep", {"PHASE": 1}, **given, places=places, to_indices=made[0], to_values=made[1])
        self.ends_of(other.starts, places, count, ends)
        total = int(ends[-1])
        return made[1].get()[:total], made[0].get()[:total], ends.get()

    def scatter(self, dense):
        to = tn.array(dense)
        self.launch(
            "csr_scatter",
            {},
            **self.matrix,
            **self.ends,
            rows=self.rows,
            columns=self.columns,
            count=self.count,
            to_row=self.columns,
            to_column=1,
            to=to,
        )
        return to.get()


# --- Matrices ---


def some(kind, dtype="d", index="i4", seed=0):
    """Rows of one length, many empty ones, one that is nearly all, none, unsorted ones with
    duplicates."""
    rng = np.random.default_rng(seed)
    rows, columns = 150, 170
    lengths = {
        "even": np.full(rows, 7),
        "sparse": (rng.random(rows) < 0.1) * 3,
        "power": rng.zipf(1.6, rows) % 20,
        "long": np.zeros(rows, int),
        "none": np.zeros(rows, int),
    }[kind]
    if kind in ("long", "power"):
        lengths[[0, 40, 149]] = 150, 700, 350
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(index)
    indices = rng.integers(0, columns, starts[-1]).astype(index)
    values = rng.integers(-3, 4, starts[-1])
    values = (values + (1j * rng.integers(-3, 4, starts[-1]) if np.dtype(dtype).kind == "c" else 0)).astype(dtype)
    return scipy_sparse.csr_array((values, indices, starts), shape=(rows, columns))


KINDS = ("even", "sparse", "power", "long", "none")
cases = pytest.mark.parametrize(("dtype", "index"), [("F", "i8"), ("?", "i4")])


def united(matrix):
    made = matrix.copy()
    made.sum_duplicates()
    return made


def check(found, expected, shape):
    data, indices, starts = found
    made = scipy_sparse.csr_array((data, indices, starts), shape=shape)
    np.testing.assert_array_equal(made.toarray(), expected.toarray())
    assert made.nnz == expected.nnz


@cases
def test_text_multiplies(dtype, index):
    rng = np.random.default_rng(1)
    for kind in KINDS:
        device = Device(some(kind, dtype, index), dtype)
        for shape in ((170,), (170, 13), (170, 3)):
            dense = rng.integers(-3, 4, shape).astype(dtype)
            expected = device.a.toarray() @ dense if dtype != "?" else (device.a.astype(int) @ dense.astype(int)) > 0
            np.testing.assert_array_equal(device.multiply(dense), expected)
        assert not device.has_failed


@pytest.mark.parametrize(("dtype", "index"), [("F", "i8"), ("d", "i4")])
def test_text_turns(dtype, index):
    rng = np.random.default_rng(1)
    for kind in KINDS:
        device = Device(some(kind, dtype, index), dtype)
        dense = rng.integers(-3, 4, 150).astype(dtype)
        np.testing.assert_array_equal(device.turn(dense), device.a.toarray().T @ dense)
        np.testing.assert_array_equal(device.turn(None), device.a.toarray().sum(0))
        assert not device.has_failed
    device = Device(some("even", dtype, index), dtype)
    device.indices[5] = 170
    device.turn(None)
    assert device.has_failed


@cases
def test_text_makes_products(dtype, index):
    """Short rows and long ones, in the order in which a row meets its columns."""
    for kind, other in zip(KINDS, (*KINDS[1:], "even")):
        one, two = some(kind, dtype, index), some(other, dtype, index, 1).T.tocsr()
        two.indices, two.indptr = two.indices.astype(index), two.indptr.astype(index)
        device = Device(one, dtype)
        data, indices, starts = device.product(Device(two, dtype))
        expected = one.toarray().astype("D") @ two.toarray().astype("D")
        found = scipy_sparse.csr_array((data, indices, starts), shape=expected.shape).toarray()
        np.testing.assert_array_equal(found, expected.real > 0 if dtype == "?" else expected)
        for row in range(150):
            met = [
                c
                for k in one.indices[slice(*one.indptr[row : row + 2])]
                for c in two.indices[slice(*two.indptr[k : k + 2])]
            ]
            assert list(dict.fromkeys(met)) == indices[slice(*starts[row : row + 2])].tolist()
        assert not device.has_failed


@pytest.mark.parametrize("kind", KINDS)
def test_text_steps_along_conjugate_gradients(kind):
    """Rows of many pieces, too; the same as the textbook's loop."""
    half = abs(some(kind).tocsc()[:, :150])
    matrix = half + half.T
    matrix = (matrix + scipy_sparse.diags(np.asarray(matrix.sum(1)).ravel() + 1)).tocsr()
    b, inverse = np.random.default_rng(3).normal(size=150), 1 / matrix.diagonal()
    for scale in (None, inverse):
        device = Device(matrix)
        x, numbers = device.conjugate(b, scale, 1e-9, 400)
        assert np.linalg.norm(matrix @ x - b) < 2e-9 and 0 < numbers[3] < 400
        x, numbers = device.conjugate(b, scale, 1e-9, 3)
        assert numbers[3] == (1 if kind == "none" else 3) and not device.has_failed
        np.testing.assert_allclose(
            x, textbook(matrix, b, np.ones(150) if scale is None else scale, int(numbers[3])), rtol=1e-12
        )


def textbook(a, b, inverse, steps):
    x, r, p, before = np.zeros_like(b), b.copy(), np.zeros_like(b), np.inf
    for _ in range(steps):
        product = r @ (inverse * r)
        p = inverse * r + product / before * p
        alpha = product / (p @ (a @ p))
        x, r, before = x + alpha * p, r - alpha * (a @ p), product
    return x


@cases
def test_text_scatters(dtype, index):
    for kind in KINDS:
        device = Device(some(kind, dtype, index), dtype)
        before = np.ones(device.a.shape, dtype)
        expected = before + device.a.toarray()
        np.testing.assert_array_equal(device.scatter(before), expected)


@cases
def test_text_orders(dtype, index):
    for kind in KINDS[:-1]:
        device = Device(some(kind, dtype, index), dtype)
        row = tn.full(device.count, 77, index)
        device.look(row)
        np.testing.assert_array_equal(row.get(), device.a.tocoo().coords[0])
        order = device.indices.argsort(kind="stable")
        starts, indices, values = device.gather(order, device.indices, row, device.columns)
        made = scipy_sparse.csc_array((values, indices, starts), shape=device.a.shape)
        np.testing.assert_array_equal(made.toarray(), device.a.toarray())
        keys = tn.full(device.count, 77, "i8")
        given = {"rows": row, "indices": device.indices, "columns": device.columns, "count": device.count}
        device.launch("csr_keys", {}, **given, keys=keys, **device.ends)
        np.testing.assert_array_equal(keys.get(), row.get().astype("i8") * 170 + device.a.indices)
        order = keys.argsort(kind="stable")
        _, indices, values = device.gather(order, None, device.indices, 0)
        np.testing.assert_array_equal(indices, device.a.indices[order.get()])
        np.testing.assert_array_equal(values, device.a.data[order.get()])
        assert not device.has_failed


def test_text_looks():
    for kind in KINDS:
        matrix = some(kind)
        device = Device(matrix)
        row = matrix.tocoo().coords[0]
        same = row[1:] == row[:-1]
        unsorted = bool((same & (matrix.indices[1:] < matrix.indices[:-1])).any())
        equal = bool((same & (matrix.indices[1:] == matrix.indices[:-1])).any())
        assert device.look() == 2 * unsorted + 4 * equal
        assert Device(united(matrix)).look() == 0


@cases
def test_text_chooses(dtype, index):
    rng = np.random.default_rng(2)
    for kind in KINDS:
        device = Device(some(kind, dtype, index), dtype)
        rows = rng.integers(0, 150, 90)
        check(device.choose(rows, 0, 0, 90), device.a[rows], (90, 170))
        check(device.choose(None, 149, -3, 40), device.a[149 - 3 * np.arange(40)], (40, 170))
        assert not device.has_failed


@cases
def test_text_unites(dtype, index):
    for kind in KINDS:
        matrix = some(kind, dtype, index)
        matrix.sort_indices()
        device = Device(matrix, dtype)
        check(device.unite(), united(matrix), matrix.shape)
        assert not device.has_failed


@cases
def test_text_merges(dtype, index):
    for kind, other in zip(KINDS, (*KINDS[1:], "even")):
        one, two = (united(some(name, dtype, index, seed)) for seed, name in enumerate((kind, other)))
        devices = Device(one, dtype), Device(two, dtype)
        for operation in (tn.add, tn.multiply):
            expected = one + two if operation is tn.add else one.multiply(two).tocsr()
            expected.eliminate_zeros()
            check(devices[0].merge(devices[1], operation), expected, one.shape)
        assert not devices[0].has_failed


# --- Broken structures ---


@pytest.mark.parametrize("broken", ["index", "negative", "descends", "beyond", "before"])
def test_text_finds_broken_structures(broken):
    """They are reported, and nothing else is touched: the host's sanitizers run this, too."""
    matrix = some("power")
    starts, indices = matrix.indptr.copy(), matrix.indices.copy()
    if broken in ("index", "negative"):
        indices[5] = 170 if broken == "index" else -1
    elif broken == "descends":
        starts[20:40] = starts[20:40][::-1]
    else:
        starts[60] = 2**31 - 1 if broken == "beyond" else -(2**31)
    hostile = scipy_sparse.csr_array(matrix.shape, dtype="d")
    hostile.data, hostile.indices, hostile.indptr = matrix.data, indices, starts
    device = Device(hostile)
    assert device.look() & 1
    is_index = broken in ("index", "negative")
    calls = [
        lambda: device.multiply(np.ones(170)),
        lambda: device.multiply(np.ones((170, 5))),
        lambda: device.scatter(np.zeros(matrix.shape)),
        lambda: device.merge(Device(united(matrix)), tn.add),
    ]
    calls += [] if is_index else [device.unite, lambda: device.choose(np.arange(150), 0, 1, 150)]
    for call in calls:
        device.failed[0] = 0
        call()
        assert device.has_failed
    device.failed[0] = 0
    assert not is_index or not device.choose(np.arange(150), 0, 1, 150) or not device.has_failed
