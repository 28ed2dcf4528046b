"""What a training can be asked for, and what is refused with a pointer to the value."""

import pytest
import regex
from tokenarium.errors import Invalid
from tokenarium.lab.option_schema import with_values
from tokenarium.lab.train.options import PATTERNS, TRAINERS_OF, TrainingOptions, check_options


@pytest.mark.parametrize(
    ("changes", "pointer"),
    [
        ({"size": 0}, "/size"),
        ({"size": -1}, "/size"),
        ({"size": 2**62}, "/size"),
        ({"algorithm": "lzw"}, "/algorithm"),
        ({"engine": "tiktoken"}, "/engine"),
        ({"algorithm": "wordpiece", "engine": "sentencepiece"}, "/engine"),
        ({"unit": "words"}, "/unit"),
        ({"unit": "marked", "engine": "tokenizers"}, "/unit"),
        ({"algorithm": "wordpiece", "engine": "tokenizers", "scoring": "score"}, "/scoring"),
        ({"min_frequency": 0}, "/min_frequency"),
        ({"max_token_length": 0}, "/max_token_length"),
        ({"superwords_after": 8000}, "/superwords_after"),
        ({"held_out": 0.9}, "/held_out"),
        ({"held_out": float("nan")}, "/held_out"),
        ({"special_tokens": ("a", "a")}, "/special_tokens"),
        ({"special_tokens": ("",)}, "/special_tokens"),
        ({"pattern": "(" * 60}, "/pattern"),
        ({"pattern": "a{10000000}"}, "/pattern"),
        ({"pattern": "(?V1)a"}, "/pattern"),
        ({"pattern": ""}, "/pattern"),
        ({"pattern": r"\w+", "digits": "single"}, "/digits"),
        ({"byte_fallback": True}, "/byte_fallback"),
    ],
)
def test_what_cannot_be_followed_is_refused_with_a_pointer(changes, pointer):
    with pytest.raises(Invalid) as raised:
        check_options(with_values(TrainingOptions(), **changes))
    assert raised.value.pointer == pointer


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("digits", ["pattern", "single", "three"])
def test_every_pattern_tells_digits_apart_as_is_wished(pattern, digits):
    found = regex.findall(TrainingOptions(pattern=pattern, digits=digits).expression, "in 12345", regex.V0)
    numbers = [word.strip() for word in found if word.strip().isdigit()]
    if digits == "single":
        assert numbers == ["1", "2", "3", "4", "5"]
    elif digits == "three":
        assert numbers == ["123", "45"]
    assert "".join(numbers) == "12345"


def test_every_algorithm_can_be_trained_from_scratch_by_its_defaults():
    for algorithm in TRAINERS_OF:
        assert check_options(TrainingOptions(algorithm=algorithm)).engine == "scratch"
