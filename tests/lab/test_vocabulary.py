"""The browser of tokens: a vocabulary in columns, search through it, and what each token is made of."""

import json

import pytest
from tokenarium.errors import Invalid
from tokenarium.files.records import record_from_files
from tokenarium.lab.vocabulary.columns import load_columns
from tokenarium.lab.vocabulary.entry import token_entry
from tokenarium.lab.vocabulary.merges import load_merges
from tokenarium.lab.vocabulary.search import Query, search
from tokenarium.lab.vocabulary.token_view import token_view
from tokenarium.registry import load
from tokenarium.types import VocabEntry

from tests.support.faulty_files import BAD


@pytest.fixture(scope="module")
def columns(registry):
    """The columns of a tokenizer, made once."""
    made = {}

    def columns(id):
        if id not in made:
            made[id] = load_columns(registry.get(id))
        return made[id]

    return columns


@pytest.mark.parametrize("id", ["o200k_base", "bert-base-uncased", "mistral-v1", "yi", "rwkv-world", "bytes"])
def test_the_columns_are_the_entries(registry, columns, id):
    tokenizer, table = registry.get(id), columns(id)
    for row in range(0, len(table), 997):
        assert table.entry(row) == tokenizer.entry(int(table.ids[row]))
        assert table.lengths[row] == len(table.raws[row])
        assert table.index(int(table.ids[row])) == row


def test_a_vocabulary_that_grows_from_the_text_has_no_columns(registry):
    with pytest.raises(Invalid, match="words builds its vocabulary anew from each text"):
        load_columns(registry.get("words"))


def found(table, **query):
    return [table.raws[row] for row in search(table, Query(**query)).tolist()]


def test_a_search_finds_what_a_loop_over_all_tokens_finds(columns):
    table = columns("gpt2")
    tests = {
        "contains": lambda raw: b"ing" in raw,
        "begins": lambda raw: raw.startswith(b"ing"),
        "ends": lambda raw: raw.endswith(b"ing"),
        "exact": lambda raw: raw == b"ing",
    }
    for match, test in tests.items():
        expected = [*filter(test, table.raws)]
        assert found(table, q="ing", match=match) == expected
        assert found(table, q="69 6e 67", by="bytes", match=match) == expected
    assert found(table, q="ING", ignore_case=True) == [raw for raw in table.raws if b"ing" in raw.lower()]
    assert found(table, q="^ing", by="regex") == found(table, q="ing", match="begins")


def test_filters_are_combined(columns):
    table = columns("o200k_base")
    cyrillic = search(table, Query(script="Cyrillic", space="yes", shortest=5, longest=9)).tolist()
    assert cyrillic
    for row in cyrillic:
        assert table.raws[row].startswith(b" ")
        assert 5 <= len(table.raws[row]) <= 9
        assert any("\u0400" <= char <= "\u052f" for char in table.texts[row])
    assert [table.pieces[row] for row in search(table, Query(kind="special"))] == ["<|endoftext|>", "<|endofprompt|>"]


def test_rows_are_sorted_and_equal_ones_follow_by_id(columns):
    table = columns("mistral-v1")
    assert found(table, sort="text") == sorted(table.raws)
    lengths = table.lengths[search(table, Query(sort="bytes", descending=True))]
    assert (lengths[:-1] >= lengths[1:]).all()
    shortest = search(table, Query(sort="bytes"))[: int((table.lengths == 1).sum())]
    assert (shortest[:-1] < shortest[1:]).all()


def entry(registry, columns, id, piece):
    table = columns(id)
    return token_entry(table, load_merges(registry.record(id), table), table.pieces.index(piece))


def drawn(nodes):
    """A tree as nested ids."""
    return [(node.token.id, drawn(node.parts)) if node.parts else node.token.id for node in nodes]


def test_the_merges_of_ranks_are_recovered(registry, columns):
    # GPT-2's merges.txt begins: Ġ t, Ġ a, h e, i n, r e, o n, Ġt he.
    one = entry(registry, columns, "gpt2", " the")
    assert (one.source, one.rank) == ("ranks", 262)
    assert drawn(one.tree) == [(262, [(256, [220, 83]), (258, [71, 68])])]
    assert not one.orphan


