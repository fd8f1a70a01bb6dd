"""What the examples share: a program under NumPy and under Tenorite, and pictures as PNG files."""

import struct
import time
import zlib

import numpy as np
import tenorite as tn

MODULES = {"numpy": np, "tenorite": tn}


def add_options(parser):
    """Which modules the program runs under."""
    parser.add_argument("--module", choices=(*MODULES, "both"), default="both", help="where it runs")


def timed(function, *arguments):
    """The result of a call, and the seconds until the device has done its work."""
    start = time.perf_counter()
    result = function(*arguments)
    tn.cuda.Device().synchronize()
    return result, time.perf_counter() - start


def run(program, module="both"):
    """Calls program(xp) with the modules and prints how long each took.

    The program returns {name: array or number}. The arrays come back as NumPy's, those of Tenorite
    if it ran; if both ran, they must be equal, floats within rounding errors.
    """
    results = {}
    for name, xp in MODULES.items():
        if module in (name, "both"):
            made, seconds = timed(program, xp)
            results[name] = {what: tn.asnumpy(value) for what, value in made.items()}
            print(f"{name:<9} {seconds:.3f} s")
    if len(results) == 2:
        for what, expected in results["numpy"].items():
            found = results["tenorite"][what]
            assert found.dtype == expected.dtype and found.shape == expected.shape, what
            if expected.dtype.kind in "fc":
                np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9, err_msg=what)
            else:
                np.testing.assert_array_equal(found, expected, err_msg=what)
        print("the results are equal")
    return results[list(results)[-1]]


def write_png(path, image):
    """An image (height, width, 3) of uint8 as an 8-bit RGB PNG file."""
    height, width, _ = image.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = image.reshape(height, -1)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.write(chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)))
        file.write(chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)))
        file.write(chunk(b"IEND", b""))


def draw_shares(path, title, seconds, texts=None):
    """Bars beside each other: the time of each program as a share of NumPy's.

    `seconds` is {name: {way: seconds}} of three ways, one of them "NumPy"; `texts`, {way: texts},
    stand at the ends.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        print("matplotlib is not installed: nothing is drawn")
        return
    names = list(seconds)
    shares = {way: [times[way] / times["NumPy"] for times in seconds.values()] for way in next(iter(seconds.values()))}
    figure = Figure(figsize=(7.6, 3.8), layout="constrained")
    axes = figure.add_subplot(title=title, xlabel="share of NumPy's time")
    for place, (way, colour) in enumerate(zip(shares, ("#0b7a75", "#d9a441", "#9aa5b1"), strict=True)):
        at = [k + 0.27 * (place - 1) for k in range(len(names))]
        bars = axes.barh(at, shares[way], 0.25, color=colour, label=way)
        if texts:
            axes.bar_label(bars, texts[way], padding=3, fontsize=7)
    if texts:
        axes.set_xlim(0, 1.2 * max(map(max, shares.values())))
    axes.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(frameon=False, loc="outside lower right", ncols=3, fontsize=8)
    figure.savefig(path, dpi=120)
    print(f"wrote {path}")
