"""Convolutions by plans of cuDNN's graph interface, through its test double, which looks at each
descriptor and notes its runs."""

import pytest
from programs import DOUBLES, needs_doubles, on_double, output_of

pytestmark = needs_doubles


def variables(folder, **others):
    given = {
        "TENORITE_CUDNN_PATH": str(DOUBLES / "libfake_cudnn.so"),
        "TENORITE_CUBLAS_PATH": str(DOUBLES / "libfake_cublas.so"),
        "FAKE_CUDNN_LOG": str(folder / "calls"),
    }
    return on_double(folder, **given | others)


def run(folder, program, **others):
    """What a program prints, and the lines of the double, apart."""
    printed = output_of(HEAD + program, variables(folder, **others))
    log = folder / "calls"
    lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    assert not [line for line in lines if line[0] == "!"], lines
    return printed.split("\n")[:-1], lines


def engines(lines):
    """The numbers of the engines that ran."""
    return [int(line[1]) for line in lines if line[0] == "cudnnBackendExecute"]


def described(lines, kind):
    """The descriptors of a kind that were finalized, {attribute: values}."""
    found = [line[2:] for line in lines if line[:2] == ["cudnnBackendFinalize", str(kind)]]
    parts = [[part.split("=") for part in line] for line in found]
    return [{int(name): [int(one) for one in values.split(",")] for name, values in line} for line in parts]


HEAD = f"""
import ctypes, gc, os, threading, time, warnings
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw
from tenorite.cudnn import _plans
double, driver = (ctypes.CDLL({str(DOUBLES)!r} + "/libfake_" + name) for name in ("cudnn.so", "cuda.so"))
cudnn.set_max_workspace_size(8 << 20)  # the double has less than 512 MiB
ones = lambda *shape, dtype="f4": tn.empty(shape, dtype)
def arrays(dtype="f4"):
    return ones(2, 4, 5, 6, dtype=dtype), ones(8, 2, 3, 2, dtype=dtype), ones(2, 8, 3, 5, dtype=dtype)
FACTS = (1, 0), (2, 1), (1, 1), 2
def forward(x, w, y, tuned=False, core="auto", **layouts):
    cudnn.convolution_forward(x, w, None, y, *FACTS, auto_tune=tuned, tensor_core=core, **layouts)
def data(x, w, y, tuned=False, core="auto", exact=False, **layouts):
    cudnn.convolution_backward_data(w, y, None, x, *FACTS, deterministic=exact, auto_tune=tuned, tensor_core=core,
                                    **layouts)
def filters(x, w, y, tuned=False, core="auto", exact=False, **layouts):
    cudnn.convolution_backward_filter(x, y, w, *FACTS, deterministic=exact, auto_tune=tuned, tensor_core=core,
                                      **layouts)
def launched(call):
    call()
    tn.cuda.Device().synchronize()
    before = driver.fake_cuda_launches()
    call()
    tn.cuda.Device().synchronize()
    return driver.fake_cuda_launches() - before
def said(call):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    return [(one.category.__name__, str(one.message)) for one in found]
"""

ATTRIBUTES = """
x, w, y = arrays({dtype!r})
for call in (forward, data, filters):
    call(x, w, y)
print(x.data.ptr, w.data.ptr, y.data.ptr)
"""


@pytest.mark.parametrize(("dtype", "number", "compute"), [("f2", 2, 0), ("f4", 0, 0), ("f8", 1, 1)])
def test_attributes(tmp_path, dtype, number, compute):
    """The graphs say what the calls are, and runs get the arrays."""
    (addresses,), lines = run(tmp_path, ATTRIBUTES.format(dtype=dtype))
    x, w, y = addresses.split()
    sizes = {x: [2, 4, 5, 6], w: [8, 2, 3, 2], y: [2, 8, 3, 5]}
    strides = {x: [120, 30, 6, 1], w: [12, 6, 2, 1], y: [120, 15, 5, 1]}
    runs = [line for line in lines if line[0] == "cudnnBackendExecute"]
    order = [[x, w, y], [w, y, x], [x, y, w]]
    assert [line[3:] for line in runs] == order
    tensors = described(lines, 17)
    assert [tensor[902] for tensor in tensors] == [sizes[one] for three in order for one in three]
    assert [tensor[903] for tensor in tensors] == [strides[one] for three in order for one in three]
    assert [tensor[906] for tensor in tensors] == [[1], [2], [3]] * 3
    assert all(tensor[901] == [number] and tensor[900] == [16] for tensor in tensors)
    for convolution in described(lines, 1):
        assert convolution == {100: [compute], 101: [1], 102: [1, 1], 103: [2, 1], 104: [1, 0], 105: [1, 0], 106: [2]}
    assert [len(described(lines, kind)) for kind in (10, 11, 12, 15)] == [1, 1, 1, 3]


