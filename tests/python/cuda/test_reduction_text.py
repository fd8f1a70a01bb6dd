"""ReductionKernel on CUDA without a GPU: programs, grids and arguments are those that the driver's
double was given, and the text of the forms with the program's body runs on the host as a
RawKernel's. The double's memory is the host's, so that results lie where the GPU would write them.
"""

import os
import shutil

import pytest
from programs import ROOT, needs_doubles, on_double, output_of

has_compiler = os.environ.get("TENORITE_CXX") or any(map(shutil.which, ("c++", "g++", "clang++")))
pytestmark = [needs_doubles, pytest.mark.skipif(not has_compiler, reason="no C++ compiler is installed")]


def real_compiler(folder):
    """The double of the driver, which learns of arguments from what the real NVRTC makes."""
    variables = on_double(folder)
    del variables["TENORITE_NVRTC_PATH"]
    return variables


HARNESS = '''
import ctypes, itertools, os, pathlib, re
import numpy as np
import tenorite as tn

ROOT = {root!r}
FAKE = ctypes.CDLL(os.environ["TENORITE_FAKE_CUDA"])
TYPES = """
typedef signed char tn_i8; typedef unsigned char tn_u8; typedef short tn_i16; typedef unsigned short tn_u16;
typedef int tn_i32; typedef unsigned tn_u32; typedef long long tn_i64; typedef unsigned long long tn_u64;
"""


class Launch(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char * 192), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3),
                ("shared", ctypes.c_uint), ("stream", ctypes.c_void_p), ("cooperative", ctypes.c_bool),
                ("watched", ctypes.c_void_p), ("bytes", ctypes.c_size_t), ("params", ctypes.c_char * 4096)]


def text_of(name, seen):
    if name in seen:
        return ""
    seen.add(name)
    if name == "types.h":
        return TYPES
    (path,) = pathlib.Path(ROOT, "src/backend/cuda/kernels").rglob(name)
    return include(path.read_text(), seen)


def include(text, seen):
    return re.sub(r'#include "(.*)"\\n', lambda found: text_of(found[1], seen), text)


@tn.memoize()
def kernel(code):
    name = re.search("#define KERNEL (.*)", code)[1]
    code = code.replace("namespace tni_form {{\\n", "").rstrip().removesuffix("}}")  # kernels of no namespace
    code = include(code, set()).replace("KERNEL(const __grid_constant__ Params p) {{",
                                       name + "(const Params *p_) {{ const Params &p = *p_;")
    return tn.RawKernel(code, name)


forms = set()


def run(user, *args, **options):
    """The call on the double, then what it launched, on the host."""
    before = FAKE.fake_cuda_launches()
    known = set(user.cached_codes.values())
    made = user(*args, **options)
    tn.cuda.Device().synchronize()
    launch = Launch()
    assert FAKE.fake_cuda_get_launch(ctypes.byref(launch), ctypes.c_long(FAKE.fake_cuda_launches() - 1))
    assert launch.name.decode() == user.name + "_kernel", launch.name
    # The code of the launch is the newest, or one that was there: then the one for these numbers.
    new = [code for code in user.cached_codes.values() if code not in known]
    code = new[-1] if new else run.codes[user.name, launch.grid[0], launch.params.__len__()]
    run.codes[user.name, launch.grid[0], 0] = code
    forms.add(re.search(r'#include "(reduce_\\w+)', code)[1] + " SPLIT " + re.search("#define SPLIT (.)", code)[1]
              + " WIDTH " + re.search("#define WIDTH (.)", code)[1])
    raw = ctypes.string_at(ctypes.addressof(launch) + Launch.params.offset, 4096)
    with tn.cuda.Device("host"):
        params = tn.array(np.frombuffer(raw, np.uint8))
        kernel(code)(tuple(launch.grid), tuple(launch.block), (params,))
        tn.cuda.Device().synchronize()
    return made


run.codes = {{}}
'''


SUMS = """
rng = np.random.default_rng(3)
cases = [("f", (1000, 300), None), ("f", (1000, 300), 0), ("d", (7, 1000), 1), ("b", (7, 1000), 0),
         ("F", (3, 5, 70), (0, 2)), ("?", (3, 5, 70), 1), ("f", (0, 4), 0)]
for dtype, shape, axis in cases:
    host = (rng.random(shape) * 8 - 4).astype(dtype)
    a = tn.asarray(host)
    total = tn.ReductionKernel("T x", "U y", "U(x) * U(x)", "a + b", "y = a", "0", "total", reduce_type="U")
    out = tn.zeros_like(a.sum(axis=axis, dtype="D" if dtype == "F" else "d"))
    run(total, a, out, axis=axis)
    wide = host.astype(out.dtype)
    np.testing.assert_allclose(out.get(), (wide * wide).sum(axis=axis), rtol=1e-12)
print(sorted(forms))
"""


