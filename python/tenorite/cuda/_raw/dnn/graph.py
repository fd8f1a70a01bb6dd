"""cuDNN's graph interface: descriptors of its backend, and the plans that its heuristics offer for
a convolution.

A graph has one operation, whose arrays have the unique ids 1 and 2 (the inputs, in the order of the
older interface) and 3 (the result). Heuristics name configurations of engines, the best first;
notes say what an engine does. A plan is an engine that is ready to run, and needs so much
workspace.
"""

import ctypes

from tenorite import _core
from tenorite.cuda._raw.dnn.convolution import CROSS_CORRELATION, DATA, FILTER, FORWARD
from tenorite.cuda._raw.dnn.descriptors import STATUS, CuDNNError, status_name
from tenorite.cuda._raw.tables import symbol

# Names and numbers, after cudnn_graph.h of version 9: types of attributes,
_TYPES = {
    "handle": (0, ctypes.c_void_p),
    "dtype": (1, ctypes.c_int),
    "truth": (2, ctypes.c_bool),
    "int64": (3, ctypes.c_int64),
    "float": (4, ctypes.c_float),
    "double": (5, ctypes.c_double),
    "convolution": (7, ctypes.c_int),
    "mode": (8, ctypes.c_int),
    "note": (11, ctypes.c_int),
    "descriptor": (15, ctypes.c_void_p),
}
# and kinds of descriptors: number, then their attributes with numbers and types. "real" is float
# or double, as the operation is computed.
_KINDS = """
convolution 1: compute 100 dtype, mode 101 convolution, dilations 102 int64, strides 103 int64, post 104 int64, \
pre 105 int64, axes 106 int64
engine 2: notes 1303 note
config 3: engine 300 descriptor
heuristics 4: mode 200 mode, graph 201 descriptor, results 202 descriptor
plan 5: handle 400 handle, config 401 descriptor, workspace 402 int64
forward 10: alpha 700 real, beta 701 real, convolution 702 descriptor, w 703 descriptor, x 704 descriptor, \
y 705 descriptor
filter 11: alpha 712 real, beta 713 real, convolution 714 descriptor, w 715 descriptor, x 716 descriptor, \
y 717 descriptor
data 12: alpha 706 real, beta 707 real, convolution 708 descriptor, w 709 descriptor, x 710 descriptor, \
y 711 descriptor
graph 15: handle 800 handle, operations 801 descriptor
tensor 17: alignment 900 int64, dtype 901 dtype, sizes 902 int64, strides 903 int64, id 906 int64
"""
HEURISTICS_INSTANT, HEURISTICS_FALLBACK, HEURISTICS_A = 0, 2, 3
# What notes say of an engine.
TENSOR_CORE, DOWN_CONVERTS, REDUCES_NARROWLY, NOT_DETERMINISTIC = 0, 1, 2, 4
_NOTES_MAX = 64
_KIND_NAMES = {FORWARD: "forward", DATA: "data", FILTER: "filter"}
# The operation's name of each array, in the order of the older interface.
_ARRAYS = {FORWARD: "xwy", DATA: "wyx", FILTER: "xyw"}
_FUNCTIONS = ("CreateDescriptor", "DestroyDescriptor", "SetAttribute", "GetAttribute", "Finalize", "Execute")
# Beginnings of statuses that say: cuDNN has no such function.
_REFUSALS = ("NOT_SUPPORTED", "ARCH_MISMATCH", "BAD_PARAM", "INVALID_VALUE")


def _read(text):
    """{kind: number}, {(kind, attribute): (number, type)}."""
    numbers, attributes = {}, {}
    for line in text.strip().splitlines():
        head, _, rest = line.partition(": ")
        kind, number = head.split()
        numbers[kind] = int(number)
        for part in rest.split(","):
            name, number, type_name = part.split()
            attributes[kind, name] = int(number), type_name
    return numbers, attributes


