"""cuDNN's functions through its test double, which notes what it is called with. This one lacks the
graph interface.
"""

import pytest
from programs import DOUBLES, needs_doubles, on_double, output_of
from tenorite.cuda import cudnn

pytestmark = needs_doubles


def variables(folder, **others):
    given = {
        "TENORITE_CUDNN_PATH": str(DOUBLES / "libfake_cudnn_algorithms.so"),
        "TENORITE_CUBLAS_PATH": str(DOUBLES / "libfake_cublas.so"),
        "FAKE_CUDNN_LOG": str(folder / "calls"),
    }
    return on_double(folder, **given | others)


def calls(folder):
    """The lines of the double, apart."""
    return [line.split() for line in (folder / "calls").read_text().splitlines()]


ALL_TABLES = """
import inspect
from tenorite.cuda import cudnn
assert cudnn._library.serves() and cudnn.getVersion() == 91900
ours = set(cudnn._FUNCTIONS)
def say(*words):
    with open({calls!r}, "a") as file:
        print("#", *words, file=file)
REAL = dict(epsilon=0.0625, exponentialAverageFactor=0.75, reluCeiling=6.5)
for name in sorted(set(cudnn._made) - ours):
    function = getattr(cudnn, name)
    parameters = list(inspect.signature(function).parameters)
    given = [REAL.get(parameter, 1000 + k) for k, parameter in enumerate(parameters)]
    if name in ("destroyTensorDescriptor", "setTensorNdDescriptor", "setTensor4dDescriptor", "setTensor4dDescriptorEx",
                "deriveBNTensorDescriptor", "destroyFilterDescriptor", "setFilter4dDescriptor_v4",
                "setFilterNdDescriptor_v4"):
        continue  # whose numbers are of objects
    if "requestedAlgoCount" in parameters:
        given[parameters.index("requestedAlgoCount")] = 3
    if name == "getFilterNdDescriptor":
        given[1] = 4
    say(name, *given)
    say("=", function(*given))
"""
# Words that cuDNN has and CuPy's functions lack, by name: place and value.
FIXED = {"setConvolution2dDescriptor_v4": {8: "0"}, "queryRuntimeError": {3: "0"}}


def symbol_of(name):
    """The name in cuDNN of a raw name."""
    bare = name.removesuffix("_v3").removesuffix("_v4").removesuffix("_v5").removesuffix("_v6")
    bare = bare if name.startswith("get") and name.endswith("_v7") else bare.removesuffix("_v7")
    bare = bare + "_v7" if name.startswith("getConvolution") and name.endswith("_v6") else bare
    return "cudnn" + bare[0].upper() + bare[1:]


def test_arguments(tmp_path):
    """Each raw name calls its function with its arguments unchanged and in their order."""
    output_of(ALL_TABLES.format(calls=str(tmp_path / "calls")), variables(tmp_path))
    found, lines = 0, calls(tmp_path)
    for k, line in enumerate(lines):
        if line[0] != "#" or line[1] == "=":
            continue
        name, given = line[1], line[2:]
        between = lines[k + 1 : next(j for j in range(k + 1, len(lines)) if lines[j][0] == "#")]
        symbol = symbol_of(name)
        called = [one for one in between if one[0] == symbol]
        assert len(called) == 1, (name, between)
        arguments = [word for word in called[0][1:] if word != ">"]
        if name == "getFilterNdDescriptor":
            arguments = arguments[:2]
        for place, value in FIXED.get(name, {}).items():
            assert called[0][1:][place] == value
            arguments.remove(value)
        if name.endswith("Algorithm_v6"):
            given, arguments = given[:-2], arguments[:-1]
        assert list(map(float, arguments)) == list(map(float, given)), name
        others = [one for one in between if one[0] != symbol]
        computes = name in names_computing()
        assert [one[0] for one in others] == (["cudnnSetStream"] if computes else []), name
        found += 1
    assert found > 75


def names_computing():
    """The raw names that compute, on the current stream."""
    lines = cudnn._COMPUTING.strip().splitlines()
    names = {line.partition(":")[0] for line in lines}
    return names | {name for name in cudnn._made if name.startswith("find") and "Ex" in name}


