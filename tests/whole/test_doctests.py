"""The examples in docstrings are true."""

import linecache
from doctest import FAIL_FAST, DocTestFinder, DocTestRunner
from importlib import import_module
from pkgutil import walk_packages

import pytest
import tokenarium


@pytest.mark.timeout(300)  # ten seconds alone on two cores; others run beside it
def test_examples_are_true():
    """Each example that fails is printed, with what it gives."""
    modules = [module.name for module in walk_packages(tokenarium.__path__, "tokenarium.") if not module.ispkg]
    names = [name for name in modules if not name.endswith("__main__")]
    found = [test for name in names for test in DocTestFinder().find(import_module(name)) if test.examples]
    linecache.clearcache()  # before each run, `doctest` looks at all source files that are there again
    runner = DocTestRunner(optionflags=FAIL_FAST)
    failed = [test.name for test in found if runner.run(test).failed]
    assert sum(len(test.examples) for test in found) > 500
    assert failed == []
