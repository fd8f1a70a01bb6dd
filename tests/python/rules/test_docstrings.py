"""The examples in docstrings give what they say."""

import doctest
import importlib

import pytest

pytestmark = pytest.mark.quick

# Modules of which every public function has an example.
MODULES = ("_numpy.quantiles", "_numpy.histograms", "_numpy.signals", "x._elements", "x._pinned")


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    module = importlib.import_module(f"tenorite.{name}")
    found = doctest.testmod(module)
    assert found.attempted >= 4 and found.failed == 0
