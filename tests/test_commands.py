"""The command line, run as a user runs it."""

import json
import shlex
import signal
import subprocess
import sys
from importlib.metadata import version
from itertools import islice

import pytest
from tokenarium.__main__ import COMMANDS, EXAMPLES, parser
from tokenarium.commands import corpus
from tokenarium.lab.conformance import texts
from tokenarium.settings import ROOT

from tests.conftest import UNLIKE
from tests.support.strings import NASTY

GREETING = "Hello, 🌍! 你好!"


@pytest.fixture
def files(tmp_path):
    """Files by name: a greeting, three lines, and one that is not UTF-8 in its second line."""
    for name, data in {"a": GREETING.encode(), "lines": b"one\n\nthree", "bad": b"fine\ncaf\xe9\nfine\n\xff"}.items():
        (tmp_path / name).write_bytes(data)
    return tmp_path


def test_tokenize_prints_a_token_a_line(said, files):
    status, out, err = said("tokenize", files / "a")
    assert (status, err) == (0, "")
    assert [line.split(maxsplit=3) for line in out.splitlines()][:5] == [
        ["id", "bytes", "characters", "piece"],
        ["13225", "0–5", "0–5", "'Hello'"],
        ["11", "5–6", "5–6", "','"],
        ["130321", "6–10", "6–8", r"b' \xf0\x9f\x8c'"],
        ["235", "10–11", "7–8", r"b'\x8d'"],
    ]


def test_pieces_give_the_terminal_no_commands(said):
    for line in said("tokenize", "-t", "characters", "-e", "\x1b[2J\x9b\u202e\u200b\n")[1].splitlines():
        assert line.isprintable()


def test_json_is_what_the_api_answers(said, ask, files):
    sent = {"tokenizer": "cl100k_base", "text": GREETING, "special": "parse", "template": True}
    how = ("-t", "gpt-4", "--special", "parse", "--template", "--json")
    assert json.loads(said("tokenize", *how, files / "a")[1]) == ask("POST", "/tokenize", json=sent).json()
    counts = ask("POST", "/tokenize", json={**sent, "include": ["counts"]}).json()
    assert json.loads(said("count", *how, files / "a")[1]) == counts
    sent = {"tokenizers": ["gpt2", "o200k_base"], "text": GREETING, "include": ["ids"], "baseline": "o200k_base"}
    how = ("-t", "gpt2", "-t", "gpt-4o", "--baseline", "gpt-4o", "--include", "ids", "--json")
    assert json.loads(said("compare", *how, files / "a")[1]) == ask("POST", "/api/compare", json=sent).json()
    sent = {"tokenizer": "o200k_base", "ids": [130321, 235]}
    told = json.loads(said("detokenize", "--json", "-e", "130321 235")[1])
    assert told == ask("POST", "/detokenize", json=sent).json()


@pytest.mark.parametrize("id", UNLIKE)
def test_a_tokenizer_counts_here_what_it_counts_over_the_api(said, ask, id):
    sent = [*NASTY.values(), *islice(texts(seed=7), 60)]
    out = said("count", "--json", "-t", id, *(f"--text={text}" for text in sent))[1]
    body = {"tokenizer": id, "text": sent, "include": ["counts"]}
    told = [json.loads(line) for line in out.splitlines()]
    assert [answer | {"file": "--text"} for answer in ask("POST", "/tokenize", json=body).json()] == told


def test_lines_are_answered_as_a_stream_answers_them(said, ask, files):
    how = {"params": {"tokenizer": "gpt2"}, "headers": {"content-type": "application/x-ndjson"}}
    streamed = ask("POST", "/api/tokenize-stream", content=b'"one"\n""\n"three"', **how).text.splitlines()[:-1]
    out = said("tokenize", "--lines", "--json", "--include", "ids", "-t", "gpt2", files / "lines")[1]
    assert out.splitlines() == streamed
    assert said("tokenize", "--lines", "-t", "bytes", files / "lines")[1] == "111 110 101\n\n116 104 114 101 101\n"


def test_count_prints_a_row_a_file_and_a_total(said, files):
    assert said("count", files / "a", files / "lines", "-e", "Hello")[1].splitlines() == [
        "tokens  characters  bytes  text",
        "     1           5      5  --text",
        f"     8          13     20  {files}/a",
        f"     3          10     10  {files}/lines",
        "    12          28     35  total",
    ]
    assert said("count", "--lines", files / "lines")[1].splitlines() == [
        "lines  tokens  characters  bytes  text",
        f"    3       2           8      8  {files}/lines",
    ]


