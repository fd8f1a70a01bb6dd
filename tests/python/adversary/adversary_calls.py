"""Every call of the library with every argument in every hostile form, and what is wrong with what
happens.

A case is a line of adversary_lines.py, which marks are hostile and how, what the attack does, and
at which strike. As a program this runs a share of all cases and writes what it finds, or shows one
case:

    python tests/python/adversary/adversary_calls.py 4711
"""

import argparse
import functools
import gc
import inspect
import itertools
import json
import mmap
import random
import re
import struct
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import tenorite as tn
from adversary import ACTIONS, AMBIENT, Attack, Stage, forms_of, is_array, poison
from adversary_lines import MARK, NAMES, lines

sys.path.append(str(Path(__file__).resolve().parents[1]))  # for the program; tests have it already
from oracle import comes_true

# --- Cases ---


class Case(NamedTuple):
    """One call under one attack."""

    line: str
    marks: tuple  # which marks are hostile; none where the attack comes from outside
    # Of FORMS; EACH and a number: several marks, each in that of its own forms; or of AMBIENT.
    form: str
    action: str
    when: int

    @property
    def ambient(self):
        return None if self.marks else self.form

    def form_of(self, text):
        """The form in which what a mark holds is given."""
        if not self.form.startswith(EACH):
            return self.form
        forms = forms_of_text(text)
        return forms[int(self.form[len(EACH) :]) % len(forms)]

    def __str__(self):
        count = itertools.count()
        text = MARK.sub(
            lambda mark: f"{self.form_of(mark[1])}({mark[1]})" if next(count) in self.marks else mark[1], self.line
        )
        return f"{text}  # {self.ambient or ''} strike {self.when}: {self.action}"


EACH = "each "
CHANGING = ("[", "list", "interface", "sequence", "w")  # texts and forms with a list or dict
# An int may be an address: one that lies ends the process, and may do so.
RAW = re.compile(r"\.data|cuda\.")
LATE = re.compile(r"callback|host_func")  # exceptions are those of a queue
# What may be done from outside. An exception of a hook, or of the collector, can't come out of a
# call.
OUTSIDE = dict.fromkeys(AMBIENT, ("reshape", "again", "leave"))
OUTSIDE |= dict.fromkeys(("warning", "allocator"), ("reshape", "again", "leave", "move", "fail"))


@functools.cache
def forms_of_text(text):
    with Stage(tn) as stage:
        return forms_of(eval(text, NAMES | stage.names))


def is_changing(text):
    return any(one in text.lower() for one in CHANGING)


def cases():
    """All cases, in an order that depends on nothing."""
    for line in lines():
        texts = MARK.findall(line)
        for mark, text in enumerate(texts):
            for form, action in itertools.product(forms_of_text(text), ACTIONS):
                if action not in ("empty", "grow") or is_changing(text + form):
                    yield from strikes(line, (mark,), form, action)
        for form, action in itertools.product(range(4 if len(texts) > 1 else 0), ACTIONS):
            yield from strikes(line, tuple(range(len(texts))), f"{EACH}{form}", action)
        for ambient, actions in OUTSIDE.items():
            actions = (*actions, "empty") if "<w>" in line else actions
            for action, when in itertools.product(actions, (1, 2, 4, 8)):
                yield Case(line, (), ambient, action, when)


def strikes(line, marks, form, action):
    if action == "lie" and RAW.search(line) or action == "fail" and LATE.search(line):
        return
    for when in (1, 2, 3, 5) if action in ("reshape", "empty") else (1, 2):
        yield Case(line, marks, form, action, when)


# --- What comes out of a case ---


class Outcome(NamedTuple):
    stage: Stage
    # What was made and what the arrays hold, as plain objects; None where the call failed.
    value: object
    errors: tuple  # the classes of the exception and of those after it
    is_balanced: bool  # no references are left or lost


