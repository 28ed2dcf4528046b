"""Findings about a vocabulary, its merges, its special tokens, the chat template, and options of the config."""

from collections import deque
from collections.abc import Iterator, Sequence
from math import ceil

from ...errors import plural
from ...files.conversion import REFUSED
from ...files.targets import list_merges
from ...scratch.compat.pipeline.pre_tokenizers import BYTE_OF
from ..vocabulary.columns import KINDS, build_columns
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
        f"{plural(len(missing), 'id')} below {subject.size:,} {'has' if len(missing) == 1 else 'have'} no token, so "
        "decoding such an id fails or gives nothing.",
        "Add reserved tokens with these ids, or mask the ids in the model's output.",
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
        f"{plural(len(differing), 'added token has', 'added tokens have')} another id in the config than in the "
        "vocabulary.",
        "Write the ids that the model was trained with into both files.",
    )


def find_missing_bytes(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Bytes without a token where every byte needs one."""
    fallback = [entry.raw for entry in subject.entries.values() if entry.kind == "byte"]
    single = {entry.raw for entry in subject.entries.values() if len(entry.raw) == 1 and entry.kind != "special"}
    declared = bool(subject.model.get("byte_fallback")) or bool(fallback)
    if not declared and not subject.byte_level:
        return
    present = {*fallback}
    if not declared:
        # A token of one letter that spells a byte is that byte, even where it is also an added token.
        vocabulary = subject.model.get("vocab") or ()
        pieces = vocabulary if isinstance(vocabulary, dict) else [piece for piece, _ in vocabulary]  # with scores
        spelled = {bytes([BYTE_OF[piece]]) for piece in pieces if piece in BYTE_OF}
        present = single | spelled
    missing = [f"0x{byte:02X}" for byte in range(256) if bytes([byte]) not in present]
    yield from report_cases(
        "missing-bytes",
        "error",
        missing,
        f"{len(missing)} of the 256 bytes {'has' if len(missing) == 1 else 'have'} no token. Characters that need one "
        "are lost or become the unknown token.",
        "Add a token for each byte, and train the model with it.",
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
        "Spell added tokens in ASCII. Other letters stand for bytes in a byte-level vocabulary.",
    )


def find_merges_without_result(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Merges whose parts or whose result are not in the vocabulary."""
    vocabulary = subject.model.get("vocab")
    if not isinstance(vocabulary, dict) or not (merges := list_merges(subject.model)):
        return
    useless = [
        subject.spell_merge(left, right)
        for left, right in merges
        if not {left, right, left + right} <= vocabulary.keys()
    ]
    yield from report_cases(
        "merge-makes-nothing",
        "error",
        useless,
        f"{plural(len(useless), 'merge names', 'merges name')} a token that the vocabulary lacks. Libraries may refuse "
        "the file.",
        "Remove these merges, or add the missing tokens.",
    )
    if repeated := len(merges) - len({*merges}):
        text = f"{plural(repeated, 'merge is', 'merges are')} repeated. The last of equal merges gives the rank."
        yield Finding("merge-repeated", "warning", text, "Keep only the last of each.", count=repeated)


def find_orphans(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Tokens of several characters that no merge makes."""
    yield from report_cases(
        "orphans",
        "warning",
        [subject.spell(token) for token in subject.orphans],
        f"No merge makes {plural(len(subject.orphans), 'token')} of the vocabulary, so no text gives "
        f"{'it' if len(subject.orphans) == 1 else 'them'}.",
        "Add the merges, or list the tokens in added_tokens.",
    )


def spread_evenly(rows: Sequence[int], most: int) -> Sequence[int]:
    """Return at most so many rows, from all parts of the vocabulary.

    >>> len(spread_evenly(range(60_000), 60_000)), len(spread_evenly(range(119_999), 60_000)), spread_evenly([], 1)
    (60000, 60000, [])
    """
    return rows[:: max(1, ceil(len(rows) / most))]


def find_tokens_without_text(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Tokens that none of the encoded texts gave: neither their own text alone, nor with others beside it."""
    orphans = {subject.model["vocab"][token] for token in subject.orphans}
    columns = build_columns(entry for id, entry in subject.entries.items() if id not in orphans)
    normal = [row for row, kind in enumerate(columns.kinds) if KINDS[kind] == "normal" and columns.characters[row]]
    chosen = spread_evenly(normal, MAX_TRIED)
    search = WitnessSearch(subject.tokenizers[0], columns)
    deque(search.own_texts(chosen), maxlen=0)
    deque(search.contexts(search.list_missing(chosen)[:MAX_SEARCHED]), maxlen=0)
    missing = search.list_missing(chosen)
    share = "" if len(chosen) == len(normal) else f" of {len(chosen):,} sampled ones"
    tries = max((search.count_tried(row) for row in missing), default=0)
    yield from report_cases(
        "no-text-found",
        "note",
        [columns.pieces[row] for row in missing],
        f"For {plural(len(missing), 'token')}{share}, no text was found among {tries:,} tries each. Another text may "
        "still give them.",
        "Add the tokenizer and open its vocabulary page, which tries more texts and names a cause for each token.",
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
                f"{token} is added before every text, and the chat template writes it too, so a chat begins with two.",
                "Encode the rendered chat with add_special_tokens=False.",
            )
        if metadata.config.get(f"add_{name}_token") is True and not around:
            yield Finding(
                f"{name}-never",
                "error" if not written else "warning",
                f"The config turns add_{name}_token on, but nothing adds {token} to a text.",
                f"Add it to post_processor in tokenizer.json, or set add_{name}_token to false.",
            )
        if metadata.config.get(f"add_{name}_token") is False and around:
            yield Finding(
                f"{name}-against-config",
                "warning",
                f"The config turns add_{name}_token off, but post_processor adds {token} to each text.",
                "Check which the model was trained with, and say the same in both files.",
            )


def find_cleanup(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """`clean_up_tokenization_spaces`, which changes what is decoded; transformers 5.23 ignores it for BPE."""
    config = subject.metadata.config
    if config.get("clean_up_tokenization_spaces") is not True or subject.record.info.family == "wordpiece":
        return
    forced = config.get("clean_up_tokenization_spaces_for_bpe_even_though_it_will_corrupt_output") is True
    ignored = subject.record.info.family == "bpe" and not forced
    version = "An old transformers" if ignored else "transformers"
    more = " transformers 5.23 ignores the option for BPE." if ignored else ""
    yield Finding(
        "clean-up-spaces",
        "note" if ignored else "warning",
        f"clean_up_tokenization_spaces is on. {version} then removes the space in “ .” and “ n't” when it decodes, "
        f"even where the text had one.{more}",
        "Set it to false. Only WordPiece needs it.",
    )


def find_legacy_spacing(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Options of old versions, which change tokens behind a special token."""
    config = subject.metadata.config
    if config.get("legacy") is True or ("legacy" not in config and subject.metadata.class_name in ("Llama", "T5")):
        yield Finding(
            "legacy",
            "note",
            "legacy is on, so transformers puts ▁ before the text that follows a special token.",
            "Keep it if the model was trained with it. Otherwise set legacy to false.",
        )


def find_switched_off(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """What the reader changed: truncation, padding, dropout and options of older versions."""
    notes = subject.record.info.notes
    for note in notes:
        yield Finding("reader", "error" if note.startswith(REFUSED) else "note", note)
    for name, effect in (("truncation", "removes tokens of long texts"), ("padding", "adds tokens to short texts")):
        if subject.document.get(name) is not None:
            yield Finding(
                name,
                "warning",
                f"The file sets {name}, which {effect}.",
                f"Set {name} to null in tokenizer.json before you publish it.",
            )
    if subject.model.get("dropout"):
        text = "The file sets dropout, so a text gets other tokens each time."
        yield Finding("dropout", "error", text, "Set dropout of the model to null. It is for training only.")


def find_two_for_one(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Several ids with one spelling."""
    by_raw: dict[str, list[int]] = {}
    for id, entry in subject.entries.items():
        if entry.kind == "normal":
            by_raw.setdefault(entry.piece, []).append(id)
    twice = [f"{piece}: {', '.join(map(str, ids[:3]))}" for piece, ids in by_raw.items() if len(ids) > 1]
    text = f"{plural(len(twice), 'token has', 'tokens have')} several ids, of which a text gets only one."
    yield from report_cases("repeated-token", "warning", twice, text)
