"""Every public name says what it does, and the examples in docstrings give what they say."""

import doctest
import inspect
import sys
from pathlib import Path

import numpy as np
import pytest
import tenorite as tn
from programs import has_cooperative_groups

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

import check_documents
import public_names
from example_calls import call_with

pytestmark = pytest.mark.quick


def everything():
    """{name: docstring} of all public names, and of the methods of their classes."""
    found = {}
    for name, thing in public_names.public_names(tn):
        found[name] = public_names.text_of(thing)
        if isinstance(thing, type):
            for member, one in public_names.members(thing):
                found[f"{name}.{member}"] = public_names.text_of(one)
    return {name: text for name, text in found.items() if ">>>" in text}


def without():
    """The names whose examples need what this machine lacks."""
    device, lacks = tn.cuda.Device(), []
    if not Path(tn.config.include_dir()).is_dir():
        lacks.append("tenorite.config.main")
    if device.backend == "cuda" and not device.attributes.get("PageableMemoryAccess"):
        lacks.append("tenorite.cuda.memory.malloc_system")
    if device.backend == "cuda" and not has_cooperative_groups():
        lacks.append("tenorite.jit.cg")
    return tuple(lacks)


TEXTS = everything()
# Examples in a row share a process, so many of them are one test.
CHUNKS = sorted({name.rpartition(".")[0] for name in TEXTS})


@pytest.mark.parametrize("home", CHUNKS)
def test_examples(home):
    """As a reader would run them: with nothing but what the example imports, and the package."""
    parser, runner, report, lacks = doctest.DocTestParser(), doctest.DocTestRunner(), [], without()
    for name, text in TEXTS.items():
        if name.rpartition(".")[0] == home and not name.startswith(lacks):
            names = {"tenorite": tn, "cp": tn, "tn": tn, "np": np, "numpy": np}
            test = parser.get_doctest(text, names, name, name, 0)
            runner.run(test, out=report.append)
    assert not report, "".join(report)


# What is wrong for a parameter, and the words of docstrings for it.
WRONG = {
    "axis": ("99", "For an axis that"),
    "axes": ("(99,)", "For an axis that"),
    "axis1": ("99", "For an axis that"),
    "axis2": ("99", "For an axis that"),
    "shape": ("(-2,)", "For a negative size."),
}


def refusals():
    """Yield (name, thing, parameter, exceptions) of the calls that say what a wrong axis or shape
    raises."""
    seen = set()
    for name, thing in everything_callable():
        parameters = inspect.signature(thing).parameters
        lines = public_names.section(public_names.text_of(thing), "Raises") or []
        for parameter, (_, words) in WRONG.items():
            raised = {lines[n - 1] for n, line in enumerate(lines) if line.strip().startswith(words)}
            # Methods of sparse classes are those of a base; one class of them is enough.
            home = getattr(thing, "__code__", thing)
            if parameter in parameters and raised and (home, parameter) not in seen:
                seen.add((home, parameter))
                yield name, thing, parameter, raised


def everything_callable():
    for name, thing in public_names.public_names(tn):
        if isinstance(thing, type):
            for member, one in public_names.members(thing):
                if callable(one) and not isinstance(one, staticmethod | classmethod):
                    yield f"{name}.{member}", one
        else:
            yield name, thing


def test_raises():
    """A wrong axis or shape raises what the docstring says."""
    called, wrong = 0, []
    for name, thing, parameter, raised in refusals():
        try:
            found = call_with(name.rpartition(".")[2], thing, parameter, WRONG[parameter][0])
            wrong.append(f"{name}({parameter}): {'nothing' if found else 'the example does not call it'}")
        except Exception as failure:
            called += 1
            if type(failure).__name__ not in raised:
                wrong.append(f"{name}({parameter}): {failure!r}, not {raised}")
    assert not wrong
    assert called > 150


def test_every_name_is_documented():
    """What tools/check says of the package that was built."""
    assert not [f"{name}: {fault}" for name, fault in check_documents.all_faults(tn)]


def test_faults_are_found():
    """The check itself: what is missing is said."""

    def bare(x):
        pass

    def wrong(x, y):
        """Sum.

        Parameters
        ----------
        x : int
            One.
        z : int
            None.

        Examples
        --------
        >>> 1
        1
        """

    assert list(check_documents.faults(bare, True)) == ["no docstring"]
    found = list(check_documents.faults(wrong, True))
    assert found == ["Parameters names z, which (x, y) has not", "Parameters lacks y"]


def test_signatures():
    """What `inspect` and `help` show is what can be called."""
    shown = str(inspect.signature(tn.add))
    assert shown.startswith("(x1, x2, /, out=None, *, where=True") and "0x" not in shown
    assert str(inspect.signature(tn.where)) == "(condition, x=<no value>, y=<no value>, /)"
    assert list(inspect.signature(tn.ndarray).parameters)[:2] == ["shape", "dtype"]
    assert tn.ufunc.__doc__.startswith("A function that works element by element.")
