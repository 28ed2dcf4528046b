"""What must hold for a tokenizer after surgery: nothing is lost, and both engines read it alike.

Each law raises `BadFile` where it does not hold, so that nothing is kept.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import BadFile, plural
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ..doctor.conversion import find_differences
from .draft import RenumberedTokenizer
from .subject import EditableTokenizer


def right_ids(new: EditableTokenizer, numbered: RenumberedTokenizer) -> None:
    """Raise `BadFile` unless the library gives each token the id that the table says, and has no others."""
    spelled = new.reference.as_text.id_to_token
    wrong = [token for id, token in numbered.tokens.items() if spelled(id) != token]
    if wrong or len(new.reference.as_text.get_vocab(with_added_tokens=True)) != len(numbered.tokens):
        raise BadFile(f"The table of ids is not that of the library, such as for {wrong[:1]!a}; nothing is kept.")


def coverage(old: EditableTokenizer, new: EditableTokenizer) -> dict[str, Any]:
    """Count the bytes or characters that a vocabulary can spell, before and after. Raises `BadFile` if one is lost."""
    unit, before = _alphabet(old)
    _, after = _alphabet(new)
    if lost := before - after:
        gone = plural(len(lost), unit.removesuffix("s"))
        raise BadFile(f"{gone} would be lost, the first {min(lost)[:40]!a}; nothing is kept.")
    return {"unit": unit, "before": len(before), "after": len(after)}


def _alphabet(subject: EditableTokenizer) -> tuple[str, set[str]]:
    model = subject.scratch.file.model
    if subject.scratch.byte_level:
        return "bytes", {char for char in ALPHABET if char in model.vocabulary}
    if len(subject.byte_ids) == 256:
        return "bytes", {f"0x{byte:02X}" for byte in range(256)}
    pieces = (piece.removeprefix(model.prefix) for piece in model.vocabulary if piece not in subject.added)
    return "characters", {char for piece in pieces for char in piece}


def round_trips(old: EditableTokenizer, new: EditableTokenizer, texts: Iterable[str]) -> int:
    """Return the number of texts that decode as before; of a lossless tokenizer, to themselves. Raises `BadFile`."""
    count = 0
    for text in texts:
        before, after = (one.reference.decode(one.reference.encode(text).ids.tolist()) for one in (old, new))
        if after != before or (old.record.info.lossless and after != text.encode()):
            raise BadFile(f"The new tokenizer decodes the text {text[:40]!a} otherwise; nothing is kept.")
        count += 1
    return count


def same_tokens(
    old: EditableTokenizer, new: EditableTokenizer, numbered: RenumberedTokenizer, texts: Iterable[str]
) -> int:
    """Return the number of texts whose tokens are the old ones, of which some neighbours may be one new token.

    Raises `BadFile` for a text of which that is not true.
    """
    parts = {**{id: (before,) for before, id in numbered.kept.items()}, **numbered.new}
    count = 0
    for text in texts:
        before, after = (one.reference.encode(text).ids.tolist() for one in (old, new))
        if [part for id in after for part in parts[id]] != before:
            raise BadFile(f"The new tokenizer divides the text {text[:40]!a} otherwise; nothing is kept.")
        count += 1
    return count


def agreement(new: EditableTokenizer, count: int) -> Iterator[int]:
    """Compare the engines on generated texts, and yield how many were read. Raises `BadFile` where they differ."""
    for number, text in enumerate(find_differences(new.reference, new.scratch, count), 1):
        if text is not None:
            raise BadFile(
                f"tokenizers and the from-scratch engine differ on generated text {number:,}, {text[:40]!a}; "
                "nothing is kept."
            )
        yield number
