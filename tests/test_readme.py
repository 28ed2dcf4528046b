"""The README tells the truth."""

import json
import re

import yaml

from app.lab.record import recorded
from app.settings import ROOT, Settings

README = (ROOT / "README.md").read_text()


def test_the_call_gives_the_answer_it_shows(ask):
    call, answer = re.search(r"curl .*?-d '(.*?)'\n```\n\n```json\n(.*?)```", README, re.DOTALL).groups()
    assert ask("POST", "/tokenize", json=json.loads(call)).json() == json.loads(answer)


def test_every_tokenizer_of_the_store_is_in_the_table_with_its_engines(registry):
    rows = [line.split("|") for line in README.splitlines() if line.startswith("| `") and line.count("|") == 4]
    for info in (info for info in registry.infos() if not info.trained):
        (row,) = (row for row in rows if f"`{info.id}`" in row[1])
        assert row[3].strip() == ", ".join(info.engines).replace("scratch", "from scratch")


def test_every_path_of_the_map_exists():
    folders = re.findall(r"^(\w+)/ ", README, re.MULTILINE)
    rooms = re.findall(r"^  ([\w/]+(?:/|\.py))", README, re.MULTILINE)
    assert (len(folders), len(rooms)) == (4, 15)
    for path in [*folders, *(f"app/{room}" for room in rooms)]:
        assert (ROOT / path).exists(), path


def test_every_make_target_it_names_exists():
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"make (run|test|bench|help|vendor|\w+)\b", README))
    assert {"run", "test", "bench", "help", "vendor"} <= targets
    for target in targets:
        assert f"\n{target}:" in makefile, target


def test_every_variable_it_names_is_read():
    settings = (ROOT / "app/settings.py").read_text()
    for name in re.findall(r"`(TOKENARIUM_\w+)`", README):
        assert f'"{name}"' in settings


def test_it_tells_how_many_texts_were_compared():
    told = int(re.search(r"last given ([\d,]+) generated texts", README).group(1).replace(",", ""))
    assert {row.count for row in recorded(ROOT / "tokenizers_store")} == {told}


def test_its_deployments_are_yaml_that_names_what_there_is():
    blocks = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    compose, *objects = [one for block in blocks for one in yaml.safe_load_all(block)]
    deployment, service = objects
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    settings = (ROOT / "app/settings.py").read_text()
    given = {*compose["services"]["tokenarium"]["environment"], *(one["name"] for one in container["env"])} - {"POD_IP"}
    assert [name for name in given if f'"{name}"' not in settings] == []
    port = container["ports"][0]["containerPort"]
    assert port == service["spec"]["ports"][0]["targetPort"] == Settings().port
    assert container["readinessProbe"]["httpGet"] == {"path": "/healthz", "port": port}
    assert deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
