"""What WordPiece looks up."""

from tokenarium.scratch.fast.wordpiece.encode import WordPiece


def test_what_wordpiece_looks_up_is_written_down_without_changing_the_cut():
    model = WordPiece({"[UNK]": 0, "un": 1, "##aff": 2, "##able": 3, "##a": 4})
    tried = []
    assert model.pieces("unaffable", tried) == model.pieces("unaffable") == [(1, 0, 2), (2, 2, 5), (3, 5, 9)]
    assert tried == [(0, 9, 2, 1), (2, 9, 5, 2), (5, 9, 9, 3)]
