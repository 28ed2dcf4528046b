"""What README.md, CONTRIBUTING.md and the guides say is true, and every command in them runs."""

import argparse
import json
import re
import shlex
import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest
import yaml
from tokenarium.__main__ import COMMANDS, main
from tokenarium.commands.corpus import COMMANDS as CORPUS_COMMANDS
from tokenarium.lab.conformance import load_results
from tokenarium.registry import Registry
from tokenarium.settings import ROOT, Settings

README = (ROOT / "README.md").read_text()
GUIDES = {path.stem: path.read_text() for path in sorted((ROOT / "templates" / "docs").glob("*.md"))}
TEXTS = "\n".join([README, *GUIDES.values()])
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()
TOP = ("app", "templates", "static", "tokenizers_store", "tests", "benchmarks")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", TEXTS, re.DOTALL)


def command_lines():
    """The commands of the README and the guides in words, one for each line that a shell would read."""
    for block in blocks("sh"):
        # A quoted text may not span lines, so that a line that ends in no backslash ends a command.
        for line in block.replace("\\\n", " ").splitlines():
            yield from (shlex.split(part, comments=True) for part in line.split(" && "))


LINES = list(command_lines())


def lines_of(program):
    return [words[1:] for words in LINES if words[0] == program]


def test_every_line_is_of_a_program_that_is_tested_here():
    programs = {words[0] for words in LINES}
    assert programs == {"make", "curl", "docker", "pipx", "tokenarium", ".venv/bin/tokenarium"}
    assert len(LINES) == 34