def test_compare_prints_a_row_a_tokenizer_the_fewest_first(said, files):
    assert said("compare", "-t", "gpt2", "-t", "o200k_base", "-t", "bytes", files / "a")[1].splitlines() == [
        "tokens  difference  bytes/token  tokens/word  tokenizer",
        "     8      -33.3%         2.50         4.00  o200k_base",
        "    12       +0.0%         1.67         6.00  gpt2",
        "    20      +66.7%         1.00        10.00  bytes",
    ]
    headings = [line for line in said("compare", files / "a", files / "lines")[1].splitlines() if "==>" in line]
    assert headings == [f"==> {files}/a <==", f"==> {files}/lines <=="]


def test_detokenize_reads_what_tokenize_prints_and_gives_the_bytes_back(said):
    text = f"a\r\n\0{GREETING}"
    for how, expected in ((["--json"], text), (["--lines"], text.replace("\r\n", "\n") + "\n")):
        _, cut, _ = said("tokenize", "-t", "gpt2", *how, stdin=text.encode())
        assert said("detokenize", "-t", "gpt2", *how[how == ["--json"] :], stdin=cut.encode())[1] == expected


def test_ids_that_are_not_canonical_are_told_with_status_1(said):
    assert said("detokenize", "--canonical", "-t", "gpt2", "-e", "31373")[:2] == (
        0,
        "Canonical: the tokenizer gives these ids for their text.\n"
        "Segmentations of this text: 16, the shortest of them: 1 token\n",
    )
    status, out, _ = said("detokenize", "--canonical", "-t", "gpt2", "-e", "258 18798")
    assert (status, out.splitlines()[1]) == (1, "The tokenizer gives: 31373")


def test_ids_are_compared_here_as_over_the_api(said, ask):
    told = json.loads(said("detokenize", "--canonical", "--json", "-t", "gpt2", "-e", "258 18798")[1])
    assert told == ask("POST", "/api/ids", json={"tokenizer": "gpt2", "ids": [258, 18798]}).json()
    assert (told["canonical_ids"], told["segmentations"]) == ([31373], "16")


@pytest.mark.parametrize(
    "ids", ["x", "-1", "4294967296", "1.5", "[1, true]", "[1.0]", '{"count": 1}', "²", "[", "70000"]
)
def test_what_is_no_id_is_refused(said, ids):
    status, out, err = said("detokenize", "-t", "gpt2", f"--text={ids}")
    assert (status, out, err.count("\n")) == (1, "", 1)


def test_standard_input_is_read_byte_for_byte(said):
    command = ["tokenize", "--json", "--tokenizer", "bytes"]
    run = [sys.executable, "-m", "tokenarium", *command]
    outputs = [said(*command, "-", stdin=b"a\r\nb")[1], subprocess.check_output(run, input=b"a\r\nb", cwd=ROOT)]
    assert [json.loads(output)["ids"] for output in outputs] == [[97, 13, 10, 98]] * 2


def test_what_fails_is_named_and_the_others_are_done(said, files):
    status, out, err = said("count", files / "nothing", files / "bad", files, files / "a")
    assert status == 1
    assert [line.split()[-1] for line in out.splitlines()] == ["text", f"{files}/a", "total"]
    assert err.splitlines() == [
        f"tokenarium: {files}/nothing: There is no such file; -e TEXT gives a text literally.",
        f"tokenarium: {files}/bad: Byte 8 is not UTF-8.",
        f"tokenarium: {files}: This is a folder; name its files, or use tokenarium corpus.",
    ]


def test_of_lines_that_fail_the_first_is_told_and_each_is_answered(said, files):
    status, out, err = said("count", "--lines", "--json", "-t", "bytes", files / "bad")
    assert status == 1
    told = [json.loads(line) for line in out.splitlines()]
    assert [(line["line"], line.get("count"), line.get("code")) for line in told] == [
        (1, 4, None),
        (2, None, "bad-encoding"),
        (3, 4, None),
        (4, None, "bad-encoding"),
    ]
    assert err.splitlines() == [
        f"tokenarium: {files}/bad, line 2: Byte 3 is not UTF-8.",
        f"tokenarium: {files}/bad: 2 lines failed.",
    ]


def test_a_tokenizer_that_refuses_a_text_leaves_the_others_their_rows(said):
    status, out, err = said("compare", "-t", "gpt2", "-t", "bytes", "--special", "refuse", "-e", "a<|endoftext|>")
    assert (status, [line.split()[-1] for line in out.splitlines()]) == (1, ["tokenizer", "bytes"])
    assert err.startswith("tokenarium: --text: gpt2: <|endoftext|> is spelled out at code point 1.")


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("cuont",),
        ("count", "--colour"),
        ("count", "--special", "maybe"),
        ("count", "-t", "gtp2", "-e", "a"),
        ("count", "--engine", "sentencepiece", "-e", "a"),
        ("detokenize", "-t", "gtp2", "-e", "1"),
        ("count", "-t", "gpt2,gtp2", "-e", "a"),
        ("compare", "-t", "gtp2", "-e", "a"),
        ("compare", "--baseline", "gtp2", "-e", "a"),
        ("conformance", "gtp2"),
        ("conformance", "gpt2", "--n", "-1"),
        ("tokenize", "-t", "", "-e", "a"),
    ],
)
def test_a_command_that_cannot_be_meant_is_status_2(said, args):
    status, out, err = said(*args)
    assert (status, out) == (2, "")
    assert err


