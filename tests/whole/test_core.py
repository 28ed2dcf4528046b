"""What is installed without extras: its commands and the Python API work, and what needs an extra names it."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions

import pytest
from tokenarium.errors import EXTRAS, Unavailable, naming_extra
from tokenarium.settings import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PACKAGES = {extra: set(packages.split()) for extra, packages in EXTRAS.items()}
BLOCKER = f"""
import sys
class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {set().union(*PACKAGES.values())}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Blocker())
"""
RUN = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from tokenarium.__main__ import main
COUNT = "count -t gpt-4o -e Hello"
def run(command):
    out = io.TextIOWrapper(io.BytesIO(), write_through=True)
    try:
        with redirect_stdout(out), redirect_stderr(out):
            main(command.split())
        status = 0
    except SystemExit as ended:
        status = ended.code or 0
    return status, out.buffer.getvalue().decode()
said = {COUNT: run(COUNT)}
large = sorted({"huggingface_hub", "jinja2", "pydantic", "tokenizers", "sentencepiece", "tqdm"} & {*sys.modules})
said |= {command: run(command) for command in sys.argv[1:]}
import tokenarium as tk
words, talk = "One. Two.\\n\\n# Three", [{"role": "user", "content": "Hi"}]
gpt = tk.load("gpt-4o")
used = [gpt.encode("Hello"), gpt.decode([13225]), gpt.tokens("Hello"), tk.count("Hello", "bert"),
    tk.is_canonical([13225]), tk.truncate("Hello, big world", "gpt-4o", 2),
    *(len(tk.chunks(words, "gpt-4o", 4, at=at)) for at in ("token", "sentence", "paragraph", "heading", "code"))]
shown = (gpt.show("Hello"), tk.compare("Hello", ["gpt-4o", "bert"]), tk.chat(talk, "qwen3"), tk.steps("lower", "gpt-2"))
used += [repr(one) != "" and one._repr_html_().startswith("<iframe") for one in shown]
print(json.dumps([said, used, large]))
"""
WORKING = {
    "tokenize -t bert -e Hello --json": '"ids":[7592]',
    "count -t gpt-4o -e Hello": "1           5      5",
    "show -t gpt2 -e Hello": "1 token",
    "detokenize -t gpt2 -e 15496": "Hello",
    "compare -t gpt2,mistral-v1 -e Hello": "mistral-v1",
    "du texts": "total",
    "du texts --html du.html": "total",
    "corpus count texts -t gpt2 --no-cache": "       2       2",
    "corpus count texts -t gpt2 --report count.html": "The report is in count.html.",
    "corpus tokenize texts -t gpt2 -o ids --format npy": "2 tokens",
    "corpus profile texts -t gpt2": "tokens",
    "list": "o200k_base",
    "vocabulary gpt2": "glitch tokens",
    "train texts/a.txt --size 260 -o mine.json": "written to mine.json",
    "convert mine.json --to tiktoken --texts 10 -o converted": "the same ids",
    "doctor mine.json": "0 errors",
    "completion bash": "complete -o default",
    "serve --help": "--port",
}
LACKING = {
    "serve": "server",
    "actions": "server",
    "corpus count tables/a.parquet -t gpt2": "corpus",
    "corpus count s3://bucket/a.txt -t gpt2": "corpus",
    "corpus count texts -t gpt2 --on tcp://127.0.0.1:1 --no-cache": "corpus",
    "corpus tokenize texts -t gpt2 -o shards": "corpus",
    "mcp": "mcp",
    "add folder": "transformers",
    "doctor folder": "transformers",
}


def test_what_is_imported_comes_with_the_core_or_with_the_extra_that_is_named():
    owners = {
        name: {re.sub(r"[-_.]+", "-", one).lower() for one in all} for name, all in packages_distributions().items()
    }
    core = {re.match(r"[\w.-]+", one)[0].lower().replace("_", "-") for one in PROJECT["dependencies"]}
    of_core = {name for name, all in owners.items() if all & core} | {"markupsafe", "pydantic_core"}
    imported = set()
    for path in (ROOT / "app").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.partition(".")[0])
    assert imported - sys.stdlib_module_names - of_core - set().union(*PACKAGES.values()) == set()
    assert not of_core & set().union(*PACKAGES.values())


@pytest.mark.parametrize(
    ("missing", "named", "extra"),
    [("mcp.server.mcpserver", "mcp.server.mcpserver", "mcp"), ("backports", "backports.zstd", "corpus")],
)
def test_what_is_missing_is_named_with_its_extra(missing, named, extra):
    with pytest.raises(Unavailable) as raised, naming_extra():
        raise ModuleNotFoundError(name=missing)
    assert raised.value.detail == f"{named} is not installed; pip install 'tokenarium[{extra}]' brings it."


def test_what_no_extra_brings_is_raised_as_it_is():
    with pytest.raises(ModuleNotFoundError), naming_extra():
        raise ModuleNotFoundError(name="tornado")


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """What the commands print and the Python API returns where no package of an extra is there, in any process."""
    home = tmp_path_factory.mktemp("core")
    (home / "sitecustomize.py").write_text(BLOCKER)
    for name, content in {
        "texts/a.txt": "Hello\n",
        "texts/b.jsonl": '{"text": "Hello"}\n',
        "tables/a.parquet": "PAR1",
        "folder/tokenizer.json": '{"model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}',
        "folder/tokenizer_config.json": '{"tokenizer_class": "PreTrainedTokenizerFast"}',
    }.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(content)
    path = os.pathsep.join([str(home), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "PYTHONPATH": path, "HOME": str(home), "TOKENARIUM_LOCAL": str(home / "local")}
    done = subprocess.run(
        [sys.executable, "-c", RUN, *WORKING, *LACKING], cwd=home, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("command", WORKING)
def test_a_command_of_the_core_works_without_extras(core, command):
    status, said = core[0][command]
    assert (status, WORKING[command] in said) == (0, True), said


@pytest.mark.parametrize("command", LACKING)
def test_a_command_that_needs_an_extra_names_it(core, command):
    status, said = core[0][command]
    assert (status, said.count("pip install")) == (1, 1), said
    assert f" is not installed; pip install 'tokenarium[{LACKING[command]}]' brings it." in said


def test_the_python_api_works_without_extras(core):
    assert core[1] == [[13225], "Hello", ["Hello"], 1, True, "Hello,", 2, 2, 2, 2, 2, True, True, True, True]


def test_counting_loads_no_large_library(core):
    assert core[2] == []
