"""Chat templates: whether one is that of a model, special tokens by role, one that renders alike elsewhere, and tests.

Clients render the template of `/tokenizer_info` themselves. lm-eval passes only the messages, and an undefined variable
is an error there; transformers passes the special tokens, `tools` and `documents`, and an undefined one is empty. Its
environment trims blocks, which others do not, and has the function `strftime_now`.

Each conversation is one that published templates have failed on: a system message they ignore, tools they do not write,
roles that do not alternate, a user who types special tokens.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from typing import Literal

from jinja2 import Environment, TemplateSyntaxError

from ...errors import Invalid, OverLimit, TokenariumError, TooLarge
from ...registry import Registry
from ...types import ChatTemplate, TokenizerInfo
from ..model_names import fold_name
from .conversation import Conversation, TranscriptLine, messages, tool_definitions
from .examples import TABLES
from .model_templates import is_named
from .view import chat_view

SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "bos_token": (
        *("<s>", "<bos>", "[BOS]", "<|begin_of_text|>", "<|begin▁of▁sentence|>", "<｜begin▁of▁sentence｜>"),
        *("<|startoftext|>", "[gMASK]"),
    ),
    "eos_token": (
        *("</s>", "<eos>", "[EOS]", "<|end_of_text|>", "<|end▁of▁sentence|>", "<｜end▁of▁sentence｜>"),
        *("<|endoftext|>", "<EOT>"),
    ),
    "pad_token": ("<pad>", "[PAD]", "<|pad|>", "<|finetune_right_pad_id|>", "<｜▁pad▁｜>"),
    "unk_token": ("<unk>", "[UNK]", "<|unk|>"),
}
"""The spellings of each role in published configurations, the most specific first."""
MESSAGE_KEYS = (
    "content_json",
    "name",
    "reasoning",
    "reasoning_content",
    "thinking",
    "tool_call_id",
    "tool_calls",
    "tool_responses",
)
"""Keys that a message may lack."""
DATE_FORMAT = re.compile(r"""strftime_now\(["']((?:%-?[a-zA-Z]|[ !#$&(-\[\]-~])+)["']\)""")
"""A call for the date in a literal format, without field widths, which can be of any size."""
MAX_LINES = 2_000
"""Lines of the longest templates that are compared."""
Change = Literal["same", "added", "removed"]
KINDS: Mapping[str, Change] = {" ": "same", "+": "added", "-": "removed"}
WEATHER = tool_definitions(TABLES["tool"]["tools"])
QUESTION = TranscriptLine("user", "Who wrote Faust?")
SYSTEM = TranscriptLine("system", "Answer in one sentence.")
ANSWER = TranscriptLine("assistant", "Goethe did.")
CALL = (TranscriptLine("call", 'get_weather({"city": "Oslo"})'), TranscriptLine("tool", "7 °C"))
CONVERSATIONS: Mapping[str, tuple[TranscriptLine, ...]] = {
    "a question": (QUESTION,),
    "a system message and a question": (SYSTEM, QUESTION),
    "three turns": (QUESTION, ANSWER, TranscriptLine("user", "And who put it to music?")),
    "two questions in a row": (QUESTION, QUESTION),
    "a system message in the middle": (QUESTION, ANSWER, SYSTEM, QUESTION),
    "tools": (QUESTION,),
    "a tool call and its result": (QUESTION, *CALL),
}
"""Conversations by name; those with a tool in their names have the definition of one."""


@dataclass(frozen=True, slots=True)
class TemplateFit:
    """`exact`: the model's own template writes the same prompt. `text` says what it equals, or whose it is."""

    exact: bool
    text: str


@dataclass(frozen=True, slots=True)
class TemplateTest:
    """What a template makes of one conversation: the number of tokens, or why it fails; and findings."""

    name: str
    tokens: int | None
    error: str = ""
    findings: tuple[str, ...] = ()


def special_roles(info: TokenizerInfo, template: ChatTemplate | None) -> dict[str, str]:
    """Return the special token of each role that a tokenizer has, by the name of the role in a configuration.

    The variables of a chat template decide, as they come from the model's configuration; else the spelling does.

    >>> special_roles(TokenizerInfo("a", "A", "bpe", (), 3, True, special_tokens={"<s>": 0, "</s>": 1}), None)
    {'bos_token': '<s>', 'eos_token': '</s>'}
    """
    roles = {
        role: next(spelling for spelling in spellings if spelling in info.special_tokens)
        for role, spellings in SPELLINGS.items()
        if not info.special_tokens.keys().isdisjoint(spellings)
    }
    variables = template.variables if template else {}
    return roles | {role: variables[role] for role in SPELLINGS if role in variables}


def fit_template(template: ChatTemplate, model: str, tokenizer: str) -> TemplateFit:
    """Return how a tokenizer's template fits a model; the id of the tokenizer stands for the template's own model.

    >>> qwen = ChatTemplate("", model="Qwen3", names="qwen3-.*b", equals="transformers.apply_chat_template")
    >>> fit_template(qwen, "Qwen/Qwen3-8B", "qwen3").text
    'equal to transformers.apply_chat_template for Qwen3'
    >>> fit_template(qwen, "QwQ-32B", "qwen3")
    TemplateFit(exact=False, text='template of Qwen3, not of QwQ-32B')
    """
    if fold_name(model) not in ("", tokenizer, fold_name(template.model)) and not is_named(template.names, model):
        return TemplateFit(False, f"template of {template.model or tokenizer}, not of {model}")
    if template.equals:
        return TemplateFit(True, f"equal to {template.equals} for {template.model}")
    whose = "" if template.trains else f"template of {template.model or tokenizer}, "
    return TemplateFit(False, f"{whose}{template.source}")


def portable(template: ChatTemplate) -> str:
    """Return the template after statements that define what it reads and a client may not pass.

    >>> portable(ChatTemplate("{{ bos_token }}Hi", {"bos_token": "<s>"})).partition("%}")[0]
    '{% set bos_token = bos_token if bos_token is defined else "<s>" '
    """
    defaults = {**template.variables, "tools": None, "documents": None}
    statements = [
        f"{{% set {name} = {name} if {name} is defined else {_literal(value)} %}}" for name, value in defaults.items()
    ]
    keys = ", ".join(f'"{key}": none' for key in MESSAGE_KEYS if key in template.text)
    if keys:
        # `dict` keeps what a message has: the messages of the client are not changed.
        complete = f"complete.messages + [dict({{{keys}}}, **message)]"
        statements += [
            "{% set complete = namespace(messages=[]) %}{% for message in messages %}",
            f"{{% set complete.messages = {complete} %}}",
            "{% endfor %}{% set messages = complete.messages %}",
        ]
    formats = sorted({*DATE_FORMAT.findall(template.text)})
    if formats:
        dates = ", ".join(f"{_literal(one)}: {_literal(datetime.now().strftime(one))}" for one in formats)
        date = f"{{% macro strftime_now(format) %}}{{{{ {{{dates}}}[format] }}}}{{% endmacro %}}"
        statements.append(f"{{% if strftime_now is not defined %}}{date}{{% endif %}}")
    return "".join(statements) + trim_template(template.text)


def trim_template(template: str) -> str:
    r"""Return a template without the whitespace that an environment which trims blocks leaves out.

    >>> trim_template("{% if a %}\n  {% set b = 1 %}\n{{ b }}\n{% endif %}\n")
    '{% if a %}{% set b = 1 %}{{ b }}\n{% endif %}'
    """
    tokens = Environment(trim_blocks=True, lstrip_blocks=True).lexer.tokeniter(template, None)
    parts = []
    try:
        for _, name, value in tokens:
            if name.endswith("_begin") and value[2:3] == "-":
                parts.append(" ")  # the text before has lost its whitespace, and may end in a brace
            trims = name.endswith("_end") and value[0] != "-"
            parts.append(value.rstrip() if trims else value)
        return "".join(parts)
    except TemplateSyntaxError:  # which a client also gets
        return template


def _literal(value: object) -> str:
    """Return a text or None in Jinja’s syntax."""
    return "none" if value is None else json.dumps(value, ensure_ascii=False)


def difference(shipped: str, edited: str) -> list[tuple[Change, str]] | None:
    r"""Return the lines around each change of a template; none if it is unchanged, None if it is too long to compare.

    >>> difference("a\nb\n", "a\nc\n")
    [('same', 'a'), ('removed', 'b'), ('added', 'c')]
    """
    before = shipped.splitlines()
    after = edited.splitlines()
    if max(len(before), len(after)) > MAX_LINES:
        return None
    changed = unified_diff(before, after, lineterm="", n=2)
    return [(KINDS[line[0]], line[1:]) for line in list(changed)[2:] if line[0] in KINDS]


def template_tests(registry: Registry, tokenizer: str, template: str | None, *, limit: int) -> Iterator[TemplateTest]:
    """Yield the prompt that a template (None: the shipped one) writes for each conversation of a test.

    One contains special tokens that a user has typed, which a server that parses the whole prompt takes for the
    template's own; for the last one the tokenizer adds special tokens, as some servers do. Raises `UnknownTokenizer`.
    """
    typed = "".join(registry.info(tokenizer).special_tokens) or "<s>"
    injected = (TranscriptLine("user", f"Ignore this: {typed[:200]}"),)
    for name, script in {**CONVERSATIONS, "special tokens in a message": injected}.items():
        tools = WEATHER if "tool" in name else None
        yield _run_test(registry, tokenizer, name, Conversation(messages(script), tools, template=template), limit)
    again = "a question, BOS added by the server"
    conversation = Conversation(messages([QUESTION]), template=template)
    yield _run_test(registry, tokenizer, again, conversation, limit, add_special_tokens=True)


def _run_test(
    registry: Registry, tokenizer: str, name: str, conversation: Conversation, limit: int, **options: bool
) -> TemplateTest:
    try:
        view = chat_view(registry, tokenizer, conversation, special="parse", limit=limit, **options)
    except (Invalid, OverLimit, TooLarge) as error:
        return TemplateTest(name, None, error.detail)
    except TokenariumError as error:
        return TemplateTest(name, None, error.title)
    return TemplateTest(name, view.total, findings=tuple(warning.detail for warning in view.warnings))
