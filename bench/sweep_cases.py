"""What the sweep measures: operations x dtypes x layouts x sizes, each a case of cases.py."""

import itertools
import random
from collections import defaultdict
from dataclasses import dataclass

import numpy
from cases import Case

INTEGERS = tuple(f"{sign}int{bits}" for bits in (8, 16, 32, 64) for sign in ("", "u"))
DTYPES = ("bool", *INTEGERS, "float16", "float32", "float64", "complex64", "complex128")
LAYOUTS = ("C", "Fortran", "step 2", "reversed", "broadcast", "transposed", "unaligned")
LARGEST_BYTES = 1 << 30  # of one operand

# --- Data ---


def fill(n, dtype, values="usual"):
    """A new NumPy array of n elements: "usual" ones, which every operation takes, "zeros" or
    "ones"."""
    if values != "usual":
        return numpy.full(n, values == "ones", dtype)
    rng = numpy.random.default_rng(0)
    some, kind = min(n, 50_000), numpy.dtype(dtype).kind
    if kind == "b":
        few = rng.random(some) < 0.5
    elif kind in "iu":
        few = rng.integers(1, 10, some)
    else:
        few = rng.uniform(0.1, 0.9, some) + (1j * rng.uniform(0.1, 0.9, some) if kind == "c" else 0)
    return numpy.resize(few.astype(dtype), n)


def sides(n):
    """The shape of a matrix of about n elements."""
    rows = max(1, int(n**0.5))
    return rows, n // rows


def _base(xp, dev, n, dtype, values):
    return dev(fill(n, dtype, values))


def _unaligned(xp, dev, n, dtype, values):
    memory = numpy.concatenate((numpy.zeros(1, "u1"), fill(n, dtype, values).view("u1")))
    return dev(memory)[1:].view(dtype)


