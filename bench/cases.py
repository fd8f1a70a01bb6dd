"""What is measured: one list, read by run.py and, at small sizes, by the tests.

A case's texts run with these names: `xp` the module (numpy, tenorite, cupy), `n` the size, `rng` a
NumPy random generator, `dev` which makes xp's array of NumPy's.
"""

import fused_cases as fused
import scipy_cases
from case import Case

_SMALL = "a = dev(rng.normal(size=n)); b = dev(rng.normal(size=n))"
_F32 = "a = dev(rng.normal(size=n).astype('f4')); b = dev(rng.normal(size=n).astype('f4'))"
_MATRIX = "a = dev(rng.normal(size=(n // 1000, 1000)).astype('f4'))"


def _fuse(arguments, text):
    """The text as a fused function f; NumPy has none, and calls it as it is."""
    return f"\ndef f({arguments}): return {text}\nf = getattr(xp, 'fuse', lambda f: f)(f)"


def _small():
    """Calls on ten elements: the cost of a call."""
    rows = [
        ("a + b", _SMALL, "a + b"),
        ("a + 1", _SMALL, "a + 1"),
        ("a += b", f"{_SMALL}; b *= 0; import operator; iadd = operator.iadd", "iadd(a, b)"),
        ("sin(a)", _SMALL, "xp.sin(a)"),
        ("a.sum()", _SMALL, "a.sum()"),
        ("a[2:7]", _SMALL, "a[2:7]"),
        ("a.reshape(2, -1).T", _SMALL, "a.reshape(2, -1).T"),
        ("empty(n)", "", "xp.empty(n)"),
        ("zeros(n)", "", "xp.zeros(n)"),
        ("a.astype(f4)", f"{_SMALL}; f4 = xp.float32", "a.astype(f4)"),
        ("m @ m (3, 3)", "m = dev(rng.normal(size=(3, 3)))", "m @ m"),
        ("concatenate((a, b))", _SMALL, "xp.concatenate((a, b))"),
        ("where(c, a, b)", f"{_SMALL}; c = a > b", "xp.where(c, a, b)"),
        ("a[3]", _SMALL, "a[3]"),
        ("a[3] = s", f"{_SMALL}; s = a[5]; import operator; store = operator.setitem", "store(a, 3, s)"),
        ("a.nonzero()", _SMALL, "a.nonzero()"),
        ("a[i] of 3", f"{_SMALL}; i = dev(rng.integers(0, n, 3))", "a[i]"),
        ("softplus", _SMALL, "xp.maximum(0, a) + xp.log1p(xp.exp(-xp.absolute(a)))"),
        ("fused softplus", _SMALL + _fuse("a", "xp.maximum(0, a) + xp.log1p(xp.exp(-xp.absolute(a)))"), "f(a)"),
    ]
    return [Case(name, setup, text, 1.3, 10, "calls on 10 elements") for name, setup, text in rows]


_CRC = """
def crc(table, data):
    c = data[0] * 0 + 0xFFFFFFFF
    for byte in data:
        c = table[(c ^ byte) & 255] ^ (c >> 8)
    return c ^ 0xFFFFFFFF
table = np.arange(256, dtype="u4")
for _ in range(8): table = np.where(table & 1, table >> 1 ^ np.uint32(0xEDB88320), table >> 1)
table = dev(table.astype("u4")); data = dev(rng.integers(0, 256, n).astype("u4"))
"""
_GRAM_SCHMIDT = """
def gram_schmidt(a):
    q = a.copy()
    for k in range(len(q)):
        for j in range(k):
            q[k] -= (q[j] @ q[k]) * q[j]
        q[k] /= (q[k] @ q[k]) ** 0.5
    return q
a = dev(rng.normal(size=(n // 4, n // 4)))
"""
_NUSSINOV = """
def nussinov(s):
    n = len(s)
    t = xp.zeros((n, n), dtype=int)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            t[i, j] = max(t[i + 1, j], t[i, j - 1], t[i + 1, j - 1] + (s[i] + s[j] == 3))
    return t
s = dev(rng.integers(0, 4, n))
"""
_MIXED = """
def f(k):
    k = k + 0x9E3779B97F4A7C15
    k = (k ^ (k >> 30)) * 0xBF58476D1CE4E5B9
    k = (k ^ (k >> 27)) * 0x94D049BB133111EB
    return k ^ (k >> 31)
f = getattr(xp, 'fuse', lambda f: f)(f)
a = dev(rng.integers(0, 2**63, n // 2, 'u8'))
"""
_ESCAPES = """
def f(x, y):
    a, b, count = x, y, x * 0
    for _ in range(10):
        a, b = a * a - b * b + x, 2 * a * b + y
        count = count + (a * a + b * b < 4)
        a, b = xp.clip(a, -4, 4), xp.clip(b, -4, 4)
    return count
f = getattr(xp, 'fuse', lambda f: f)(f)
"""
_HUBER = "xp.where(abs(a - b) < 1, 0.5 * (a - b) * (a - b), abs(a - b) - 0.5)"


