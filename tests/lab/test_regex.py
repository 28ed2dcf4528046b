"""The regex lab: words of every engine against the libraries, alternatives, explanations, attacks, and tokens."""

from itertools import pairwise
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import BacktrackLimit, Invalid, LoneSurrogate, RegexTimeout, TooLarge
from tokenarium.files.split_words import split_with_tiktoken, split_with_tokenizers
from tokenarium.lab.regex.backtracking import Attack, find_worst, list_attacks, list_engines, measure_backtracking
from tokenarium.lab.regex.effect import effect, find_differing_words
from tokenarium.lab.regex.engines import engine_readings, run_attack
from tokenarium.lab.regex.examination import PatternOptions, examine
from tokenarium.lab.regex.explanation import explain
from tokenarium.lab.regex.presets import DIFFERENCES, presets
from tokenarium.lab.regex.words import read
from tokenarium.settings import Settings
from tokenizers import Regex
from tokenizers.pre_tokenizers import Sequence, Split

from tests.conftest import TIER
from tests.support.strings import NASTY, TEXTS

PRESETS = presets(Settings().store)
BY_ID = {preset.id: preset for preset in PRESETS}


def texts_of(text, spans):
    return [text[start:end] for start, end in spans]


def test_the_published_patterns_are_offered():
    assert [preset.id for preset in PRESETS] == [
        *(
            "gpt2",
            "cl100k_base",
            "o200k_base",
            "llama3",
            "qwen2",
            "qwen3.5",
            "deepseek-v3",
            "gemma4",
            "whitespace",
            "words",
        ),
        *("kimi-k2", "tekken", "claude-2"),
    ]
    assert BY_ID["deepseek-v3"].patterns[:2] == (r"\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+")


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
def test_our_words_of_a_published_pattern_are_those_of_the_library(preset):
    for text in ["\n".join(NASTY.values()), *NASTY.values()]:
        words = read(preset.patterns, text, preset.dialect).words
        assert "".join(texts_of(text, [(word.start, word.end) for word in words])) == text
        if preset.dialect == "tiktoken" and (TIER == "nightly" or len(text) > 1000):
            matched = [(word.start, word.end) for word in words if word.matched]
            assert matched == split_with_tiktoken(preset.pattern, text)
        splits = Sequence([Split(Regex(pattern), "isolated") for pattern in preset.patterns])
        translated = read(preset.patterns, text, "tokenizers").words
        assert [(word.start, word.end) for word in translated] == [span for _, span in splits.pre_tokenize_str(text)]


def test_kimi_intersects_sets_as_only_tiktoken_and_our_translation_read_it():
    text, pattern = "你好world", BY_ID["kimi-k2"].patterns
    rows = {row.name: row.matches and texts_of(text, row.matches) for row in engine_readings(pattern, text, base="")}
    assert rows["tiktoken"] == rows["tokenizers"] == rows["ours, as tokenizers"] == ["你好", "world"]
    assert rows["ours, as tiktoken"] != ["你好", "world"]
    assert BY_ID["kimi-k2"].dialect == "tokenizers"


@pytest.mark.parametrize(
    ("pattern", "text", "spans"),
    [
        (r"a\Z", "aa\n", [(1, 2)]),  # of two equal characters, the first is dropped
        (r"(?<=b)a", "aba aa", [(2, 3)]),
        (r"\w\w", "aaaaa", [(0, 2), (2, 4)]),
        (r"[^b]+", "aabbaa", [(0, 2), (4, 6)]),
        (r" ?\p{L}+", "  👩‍🚀 né", [(5, 8)]),
        ("x", "", []),
    ],
)
def test_the_words_of_tiktoken_are_found_where_they_stand(pattern, text, spans):
    assert split_with_tiktoken(pattern, text) == spans


def test_where_a_match_of_tiktoken_leaves_out_text_before_it_its_place_is_not_known():
    rows = {row.name: row for row in engine_readings([r"a\Kb"], "ab ab Iab", base="tokenizers")}
    assert rows["tiktoken"].matches is None
    assert rows["tiktoken"].problem.endswith("so where its matches stand is not known.")
    assert rows["tokenizers"].matches == rows["ours, as tiktoken"].matches == ((1, 2), (4, 5), (8, 9))


