"""The Python API: what it returns, how a terminal and a notebook show it, and that a notebook runs it."""

import html
import os
import pickle
import re
import subprocess
import sys

import nbformat
import pytest
import tokenarium as tk
from tokenarium.errors import Invalid, LoneSurrogate, UnknownTokenizer
from tokenarium.notebook.loading import PART
from tokenarium.settings import ROOT

GREETING = "Hello, 🌍! 你好!"
IDS = [13225, 11, 130321, 235, 0, 220, 177519, 0]
CELLS = [
    "import tokenarium as tk\nt = tk.load('gpt-4o')\nt.encode('Hello, 🌍! 你好!')",
    "t.show('Hello, 🌍! 你好!')",
    "tk.compare('strawberry', ['gpt-4o', 'gpt-2'])",
    "tk.steps('strawberry', 'gpt-4o')",
    "tk.chat([{'role': 'user', 'content': 'Hi'}], 'qwen3')",
]


def frame(shown):
    """The page in the frame of a result."""
    ((page,),) = [re.findall(r'<iframe srcdoc="([^"]*)"', shown)]
    return html.unescape(page)


def assert_needs_no_server(page):
    assert not re.search(r'(?:src|href|action|srcset)="(?!data:)[^"#]', page)
    assert "@import" not in page


def test_a_tokenizer_is_loaded_by_the_name_of_a_model():
    t = tk.load("gpt-4o")
    assert t.info.id == "o200k_base"
    assert t.encode(GREETING) == IDS
    assert t.decode(IDS) == GREETING
    assert t.count(GREETING) == 8
    assert t.encode("<|endoftext|>", special="parse") == [199999]
    assert tk.load("gpt-4o", engine="scratch").encode(GREETING) == IDS
    assert repr(t) == "<tokenizer o200k_base, engine tiktoken>"


@pytest.mark.parametrize("name", ["gpt-4o", "bert", "mistral-v1", "qwen3", "bytes"])
def test_ids_without_spans_are_those_with_spans(name):
    t = tk.load(name)
    for text in ["", GREETING, "<|im_start|><think>", "e\u0301 <think\u226f", " 1\u3000\ufb01 ", "\u2581a \0"]:
        assert t.encode(text) == t.show(text).ids
        assert t.count(text) == len(t.show(text))
    with pytest.raises(LoneSurrogate, match="Code point 2 "):
        t.count("e\u0301\ud800")


@pytest.mark.parametrize("name", ["gpt-4o", "bert", "mistral-v1"])
def test_a_batch_gives_what_its_texts_give(name):
    t = tk.load(name)
    texts = ["", "Hello", GREETING, "<s> [SEP] <|endoftext|>"]
    batch = [t.encode(text) for text in texts]
    assert t.encode_batch(texts) == batch
    assert t.count_batch(texts) == [*map(len, batch)]
    assert t.decode_batch(batch) == [t.decode(ids) for ids in batch]
    parsed = [t.encode(text, special="parse") for text in texts]
    assert t.encode_batch(texts, special="parse") == parsed != batch
    with pytest.raises(LoneSurrogate):
        t.encode_batch(text for text in ("a", "\ud800"))
    assert t.count_batch(text for text in texts) == t.count_batch(texts)
    assert t.decode(id for id in batch[1]) == t.decode(batch[1])


@pytest.mark.parametrize("name", ["gpt-4o", "bert", "t5"])
def test_what_is_no_text_is_refused(name):
    t = tk.load(name)
    with pytest.raises(Invalid, match=r"A text is a str, not list\."):
        t.count(["a", "b"])
    with pytest.raises(Invalid, match=r"A text is a str, not bytes\."):
        t.encode(b"a")
    with pytest.raises(Invalid, match=r"or \[text\]\."):
        t.count_batch("ab")


@pytest.mark.parametrize(("name", "engine"), [("gpt-4o", "tiktoken"), ("bert", "tokenizers"), ("gpt-2", "scratch")])
def test_a_loaded_tokenizer_can_be_pickled(name, engine):
    t = pickle.loads(pickle.dumps(tk.load(name, engine=engine)))
    assert (t.tokenizer.engine, t.count("Hello")) == (engine, 1)


