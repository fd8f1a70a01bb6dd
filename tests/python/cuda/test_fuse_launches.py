"""What a fused program launches on CUDA: counted by the driver's double."""

import json
import os
import re

import pytest
from programs import ROOT, needs_doubles, on_double, output_of

pytestmark = [needs_doubles, pytest.mark.skipif("TENORITE_DEBUG_CUTS" in os.environ, reason="graphs are cut at random")]

PROGRAM = """
import ctypes, json, os
import fused_cases
import tenorite as tn

FAKE = ctypes.CDLL(os.environ["TENORITE_FAKE_CUDA"])


def long_chain(z, c):
    for k in range(110):
        z = z * c + k % 5
    return z


def many_arrays(*arrays):
    total = arrays[0]
    for one in arrays[1:]:
        total = total + one
    return total


def sum_of_scalars(a, b):
    return ((a - b) * 2 + 1).sum()


def layer_norm_of_two(x, gain, bias):
    away = x - tn.mean(x, axis=-1, keepdims=True)
    return away / tn.sqrt(tn.var(x, axis=-1, keepdims=True) + 1e-5) * gain + bias


def moments(x, scale):
    mean = tn.mean(x * scale, axis=1)
    return mean, tn.sum(x, axis=1) + mean * 2, x * scale


def plain_softmax(x):
    e = tn.exp(x - x.max(axis=1)[:, None])
    return e / e.sum(axis=1)[:, None]


def plain_layer_norm(x, gain, bias):
    scale = 1 / tn.sqrt(x.var(axis=1) + 1e-5)
    return (x - x.mean(axis=1)[:, None]) * scale[:, None] * gain + bias


def stencil(x):
    return x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2] - 4 * x[1:-1, 1:-1]


def transposed(x):
    return (x.T * 2 + x[0, :1]) * x[:, 0]


def diffuse(x, y):
    x[1:-1] = (x[2:] + x[:-2]) * 0.5 + y[1:-1]


def softmax_into(x, out):
    out[...] = tn.exp(x - x.max(axis=1)[:, None])
    out /= out.sum(axis=1)[:, None]


def center(x):
    x -= x.mean(axis=1)[:, None]


def fold_of_column(x, column):
    return ((x - column) * 2).sum()


def fold_of_row(x, row):
    return (x * row + row).mean(axis=0)


def fold_of_transposed(x, y):
    return (x * y.T + x).max(axis=1)


def fold_of_differences(x):
    return ((x[1:] - x[:-1]) * (x[1:] - x[:-1])).sum()


def fold_of_axes(x, y):
    return (x[:, ::2] * y[None, :, None, ::-1] + x[:1, 1::2]).sum(axis=(0, 2))


def fold_of_five_axes(x, y):
    return (x * y.T).sum()


def long_fold(a, b, c):
    # A hundred steps enter a sum, conditions and conversions among them.
    for k in range(25):
        a = tn.where(a > b, a * 0.5 + c, a - k)
    return a.astype("d").sum()


def wide_fold(*arrays):
    return sum(arrays[1:], arrays[0]).sum(axis=0)


def many_scalars(x, y):
    for k in range(30):
        x = x * (1 + k / 1000) + y
    return x, x * y


def dead(x):
    tn.sum(x * 3)
    return x + 1


def in_place(x, y):
    x -= y * tn.sum(x)


def scaled(x, y):
    away = x * 2 + y
    away -= away.mean(axis=1)[:, None]
    return away / tn.sqrt(away.var(axis=1) + 1e-5)[:, None]


def stencil_of_made(x, y):
    made = tn.exp(x) * y
    return made[2:] + made[:-2] - 2 * made[1:-1]


def turned_twice(x, y):
    return ((x * 2 + y).T[::-1] + 1)[:, ::2] * 3


def away(x):
    return x - x.max(axis=1)[:, None]


def softmax_of_halves(x):
    wide = x.astype("f")
    powers = tn.exp(wide - wide.max(axis=1)[:, None])
    return (powers / powers.sum(axis=1)[:, None]).astype("e")


def gradient_of_halves(y, dy):
    y, dy = y.astype("f"), dy.astype("f")
    return (y * (dy - (y * dy).sum(axis=1)[:, None])).astype("e")


def mixed(x, y):
    wide = (x - x.max(axis=1)[:, None]).astype("d") * y
    return wide / wide.sum(axis=1)[:, None], (x > 0).sum(axis=1)


def away_along_axes(x, y):
    both = x * 2 + y.T
    return both - both.mean(axis=-1, keepdims=True)


def shown(name, *arrays):
    # Arrays that show parts of larger ones.
    return {"slice": lambda x: x[:, :512], "steps": lambda x: x[:, ::2], "rows": lambda x: x[::2, :],
            "later": lambda x: x[:, 3:515], "backwards": lambda x: x[:, ::-1],
            "offset": lambda x: x.reshape(-1)[1:1 - x.shape[1]].reshape(-1, x.shape[1]), "axes": lambda x: x.transpose(0, 2, 1),
            "transposed": lambda x: x.T, "": lambda x: x}[name](*arrays)


def told(function, *shapes, dtype="f", ways=()):
    # What the driver launches in a call, and what explain says.
    arrays = [tn.ones(shape, dtype) for shape in shapes]
    arrays = [shown(way, array) for way, array in zip(ways, arrays)] if ways else arrays
    fused = function if hasattr(function, "explain") else tn.fuse(function)
    tn.cuda.Device().synchronize()
    first = FAKE.fake_cuda_launches(), tn.cuda.get_statistics()["kernels"]
    fused(*arrays)
    tn.cuda.Device().synchronize()
    first = FAKE.fake_cuda_launches() - first[0], tn.cuda.get_statistics()["kernels"] - first[1]
    before = FAKE.fake_cuda_launches(), tn.cuda.get_statistics()["kernels"]
    fused(*arrays)
    tn.cuda.Device().synchronize()
    launches = FAKE.fake_cuda_launches() - before[0]
    launch = ctypes.create_string_buffer(8192)  # it begins with the kernel's name
    assert FAKE.fake_cuda_get_launch(launch, ctypes.c_long(before[0] + launches - 1))
    explained = fused.explain(*arrays)
    return {"launches": launches, "first": first, "kernel": launch.value.decode(), "explained": explained.cost, "unfused": explained.unfused,
            "forms": [group.form for group in explained.groups], "whys": [group.why for group in explained.groups],
            "registers": [group.registers for group in explained.groups],
            "programs": len({group[:3] for group in explained.groups}),
            "more": tn.cuda.get_statistics()["kernels"] - before[1]}


found = {}
for function, (count, is_matrix, *_) in fused_cases.PROGRAMS.items():
    found[function.name] = told(function, *[(2000, 1000) if is_matrix else 10_000] * count)
calls = {long_chain: [10_000] * 2, many_arrays: [10_000] * 31, sum_of_scalars: [10_000] * 2,
         layer_norm_of_two: [(2000, 4096), 4096, 4096], moments: [(2000, 500), (2000, 1)], long_fold: [10_000] * 3,
         plain_softmax: [(2000, 1000)], plain_layer_norm: [(2000, 1000), 1000, 1000],
         fold_of_column: [(200, 300), (200, 1)], fold_of_row: [(200, 300), 300],
         fold_of_transposed: [(200, 300), (300, 200)], fold_of_differences: [(200, 300)],
         fold_of_axes: [(20, 30, 8, 50), (15, 50)],
         fold_of_five_axes: [(9, 8, 7, 6, 5), (5, 6, 7, 8, 9)],
         softmax_into: [(2000, 1000)] * 2, center: [(2000, 1000)],
         stencil_of_made: [(500, 300)] * 2, turned_twice: [(500, 300), 300],
         stencil: [(500, 300)], transposed: [(500, 300)], diffuse: [(500, 300)] * 2,
         wide_fold: [(100, 3000)] * 31, many_scalars: [10_000] * 2, dead: [10_000], in_place: [10_000] * 2}
for function, shapes in calls.items():
    found[function.__name__] = told(function, *shapes)
for length in (70, 129, 1024, 5000):
    for dtype in "efdF":
        for function in (layer_norm_of_two, fused_cases.softmax, moments):
            is_norm, is_moments = function is layer_norm_of_two, function is moments
            shapes = [(1100, length), *([length] * 2 if is_norm else [()] * is_moments)]
            if dtype != "F" or is_moments:
                found[f"{function.__name__} {length} {dtype}"] = told(function, *shapes, dtype=dtype)
for length in (2, 3, 5, 7, 12, 31, 33, 63, 64):
    for dtype in "fde" if length == 12 else "f":
        found[f"short softmax {length} {dtype}"] = told(fused_cases.softmax, (2000, length), dtype=dtype)
        found[f"short scaled {length} {dtype}"] = told(scaled, (2000, length), (2000, 1), dtype=dtype)
softmax = fused_cases.softmax
found["apart slice"] = told(softmax, (2000, 1024), ways=["slice"])
found["apart rows"] = told(softmax, (2000, 1000), ways=["rows"])
found["apart steps"] = told(scaled, (2000, 2000), (1000, 2000), ways=["steps", "transposed"])
found["apart short"] = told(scaled, (2000, 26), (2000, 13), ways=["steps", ""])
found["apart axes"] = told(softmax, (20, 300, 256), ways=["axes"])
found["apart store"] = told(center, (2000, 1024), ways=["slice"])
# Limits of rows in registers, and one beyond: SHORT_MAX, ELEMENTS_MAX, BYTES_MAX, AXES_MAX.
found["apart limit short"] = told(away, (2000, 63), dtype="b")
found["again short"] = told(away, (2000, 65), dtype="b")
found["apart limit elements"] = told(away, (1100, 8192))
found["again elements"] = told(away, (1100, 8193))
found["apart limit bytes"] = told(away, (1100, 8192), dtype="d")
found["again bytes"] = told(away, (1100, 8193), dtype="d")
found["apart limit axes"] = told(away_along_axes, *[(2,) * 8] * 2)
found["beyond axes"] = told(away_along_axes, *[(2,) * 9] * 2)
# Folds in other ways than a new array's; rows longer than registers; ROW_BYTES_MAX.
found["again later"] = told(softmax, (2000, 1024), ways=["later"])
found["again offset"] = told(softmax, (2000, 1000), ways=["offset"])
found["again offset short"] = told(softmax, (2000, 12), ways=["offset"])
found["again offset halves"] = told(layer_norm_of_two, (2000, 1001), 1001, 1001, dtype="e", ways=["offset", "", ""])
found["again steps"] = told(softmax, (2000, 1024), ways=["steps"])
found["again mixed"] = told(mixed, (2000, 1000), (2000, 1000))
found["again long"] = told(softmax, (200, 40_000))
found["again limit few"] = told(softmax, (30, 16_384))
found["passes few"] = told(softmax, (30, 16_385))
found["passes transposed"] = told(softmax, (300, 500), ways=["transposed"])
found["passes backwards"] = told(softmax, (300, 500), ways=["backwards"])
found["passes halves"] = told(softmax_of_halves, (30, 40_000), dtype="e")
found["gradient of halves"] = told(gradient_of_halves, (30, 40_000), (30, 40_000), dtype="e")


def count_programs(*calls):
    # How many kernels each call needs that were not there.
    counts = []
    for call in calls:
        before = tn.cuda.get_statistics()["kernels"]
        call()
        tn.cuda.Device().synchronize()
        counts.append(tn.cuda.get_statistics()["kernels"] - before)
    return counts


x, by = tn.ones(1000, "f"), tn.fuse(lambda x, factor: x * factor + 0.375)
programs = {"constants": [lambda k=k: tn.fuse(lambda x: x * k + 0.625)(x) for k in (2, 2, 3)],
            "powers": [lambda k=k: tn.fuse(lambda x: x ** k + x)(x) for k in (2.25, 2.25, 3.25)],
            "arguments": [lambda k=k: by(x, k) for k in (2, 2, 3)]}
programs = {name: count_programs(*calls) for name, calls in programs.items()}
print(json.dumps([found, programs]))
"""