@given(TEXTS, st.sampled_from([preset.pattern for preset in PRESETS if preset.dialect == "tiktoken"]))
def test_the_words_of_tiktoken_are_those_its_tokens_never_cross(text, pattern):
    words = [text[start:end].encode() for start, end in split_with_tiktoken(pattern, text)]
    assert b"".join(words) == text.encode()
    # With the words themselves as tokens, tiktoken gives exactly these: it looks a whole word up first.
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {word: 256 + i for i, word in enumerate(sorted({word for word in words if len(word) > 1}))}
    library = tiktoken.Encoding("test", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    assert library.decode_tokens_bytes(library.encode(text, disallowed_special=())) == words


EXPECTED = {  # tiktoken, tokenizers, ours as tiktoken; ours as tokenizers is always equal to tokenizers
    "next-line": (["\x85"], ["\x85"], ["\x85"]),
    "word": (["a_\u200dz"], ["²a_", "z½"], ["a_\u200dz"]),
    "digit": (["1", "٣Ⅷ"], ["1²٣Ⅷ"], ["1", "٣Ⅷ"]),
    "h": (["cafe"], ["cafe"], [" \t "]),
    "possessive": (["aaa"], ["aaaa"], ["aaa"]),
    "atomic": (["ac"], ["ac"], ["ac"]),
    "lookbehind": (["b"], ["b"], ["b"]),
    "case": (["SS"], ["ß", "SS", "ẞ"], ["SS"]),
    "lines": (["a", "b"], ["a", "b", "a", "b"], ["a", "b"]),
    "end": (["a"], ["a"], []),
    "dot": (["a"], ["a"], ["a", "\n"]),
    "intersection": (["ab"], ["ab"], []),
    "named": (["a", "b"], None, ["a", "b"]),
    "empty": (None, ["aa"], ["aa"]),
}


@pytest.mark.parametrize("one", DIFFERENCES, ids=lambda one: one.id)
def test_the_engines_differ_as_listed(one):
    rows = engine_readings([one.pattern], one.text, base="tokenizers")
    tiktoken_row, library, ours, translated = (
        None if row.matches is None else texts_of(one.text, row.matches) for row in rows
    )
    assert (tiktoken_row, library, ours) == EXPECTED[one.id]
    assert translated == library


def test_an_engine_that_refuses_a_pattern_says_why():
    rows = {row.name: row for row in engine_readings([r"(?P<letter>\p{L})"], "a", base="tiktoken")}
    assert rows["tokenizers"].problem == "tokenizers refuses the pattern: Oniguruma error: undefined group option."
    assert rows["tokenizers"].refused
    rows = {row.name: row for row in engine_readings(["a*"], "baac", base="tiktoken")}
    assert rows["tiktoken"].problem.startswith("tiktoken panicked on this text: range end index 2 out of range")


def test_the_first_place_where_an_engine_differs_is_named():
    rows = {row.name: row.first for row in engine_readings([r"a\Z"], "aa\n", base="tiktoken")}
    place = rows["ours, as tiktoken"]
    assert (place.start, place.ours, place.base) == (1, None, "a")
    assert rows["tokenizers"] is None


def test_the_alternative_that_matched_is_found_without_changing_the_match():
    reading = read([r"(a)\1|a|(?:b|bc)d?|\|"], "aaabcd|", "tiktoken")
    words = [(reading.text[word.start : word.end], word.alternative) for word in reading.words]
    assert words == [("aa", 0), ("a", 1), ("b", 2), ("cd", None), ("|", 3)]
    assert [one.source for one in reading.alternatives] == [r"(a)\1", "a", "(?:b|bc)d?", r"\|"]
    (group,) = reading.words[0].groups
    assert (group.name, group.start, group.end) == ("1", 0, 1)
    assert reading.gaps == [(4, 6)]
    assert reading.uses == [1, 1, 1, 1]


def test_a_sequence_splits_the_words_of_the_pattern_before():
    preset = BY_ID["deepseek-v3"]
    reading = read(preset.patterns, "123456東京 ok", "tokenizers")
    words = [
        (reading.text[word.start : word.end], reading.alternatives[word.alternative].step) for word in reading.words
    ]
    assert words == [("123", 0), ("456", 0), ("東京", 1), (" ok", 2)]


@pytest.mark.parametrize(
    ("pattern", "lines"),
    [
        (
            r"\p{N}{1,3}+",
            [
                (
                    r"\p{N}{1,3}+",
                    "one or more times (in tiktoken: never giving back), 1 to 3 times: a number of any script",
                )
            ],
        ),
        (
            r" ?[^\s\p{L}]++(?!\S)",
            [
                (" ?", "once or not at all: a space"),
                (
                    r"[^\s\p{L}]++",
                    "one or more times, never giving back: any character but: white space; a letter of any script",
                ),
                (r"(?!\S)", "not followed by: anything but white space"),
            ],
        ),
        (
            r"\X",
            [(r"\X", "a grapheme cluster: a character with its marks, or joined emoji; Indic conjuncts are divided")],
        ),
        ("(?i:'re)a{2}?$", None),
    ],
)
def test_a_pattern_is_said_in_words(pattern, lines):
    (part,) = explain(pattern)
    if lines is None:
        assert [(one.source, one.words) for one in part.parts] == [
            ("(?i:'re)", "a group:"),
            ("a{2}?", "once or not at all (in tiktoken: as few as possible), 2 times: a"),
            ("$", "the end of a line (in tiktoken: of the text)"),
        ]
        assert part.parts[0].parts[0].words == "the text 're, in any case"
    else:
        assert [(one.source, one.words) for one in part.parts or (part,)] == lines


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.id)
def test_no_attack_on_a_published_pattern_takes_more_than_linear_time(preset):
    for pattern in preset.patterns:
        assert explain(pattern)
        assert measure_backtracking(pattern).growth in ("not tried", "linear")  # of a short repeat or none, no attacks


