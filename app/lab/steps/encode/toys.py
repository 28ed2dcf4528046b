"""Two vocabularies small enough to be seen whole, for the worked examples of WordPiece and unigram."""

from collections.abc import Callable, Mapping
from math import log

from app.adapters.from_scratch_pieces import PieceTokenizer, bert, sentencepiece
from app.formats.sentencepiece_model import Piece, SentencePieceModel
from app.types import TokenizerInfo

PROBABILITIES = {"the": 0.08, "there": 0.02, "re": 0.05, "th": 0.06, "e": 0.07, "r": 0.03, "t": 0.02, "h": 0.02}


def wordpiece() -> PieceTokenizer:
    """WordPiece with two pieces.

    >>> wordpiece().encode("playing play pay").ids.tolist()
    [1, 2, 1, 0]
    """
    pieces = ("[UNK]", "play", "##ing")
    info = TokenizerInfo("toy-wordpiece", "Two pieces of WordPiece", "wordpiece", ("scratch",), 3, lossless=False)
    return bert(info, vocabulary={piece: id for id, piece in enumerate(pieces)})


def unigram() -> PieceTokenizer:
    """Unigram with eight pieces: `there` alone is likelier than `the` and `re`.

    >>> unigram().encode("there the!").ids.tolist()
    [2, 0, 1, 0]
    """
    pieces = (Piece("<unk>", 0.0, "unknown"), *(Piece(text, log(p)) for text, p in PROBABILITIES.items()))
    info = TokenizerInfo("toy-unigram", "Eight pieces of a unigram model", "unigram", ("scratch",), 9, lossless=False)
    model = SentencePieceModel(
        pieces, "unigram", add_dummy_prefix=False, remove_extra_whitespaces=False, escape_whitespaces=False
    )
    return sentencepiece(info, model=model)


TOYS: Mapping[str, Callable[[], PieceTokenizer]] = {"toy-wordpiece": wordpiece, "toy-unigram": unigram}
"""By the id that `encode` knows them by."""
