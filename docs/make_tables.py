"""Write the tables of the figures, from docs/bench, which holds the last runs of `make bench`.

That of the errors of special functions comes from the bounds of their test.
"""

import json
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.append(str(DOCS.parent / "bench"))
DEVICES = ("host", "cuda")


def table(head, rows):
    """A list-table."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [head, *rows]:
        lines += [f"   {'* -' if place == 0 else '  -'} {cell}".rstrip() for place, cell in enumerate(row)]
    return [*lines, ""]


def main(folder):
    """A table for each group of cases of each device: bench-host.rst and bench-cuda.rst."""
    import machine
    import run

    for device in DEVICES:
        facts = json.loads((DOCS / "bench" / f"{device}.json").read_text(encoding="utf-8"))
        lines = [machine.caption(facts), ""]
        head = ["case", *facts["modules"], "rate", "share", "goal"]
        for group in dict.fromkeys(case["group"] for case in facts["cases"]):
            rows = [run.row_of(case, facts["modules"]) for case in facts["cases"] if case["group"] == group]
            lines += [f"**{group[0].upper()}{group[1:]}**", ""]
            lines += table(head, [[f"``{row[0]}``", *row[1:]] for row in rows])
        mean = run.mean_of_calls(facts["cases"])
        lines += [f"Geometric mean of the shares of calls on 10 elements: {mean:.2f}.", ""]
        (Path(folder) / f"bench-{device}.rst").write_text("\n".join(lines) + "\n", encoding="utf-8")


def special(path):
    """The table of the functions of each bound."""
    bounds = json.loads((DOCS.parent / "tests/python/special_bounds.json").read_text(encoding="utf-8"))
    names = {bound: [] for bound in sorted(set(bounds.values()))}
    for name, bound in bounds.items():
        names[bound].append(name)
    rows = [[str(bound), ", ".join(f"``{name}``" for name in group)] for bound, group in names.items()]
    path.write_text("\n".join(table(["units at most", "functions"], rows)), encoding="utf-8")
