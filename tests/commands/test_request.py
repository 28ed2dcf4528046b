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


def tool(name, description):
    return {"type": "function", "function": {"name": name, "description": description, "parameters": {}}}


TOOLS = [tool("mcp__github__list", "List issues"), tool("Bash", "Run"), tool("mcp__github__read", "Read an issue")]
AGENT = json.dumps({"model": "gpt-4o", "tools": TOOLS, "messages": [{"role": "user", "content": "Hello"}]})


def test_tools_are_listed_by_server_and_held_to_limits(said):
    status, out, err = said("request", "-e", AGENT, "--max-tools", "5k", "--max-tools", "github=0.1k")
    assert (status, err) == (0, "")
    assert [line.split()[1:] for line in out.splitlines()[-6:]] == [
        ["tools", "of", "--text"],
        ["github,", "2", "tools"],
        ["mcp__github__read"],
        ["mcp__github__list"],
        ["no", "server,", "1", "tool"],
        ["Bash"],
    ]
    limits = ("--max-tools", "1", "--max-tools", "github=2", "--max-tools", "Bash=3")
    status, _, err = said("request", "--json", "-e", AGENT, *limits)
    assert status == 1
    assert [line.partition(" tokens, ")[2] for line in err.splitlines()] == [
        "more than the limit of 1.",
        "more than the limit of 2.",
        "more than the limit of 3.",
    ]
    assert err.startswith("tokenarium: --text: All tools have ")


def test_each_request_of_a_log_is_held_to_the_limit(said):
    status, _, err = said("request", "-e", f"{CHAT}\n{AGENT}\n", "--max-tools", "1")
    assert (status, err.count("\n"), "line 2: All tools" in err) == (1, 1, True)


def test_a_range_that_may_exceed_a_limit_exceeds_it(said):
    status, _, err = said("request", "-e", AGENT, "-m", "claude-sonnet-4-5", "--max-tools", "Bash=16")
    assert (status, "perhaps more than the limit of 16" in err) == (1, True)


def test_a_limit_that_is_none_is_refused(said):
    assert said("request", "-e", CHAT, "--max-tools", "many")[0] != 0


def test_a_limit_of_a_tool_that_no_request_has_names_those_there_are(said):
    status, _, err = said("request", "-e", f"{CHAT}\n{AGENT}\n", "--max-tools", "Write=9k", "--max-tools", "github=9k")
    assert (status, err.count("\n")) == (1, 1)
    assert "no tool or server 'Write'; there are github, mcp__github__read, mcp__github__list, Bash." in err


def test_a_limit_of_a_tool_whose_tokens_are_not_known_is_not_held(said):
    hosted = json.dumps({"model": "gpt-5", "input": "Hello", "tools": [{"type": "web_search"}]})
    status, _, err = said("request", "-e", hosted, "--max-tools", "web_search=9k")
    assert (status, "How many tokens web_search has is not known; its limit is 9,000." in err) == (1, True)
