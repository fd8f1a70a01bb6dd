"""jit.rawkernel: what it translates, what it refuses, and where it says so."""

import math
import os
import shutil
import warnings

import numpy
import pytest
import tenorite
from programs import has_cooperative_groups
from tenorite import jit

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))
EIGHT = 8


@pytest.fixture(autouse=True)
def compiler(device):
    if device == "host" and not has_compiler:
        pytest.skip("no C++ compiler is installed")


def check(result, expected):
    assert result.dtype == expected.dtype
    numpy.testing.assert_array_equal(result.get(), expected)


# --- What is translated ---


@jit.rawkernel(device=True)
def sum_and_difference(a, b):
    return a + b, a - b


def times(a, by=2):
    if a > 100:
        return 0
    return a * by


@jit.rawkernel()
def statements(x, y, n):
    """A docstring."""
    first = jit.grid(1)
    for i in range(first, n, jit.gridsize(1)):
        a, b = sum_and_difference(x[i], tenorite.float32(1))
        a, b = b, a
        if i % 4 == 0:
            y[i, 0] = a
        elif i % 4 == 1 and not (i > 5):
            y[i, 0] = times(b)
        elif 1 < i < 3 or i == 7:
            y[i, 0] = times(b, by=3)
        else:
            k = 10
            while True:
                k -= 1
                if k == 7:
                    continue
                if k < 5:
                    break
            y[i, 0] = k if i != 3 else -k
        y[i, -1] = x.size + len(y) + y.shape[1] + x.ndim + y.strides[0]
        total = tenorite.float32(0)
        for j in jit.range(EIGHT, 0, -2, unroll=True):
            total += j
        y[i, 1] = total + j
        y[i, 1] += math.sqrt(4.0)
        assert i >= 0


def test_statements():
    x, y = tenorite.arange(9, dtype="f"), tenorite.full((9, 3), -1, "f")
    assert statements[2, 3](x[::1], y, 9) is None
    expected = numpy.full((9, 3), -1, "f")
    for i in range(9):
        expected[i] = [[i - 1, 2 * (i + 1), 3 * (i + 1), -4][i % 4], 20 + 2 + 2, 9 + 9 + 3 + 1 + 12]
    expected[5, 0], expected[6, 0], expected[7, 0], expected[8, 0] = 12, 4, 24, 7
    check(y, expected)
    strided = tenorite.full((3, 9), -1, "f").T
    statements((1,), (16,), (tenorite.arange(18, dtype="f")[::2] / 2, strided, 9))
    expected[:, 2] += 4 - 12
    check(strided, expected)
    assert len(statements.cached_codes) == 2 and "__global__" in str(statements.cached_codes)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert "statements" in statements.cached_code
    assert "cached_codes" in str(said[0].message)


