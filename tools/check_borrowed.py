"""Check that python/ext uses no borrowed array after Python (the rule is in
python/ext/base/ext.h).

It reads every function from above: a name that was borrowed is stale after the next thing that may
run Python, until it is borrowed again. Branches and loops are not followed. A row (base/call.h)
begins with what the reader has borrowed, and one that may give up the GIL uses no Python.
"""

import re
import sys
from pathlib import Path

FOLDER = Path("python/ext")
# What lends arrays: `name = ext_array(...)`, or into `&name`.
LENDS = re.compile(
    r"\b(?P<name>[\w.>\[\]-]+) = (?:ext_array|ext_only_array|ext_lend)\("
    r"|\bext_where\([^;]*?, &(?P<mask>[\w.>-]+),"
    r"|\bext_(?:operand|optional_array)\([^;]*?&(?P<operand>[\w.>-]+(?:\[\w+\])?)[,)]"
    r"|\bext_out\(&[\w\[\]]+, &(?P<out>\w+)\)"
    r"|\bext_lend_operands\([^;]*, (?P<all>\w+)\)"
)
# What may run Python: conversions, warnings, objects of the program, and calls of the library that
# make or wait.
RUNS = re.compile(
    r"\b(?:ext_(?:own|scalar|single|element_of|dtype|shape|axes|axis|order|casting|copy|bool|int64|device|stream|"
    r"address|convert\w*|warn_complex|wrap\w*|place|result|override\w*|find\w*|foreign|stand_in|is_foreign|defers|"
    r"finalize|refuse|initial|error_drop|error_settle|error_put_back|is_numpy|numpy_\w+|wait_stream|give_up|take_back)|read_\w+|own_\w+|positional_shape|check_dtype|new_host|PyObject_\w*(?:Call|Attr|IsTrue|Item|IsInstance|GetBuffer)\w*|"
    r"PySequence_\w+|PyNumber_\w+|PyIndex_AsSsize_t|PySlice_Unpack|PyFloat_AsDouble|PyArg_Parse\w*|Py_X?DECREF|Py_CLEAR|"
    r"PyErr_WarnEx|PyTuple_(?:New|Pack)|PyDict_\w+|PyList_\w+|PyImport_\w+|Py_BuildValue)\("
)
CALL = re.compile(r"\bEXT_(?:LONG_CALL|TRY|WITHOUT_GIL)\(")
# What a function of the library may be asked of an array without making, waiting or freeing.
LIBRARY = re.compile(
    r"\btn_(?:array_(?:new|fill|item|nonzero|take|put|assign|astype|to_device)\w*|reduce|elementwise)\("
)
GIL = re.compile(r"\bPy(?:Eval_(?:SaveThread|RestoreThread)|GILState_(?:Ensure|Release))\b")
# A kind of arguments whose arrays the reader borrows; and what is Python.
LENT_KIND = re.compile(r"\bext_kind_(\w+) = \{[^}]*\.lend\b")
PYTHON = re.compile(r"\b(?:Py\w+|ext_\w+|EXT_\w+)\(")


def lent_members(head: str, kinds: set[str]) -> set[str]:
    """What a row's function may use of `call` as arrays."""
    return {f"call->{name}" for kind, name in re.findall(r"\((\w+), (\w+)\)", head) if kind in kinds}


def functions(text: str):
    """(line, head, body) of every function: from its `{` to the `}` in the first column."""
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)
    text = re.sub(r'"(?:[^"\\\n]|\\.)*"', lambda m: '"' + " " * (len(m.group()) - 2) + '"', text)
    for match in re.finditer(r"^\w[^\n;]*(?:\n[^\n;{}]+)*\{\n(.*?)^\}", text, flags=re.S | re.M):
        if match.group().startswith(("static const", "typedef", "struct", "enum")):
            continue
        yield text.count("\n", 0, match.start(1)) + 1, text[match.start() : match.start(1)], match.group(1)


class State:
    """The names that are borrowed, and those that were before Python may have run."""

    def __init__(self, fresh=(), stale=()):
        self.fresh, self.stale = set(fresh), set(stale)

    def copy(self):
        return State(self.fresh, self.stale)

    def step(self, part: str) -> set[str]:
        """Does a statement; returns the stale names that it uses."""
        lent = {next(filter(None, m.groups())) + "[k]" * bool(m["all"]) for m in LENDS.finditer(part)}
        # A result that a call writes, the scalar of an operand, and a comparison of pointers are no
        # uses.
        use = r"(?<![\w.>&]){}(?:\.array)?\b(?!\.scalar|\.weak)(?! = )"
        text = re.sub(r"[!=]= [\w.>-]+", "", part)
        used = {n for n in self.stale - lent if re.search(use.format(re.escape(n)), text)}
        written = {n for n in self.fresh | self.stale if re.search(rf"&{re.escape(n)}\b|\b{re.escape(n)} = ", part)}
        if RUNS.search(part) or CALL.search(part) or LIBRARY.search(part):
            self.stale |= self.fresh
            self.fresh = set()
        self.stale -= lent | used | written
        self.fresh = (self.fresh - written) | lent
        return used


def read_body(body: str, lent=()):
    """(line, name) of every use of a stale name; `lent` are those that are borrowed at first."""
    state, outer, before, after, line, leaves = State(lent), [], None, None, 0, False
    for part in re.split(r"(?<=[;{}])", body):
        code = part.strip()
        start = line + part[: len(part) - len(part.lstrip())].count("\n")
        line += part.count("\n")
        if code.startswith("else") and before:
            state = before.copy()
        for name in sorted(state.step(code)):
            yield start, name
        if code.endswith("{"):
            outer.append((state.copy(), after if code.startswith("else") else None))
        elif code == "}" and outer:
            before, other = outer.pop()
            after = before.copy() if leaves else state
            state = after.copy()
            if other:
                state.stale |= other.stale
            continue
        leaves = re.match(r"(?:return|goto|break|continue)\b", code) is not None
        if not code.startswith("else"):
            before = None


def kinds_lent() -> set[str]:
    return {kind for path in sorted(FOLDER.rglob("kinds.h")) for kind in LENT_KIND.findall(path.read_text("utf-8"))}


def check(path: Path, text: str, kinds: set[str]) -> list[str]:
    found = []
    if path.name != "hold.c":
        for match in GIL.finditer(text):
            found.append(f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match.group()} outside of hold.c")
    for first, head, body in functions(text):
        row = head[head.rindex("EXT_CALL(") :] if "EXT_CALL(" in head else ""
        for line, name in read_body(body, lent_members(row, kinds)):
            found.append(f"{path}:{first + line}: {name} was borrowed before Python may have run")
        if re.search(r"\bEXT_(?:SIZED|LONG)\b", row) and (match := PYTHON.search(body)):
            found.append(f"{path}:{first}: {match.group()}...) in a row that may give up the GIL")
    for match in re.finditer(r"^EXT_FORWARD\(((?:(?!\bEXT_).)*)\bEXT_(?:SIZED|LONG)\b", text, flags=re.S | re.M):
        if PYTHON.search(match[1]):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{path}:{line}: Python in a row that may give up the GIL")
    return found


def main() -> int:
    kinds = kinds_lent()
    paths = sorted(FOLDER.rglob("*.[ch]"))
    found = [line for path in paths for line in check(path, path.read_text("utf-8"), kinds)]
    print("\n".join(found), end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
