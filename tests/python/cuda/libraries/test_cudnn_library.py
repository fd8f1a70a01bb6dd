"""The installed cuDNN, where there is one: it has all functions of the tables, and its descriptors,
which need no GPU, answer as ours do."""

import ctypes
import re

import pytest
from tenorite.cuda import cudnn
from tenorite.cuda._raw import tables
from tenorite.cuda._raw.dnn import convolution, graph, library
from tenorite.cuda._raw.dnn.descriptors import FUNCTIONS, STATUS, packed

pytestmark = pytest.mark.skipif(not cudnn._library.is_found(), reason="cuDNN is not installed")


class Installed(tables.Library):
    """Serves without a GPU."""

    def serves(self):
        return True


@pytest.fixture(scope="module")
def theirs():
    """The functions of cuDNN itself, by CuPy's names."""
    installed = Installed("cudnn", cudnn.check_status, on_host=cudnn._ON_HOST, needs_device=False)
    made = {
        name: function
        for table in (cudnn._DESCRIPTORS, cudnn._TABLE)
        for name, function in tables.functions(installed, table, __name__).items()
    }
    return made | library.Answers(installed, installed, __name__).functions()


def test_functions():
    text = cudnn._SETTINGS + cudnn._DESCRIPTORS + cudnn._TABLE + cudnn._COMPUTING
    lines = [line for line in text.splitlines() if line]
    symbols = [name for line in lines for name in tables._variants(re.split(r":\s*", line)[1])]
    for kind in library._PARAMETERS:
        symbols += [f"cudnnGetConvolution{kind}Algorithm_v7", f"cudnnFindConvolution{kind}AlgorithmEx"]
        symbols += [f"cudnnFindConvolution{kind}Algorithm", "cudnnGetFilterNdDescriptor", "cudnnQueryRuntimeError"]
    assert len(set(symbols)) > 80
    for name in symbols:
        assert tables.symbol("cudnn", name)


def both(theirs, call):
    """What a call of the functions gives, by cuDNN and by ours."""
    return call(theirs), call(cudnn._ON_HOST)


def array_of(values):
    return (ctypes.c_int * len(values))(*values)


@pytest.mark.parametrize("number", [0, 1, 2, 9])
@pytest.mark.parametrize("format", [0, 1])
def test_tensors(theirs, format, number):
    def call(functions):
        desc = functions["createTensorDescriptor"]()
        functions["setTensor4dDescriptor"](desc, format, number, 2, 3, 4, 5)
        found = [functions["getTensor4dDescriptor"](desc)]
        for mode in range(3):
            derived = functions["createTensorDescriptor"]()
            functions["deriveBNTensorDescriptor"](derived, desc, mode)
            found.append(functions["getTensor4dDescriptor"](derived))
            functions["destroyTensorDescriptor"](derived)
        functions["setTensor4dDescriptorEx"](desc, number, 2, 3, 4, 5, 120, 40, 10, 2)
        found.append(functions["getTensor4dDescriptor"](desc))
        dims, steps = array_of([2, 3, 4, 5]), array_of([60, 1, 15, 3])
        functions["setTensorNdDescriptor"](desc, number, 4, ctypes.addressof(dims), ctypes.addressof(steps))
        found.append(functions["getTensor4dDescriptor"](desc))
        functions["destroyTensorDescriptor"](desc)
        return found

    found, ours = both(theirs, call)
    assert found == ours


def test_filters(theirs):
    def call(functions):
        desc, dims = functions["createFilterDescriptor"](), array_of([4, 3, 2, 5, 6])
        functions["setFilter4dDescriptor_v4"](desc, 1, 1, 4, 3, 2, 5)
        found = [functions["getFilterNdDescriptor"](desc, 4)]
        functions["setFilterNdDescriptor_v4"](desc, 0, 0, 5, ctypes.addressof(dims))
        found.append(functions["getFilterNdDescriptor"](desc, 5))
        functions["destroyFilterDescriptor"](desc)
        return found

    found, ours = both(theirs, call)
    assert found == ours and set(FUNCTIONS) <= set(cudnn._ON_HOST)


def test_operations(theirs):
    def call(functions):
        found, desc = [], functions["createConvolutionDescriptor"]()
        for count in (1, 2, 3):
            words = [array_of([k + 1] * count) for k in range(3)]
            functions["setConvolutionNdDescriptor_v3"](desc, count, *map(ctypes.addressof, words), 1, 0)
        functions["setConvolution2dDescriptor_v5"](desc, 1, 2, 3, 4, 5, 6, 1, 0)
        functions["setConvolution2dDescriptor_v4"](desc, 1, 2, 3, 4, 5, 6, 0)
        for math in range(4):
            functions["setConvolutionMathType"](desc, math)
            found.append(functions["getConvolutionMathType"](desc))
        functions["setConvolutionGroupCount"](desc, 3)
        found.append(functions["getConvolutionGroupCount"](desc))
        functions["destroyConvolutionDescriptor"](desc)
        desc = functions["createOpTensorDescriptor"]()
        functions["setOpTensorDescriptor"](desc, 3, 1, 1)
        found.append(functions["getOpTensorDescriptor"](desc))
        functions["destroyOpTensorDescriptor"](desc)
        desc = functions["createReduceTensorDescriptor"]()
        functions["setReduceTensorDescriptor"](desc, 4, 1, 1, 1, 0)
        found.append(functions["getReduceTensorDescriptor"](desc))
        functions["destroyReduceTensorDescriptor"](desc)
        desc = functions["createActivationDescriptor"]()
        functions["setActivationDescriptor"](desc, 3, 1, 0.75)
        functions["destroyActivationDescriptor"](desc)
        return found

    found, ours = both(theirs, call)
    assert found == ours


