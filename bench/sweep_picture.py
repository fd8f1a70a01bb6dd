"""Draws a sweep: ratio over size, one line an operation, as SVG that shows names under the
pointer."""

import math
import statistics
from collections import defaultdict
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 1000, 640, 60, 170, 20, 40
COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#777777", "#ee8866")
LABELS = 12  # lines that have their name beside them: the worst


def _geometric_mean(ratios):
    return math.exp(statistics.fmean(map(math.log, ratios)))


def _lines(results):
    """{(group, operation): [(size, mean ratio)]}, over dtypes and layouts."""
    points = defaultdict(lambda: defaultdict(list))
    for r in results:
        points[r["group"], r["name"]][r["n"]].append(r["ratio"])
    return {key: [(n, _geometric_mean(ratios)) for n, ratios in sorted(sizes.items())] for key, sizes in points.items()}


class _Axes:
    """Both axes are logarithmic."""

    def __init__(self, results):
        self.right = max(math.log10(r["n"]) for r in results) or 1
        ratios = [r["ratio"] for r in results]
        self.low = math.log2(min([0.25, *ratios]))
        self.high = math.log2(max([4, *ratios]))

    def x(self, n):
        return LEFT + math.log10(n) / self.right * (WIDTH - LEFT - RIGHT)

    def y(self, ratio):
        share = (math.log2(ratio) - self.low) / (self.high - self.low)
        return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _grid(axes, above):
    for power in range(math.floor(axes.low), math.ceil(axes.high) + 1):
        if not axes.low <= power <= axes.high:
            continue
        y, label = axes.y(2.0**power), str(2**power) if power >= 0 else f"1/{2**-power}"
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
    for power in range(int(axes.right) + 1):
        x = axes.x(10**power)
        yield f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{10**power:,}</text>'
    if above > 0:
        yield f'<path d="M{LEFT} {axes.y(above):.1f}H{WIDTH - RIGHT}" stroke="#c00" stroke-dasharray="6 4"/>'
    yield f'<text x="{LEFT}" y="{TOP - 6}">time by the fastest other\'s, over elements</text>'


def draw(results, above):
    """The text of an SVG file: means as lines, each case above the threshold as a dot."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" font-size="11"><rect width="100%" height="100%" fill="white"/>'
    )
    if not results:
        return head + "</svg>\n"
    axes, lines = _Axes(results), _lines(results)
    colour = dict(zip(sorted({group for group, _ in lines}), COLOURS * 2))
    parts = [head, *_grid(axes, above)]
    for (group, name), points in lines.items():
        path = " ".join(f"{axes.x(n):.1f},{axes.y(ratio):.1f}" for n, ratio in points)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour[group]}" stroke-opacity="0.45">'
            f"<title>{escape(name)}</title></polyline>"
        )
    for r in results:
        if r["ratio"] > above:
            title = escape(f"{r['name']}, {r['dtype']}, {r['layout']}, {r['n']}: {r['ratio']:.2f}")
            parts.append(
                f'<circle cx="{axes.x(r["n"]):.1f}" cy="{axes.y(r["ratio"]):.1f}" r="2.5" '
                f'fill="{colour[r["group"]]}"><title>{title}</title></circle>'
            )
    worst = sorted(((max(p[1] for p in points), key) for key, points in lines.items()), reverse=True)
    for row, (ratio, (group, name)) in enumerate(worst[:LABELS]):
        parts.append(
            f'<text x="{WIDTH - RIGHT + 10}" y="{TOP + 14 * row}" fill="{colour[group]}">'
            f"{ratio:.2f} {escape(name)}</text>"
        )
    for row, group in enumerate(colour):
        parts.append(
            f'<text x="{WIDTH - RIGHT + 10}" y="{HEIGHT - BOTTOM - 14 * row}" fill="{colour[group]}">{group}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])