RESULTS = """
from tenorite.cuda import cudnn as c
assert c.getTensor4dDescriptor(5) == tuple(range(101, 110))
assert c.getOpTensorDescriptor(5) == (101, 102, 103)
assert c.getReduceTensorDescriptor(5) == (101, 102, 103, 104, 105)
assert c.getReductionWorkspaceSize(1, 2, 3, 4) == 101
assert c.getConvolutionForwardWorkspaceSize(1, 2, 3, 4, 5, 6) == 101
assert c.getConvolutionGroupCount(5) == 101 and c.getFusedOpsConstParamPackAttribute(1, 2, 3) == 101
assert c.getFilterNdDescriptor(5, 3) == (101, 102, 103, (104, 0, 0))
assert c.queryRuntimeError(1, 2) == 101 and c.makeFusedOpsPlan(1, 2, 3) == 101
for kind in ("Forward", "BackwardData", "BackwardFilter"):
    one, = getattr(c, f"getConvolution{kind}Algorithm_v7")(1, 2, 3, 4, 5, 8)
    assert (one.algo, one.status, one.time, one.memory, one.determinism, one.mathType) == (1, 0, 0.5, 96, 1, 3)
    get = getattr(c, f"getConvolution{kind}Algorithm_v6")
    assert get(1, 2, 3, 4, 5, 1, 0) == get(1, 2, 3, 4, 5, 2, 96) == 1
    for preference, limit in ((0, 0), (2, 95)):
        try:
            get(1, 2, 3, 4, 5, preference, limit)
        except c.CuDNNError as error:
            assert error.status == 3000
        else:
            raise AssertionError
handle, stream = c.create(), 0
c.setStream(handle, 1)
assert c.getStream(handle) == 1
c.destroy(handle)
print("good")
"""


def test_results(tmp_path):
    assert output_of(RESULTS, variables(tmp_path)).strip() == "good"


ARRAYS = """
import gc, ctypes, sys
import numpy as np, tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw
double = ctypes.CDLL({double!r})
cudnn.set_max_workspace_size(8 << 20)  # the double has less than 512 MiB
cudnn._pooling._FEW = 0, 0
x, w, b, y = tn.empty((2, 3, 5, 6), "f4"), tn.empty((4, 3, 3, 3), "f4"), tn.empty(4, "f4"), tn.empty((2, 4, 3, 4), "f4")
options = dict(auto_tune=False, tensor_core="auto")
facts = (1, 1), (2, 2), (1, 1), 1
y = tn.empty((2, 4, 3, 3), "f4")
def everything():
    cudnn.convolution_forward(x, w, None, y, *facts, **options)
    cudnn.convolution_backward_data(w, y, None, x, *facts, deterministic=True, **options)
    cudnn.convolution_backward_filter(x, y, w, *facts, deterministic=False, **options | dict(auto_tune=True))
    p = tn.empty((2, 3, 2, 3), "f4")
    cudnn.pooling_forward(x, p, (2, 2), (2, 2), (0, 0), 0)
    cudnn.pooling_backward(x, p, p, (2, 2), (2, 2), (0, 0), 0)
    a = cudnn.activation_forward(x, 1)
    cudnn.activation_backward(x, a, a, 1)
    s = cudnn.softmax_forward(x, 1, 1)
    cudnn.softmax_backward(s, s, 1, 1)
    g = tn.empty(3, "f4")
    out, mean, inverse = cudnn.batch_normalization_forward_training(x, g, g, g, g, None, None, 1e-5, 0.5, True, 2, False)
    cudnn.batch_normalization_backward(x, g, out, mean, inverse, 1e-5, True, 2, False)
    cudnn.batch_normalization_forward_inference(x, g, g, g, g, 1e-5, True, 1)
everything()
everything()
gc.collect()
living, used = double.fake_cudnn_living(), tn.get_default_memory_pool().used_bytes()
{before}
for _ in range(3):
    everything()
gc.collect()
assert double.fake_cudnn_living() == living, (double.fake_cudnn_living(), living)
assert tn.get_default_memory_pool().used_bytes() == used
print("good", x.data.ptr, w.data.ptr, y.data.ptr)
"""