def test_sums(tmp_path):
    forms = output_of(HARNESS.format(root=str(ROOT)) + SUMS, real_compiler(tmp_path))
    for form in ("reduce_rows SPLIT 1 WIDTH 4", "reduce_columns SPLIT 1 WIDTH 4", "reduce_rows SPLIT 0"):
        assert form in forms


WHOLE = """
rng = np.random.default_rng(5)
hosts = {{"whole": rng.random((64, 6, 70)), "long": rng.random((4, 3, 4000)), "one": rng.random((1, 1, 1))}}
views = [lambda a: a, lambda a: a.transpose(2, 1, 0), lambda a: a[:, ::-1, ::2], lambda a: a[:, :, 1:], lambda a: a[1:, :1]]
axes = [None, 0, 1, 2, (0, 2), (0, 1), (1, 2)]
cases = list(itertools.product(hosts, range(len(views)), axes, [False, True]))
for number, (name, view, axis, keepdims) in enumerate(cases):
    if number % {each}:
        continue
    host = hosts[name].astype("f")
    if name == "one" and view > 2:  # nothing is left of it
        continue
    x = views[view](host)
    kind = number // {each} % 4
    if kind == 0:  # no identity
        user = tn.ReductionKernel("T x", "T y", "x", "a > b ? a : b", "y = a", None, "largest")
        made, wanted = run(user, views[view](tn.asarray(host)), axis=axis, keepdims=keepdims), x.max(axis=axis, keepdims=keepdims)
    elif kind == 1:  # a type of the program's, whose preamble has macros that the forms' text must not see
        user = tn.ReductionKernel("T x", "int64 y", "Pair(x, _J)", "later(a, b)", "y = a.at", "Pair()", "place", "Pair",
            preamble="#define N 5\\n#define WIDTH x\\nstruct Pair {{ float value; long long at; __device__ Pair() : value(-1e30f), at(N - 6) {{}} "
            "__device__ Pair(float v, long long i) : value(v), at(i) {{}} }};"
            "__device__ Pair later(const Pair &a, const Pair &b) {{ return a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b; }}")
        if isinstance(axis, tuple):
            axis = axis[0]
        made, wanted = run(user, views[view](tn.asarray(host)), axis=axis, keepdims=keepdims), x.argmax(axis=axis, keepdims=keepdims)
    else:  # several inputs and outputs, a broadcast one, a raw one, a scalar, the numbers of elements and results
        other = rng.random(x.shape if kind == 2 else x.shape[-1:])
        user = tn.ReductionKernel("T x, U y, raw T w, float32 s", "V z, int64 c", "V(x) * y + w[_i] * s + V(_j % 7)", "a + b",
                                  "z = a; c = _i", "0", "several", "V")
        made = x.sum(axis=axis, keepdims=keepdims)
        w = rng.random(made.size).astype("f")
        outs = tn.zeros(made.shape), tn.zeros(made.shape, "q")
        made = run(user, views[view](tn.asarray(host)), tn.asarray(other), tn.asarray(w), 2.0, *outs, axis=axis, keepdims=keepdims)
        every = tuple(range(3)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        moved = np.moveaxis(x.astype("d") * other, every, range(len(every)))
        kept = moved.shape[len(every):]
        flat = moved.reshape(-1, w.size)
        flat = flat + w.astype("d") * 2 + np.arange(flat.size).reshape(flat.shape) % 7
        wanted = flat.sum(axis=0).reshape(outs[0].shape)
        np.testing.assert_array_equal(made[1].get().ravel(), np.arange(w.size))
        made = made[0]
    np.testing.assert_allclose(made.get(), wanted, rtol=1e-11, err_msg=repr((name, view, axis, keepdims, kind)))
print(sorted(forms))
"""


def test_whole_kernels(tmp_path):
    each = 1 if os.environ.get("TENORITE_WHOLE") else 29
    output_of(HARNESS.format(root=str(ROOT)) + WHOLE.format(each=each), real_compiler(tmp_path))