def test_an_unknown_tokenizer_is_told_with_the_nearest(said):
    told = "tokenarium: No such tokenizer. There is no tokenizer for this model. Nearest: gpt2, gpt-2.\n"
    assert said("tokenize", "--tokenizer", "gtp2", "-e", "a") == (2, "", told)
    several = told.replace("There", "gtp2: There")
    assert said("count", "--tokenizer", "gpt2,gtp2", "-e", "a") == (2, "", several)


def test_claude_is_counted_as_a_range(said):
    note = "Note: Claude Opus 4.7 and later: 1.16 to 1.76 times the tokens of GPT-4o; no tokenizer is published.\n"
    status, out, err = said("count", "-t", "claude,gpt-4o", "-e", "Hello, 🌍! 你好!")
    assert (status, err) == (0, note)
    assert [line.split() for line in out.splitlines()] == [
        ["claude-4.7", "o200k_base", "characters", "bytes", "text"],
        ["9-15", "8", "13", "20", "--text"],
    ]
    answer = json.loads(said("count", "-t", "claude", "--json", "-e", "Hello, 🌍! 你好!")[1])
    assert (answer["count"], answer["range"]["low"], answer["range"]["high"]) == (None, 9, 15)


def test_nobody_is_told_that_the_reader_has_gone(tmp_path):
    (tmp_path / "long").write_bytes(b"a\n" * 500_000)
    for command in ("tokenize", "tokenize --json", "tokenize --lines"):
        line = f'"{sys.executable}" -m tokenarium {command} -t bytes "{tmp_path}/long" | head -c 100'
        done = subprocess.run(["bash", "-o", "pipefail", "-c", line], capture_output=True, cwd=ROOT, check=False)
        assert (done.returncode, len(done.stdout), done.stderr) == (141, 100, b""), command


def test_an_interrupt_is_silent_and_status_130():
    command = [sys.executable, "-m", "tokenarium", "count", "--lines", "-t", "bytes"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*command, "--json"], cwd=ROOT, **pipes) as process:
        process.stdin.write(b"a\n" * 200)
        process.stdin.flush()
        assert process.stdout.read(1) == b"{"
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert (process.wait(20), process.stderr.read()) == (130, b"")