@pytest.mark.parametrize(
    ("pattern", "growth", "text"),
    [
        ("(?:a|a)*b", "exponential", "aaa\x01b"),
        (r"x(?:\p{L}+\s?)+$", "exponential", "xaaa\x01"),
        ("(?:(?:a|a)+)+(?=c)", "exponential", "aaa\x01"),
        ("(a{1,50}){1,50}$", "exponential", "aaa\x01"),
        ("(?<=^(a|aa)+)c", "exponential", "\x01aaac"),
        (r"\X*\X*c", "linear", None),
        (r"\p{N}{1,3}", "not tried", None),
    ],
)
def test_a_string_that_makes_a_search_explode_is_found(pattern, growth, text):
    worst = measure_backtracking(pattern)
    assert (worst.growth, worst.attack and worst.attack.text(3)) == (growth, text)


@pytest.mark.parametrize("pattern", ["(?:a+)++c", "(?>a+)+c", "[a-z]+[0-9]+"])
def test_no_search_explodes_where_nothing_is_given_back(pattern):
    assert measure_backtracking(pattern).growth in ("linear", "polynomial")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("(a{0,30}){0,30}b", "aaa\x01b"),
        ("(a?){40}a{40}", "aaa\x01aaa"),
        ("(?:(?:a{1,3}){1,3})c", "aaa\x01c"),
        (r"\s+x", "   \x01x"),
        ("(?<!a+)c", "\x01aaac"),
    ],
)
def test_repeats_are_attacked_that_have_no_bound_or_a_large_one(pattern, text):
    assert text in [attack.text(3) for attack in list_attacks(pattern)]


def test_an_attack_is_searched_as_a_text_is_split():
    assert {name: len(search("aabab")) for name, search in list_engines("a+").items()} == {"regex": 2, "tokenizers": 2}


def test_the_worst_engine_is_that_of_the_highest_degree():
    now = [0.0]

    def make_search(degree):
        def search(text):
            now[0] += 1e-7 * len(text) ** degree
            return text

        return search

    engines = {"square": make_search(2), "fourth": make_search(4), "cube": make_search(3)}
    worst = find_worst([Attack("", "a", "")], engines, clock=lambda: now[0])
    assert (worst.engine, worst.degree) == ("fourth", 4)


def test_an_attack_that_no_engine_reads_is_not_tried():
    worst = find_worst([Attack("", "a", "")], list_engines("("), clock=lambda: 0.0)
    assert (worst.growth, worst.tried) == ("not tried", 0)


@pytest.mark.parametrize(
    ("cost", "growth", "degree"),
    [
        (lambda n: 1e-7 * n, "linear", 0),
        (lambda n: 1e-2 * n, "linear", 0),
        (lambda n: 1e-6 * n**2, "polynomial", 2),
        (lambda n: 1e-7 * n**3, "polynomial", 3),
        (lambda n: 1e-9 * n**4, "polynomial", 4),
        (lambda n: 1e-9 * 2.0**n, "exponential", 0),
    ],
)
def test_the_growth_of_the_time_is_named(cost, growth, degree):
    now = [0.0]

    def search(text):
        now[0] += cost(len(text))

    worst = find_worst([Attack("", "a", "")], {"an engine": search}, clock=lambda: now[0])
    assert (worst.growth, worst.degree) == (growth, degree)
    assert (worst.engine, worst.tried) == ("" if growth == "linear" else "an engine", 1)


@pytest.mark.parametrize(("repetitions", "growth"), [(32, "exponential"), (64, "exponential"), (512, "polynomial")])
def test_an_engine_that_gives_up_after_few_repetitions_takes_exponential_time(repetitions, growth):
    def search(text):
        if len(text) >= repetitions:
            raise BacktrackLimit("Too many steps.")

    worst = find_worst([Attack("", "a", "")], {"an engine": search}, clock=lambda: 0.0)
    assert (worst.growth, worst.degree, worst.last_sizes[-1]) == (growth, 0, (repetitions, None))


