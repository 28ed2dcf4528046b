"""/request and POST /api/request: parts, secrets, logs, refusals."""

import json

import pytest

CHAT = {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hello world"}], "usage": {"prompt_tokens": 12}}
KEY = "sk-proj-abcdefghijklmnop0123456789"


def test_the_page_opens_with_a_request_in_parts(ask):
    page = ask("GET", "/request").text
    assert '<span class="part-name">find_trains</span>' in page
    assert "~ 354–365" in page
    assert "OpenAI, Cookbook" in page


@pytest.mark.parametrize("example", ["agent", "open", "claude", "log"])
def test_each_example_is_counted(ask, example):
    page = ask("POST", "/request", data={"example": example})
    assert page.status_code == 200
    assert 'class="request-parts"' in page.text


def test_page_and_api_say_the_same(ask):
    answer = ask("POST", "/api/request", json={"request": CHAT}).json()["requests"][0]
    assert (answer["tokens"], answer["count"]) == ({"low": 9, "high": 9}, "formula")
    assert answer["bill"]["unexplained"] == {"low": 3, "high": 3}
    page = ask("POST", "/request", data={"text": json.dumps(CHAT)}).text
    assert '<div class="lead"><dt>tokens, by formulas</dt><dd>9</dd></div>' in page
    assert '<tr><th scope="row">Unexplained</th><td class="number">3</td></tr>' in page


def test_bodies_that_begin_alike_promise_no_cached_prompt(ask):
    """A chat template may write an earlier turn in another way: of the second prompt, two tokens are shared."""
    turns = [{"role": role, "content": "Hi"} for role in ("user", "assistant", "user")]
    log = [
        {"model": "mistral-v3", "messages": [{"role": "system", "content": "Be brief."}, *turns[:n]]} for n in (1, 3)
    ]
    said = "The system message moved: from before message 2 (user) to before message 4 (user)."
    cache = ask("POST", "/api/request", json={"request": log}).json()["requests"][1]["cache"]
    assert (cache["cause"], cache["common"], cache["rendered"]) == (said, 2, True)
    page = ask("POST", "/request", data={"text": "\n".join(map(json.dumps, log)), "number": "2"}).text
    assert f"{said} 2 of 14 tokens of the prompt begin as in the request before. A cache can serve at most 2" in page
    assert 'formaction="/turns"' in page


def test_a_key_comes_back_nowhere(ask):
    body = {"model": "gpt-4o", "api_key": "secret-value", "messages": [{"role": "user", "content": f"Use {KEY}"}]}
    for answer in (
        ask("POST", "/request", data={"text": json.dumps(body)}),
        ask("POST", "/api/request", json={"request": body}),
        ask("POST", "/request", data={"text": json.dumps(body) + "{"}),
    ):
        assert KEY not in answer.text
        assert "secret-value" not in answer.text


def test_a_request_of_a_log_is_chosen_by_number(ask):
    other = {**CHAT, "messages": [{"role": "user", "content": "Hi"}]}
    text = "\n".join([json.dumps(CHAT), "broken", json.dumps(other)])
    page = ask("POST", "/request", data={"text": text, "number": "2"}).text
    assert "2 requests" in page
    assert "Line 2: Not JSON" in page
    assert "<dt>tokens, by formulas</dt><dd>8</dd>" in page


def test_a_part_is_cut_between_characters(ask):
    body = {"model": "gpt-4o", "messages": [{"role": "user", "content": "a" + "🜁🜂" * 300}]}
    page = ask("POST", "/request", data={"text": json.dumps(body)})
    assert page.status_code == 200
    assert "1,500 more tokens" in page.text


def test_an_empty_box_is_no_error(ask):
    assert "Nothing is counted yet" in ask("POST", "/request", data={"text": ""}).text


def test_the_command_counts_a_file_and_names_broken_lines(tmp_path, capsysbinary):
    from tokenarium.__main__ import main

    file = tmp_path / "log.jsonl"
    file.write_text(json.dumps(CHAT))
    main(["request", str(file)])
    assert b"    9                           gpt-4o, formula" in capsysbinary.readouterr().out
    file.write_text(f"{json.dumps(CHAT)}\n{{broken\n{json.dumps(CHAT)}\n")
    with pytest.raises(SystemExit) as exit:
        main(["request", str(file)])
    printed = capsysbinary.readouterr()
    assert exit.value.code == 1
    assert b"   3       9      12            3 " in printed.out
    assert b"line 2: Not JSON" in printed.err


def test_tools_are_summed_up_by_server(ask):
    tools = [
        {"type": "function", "function": {"name": name, "parameters": {}}}
        for name in ("mcp__github__list", "Bash", "mcp__github__read")
    ]
    body = {"model": "gpt-4o", "messages": [], "tools": tools}
    page, plain = (
        ask("POST", "/request", data={"text": json.dumps(one)}).text for one in (body, body | {"tools": tools[1:2]})
    )
    sums = ask("POST", "/api/request", json={"request": body}).json()["requests"][0]["tool_servers"]
    for name, count in (("github", 2), ("none", 1)):
        tokens = f"{sums[name.replace('none', '')]['low']:,.0f}"
        row = f'<tr><th scope="row">{name}</th><td class="number">{count}</td><td class="number">{tokens}</td></tr>'
        assert row in page
    assert "Tools by server" not in plain