def _elements():
    """Programs that read and write single elements in loops."""
    lone = "a = dev(rng.normal(size=n)); s = a[3]; k = dev(rng.integers(0, 1000, n))[3]"
    rows = [
        ("s * 1.5", lone, "s * 1.5"),
        ("k & 255", lone, "k & 255"),
        ("CRC", _CRC, "crc(table, data)"),
        ("Gram-Schmidt", _GRAM_SCHMIDT, "gram_schmidt(a)"),
        ("Nussinov", _NUSSINOV, "nussinov(s)"),
    ]
    return [Case(name, setup, text, 1.3, 60, "elements in loops") for name, setup, text in rows]


def _large():
    """Ten million elements: memory and arithmetic."""
    ten_million = 10_000_000
    rows = [
        ("add", _F32, "a + b", 0.32, 12),
        ("exp", _F32, "xp.exp(a)", 0.28, 8),
        ("sqrt(a*a+1)*2-a", _F32, "xp.sqrt(a * a + 1) * 2 - a", 0.32, 8),
        ("fused sqrt(a*a+1)*2-a", _F32 + _fuse("a", "xp.sqrt(a * a + 1) * 2 - a"), "f(a)", 0.12, 8),
        ("fused softplus", _F32 + _fuse("a", "xp.maximum(0, a) + xp.log1p(xp.exp(-xp.absolute(a)))"), "f(a)", 0.15, 8),
        ("fused Huber loss", _F32 + _fuse("a, b", _HUBER), "f(a, b)", 0.1, 12),
        ("fused SplitMix64", _MIXED, "f(a)", 0.2, 8),
        ("fused Mandelbrot", _F32 + _ESCAPES, "f(a, b)", 0.05, 12),
        ("sin of n/2 float64", "a = dev(rng.normal(size=n // 2))", "xp.sin(a)", 0.15, 8),
        ("a < b", _F32, "a < b", 0.75, 9),
        ("where(c, a, b)", f"{_F32}; c = a > b", "xp.where(c, a, b)", 0.1, 13),
        ("a + row", f"{_MATRIX}; r = a[0] + 0", "a + r", 0.25, 8),
        ("a + column", f"{_MATRIX}; c = a[:, :1] + 0", "a + c", 0.25, 8),
        ("transposed copy", f"{_MATRIX}; t = a.T", "t.copy()", 0.2, 8),
        ("a + transposed", "k = int(n**0.5); a = dev(rng.normal(size=(k, k)).astype('f4'))", "a + a.T", 0.3, 12),
        ("int32 to float64", "a = dev(rng.integers(0, 100, n).astype('i4')); f8 = xp.float64", "a.astype(f8)", 0.7, 12),
        ("a[::2] * 2", _F32, "a[::2] * 2", 0.8, 6),
        ("sum", _F32, "a.sum()", 0.5, 4),
        ("sum, axis 0", _MATRIX, "a.sum(axis=0)", 0.5, 4),
        ("sum, axis 1", _MATRIX, "a.sum(axis=1)", 0.5, 4),
        ("sum, rows of 10", f"{_F32}; a = a.reshape(-1, 10)", "a.sum(axis=1)", 0.1, 4.4),
        ("var", _F32, "a.var()", 0.2, 4),
        ("max, middle axis", f"{_F32}; a = a.reshape(-1, 100, 100)", "a.max(axis=1)", 0.3, 4),
        ("cumsum", _F32, "a.cumsum()", 0.15, 8),
        ("argmax", _F32, "a.argmax()", 1.0, 4),
        ("any", "a = xp.zeros(n, dtype='?')", "a.any()", 1.0, 1),
        ("concatenate((a, b))", _F32, "xp.concatenate((a, b))", 0.5, 16),
        ("arange(n).reshape(1000, -1).T * 2", "", "xp.arange(n).reshape(1000, -1).T * 2", 0.35, 24),
        ("a // 0.3, float64", "a = dev(rng.normal(size=n))", "a // 0.3", 1.0, 16),
        ("einsum ij,ij->i", f"{_MATRIX}; b = a + 1", "xp.einsum('ij,ij->i', a, b)", 0.3, 8),
        ("einsum ij,ij->j", f"{_MATRIX}; b = a + 1", "xp.einsum('ij,ij->j', a, b)", 0.5, 8),
        ("argmax, rows of 100", f"{_F32}; a = a.reshape(-1, 100)", "a.argmax(axis=1)", 0.5, 4),
        ("pad", _F32, "xp.pad(a, 100)", 0.6, 8),
        (
            "concatenate 100 pieces",
            f"{_F32}; p = [a[i * (n // 100) : (i + 1) * (n // 100)] for i in range(100)]",
            "xp.concatenate(p)",
            0.6,
            8,
        ),
        ("roll", _F32, "xp.roll(a, 1000)", 0.6, 8),
        ("repeat", f"{_F32}; a = a[: n // 4]", "xp.repeat(a, 4)", 0.6, 5),
        ("repeat by 8", f"{_F32}; a = a[: n // 8]", "xp.repeat(a, 8)", 0.6, 4.5),
        ("repeat rows of 4", f"{_F32}; a = a[: n // 12 * 4].reshape(-1, 4)", "xp.repeat(a, 3, axis=0)", 0.6, 5.3),
        ("copy of 3 columns", f"{_F32}; a = a[: n // 4 * 4].reshape(-1, 4)[:, :3]", "a.copy()", 0.6, 6),
        ("tile", f"{_F32}; a = a[: n // 4]", "xp.tile(a, 4)", 0.6, 5),
        ("flip", _F32, "xp.flip(a).copy()", 0.6, 8),
        ("repr", _F32, "repr(a)", 1.0, 0),
        ("to NumPy", f"{_F32}; get = getattr(xp, 'asnumpy', lambda a: a.copy())", "get(a)", 1.0, 8),
        ("from NumPy", "h = rng.normal(size=n).astype('f4')", "xp.array(h)", 1.0, 8),
    ]
    torch = {
        "exp": "torch.exp(a)",
        "sqrt(a*a+1)*2-a": "torch.sqrt(a * a + 1) * 2 - a",
        "where(c, a, b)": "torch.where(c, a, b)",
        "cumsum": "a.cumsum(0)",
        "sin of n/2 float64": "torch.sin(a)",
        "concatenate((a, b))": "torch.cat((a, b))",
        "transposed copy": "t.contiguous()",
        "int32 to float64": "a.double()",
        "max, middle axis": "a.amax(dim=1)",
        "fused sqrt(a*a+1)*2-a": None,
        "fused softplus": None,
        "fused Huber loss": None,
        "fused SplitMix64": None,
        "fused Mandelbrot": None,
        "to NumPy": "a.cpu().numpy()",
        "from NumPy": "torch.tensor(h, device='cuda')",
        "pad": "torch.nn.functional.pad(a, (100, 100))",
        "concatenate 100 pieces": "torch.cat(p)",
        "repeat": "a.repeat_interleave(4)",
        "repeat by 8": "a.repeat_interleave(8)",
        "repeat rows of 4": "a.repeat_interleave(3, dim=0)",
        "copy of 3 columns": "a.clone(memory_format=torch.contiguous_format)",
        "einsum ij,ij->i": "torch.einsum('ij,ij->i', a, b)",
        "einsum ij,ij->j": "torch.einsum('ij,ij->j', a, b)",
        "roll": "a.roll(1000)",
        "tile": "a.tile(4)",
        "flip": "a.flip(0)",
        "arange(n).reshape(1000, -1).T * 2": None,
        "any": None,
    }
    return [
        Case(name, setup, text, goal, ten_million, "1e7 elements", traffic, torch.get(name, text))
        for name, setup, text, goal, traffic in rows
    ]


