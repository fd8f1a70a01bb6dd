"""What the installed cuDNN offers for an H100, of which it needs no more than the properties: the
plans of graphs that it would run there. Skipped where cuDNN is absent or asks for a GPU."""

import ctypes
import json

import pytest
from tenorite.cuda import cudnn
from tenorite.cuda._raw import tables
from tenorite.cuda._raw.dnn import convolution, graph
from tenorite.cuda._raw.dnn.descriptors import packed

pytestmark = pytest.mark.skipif(not cudnn._library.is_found(), reason="cuDNN is not installed")

# Of the descriptor of a device: its kind, and the attribute of its text, of CUDNN_TYPE_CHAR.
KIND, TEXT, CHAR = 38, 2702, 24
H100 = {
    "maxGridSize": [2147483647, 65535, 65535],
    "maxBlockSize": [1024, 1024, 64],
    "regsPerBlock": 65536,
    "multiProcessorCount": 132,
    "smClockRateKHz": 1980000,
    "memClockRateKHz": 2619000,
    "l2CacheSize": 52428800,
    "warpSize": 32,
    "maxSharedMemoryPerBlock": 49152,
    "maxSharedMemoryPerBlockOptin": 232448,
    "reservedSharedMemoryPerBlock": 1024,
    "maxRegistersPerSM": 65536,
    "pciDeviceId": 0,
    "maxCtasPerSM": 32,
    "maxThreadsPerBlock": 1024,
    "maxThreadsPerSM": 2048,
    "isTccDriver": 0,
    "supportCoopLaunch": 1,
    "deviceVer": 900,
    "driverVer": 13000,
    "totalGlobalMem": 85520809984,
    "cudaDeviceId": 0,
    "deviceName": "NVIDIA H100 80GB HBM3",
}
LIBRARY = tables.Library("cudnn", cudnn.check_status, needs_device=False)


@pytest.fixture(scope="module")
def device():
    """The descriptor of an H100."""
    made, text = ctypes.c_void_p(), json.dumps(H100).encode()
    try:
        LIBRARY.call("cudnnBackendCreateDescriptor", KIND, made)
        LIBRARY.call("cudnnBackendSetAttribute", made.value, TEXT, CHAR, len(text), text)
        LIBRARY.call("cudnnBackendFinalize", made.value)
    except cudnn.CuDNNError as error:
        pytest.skip(f"this cuDNN takes no description of a device: {error}")
    yield made.value
    LIBRARY.call("cudnnBackendDestroyDescriptor", made.value)


@pytest.fixture
def described(device, monkeypatch):
    """Descriptors get the device in the place of a handle."""
    monkeypatch.setitem(graph._ATTRIBUTES, ("heuristics", "device"), (204, "descriptor"))
    monkeypatch.setitem(graph._ATTRIBUTES, ("plan", "device"), (407, "descriptor"))
    usual = graph.Descriptor.set

    def put(self, name, *values, real=None):
        if (self.kind, name) == ("graph", "handle"):
            return
        if (self.kind, name) == ("plan", "handle"):
            name, values = "device", (device,)
        usual(self, name, *values, real=real)
        if (self.kind, name) == ("heuristics", "graph"):
            usual(self, "device", device)

    monkeypatch.setattr(graph.Descriptor, "set", put)
    made = []

    def plan_of(search, config, notes):
        plan = graph.Descriptor(LIBRARY, "plan")
        plan.set("handle", 0)
        plan.set("config", config)
        try:
            plan.finalize()
        except cudnn.CuDNNError as error:
            assert graph.is_refusal(error)
            return None
        made.append(plan)
        return graph.Plan(None, *plan.get("workspace", 1), notes)

    monkeypatch.setattr(graph.Search, "_plan", plan_of)


# name: filters, stride, pad and dilation of maps of 8 x 64 x 28 x 28, or of 8 x 64 x 9 x 9 x 9
CASES = {
    "3x3": ((64, 64, 3, 3), 1, 1, 1),
    "1x1": ((64, 64, 1, 1), 1, 0, 1),
    "depthwise": ((64, 1, 3, 3), 1, 1, 1),
    "groups": ((128, 16, 3, 3), 1, 1, 1),
    "stride": ((64, 64, 3, 3), 2, 1, 1),
    "dilated": ((64, 64, 3, 3), 1, 2, 2),
    "row": ((64, 64, 1, 5), 1, 0, 1),
    "volume": ((32, 64, 3, 3, 3), 1, 1, 1),
}
NUMBERS = {"float16": (2, 0), "bfloat16": (9, 0), "float32": (0, 0), "float64": (1, 1)}


def problem(kind, case, dtype, format):
    filters, stride, pad, dilation = CASES[case]
    axes = len(filters) - 2
    x = (8, 64, 28, 28) if axes == 2 else (8, 64, 9, 9, 9)
    sizes = [(n + 2 * pad - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(x[2:], filters[2:])]
    shapes = {"x": x, "w": filters, "y": (8, filters[0], *sizes)}
    arrays = [(shapes[one], packed(shapes[one], format)) for one in graph._ARRAYS[kind]]
    return graph.Problem(kind, arrays, *NUMBERS[dtype], ((pad,) * axes, (stride,) * axes, (dilation,) * axes), 16)


@pytest.mark.parametrize("kind", [convolution.FORWARD, convolution.DATA, convolution.FILTER])
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("format", [0, 1])
def test_plans(described, kind, dtype, format):
    """There are plans for all kinds of convolutions, also such as give the same bits each time and
    such as multiply float32 as it is."""
    for case in CASES:
        without = {graph.REDUCES_NARROWLY, graph.NOT_DETERMINISTIC}
        if dtype == "float32":
            without |= {graph.TENSOR_CORE, graph.DOWN_CONVERTS}
        search = graph.Search(LIBRARY, 0, problem(kind, case, dtype, format), without)
        plans = search.plans()
        first = next(plans, None)
        assert first is not None, (case, kind, dtype, format)
        assert first.workspace >= 0 and not first.notes & without


def test_tensor_cores(described):
    """Halves go to tensor cores, and float32 where TF32 is allowed."""
    for dtype in ("float16", "bfloat16", "float32"):
        for kind in (convolution.FORWARD, convolution.DATA, convolution.FILTER):
            search = graph.Search(LIBRARY, 0, problem(kind, "3x3", dtype, 1), set())
            assert graph.TENSOR_CORE in next(search.plans()).notes


def test_what_does_not_fit_has_no_plan(described):
    """Sizes that contradict each other: cuDNN refuses them, or offers nothing."""
    wrong = problem(convolution.FORWARD, "3x3", "float32", 0)
    wrong.arrays[2] = ((8, 64, 29, 28), packed((8, 64, 29, 28)))
    try:
        assert list(graph.Search(LIBRARY, 0, wrong, set()).plans()) == []
    except cudnn.CuDNNError as error:
        assert graph.is_refusal(error)
