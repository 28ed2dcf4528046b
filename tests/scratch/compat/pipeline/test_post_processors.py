"""Post-processors give the spans of the library."""

import pytest
from tokenarium.scratch.compat.pipeline.batches import PipelineEncoding, PipelineToken
from tokenarium.scratch.compat.pipeline.post_processors import trim_spaces
from tokenizers import Tokenizer, models, processors


@pytest.mark.parametrize(
    ("text", "span"),
    [(" a ", (1, 2)), ("\x85a\u3000", (1, 2)), ("Ġa", (1, 2)), ("\x1ca\x1f", (0, 3)), ("\x1d\x1e", (0, 2))],
)
def test_trimmed_offsets_leave_out_what_rust_calls_white_space(text, span):
    library = Tokenizer(models.WordLevel({text: 0}, unk_token=text))
    library.post_processor = processors.ByteLevel(add_prefix_space=False, trim_offsets=True)
    trimmed = trim_spaces(PipelineEncoding((PipelineToken(0, text, 0, len(text)),)), prefix_space=False)
    assert library.encode(text).offsets == [(trimmed.tokens[0].start, trimmed.tokens[0].end)] == [span]
