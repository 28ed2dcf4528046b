"""Training sets: rows are recognized, counted through a template, and packed; what is refused is listed."""

import gzip
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.corpus.chat.conversations import recognize, set_format
from tokenarium.corpus.chat.counting import TEMPLATE, ChatCounts, count_part, make_chat_plan
from tokenarium.corpus.chat.packing import count_sequences, pack, plan_packing
from tokenarium.corpus.plan import Plan
from tokenarium.corpus.shard_work import make_job
from tokenarium.corpus.shards import open as open_shards
from tokenarium.corpus.sources import parts, source
from tokenarium.corpus.tokenizing import tokenize as tokenize_corpus
from tokenarium.corpus.verifying import verify
from tokenarium.errors import Invalid
from tokenarium.lab.chat.conversation import Conversation
from tokenarium.lab.chat.rendering import render
from tokenarium.lab.tokenize import tokenize

from tests.conftest import ROOMY

HELLO = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
MARKED = "{% for m in messages %}{{ m.role }}: {% generation %}{{ m.content }}{% endgeneration %}\n{% endfor %}"
SPACED = "{% for m in messages %}{{ m.role }}: {% generation %}{{ m.content }}{% endgeneration %} {% endfor %}"
PLAN = make_chat_plan(Plan(ROOMY, ("qwen3",)), [8, 4096])


def counted(path, plan=PLAN, size=1 << 24):
    total = ChatCounts()
    for part in parts(set_format(source(str(path))), size=size):
        total += ChatCounts.load(json.loads(json.dumps(count_part(plan, part).dump())))
    return total


def write(path, rows):
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


