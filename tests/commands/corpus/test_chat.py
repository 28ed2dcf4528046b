"""`tokenarium corpus chat` and `corpus tokenize --chat` as a user runs them: tables, JSON, templates, shards."""

import json
import re

import numpy as np
import pytest

HELLO = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
MARKED = "{% for m in messages %}{{ m.role }}: {% generation %}{{ m.content }}{% endgeneration %} {% endfor %}"


@pytest.fixture
def said(said, tmp_path):
    """Count a file here with one worker, and give the status, the output and the messages."""

    def said_of(rows, *args, command="chat", tokenizer="qwen3"):
        path = tmp_path / "a.jsonl"
        path.write_text("\n".join(map(json.dumps, rows)))
        return said("corpus", command, path, "-t", tokenizer, "--workers", "1", *args)

    return said_of


def test_tables_of_roles_turns_and_contexts(said):
    status, out, err = said([{"messages": HELLO}, {"messages": HELLO}, {"text": "Hi"}], "--context", "8,100")
    assert (status, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    assert out.startswith("2 conversations, 32 tokens of qwen3 (2 rows of messages)\n")
    assert "duplicates: 50.00% of the conversations repeat one before them" in out
    assert "tokens with loss: 14 (43.8%), found by prefixes" in out
    assert ["assistant", "2", "2"] in lines
    assert ["1", "2", "2"] in lines
    assert ["8", "2", "(100.00%)", "16", "2", "2", "0.0%", "0.0%"] in lines
    assert ["100", "0", "(0.00%)", "0", "2", "1", "84.0%", "68.0%"] in lines
    assert "refused: 1 row" in out


def test_json_has_everything_with_a_template_and_named_columns(said, tmp_path):
    (tmp_path / "t.jinja").write_text(MARKED)
    columns = ("--columns", "prompt=q,completion=a", "--template", tmp_path / "t.jinja", "--context", 4)
    status, out, _ = said([{"q": "Hi", "a": "Hello"}], *columns, "--json")
    answer = json.loads(out)
    assert status == 0
    assert (answer["formats"], answer["conversations"]) == ({"completion": 1}, 1)
    assert answer["loss"] == {"tokens": 2, "conversations": 1, "bases": {"generation": 1}}
    assert answer["findings"]["no-end"]["conversations"] == 1
    assert answer["roles"]["user"] == {"messages": 1, "tokens": 1}
    (context,) = answer["contexts"]
    assert (context["truncated"], context["lost_loss"]) == (1, 1)
    assert answer["refused"] == {"rows": 0, "reasons": {}, "places": []}


def test_a_model_that_is_named_has_its_own_template(said):
    _, out, _ = said([{"messages": HELLO}], "--json", tokenizer="TRL’s training template of Qwen3")
    answer = json.loads(out)
    assert (answer["tokenizer"], answer["loss"]["bases"]) == ("qwen3", {"generation": 1})


def test_the_report_is_one_file_that_escapes_what_it_shows(said, tmp_path):
    rows = [{"messages": HELLO}, {"messages": [{"role": "<script>", "content": "Hi"}]}, {"<b>": 1}]
    status, _, err = said(rows, "--report", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text()
    assert (status, err) == (0, f"The report is in {tmp_path / 'report.html'}.\n")
    assert "<title>Conversations in a.jsonl</title>" in page
    assert "&lt;script&gt;" in page
    assert "it has &lt;b&gt;." in page
    assert not re.search(r'<script|(?:src|href)="(?!data:)', page)
    assert 'download="contexts.csv">Contexts as CSV</a>' in page


def test_a_set_without_conversations_is_a_failure(said):
    status, out, _ = said([{"text": "Hi"}])
    assert status == 1
    assert "it has text." in out


@pytest.mark.parametrize("args", [("--context", "x"), ("--context", "0"), ("--columns", "question=q")])
def test_arguments_that_make_no_sense_are_refused(said, args):
    status, _, err = said([{"messages": HELLO}], *args)
    assert status != 0
    assert err.startswith("tokenarium: ")


def test_a_tokenizer_without_a_chat_template_is_refused(said):
    status, _, err = said([{"messages": HELLO}], tokenizer="gpt2")
    assert status != 0
    assert err.startswith("tokenarium: ")


@pytest.mark.parametrize(
    "args", [("--context", "8"), ("--chat", "--pack"), ("--chat", "--format", "megatron"), ("--chat", "--end", "eos")]
)
def test_shards_that_make_no_sense_are_refused(said, tmp_path, args):
    status, _, err = said([{"messages": HELLO}], "--out", tmp_path / "x", *args, command="tokenize")
    assert status != 0
    assert err.startswith("tokenarium: ")


def test_a_template_without_the_tag_gives_masks_by_prefixes(said, tmp_path):
    out = tmp_path / "x"
    status, _, err = said([{"messages": HELLO}], "--chat", "--format", "npy", "--out", out, command="tokenize")
    assert status == 0
    assert err == "Note: The template has no {% generation %}: the masks are found by prefixes.\n"
    mask = np.load(out / "shards" / "000000-000.mask.npy")
    assert mask.tolist() == [0] * 9 + [1] * 7
