"""Draw the figures of a device as SVG: for each case a bar for every library."""

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
WIDTH, LEFT, RIGHT, TOP, BAR, GAP = 760, 190, 90, 64, 13, 12


def shown(seconds):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def rows_of(facts):
    """[(label, {library: seconds})] of the cases that the chart shows."""
    found, taken = [], set()
    for case in facts["cases"]:
        if case["name"] in CASES[facts["device"]] and case["name"] not in taken:
            taken.add(case["name"])
            small = ", 10 elements" if case["n"] == 10 else ""
            found.append((case["name"] + small, case["seconds"]))
    return found


def legend(modules):
    x, parts = LEFT, []
    for name in modules:
        parts.append(f'<rect x="{x}" y="38" width="12" height="12" rx="2" fill="{COLOURS[name]}"/>')
        parts.append(f'<text x="{x + 17}" y="48">{NAMES[name]}</text>')
        x += 100
    return parts


def draw(facts):
    """The text of the SVG; a bar's length is its share of the slowest one of the case."""
    modules = sorted(facts["modules"], key=lambda name: name != "tenorite")
    rows, y, parts = rows_of(facts), TOP, []
    for label, seconds in rows:
        there = [name for name in modules if name in seconds]
        middle = y + len(there) * BAR / 2 + 4
        parts.append(f'<text x="{LEFT - 10}" y="{middle:.0f}" text-anchor="end">{escape(label)}</text>')
        slowest = max(seconds.values())
        for name in there:
            width = max(2, (WIDTH - LEFT - RIGHT) * seconds[name] / slowest)
            parts.append(
                f'<rect x="{LEFT}" y="{y}" width="{width:.1f}" height="{BAR - 2}" rx="2" fill="{COLOURS[name]}"/>'
            )
            parts.append(f'<text class="small" x="{LEFT + width + 6:.1f}" y="{y + 9}">{shown(seconds[name])}</text>')
            y += BAR
        y += GAP
    height = y + 16  # with the line of the machine
    title = f"{TITLES[facts['device']]}: time of a call, shorter is better"
    style = "text{font:13px system-ui,sans-serif;fill:#24292f}.small{font-size:10px;fill:#57606a}.title{font-size:15px;font-weight:600}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
            f"<title>{title}</title><style>{style}</style>",
            f'<rect width="{WIDTH}" height="{height}" rx="8" fill="#ffffff"/>',
            f'<text class="title" x="{LEFT}" y="24">{title}</text>',
            *legend(modules),
            *parts,
            f'<text class="small" x="12" y="{y + 4}">{escape(caption(facts))}</text>',
            "</svg>",
            "",
        ]
    )