# Of each row of the fused programs: bytes read and written.
BYTES = {
    "chain": (40_000, 40_000),
    "squared_differences": (80_000, 4),
    "softmax": (8_000_000, 8_000_000),
    "layer_norm": (8_000_000, 8_000_000),
    "adam": (160_000, 120_000),
    "black_scholes": (120_000, 80_000),
    "twenty_steps": (80_000, 40_000),
    "forty_calls": (40_000, 40_000),
}
OTHERS = ["long_chain", "many_arrays", "sum_of_scalars", "moments", "layer_norm_of_two"]
OTHERS += ["plain_softmax", "plain_layer_norm", "stencil", "transposed"]
FOLDS = ["fold_of_column", "fold_of_row", "fold_of_transposed", "fold_of_differences", "fold_of_axes"]
OTHERS += ["stencil_of_made", "turned_twice", *FOLDS, "long_fold", "wide_fold", "many_scalars", "dead"]
ROWS = ["softmax", "layer_norm_of_two", "moments"]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """The double of the driver launches what the real NVRTC has compiled."""
    variables = on_double(tmp_path_factory.mktemp("cache"), PYTHONPATH=str(ROOT / "bench"))
    del variables["TENORITE_NVRTC_PATH"]
    return json.loads(output_of(PROGRAM, variables))


