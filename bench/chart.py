"""Draw the figures of a device as SVG: for each case a bar for every library, all on one axis of
times, of which each line is ten times the one before. It is as wide as a phone."""

import math
import textwrap
from html import escape

from machine import caption

CASES = {
    "host": (
        "add",
        "exp",
        "sin of n/2 float64",
        "transposed copy",
        "a[mask]",
        "cumsum",
        "var",
        "sort",
        "argsort",
        "matmul int32",
    ),
    "cuda": (
        "a + b",
        "fused softplus",
        "add",
        "exp",
        "transposed copy",
        "sum, axis 0",
        "var",
        "cumsum",
        "sort",
        "from NumPy",
    ),
}
TITLES = {"host": "Two cores of a CPU", "cuda": "One H200"}
COLOURS = {"tenorite": "#0b7a75", "numpy": "#9aa5b1", "cupy": "#9aa5b1", "torch": "#d9a441"}
NAMES = {"tenorite": "Tenorite", "numpy": "NumPy", "cupy": "CuPy", "torch": "PyTorch"}
WIDTH, LEFT, RIGHT, TOP, BAR, GAP = 400, 122, 52, 84, 14, 13


def shown(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size * 0.9995:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def rows_of(facts):
    """[(label, {library: seconds})] of the cases that the chart shows."""
    found, taken = [], set()
    for case in facts["cases"]:
        if case["name"] in CASES[facts["device"]] and case["name"] not in taken:
            taken.add(case["name"])
            found.append((case["name"], size_of(case), case["seconds"]))
    return found


def size_of(case):
    """How large the arrays of a case are."""
    n = case["n"]
    if case["group"].startswith("matmul"):
        return f"{n} x {n}"
    return f"{n // 10**6} million" if n and n % 10**6 == 0 else f"{n:,} elements"


def legend(modules):
    x, parts = 12, []
    for name in modules:
        parts.append(f'<rect x="{x}" y="50" width="12" height="12" rx="2" fill="{COLOURS[name]}"/>')
        parts.append(f'<text x="{x + 17}" y="60">{NAMES[name]}</text>')
        x += 100
    return parts


def axis_of(rows):
    """The decades below the shortest and above the longest time."""
    times = [seconds for _, _, there in rows for seconds in there.values()]
    return math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))


def draw(facts):
    """The text of the SVG."""
    modules = sorted(facts["modules"], key=lambda name: name != "tenorite")
    rows, y, bars = rows_of(facts), TOP, []
    first, last = axis_of(rows)

    def place(seconds):
        return LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(seconds) - first) / (last - first)

    for label, size, seconds in rows:
        there = [name for name in modules if name in seconds]
        middle = y + len(there) * BAR / 2
        bars.append(f'<text x="{LEFT - 8}" y="{middle - 1:.0f}" text-anchor="end">{escape(label)}</text>')
        bars.append(f'<text class="small" x="{LEFT - 8}" y="{middle + 11:.0f}" text-anchor="end">{size}</text>')
        for name in there:
            end = place(seconds[name])
            bars.append(
                f'<rect x="{LEFT}" y="{y}" width="{end - LEFT:.1f}" height="{BAR - 2}" rx="2" fill="{COLOURS[name]}"/>'
            )
            bars.append(f'<text class="small" x="{end + 6:.1f}" y="{y + 10}">{shown(seconds[name])}</text>')
            y += BAR
        y += GAP
    machine = textwrap.wrap(caption(facts), 62)
    height = y + 18 + 14 * len(machine)
    title = f"{TITLES[facts['device']]}: time of a call"
    style = "text{font:13px system-ui,sans-serif;fill:#24292f}.small{font-size:11px;fill:#57606a}.title{font-size:15px;font-weight:600}"
    lines = [
        f'<line x1="{place(10.0**power):.1f}" x2="{place(10.0**power):.1f}" y1="{TOP - 6}" y2="{y - 4}" stroke="#e3e6ea"/>'
        + f'<text class="small" x="{place(10.0**power):.1f}" y="{y + 8}" text-anchor="middle">{shown(10.0**power)}</text>'
        for power in range(first, last + 1)
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
            f"<title>{title}</title><style>{style}</style>",
            f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#ffffff"/>',
            f'<text class="title" x="12" y="22">{title}</text>',
            '<text class="small" x="12" y="39">shorter is better</text>',
            *legend(modules),
            *lines,
            *bars,
            *(
                f'<text class="small" x="12" y="{y + 26 + 14 * k}">{escape(line)}</text>'
                for k, line in enumerate(machine)
            ),
            "</svg>",
            "",
        ]
    )
