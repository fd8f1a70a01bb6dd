"""cuDNN's primitives through tenorite.cudnn beside PyTorch's, on a GPU.

    python bench/networks.py [--filter TEXT] [--other]

Maps of 64 x 64 x 56 x 56; float32 is not rounded to TF32 unless TENORITE_TF32=1. Both run in turn
in the same process, and each is waited for; medians, in us. The last column is our share of
PyTorch's time. A call on maps of 1 x 1 is what a call costs; "calls" are 200 of them before one
wait. --other: a column of what else could do it, cuDNN's older interface for convolutions, and
Tenorite's own functions for the rest.
"""

import argparse
import os
import statistics
import time

import numpy
import tenorite as cp
import torch
from tenorite import cudnn
from tenorite.cuda import cudnn as raw
from tenorite.cudnn import _plans, _served

SHAPE = (64, 64, 56, 56)
# name: shape, outputs, width, stride, pad, groups
CONVOLUTIONS = {
    "3x3": (SHAPE, 64, 3, 1, 1, 1),
    "1x1": (SHAPE, 64, 1, 1, 0, 1),
    "depthwise 3x3": (SHAPE, 64, 3, 1, 1, 64),
    "3x3 stride 2": (SHAPE, 64, 3, 2, 1, 1),
    "call": ((1, 8, 1, 1), 8, 1, 1, 0, 1),
    "calls": ((1, 8, 1, 1), 8, 1, 1, 0, 1),
}
REPEATS, CALLS = 30, 200


def medians(*calls):
    found = [[] for _ in calls]
    for turn in range(REPEATS + 5):
        for call, times in zip(calls, found, strict=True):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            call()
            torch.cuda.synchronize()
            if turn >= 5:
                times.append(1e6 * (time.perf_counter() - begin))
    return [statistics.median(times) for times in found]


def both(shape, dtype):
    """The same numbers for PyTorch and for us."""
    numbers = numpy.random.default_rng(0).standard_normal(shape, "f").astype(dtype)
    return torch.from_numpy(numbers).cuda(), cp.asarray(numbers)


def channels_last(x, ax):
    """The same with the channels last."""
    return x.to(memory_format=torch.channels_last), cp.ascontiguousarray(ax.transpose(0, 2, 3, 1))