@pytest.fixture(scope="module")
def found(printed):
    return printed[0]


def test_constants(printed):
    """A function's own numbers are its program's, but for powers, and arguments are not."""
    assert printed[1] == {"constants": [1, 0, 1], "powers": [1, 0, 0], "arguments": [1, 0, 0]}


@pytest.mark.parametrize("name", [*BYTES, *OTHERS])
def test_one_launch(found, name):
    """A second call compiles nothing, and explain counts what the driver does."""
    one = found[name]
    assert one["launches"] == one["explained"][0] == one["programs"] == 1 and one["more"] == 0
    assert one["whys"] == ["The graph begins here."]
    assert one["unfused"][0] > 1 and sum(one["unfused"][1:]) > sum(one["explained"][1:])


def test_views_are_no_passes(found):
    """What is read through views is read once, and rows are one launch in plain style, too."""
    matrix, row = 4 * 2000 * 1000, 4 * 1000
    assert found["plain_softmax"]["explained"][1:] == [matrix, matrix]
    assert found["plain_layer_norm"]["explained"][1:] == [matrix + 2 * row, matrix]
    assert found["plain_softmax"]["forms"] == found["plain_layer_norm"]["forms"] == ["rows"]
    assert found["softmax_into"]["explained"] == found["center"]["explained"] == [1, matrix, matrix]
    assert found["diffuse"]["launches"] == 2 < found["diffuse"]["unfused"][0]