def test_offsets_are_code_points_of_the_text():
    assert tk.load("gpt-4o").offsets("a 🌍!") == [(0, 1), (1, 3), (2, 3), (3, 4)]
    assert tk.load("bert").offsets("É  x") == [(0, 1), (3, 4)]


@pytest.mark.parametrize("name", ["gpt-4o", "bert", "mistral-v1", "qwen3", "gpt-neox"])
def test_ids_of_pieces_are_those_of_the_whole(name):
    t = tk.load(name)
    text = f"{GREETING} one two  three\r\n\n<s>[SEP]four e\u0301 five-six <|endoftext|> \u3000 seven 8 9 " * 1700
    for special, size in (("text", 1000), ("parse", 100_000)):
        pieces = (text[at : at + size] for at in range(0, len(text), size))
        assert [*t.iter_encode(pieces, special=special)] == t.encode(text, special=special)
    assert len(text) > 2 * PART
    assert [*t.iter_encode([])] == []


@pytest.mark.parametrize(
    ("name", "special", "why"),
    [("t5", "text", "t5 has"), ("words", "text", "words has"), ("gpt-4o", "refuse", 'is "refuse"')],
)
def test_pieces_are_refused_where_ids_could_differ(name, special, why):
    with pytest.raises(Invalid, match=why):
        tk.load(name).iter_encode(["one two"], special=special)


def test_a_special_that_there_is_not_is_refused():
    t = tk.load("gpt-4o")
    text = (t.encode, t.count, t.tokens, t.offsets, t.show, tk.count, tk.show)
    several = (t.encode_batch, t.count_batch, t.iter_encode)
    for call, given in [*((one, "a") for one in text), *((one, ["a"]) for one in several)]:
        with pytest.raises(Invalid, match=r"special must be one of text, parse, refuse, not 'pares'\."):
            call(given, special="pares")
    with pytest.raises(Invalid, match=r"special must be one of text, parse, not 'refuse'\."):
        tk.chat([{"role": "user", "content": "Hi"}], special="refuse")


def test_a_model_that_is_not_here_is_told():
    with pytest.raises(UnknownTokenizer, match="publishes no tokenizer"):
        tk.load("claude-opus-4-5")


def test_tokens_are_shown_as_on_the_page():
    shown = tk.show(GREETING, "gpt-4o")
    page = frame(shown._repr_html_())
    assert shown.ids == IDS
    assert re.findall(r'<span class="id t\d" data-i="\d"[^>]*>(\d+)</span>', page) == [str(id) for id in IDS]
    assert_needs_no_server(page)


def test_a_text_cannot_leave_its_frame():
    text = '"></iframe><script>alert(1)</script>'
    shown = tk.show(text)._repr_html_()
    assert shown.count("<") == 2
    assert "<script" not in frame(shown)


def test_a_terminal_shows_neighbours_in_two_colours_and_no_control_character():
    first, second, *_ = re.findall(r"\x1b\[48;5;(\d+)m", repr(tk.show("a b\x1b[31m")))
    assert first != second
    assert "\\x1b" in repr(tk.show("\x1b"))


def test_a_comparison_has_its_counts_and_lanes():
    compared = tk.compare("strawberry", ["gpt-4o", "gpt-2", "BERT"])
    assert compared.counts == {"o200k_base": 3, "gpt2": 3, "bert-base-uncased": 1}
    page = frame(compared._repr_html_())
    assert re.findall(r'<span data-tokenizer="([^"]+)"', page) == [*compared.counts]
    assert_needs_no_server(page)


ASKED = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes", "reasoning": "<b>"}]


