"""A chat template that renders alike in an environment that is not set up as transformers sets up its own.

Clients render the template of `/tokenizer_info` themselves. lm-eval passes only the messages, and an undefined variable
is an error there; transformers passes the special tokens, `tools` and `documents`, and an undefined one is empty. Its
environment trims blocks, which others do not, and has the function `strftime_now`.
"""

import json
import re
from datetime import datetime

from jinja2 import Environment, TemplateSyntaxError

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
DATE_FORMAT = re.compile(r"""strftime_now\(["']((?:%-?[a-zA-Z]|[ !#$&(-\[\]-~])+)["']\)""")
"""A call for the date in a literal format, without field widths, which can be of any size."""


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