def _index():
    """A million elements, in random places."""
    base = "a = dev(rng.normal(size=n).astype('f4'))"
    mask = f"{base}; m = dev(rng.random(n) < 0.5)"
    rows = [
        ("a[mask]", mask, "a[m]", 0.15, 7),
        ("a[mask] = 0", mask, "a.__setitem__(m, 0)", 0.15, 5),
        ("take", f"{base}; i = dev(rng.integers(0, n, n))", "a.take(i)", 0.5, 16),
        (
            "a[i, j]",
            f"{base}; a = a.reshape(-1, 1000); i = dev(rng.integers(0, n // 1000, n)); "
            "j = dev(rng.integers(0, 1000, n))",
            "a[i, j]",
            0.5,
            24,
        ),
        ("nonzero", "a = dev((rng.random(n) < 0.5).astype('f4'))", "a.nonzero()", 0.7, 8),
        (
            "add.at of 1000 bins",
            f"{base}; i = dev(rng.integers(0, 1000, n)); t = a[:1000] + 0",
            "xp.add.at(t, i, a)",
            1.0,
            12,
        ),
        (
            "a[i] = v, a of 1e7",
            "a = dev(rng.normal(size=10 * n).astype('f4')); i = dev(rng.integers(0, 10 * n, n)); "
            "v = dev(rng.normal(size=n).astype('f4'))",
            "a.__setitem__(i, v)",
            1.0,
            16,
        ),
    ]
    torch = {
        "a[mask]": "a[m]",
        "a[mask] = 0": "a.__setitem__(m, 0)",
        "take": "a[i]",
        "a[i, j]": "a[i, j]",
        "nonzero": "a.nonzero(as_tuple=True)",
        "add.at of 1000 bins": "t.index_add_(0, i, a)",
        "a[i] = v, a of 1e7": "a.__setitem__(i, v)",
    }
    return [
        Case(name, setup, text, goal, 1_000_000, "1e6 elements, indexed", traffic, torch[name])
        for name, setup, text, goal, traffic in rows
    ]


def _matmul():
    dtypes = ("float32", "float64", "complex64", "complex128")
    make = "a = dev(rng.normal(size=(n, n)).astype('{0}')); b = dev(rng.normal(size=(n, n)).astype('{0}'))"
    cases = [
        Case(f"matmul {dtype}", make.format(dtype), "a @ b", 1.0, 1024, "matmul, (1024, 1024)", 0, "a @ b")
        for dtype in dtypes
    ]
    integers = "a = dev(rng.integers(-9, 9, (n, n)).astype('i4')); b = a.T + 0"
    return [*cases, Case("matmul int32", integers, "a @ b", 0.1, 512, "matmul, (512, 512)")]


