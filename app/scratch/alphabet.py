"""The characters that a vocabulary begins with, and the corpus written in them, numbered as `tokenizers` does it.

`corpus` numbers its symbols as the published examples do; the numbers decide between pairs that are equally good.
"""

from collections import Counter
from collections.abc import Collection, Mapping

from app.scratch.corpus import Corpus, blocks


def alphabet_of(
    counts: Mapping[str, int], *, more: Collection[str] = (), limit: int | None = None, without: Collection[str] = ()
) -> list[str]:
    """The characters of a corpus and `more`, in their order; at most `limit`, those that come most often.

    >>> alphabet_of({"hello": 1, "oh": 1}), alphabet_of({"hello": 1, "oh": 1}, more="x", limit=3)
    (['e', 'h', 'l', 'o'], ['h', 'l', 'x'])
    """
    found = Counter[str]()
    for word, count in counts.items():
        for char in word:
            found[char] += count
    seen = sorted(found.keys() - {*more}, key=lambda char: (-found[char], char))
    return sorted({*[*sorted({*more}), *seen][:limit]} - {*without})


def written(
    counts: Mapping[str, int], alphabet: list[str], *, prefix: str = "", suffix: str = "", at_least: int = 1
) -> Corpus:
    """Words in characters of an alphabet; all but the first have a prefix, or the last has a suffix.

    What is so marked is numbered behind the alphabet. Characters that are not in it are left out of the words;
    pairs that come less often than `at_least` are forgotten.

    >>> corpus = written({"hug": 1}, ["g", "h", "u"], prefix="##")
    >>> corpus.spelled(0), corpus.spellings
    (['h', '##u', '##g'], ['g', 'h', 'u', '##g', '##u', ''])
    """
    parts = [_parted(word, prefix=prefix, suffix=suffix) for word in counts]
    marked = sorted({char for _, rest in parts for char in rest} & {*alphabet})
    spellings = [*alphabet, *(prefix + char + suffix for char in marked), ""]
    left_out: dict[int, str | None] = dict.fromkeys(map(ord, set().union(*counts)))
    plain = left_out | {ord(char): chr(id) for id, char in enumerate(alphabet)}
    other = left_out | {ord(char): chr(id) for id, char in enumerate(marked, len(alphabet))}
    words = (part.translate(plain) + rest.translate(other) for part, rest in parts)
    edge = chr(len(spellings) - 1)
    return Corpus(*blocks(words, counts.values(), edge), spellings, prefix=prefix, edge=edge, at_least=at_least)


def _parted(word: str, *, prefix: str, suffix: str) -> tuple[str, str]:
    """What is not marked of a word, and what is, whichever is in front."""
    if prefix:
        return word[:1], word[1:]
    return (word[:-1], word[-1:]) if suffix else (word, "")
