"""Who may import whom, and what is not loaded before it is needed."""

import ast
import subprocess
import sys

import pytest

from app.settings import ROOT

LAYERS = [
    {"app.types", "app.errors", "app.settings"},
    {"app.scratch", "app.formats"},
    {"app.adapters"},
    {"app.store"},
    {"app.registry", "app.vendor"},
    {"app.lab"},
    {"app.workers"},
    {"app.web"},
    {"app.main"},
    {"app.commands"},
    {"app.__main__"},
]
MODULES = sorted((ROOT / "app").rglob("*.py"))
THIRD_PARTY = {"tiktoken", "sentencepiece", "tokenizers", "transformers"}


def name_of(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def layer_of(module):
    return next((i for i, layer in enumerate(LAYERS) if any(f"{module}.".startswith(f"{room}.") for room in layer)), -1)


def imports(path, *, top_only=False):
    tree = ast.parse(path.read_text())
    for node in tree.body if top_only else ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_imports_a_higher_layer(path):
    own = layer_of(name_of(path))
    for imported in imports(path):
        if imported.startswith("app."):
            assert layer_of(imported) <= own, f"{name_of(path)} imports {imported}"


def test_every_module_has_a_layer():
    assert [name_of(path) for path in MODULES if layer_of(name_of(path)) < 0] == ["app"]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_tokenizer_libraries_are_imported_only_inside_functions_of_adapters(path):
    top = {imported.partition(".")[0] for imported in imports(path, top_only=True)}
    anywhere = {imported.partition(".")[0] for imported in imports(path)}
    assert not top & THIRD_PARTY
    if name_of(path).startswith(("app.scratch", "app.formats", "app.lab", "app.web")):
        assert not anywhere & THIRD_PARTY


def run(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_server_starts_without_any_tokenizer_library_in_memory():
    code = "import sys; from app.main import create_app; app = create_app(); print(sorted(set(sys.modules) & {0}))"
    assert run(code.format(THIRD_PARTY)) == "[]"


def test_listing_loads_no_vocabulary():
    code = "from app.registry import Registry; from app.settings import Settings; r = Registry(Settings()); "
    assert run(code + "print(sum(not i.trained for i in r.infos()), r.loaded())") == "15 []"


def test_asking_for_the_scratch_engine_loads_no_reference():
    code = (
        "import sys; from app.registry import Registry; from app.settings import Settings; "
        "Registry(Settings()).get('gpt2', 'scratch').encode('a'); print('tiktoken' in sys.modules)"
    )
    assert run(code) == "False"
