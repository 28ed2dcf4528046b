"""Which package may import which, what is not loaded before it is needed, and where tests stand."""

import ast
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path

import pytest
from tokenarium.memory import without_collection
from tokenarium.settings import ROOT

LAYERS = [
    {"machine", "memory", "types"},
    {"atomic_files", "csv_text", "errors", "settings", "temporary_folders"},
    {"scratch"},
    {"store"},
    {"files", "hall", "jobs"},
    {"configured"},
    {"registry"},
    {"lab"},
    {"corpus"},
    {"workers"},
    {"serialize", "vendor"},
    {"agents"},
    {"web", "commands"},
    {"main"},
    {"notebook"},
    {"__main__"},
    {""},
]
"""Each package imports itself and packages of earlier rows; none beside it."""
MODULES = sorted((ROOT / "app").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
LATE = 81
"""Imports inside functions: of libraries, of adapters by the registry, and of what a start is spared."""
THIRD_PARTY = {"tiktoken", "sentencepiece", "tokenizers", "transformers"}


def name_of(path):
    parts = path.relative_to(ROOT / "app").with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def package_of(module):
    return module.partition(".")[0]


def layer_of(package):
    return next((i for i, layer in enumerate(LAYERS) if package in layer), -1)


@pytest.fixture(scope="module", autouse=True)
def uncollected():
    """Search for no garbage among a million nodes: that takes three times as long as to parse them."""
    with without_collection():
        yield


@cache
def parsed(path):
    return ast.parse(path.read_text())


@cache
def nodes(path):
    """The imports, classes and functions of a file: of a million nodes, those that tests look at."""
    kinds = ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    return [node for node in ast.walk(parsed(path)) if isinstance(node, kinds)]


def statements(path, *, top_only=False):
    found = parsed(path).body if top_only else nodes(path)
    return [node for node in found if isinstance(node, ast.Import | ast.ImportFrom)]


def ours(path):
    """Modules of this project that a file imports."""
    package = path.relative_to(ROOT / "app").parent.parts
    for node in statements(path):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) - node.level + 1], *filter(None, (node.module or "").split("."))]
            yield from (".".join([*base, alias.name]) for alias in node.names)


def libraries(path, *, top_only=False):
    """Top-level packages of others that a file imports."""
    for node in statements(path, top_only=top_only):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif not node.level:
            yield (node.module or "").partition(".")[0]


def test_a_package_imports_only_those_below_it():
    upward = []
    for path in MODULES:
        own = package_of(name_of(path))
        for imported in ours(path):
            package = package_of(imported)
            if package not in (own, "__version__") and layer_of(package) >= layer_of(own):
                upward.append(f"{name_of(path)} imports {imported}")
    assert upward == []


