"""Convolutions and pooling of the host beside PyTorch's, where it is installed.

    python bench/neural.py [--filter TEXT]

One thread each, and the thread's own time, so that a busy machine changes little; the least of
interleaved runs. The last column is our share of PyTorch's time.
"""

import argparse
import os
import time

os.environ["TENORITE_NUM_THREADS"] = "1"
os.environ.setdefault("TENORITE_BACKEND", "host")

import tenorite as tn
from tenorite import _core

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
SECONDS = 1.0  # of a row


def least(*calls):
    """The least time of each call, in milliseconds."""
    times = [float("inf")] * len(calls)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for k, call in enumerate(calls):
            begin = time.thread_time()
            call()
            times[k] = min(times[k], (time.thread_time() - begin) * 1000)
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


def cases():
    for layout in (torch.contiguous_format, torch.channels_last):
        end = " channels last" if layout == torch.channels_last else ""
        for name, sizes in CONVOLUTIONS.items():
            yield f"convolution {name}{end}", convolution(sizes, layout)
        for name, sizes in POOLINGS.items():
            yield f"largest {name}{end}", pooling(sizes, layout, 0)
            yield f"mean {name}{end}", pooling(sizes, layout, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", default="", help="only cases whose names have this")
    chosen = parser.parse_args().filter
    torch.set_num_threads(1)
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