def _sort():
    """Sorting and searching, a million or ten million elements."""
    integers = "a = dev(rng.integers(-2**62, 2**62, n))"
    search = "a = dev(rng.normal(size=n).astype('f4')); b = dev(np.sort(rng.normal(size=n).astype('f4')))"
    top = f"{_F32}; top = getattr(xp, 'top_k', lambda a, k: (-xp.sort(-xp.partition(a, n - k)[-k:]),))"
    keys = "k = dev(np.stack([rng.normal(size=n), rng.integers(0, 1000, n)]).astype('f4'))"
    some = "a = dev(rng.integers(0, 2 * n, n)); b = dev(rng.integers(0, 2 * n, n // 10))"
    rows = [
        ("sort", _F32, "xp.sort(a)", 0.5, 8),
        ("sort int64", integers, "xp.sort(a)", 0.5, 16),
        ("sort int16", "a = dev(rng.integers(-2**15, 2**15, n).astype('i2'))", "xp.sort(a)", 0.5, 4),
        ("sort, rows of 1000", _MATRIX, "xp.sort(a)", 0.5, 8),
        ("sort, columns", _MATRIX, "xp.sort(a, axis=0)", 0.5, 8),
        ("sort, rows of 10", f"{_F32}; a = a.reshape(-1, 10)", "xp.sort(a)", 1.0, 8),
        ("argsort", _F32, "xp.argsort(a)", 0.2, 12),
        ("argsort int64", integers, "xp.argsort(a)", 0.2, 16),
        ("partition", _F32, "xp.partition(a, n // 2)", 0.8, 8),
        ("unique", _F32, "xp.unique(a)", 0.15, 8),
        ("unique of 1000 values", "a = dev(rng.integers(0, 1000, n))", "xp.unique(a)", 0.5, 8),
        ("searchsorted", search, "xp.searchsorted(b, a)", 0.3, 12),
        ("top_k of 60", top, "top(a, 60)[0]", 0.5, 4),
        ("lexsort of two keys", keys, "xp.lexsort(k)", 0.5, 16),
        ("isin", some, "xp.isin(a, b)", 0.5, 9),
    ]
    million = ("searchsorted", "lexsort of two keys", "isin")
    torch = {
        "sort": "a.sort()[0]",
        "sort int64": "a.sort()[0]",
        "sort int16": "a.sort()[0]",
        "sort, rows of 1000": "a.sort()[0]",
        "sort, columns": "a.sort(0)[0]",
        "argsort": "a.argsort()",
        "sort, rows of 10": "a.sort()[0]",
        "argsort int64": "a.argsort()",
        "unique": "a.unique()",
        "unique of 1000 values": "a.unique()",
        "searchsorted": "torch.searchsorted(b, a)",
        "top_k of 60": "torch.topk(a, 60)[0]",
        "isin": "torch.isin(a, b)",
    }
    small = [
        Case(text, f"{_SMALL}; s = xp.sort(b)", text, 1.3, 10, "sorting 10 elements")
        for text in ("xp.sort(a)", "a.argsort()", "s.searchsorted(a)", "xp.unique(a)", "xp.partition(a, 3)")
    ]
    return [
        *small,
        *(
            Case(
                name,
                setup,
                text,
                goal,
                1_000_000 if name in million else 10_000_000,
                "sorting",
                traffic,
                torch.get(name),
            )
            for name, setup, text, goal, traffic in rows
        ),
    ]