def test_a_conversation_has_its_text_ids_spans_and_mask():
    told = tk.chat(ASKED, "mistral-v3")
    assert told.text == "<s>[INST]Hi[/INST]Yes</s>"
    assert (told.ids, told.mask) == ([1, 3, 16127, 4, 6360, 2], [0, 0, 0, 0, 1, 1])
    assert [told.text[start:end] for start, end in told.spans] == ["<s>", "[INST]", "Hi", "[/INST]", "Yes", "</s>"]
    assert (told.messages, len(told)) == ([None, None, 0, None, 1, None], 6)
    assert told.warnings == ["The template writes nothing of the reasoning of message 2."]
    assert repr(told).splitlines()[-2:] == ["2 tokens are in the loss", *told.warnings]
    page = frame(told._repr_html_())
    assert '<dd data-count="loss">2</dd>' in page
    assert "in the loss, found by prefixes" in page
    assert '<span class="chat-text t1 chat-loss" data-label="2"' in page
    assert_needs_no_server(page)


def test_a_conversation_takes_tools_options_and_the_name_of_a_model():
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    prompt = tk.chat(ASKED[:1], "Qwen/Qwen3-8B", tools=[tool], add_generation_prompt=True, enable_thinking=False)
    assert '"name": "f"' in prompt.text
    assert prompt.text.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
    assert (sum(prompt.mask), prompt.warnings) == (0, [])


def test_steps_end_in_the_tokens():
    run = tk.steps("strawberry", "gpt-4o")
    assert run.tokens == ["st", "raw", "berry"]
    assert "e and r merge" in repr(run)
    assert_needs_no_server(frame(run._repr_html_()))


def test_a_program_loads_what_it_uses():
    code = """
import sys, tokenarium
def loaded(*names): return {*names} & {*sys.modules}
print(loaded("dataclasses", "tokenarium.notebook"))
assert tokenarium.count("hello") == 1
print(loaded("numpy", "regex", "pydantic", "jinja2", "tokenarium.configured", "tokenarium.notebook.parts"))
assert tokenarium.chunks("hello")[0].tokens == 1
print(loaded("jinja2", "fastapi", "tokenarium.notebook.display"))
"""
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert answer.stdout.split() == ["set()"] * 3


PROGRAM = """\
from collections.abc import Iterator

import tokenarium as tk

t = tk.load("gpt-4o")
ids: list[int] = t.encode("Hello", special="parse")
text: str = t.decode(ids)
count: int = t.count(text) + tk.count(text, "bert")
batch: list[list[int]] = t.encode_batch([text])
counts: list[int] = t.count_batch([text])
texts: list[str] = t.decode_batch(batch)
spans: list[tuple[int, int]] = t.offsets(text)
stream: Iterator[int] = t.iter_encode(open("file"))
parts: list[str] = [part.text for part in tk.chunks(text, size=4, at="sentence")]
short: str = tk.truncate(text, size=3, keep="end")
same: bool = tk.is_canonical(ids)
compared: dict[str, int] = tk.compare(text, ["gpt-4o"]).counts
mask: list[int] = tk.chat([{"role": "user", "content": "Hi"}], "qwen3").mask
shown: list[int] = tk.show(text).ids
steps: list[str] = tk.steps(text).tokens
t.count(text, special="pares")
tk.chunks(text, at="word")
tk.truncate(text, budget=3)
"""


def test_a_program_is_checked_strictly_against_the_types(tmp_path):
    (tmp_path / "tokenarium").symlink_to(ROOT / "app")
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports=silent",
        "--cache-dir=/dev/null",
        "program.py",
    ]
    env = {**os.environ, "MYPYPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env, check=False)
    errors = re.findall(r"program.py:(\d+): error: .*\[(.*)\]", done.stdout)
    assert [(PROGRAM.splitlines()[int(line) - 1], kind) for line, kind in errors] == [
        ('t.count(text, special="pares")', "arg-type"),
        ('tk.chunks(text, at="word")', "arg-type"),
        ("tk.truncate(text, budget=3)", "call-arg"),
    ]


@pytest.mark.nightly
def test_a_notebook_runs_and_shows_each_result(tmp_path):
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    (ids,), *shown = [cell.outputs for cell in notebook.cells]
    assert ids["data"]["text/plain"] == str(IDS)
    for (output,) in shown:
        assert "<iframe srcdoc=" in output["data"]["text/html"]
        assert output["data"]["text/plain"]