@pytest.mark.nightly
def test_counting_lines_takes_the_memory_of_a_line():
    code = (
        "from tokenarium.__main__ import main; main(['count', '--lines', '-t', 'gpt2']); "
        "print(*(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    )

    def kilobytes(lines):
        command = [sys.executable, "-c", code]
        done = subprocess.run(
            command, input=(b"word " * 2000 + b"\n") * lines, capture_output=True, cwd=ROOT, check=True
        )
        return int(done.stdout.split()[-1])

    assert kilobytes(2000) - kilobytes(20) < 10_000


def test_the_version_is_that_of_the_package(said):
    assert said("--version") == (0, f"tokenarium {version('tokenarium')}\n", "")


def test_every_command_explains_itself(said):
    for name in COMMANDS:
        status, out, _ = said(name, "--help")
        assert (status, out.startswith(f"usage: tokenarium {name}")) == (0, True)
        assert f"Example: tokenarium {name}" in out


def test_every_example_can_be_parsed():
    assert {*EXAMPLES} == {*COMMANDS}
    for name, example in EXAMPLES.items():
        assert parser(name).parse_args(shlex.split(example.partition(" > ")[0])).run
    assert {*corpus.EXAMPLES} == {*corpus.COMMANDS}
    for name, example in corpus.EXAMPLES.items():
        assert parser("corpus").parse_args(["corpus", name, *shlex.split(example)]).work


def test_several_tokenizers_are_named_with_commas_or_one_by_one():
    inputs = [[name, "x"] for name in ("compare", "count", "tokenize", "show", "du")]
    for command in (*inputs, ["corpus", "count", "x"], ["corpus", "compare", "x"]):
        for names in ("-t a,b -t c", "-t a -t b,c", "-t a,b,c,a"):
            assert parser(command[0]).parse_args([*command, *names.split()]).tokenizers == ["a", "b", "c"]
        assert parser(command[0]).parse_args(command).tokenizers[0] == "o200k_base"


def test_each_of_several_tokenizers_has_its_tokens(said, files):
    named = ("-t", "gpt2,gpt-4o,o200k_base", files / "a")
    assert said("count", *named, "-e", "Hello")[1].splitlines() == [
        "gpt2  o200k_base  characters  bytes  text",
        "   1           1           5      5  --text",
        f"  12           8          13     20  {files}/a",
        "  13           9          18     25  total",
    ]
    counted = [json.loads(line) for line in said("count", "--json", *named)[1].splitlines()]
    assert [(answer["tokenizer"], answer["count"]) for answer in counted] == [("gpt2", 12), ("o200k_base", 8)]
    headings = [line for line in said("tokenize", *named)[1].splitlines() if line.startswith("==>")]
    assert headings == ["==> gpt2 <==", "==> o200k_base <=="]
    assert said("tokenize", "--lines", "-t", "bytes,gpt2", "-e", "one\nHi")[1] == "111 110 101\n505\n72 105\n17250\n"
    shown = said("show", *named)[1].splitlines()
    assert shown[-1].endswith("(o200k_base)")
    assert sum(line.endswith("(GPT-2)") for line in shown) == 1


@pytest.mark.parametrize(
    "command",
    [
        "detokenize",
        "corpus chat x.jsonl",
        "corpus plan --tokens 1M --rate 1 --bytes-per-token 4",
        "corpus profile x.txt",
        "corpus tokenize x.txt -o ids",
    ],
)
@pytest.mark.parametrize("names", ["-t a,b", "-t a -t b"])
def test_a_command_for_one_tokenizer_refuses_several_and_says_why(said, command, names):
    status, _, err = said(*command.split(), *names.split())
    assert (status, "-t names one tokenizer here: " in err) == (2, True)


COMPLETED = [
    ("tokenarium cou", ["count"]),
    ("tokenarium corpus pro", ["profile"]),
    ("tokenarium corpus count --est", ["--estimate"]),
    ("tokenarium count -t qwen3.", ["qwen3.5"]),
    ("tokenarium corpus count -t gpt2,qwen3.", ["gpt2,qwen3.5"]),
    ("tokenarium completion f", ["fish"]),
    ("tokenarium count --special p", ["parse"]),
    ("tokenarium count -e --sp", ["--special"]),
    ("tokenarium corpus profile --invalid s", ["skip"]),
    ("tokenarium corpus tokenize --format meg", ["megatron"]),
    ("tokenarium train --algorithm un", ["unigram"]),
    ("tokenarium compare --baseline qwen3.", ["qwen3.5"]),
    ("tokenarium vocabulary qwen3.", ["qwen3.5"]),
    ("tokenarium count ''", []),
    ("tokenarium corpus count --by ''", []),
]


def test_bash_completes_commands_options_and_tokenizers(said, tmp_path):
    (tmp_path / "script").write_text(said("completion", "bash")[1])
    lines = ["source ./script"]
    for words, _ in COMPLETED:
        lines += [f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _tokenarium; echo ${{COMPREPLY[@]}}"]
    done = subprocess.run(["bash", "-c", "\n".join(lines)], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [line.split() for line in done.stdout.splitlines()] == [expected for _, expected in COMPLETED]
    assert said("completion", "zsh")[1].endswith((tmp_path / "script").read_text())
    fish = said("completion", "fish")[1].splitlines()
    seen = "__fish_seen_subcommand_from corpus ; and __fish_seen_subcommand_from count"
    assert f"complete -c tokenarium -n '{seen}' -l estimate" in fish
    assert f"complete -c tokenarium -n '{seen}' -l invalid -x -a 'refuse skip replace'" in fish


def test_list_names_every_tokenizer_and_its_engines(said):
    lines = said("list")[1].splitlines()
    assert len(lines) == 37
    assert ["words", "word", "grows", "scratch"] in [line.split() for line in lines]


def test_list_gives_what_the_api_answers(said, ask):
    assert json.loads(said("list", "--json")[1]) == ask("GET", "/api/tokenizers").json()


def test_a_port_that_is_no_number_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "tokenarium", "serve"], env={"PORT": "http"}, capture_output=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"PORT must be a whole number, not 'http'\n")


def test_an_output_without_room_is_one_line_and_status_1(tmp_path):
    command = f'ulimit -f 0; "{sys.executable}" -m tokenarium tokenize -e Hello > "{tmp_path}/out"'
    done = subprocess.run(["bash", "-c", command], capture_output=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stderr) == (1, b"tokenarium: File too large.\n")


def test_show_colours_tokens_on_request_and_never_in_a_pipe(said, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("Hello, world\n")
    plain = said("show", path, "-t", "gpt-4o")[1]
    assert plain == "Hello│,│ world│\n\n4 tokens, 13 characters, 13 bytes (o200k_base)\n"
    coloured = said("show", path, "-t", "gpt-4o", "--color", "always")[1]
    assert coloured.startswith("\x1b[48;5;153m\x1b[38;5;16mHello\x1b[0m\x1b[48;5;223m")