@pytest.mark.parametrize(
    ("row", "format"),
    [
        ({"messages": HELLO}, "messages"),
        ({"messages": json.dumps(HELLO), "tools": "[]"}, "messages"),
        (HELLO, "messages"),
        ({"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]}, "sharegpt"),
        ({"instruction": "Hi", "input": "", "output": "Hello"}, "alpaca"),
        ({"prompt": "Hi", "completion": "Hello"}, "completion"),
        ({"prompt": HELLO[:1], "completion": HELLO[1:]}, "completion"),
    ],
)
def test_a_row_of_each_format_is_the_same_conversation(row, format):
    found, (one,) = recognize(row, {})
    assert (found, list(one.messages), one.tools) == (format, HELLO, None)


def test_a_preference_pair_is_two_conversations():
    format, (chosen, rejected) = recognize({"prompt": "Hi", "chosen": "Hello", "rejected": "No"}, {})
    assert (format, chosen.part, rejected.part) == ("preference", "chosen", "rejected")
    assert chosen.messages == HELLO
    assert rejected.messages == [HELLO[0], {"role": "assistant", "content": "No"}]


def test_columns_can_be_named():
    assert recognize({"q": "Hi", "a": "Hello"}, {"prompt": "q", "completion": "a"})[1][0].messages == HELLO


@pytest.mark.parametrize("row", [1, {}, {"text": "Hi"}, {"messages": []}, {"messages": [1]}, {"messages": "x"}])
@pytest.mark.parametrize("key", ["", "conversations"])
def test_other_rows_are_refused(row, key):
    with pytest.raises(Invalid):
        recognize({key: row} if key else row, {})


def test_tokens_are_those_of_the_template_by_role_and_turn(registry, tmp_path):
    rows = [{"messages": HELLO}, {"messages": [{"role": "system", "content": "Be brief."}, *HELLO]}]
    counts = counted(write(tmp_path / "a.jsonl", rows))
    lengths = []
    for row in rows:
        text = render(registry, "qwen3", Conversation(row["messages"], add_generation_prompt=False)).text
        lengths.append(len(tokenize(registry, text, tokenizer="qwen3", special="parse").encoding))
    assert counts.lengths == Counter(lengths)
    assert counts.tokens == sum(lengths) == sum(counts.roles.values())
    assert (counts.roles["user"], counts.roles["assistant"], counts.roles["system"]) == (2, 2, 3)
    assert (counts.messages["user"], counts.reached) == (2, {0: 2, 1: 2, 2: 1})
    assert counts.turns == {0: 4, 1: 2, 2: 1}
    assert (counts.bases, counts.findings) == ({"prefixes": 2}, {})
    assert counts.loss == 2 * len(
        registry.get("qwen3").encode("<think>\n\n</think>\n\nHello<|im_end|>\n", special="parse")
    )


def test_loss_is_what_the_template_marks_and_what_a_context_cuts_of_it(tmp_path):
    path = write(tmp_path / "a.jsonl", [{"messages": HELLO}] * 2)
    counts = counted(path, replace(PLAN, template=MARKED, contexts=(4, 99)))
    assert (counts.bases, counts.loss, counts.lengths) == ({"generation": 2}, 4, {6: 2})
    assert counts.cut_loss == {4: 2, 99: 0}
    assert counts.duplicates.share == 0.5


def test_a_model_is_counted_with_its_own_template(tmp_path):
    path = write(tmp_path / "a.jsonl", [{"messages": HELLO}])
    model = "Qwen2.5-7B-Instruct"  # whose template writes a system message where there is none
    own = counted(path, make_chat_plan(Plan(ROOMY, ("qwen3",)), [8], model=model))
    assert own.roles[TEMPLATE] - counted(path, PLAN).roles[TEMPLATE] > 15


def test_findings_are_counted_with_their_first_row(tmp_path):
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    thought = [HELLO[0], {**HELLO[1], "reasoning": "Why?"}]
    rows = [{"messages": HELLO, "tools": [tool]}, {"messages": [*thought, HELLO[0]]}, {"messages": HELLO[:1]}]
    path = write(tmp_path / "a.jsonl", [{"messages": HELLO}, *rows, *rows])
    phi = make_chat_plan(Plan(ROOMY, ("phi-3",)), [8])
    counts = counted(path, phi)
    assert counts.findings == {"tools-left-out": 2, "left-out": 2, "no-loss": 2}
    places = [1 + sum(len(json.dumps(row)) + 1 for row in ({"messages": HELLO}, *rows[:i])) - 1 for i in range(3)]
    assert counts.examples == {
        "tools-left-out": f"{path}, byte {places[0]}: The template writes nothing of the tool definitions.",
        "left-out": f"{path}, byte {places[1]}: The template writes nothing of the reasoning of message 2.",
        "no-loss": f"{path}, byte {places[2]}: No token of the conversation is in the loss.",
    }
    prefixed = replace(phi, template="{{ messages | length }}{{ messages[0].content }}{{ eos_token }}")
    assert counted(path, prefixed).findings["no-prefix"] == 5


def test_refused_rows_have_their_place_and_reason(tmp_path):
    lines = [
        json.dumps({"messages": HELLO}),
        "{",
        json.dumps({"text": "Hi"}),
        json.dumps({"messages": [{"role": "assistant", "content": "Hi", "tool_calls": [{"function": 5}]}]}),
    ]
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines))
    counts = counted(path)
    assert counts.conversations == 1
    assert counts.unread.problems[0].startswith(f"{path}, byte {len(lines[0]) + 1}: it is not JSON")
    assert sorted(counts.refused.values()) == [1, 1]
    assert counts.places[0].endswith("it has text.")
    assert "The template fails" in counts.places[1]


def test_parts_of_a_file_count_as_the_whole(tmp_path):
    path = write(tmp_path / "a.jsonl", [{"messages": HELLO}, {"prompt": "Hi", "completion": "Ho"}] * 5)
    assert counted(path, size=100).dump() == counted(path).dump()


def test_every_kind_of_file_has_the_same_rows(tmp_path):
    rows = [{"prompt": "Hi", "completion": "Hello"}, {"prompt": "One", "completion": "Two, three"}]
    write(tmp_path / "a.jsonl", rows)
    (tmp_path / "b.json").write_text(json.dumps(rows))
    write(tmp_path / "c.json", rows)
    (tmp_path / "d.csv").write_text('prompt,completion\nHi,Hello\nOne,"Two, three"\n')
    (tmp_path / "e.jsonl.gz").write_bytes(gzip.compress((tmp_path / "a.jsonl").read_bytes()))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "f.parquet")
    every = [counted(path).dump() for path in sorted(tmp_path.iterdir())]
    assert every[0]["formats"] == [("completion", 2)]
    assert every == [every[0]] * 6