def test_the_name_of_a_public_class_is_defined_once():
    names = Counter(
        node.name
        for path in MODULES
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_every_module_has_a_layer():
    assert [name_of(path) for path in MODULES if layer_of(package_of(name_of(path))) < 0] == []


def test_the_map_has_the_packages_in_the_order_of_their_layers():
    (tree,) = re.findall(r"```\n(app/.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)
    named = re.findall(r"^  (\w+)(?:/|\.py) ", tree, re.MULTILINE)
    assert {*named} == {*chain(*LAYERS)} - {"__main__", ""}
    assert named == sorted(named, key=layer_of)


def test_a_test_is_named_after_the_module_or_package_that_it_tests():
    lost = []
    for path in (path for path in TESTS if path.name.startswith("test_")):
        folder, *_ = parts = path.relative_to(ROOT / "tests").parts
        tested = ROOT / "app" / Path(*parts).with_name(path.stem.removeprefix("test_"))
        if folder not in ("whole", "browser") and not {tested.with_suffix(".py"), tested / "__init__.py"} & {*MODULES}:
            lost.append(str(path.relative_to(ROOT)))
    assert lost == []


def test_no_file_imports_from_a_test():
    # Programs that tests start are texts, so that their imports are looked for in texts.
    pattern = re.compile(r"^\s*(?:from|import) tests\b.*\btest_\w+", re.MULTILINE)
    files = [*TESTS, *(ROOT / "benchmarks").rglob("*.py")]
    assert [str(path.relative_to(ROOT)) for path in files if pattern.search(path.read_text())] == []


def test_the_project_is_imported_relatively():
    assert [name_of(path) for path in MODULES if {"app", "tokenarium"} & {*libraries(path)}] == []


def test_tokenizer_libraries_are_imported_only_inside_functions_of_adapters():
    without = ("scratch", "files", "lab", "web", "serialize")
    adapters = ("library", "split_words", "train")
    found = []
    for path in MODULES:
        inside = package_of(name_of(path)) not in without or path.stem in adapters
        imported = THIRD_PARTY & {*libraries(path, top_only=inside)}
        found += [f"{name_of(path)} imports {library}" for library in sorted(imported)]
    assert found == []


def inner_imports(path):
    """Import statements inside functions."""
    functions = [node for node in nodes(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    found = [node for one in functions for node in ast.walk(one) if isinstance(node, ast.Import | ast.ImportFrom)]
    return [f"{path.relative_to(ROOT)}:{node.lineno} {ast.unparse(node)}" for node in found]


FOREIGN_NAMES = {"sentencepiece_model.proto", "NAME.SCHEME.tiktoken"}
"""Names of files that a docstring mentions."""
BACKQUOTED = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)")


def test_a_name_in_backquotes_exists():
    """It is the name of something in the code, or a word of a text that the code has."""
    known = {path.stem for path in MODULES}
    said = []
    for path in (*MODULES, *TESTS):
        nodes = [*ast.walk(parsed(path))]
        notes = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            known.update(str(getattr(node, field)) for field in ("id", "attr", "arg", "name") if hasattr(node, field))
            if isinstance(node, ast.ImportFrom) and node.module:
                known.update(node.module.split("."))
            if isinstance(node, ast.Constant) and id(node) not in notes:
                known.update(re.findall(r"[A-Za-z_]\w*", str(node.value)))
        if path in MODULES:
            lines = [line.strip() for line in path.read_text().splitlines()]
            comments = [line for line in lines if line.startswith("#")]
            docstrings = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) in notes]
            texts = [*comments, *(text for text in docstrings if isinstance(text, str))]
            said += [(path.name, name) for text in texts for name in BACKQUOTED.findall(text)]
    assert len(said) > 1000
    assert [one for one in said if not {*one[1].strip(".").split(".")} <= known and one[1] not in FOREIGN_NAMES] == []


def test_modules_import_at_their_top():
    late = [line for path in MODULES for line in inner_imports(path)]
    assert len(late) <= LATE, "\n".join(late)
    assert not [line for line in late if line.startswith(("app/web/pages/", "app/web/api/dialects/"))]


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_listing_loads_no_vocabulary():
    code = (
        "from tokenarium.registry import Registry as R; from tokenarium.settings import Settings; r = R(Settings()); "
    )
    assert run(code + "print(sum(not i.trained for i in r.infos()), r.list_loaded())") == "37 []"


def test_asking_for_the_scratch_engine_loads_no_reference():
    code = (
        "import sys; from tokenarium.registry import Registry; from tokenarium.settings import Settings; "
        "Registry(Settings()).get('gpt2', 'scratch').encode('a'); print('tiktoken' in sys.modules)"
    )
    assert run(code) == "False"


def test_workers_share_the_pages_and_the_tokenizers_that_these_open_with():
    # The fork server ignores a module that it cannot import.
    code = (
        "from importlib import import_module; from tokenarium.main import PRELOADED; "
        "from tokenarium.serialize.templates import templates; found = import_module(PRELOADED).TOKENIZERS; "
        "print(sorted(id for id, _ in found), len(templates.cache) > 90)"
    )
    assert run(code) == "['bert-base-uncased', 'cl100k_base', 'mistral-v1', 'o200k_base', 'qwen3'] True"


def test_a_test_that_hangs_is_ended(pytestconfig):
    assert pytestconfig.pluginmanager.hasplugin("timeout")
    assert 0 < float(pytestconfig.getini("timeout")) <= 120
