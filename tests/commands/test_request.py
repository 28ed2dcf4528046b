"""tokenarium request, run as a user runs it."""

import json

CHAT = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello"}]})


def test_json_has_one_shape_which_is_that_of_the_api(said, ask, tmp_path):
    files = {name: tmp_path / name for name in ("one.json", "log.jsonl")}
    files["one.json"].write_text(CHAT)
    files["log.jsonl"].write_text(f"{CHAT}\n{CHAT}\n")
    one, log = (json.loads(said("request", "--json", path)[1]) for path in files.values())
    assert one == ask("POST", "/api/request", json={"request": json.loads(CHAT)}).json()
    assert log == ask("POST", "/api/request", json={"request": [json.loads(CHAT)] * 2}).json()
    both = [json.loads(line) for line in said("request", "--json", *files.values())[1].splitlines()]
    assert both == [{"file": str(path), **answer} for path, answer in zip(files.values(), (one, log), strict=True)]


def test_a_request_can_be_given_literally(said):
    status, out, err = said("request", "-e", CHAT)
    assert (status, err) == (0, "")
    assert "    8                           gpt-4o, formula" in out