@functools.cache
def compiled(line, marks):
    """The code of a line with the names H0, H1, ... in the places of marks, and the texts that were
    there."""
    count, taken = itertools.count(), []

    def put(found):
        if next(count) not in marks:
            return found[1]
        taken.append(found[1])
        return f"H{len(taken) - 1}"

    text = MARK.sub(put, line)
    try:
        return compile(text, text, "eval"), taken
    except SyntaxError:
        return compile(text, text, "exec"), taken


def plain(value, shaped=True):
    """A result as something to compare: arrays of both libraries are alike, floats have 9
    digits."""
    if isinstance(value, tn.ndarray):
        value = value.get()
    if isinstance(value, (np.ndarray, np.generic)):
        shape, values = (value.shape, value) if shaped else (None, np.ravel(value))
        return str(value.dtype), shape, plain(values.tolist())
    if isinstance(value, (tuple, list)):
        return [plain(one, shaped) for one in value]
    if isinstance(value, (float, complex)):
        return f"{value:.9g}"
    return value if isinstance(value, (bool, int, str, bytes, type(None))) else type(value).__name__


def causes(error):
    while error is not None:
        yield type(error)
        error = error.__cause__ or error.__context__


def references(names, wanted="abcvksiqh"):
    return [sys.getrefcount(names[name]) for name in wanted if name in names]


def poisoned(case, text, names, stays):
    """A hostile object of a case. `stays`: what it holds is no array of the stage, which may get
    another shape."""
    value = eval(text, names)
    return poison(case.form_of(text), value[...] if stays and is_array(value) else value)


def run(case, module, action, reshaped=""):
    """Makes the call of a case on new arrays. `action` None: nothing attacks it. `reshaped`: the
    names of the arrays that have their second shape from the start; H is that of the hostile
    objects."""
    code, taken = compiled(case.line, case.marks)
    value, errors, shown, counts = None, (), None, []
    with Stage(module, action, case.when, reshaped, case.ambient) as stage:
        names, hostile = NAMES | stage.names, {}
        before = references(names)
        try:
            for k, text in enumerate(taken):
                hostile[f"H{k}"] = poisoned(case, text, names, action is None and "H" not in reshaped)
                names |= hostile
            counts = references(names, hostile)
            stage.again = functools.partial(eval, code, names)
            stage.armed = True
            value = stage.again()
        except Exception as error:
            errors = tuple(causes(error))
        finally:
            stage.armed, stage.again = False, None
    if not errors and action in (None, "reshape"):
        # A given result is written in one shape, and may have another when it is returned.
        shown = plain(value, not GIVEN.search(case.line)), plain(stage.living(), shaped=False)
    value = None
    is_kept = counts and not settles(lambda: references(names, hostile) == counts)
    for name in (*hostile, "w"):
        names.pop(name, None)
    hostile.clear()
    stage.drop()
    return Outcome(stage, shown, errors, not is_kept and settles(lambda: references(names) == before))


def settles(condition):
    """Whether something holds, if need be when garbage has gone."""
    return condition() or gc.collect() < 0 or condition()


def living():
    """How much lives in the core, by kind."""
    figures = tn.cuda.get_statistics()
    return {name: figures[name] for name in ("arrays", "buffers", "streams", "events", "graphs", "used_bytes")}


def subsets(line):
    """The arrays of a line that a call may see in their second shape: none, all, or some."""
    used = "".join(dict.fromkeys("H" + "".join(re.findall(r"\b[abcvksiqh]\b", line))))
    yield from ("", used)
    if len(used) < 6:
        for count in range(1, len(used)):
            yield from map("".join, itertools.combinations(used, count))


def run_numpy(case, tell):
    """The same with NumPy. It is printed before, for some attacks end it."""
    tell(1)
    theirs = run(case, np, case.action)
    tell(0)
    return theirs