@jit.rawkernel()
def threads(x, out, lanes):
    shared = jit.shared_memory(tenorite.int32, 64, alignment=16)
    square = jit.shared_memory(tenorite.float64, (2, 3))
    own = jit.local_memory(tenorite.int32, 2)
    i, block = jit.threadIdx.x, jit.blockIdx.x
    shared[i] = x[block * jit.blockDim.x + i]
    if i < 6:
        square[i // 3, i % 3] = i
    jit.syncthreads()
    own[0] = shared[63 - i]
    own[1] = jit.shfl_xor_sync(0xFFFFFFFF, shared[i], 1)
    out[block, i, 0] = own[0]
    out[block, i, 1] = own[1]
    out[block, i, 2] = int(square[1, 2]) + jit.warpsize + jit.gridDim.x
    jit.syncwarp()
    lanes[block, i, 0] = jit.laneid()
    lanes[block, i, 1] = jit.shfl_up_sync(0xFFFFFFFF, jit.laneid(), 1)
    lanes[block, i, 2] = jit.shfl_down_sync(0xFFFFFFFF, jit.laneid(), 2, width=16)
    lanes[block, i, 3] = jit.shfl_sync(0xFFFFFFFF, jit.laneid(), 5)


def test_threads():
    values = numpy.random.default_rng(0).integers(0, 100, 128).astype("i4")
    out, lanes = tenorite.zeros((2, 64, 3), "i4"), tenorite.zeros((2, 64, 4), "u4")
    threads[2, 64](tenorite.asarray(values), out, lanes)
    pairs = values.reshape(2, 64)
    numpy.testing.assert_array_equal(out[:, :, 0].get(), pairs[:, ::-1])
    numpy.testing.assert_array_equal(out[:, :, 1].get(), pairs.reshape(2, 32, 2)[:, :, ::-1].reshape(2, 64))
    assert (out[:, :, 2] == 5 + 32 + 2).all()
    lane = numpy.arange(64, dtype="u4") % 32
    expected = [lane, lane - (lane > 0), numpy.where(lane % 16 < 14, lane + 2, lane), numpy.full(64, 5, "u4")]
    check(lanes, numpy.stack([numpy.stack(expected, -1).astype("u4")] * 2))


@jit.rawkernel()
def parts_of_warps(out, width, bits):
    i = jit.threadIdx.x
    out[i] = jit.shfl_sync(0xFFFFFFFF, i, 0, width=width)
    if i < bits:
        jit.syncwarp(mask=(1 << bits) - 1)


@jit.rawkernel(device=True)
def count_up(x):
    x[0] += 1
    return 1


@jit.rawkernel()
def place_of_a_call(x):
    x[count_up(x)] += 1


def test_widths_and_masks_that_a_kernel_computes():
    lanes = numpy.arange(32, dtype="i4")
    for width in (2, 4, 8, 16, 32):
        out = tenorite.zeros(32, "i4")
        parts_of_warps[1, 32](out, width, width)
        check(out, lanes // width * width)


def test_an_index_is_computed_once():
    x = tenorite.zeros(2, "i4")
    place_of_a_call[1, 1](x)
    check(x, numpy.array([1, 1], "i4"))


@jit.rawkernel()
def dynamic(x):
    shared = jit.shared_memory(tenorite.float64, None)
    i = jit.threadIdx.x
    shared[i] = x[i]
    jit.syncthreads()
    x[i] = shared[jit.blockDim.x - 1 - i]


def test_dynamic_shared_memory():
    x = tenorite.arange(10.0)
    dynamic((1,), (10,), (x,), shared_mem=80)
    check(x, numpy.arange(10.0)[::-1])


@jit.rawkernel()
def atomics(i4, u4, i8, f4, f8):
    t = jit.grid(1)
    jit.atomic_add(i4, 0, 1)
    jit.atomic_sub(i4, 1, 2)
    jit.atomic_max(i4, 2, t)
    jit.atomic_min(i4, 3, t)
    jit.atomic_or(u4, 0, 1 << (t % 32))
    jit.atomic_and(u4, 1, ~(1 << (t % 32)))
    jit.atomic_xor(u4, 2, t)
    jit.atomic_inc(u4, 3, 9)
    jit.atomic_dec(u4, 4, 9)
    jit.atomic_add(i8, 0, t)
    jit.atomic_sub(i8, 1, t)
    jit.atomic_or(i8, 2, t)
    if jit.atomic_cas(i8, 3, 0, 7) == 0:
        jit.atomic_exch(i8, 4, 5)
    jit.atomic_add(f4, (0, 0), 0.5)
    jit.atomic_max(f4, (0, 1), t)
    jit.atomic_add(f8, 0, 0.5)
    jit.atomic_exch(f8, 1, 3)


def test_atomics():
    i4, u4, i8 = tenorite.zeros(4, "i4"), tenorite.zeros(5, "u4"), tenorite.zeros(5, "i8")
    f4, f8 = tenorite.zeros((1, 2), "f4"), tenorite.zeros(2)
    i4[3] = 99
    u4[1] = 0xFFFFFFFF
    atomics[4, 25](i4, u4, i8, f4, f8)
    check(i4, numpy.array([100, -200, 99, 0], "i4"))
    odd = int(numpy.bitwise_xor.reduce(numpy.arange(100)))
    check(u4, numpy.array([0xFFFFFFFF, 0, odd, 0, 0], "u4"))
    check(i8, numpy.array([4950, -4950, 127, 7, 5]))
    check(f4, numpy.array([[50, 99]], "f4"))
    check(f8, numpy.array([50.0, 3]))


@jit.rawkernel()
def groups(x, out):
    block = jit.cg.this_thread_block()
    i = block.thread_rank() + block.thread_index().y
    shared = jit.shared_memory(tenorite.int32, 32)
    jit.cg.memcpy_async(block, shared, 0, x, block.group_index().x * 32, 32 * 4)
    jit.cg.wait(block)
    warp = jit.cub.WarpReduce[tenorite.int32]
    whole = jit.cub.BlockReduce[tenorite.int32, 32]
    warp_memory, whole_memory = jit.shared_memory(warp.TempStorage, 1), jit.shared_memory(whole.TempStorage, 1)
    jit.cg.wait_prior(block, 0)
    smallest = warp(warp_memory[0]).Reduce(shared[i], jit.cub.Min())
    jit.cg.sync(block)
    largest = warp(warp_memory[0]).Reduce(shared[i], jit.cub.Max())
    total = whole(whole_memory[0]).Sum(shared[i])
    if i == 0:
        out[block.group_index().x, 0] = largest
        out[block.group_index().x, 1] = total
        out[block.group_index().x, 2] = smallest
    jit.cg.sync(block)


@jit.rawkernel()
def whole_grid(out):
    grid = jit.cg.this_grid()
    if grid.thread_rank() % 32 == 0:
        out[grid.block_rank(), 0] += 1
    jit.cg.sync(grid)
    if grid.thread_rank() == 0:
        out[0, 1] += out[1, 1]
        out[0, 0] += grid.num_threads() - 1
        out[1, 0] -= grid.dim_blocks().x - 1


def test_groups():
    if not has_cooperative_groups():
        pytest.skip("CUDA's cooperative_groups.h needs CCCL's headers")
    values = numpy.random.default_rng(0).integers(0, 100, 64).astype("i4")
    out = tenorite.zeros((2, 3), "i4")
    groups[2, 32](tenorite.asarray(values), out)
    whole_grid[2, 32](out)
    first, second = values[:32], values[32:]
    largest, smallest = (first.max() + 64, second.max()), (first.min(), second.min())
    check(out, numpy.array([largest, (values.sum(), second.sum()), smallest], "i4").T)


# --- Numbers ---

UNARY = (
    "sin cos exp log sqrt cbrt exp2 expm1 log1p log2 arctan arcsinh tanh floor ceil trunc rint sign square "
    "absolute reciprocal deg2rad isnan isfinite signbit negative positive"
).split()
BINARY = (
    "add subtract multiply divide floor_divide remainder fmod power maximum minimum fmax fmin arctan2 hypot "
    "copysign logaddexp less equal logical_and logical_xor heaviside"
).split()
INTEGERS = (
    "add subtract multiply divide floor_divide remainder fmod maximum bitwise_and bitwise_xor left_shift "
    "right_shift gcd lcm power"
).split()


def make(names, x, y, tmp_path, dtype):
    """A kernel with all the operations of two arrays, in the mode 'numpy'."""
    module = tmp_path / "operations.py"
    lines = [
        f"    out{k}[i] = tenorite.{name}({'x[i]' if name in UNARY else 'x[i], y[i]'})" for k, name in enumerate(names)
    ]
    outputs = ", ".join(f"out{k}" for k in range(len(names)))
    module.write_text(
        "import tenorite\nfrom tenorite import jit\n@jit.rawkernel(mode='numpy')\n"
        f"def all(x, y, {outputs}):\n    i = jit.grid(1)\n" + "\n".join(lines)
    )
    space = {}
    exec(compile(module.read_text(), str(module), "exec"), space)
    return space["all"]


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4", "u1", "i8"])
def test_operations(dtype, tmp_path):
    """The dtypes and the values of NumPy's functions."""
    rng = numpy.random.default_rng(0)
    if dtype[0] == "f":
        names = UNARY + BINARY
        x, y = (rng.uniform(-3, 3, 40).astype(dtype) for _ in "xy")
        x[:6], y[:6] = [0, -0.0, numpy.inf, numpy.nan, -1, 3], [0, 2, 3, 1, numpy.nan, -2]
    else:
        names = INTEGERS
        x, y = (rng.integers(0 if dtype[0] == "u" else -9, 9, 40).astype(dtype) for _ in "xy")
        y[:3] = 0
    with numpy.errstate(all="ignore"):
        if "power" in names:
            y = abs(y) if dtype[0] == "i" else y
        expected = [getattr(numpy, name)(x, y) if name not in UNARY else getattr(numpy, name)(x) for name in names]
    outs = [tenorite.zeros(40, one.dtype) for one in expected]
    make(names, x, y, tmp_path, dtype)[1, 40](tenorite.asarray(x), tenorite.asarray(y), *outs)
    for name, out, one in zip(names, outs, expected):
        if one.dtype.kind == "f":
            tolerance = {2: 2e-3, 4: 3e-6, 8: 1e-13}[one.dtype.itemsize]
            numpy.testing.assert_allclose(out.get(), one, tolerance, tolerance, err_msg=name)
        else:
            numpy.testing.assert_array_equal(out.get(), one, err_msg=name)


@jit.rawkernel()
def complex_numbers(z, w, parts):
    i = jit.grid(1)
    w[i] = tenorite.exp(z[i]) * 2j + z[i].conj() - z[i] / 2
    parts[i] = z[i].real + tenorite.abs(z[i]) * z[i].imag


@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex(dtype):
    z = (numpy.arange(5) - 2 + 1j * numpy.arange(5)).astype(dtype)
    w, parts = tenorite.zeros(5, dtype), tenorite.zeros(5, dtype.lower())
    complex_numbers[1, 5](tenorite.asarray(z), w, parts)
    numpy.testing.assert_allclose(w.get(), numpy.exp(z) * 2j + z.conj() - z / 2, 1e-5)
    numpy.testing.assert_allclose(parts.get(), z.real + abs(z) * z.imag, 1e-5)


@jit.rawkernel(mode="numpy")
def weak_numpy(x, a, b, c):
    a[0] = x[0] * 0.1
    b[0] = (x[0] + 1).dtype == tenorite.float32
    c[0] = 7 // 2 + a.ndim
    n = 1 / tenorite.float32(3)
    c[1] = tenorite.where(x[0] > n, 1, 2)


@jit.rawkernel()
def weak_cuda(x, a, b, c):
    a[0] = x[0] * 0.1
    b[0] = (x[0] + 1).dtype == tenorite.float32
    b[0] = b[0] and (jit.threadIdx.x + 1.0).dtype == tenorite.float32
    c[0] = 7 / 2
    c[1] = tenorite.add(c[0], 2, dtype=tenorite.int8)


@pytest.mark.parametrize("kernel", [weak_numpy, weak_cuda])
def test_literals(kernel):
    x, a = tenorite.ones(1, "f"), tenorite.zeros(1, "f")
    b, c = tenorite.zeros(1, "?"), tenorite.zeros(2, "i8")
    if kernel is weak_cuda:
        with pytest.raises(TypeError, match=r"the number 3.5 does not fit int64; write int64\(3.5\)\n  File .*line "):
            kernel[1, 1](x, a, b, c)
        return
    kernel[1, 1](x, a, b, c)
    check(a, numpy.array([0.1], "f"))
    assert b[0] and c.tolist() == [4, 1]


@jit.rawkernel()
def scalars(out, a, b, c, d, e):
    out[0] = a + b * 2 + c + d
    out[1] = e


def test_scalars():
    out = tenorite.zeros(2, "f8")
    scalars[1, 1](out, 1, 2.5, True, numpy.float16(0.5), numpy.int64(1 << 40))
    assert out.tolist() == [7.5, float(1 << 40)]
    with pytest.raises(TypeError, match="no list"):
        scalars[1, 1](out, [1], 2, 3, 4, 5)
    with pytest.raises(TypeError, match="takes 6 positional arguments but 2 were given|missing a required argument"):
        scalars[1, 1](out, 1)


# --- What is refused ---


def refused_try(x):
    try:
        x[0] = 1
    except ValueError:
        pass


def refused_list(x):
    x[0] = [1, 2]


def refused_comprehension(x):
    x[0] = sum(i for i in range(3))


def refused_slice(x):
    x[0:2] = 1


def refused_else(x):
    while x[0] > 0:
        x[0] = 0
    else:
        x[0] = 1


def refused_type(x):
    a = 1
    a = x[0]
    x[0] = a


def refused_index(x):
    x[0, 0] = 1


def refused_real_index(x):
    x[x[0]] = 1


def refused_name(x):
    x[0] = nothing  # noqa: F821


def refused_call(x):
    x[0] = sorted(x)


def refused_return(x):
    return x[0]


def refused_for(x):
    for i in x:
        x[0] = i


def refused_function(x):
    def inner():
        pass


def refused_step(x):
    for i in range(0, 3, 0):
        x[0] = i


def refused_assert(x):
    assert x.ndim == 2


def refused_star(*x):
    pass


def refused_array(x):
    x[0] = x + 1


def refused_thrust(x):
    jit.thrust.sort(jit.thrust.device, x.begin(), x.end(), x.begin(), x.end())


def refused_atomic(x):
    jit.atomic_and(x, 0, 1)


def refused_recursion(x):
    x[0] = refused_itself(x[0])


def refused_itself(n):
    return refused_itself(n - 1)


@pytest.mark.parametrize(
    "function, error, match, line",
    [
        (refused_try, NotImplementedError, "can't have try; test for the condition with if", 1),
        (refused_list, NotImplementedError, "a list; use a tuple, or jit.local_memory", 1),
        (refused_comprehension, NotImplementedError, "a generator; write a loop", 1),
        (refused_slice, NotImplementedError, "a slice; write a loop over", 1),
        (refused_else, NotImplementedError, "while-else", 1),
        (refused_type, TypeError, r"Data type mismatch of variable: `a`: int32 != float32; write int32\(", 2),
        (refused_index, IndexError, "must be ndim: 1, got 2", 1),
        (refused_real_index, TypeError, "an index must be an integer, not float32; write int", 1),
        (refused_name, NameError, "nothing", 1),
        (refused_call, TypeError, "Invalid function call 'sorted'", 1),
        (refused_return, TypeError, "kernel must return None", 0),
        (refused_for, NotImplementedError, "range iterator", 1),
        (refused_function, NotImplementedError, r"device=True", 1),
        (refused_step, ValueError, "must not be zero", 1),
        (refused_assert, AssertionError, "x.ndim == 2", 1),
        (refused_star, NotImplementedError, "args", 0),
        (refused_array, TypeError, "is no number; index it", 1),
        (refused_thrust, TypeError, "thrust.sort takes", 1),
        (refused_atomic, TypeError, "does not support float32", 1),
        (refused_recursion, ValueError, "calls itself", None),
    ],
)
def test_refusals(function, error, match, line):
    """With the file and the line."""
    with pytest.raises(error, match=match) as caught:
        jit.rawkernel()(function)[1, 1](tenorite.zeros(3, "f"))
    assert f'File "{function.__code__.co_filename}"' in str(caught.value)
    if line is not None:
        assert f"line {function.__code__.co_firstlineno + line}, in {function.__name__}" in str(caught.value)


def test_calls_from_python():
    for call in (
        lambda: jit.grid(1),
        jit.syncthreads,
        lambda: sum_and_difference[1, 1](1, 2),
        lambda: jit.threadIdx.x,
        lambda: jit.cub.Sum()(1, 2),
        lambda: jit.cg.this_grid(),
    ):
        with pytest.raises(RuntimeError, match="in a kernel alone|kernels call it"):
            call()
    with pytest.raises(ValueError, match="mode must be one of"):
        jit.rawkernel(mode="bogus")
    with pytest.raises(RuntimeError, match="write the function in a file"):
        space = {"jit": jit}
        exec("@jit.rawkernel()\ndef f(x): x[0] = 1", space)
        space["f"][1, 1](tenorite.zeros(1))
