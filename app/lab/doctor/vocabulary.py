"""Findings about a vocabulary and its merges."""

from collections.abc import Iterator

from ...convert.targets import list_merges
from ...types import Tokenizer, VocabEntry
from .findings import ExaminedTokenizer, Finding, samples

MAX_TRIED = 60_000
"""Tokens that are tried for whether any text gives them; of a larger vocabulary, evenly spread ones."""


def find_gaps(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Ids below the largest that have no token."""
    missing = [str(id) for id in range(subject.size) if id not in subject.entries]
    if missing:
        yield Finding(
            "id-gaps",
            "warning",
            f"{len(missing):,} ids below {subject.size:,} have no token; decoding one of them fails or gives nothing.",
            "Fill them with reserved tokens, or mask these rows of the model's output.",
            count=len(missing),
            samples=samples(missing),
        )


def find_lacking_specials(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Special tokens of the config that the vocabulary does not have."""
    wanted = {*subject.metadata.variables.values(), *subject.metadata.special}
    lacking = sorted(token for token in wanted if token not in subject.spellings)
    if lacking:
        yield Finding(
            "special-not-in-vocabulary",
            "error",
            f"{len(lacking)} special tokens of the config are not in the vocabulary, so they become ordinary text.",
            "Add them to added_tokens with the ids the model was trained with, or remove them from the config.",
            count=len(lacking),
            samples=samples(lacking),
        )


def find_other_ids(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Tokens that the config gives another id than the vocabulary."""
    differing = [
        f"{token}: {id} in the config, {subject.spellings[token]} in the vocabulary"
        for token, id in subject.metadata.added.items()
        if subject.spellings.get(token, id) != id
    ]
    if differing:
        yield Finding(
            "special-other-id",
            "error",
            f"{len(differing)} added tokens have another id in the config than in the vocabulary.",
            "Use the ids of the vocabulary the model was trained with in both files.",
            count=len(differing),
            samples=samples(differing),
        )


def find_missing_bytes(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Bytes without a token where every byte needs one."""
    fallback = [entry.raw for entry in subject.entries.values() if entry.kind == "byte"]
    single = {entry.raw for entry in subject.entries.values() if len(entry.raw) == 1 and entry.kind != "special"}
    declared = bool(subject.model.get("byte_fallback")) or bool(fallback)
    if not declared and not _byte_level(subject):
        return
    present = {*fallback} if declared else single
    missing = [f"0x{byte:02X}" for byte in range(256) if bytes([byte]) not in present]
    if missing:
        yield Finding(
            "missing-bytes",
            "error",
            f"{len(missing)} of the 256 bytes have no token; characters that need them are lost or become unknown.",
            "Add a token for each byte; a model cannot read what its vocabulary cannot spell.",
            count=len(missing),
            samples=samples(missing),
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
    if useless:
        yield Finding(
            "merge-makes-nothing",
            "error",
            f"{len(useless):,} merges name a token that is not in the vocabulary; a library may refuse the file.",
            "Remove these merges, or add the token that is lacking.",
            count=len(useless),
            samples=samples(useless),
        )
    if repeated := len(merges) - len({*merges}):
        text = f"{repeated:,} merges are repeated; of equal ones, the last gives the rank."
        yield Finding("merge-repeated", "warning", text, "Keep only the first of each.", count=repeated)


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
    if alone:
        yield Finding(
            "orphans",
            "warning",
            f"{len(alone):,} tokens are made by no merge; they appear only where they are added or special tokens.",
            "Add the merges that make them, or mark them as added tokens if they are meant to be.",
            count=len(alone),
            samples=samples(alone),
        )


def find_unreachable_tokens(subject: ExaminedTokenizer) -> Iterator[Finding]:
    """Tokens that their own text does not give, wherever it stands."""
    tokenizer = subject.tokenizers[0]
    normal = [entry for entry in subject.entries.values() if entry.kind == "normal" and entry.raw]
    step = max(1, len(normal) // MAX_TRIED)
    tried = normal[::step]
    lost = [entry.piece for entry in tried if not _is_reachable(tokenizer, entry)]
    if lost:
        share = "" if step == 1 else f" of {len(tried):,} that were tried"
        yield Finding(
            "unreachable",
            "note",
            f"{len(lost):,} tokens{share} come from no text: their own text becomes other tokens.",
            "Nothing to mend: the model has no use for them. They cost rows of its embedding.",
            count=len(lost),
            samples=samples(lost),
        )


def _is_reachable(tokenizer: Tokenizer, entry: VocabEntry) -> bool:
    """True if the text of a token gives it, alone, without its space or behind a word; or if it is no whole text."""
    try:
        text = entry.raw.decode()
    except UnicodeDecodeError:
        return True  # part of a character, which other tokens complete
    forms = (text, text.removeprefix(" "), f"a{text}", f"a {text}", f"{text}a")
    return any(entry.id in tokenizer.encode(form).ids for form in forms if form)