def problems(case, tell=lambda phase: None):
    """What is wrong with what happens in a case, as texts."""
    held = living()
    outcome = run(case, tn, case.action)
    stage, found = outcome.stage, []
    if SystemError in outcome.errors:
        found.append("SystemError")
    if not outcome.is_balanced:
        found.append("references are left or lost")
    if stage.raised and Attack not in outcome.errors:
        theirs = run_numpy(case, tell)
        # numpy.asarray(), which we use, swallows what __len__ raises.
        is_known = stage.asked == "__len__" != theirs.stage.asked
        if not is_known and (not theirs.stage.raised or Attack in theirs.errors):
            found.append(f"the exception was swallowed: {outcome.errors}")
    if case.action == "reshape" and stage.strikes >= case.when and not outcome.errors and is_comparable(case):
        known = [run(case, tn, None, which).value for which in subsets(case.line)]
        if outcome.value not in known and outcome.value != run_numpy(case, tell).value:
            found.append(f"a third value: {outcome.value} is none of {known}")
    del outcome, stage
    if living() != held:
        gc.collect()
        # Other streams free after their work.
        if not comes_true(lambda: living() == held, seconds=1):
            found.append(f"{living()} live in the end, {held} before")
    return found


# Results are written to an array that is given.
GIVEN = re.compile(r"out=|<c>|operator\.i|<v>, <False>")
# New elements have no values there; and of SciPy's functions, compositions in Python, NumPy knows
# nothing.
UNDEFINED = re.compile(r"m\.empty|m\.ndarray|empty_like|m\.scipy|m\.cudnn")


@functools.cache
def is_one_step(line):
    """Whether a line calls a function in C. Between the steps of one in Python anything may happen,
    as in NumPy."""
    called = re.match(r"(?:m|a)\.[\w.]+(?=\()", line)
    found = eval(called[0], Stage(tn).names) if called else None
    return not inspect.isfunction(found) and not inspect.ismethod(found) and "contains" not in line


def is_comparable(case):
    """Whether only the values of the old and of the new shape are right; NumPy decides about the
    others. A function in Python reads its arguments one after the other, so two hostile ones may be
    read in different shapes."""
    if UNDEFINED.search(case.line) or (case.form == "tracer" and not case.marks):
        return False
    return len(case.marks) == 1 or is_one_step(case.line)


# --- As a program ---


def chosen(seed, share, shard, shards):
    """The numbered cases of a share, always the same for a seed."""
    draw = random.Random(seed)
    for number, case in enumerate(cases()):
        if draw.random() < share and number % shards == shard:
            yield number, case


def begin():
    """What making the cases has left goes; the rest is not looked at by the collector again."""
    lines()
    gc.collect()
    comes_true(lambda: living()["arrays"] == living()["streams"] == 0)
    gc.freeze()


def work(options):
    """Runs cases; writes before each its number and phase 0 (phase 1: NumPy runs) to the file of
    progress, and what is wrong as lines of JSON to standard output."""
    sys.unraisablehook = lambda facts: None
    tn.get_default_memory_pool().set_limit(size=256 << 20)
    begin()
    with open(options.progress, "r+b") as file:
        progress = mmap.mmap(file.fileno(), 16)
    done = 0

    def tell(phase):
        progress[8:] = struct.pack("q", phase)

    for number, case in chosen(options.seed, options.share, *options.shard):
        if number < options.first:
            continue
        progress[:] = struct.pack("qq", number, 0)
        for text in problems(case, tell):
            print(json.dumps([number, str(case), text]), flush=True)
        done += 1
    print(json.dumps([-1, "cases", done]))


def main():
    parser = argparse.ArgumentParser(description="Runs cases of the adversary.")
    parser.add_argument("number", type=int, nargs="?", help="run this case alone and tell what is wrong")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--shard", type=int, nargs=2, default=(0, 1))
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--progress")
    options = parser.parse_args()
    if options.number is None:
        work(options)
        return
    begin()
    case = next(itertools.islice(cases(), options.number, None))
    print(case)
    print(*problems(case) or ["nothing is wrong"], sep="\n")


if __name__ == "__main__":
    main()
