"""Findings about a vocabulary, its merges, its special tokens, the chat template, and options of the config."""

from collections import deque
from collections.abc import Iterator

from ...errors import plural
from ...files.conversion import REFUSED
from ...files.targets import list_merges
from ...scratch.compat.pipeline.pre_tokenizers import BYTE_OF
from ..vocabulary.columns import KINDS, load_columns
from ..vocabulary.witness import WitnessSearch
from .findings import ExaminedTokenizer, Finding, report_cases

MAX_TRIED = 60_000
"""Tokens that are tried for whether any text gives them; of a larger vocabulary, evenly spread ones."""
MAX_SEARCHED = 5_000
"""Of the tokens whose own text does not give them, those for which a text is looked for in other contexts."""


def find_gaps(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Ids below the largest that have no token."""
    missing = [str(id) for id in range(subject.size) if id not in subject.entries]
    yield from report_cases(
        "id-gaps",
        "warning",
        missing,
        f"{plural(len(missing), 'id')} below {subject.size:,} {'has' if len(missing) == 1 else 'have'} no token; "
        "decoding such an id fails or gives nothing.",
        "Fill them with reserved tokens, or mask these rows of the model's output.",
    )


def find_other_ids(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Tokens that the config gives another id than the vocabulary."""
    differing = [
        f"{token}: {id} in the config, {subject.spellings[token]} in the vocabulary"
        for token, id in subject.metadata.added.items()
        if subject.spellings.get(token, id) != id
    ]
    yield from report_cases(
        "special-other-id",
        "error",
        differing,
        f"{len(differing)} added tokens have another id in the config than in the vocabulary.",
        "Use the ids of the vocabulary the model was trained with in both files.",
    )


def find_missing_bytes(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Bytes without a token where every byte needs one."""
    fallback = [entry.raw for entry in subject.entries.values() if entry.kind == "byte"]
    single = {entry.raw for entry in subject.entries.values() if len(entry.raw) == 1 and entry.kind != "special"}
    declared = bool(subject.model.get("byte_fallback")) or bool(fallback)
    if not declared and not _byte_level(subject):
        return
    # A token of one letter that spells a byte is that byte, even where it is also an added token.
    spelled = {bytes([BYTE_OF[piece]]) for piece in subject.model.get("vocab") or () if piece in BYTE_OF}
    present = {*fallback} if declared else single | spelled
    missing = [f"0x{byte:02X}" for byte in range(256) if bytes([byte]) not in present]
    yield from report_cases(
        "missing-bytes",
        "error",
        missing,
        f"{len(missing)} of the 256 bytes have no token; characters that need them are lost or become unknown.",
        "Add a token for each byte; a model cannot read what its vocabulary cannot spell.",
    )


def find_respelled(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Added tokens that come back otherwise, because the decoder reads their letters as bytes or spaces."""
    names = [str(token["content"]) for token in subject.document.get("added_tokens") or ()]
    tokenizer = subject.tokenizers[0]
    decoded = {name: tokenizer.decode([subject.spellings[name]]) for name in names if name in subject.spellings}
    changed = [
        f"{name} becomes {raw.decode(errors='replace')!a}" for name, raw in decoded.items() if raw != name.encode()
    ]
    yield from report_cases(
        "added-token-changes",
        "error",
        changed,
        f"{plural(len(changed), 'added token is', 'added tokens are')} decoded to another text.",
        "Spell added tokens with ASCII characters alone: in a byte-level vocabulary other letters stand for bytes.",
    )


def _byte_level(subject: ExaminedTokenizer) -> bool:
    stages = [subject.document.get("pre_tokenizer"), subject.document.get("decoder")]
    return subject.record.spec.get("ranks") is not None or any("'ByteLevel'" in repr(stage) for stage in stages)


def find_merges_without_result(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Merges whose parts or whose result are not in the vocabulary."""
    vocabulary = subject.model.get("vocab")
    if not isinstance(vocabulary, dict) or not (merges := list_merges(subject.model)):
        return
    useless = [f"{left} {right}" for left, right in merges if not {left, right, left + right} <= vocabulary.keys()]
    yield from report_cases(
        "merge-makes-nothing",
        "error",
        useless,
        f"{plural(len(useless), 'merge names', 'merges name')} a token that is not in the vocabulary; "
        "a library may refuse the file.",
        "Remove these merges, or add the token that is lacking.",
    )
    if repeated := len(merges) - len({*merges}):
        text = f"{plural(repeated, 'merge is', 'merges are')} repeated; of equal ones, the last gives the rank."
        yield Finding("merge-repeated", "warning", text, "Keep only the last of each.", count=repeated)


def find_orphans(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Tokens of several characters that no merge makes."""
    vocabulary = subject.model.get("vocab")
    if subject.model.get("type") != "BPE" or not isinstance(vocabulary, dict) or subject.model.get("ignore_merges"):
        return
    made = {left + right for left, right in list_merges(subject.model)}
    added = subject.record.info.special_tokens
    ends = subject.model.get("end_of_word_suffix") or ""
    kinds = {id: entry.kind for id, entry in subject.entries.items()}
    alone = [
        token
        for token, id in vocabulary.items()
        if len(token.removesuffix(ends) if ends else token) > 1
        and token not in made
        and token not in added
        and kinds.get(id, "normal") == "normal"
    ]
    yield from report_cases(
        "orphans",
        "warning",
        alone,
        f"{plural(len(alone), 'token is', 'tokens are')} made by no merge; such a token appears only where it is "
        "an added or special one.",
        "Add the merges that make them, or mark them as added tokens if they are meant to be.",
    )


def find_tokens_without_text(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Tokens that none of the encoded texts gave: neither their own text alone, nor with others beside it."""
    columns = load_columns(subject.tokenizers[0])
    normal = [row for row, kind in enumerate(columns.kinds) if KINDS[kind] == "normal" and columns.characters[row]]
    chosen = normal[:: max(1, len(normal) // MAX_TRIED)]
    search = WitnessSearch(subject.tokenizers[0], columns)
    deque(search.own_texts(chosen), maxlen=0)
    deque(search.contexts(search.list_missing(chosen)[:MAX_SEARCHED]), maxlen=0)
    missing = search.list_missing(chosen)
    share = "" if len(chosen) == len(normal) else f" of {len(chosen):,} that were looked at"
    tries = max((search.count_tried(row) for row in missing), default=0)
    yield from report_cases(
        "no-text-found",
        "note",
        [columns.pieces[row] for row in missing],
        f"For {plural(len(missing), 'token')}{share} no text was found among {tries:,} tries each. This is no proof: "
        "another text may give them.",
        "The vocabulary page tries more texts and says why for each token; add the tokenizer there.",
    )


def find_doubled_or_missing_edges(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """BOS and EOS that are put twice, by the template and around the text, or never."""
    info = subject.record.info
    metadata = subject.metadata
    template = subject.record.data.get("chat_template.jinja", b"").decode(errors="replace")
    for name, side in (("bos", info.prefix), ("eos", info.suffix)):
        token = metadata.variables.get(f"{name}_token", "")
        if not token:
            continue
        around = token in side
        written = bool(template) and (f"{name}_token" in template or token in template)
        if around and written and name == "bos":
            yield Finding(
                "bos-twice",
                "warning",
                f"{token} is put in front of every text, and the chat template writes it, too: a chat begins with two.",
                "Encode what the template renders with add_special_tokens=False.",
            )
        if metadata.config.get(f"add_{name}_token") is True and not around:
            yield Finding(
                f"{name}-never",
                "error" if not written else "warning",
                f"The config has add_{name}_token on, but nothing puts {token} around a text.",
                "Put it into the post_processor of tokenizer.json, or switch the option off.",
            )
        if metadata.config.get(f"add_{name}_token") is False and around:
            yield Finding(
                f"{name}-against-config",
                "warning",
                f"The config has add_{name}_token off, but the post-processor puts {token} around a text.",
                "Decide by what the model was trained with, and say the same in both files.",
            )


def find_cleanup(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """`clean_up_tokenization_spaces`, which changes what is decoded; transformers 5.23 ignores it for BPE."""
    config = subject.metadata.config
    if config.get("clean_up_tokenization_spaces") is not True or subject.record.info.family == "wordpiece":
        return
    forced = config.get("clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output") is True
    ignored = subject.record.info.family == "bpe" and not forced
    version = "an old transformers" if ignored else "transformers"
    more = " transformers 5.23 ignores it for BPE." if ignored else ""
    yield Finding(
        "clean-up-spaces",
        "note" if ignored else "warning",
        f"clean_up_tokenization_spaces is on: {version} removes the space in “ .” and “ n't” when it decodes, "
        f"also where the text had one.{more}",
        "Set it to false, unless the tokenizer is a WordPiece one.",
    )


def find_legacy_spacing(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Options of old versions, which change tokens behind a special token."""
    config = subject.metadata.config
    if config.get("legacy") is True or ("legacy" not in config and subject.metadata.class_name in ("Llama", "T5")):
        yield Finding(
            "legacy",
            "note",
            "legacy is on: transformers puts a ▁ in front of the text behind each special token.",
            "Keep it if the model was trained so; otherwise set legacy to false.",
        )


def find_switched_off(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """What the reader changed: truncation, padding, dropout and options of older versions."""
    notes = subject.record.info.notes
    for note in notes:
        yield Finding("reader", "error" if note.startswith(REFUSED) else "note", note)
    for name in ("truncation", "padding"):
        if subject.document.get(name) is not None:
            yield Finding(
                name,
                "warning",
                f"The file has {name}: it gives another number of tokens than the text has.",
                f"Set {name} to null in tokenizer.json before it is published.",
            )
    if subject.model.get("dropout"):
        text = "The file has dropout: the same text gets other tokens each time."
        yield Finding("dropout", "error", text, "Set dropout of the model to null; it is for training alone.")


def find_two_for_one(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Several ids with one spelling."""
    by_raw: dict[str, list[int]] = {}
    for id, entry in subject.entries.items():
        if entry.kind == "normal":
            by_raw.setdefault(entry.piece, []).append(id)
    twice = [f"{piece}: {', '.join(map(str, ids[:3]))}" for piece, ids in by_raw.items() if len(ids) > 1]
    text = f"{len(twice)} spellings have several ids; only one of each is ever used."
    yield from report_cases("repeated-token", "warning", twice, text)
