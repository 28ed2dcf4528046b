"""The English of the pages, the course and the messages: turns of phrase that were mended do not come back."""

import ast
import re
from functools import cache

import pytest
from tokenarium.settings import PACKAGE, ROOT

MENDED = {
    "So many has GPT-2.": r"\bSo many\b",
    "Who types ▁ gets a space.": r"(?:^|[.:;!?] )Who(?:ever)? [^.?]*\.",
    "It shall stay.": r"\bshall\b",
    "It must not be zero, too.": r"\bnot\b[^.;]*, too\b",
    "No stage goes back.": r"\bNo \w+ goes back\b",
    "It made models stumble that read GPT-2’s vocabulary.": r"\bmade \w+ \w+ that\b",
    "Who pays by the token pays the premium too": r"\bpays the premium too\b",
    "It exceeds that of the byte before by one.": r"\bexceeds? that of [^.]* by one\b",
    "A language opens the shortest of them.": r"\bopens the \w+est of them\b",
    "It is asked for.": r"\bis asked for\b",
    "It is brought along.": r"\b(?:is|are) brought\b",
    "Claude’s tokens for one of GPT-4o, if you measured them": r"\btokens for one of GPT",
    "The file is no tokenizer.": r"\bfile is no tokenizer\b",
    "A training": r"^A training\b",
    "Sample patients": r"\b[Ss]ample patients?\b",
    "Llama 4: not at hand": r"^not at hand|[>:] ?not at hand",
    "Enter a hall": r"\bEnter a hall\b",
    "Not lossless. Lower case.": r"\bNot lossless\.",
    "No count of theirs is estimated here.": r"\bcount of theirs\b",
    "The same nasty texts": r"\bnasty\b",
    "Special tokens: as plain text, parse, or refuse": r"\bparse, or refuse\b",
    "Until the vocabulary has the size that somebody chose.": r"\bsome(?:body|one) \w+",
    "Training found low ranks first.": r"\b[Tt]raining found\b",
    "Wherever they meet, they become w</w>.": r"\b[Ww]herever\b",
    "The most probable way wins.": r"\b(?:best|probable|usual|other|all|every|each|of a|simplest) ways?\b",
    "Each word in its way": r"\bin (?:its|an?other|other|this|the same) (?:own |best )?ways?\b|\bthis way\b",
    "The best way to there is now −24.720.": r"\bto there\b",
    "Remove 8 tokens whose loss costs least.": r"\bloss costs\b",
    "To merge t ##h adds 14.7.": r"(?:^|[.:;] )To \w+ [^.,:;]*\b(?:adds|gives|takes|costs|makes|saves|needs)\b",
    "BPE takes boundaries back.": r"\btak(?:e|es|en) (?:\w+ )?back\b",
    "Suppose that none fits your field.": r"\bSuppose\b",
    "Draw 1: now the model reads it this way.": r"\bDraw \{|[:;] now the\b",
    "whatever size was chosen": r"\b(?:was|were) chosen\b",
    "how one sees it in the weights": r"\b(?:how|what|where|if|that) one (?:sees|does|reads|finds|writes|knows)\b",
    "The number behind a word": r"(?<!look-)\b[Bb]ehind (?:it|them|a word|the word|the other|those)\b",
    "Or train anew": r"\b[Tt]rain(?:ing)? anew\b|\b[Cc]ounted anew\b",
    "It is no text until the next one comes.": r"\b(?:[Ii]t|that|what) (?:are|is) no (?:text|special|token)\b",
    "It counts nothing but characters.": r"\b[Nn]othing but\b",
    "You counted points and signs.": r"\bpoints? (?:and|or) signs?\b",
    "A low tone and a high one by turns": r"\bby turns\b",
    "The model has yet to learn it.": r"\b(?:has|have) yet to\b",
    "Look for the longest beginning.": r"\blongest beginning\b",
    "All else stays.": r"\b[Aa]ll else (?:is|stays|are)\b",
    "It stands in the same articles.": r"\b[Ii]t stands in\b|\bids stand in\b",
    "Nothing is to be done.": r"\b(?:is|are) to be\b",
}
"""Each pattern with a sentence that it refuses."""
SAMPLES = ("lab/beyond/texts.py", "lab/compare/texts.py")
"""Modules with texts of others: laws, treaties and the like."""


def strings(path):
    """The strings of a module that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.value


@cache
def texts():
    """Each line of a page and each string of a module, with the name of its file."""
    return [*pages(), *modules()]


def pages():
    for path in sorted((ROOT / "templates").rglob("*.*")):
        if path.suffix in (".html", ".toml"):
            text = re.sub(r"\{#.*?#\}|\{%.*?%\}|<[^>]*>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
            yield from ((path.name, line) for line in re.split(r'\n| = "', text))


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        if not path.as_posix().endswith(SAMPLES):
            yield from ((path.name, text) for text in strings(path))


@pytest.mark.parametrize(("sentence", "pattern"), MENDED.items(), ids=[*MENDED])
def test_a_turn_that_was_mended_does_not_come_back(sentence, pattern):
    refused = re.compile(pattern)
    assert refused.search(sentence)
    assert [(name, text) for name, text in texts() if refused.search(text)] == []
