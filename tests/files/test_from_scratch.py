"""Spans of a from-scratch tokenizer that normalizes."""


def test_spans_of_a_normalized_text_point_into_what_was_typed(registry):
    done = registry.get("bert-base-uncased", "scratch").encode("ÀB\u0301 ﬁ́ 你")
    spans = [*zip(done.char_starts.tolist(), done.char_ends.tolist(), strict=True)]
    assert spans[0] == (0, 2)
    assert spans[-1] == (7, 8)


def test_many_words_with_ties_are_segmented_as_by_the_library(registry):
    """Words of equal signs have segmentations of equal scores, of which the sum before them decides."""
    text = " ".join(sign * size for size in range(1, 40) for sign in "*-+=")
    for id in ("t5", "xlm-roberta"):
        ours, theirs = (registry.get(id, engine).encode(text).ids.tolist() for engine in ("scratch", "sentencepiece"))
        assert ours == theirs
