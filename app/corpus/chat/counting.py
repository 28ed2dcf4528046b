"""Count the conversations of training sets through a chat template: tokens by role and turn, and refused rows.

A conversation is rendered without a generation prompt and tokenized as transformers' `apply_chat_template` does:
special tokens in messages are parsed. A token belongs to the message that most of its characters are from, or
else to the template.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

import numpy as np

from ...errors import Invalid, TokenariumError
from ...lab.chat.conversation import Conversation
from ...lab.chat.masks import GENERATION, LossMask, find_loss
from ...lab.chat.model_templates import find_template
from ...lab.chat.rendering import render, resolve_template
from ...lab.chat.tokens import NO_MESSAGE, SOURCES, ChatTokens, tokenize_chat
from ...lab.chat.warnings import ChatWarning, warn_left_out
from ...registry import get_registry
from ..plan import Plan
from ..profiling import Duplicates, hashes
from ..results import ResultCache
from ..running import sum_results
from ..types import SourcePart, Unread
from .conversations import TrainingConversation, read_rows, recognize

MAX_TURNS = 64
"""Turns that are counted on their own; those behind are counted with the last."""
MAX_REFUSED = 100
"""Refused rows that are listed; all are counted by reason."""
MAX_BYTES = 1 << 26
"""Bytes of the longest rendered conversation."""
TEMPLATE = "template"
"""Where tokens are counted that are no content of a message."""
ROLE = SOURCES.index("role")


@dataclass(frozen=True, slots=True)
class ChatPlan:
    """How a training set is counted: the plan has one tokenizer, `template` replaces that of `model`, or its own.

    `columns` are pairs of a name that rows are recognized by and what it is called in the set. With `packed`, the
    documents of shards are sequences of several conversations.
    """

    plan: Plan
    contexts: tuple[int, ...]
    template: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    packed: bool = False
    model: str = ""

    @property
    def tokenizer(self) -> str:
        return self.plan.tokenizers[0]

    @property
    def text(self) -> str:
        """The chat template."""
        return resolve_template(get_registry(self.plan.settings), self.tokenizer, self.template, model=self.model).text

    @property
    def marked(self) -> bool:
        """True if the template marks the assistant's text."""
        return GENERATION.search(self.text) is not None

    def depends(self) -> str:
        """Return all that a result depends on beside its part."""
        return json.dumps([self.plan.depends(), self.contexts, self.text, self.columns, self.packed, COUNTERS])


@dataclass(frozen=True, slots=True)
class EncodedConversation:
    """The tokens of a conversation, those in the loss, and warnings of the loss and of what the template drops."""

    chat: ChatTokens
    loss: LossMask
    warnings: tuple[ChatWarning, ...]