def _kernels():
    """Kernels of the program's own text beside what NumPy does instead."""
    chain = (
        f"{_F32}; out = a + b; chain = elementwise('T x, T y', 'T z', 'z = sqrt(x * x + y * y) * 2 + 1', "
        "lambda x, y: xp.sqrt(x * x + y * y) * 2 + 1)"
    )
    softplus = (
        f"{_F32}; softplus = elementwise('T x', 'T z', 'z = max(x, T(0)) + log1p(exp(-fabs(x)))', "
        "lambda x: xp.maximum(x, 0) + xp.log1p(xp.exp(-abs(x))))"
    )
    squares = (
        "squares = reduction('T x', 'T z', 'x * x', 'a + b', 'z = a', '0', lambda x, axis=None: (x * x).sum(axis=axis))"
    )
    add = (
        f'{_F32}; out = a + b; add = raw(\'extern "C" __global__ void add(const float *a, const float *b, float *c, '
        "long long n) { long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n) c[i] = a[i] + b[i]; }'"
        ", 'add', lambda grid, block, given: xp.add(given[0], given[1], out=given[2])); grid = ((n + 255) // 256,)"
    )
    # 5 x 5 neighbours of each pixel by their places: divisions, loads here and there, exp.
    bilateral = (
        "h = w = int(n**0.5); image = dev(rng.random((h, w), dtype=np.float32)); "
        "smooth = elementwise('raw float32 x, int32 h, int32 w', 'float32 y', 'int row = i / w, col = i % w; "
        "float centre = x[i], sum = 0, all = 0; for (int dy = -2; dy <= 2; dy++) for (int dx = -2; dx <= 2; dx++) { "
        "float v = x[min(max(row + dy, 0), h - 1) * w + min(max(col + dx, 0), w - 1)], d = v - centre; "
        "float q = expf(-0.1f * (dx * dx + dy * dy) - 10 * d * d); sum += q * v; all += q; } y = sum / all;', "
        "lambda x, h, w, size: by_slices(x)); "
        "\ndef by_slices(x):\n"
        "    p = xp.pad(x, 2, mode='edge'); total = xp.zeros_like(x); all = xp.zeros_like(x)\n"
        "    for dy in range(5):\n"
        "        for dx in range(5):\n"
        "            v = p[dy : dy + x.shape[0], dx : dx + x.shape[1]]; d = v - x\n"
        "            q = xp.exp(np.float32(-0.1 * ((dx - 2) ** 2 + (dy - 2) ** 2)) - 10 * d * d)\n"
        "            total += q * v; all += q\n"
        "    return total / all\n"
    )
    rows = [
        ("raw add", add, "add(grid, (256,), (a, b, out, n))", 1.0, 12),
        ("elementwise chain", chain, "chain(a, b)", 0.12, 12),
        ("elementwise softplus", softplus, "softplus(a)", 0.15, 8),
        ("reduction of squares: sum, all", f"{_F32}; {squares}", "squares(a)", 0.4, 4),
        ("reduction of squares: sum, axis 0", f"{_MATRIX}; {squares}", "squares(a, axis=0)", 0.4, 4),
        ("reduction of squares: sum, axis 1", f"{_MATRIX}; {squares}", "squares(a, axis=1)", 0.4, 4),
    ]
    small = [
        Case(
            "elementwise bilateral 5x5",
            bilateral,
            "smooth(image, h, w, size=h * w).reshape(h, w)",
            0.5,
            250_000,
            "kernels of the program's own",
        ),
        Case("elementwise, 10 elements", chain, "chain(a, b)", 1.3, 10, "kernels of the program's own"),
        Case("raw add, 10 elements", add, "add(grid, (256,), (a, b, out, n))", 1.3, 10, "kernels of the program's own"),
        Case(
            "reduction of squares: sum, 10 elements",
            f"{_F32}; {squares}",
            "squares(a)",
            1.3,
            10,
            "kernels of the program's own",
        ),
    ]
    large = [
        Case(name, setup, text, goal, 10_000_000, "kernels of the program's own, 1e7 elements", traffic)
        for name, setup, text, goal, traffic in rows
    ]
    return [*small, *large]


def _random():
    """Random numbers, a million or ten million."""
    rows = [
        ("random", "g.random(n, dtype='f4')", 0.4, 10_000_000, "torch.rand(n, device=a.device)"),
        ("standard_normal", "g.standard_normal(n, dtype='f4')", 0.3, 10_000_000, "torch.randn(n, device=a.device)"),
        ("integers", "g.integers(0, 1000, size=n)", 0.5, 1_000_000, "torch.randint(0, 1000, (n,), device=a.device)"),
        ("gamma", "g.gamma(2.5, size=n)", 0.5, 1_000_000, None),
        ("poisson", "g.poisson(30.0, size=n)", 0.5, 1_000_000, None),
        ("binomial", "g.binomial(100, 0.3, size=n)", 0.5, 1_000_000, None),
        ("RandomState.random_sample", "s.random_sample(n)", 0.5, 10_000_000, None),
        ("RandomState.choice", "s.choice(1000, n)", 0.5, 1_000_000, None),
        ("RandomState.permutation", "s.permutation(n)", 0.5, 10_000_000, "torch.randperm(n, device=a.device)"),
    ]
    setup = (
        "a = dev(rng.random(1)); g = getattr(xp.random, 'default_rng', int)(0); "
        "s = getattr(xp.random, 'RandomState', int)(0)"
    )
    return [
        Case(name, setup, text, goal, n, "random numbers", 4 if n > 1_000_000 else 8, torch)
        for name, text, goal, n, torch in rows
    ]


def _samples():
    """Statistics of rows; goals are those of the issue."""
    wave = "a = dev(rng.normal(size=n).astype('f4')); b = dev(rng.normal(size=101).astype('f4'))"
    points = "a = dev(rng.random(n)); b = dev(np.sort(rng.random(1000))); c = dev(rng.random(1000))"
    counted = "a = dev(rng.integers(0, 1000, n))"
    rows = [
        ("histogram", _F32, "xp.histogram(a, bins=100)", 0.15, 10_000_000, 4),
        ("bincount", counted, "xp.bincount(a)", 1.0, 10_000_000, 8),
        ("median", _F32, "xp.median(a)", 0.3, 10_000_000, 4),
        ("percentile", _F32, "xp.percentile(a, [25, 50, 75])", 0.4, 10_000_000, 4),
        ("interp", points, "xp.interp(a, b, c)", 0.4, 1_000_000, 16),
        ("convolve", wave, "xp.convolve(a, b)", 0.5, 1_000_000, 8),
        ("histogram2d", _F32, "xp.histogram2d(a, b, bins=30)[0]", 0.5, 1_000_000, 8),
    ]
    torch = {"histogram": "torch.histc(a, 100)", "bincount": "a.bincount()", "median": "a.median()"}
    small = [
        Case("bincount of 10", "a = dev(np.arange(10))", "xp.bincount(a)", 1.1, 10, "samples"),
        Case("pad of 10", "a = dev(rng.normal(size=n))", "xp.pad(a, 2)", 1.1, 10, "samples"),
    ]
    return [
        *small,
        *(
            Case(name, setup, text, goal, n, "samples", traffic, torch.get(name))
            for name, setup, text, goal, n, traffic in rows
        ),
    ]