def pack_one_by_one(lengths, context):
    """The sequences of best fit decreasing, each conversation looked for in all of them."""
    room = []
    for length in sorted(lengths, reverse=True):
        fitting = [index for index, left in enumerate(room) if left >= length]
        if fitting:
            room[min(fitting, key=lambda index: room[index])] -= length
        else:
            room.append(context - length)
    return len(room)


@given(st.lists(st.integers(1, 40), max_size=60))
def test_packing_is_best_fit_decreasing(lengths):
    sequences = pack(lengths, 40)
    assert sorted(index for sequence in sequences for index in sequence) == [*range(len(lengths))]
    assert all(sum(lengths[index] for index in sequence) <= 40 for sequence in sequences)
    assert count_sequences(Counter(lengths), 40) == len(sequences) == pack_one_by_one(lengths, 40)


def test_a_context_truncates_pads_and_packs():
    plan = plan_packing({6: 2, 3: 2, 12: 1}, 10)
    assert (plan.conversations, plan.tokens, plan.truncated, plan.lost) == (5, 28, 1, 2)
    assert (plan.sequences, round(plan.padded_waste, 2), round(plan.packed_waste, 4)) == (3, 0.44, 0.0667)


def test_contexts_and_tokenizers_that_cannot_be_counted_are_refused():
    with pytest.raises(Invalid, match="--context"):
        make_chat_plan(Plan(ROOMY, ("qwen3",)), [0])
    with pytest.raises(Invalid, match="gpt2 has no chat template"):
        make_chat_plan(Plan(ROOMY, ("gpt2",)), [8])


def write_shards(tmp_path, name, format="npy", *, contexts=(), packed=False):
    """Write shards of three conversations, and return the beginning of the names of their files."""
    rows = [{"messages": HELLO}, {"prompt": "Hi", "completion": "One, two, three"}, {"messages": HELLO}]
    found = set_format(source(str(write(tmp_path / "a.jsonl", rows))))
    chat = replace(PLAN, template=SPACED, contexts=contexts, packed=packed)
    with ThreadPoolExecutor(1) as pool:
        job = make_job(chat.plan, str(tmp_path / name), format, "none", chat=chat)
        tokenize_corpus(job, [found], parts(found), pool)
    return tmp_path / name / "shards" / "000000-000"


def test_shards_are_read_as_a_training_program_reads_flat_arrays(registry, tmp_path):
    name = write_shards(tmp_path, "a", contexts=(8,))
    ids, offsets, mask = (np.load(f"{name}{end}.npy") for end in ("", ".offsets", ".mask"))
    decode = registry.get("qwen3").decode
    texts = [decode(ids[a:b].tolist()).decode() for a, b in pairwise(offsets.tolist())]
    assert texts == ["user: Hi assistant: Hello ", "user: Hi assistant: One, two", "user: Hi assistant: Hello "]
    assert (len(mask), mask.dtype) == (len(ids), np.uint8)
    assert decode(ids[mask == 1].tolist()).decode() == " Hi Hello Hi One, two Hi Hello"


def test_shards_are_read_as_a_training_program_reads_rows(tmp_path):
    table = pq.read_table(f"{write_shards(tmp_path, 'a', 'parquet', contexts=(20,), packed=True)}.parquet")
    assert [*table.column_names[:1], *table.column_names[-2:]] == ["input_ids", "assistant_masks", "seq_lengths"]
    rows = table.to_pylist()
    assert [(len(row["input_ids"]), row["seq_lengths"]) for row in rows] == [(18, [11, 7]), (7, [7])]
    assert [len(row["assistant_masks"]) for row in rows] == [18, 7]
    alone = np.load(f"{write_shards(tmp_path, 'b')}.npy")
    assert sorted(id for row in rows for id in row["input_ids"]) == sorted(alone.tolist())


def test_packed_shards_are_the_same_each_time_and_verified(registry, tmp_path):
    names = [write_shards(tmp_path, name, contexts=(20,), packed=True) for name in ("a", "b")]
    files = [{path.name: path.read_bytes() for path in name.parent.iterdir()} for name in names]
    assert files[0] == files[1]
    assert sorted(files[0]) == [f"000000-000{end}" for end in (".lengths.npy", ".mask.npy", ".npy", ".offsets.npy")]
    assert verify(open_shards(str(tmp_path / "a")), registry).problems == []
