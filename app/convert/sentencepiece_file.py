"""A SentencePiece model as it is, with what its own trainer and the config beside it say of BOS and EOS."""

from ..formats.sentencepiece_model import SentencePieceModel, load_model
from ..types import Engine, Family
from .conversion import Conversion, name_rules
from .metadata import Metadata

MODEL = "tokenizer.model"
RENUMBERED = (
    *("XLMRoberta", "Camembert", "MBart", "NLLB", "Nllb", "XGLM", "Barthez", "PLBart", "M2M100", "Pegasus"),
    *("SeamlessM4T", "XLMProphetNet"),
)
"""Classes of `transformers` whose models number the tokens in another way than the file does."""
AT_END = ("T5", "UMT5", "MT5", "Pegasus", "Byt5")
"""Classes whose models expect `</s>` after a text by default."""


def from_sentencepiece(data: bytes, metadata: Metadata) -> Conversion:
    """Describe a SentencePiece model. Raises `BadFile` for what `load_model` refuses."""
    return describe(load_model(data), data, metadata, ("sentencepiece", "scratch"))


def describe(
    model: SentencePieceModel, data: bytes, metadata: Metadata, engines: tuple[Engine, ...], notes: tuple[str, ...] = ()
) -> Conversion:
    """Return the conversion of a model that has been read."""
    specials = {piece.text: id for id, piece in enumerate(model.pieces) if piece.kind in ("control", "unknown")}
    family: Family = "bpe" if model.algorithm == "bpe" else "unigram" if model.algorithm == "unigram" else "other"
    name = metadata.class_name
    if any(name.startswith(start) for start in RENUMBERED):
        notes += (f"The models of {name} number the tokens differently than this file; bring their tokenizer.json.",)
    ids = {piece.text: id for id, piece in enumerate(model.pieces)}
    if beyond := [token for token in metadata.added if token not in ids]:
        notes += (
            f"{len(beyond)} added tokens of the config, the first {beyond[0][:40]!r}, are not in the model file.",
        )
    bos = metadata.flag("add_bos_token", name.startswith(("Llama", "Gemma", "CodeLlama")))
    eos = metadata.flag("add_eos_token", name.startswith(AT_END))
    before, after = (
        metadata.variables.get(f"{side}_token", default) for side, default in (("bos", "<s>"), ("eos", "</s>"))
    )
    return Conversion(
        family,
        engines,
        {MODEL: data},
        len(model.pieces),
        normalization=_normalization(model),
        special_tokens=specials,
        prefix=(before,) if bos and before in specials else (),
        suffix=(after,) if eos and after in specials else (),
        notes=notes,
        token_rules=name_rules(metadata.rules, specials),
    )


def _normalization(model: SentencePieceModel) -> str:
    """Return what decoding gives where it is not the text itself."""
    sentences = ["The text is normalized by the model's character map."] * (model.charsmap is not None)
    sentences += ["Repeated spaces, and those at the ends, are removed."] * model.remove_extra_whitespaces
    side = "after" if model.whitespace_as_suffix else "before"
    sentences += [f"A space is put {side} the text, which decoding takes off again."] * model.add_dummy_prefix
    return " ".join([*sentences, "Every ▁ (U+2581) becomes a space."])
