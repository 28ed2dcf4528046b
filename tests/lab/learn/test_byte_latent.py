"""The scene of a model of patches: its pictures have the masks of the text, and its sums are those of the paper."""

from tokenarium.lab.learn.architectures import CELL, LEFT
from tokenarium.lab.learn.byte_latent import patch_text, trace_byte_latent


def coloured(figure, rows):
    """The columns of the coloured cells of a mask, by row from the top."""
    empty = [box for box in figure.boxes if not box.text and box.y > CELL]
    tops = sorted({box.y for box in empty})
    found = [[round((box.x - LEFT - 1) / CELL) for box in empty if box.y == top] for top in tops]
    assert len(found) == rows
    return found


def test_a_patch_sees_its_own_bytes_and_a_written_byte_the_patch_before_its_own(registry):
    text = "a free cat"
    assert [tile.text for tile in patch_text(text).patches] == ["a free ", "ca", "t"]
    steps = trace_byte_latent(text, registry).steps
    _, _, _, _, encoder, latent, *_, decoder, _ = (step.figure for step in steps)
    assert coloured(encoder, 3) == [[0, 1, 2, 3, 4, 5, 6], [7, 8], [9]]
    assert coloured(latent, 3) == [[0], [0, 1], [0, 1, 2]]
    assert coloured(decoder, 3) == [[0, 1, 2, 3, 4, 5, 6], [7, 8], [9]]
    asking = [box.text for box in decoder.boxes if box.text][: len(text)]
    assert asking == [*"a␣free␣ca", "a"]


def test_both_models_cost_the_same_at_the_length_of_patches_that_is_said(registry):
    (sentence,) = trace_byte_latent("Freedom of strawberry", registry).steps[-1].sentence
    assert sentence == (
        "A byte costs 4.24 billion operations in patches, 2.12 billion in tokens. "
        "Patches of 7.5 bytes on average would cost the same."
    )


def test_two_characters_of_a_byte_have_a_wider_cell(registry):
    widths = [
        {box.width for box in trace_byte_latent(text, registry).steps[2].figure.boxes}
        for text in ("a free cat", "свобода")
    ]
    assert widths == [{20}, {30}]