def test_the_listed_merges_of_a_tokenizer_json_are_those_of_the_library(registry, columns):
    model = json.loads(registry.get("deepseek-coder").as_text.to_str())["model"]
    listed = [tuple(pair.split(" ")) if isinstance(pair, str) else tuple(pair) for pair in model["merges"]]
    table = columns("deepseek-coder")
    merges = load_merges(registry.record("deepseek-coder"), table)
    assert merges.source == "listed"
    for rank in range(0, len(listed), 997):
        left, right = listed[rank]
        assert merges.rank_of(left, right) == rank
        assert model["vocab"][left + right] in merges.list_products(model["vocab"][left])[0]
        assert model["vocab"][left + right] in merges.list_products(model["vocab"][right])[0]


@pytest.mark.parametrize("id", ["gpt2", "deepseek-coder", "clip", "mistral-v1"])
def test_the_leaves_of_a_tree_join_to_the_token(registry, columns, id):
    table = columns(id)
    merges = load_merges(registry.record(id), table)

    def leaves(nodes):
        return [leaf for node in nodes for leaf in (leaves(node.parts) if node.parts else [node])]

    for row in range(700, len(table), 1499):
        number = int(table.ids[row])
        if (nodes := merges.tree(number)) and (parts := leaves(nodes)):
            joined = parts[0].symbol[:0].join(part.symbol for part in parts)
            assert joined == merges.symbols[number]
            assert all(len(part.symbol.removesuffix("</w>") if id == "clip" else part.symbol) == 1 for part in parts)


def test_what_is_made_of_a_token_has_it_as_a_part(registry, columns):
    one = entry(registry, columns, "gpt2", " straw")
    table = columns("gpt2")
    assert [table.pieces[table.index(token.id)] for token in one.made.tokens] == [" strawberries", " strawberry"]
    assert one.made.complete


# Facts that others have found: Qwen 3.6 has 112 tokens that no two earlier ones make.
def test_a_token_that_no_merge_makes_is_an_orphan():
    record = record_from_files("small", BAD["orphans"])
    table = load_columns(load(record, "scratch"))
    merges = load_merges(record, table)
    assert [merges.orphan(int(table.ids[table.pieces.index(piece)])) for piece in ("xyz", "the")] == [True, False]


@pytest.mark.nightly
def test_as_many_tokens_of_qwen_are_orphans_as_known(registry, columns):
    table = columns("qwen3.5")
    merges = load_merges(registry.record("qwen3.5"), table)
    ids = [id for id in table.ids.tolist() if merges.orphan(id)]
    assert (len(ids), table.pieces[table.index(ids[0])]) == (112, "人力资源")
    # Two tokens that have later ranks, but merge first, make the text of 15 of them.
    assert sum(len(merges.tree(id)) == 1 for id in ids) == 15


def test_models_without_merges_say_so(registry, columns):
    assert entry(registry, columns, "bert-base-uncased", "the").source == "none"
    one = entry(registry, columns, "t5", "▁the")
    assert (one.source, one.rank, one.tree) == ("none", None, ())
    assert one.score == pytest.approx(-3.95985126)  # as in the file


def test_variants_differ_in_space_and_case(registry, columns):
    one = entry(registry, columns, "o200k_base", " the")
    pieces = [columns("o200k_base").entry(columns("o200k_base").index(token.id)).piece for token in one.variants]
    assert pieces == ["the", "The", "THE", " the", " The", " THE"]
    one = entry(registry, columns, "bert-base-uncased", "the")
    assert [token.id for token in one.variants] == [1996, 10760]  # the, ##the


def test_a_fragment_is_shown_as_text_and_bytes():
    view = token_view(VocabEntry(5, "", "é".encode() + b" \xf0\x9f"))
    assert [(part.hex, "".join(run.text for run in part.runs)) for part in view.parts] == [("", "é "), ("F0 9F", "")]
    long = token_view(VocabEntry(5, "a" * 1000, b"a" * 1000))
    assert long.parts[0].runs[0].text == "a" * 64 + "…"