@dataclass(slots=True)
class ChatCounts:
    """The counts of a training set or of a part of it.

    - `formats`: rows by format; `refused`: rows by the reason, of which `places` lists the first.
    - `lengths`: conversations by their tokens. `roles`, `turns`: tokens by role and by number of the message, from 0;
      `messages` and `reached`: messages by role, and conversations by the number of the message.
    - `loss`: tokens in the loss, and `cut_loss` those of them that are beyond a context; `bases`: conversations by what
      the loss follows from.
    - `findings`: conversations by the code of a warning, of which `examples` has the first, with its place.
    """

    formats: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    places: list[str] = field(default_factory=list)
    lengths: Counter[int] = field(default_factory=Counter)
    roles: Counter[str] = field(default_factory=Counter)
    messages: Counter[str] = field(default_factory=Counter)
    turns: Counter[int] = field(default_factory=Counter)
    reached: Counter[int] = field(default_factory=Counter)
    loss: int = 0
    bases: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    examples: dict[str, str] = field(default_factory=dict)
    cut_loss: Counter[int] = field(default_factory=Counter)
    duplicates: Duplicates = field(default_factory=Duplicates)
    unread: Unread = field(default_factory=Unread)

    @property
    def conversations(self) -> int:
        return self.lengths.total()

    @property
    def tokens(self) -> int:
        return sum(length * count for length, count in self.lengths.items())

    def quantile(self, share: float) -> int:
        """Return the tokens that at least a share of the conversations do not exceed.

        >>> ChatCounts(lengths=Counter({5: 1, 7: 2, 90: 1})).quantile(0.5)
        7
        """
        left = share * self.conversations
        for length in sorted(self.lengths):
            left -= self.lengths[length]
            if left <= 0:
                return length
        return 0

    def refuse(self, place: str, error: TokenariumError) -> None:
        """Note a row that is left out."""
        self.refused[error.detail] += 1
        if len(self.places) < MAX_REFUSED:
            self.places.append(f"{place}: {error.detail}")

    def note(self, place: str, result: EncodedConversation) -> None:
        """Count the findings of a conversation, each once."""
        for warning in {one.code: one for one in reversed(result.warnings)}.values():
            self.findings[warning.code] += 1
            self.examples.setdefault(warning.code, f"{place}: {warning.detail}")

    def __iadd__(self, other: ChatCounts) -> ChatCounts:
        for name in COUNTERS:
            getattr(self, name).update(getattr(other, name))
        self.places = [*self.places, *other.places][:MAX_REFUSED]
        self.loss += other.loss
        self.examples = other.examples | self.examples
        self.duplicates += other.duplicates
        self.unread += other.unread
        return self

    def dump(self) -> dict[str, Any]:
        """Return it as plain data, from which `load` makes it again."""
        return {name: [*getattr(self, name).items()] for name in COUNTERS} | {
            "places": self.places,
            "loss": self.loss,
            "examples": self.examples,
            "duplicates": [self.duplicates.level, [*self.duplicates.counts.items()]],
            "unread": asdict(self.unread),
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> ChatCounts:
        level, held = data.pop("duplicates")
        counters: dict[str, Any] = {name: Counter(dict(data.pop(name))) for name in COUNTERS}
        unread = Unread(**data.pop("unread"))
        return cls(**counters, **data, duplicates=Duplicates(level, dict(held)), unread=unread)


COUNTERS = ("formats", "refused", "lengths", "roles", "messages", "turns", "reached", "cut_loss", "bases", "findings")


def count_part(plan: ChatPlan, part: SourcePart) -> ChatCounts:
    """Count the rows of a part; what cannot be read is said in the result. Runs in any process."""
    counts = ChatCounts()
    reading = plan.plan.make_read_context()
    counts.unread = reading.unread
    try:
        for place, row in read_rows(part, reading):
            try:
                format, found = recognize(row, dict(plan.columns))
                encoded = [(one, encode_conversation(plan, one)) for one in found]
            except TokenariumError as error:
                counts.refuse(place, error)
                continue
            counts.formats[format] += 1
            for one, result in encoded:
                _add(counts, plan, one, result)
                counts.note(place, result)
    except (TokenariumError, OSError) as error:
        counts.unread += Unread.of_part(part, error)
    return counts


def encode_conversation(plan: ChatPlan, one: TrainingConversation) -> EncodedConversation:
    """Return the tokens of a conversation, and which of them are in the loss.

    Raises `Invalid` for one that the template refuses.
    """
    registry = get_registry(plan.plan.settings)
    template, model = plan.template, plan.model
    asked = Conversation(one.messages, one.tools, add_generation_prompt=False, template=template, model=model)
    rendering = render(registry, plan.tokenizer, asked)
    special = registry.info(plan.tokenizer).usual_special
    chat = tokenize_chat(registry, plan.tokenizer, rendering, special=special, limit=MAX_BYTES)
    loss = find_loss(registry, plan.tokenizer, asked, chat)
    return EncodedConversation(chat, loss, (*warn_left_out(rendering.written, asked), *loss.warnings))


def _add(counts: ChatCounts, plan: ChatPlan, one: TrainingConversation, result: EncodedConversation) -> None:
    chat, mask = result.chat, result.loss.tokens
    ids = chat.tokenization.encoding.ids
    counts.lengths[len(ids)] += 1
    counts.duplicates.add(hashes(ids, np.array([0, len(ids)], np.int64)))
    owners = np.where(chat.sources == ROLE, NO_MESSAGE, chat.messages)  # the template writes the names of roles
    numbers, tokens = np.unique(owners, return_counts=True)
    of_message = dict(zip(numbers.tolist(), tokens.tolist(), strict=True))
    counts.roles[TEMPLATE] += of_message.pop(NO_MESSAGE, 0)
    for number, message in enumerate(one.messages):
        turn = min(number, MAX_TURNS - 1)
        role = str(message["role"])
        counts.messages[role] += 1
        counts.reached[turn] += 1
        counts.roles[role] += of_message.get(number, 0)
        counts.turns[turn] += of_message.get(number, 0)
    counts.bases[result.loss.basis] += 1
    counts.loss += int(np.count_nonzero(mask))
    counts.cut_loss.update({context: int(np.count_nonzero(mask[context:])) for context in plan.contexts})


def count_conversations(
    plan: ChatPlan,
    todo: Iterable[SourcePart],
    executor: Executor,
    *,
    results: ResultCache | None = None,
    progress: Callable[[SourcePart], None] = lambda part: None,
    workers: int = 2,
) -> ChatCounts:
    """Count parts on an executor; those whose result is in `results` are read from there."""
    do = partial(count_part, plan)
    return sum_results(
        ChatCounts, do, plan.depends(), todo, executor, saved=results, progress=progress, workers=workers
    )


def make_chat_plan(
    plan: Plan,
    contexts: Sequence[int],
    *,
    template: str | None = None,
    columns: Mapping[str, str] | None = None,
    model: str = "",
) -> ChatPlan:
    """Return a plan. Raises `Invalid` for a context that there is not, and a model without a template."""
    if any(not 1 <= context <= 100_000_000 for context in contexts):
        raise Invalid("--context is one or more numbers of tokens, such as 4096,8192.")
    (id,) = plan.tokenizers
    if template is None and find_template(get_registry(plan.settings), id, model) is None:
        raise Invalid(f"{model or id} has no chat template; give one as a file to --template.")
    return ChatPlan(plan, tuple(sorted({*contexts})), template, tuple(sorted((columns or {}).items())), model=model)
