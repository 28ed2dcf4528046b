"""Findings about special tokens around a text, the chat template, and options of the config."""

from collections.abc import Iterator

from .findings import ExaminedTokenizer, Finding, samples


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
    """`clean_up_tokenization_spaces`, which changes what is decoded."""
    if subject.metadata.config.get("clean_up_tokenization_spaces") is True and not _wordpiece(subject):
        yield Finding(
            "clean-up-spaces",
            "warning",
            "clean_up_tokenization_spaces is on: transformers removes the space in “ .” and “ n't” when it decodes, "
            "also where the text had one.",
            "Set it to false, unless the tokenizer is a WordPiece one.",
        )


def _wordpiece(subject: ExaminedTokenizer) -> bool:
    return subject.record.info.family == "wordpiece"


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
        yield Finding("reader", "note", note)
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
    if twice:
        text = f"{len(twice)} spellings have several ids; only one of each is ever used."
        yield Finding("repeated-token", "warning", text, count=len(twice), samples=samples(twice))