KEPT = """
x, w, y = arrays()
z = tn.empty_like(y)
def each():
    forward(x, w, y)
    data(x, w, y)
    filters(x, w, y)
each()
gc.collect()
living, used = double.fake_cudnn_living(), tn.get_default_memory_pool().used_bytes()
open(os.environ["FAKE_CUDNN_LOG"], "w").close()
for _ in range(3):
    each()
gc.collect()
assert double.fake_cudnn_living() == living and tn.get_default_memory_pool().used_bytes() == used
forward(x, w, z)
forward(x, w, z)
assert double.fake_cudnn_living() == living
cudnn.convolution_forward(x, w, None, y, [1, 0], [2, 1], None, 2, auto_tune=False, tensor_core="auto")
assert _plans.told() == "3 plans made", _plans.told()
print(*said(tn.show_config))
_plans._kept.found.clear()
gc.collect()
print(double.fake_cudnn_living())
"""


def test_plans_are_kept(tmp_path):
    """A call that was made before is a run, with a pack of addresses where these are others."""
    printed, lines = run(tmp_path, KEPT)
    assert any("cuDNN plans" in line and "3 plans made" in line for line in printed)
    assert printed[-1] == "1"  # the handle
    names = [line[0] for line in lines]
    at = names.index("cudnnBackendFinalize")  # of the first pack of other addresses
    assert names[:at] == ["cudnnSetStream", "cudnnBackendExecute"] * 9
    assert lines[at][1] == "16" and names[at + 1 : at + 5] == ["cudnnSetStream", "cudnnBackendExecute"] * 2


FAILING = """
x, w, y = arrays()
cudnn.get_handle()
def fails(name, status, tuned):
    os.environ |= dict(FAKE_CUDNN_FAILS="cudnnBackend" + name, FAKE_CUDNN_STATUS=str(status))
    seen, found = set(), []
    for _ in range(3):
        _plans._kept.found.clear()
        texts = said(lambda: found.append(bool(launched(lambda: forward(x, w, y, tuned)))))
        assert all(category == "RuntimeWarning" for category, _ in texts), texts
        found.append([text for _, text in texts])
        gc.collect()
        seen.add((double.fake_cudnn_living(), tn.get_default_memory_pool().used_bytes()))
    del os.environ["FAKE_CUDNN_FAILS"]
    assert len(seen) == 1, seen
    _plans._kept.found.clear()
    assert not said(lambda: forward(x, w, y)) and not launched(lambda: forward(x, w, y))
    return found
"""
SEARCHES = """
for number in {numbers}:
    for status in (5000, 3001):
        is_ours, texts = fails({name!r} + ":" + str(number), status, False)[-2:]
        assert not is_ours and len(texts) == (2 if status == 5000 else 0), (number, status, texts)
        for text in texts:
            assert "cudnn.convolution_forward: cuDNN's graph interface failed, its older one does the work" in text
            assert "CUDNN_STATUS_EXECUTION_FAILED" in text and "(2, 4, 5, 6) float32" in text
"""
RUNS = """
for name in ("CreateDescriptor:16", "SetAttribute:1000", "SetAttribute:1001", "SetAttribute:1003", "Finalize:16", "Execute"):
    for tuned in (False, True):
        for status in (5000, 3001):
            is_ours, texts = fails(name, status, tuned)[-2:]
            assert is_ours == (status == 5000 and not tuned), (name, tuned, status)
            assert len(texts) == (2 if status == 5000 else 0), (name, tuned, status, texts)
"""
_NAMES = {
    "CreateDescriptor": (17, 1, 10, 15, 4, 3, 2, 5),
    "SetAttribute": (900, 901, 902, 903, 906, 100, 101, 102, 103, 104, 105, 106, 700, 701, 702, 703, 704, 705)
    + (800, 801, 200, 201, 400, 401),
    "Finalize": (17, 1, 10, 15, 4, 5),
    "GetAttribute": (202, 300, 1303, 402),
}


@pytest.mark.parametrize("name", _NAMES)
def test_failing_searches(tmp_path, name):
    """After a failure in the middle of a search the older interface works, and nothing is left
    behind. It is a warning, unless cuDNN has no such plan."""
    _, lines = run(tmp_path, FAILING + SEARCHES.format(name=name, numbers=_NAMES[name]))
    assert sum(line[0] == "cudnnConvolutionForward" for line in lines) == 12 * len(_NAMES[name])