def _slow():
    """What was slow for its size, on few elements and on more; goals are those of the issue."""
    square = "k = int(n**0.5); a = dev(rng.normal(size=(k, k)))"
    counted = f"{_SMALL}; i = dev(rng.integers(0, 4, n))"
    rows = [
        ("unravel_index", "i = dev(rng.integers(0, 1000, n))", "xp.unravel_index(i, (10, 100))"),
        (
            "ravel_multi_index",
            "i = dev(rng.integers(0, 10, n)); j = dev(rng.integers(0, 100, n))",
            "xp.ravel_multi_index((i, j), (10, 100))",
        ),
        ("repeat", _SMALL, "xp.repeat(a, 3)"),
        ("repeat by counts", counted, "xp.repeat(a, i)"),
        ("repeat rows", f"{_SMALL}; a = a.reshape(-1, 10)", "xp.repeat(a, 2, axis=0)"),
        ("choose from scalars", "i = dev(rng.integers(0, 3, n))", "xp.choose(i, (1.0, 2.0, 3.0))"),
        ("choose from arrays", f"{_SMALL}; i = dev(rng.integers(0, 3, n))", "xp.choose(i, (a, b, a))"),
        ("iteration", f"{_SMALL}; from collections import deque", "deque(a, 0)"),
        ("iteration over rows", f"{_SMALL}; from collections import deque; a = a.reshape(-1, 2)", "deque(a, 0)"),
        ("iteration over a.flat", f"{_SMALL}; from collections import deque", "deque(a.flat, 0)"),
        ("pickle", f"{_SMALL}; import pickle", "pickle.loads(pickle.dumps(a, 5))"),
        ("tobytes", _SMALL, "a.tobytes()"),
        ("a[::-1][::2].sum()", _SMALL, "a[::-1][::2].sum()"),
        ("gradient", _SMALL, "xp.gradient(a)"),
        ("insert", _SMALL, "xp.insert(a, 3, 1.0)"),
        ("float32 ** 1.5", "a = dev(rng.random(n).astype('f4'))", "xp.power(a, 1.5)"),
        ("a ** 3", _SMALL, "a**3"),
        ("int64 // 7", "a = dev(rng.integers(0, 1000, n))", "a // 7"),
        ("pad by edges", _SMALL, "xp.pad(a, 2, 'edge')"),
        ("pad of two axes", square, "xp.pad(a, 1)"),
        ("convolve with 5", "a = dev(rng.normal(size=n)); b = dev(rng.normal(size=5))", "xp.convolve(a, b)"),
        ("histogram", _SMALL, "xp.histogram(a, 10)"),
        ("choose", counted, "xp.choose(i % 2, (a, b))"),
        ("lexsort", _SMALL, "xp.lexsort((a, b))"),
        ("packbits", "a = dev(rng.random(n) < 0.5)", "xp.packbits(a)"),
        ("take_along_axis", f"{_SMALL}; a = a.reshape(-1, 10); i = xp.argsort(a)", "xp.take_along_axis(a, i, 1)"),
    ]
    return [
        Case(f"{name} of {n}", setup, text, 1.1, n, "slow for their size")
        for name, setup, text in rows
        for n in (10, 1000)
    ]


def _sparse():
    """Sparse matrices of a million rows; goals are those of the issue."""
    even = (
        "s = sparse_of(xp); make = lambda per: s.csr_matrix((dev(rng.random(per * n, dtype='f4')), "
        "dev(rng.integers(0, n, per * n).astype('i4')), dev(np.arange(0, per * n + 1, per, dtype='i4'))), "
        "shape=(n, n)); a = make({0}); a.sum_duplicates(); x = dev(rng.random(n, dtype='f4'))"
    )
    two = even.format(4) + "; b = make(4); b.sum_duplicates()"
    power = (
        "s = sparse_of(xp); d = np.minimum((rng.pareto(1.3, n) * 5).astype('i8') + 1, n // 10 + 1); "
        "p = np.concatenate([[0], np.cumsum(d)]).astype('i4'); a = s.csr_matrix((dev(rng.random(p[-1], dtype='f4')), "
        "dev(rng.integers(0, n, p[-1]).astype('i4')), dev(p)), shape=(n, n)); x = dev(rng.random(n, dtype='f4'))"
    )
    coo = (
        "s = sparse_of(xp); a = s.coo_matrix((dev(rng.random(4 * n, dtype='f4')), (dev(rng.integers(0, n, 4 * n)"
        ".astype('i4')), dev(rng.integers(0, n, 4 * n).astype('i4')))), shape=(n, n))"
    )
    columns = even.format(16) + "; x = dev(rng.random((n, 64), dtype='f4'))"
    blocks = "s = sparse_of(xp); b = [dev(rng.random((3, 3))) for _ in range(n)]"
    lines = "s = sparse_of(xp); b = [s.csr_matrix(dev(rng.random((1, 4)))) for _ in range(n)]"
    rows = [
        ("SpMV, 16 a row", even.format(16), "a @ x", 0.55, 1_000_000),
        ("SpMV, power law", power, "a @ x", 0.55, 1_000_000),
        ("SpMM, 64 columns", columns, "a @ x", 0.55, 250_000),
        ("SpGEMM, 8 a row", even.format(8), "a @ a", 0.5, 100_000),
        ("csr + csr, 4 a row", two, "a + b", 0.5, 1_000_000),
        ("coo to csr", coo, "a.tocsr()", 0.5, 1_000_000),
        ("csr to csc", even.format(4), "a.tocsc()", 0.5, 1_000_000),
        ("sums of rows", even.format(16), "a.sum(axis=1)", 0.55, 1_000_000),
        ("a range of rows", even.format(16), "a[n // 10 : n // 2]", 0.5, 1_000_000),
        ("block_diag of 3 x 3", blocks, "s.block_diag(b)", 1.0, 8_000),
        ("vstack of 1 x 4 csr", lines, "s.vstack(b)", 1.0, 8_000),
    ]
    return [Case(name, setup, text, goal, n, "sparse matrices") for name, setup, text, goal, n in rows]