def test_the_engines_give_up_on_the_string_that_was_found():
    pattern = "(?:(?:a|a)+)+(?=c)"
    ends = dict(run_attack(pattern, measure_backtracking(pattern).attack.text(30)))
    assert ends["tiktoken"].startswith("A regular expression of tiktoken exceeded")
    assert ends["tokenizers"].startswith("A regular expression of tokenizers exceeded")
    assert ends["ours, as tiktoken"].startswith("A tokenizer pattern exceeded its time limit")


def test_two_patterns_differ_where_one_divides_what_the_other_joins():
    text = "In 1234, don't"
    first, second = (read(BY_ID[id].patterns, text, "tiktoken") for id in ("gpt2", "cl100k_base"))
    places = [
        ([text[word.start : word.end] for word in side] for side in (place.first, place.second))
        for place in find_differing_words(first, second)
    ]
    assert [tuple(place) for place in places] == [([" 1234"], [" ", "123", "4"])]
    assert find_differing_words(first, first) == []


@pytest.mark.parametrize("id", ["gpt2", "cl100k_base", "qwen3.5", "claude-2"])
def test_a_vocabulary_with_its_own_pattern_has_its_own_tokens(registry, id):
    for text in [*NASTY.values(), "e\u0301 ﬁ <think>"]:
        both = effect(registry, id, [registry.record(id).pattern], text, "tiktoken")
        assert both.changed.encoding.ids.tolist() == both.own.encoding.ids.tolist()
        assert not any(both.differing[0])


def test_digits_one_by_one_are_more_tokens(registry):
    both = effect(registry, "cl100k_base", [BY_ID["qwen2"].pattern], "12345", "tiktoken")
    assert both.own.encoding.ids.tolist() == [4513, 1774]
    assert both.changed.encoding.ids.tolist() == [16, 17, 18, 19, 20]
    assert both.dropped == 0
    assert effect(registry, "cl100k_base", [r"\d"], "a1", "tiktoken").dropped == 1
    assert effect(registry, "cl100k_base", [r"\d"], "a1", "tokenizers").dropped == 0


@pytest.mark.parametrize(
    ("pattern", "text", "kind", "detail"),
    [
        ("", "a", Invalid, "Write one to 8 patterns"),
        ("a\n" * 9, "a", Invalid, "Write one to 8 patterns"),
        ("(", "a", Invalid, "missing ) at position 1"),
        ("a{2000}", "a", Invalid, "The repeat count at character 2"),
        ("(?R)", "a", Invalid, "Syntax that is not supported begins at character 1"),
        ("a", "a" * 5001, TooLarge, "at most 5,000"),
        ("\ud800", "a", LoneSurrogate, "Code point 0"),
        ("(?:(?:a|a)+)+(?=c)|[^a]", "a" * 28 + "b", RegexTimeout, "exceeded its time limit"),
    ],
)
def test_what_cannot_be_examined_is_refused_with_the_reason(registry, pattern, text, kind, detail):
    with pytest.raises(kind, match=detail.replace("(", r"\(").replace(")", r"\)")):
        examine(registry, PatternOptions(pattern=pattern, text=text))


def test_a_pattern_that_one_dialect_refuses_is_read_in_the_other(registry):
    done = examine(registry, PatternOptions(pattern=r"(?P<letter>\p{L})", text="ab", dialect="tokenizers"))
    assert done.dialect == "tiktoken"
    assert done.note.startswith("Read as by tiktoken, because ours, as tokenizers, refuses it")
    assert [word.groups[0].name for word in done.reading.words] == ["letter", "letter"]


@pytest.mark.parametrize(("pattern", "refused"), [("(?=a*)*b", True), ("b", False)])
def test_words_that_no_library_makes_are_said_to_be_ours_alone(registry, pattern, refused):
    done = examine(registry, PatternOptions(pattern=pattern, text="b"))
    assert done.only_ours.startswith("Neither library reads this") == refused


def test_the_second_pattern_is_pointed_to(registry):
    with pytest.raises(Invalid) as refused:
        examine(registry, PatternOptions(pattern="a", text="a", other="("))
    assert refused.value.pointer == "/other"


def test_llama_3_is_written_once():
    folder = Path(__file__).parents[2] / "app"
    needle = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+"
    assert [path.name for path in folder.rglob("*.py") if needle in path.read_text()] == ["pretokenize.py"]


def test_words_join_to_the_text_in_tokenizers():
    spans = split_with_tokenizers([r"\d"], "a1b")
    assert all(before[1] == after[0] for before, after in pairwise(spans))