def test_failing_runs(tmp_path):
    """A run that fails is done by Tenorite's own functions, with a warning; one that cuDNN refuses,
    and plans that all fail when they are tried, by the older interface."""
    run(tmp_path, FAILING + RUNS)


CHOSEN = """
import itertools
x, w, y = arrays()
for dtype, core, exact, tf32 in itertools.product(("f2", "f4", "f8"), ("auto", "never"), (False, True), "01"):
    os.environ["TENORITE_TF32"] = tf32
    said(lambda: data(*arrays(dtype), core=core, exact=exact))
"""


def test_notes(tmp_path):
    """Engines whose notes are not allowed are left out."""
    notes = ["2", "1", "0+4", "0", "4", ""]  # narrow sums, rounded inputs, cores, atomics
    offered = ",".join(f"3/0/{note}" for note in notes)
    _, lines = run(tmp_path, CHOSEN, FAKE_CUDNN_ENGINES=offered)
    rounds, tensor = {"f2": 1, "f4": 2, "f8": 1}, {"0": False, "1": True}
    expected = []
    for dtype in ("f2", "f4", "f8"):
        for core in ("auto", "never"):
            for exact in (False, True):
                for tf32 in "01":
                    may = dtype == "f8" or (core == "auto" and (dtype == "f2" or tensor[tf32]))
                    first = rounds[dtype] if not exact or dtype != "f4" else 2
                    allowed = [
                        k
                        for k, note in enumerate(notes)
                        if k >= first and not ("0" in note and not may) and not ("4" in note and exact)
                    ]
                    expected.append(allowed[0])
    assert engines(lines) == expected


MODES = """
x, w, y = arrays()
for offered in {offered}:
    os.environ["FAKE_CUDNN_ENGINES"] = offered
    _plans._kept.found.clear()
    forward(x, w, y)
print(_plans.told())
"""


def test_modes(tmp_path):
    """Mode A of the heuristics, its older name, and the fallback are asked in turn; engines that
    have no plan are left out."""
    expected = {"2/0/,0/0/,3/0/": 2, "2/0/,0/0/": 1, "2/0/": 0, "3/0//3000,3/0//3001,3/0/": 2, "3/0//3000,2/0/": 1}
    printed, lines = run(tmp_path, MODES.format(offered=list(expected)))
    assert engines(lines) == list(expected.values()) and printed == ["5 plans made"]


NONE = """
x, w, y = arrays()
forward(x, w, y)
open(os.environ["FAKE_CUDNN_LOG"], "w").close()
assert not launched(lambda: forward(x, w, y))
forward(x, w, y)
print(_plans.told())
assert any("older interface: " in line for line in _plans.told().splitlines())
tn.show_config()
"""


def test_no_plan(tmp_path):
    """What has no plan is not searched again: the older interface does it, and it is told."""
    printed, lines = run(tmp_path, NONE, FAKE_CUDNN_ENGINES="3/0//3000")
    assert printed[0] == "0 plans made; calls by the older interface: NOT_SUPPORTED 4"
    assert any(line.startswith("cuDNN plans") and line.endswith(printed[0]) for line in printed)
    names = {line[0] for line in lines}
    assert "cudnnConvolutionForward" in names and not any("Backend" in name for name in names)


def test_older_library(tmp_path):
    """A cuDNN that lacks the interface, and one that may not use it."""
    older = str(DOUBLES / "libfake_cudnn_algorithms.so")
    program = "x, w, y = arrays()\nfor _ in range(2): forward(x, w, y)\nprint(_plans.told())"
    printed, lines = run(tmp_path, program, TENORITE_CUDNN_PATH=older)
    assert printed == ["0 plans made; calls by the older interface: without cudnnBackendCreateDescriptor 2"]
    printed, lines = run(tmp_path, program, TENORITE_CUDNN_GRAPHS="0")
    assert printed == ["not used (TENORITE_CUDNN_GRAPHS is 0)"]
    assert not any("Backend" in line[0] for line in lines)


WORKSPACE = """
x, w, y = arrays()
for limit in (0, 95, 96):
    cudnn.set_max_workspace_size(limit)
    print(*said(lambda: forward(x, w, y, {tuned})), *said(lambda: forward(x, w, y, {tuned})))
"""


