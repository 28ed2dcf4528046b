"""The scene of a lost byte: each letter stands above its bytes, and above what was read of it."""

import pytest
from tokenarium.lab.learn.recovery import damage, trace_recovery


@pytest.mark.parametrize("text", ["Öl für 🌍!", "plain", "🌍", "日本語", "éé"])
def test_each_letter_stands_above_its_bytes(registry, text):
    end = trace_recovery(text, registry).steps[-1]
    assert len(end.stacks) == len(text)
    for (letter,), under, read in end.stacks:
        size = len(letter.text.encode())
        assert {tile.text for tile in under} <= {f"{byte:02x}" for byte in letter.text.encode()}
        assert [tile.text for tile in read] == [letter.text] * (len(under) == size)
    assert sum(len(under) for _, under, _ in end.stacks) == len(damage(text))
