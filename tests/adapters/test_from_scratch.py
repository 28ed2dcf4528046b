"""Spans of a from-scratch tokenizer that normalizes."""


def test_spans_of_a_normalized_text_point_into_what_was_typed(registry):
    done = registry.get("bert-base-uncased", "scratch").encode("ÀB\u0301 ﬁ́ 你")
    spans = [*zip(done.char_starts.tolist(), done.char_ends.tolist(), strict=True)]
    assert spans[0] == (0, 2)
    assert spans[-1] == (7, 8)
