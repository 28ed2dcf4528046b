"""The examples in docstrings are true."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest
import tokenarium


@pytest.mark.timeout(300)  # half a minute alone on two cores; others run beside it
def test_examples_are_true():
    """Each example that fails is printed, with what it gives."""
    modules = [module.name for module in walk_packages(tokenarium.__path__, "tokenarium.") if not module.ispkg]
    names = [name for name in modules if not name.endswith("__main__")]
    results = {name: doctest.testmod(import_module(name), optionflags=doctest.FAIL_FAST) for name in names}
    assert sum(result.attempted for result in results.values()) > 500
    assert [name for name, result in results.items() if result.failed] == []
