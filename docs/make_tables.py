"""Write the tables of the figures, from docs/bench, which holds the last runs of `make bench`."""

import json
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.append(str(DOCS.parent / "bench"))
TITLES = {"host": "On a CPU, two cores", "cuda": "On a GPU, one H200 with CuPy 14.2 and PyTorch 2.11"}


def table(head, rows):
    """A list-table."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [head, *rows]:
        lines += [f"   {'* -' if place == 0 else '  -'} {cell}".rstrip() for place, cell in enumerate(row)]
    return [*lines, ""]


def main(path):
    """A table for each group of cases of each device."""
    import machine
    import run

    lines = []
    for device, title in TITLES.items():
        facts = json.loads((DOCS / "bench" / f"{device}.json").read_text(encoding="utf-8"))
        lines += [title, "~" * len(title), "", machine.caption(facts), ""]
        head = ["case", *facts["modules"], "rate", "share", "goal"]
        for group in dict.fromkeys(case["group"] for case in facts["cases"]):
            rows = [run.row_of(case, facts["modules"]) for case in facts["cases"] if case["group"] == group]
            lines += [f"**{group[0].upper()}{group[1:]}**", ""]
            lines += table(head, [[f"``{row[0]}``", *row[1:]] for row in rows])
        mean = run.mean_of_calls(facts["cases"])
        lines += [f"Geometric mean of the shares of calls on 10 elements: {mean:.2f}.", ""]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