def _linalg():
    """Decompositions: one matrix, and stacks of small ones; goals are those of the issue."""
    one = "b = rng.normal(size=(n, n)); a = dev(b @ b.T + n * np.eye(n))"
    stack = "b = rng.normal(size=(n, {0}, {0})); a = dev(b @ b.swapaxes(1, 2) + {0} * np.eye({0}))"
    rows = [
        ("solve", one, "xp.linalg.solve(a, a[:, 0])", 1.0, 1024),
        ("inv", one, "xp.linalg.inv(a)", 1.0, 512),
        ("det", one, "xp.linalg.det(a / n)", 1.0, 512),
        ("cholesky", one, "xp.linalg.cholesky(a)", 1.0, 1024),
        ("qr", one, "xp.linalg.qr(a)", 1.0, 512),
        ("eigh", one, "xp.linalg.eigh(a)", 1.0, 256),
        ("svd", one, "xp.linalg.svd(a)", 1.0, 256),
        ("lu_factor", one, "linalg_of(xp).lu_factor(a)", 1.0, 1024),
        ("expm", f"{one}; a /= n", "linalg_of(xp).expm(a)", 1.0, 256),
        ("solve of 8 x 8", stack.format(8), "xp.linalg.solve(a, a[:, :, :1])", 0.4, 20_000),
        ("inv of 8 x 8", stack.format(8), "xp.linalg.inv(a)", 0.4, 5_000),
        ("det of 4 x 4", stack.format(4), "xp.linalg.det(a)", 0.4, 100_000),
        ("cholesky of 16 x 16", stack.format(16), "xp.linalg.cholesky(a)", 0.4, 5_000),
        ("qr of 16 x 16", stack.format(16), "xp.linalg.qr(a)", 0.4, 1_000),
        ("eigh of 8 x 8", stack.format(8), "xp.linalg.eigh(a)[0]", 0.4, 5_000),
        ("svd of 16 x 16", stack.format(16), "xp.linalg.svd(a)[1]", 0.4, 1_000),
    ]
    torch = {"lu_factor": "torch.linalg.lu_factor(a)", "expm": "torch.linalg.matrix_exp(a)"}
    return [
        Case(name, setup, text, goal, n, "linear algebra", 0, torch.get(name, text))
        for name, setup, text, goal, n in rows
    ]


def _fft():
    """Fourier transforms of one line, of many and of planes; goals are those of the issue."""
    line = "a = dev((rng.normal(size=n) + 1j * rng.normal(size=n)).astype('{}'))"
    lines = "a = dev(rng.normal(size=(n, 1024)).astype('{}'))"
    plane = "a = dev((rng.normal(size=(n, n)) + 1j * rng.normal(size=(n, n))).astype('{}'))"
    rows = [
        ("fft c64", line.format("F"), "xp.fft.fft(a)", 0.15, 1 << 18),
        ("fft c128", line.format("D"), "xp.fft.fft(a)", 0.15, 1 << 18),
        ("irfft of f8", line.format("D"), "xp.fft.irfft(a)", 0.15, (1 << 17) + 1),
        ("rfft of lines f4", lines.format("f"), "xp.fft.rfft(a)", 0.2, 1024),
        ("rfft of odd lines f8", lines.format("d"), "xp.fft.rfft(a, 1023)", 0.2, 1024),
        ("fft2 c64", plane.format("F"), "xp.fft.fft2(a)", 0.2, 1024),
        ("fft2 c128", plane.format("D"), "xp.fft.fft2(a)", 0.2, 1024),
        ("dctn f4", "a = dev(rng.normal(size=(n, n)).astype('f'))", "fft_of(xp).dctn(a)", 1.0, 1024),
    ]
    return [
        Case(name, setup, text, goal, n, "Fourier transforms", 0, None if "dctn" in name else text)
        for name, setup, text, goal, n in rows
    ]