_NUMBERS, _ATTRIBUTES = _read(_KINDS)


def is_refusal(error):
    """Whether cuDNN said that it has no such function."""
    return status_name(error.status).startswith(_REFUSALS)


def missing_functions(library):
    """The functions of the interface that the installed cuDNN lacks."""
    found = []
    for name in _FUNCTIONS:
        try:
            symbol(library.name, f"cudnnBackend{name}")
        except NotImplementedError:
            found.append(f"cudnnBackend{name}")
    return found


class Descriptor:
    """A descriptor of a kind of `_KINDS`, which ends with the object unless it is handed over."""

    def __init__(self, library, kind):
        self.kind, self.number, made = kind, 0, ctypes.c_void_p()
        self._library, self._device = library, library.number(kind)
        self._call("CreateDescriptor", _NUMBERS[kind], made)
        self.number = made.value

    def _call(self, name, *words):
        self._library.call_on(self._device, f"cudnnBackend{name}", words)

    def _attribute(self, name, real):
        number, type_name = _ATTRIBUTES[self.kind, name]
        return number, *_TYPES[real if type_name == "real" else type_name]

    def set(self, name, *values, real=None):
        """Sets an attribute; `real` is the type of one that is float or double."""
        number, type_number, kind = self._attribute(name, real)
        given = [value.number if isinstance(value, Descriptor) else value for value in values]
        self._call("SetAttribute", self.number, number, type_number, len(given), (kind * len(given))(*given))

    def get(self, name, most):
        """The values of an attribute, `most` of them at most."""
        number, type_number, kind = self._attribute(name, None)
        count, found = ctypes.c_int64(), (kind * max(most, 1))()
        self._call("GetAttribute", self.number, number, type_number, most, count, found)
        return list(found[: min(count.value, most)])

    def count(self, name):
        """How many values an attribute has."""
        number, type_number, _ = self._attribute(name, None)
        found = ctypes.c_int64()
        self._call("GetAttribute", self.number, number, type_number, 0, found, 0)
        return found.value

    def fill(self, name, descriptors):
        """Fills new descriptors by those of an attribute, and gives those that were filled."""
        number, type_number, kind = self._attribute(name, None)
        count, numbers = ctypes.c_int64(), (kind * len(descriptors))(*[one.number for one in descriptors])
        self._call("GetAttribute", self.number, number, type_number, len(descriptors), count, numbers)
        return descriptors[: count.value]

    def finalize(self):
        self._call("Finalize", self.number)
        return self

    def hand_over(self):
        """The number of the descriptor, which another object ends."""
        number, self.number = self.number, 0
        return number

    def __del__(self):
        number = self.__dict__.get("number", 0)
        if number:
            try:
                self._call("DestroyDescriptor", number)
            except Exception:
                pass


class Problem:
    """A convolution: its kind, for each array its sizes and its strides in elements, in the order
    of the older interface and with the channels second; the numbers of the dtypes of arrays and
    computation; pads, strides and dilations; the bytes of which addresses are multiples."""

    def __init__(self, kind, arrays, dtype, compute, facts, alignment):
        self.kind, self.arrays, self.dtype, self.compute = kind, arrays, dtype, compute
        self.pads, self.strides, self.dilations = facts
        self.alignment = alignment

    def describe(self, library, handle):
        """The descriptors of the graph, itself last."""
        tensors = [self._tensor(library, number + 1, *facts) for number, facts in enumerate(self.arrays)]
        convolution = Descriptor(library, "convolution")
        convolution.set("compute", self.compute)
        convolution.set("mode", CROSS_CORRELATION)
        convolution.set("axes", len(self.pads))
        for name in ("pre", "post"):
            convolution.set(name, *self.pads)
        convolution.set("strides", *self.strides)
        convolution.set("dilations", *self.dilations)
        operation, real = Descriptor(library, _KIND_NAMES[self.kind]), "double" if self.compute == 1 else "float"
        operation.set("alpha", 1.0, real=real)
        operation.set("beta", 0.0, real=real)
        operation.set("convolution", convolution.finalize())
        for name, tensor in zip(_ARRAYS[self.kind], tensors):
            operation.set(name, tensor)
        graph = Descriptor(library, "graph")
        graph.set("handle", handle)
        graph.set("operations", operation.finalize())
        return [*tensors, convolution, operation, graph.finalize()]

    def _tensor(self, library, number, sizes, strides):
        tensor = Descriptor(library, "tensor")
        tensor.set("dtype", self.dtype)
        tensor.set("sizes", *sizes)
        tensor.set("strides", *strides)
        tensor.set("id", number)
        tensor.set("alignment", self.alignment)
        return tensor.finalize()