def test_arrays(tmp_path):
    """Descriptors are kept, and calls get the arrays' addresses."""
    program = ARRAYS.format(
        double=str(DOUBLES / "libfake_cudnn_algorithms.so"), before=f"open({str(tmp_path / 'calls')!r}, 'w')"
    )
    done, x, w, y = output_of(program, variables(tmp_path)).split()
    assert done == "good"
    lines = calls(tmp_path)
    names = [line[0] for line in lines if line[0] != "cudnnSetStream" and "Destroy" not in line[0]]
    assert names == 3 * [
        "cudnnConvolutionForward",
        "cudnnConvolutionBackwardData",
        "cudnnConvolutionBackwardFilter",
        "cudnnPoolingBackward",
        "cudnnSoftmaxForward",
        "cudnnSoftmaxBackward",
        "cudnnBatchNormalizationForwardTrainingEx",
        "cudnnBatchNormalizationBackwardEx",
    ]
    forward = next(line for line in lines if line[0] == "cudnnConvolutionForward")
    assert (forward[4], forward[6], forward[13]) == (x, w, y)
    assert (forward[8], forward[10]) == ("1", "96")  # the algorithm, and its workspace
    data = next(line for line in lines if line[0] == "cudnnConvolutionBackwardData")
    assert (data[4], data[6], data[13]) == (w, y, x)
    filters = next(line for line in lines if line[0] == "cudnnConvolutionBackwardFilter")
    assert (filters[4], filters[6], filters[13]) == (x, y, w)


HEAD = f"""
import ctypes, gc, warnings
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw
double, driver = (ctypes.CDLL({str(DOUBLES)!r} + "/libfake_" + name) for name in ("cudnn_algorithms.so", "cuda.so"))
ones = lambda *shape, dtype="f4": tn.empty(shape, dtype)
def launched(call):
    call()
    tn.cuda.Device().synchronize()
    before = driver.fake_cuda_launches()
    call()
    tn.cuda.Device().synchronize()
    return driver.fake_cuda_launches() - before
FACTS = (0, 0), (1, 1), (1, 1), 1
"""

FAILING = """
import os
from tenorite.cudnn import _descriptors
x, w, y = ones(2, 3, 5, 6), ones(4, 3, 3, 3), ones(2, 4, 3, 4)
def run(tuned):
    cudnn.convolution_forward(x, w, None, y, *FACTS, auto_tune=tuned, tensor_core="auto")
    gc.collect()
def check(name, warns):
    seen = set()
    for _ in range(3):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            assert launched(lambda: run("Find" in name)) > 0
        assert len(said) == 2 * warns and all(one.filename == "<string>" for one in said), said
        if warns:
            text = str(said[0].message)
            assert said[0].category is RuntimeWarning and "its work is done without it" in text
            assert "CUDNN_STATUS_EXECUTION_FAILED" in text and "cudnn.convolution_forward" in text
            assert name != "cudnnConvolutionForward" or "(2, 3, 5, 6) float32" in text and name in text
        seen.add((double.fake_cudnn_living(), tn.get_default_memory_pool().used_bytes()))
    assert len(seen) == 1, seen
for name in {names}:
    for status, warns in (5000, True), (3001, False):
        cudnn.reset_handles()
        vars(_descriptors._kept).clear()
        os.environ |= dict(FAKE_CUDNN_FAILS=name, FAKE_CUDNN_STATUS=str(status))
        check(name, warns)
        del os.environ["FAKE_CUDNN_FAILS"]
        cudnn.reset_handles()
        vars(_descriptors._kept).clear()
        assert launched(lambda: run(False)) == 0  # cuDNN works again
print("good")
"""


def test_failures(tmp_path):
    """After a failure in the middle Tenorite's own functions compute, and nothing is left behind;
    it is a warning each time, unless cuDNN lacks the function."""
    names = [
        "cudnnCreate",
        "cudnnCreateTensorDescriptor",
        "cudnnSetTensor4dDescriptor",
        "cudnnSetFilter4dDescriptor",
        "cudnnSetConvolution2dDescriptor",
        "cudnnSetConvolutionMathType",
        "cudnnGetConvolutionForwardAlgorithm_v7",
        "cudnnFindConvolutionForwardAlgorithmEx",
        "cudnnSetStream",
        "cudnnConvolutionForward",
    ]
    assert output_of(HEAD + FAILING.format(names=names), variables(tmp_path)).strip() == "good"


LOST = """
x, g = ones(2, 3, 5, 6), ones(3)
def train(): return cudnn.batch_normalization_forward_training(x, g, g, g, g, None, None, 1e-5, 0.5, True, 2, False)
try:
    train()
except raw.CuDNNError as error:
    print(error.status)
else:
    print(launched(train) > 0)
"""


