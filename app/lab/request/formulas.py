"""The formulas by which the tokens of a request are counted where no tokenizer writes the whole prompt.

Each has its source, the day on which it was read, and the error to expect. What nobody has published has none of these:
its tokens are a range, or are not counted.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..chat.templates import TemplateFit

READ = "2026-11-22"


@dataclass(frozen=True, slots=True)
class Formula:
    """A rule for tokens that a vendor adds: what it says, who says so and when, and the error to expect."""

    title: str
    text: str
    error: str
    source: str = ""
    address: str = ""
    date: str = READ


COOKBOOK = (
    "OpenAI, Cookbook, How to count tokens with tiktoken",
    "https://github.com/openai/openai-cookbook/blob/main/examples/How_to_count_tokens_with_tiktoken.ipynb",
)
CHAT_FORMAT = Formula(
    "Format of chat messages",
    "3 tokens and the role for each message, 1 more for a name, 3 for the beginning of the answer.",
    "None on the measured cases of gpt-3.5-turbo, gpt-4 and gpt-4o (2023 and 2024).",
    *COOKBOOK,
)
CHAT_FORMAT_RANGE = Formula(
    "Format of chat messages, not measured for this model",
    "From nothing to 4 tokens, the role and the name for each message and 3 for the answer, the most that an older "
    "model takes.",
    "Not known: for this model nothing is published. OpenAI’s POST /v1/responses/input_tokens answers exactly.",
    *COOKBOOK,
)
TOOLS = Formula(
    "Tool definitions as TypeScript",
    "The definitions written as TypeScript and 9 tokens; a line end after the first system message, 4 less if there is "
    "one; 1 more for tool_choice none, 7 and the name for a named tool.",
    "None on 29 measured cases of gpt-3.5-turbo, gpt-4-turbo and gpt-4o (2024), to which the text was fitted.",
    "Measured counts of pamelafox/openai-messages-token-helper and n0isy/openai-tokens-count",
    "https://github.com/pamelafox/openai-messages-token-helper",
)
FUNCTIONS = Formula(
    "Functions as TypeScript",
    "The definitions written as TypeScript and 9 tokens; a line end after the first system message, 4 less if there is "
    "one; 1 more for function_call none, 4 and the name for a named function.",
    "None on 36 measured cases of gpt-3.5-turbo (2023), to which the author fitted the text.",
    "hmarr/openai-chat-tokens",
    "https://github.com/hmarr/openai-chat-tokens",
)
TOOLS_RANGE = Formula(
    "Tool definitions, not measured for this model",
    "From the shortest to the longest of three known ways to write them: two kinds of TypeScript, and compact JSON.",
    "Not known: no measured case of this model was found.",
    "hmarr/openai-chat-tokens and pamelafox/openai-messages-token-helper, on older models",
    "https://github.com/hmarr/openai-chat-tokens",
)
CALLS = Formula(
    "Calls of tools",
    "Twice the name, 4 tokens and the arguments for each call, more where a message has several.",
    "From 4 too many to 7 too few for each call on 7 measured cases of gpt-4-turbo and gpt-3.5-turbo (2024).",
    "Measured counts of n0isy/openai-tokens-count",
    "https://github.com/n0isy/openai-tokens-count",
)
FUNCTION_CALL = Formula(
    "Call of a function",
    "The name, the arguments as they are written, and 3 tokens; a result takes 2 less than another message.",
    "None on 8 measured cases of gpt-3.5-turbo (2023).",
    "hmarr/openai-chat-tokens",
    "https://github.com/hmarr/openai-chat-tokens",
)
CALLS_RANGE = Formula(
    "Calls of tools, not measured for this model",
    "From the arguments alone to the most that an older model takes, and the id.",
    "Not known: no measured case of this model was found.",
    CALLS.source,
    CALLS.address,
)
SCHEMA_RANGE = Formula(
    "Structured output",
    "From nothing to the schema as compact JSON and 9 tokens.",
    "Not known: a third party claims the schema without required, additionalProperties and $schema, and 9 tokens.",
    "A claim in issue 2140 of openai/openai-cookbook, not confirmed",
    "https://github.com/openai/openai-cookbook/issues/2140",
)
CLAUDE_TOOLS = Formula(
    "Tokens that tools add to a request of Claude",
    "A fixed number for each model, and another if a tool must be called.",
    "None by the documentation; the definitions themselves come on top.",
    "Anthropic, Tool use overview",
    "https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview",
)
CLAUDE_DEFINITIONS = Formula(
    "Tool definitions of Claude",
    "From compact to indented JSON, in the range of Claude’s tokens.",
    "Not known: Anthropic publishes neither the tokenizer nor the text.",
    "Anthropic’s POST /v1/messages/count_tokens answers with an estimate of its own",
    "https://platform.claude.com/docs/en/build-with-claude/token-counting",
)
CLAUDE_FORMAT = Formula(
    "Format of Claude’s messages",
    "Not counted: Anthropic publishes no formula for roles and turns.",
    "Not known.",
    "Anthropic’s POST /v1/messages/count_tokens answers with an estimate of its own",
    "https://platform.claude.com/docs/en/build-with-claude/token-counting",
)
GEMINI = Formula(
    "Gemini’s local counting",
    "Each text alone: contents, names, descriptions, keys, enumerations and formats of tools; nothing for roles. With "
    "the tokenizer of Gemma 3 for Gemini 2.x and the previews of 3, with that of Gemma 4 for Gemini 3.1 and 3.5; both "
    "have the same merges.",
    "As Google’s SDK counts on the client; a bill may have a few tokens more for roles.",
    "google-genai 3.4.0, _local_tokenizer_loader.py",
    "https://github.com/googleapis/python-genai",
)
NO_FORMAT = Formula(
    "No chat format",
    "The tokens of texts alone: this tokenizer has no chat template here, and what a server adds is not counted.",
    "None for one text without a format.",
)
UNKNOWN_MEDIA = Formula(
    "No rule",
    "Not counted: no source here says what this takes.",
    "Not known.",
)


def describe_template(fit: TemplateFit) -> Formula:
    """Return how a prompt is counted that a chat template writes, and what is known of its error."""
    error = "None" if fit.exact else "Not known"
    return Formula(
        "Chat template",
        "The prompt as the chat template writes it, tokenized whole.",
        f"{error}: {fit.text}. A server with a template of its own may differ.",
        "The chat template of the tokenizer",
        "/chat",
    )


TEMPLATE_FAILS = Formula(
    "Chat template",
    "The template refuses this conversation. Texts and definitions are counted alone.",
    "All that the template adds is missing.",
    "The chat template of the tokenizer",
    "/chat",
)