def test_real_arguments(theirs):
    """A double arrives by value, and windows of a pooling in their order."""
    get = Installed("cudnn", cudnn.check_status, needs_device=False)
    desc, mode, nan, ceiling = theirs["createActivationDescriptor"](), ctypes.c_int(), ctypes.c_int(), ctypes.c_double()
    theirs["setActivationDescriptor"](desc, 3, 1, 0.75)
    get.call("cudnnGetActivationDescriptor", desc, mode, nan, ceiling)
    assert (mode.value, nan.value, ceiling.value) == (3, 1, 0.75)
    theirs["destroyActivationDescriptor"](desc)
    desc, words = theirs["createPoolingDescriptor"](), [ctypes.c_int() for _ in range(8)]
    theirs["setPooling2dDescriptor_v4"](desc, 1, 0, 2, 3, 4, 5, 6, 7)
    get.call("cudnnGetPooling2dDescriptor", desc, *words)
    assert [word.value for word in words] == [1, 0, 2, 3, 4, 5, 6, 7]
    theirs["destroyPoolingDescriptor"](desc)


@pytest.mark.parametrize("ops", range(7))
def test_labels(theirs, ops):
    """Which labels a pack has, and that an answer is what was set; cuDNN answers none of operations
    3."""

    def call(functions):
        found, pack = [], functions["createFusedOpsVariantParamPack"](ops)
        for label in (*range(25), *range(99, 105)):
            given, answer = (ctypes.c_uint64 * 2)(64, 0), ctypes.c_uint64(0)
            value = ctypes.addressof(given) if label > 99 else 64
            for name, word in (("set", value), ("get", ctypes.addressof(answer))):
                if name == "get" and ops == 3:
                    continue
                try:
                    functions[f"{name}FusedOpsVariantParamPackAttribute"](pack, label, word)
                    found.append((label, answer.value))
                except cudnn.CuDNNError as error:
                    found.append((label, error.status))
        functions["destroyFusedOpsVariantParamPack"](pack)
        return found

    found, ours = both(theirs, call)
    assert found == ours


def test_sizes(theirs):
    """Descriptors of all numbers of axes, of no elements, and that were not set."""

    def status(call, *words):
        try:
            return call(*words)
        except cudnn.CuDNNError as error:
            return error.status

    def call(functions):
        tensor, filters = functions["createTensorDescriptor"](), functions["createFilterDescriptor"]()
        found = [functions["getTensor4dDescriptor"](tensor), functions["getFilterNdDescriptor"](filters, 3)]
        for count in range(1, 10):
            for size, step in ((2, 1), (0, 1), (-1, 1), (2, 0)):
                sizes, steps = array_of([2] * (count - 1) + [size]), array_of([1] * (count - 1) + [step])
                words = count, ctypes.addressof(sizes), ctypes.addressof(steps)
                found.append(status(functions["setTensorNdDescriptor"], tensor, 0, *words))
                found.append(status(functions["setFilterNdDescriptor_v4"], filters, 0, 0, *words[:2]))
        found += [status(functions["setTensor4dDescriptor"], tensor, 7, 0, *[1] * 4)]
        found += [status(functions["setTensor4dDescriptor"], tensor, 0, 0, 1, 0, 1, 1)]
        functions["destroyTensorDescriptor"](tensor)
        functions["destroyFilterDescriptor"](filters)
        return found

    found, ours = both(theirs, call)
    assert found == ours


@pytest.mark.parametrize("ops", range(7))
def test_packs(theirs, ops):
    """Of fused operations: a number that was not set is 0."""

    def call(functions):
        const = functions["createFusedOpsConstParamPack"](ops)
        variant, plan = functions["createFusedOpsVariantParamPack"](ops), functions["createFusedOpsPlan"](ops)
        number = ctypes.c_int(1)  # CUDNN_PARAM_XDATA_PLACEHOLDER is there in the first two
        found = functions["getFusedOpsConstParamPackAttribute"](const, 1, ctypes.addressof(number)) if ops < 2 else 0
        functions["destroyFusedOpsConstParamPack"](const)
        functions["destroyFusedOpsVariantParamPack"](variant)
        functions["destroyFusedOpsPlan"](plan)
        return found

    found, ours = both(theirs, call)
    assert found == ours


def test_refusals(theirs):
    """Both refuse a tensor format that there is not."""
    for functions in (theirs, cudnn._ON_HOST):
        desc = functions["createTensorDescriptor"]()
        with pytest.raises(cudnn.CuDNNError, match="CUDNN_STATUS_"):
            functions["setTensor4dDescriptor"](desc, 7, 0, 1, 1, 1, 1)
        functions["destroyTensorDescriptor"](desc)


@pytest.mark.parametrize("kind", [convolution.FORWARD, convolution.DATA, convolution.FILTER])
@pytest.mark.parametrize(("number", "compute"), [(0, 0), (1, 1), (2, 0), (9, 0)])
def test_graphs(kind, number, compute):
    """The installed cuDNN takes the descriptors of a graph up to its handle, which needs a GPU."""
    installed = Installed("cudnn", cudnn.check_status, needs_device=False)
    assert graph.missing_functions(installed) == []
    x, w, y = (2, 4, 5, 6), (8, 2, 3, 2), (2, 8, 3, 5)
    shapes = {convolution.FORWARD: (x, w, y), convolution.DATA: (w, y, x), convolution.FILTER: (x, y, w)}[kind]
    facts = (1, 0), (2, 1), (1, 1)
    for format in (0, 1):
        problem = graph.Problem(kind, [(one, packed(one, format)) for one in shapes], number, compute, facts, 16)
        with pytest.raises(cudnn.CuDNNError) as failure:
            problem.describe(installed, 0)
        assert failure.value.status == STATUS["BAD_PARAM_NULL_POINTER"]
