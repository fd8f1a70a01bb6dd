"""Convolutions by plans of cuDNN's graph interface, which are kept.

A call that was made before is a look into a dictionary and a run in C. For a new one the plans that
cuDNN's heuristics offer are gone through, the best first: one is taken that is allowed
(determinism, tensor cores, TF32) and needs no more workspace than it may, the first of them, or,
where it is to be tuned, the one whose run was shortest. What has no plan is noted as well: cuDNN's
older interface, whose algorithms are those of version 7, does it. `figures` counts, and
`show_config` tells.

Each thread has plans of its own, for a plan belongs to the handle that made it.
"""

import collections
import itertools
import os
import threading

import tenorite
from tenorite import _core
from tenorite.cuda import cudnn
from tenorite.cuda._raw.dnn import convolution as ours, graph
from tenorite.cuda._raw.dnn.descriptors import NHWC, STATUS, packed, status_name
from tenorite.cuda.memory import OutOfMemoryError
from tenorite.cudnn import _descriptors
from tenorite.cudnn._descriptors import KEPT, as_nchw, compute_number, contiguous, get_data_type, get_handle
from tenorite.cudnn._served import is_refusal, limits, warn
from tenorite.exceptions import PerformanceWarning

_KINDS = {ours.FORWARD: 0, ours.DATA: 1, ours.FILTER: 2}
_TEXTS = {ours.FORWARD: "fwd", ours.DATA: "bwd data", ours.FILTER: "bwd filter"}
# The place of the filters among a kind's arrays.
FILTERS = {ours.FORWARD: 1, ours.DATA: 0, ours.FILTER: 2}
_CORES = {"always": 0, "auto": 1, "never": 2}
_ALIGNMENT = 16  # bytes, of which addresses are multiples, if they can
_TRIED = 10  # plans, where a call is tuned
_TIMES = 3  # runs of each

# Plans that were made, and calls that went by the older interface, by what cuDNN said.
figures = collections.Counter()
# Whether plans are used at all.
is_on = os.environ.get("TENORITE_CUDNN_GRAPHS") != "0"


class _Kept(threading.local):
    """What was found for a key: a plan, or the status of a refusal."""

    def __init__(self):
        self.found = {}


_kept = _Kept()


def _key(request):
    """What calls that one plan serves have in common; None where no plan can."""
    kind, (first, second, result), (pad, stride, dilation), groups, tuned, tensor_core, layouts = request
    choices = _KINDS[kind] | tuned[0] << 2 | tuned[1] << 3 | _CORES[tensor_core] << 4
    return _core._cudnn_key(first, second, result, pad, stride, dilation, groups, *layouts, choices)


def repeat(request):
    """Whether a call could be made by a plan that is kept; else nothing was done, not even a look
    at the arguments. `request`: the direction, two inputs and the result, (pads, strides,
    dilations), groups, (auto_tune, deterministic), tensor_core, (layout of the maps, of the
    filters)."""
    if not is_on:
        return False
    try:
        key = _key(request)
        plan = key and _kept.found.get((key, _descriptors.max_workspace_size, _descriptors.generation))
        if plan.__class__ is not graph.Plan or plan.is_short:
            return False
        return _core._cudnn_run(plan.capsule, *request[1]) == 0
    except (KeyError, TypeError, ValueError, OverflowError, OutOfMemoryError):
        return False


# --- Problems ---


def _is_dense(array):
    """Whether the elements lie without gaps, in some order of the axes."""
    step = array.itemsize
    for stride, size in sorted(zip(array.strides, array.shape)):
        if size == 1:
            continue
        if stride != step:
            return False
        step *= size
    return True


