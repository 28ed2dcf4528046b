"""A chat template that renders alike in an environment that does not know what transformers leaves undefined.

Clients render the template of `/tokenizer_info` themselves. lm-eval passes only the messages, and an undefined variable
is an error there; transformers passes the special tokens, `tools` and `documents`, and an undefined one is empty.
"""

import json

from ...types import ChatTemplate

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
    return "".join(statements) + template.text


def _literal(value: object) -> str:
    """Return a text or None in Jinja’s syntax."""
    return "none" if value is None else json.dumps(value, ensure_ascii=False)
