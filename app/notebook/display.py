"""Show tokens, comparisons, conversations and steps: to a notebook as HTML, to a terminal in colours.

Jupyter displays what a function here returns as the pages display it, in a frame that needs no server. Elsewhere its
`repr` is coloured text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..lab.chat.conversation import Conversation
from ..lab.chat.tokens import NO_MESSAGE, SpecialHandling
from ..lab.chat.view import ChatView, chat_view
from ..lab.compare import comparison
from ..lab.compare.comparison import Comparison
from ..lab.compare.view import ComparisonView
from ..lab.models import model_list, resolve_model
from ..lab.option_schema import from_mapping
from ..lab.steps.options import StepsOptions
from ..lab.steps.runs import StepsView, follow
from ..lab.steps.step import Run
from ..lab.tokenization_view import TokenizationView
from ..lab.tokenize import Tokenization
from ..serialize.standalone import style
from ..serialize.templates import templates
from ..serialize.terminal import colour_tokens, summary
from ..settings import Settings
from ..types import SpecialPolicy
from ..web.standalone_html import parts
from .loading import DEFAULT_TOKENIZER, load, registry

DEFAULT_CHAT_MODEL = "qwen3"
COMPARED = ("gpt-4o", "gpt-4", "gpt-2")
MAX_HEIGHT = 2000
"""Pixels of the highest frame; a longer result scrolls in it."""
MAX_SHOWN = 2000
"""Tokens that a terminal shows of one text."""


def show(text: str, tokenizer: str = DEFAULT_TOKENIZER, *, special: SpecialPolicy = "text") -> ShownTokens:
    """Return the tokens of a text, to be displayed. Raises what `load` and `LoadedTokenizer.encode` raise."""
    return load(tokenizer).show(text, special=special)


def compare(text: str, tokenizers: Sequence[str] = COMPARED) -> ShownComparison:
    """Return the tokens of a text in one to eight tokenizers, to be displayed side by side.

    >>> compare("tokens", ["gpt-4o", "bytes"]).counts
    {'o200k_base': 1, 'bytes': 6}

    Raises `Invalid` for no tokenizers or too many, `UnknownTokenizer`, `LoneSurrogate`.
    """
    ids = [resolve_model(registry(), name) for name in tokenizers]
    return ShownComparison(comparison.compare(registry(), text, ids, limit=Settings.from_env().max_text))


def chat(
    messages: Sequence[Mapping[str, Any]],
    model: str = DEFAULT_CHAT_MODEL,
    *,
    tools: Sequence[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = False,
    continue_final_message: bool | str = False,
    template: str | None = None,
    special: SpecialHandling = "text",
    **options: Any,
) -> ShownChat:
    """Return a conversation as a model receives it, to be displayed: its text, ids, spans, and the mask of the loss.

    `messages` and `tools` are those of OpenAI's chat API, and `options` further variables of the chat template, such as
    `enable_thinking`. `template` is in place of that of the model. Special tokens in messages are text, or tokens if
    `special` is `parse`, as transformers has them. Without a generation prompt, the text is what one trains on.

    >>> told = chat([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes"}], "mistral-v3")
    >>> told.text, told.ids, told.mask
    ('<s>[INST]Hi[/INST]Yes</s>', [1, 3, 16127, 4, 6360, 2], [0, 0, 0, 0, 1, 1])

    Raises what `load` raises, `Invalid` for a model without a chat template, and `BadTemplate`.
    """
    id = resolve_model(registry(), model)
    conversation = Conversation(
        messages,
        tools,
        add_generation_prompt=add_generation_prompt,
        continue_final_message=continue_final_message,
        template=template,
        model=model,
        options=options,
    )
    limit = Settings.from_env().max_text
    return ShownChat(chat_view(registry(), id, conversation, special=special, loss=True, limit=limit))


def steps(text: str, tokenizer: str = DEFAULT_TOKENIZER) -> ShownSteps:
    """Return every step of the tokenizer on a text, to be displayed with a player.

    >>> steps("lower", "gpt-2").tokens
    ['lower']

    Raises `UnknownTokenizer`, `LoneSurrogate`, and `Invalid` for a text that is too long to follow.
    """
    asked = {"text": text, "branch": "encode", "tokenizer": resolve_model(registry(), tokenizer)}
    options = from_mapping(StepsOptions, asked)
    return ShownSteps(text, follow(registry(), options), load(tokenizer, engine="scratch").tokens(text))


@dataclass(frozen=True, repr=False)
class ShownTokens:
    """The tokens of a text, displayed by a notebook or a terminal."""

    tokenization: Tokenization

    @property
    def ids(self) -> list[int]:
        ids: list[int] = self.tokenization.encoding.ids.tolist()
        return ids

    def __len__(self) -> int:
        return len(self.tokenization.encoding)

    def __repr__(self) -> str:
        return f"{colour_tokens(self.tokenization, limit=MAX_SHOWN)}\n{summary(self.tokenization)}"

    def _repr_html_(self) -> str:
        view = TokenizationView(self.tokenization)
        params = {"text": self.tokenization.text, "file_name": None, "folded": False}
        shown = {"view": view, "views": ("text", "ids"), "params": params}
        return _render_frame("tokens", shown, height=300 + 34 * (len(self.tokenization.text) // 90))


@dataclass(frozen=True, repr=False)
class ShownComparison:
    """A text in several tokenizers, displayed by a notebook or a terminal."""

    comparison: Comparison

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of tokens by id of the tokenizer."""
        return {column.id: column.measures.tokens for column in self.comparison.tokenizations}

    def __repr__(self) -> str:
        cuts = [column.tokenization for column in self.comparison.tokenizations]
        return "\n\n".join(f"{summary(cut)}\n{colour_tokens(cut, limit=MAX_SHOWN)}" for cut in cuts)

    def _repr_html_(self) -> str:
        models = model_list(registry().infos())
        shown = {"page": ComparisonView(self.comparison, models), "comparison": self.comparison, "models": models}
        return _render_frame("compare", shown, height=320 + 100 * (len(self.comparison.index.text) // 90))


@dataclass(frozen=True, repr=False)
class ShownChat:
    """A conversation as a model receives it, displayed by a notebook or a terminal."""

    view: ChatView

    @property
    def text(self) -> str:
        """The prompt, as the chat template writes it."""
        return self.view.chat.tokenization.text

    @property
    def ids(self) -> list[int]:
        ids: list[int] = self.view.chat.tokenization.encoding.ids.tolist()
        return ids

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The code points of the text that each token covers, half-open."""
        return self.view.chat.tokenization.encoding.char_spans

    @property
    def mask(self) -> list[int]:
        """1 for each token in the loss, 0 for the others, as `assistant_masks` of transformers."""
        return self.view.mask

    @property
    def messages(self) -> list[int | None]:
        """The index of the message that each token is from, None for the template's own."""
        return [None if index == NO_MESSAGE else index for index in self.view.chat.messages.tolist()]

    @property
    def warnings(self) -> list[str]:
        """What is wrong with the prompt, and with its loss."""
        return [warning.detail for warning in self.view.warnings]

    def __len__(self) -> int:
        return self.view.total

    def __repr__(self) -> str:
        cut = self.view.chat.tokenization
        lines = [colour_tokens(cut, limit=MAX_SHOWN), summary(cut), f"{sum(self.mask):,} tokens are in the loss"]
        return "\n".join([*lines, *self.warnings])

    def _repr_html_(self) -> str:
        return _render_frame("chat", {"view": self.view}, height=420 + 34 * (len(self.text) // 90))


@dataclass(frozen=True, repr=False)
class ShownSteps:
    """Every step of a tokenizer on a text, displayed by a notebook or a terminal. `tokens` is the last state."""

    text: str
    run: Run
    tokens: list[str]

    def __len__(self) -> int:
        return self.run.total

    def __repr__(self) -> str:
        captions = (step.sentence for step in self.run.steps(0, self.run.total))
        lines = ["".join(word if isinstance(word, str) else word.text for word in caption) for caption in captions]
        return "\n".join(f"{number:>4}  {line}" for number, line in enumerate(lines))

    def _repr_html_(self) -> str:
        html = templates.get_template("steps/takeaway.html").render(parts(StepsView("", self.run, 0)))
        return _frame(html, height=480, least=480)


def _render_frame(name: str, context: dict[str, Any], *, height: int) -> str:
    """Return a template of `notebook` in a frame, with its style sheets."""
    sheets = ("tokens", "base", "components", "text", "compare", "chat", "notebook")
    html = templates.get_template(f"notebook/{name}.html").render(context, style=style(*sheets))
    return _frame(html, height=height)


def _frame(html: str, *, height: int, least: int = 0) -> str:
    """Return a page in a frame of its own, so that its style and that of the notebook do not meet.

    The frame takes the height of its content, `least` or more; `height` is a guess where notebooks run no scripts.
    """
    shown = {"html": html, "height": min(height, MAX_HEIGHT), "least": least, "most": MAX_HEIGHT}
    return templates.get_template("notebook/frame.html").render(shown)