def convolution(sizes, dtype, is_last):
    shape, outputs, width, stride, pad, groups = sizes
    lie = channels_last if is_last else lambda x, ax: (x, ax)
    x, ax = lie(*both(shape, dtype))
    w, aw = lie(*both((outputs, shape[1] // groups, width, width), dtype))
    y = torch.nn.functional.conv2d(x, w, None, stride, pad, 1, groups)
    dy, ady = lie(*both(tuple(y.shape), dtype))
    made = cp.empty_like(ady), cp.empty_like(ax), cp.empty_like(aw)
    facts = (pad, pad), (stride, stride), (1, 1), groups
    tuned = {"auto_tune": True, "tensor_core": "auto", "d_layout": int(is_last), "w_layout": int(is_last)}

    def theirs(*wanted):
        options = [stride] * 2, [pad] * 2, [1, 1], False, [0, 0], groups, [*wanted, False]
        return lambda: torch.ops.aten.convolution_backward(dy, x, w, None, *options)

    yield (
        "y",
        lambda: torch.nn.functional.conv2d(x, w, None, stride, pad, 1, groups),
        lambda: cudnn.convolution_forward(ax, aw, None, made[0], *facts, **tuned),
    )
    tuned["deterministic"] = False
    yield "dx", theirs(True, False), lambda: cudnn.convolution_backward_data(aw, ady, None, made[1], *facts, **tuned)
    yield "dw", theirs(False, True), lambda: cudnn.convolution_backward_filter(ax, ady, made[2], *facts, **tuned)


def pooling(dtype, shape, width, stride, pad, is_mean):
    x, ax = both(shape, dtype)
    facts = [width] * 2, [stride] * 2, [pad] * 2
    if is_mean:
        pool = lambda: torch.nn.functional.avg_pool2d(x, width, stride, pad)
        backward = lambda: torch.ops.aten.avg_pool2d_backward(dy, x, *facts, False, True, None)
    else:
        pool = lambda: torch.nn.functional.max_pool2d(x, width, stride, pad)
        of_max = torch.ops.aten.max_pool2d_with_indices_backward
        places = torch.nn.functional.max_pool2d(x, width, stride, pad, return_indices=True)[1]
        backward = lambda: of_max(dy, x, *facts, [1, 1], False, places)
    dy, ady = both(tuple(pool().shape), dtype)
    made, mode = cp.empty_like(ady), raw.CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING if is_mean else 0
    yield "y", pool, lambda: cudnn.pooling_forward(ax, made, *facts, mode)
    yield "dx", backward, lambda: cudnn.pooling_backward(ax, made, ady, *facts, mode)


def norm(dtype, shape, is_last):
    (x, ax), (dy, ady) = both(shape, dtype), both(shape, dtype)
    if is_last:
        (x, ax), (dy, ady) = channels_last(x, ax), channels_last(dy, ady)
    gamma, beta, mean, variance = (torch.ones(shape[1], device="cuda") for _ in range(4))
    ours = [cp.ones(shape[1], "f") for _ in range(4)]
    is_map = len(shape) == 4
    maps = is_map, raw.CUDNN_BATCHNORM_SPATIAL if is_map else raw.CUDNN_BATCHNORM_PER_ACTIVATION, False, int(is_last)
    yield (
        "y",
        lambda: torch.native_batch_norm(x, gamma, beta, mean, variance, True, 0.1, 1e-5),
        lambda: cudnn.batch_normalization_forward_training_ex(ax, *ours, None, None, 1e-5, 0.9, *maps),
    )
    yield (
        "given y",
        lambda: torch.native_batch_norm(x, gamma, beta, mean, variance, False, 0.1, 1e-5),
        lambda: cudnn.batch_normalization_forward_inference(ax, *ours, 1e-5, *maps[:2], maps[3]),
    )
    kept = torch.native_batch_norm(x, gamma, beta, mean, variance, True, 0.1, 1e-5)[1:]
    options = gamma, mean, variance, *kept, True, 1e-5, [True] * 3
    yield (
        "dx",
        lambda: torch.ops.aten.native_batch_norm_backward(dy, x, *options),
        lambda: cudnn.batch_normalization_backward(ax, ours[0], ady, ours[2], ours[3], 1e-5, *maps),
    )


def softmax(dtype, shape, axis):
    (x, ax), (dy, ady) = both(shape, dtype), both(shape, dtype)
    y, ay = torch.softmax(x, axis), cudnn.softmax_forward(ax, axis, raw.CUDNN_SOFTMAX_ACCURATE)
    yield "y", lambda: torch.softmax(x, axis), lambda: cudnn.softmax_forward(ax, axis, raw.CUDNN_SOFTMAX_ACCURATE)
    yield (
        "dx",
        lambda: torch.ops.aten._softmax_backward_data(dy, y, axis, y.dtype),
        lambda: cudnn.softmax_backward(ay, ady, axis, raw.CUDNN_SOFTMAX_ACCURATE),
    )


def activation(dtype, shape):
    (x, ax), (dy, ady) = both(shape, dtype), both(shape, dtype)
    y, ay = torch.tanh(x), cudnn.activation_forward(ax, raw.CUDNN_ACTIVATION_TANH)
    yield "y", lambda: torch.tanh(x), lambda: cudnn.activation_forward(ax, raw.CUDNN_ACTIVATION_TANH)
    yield (
        "dx",
        lambda: torch.ops.aten.tanh_backward(dy, y),
        lambda: cudnn.activation_backward(ax, ay, ady, raw.CUDNN_ACTIVATION_TANH),
    )


# name: function and its arguments after the dtype
OTHERS = {
    "largest 3x3 stride 2": (pooling, SHAPE, 3, 2, 1, False),
    "largest 2x2": (pooling, SHAPE, 2, 2, 0, False),
    "largest 3x3 small": (pooling, (8, 64, 14, 14), 3, 1, 1, False),
    "mean 3x3 stride 2": (pooling, SHAPE, 3, 2, 1, True),
    "mean 7x7 of 7": (pooling, (64, 512, 7, 7), 7, 7, 0, True),
    "batch norm": (norm, SHAPE, False),
    "batch norm last": (norm, SHAPE, True),
    "batch norm of 14": (norm, (32, 256, 14, 14), False),
    "batch norm of rows": (norm, (256, 1024), False),
    "softmax 4096 x 1000": (softmax, (4096, 1000), 1),
    "softmax 64 x 128": (softmax, (64, 128), 1),
    "softmax 64 x 100000": (softmax, (64, 100000), 1),
    "softmax of channels": (softmax, (8, 64, 56, 56), 1),
    "tanh": (activation, SHAPE),
    "tanh of 1000": (activation, (1000,)),
}


def repeated(rows):
    """Many calls before one wait."""
    for what, *calls in rows:
        yield what, *(lambda call=call: [call() for _ in range(CALLS)] for call in calls)


def cases():
    for dtype in ("float16", "float32"):
        for name, sizes in CONVOLUTIONS.items():
            rows = convolution(sizes, dtype, False)
            yield f"convolution {name} {dtype}", repeated(rows) if name == "calls" else rows
            if not name.startswith("call"):
                yield f"convolution {name} last {dtype}", convolution(sizes, dtype, True)
        for name, (function, *facts) in OTHERS.items():
            yield f"{name} {dtype}", function(dtype, *facts)


def instead(call, owner, name, value):
    """The same with another value in a module."""
    usual = getattr(owner, name)

    def run():
        setattr(owner, name, value)
        call()
        setattr(owner, name, usual)

    return run


def other(name, call):
    """The same by cuDNN's older interface, or without cuDNN."""
    if name.startswith("convolution"):
        return instead(call, _plans, "is_on", False)
    return instead(call, _served, "serves", lambda *arrays: False)


def show(name, times):
    share = times[1] / times[0]
    print(f"{name:48}" + "".join(f"{one:9.1f}" for one in times) + f"{share:7.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--filter", default="", help="only cases whose names have this")
    parser.add_argument("--other", action="store_true", help="also what else could do it")
    options = parser.parse_args()
    chosen = options.filter
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}")
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.allow_tf32 = os.environ.get("TENORITE_TF32") == "1"
    print(f"{'':48}{'PyTorch':>9}{'ours':>9}{'other' if options.other else '':>9}  share")
    with torch.no_grad():
        for name, rows in cases():
            if chosen not in name:
                continue
            for what, *calls in rows:
                if options.other:
                    calls.append(other(name, calls[-1]))
                try:
                    show(f"{name} {what}", medians(*calls))
                except Exception as error:
                    print(f"{name + ' ' + what:48}{type(error).__name__}: {str(error)[:90]}")
    print(f"plans: {_plans.told()}")


if __name__ == "__main__":
    main()
