"""Why a chat template fails: in which line, and the library's reason, as far as its words are the template's own.

A template of a request may make any text of the messages a part of its errors, and errors never repeat messages: what
is quoted must occur in the source of the template.
"""

from __future__ import annotations

import json
import re
from traceback import walk_tb

from jinja2 import TemplateAssertionError, TemplateError, TemplateSyntaxError, UndefinedError, nodes
from jinja2.exceptions import SecurityError

from ...errors import BadTemplate
from ...types import ChatTemplate
from .conversation import Conversation
from .sandbox import ConversationRefused, compile_template

GO = re.compile(r"\{\{-?\s*(?:[.$]|(?:else )?if\s|range\s+[.$]|(?:with|template)\s+[.$\"])")
"""An action of Go's templates that is no expression of Jinja."""
QUOTED = re.compile(r"""(?<!\w)(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")(?!\w)""")
TYPES = frozenset({"None", "NoneType"}).union(
    *({name, f"{name} object"} for name in ("bool", "dict", "float", "int", "list", "str", "tuple"))
)
"""What libraries call types."""
MAX_REASON = 300
"""Characters of a reason that are shown."""
GO_TEMPLATE = "This is a Go template, as Ollama uses. A chat template is Jinja, as in a model’s tokenizer_config.json."


def explain_failure(error: Exception, template: ChatTemplate, conversation: Conversation) -> BadTemplate:
    """Return the error of a template that cannot be compiled, refuses a conversation or fails on it.

    >>> failed = TypeError("can only concatenate str (not 'dict') to str")
    >>> explain_failure(failed, ChatTemplate("{{ 'a' + messages[0] }}", source="-"), Conversation([])).detail
    "The template fails: can only concatenate str (not 'dict') to str."
    """
    sent = None if template.source else "/chat_template"
    if isinstance(error, TemplateSyntaxError | UndefinedError) and GO.search(template.text):
        return BadTemplate(GO_TEMPLATE, pointer=sent)
    if isinstance(error, TemplateSyntaxError) and not isinstance(error, TemplateAssertionError):
        words = (error.message or "").removesuffix(".")[:MAX_REASON]
        return BadTemplate(f"The chat template has a syntax error in line {error.lineno}: {words}.", pointer=sent)
    where = _locate(error)
    arguments = _find_bad_arguments(conversation)
    if isinstance(error, ConversationRefused):
        text = _quote_literal(str(error), template.text)
        detail = f"The template refuses this conversation{where if sent or not text else ''}"
        return BadTemplate(f"{detail}{f': {text}' if text else '.'}{arguments}", pointer="/messages")
    words = _quote_reason(error, template.text)
    forbidden = " what the sandbox forbids, here and in transformers" if isinstance(error, SecurityError) else ""
    what = f"The template {'does' if forbidden else 'fails'}{where}{forbidden}"
    kind = f": {words}." if words else f" with {type(error).__name__}."
    return BadTemplate(f"{what}{kind}{arguments}", pointer="/messages" if arguments else sent)


def _locate(error: BaseException) -> str:
    """Return the place of an error in the template, such as `" in line 2"`, or an empty string if it is unknown."""
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == "<template>"]
    if isinstance(error, TemplateAssertionError) and error.lineno:  # of the compiler
        lines = [error.lineno]
    return f" in line {lines[-1]}" if lines else ""


def _find_bad_arguments(conversation: Conversation) -> str:
    """Return a sentence on the first tool call whose arguments are a text that is no JSON object, or ""."""
    for number, message in enumerate(conversation.messages, 1):
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else ():
            function = call.get("function") if isinstance(call, dict) else None
            arguments = function.get("arguments") if isinstance(function, dict) else None
            if isinstance(arguments, str) and not _is_object(arguments):
                return f" Message {number} calls a tool with arguments that are not a JSON object."
    return ""


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text or "{}"), dict)
    except (ValueError, RecursionError):
        return False


def _quote_literal(text: str, template: str) -> str:
    """Return a text if it is a literal of a template, else the longest literal that it begins with, as a sentence.

    >>> _quote_literal("No role critic", "{{ raise_exception('No role ' + role) }}")
    'No role …'
    """
    tree = compile_template(template, sourced=False).environment.parse(template)
    literals = {node.value for node in tree.find_all(nodes.Const) if isinstance(node.value, str) and node.value.strip()}
    own = max(filter(text.startswith, literals), key=len, default="")[:MAX_REASON]
    return own and f"{own.rstrip('.')}." if own in ("", text) else f"{own.rstrip()} …"


def _quote_reason(error: Exception, template: str) -> str:
    """Return what Jinja or Python says of an error, without quoted words that are not in the template; "" if unsure.

    >>> _quote_reason(TypeError("'dict object' has no attribute 'secret'"), "{{ x[messages[0].content] }}")
    "'dict object' has no attribute '…'"
    """
    if not isinstance(error, TemplateError | TypeError | AttributeError | OverflowError):
        return ""
    text = " ".join(str(error).split())
    if "'" in (rest := QUOTED.sub("", text)) or '"' in rest:
        return ""
    known = QUOTED.sub(lambda found: found[0] if _is_known(found[0][1:-1], template) else "'…'", text)
    return known.removesuffix(".") if len(known) <= MAX_REASON else ""


def _is_known(word: str, template: str) -> bool:
    return word in TYPES or word in template
