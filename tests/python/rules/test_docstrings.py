"""Every public name says what it does, and the examples in docstrings give what they say."""

import doctest
import sys
from pathlib import Path

import numpy as np
import pytest
import tenorite as tn

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))

import check_documents  # noqa: E402
import public_names  # noqa: E402

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


TEXTS = everything()
# Examples in a row share a process, so many of them are one test.
CHUNKS = sorted({name.rpartition(".")[0] for name in TEXTS})


@pytest.mark.parametrize("home", CHUNKS)
def test_examples(home):
    """As a reader would run them: with nothing but what the example imports, and the package."""
    parser, runner, report = doctest.DocTestParser(), doctest.DocTestRunner(), []
    for name, text in TEXTS.items():
        if name.rpartition(".")[0] == home:
            names = {"tenorite": tn, "cp": tn, "tn": tn, "np": np, "numpy": np}
            test = parser.get_doctest(text, names, name, name, 0)
            runner.run(test, out=report.append)
    assert not report, "".join(report)


def test_every_name_is_documented():
    """What tools/check says of the package that was built."""
    found = [
        f"{name}: {fault}"
        for name, fault in check_documents.all_faults(tn)
        if not name.startswith(tuple(f"{module}." for module in check_documents.EXEMPT))
    ]
    assert not found


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
    told = list(check_documents.faults(wrong, True))
    assert told == ["Parameters names z, which (x, y) has not", "Parameters lacks y"]


def test_signatures():
    """What `inspect` and `help` show is what can be called."""
    import inspect

    shown = str(inspect.signature(tn.add))
    assert shown.startswith("(x1, x2, /, out=None, *, where=True") and "0x" not in shown
    assert str(inspect.signature(tn.where)) == "(condition, x=<no value>, y=<no value>, /)"
    assert list(inspect.signature(tn.ndarray).parameters)[:2] == ["shape", "dtype"]
    assert tn.ufunc.__doc__.startswith("A function that works element by element.")
