"""Convolutions, pooling, norms, softmax and activations of the host beside PyTorch's, where it is
installed.

    [TENORITE_NUM_THREADS=2] python bench/neural.py [--filter TEXT] [--dtype float16]

One thread each, if nothing else is said, and the thread's own time, so that a busy machine changes
little; of more threads the time that passes. The least of interleaved runs. The last column is our
share of PyTorch's time.
"""

import argparse
import os
import time

os.environ.setdefault("TENORITE_NUM_THREADS", "1")
os.environ.setdefault("TENORITE_BACKEND", "host")

import tenorite as tn
from tenorite import _core, cudnn
from tenorite.cuda import cudnn as raw

try:
    import torch
except ImportError:
    raise SystemExit("bench/neural.py needs PyTorch") from None

# name: batch, channels, size, outputs, filter, stride, pad, groups
CONVOLUTIONS = {
    "3x3 64": (4, 64, 56, 64, 3, 1, 1, 1),
    "1x1 64 to 256": (4, 64, 56, 256, 1, 1, 0, 1),
    "1x1 256 to 64": (4, 256, 28, 64, 1, 1, 0, 1),
    "3x3 stride 2": (4, 64, 56, 128, 3, 2, 1, 1),
    "1x1 stride 2": (4, 64, 56, 128, 1, 2, 0, 1),
    "depthwise 3x3": (8, 64, 56, 64, 3, 1, 1, 64),
    "depthwise stride 2": (8, 64, 56, 64, 3, 2, 1, 64),
    "7x7 stride 2 of 3": (4, 3, 112, 64, 7, 2, 3, 1),
    "3x3 256 of 14": (8, 256, 14, 256, 3, 1, 1, 1),
    "3x3 512 of 7": (8, 512, 7, 512, 3, 1, 1, 1),
}
# name: batch, channels, size, window, stride, pad
POOLINGS = {
    "3x3 stride 2": (8, 64, 56, 3, 2, 1),
    "2x2": (8, 64, 56, 2, 2, 0),
    "3x3 stride 1": (8, 64, 28, 3, 1, 1),
    "7x7 of 7": (8, 512, 7, 7, 7, 0),
}
# name: shape, axis
SOFTMAXES = {"of 1000": ((4096, 1000), 1), "of 128": ((8, 12, 128, 128), 3), "of channels": ((8, 64, 56, 56), 1)}
MAPS = (8, 64, 56, 56)
# name: number, coefficient, PyTorch's function, and its gradient of that of y, x and y
ACTIVATIONS = {
    "sigmoid": (
        raw.CUDNN_ACTIVATION_SIGMOID,
        0.0,
        torch.sigmoid,
        lambda d, x, y: torch.ops.aten.sigmoid_backward(d, y),
    ),
    "relu": (raw.CUDNN_ACTIVATION_RELU, 0.0, torch.relu, lambda d, x, y: torch.ops.aten.threshold_backward(d, y, 0)),
    "tanh": (raw.CUDNN_ACTIVATION_TANH, 0.0, torch.tanh, lambda d, x, y: torch.ops.aten.tanh_backward(d, y)),
    "relu of 6": (
        raw.CUDNN_ACTIVATION_CLIPPED_RELU,
        6.0,
        torch.nn.functional.relu6,
        lambda d, x, y: torch.ops.aten.hardtanh_backward(d, x, 0, 6),
    ),
    "elu": (
        raw.CUDNN_ACTIVATION_ELU,
        1.0,
        torch.nn.functional.elu,
        lambda d, x, y: torch.ops.aten.elu_backward(d, 1, 1, 1, False, x),
    ),
}
SECONDS = 1.0  # of a row
THREADS = int(os.environ["TENORITE_NUM_THREADS"])
clock = time.thread_time if THREADS == 1 else time.perf_counter


def least(*calls):
    """The least time of each call, in milliseconds."""
    times = [float("inf")] * len(calls)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for k, call in enumerate(calls):
            begin = clock()
            call()
            times[k] = min(times[k], (clock() - begin) * 1000)
    return times


def ours_of(tensor):
    """The same numbers in the same layout."""
    if tensor.is_contiguous():
        return tn.asarray(tensor.numpy())
    return tn.asarray(tensor.permute(0, 2, 3, 1).numpy()).transpose(0, 3, 1, 2)