@pytest.mark.parametrize("tuned", [False, True])
def test_workspace(tmp_path, tuned):
    """A plan that needs more than is allowed is not taken, which is a warning of the first call."""
    printed, lines = run(tmp_path, WORKSPACE.format(tuned=tuned), FAKE_CUDNN_ENGINES="3/96/,3/0/")
    text = "The best algo of conv fwd might not be selected due to lack of workspace size"
    assert printed == [f"('PerformanceWarning', '{text} ({limit})')" for limit in (0, 95)] + [""]
    ran = [line for line in lines if line[0] == "cudnnBackendExecute"]
    assert all((line[1] == "0") == (line[2] != "0") for line in ran)
    assert "0" not in [line[1] for line in ran[: -2 - 8 * tuned]]
    assert tuned or engines(lines) == [1, 1, 1, 1, 0, 0]


SHORT = """
x, w, y = arrays()
pool = tn.get_default_memory_pool()
cudnn.set_max_workspace_size(64 << 20)
pool.set_limit(pool.total_bytes() + (20 << 20))
for call in range(17):
    if call == 8:
        pool.set_limit(0)
    assert launched(lambda: forward(x, w, y, {tuned})) == 0
"""


def test_short_of_memory(tmp_path):
    """Where memory lacks for a plan's workspace, one that needs less serves; a search that was
    short of it is made again, ever more seldom, until it has had all."""
    offered = f"3/{32 << 20}/,3/{16 << 20}/,3/0/"
    _, lines = run(tmp_path, SHORT.format(tuned=True), FAKE_CUDNN_ENGINES=offered)
    searches = len(described(lines, 4))
    assert engines(lines).count(0) > 0 and searches == 2 * 6, searches
    _, lines = run(tmp_path, SHORT.format(tuned=False), FAKE_CUDNN_ENGINES=offered)
    ran = engines(lines)
    assert 1 in ran[:2] and ran[-1] == 0


LYING = """
def last(*shape, dtype="f4"):
    return ones(shape[0], *shape[2:], shape[1], dtype=dtype).transpose(0, -1, *range(1, len(shape) - 1))
x, w, y = arrays()
# Channels last by strides, by the layouts' names, and in rows of maps with gaps, which are copied.
inputs = last(2, 4, 5, 6), last(8, 2, 3, 2)
forward(*inputs, y)
print(inputs[0].data.ptr, inputs[1].data.ptr, y.data.ptr)
named = ones(2, 5, 6, 4), ones(8, 3, 2, 2), ones(2, 3, 5, 8)
forward(*named, d_layout=1, w_layout=1)
print(*(one.data.ptr for one in named))
gaps = ones(2, 4, 5, 12)[..., ::2]
forward(gaps, w, y)
print(gaps.data.ptr, w.data.ptr, y.data.ptr)
# Maps of one axis, and addresses that are no multiples of 16 bytes.
row = ones(2, 4, 6), ones(8, 2, 3), ones(2, 8, 4)
cudnn.convolution_forward(*row[:2], None, row[2], (0,), (1,), (1,), 2, auto_tune=False, tensor_core="auto")
odd = ones(2 * 4 * 5 * 6 + 1)[1:].reshape(2, 4, 5, 6)
forward(odd, w, y)
forward(x, w, y)
forward(odd, w, y)
print(odd.data.ptr, x.data.ptr)
"""


def test_layouts(tmp_path):
    """Strides, alignment and maps of one axis as the graph gets them."""
    printed, lines = run(tmp_path, LYING)
    ran = [line[3:] for line in lines if line[0] == "cudnnBackendExecute"]
    tensors = described(lines, 17)
    first, second, gaps, odd = (line.split() for line in printed)
    assert ran[0] == first and ran[1] == second
    assert ran[2][0] != gaps[0] and ran[2][1:] == gaps[1:]
    assert [tensor[903] for tensor in tensors[:3]] == [[120, 1, 24, 4], [12, 1, 4, 2], [120, 15, 5, 1]]
    assert [tensor[903] for tensor in tensors[3:6]] == [[120, 1, 24, 4], [12, 1, 4, 2], [120, 1, 40, 8]]
    assert [tensor[902] for tensor in tensors[3:6]] == [[2, 4, 5, 6], [8, 2, 3, 2], [2, 8, 3, 5]]
    assert [tensor[903] for tensor in tensors[6:9]] == [[120, 30, 6, 1], [12, 6, 2, 1], [120, 15, 5, 1]]
    assert [tensor[902] for tensor in tensors[9:12]] == [[2, 4, 1, 6], [8, 2, 1, 3], [2, 8, 1, 4]]
    assert tensors[9][903] == [24, 6, 6, 1] and described(lines, 1)[3][105] == [0, 0]
    assert [line[0] for line in ran[4:]] == [odd[0], odd[1], odd[0]]
    alignments = [tensor[900][0] for tensor in tensors]
    assert alignments == [16] * 12 + [4] * 3  # that of x, w and y was made before for copies