@pytest.mark.parametrize("status, said", [(5000, "5000"), (4003, "True"), (3000, "True")])
def test_what_moved_is_lost(tmp_path, status, said):
    """Running values that cuDNN may have moved halfway are not moved again."""
    function = "cudnnBatchNormalizationForwardTrainingEx"
    given = variables(tmp_path, FAKE_CUDNN_FAILS=function, FAKE_CUDNN_STATUS=str(status))
    assert output_of(HEAD + LOST, given).strip() == said


REFUSED = """
options = dict(auto_tune=False, tensor_core="never")
def convolve(layouts, shape, *, dtype="f4"):
    axes = len(shape)
    def lie(first, second, is_last):
        return ones(first, *shape, second, dtype=dtype) if is_last else ones(first, second, *shape, dtype=dtype)
    x, w, y = lie(2, 3, layouts[0]), lie(4, 3, layouts[1]), lie(2, 4, layouts[0])
    shapes = dict(d_layout=layouts[0], w_layout=layouts[1])
    facts = tuple(n // 2 for n in shape), (1,) * axes, (1,) * axes, 1
    return [
        launched(lambda: cudnn.convolution_forward(x, w, None, y, *facts, **options, **shapes)),
        launched(lambda: cudnn.convolution_backward_data(
            w, y, None, x, *facts, deterministic=True, **options, **shapes)),
        launched(lambda: cudnn.convolution_backward_filter(
            x, y, w, *facts, deterministic=True, **options, **shapes)),
    ]
# cuDNN has these; it has no maps of one axis, which are rows.
for layouts in ((0, 0), (1, 1), (1, 0), (0, 1)):
    assert convolve(layouts, (5, 3)) == convolve(layouts, (5,)) == [0, 0, 0], layouts
assert convolve((0, 0), (5, 3), dtype="f8") == [0, 0, 0]
# It has no such layouts of float64.
for layouts in ((1, 1), (1, 0), (0, 1)):
    for shape in ((3, 3), (3,)):
        assert [bool(one) for one in convolve(layouts, shape, dtype="f8")] == [not layouts[0], True, True]
x, y = ones(2, 3, 8), ones(2, 3, 4)
# What Tenorite's own functions do faster.
for mode in (0, 1):
    assert launched(lambda: cudnn.pooling_forward(x, y, (2,), (2,), (0,), mode)) == 1
    assert launched(lambda: cudnn.pooling_backward(x, y, y, (2,), (2,), (0,), mode)) > 0
assert launched(lambda: cudnn.activation_forward(ones(3), 1)) == 1
g = ones(3)
norm = lambda mode, layout: cudnn.batch_normalization_forward_training(
    ones(2, 3, 4, 3), g, ones(3), ones(3), ones(3), ones(3), ones(3), 1e-5, 0.5, True, mode, False, layout)
made = launched(lambda: [ones(2, 3, 4, 3), *(ones(3) for _ in range(5))])
assert launched(lambda: norm(2, 0)) == made
for layout in (0, 1):
    assert launched(lambda: norm(1, layout)) == made + 1
rows = ones(5, 7)
assert launched(lambda: cudnn.softmax_forward(rows, 1, 1)) > 0 < launched(lambda: cudnn.softmax_backward(rows, rows, 1, 1))
assert launched(lambda: cudnn.softmax_forward(rows, 0, 1)) == 0
cudnn._pooling._FEW = 0, 0
assert launched(lambda: cudnn.pooling_backward(x, y, y, (2,), (2,), (0,), 0)) == 0
# Errors are ours.
x, w, y = ones(1, 3, 4, 4), ones(2, 3, 3, 3), ones(1, 2, 2, 2)
for call in (
    lambda: cudnn.convolution_forward(x, w, None, ones(1, 2, 3, 2), *FACTS, **options),
    lambda: cudnn.convolution_forward(x, w, None, y, (-1, 0), *FACTS[1:], **options),
    lambda: cudnn.pooling_forward(y, ones(1, 2, 1, 1), (2, 2), (2, 2), (2, 0), 0),
    lambda: cudnn.pooling_forward(y, ones(1, 2, 1, 1), (2, 2), (2, 2), (0, 0), 4),
    lambda: cudnn.activation_forward(x, 77),
):
    try:
        call()
    except raw.CuDNNError as error:
        assert error._infos
    else:
        raise AssertionError
print("good")
"""


def test_what_cudnn_lacks(tmp_path):
    assert output_of(HEAD + REFUSED, variables(tmp_path)).strip() == "good"


