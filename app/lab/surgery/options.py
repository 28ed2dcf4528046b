"""The options of surgery, declared once for the form, the API and the command line, and the checks of their values."""

from collections.abc import Mapping
from typing import Any, Literal

from ...errors import Invalid
from ..option_schema import Condition, Items, Options, declare, validate
from ..tokenize import utf8_length

Operation = Literal["prune", "extend", "tokens"]
OPERATIONS: Mapping[str, str] = {
    "prune": "Prune",
    "extend": "Extend",
    "tokens": "Special tokens",
}
PRUNING = {"operation": ("prune",)}
EXTENDING = {"operation": ("extend",)}
BY_CORPUS = {**PRUNING, "by": ("corpus",)}
BY_SCRIPTS = {**PRUNING, "by": ("scripts",)}
MAX_TOKENS = 100_000


def declare_for(condition: Condition, label: str, default: Any, **declared: Any) -> Any:
    """Declare an option that has an effect under a condition, and that a form hides for other operations."""
    return declare(label, default, used_by=(condition,), hidden_by=("operation",), **declared)


class SurgeryOptions(Options):
    """What to do with a copy of a tokenizer. The special tokens and the size may be changed by every operation."""

    operation: str = declare("Operation", "prune", choices=OPERATIONS)
    by: str = declare_for(
        PRUNING,
        "Keep the tokens of",
        "corpus",
        choices={"corpus": "The corpus", "scripts": "Some scripts"},
        help="Also kept: what they are made of, and whatever is needed so that every text can be encoded.",
    )
    scripts: Items[str] = declare_for(
        BY_SCRIPTS,
        "Scripts",
        [],
        help="Names of Unicode, such as Latin Cyrillic Han. Digits, punctuation and emoji are always kept.",
        max_length=50,
        item_length=30,
        placeholder="Latin Greek",
    )
    min_count: int = declare_for(
        BY_CORPUS,
        "Minimum count",
        1,
        help="A token that occurs less often in the corpus is not kept; with 1, the corpus keeps its tokens.",
        ge=1,
        le=1_000_000,
    )
    keep_characters: bool = declare_for(
        PRUNING,
        "Keep all single characters",
        True,
        help="If not, those that the corpus or the scripts lack are spelled in bytes, if there is byte fallback.",
    )
    keep_ids: Items[str] = declare_for(PRUNING, "Ids to keep in any case", [], max_length=10_000, item_length=8)
    renumber: bool = declare_for(
        PRUNING, "Renumber ids without gaps", True, help="If not, every token keeps its id, and the ids have gaps."
    )
    tokens: int = declare_for(
        EXTENDING,
        "New tokens",
        1000,
        help="Merges that are learned from the corpus, over the tokens that its words have now.",
        ge=1,
        le=MAX_TOKENS,
        presets=(100, 500, 1000, 5000, 10_000),
    )
    min_frequency: int = declare_for(EXTENDING, "Minimum pair frequency", 2, ge=1, le=1_000_000)
    add_characters: bool = declare_for(
        EXTENDING,
        "Add characters that are spelled in bytes",
        True,
        help="With byte fallback, frequent characters that the vocabulary lacks become tokens, which merges join.",
    )
    max_token_length: int | None = declare_for(
        EXTENDING, "Longest, in old tokens", None, help="Empty for any number.", ge=2, le=1000
    )
    add_tokens: Items[str] = declare(
        "New special tokens", [], max_length=1000, item_length=100, placeholder="<|tool|> <|result|>"
    )
    rename_tokens: Items[str] = declare(
        "Rename special tokens",
        [],
        help="Each as old=new.",
        max_length=1000,
        item_length=200,
        placeholder="<|reserved_0|>=<|tool|>",
    )
    multiple: int = declare(
        "Fill up to a multiple of",
        1,
        help="Reserved special tokens fill the vocabulary; a multiple of 64 or 128 suits a processor's matrices.",
        ge=1,
        le=65_536,
        presets=(1, 8, 64, 128, 256),
    )
    held_out: float = declare(
        "Held out for measuring",
        0.1,
        help="A share of the corpus from which nothing is learned.",
        ge=0,
        le=0.5,
        percent=True,
    )
    proof: int = declare(
        "Texts to prove it on",
        10_000,
        help="Generated texts on which the library and the from-scratch engine must agree.",
        ge=100,
        le=100_000,
    )

    @property
    def needs_corpus(self) -> bool:
        """True if the operation learns from a corpus.

        >>> SurgeryOptions().needs_corpus, SurgeryOptions(by="scripts").needs_corpus
        (True, False)
        """
        return self.operation == "extend" or (self.operation == "prune" and self.by == "corpus")

    @property
    def kept_ids(self) -> set[int]:
        """The ids to keep. Raises `Invalid` for one that is no number."""
        if wrong := [n for n, text in enumerate(self.keep_ids, 1) if not (text.isascii() and text.isdecimal())]:
            raise Invalid(f"keep_ids must be ids, which are whole numbers; item {wrong[0]:,} is none.", pointer=KEEP)
        return {int(text) for text in self.keep_ids}

    @property
    def renamed(self) -> dict[str, str]:
        """New names by old names. Raises `Invalid` for what is not old=new.

        >>> SurgeryOptions(rename_tokens=["<s>=<bos>"]).renamed
        {'<s>': '<bos>'}
        """
        pairs = [text.split("=") for text in self.rename_tokens]
        if wrong := [number for number, pair in enumerate(pairs, 1) if len(pair) != 2 or not all(pair)]:
            raise Invalid(f"rename_tokens must be old=new; item {wrong[0]:,} is not.", pointer="/rename_tokens")
        return {pair[0]: pair[1] for pair in pairs}


KEEP = "/keep_ids"


def check_options(options: SurgeryOptions) -> SurgeryOptions:
    """Return the options. Raises `Invalid`, with a pointer, for what cannot be done, and `LoneSurrogate`."""
    validate(options)
    _ = options.kept_ids, options.renamed
    for name, tokens in (("add_tokens", options.add_tokens), ("rename_tokens", options.rename_tokens)):
        utf8_length(" ".join(tokens), pointer=f"/{name}")
    if options.operation == "prune" and options.by == "scripts" and not options.scripts:
        raise Invalid("Name the scripts whose tokens are kept, such as Latin.", pointer="/scripts")
    if options.operation == "tokens" and not (options.add_tokens or options.rename_tokens or options.multiple > 1):
        raise Invalid("Nothing to change: name tokens to add or to rename, or a multiple.", pointer="/operation")
    return options
