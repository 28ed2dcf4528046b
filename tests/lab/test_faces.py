"""How cells and their tokens are shown."""

from app.lab.details import details
from app.lab.faces import MOST_PARTS, faces, rows
from app.lab.tokenize import tokenize
from app.lab.windows import windows


def shown(registry, text, tokenizer="o200k_base", **options):
    done = tokenize(registry, text, tokenizer=tokenizer, **options)
    return done, list(faces(done, windows(done)[0]))


def test_the_globe_is_one_face_of_two_parts_labelled_with_their_bytes(registry):
    done, found = shown(registry, "Hello, 🌍! 你好!")
    assert [face.kind for face in found] == ["token", "token", "split", "token", "token", "token", "token"]
    assert [part.label for part in found[2].parts] == ["20 F0 9F 8C", "8D"]
    assert len(done.encoding) == 8


def test_whole_characters_of_a_split_cluster_are_labelled_with_their_text(registry):
    _, found = shown(registry, "👩\u200d🚀", "characters")
    assert [part.label for part in found[0].parts] == ["👩", "ZWJ", "🚀"]
    _, found = shown(registry, "e\u0301", "characters")
    assert [part.label for part in found[0].parts] == ["e", "◌\u0301"]


def test_no_label_ever_holds_a_replacement_character(registry):
    for info in registry.infos():
        _, found = shown(registry, "🌍𝄞é\u0301नि한", info.id)
        assert not any("\ufffd" in part.label for face in found for part in face.parts)


def test_the_parts_of_one_cell_are_capped_and_the_rest_counted(registry):
    _, found = shown(registry, "a" + "\u0301" * 31, "bytes")
    assert (len(found[0].parts), found[0].left_out) == (MOST_PARTS, 1 + 62 - MOST_PARTS)


def test_dropped_input_is_a_gap_and_changed_input_is_marked(registry):
    _, found = shown(registry, "Ab c", "bert-base-uncased", template=True)
    assert [face.kind for face in found] == ["inserted", "token", "gap", "token", "inserted"]
    assert [part.label for part in (*found[0].parts, *found[-1].parts)] == ["[CLS]", "[SEP]"]
    assert [face.parts[0].mark for face in found if face.parts] == ["special", "changed", "", "special"]
    assert found[2].blank


def test_letters_that_join_across_a_split_cell_keep_their_joined_forms(registry):
    _, found = shown(registry, "مرح", "gpt2")
    assert [(face.kind, face.joins) for face in found] == [("token", ()), ("token", ()), ("split", ())]
    _, found = shown(registry, "بحب", "gpt2")
    sides = {face.runs[0].text: face.joins for face in found}
    assert "split" in [face.kind for face in found]
    assert sides["ح"] == ("before", "after")


def test_rows_follow_the_tokens_in_order(registry):
    done, _ = shown(registry, "Hello, 🌍! 你好!")
    found = list(rows(done, windows(done)[0]))
    assert [row.part.id for row in found] == [13225, 11, 130321, 235, 0, 220, 177519, 0]
    assert (found[2].hex, found[2].byte_start, found[2].byte_end) == ("20 F0 9F 8C", 6, 10)
    assert {row.kind for row in found} == {"ordinary"}


def test_details_list_every_other_place(registry):
    done = tokenize(registry, "the cat, the hat, the end", tokenizer="words")
    found = details(done, 0)
    assert (found.others, [place.index for place in found.places]) == (2, [5, 10])
    assert "".join(run.text for run in found.places[0].after).startswith(" hat")


def test_details_list_at_most_a_hundred_places(registry):
    found = details(tokenize(registry, "a" * 500, tokenizer="bytes"), 3)
    assert (found.others, len(found.places)) == (499, 100)
    assert 3 not in [place.index for place in found.places]


def test_a_long_row_of_flag_letters_is_shown_in_linear_time(registry):
    done, found = shown(registry, "🇺🇳" * 100_000, "bert-base-uncased")
    assert len(done.encoding) == 1
    assert (len(found), found[0].parts[0].mark) == (1, "unknown")