class Plan:
    """An engine that is ready to run: the bytes of `workspace`, its `notes`; `milliseconds` is what
    a run took, if it was measured; `is_short`: it was looked for with less memory than was
    allowed."""

    milliseconds, is_short = None, False

    def __init__(self, capsule, workspace, notes):
        self.capsule, self.workspace, self.notes = capsule, workspace, notes

    def run(self, first, second, result):
        """Queues a run on the current stream; cuDNN's status, or `_core`'s for other addresses."""
        return _core._cudnn_run(self.capsule, first, second, result)


class Search:
    """The plans of a problem, of engines whose notes are among none of `without`."""

    def __init__(self, library, handle, problem, without):
        self._library, self._handle, self._problem, self._without = library, handle, problem, without
        self._graph = problem.describe(library, handle)

    def _configs(self, mode):
        """The configurations of a mode of the heuristics; none where cuDNN lacks the mode."""
        heuristics = Descriptor(self._library, "heuristics")
        heuristics.set("graph", self._graph[-1])
        try:
            heuristics.set("mode", mode)
            heuristics.finalize()
            count = heuristics.count("results")
            return heuristics.fill("results", [Descriptor(self._library, "config") for _ in range(count)])
        except CuDNNError as error:
            if not is_refusal(error):
                raise
            return []

    def _notes(self, config):
        engine = Descriptor(self._library, "engine")
        config.fill("engine", [engine])
        return frozenset(engine.get("notes", _NOTES_MAX))

    def _plan(self, config, notes):
        """The plan of a configuration; None: cuDNN has none."""
        plan = Descriptor(self._library, "plan")
        try:
            plan.set("handle", self._handle)
            plan.set("config", config)
            plan.finalize()
        except CuDNNError as error:
            if not is_refusal(error):
                raise
            return None
        (workspace,) = plan.get("workspace", 1)
        device = self._library.number("cudnnBackendExecute")
        capsule = _core._cudnn_plan(self._handle, plan.number, workspace, self._problem.alignment, device)
        plan.hand_over()
        made = Plan(capsule, workspace, notes)
        made.config = config
        return made

    def _plans_of(self, mode):
        for config in self._configs(mode):
            notes = self._notes(config)
            plan = None if notes & self._without else self._plan(config, notes)
            if plan is not None:
                yield plan

    def plans(self):
        """The plans, the best first, and then those of the fallback."""
        is_found = False
        for mode in (HEURISTICS_A, HEURISTICS_INSTANT, HEURISTICS_FALLBACK):
            if is_found and mode == HEURISTICS_INSTANT:
                continue  # the older name of mode A
            for plan in self._plans_of(mode):
                is_found = True
                yield plan

    def choose(self, plan):
        """Gives a plan all that its descriptor refers to; the search ends."""
        parts = [plan.config, *reversed(self._graph)]
        _core._cudnn_plan_adopt(plan.capsule, tuple(part.number for part in parts))
        for part in parts:
            part.hand_over()
        del plan.config
        return plan


def refused(info):
    """The failure of a problem that has no plan."""
    return CuDNNError(STATUS["NOT_SUPPORTED"], info)
