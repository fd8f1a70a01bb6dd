"""The examples in docstrings give what they say."""

import doctest
import importlib

import pytest

pytestmark = pytest.mark.quick

# Modules of which every public function has an example.
MODULES = ("_numpy.quantiles", "_numpy.histograms", "_numpy.signals", "x._elements", "x._pinned")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    """Decorated functions are not the module's own to doctest.testmod, so each is found by name."""
    module = importlib.import_module(f"tenorite.{name}")
    finder, runner, attempted = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner(), 0
    for called, thing in vars(module).items():
        if called[0] == "_" or not callable(thing) or not (thing.__doc__ or "").count(">>>"):
            continue
        for found in finder.find(thing, called, module=False, globs=dict(vars(module))):
            result = runner.run(found)
            attempted += result.attempted
            assert result.failed == 0, called
    assert attempted >= 4
