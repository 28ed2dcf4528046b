"""How cells and their tokens are shown."""

from tokenarium.lab.cell_views import MAX_PARTS, cell_views, rows
from tokenarium.lab.cells import windows
from tokenarium.lab.tokenization_view import details
from tokenarium.lab.tokenize import tokenize

from tests.conftest import IDS


def shown(registry, text, tokenizer="o200k_base", **options):
    tokenization = tokenize(registry, text, tokenizer=tokenizer, **options)
    return tokenization, list(cell_views(tokenization, windows(tokenization)[0]))


def test_the_globe_is_one_face_of_two_parts_labelled_with_their_bytes(registry):
    tokenization, views = shown(registry, "Hello, 🌍! 你好!")
    assert [view.kind for view in views] == ["token", "token", "split", "token", "token", "token", "token"]
    assert [part.label for part in views[2].parts] == ["20 F0 9F 8C", "8D"]
    assert len(tokenization.encoding) == 8


def test_whole_characters_of_a_split_cluster_are_labelled_with_their_text(registry):
    _, views = shown(registry, "👩\u200d🚀", "characters")
    assert [part.label for part in views[0].parts] == ["👩", "ZWJ", "🚀"]
    _, views = shown(registry, "e\u0301", "characters")
    assert [part.label for part in views[0].parts] == ["e", "◌\u0301"]


def test_no_label_ever_holds_a_replacement_character(registry):
    for id in IDS:
        _, views = shown(registry, "🌍𝄞é\u0301नि한", id)
        assert not any("\ufffd" in part.label for view in views for part in view.parts)


def test_the_parts_of_one_cell_are_capped_and_the_rest_counted(registry):
    _, views = shown(registry, "a" + "\u0301" * 31, "bytes")
    assert (len(views[0].parts), views[0].left_out) == (MAX_PARTS, 1 + 62 - MAX_PARTS)


def test_dropped_input_is_a_gap_and_changed_input_is_marked(registry):
    _, views = shown(registry, "Ab c", "bert-base-uncased", add_special_tokens=True)
    assert [view.kind for view in views] == ["inserted", "token", "gap", "token", "inserted"]
    assert [part.label for part in (*views[0].parts, *views[-1].parts)] == ["[CLS]", "[SEP]"]
    assert [view.parts[0].mark for view in views if view.parts] == ["special", "changed", "", "special"]
    assert views[2].blank


def test_letters_that_join_across_a_split_cell_keep_their_joined_forms(registry):
    _, views = shown(registry, "مرح", "gpt2")
    assert [(view.kind, view.joins) for view in views] == [("token", ()), ("token", ()), ("split", ())]
    _, views = shown(registry, "بحب", "gpt2")
    sides = {view.runs[0].text: view.joins for view in views}
    assert "split" in [view.kind for view in views]
    assert sides["ح"] == ("before", "after")


def test_rows_follow_the_tokens_in_order(registry):
    tokenization, _ = shown(registry, "Hello, 🌍! 你好!")
    table = list(rows(tokenization, windows(tokenization)[0]))
    assert [row.part.id for row in table] == [13225, 11, 130321, 235, 0, 220, 177519, 0]
    assert (table[2].hex, table[2].byte_start, table[2].byte_end) == ("20 F0 9F 8C", 6, 10)
    assert {row.kind for row in table} == {"normal"}


def test_details_list_every_other_place(registry):
    tokenization = tokenize(registry, "the cat, the hat, the end", tokenizer="words")
    token = details(tokenization, 0)
    assert (token.others, [place.index for place in token.occurrences]) == (2, [5, 10])
    assert "".join(run.text for run in token.occurrences[0].after).startswith(" hat")


def test_details_list_at_most_a_hundred_places(registry):
    token = details(tokenize(registry, "a" * 500, tokenizer="bytes"), 3)
    assert (token.others, len(token.occurrences)) == (499, 100)
    assert 3 not in [place.index for place in token.occurrences]


def test_a_long_row_of_flag_letters_is_shown_in_linear_time(registry):
    tokenization, views = shown(registry, "🇺🇳" * 100_000, "bert-base-uncased")
    assert len(tokenization.encoding) == 1
    assert (len(views), views[0].parts[0].mark) == (1, "unknown")
