"""The templates that models have under their names, against transformers and the numbers of recorded conversations."""

import json
import re
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2 import TemplateError
from tiktoken import Encoding
from tokenarium.errors import BadTemplate, Invalid
from tokenarium.files.targets import build_tokenizer_json
from tokenarium.files.tiktoken.ranks import load_ranks
from tokenarium.lab.chat.conversation import Conversation
from tokenarium.lab.chat.masks import find_loss
from tokenarium.lab.chat.model_templates import explain_missing, find_template
from tokenarium.lab.chat.rendering import joins_arguments, render, render_template
from tokenarium.lab.chat.tokens import tokenize_chat
from tokenarium.lab.models import resolve_model
from tokenarium.lab.tokenize import tokenize
from tokenarium.lab.turns.lanes import TurnRenderer
from tokenarium.lab.turns.trajectory import cut
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.store import read_templates
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast
from transformers.utils.chat_template_utils import render_jinja_template

from tests.conftest import TIER
from tests.support.conversations import trajectories
from tests.support.faulty_files import GOOD

TRAJECTORIES = {"commit": 5, "nightly": 200}[TIER]
REGISTRY = Registry(Settings())
TEMPLATES = {
    **{entry["file"]: entry["tokenizers"] for entry in read_templates(Settings().store)},
    **{
        REGISTRY.record(id).spec["chat_template"]["file"]: [id]
        for id in REGISTRY.chat_templates(info.id for info in REGISTRY.infos())
        if "sha256" not in REGISTRY.record(id).spec["chat_template"]
    },
}
"""The tokenizers of each template that others have written."""
STORED = [file for file, tokenizers in TEMPLATES.items() if tokenizers[0] in REGISTRY]
"""Those of a vocabulary of the store; Llama's is not part of it."""
TRAINING = [entry["file"] for entry in read_templates(Settings().store) if "trains" in entry]
NIGHTLY = pytest.mark.nightly
SOME = ("qwen3.jinja", "qwen3-training.jinja", "phi-3.jinja")
"""Templates whose ids are compared before each commit; the others load more vocabularies."""
SCHEMAS = {
    "get_weather": (
        "Get the weather of a city",
        {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["c", "f"]}},
        ["city"],
    ),
    "convert": ("Convert a temperature", {"value": {"type": "number"}, "to": {"type": "string"}}, ["value", "to"]),
}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": properties, "required": required},
        },
    }
    for name, (description, properties, required) in SCHEMAS.items()
]
CALL = {"id": "call00001", "type": "function"}
CALL |= {"function": {"name": "get_weather", "arguments": {"city": "Zürich", "unit": "c"}}}
AGENT = [
    {"role": "system", "content": "You are terse."},
    {"role": "user", "content": "Weather in Zürich, in Fahrenheit?"},
    {"role": "assistant", "content": "", "reasoning_content": "First the weather.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call00001", "name": "get_weather", "content": '{"t": 18}'},
]


def template_of(file):
    """A template of the store with its variables."""
    tokenizer = TEMPLATES[file][0] if file in STORED else "qwen3"
    entry = next(one for one in read_templates(Settings().store) if one["file"] == file)
    return REGISTRY.chat_template(tokenizer, entry)


def by_library(template, conversation):
    """The text by transformers, or None if the template refuses the conversation or fails."""
    try:
        (text,), _ = render_jinja_template(
            [conversation.messages],
            tools=conversation.tools,
            chat_template=template.text,
            add_generation_prompt=conversation.add_generation_prompt,
            **template.variables,
        )
    except (TemplateError, TypeError):
        return None
    return text


@pytest.mark.parametrize("file", TEMPLATES)
@settings(max_examples=TRAJECTORIES)
@given(data=st.data())
def test_a_trajectory_is_written_as_transformers_writes_it(file, data):
    template = template_of(file)
    conversation = data.draw(trajectories(texts=joins_arguments(template.text)))
    if (expected := by_library(template, conversation)) is None:
        with pytest.raises(BadTemplate):
            render_template(template, conversation)
    else:
        assert render_template(template, conversation) == expected


@cache
def library(tokenizer):
    return Tokenizer.from_buffer(build_tokenizer_json(REGISTRY.record(tokenizer)))


@cache
def transformers_library(tokenizer):
    return PreTrainedTokenizerFast(tokenizer_object=library(tokenizer))


@cache
def tiktoken_library(tokenizer):
    record = REGISTRY.record(tokenizer)
    return Encoding(
        tokenizer,
        pat_str=record.pattern,
        mergeable_ranks=load_ranks(record.only_file()),
        special_tokens=record.info.special_tokens,
    )


def ids_by_library(tokenizer, text):
    """The ids of a text with special tokens. Moonshot publishes Kimi's vocabulary for tiktoken alone."""
    if tokenizer == "kimi-k2":
        return tiktoken_library(tokenizer).encode(text, allowed_special="all")
    return library(tokenizer).encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("file", [pytest.param(file, marks=() if file in SOME else NIGHTLY) for file in STORED])
