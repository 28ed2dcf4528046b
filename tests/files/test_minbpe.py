"""minbpe's file is read and written exactly, its merges are checked, and its BPE cuts as minbpe does."""

import random
from itertools import pairwise

import pytest
import regex
from tokenarium.errors import BadFile
from tokenarium.files.from_scratch import minbpe
from tokenarium.files.minbpe import MinbpeModel, dump_minbpe, load_minbpe
from tokenarium.types import TokenizerInfo

from tests.support.strings import NASTY

HEAD = "minbpe v1\n[a-z]+|[^a-z]\n1\n<|end|> 259\n"
GOOD = f"{HEAD}97 98\n256 99\n97 256\n".encode()


def rescan(model, text):
    """BPE as minbpe writes it: merge the pair of lowest rank everywhere, count again."""
    ranks = {pair: 256 + i for i, pair in enumerate(model.merges)}
    done = []
    for word in regex.findall(model.pattern, text) if model.pattern else [text]:
        ids = [*word.encode()]
        while known := [pair for pair in pairwise(ids) if pair in ranks]:
            pair, new, i = min(known, key=ranks.__getitem__), [], 0
            while i < len(ids):
                match = (*ids[i : i + 2],) == pair
                new.append(ranks[pair] if match else ids[i])
                i += 1 + match
            ids = new
        done += ids
    return done


def test_a_file_is_read_and_written_exactly():
    model = load_minbpe(GOOD)
    assert model == MinbpeModel(((97, 98), (256, 99), (97, 256)), "[a-z]+|[^a-z]", {"<|end|>": 259})
    assert dump_minbpe(model) == GOOD
    assert model.vocabulary()[256:] == [b"ab", b"abc", b"aab"]


def test_random_merges_cut_as_minbpe_cuts():
    source = random.Random(8)
    for pattern in ("", r"\p{L}+|\P{L}"):
        merges: dict[tuple[int, int], None] = {}
        while len(merges) < 60:
            merges[source.choice([97, 98, 99, 0xC3, *range(256, 256 + len(merges))]), source.choice([97, 98, 0xA9])] = (
                None
            )
        model = MinbpeModel(tuple(merges), pattern)
        ours = minbpe(TokenizerInfo("", "", "bpe", (), 316, True), model=model)
        texts = ["".join(source.choices(["a", "b", "c", "é", "ab", " "], k=40)) for _ in range(300)]
        for text in [*NASTY.values(), *texts]:
            assert ours.encode(text).ids.tolist() == rescan(model, text), ascii(text)
            assert ours.decode(ours.encode(text).ids.tolist()).decode() == text


def test_special_tokens_are_parsed_when_they_are_asked_for():
    info = TokenizerInfo("", "", "bpe", (), 260, True, special_tokens={"<|end|>": 259})
    ours = minbpe(info, model=load_minbpe(GOOD))
    assert ours.encode("abc<|end|>", special="parse").ids.tolist() == [257, 259]
    assert ours.encode("aab<|end|>").ids.tolist()[:1] == [258]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Line 1 is not 'minbpe v1'."),
        ("minbpe v1", "Line 3 is not the number of special tokens."),
        ("minbpe v1\n\n-1\n", "Line 3 is not the number of special tokens."),
        ("minbpe v1\n\n5\n", "The model ends at line 3, before its 5 special tokens do."),
        ("minbpe v1\n(\n0\n", "Line 2 is not a pattern that can be read."),
        (f"{HEAD}97", "Line 5 is not a merge of two ids: '97'."),
        (f"{HEAD}97 x", "Line 5 is not a merge of two ids: '97 x'."),
        (f"{HEAD}97 256", "Line 5 merges the id 256, which no line before it makes."),
        (f"{HEAD}97 98\n97 98", "Line 6 repeats the merge of line 5."),
        (f"{HEAD}1 2\n3 4\n5 6\n7 8", "Line 4 gives '<|end|>' an id that is taken, or repeats it: 259."),
        ("minbpe v1\n\n1\n300\n", "Line 4 is not a special token and its id: '300'."),
    ],
)
def test_nonsense_is_refused_by_line(text, message):
    with pytest.raises(BadFile) as refused:
        load_minbpe(text.encode())
    assert refused.value.detail == message


def test_a_mutant_is_refused_or_read():
    source = random.Random(6)
    for _ in range(600):
        data = bytearray(GOOD)
        for _ in range(source.randint(1, 3)):
            at = source.randrange(len(data))
            data[at : at + source.randint(0, 3)] = source.choice([b"", b"\n", b"9", b" ", b"\xff", b"97 98\n", b"("])
        try:
            model = load_minbpe(bytes(data))
        except BadFile:
            continue
        assert len(model.vocabulary()) == 256 + len(model.merges)
