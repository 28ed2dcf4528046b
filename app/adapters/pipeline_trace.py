"""How a pipeline cuts a text, step by step: WordPiece by what it looks up, any other model a token a step."""

from dataclasses import replace

from app.adapters.from_scratch import units
from app.adapters.spans import byte_offsets
from app.scratch.aligned import Aligned
from app.scratch.pipeline import Pipeline
from app.scratch.trace import looked_up
from app.scratch.wordpiece import WordPiece
from app.types import CutWord, Encoding, Trace, TracedWord


def followed(pipeline: Pipeline, text: str, encoding: Encoding, *, specials: bool, pattern: str) -> Trace:
    """The trace of a text whose encoding is known. `pattern` is what cut it into words."""
    model = pipeline.model
    if not isinstance(model, WordPiece):
        return replace(units(encoding, text), pattern=pattern)
    at, known = byte_offsets(text.encode()).tolist(), dict[str, CutWord]()
    words = []
    for word, token in pipeline.words(text, specials=specials):
        cut = known.get(word.text)
        if cut is None or token:
            cut = looked_up(word.text, model)
            if token:
                cut = CutWord(word.text, ((token.id, 0, len(word)),), special=True)
            else:
                known[word.text] = cut
        first, last = word.span(0, len(word))
        words.append(TracedWord(cut, at[first], at[last]))
    normal = "".join(part.text for part, _ in pipeline.added.cut(Aligned.of(text), specials=specials))
    return Trace("attempts", words, normal, pattern, unknown=model.unknown, prefix=model.prefix)
