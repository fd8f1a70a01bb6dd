"""Functions of cuDNN whose results no row of a table describes: lists of algorithms, a filter's
sizes, and functions of older versions, which call those of today."""

import ctypes
import inspect

from tenorite.cuda._raw.dnn.convolution import CuDNNAlgoPerf
from tenorite.cuda._raw.dnn.descriptors import REGISTRY, fail, get_filter


class Perf(ctypes.Structure):
    """cudnnConvolutionFwdAlgoPerf_t, and the two of the same layout."""

    _fields_ = [
        ("algo", ctypes.c_int),
        ("status", ctypes.c_int),
        ("time", ctypes.c_float),
        ("memory", ctypes.c_size_t),
        ("determinism", ctypes.c_int),
        ("mathType", ctypes.c_int),
        ("reserved", ctypes.c_int * 3),
    ]


# By direction, the parameters of the functions that take descriptors alone, of those that have a
# preference, and of those that compute.
_PARAMETERS = {
    "Forward": (
        "srcDesc filterDesc convDesc destDesc",
        "srcDesc filterDesc convDesc destDesc",
        "xDesc x wDesc w convDesc yDesc y",
    ),
    "BackwardData": (
        "filterDesc diffDesc convDesc gradDesc",
        "filterDesc diffDesc convDesc gradDesc",
        "wDesc w dyDesc dy convDesc dxDesc dx",
    ),
    "BackwardFilter": (
        "srcDesc diffDesc convDesc gradDesc",
        "srcDesc diffDesc convDesc filterDesc",
        "xDesc x dyDesc dy convDesc dwDesc dw",
    ),
}
_NO_WORKSPACE, _SPECIFY_LIMIT = 0, 2


class Answers:
    """The functions of a library; `computing` is the same library on the current stream."""

    def __init__(self, library, computing, module):
        self._library, self._computing, self._module = library, computing, module

    def _make(self, name, parameters, on_library, text):
        """The function of a name; `on_library` gets all arguments where cuDNN serves."""
        signature = inspect.Signature(
            [inspect.Parameter(one, inspect.Parameter.POSITIONAL_OR_KEYWORD) for one in parameters.split()]
        )
        on_host = self._library.on_host[name]

        def function(*args, **kwargs):
            given = signature.bind(*args, **kwargs).arguments.values()
            if not self._library.serves():
                return on_host(*(one.__index__() for one in given))
            return on_library(*given)

        function.__name__ = function.__qualname__ = name
        function.__module__, function.__signature__ = self._module, signature
        function.__doc__ = text
        return function

    def _perfs(self, library, symbol, before, count, after=()):
        """The list that a function of cuDNN fills."""
        if count <= 0:
            fail("BAD_PARAM", f"{count} algorithms are asked for")
        returned, found = ctypes.c_int(), (Perf * count)()
        if library.begin:
            library.begin(before[0])
        library.call(symbol, *before, count, returned, found, *after)
        return [
            CuDNNAlgoPerf(one.algo, one.status, one.time, one.memory, one.determinism, one.mathType)
            for one in found[: returned.value]
        ]

    def _of_direction(self, name):
        looked, preferred, computed = _PARAMETERS[name]
        get, find = f"cudnnGetConvolution{name}Algorithm_v7", f"cudnnFindConvolution{name}Algorithm"
        by_descriptor = " ".join(word for word in computed.split() if word.endswith("Desc"))

        def get_v6(handle, first, second, conv, third, preference, limit):
            most = limit if preference == _SPECIFY_LIMIT else 0 if preference == _NO_WORKSPACE else None
            for one in self._perfs(self._library, get, (handle, first, second, conv, third), 10):
                if one.status == 0 and (most is None or one.memory <= most):
                    return one.algo
            return fail("NOT_SUPPORTED", f"no algorithm needs at most {most} bytes of workspace")

        def get_v7(*args):
            return self._perfs(self._library, get, args[:5], args[5])

        def find_alone(*args):
            return self._perfs(self._library, find, args[:5], args[5])

        def find_ex(*args):
            return self._perfs(self._computing, find + "Ex", args[:8], args[8], args[9:])

        ending = "handles, descriptors and addresses are numbers."
        extended = f"handle {computed} requestedAlgoCount workSpace workSpaceSizeInBytes"
        return {
            f"getConvolution{name}Algorithm_v6": (
                f"handle {preferred} preference memoryLimitInbytes",
                get_v6,
                f"The number of an algorithm, by ``{get}``; {ending}",
            ),
            f"getConvolution{name}Algorithm_v7": (
                f"handle {looked} requestedAlgoCount",
                get_v7,
                f"A list of CuDNNAlgoPerf, by ``{get}``; {ending}",
            ),
            f"findConvolution{name}Algorithm": (
                f"handle {by_descriptor} requestedAlgoCount",
                find_alone,
                f"A list of CuDNNAlgoPerf, by ``{find}``; {ending}",
            ),
            f"findConvolution{name}AlgorithmEx": (
                extended,
                find_ex,
                f"A list of CuDNNAlgoPerf, by ``{find}Ex``; {ending}",
            ),
            f"findConvolution{name}AlgorithmEx_v7": (
                extended,
                find_ex,
                f"A list of CuDNNAlgoPerf, by ``{find}Ex``; {ending}",
            ),
        }

    def _filter(self, desc, requested):
        if desc in REGISTRY:  # which knows sizes of 0, too
            return get_filter(desc, requested)
        number, form, count, sizes = *(ctypes.c_int() for _ in range(3)), (ctypes.c_int * requested)()
        self._library.call("cudnnGetFilterNdDescriptor", desc, requested, number, form, count, sizes)
        return number.value, form.value, count.value, tuple(sizes)

    def _runtime_error(self, handle, mode):
        status = ctypes.c_int()
        self._library.call("cudnnQueryRuntimeError", handle, status, mode, 0)
        return status.value

    def _convolution_v4(self, *args):
        self._library.call("cudnnSetConvolution2dDescriptor", *args, 0)

    def functions(self):
        """{name: function}."""
        described = {
            "getFilterNdDescriptor": (
                "wDesc nbDimsRequested",
                self._filter,
                "(dtype's number, format, how many axes, sizes), by ``cudnnGetFilterNdDescriptor``.",
            ),
            "queryRuntimeError": (
                "handle mode",
                self._runtime_error,
                "The status that ``cudnnQueryRuntimeError`` reports; 0: no failure.",
            ),
            "setConvolution2dDescriptor_v4": (
                "convDesc pad_h pad_w u v dilation_h dilation_w mode",
                self._convolution_v4,
                "``cudnnSetConvolution2dDescriptor`` for a computation in single precision.",
            ),
        }
        for name in _PARAMETERS:
            described |= self._of_direction(name)
        return {name: self._make(name, *facts) for name, facts in described.items()}
