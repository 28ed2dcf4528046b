"""POST /api/turns and `tokenarium turns`."""

import json

import pytest
from tokenarium.lab.turns.examples import MESSAGES, TOOLS, make_log

KEEPS = (
    "{% for m in messages %}<|im_start|>{{ m.role }}{{ m.content }}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant{% endif %}"
)


def test_the_command_prints_what_the_api_answers(said, ask, tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text(make_log("qwen3"))
    requests = [json.loads(line) for line in make_log("qwen3").splitlines()]
    answer = ask("POST", "/api/turns", json={"conversation": requests}).json()
    (one,) = json.loads(said("turns", "--json", log)[1])["conversations"]
    lines = [lane.pop("line") for lane in one["lanes"]]
    assert lines == [1, 2, 3, 4, 5]
    assert [
        {key: value for key, value in lane.items() if key != "line"} for lane in answer["conversations"][0]["lanes"]
    ] == one["lanes"]
    assert answer["conversations"][0]["verdict"] == one["verdict"]


def test_the_ids_of_a_turn_are_those_shared_and_the_new_ones(ask):
    body = {"model": "glm-4.6", "conversation": {"messages": MESSAGES, "tools": TOOLS}}
    (one,) = ask("POST", "/api/turns", json=body).json()["conversations"]
    prompts = [lane["prompt"] for lane in one["lanes"]]
    assert [(prompt["count"], prompt["shared"]) for prompt in prompts][2:4] == [(340, 303), (349, 262)]
    assert all(len(prompt["new_ids"]) == prompt["count"] - prompt["shared"] for prompt in prompts)


@pytest.mark.parametrize(("template", "status"), [(None, 1), (KEEPS, 0), (KEEPS.replace("assistant{%", "model{%"), 1)])
def test_check_exits_with_1_where_a_prefix_is_broken(said, tmp_path, template, status):
    log = tmp_path / "log.jsonl"
    log.write_text(make_log("qwen3"))
    file = tmp_path / "own.jinja"
    file.write_text(template or "")
    found = said("turns", log, "--check", *(["--template", file] if template else []))
    assert (found[0], bool(found[1])) == (status, status == 1)


def test_a_finding_is_a_line_with_file_and_line(said, tmp_path):
    log = tmp_path / "log.jsonl"
    log.write_text(make_log("qwen3"))
    first, *_ = said("turns", log, "--check")[1].splitlines()
    lost = "105 of 348 ids lost from token 243 on. The reasoning of message 3 (assistant) is dropped."
    assert first == f"{log}:4: turn 4: prompt in the next prompt: {lost}"


def test_a_template_of_a_request_that_never_ends_is_stopped(ask):
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    body = {"model": "qwen3", "conversation": MESSAGES, "chat_template": loop}
    answer = ask("POST", "/api/turns", json=body)
    assert (answer.status_code, answer.json()["detail"]) == (422, "The template ran longer than 2 s.")
