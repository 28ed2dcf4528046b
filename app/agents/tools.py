"""The tools of the MCP server as plain methods, whose docstrings and annotations are what an agent reads of them."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..corpus.folder.counting import count_parts, divide, make_plan
from ..corpus.folder.listing import FolderFile, list_files
from ..corpus.folder.usage import Counted, measure
from ..corpus.results import find_cache
from ..errors import Invalid, TooLarge
from ..lab.chunks.chunking import KeptEnd, fit
from ..lab.compare.comparison import MeasuredTokenization, compare
from ..lab.counting import count_tokens
from ..lab.learn.scene import to_plain_text
from ..lab.models import resolve_model
from ..lab.request.log_report import examine_calls
from ..lab.request.recognition import recognize
from ..lab.steps.origin import origin
from ..lab.token_ranges import as_range, resolve_counter
from ..lab.tokenize import tokenize
from ..lab.turns.report import TurnsOptions, examine_conversations
from ..registry import Registry
from ..serialize.columns import piece
from ..serialize.request import serialize_examined
from ..serialize.turns import serialize_turns
from ..settings import Settings

DEFAULT_TOKENIZER = "o200k_base"
MAX_TOKENS = 2000
"""Tokens that are listed at most, since an agent pays for reading them."""
MAX_ROWS = 200
MAX_REQUESTS = 50
UNEXPLAINED = "The text is too long, or this tokenizer has no steps to explain."


class AgentTools:
    """Tools over a registry for texts of at most `max_text` characters."""

    def __init__(self, registry: Registry, settings: Settings) -> None:
        self._registry = registry
        self._settings = settings

    def count(self, text: str, tokenizer: str = DEFAULT_TOKENIZER) -> dict[str, Any]:
        """Count the tokens, characters and UTF-8 bytes of a text.

        `tokenizer` is the id of a tokenizer or the name of a model, such as o200k_base, gpt-5 or qwen3. For Claude, of
        which no tokenizer is public, `count` is null and `range` has its ends and their source.
        """
        id, one = resolve_counter(self._registry, tokenizer)
        counted = asdict(count_tokens(self._registry, [self._checked(text)], tokenizer=id))
        return as_range(self._registry, counted, one, text) if one else counted

    def tokenize(self, text: str, tokenizer: str = DEFAULT_TOKENIZER) -> dict[str, Any]:
        """Tokenize a text: its ids, and how each token is spelled; at most the first 2,000 are listed.

        A token whose bytes are no whole characters is `{"bytes_hex": ...}`.
        """
        tokenization = tokenize(self._registry, self._checked(text), tokenizer=self._resolve(tokenizer))
        tokens = [*tokenization.tokens(0, min(MAX_TOKENS, len(tokenization.encoding)))]
        return {
            "tokenizer": tokenization.tokenizer.info.id,
            "count": len(tokenization.encoding),
            "ids": [token.entry.id for token in tokens],
            "pieces": [piece(token.entry) for token in tokens],
            "char_starts": [token.char_start for token in tokens],
            "notes": [*tokenization.notes],
        }

    def compare(self, text: str, tokenizers: list[str]) -> dict[str, Any]:
        """Compare the tokens of a text in one to eight tokenizers or models, the fewest tokens first."""
        ids = [self._resolve(name) for name in tokenizers]
        comparison = compare(self._registry, self._checked(text), ids, limit=self._settings.max_text)
        rows = [
            {"tokenizer": one.id, "tokens": one.measures.tokens, "bytes_per_token": one.measures.bytes_per_token}
            for one in comparison.columns
            if isinstance(one, MeasuredTokenization)
        ]
        failed = {one.id: one.error.detail for one in comparison.columns if not isinstance(one, MeasuredTokenization)}
        return {"tokenizers": sorted(rows, key=lambda row: row["tokens"]), "failed": failed}

    def explain_boundary(self, text: str, position: int, tokenizer: str = DEFAULT_TOKENIZER) -> dict[str, Any]:
        """Say why a tokenizer splits a text before the character at a position, counted from 0, or that it does not.

        Texts of up to a few thousand characters can be explained.
        """
        tokenization = tokenize(self._registry, self._checked(text), tokenizer=self._resolve(tokenizer))
        if not 0 <= position < len(text):
            raise Invalid(f"The position is from 0 to {len(text) - 1}, not {position}.", pointer="/position")
        index = int(tokenization.encoding.char_ends.searchsorted(position, side="right"))
        token = next(tokenization.tokens(index, index + 1))
        answer: dict[str, Any] = {"tokenizer": tokenization.tokenizer.info.id, "position": position}
        answer |= {"token": piece(token.entry), "id": token.entry.id, "starts_at": token.char_start}
        if token.char_start != position:
            reason = "No token begins here: the character belongs to the token that begins earlier."
            return answer | {"boundary": False, "reason": reason}
        found = origin(self._registry, tokenization, index).boundary
        reason = to_plain_text(found.reason) if found else UNEXPLAINED
        return answer | {"boundary": True, "reason": reason}

    def fit(
        self,
        text: str,
        size: int,
        tokenizer: str = DEFAULT_TOKENIZER,
        keep: KeptEnd = "start",
        add_special_tokens: bool = True,
    ) -> dict[str, Any]:
        """Shorten a text to at most `size` tokens, keeping its start or its end; no character is split.

        The special tokens that the tokenizer adds around a text are counted if `add_special_tokens`.
        """
        id = self._resolve(tokenizer)
        text = self._checked(text)
        fitted = fit(self._registry, text, tokenizer=id, size=size, keep=keep, add_special_tokens=add_special_tokens)
        return {"tokenizer": id, "text": fitted.text, "count": fitted.count, "tokens_before": fitted.whole}

    def request(self, request: dict[str, Any] | list[dict[str, Any]], model: str = "") -> dict[str, Any]:
        """Count the parts of a request to a model, such as its tools and messages, and check it against its bill.

        `request` is a body of Chat Completions, Responses, Anthropic's Messages or Gemini's generateContent, with or
        without its answer; or a list of at most 50. `model` takes the place of the model that the request names.
        """
        limit = self._settings.max_text
        found = examine_calls(self._registry, recognize(request), model=model, limit=limit, most=MAX_REQUESTS)
        answer = serialize_examined(found)
        for one in answer["requests"]:
            _shorten(one)
        return answer

    def turns(self, conversation: dict[str, Any] | list[dict[str, Any]], model: str = "") -> dict[str, Any]:
        """Check whether each turn of a conversation begins with the ids of the turns before it, and say why not.

        `conversation` is a list of messages in OpenAI's form, a row of TRL, verl or ShareGPT, or a log of requests.
        Where ids are lost, `cause` says why and `mends` what to set, each tried. `model` is that which reads it.
        """
        options = TurnsOptions(model=model)
        limit = self._settings.max_text
        reports = examine_conversations(self._registry, conversation, options, limit=limit)
        answers = [serialize_turns(report) for report in reports]
        for lane in (lane for answer in answers for lane in answer["lanes"]):
            for sequence in filter(None, (lane["prompt"], lane["turn"])):
                del sequence["new_ids"]
        return {"conversations": answers}

    def _checked(self, text: str) -> str:
        """Raise `TooLarge` for a text that is too long."""
        limit = self._settings.max_text
        if len(text) > limit:
            raise TooLarge(f"The text has {len(text):,} characters; the limit is {limit:,}.", limit=limit)
        return text

    def _resolve(self, name: str) -> str:
        return resolve_model(self._registry, name)


def _shorten(request: dict[str, Any]) -> None:
    """Leave out the texts of a request, which the agent has, and all parts but the largest."""
    for finding in request.get("diet", ()):
        del finding["before"], finding["after"]
    parts = request.get("parts", [])
    if len(parts) > MAX_ROWS:
        parts.sort(key=lambda part: part["tokens"]["high"] if part["tokens"] else 0, reverse=True)
        request["parts_left_out"] = len(parts) - MAX_ROWS
        del parts[MAX_ROWS:]


class LocalTools(AgentTools):
    """These tools and those that read files, below one folder."""

    def __init__(self, registry: Registry, settings: Settings, top: str) -> None:
        super().__init__(registry, settings)
        self._top = os.path.realpath(top)

    def du(self, path: str = ".", tokenizer: str = DEFAULT_TOKENIZER, depth: int = 1) -> dict[str, Any]:
        """Count the tokens of a folder or file, by the folders and files in it, the largest first.

        What .gitignore leaves out is not counted. `depth` is the number of folders below each other that are listed.
        """
        full = os.path.realpath(os.path.join(self._top, path))
        if full != self._top and not full.startswith(self._top.rstrip(os.sep) + os.sep):
            raise Invalid("The path is outside of the folder that this server may read.", pointer="/path")
        id = self._resolve(tokenizer)
        cache = find_cache()

        def count(files: Sequence[FolderFile], keys: Sequence[bytes]) -> Counted:
            plan, _ = make_plan(self._settings, [id], files)
            return count_parts(plan, [*divide(files)], None, keys=keys, cache=cache)

        usage = measure(list_files([full]), self._registry, [id], count, cache=cache, tops=[full])
        rows = usage.group(depth=max(1, depth))
        listed = [{"name": os.path.relpath(row.name, self._top), "tokens": row.tokens[0]} for row in rows[:MAX_ROWS]]
        return {
            "tokenizer": id,
            "tokens": usage.total.tokens[0],
            "files": usage.total.files,
            "rows": listed,
            "rows_left_out": max(0, len(rows) - MAX_ROWS),
            "not_counted": dict(usage.skipped_by_reason()),
        }