def test_axes_of_folds(found):
    """A fold takes arrays that lie along four axes (fold_of_axes), and none along five."""
    assert found["fold_of_axes"]["forms"] == ["fold"]
    assert found["fold_of_five_axes"]["forms"] == ["elementwise", "fold"]
    assert "a fold takes no arrays of these dtypes and strides" in found["fold_of_five_axes"]["whys"][1]


def test_halves_are_converted_where_they_are_read(found):
    """No array of float32 is made of halves that several passes convert."""
    halves, rows = 2 * 30 * 40_000, 4 * 30
    assert found["passes halves"]["explained"] == [3, 3 * halves + 3 * rows, halves + 2 * rows]
    assert found["gradient of halves"]["explained"] == [2, 4 * halves + rows, halves + rows]


def test_a_store_is_no_launch_of_its_own(found):
    assert found["in_place"]["launches"] == found["in_place"]["explained"][0] == 2


@pytest.mark.parametrize("name", BYTES)
def test_one_program(found, name):
    """The first call, too, is one launch, of one kernel that is compiled for it."""
    assert found[name]["first"] == [1, 1]


@pytest.mark.parametrize("name", BYTES)
def test_bytes(found, name):
    assert tuple(found[name]["explained"][1:]) == BYTES[name]


def test_forms(found):
    forms = {name: one["forms"] for name, one in found.items() if name in BYTES}
    folds = {"squared_differences": ["fold"], "softmax": ["rows"], "layer_norm": ["rows"]}
    assert forms == dict.fromkeys(BYTES, ["elementwise"]) | folds


def test_registers(found):
    """Those of the loaded function, as the driver tells them."""
    assert all(number > 0 for one in found.values() for number in one["registers"])


def test_rows_of_all_lengths(found):
    """Rows that a team's registers hold are one launch, and so are others that read arrays for each
    fold; where that would be slow, or is not the same fold, explain says why there are more."""
    assert all(one["launches"] == one["explained"][0] >= 1 for one in found.values())
    assert all(found[f"{name} {length} f"]["launches"] == 1 for name in ROWS for length in (129, 1024, 5000))
    kernels = {"short ": "tn_fused_rows", "apart ": "tn_fused_rows", "again ": "tn_fused_passes"}
    for begin, kernel in kernels.items():
        whys = {name: (one["whys"], one["kernel"]) for name, one in found.items() if name.startswith(begin)}
        others = {name: why for name, why in whys.items() if len(why[0]) > 1 or not why[1].startswith(kernel)}
        assert others == {}
    assert all(one["launches"] > 1 for name, one in found.items() if name.startswith("beyond "))
    # The largest is folded, then exp(x - that) within the sum, and once more for the result.
    assert all(one["launches"] == 3 for name, one in found.items() if name.startswith("passes "))
    whys = [why for one in found.values() if one["launches"] > 1 for why in one["whys"]]
    assert not whys or any("rows so long or so short" in why for why in whys)


ONE_ROW = """
import tenorite as tn

@tn.fuse
def stored(x, y):
    x[...] = y
    return tn.sum(x * 3 + 1), x

for x in (tn.ones((3, 4, 50), "f"), tn.ones((3, 4, 50), "f").T, tn.ones((3, 4, 100), "f")[..., ::2]):
    stored(x, tn.ones(x.shape, "H"))
"""


def test_strides_of_one_row(tmp_path):
    """What a text reads of strides is there, also where all elements are one row."""
    record = tmp_path / "texts"
    output_of(ONE_ROW, on_double(tmp_path, FAKE_NVRTC_RECORD=str(record)))
    texts = [text for text in record.read_text().split("// kernel ") if text.startswith("tn_fused_rows")]
    assert texts
    for text in texts:
        apart = int(re.search(r"#define APART (\d+)", text)[1])
        assert all(int(number) < apart for number in re.findall(r"p\.strides \+ (\d+) \* ALL_AXES", text)), text