def convolution(sizes, layout):
    """(what, PyTorch's call, our call) for each direction."""
    batch, channels, size, outputs, width, stride, pad, groups = sizes
    x = torch.randn(batch, channels, size, size).contiguous(memory_format=layout)
    w = torch.randn(outputs, channels // groups, width, width).contiguous(memory_format=layout)
    y = torch.nn.functional.conv2d(x, w, None, stride, pad, 1, groups)
    dy = torch.randn_like(y)
    ours = {"x": ours_of(x), "w": ours_of(w), "y": ours_of(dy)}
    lists = (pad, pad), (stride, stride), (1, 1), groups, False, 1.0, 0.0

    def backward(*wanted):
        options = [stride] * 2, [pad] * 2, [1, 1], False, [0, 0], groups, [*wanted, False]
        return torch.ops.aten.convolution_backward(dy, x, w, None, *options)

    def call(name, *arrays):
        result = tn.empty_like(ours[arrays[-1]])
        getattr(_core, f"_convolve_{name}")(*(ours[a] for a in arrays[:-1]), result, *lists)

    yield (
        "y",
        lambda: torch.nn.functional.conv2d(x, w, None, stride, pad, 1, groups),
        lambda: call("forward", "x", "w", "y"),
    )
    yield "dx", lambda: backward(True, False), lambda: call("backward_data", "y", "w", "x")
    yield "dw", lambda: backward(False, True), lambda: call("backward_filter", "x", "y", "w")


def pooling(sizes, layout, kind):
    batch, channels, size, width, stride, pad = sizes
    x = torch.randn(batch, channels, size, size).contiguous(memory_format=layout)
    pool = torch.nn.functional.avg_pool2d if kind else torch.nn.functional.max_pool2d
    y = pool(x, width, stride, pad)
    dy = torch.randn_like(y)
    of_x, of_dy, y_made, dx_made = ours_of(x), ours_of(dy), ours_of(y), ours_of(x)
    lists = kind, (width, width), (pad, pad), (stride, stride), False, 1.0, 0.0
    options = [width] * 2, [stride] * 2, [pad] * 2
    if kind:
        backward = lambda: torch.ops.aten.avg_pool2d_backward(dy, x, *options, False, True, None)
    else:
        places = torch.nn.functional.max_pool2d(x, width, stride, pad, return_indices=True)[1]
        of_max = torch.ops.aten.max_pool2d_with_indices_backward
        backward = lambda: of_max(dy, x, *options, [1, 1], False, places)
    yield "y", lambda: pool(x, width, stride, pad), lambda: _core._pooling_forward(of_x, y_made, *lists)
    yield "dx", backward, lambda: _core._pooling_backward(of_x, of_dy, dx_made, *lists)


def softmax(shape, axis, algorithm):
    x, dy = torch.randn(*shape), torch.randn(*shape)
    is_log = algorithm == raw.CUDNN_SOFTMAX_LOG
    function = torch.log_softmax if is_log else torch.softmax
    backward = torch.ops.aten._log_softmax_backward_data if is_log else torch.ops.aten._softmax_backward_data
    y = function(x, axis)
    of_x, of_y, of_dy = map(ours_of, (x, y, dy))
    yield "y", lambda: function(x, axis), lambda: cudnn.softmax_forward(of_x, axis, algorithm)
    yield ("dx", lambda: backward(dy, y, axis, x.dtype), lambda: cudnn.softmax_backward(of_y, of_dy, axis, algorithm))


def batch_norm(layout):
    x, dy = (torch.randn(*MAPS).contiguous(memory_format=layout) for _ in range(2))
    is_last = layout == torch.channels_last
    form = raw.CUDNN_TENSOR_NHWC if is_last else raw.CUDNN_TENSOR_NCHW
    of_x, of_dy = (tn.asarray(t.permute(0, 2, 3, 1).contiguous().numpy() if is_last else t.numpy()) for t in (x, dy))
    gamma, beta, mean, variance = (torch.ones(MAPS[1]) for _ in range(4))
    ours = [tn.ones(MAPS[1], "f") for _ in range(4)]
    maps = True, raw.CUDNN_BATCHNORM_SPATIAL
    yield (
        "y",
        lambda: torch.native_batch_norm(x, gamma, beta, mean, variance, True, 0.1, 1e-5),
        lambda: cudnn.batch_normalization_forward_training(of_x, *ours, None, None, 1e-5, 0.9, *maps, False, form),
    )
    yield (
        "given y",
        lambda: torch.native_batch_norm(x, gamma, beta, mean, variance, False, 0.1, 1e-5),
        lambda: cudnn.batch_normalization_forward_inference(of_x, *ours, 1e-5, *maps, form),
    )
    kept = torch.native_batch_norm(x, gamma, beta, mean, variance, True, 0.1, 1e-5)[1:]
    options = gamma, mean, variance, *kept, True, 1e-5, [True] * 3
    yield (
        "dx",
        lambda: torch.ops.aten.native_batch_norm_backward(dy, x, *options),
        lambda: cudnn.batch_normalization_backward(of_x, ours[0], of_dy, *ours[2:], 1e-5, *maps, False, form),
    )


@tn.fuse
def of_layers(x, gamma, beta):
    """A layer norm, which cuDNN's names lack."""
    factor = 1 / tn.sqrt(x.var(1, keepdims=True) + 1e-5)
    return (x - x.mean(1, keepdims=True)) * factor * gamma + beta


def layer_norm(shape):
    x, gamma, beta = torch.randn(*shape), torch.ones(shape[1]), torch.ones(shape[1])
    ours = [tn.asarray(t.numpy()) for t in (x, gamma, beta)]
    yield "y", lambda: torch.native_layer_norm(x, shape[1:], gamma, beta, 1e-5), lambda: of_layers(*ours)


def activation(number, coefficient, function, backward):
    x, dy = torch.randn(*MAPS), torch.randn(*MAPS)
    y = function(x)
    of_x, of_y, of_dy = map(ours_of, (x, y, dy))
    yield "y", lambda: function(x), lambda: cudnn.activation_forward(of_x, number, coefficient)
    yield ("dx", lambda: backward(dy, x, y), lambda: cudnn.activation_backward(of_x, of_y, of_dy, number, coefficient))


def dropout():
    x, states = torch.randn(*MAPS), cudnn.DropoutStates(None, seed=1)
    of_x, mask = ours_of(x), torch.native_dropout(x, 0.5, True)[1]
    kept = states.forward(None, of_x, 0.5)[0]
    yield "y", lambda: torch.native_dropout(x, 0.5, True), lambda: states.forward(None, of_x, 0.5)
    yield (
        "dx",
        lambda: torch.ops.aten.native_dropout_backward(x, mask, 2.0),
        lambda: states.backward(None, of_x, 0.5, kept),
    )


def cases():
    for name, facts in SOFTMAXES.items():
        yield f"softmax {name}", softmax(*facts, raw.CUDNN_SOFTMAX_ACCURATE)
        yield f"log softmax {name}", softmax(*facts, raw.CUDNN_SOFTMAX_LOG)
    yield "layer norm of 1000", layer_norm((4096, 1000))
    for name, facts in ACTIVATIONS.items():
        yield name, activation(*facts)
    yield "dropout", dropout()
    for layout in (torch.contiguous_format, torch.channels_last):
        end = " channels last" if layout == torch.channels_last else ""
        yield f"batch norm{end}", batch_norm(layout)
        for name, sizes in CONVOLUTIONS.items():
            yield f"convolution {name}{end}", convolution(sizes, layout)
        for name, sizes in POOLINGS.items():
            yield f"largest {name}{end}", pooling(sizes, layout, 0)
            yield f"mean {name}{end}", pooling(sizes, layout, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--filter", default="", help="only cases whose names have this")
    parser.add_argument("--dtype", default="float32", help="of convolutions and pooling: float16, float64")
    given = parser.parse_args()
    chosen = given.filter
    torch.set_num_threads(THREADS)
    torch.set_default_dtype(getattr(torch, given.dtype))
    print(f"{'':44}{'PyTorch':>9}{'ours':>9}  share   (ms, PyTorch {torch.__version__})")
    with torch.no_grad():
        for name, rows in cases():
            if chosen not in name:
                continue
            for what, theirs, ours in rows:
                times = least(theirs, ours)
                print(f"{name + ' ' + what:44}{times[0]:9.3f}{times[1]:9.3f}{times[1] / times[0]:7.2f}", flush=True)


if __name__ == "__main__":
    main()