@settings(max_examples=TRAJECTORIES)
@given(data=st.data())
def test_each_turn_of_a_trajectory_has_the_ids_that_the_library_gives_it(file, data):
    template = template_of(file)
    drawn = data.draw(trajectories(texts=joins_arguments(template.text)))
    said = json.loads(json.dumps(drawn.messages).replace("<s>", "s"))  # a special token of some
    turns = cut(replace(drawn, messages=said)).turns
    (tokenizer, *_) = TEMPLATES[file]
    lanes = TurnRenderer(REGISTRY, tokenizer, template.model, 10**6).make_lanes(turns)
    conversations = [one for turn in turns for one in (turn.prompt, turn.whole) if one]
    texts = [by_library(template, one) for one in conversations]
    if None in texts:
        with pytest.raises(BadTemplate):
            list(lanes)
        return
    found = [one for lane in lanes for one in (lane.prompt, lane.whole) if one]
    assert [one.text for one in found] == texts
    assert [one.ids for one in found] == [ids_by_library(tokenizer, text) for text in texts]


@pytest.mark.parametrize("file", [pytest.param(file, marks=() if file in SOME else NIGHTLY) for file in TRAINING])
@settings(max_examples=TRAJECTORIES)
@given(data=st.data())
def test_a_training_template_marks_what_it_marks_in_transformers(file, data):
    template = template_of(file)
    drawn = data.draw(trajectories(texts=joins_arguments(template.text)))
    (tokenizer, *_) = TEMPLATES[file]
    asked = replace(drawn, model=template.model)
    chat = tokenize_chat(REGISTRY, tokenizer, render(REGISTRY, tokenizer, asked), limit=10**6)
    loss = find_loss(REGISTRY, tokenizer, asked, chat)
    options = {"add_generation_prompt": drawn.add_generation_prompt, "return_assistant_tokens_mask": True}
    options |= {"tools": drawn.tools, "chat_template": template.text, "return_dict": True}
    expected = transformers_library(tokenizer).apply_chat_template(drawn.messages, **options)
    assert chat.tokenization.encoding.ids.tolist() == expected["input_ids"]
    assert (loss.basis, loss.tokens.astype(int).tolist()) == ("generation", expected["assistant_masks"])


@pytest.mark.parametrize("file", STORED)
def test_the_marks_that_a_template_writes_are_tokens_of_its_vocabulary(file):
    template = template_of(file)
    text = render_template(template, Conversation(AGENT[:2], TOOLS if file != "phi-3.jinja" else None))
    (tokenizer, *_) = TEMPLATES[file]
    marks = {*re.findall(r"<[|｜][^<>]*?[|｜]>|</?think>", text)}
    sizes = {mark: len(tokenize(REGISTRY, mark, tokenizer=tokenizer, special="parse").encoding) for mark in marks}
    assert sizes == dict.fromkeys(marks, 1)
    assert marks


def count(model, messages, tools=None):
    """The number of tokens of a conversation with a model."""
    tokenizer = resolve_model(REGISTRY, model)
    conversation = Conversation(messages, tools, model=model)
    rendering = render(REGISTRY, tokenizer, conversation)
    return len(tokenize_chat(REGISTRY, tokenizer, rendering, limit=10**6).tokenization.encoding)


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("qwen3", 298),
        ("Qwen/Qwen3-Coder-30B-A3B-Instruct", 426),
        ("deepseek-v3", 49),
        ("deepseek-ai/DeepSeek-V3.2", 469),
        ("deepseek-ai/DeepSeek-V4-Flash", 438),
        ("glm-4", 303),
        ("zai-org/GLM-4.7-Flash", 289),
    ],
)
def test_the_request_of_an_agent_has_as_many_tokens_as_the_models_template_writes(model, tokens):
    assert count(model, AGENT, TOOLS) == tokens


@pytest.mark.parametrize(
    ("model", "tokens"),
    [("qwen3", 15), ("Qwen/Qwen2.5-7B-Instruct", 36), ("QwQ-32B", 18), ("deepseek-v3", 12), ("DeepSeek-R1", 12)],
)
def test_a_question_has_as_many_tokens_as_the_models_template_writes(model, tokens):
    assert count(model, [{"role": "user", "content": "What is the capital of France?"}]) == tokens


def test_r1_begins_to_reason_where_v3_1_does_not():
    messages = [{"role": "user", "content": "Hi"}]
    texts = [render(REGISTRY, "deepseek-v3", Conversation(messages, model=model)).text for model in ("", "DeepSeek-R1")]
    assert [text.rpartition("<｜Assistant｜>")[2] for text in texts] == ["<think></think>", "<think>\n"]


def test_a_template_that_adds_arguments_to_a_text_gets_them_as_json():
    text = render(REGISTRY, "deepseek-v3", Conversation(AGENT, model="DeepSeek-R1")).text
    assert 'get_weather\n```json\n{"city": "Zürich", "unit": "c"}\n```' in text


def test_the_template_of_a_tokenizer_that_someone_has_added_is_not_replaced_by_a_name(tmp_path):
    config = {"tokenizer_class": "X", "chat_template": "own"}
    (tmp_path / "tokenizer.json").write_bytes(GOOD["tokenizer.json"])
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    registry = Registry(Settings(hub=(str(tmp_path),)))
    assert find_template(registry, tmp_path.name, "Qwen/Qwen2.5-7B-Instruct").text == "own"


@pytest.mark.parametrize("model", ["gpt-5-mini", "openai/o3", "gpt-4o"])
def test_a_model_whose_template_nobody_has_published_is_said_to_have_none(model):
    tokenizer = resolve_model(REGISTRY, model)
    with pytest.raises(Invalid, match=r"^OpenAI has published no chat template of this model\. Send a template"):
        render(REGISTRY, tokenizer, Conversation([{"role": "user", "content": "Hi"}], model=model))
    assert explain_missing(REGISTRY, "gpt-oss-120b") == ""
