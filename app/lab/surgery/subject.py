"""The tokenizer that surgery is done on, loaded on both engines, and the parts of its `tokenizer.json` that change.

Until the end, tokens have working ids: an old token its old id, a new one an id behind all of them. So the table of
ids, old to new, is known whatever was done.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from ...errors import BadFile, Invalid
from ...files.records import record_from_files
from ...files.targets import build_tokenizer_json
from ...files.tokenizer_json.components import Component, make_token_component
from ...files.tokenizer_json.library import HuggingFaceTokenizer
from ...files.tokenizer_json.models import MAX_ID, repair_json
from ...files.tokenizer_json.read import load_tokenizer_json
from ...files.tokenizer_json.scratch import PipelineTokenizer
from ...scratch.fast.bpe.encode_pairs import PairBPE
from ...store import Record
from ..tokenizers.adding import try_engines

Pair = tuple[str, str]
Report = Callable[[int], None]
PART = 200_000
"""Characters that are encoded at once: a longer text is divided behind line ends."""


@dataclass(frozen=True)
class EditableTokenizer:
    """A tokenizer of a `tokenizer.json`: its file, and both engines, `reference` the library's and `scratch`."""

    data: bytes
    record: Record
    reference: HuggingFaceTokenizer
    scratch: PipelineTokenizer

    @property
    def model(self) -> Any:
        """The from-scratch model, which tokenizes one word at a time."""
        return self.scratch.pipeline.model

    @cached_property
    def added(self) -> frozenset[str]:
        """The spellings of the added tokens."""
        return frozenset(token.content for token in self.scratch.file.added)

    @cached_property
    def byte_ids(self) -> frozenset[int]:
        """The ids of the tokens to which a character falls back that is not in the vocabulary."""
        return frozenset(id for id in getattr(self.model, "bytes", ()) if id is not None)

    @property
    def unknown(self) -> int | None:
        """The id of the unknown token."""
        name = self.scratch.file.model.unknown
        return None if name is None else self.scratch.file.model.vocabulary.get(name)

    def words(self, text: str) -> Iterator[str]:
        """Yield the words that the model gets of a text, divided where no token crosses; added tokens are left out."""
        model = self.model
        divide = model.parts if isinstance(model, PairBPE) and len(self.byte_ids) == 256 else None
        for word in self.reference.stages(text)["pre-tokenize"]:
            if word not in self.added:
                yield from divide(word) if divide else (word,)


@dataclass(frozen=True)
class Draft:
    """The vocabulary of the model and the added tokens by working ids, and the rest of the document as it is.

    - `document`: the original `tokenizer.json` without its vocabulary and merges; `unknown`: the unknown token.
    - `first_new`: the largest of the old ids + 1.
    - `vocabulary`: the tokens of the model; `merges`: of BPE, in order; `scores`: of Unigram, by token.
    - `added`: the added tokens, as the document has them.
    - `origins`: by new token, the old tokens that its text had; none for one without a text, such as a reserved one.
    - `renamed`: new names of tokens by their old names.
    """

    document: Mapping[str, Any]
    first_new: int
    vocabulary: Mapping[str, int]
    merges: tuple[Pair, ...] = ()
    scores: Mapping[str, float] = field(default_factory=dict)
    added: tuple[Component, ...] = ()
    origins: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    unknown: str | None = None

    @cached_property
    def ids(self) -> Mapping[str, int]:
        """All tokens by spelling; an added token may also be one of the model."""
        return {**self.vocabulary, **{token["content"]: token["id"] for token in self.added}}

    @property
    def next_id(self) -> int:
        """The working id of the next new token. Raises `Invalid` where no id is left."""
        next_id = max(self.first_new, 1 + max(self.ids.values(), default=-1))
        if next_id > MAX_ID:
            raise Invalid(f"The vocabulary would have an id above {MAX_ID:,}, the largest allowed.", limit=MAX_ID)
        return next_id

    def only(self, ids: Iterable[int]) -> "Draft":
        """Return the draft with these tokens of the model, and the merges among them; added tokens all stay."""
        kept = {*ids, *(token["id"] for token in self.added)}
        vocabulary = {piece: id for piece, id in self.vocabulary.items() if id in kept}
        merges = tuple(pair for pair in self.merges if {*pair, self.join(pair)} <= vocabulary.keys())
        scores = {piece: self.scores[piece] for piece in vocabulary} if self.scores else {}
        return replace(self, vocabulary=vocabulary, merges=merges, scores=scores)

    def join(self, pair: Pair) -> str:
        """Return the token that a pair is merged to."""
        prefix = self.document["model"].get("continuing_subword_prefix") or ""
        return pair[0] + pair[1].removeprefix(prefix)

    def with_token(self, content: str) -> "Draft":
        """Return the draft with a new special token. Raises `Invalid` if its name is taken."""
        if content in self.ids:
            raise Invalid(f"The name {content[:40]!r} is taken: the vocabulary has such a token.")
        id = self.next_id
        return replace(self, added=(*self.added, make_token_component(content, id)), origins={**self.origins, id: ()})


