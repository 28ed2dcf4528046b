"""What the library trains is renumbered, and tokenizes as in the library."""

import pytest
from tokenarium.errors import Invalid
from tokenarium.files.tokenizer_json.train import train
from tokenarium.files.trained import tokenizer_json
from tokenizers import Tokenizer


def test_a_special_token_that_merges_make_has_one_id_as_in_the_library():
    learned = train(
        {"the": 9, " then": 3},
        algorithm="bpe",
        size=262,
        unit="bytes",
        pattern=r"\S+|\s",
        special_tokens=["the"],
        unknown=None,
        lowercase=True,
    )
    assert learned.pieces[256:] == ("he", "then", "Ġthen", "the")
    assert learned.merges == ((104, 101), (116, 256), (259, 110), (32, 257))
    assert learned.special_tokens == {"the": 259}
    library = Tokenizer.from_str(tokenizer_json(learned).decode())
    assert library.encode("The bathe").tokens == ["the", "Ġ", "b", "a", "the"]


def test_a_special_token_that_is_a_byte_is_refused_before_training():
    options = {"algorithm": "bpe", "unit": "bytes", "pattern": "", "unknown": None}
    with pytest.raises(Invalid, match="A special token is spelled as a vocabulary spells a byte"):
        train({"ab": 2}, size=300, special_tokens=["ß"], **options)