@pytest.mark.parametrize("words", lines_of("make"), ids=" ".join)
def test_make_knows_every_target(words):
    done = subprocess.run(["make", "--dry-run", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    port = next((word.removeprefix("PORT=") for word in words if word.startswith("PORT=")), None)
    assert port is None or f"PORT={port} " in done.stdout


@pytest.mark.parametrize("words", lines_of("curl"), ids=lambda words: next(w for w in words if "://" in w))
def test_every_request_is_answered(ask, words):
    parser = argparse.ArgumentParser()
    parser.add_argument("-s", action="store_true")
    for option in ("-H", "-d", "-T", "-X"):
        parser.add_argument(option)
    parser.add_argument("url")
    args = parser.parse_args(words)
    body = args.d.encode() if args.d else b'"Hello"\n{"text": "a b", "id": 7}\n'
    name, value = args.H.split(": ")
    response = ask(args.X or "POST", args.url, content=body, headers={name: value})
    assert response.status_code == 200
    assert all(json.loads(line) for line in response.text.splitlines())


CORPORA = [words for words in lines_of(".venv/bin/tokenarium") if words[0] == "corpus"]


@pytest.mark.nightly
@pytest.mark.timeout(300)  # each of them starts processes, and others run beside it
def test_the_commands_on_corpora_run_one_after_another(tmp_path, monkeypatch, capfd):
    (tmp_path / "README.md").write_text(README)
    (tmp_path / "CONTRIBUTING.md").write_text(CONTRIBUTING)
    (tmp_path / "conversations.jsonl").write_text('{"prompt": "Hi", "completion": "Hello"}\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert {words[1] for words in CORPORA} == {*CORPUS_COMMANDS}
    for words in CORPORA:
        main(words)
        assert capfd.readouterr().out
    assert {path.name for path in tmp_path.iterdir()} >= {
        "report.html",
        "chat.html",
        "ids",
        "my.json",
        "words.jsonl",
        "smaller.json",
    }


OTHERS = [words for words in lines_of(".venv/bin/tokenarium") if words not in CORPORA]


@pytest.mark.parametrize("words", OTHERS, ids=" ".join)
def test_every_command_line_runs(words, tmp_path, monkeypatch, capfd):
    (tmp_path / "README.md").write_text(README)
    monkeypatch.chdir(tmp_path)
    main(words)
    output = words[words.index("--out") + 1] if "--out" in words else None
    assert (tmp_path / output).stat().st_size > 10_000 if output else capfd.readouterr().out


def test_the_installed_tool_is_the_wheel_that_make_builds():
    (install,) = lines_of("pipx")
    assert install == ["install", f"dist/tokenarium-{VERSION}-py3-none-any.whl[server]"]
    assert lines_of("tokenarium") == [["serve"]]  # tests/whole/test_wheel.py runs it from the wheel
    assert "serve" in COMMANDS


def test_docker_is_given_the_port_and_the_volume_of_the_dockerfile():
    (build, run) = lines_of("docker")
    tag = build[build.index("-t") + 1]
    assert run[-1] == tag == "tokenarium"
    dockerfile = (ROOT / "Dockerfile").read_text()
    port, folder = (run[run.index(option) + 1].partition(":")[2] for option in ("-p", "-v"))
    assert f"EXPOSE {port}\n" in dockerfile
    assert f"ENV TOKENARIUM_LOCAL={folder}\n" in dockerfile


def test_the_call_gives_the_answer_it_shows(ask):
    call, answer = re.search(r"curl .*?-d '(.*?)'\n```\n\n```json\n(.*?)```", README, re.DOTALL).groups()
    assert ask("POST", "/tokenize", json=json.loads(call)).json() == json.loads(answer)


def test_the_notebook_shows_what_its_lines_give():
    (block,) = re.findall(r"```python\n(.*?)```", GUIDES["python"], re.DOTALL)
    names = {}
    shown = []
    for line in block.splitlines():
        code, _, value = line.partition("  # ")
        if value:
            shown.append((repr(eval(code, names)), value))
        else:
            exec(code, names)
    assert len(shown) == 16
    assert [given for given, _ in shown] == [value for _, value in shown]


def test_every_tokenizer_of_the_store_is_in_the_table_with_its_engines(registry):
    rows = [
        line.split("|") for line in GUIDES["tokenizers"].splitlines() if line.startswith("| `") and line.count("|") == 4
    ]
    for info in (info for info in registry.infos() if not info.trained):
        (row,) = (row for row in rows if f"`{info.id}`" in row[1])
        assert row[3].strip() == ", ".join(info.engines).replace("scratch", "from scratch")


def test_the_map_names_every_package_and_nothing_else():
    (tree,) = re.findall(r"```\n(app/.*?)```", CONTRIBUTING, re.DOTALL)
    named = {name.removesuffix("/") for name in re.findall(r"^  ([\w.]+/?) ", tree, re.MULTILINE)}
    there = {path.name for path in (ROOT / "app").iterdir() if not path.name.startswith("__")}
    assert named == there
    folders = re.findall(r"^(\w+)/ ", tree, re.MULTILINE)
    assert tuple(folders) == TOP
    assert [name for name in folders if not (ROOT / name).is_dir()] == []


FOLDERS = {ROOT / "README.md": ROOT, ROOT / "CONTRIBUTING.md": ROOT}
FOLDERS |= {path: path.parent for path in sorted((ROOT / "templates" / "docs").glob("*.md"))}


def test_every_path_exists():
    missing = []
    for text, folder in FOLDERS.items():
        words = text.read_text()
        paths = {ROOT / path for path in re.findall(rf"`((?:{'|'.join(TOP)})/[\w/.]*)`", words)}
        paths |= {folder / path for path in re.findall(r"\]\(([\w./]+)\)", words)}
        missing += [f"{text.name}: {path}" for path in paths if not path.exists()]
    assert missing == []


def test_every_promise_stands_in_a_guide_and_has_tests():
    guides, (table,) = " ".join(TEXTS.split()), re.findall(r"\n\| promise .*?\n\n", CONTRIBUTING, re.DOTALL)
    rows = [row.strip("| ").split(" | ") for row in table.strip().splitlines()[2:]]
    assert len(rows) > 30
    assert [promise for promise, _ in rows if promise not in guides] == []
    named = [name.strip("`").split("::") for _, names in rows for name in names.split(", ")]
    tests = {file: (ROOT / "tests" / file).read_text() for file, _ in named}
    assert [f"{file}: {name}" for file, name in named if f"def {name}(" not in tests[file]] == []


def test_every_make_target_exists():
    for text, some in ((TEXTS, {"run", "test", "bench", "wheel"}), (CONTRIBUTING, {"test", "nightly"})):
        targets = set(re.findall(r"`make (\w+)", text))
        assert some <= targets | set(re.findall(r"^make (\w+)", text, re.MULTILINE))
        assert [target for target in targets if f"\n{target}:" not in MAKEFILE] == []


def test_every_variable_is_read_and_every_variable_is_explained():
    settings = (ROOT / "app/settings.py").read_text()
    read = set(re.findall(r'"(TOKENARIUM_\w+)"', settings))
    explained = set(re.findall(r"`(TOKENARIUM_\w+)`", TEXTS))
    assert explained == read


def test_it_says_on_how_many_texts_the_engines_were_compared():
    claim = r"All (\d+) pairs were last compared\son\s([\d,]+) generated texts each without a difference"
    results = load_results(ROOT / "tokenizers_store")
    assert not any(row.mismatches for row in results)
    rows = {row.tokenizer: row.count for row in results}
    assert rows.pop("rwkv-world") == int(
        re.search(r"own program on\s([\d,]+)", GUIDES["tokenizers"])[1].replace(",", "")
    )
    pairs, texts = (int(number.replace(",", "")) for number in re.search(claim, GUIDES["tokenizers"]).groups())
    assert Counter(rows.values()) == {texts: pairs}
    assert pairs == len([info for info in Registry(Settings()).infos() if len(info.engines) == 2])


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A branch of a repository that has the limits of the guide, and a file more than the main branch of its origin."""
    folder = tmp_path / "repository"
    (folder / "docs").mkdir(parents=True)
    (limits,) = blocks("toml")
    (folder / "tokens.toml").write_text(limits)
    (folder / "docs" / "a.md").write_text("Hello")
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    origin = ("update-ref", "refs/remotes/origin/main", "@")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "a"), origin):
        subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)
    (folder / "AGENTS.md").write_text("Be brief. " * 900)
    monkeypatch.chdir(folder)
    return folder


def test_its_action_and_its_hook_compare_tokens_with_limits(repository, said):
    documents = [one for block in blocks("yaml") for one in yaml.safe_load_all(block)]
    (workflow,) = (one for one in documents if "jobs" in one)
    (config,) = (one for one in documents if "repos" in one)
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert config["repos"][0]["hooks"] == [{"id": hook["id"]}]
    assert config["repos"][0]["rev"] == f"v{VERSION}"
    install, *commands = (step["run"] for step in workflow["jobs"]["tokens"]["steps"] if "run" in step)
    assert install == "pip install tokenarium"
    programs, words = zip(*((one, rest) for one, *rest in map(shlex.split, [*commands, hook["entry"]])), strict=True)
    assert programs == ("tokenarium",) * 3
    assert [said(*one)[0] for one in words] == [0, 0, 0]
    (repository / "AGENTS.md").write_text("Be brief. " * 10_000)
    told = [said(*one) for one in words]
    assert [status for status, *_ in told] == [1, 1, 1]
    assert "AGENTS.md has 30,001 tokens, 27,001 more than the limit of 3,000 for AGENTS.md." in told[-1][2]


def test_its_deployments_are_yaml_that_names_what_exists():
    documents = [one for block in blocks("yaml") for one in yaml.safe_load_all(block)]
    (compose,) = (one for one in documents if "services" in one)
    deployment, service = (one for one in documents if "kind" in one)
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    settings = (ROOT / "app/settings.py").read_text()
    named = {*compose["services"]["tokenarium"]["environment"], *(one["name"] for one in container["env"])} - {"POD_IP"}
    assert [name for name in named if f'"{name}"' not in settings] == []
    assert Path(ROOT, compose["services"]["tokenarium"]["build"], "Dockerfile").exists()
    port = container["ports"][0]["containerPort"]
    assert port == service["spec"]["ports"][0]["targetPort"] == Settings().port
    assert container["readinessProbe"]["httpGet"] == {"path": "/healthz", "port": port}
    assert deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