STATUSES = """
def status(call):
    try:
        call()
    except raw.CuDNNError as error:
        return error.status
    return 0
new, pack = raw.createTensorDescriptor, raw.createFusedOpsVariantParamPack(3)
made = [cudnn.create_tensor_descriptor(ones(*shape)) for shape in ((2, 3, 4, 5), (2, 3, 4, 5), (2, 3, 4))]
(d, e, row), pool = (one.value for one in made), raw.createPoolingDescriptor()
for call, expected in (
    (lambda: raw.setTensor4dDescriptor(new(), 7, 0, 1, 1, 1, 1), 2000),
    (lambda: raw.setTensor4dDescriptor(new(), 0, 0, 1, 0, 1, 1), 2000),
    (lambda: cudnn.create_tensor_descriptor(ones(3)), 2000),
    (lambda: cudnn.create_tensor_descriptor(ones(*[1] * 9)), 3000),
    (lambda: raw.poolingForward(1, pool, 0, row, 0, 0, row, 0), 3000),
    (lambda: raw.poolingForward(1, pool, 0, d, 0, 0, d, 0), 0),
    (lambda: raw.reduceTensor(1, 2, 0, 0, 0, 0, 0, d, 0, 0, e, 0), 2000),
    (lambda: raw.setFusedOpsVariantParamPackAttribute(pack, 10, 16), 0),
    (lambda: raw.setFusedOpsVariantParamPackAttribute(pack, 0, 16), 2000),
    (lambda: raw.getFusedOpsVariantParamPackAttribute(pack, 10, 16), 2000),
):
    assert status(call) == expected, expected
import inspect
names = inspect.signature(raw.batchNormalizationForwardTrainingEx).parameters
given = [{"handle": 1, "mode": 1, "bnOps": 1, "xDesc": d, "epsilon": 1.0, "exponentialAverageFactor": 1.0}.get(name, 0)
         for name in names]
assert status(lambda: raw.batchNormalizationForwardTrainingEx(*given)) == 3000
print("good")
"""


def test_statuses(tmp_path):
    """By raw names cuDNN's own statuses are raised."""
    assert output_of(HEAD + STATUSES, variables(tmp_path)).strip() == "good"


WORKSPACE = """
x, w, y = ones(2, 3, 5, 6), ones(4, 3, 3, 3), ones(2, 4, 3, 4)
def run(): cudnn.convolution_forward(x, w, None, y, *FACTS, auto_tune=False, tensor_core="auto")
for limit in (0, 95, 96):
    cudnn.set_max_workspace_size(limit)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        print(launched(run) > 0, *(one.message for one in said))
    assert all(one.filename == "<string>" for one in said)
"""


def test_workspace(tmp_path):
    """Where the limit allows no algorithm of cuDNN's, Tenorite's own function computes."""
    text = "The best algo of conv fwd might not be selected due to lack of workspace size"
    expected = [f"True {text} (0)", f"True {text} (95)", "False"]
    assert output_of(HEAD + WORKSPACE, variables(tmp_path)).splitlines() == expected


LARGE = """
from tenorite.cudnn._served import serves
for size, expected in (2**31 - 1, True), (2**31, False), (0, False):
    assert serves(ones(3), tn.broadcast_to(ones(1, dtype="f2"), (size,))) == expected, size
print("good")
"""


def test_large(tmp_path):
    """cuDNN's descriptors count by 32 bits: what has more elements is computed without it."""
    assert output_of(HEAD + LARGE, variables(tmp_path)).strip() == "good"


SHORT = """
x, w, y = ones(2, 3, 5, 6), ones(4, 3, 3, 3), ones(2, 4, 3, 4)
pool = tn.get_default_memory_pool()
def run(): cudnn.convolution_forward(x, w, None, y, *FACTS, auto_tune=True, tensor_core="auto")
cudnn.set_max_workspace_size(64 << 20)
pool.set_limit(pool.total_bytes() + (20 << 20))
for call in range(17):
    if call == 8:
        pool.set_limit(0)
    assert launched(run) == 0
print("good")
"""