def _sparse_solvers():
    """Solvers on the Laplacian of a square grid of n x n points; goals are those of the issue."""
    grid = (
        "s = sparse_of(xp); g = np.arange(n * n, dtype='i4').reshape(n, n); "
        "pairs = [(g, g), (g[:, 1:], g[:, :-1]), (g[:, :-1], g[:, 1:]), (g[1:], g[:-1]), (g[:-1], g[1:])]; "
        "r, c = (np.concatenate([pair[k].ravel() for pair in pairs]) for k in (0, 1)); "
        "v = np.where(r == c, 4.0, -1.0); "
        "a = s.coo_matrix((dev(v), (dev(r), dev(c))), shape=(n * n, n * n)).tocsr(); x = dev(rng.random(n * n)); "
        "l = sparse_solvers_of(xp)"
    )
    cg = f"{grid}; import inspect; never = {{'rtol' if 'rtol' in inspect.signature(l.cg).parameters else 'tol': 0}}"
    rows = [
        ("cg, 100 iterations", cg, "l.cg(a, x, maxiter=100, **never)[0]", 0.5, 512),
        ("spsolve", grid, "l.spsolve(a, x)", 1.0, 128),
        ("spsolve of a larger grid", grid, "l.spsolve(a, x)", 1.0, 300),
        (
            "splu of a random matrix",
            grid + "; size = 3 * n * n // 2; "
            "q = s.coo_matrix((dev(rng.random(size)), tuple(dev(rng.integers(0, n * n, size)) for _ in 'ij')), "
            "shape=(n * n, n * n)).tocsc() + 3 * s.eye(n * n, format='csc')",
            "l.splu(q.tocsc()).solve(x)",
            1.0,
            100,
        ),
        (
            "dijkstra of 16 nodes",
            grid + "; from_nodes = list(range(16)); g = sparse_of(xp).csgraph",
            "g.dijkstra(abs(a), indices=from_nodes)",
            1.0,
            128,
        ),
        ("eigsh of 6", grid, "l.eigsh(a, 6, return_eigenvectors=False)", 1.0, 64),
    ]
    return [Case(name, setup, text, goal, n, "sparse solvers") for name, setup, text, goal, n in rows]


def ndimage_of(xp):
    """The module of images that goes with an array module."""
    return _scipy_of(xp, "ndimage")


def linalg_of(xp):
    """The module of SciPy's linear algebra that goes with an array module."""
    return _scipy_of(xp, "linalg")


def spatial_of(xp):
    """The module of distances and trees that goes with an array module."""
    _scipy_of(xp, "spatial.distance")
    return _scipy_of(xp, "spatial")


def sparse_solvers_of(xp):
    """The module of sparse solvers that goes with an array module."""
    return _scipy_of(xp, "sparse.linalg")


def fft_of(xp):
    """The module of SciPy's transforms that goes with an array module."""
    return _scipy_of(xp, "fft")


def interpolate_of(xp):
    """The module of SciPy's interpolation that goes with an array module."""
    return _scipy_of(xp, "interpolate")


def signal_of(xp):
    """The module of signals that goes with an array module."""
    return _scipy_of(xp, "signal")


def sparse_of(xp):
    """The module of sparse matrices that goes with an array module."""
    return _scipy_of(xp, "sparse")


def _scipy_of(xp, name):
    import importlib

    roots = {"numpy": "scipy", "cupy": "cupyx.scipy"}
    return importlib.import_module(f"{roots.get(xp.__name__, f'{xp.__name__}.scipy')}.{name}")


def _fused():
    """Whole programs in one pass, beside NumPy as they stand."""
    sizes = {fused.black_scholes: 1_000_000, fused.twenty_steps: 1_000_000, fused.forty_calls: 10}
    for function, (count, is_matrix, traffic, goal) in fused.PROGRAMS.items():
        shape = "(n // 1000, 1000)" if is_matrix else "n"
        setup = f"import fused_cases as fused; arrays = [dev((rng.random({shape}) * 0.2 + 0.01).astype('f4')) for _ in range({count})]"
        setup += f"; f = fused.bound(fused.{function.__name__}, xp)"
        name, size = function.__name__.replace("_", " "), sizes.get(function, 10_000_000)
        yield Case(name, setup, "f(*arrays)", goal, size, "fused programs", traffic, None)


CASES = [
    *_small(),
    *_elements(),
    *_large(),
    *_index(),
    *_matmul(),
    *_sort(),
    *_samples(),
    *_slow(),
    *_random(),
    *_linalg(),
    *_fft(),
    *_sparse(),
    *_sparse_solvers(),
    *scipy_cases.CASES,
    *_kernels(),
    *_fused(),
]


def prepare(case, xp, n=None, dev=None, rng=None):
    """The names in which a case's expression runs, on a module, with data that only depend on n."""
    import numpy

    names = {
        "xp": xp,
        "np": numpy,
        "n": n or case.n,
        "rng": rng or numpy.random.default_rng(0),
        "dev": dev or xp.asarray,
    }
    modules = (sparse_of, sparse_solvers_of, fft_of, linalg_of, signal_of, interpolate_of, ndimage_of, spatial_of)
    for function in modules:
        names[function.__name__] = function
    # A kernel, or where the module has none the plain function, which stands last.
    for name, kind in (("elementwise", "ElementwiseKernel"), ("reduction", "ReductionKernel")):
        make = getattr(xp, kind, None)
        names[name] = lambda *texts, make=make: make(*texts[:-1]) if make else texts[-1]
    names["raw"] = lambda text, name, plain: xp.RawKernel(text, name) if hasattr(xp, "RawKernel") else plain
    exec(case.setup, names)
    return names