def _geometry(array, layout):
    """Sizes, and strides in elements, with the channels second; maps of one axis are such of a
    row. Strides of axes of one element, which may be any, are those of contiguous arrays."""
    view = as_nchw(array, layout)
    sizes, strides = list(view.shape), [stride // array.itemsize for stride in view.strides]
    if len(sizes) == 3:
        sizes.insert(2, 1)
        strides.insert(2, sizes[3] * strides[2])
    for form in (layout, NHWC - layout):
        wanted = packed(sizes, form)
        if all(a == b for a, b, size in zip(strides, wanted, sizes) if size > 1):
            return sizes, wanted
    return sizes, strides


def _problem(request, alignment):
    kind, arrays, facts, _, _, _, layouts = request
    dtype = arrays[0].dtype
    given = [_geometry(array, layouts[place == FILTERS[kind]]) for place, array in enumerate(arrays)]
    if arrays[0].ndim == 3:
        facts = [(first, *one) for first, one in zip((0, 1, 1), facts)]
    return graph.Problem(kind, given, get_data_type(dtype), compute_number(dtype), facts, alignment)


def _without(request):
    """What the notes of an engine may not say."""
    _, arrays, _, _, (_, is_deterministic), tensor_core, _ = request
    name, found = arrays[0].dtype.name, {graph.REDUCES_NARROWLY}
    if is_deterministic:
        found.add(graph.NOT_DETERMINISTIC)
    if name == "float32":
        found.add(graph.DOWN_CONVERTS)
    is_exact = name == "float32" and os.environ.get("TENORITE_TF32") != "1"
    if is_exact or (tensor_core == "never" and name != "float64"):
        found.add(graph.TENSOR_CORE)
    return found


# --- Choices ---


def _measure(plan, arrays):
    """Notes how long a run takes; raises what a failing one says."""
    begin, end = tenorite.cuda.Event(), tenorite.cuda.Event()
    times = []
    for _ in range(_TIMES + 1):  # the first is not counted
        begin.record()
        status = plan.run(*arrays)
        if status:
            raise cudnn.CuDNNError(status)
        end.record()
        end.synchronize()
        times.append(tenorite.cuda.get_elapsed_time(begin, end))
    plan.milliseconds = min(times[1:])


def _fastest(plans, arrays):
    """The plan whose run was shortest (None: there is none), and whether memory lacked for one.
    Plans that fail are left out, unless all do."""
    measured, failures, is_short = [], [], False
    for plan in plans:
        try:
            _measure(plan, arrays)
            measured.append(plan)
        except OutOfMemoryError as error:
            is_short = True
            failures.append(error)
        except cudnn.CuDNNError as error:
            failures.append(error)
    if failures and not measured:
        raise failures[-1]
    return min(measured, key=lambda plan: plan.milliseconds, default=None), is_short


def _search(request, limit, alignment):
    """The plan for such calls, or the status of a refusal."""
    kind, arrays, _, _, (auto_tune, is_deterministic), tensor_core, _ = request
    search = graph.Search(cudnn._library, get_handle(), _problem(request, alignment), _without(request))
    larger = []

    def fitting():
        for plan in search.plans():
            if plan.workspace <= limit:
                yield plan
            else:
                larger.append(plan.workspace)

    plans, plan, is_short = fitting(), None, False
    if auto_tune and not is_deterministic:
        plan, is_short = _fastest(itertools.islice(plans, _TRIED), arrays)
    else:
        plan = next(plans, None)
    if larger:
        warn(
            f"The best algo of conv {_TEXTS[kind]} might not be selected due to lack of workspace size ({limit})",
            PerformanceWarning,
        )
    if plan is None:
        return STATUS["NOT_SUPPORTED"]
    figures["plans"] += 1
    plan.is_short, plan.calls = is_short, 0
    return search.choose(plan)


def _alignment(arrays):
    is_aligned = all(array.data.ptr % _ALIGNMENT == 0 for array in arrays)
    return _ALIGNMENT if is_aligned else arrays[0].itemsize


def _find(request, key, limit):
    """The same, kept, and its key. A plan that was looked for with less memory than was allowed is
    looked for again at the second, fourth, eighth ... call."""
    alignment = _alignment(request[1])
    key = (key, limit, _descriptors.generation) + (() if alignment == _ALIGNMENT else (alignment,))
    kept, calls = _kept.found, 0
    found = kept.get(key)
    if found.__class__ is graph.Plan and found.is_short:
        found.calls = calls = found.calls + 1
        if calls & (calls - 1) == 0:
            found = None
    if found is None:
        found = _search(request, limit, alignment)
        if found.__class__ is graph.Plan:
            found.calls = max(calls, 1)
        kept.pop(key, None)
        while len(kept) >= KEPT:
            del kept[next(iter(kept))]
        kept[key] = found
    return found, key


def _run(request, key):
    """Runs a plan, with as much workspace as can be had; the status of a refusal, 0: done."""
    for limit in limits(_descriptors.max_workspace_size):
        try:
            found, noted = _find(request, key, limit)
            status = found if isinstance(found, int) else found.run(*request[1])
        except OutOfMemoryError:
            if not limit:
                raise
            continue
        if status and is_refusal(cudnn.CuDNNError(status)):
            _kept.found[noted] = status
        elif status:
            raise cudnn.CuDNNError(status, "func: cudnnBackendExecute")
        return status


def _attempts(request):
    """The call with its inputs as they lie in memory, and with contiguous ones."""
    kind, arrays, *rest = request
    if all(map(_is_dense, arrays)):
        yield request
    copies = (*map(contiguous, arrays[:-1]), arrays[-1])
    if any(copy is not array for copy, array in zip(copies, arrays)):
        yield (kind, copies, *rest)


def _said(request):
    kind, arrays, facts, groups, *_, layouts = request
    shapes = ", ".join(f"{array.shape} {array.dtype}" for array in arrays)
    pad, stride, dilation = facts
    return f"arrays {shapes}, {pad=}, {stride=}, {dilation=}, {groups=}, {layouts=}"


def compute(name, request):
    """Whether a call, whose arguments were looked at, was made by a plan. A failure of cuDNN that
    should not happen is a warning, and one in the middle of a run is raised."""
    if not is_on or _lacks():
        return False
    kind, arrays, facts, groups, tuned, tensor_core, layouts = request
    if tuned[0] and tenorite.cuda.get_current_stream().is_capturing():
        # A search would end the capture; a plan that is there serves.
        if repeat(request):
            return True
        request = (kind, arrays, facts, groups, (False, tuned[1]), tensor_core, layouts)
    get_handle()
    try:
        status = STATUS["NOT_SUPPORTED"]
        for attempt in _attempts(request):
            with arrays[-1].device:
                status = _run(attempt, _key(attempt))
            if not status:
                return True
    except cudnn.CuDNNError as error:
        error.add_info(_said(request))
        if error._infos[0].startswith("func: "):
            raise
        status = error.status
        if not is_refusal(error):
            text = "cuDNN's graph interface failed, its older one does the work"
            warn(f"cudnn.{name}: {text}: {error}", RuntimeWarning)
    figures[status_name(status)] += 1
    return False


_missing = []


def _lacks():
    """Whether the installed cuDNN lacks functions of the interface."""
    if not _missing:
        _missing.append(graph.missing_functions(cudnn._library))
    if _missing[0]:
        figures[f"without {_missing[0][0]}"] += 1
    return bool(_missing[0])


def told():
    """What `show_config` says of it."""
    older = ", ".join(f"{reason} {count}" for reason, count in figures.items() if reason != "plans")
    state = f"{figures['plans']} plans made" if is_on else "not used (TENORITE_CUDNN_GRAPHS is 0)"
    return state + (f"; calls by the older interface: {older}" if older else "")