OTHERS = """
x, w, y = arrays()
forward(x, w, y)
handles = set()
together = threading.Barrier(3)  # a thread's number is another's when it has ended
def work():
    forward(x, w, y)
    handles.add(cudnn.get_handle())
    if threading.current_thread() is not threading.main_thread():
        together.wait()
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
work()
assert len(handles) == 4 and _plans.told() == "4 plans made"
cudnn.reset_handles()
forward(x, w, y)
assert _plans.told() == "5 plans made"
# What does not fit is refused as ever, whether a plan is kept or not.
for wrong in (
    lambda: cudnn.convolution_forward(x, w, None, y, (1.0, 0), *FACTS[1:], auto_tune=False, tensor_core="auto"),
    lambda: forward(x, w, y, core="now"),
    lambda: forward(x, w, y, d_layout=2),
    lambda: forward(x, w, tn.asnumpy(y)),
    lambda: forward(x, w.astype("f2"), y),
    lambda: forward(x[:1], w, y),
):
    try:
        wrong()
    except (TypeError, ValueError, raw.CuDNNError) as error:
        print(type(error).__name__)
y.flags.writeable = False
try:
    forward(x, w, y)
except ValueError as error:
    print(error)
"""


def test_threads_and_arguments(tmp_path):
    """A thread has its own handle and plans; handles that are made anew have new ones."""
    printed, _ = run(tmp_path, OTHERS)
    assert printed[:-1] == ["TypeError", "ValueError", "ValueError", "TypeError", "CuDNNError", "CuDNNError"]
    assert "read-only" in printed[-1]


CAPTURED = """
x, w, y = arrays()
if {warm}:
    forward(x, w, y, {tuned})
stream = tn.cuda.Stream()
with stream:
    stream.begin_capture()
    forward(x, w, y, {tuned})
    forward(x, w, y, {tuned})
    graph = stream.end_capture()
graph.launch(stream)
stream.synchronize()
_plans._kept.found.clear()
gc.collect()
print(double.fake_cudnn_living() > 1)
graph.launch(stream)
stream.synchronize()
del graph
gc.collect()
tn.cuda.Device().synchronize()
for _ in range(2000):  # what a graph keeps goes a moment after it, in a thread of the driver's
    if double.fake_cudnn_living() > 1:
        time.sleep(0.005)
print(double.fake_cudnn_living())
"""


@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.parametrize("tuned", [False, True])
def test_capture(tmp_path, tuned, warm):
    """Within a capture nothing is tried, which would wait; a graph keeps the plan that it
    recorded."""
    printed, lines = run(tmp_path, CAPTURED.format(tuned=tuned, warm=warm))
    assert printed == ["True", "1"]
    assert len(engines(lines)) == 2 + (warm and (9 if tuned else 1))


TUNED = """
x, w, y = arrays()
forward(x, w, y, True)
filters(x, w, y, True, exact=True)
"""


def test_plans_that_fail_are_left_out(tmp_path):
    """Of plans that are tried those that fail are not taken; what must always give the same bits is
    not tuned, for another plan may be the fastest another day."""
    _, lines = run(tmp_path, TUNED, FAKE_CUDNN_ENGINES="3/0//0/5000,3/64/,3/0//0/3000")
    assert engines(lines) == [0, 1, 1, 1, 1, 2, 1, 0]


OVER = """
x, w, y = ones(2, 4, 5, 6), ones(4, 4, 1, 1), ones(2, 4, 5, 6)
facts, options = ((0, 0), (1, 1), (1, 1), 1), dict(auto_tune=False, tensor_core="auto")
for out in (y, x, x):
    cudnn.convolution_forward(x, w, None, out, *facts, **options)
print(x.data.ptr, y.data.ptr, _plans.told())
"""


def test_result_over_an_input(tmp_path):
    """A plan that is kept writes elsewhere where the result lies over an input."""
    printed, lines = run(tmp_path, OVER)
    x, y, *told = printed[0].split()
    results = [line[5] for line in lines if line[0] == "cudnnBackendExecute"]
    assert told == ["1", "plans", "made"] and results[0] == y and len(results) == 3
    assert x not in results and y not in results[1:]
