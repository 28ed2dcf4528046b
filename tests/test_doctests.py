"""The examples in docstrings are true."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest
import tokenarium

MODULES = [module.name for module in walk_packages(tokenarium.__path__, "tokenarium.") if not module.ispkg]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_examples_are_true(name):
    results = doctest.testmod(import_module(name), optionflags=doctest.FAIL_FAST)
    assert results.failed == 0