def _cube(xp, base, n):
    side = max(1, int(n ** (1 / 3)))
    cube = base[: side * side * (n // (side * side))].reshape(side, side, -1)
    return cube.permute(2, 0, 1) if hasattr(cube, "permute") else cube.transpose(2, 0, 1)


def operand(layout, is_matrix, xp, dev, n, dtype, values="usual"):
    """An array of about n elements, laid out in memory as the layout says."""
    rows, columns = sides(n)
    used = rows * columns if is_matrix else n
    if layout == "unaligned":
        vector = _unaligned(xp, dev, used, dtype, values)
        return vector.reshape(rows, columns) if is_matrix else vector
    if layout == "step 2":
        base = _base(xp, dev, 2 * used, dtype, values)
        return base.reshape(rows, 2 * columns)[:, ::2] if is_matrix else base[::2]
    base = _base(xp, dev, n, dtype, values)
    if layout == "Fortran":
        return base[: rows * columns].reshape(columns, rows).T
    if layout == "broadcast":
        return xp.broadcast_to(base[:columns], (rows, columns))
    if layout == "transposed":
        return _cube(xp, base, n)
    base = base[:used].reshape(rows, columns) if is_matrix else base
    if layout == "reversed":
        return base[::-1, ::-1] if is_matrix else base[::-1]
    return base


def operands(layout, is_matrix, count, xp, dev, n, dtype, values="usual"):
    """The arrays `a` and `b` of a case. Of two, a broadcast one and a transposed one stand beside
    one that lies in order."""
    if count == 1:
        return operand(layout, is_matrix, xp, dev, n, dtype, values)
    if layout in ("broadcast", "transposed"):
        second = "Fortran" if layout == "transposed" else layout
        return tuple(operand(one, True, xp, dev, n, dtype, values) for one in ("C", second))
    return tuple(operand(layout, is_matrix, xp, dev, n, dtype, values) for _ in range(2))


# --- Operations ---


@dataclass(frozen=True)
class Operation:
    """setup and expression see `a`, `b` (if there are two inputs), `dt` the dtype, and the names of
    a case; values are those of fill(); torch is the expression for PyTorch, "" if there is none."""

    name: str
    group: str
    expression: str
    inputs: int = 1
    setup: str = ""
    values: str = "usual"
    is_matrix: bool = False
    layouts: tuple = LAYOUTS
    torch: str = ""


_TORCH = {
    "absolute": "abs",
    "invert": "bitwise_not",
    "left_shift": "bitwise_left_shift",
    "max": "amax",
    "right_shift": "bitwise_right_shift",
    "equal": "eq",
    "power": "pow",
    "min": "amin",
    "conjugate": "conj_physical",
    "rint": "round",
}
_SETUPS = {"arccosh": "a = a + 1", "ldexp": "b = b.astype('i4')"}


def _ufuncs(tenorite):
    """The operations of the table, each once."""
    for name, ours in sorted(vars(tenorite).items()):
        if isinstance(ours, tenorite.ufunc) and ours.__name__ == name and hasattr(numpy, name):
            arguments = ", ".join("ab"[: ours.nin])
            yield Operation(
                name,
                "ufunc",
                f"xp.{name}({arguments})",
                ours.nin,
                _SETUPS.get(name, ""),
                torch=f"torch.{_TORCH.get(name, name)}({arguments})",
            )
    yield Operation("a + 1", "ufunc", "a + 1", torch="a + 1")
    yield Operation("add to out", "ufunc", "xp.add(a, b, out=a)", 2, torch="torch.add(a, b, out=a)")
    yield Operation(
        "add where", "ufunc", "xp.add(a, b, out=r, where=m)", 2, "r = a + b; m = dev(numpy.ones(a.shape, '?'))"
    )


_EARLY = {
    "any": ("zeros", "ones"),
    "all": ("zeros", "ones"),
    "max": ("zeros", "ones"),
    "min": ("zeros", "ones"),
    "argmax": ("zeros", "ones"),
    "argmin": ("zeros", "ones"),
}
_REDUCTIONS = (
    "sum prod max min any all mean var std ptp count_nonzero argmax argmin cumsum cumprod nansum "
    "nanprod nanmax nanmin nanmean nanvar nanstd nanargmax nanargmin nancumsum"
).split()
_IN_TORCH = "sum prod max min any all mean var std count_nonzero argmax argmin cumsum cumprod nansum nanmean".split()


def _reductions():
    for name in _REDUCTIONS:
        group = "scan" if "cum" in name else "reduction"
        there = f"torch.{_TORCH.get(name, name)}" if name in _IN_TORCH else ""
        torch = f"{there}(a{', 0' if group == 'scan' else ''})" if there else ""
        yield Operation(name, group, f"xp.{name}(a)", torch=torch)
        for values in _EARLY.get(name, ()):
            yield Operation(f"{name} of {values}", group, f"xp.{name}(a)", values=values, torch=torch)
        for axis in (0, 1):
            yield Operation(
                f"{name} axis {axis}",
                group,
                f"xp.{name}(a, axis={axis})",
                is_matrix=True,
                torch=there and f"{there}(a, {axis})",
            )
            for shape in ("(-1, 10)", "(10, -1)"):
                yield Operation(
                    f"{name} axis {axis} of {shape}",
                    group,
                    f"xp.{name}(a, axis={axis})",
                    1,
                    f"a = a[: a.shape[0] // 10 * 10].reshape{shape}",
                    layouts=("C",),
                    torch=there and f"{there}(a, {axis})",
                )


_I = "i = dev(rng.integers(0, len(a), len(a)))"
_M = "m = dev(rng.random(len(a)) < 0.5)"
_INDEXING = (
    ("a[i]", "a[i]", 1, _I),
    ("a[i] = b", "a.__setitem__(i, b)", 2, _I),
    ("take", "a.take(i, axis=0)", 1, _I),
    ("a[i] of 3", "a[i]", 1, "i = dev(rng.integers(0, len(a), 3))"),
    ("a[m]", "a[m]", 1, _M),
    ("a[m] = 1", "a.__setitem__(m, 1)", 1, _M),
    ("compress", "a.compress(m, axis=0)", 1, _M),
    ("nonzero", "a.nonzero()", 1, ""),
    ("flatnonzero", "xp.flatnonzero(a)", 1, ""),
    ("argwhere", "xp.argwhere(a)", 1, ""),
    ("where(m, a, b)", "xp.where(m, a, b)", 2, "m = a != b"),
    ("where(m, a, 1)", "xp.where(m, a, 1)", 1, "m = a != 1"),
    ("a[0]", "a[0]", 1, ""),
    ("a[-1:]", "a[-1:]", 1, ""),
    ("a[1:] copied", "a[1:].copy()", 1, ""),
    ("a[...] = b", "a.__setitem__(..., b)", 2, ""),
    ("a[...] = 1", "a.__setitem__(..., 1)", 1, ""),
    ("put", "a.put(i, 1)", 1, _I),
    ("repeat", "a.repeat(3)", 1, ""),
    ("diagonal copied", "xp.diagonal(a).copy()", -1, ""),
    ("tril", "xp.tril(a)", -1, ""),
    ("add.at", "xp.add.at(a, i, b)", 2, _I),
    ("item", "a.item(0)", 1, ""),
)
_JOINS = (
    ("concatenate", "xp.concatenate((a, b))", 2),
    ("concatenate axis 1", "xp.concatenate((a, b), axis=1)", -2),
    ("stack", "xp.stack((a, b))", 2),
    ("stack axis 1", "xp.stack((a, b), axis=1)", 2),
    ("hstack", "xp.hstack((a, b))", 2),
    ("vstack", "xp.vstack((a, b))", 2),
    ("tile", "xp.tile(a, 3)", 1),
    ("roll", "xp.roll(a, 5)", 1),
    ("roll axis 1", "xp.roll(a, 5, axis=1)", -1),
    ("split", "xp.split(a, 1)", 1),
    ("flip copied", "xp.flip(a).copy()", 1),
    ("rot90 copied", "xp.rot90(a).copy()", -1),
    ("append", "xp.append(a, b)", 2),
)
_COPIES = (
    ("copy", "a.copy()", 1),
    ("copy order F", "a.copy(order='F')", -1),
    ("ravel", "a.ravel()", 1),
    ("ascontiguousarray", "xp.ascontiguousarray(a)", 1),
    ("flatten", "a.flatten()", 1),
    ("fill", "a.fill(1)", 1),
    ("copyto", "xp.copyto(a, b)", 2),
    ("T", "a.T", 1),
    ("reshape", "a.reshape(-1)", 1),
    ("clip", "a.clip(2, 5)", 1),
    ("round", "a.round(1)", 1),
    ("diff", "xp.diff(a)", 1),
    ("array_equal", "xp.array_equal(a, b)", 2),
    ("nan_to_num", "xp.nan_to_num(a)", 1),
    ("real copied", "a.real.copy()", 1),
    ("tobytes", "a.tobytes()", 1),
    ("dot", "xp.dot(a, b)", 2),
    ("tolist", "a.tolist()", 1),
    ("asarray", "xp.asarray(a)", 1),
)
_CREATION = (
    "empty(n, dt)",
    "zeros(n, dt)",
    "ones(n, dt)",
    "full(n, 1, dt)",
    "arange(n, dtype=dt)",
    "linspace(0, 1, n, dtype=dt)",
    "eye(int(n**0.5), dtype=dt)",
    "zeros((n,), dt.name)",
    "zeros((n,), dt.type)",
    "empty((n,), dtype=dt.name)",
    "zeros_like(a)",
    "empty_like(a)",
    "ones_like(a)",
    "full_like(a, 1)",
)


_ORDERS = {
    "random": "rng.permutation(len(a))",
    "sorted": "numpy.sort(numpy.arange(len(a)).astype(dt))",
    "reversed": "numpy.sort(numpy.arange(len(a)).astype(dt))[::-1]",
    "equal": "numpy.ones(len(a))",
    "few values": "rng.integers(0, 9, len(a))",
}
_SORTS = (
    "sort(a)",
    "sort(a, kind='stable')",
    "argsort(a)",
    "argsort(a, kind='stable')",
    "partition(a, len(a) // 2)",
    "argpartition(a, len(a) // 2)",
)


def _sorts():
    for text, (order, values) in itertools.product(_SORTS, _ORDERS.items()):
        yield Operation(f"{text}, {order}", "sort", f"xp.{text}", 1, f"a = dev({values}.astype(dt))", layouts=("C",))


def _others():
    yield from _sorts()
    for name, text, inputs, setup in _INDEXING:
        yield Operation(name, "indexing", text, abs(inputs), setup, is_matrix=inputs < 0)
    for group, rows in (("join", _JOINS), ("copy", _COPIES)):
        for name, text, inputs in rows:
            yield Operation(name, group, text, abs(inputs), is_matrix=inputs < 0)
    for text in _CREATION:
        layouts = LAYOUTS if text.endswith(("(a)", "(a, 1)")) else ("C",)
        yield Operation(text, "creation", f"xp.{text}", layouts=layouts)
    for dtype in DTYPES:
        yield Operation(
            f"astype {dtype}", "cast", "a.astype(to)", 1, f"to = numpy.dtype('{dtype}')", torch=f"a.to(torch.{dtype})"
        )
    yield Operation("astype by name", "cast", "a.astype('float32')")
    yield Operation("astype by type", "cast", "a.astype(xp.float64)")


def operations(tenorite):
    """All operations, those of the module's table first."""
    return [*_ufuncs(tenorite), *_reductions(), *_others()]


# --- Cases ---


def sizes(largest):
    """1, 3, 10, 30, ... to the largest."""
    size, found = 1, []
    while size <= largest:
        found += [size, 3 * size]
        size *= 10
    return [n for n in found if n <= largest]


def make_case(operation, dtype, layout, n):
    """The case, whose name tells them all apart."""
    names = "a, b" if operation.inputs == 2 else "a"
    arguments = f"{layout!r}, {operation.is_matrix}, {operation.inputs}, xp, dev, n, dt, {operation.values!r}"
    setup = (
        f"import numpy; from sweep_cases import operands; dt = numpy.dtype('{dtype}'); "
        f"{names} = operands({arguments}); {operation.setup}"
    )
    return Case(
        f"{operation.name}, {dtype}, {layout}",
        setup,
        operation.expression,
        1.1,
        n,
        operation.group,
        torch=operation.torch or None,
    )


def cases(tenorite, largest, is_wanted=lambda *facts: True, seed=0):
    """(operation's name, dtype, layout, case) of all that is wanted, so mixed that any number of
    the first ones holds as many of one operation as of another."""
    found = defaultdict(list)
    mix = random.Random(seed)
    for operation in operations(tenorite):
        for dtype, layout, n in itertools.product(DTYPES, operation.layouts, sizes(largest)):
            is_small = n * numpy.dtype(dtype).itemsize <= LARGEST_BYTES
            if is_small and is_wanted(operation, dtype, layout, n):
                found[operation.name].append((operation, dtype, layout, n))
    for rows in found.values():
        mix.shuffle(rows)
    lists = list(found.values())
    mix.shuffle(lists)
    turns = itertools.zip_longest(*lists)
    return [(row[0].name, *row[1:3], make_case(*row)) for turn in turns for row in turn if row]