def load_draft(data: bytes) -> Draft:
    """Return the draft of a `tokenizer.json`. Raises `BadFile` for one that the from-scratch engine cannot read.

    >>> model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
    >>> draft = load_draft(json.dumps({"model": model}).encode())
    >>> draft.merges, draft.next_id, draft.only([0, 1]).merges
    ((('a', 'b'),), 3, ())
    """
    file = load_tokenizer_json(data)
    document, _ = repair_json(json.loads(data.decode("utf-8-sig")))
    model = file.model
    specs = {token["content"]: token for token in reversed(document.get("added_tokens") or [])}
    added = tuple({**specs[token.content], "id": token.id} for token in file.added)
    size = 1 + max([*model.vocabulary.values(), *(token.id for token in file.added)])
    scores = dict(zip(model.vocabulary, model.scores, strict=True)) if model.scores else {}
    document["model"] = {name: value for name, value in document["model"].items() if name not in ("vocab", "merges")}
    return Draft(
        document=document,
        first_new=size,
        vocabulary=model.vocabulary,
        merges=tuple(model.pairs),
        scores=scores,
        added=added,
        unknown=model.unknown,
    )


@dataclass(frozen=True, slots=True)
class RenumberedTokenizer:
    """A finished `tokenizer.json` with its tokens by id, and the table of ids.

    `kept` maps old ids to new ones; `new` maps the id of each new token to the old ids that its text had.
    """

    data: bytes
    tokens: Mapping[int, str]
    kept: Mapping[int, int]
    new: Mapping[int, tuple[int, ...]]
    size: int


def number_tokens(draft: Draft, *, dense: bool = True) -> RenumberedTokenizer:
    """Return the document of a draft, whose ids are numbered without gaps in their order, or stay as they are.

    Raises `Invalid` for a Unigram model that would have gaps, `BadFile` for ids that no reader would give.
    """
    working = sorted({*draft.ids.values()})
    final = {id: number for number, id in enumerate(working)} if dense else {id: id for id in working}
    model = _model(draft, final)
    name = draft.renamed.get
    added = ({**one, "id": final[one["id"]], "content": name(one["content"], one["content"])} for one in draft.added)
    top = {
        **draft.document,
        "added_tokens": sorted(added, key=lambda token: int(token["id"])),
        "post_processor": _processor(draft.document.get("post_processor"), draft, final),
        "model": model,
    }
    listed = isinstance(model["vocab"], list)
    gaps = listed and sorted(final[id] for id in draft.vocabulary.values()) != [*range(len(draft.vocabulary))]
    if gaps or not _as_read(top):
        if listed:
            raise Invalid("The places of a Unigram vocabulary are its ids, so that gaps between ids cannot be kept.")
        # The library gives added tokens the ids behind the number of tokens of the model, unless that has them.
        model["vocab"] = {draft.renamed.get(name, name): final[id] for name, id in draft.ids.items()}
    tokens = {final[id]: draft.renamed.get(name, name) for name, id in draft.ids.items()}
    kept = {id: final[id] for id in working if id < draft.first_new}
    new = {final[id]: origin for id, origin in draft.origins.items()}
    data = json.dumps(top, ensure_ascii=False, separators=(",", ":")).encode()
    return RenumberedTokenizer(data, tokens, kept, new, 1 + max(final.values()))


def _model(draft: Draft, final: Mapping[int, int]) -> Component:
    """Return the model with new ids."""
    model = dict(draft.document["model"])
    by_id = sorted(draft.vocabulary, key=draft.vocabulary.__getitem__)
    names = {piece: draft.renamed.get(piece, piece) for piece in by_id}
    if model["type"] == "Unigram":
        model["vocab"] = [[names[piece], draft.scores[piece]] for piece in by_id]
        model["unk_id"] = None if draft.unknown is None else by_id.index(draft.unknown)
        return model
    model["vocab"] = {names[piece]: final[draft.vocabulary[piece]] for piece in by_id}
    if model["type"] == "BPE":
        model["merges"] = [[*pair] for pair in draft.merges]
    if (unknown := model.get("unk_token")) is not None:
        model["unk_token"] = draft.renamed.get(unknown, unknown)
    return model