def test_short_of_memory(tmp_path):
    """A search that can't have the workspace tries less, and is made again later, ever more seldom,
    until it has had all of it."""
    assert output_of(HEAD + SHORT, variables(tmp_path)).strip() == "good"
    searches = [line[-1] for line in calls(tmp_path) if line[0].startswith("cudnnFind")]
    mebi = 1 << 20  # the searches are at calls 1, 2, 4, 8, 16, 32
    assert [int(size) // mebi for size in searches] == [16, 16, 16, 16, 16, 64]


MIRRORS = """
from tenorite import cudnn
import tenorite as tn
from tenorite.cuda import cudnn as c
from tenorite.cuda._raw.dnn import descriptors as d
t, f, bn = c.createTensorDescriptor(), c.createFilterDescriptor(), c.createTensorDescriptor()
c.setTensor4dDescriptor(t, 1, 2, 2, 3, 4, 5)
c.setFilter4dDescriptor_v4(filterDesc=f, dataType=0, format=0, k=4, c=3, h=2, w=1)
c.deriveBNTensorDescriptor(bn, t, 1)
assert d.tensor(t).shape == (2, 3, 4, 5) and d.tensor(t).strides == (60, 1, 15, 3)
assert d.filters(f).shape == (4, 3, 2, 1) and d.tensor(bn).shape == (1, 3, 1, 1) and d.tensor(bn).number == 0
c.destroyTensorDescriptor(t)
try:
    d.tensor(t)
except c.CuDNNError as error:
    assert error.status == 2000
print("good")
"""


def test_mirrors(tmp_path):
    """A tensor's and a filter's descriptor are objects here, too: what is ours reads them."""
    assert output_of(MIRRORS, variables(tmp_path)).strip() == "good"


CAPTURE = """
import tenorite as tn
from tenorite import cudnn
x, w, y = tn.empty((2, 3, 5, 6), "f4"), tn.empty((4, 3, 3, 3), "f4"), tn.empty((2, 4, 3, 4), "f4")
def run():
    cudnn.convolution_forward(x, w, None, y, (0, 0), (1, 1), (1, 1), 1, auto_tune={tuned}, tensor_core="auto")
    cudnn.softmax_forward(y, 1, 1)
if {warm}:
    run()
stream = tn.cuda.Stream()
with stream:
    stream.begin_capture()
    run()
    graph = stream.end_capture()
graph.launch(stream)
stream.synchronize()
print("good")
"""


@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.parametrize("tuned", [True, False])
def test_capture(tmp_path, tuned, warm):
    """Within a capture nothing is searched, which would wait."""
    assert output_of(CAPTURE.format(tuned=tuned, warm=warm), variables(tmp_path)).strip() == "good"
    searches = [line for line in calls(tmp_path) if line[0].startswith("cudnnFind")]
    assert len(searches) == (tuned and warm)


OURS_CAPTURED = """
x, g, y = ones(2, 3, 5, 6), ones(3), ones(2, 3, 5, 6)
def run():
    cudnn.softmax_backward(cudnn.softmax_forward(x, 1, 1), y, 1, 1)
    cudnn.activation_backward(x, y, cudnn.activation_forward(x, 1), 1)
    cudnn.batch_normalization_forward_training(x, g, g, g, g, None, None, 1e-5, 0.5, True, 1, False)
    cudnn.batch_normalization_backward(x, g, y, g, g, 1e-5, True, 1, False)
stream = tn.cuda.Stream()
with stream:
    stream.begin_capture()
    run()
    graph = stream.end_capture()
before = driver.fake_cuda_launches()
graph.launch(stream)
stream.synchronize()
print(driver.fake_cuda_launches() > before)
"""


def test_capture_without_cudnn(tmp_path):
    """Fused functions of ours enter a capture, also when they are first met there."""
    given = variables(tmp_path, TENORITE_CUDNN_PATH=str(DOUBLES / "none.so"))
    assert output_of(HEAD + OURS_CAPTURED, given).strip() == "True"


@pytest.mark.parametrize("path", ["none.so", "libfake_cufft.so"])
def test_absent(tmp_path, path):
    """A library that cannot be opened, or is too old, is none: ours serve, on a GPU as on the
    host."""
    place = DOUBLES / path
    program = """
import tenorite as tn
from tenorite import cudnn
from tenorite.cuda import cudnn as raw
assert not raw._library.serves() and raw.getVersion() == 90000 and raw.create() > 0
print(cudnn.create_tensor_descriptor(tn.empty((2, 3))).value > 0)
"""
    assert output_of(program, variables(tmp_path, TENORITE_CUDNN_PATH=str(place))).strip() == "True"
