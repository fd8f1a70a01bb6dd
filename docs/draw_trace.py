"""Draw a part of a trace as a picture for a page; run by hand, since machines are busy or not.

    python examples/slow.py --steps 40 --size 500 --trace run.json
    python docs/draw_trace.py run.json docs/_static/slow.svg

The picture has the two steps of `examples/slow.py` that took least: calls, what lies below them,
and the memory of the whole run. Numbers stand where the page "Where time goes" explains something.
"""

import argparse
import json

LEFT, WIDTH, ROW = 96, 624, 22
COLORS = {"call": "#0f766e", "work": "#2563eb", "copy": "#d97706", "wait": "#dc2626", "grow": "#9333ea"}
MARKS = {"bool(x)": 1, "asnumpy: get": 2, "add": 3}
STYLE = (
    "text{font:12px sans-serif;fill:#64748b}.name{fill:#fff;font-size:11px}.grid{stroke:#94a3b8;stroke-opacity:.4}"
    ".curve{fill:#2563eb;fill-opacity:.25;stroke:#2563eb}.mark{fill:#dc2626}.number{fill:#fff;font-weight:bold}"
)


def steps_of(calls):
    """The (begin, end) of each step, from one `add` to the next."""
    begins = [call["ts"] for call in calls if call["name"] == "add"]
    return list(zip(begins, begins[1:], strict=False))


def slices(events, window):
    """(row, event) of what lies within: calls in row 0, below them what is within others."""
    open_ends, found = [], []
    for event in sorted(events, key=lambda one: (one["ts"], -one["dur"])):
        while open_ends and open_ends[-1] <= event["ts"]:
            open_ends.pop()
        if window[0] <= event["ts"] < window[1]:
            found.append((len(open_ends), event))
        open_ends.append(event["ts"] + event["dur"])
    return found


def number(x, y, text):
    return f'<circle cx="{x:.1f}" cy="{y}" r="8" class="mark"/><text x="{x:.1f}" y="{y + 4}" text-anchor="middle" class="number">{text}</text>'


def draw_slices(found, window):
    """Rows of slices, with their names where these fit."""
    scale, parts = WIDTH / (window[1] - window[0]), []
    for row, event in found:
        x, wide, y = LEFT + scale * (event["ts"] - window[0]), max(scale * event["dur"], 1.5), 36 + ROW * row
        color = COLORS.get(event["cat"], "#64748b")
        parts.append(f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{ROW - 3}" fill="{color}"/>')
        if wide > 6.5 * len(event["name"]):
            parts.append(f'<text x="{x + 3:.1f}" y="{y + 14}" class="name">{event["name"]}</text>')
        if event["cat"] == "call" and event["name"] in MARKS:
            parts.append(number(x + wide / 2, 22, MARKS[event["name"]]))
    return parts


def draw_memory(curve, top, height):
    """The bytes in use over the whole run."""
    begin, end = curve[0][0], curve[-1][0]
    most = max(used for _, used in curve)
    points, last = [], 0.0
    for moment, used in curve:
        x, y = LEFT + WIDTH * (moment - begin) / (end - begin), top + height * (1 - used / most)
        points += [f"{x:.1f},{last or y:.1f}", f"{x:.1f},{y:.1f}"]
        last = y
    line = " ".join(points)
    return [
        f'<polygon points="{LEFT},{top + height} {line} {LEFT + WIDTH},{top + height}" class="curve"/>',
        f'<text x="{LEFT - 8}" y="{top + 10}" text-anchor="end">{most / 1e6:.0f} MB</text>',
        f'<text x="{LEFT + WIDTH}" y="{top + height + 16}" text-anchor="end">{(end - begin) / 1e3:.0f} ms</text>',
        number(LEFT + WIDTH / 2, top + 14, 4),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace")
    parser.add_argument("picture")
    options = parser.parse_args()
    with open(options.trace, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    timed = [event for event in events if event["ph"] == "X"]
    steps = steps_of([event for event in timed if event["cat"] == "call"])
    first = min(range(len(steps) - 1), key=lambda k: steps[k + 1][1] - steps[k][0])
    window = steps[first][0], steps[first + 1][1]
    found = slices(timed, window)
    rows = 1 + max(row for row, _ in found)
    top = 36 + ROW * rows + 44
    labels = ["calls", "below them"] + [""] * (rows - 2)
    parts = [
        f'<text x="{LEFT - 8}" y="{50 + ROW * k}" text-anchor="end">{text}</text>' for k, text in enumerate(labels)
    ]
    parts += draw_slices(found, window)
    parts.append(f'<text x="{LEFT}" y="{top - 26}">two steps of {len(steps) + 1}</text>')
    parts.append(
        f'<text x="{LEFT + WIDTH}" y="{top - 26}" text-anchor="end">{(window[1] - window[0]) / 1e3:.1f} ms</text>'
    )
    parts.append(f'<text x="{LEFT - 8}" y="{top + 50}" text-anchor="end">memory</text>')
    parts.append(f'<text x="{LEFT}" y="{top + 96}">the whole run</text>')
    parts += draw_memory([(one["ts"], one["args"]["used"]) for one in events if one["ph"] == "C"], top, 80)
    for k, (kind, color) in enumerate(COLORS.items()):
        if any(event["cat"] == kind for _, event in found):
            parts.append(f'<text x="{LEFT + 150 + 60 * k}" y="{top + 96}" style="fill:{color}">{kind}</text>')
    with open(options.picture, "w", encoding="utf-8") as file:
        file.write(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 {top + 106}">'
            f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n"
        )


if __name__ == "__main__":
    main()