def _processor(spec: Any, draft: Draft, final: Mapping[int, int]) -> Any:
    """Return the post-processor with new ids and names. Raises `BadFile` for an id that is not there any more."""
    if not isinstance(spec, dict):
        return spec
    rename = draft.renamed.get

    def renumber(id: int) -> int:
        if id not in final:
            raise BadFile(f"The post-processor puts the id {id} around a text, which is not kept.")
        return final[id]

    if spec.get("type") == "Sequence":
        return {**spec, "processors": [_processor(part, draft, final) for part in spec["processors"]]}
    if spec.get("type") in ("BertProcessing", "RobertaProcessing"):
        ends = {name: [rename(spec[name][0], spec[name][0]), renumber(spec[name][1])] for name in ("cls", "sep")}
        return {**spec, **ends}
    if spec.get("type") == "TemplateProcessing":
        tokens = {
            rename(name, name): {
                "id": rename(name, name),
                "ids": [*map(renumber, token["ids"])],
                "tokens": [rename(one, one) for one in token["tokens"]],
            }
            for name, token in spec["special_tokens"].items()
        }
        sides = {side: [_step(step, draft.renamed) for step in spec[side]] for side in ("single", "pair")}
        return {**spec, **sides, "special_tokens": tokens}
    return spec


def _step(step: Component, renamed: Mapping[str, str]) -> Component:
    """Return a step of a template under the new name of its token."""
    if (token := step.get("SpecialToken")) is None:
        return step
    return {"SpecialToken": {**token, "id": renamed.get(token["id"], token["id"])}}


def _as_read(top: Mapping[str, Any]) -> bool:
    """True if a reader of the document gives every added token its id."""
    vocabulary = top["model"]["vocab"]
    size = len(vocabulary)
    ids = vocabulary if isinstance(vocabulary, dict) else {}
    if not ids:
        ids = {piece: id for id, (piece, _) in enumerate(vocabulary)}
    for token in top["added_tokens"]:
        if ids.get(token["content"], size) != token["id"]:
            return False
        size = max(size, token["id"] + 1)
    return True


def load_subject(
    data: bytes, *, extras: Mapping[str, bytes] | None = None, title: str = "subject"
) -> EditableTokenizer:
    """Load a `tokenizer.json`, with the files beside it. Raises `BadFile` if not both engines can read it."""
    record = record_from_files("subject", {"tokenizer.json": data, **(extras or {})}, title=title)
    if record.info.engines != ("tokenizers", "scratch"):
        raise BadFile(record.info.notes[-1])
    loaded, findings = try_engines(record)
    if findings:
        raise BadFile(findings[0].detail)
    theirs, ours = loaded
    assert isinstance(theirs, HuggingFaceTokenizer)
    assert isinstance(ours, PipelineTokenizer)
    return EditableTokenizer(record.file("tokenizer.json"), record, theirs, ours)


def load_record(record: Record) -> EditableTokenizer:
    """Load a copy of a tokenizer of any format as a `tokenizer.json`. Raises `BadFile` for what that cannot say."""
    data = build_tokenizer_json(record)
    subject = load_subject(data, title=record.info.title)
    return replace(subject, record=replace(subject.record, spec={**subject.record.spec, "title": record.info.title}))


def count_words(subject: EditableTokenizer, texts: Iterable[str], report: Report = lambda read: None) -> Counter[str]:
    """Return the number of occurrences of each word; `report` is called with the number of characters read."""
    words = Counter[str]()
    read = 0
    for part in (part for text in texts for part in parts(text)):
        words.update(subject.words(part))
        read += len(part)
        report(read)
    return words


def parts(text: str) -> Iterator[str]:
    """Yield a text in parts of about `PART` characters, divided behind line ends.

    >>> [len(part) for part in parts("a" * 150_000 + "\\n" + "b" * 150_000)]
    [150001, 150000]
    """
    start = 0
    while len(text) - start > PART:
        end = text.rfind("\n", start, start + PART) + 1 or start + PART
        yield text[start:end]
        start = end
    yield text[start:]
