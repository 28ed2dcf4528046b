"""Limits are read with clear errors; what exceeds them is named."""

import pytest
from tokenarium.corpus.folder.budgets import TokenBudget, find_excesses, parse_count, read_budget
from tokenarium.corpus.folder.usage import TokenUsage
from tokenarium.errors import BadFile, Invalid

FILES = [
    TokenUsage(name, [tokens], 1, path=f"/top/{name}")
    for name, tokens in {"a.md": 30, "docs/b.md": 50, "docs/c.txt": 7, "src/d.py": 100}.items()
]


@pytest.mark.parametrize(
    ("value", "count"),
    [("200k", 200_000), ("1.5M", 1_500_000), ("12", 12), ("1_000", 1000), ("1,000 k", 10**6), (0, 0)],
)
def test_a_limit_may_have_a_scale(value, count):
    assert parse_count(value) == count


@pytest.mark.parametrize("value", ["", "k", "-1", -1, "1.k", "2g", True, 1.5, None, [1], "1" * 50 + "x"])
def test_what_is_no_limit_is_refused(value):
    with pytest.raises(Invalid, match="a number of tokens such as 200k"):
        parse_count(value)


def test_limits_hold_for_all_files_of_a_pattern_and_for_each():
    budget = TokenBudget("/top", {".": 187, "docs/": 56, "*.md": 80, "/a.md": 30}, {"*.md": 49, "*.py": 100})
    assert [*find_excesses(budget, FILES)] == [
        "docs/ has 57 tokens, 1 more than its limit of 56.",
        "docs/b.md has 50 tokens, 1 more than the limit of 49 for *.md.",
    ]
    assert [*find_excesses(TokenBudget("/top", {".": 186}), FILES)] == [
        ". has 187 tokens, 1 more than its limit of 186."
    ]
    assert [*find_excesses(TokenBudget("/top/docs", {"/b.md": 1}), FILES)] == [
        "/b.md has 50 tokens, 49 more than its limit of 1."
    ]


def test_a_file_of_limits_is_read(tmp_path):
    (tmp_path / "tokens.toml").write_text('tokenizer = "gpt-5"\n[total]\n"." = "1k"\n[each]\n"*.md" = 20\n')
    budget = read_budget(str(tmp_path / "tokens.toml"))
    assert budget == TokenBudget(str(tmp_path), {".": 1000}, {"*.md": 20}, "gpt-5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("total = 5", "total of .* is a table"),
        ("[totals]", "'totals'; it may have tokenizer, total, each"),
        ("tokenizer = 5", "tokenizer of .* is a name"),
        ('[each]\n"a" = "many"', "each of .*, 'a': A limit is"),
        ('[each]\n"!" = 5', "is no pattern"),
        ("[", "is no TOML"),
    ],
)
def test_a_wrong_file_of_limits_says_where(tmp_path, text, message):
    (tmp_path / "tokens.toml").write_text(text)
    with pytest.raises(BadFile, match=message):
        read_budget(str(tmp_path / "tokens.toml"))
