"""Made-up calls of every function that NumPy and we share: NumPy's value, dtype, shape, refusal.

A run takes a sample; TENORITE_MADE_CALLS=500 takes that many calls of each function.
"""

import os

import made_calls
import pytest

COUNT = int(os.environ.get("TENORITE_MADE_CALLS", "25"))
NAMES = made_calls.functions()


def test_functions_are_shared():
    assert len(NAMES) > 300 and {"m.take", "m.linalg.norm", "a.sum", "m.add"} <= NAMES.keys()


@pytest.mark.parametrize("first", "abcdefghijklmnopqrstuvwxyz")
def test_calls(first):
    """The functions whose name begins with this letter."""
    found, count = [], 0
    for name, function in NAMES.items():
        if name.rpartition(".")[2][0].lower() != first:
            continue
        for number in range(COUNT):
            text = made_calls.line(name, function, number)
            difference = made_calls.differs(text)
            count += 1
            if difference:
                found.append(f"{text}: {difference}")
    assert not found, f"{len(found)} of {count} calls differ:\n" + "\n".join(found[:20])


def test_generator_finds_differences(monkeypatch):
    """A function that is wrong is found, what is on purpose is printed with its reason alone."""
    name, function = "m.tril", NAMES["m.tril"]
    monkeypatch.setattr(made_calls.tn, "tril", made_calls.tn.triu)
    assert any(made_calls.differs(made_calls.line(name, function, number)) for number in range(COUNT))
    monkeypatch.undo()
    assert made_calls.why("m.sum([1, 2])", "raised TypeError(\"Unsupported type <class 'list'>\")")
    assert not made_calls.why("m.sum([1, 2])", "raised ZeroDivisionError()")


def test_reasons_are_used():
    """Each reason of the list has a pattern that compiles, and says something."""
    assert all(len(reason.split()) > 2 for _, _, reason in made_calls.ON_PURPOSE)
    made = [made_calls.line(name, function, number) for name, function in NAMES.items() for number in range(60)]
    unused = [
        call for call, _, _ in made_calls.ON_PURPOSE if not any(made_calls.re.search(call, text) for text in made)
    ]
    assert not unused
